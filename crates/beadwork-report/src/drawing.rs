//! How the figures of an answer are drawn: their files, sizes and axes.

use std::path::{Path, PathBuf};

use beadwork_analysis::Error as AnalysisError;
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
    /// Changes of single figures, one after another.
    pub changes: Vec<Change>,
}

impl Default for Drawing {
    fn default() -> Self {
        let formats = vec![Format::Svg, Format::Png];
        Drawing { look: Look::default(), formats, changes: Vec::new() }
    }
}

impl Drawing {
    /// Makes the changes in figures by their names.
    ///
    /// # Errors
    /// `analysis/figure-change` if there is no figure of a name, or a logarithmic axis would begin at zero or below.
    pub(crate) fn change(&self, figures: &mut [(String, Figure)]) -> Result<(), Error> {
        let names: Vec<String> = figures.iter().map(|(name, _)| name.clone()).collect();
        for change in &self.changes {
            let found = figures.iter_mut().find(|(name, _)| *name == change.figure);
            let Some((_, figure)) = found else {
                let message = format!(
                    "there is no figure {:?} to change: there are {}",
                    change.figure,
                    names.join(", ")
                );
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
