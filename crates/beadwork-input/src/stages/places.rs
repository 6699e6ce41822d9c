//! Tips and surfaces that begin inside the structure, or so near that they would throw beads.

use beadwork_model::externals::{
    External, ExternalState, FirstStep, NearestBead, nearest_bead, way_back,
};
use beadwork_model::{Dynamics, Stage, System};

use crate::document::Node;
use crate::error::{BAD_VALUE, Error};
use crate::steps::rounded;

/// Refuses a tip in the structure, a surface through it, and both where they would throw beads, in the first stage, which begins
/// where the beads are.
///
/// `starts` are the positions of each replica, Å, where these are not those of the structure.
pub(crate) fn refuse_inside(
    nodes: &[Node],
    stages: &[Stage],
    system: &System,
    dynamics: &Dynamics,
    starts: Option<&[Vec<[f64; 3]>]>,
) -> Result<(), Error> {
    let (Some(node), Some(stage)) = (nodes.first(), stages.first()) else { return Ok(()) };
    if stage.externals.iter().all(|external| external.contact().is_none()) {
        return Ok(());
    }
    let drives = node.get("drives").and_then(Node::list).unwrap_or_default();
    let own = std::slice::from_ref(&system.particles.positions);
    let first = FirstStep::of(system, dynamics, stage);
    for (index, (external, drive)) in stage.externals.iter().zip(drives).enumerate() {
        for (replica, positions) in starts.unwrap_or(own).iter().enumerate() {
            let state = external.begin(positions);
            let nearest = nearest_bead(&**external, &state, positions, &first);
            let problem = nearest.and_then(|nearest| problem(system, external, &nearest));
            let Some((place, what, room)) = problem else { continue };
            let of_replica = match starts {
                Some(all) if all.len() > 1 => format!(" of replica {replica}"),
                _ => String::new(),
            };
            let back = way_back(&**external, &state, positions, room);
            let advice = advice(system, drive, external, &state, back);
            let node = drive.get("position").or(drive.get("gap")).unwrap_or(drive);
            let problem = format!(
                "stage \"{}\", drive {}: the {} begins {place} the structure{of_replica}: {what}; {advice}",
                stage.name,
                index + 1,
                external.kind()
            );
            return Err(node.place.error(BAD_VALUE, problem));
        }
    }
    Ok(())
}

/// Two decimals of a length, with its unit.
fn in_words(system: &System, length: f64) -> String {
    format!("{}{}", rounded((100.0 * length).round() / 100.0), system.units.of_length())
}

/// Where an external begins beside the structure, if it cannot begin there, and why; the room that beads need, in σ.
fn problem(
    system: &System,
    external: &External,
    nearest: &NearestBead,
) -> Option<(&'static str, String, f64)> {
    let beads = external.beads().len();
    if nearest.refused > 0 {
        let how = match nearest.clearance {
            behind if behind <= 0.0 => format!("{} behind its surface", in_words(system, -behind)),
            near => format!("only {} from its surface", in_words(system, near)),
        };
        let what = format!(
            "{} is {how}, and {} of {beads} bead(s) are behind it or too near",
            system.bead_label(nearest.bead),
            nearest.refused
        );
        return Some(("in", what, nearest.room));
    }
    let thrown = nearest.thrown?;
    let way = match thrown.way.is_finite() {
        true => format!("by {}", in_words(system, thrown.way)),
        false => "beyond all bounds".to_string(),
    };
    let which = if thrown.breaks { "at which bonds break" } else { "of half its sigma" };
    let what = format!(
        "in the first step its force alone would move {} {way}, more than the {} {which}, and {} of {beads} bead(s) too far",
        system.bead_label(thrown.bead),
        in_words(system, thrown.most),
        thrown.beads
    );
    Some(("too near", what, nearest.room))
}

/// How to move an external back by so many Å.
fn advice(
    system: &System,
    drive: &Node,
    external: &External,
    state: &ExternalState,
    back: f64,
) -> String {
    if drive.get("position").is_some() {
        let direction = state.direction.map(|component| rounded(component + 0.0));
        return format!(
            "move its `position` back by {} or more, against [{}], or write `gap` in place of `position`, which keeps that distance from the first bead",
            in_words(system, back),
            direction.join(", ")
        );
    }
    let radius = if matches!(external, External::Tip(_)) { "`radius` or " } else { "" };
    format!("write a larger `gap`, or a smaller {radius}`sigma`")
}
