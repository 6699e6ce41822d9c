//! `beadwork check` of chains that are sampled, and of ladders.

use std::fmt::Write as _;

use crate::input::{Point, Request};
use crate::model::force_fields::elastic_polymer::ElasticPolymer;
use crate::model::{Exchange, Placement, StageKind, Tuning, Units};
use serde_json::{Value, json};

use super::tips;
use crate::analysis::numbers::{grouped, significant};
use crate::times::time_in;

/// The most temperatures that a line prints.
const SHOWN: usize = 32;

/// The plural name of a point's steps.
pub fn steps_of(point: &Point) -> &'static str {
    if point.system.is_sampled() { "sweeps" } else { "steps" }
}

/// A number of steps, as a time or as sweeps.
pub fn counted(point: &Point, steps: u64) -> String {
    if point.system.is_sampled() {
        format!("{} sweep{}", grouped(steps), if steps == 1 { "" } else { "s" })
    } else {
        time_in(point.system.units, steps as f64 * point.protocol.dynamics.timestep)
    }
}

/// A chain and how it is sampled.
pub fn describe(text: &mut String, point: &Point, polymer: &ElasticPolymer) {
    let ElasticPolymer { monomers, pairs, bonds } = polymer;
    let _ = writeln!(
        text,
        "System       elastic polymer of {} monomers: depth {}, diameter {}, cutoff {}; bonds of {} +/- {}, stiffness {} (reduced units)",
        grouped(*monomers as u64),
        significant(pairs.depth),
        significant(pairs.diameter),
        significant(pairs.cutoff),
        significant(bonds.length),
        significant(bonds.limit),
        significant(bonds.stiffness)
    );
    let dynamics = &point.protocol.dynamics;
    let first = point.protocol.stages.first().map(|stage| stage.kind);
    let displacement = match first {
        Some(StageKind::Sample { displacement: Some(displacement), .. }) => displacement,
        _ => 0.0,
    };
    let temperature = match point.exchange {
        Some(_) => String::new(),
        None => format!(", at temperature {}", significant(dynamics.temperature)),
    };
    let _ = writeln!(
        text,
        "Sampling     moves of up to {} along each axis{temperature}, {} precision",
        significant(displacement),
        dynamics.precision.name()
    );
}

/// The ladder of a point, if it has one.
pub fn describe_exchange(text: &mut String, point: &Point) {
    let Some(exchange) = &point.exchange else { return };
    let rungs = rungs(point, exchange);
    let unit = point.system.units.of_temperature();
    let shown =
        |rungs: &[f64]| rungs.iter().map(|&rung| significant(rung)).collect::<Vec<_>>().join(", ");
    let listed = if rungs.len() > SHOWN {
        let (first, last) = (&rungs[..SHOWN / 2], &rungs[rungs.len() - 2..]);
        format!("{}, …, {}", shown(first), shown(last))
    } else {
        shown(&rungs)
    };
    let _ = writeln!(text, "Ladder       {} temperatures: {listed}{unit}", rungs.len());
    let stages = point.protocol.stages.iter();
    let stepped = stages.filter(|stage| !matches!(stage.kind, StageKind::Minimise { .. }));
    let steps: u64 = stepped.map(|stage| stage.steps()).sum();
    let _ = writeln!(
        text,
        "Exchange     every {}, {} attempts of each pair of neighbours",
        counted(point, exchange.every),
        grouped(exchange.attempts_of_each_pair(0..steps))
    );
}

/// The temperatures of a ladder in kelvins, or in the reduced units of chains.
fn rungs(point: &Point, exchange: &Exchange) -> Vec<f64> {
    let unit = point.system.temperature_unit();
    exchange.temperatures.iter().map(|rung| rung / unit).collect()
}

/// `1 point(s) x 8 ladder(s) of 16 replicas`.
pub fn describe_ensemble(request: &Request) -> String {
    let points = request.points.len();
    let replicas = request.replicas;
    match &request.points[0].exchange {
        None => format!("{points} point(s) x {replicas} replica(s)"),
        Some(exchange) => {
            let rungs = exchange.temperatures.len() as u64;
            format!("{points} point(s) x {} ladder(s) of {rungs} replicas", replicas / rungs)
        }
    }
}

/// The ladders of a request, if it has them.
pub fn exchange_as_json(request: &Request) -> Value {
    let point = &request.points[0];
    let Some(exchange) = &point.exchange else { return Value::Null };
    let ladders = request.replicas / exchange.temperatures.len() as u64;
    let rungs = rungs(point, exchange);
    if point.system.is_sampled() {
        json!({ "temperatures": rungs, "every_sweeps": exchange.every, "ladders": ladders })
    } else if point.system.units == Units::Reduced {
        json!({ "temperatures": rungs, "every_steps": exchange.every, "ladders": ladders })
    } else {
        json!({ "temperatures_K": rungs, "every_steps": exchange.every, "ladders": ladders })
    }
}

/// The stages of a point.
pub fn stages_as_json(point: &Point) -> Vec<Value> {
    let stages = point.protocol.stages.iter().enumerate();
    stages
        .map(|(number, stage)| {
            let mut json = match stage.kind {
                StageKind::Sample { sweeps, tune_every, .. } => {
                    json!({ "name": stage.name, "sweeps": sweeps, "tune_every_sweeps": tune_every })
                }
                _ => {
                    let time = match point.system.units {
                        Units::Real => "time_ps",
                        Units::Reduced => "time",
                    };
                    json!({
                        "name": stage.name, "steps": stage.steps(),
                        time: stage.steps() as f64 * point.protocol.dynamics.timestep,
                    })
                }
            };
            if let Some(tuning) = tuning(point, number) {
                json["tune_temperatures"] = tuning.by.name().into();
            }
            if let Some(tip) = tips::as_json(point, stage) {
                json["tip"] = tip;
            }
            json
        })
        .collect()
}

/// How the stage of this number places temperatures anew, if it does.
fn tuning(point: &Point, stage: usize) -> Option<&Tuning> {
    point.exchange.as_ref()?.tunings.iter().find(|tuning| tuning.stage == stage)
}

/// The same in words, as the end of a sentence about the stage.
pub fn describe_tuning(point: &Point, stage: usize) -> String {
    let Some(tuning) = tuning(point, stage) else { return String::new() };
    let attempts = tuning.placements().map(|attempt| grouped(attempt - tuning.first));
    let [most @ .., last] = &attempts;
    let by = match tuning.by {
        Placement::Acceptance => "by what was accepted",
        Placement::RoundTrips => "for round trips",
    };
    format!("; temperatures placed {by} after {} and {last} exchanges", most.join(", "))
}
