//! The pictures of an answer.

use beadwork_analysis::numbers::fixed;
use beadwork_analysis::picture::Scene;

use super::frame_figures::MOST_MAPS;
use super::replicas::{BeadModelGroup, named};
use super::structure_factors::Structure;

/// The pictures of groups with the stems of their file names: the whole, and a section along the cylinders or layers of an
/// ordered structure, or along the direction that is asked for.
pub(crate) fn pictures(
    groups: &[BeadModelGroup],
    section: Option<[f64; 3]>,
) -> Vec<(String, Scene)> {
    let has_one = |group: &&BeadModelGroup| group.picture.is_some() || group.lacks_picture;
    let all = groups.iter().filter(has_one).count();
    let with = groups.iter().enumerate().filter_map(|at| Some((at, at.1.picture.as_ref()?)));
    let mut pictures = Vec::new();
    for ((number, group), scene) in with.take(MOST_MAPS) {
        // A point keeps its number where only one has the replica or the frame that is asked for.
        let stem = |stem: &str| match groups.len() {
            1 => stem.to_string(),
            _ => format!("{stem}-{number}"),
        };
        let mut scene = scene.clone();
        // One picture may be of any point or run.
        if groups.len() > 1 {
            scene.caption = format!("{}: {}", named(group), scene.caption);
        }
        if all > MOST_MAPS {
            scene.caption.push_str(&format!(" (pictures: the first {MOST_MAPS} of {all} points)"));
        }
        let ordered = group.structure.as_ref().and_then(Structure::normal);
        if let Some(direction) = section.or(ordered) {
            let words = direction.map(|x| fixed(x, 2)).join(", ");
            let caption = format!("{}, cut across ({words})", scene.caption);
            let section = Scene { section: Some(direction), caption, ..scene.clone() };
            pictures.push((stem("section"), section));
        }
        pictures.push((stem("picture"), scene));
    }
    pictures
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scenes of points beyond the first eight are not kept, and captions count these points too.
    #[test]
    fn captions_count_points_without_a_picture() {
        let point = |number: usize| BeadModelGroup {
            picture: (number < MOST_MAPS).then(Scene::default),
            lacks_picture: number >= MOST_MAPS,
            ..BeadModelGroup::default()
        };
        let drawn = |count: usize| {
            let points: Vec<BeadModelGroup> = (0..count).map(point).collect();
            pictures(&points, None)
        };
        let all = "(pictures: the first 8 of 10 points)";
        assert!(drawn(8).iter().all(|(_, scene)| !scene.caption.contains("first")));
        let many = drawn(10);
        assert_eq!(many.len(), 8);
        assert!(many.iter().all(|(_, scene)| scene.caption.ends_with(all)), "{many:?}");
        let name = |name: &str| BeadModelGroup { name: name.to_string(), ..point(0) };
        let one = [name("slow"), BeadModelGroup { picture: None, ..name("fast") }];
        assert!(pictures(&one, None)[0].1.caption.starts_with("slow: "));
        let [fast, slow] = [BeadModelGroup { picture: None, ..name("fast") }, name("slow")];
        assert_eq!(pictures(&[fast, slow], None)[0].0, "picture-1");
    }
}
