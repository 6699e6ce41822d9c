//! The ladders of one point of a run, and their results.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use beadwork_model::Placement;

use super::columns::LadderColumns;
use super::findings::Findings;
use super::ladder::Ladder;
use crate::data;
use crate::rows::LeftOut;

/// The most families of ladders that are described or drawn one by one.
pub(super) const SHOWN_FAMILIES: usize = 8;

/// The ladders of one point of a run.
#[derive(Clone, Debug)]
pub(crate) struct Ladders {
    pub(super) group: String,
    pub(super) about: data::Group,
    pub(super) kind: &'static LadderColumns,
    pub(super) beads: usize,
    /// k_B T of each rung in the input, in the unit of energy.
    pub(super) temperatures: Vec<f64>,
    /// How a stage before the last one places temperatures anew, if one does.
    pub(super) placed_by: Option<Placement>,
    /// The stage of the rows in sentences.
    pub(super) stage: String,
    /// Whether the answer has the counts of `exchange.csv`, which are not of one stage.
    pub(super) has_counts: bool,
    pub(super) one_stage: bool,
    /// The number of ladders in the input.
    pub(super) asked: u64,
    /// The ladders that have begun, by their number at the point.
    pub(super) ladders: BTreeMap<u64, Ladder>,
    pub(super) left_out: LeftOut,
    /// The results, computed when they are first needed.
    pub(super) findings: OnceLock<Findings>,
}

impl Ladders {
    /// Whether temperatures are placed anew before the last stage.
    pub(super) fn is_placed(&self) -> bool {
        self.placed_by.is_some()
    }

    pub(super) fn is_inner(&self, rung: usize) -> bool {
        rung > 0 && rung + 1 < self.temperatures.len()
    }

    pub(super) fn in_unit(&self, temperatures: &[f64]) -> Vec<f64> {
        temperatures.iter().map(|temperature| temperature / self.kind.unit).collect()
    }

    pub(super) fn findings(&self) -> &Findings {
        self.findings.get_or_init(|| self.find())
    }

    /// The ladder with a number, to be changed; it is added if it is missing.
    pub(super) fn ladder(&mut self, number: u64) -> &mut Ladder {
        self.findings.take();
        self.ladders.entry(number).or_insert_with(|| Ladder::new(&self.temperatures))
    }
}
