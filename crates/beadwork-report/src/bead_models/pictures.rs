//! A picture of a frame.

use beadwork_analysis::numbers::rounded;
use beadwork_analysis::picture::{Scene, Stick};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{System, Units};
use beadwork_session::Error;

use crate::choices::PictureChoice;
use crate::drawn_beads::{BOND, DrawnBeads, are_small};
use crate::frames;
use crate::in_boxes::{together, wrapped};
use crate::rows::{BegunMember, PointMembers};
use crate::words::time_in_words;

/// The names in a legend.
const MOST_NAMES: usize = 12;

/// The replicas of which a picture may be.
pub(super) fn chosen<'a, 'b>(
    of_point: &'a PointMembers<'b>,
    choice: PictureChoice,
) -> impl Iterator<Item = &'a BegunMember<'b>> {
    let is_asked = move |number: u64| choice.member.is_none_or(|asked| asked == number);
    of_point.members.iter().filter(move |member| is_asked(member.number))
}

/// The number and time of the frame of a replica that a picture shows.
fn frame_of(
    of_point: &PointMembers<'_>,
    member: &BegunMember<'_>,
    choice: PictureChoice,
) -> Result<Option<(usize, f64)>, Error> {
    match choice.frame {
        Some(number) => frames::numbered(of_point, member, number),
        None => frames::last(of_point, member),
    }
}

/// The frame that is asked for, or the last one, of the first replica that has it, all lengths in Å or reduced units.
pub(super) fn read(
    of_point: &PointMembers<'_>,
    choice: PictureChoice,
) -> Result<Option<Scene>, Error> {
    let Some((_, kind)) = of_point.request.output.trajectory else { return Ok(None) };
    let system = &of_point.point.system;
    for member in chosen(of_point, choice) {
        let Some((frame, time)) = frame_of(of_point, member, choice)? else { continue };
        let mut scene = None;
        frames::read(member, kind, &[frame], |_, positions| {
            if positions.len() == system.beads() {
                let time = match system.units {
                    Units::Real => time_in_words(time),
                    Units::Reduced => time.to_string(),
                };
                let number = choice.frame.map_or(String::new(), |_| format!("frame {frame}, "));
                let caption = format!("replica {}, {number}time {time}", member.number);
                scene = Some(of_frame(system, positions, caption, choice.without_box));
            }
        })?;
        if scene.is_some() {
            return Ok(scene);
        }
    }
    Ok(None)
}

/// Whether a replica has a frame for a picture.
pub(super) fn has_frame(of_point: &PointMembers<'_>, choice: PictureChoice) -> Result<bool, Error> {
    for member in chosen(of_point, choice) {
        if frame_of(of_point, member, choice)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn of_frame(
    system: &System,
    positions: &[[f64; 3]],
    mut caption: String,
    without_box: bool,
) -> Scene {
    let bonds = system.bonds();
    let radius = radius_of_beads(system, positions, &bonds);
    // Beads that lie together have whole bonds and no box. Of others, what crosses a face goes on at the opposite one.
    let together = together(system.boundary, positions);
    let are_together = together.is_some();
    let inside = together.unwrap_or_else(|| wrapped(system.boundary, positions));
    let colours: Vec<usize> =
        system.particles.types.iter().map(|kind| usize::from(*kind)).collect();
    let are_small = are_small(&system.particles);
    let drawn = DrawnBeads {
        boundary: system.boundary,
        positions: &inside,
        colours: &colours,
        are_small: &are_small,
        radius,
        radius_of_bonds: BOND * radius,
    };
    let mut sticks = drawn.halves(&bonds);
    if !are_together {
        let cut = |stick: Stick| {
            let [from, to] = stick.ends;
            pieces(system, from, to).into_iter().map(move |ends| Stick { ends, ..stick })
        };
        sticks = sticks.into_iter().flat_map(cut).collect();
    }
    let sides = system.boundary.sides();
    if let (Some(lengths), true, false) = (sides, are_together, without_box) {
        let (size, unit) = unit_of(system.units);
        let lengths = lengths.map(|length| rounded(length / size, 3)).join(" × ");
        caption.push_str(format!(", in a box of {lengths} {unit}").trim_end());
        caption.push_str(" that is not drawn");
    }
    let names = system.type_labels().into_iter().zip(0..).take(MOST_NAMES);
    Scene {
        balls: drawn.balls(),
        sticks,
        unit: Some(unit_of(system.units)),
        sides: sides.filter(|_| !are_together && !without_box),
        names: names.collect(),
        caption,
        ..Scene::default()
    }
}

/// The parts of a line that begins in the box, each moved into the box.
fn pieces(system: &System, from: [f64; 3], to: [f64; 3]) -> Vec<[[f64; 3]; 2]> {
    let Some(lengths) = system.boundary.sides() else { return vec![[from, to]] };
    let at = |part: f64| [0, 1, 2].map(|axis| from[axis] + part * (to[axis] - from[axis]));
    // Where it crosses faces, as parts of its length.
    let mut cuts = vec![0.0, 1.0];
    for axis in 0..3 {
        let along = to[axis] - from[axis];
        let faces = [0.0, lengths[axis]].map(|face| (face - from[axis]) / along);
        cuts.extend(faces.into_iter().filter(|part| *part > 0.0 && *part < 1.0));
    }
    cuts.sort_by(f64::total_cmp);
    let piece = |pair: &[f64]| {
        let middle = at(0.5 * (pair[0] + pair[1]));
        let [start, end] = [at(pair[0]), at(pair[1])];
        let moved = |point: [f64; 3]| {
            [0, 1, 2]
                .map(|axis| point[axis] - (middle[axis] / lengths[axis]).floor() * lengths[axis])
        };
        [moved(start), moved(end)]
    };
    cuts.windows(2).map(piece).collect()
}

/// How long the unit of tables is in pictures, and its symbol.
pub(crate) fn unit_of(units: Units) -> (f64, String) {
    match units {
        Units::Real => (ANGSTROMS_PER_NANOMETRE, "nm".to_string()),
        Units::Reduced => (1.0, String::new()),
    }
}

/// Half of the least of: the mean distance of beads, the median length of bonds, the largest cutoff. Beads then nearly touch.
pub(crate) fn radius_of_beads(
    system: &System,
    positions: &[[f64; 3]],
    bonds: &[(usize, usize)],
) -> f64 {
    let mut lengths: Vec<f64> = bonds
        .iter()
        .map(|&(i, j)| system.boundary.squared_distance(positions[i], positions[j]).sqrt())
        .collect();
    lengths.sort_by(f64::total_cmp);
    let bond = lengths.get(lengths.len() / 2).copied();
    let cutoff = Some(system.interactions.pair_cutoff()).filter(|cutoff| *cutoff > 0.0);
    let spacing = system.boundary.volume().map(|volume| (volume / positions.len() as f64).cbrt());
    let all = [bond, cutoff, spacing].into_iter().flatten();
    0.5 * all.reduce(f64::min).unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use beadwork_model::Boundary;

    use super::*;

    /// A helix that lies across the faces of a box of eight times its length is whole in its picture, and fills it.
    #[test]
    fn a_molecule_in_a_large_box_fills_its_picture() {
        let mut system = beadwork_model::made_systems::helix().unwrap();
        let open = system.particles.positions.clone();
        let extent = |positions: &[[f64; 3]], axis: usize| {
            let values = || positions.iter().map(move |at| at[axis]);
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
        };
        let largest = (0..3).map(|axis| extent(&open, axis)).fold(0.0, f64::max);
        let shifted = |lengths: [f64; 3], system: &mut System| {
            system.boundary = Boundary::Periodic { lengths };
            let moved = |at: &[f64; 3]| [0, 1, 2].map(|axis| at[axis] - open[0][axis]);
            open.iter().map(moved).collect::<Vec<_>>()
        };
        let positions = shifted([8.0 * largest; 3], &mut system);
        let scene = of_frame(&system, &positions, "replica 0".to_string(), false);
        let drawn: Vec<[f64; 3]> = scene.balls.iter().map(|ball| ball.position).collect();
        for axis in 0..3 {
            assert!((extent(&drawn, axis) - extent(&open, axis)).abs() < 1e-9);
        }
        assert_eq!(scene.sides, None);
        assert!(scene.caption.ends_with(" nm that is not drawn"), "{}", scene.caption);
        assert_eq!(scene.sticks.len(), 2 * system.bonds().len());
        // In a box that it fills, the box is drawn, unless it is left out.
        let positions = shifted([1.2 * largest; 3], &mut system);
        let scene = |without_box| of_frame(&system, &positions, String::new(), without_box);
        assert_eq!(scene(false).sides, Some([1.2 * largest; 3]));
        assert_eq!((scene(true).sides, scene(true).caption), (None, String::new()));
    }

    #[test]
    fn bonds_across_faces_stay_in_the_box() {
        let mut system = beadwork_model::made_systems::helix().unwrap();
        let from = [9.5, 5.0, 0.2];
        assert_eq!(pieces(&system, from, [11.5, 5.0, 0.2]), [[from, [11.5, 5.0, 0.2]]]);
        system.boundary = Boundary::Periodic { lengths: [10.0; 3] };
        // It leaves by the face of x after a quarter, and by that of z after a half.
        let found = pieces(&system, from, [11.5, 5.0, -0.2]);
        let whole: f64 = found
            .iter()
            .map(|[a, b]| (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt())
            .sum();
        assert!(found.len() == 3 && (whole - (4.0_f64 + 0.16).sqrt()).abs() < 1e-12, "{found:?}");
        let is_inside = |x: &f64| (-1e-12..=10.0 + 1e-12).contains(x);
        assert!(found.iter().flatten().flatten().all(is_inside), "{found:?}");
        let last = found[2][1];
        assert!((last[0] - 1.5).abs() < 1e-12 && (last[2] - 9.8).abs() < 1e-12, "{last:?}");
        assert_eq!(pieces(&system, from, [9.0, 5.0, 0.2]).len(), 1);
    }
}
