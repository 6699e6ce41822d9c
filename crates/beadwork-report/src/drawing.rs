//! How the figures of an answer are drawn: their files, sizes and axes.

use std::path::{Path, PathBuf};

use beadwork_analysis::Error as AnalysisError;
use beadwork_analysis::picture::Scene;
use beadwork_analysis::plot::{Axis, Figure, Look};
use beadwork_io::atomic;
use beadwork_session::Error;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines and letters that can be drawn at any size.
    Svg,
    /// Pixels.
    Png,
    /// As SVG, on one page.
    Pdf,
}

impl Format {
    /// The ending of file names, without the dot.
    fn ending(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
            Format::Pdf => "pdf",
        }
    }
}

/// A part of a figure that may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The title.
    Title,
    /// The horizontal axis.
    X,
    /// The vertical axis.
    Y,
}

/// What is changed.
#[derive(Clone, Debug, PartialEq)]
pub enum To {
    /// Its text.
    Label(String),
    /// The ends of an axis, in its unit, the lower one first.
    Limits(f64, f64),
}

/// A change of one figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The name of its file without the ending.
    pub figure: String,
    /// Which part.
    pub part: Part,
    /// What it becomes.
    pub to: To,
}

/// How figures are drawn. The default is for a screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The layout.
    pub look: Look,
    /// The files of each figure.
    pub formats: Vec<Format>,
    /// The figures and pictures that are drawn, by the names of their files without the ending; all if empty.
    pub figures: Vec<String>,
    /// Changes of single figures, one after another.
    pub changes: Vec<Change>,
}

impl Default for Drawing {
    fn default() -> Self {
        let formats = vec![Format::Svg, Format::Png];
        Drawing { look: Look::default(), formats, figures: Vec::new(), changes: Vec::new() }
    }
}

impl Drawing {
    /// Keeps the figures and pictures that are drawn.
    ///
    /// # Errors
    /// `analysis/no-figure` if there is none of a name.
    pub(crate) fn choose(
        &self,
        figures: &mut Vec<(String, Figure)>,
        pictures: &mut Vec<(String, Scene)>,
    ) -> Result<(), Error> {
        if self.figures.is_empty() {
            return Ok(());
        }
        let of_figures = figures.iter().map(|(name, _)| name.as_str());
        let of_pictures = pictures.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = of_figures.chain(of_pictures).collect();
        if let Some(name) = self.figures.iter().find(|name| !names.contains(&name.as_str())) {
            let message = format!("there is no figure {name:?} to draw: {}", known(&names));
            return Err(AnalysisError::new("analysis/no-figure", message).into());
        }
        figures.retain(|(name, _)| self.figures.contains(name));
        pictures.retain(|(name, _)| self.figures.contains(name));
        Ok(())
    }

    /// Makes the changes in figures by their names.
    ///
    /// # Errors
    /// `analysis/figure-change` if there is no figure of a name, or a logarithmic axis would begin at zero or below.
    pub(crate) fn change(&self, figures: &mut [(String, Figure)]) -> Result<(), Error> {
        let names: Vec<String> = figures.iter().map(|(name, _)| name.clone()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for change in &self.changes {
            let found = figures.iter_mut().find(|(name, _)| *name == change.figure);
            let Some((_, figure)) = found else {
                let message =
                    format!("there is no figure {:?} to change: {}", change.figure, known(&names));
                return Err(AnalysisError::new("analysis/figure-change", message).into());
            };
            match (change.part, &change.to) {
                (Part::Title, To::Label(text)) => figure.title.clone_from(text),
                // A title has no ends.
                (Part::Title, To::Limits(..)) => {}
                (Part::X, to) => change_axis(&mut figure.x, to, &change.figure)?,
                (Part::Y, to) => change_axis(&mut figure.y, to, &change.figure)?,
            }
        }
        Ok(())
    }

    /// The names of the files of a figure.
    pub(crate) fn names<'a>(&'a self, stem: &'a str) -> impl Iterator<Item = String> + use<'a> {
        self.formats.iter().map(move |format| format!("{stem}.{}", format.ending()))
    }

    /// Writes the files of a figure into a folder; returns their paths.
    pub(crate) fn write(
        &self,
        folder: &Path,
        (stem, figure): &(String, Figure),
    ) -> Result<Vec<PathBuf>, Error> {
        let mut written = Vec::new();
        for format in &self.formats {
            let bytes = match format {
                Format::Svg => figure.to_svg_as(&self.look).into_bytes(),
                Format::Png => figure.to_png_as(&self.look)?,
                Format::Pdf => figure.to_pdf_as(&self.look)?,
            };
            let path = folder.join(format!("{stem}.{}", format.ending()));
            atomic::write(&path, &bytes)?;
            written.push(path);
        }
        Ok(written)
    }
}

/// Which figures there are, in words.
fn known(names: &[&str]) -> String {
    match names {
        [] => "the answer has none".to_string(),
        names => format!("there are {}", names.join(", ")),
    }
}

fn change_axis(axis: &mut Axis, to: &To, figure: &str) -> Result<(), Error> {
    match to {
        To::Label(text) => axis.label.clone_from(text),
        To::Limits(low, _) if axis.logarithmic && *low <= 0.0 => {
            let message = format!(
                "the axis {:?} of {figure:?} is logarithmic and cannot begin at {low}: give it an end above zero",
                axis.label
            );
            return Err(AnalysisError::new("analysis/figure-change", message).into());
        }
        To::Limits(low, high) => axis.range = Some((*low, *high)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_figures_that_are_named_are_kept() {
        let drawn = |asked: &[&str]| {
            let mut figures =
                ["force-time", "size"].map(|name| (name.to_string(), Figure::default())).to_vec();
            let mut pictures = vec![("picture".to_string(), Scene::default())];
            let names = asked.iter().map(|name| (*name).to_string()).collect();
            let drawing = Drawing { figures: names, ..Drawing::default() };
            drawing.choose(&mut figures, &mut pictures).map(|()| (figures.len(), pictures.len()))
        };
        assert_eq!(drawn(&[]).unwrap(), (2, 1));
        assert_eq!(drawn(&["size"]).unwrap(), (1, 0));
        assert_eq!(drawn(&["picture", "force-time"]).unwrap(), (1, 1));
        for unknown in ["force-*", "size.svg", ""] {
            let error = drawn(&["size", unknown]).unwrap_err();
            assert_eq!(error.code(), "analysis/no-figure");
            assert!(
                error.to_string().ends_with(": there are force-time, size, picture"),
                "{error}"
            );
        }
        // Nothing is drawn of a run in which no replica has begun.
        let drawing = Drawing { figures: vec!["size".to_string()], ..Drawing::default() };
        let error = drawing.choose(&mut Vec::new(), &mut Vec::new()).unwrap_err();
        assert!(error.to_string().ends_with("\"size\" to draw: the answer has none"), "{error}");
    }
}
