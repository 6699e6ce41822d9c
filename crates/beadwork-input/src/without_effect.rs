//! Values of an input that do nothing, or that nothing in the run can reach.

use beadwork_model::advice::{TipDrag, base_reaches_beads, time_in_words, with_decimals};
use beadwork_model::externals::{BasePath, External, Moment, Restrain, Spring, Tip};
use beadwork_model::observables::Observable;
use beadwork_model::{Integrator, Protocol, Stage, System};

use crate::document::{Node, Value};
use crate::settings::Analysis;
use crate::stages::STOP_EVERY;

/// What is known of a stage beside its drives.
struct StageOfRun<'a> {
    system: &'a System,
    protocol: &'a Protocol,
    stage: &'a Stage,
    /// Whether a tip of it goes on in the next stage.
    goes_on: bool,
}

/// A warning for each such value, in the order of the input; `nodes` are the stages as written.
pub(crate) fn warnings(
    nodes: &[Node],
    system: &System,
    protocol: &Protocol,
    analysis: &Analysis,
) -> Vec<String> {
    let mut found: Vec<String> = of_temperature(system, protocol).into_iter().collect();
    for (number, (stage, node)) in protocol.stages.iter().zip(nodes).enumerate() {
        let next = protocol.stages.get(number + 1);
        let goes_on = next.is_some_and(|next| tips(next).any(|tip| tip.cantilever.goes_on));
        let of_run = StageOfRun { system, protocol, stage, goes_on };
        let mut of_stage: Vec<String> = of_rules(stage, node).into_iter().collect();
        let drives = node.get("drives").and_then(Node::list).unwrap_or_default();
        for (place, (external, drive)) in stage.externals.iter().zip(drives).enumerate() {
            let what = of_run.of_drive(external, drive);
            let what = what.into_iter().chain(of_twice(&stage.externals[..place], external));
            of_stage.extend(what.map(|what| format!("drive {}: {what}", place + 1)));
        }
        found.extend(of_stage.into_iter().map(|what| format!("stage \"{}\": {what}", stage.name)));
    }
    found.extend(of_window(protocol, analysis));
    found.extend(of_ranges(system, protocol, analysis));
    found
}

/// A bath that neither slows beads nor drives them.
fn of_temperature(system: &System, protocol: &Protocol) -> Option<String> {
    let dynamics = &protocol.dynamics;
    let has_bath = dynamics.integrator != Integrator::Langevin
        || system.types.is_empty()
        || system.has_friction(dynamics);
    (!has_bath).then(|| {
        "[dynamics]: integrator = \"langevin\" without friction has no bath, so that the temperature is that of the velocities at the start alone: write a `collision_rate` above 0, or integrator = \"velocity-verlet\", which conserves the energy".to_string()
    })
}

/// The tips of a stage.
pub(crate) fn tips(stage: &Stage) -> impl Iterator<Item = &Tip> {
    stage.externals.iter().filter_map(|external| match external {
        External::Tip(tip) => Some(tip),
        _ => None,
    })
}

/// A value in the unit of a column.
fn in_words(system: &System, column: Observable, value: f64) -> String {
    let unit = column.unit_in(system.units);
    let number = match unit.convert(value) {
        small if small != 0.0 && small.abs() < 0.01 => format!("{small:.1e}"),
        other => with_decimals(other, 2),
    };
    format!("{number} {}", unit.symbol()).trim_end().to_string()
}

fn of_rules(stage: &Stage, node: &Node) -> Option<String> {
    let steps = stage.steps();
    let Some(rule) = stage.stops.first() else {
        // The resolved form has the default.
        let given = node.get("stop_every").and_then(Node::number)?;
        let is_other = given != f64::from(STOP_EVERY);
        return is_other.then(|| "`stop_every` has no effect without a `stop`".to_string());
    };
    (rule.every > steps).then(|| {
        format!(
            "its rules are never checked: `stop_every` is {} steps, and the stage has {steps}",
            rule.every
        )
    })
}

/// The number of an equal drive among those before; names do not count.
fn of_twice(before: &[External], external: &External) -> Option<String> {
    let unnamed = |external: &External| {
        let mut external = external.clone();
        if let Some(ends) = external.ends_mut() {
            ends.name.clear();
        }
        external
    };
    let own = unnamed(external);
    let place = before.iter().position(|other| unnamed(other) == own)?;
    Some(format!("it equals drive {}, so that both together act twice as strongly", place + 1))
}

impl StageOfRun<'_> {
    fn of_drive(&self, external: &External, drive: &Node) -> Vec<String> {
        let steps = self.stage.steps();
        let fixed = |bead: &usize| self.stage.fixed.binary_search(bead).is_ok();
        match external {
            External::Spring(Spring { stiffness: 0.0, .. })
            | External::Restrain(Restrain { stiffness: 0.0, .. }) => {
                vec!["it has no force, since its `stiffness` is 0".to_string()]
            }
            External::Force(constant) if constant.force == 0.0 => {
                vec!["it has no force, since its `force` is 0".to_string()]
            }
            External::ForceRamp(ramp) if ramp.rate == 0.0 => {
                vec!["it has no force, since its rate is 0".to_string()]
            }
            External::Restrain(restrain) if restrain.beads.iter().all(fixed) => {
                vec!["it has no effect, since the stage holds all of its beads".to_string()]
            }
            External::Spring(spring) if spring.update_every > steps => vec![format!(
                "its base never moves: `update_every` is {} steps, and the stage has {steps}",
                spring.update_every
            )],
            External::Tip(tip) => self.of_tip(tip, drive),
            _ => Vec::new(),
        }
    }

    fn of_tip(&self, tip: &Tip, drive: &Node) -> Vec<String> {
        let steps = self.stage.steps();
        let dynamics = &self.protocol.dynamics;
        let mut found = Vec::new();
        if let Some(out) = tip.cantilever.path.out {
            let cycle = out.saturating_add(tip.cantilever.path.rest).saturating_mul(2).max(1);
            let begun = steps.div_ceil(cycle);
            if out >= steps {
                found.push(format!(
                    "its base never turns: it would after {out} steps (`turn_after`), and the stage has {steps}"
                ));
            } else if begun < tip.cantilever.path.cycles {
                found.push(format!(
                    "the stage ends in cycle {begun} of {} (`cycles`): one takes {cycle} steps, and the stage has {steps}",
                    tip.cantilever.path.cycles
                ));
            } else {
                found.extend(self.of_way_back(&tip.cantilever.path));
            }
        }
        if tip.cantilever.moves_every > steps && !self.goes_on {
            found.push(format!(
                "the tip never moves: it would after {} steps, and the stage has {steps}",
                tip.cantilever.moves_every
            ));
        }
        let is_thermal = drive.get("thermal").map(|node| &node.value);
        if matches!(is_thermal, Some(Value::Boolean(true))) && dynamics.temperature == 0.0 {
            found.push("`thermal` has no effect at a temperature of 0".to_string());
        }
        let drag = TipDrag::of(self.system, dynamics, self.stage, &tip.cantilever);
        let bends = drag.largest_force > 0.0 && !self.goes_on;
        // Of a base that does not come to the structure there is another warning.
        let reaches = || base_reaches_beads(self.system, dynamics, self.stage, tip);
        if bends && tip.cantilever.contact_force > drag.largest_force && reaches() {
            found.push(format!(
                "the tip can hardly come into contact: `contact_force` is {}, and its cantilever has at most {} after {}; give a longer `duration`, or write a smaller force",
                in_words(self.system, Observable::Force, tip.cantilever.contact_force),
                in_words(self.system, Observable::Force, drag.largest_force),
                in_words(self.system, Observable::BaseTravel, drag.travel)
            ));
        }
        found
    }

    /// The stage ends before the last cycle of a base has brought it back.
    fn of_way_back(&self, path: &BasePath) -> Option<String> {
        let (steps, timestep) = (self.stage.steps(), self.protocol.dynamics.timestep);
        let needed = path.steps_back(steps).filter(|_| path.speed != 0.0)?;
        let time = |steps: u64| time_in_words(self.system, steps as f64 * timestep);
        let way = path.travelled(Moment { step: steps, timestep }).abs();
        let (cycles, farthest) = (path.cycles, in_words(self.system, Observable::BaseTravel, way));
        Some(format!(
            "its base does not come back: {cycles} cycle(s) take {} ({needed} steps), and at the end of the stage, after {} ({steps} steps), it is {farthest} out; give a smaller `turn_after` or `rest`, or a longer stage",
            time(needed),
            time(steps)
        ))
    }
}

/// The stages that are answered for, as far as the input says.
fn answered<'a>(protocol: &'a Protocol, analysis: &'a Analysis) -> impl Iterator<Item = &'a Stage> {
    let named = &analysis.stages;
    protocol.stages.iter().filter(move |stage| named.is_empty() || named.contains(&stage.name))
}

fn of_window(protocol: &Protocol, analysis: &Analysis) -> Option<String> {
    let window = analysis.window?;
    let steps = answered(protocol, analysis).map(Stage::steps).max()?;
    let longest = steps as f64 * protocol.dynamics.timestep;
    (window > longest).then(|| {
        "`window` of [analysis] is longer than any stage of the answer, so that each average would be over a whole stage: write a shorter one".to_string()
    })
}

/// Warns of deformations that lie beyond all ways of the base of a tip.
fn of_ranges(system: &System, protocol: &Protocol, analysis: &Analysis) -> Vec<String> {
    // A tip that goes on may have come deeper in the stages before.
    let stages = protocol.stages.iter();
    let with_tips = stages.flat_map(|stage| tips(stage).map(move |tip| (stage, tip)));
    let travel: f64 = with_tips
        .filter(|(_, tip)| tip.cantilever.path.speed > 0.0)
        .map(|(stage, tip)| TipDrag::of(system, &protocol.dynamics, stage, &tip.cantilever).travel)
        .sum();
    let ranges = [("slope", analysis.slope), ("hertz", analysis.hertz)];
    let ranges = ranges.into_iter().filter_map(|(key, range)| Some((key, range?.1)));
    let beyond = ranges.filter(|(_, end)| *end > travel);
    beyond
        .map(|(key, end)| {
            format!(
                "`{key}` of [analysis] ends at {}, which no deformation reaches: the base travels {} at most",
                in_words(system, Observable::Deformation, end),
                in_words(system, Observable::BaseTravel, travel)
            )
        })
        .collect()
}
