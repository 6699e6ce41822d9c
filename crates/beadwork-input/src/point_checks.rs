//! What a point is refused for, where sections that are right by themselves exclude each other.

use beadwork_model::observables::Observable;
use beadwork_model::{
    Boundary, Dynamics, Integrator, Interactions, Protocol, Stage, System, advice,
};

use crate::document::Node;
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, MISSING_KEY};
use crate::request::Point;
use crate::section::Read;
use crate::settings::{Analysis, DynamicsRead};
use crate::without_effect::tips;

/// Refuses a time step at which no integrator with velocities is stable.
pub(crate) fn refuse_unstable(
    system: &System,
    dynamics: &Dynamics,
    read: &DynamicsRead,
) -> Result<(), Error> {
    if !dynamics.integrator.has_velocities() {
        return Ok(());
    }
    let phase = advice::bond_phase(system, dynamics);
    if phase < advice::STABLE_BOND_PHASE {
        return Ok(());
    }
    let problem = format!(
        "[dynamics]: `timestep` is too long for the stiffest bond: 2 h sqrt(k/m) is {phase:.2}, and from {} on bonds gain energy until the run explodes; {}",
        advice::STABLE_BOND_PHASE,
        advice::advised_timestep(system, dynamics)
    );
    Err(read.timestep_place.error(BAD_VALUE, problem))
}

/// Refuses stages and deformations of `[analysis]` that a point cannot answer for.
pub(crate) fn check_analysed(node: &Node, analysis: &Analysis, point: &Point) -> Result<(), Error> {
    for name in &analysis.stages {
        point.analysed_stage(name).map_err(|problem| {
            let place = node.get("stages").map_or(&node.place, |node| &node.place);
            place.error(BAD_VALUE, format!("[analysis]: `stages`: {problem}"))
        })?;
    }
    let stages = &point.protocol.stages;
    let has_tip = stages.iter().any(|stage| tips(stage).next().is_some());
    let ranges = [("slope", analysis.slope), ("hertz", analysis.hertz)];
    let asked = ranges.into_iter().find(|(_, range)| range.is_some());
    if let (Some((key, _)), true) = (asked, !has_tip) {
        let place = node.get(key).map_or(&node.place, |node| &node.place);
        let problem = format!("[analysis]: `{key}`: no stage has a tip, which would deform");
        return Err(place.error(BAD_VALUE, problem));
    }
    // A tip that goes on has the force of contact of the stage before.
    let is_analysed =
        |stage: &&Stage| analysis.stages.is_empty() || analysis.stages.contains(&stage.name);
    let mut analysed = stages.iter().filter(is_analysed).flat_map(tips);
    if analysis.prominence.is_none() && analysed.any(|tip| tip.cantilever.contact_force == 0.0) {
        let problem = "[analysis]: `prominence` must be written, the fall of the force that counts as a peak passed: in reduced units it is four times `contact_force` of the tip, which is 0";
        let place = node.get("prominence").map_or(&node.place, |node| &node.place);
        return Err(place.error(MISSING_KEY, problem));
    }
    Ok(())
}

/// The line to change where a system and its dynamics or drives exclude each other, and how if the problem does not say it.
pub(crate) fn place_of_conflict<'a>(
    root: &'a Node,
    system: &'a Node,
    built: &System,
    protocol: &Protocol,
) -> (&'a Location, &'static str) {
    let integrator = protocol.dynamics.integrator;
    if built.interactions.thermostat.is_some() && integrator != Integrator::VelocityVerlet {
        // Where no integrator is written, the section that lacks it.
        let dynamics = root.get("dynamics");
        let written = dynamics.and_then(|section| section.get("integrator")).or(dynamics);
        let advice = ": write integrator = \"velocity-verlet\" in [dynamics]";
        return (written.map_or(&system.place, |node| &node.place), advice);
    }
    let stages = root.get("stage").and_then(Node::list).unwrap_or_default();
    let driven = stages.iter().zip(&protocol.stages).find(|(_, stage)| !stage.externals.is_empty());
    let externals = driven.and_then(|(node, _)| node.get("drives"));
    (externals.map_or(&system.place, |node| &node.place), "")
}

/// Whether potentials act on beads that interact; oscillators have a column of their own, of all their dimensions.
fn has_forces(system: &System) -> bool {
    let Interactions { bonded, pairs, angles, singles, .. } = &system.interactions;
    let is_empty = bonded.is_empty() && pairs.is_empty() && angles.is_empty() && singles.is_empty();
    !is_empty && system.independent_particles().is_none()
}

/// Refuses columns on request that a system does not have.
pub(crate) fn refuse_columns(
    columns: &Read<Vec<Observable>>,
    system: &System,
    dynamics: &Dynamics,
    stages: &[Stage],
) -> Result<(), Error> {
    let has = |column| columns.value.contains(&column);
    let problem = if has(Observable::PressureXx) && system.boundary == Boundary::Open {
        "\"pressure_tensor\" needs a periodic box"
    } else if has(Observable::MomentumX) && !dynamics.integrator.has_velocities() {
        "\"momentum\" needs an integrator with velocities"
    } else if has(Observable::ConfigurationalTemperature)
        && stages.iter().any(|stage| !stage.externals.is_empty())
    {
        "\"configurational_temperature\" does not work in a run with drives"
    } else if has(Observable::ConfigurationalTemperature) && !has_forces(system) {
        "\"configurational_temperature\" needs potentials of beads"
    } else {
        return Ok(());
    };
    let problem = format!("`columns` in `table` of [output]: {problem}; remove it from the list");
    Err(columns.place.error(CONFLICT, problem))
}
