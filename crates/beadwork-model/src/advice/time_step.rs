//! Time steps that are too long for bonds, fluids of DPD or the drag between pairs.

use super::words::{plain, with_decimals};
use crate::dynamics::Dynamics;
use crate::potentials::DpdConservative;
use crate::potentials::pair::PairTable;
use crate::system::System;
use crate::units::PICONEWTONS_PER_FORCE;

/// The largest dimensionless step of a bond's stiffest mode at which runs are accurate; see [`bond_step`].
pub const ADVISED_BOND_STEP: f64 = 0.6;

/// The dimensionless step 4 k h/ξ of the stiffest mode of a chain whose bonds all have the system's largest stiffness
/// k. Each step multiplies a harmonic mode of rate λ by 1 − λh: beyond λh = 2 the dynamics explodes; below, the
/// variance is too large by the factor 1/(1 − λh/2).
pub fn bond_step(system: &System, dynamics: &Dynamics) -> f64 {
    4.0 * system.stiffest_bond() * dynamics.timestep / dynamics.friction
}

/// The product ωh of the fastest mode of a chain whose bonds all have the system's largest k/m of the stiffness of a bond and the
/// mass of its lighter bead: ω = 2 √(k/m). Beyond 2 every integrator with velocities is unstable (Verlet's criterion); below,
/// the kinetic energy of the mode is off by some (ωh)²/4.
pub fn bond_phase(system: &System, dynamics: &Dynamics) -> f64 {
    let acceleration = system.units.acceleration();
    2.0 * (system.stiffest_bond_per_mass() * acceleration).sqrt() * dynamics.timestep
}

/// The largest [`bond_phase`] at which bonds are resolved: ten steps a period.
pub const ADVISED_BOND_PHASE: f64 = 0.63;

/// The time step that [`ADVISED_BOND_PHASE`] allows, as advice.
pub fn advised_timestep(system: &System, dynamics: &Dynamics) -> String {
    let step = dynamics.timestep * ADVISED_BOND_PHASE / bond_phase(system, dynamics);
    at_most(step, system.units.of_time())
}

/// `use at most 0.012 ps`, rounded down to two digits.
pub(super) fn at_most(step: f64, unit: &str) -> String {
    match step > SHORTEST {
        true => format!("use at most {}{unit}", plain(rounded_down(step))),
        false => "take other values, since no time step is short enough".to_string(),
    }
}

/// Shorter steps, ps or reduced, follow from mistyped values only, and have no sensible number of digits.
const SHORTEST: f64 = 1e-100;

/// The largest [`bond_phase`] at which integrators with velocities are stable.
pub const STABLE_BOND_PHASE: f64 = 2.0;

/// Warns of a step that is long for the stiffest angle, as is judged for bonds.
pub(super) fn warning_of_angles(system: &System, dynamics: &Dynamics) -> Option<String> {
    let (unit, timestep) = (system.units.of_time(), dynamics.timestep);
    let (step, advised, what, because) = if dynamics.integrator.has_velocities() {
        let stiffest = system.stiffest_angle_per_mass();
        let phase = (stiffest * system.units.acceleration()).sqrt() * timestep;
        (phase, ADVISED_BOND_PHASE, "h sqrt(6 k/m)/b", "a period has fewer than ten steps")
    } else {
        let step = system.stiffest_angle() * timestep / dynamics.friction;
        (step, ADVISED_BOND_STEP, "6 k h/(b^2 friction)", "angles overshoot")
    };
    if !(step > advised && step.is_finite()) {
        return None;
    }
    Some(format!(
        "the time step of {}{unit} is long for the stiffest angle, with stiffness k between bonds of the length b: {what} is {}, and beyond {advised} {because}; {}, or softer angles",
        plain(timestep),
        with_decimals(step, 2),
        at_most(timestep * advised / step, unit)
    ))
}

/// The time step of DPD fluids, in r_c √(m/kT), that most publications take.
const USUAL_DPD_STEP: f64 = 0.04;
/// kT of the beads over that of their bath, less 1, at 0, 0.01 … of that unit: measured (± 0.002) with density 3, repulsion 25
/// and friction 4.5 of Groot and Warren (J. Chem. Phys. 107, 4423, 1997), and with this crate's scheme (`validation/dpd_fluid`).
const DPD_EXCESS: [f64; 7] = [0.0, 0.005, 0.010, 0.020, 0.028, 0.042, 0.060];

/// Warns of a step at which a fluid of DPD is far warmer than its bath.
pub(super) fn warning_of_dpd(system: &System, dynamics: &Dynamics) -> Option<String> {
    let soft: &PairTable<DpdConservative> = system.interactions.pairs_by()?;
    let thermostat = system.interactions.thermostat.as_ref()?;
    let cutoff = soft.cutoffs().largest().min(thermostat.table.cutoffs().largest());
    let lightest = system.types.iter().map(|kind| kind.mass).fold(f64::INFINITY, f64::min);
    let speed = (dynamics.temperature * system.units.acceleration() / lightest).sqrt();
    let step = dynamics.timestep * speed / cutoff;
    // A step of 0.04 may come out as slightly more.
    if !(step > 1.001 * USUAL_DPD_STEP && step.is_finite()) {
        return None;
    }
    let place = (100.0 * step).floor() as usize;
    let excess = match DPD_EXCESS.get(place..place + 2) {
        Some(&[low, high]) => {
            let excess = low + (high - low) * (100.0 * step - place as f64);
            format!("{:.1} %", 100.0 * excess)
        }
        _ => format!("more than {:.0} %", 100.0 * DPD_EXCESS[DPD_EXCESS.len() - 1]),
    };
    let unit = system.units.of_time();
    Some(format!(
        "the time step of {}{unit} is long for DPD: it is {} r_c sqrt(m/kT), where a fluid with density 3, repulsion 25 and friction 4.5 is {excess} warmer than its bath (2.8 % at 0.04); {}",
        plain(dynamics.timestep),
        with_decimals(step, 3),
        at_most(1.000_001 * dynamics.timestep * USUAL_DPD_STEP / step, unit)
    ))
}

/// The part of a bead's velocity, drag times time step, that the pair thermostat may take in a step. It is 0.075 at density 3,
/// friction 4.5 and steps of 0.04; with friction 40 it is 0.67, and a short run read 17 % more than its bath.
const MOST_PAIR_DRAG: f64 = 0.2;

/// Warns of a pair thermostat whose drag is too strong for the time step. The drag on a bead among n others in a unit of volume is
/// γ n 4π/3 ∫ r² (1 − r/r_c)² dr = γ n r_c³ 4π/90, summed over the types of the others.
pub(super) fn warning_of_pair_drag(system: &System, dynamics: &Dynamics) -> Option<String> {
    let thermostat = system.interactions.thermostat.as_ref()?;
    let volume = system.boundary.volume()?;
    let counts = system.beads_of_types();
    let drag_over_mass = |kind: usize| {
        let of_others = counts.iter().enumerate().map(|(other, count)| {
            let entry = thermostat.table.between(kind as u16, other as u16);
            count * entry.potential.friction * entry.cutoff.powi(3)
        });
        let drag = of_others.sum::<f64>() * 4.0 * std::f64::consts::PI / (90.0 * volume);
        drag / system.types[kind].mass
    };
    let with_beads = (0..counts.len()).filter(|&kind| counts[kind] > 0.0);
    let largest = with_beads.map(drag_over_mass).fold(0.0, f64::max);
    let part = largest * system.units.acceleration() * dynamics.timestep;
    if !(part > MOST_PAIR_DRAG && part.is_finite()) {
        return None;
    }
    let unit = system.units.of_time();
    Some(format!(
        "the friction of the pair thermostat is large for the time step of {}{unit}: drag takes {} of a velocity in a step, so that beads are warmer than their bath or fly apart; {}, or less friction",
        plain(dynamics.timestep),
        with_decimals(part, 2),
        at_most(dynamics.timestep * MOST_PAIR_DRAG / part, unit)
    ))
}

/// Rounds a positive number down to two digits.
fn rounded_down(number: f64) -> f64 {
    let power = number.log10().floor() as i32 - 1;
    // Division by a power of ten is rounded correctly, so that the result has two digits when it is printed.
    let scale = 10f64.powi(power.abs());
    if power < 0 { (number * scale).floor() / scale } else { (number / scale).floor() * scale }
}

/// \[A\] prints ξ = 7.0×10⁵ pN ps/nm beside h = 20 ps; the program behind the paper uses 12.4 times more.
pub(super) fn printed_friction_hint(dynamics: &Dynamics) -> &'static str {
    let printed = 7.0e5 / (10.0 * PICONEWTONS_PER_FORCE);
    if (dynamics.friction / printed - 1.0).abs() < 0.02 {
        ". 7.0e5 pN ps/nm is the friction printed in the SOP-GPU paper of 2010; with steps of 20 ps that program in fact uses 8.685e6 pN ps/nm"
    } else {
        ""
    }
}
