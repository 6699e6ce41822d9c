//! `exchange.csv`: how often replicas at neighbouring temperatures were exchanged.

use std::fmt::Write as _;
use std::ops::Range;

use beadwork_engine::{CheckpointSet, Plan};
use beadwork_io::{RunFolder, atomic};
use beadwork_model::Units;

use crate::Error;

/// Writes a line for each rung of each ladder. It has the temperature; since temperatures were last placed, the
/// attempted and accepted exchanges with the next rung and the replicas that came from the lowest and the highest rung;
/// the round trips of the replica that began there; and the rule of the last placement. Lines of a ladder without a
/// checkpoint stay. Writes nothing if no ladder has a checkpoint.
pub(crate) fn write(folder: &RunFolder, plan: &Plan) -> Result<(), Error> {
    let ladders = plan.ladders();
    let Some(first) = ladders.first() else { return Ok(()) };
    let system = &plan.members[first.start].system;
    let column = match system.units {
        Units::Real => "temperature_K",
        Units::Reduced => "temperature",
    };
    let tuned = |members: &Range<usize>| {
        let exchange = plan.members[members.start].exchange.as_ref();
        exchange.is_some_and(|exchange| !exchange.tunings.is_empty())
    };
    let is_placed = ladders.iter().any(tuned);
    let mut text =
        format!("first_replica,rung,{column},attempted,accepted,upward,downward,round_trips");
    text.push_str(if is_placed { ",placed_by\n" } else { "\n" });
    let path = folder.root().join("exchange.csv");
    let earlier = beadwork_files::read_text(&path, beadwork_files::ANY_LENGTH).unwrap_or_default();
    let mut has_checkpoint = false;
    for members in ladders {
        let set = CheckpointSet::read(folder, plan, &members)?;
        let Some(state) = set.ladder else {
            let beginning = format!("{},", plan.members[members.start].replica);
            for line in earlier.lines().filter(|line| line.starts_with(&beginning)) {
                let _ = writeln!(text, "{line}");
            }
            continue;
        };
        has_checkpoint = true;
        let record = &state.record;
        let or_empty = |count: Option<&u64>| count.map(u64::to_string).unwrap_or_default();
        for (rung, temperature) in state.temperatures.iter().enumerate() {
            let _ = write!(
                text,
                "{},{rung},{},{},{},{},{},{}",
                plan.members[members.start].replica,
                temperature / system.temperature_unit(),
                or_empty(record.attempted.get(rung)),
                or_empty(record.accepted.get(rung)),
                record.upward[rung],
                record.downward[rung],
                record.round_trips[rung]
            );
            if is_placed {
                let by = state.placed_by.map_or("", |placed_by| placed_by.name());
                let _ = write!(text, ",{by}");
            }
            text.push('\n');
        }
    }
    if has_checkpoint {
        atomic::write(&path, text.as_bytes())?;
    }
    Ok(())
}
