//! `beadwork check` of beads whose interactions the input lists.

use std::fmt::Write as _;

use crate::input::StartFile;
use crate::model::potentials::pair::{PairFormula, PairTable, PairVisitor};
use crate::model::{Boundary, ForceUnit, System, Units};

use serde_json::json;

use super::systems::charge_of;
use crate::analysis::numbers::{grouped, significant};

/// The most types that a line names.
const MOST_LABELS: usize = 12;

/// The file from which beads start, and which of its frames.
pub fn start_as_json(start: &StartFile) -> serde_json::Value {
    let frames = (start.frames > 0).then_some(start.frames);
    json!({ "file": start.file, "frame": start.frame, "frames": frames })
}

/// The start, beads, molecules, the box, and the pair terms.
pub fn describe(text: &mut String, system: &System, start: Option<&StartFile>) {
    if let Some(StartFile { file, frame, frames }) = start {
        let of_frames = match frames {
            0 => String::new(),
            _ => format!(", frame {frame} of {frames}"),
        };
        let _ = writeln!(text, "Start        {file}{of_frames}");
    }
    let counts = system.counts;
    let number = |count: usize| grouped(count as u64);
    let counted = |count: usize, one: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{} {one}{plural}", number(count))
    };
    let charge = match system.particles.charges.is_empty() {
        true => String::new(),
        false => format!(", charge {:+.2} e", charge_of(system)),
    };
    let angles: usize = system.interactions.angles.iter().map(|term| term.triples().len()).sum();
    let angles = match angles {
        0 => String::new(),
        some => format!("{}, ", counted(some, "angle")),
    };
    let units = match system.units {
        Units::Real => "",
        Units::Reduced => " (reduced units)",
    };
    let _ = writeln!(
        text,
        "System       {} of {} type(s) in {} molecule(s), {}, {angles}{}{charge}{units}",
        counted(counts.beads, "bead"),
        system.types.len(),
        number(counts.chains),
        counted(counts.bonds, "bond"),
        counted(system.interactions.excluded.len(), "excluded pair")
    );
    let labels = system.type_labels();
    if labels.iter().zip(&system.types).any(|(label, kind)| *label != kind.name) {
        let shown = &labels[..labels.len().min(MOST_LABELS)];
        let more = if shown.len() < labels.len() { ", …" } else { "" };
        let _ = writeln!(
            text,
            "Types        {}{more}: charges make several types of one name; answers name them so",
            shown.join(", ")
        );
    }
    let length = system.units.of_length();
    if let Boundary::Periodic { lengths } = system.boundary {
        let volume: f64 = lengths.iter().product();
        let _ = writeln!(
            text,
            "Box          {}{length}, {} beads per {}; forces rounded to multiples of 2^{:.0}{}",
            lengths.map(significant).join(" x "),
            significant(counts.beads as f64 / volume),
            if system.units == Units::Real { "A^3" } else { "unit volume" },
            ForceUnit::of(system).unit.log2(),
            system.units.of_force()
        );
    }
    let mut terms: Vec<String> =
        system.interactions.pairs.iter().map(|term| term.visit(Describe { length })).collect();
    if let Some(thermostat) = &system.interactions.thermostat {
        let cutoff = thermostat.table.cutoffs().largest();
        terms.push(format!("dpd-thermostat up to {}{length}", significant(cutoff)));
    }
    if !terms.is_empty() {
        let _ = writeln!(text, "Pairs        {}", terms.join(", "));
    }
}

/// The name of a pair term and its largest cutoff.
struct Describe<'a> {
    length: &'a str,
}

impl PairVisitor for Describe<'_> {
    type Output = String;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> String {
        let cutoff = significant(term.cutoffs().largest());
        format!("{} up to {cutoff}{}", F::NAME.replace('_', "-"), self.length)
    }
}
