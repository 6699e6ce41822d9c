//! Drives that pull from one centre to another which is at the same place.

use beadwork_model::externals::nearness_in_words;
use beadwork_model::{Stage, System};

use crate::document::Node;
use crate::error::{BAD_VALUE, Error};

/// Refuses drives of the first stage, which begins where the beads are, that would take their direction from two centres at one
/// place.
///
/// `starts` are the positions of each replica, Å, where these are not those of the structure.
pub(crate) fn refuse_short_lines(
    nodes: &[Node],
    stages: &[Stage],
    system: &System,
    starts: Option<&[Vec<[f64; 3]>]>,
) -> Result<(), Error> {
    let (Some(node), Some(stage)) = (nodes.first(), stages.first()) else { return Ok(()) };
    let drives = node.get("drives").and_then(Node::list).unwrap_or_default();
    let own = std::slice::from_ref(&system.particles.positions);
    for (index, (external, drive)) in stage.externals.iter().zip(drives).enumerate() {
        let Some(ends) = external.ends() else { continue };
        for (replica, positions) in starts.unwrap_or(own).iter().enumerate() {
            let Some(distance) = ends.short_line(positions) else { continue };
            let of_replica = match starts {
                Some(all) if all.len() > 1 => format!(" of replica {replica}"),
                _ => String::new(),
            };
            let problem = format!(
                "stage \"{}\", drive {}: the centres of its `fixed` and `pulled` beads{of_replica} {} at the start, so no line between them says in which direction to pull: write one, such as direction = [0, 0, 1]",
                stage.name,
                index + 1,
                nearness_in_words(distance, system.units)
            );
            let node = drive.get("pulled").unwrap_or(drive);
            return Err(node.place.error(BAD_VALUE, problem));
        }
    }
    Ok(())
}
