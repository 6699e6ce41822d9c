//! The answer of a point with a tip as data.

use beadwork_analysis::indentation::Criteria;
use beadwork_analysis::numbers::rounded;
use beadwork_analysis::statistics::{mean, standard_deviation, standard_error};
use beadwork_model::Units;

use super::quantities::{Basis, QUANTITIES, Quantity, QuantityUnit};
use super::replicas::{IndentedCycle, IndentedGroup, IndentedMember};
use crate::data::{self, Value};

/// Replicas whose modulus has a larger error than this share of it do not agree on one.
const LARGEST_ERROR: f64 = 0.5;

impl IndentedGroup {
    /// The answer as data.
    pub(crate) fn answer(&self) -> data::Group {
        let mut answer = self.about.clone();
        let cycles = self.cycles();
        for cycle in 0..cycles {
            let of = if cycles > 1 { cycle_name(cycle) } else { String::new() };
            for quantity in &QUANTITIES {
                let value = self.mean_of(cycle, quantity);
                answer.values.extend(value.map(|value| value.of(of.clone())));
            }
        }
        answer.values.extend(self.contact_share());
        answer.values.extend(self.drags());
        answer.findings.extend(self.findings());
        answer
    }

    /// The mean of a quantity over the replicas, which are independent. They may not agree on a modulus.
    fn mean_of(&self, cycle: usize, quantity: &Quantity) -> Option<Value> {
        if quantity.basis == Basis::Hertz && !self.has_modulus(cycle) {
            return None;
        }
        let all: Vec<f64> =
            self.cycle(cycle).filter_map(|one| (quantity.value)(&one.pressed)).collect();
        let unit = quantity.unit.symbol(self.setup.units);
        let value = Value::new(quantity.name, self.words(cycle, quantity), unit, mean(&all)?);
        Some(Value {
            deviation: standard_deviation(&all),
            independent_values: Some(all.len() as f64),
            ..value.with_error(standard_error(&all)).from(self.basis(
                cycle,
                quantity.basis,
                all.len(),
            ))
        })
    }

    /// The name of a quantity in words, which has no peak unless all replicas have passed one.
    fn words(&self, cycle: usize, quantity: &Quantity) -> String {
        let peaks = self.cycle(cycle).filter_map(|one| one.pressed.peak);
        let peaks: Vec<bool> = peaks.map(|peak| peak.is_passed).collect();
        let passed = peaks.iter().filter(|is_passed| **is_passed).count();
        if passed == peaks.len() {
            return quantity.words.to_string();
        }
        let words = quantity.words.replace("peak force", "largest force");
        let words = words.replace("the peak", "the largest force");
        match (quantity.name, passed) {
            ("peak_force", 0) => words + " (no peak passed)",
            ("peak_force", _) => format!("{words} (peak passed by {passed} of {})", peaks.len()),
            _ => words,
        }
    }

    /// The mean of the moduli of a cycle, its error and their number, if they scatter so much that they are none of one body.
    pub(super) fn scattered_modulus(&self, cycle: usize) -> Option<(f64, f64, usize)> {
        let modulus = |one: &IndentedCycle| Some(one.pressed.hertz?.0.modulus);
        let all: Vec<f64> = self.cycle(cycle).filter_map(modulus).collect();
        let (mean, error) = (mean(&all)?, standard_error(&all)?);
        (error > LARGEST_ERROR * mean.abs()).then_some((mean, error, all.len()))
    }

    /// How many replicas have a modulus in a cycle, and how many have averaged forces there.
    pub(super) fn moduli(&self, cycle: usize) -> (usize, usize) {
        let pressed = || self.cycle(cycle).map(|one| &one.pressed);
        let averaged = pressed().filter(|one| one.is_averaged()).count();
        (pressed().filter(|one| one.hertz.is_some()).count(), averaged)
    }

    /// Whether fewer than half of the replicas follow Hertz's law, which then says nothing of the body.
    pub(super) fn is_modulus_of_few(&self, cycle: usize) -> bool {
        let (followed, averaged) = self.moduli(cycle);
        2 * followed < averaged
    }

    /// Whether the replicas of a cycle have a modulus together.
    pub(super) fn has_modulus(&self, cycle: usize) -> bool {
        self.scattered_modulus(cycle).is_none() && !self.is_modulus_of_few(cycle)
    }

    /// The share of replicas whose tip came into contact; in words it stands with the findings. None as long as replicas run whose
    /// tip may still do so.
    fn contact_share(&self) -> Option<Value> {
        let count = self.members.len();
        let touches = |cycle: &IndentedCycle| cycle.pressed.has_contact();
        let has_touched = |member: &IndentedMember| member.cycles.iter().any(touches);
        let is_open = |member: &IndentedMember| member.is_running && !has_touched(member);
        if self.members.iter().any(is_open) {
            return None;
        }
        let touched = self.members.iter().filter(|member| has_touched(member));
        let share = touched.count() as f64 / count as f64;
        let error = (share * (1.0 - share) / count as f64).sqrt();
        let value = Value::new("contact_share", "", "", share);
        let value = value.with_error(Some(error).filter(|error| *error > 0.0));
        (count > 0).then_some(Value { independent_values: Some(count as f64), ..value })
    }

    /// The drag of beads and tip; in words it stands with the findings.
    fn drags(&self) -> [Value; 2] {
        let unit = QuantityUnit::Force.symbol(self.setup.units);
        let value = |name: &str, force: f64| Value::new(name, "", unit, force);
        [
            value("drag_of_beads", self.setup.drag_of_beads.0),
            value("drag_of_tip", self.setup.drag_of_tip),
        ]
    }

    /// On what values rest: choices, stage and replicas.
    fn basis(&self, cycle: usize, basis: Basis, count: usize) -> String {
        let all = self.members.len();
        let replicas = match (count, all) {
            (1, 1) => "one replica".to_string(),
            (_, _) if count == all => format!("{all} replicas"),
            _ => format!("{count} of {all} replicas"),
        };
        // Rows just before a failure may be artefacts, and no other words stand so near to a value.
        let failed = match (all, self.about.failed) {
            (_, 0) => String::new(),
            (1, _) => ", which failed".to_string(),
            (_, failed) => format!(", of which {failed} failed"),
        };
        let choice = self.choice(cycle, basis);
        format!("{choice}; {replicas}{failed}; {}", self.setup.stages_in_words())
    }

    fn choice(&self, cycle: usize, basis: Basis) -> String {
        let window = self.setup.window_in_words();
        let range = |(from, to): (f64, f64)| self.range_in_words(from, to);
        let mean_of = |value: &dyn Fn(&IndentedCycle) -> Option<f64>| {
            let all: Vec<f64> = self.cycle(cycle).filter_map(value).collect();
            mean(&all).unwrap_or(f64::NAN)
        };
        match basis {
            Basis::Peak => {
                let from =
                    if cycle > 0 { "; deformations count from the first contact" } else { "" };
                let fall = self.force(self.setup.criteria.prominence);
                format!(
                    "largest averaged force of the approach after contact{from}; a peak is passed once it falls by {fall} (prominence); {window}"
                )
            }
            Basis::Initial => {
                let from = match mean_of(&|one| Some(one.pressed.initial?.from)) {
                    from if from > 0.0 => format!(" of this cycle, {} deep,", self.length(from)),
                    _ => String::new(),
                };
                let end = mean_of(&|one| Some(one.pressed.initial?.to));
                let percent = 100.0 * Criteria::INITIAL_SHARE;
                format!(
                    "lines through averaged forces of the approach from contact{from} to where the force has risen by {percent:.0} % of its rise to the largest, {} deep in the mean; {window}",
                    self.length(end)
                )
            }
            Basis::Asked => {
                let asked = self.setup.criteria.slope.map(range).unwrap_or_default();
                format!(
                    "lines through averaged forces of the approach {asked} deep, after contact; {window}"
                )
            }
            Basis::Hertz => {
                let asked = self.setup.criteria.hertz.map(range).unwrap_or_else(|| {
                    let end = |end: fn((f64, f64)) -> f64| {
                        mean_of(&|one| Some(end(one.pressed.hertz?.1)))
                    };
                    range((end(|range| range.0), end(|range| range.1))) + " in the mean"
                });
                format!(
                    "F = (4/3) E √R (d − d₀)^(3/2) through the averaged force on the tip {asked}, R = {}; d₀ = {} and r.m.s. distance {} in the mean; {window}",
                    self.length(self.setup.criteria.radius),
                    self.length(mean_of(&|one| Some(one.pressed.hertz?.0.zero))),
                    self.force(mean_of(&|one| Some(one.pressed.hertz?.0.deviation)))
                )
            }
            Basis::Work => {
                let way = mean_of(&|one| Some(one.base));
                let of_tip = self.drag_of_tip_in_words().map(|of_tip| {
                    let work = self.with_unit(self.setup.drag_of_tip * way, QuantityUnit::Work);
                    format!("; {of_tip}. It makes up to {work} of the work of each way")
                });
                format!(
                    "work on the cantilever, friction of tip and beads included{}",
                    of_tip.unwrap_or_default()
                )
            }
            Basis::Contact => "way of the tip since the first contact".to_string(),
            Basis::Energy => {
                format!("from the first window to the last, without tip and surface; {window}")
            }
            Basis::AtStart => self.held_in_words("", self.setup.native_contacts[0]),
            Basis::BetweenAtStart => {
                self.held_in_words(" between chains", self.setup.native_contacts[1])
            }
            Basis::Contacts => {
                format!("native contacts of the first window less those there; {window}")
            }
        }
    }

    /// Of how many contacts a number holds.
    fn held_in_words(&self, which: &str, all: usize) -> String {
        let window = self.setup.window_in_words();
        format!("native contacts{which} that hold in the first window, of {all} in all; {window}")
    }

    /// What the cantilever shows of a tip that touches nothing.
    pub(super) fn drag_of_tip_in_words(&self) -> Option<String> {
        let drag = self.setup.drag_of_tip;
        (drag > 0.0).then(|| {
            format!(
                "a tip that moves through the solvent shows its own drag ζv on the cantilever, up to {}, plus on approach and minus on retraction: it is not adhesion",
                self.force(drag)
            )
        })
    }

    /// `0 to 3 nm`.
    pub(super) fn range_in_words(&self, from: f64, to: f64) -> String {
        format!("{} to {}", rounded(from, 3), self.length(to))
    }

    pub(super) fn length(&self, length: f64) -> String {
        self.with_unit(length, QuantityUnit::Length)
    }

    pub(super) fn force(&self, force: f64) -> String {
        self.with_unit(force, QuantityUnit::Force)
    }

    /// A number with three digits and the unit.
    pub(super) fn with_unit(&self, number: f64, unit: QuantityUnit) -> String {
        match self.setup.units {
            Units::Real => format!("{} {}", rounded(number, 3), unit.symbol(Units::Real)),
            Units::Reduced => rounded(number, 3),
        }
    }
}

/// `cycle 1`.
pub(super) fn cycle_name(cycle: usize) -> String {
    format!("cycle {}", cycle + 1)
}
