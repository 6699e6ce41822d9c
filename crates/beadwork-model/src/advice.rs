//! Warnings about a request before it runs.

use std::collections::BTreeSet;

use crate::drives::Drive;
use crate::dynamics::Dynamics;
use crate::models::Model;
use crate::observables::{Observable, extension};
use crate::particles::Boundary;
use crate::potentials::DpdConservative;
use crate::potentials::bonded::BondedTerm;
use crate::potentials::pair::PairTable;
use crate::protocol::{Protocol, Stage, StageKind};
use crate::system::System;
use crate::units::{PICONEWTONS_PER_FORCE, Units};

/// The largest dimensionless step of a bond's stiffest mode at which runs are accurate; see [`bond_step`].
pub const ADVISED_BOND_STEP: f64 = 0.6;

/// The dimensionless step 4 k h/ξ of the stiffest mode of a chain whose bonds all have the system's largest stiffness
/// k. Each step multiplies a harmonic mode of rate λ by 1 − λh: beyond λh = 2 the dynamics explodes; below, the
/// variance is too large by the factor 1/(1 − λh/2).
pub fn bond_step(system: &System, dynamics: &Dynamics) -> f64 {
    4.0 * system.stiffest_bond() * dynamics.timestep / dynamics.friction
}

/// The product ωh of the fastest mode of a chain whose bonds all have the system's largest stiffness k and whose beads
/// have its smallest mass: ω = 2 √(k/m). Beyond 2 every integrator with velocities is unstable (Verlet's criterion); below,
/// the kinetic energy of the mode is off by some (ωh)²/4.
pub fn bond_phase(system: &System, dynamics: &Dynamics) -> f64 {
    let lightest = system.types.iter().map(|kind| kind.mass).fold(f64::INFINITY, f64::min);
    let acceleration = system.units.acceleration();
    let stiffest = system.stiffest_bond();
    2.0 * (stiffest / lightest * acceleration).sqrt() * dynamics.timestep
}

/// The largest [`bond_phase`] at which bonds are resolved: ten steps a period.
pub const ADVISED_BOND_PHASE: f64 = 0.63;

/// The time step that [`ADVISED_BOND_PHASE`] allows, as advice.
pub fn advised_timestep(system: &System, dynamics: &Dynamics) -> String {
    let step = dynamics.timestep * ADVISED_BOND_PHASE / bond_phase(system, dynamics);
    at_most(step, system.units.of_time())
}

/// `use at most 0.012 ps`, rounded down to two digits.
fn at_most(step: f64, unit: &str) -> String {
    match step > SHORTEST {
        true => format!("use at most {}{unit}", rounded_down(step)),
        false => "take other values, since no time step is short enough".to_string(),
    }
}

/// Shorter steps, ps or reduced, follow from mistyped values only, and have no sensible number of digits.
const SHORTEST: f64 = 1e-100;

/// The largest [`bond_phase`] at which integrators with velocities are stable.
pub const STABLE_BOND_PHASE: f64 = 2.0;

/// All warnings about a run, one sentence each.
pub fn warnings(system: &System, protocol: &Protocol) -> Vec<String> {
    let of_start = [warning_of_far_start(system), warning_of_images(system)];
    let mut warnings: Vec<String> = of_start.into_iter().flatten().collect();
    let nothing_acts =
        !system.interactions.act_between_beads() && system.interactions.singles.is_empty();
    if nothing_acts && system.beads() > 1 {
        warnings.push("nothing acts between the beads, so each moves as if it were alone: give `pairs` or `bonds` in [system], if that is not meant".to_string());
    }
    let dynamics = &protocol.dynamics;
    let moves =
        protocol.stages.iter().any(|stage| matches!(stage.kind, StageKind::Dynamics { .. }));
    let inertial = dynamics.integrator.has_velocities();
    let phase = bond_phase(system, dynamics);
    let unit = system.units.of_time();
    if moves && inertial && phase > ADVISED_BOND_PHASE {
        warnings.push(format!(
            "the time step of {}{unit} is long for the stiffest bond: 2 h sqrt(k/m) is {phase:.2}, and beyond {ADVISED_BOND_PHASE} a period has fewer than ten steps; {}",
            dynamics.timestep,
            advised_timestep(system, dynamics)
        ));
    }
    if moves {
        warnings.extend(warning_of_dpd(system, dynamics));
        warnings.extend(warning_of_pair_drag(system, dynamics));
    }
    let overdamped = moves && !inertial;
    let step = bond_step(system, dynamics);
    if overdamped && step > ADVISED_BOND_STEP {
        let advised = at_most(dynamics.timestep * ADVISED_BOND_STEP / step, unit);
        warnings.push(format!(
            "the time step of {}{unit} is too large for the stiffest bond: 4 k h/friction is {step:.2}, and beyond {ADVISED_BOND_STEP} bonds of FENE chains break within some thousand steps; {advised}, or raise the friction{}",
            dynamics.timestep,
            printed_friction_hint(dynamics)
        ));
    }
    let step = system.interactions.stiffest_field() * dynamics.timestep / dynamics.friction;
    if overdamped && step > ADVISED_BOND_STEP {
        let what = if step < 2.0 { "overshoot them" } else { "leave them for good" };
        warnings.push(format!(
            "the time step of {}{unit} is too large for the wells: k h/friction is {step:.2}, beyond {} beads {what}; {}, or use softer wells",
            dynamics.timestep,
            if step < 2.0 { ADVISED_BOND_STEP } else { 2.0 },
            at_most(dynamics.timestep * ADVISED_BOND_STEP / step, unit),
        ));
    }
    for stage in &protocol.stages {
        for drive in &stage.drives {
            if let Drive::Spring(spring) = drive {
                // A chain held at one end and pulled at the other with speed ν moves at ν/2 on average.
                let beads = bonded_to(system, &spring.ends.pulled) as f64;
                let drag = 0.5 * beads * dynamics.friction * spring.speed.abs();
                let is_large = drag * PICONEWTONS_PER_FORCE > 50.0;
                if !inertial && is_large && system.units == Units::Real {
                    warnings.push(format!(
                        "stage \"{}\": dragging the unfolded chain through the solvent at this speed takes up to {:.0} pN beside the forces of interest (beads of the chain x friction x speed / 2); pull slower to come below",
                        stage.name,
                        drag * PICONEWTONS_PER_FORCE
                    ));
                }
            }
        }
        let pulling = stage.drives.iter().filter(|drive| drive.ends().is_some()).count();
        if pulling > 1 {
            warnings.push(format!(
                "stage \"{}\": {pulling} drives pull; the columns of force and work, and with them the unfolding force, are the sums over them, each along its own direction",
                stage.name
            ));
        }
        warnings.extend(warning_of_unjoined_ends(system, stage));
        warnings.extend(stop_warnings(system, protocol, stage));
        for drive in &stage.drives {
            let (name, stiffness) = match drive {
                Drive::Spring(spring) => {
                    ("spring", spring.stiffness / spring.ends.pulled.len().max(1) as f64)
                }
                Drive::Restrain(restrain) => ("restraint", restrain.stiffness),
                Drive::Force(_) | Drive::ForceRamp(_) => continue,
            };
            let step = stiffness * dynamics.timestep / dynamics.friction;
            if !inertial && step > ADVISED_BOND_STEP {
                warnings.push(format!(
                    "stage \"{}\": the {name} is too stiff for the time step: k h/friction is {step:.2}, beyond {ADVISED_BOND_STEP} beads overshoot it; use a softer one or a smaller step",
                    stage.name
                ));
            }
        }
        if !stage.fixed.is_empty() && stage.fixed.len() == system.beads() {
            warnings
                .push(format!("stage \"{}\": every bead is fixed, nothing will move", stage.name));
        }
        let fixed: BTreeSet<usize> = stage.fixed.iter().copied().collect();
        for drive in &stage.drives {
            if let Some(ends) = drive.ends()
                && ends.pulled.iter().all(|bead| fixed.contains(bead))
            {
                warnings.push(format!(
                    "stage \"{}\": every bead that the {} pulls is also fixed, so that it cannot move",
                    stage.name,
                    drive.kind()
                ));
            }
        }
    }
    warnings
}

/// Sides of a box over which a start may spread: molecules across faces take some, a file in other units than the box takes more.
const MOST_SIDES: f64 = 4.0;

/// Warns of a start that spreads over many sides of its box.
fn warning_of_far_start(system: &System) -> Option<String> {
    let Boundary::Periodic { lengths } = system.boundary else { return None };
    let sides_along = |axis: usize| {
        let along = system.particles.positions.iter().map(|at| at[axis]);
        let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| {
            (low.min(at), high.max(at))
        });
        (most - least) / lengths[axis]
    };
    let (axis, sides) = ["x", "y", "z"]
        .into_iter()
        .zip([0, 1, 2].map(sides_along))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    (sides > MOST_SIDES).then(|| {
        format!(
            "beads of the start lie up to {sides:.1} sides of the box apart along {axis}, and each is moved into the box by whole sides: check that the box and the file have the same unit of length"
        )
    })
}

/// Warns of bonds over more than half a box: image flags of a start that are wrong. A molecule that is bonded to itself through
/// the box has such a bond whatever its flags are.
fn warning_of_images(system: &System) -> Option<String> {
    let Boundary::Periodic { lengths } = system.boundary else { return None };
    let positions = &system.particles.positions;
    let is_long = |&(i, j): &(usize, usize)| {
        (0..3).any(|axis| (positions[i][axis] - positions[j][axis]).abs() > 0.5 * lengths[axis])
    };
    let bonds = system.bonds();
    if !bonds.iter().any(is_long) {
        return None;
    }
    let goes_through = beads_bonded_through_the_box(system, &bonds);
    let is_wrong = |bond: &&(usize, usize)| is_long(bond) && !goes_through[bond.0];
    let (i, j) = *bonds.iter().find(is_wrong)?;
    let count = bonds.iter().filter(is_wrong).count();
    Some(format!(
        "{count} of {} bonds reach over more than half a side of the box, the first between beads {i} and {j} (counted from 0): the image flags of the start are wrong, so sizes of molecules will be wrong too, though forces are right; correct the flags or leave them out, and molecules are joined along their bonds",
        bonds.len(),
    ))
}

/// Which beads belong to molecules that are bonded to themselves through the box: joined along their bonds, they end in another
/// image than they began.
fn beads_bonded_through_the_box(system: &System, bonds: &[(usize, usize)]) -> Vec<bool> {
    let mut whole = system.particles.positions.clone();
    let mut neighbours = vec![Vec::new(); whole.len()];
    for &(i, j) in bonds {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut is_joined = vec![false; whole.len()];
    let mut goes_through = vec![false; whole.len()];
    for first in 0..whole.len() {
        if std::mem::replace(&mut is_joined[first], true) {
            continue;
        }
        let mut molecule = vec![first];
        let mut next = 0;
        let mut is_odd = false;
        while let Some(&bead) = molecule.get(next) {
            next += 1;
            for &other in &neighbours[bead] {
                let near = system.boundary.near(whole[other], whole[bead]);
                if std::mem::replace(&mut is_joined[other], true) {
                    // Images are whole sides apart, rounding is not.
                    is_odd |= (0..3).any(|axis| {
                        (near[axis] - whole[other][axis]).abs() > 1e-6 * (1.0 + near[axis].abs())
                    });
                } else {
                    whole[other] = near;
                    molecule.push(other);
                }
            }
        }
        molecule.iter().for_each(|&bead| goes_through[bead] = is_odd);
    }
    goes_through
}

/// The time step of DPD fluids, in r_c √(m/kT), that most publications take.
const USUAL_DPD_STEP: f64 = 0.04;
/// kT of the beads over that of their bath, less 1, at 0, 0.01 … of that unit: measured (± 0.002) with density 3, repulsion 25
/// and friction 4.5 of Groot and Warren (J. Chem. Phys. 107, 4423, 1997), and with this crate's scheme (`validation/dpd_fluid`).
const DPD_EXCESS: [f64; 7] = [0.0, 0.005, 0.010, 0.020, 0.028, 0.042, 0.060];

/// Warns of a step at which a fluid of DPD is far warmer than its bath.
fn warning_of_dpd(system: &System, dynamics: &Dynamics) -> Option<String> {
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
        "the time step of {}{unit} is long for DPD: it is {step:.3} r_c sqrt(m/kT), where a fluid with density 3, repulsion 25 and friction 4.5 is {excess} warmer than its bath (2.8 % at 0.04); {}",
        dynamics.timestep,
        at_most(1.000_001 * dynamics.timestep * USUAL_DPD_STEP / step, unit)
    ))
}

/// The part of a bead's velocity, drag times time step, that the pair thermostat may take in a step. It is 0.075 at density 3,
/// friction 4.5 and steps of 0.04; with friction 40 it is 0.67, and a short run read 17 % more than its bath.
const MOST_PAIR_DRAG: f64 = 0.2;

/// Warns of a pair thermostat whose drag is too strong for the time step. The drag on a bead among n others in a unit of volume is
/// γ n 4π/3 ∫ r² (1 − r/r_c)² dr = γ n r_c³ 4π/90.
fn warning_of_pair_drag(system: &System, dynamics: &Dynamics) -> Option<String> {
    let thermostat = system.interactions.thermostat.as_ref()?;
    let density = system.beads() as f64 / system.boundary.volume()?;
    let strength = |cutoff: f64, friction: f64| friction * cutoff.powi(3);
    let entries = thermostat.table.entries().iter();
    let strongest = entries.map(|entry| strength(entry.cutoff, entry.potential.friction));
    let strongest = strongest.fold(0.0, f64::max);
    let lightest = system.types.iter().map(|kind| kind.mass).fold(f64::INFINITY, f64::min);
    let drag = strongest * density * 4.0 * std::f64::consts::PI / 90.0;
    let part = drag * system.units.acceleration() / lightest * dynamics.timestep;
    if !(part > MOST_PAIR_DRAG && part.is_finite()) {
        return None;
    }
    let unit = system.units.of_time();
    Some(format!(
        "the friction of the pair thermostat is large for the time step of {}{unit}: drag takes {part:.2} of a velocity in a step, so that beads are warmer than their bath or fly apart; {}, or less friction",
        dynamics.timestep,
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

/// Counts the beads that bonds connect to the given ones, the given ones included.
fn bonded_to(system: &System, beads: &[usize]) -> usize {
    reached_from(system.particles.positions.len(), &system.bonds(), beads).len()
}

/// The beads that these pairs join to some beads, directly or through others; they themselves too.
fn reached_from(count: usize, pairs: &[(usize, usize)], beads: &[usize]) -> BTreeSet<usize> {
    let mut neighbours = vec![Vec::new(); count];
    for &(i, j) in pairs {
        neighbours[i].push(j);
        neighbours[j].push(i);
    }
    let mut reached: BTreeSet<usize> = beads.iter().copied().collect();
    let mut open: Vec<usize> = reached.iter().copied().collect();
    while let Some(bead) = open.pop() {
        open.extend(neighbours[bead].iter().filter(|&&next| reached.insert(next)));
    }
    reached
}

/// Warns of a drive between beads that nothing holds together: they part without resistance. Pair terms may attract, so that
/// only systems without them, and chains whose other pairs repel, are looked at.
fn warning_of_unjoined_ends(system: &System, stage: &Stage) -> Option<String> {
    if system.model != Model::Sop && !system.interactions.pairs.is_empty() {
        return None;
    }
    let pairs = system.interactions.bonded.iter().flat_map(BondedTerm::pairs);
    let joined: Vec<(usize, usize)> = pairs.collect();
    stage.drives.iter().find_map(|drive| {
        let ends = drive.ends()?;
        let reached = reached_from(system.particles.positions.len(), &joined, &ends.pulled);
        let apart = !ends.fixed.is_empty() && !ends.fixed.iter().any(|bead| reached.contains(bead));
        apart.then(|| {
            format!(
                "stage \"{}\": neither bonds nor contacts join the beads that the {} pulls, such as {}, to those that it pulls away from, such as {}: they part without resistance; choose beads of one chain, or chains in contact",
                stage.name,
                drive.kind(),
                system.bead_label(ends.pulled[0]),
                system.bead_label(ends.fixed[0])
            )
        })
    })
}

/// A chain under the forces of experiments is not longer than this many times its bonds at rest.
const STRETCHED: f64 = 1.2;

/// Warns of stop rules on the extension that hold from the start, or whose threshold drive or chain cannot reach.
fn stop_warnings(system: &System, protocol: &Protocol, stage: &Stage) -> Vec<String> {
    if stage.stops.is_empty() {
        return Vec::new();
    }
    let unit = Observable::Extension.unit_in(system.units);
    let symbol = match unit.symbol() {
        "" => String::new(),
        symbol => format!(" {symbol}"),
    };
    let start = unit.convert(extension(&protocol.ends, &system.particles.positions));
    let time = stage.steps() as f64 * protocol.dynamics.timestep;
    let travel = stage.drives.iter().map(|drive| match drive {
        Drive::Spring(spring) => unit.convert(spring.speed.abs() * time),
        Drive::Force(_) | Drive::ForceRamp(_) => f64::INFINITY,
        Drive::Restrain(_) => 0.0,
    });
    let travel: f64 = travel.sum();
    let (from, to) = &protocol.ends;
    // The length of a chain between two beads; soft bonds of other models stretch far.
    let contour = match (system.model, from.as_slice(), to.as_slice()) {
        (Model::Sop | Model::Residues(_), [from], [to]) => system.contour(*from, *to),
        _ => None,
    };
    let contour = contour.map(|length| unit.convert(length)).filter(|length| *length > 0.0);
    let mut warnings = Vec::new();
    for rule in stage.stops.iter().filter(|rule| rule.observable == Observable::Extension) {
        if rule.holds(start) {
            warnings.push(format!(
                "stage \"{}\": \"{}\" holds already in the structure, where the extension is {start:.2}{symbol}: the stage may end at once",
                stage.name, rule.text
            ));
        } else if rule.above && !stage.drives.is_empty() && start + travel < rule.threshold {
            warnings.push(format!(
                "stage \"{}\": \"{}\" will hardly be reached: the extension is {start:.2}{symbol} in the structure and the base travels {travel:.2}{symbol}",
                stage.name, rule.text
            ));
        } else if let Some(contour) =
            contour.filter(|contour| rule.above && rule.threshold > STRETCHED * contour)
        {
            warnings.push(format!(
                "stage \"{}\": \"{}\" will hardly be reached: the chain is {contour:.2}{symbol} long between the ends that are measured",
                stage.name, rule.text
            ));
        }
    }
    warnings
}

/// \[A\] prints ξ = 7.0×10⁵ pN ps/nm beside h = 20 ps; the program behind the paper uses 12.4 times more.
fn printed_friction_hint(dynamics: &Dynamics) -> &'static str {
    let printed = 7.0e5 / (10.0 * PICONEWTONS_PER_FORCE);
    if (dynamics.friction / printed - 1.0).abs() < 0.02 {
        ". 7.0e5 pN ps/nm is the friction printed in the SOP-GPU paper of 2010; with steps of 20 ps that program in fact uses 8.685e6 pN ps/nm"
    } else {
        ""
    }
}
