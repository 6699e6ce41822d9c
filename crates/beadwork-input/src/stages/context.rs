//! What the readers of stages, drives and stop rules need from the rest of the point.

use beadwork_model::externals::External;
use beadwork_model::observables::Observable;
use beadwork_structure::Label;

use crate::error::Error;
use crate::section::{Read, Section};
use crate::selection::{SelectedBeads, select};
use crate::steps::TimeStep;

/// The data that the reader of a stage needs from the rest of the point.
pub(crate) struct StageContext<'a> {
    pub beads: &'a [Label],
    /// The columns of the tables, which stop rules may watch.
    pub observables: &'a [Observable],
    pub timestep: &'a TimeStep,
    /// kB T of the bath, in the unit of the energy.
    pub temperature: f64,
    /// Whether replicas exchange temperatures.
    pub exchanges: bool,
    /// The name of the stage before the one that is read, and its externals.
    pub before: Option<(String, Vec<External>)>,
    /// The beads that each selection has matched so far.
    pub selections: Vec<SelectedBeads>,
}

impl StageContext<'_> {
    /// The beads that a selection matches; records them.
    pub fn select(&mut self, text: &Read<String>, role: String) -> Result<Vec<usize>, Error> {
        let beads = select(self.beads, text, &role)?;
        self.selections.push((role, text.value.clone(), beads.clone()));
        Ok(beads)
    }

    /// The beads that a selection matches, recorded too; the selection `none` matches no beads.
    pub fn select_or_none(
        &mut self,
        text: &Read<String>,
        role: String,
    ) -> Result<Vec<usize>, Error> {
        if text.value.trim() == "none" { Ok(Vec::new()) } else { self.select(text, role) }
    }
}

/// The beads of a selection that a drive must have.
pub(super) fn read_selection(
    section: &mut Section<'_>,
    context: &mut StageContext<'_>,
    key: &str,
    example: &str,
) -> Result<Vec<usize>, Error> {
    let text = section.required_text(key, example)?;
    context.select(&text, format!("{}, {key}", section.name))
}
