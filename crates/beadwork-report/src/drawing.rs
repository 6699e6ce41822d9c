//! How the figures of an answer are drawn: their files, sizes and axes.

use std::path::{Path, PathBuf};

use beadwork_analysis::Error as AnalysisError;
use beadwork_analysis::numbers::rounded;
use beadwork_analysis::picture::Scene;
use beadwork_analysis::plot::{Axis, Figure, Look};
use beadwork_io::atomic;
use beadwork_model::advice::plain;
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
    /// `analysis/figure-change` if there is no figure of a name, a logarithmic axis would begin at zero or below, or ends do not form
    /// an axis.
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

    /// Whether an axis gets other ends.
    pub(crate) fn has_limits(&self) -> bool {
        self.changes.iter().any(|change| matches!(change.to, To::Limits(..)))
    }

    /// Of changed figures: a sentence for each axis that got ends between which no data lie.
    pub(crate) fn outside_limits(&self, figures: &[(String, Figure)]) -> Vec<String> {
        let mut said = Vec::new();
        for (name, figure) in figures {
            let Some([along_x, along_y]) = figure.data_range() else { continue };
            let axes = [(Part::X, &figure.x, along_x), (Part::Y, &figure.y, along_y)];
            for (part, axis, (least, most)) in axes {
                let is_given = |change: &Change| {
                    let is_limit = matches!(change.to, To::Limits(..));
                    is_limit && change.figure == *name && change.part == part
                };
                let given = axis.range.filter(|_| self.changes.iter().any(is_given));
                let Some((low, high)) = given.filter(|(low, high)| most < *low || least > *high)
                else {
                    continue;
                };
                said.push(format!(
                    "no data of {name} lie from {} to {}, the ends of its axis {:?}: they go from {} to {}",
                    plain(low),
                    plain(high),
                    axis.label,
                    rounded(least, 3),
                    rounded(most, 3)
                ));
            }
        }
        said
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
        To::Limits(low, high) if !axis.takes((*low, *high)) => {
            let message = format!(
                "the axis {:?} of {figure:?} cannot go from {} to {}, which are no ends of an axis: give the lower one first, and numbers between -1e300 and 1e300",
                axis.label,
                plain(*low),
                plain(*high)
            );
            return Err(AnalysisError::new("analysis/figure-change", message).into());
        }
        To::Limits(low, high) => axis.range = Some((*low, *high)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use beadwork_analysis::plot::Series;

    use super::*;

    /// Ends of an axis are refused if they form none, and a figure without data between them is named.
    #[test]
    fn limits_are_those_of_an_axis_and_have_data_between_them() {
        let drawn = |low: f64, high: f64| {
            let series = vec![Series::line("", vec![(0.0, 5.0), (30.0, 100.0)])];
            let figure = Figure { x: Axis::new("time / ns"), series, ..Figure::default() };
            let mut figures = vec![("force-time".to_string(), figure)];
            let figure = "force-time".to_string();
            let change = Change { figure, part: Part::X, to: To::Limits(low, high) };
            let drawing = Drawing { changes: vec![change], ..Drawing::default() };
            assert!(drawing.has_limits());
            drawing.change(&mut figures).map(|()| drawing.outside_limits(&figures))
        };
        for (low, high) in [(0.0, 10.0), (-1e200, 1e200), (10.0, 20.0), (30.0, 40.0)] {
            assert_eq!(drawn(low, high).unwrap(), [""; 0]);
        }
        let said = "no data of force-time lie from 40 to 50, the ends of its axis \"time / ns\": they go from 0 to 30";
        assert_eq!(drawn(40.0, 50.0).unwrap(), [said]);
        assert_eq!(drawn(1e15, 1.000000000000001e15).unwrap().len(), 1);
        for (low, high) in [(-1e308, 1e308), (0.0, 1e300), (3.0, 1.0)] {
            let error = drawn(low, high).unwrap_err();
            assert_eq!(error.code(), "analysis/figure-change");
            assert!(error.to_string().contains("cannot go from"), "{error}");
        }
    }

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
