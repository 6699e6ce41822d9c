//! How often neighbouring temperatures were exchanged, as `exchange.csv`.

use std::fmt::Write as _;
use std::ops::Range;

use beadwork_engine::{CheckpointSet, Plan};
use beadwork_io::{RunFolder, atomic};

use crate::Error;

/// Writes a line for each rung of each ladder: its temperature, and since it was placed there attempts to exchange with the next rung and how many were
/// accepted, replicas on it that came from the lowest rung and from the highest, and the round trips of the replica that
/// began on it; where stages place temperatures, also by what that was done last. Nothing in runs without ladders, or
/// where none has a checkpoint; of one without, the lines that are there stay.
pub(crate) fn write(folder: &RunFolder, plan: &Plan) -> Result<(), Error> {
    let ladders = plan.ladders();
    let Some(first) = ladders.first() else { return Ok(()) };
    let system = &plan.members[first.start].system;
    let column = if system.is_sampled() { "temperature" } else { "temperature_K" };
    let tuned = |members: &Range<usize>| {
        let exchange = plan.members[members.start].exchange.as_ref();
        exchange.is_some_and(|exchange| !exchange.tunings.is_empty())
    };
    let placed = ladders.iter().any(tuned);
    let mut text =
        format!("first_replica,rung,{column},attempted,accepted,upward,downward,round_trips");
    text.push_str(if placed { ",placed_by\n" } else { "\n" });
    let path = folder.root().join("exchange.csv");
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let mut is_anything_kept = false;
    for members in ladders {
        let kept = CheckpointSet::read(folder, plan, &members, &plan.fingerprint, None)?;
        let Some(state) = kept.ladder else {
            let beginning = format!("{},", plan.members[members.start].replica);
            for line in there.lines().filter(|line| line.starts_with(&beginning)) {
                let _ = writeln!(text, "{line}");
            }
            continue;
        };
        is_anything_kept = true;
        let record = &state.record;
        let or_nothing = |count: Option<&u64>| count.map(u64::to_string).unwrap_or_default();
        for (rung, temperature) in state.temperatures.iter().enumerate() {
            let _ = write!(
                text,
                "{},{rung},{},{},{},{},{},{}",
                plan.members[members.start].replica,
                temperature / system.temperature_unit(),
                or_nothing(record.attempted.get(rung)),
                or_nothing(record.accepted.get(rung)),
                record.upward[rung],
                record.downward[rung],
                record.round_trips[rung]
            );
            if placed {
                let by = state.placed_by.map_or("", |placed_by| placed_by.name());
                let _ = write!(text, ",{by}");
            }
            text.push('\n');
        }
    }
    if is_anything_kept {
        atomic::write(&path, text.as_bytes())?;
    }
    Ok(())
}
