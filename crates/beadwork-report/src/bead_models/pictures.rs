//! A picture of the last frame.

use beadwork_analysis::picture::{Ball, Scene, Stick};
use beadwork_model::{Boundary, System, Units};
use beadwork_session::Error;

use crate::frames;
use crate::rows::PointMembers;

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
                let unit = if system.units == Units::Real { " ns" } else { "" };
                let caption = format!("replica {}, time {time}{unit}", member.number);
                scene = Some(of_frame(system, positions, caption));
            }
        })?;
        if scene.is_some() {
            return Ok(scene);
        }
    }
    Ok(None)
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
    // Each bead has its half of a bond, so that bonds across a face end beyond it on both sides.
    let half = |from: usize, to: usize| {
        let apart = system.boundary.separation(positions[to], positions[from]);
        let middle = [0, 1, 2].map(|axis| inside[from][axis] + 0.5 * apart[axis]);
        Stick { ends: [inside[from], middle], radius: BOND * radius, colour: Some(colour(from)) }
    };
    let names = system.type_labels().into_iter().zip(0..).take(MOST_NAMES);
    Scene {
        balls: inside.iter().enumerate().map(ball).collect(),
        sticks: bonds.iter().flat_map(|&(i, j)| [half(i, j), half(j, i)]).collect(),
        sides: match system.boundary {
            Boundary::Periodic { lengths } => Some(lengths),
            Boundary::Open => None,
        },
        section: None,
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
