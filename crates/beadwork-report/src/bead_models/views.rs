//! The pictures of an answer.

use beadwork_analysis::picture::Scene;

use super::replicas::{BeadModelGroup, named};
use super::structure_factors::Structure;

/// The most pictures of an answer; a picture of a million beads takes seconds.
const MOST: usize = 8;

/// The pictures of groups with the stems of their file names: the whole, and a section along the cylinders or layers of an
/// ordered structure, or along the direction that is asked for.
pub(crate) fn pictures(
    groups: &[BeadModelGroup],
    section: Option<[f64; 3]>,
) -> Vec<(String, Scene)> {
    let with: Vec<(&BeadModelGroup, &Scene)> =
        groups.iter().filter_map(|group| Some((group, group.picture.as_ref()?))).collect();
    let mut pictures = Vec::new();
    for (number, (group, scene)) in with.iter().take(MOST).enumerate() {
        let stem = |stem: &str| match with.len() {
            1 => stem.to_string(),
            _ => format!("{stem}-{number}"),
        };
        let mut scene = (*scene).clone();
        if with.len() > 1 {
            scene.caption = format!("{}: {}", named(group), scene.caption);
        }
        if with.len() > MOST {
            let all = with.len();
            scene.caption.push_str(&format!(" (pictures: the first {MOST} of {all} points)"));
        }
        let ordered = group.structure.as_ref().and_then(Structure::normal);
        if let Some(direction) = section.or(ordered) {
            let words = direction.map(|x| format!("{:.2}", x + 0.0)).join(", ");
            let caption = format!("{}, cut across ({words})", scene.caption);
            let section = Scene { section: Some(direction), caption, ..scene.clone() };
            pictures.push((stem("section"), section));
        }
        pictures.push((stem("picture"), scene));
    }
    pictures
}
