//! What is odd about a stage: its externals, its stop rules, its fixed beads.

use std::collections::BTreeSet;

use super::time_step::ADVISED_BOND_STEP;
use super::words::with_decimals;
use crate::dynamics::Dynamics;
use crate::externals::{External, Spring};
use crate::joined_beads::JoinedBeads;
use crate::models::Model;
use crate::observables::{MeasuredColumn, Observable, extension};
use crate::potentials::bonded::BondedTerm;
use crate::protocol::{Protocol, Stage, StopRule};
use crate::system::System;
use crate::units::{PICONEWTONS_PER_FORCE, Units};

/// The friction of a chain that a spring drags through the solvent once it has unfolded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainDrag {
    /// The beads that bonds join to those that are pulled, these too.
    pub beads: usize,
    /// kcal/(mol Å): beads x friction x speed / 2. A chain that is held at one end and pulled at the other moves at half of the
    /// speed on average.
    pub force: f64,
}

impl ChainDrag {
    /// The drag at the speed of a spring, with the friction of `dynamics`.
    pub fn of(system: &System, dynamics: &Dynamics, spring: &Spring) -> ChainDrag {
        let beads = system.joined_by_bonds().within(usize::MAX, &spring.ends.pulled).len();
        let force = 0.5 * beads as f64 * dynamics.friction * spring.speed.abs();
        ChainDrag { beads, force }
    }

    /// What is dragged, in words. A chain of beads that an input lists has no fold.
    pub fn of_what(system: &System) -> &'static str {
        if system.model == Model::Beads { "the chain" } else { "the unfolded chain" }
    }
}

/// The warnings about a stage of a run.
pub(super) fn warnings_of_stage(
    system: &System,
    protocol: &Protocol,
    stage: &Stage,
) -> Vec<String> {
    let (dynamics, inertial) = (&protocol.dynamics, protocol.dynamics.integrator.has_velocities());
    let mut warnings = Vec::new();
    for external in &stage.externals {
        if let External::Spring(spring) = external {
            let drag = ChainDrag::of(system, dynamics, spring).force;
            let is_large = drag * PICONEWTONS_PER_FORCE > 50.0;
            if !inertial && is_large && system.units == Units::Real {
                let chain = ChainDrag::of_what(system);
                warnings.push(format!(
                    "stage \"{}\": dragging {chain} through the solvent at this speed takes up to {} pN beside the forces of interest (beads of the chain x friction x speed / 2); pull slower to come below",
                    stage.name,
                    with_decimals(drag * PICONEWTONS_PER_FORCE, 0)
                ));
            }
        }
    }
    // For users of the library: inputs give each of several drives its name or its number.
    let is_unnamed = |one: &&External| one.ends().is_some() && one.name().is_none();
    let pulling = stage.externals.iter().filter(is_unnamed).count();
    if pulling > 1 {
        warnings.push(format!(
            "stage \"{}\": {pulling} drives pull without a name; the columns of force and work, and with them the unfolding force, are the sums over them, each along its own direction",
            stage.name
        ));
    }
    warnings.extend(warning_of_unjoined_ends(system, stage));
    warnings.extend(stop_warnings(system, protocol, stage));
    for external in &stage.externals {
        let name = match external.kind() {
            "restrain" => "restraint",
            kind => kind,
        };
        let step = external.stiffness() * dynamics.timestep / dynamics.friction;
        if !inertial && step > ADVISED_BOND_STEP {
            warnings.push(format!(
                "stage \"{}\": the {name} is too stiff for the time step: k h/friction is {}, beyond {ADVISED_BOND_STEP} beads overshoot it; use a softer one or a smaller step",
                stage.name,
                with_decimals(step, 2)
            ));
        }
    }
    if !stage.fixed.is_empty() && stage.fixed.len() == system.beads() {
        warnings.push(format!("stage \"{}\": every bead is fixed, nothing will move", stage.name));
    }
    let fixed: BTreeSet<usize> = stage.fixed.iter().copied().collect();
    for external in &stage.externals {
        if let Some(ends) = external.ends()
            && ends.pulled.iter().all(|bead| fixed.contains(bead))
        {
            warnings.push(format!(
                "stage \"{}\": every bead that the {} pulls is also fixed, so that it cannot move",
                stage.name,
                external.kind()
            ));
        }
    }
    warnings
}

/// Warns of an external between beads that nothing holds together: they part without resistance. Pair terms may attract, so that
/// only systems without them, and chains whose other pairs repel, are looked at.
fn warning_of_unjoined_ends(system: &System, stage: &Stage) -> Option<String> {
    if system.model != Model::Sop && !system.interactions.pairs.is_empty() {
        return None;
    }
    if stage.externals.iter().all(|external| external.ends().is_none()) {
        return None;
    }
    let pairs = system.interactions.bonded.iter().flat_map(BondedTerm::pairs);
    let joined: Vec<(usize, usize)> = pairs.collect();
    let mut joined = JoinedBeads::new(system.particles.positions.len(), &joined);
    stage.externals.iter().find_map(|external| {
        let ends = external.ends()?;
        let reached = joined.within(usize::MAX, &ends.pulled).into_iter();
        let reached: BTreeSet<usize> = reached.map(|(bead, _)| bead).collect();
        let apart = !ends.fixed.is_empty() && !ends.fixed.iter().any(|bead| reached.contains(bead));
        apart.then(|| {
            format!(
                "stage \"{}\": neither bonds nor contacts join the beads that the {} pulls, such as {}, to those that it pulls away from, such as {}: they part without resistance; choose beads of one chain, or chains in contact",
                stage.name,
                external.kind(),
                system.bead_label(ends.pulled[0]),
                system.bead_label(ends.fixed[0])
            )
        })
    })
}

/// A chain under the forces of experiments is not longer than this many times its bonds at rest.
const STRETCHED: f64 = 1.2;

/// The extension that a rule watches.
struct WatchedExtension<'a> {
    from: &'a [usize],
    to: &'a [usize],
    /// The external whose extension it is; `None` for that of the table.
    name: Option<&'a str>,
}

impl<'a> WatchedExtension<'a> {
    /// That of a rule of a stage; `None` for rules on something else.
    fn of(protocol: &'a Protocol, stage: &'a Stage, rule: &'a StopRule) -> Option<Self> {
        match &rule.column {
            MeasuredColumn::Whole(Observable::Extension) => {
                let (from, to) = &protocol.ends;
                Some(WatchedExtension { from, to, name: None })
            }
            MeasuredColumn::OfPull(column) if column.quantity == Observable::Extension => {
                let mut externals = stage.externals.iter();
                let external = externals.find(|one| one.name() == Some(column.pull.as_str()))?;
                // Without held beads the extension is a way, which begins at zero.
                let ends = external.ends().filter(|ends| !ends.fixed.is_empty())?;
                let (from, to) = (&ends.fixed, &ends.pulled);
                Some(WatchedExtension { from, to, name: external.name() })
            }
            _ => None,
        }
    }
}

/// Warns of stop rules on the extension that hold from the start, or whose threshold external or chain cannot reach.
fn stop_warnings(system: &System, protocol: &Protocol, stage: &Stage) -> Vec<String> {
    if stage.stops.is_empty() {
        return Vec::new();
    }
    let unit = Observable::Extension.unit_in(system.units);
    let symbol = match unit.symbol() {
        "" => String::new(),
        symbol => format!(" {symbol}"),
    };
    let time = stage.steps() as f64 * protocol.dynamics.timestep;
    let mut warnings = Vec::new();
    for rule in &stage.stops {
        let watched = WatchedExtension::of(protocol, stage, rule);
        let Some(WatchedExtension { from, to, name }) = watched else { continue };
        let of_rule = stage.externals.iter().filter(|one| name.is_none() || one.name() == name);
        let start = unit.convert(extension(from, to, &system.particles.positions));
        let travel: f64 = of_rule.map(|external| unit.convert(external.travel(time))).sum();
        // The length of a chain between two beads; soft bonds of other models stretch far.
        let contour = match (system.model, from, to) {
            (Model::Sop | Model::Residues(_), [from], [to]) => system.contour(*from, *to),
            _ => None,
        };
        let contour = contour.map(|length| unit.convert(length)).filter(|length| *length > 0.0);
        if rule.holds(start) {
            warnings.push(format!(
                "stage \"{}\": \"{}\" holds already in the structure, where the extension is {}{symbol}: the stage may end at once",
                stage.name,
                rule.text,
                with_decimals(start, 2)
            ));
        } else if rule.above && !stage.externals.is_empty() && start + travel < rule.threshold {
            warnings.push(format!(
                "stage \"{}\": \"{}\" will hardly be reached: the extension is {}{symbol} in the structure and the base travels {}{symbol}",
                stage.name,
                rule.text,
                with_decimals(start, 2),
                with_decimals(travel, 2)
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
