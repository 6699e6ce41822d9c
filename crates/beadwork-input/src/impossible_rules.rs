//! Stop rules that no value of their column can fulfil, or that the first one does.

use beadwork_model::observables::{MeasuredColumn, Observable};
use beadwork_model::units::{Dimension, Units};
use beadwork_model::{Stage, StopRule};

/// Columns that are never below 0: distances, sizes and numbers of contacts.
const NOT_NEGATIVE: [Observable; 7] = [
    Observable::Extension,
    Observable::NativeContacts,
    Observable::ContactsBetweenChains,
    Observable::RadiusOfGyration,
    Observable::RadiusOfGyrationByMass,
    Observable::EndToEnd,
    Observable::MeanSquare,
];

/// Far beyond the forces at which bonds break, pN.
const LARGEST_FORCE: f64 = 1e6;

/// A warning for each such rule, in the order of the stages.
pub(crate) fn warnings(stages: &[Stage], units: Units) -> Vec<String> {
    let mut found = Vec::new();
    for stage in stages {
        // What the cantilever of a tip can reach is known better elsewhere.
        let has_tip = stage.externals.iter().any(|one| one.cantilever().is_some());
        let why = |rule: &StopRule| below_zero(rule).or_else(|| beyond_force(rule, units, has_tip));
        let of_stage = stage.stops.iter().filter_map(|rule| Some((rule, why(rule)?)));
        found.extend(of_stage.map(|(rule, why)| {
            format!("stage \"{}\": \"{}\" will never hold: {why}", stage.name, rule.text)
        }));
        let begins_anew =
            stage.externals.iter().filter_map(|one| one.cantilever()).any(|own| !own.goes_on);
        let at_contact = stage.stops.iter().filter(|rule| begins_anew && holds_at_contact(rule));
        found.extend(at_contact.map(|rule| {
            format!(
                "stage \"{}\": \"{}\" holds as soon as the tip comes into contact, where the deformation is 0",
                stage.name, rule.text
            )
        }));
    }
    found
}

fn holds_at_contact(rule: &StopRule) -> bool {
    let is_deformation = rule.column == MeasuredColumn::Whole(Observable::Deformation);
    is_deformation && !rule.above && rule.threshold > 0.0
}

fn below_zero(rule: &StopRule) -> Option<String> {
    let MeasuredColumn::Whole(column) = rule.column else { return None };
    let is_beyond = !rule.above && rule.threshold <= 0.0 && NOT_NEGATIVE.contains(&column);
    is_beyond.then(|| format!("{} is never below 0", column.word()))
}

fn beyond_force(rule: &StopRule, units: Units, has_tip: bool) -> Option<String> {
    let is_force = rule.column.unit_in(units).dimension() == Dimension::Force;
    let is_beyond = is_force && !has_tip && rule.above && rule.threshold > LARGEST_FORCE;
    is_beyond.then(|| "bonds break at some thousand pN; mind pN and N".to_string())
}
