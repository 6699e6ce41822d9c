//! Bounds for the difference of two trajectories that differ only in rounding.

use beadwork::model::externals::{External, ExternalState, MovingState};
use beadwork::model::{Integrator, Precision, Protocol};
use beadwork::simulation::{MemberState, MotionState, Sums};

/// Rounding of forces and noise in a step, expressed as the length, Å, of a coordinate with the same rounding. A force
/// k (r − r₀) of a bond of 3.8 Å, k h/ξ = 0.03, has four roundings of r: 0.5 Å, and there are two bonds. Ten native
/// contacts of curvature 72 ε/r₀² = 3 kcal/(mol Å²) at 6 Å make 1.2 Å, sums of a hundred repelling partners less. Noise
/// of up to six standard deviations of 0.044 Å has eight roundings: 2 Å.
///
/// With velocities a force moves a bead by k h²/2m at once, and by five times as much before friction has stopped it; for
/// a bond that is 0.07 of the distance, and a velocity goes 0.1 ps: the same lengths again.
const ROUNDED_BESIDE: f64 = 5.0;

/// Compares all bits except those of the sum of squared displacements, which a card counts in whole units.
pub fn compare_bits(found: &MemberState, expected: &MemberState) -> Result<(), String> {
    let squares = found.sums.squared_displacements;
    let sums = Sums { squared_displacements: squares, ..expected.sums };
    if *found == (MemberState { sums, ..expected.clone() }) {
        return Ok(());
    }
    let differs = |bead: &usize| found.positions[*bead] != expected.positions[*bead];
    Err(match (0..found.positions.len()).find(differs) {
        Some(bead) => format!(
            "bead {bead} ends at {:?} and on the reference path at {:?}, which should be the same bits",
            found.positions[bead], expected.positions[bead]
        ),
        None => "drives, sums or the noise's state are not those of the reference path".to_string(),
    })
}

/// The factor by which a small difference of the starts has grown at the end; 1 at least.
pub fn growth(starts: [&[[f64; 3]]; 2], ends: [&MemberState; 2]) -> f64 {
    let before = largest_difference(starts[0], starts[1]);
    let after = largest_difference(&coordinates(ends[0]), &coordinates(ends[1]));
    (after / before).max(1.0)
}

/// The positions of beads, then those of tips, which differ because beads do.
fn coordinates(state: &MemberState) -> Vec<[f64; 3]> {
    let tips = state.externals.iter().filter_map(|external| Some(external.moving?.position));
    state.positions.iter().copied().chain(tips).collect()
}

/// Compares a member that was rounded differently. Returns the largest difference of a coordinate as a fraction of its bound.
///
/// With unit u each path rounds a coordinate by u |x| each step, and forces and noise by [`ROUNDED_BESIDE`] u; these
/// differences grow by `growth` at most, so that after n steps of e evaluations the paths are
/// 2 n e u (|x| + [`ROUNDED_BESIDE`]) `growth` apart at most. Forces, work and sums of externals follow from that.
pub fn compare(
    protocol: &Protocol,
    found: &MemberState,
    expected: &MemberState,
    growth: f64,
) -> Result<f64, String> {
    let same = MemberState {
        positions: found.positions.clone(),
        externals: found.externals.clone(),
        sums: found.sums,
        extra: found.extra.clone(),
        ..expected.clone()
    };
    if *found != same {
        return Err("steps or the noise's state are not those of the reference path".to_string());
    }
    let dynamics = &protocol.dynamics;
    let unit = match dynamics.precision {
        Precision::Single => 2.0_f64.powi(-24),
        Precision::Double => 2.0_f64.powi(-53),
    };
    // Evaluations of forces in a step, or halves of a step in each of which beads drift.
    let evaluations = match dynamics.integrator {
        Integrator::Brownian => 1.0,
        _ => 2.0,
    };
    let steps = expected.step as f64;
    let extent = expected.positions.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let bound = 2.0 * steps * evaluations * unit * (extent + ROUNDED_BESIDE) * growth;
    let difference = largest_difference(&coordinates(found), &coordinates(expected));
    if !is_within(difference, bound) {
        return Err(format!(
            "a coordinate ends {difference:.2e} A from where the reference path has it, and rounding allows {bound:.1e} A"
        ));
    }
    // Three coordinates make a distance.
    let apart = 3.0_f64.sqrt() * bound;
    compare_motion(protocol, found, expected, bound)?;
    compare_drives(protocol, found, expected, apart)?;
    compare_squares(protocol, found, expected, apart, unit)?;
    Ok(difference / bound)
}

/// The bound of the difference of two forces, kcal/(mol Å), for a difference of coordinates: twice the sum of the largest
/// curvatures of two bonds, 2 × 20, and ten native contacts, 10 × 3 kcal/(mol Å²), as above. A surface adds up to 30 for a
/// bead, which has half as many contacts there; a tip has some 10 for all beads that it presses on.
const STIFFNESS: f64 = 140.0;

/// With velocities, coordinates go from one step to the next by h times a velocity between the two. If coordinates are off
/// by d at each step, velocities are by 2 d/h, and by as much again where a half kick or the noise comes between.
/// Forces are off by [`STIFFNESS`] d; where a thermostat's drag is among them, by its friction times that of velocities more.
fn compare_motion(
    protocol: &Protocol,
    found: &MemberState,
    expected: &MemberState,
    bound: f64,
) -> Result<(), String> {
    let (found, expected) = match (&found.extra.motion, &expected.extra.motion) {
        (None, None) => return Ok(()),
        (Some(found), Some(expected)) if found.forces.is_some() == expected.forces.is_some() => {
            (found, expected)
        }
        _ => return Err("the reference path has other velocities or forces".to_string()),
    };
    let dynamics = &protocol.dynamics;
    let of_velocities = 4.0 * bound / dynamics.timestep;
    let of_forces = STIFFNESS * bound + dynamics.friction * of_velocities;
    let forces = |motion: &MotionState| motion.forces.clone().unwrap_or_default();
    let differences = [
        (largest_difference(&found.velocities, &expected.velocities), of_velocities, "velocity"),
        (largest_difference(&forces(found), &forces(expected)), of_forces, "force"),
    ];
    for (difference, bound, what) in differences {
        if !is_within(difference, bound) {
            return Err(format!(
                "a {what} is {difference:.2e} off, and rounding allows {bound:.1e}"
            ));
        }
    }
    Ok(())
}

/// If a centre is off by d, the force of an external of stiffness K on it is off by K d, and the work of n steps of at most
/// an Å by n (2 F + K) d.
fn compare_drives(
    protocol: &Protocol,
    found: &MemberState,
    expected: &MemberState,
    apart: f64,
) -> Result<(), String> {
    let steps = expected.step as f64;
    let externals = &protocol.stages[expected.stage].externals;
    let mut total = 0.0;
    for ((external, found), expected) in
        externals.iter().zip(&found.externals).zip(&expected.externals)
    {
        let stiffness = match external {
            External::Spring(spring) => spring.stiffness,
            _ => external.cantilever().map_or(0.0, |cantilever| cantilever.stiffness),
        };
        let off = stiffness * apart;
        total += off;
        if let Some(cantilever) = external.cantilever() {
            let way = steps * protocol.dynamics.timestep * cantilever.path.speed.abs();
            compare_tip(external, [found, expected], apart, off * way)?;
            continue;
        }
        let (Some(here), Some(there)) = (found.last, expected.last) else {
            if found.last != expected.last || found.anchors != expected.anchors {
                return Err(format!("a {} is not that of the reference path", external.kind()));
            }
            continue;
        };
        let force = there.force.iter().map(|c| c * c).sum::<f64>().sqrt();
        let work = steps * (2.0 * force + 3.0 * stiffness) * apart;
        let differences = [
            (distance(here.force, there.force), off, "force"),
            ((found.work - expected.work).abs(), work, "work"),
        ];
        for (difference, bound, what) in differences {
            if here.step != there.step || !is_within(difference, bound) {
                return Err(format!(
                    "the {what} of a {} is {difference:.2e} off, and rounding allows {bound:.1e}",
                    external.kind()
                ));
            }
        }
    }
    let (difference, bound) = ((found.sums.force - expected.sums.force).abs(), steps * total);
    if found.sums.force_steps != expected.sums.force_steps || !is_within(difference, bound) {
        return Err(format!(
            "the sum of forces is {difference:.2e} off, and rounding allows {bound:.1e}"
        ));
    }
    Ok(())
}

/// If beads and a tip are off by d at each step, the forces between them are off by [`STIFFNESS`] 2 d, which the sum since its
/// last move has for up to n steps; each of these forces is rounded to a unit. The work of its base is off by κ d times the way.
fn compare_tip(
    external: &External,
    [found, expected]: [&ExternalState; 2],
    apart: f64,
    work: f64,
) -> Result<(), String> {
    let other = || "a tip is not that of the reference path".to_string();
    let (Some(here), Some(there)) = (found.moving, expected.moving) else { return Err(other()) };
    let (Some(unit), Some(every)) = (external.reaction_unit(), external.moves_every()) else {
        return Err(other());
    };
    let MovingState { position, reaction, contact, .. } = here;
    if here != (MovingState { position, reaction, contact, ..there })
        || contact.is_some() != there.contact.is_some()
    {
        return Err(other());
    }
    let rounded = external.beads().len() as f64 * unit.unit;
    let differences = [
        (
            distance(unit.force(reaction), unit.force(there.reaction)),
            every as f64 * (2.0 * STIFFNESS * apart + rounded),
            "force of beads on",
        ),
        ((found.work - expected.work).abs(), work, "work of the base of"),
        ((contact.unwrap_or(0.0) - there.contact.unwrap_or(0.0)).abs(), apart, "contact of"),
    ];
    for (difference, bound, what) in differences {
        if !is_within(difference, bound) {
            return Err(format!(
                "the {what} a tip is {difference:.2e} off, and rounding allows {bound:.1e}"
            ));
        }
    }
    Ok(())
}

/// If the ends of m moves are each off by d, S = Σ|Δr|² over them is off by 2 √(S m) 2 d + m (2 d)² at most (Cauchy and
/// Schwarz); a card counts each axis in units of up to 2⁻¹² of the thermal step's mean square.
fn compare_squares(
    protocol: &Protocol,
    found: &MemberState,
    expected: &MemberState,
    apart: f64,
    unit: f64,
) -> Result<(), String> {
    let dynamics = &protocol.dynamics;
    let thermal = 2.0 * dynamics.temperature * dynamics.timestep / dynamics.friction;
    let (sums, moves) = (expected.sums.squared_displacements, expected.sums.moves as f64);
    let bound = 4.0 * (sums * moves).sqrt() * apart
        + moves * (2.0 * apart).powi(2)
        + moves * 1.5 * thermal / 4096.0
        + 8.0 * unit * sums;
    let difference = (found.sums.squared_displacements - sums).abs();
    if found.sums.moves != expected.sums.moves || !is_within(difference, bound) {
        return Err(format!(
            "squares of displacements add up to {:.6e} A^2 and on the reference path to {sums:.6e}, and rounding allows {bound:.1e} between them",
            found.sums.squared_displacements
        ));
    }
    Ok(())
}

/// Whether a difference is a number and within its bound.
fn is_within(difference: f64, bound: f64) -> bool {
    difference <= bound
}

/// The largest difference of a coordinate; NaN if one is NaN.
fn largest_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let differences = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, d| if d <= most { most } else { d })
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    [0, 1, 2].map(|axis| (a[axis] - b[axis]).powi(2)).iter().sum::<f64>().sqrt()
}
