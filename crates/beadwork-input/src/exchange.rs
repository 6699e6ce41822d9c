//! `[exchange]`: the temperatures that the replicas of a ladder exchange.

use std::collections::BTreeSet;

use beadwork_model::externals::External;
use beadwork_model::units::Dimension;
use beadwork_model::{Exchange, Placement, Stage, Tuning, Units};

use crate::averaged::{steps_in_time, takes_time};
use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location, WRONG_TYPE};
use crate::numbers::{Bound, number_of, quantity_of};
use crate::section::Section;
use crate::steps::Clock;
use crate::words::underscored;

const RANGE_KEYS: [&str; 3] = ["from", "to", "count"];
/// All replicas wait for each other at exchanges, so the slowest replica sets the speed of a ladder.
const MOST_RUNGS: u64 = 4096;
/// With fewer attempts of each pair of neighbours in the last stage, replicas hardly move.
const FEWEST_ATTEMPTS_OF_PAIR: u64 = 20;
/// Attempts of a stage in whose first sixteenth each pair of neighbours makes ten.
const FEWEST_ATTEMPTS: u64 = 320;
/// The key of a stage that places the temperatures anew.
pub(crate) const TUNE_TEMPERATURES: &str = "tune_temperatures";
const EXAMPLE: &str = "{ from = 0.15, to = 1.5, count = 16 }";
const EXAMPLE_WITH_UNITS: &str = "{ from = \"280 K\", to = \"420 K\", count = 16 }";

#[derive(Debug)]
pub(crate) struct Ladders {
    pub exchange: Exchange,
    /// Independent repetitions.
    pub ladders: u64,
    /// The place of the section.
    pub place: Location,
}

impl Ladders {
    /// The number of replicas: one for each rung of each ladder.
    pub fn replicas(&self) -> u64 {
        self.ladders.saturating_mul(self.exchange.temperatures.len() as u64)
    }
}

/// Reads `[exchange]`. Temperatures have units if the run counts time, and none if it counts sweeps.
pub(crate) fn read(node: &Node, clock: Clock<'_>) -> Result<(Ladders, Table), Error> {
    let keys = [&["temperatures"], clock.keys(), &["ladders"]].concat();
    let mut section = Section::open(node, "[exchange]", &keys)?.in_units(clock.units());
    let temperatures = temperatures(&mut section, clock)?;
    let every = clock.interval(&mut section)?.value;
    let ladders = section.integer_or("ladders", 1, 1)?.value;
    let exchange = Exchange { temperatures, every, tunings: Vec::new() };
    Ok((Ladders { exchange, ladders, place: node.place.clone() }, section.resolved))
}

fn temperatures(section: &mut Section<'_>, clock: Clock<'_>) -> Result<Vec<f64>, Error> {
    let example = match clock.units() {
        Units::Real => EXAMPLE_WITH_UNITS,
        Units::Reduced => EXAMPLE,
    };
    let node =
        section.node("temperatures").ok_or_else(|| section.missing("temperatures", example))?;
    let (rungs, kept) = match &node.value {
        Value::List(list) => (listed(list, section, clock)?, node.value.clone()),
        Value::Table(_) => {
            let (rungs, resolved) = range(node, clock)?;
            (rungs, Value::Table(resolved))
        }
        _ => {
            let problem = format!(
                "must be a list of temperatures, or a table such as {example}, found {}",
                node.found()
            );
            return Err(section.fault(WRONG_TYPE, "temperatures", &problem));
        }
    };
    section.keep("temperatures", kept);
    Ok(rungs)
}

/// Reads a list of temperatures, which must ascend.
fn listed(list: &[Node], section: &Section<'_>, clock: Clock<'_>) -> Result<Vec<f64>, Error> {
    let name = "`temperatures` in [exchange]";
    if let Some(problem) = problem_of_count(list.len() as u64, clock) {
        let problem = format!("has {} temperature(s); {problem}", list.len());
        return Err(section.fault(BAD_VALUE, "temperatures", &problem));
    }
    let mut rungs: Vec<f64> = Vec::with_capacity(list.len());
    for (index, node) in list.iter().enumerate() {
        let rung = temperature(node, name, clock)?;
        if let Some(&below) = rungs.last()
            && rung <= below
        {
            let (before, this) = (list[index - 1].plain(), node.plain());
            let problem = if rung == below {
                format!("{name}: {this} comes after {before}, which is as high: leave one out")
            } else {
                format!("{name}: {this} comes after {before}: write them in ascending order")
            };
            return Err(node.place.error(BAD_VALUE, problem));
        }
        rungs.push(rung);
    }
    Ok(rungs)
}

/// `{ from = …, to = …, count = … }`, with the same ratio between all neighbours.
fn range(node: &Node, clock: Clock<'_>) -> Result<(Vec<f64>, Table), Error> {
    let name = "`temperatures` in [exchange]";
    let mut section = Section::open(node, name, &RANGE_KEYS)?;
    let mut end = |key: &str, example: [&str; 2]| -> Result<f64, Error> {
        let example = example[usize::from(clock.units() == Units::Real)];
        let node = section.node(key).ok_or_else(|| section.missing(key, example))?;
        let value = temperature(node, &format!("{name}, `{key}`"), clock)?;
        section.keep(key, node.value.clone());
        Ok(value)
    };
    let from = end("from", ["0.15", "\"280 K\""])?;
    let to = end("to", ["1.5", "\"420 K\""])?;
    let count = section.required_integer("count", 2, "16")?;
    if let Some(problem) = problem_of_count(count, clock) {
        return Err(section.fault(BAD_VALUE, "count", &format!("is {count}; {problem}")));
    }
    // If `--set` gave only one of the two, the error points at that one.
    let text = |key| section.node(key).map_or_else(String::new, Node::plain);
    let is_elsewhere = |key| section.node(key).is_some_and(|end| end.place.name != node.place.name);
    let from_is_elsewhere = is_elsewhere("from") && !is_elsewhere("to");
    let [key, other] = if from_is_elsewhere { ["from", "to"] } else { ["to", "from"] };
    let ends = format!("is {} and `{other}` is {}", text(key), text(other));
    if to <= from {
        let problem = format!("{ends}: `to` must be more than `from`, since rungs ascend");
        return Err(section.fault(BAD_VALUE, key, &problem));
    }
    let rungs = geometric(from, to, count as usize);
    if rungs.windows(2).any(|pair| pair[1] <= pair[0]) {
        let problem = format!(
            "{ends}, too near for {count} different temperatures: lower `count` or widen the range"
        );
        return Err(section.fault(BAD_VALUE, key, &problem));
    }
    Ok((rungs, section.resolved))
}

/// Describes what is wrong with this number of temperatures.
fn problem_of_count(count: u64, clock: Clock<'_>) -> Option<String> {
    if count > MOST_RUNGS {
        return Some(format!("a ladder has at most {MOST_RUNGS} temperatures: take fewer"));
    }
    let place = if let Clock::Sweeps = clock { "[sampling]" } else { "[dynamics]" };
    (count < 2).then(|| format!(
        "a replica exchanges its temperature with another one, so that at least 2 are needed; for a single one leave [exchange] out and write `temperature` in {place}"
    ))
}

/// One temperature as energy, k_B T.
fn temperature(node: &Node, name: &str, clock: Clock<'_>) -> Result<f64, Error> {
    match clock.units() {
        Units::Reduced => number_of(node, name, Bound::Positive),
        Units::Real => {
            quantity_of(node, name, Dimension::Temperature, Bound::Positive).map(|read| read.value)
        }
    }
}

/// `count` numbers from `from` to `to` with the same ratio between neighbours. The ratio is the largest whose power is not
/// beyond to/from, found by multiplications alone: a power of the platform would differ in its last bits from another's,
/// and the trajectories with it.
fn geometric(from: f64, to: f64, count: usize) -> Vec<f64> {
    let gaps = count - 1;
    let power = |ratio: f64| (0..gaps).fold(1.0, |product, _| product * ratio);
    // (1 + x)ⁿ ≥ 1 + n x.
    let (mut low, mut high) = (1.0, 1.0 + (to / from - 1.0) / gaps as f64);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if power(middle) <= to / from { low = middle } else { high = middle }
    }
    let mut rungs = Vec::with_capacity(count);
    let mut rung = from;
    for _ in 0..gaps {
        rungs.push(rung);
        rung *= low;
    }
    rungs.push(to);
    rungs
}

/// A stage that places the temperatures anew.
#[derive(Debug)]
pub(crate) struct PlacementAsked {
    /// The number of the stage, from 0.
    pub stage: usize,
    pub by: Placement,
    pub place: Location,
}

/// Reads the rule by which a stage places temperatures, if it does; `exchanges` says whether there is an `[exchange]`.
pub(crate) fn read_placement(
    section: &mut Section<'_>,
    stage: usize,
    exchanges: bool,
) -> Result<Option<PlacementAsked>, Error> {
    if !section.has(TUNE_TEMPERATURES) {
        return Ok(None);
    }
    if !exchanges {
        let because = "there is no [exchange], and so no ladder whose temperatures it could place: leave it out";
        section.exclude(&[TUNE_TEMPERATURES], because)?;
    }
    let by = section.named(TUNE_TEMPERATURES, Placement::ALL, Placement::name, None)?;
    Ok(Some(PlacementAsked { stage, by, place: section.key_place(TUNE_TEMPERATURES).clone() }))
}

/// The attempts after which the stages that asked for it place temperatures.
pub(crate) fn tunings(
    exchange: &Exchange,
    stages: &[Stage],
    asked: &[PlacementAsked],
) -> Result<Vec<Tuning>, Error> {
    let tuning = |one: &PlacementAsked| {
        let Stage { name, .. } = &stages[one.stage];
        let fault = |code, problem: &str| {
            let message = format!("stage \"{name}\": `{TUNE_TEMPERATURES}` {problem}");
            one.place.error(code, message)
        };
        if exchange.temperatures.len() < 3 {
            let problem = "has nothing to place: the lowest and the highest temperature stay, and [exchange] has none between them";
            return Err(fault(CONFLICT, problem));
        }
        if stages[one.stage + 1..].iter().all(|stage| steps_in_time(stage) == 0) {
            let problem = "is in the last stage, whose averages are the answer, and its temperatures would never be sampled at: add a stage without it";
            return Err(fault(CONFLICT, problem));
        }
        let (before, whole) = (&stages[..one.stage], &stages[..=one.stage]);
        let attempts =
            |stages: &[Stage]| stages.iter().map(steps_in_time).sum::<u64>() / exchange.every;
        let first = attempts(before);
        let attempts = attempts(whole) - first;
        if attempts < FEWEST_ATTEMPTS {
            let problem = format!(
                "needs at least {FEWEST_ATTEMPTS} exchanges, since temperatures are first placed after a sixteenth of them, and the stage has {attempts}: make it longer, or exchange more often"
            );
            return Err(fault(BAD_VALUE, &problem));
        }
        Ok(Tuning { stage: one.stage, by: one.by, first, attempts })
    };
    asked.iter().map(tuning).collect()
}

pub(crate) fn warning(exchange: &Exchange, stages: &[Stage], clock: Clock<'_>) -> Option<String> {
    let (every, counted) = (exchange.every, clock.counted());
    let steps = stages.iter().map(steps_in_time).sum();
    if every > steps {
        return Some(format!(
            "no temperatures are ever exchanged: [exchange] does so every {every} {counted}, and the run has {steps}"
        ));
    }
    let last = stages.iter().rfind(|stage| takes_time(stage))?;
    let attempts = exchange.attempts_of_each_pair(steps - last.steps()..steps);
    (attempts < FEWEST_ATTEMPTS_OF_PAIR).then(|| {
        format!(
            "[exchange] every {} {counted} makes {attempts} attempt(s) for each pair of neighbours in the last stage, \"{}\", of {}: too few to bring replicas up and down the ladder; exchange more often, or make the stage longer",
            underscored(every),
            last.name,
            underscored(last.steps())
        )
    })
}

/// The warning that the last stage holds beads which earlier stages moved. Each replica then holds them at other
/// positions, and the answer averages over different systems.
pub(crate) fn warning_of_held_beads(stages: &[Stage]) -> Option<String> {
    let place = stages.iter().rposition(takes_time)?;
    // Before the first stage with moves all replicas agree: a minimisation of one start has one result.
    let first = stages.iter().position(takes_time).filter(|&first| first < place)?;
    let (before, last) = (&stages[first..place], &stages[place]);
    let has_moved =
        |bead: &&usize| before.iter().any(|stage| stage.fixed.binary_search(bead).is_err());
    let restrained = last.externals.iter().filter_map(|external| match external {
        External::Restrain(restrain) => Some(&restrain.beads),
        _ => None,
    });
    let held: BTreeSet<usize> =
        last.fixed.iter().chain(restrained.flatten()).filter(has_moved).copied().collect();
    // A single held bead does not change the averages: the system can be shifted.
    (held.len() > 1).then(|| {
        format!(
            "stage \"{}\", whose averages are the answer, holds {} beads at the positions that each replica has as the stage begins; these differ between replicas, and averages mix them: hold these beads by `fixed` in all stages, or leave them free in this one",
            last.name,
            held.len()
        )
    })
}

/// Refuses drives that pull, because the energies that decide exchanges leave out their work, and others that move, with which
/// these energies would depend on time. Restraints and surfaces are included.
pub(crate) fn leave_unpulled(stages: &[Stage], nodes: &[Node]) -> Result<(), Error> {
    for (stage, node) in stages.iter().zip(nodes) {
        let odd = |one: &External| one.ends().is_some() || one.moves();
        let Some(index) = stage.externals.iter().position(odd) else { continue };
        let external = &stage.externals[index];
        let (what, because) = match external.ends() {
            Some(_) => ("drive that pulls", "since its work is not in"),
            None => (external.kind(), "since it moves, and with it"),
        };
        let problem = format!(
            "stage \"{}\", drive {} ({}): a {what} has no place beside [exchange], {because} the energy by which replicas are exchanged: leave one of them out; restraints and surfaces may stay",
            stage.name,
            index + 1,
            external.kind()
        );
        let drives = node.get("drives").and_then(Node::list).unwrap_or_default();
        let place = drives.get(index).map_or(&node.place, |drive| &drive.place);
        return Err(place.error(CONFLICT, problem));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn geometric_ladders_end_at_the_given_temperatures() {
        assert_eq!(geometric(1.0, 16.0, 5), [1.0, 2.0, 4.0, 8.0, 16.0]);
        assert_eq!(geometric(0.3, 0.7, 2), [0.3, 0.7]);
        for (from, to, count) in [(0.15, 1.5, 16), (0.55, 0.83, 200), (1e-3, 1e9, 4096)] {
            let rungs = geometric(from, to, count);
            assert_eq!((rungs[0], rungs[count - 1], rungs.len()), (from, to, count));
            let ratio: f64 = (to / from).powf(1.0 / (count - 1) as f64);
            for pair in rungs.windows(2) {
                assert!((pair[1] / pair[0] / ratio - 1.0).abs() < 1e-11, "{pair:?}");
            }
        }
    }
}
