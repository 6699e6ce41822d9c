//! Stop rules on native contacts that hold from the start, or that need more contacts than there are.

use beadwork_model::observables::{
    MeasuredColumn, Observable, native_contacts_between_chains, native_contacts_held,
};
use beadwork_model::potentials::NativeContact;
use beadwork_model::{Protocol, Stage, StopRule, System};

/// A warning for each such rule, in the order of the stages. Where an earlier stage has drives, which break contacts, the start does
/// not say how many hold.
///
/// `starts` are the positions of each replica, Å, where these are not those of the structure.
pub(crate) fn warnings(
    system: &System,
    protocol: &Protocol,
    starts: Option<&[Vec<[f64; 3]>]>,
) -> Vec<String> {
    let own = std::slice::from_ref(&system.particles.positions);
    let starts = starts.unwrap_or(own);
    let has_drives = |stage: &Stage| !stage.externals.is_empty();
    let mut found = Vec::new();
    for (number, stage) in protocol.stages.iter().enumerate() {
        let is_from_start = !protocol.stages[..number].iter().any(has_drives);
        let of_rule = |rule| warning(system, rule, starts, is_from_start);
        let of_stage = stage.stops.iter().filter_map(of_rule);
        found.extend(of_stage.map(|what| format!("stage \"{}\": {what}", stage.name)));
    }
    found
}

fn warning(
    system: &System,
    rule: &StopRule,
    starts: &[Vec<[f64; 3]>],
    is_from_start: bool,
) -> Option<String> {
    let is_between = match rule.column {
        MeasuredColumn::Whole(Observable::NativeContacts) => false,
        MeasuredColumn::Whole(Observable::ContactsBetweenChains) => true,
        _ => return None,
    };
    let contacts = system.interactions.bonded_by::<NativeContact>();
    let (chains, boundary) = (&system.particles.molecules, system.boundary);
    let held = |positions: &Vec<[f64; 3]>| match is_between {
        true => native_contacts_between_chains(contacts, chains, positions, boundary),
        false => native_contacts_held(contacts, positions, boundary),
    };
    let counts = contacts.iter().filter(|one| !is_between || chains[one.i] != chains[one.j]);
    let all = counts.count();
    let between = if is_between { " between chains" } else { "" };
    if is_from_start && starts.iter().all(|positions| rule.holds(held(positions) as f64)) {
        let first = starts.first().map_or(0, held);
        return Some(format!(
            "\"{}\" holds from the start, where {first} native contact(s){between} hold: the stage may end at once",
            rule.text
        ));
    }
    (rule.above && rule.threshold >= all as f64).then(|| {
        format!(
            "\"{}\" will never hold: there are {all} native contact(s){between} in all",
            rule.text
        )
    })
}
