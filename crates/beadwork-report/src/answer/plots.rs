//! Writes the figures and pictures of an answer.

use std::path::{Path, PathBuf};

use beadwork_analysis::picture::Scene;
use beadwork_analysis::plot::Figure;
use beadwork_io::{atomic, create_folder};
use beadwork_session::Error;
use rayon::prelude::*;

use super::Answer;
use crate::data::{FORMAT, Summary};
use crate::drawing::Drawing;
use crate::{bead_models, earlier, indentation};

/// Figures and pictures, each with the name of its file without the ending.
type Drawn = (Vec<(String, Figure)>, Vec<(String, Scene)>);

impl Answer {
    /// Draws the figures into the folder `plots`, which is made if it is missing, and pictures of beads as PNG. Returns their paths.
    ///
    /// # Errors
    /// Errors of files, `analysis/no-figure` for a figure that is not there, `analysis/figure-change` for a change that cannot be
    /// made, and `analysis/no-picture` for a replica or a frame that is asked for and not there.
    pub fn draw(&self, plots: &Path, drawing: &Drawing) -> Result<Vec<PathBuf>, Error> {
        let (figures, pictures) = self.drawn(drawing)?;
        create_folder(plots)?;
        write_plots(plots, drawing, &figures, &pictures)
    }

    /// Draws figures into `plots`, which is `folder` or a folder in it, and leaves all else there as it is: other figures, tables, a
    /// report. The `summary.json` of `folder` lists them, so that a later answer replaces them; without one it is made, and has no
    /// values.
    ///
    /// # Errors
    /// All errors of [`Answer::draw`]. Nothing is written after these: `analysis/other-answer` if the answer in `folder` has other
    /// values than this one, such as those of another stage; where `plots` is `folder`, `run/foreign-file` for a file that would be
    /// written over and that no `summary.json` lists.
    pub fn draw_beside(
        &self,
        folder: &Path,
        plots: &Path,
        drawing: &Drawing,
    ) -> Result<Vec<PathBuf>, Error> {
        let (figures, pictures) = self.drawn(drawing)?;
        let paths = file_names(drawing, &figures, &pictures).map(|name| plots.join(name));
        let inside = paths.filter_map(|path| path.strip_prefix(folder).map(PathBuf::from).ok());
        let names = inside.map(|path| path.to_string_lossy().into_owned()).collect();
        let summary = Summary { format: FORMAT, plots: names, ..Summary::default() };
        earlier::refuse_other(folder, &self.summary())?;
        if plots == folder {
            earlier::refuse_foreign(folder, &summary)?;
        }
        create_folder(plots)?;
        earlier::list(folder, summary)?;
        write_plots(plots, drawing, &figures, &pictures)
    }

    /// As [`Answer::draw`], into a folder that is no run's, where [`Answer::write`] puts the answer too; `others` are files that are
    /// written there beside it. From the beginning on `summary.json` lists what is written, so that a folder which was left half
    /// done can be written anew. An earlier answer stays until [`Answer::write`], since there may be no room for the new one.
    ///
    /// # Errors
    /// A file in the folder that would be written over and is none of an earlier answer: nothing is written then.
    pub fn draw_elsewhere(
        &self,
        folder: &Path,
        drawing: &Drawing,
        others: &[&str],
    ) -> Result<Vec<PathBuf>, Error> {
        let (figures, pictures) = self.drawn(drawing)?;
        let plots = file_names(drawing, &figures, &pictures).collect();
        let others = others.iter().map(|name| (*name).to_string()).collect();
        let summary = Summary { plots, others, ..self.summary() };
        earlier::refuse_foreign(folder, &summary)?;
        create_folder(folder)?;
        earlier::list(folder, summary)?;
        write_plots(folder, drawing, &figures, &pictures)
    }

    /// A sentence for each axis of a figure that `drawing` gives ends between which no data lie.
    ///
    /// # Errors
    /// `analysis/figure-change` for a change that cannot be made.
    pub fn outside_limits(&self, drawing: &Drawing) -> Result<Vec<String>, Error> {
        if !drawing.has_limits() {
            return Ok(Vec::new());
        }
        let mut figures = self.figures();
        drawing.change(&mut figures)?;
        Ok(drawing.outside_limits(&figures))
    }

    /// What is drawn, with the changes that are asked for.
    fn drawn(&self, drawing: &Drawing) -> Result<Drawn, Error> {
        let (mut figures, mut pictures) = (self.figures(), self.pictures());
        let is_picture = |name: &String| name.starts_with("picture") || name.starts_with("section");
        if drawing.figures.is_empty() || drawing.figures.iter().any(is_picture) {
            self.asked_pictures.refuse_absent()?;
        }
        drawing.choose(&mut figures, &mut pictures)?;
        drawing.change(&mut figures)?;
        if drawing.look.without_notes {
            pictures.iter_mut().for_each(|(_, scene)| scene.caption.clear());
        }
        Ok((figures, pictures))
    }

    /// The pictures of beads, named like figures.
    pub(crate) fn pictures(&self) -> Vec<(String, Scene)> {
        let mut pictures = bead_models::pictures(&self.bead_models, self.section);
        pictures.extend(indentation::pictures(&self.indented));
        pictures
    }
}

fn picture_name(stem: &str) -> String {
    format!("{stem}.png")
}

/// The names of the files of figures and pictures.
fn file_names<'a>(
    drawing: &'a Drawing,
    figures: &'a [(String, Figure)],
    pictures: &'a [(String, Scene)],
) -> impl Iterator<Item = String> + use<'a> {
    let of_figures = figures.iter().flat_map(move |(stem, _)| drawing.names(stem));
    of_figures.chain(pictures.iter().map(|(stem, _)| picture_name(stem)))
}

/// Writes figures and pictures into a folder; returns their paths.
fn write_plots(
    plots: &Path,
    drawing: &Drawing,
    figures: &[(String, Figure)],
    pictures: &[(String, Scene)],
) -> Result<Vec<PathBuf>, Error> {
    let written: Vec<_> = figures.par_iter().map(|figure| drawing.write(plots, figure)).collect();
    let mut written = written.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    // One after another, since each is drawn by all threads.
    for (stem, scene) in pictures {
        let path = plots.join(picture_name(stem));
        atomic::write(&path, &scene.to_png()?)?;
        written.push(path);
    }
    Ok(written)
}
