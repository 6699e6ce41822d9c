//! How far two trajectories may be apart that differ in nothing but rounding.

use beadwork::model::drives::Drive;
use beadwork::model::{Integrator, Precision, Protocol};
use beadwork::simulation::{MemberState, Sums};

/// Rounding of forces and noise in a step, as the length of a coordinate, Å, whose rounding would be as large. A force
/// k (r − r₀) of a bond of 3.8 Å, k h/ξ = 0.03, has four roundings of r: 0.5 Å, and there are two bonds. Ten native
/// contacts of curvature 72 ε/r₀² = 3 kcal/(mol Å²) at 6 Å make 1.2 Å, sums of a hundred repelling partners less. Noise
/// of up to six standard deviations of 0.044 Å has eight roundings: 2 Å.
const ROUNDED_BESIDE: f64 = 5.0;

/// A member on a card, compared with the processor's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreement {
    /// Largest difference of a coordinate as a part of what rounding allows.
    pub of_bound: f64,
}

impl Agreement {
    /// All but the sum of squares, which a card counts in whole units, must have the same bits.
    pub fn to_the_bit(found: &MemberState, expected: &MemberState) -> Result<Agreement, String> {
        let squares = found.sums.squared_displacements;
        let sums = Sums { squared_displacements: squares, ..expected.sums };
        if *found == (MemberState { sums, ..expected.clone() }) {
            return Ok(Agreement::default());
        }
        let differs = |bead: &usize| found.positions[*bead] != expected.positions[*bead];
        Err(match (0..found.positions.len()).find(differs) {
            Some(bead) => format!(
                "bead {bead} ends at {:?} and on the reference path at {:?}, which should be the same bits",
                found.positions[bead], expected.positions[bead]
            ),
            None => {
                "drives, sums or the noise's state are not those of the reference path".to_string()
            }
        })
    }
}

/// By how much a small difference of starts has grown at the end: the largest of any coordinate.
pub fn growth(starts: [&[[f64; 3]]; 2], ends: [&MemberState; 2]) -> f64 {
    let before = largest_difference(starts[0], starts[1]);
    let after = largest_difference(&ends[0].positions, &ends[1].positions);
    (after / before).max(1.0)
}

/// Holds a member that was rounded otherwise to the bounds of rounding.
///
/// With unit u each path rounds a coordinate by u |x| each step, and forces and noise by [`ROUNDED_BESIDE`] u; these
/// differences grow by `growth` at most, so that after n steps of e evaluations the paths are
/// 2 n e u (|x| + [`ROUNDED_BESIDE`]) `growth` apart at most. Forces, work and sums of drives follow from that.
pub fn compare(
    protocol: &Protocol,
    found: &MemberState,
    expected: &MemberState,
    growth: f64,
) -> Result<Agreement, String> {
    let same = MemberState {
        positions: found.positions.clone(),
        drives: found.drives.clone(),
        sums: found.sums,
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
    let evaluations = match dynamics.integrator {
        Integrator::Brownian => 1.0,
        Integrator::BrownianSecondOrder => 2.0,
    };
    let steps = expected.step as f64;
    let extent = expected.positions.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let bound = 2.0 * steps * evaluations * unit * (extent + ROUNDED_BESIDE) * growth;
    let difference = largest_difference(&found.positions, &expected.positions);
    if !is_within(difference, bound) {
        return Err(format!(
            "a coordinate ends {difference:.2e} A from where the reference path has it, and rounding allows {bound:.1e} A"
        ));
    }
    // From here on distances of points.
    let apart = 3.0_f64.sqrt() * bound;
    compare_drives(protocol, found, expected, apart)?;
    compare_squares(protocol, found, expected, apart, unit)?;
    Ok(Agreement { of_bound: difference / bound })
}

/// A drive of stiffness K on a centre that is a distance d away has a force that is off by K d; the work of n steps that
/// are at most an Å long by n (2 F + K) d.
fn compare_drives(
    protocol: &Protocol,
    found: &MemberState,
    expected: &MemberState,
    apart: f64,
) -> Result<(), String> {
    let steps = expected.step as f64;
    let drives = &protocol.stages[expected.stage].drives;
    let mut total = 0.0;
    for ((drive, found), expected) in drives.iter().zip(&found.drives).zip(&expected.drives) {
        let stiffness = match drive {
            Drive::Spring(spring) => spring.stiffness,
            Drive::Force(_) | Drive::ForceRamp(_) | Drive::Restrain(_) => 0.0,
        };
        let off = stiffness * apart;
        total += off;
        let (Some(here), Some(there)) = (found.last, expected.last) else {
            if found.last != expected.last || found.anchors != expected.anchors {
                return Err(format!("a {} is not that of the reference path", drive.kind()));
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
                    drive.kind()
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

/// Σ|Δr|² over m moves whose ends are each a distance d away is off by 2 √(S m) 2 d + m (2 d)² at most (Cauchy and
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

/// False for what is no number.
fn is_within(difference: f64, bound: f64) -> bool {
    difference <= bound
}

/// Of any coordinate; not a number where one is none.
fn largest_difference(a: &[[f64; 3]], b: &[[f64; 3]]) -> f64 {
    let differences = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
    differences.fold(0.0, |most, d| if d <= most { most } else { d })
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    [0, 1, 2].map(|axis| (a[axis] - b[axis]).powi(2)).iter().sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use beadwork::cpu::Member;
    use beadwork::cuda::{Case, cases};
    use beadwork::model::System;

    use super::super::generated;
    use super::*;
    use beadwork::model::potentials::pair::{PairEntry, PairTable};
    use beadwork::model::potentials::{HarmonicTrap, NativeContact, SixthPowerRepulsion};

    fn stepped(system: &System, protocol: &Arc<Protocol>, start: &[[f64; 3]]) -> MemberState {
        let mut member = Member::new(Arc::new(system.clone()), protocol.clone(), 0, start);
        let steps = member.remaining();
        member.advance(steps).unwrap();
        member.state()
    }

    /// What is wrong by little is refused, what rounding may do is not.
    #[test]
    fn small_faults_are_seen() {
        let all = cases();
        let pulled =
            |case: &&Case| !case.typed && case.beads == 34 && case.pulled && case.members == 1;
        for case in all.iter().filter(pulled) {
            let single = case.precision == Precision::Single;
            let protocol = generated::protocol(case, 80);
            let larger = Case { beads: 89, terms: [true; 4], repels: true, typed: false, ..*case };
            let system = generated::system(&larger).unwrap();
            let start = generated::moved(&system.particles.positions, 0.15);
            let nearby = generated::moved(&start, 1e-3);
            let expected = stepped(&system, &protocol, &start);
            let twin = stepped(&system, &protocol, &nearby);
            let growth = growth([&start, &nearby], [&expected, &twin]);
            assert!((1.0..5.0).contains(&growth), "{growth}");
            let judge = |found: &MemberState| compare(&protocol, found, &expected, growth);
            assert_eq!(judge(&expected).unwrap().of_bound, 0.0);

            // A last place of each coordinate, up and down.
            let rounded = |(place, x): (usize, f64)| match (single, place % 2) {
                (true, 0) => f64::from((x as f32).next_up()),
                (true, _) => f64::from((x as f32).next_down()),
                (false, 0) => x.next_up(),
                (false, _) => x.next_down(),
            };
            let round = |(bead, p): (usize, &[f64; 3])| {
                [0, 1, 2].map(|axis| rounded((3 * bead + axis, p[axis])))
            };
            let start_rounded: Vec<[f64; 3]> = start.iter().enumerate().map(round).collect();
            let mut found = stepped(&system, &protocol, &start_rounded);
            // Anchors are where the stage began.
            found.drives[1].anchors.clone_from(&expected.drives[1].anchors);
            let of_bound = judge(&found).unwrap().of_bound;
            assert!(of_bound > 0.0, "{of_bound}");

            let refused = |system: &System, protocol: &Arc<Protocol>, what: &str| {
                let outcome = judge(&stepped(system, protocol, &start));
                assert!(outcome.is_err(), "{what} passes in {}: {outcome:?}", case.name());
            };
            let mut other = system.clone();
            other.interactions.bonded_by_mut::<NativeContact>()[7].potential.depth *= 0.95;
            refused(&other, &protocol, "a contact that is too weak");
            let mut other = system.clone();
            let mut traps = other.interactions.singles_by::<HarmonicTrap>().to_vec();
            traps.remove(3);
            other.interactions.singles = vec![traps.into()];
            refused(&other, &protocol, "a trap that is missing");
            let mut other = system.clone();
            if let Some(table) = other.interactions.pairs_by::<SixthPowerRepulsion>() {
                let PairEntry { mut potential, cutoff } = table.entries()[0];
                potential.strength *= 0.97;
                other.interactions.pairs = vec![PairTable::of_one_type(potential, cutoff).into()];
            }
            refused(&other, &protocol, "repulsion that is too weak");
            let mut hot = Protocol::clone(&protocol);
            hot.dynamics.temperature *= 1.01;
            refused(&system, &Arc::new(hot), "noise that is too strong");
            let mut loose = Protocol::clone(&protocol);
            if let Drive::Spring(spring) = &mut loose.stages[0].drives[0] {
                spring.stiffness *= 1.1;
            }
            refused(&system, &Arc::new(loose), "a spring that is too stiff");
            assert!(Agreement::to_the_bit(&expected, &expected).is_ok());
            assert!(Agreement::to_the_bit(&twin, &expected).is_err());
        }
    }
}
