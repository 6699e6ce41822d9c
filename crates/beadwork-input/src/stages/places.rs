//! Tips and surfaces that begin inside the structure.

use beadwork_model::externals::{nearest_bead, way_back};
use beadwork_model::{Stage, System};

use crate::document::Node;
use crate::error::{BAD_VALUE, Error};
use crate::steps::rounded;

/// Refuses a tip in the structure, or a surface through it, in the first stage, which begins where the beads are.
///
/// `starts` are the positions of each replica, Å, where these are not those of the structure.
pub(crate) fn refuse_inside(
    nodes: &[Node],
    stages: &[Stage],
    system: &System,
    starts: Option<&[Vec<[f64; 3]>]>,
) -> Result<(), Error> {
    let (Some(node), Some(stage)) = (nodes.first(), stages.first()) else { return Ok(()) };
    let drives = node.get("drives").and_then(Node::list).unwrap_or_default();
    let own = std::slice::from_ref(&system.particles.positions);
    for (index, (external, drive)) in stage.externals.iter().zip(drives).enumerate() {
        for (replica, positions) in starts.unwrap_or(own).iter().enumerate() {
            let state = external.begin(positions);
            let Some(nearest) = nearest_bead(&**external, &state, positions) else { continue };
            if nearest.refused == 0 {
                continue;
            }
            let length = |length: f64| {
                format!("{}{}", rounded((100.0 * length).round() / 100.0), system.units.of_length())
            };
            let of_replica = match starts {
                Some(all) if all.len() > 1 => format!(" of replica {replica}"),
                _ => String::new(),
            };
            let how = match nearest.clearance {
                behind if behind <= 0.0 => format!("{} behind its surface", length(-behind)),
                near => format!("only {} from its surface", length(near)),
            };
            let back = way_back(&**external, &state, positions, 2.0);
            let (place, advice) = match drive.get("position") {
                Some(position) => {
                    let direction = state.direction.map(|component| rounded(component + 0.0));
                    let advice = format!(
                        "move its `position` back by {} or more, against [{}], or write `gap` in place of `position`, which keeps that distance from the first bead",
                        length(back),
                        direction.join(", ")
                    );
                    (&position.place, advice)
                }
                None => {
                    (&drive.place, "write a larger `gap`, or a smaller `radius` or `sigma`".into())
                }
            };
            let problem = format!(
                "stage \"{}\", drive {}: the {} begins in the structure{of_replica}: {} is {how}, and {} of {} bead(s) are behind it or too near; {advice}",
                stage.name,
                index + 1,
                external.kind(),
                system.bead_label(nearest.bead),
                nearest.refused,
                external.beads().len()
            );
            return Err(place.error(BAD_VALUE, problem));
        }
    }
    Ok(())
}
