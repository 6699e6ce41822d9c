//! Writes the figures and pictures of an answer.

use std::path::{Path, PathBuf};

use beadwork_analysis::picture::Scene;
use beadwork_analysis::plot::Figure;
use beadwork_io::{atomic, create_folder};
use beadwork_session::Error;
use rayon::prelude::*;

use super::Answer;
use crate::data::Summary;
use crate::drawing::Drawing;
use crate::{bead_models, earlier, indentation};

impl Answer {
    /// Draws the figures into the folder `plots`, which is made if it is missing, and pictures of beads as PNG. Returns their paths.
    ///
    /// # Errors
    /// Errors of files, and `analysis/figure-change` for a change that cannot be made.
    pub fn draw(&self, plots: &Path, drawing: &Drawing) -> Result<Vec<PathBuf>, Error> {
        create_folder(plots)?;
        let mut figures = self.figures();
        drawing.change(&mut figures)?;
        write_plots(plots, drawing, &figures, &self.pictures())
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
        let mut figures = self.figures();
        drawing.change(&mut figures)?;
        let pictures = self.pictures();
        let of_figures = figures.iter().flat_map(|(stem, _)| drawing.names(stem));
        let of_pictures = pictures.iter().map(|(stem, _)| picture_name(stem));
        let plots = of_figures.chain(of_pictures).collect();
        let others = others.iter().map(|name| (*name).to_string()).collect();
        let summary = Summary { plots, others, ..self.summary() };
        earlier::refuse_foreign(folder, &summary)?;
        create_folder(folder)?;
        earlier::list(folder, summary)?;
        write_plots(folder, drawing, &figures, &pictures)
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
