//! A picture of the last frame.

use beadwork_analysis::picture::{Ball, Scene, Stick};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{Boundary, System, Units};
use beadwork_session::Error;

use crate::frames;
use crate::rows::PointMembers;
use crate::words::time_in_words;

/// The part of the usual radius that beads have which are molecules of their own among larger ones, so that these are seen.
const SOLVENT: f64 = 0.35;
/// The radius of a bond over that of beads.
const BOND: f64 = 0.4;
/// The names in a legend.
const MOST_NAMES: usize = 12;

/// The last frame of the first replica that has one, all lengths in Å or reduced units.
pub(super) fn read(of_point: &PointMembers<'_>) -> Result<Option<Scene>, Error> {
    let Some((_, kind)) = of_point.request.output.trajectory else { return Ok(None) };
    let system = &of_point.point.system;
    for member in &of_point.members {
        let Some((frame, time)) = frames::last(of_point, member)? else { continue };
        let mut scene = None;
        frames::read(member, kind, &[frame], |_, positions| {
            if positions.len() == system.beads() {
                let time = match system.units {
                    Units::Real => time_in_words(time),
                    Units::Reduced => time.to_string(),
                };
                let caption = format!("replica {}, time {time}", member.number);
                scene = Some(of_frame(system, positions, caption));
            }
        })?;
        if scene.is_some() {
            return Ok(scene);
        }
    }
    Ok(None)
}

/// Whether a replica has a last frame.
pub(super) fn has_frame(of_point: &PointMembers<'_>) -> Result<bool, Error> {
    for member in &of_point.members {
        if frames::last(of_point, member)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn of_frame(system: &System, positions: &[[f64; 3]], caption: String) -> Scene {
    let particles = &system.particles;
    let bonds = system.bonds();
    let radius = radius_of_beads(system, positions, &bonds);
    let mut is_alone = vec![false; positions.len()];
    let molecules = particles.beads_of_molecules();
    let alone = molecules.iter().filter(|molecule| molecule.len() == 1);
    alone.for_each(|molecule| is_alone[molecule[0] as usize] = true);
    let has_molecules = is_alone.contains(&false);
    let inside: Vec<[f64; 3]> = positions.iter().map(|at| inside(system, *at)).collect();
    let colour = |bead: usize| usize::from(particles.types[bead]);
    let ball = |(bead, &position): (usize, &[f64; 3])| Ball {
        position,
        radius: radius * if has_molecules && is_alone[bead] { SOLVENT } else { 1.0 },
        colour: colour(bead),
    };
    // Each bead has its half of a bond. What crosses a face goes on at the opposite one.
    let half = |from: usize, to: usize| {
        let apart = system.boundary.separation(positions[to], positions[from]);
        let middle = [0, 1, 2].map(|axis| inside[from][axis] + 0.5 * apart[axis]);
        let stick = move |ends| Stick { ends, radius: BOND * radius, colour: Some(colour(from)) };
        pieces(system, inside[from], middle).into_iter().map(stick)
    };
    let names = system.type_labels().into_iter().zip(0..).take(MOST_NAMES);
    Scene {
        balls: inside.iter().enumerate().map(ball).collect(),
        sticks: bonds.iter().flat_map(|&(i, j)| half(i, j).chain(half(j, i))).collect(),
        unit: Some(unit_of(system.units)),
        sides: match system.boundary {
            Boundary::Periodic { lengths } => Some(lengths),
            Boundary::Open => None,
        },
        section: None,
        outlines: Vec::new(),
        names: names.collect(),
        caption,
    }
}

/// The image in the box.
fn inside(system: &System, position: [f64; 3]) -> [f64; 3] {
    match system.boundary {
        Boundary::Open => position,
        Boundary::Periodic { lengths } => {
            [0, 1, 2].map(|axis| position[axis].rem_euclid(lengths[axis]))
        }
    }
}

/// The parts of a line that begins in the box, each moved into the box.
fn pieces(system: &System, from: [f64; 3], to: [f64; 3]) -> Vec<[[f64; 3]; 2]> {
    let Boundary::Periodic { lengths } = system.boundary else { return vec![[from, to]] };
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
    use super::*;

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
