//! Warnings about the rows from which the answer is computed.

use beadwork_model::externals::{External, Pulling};
use beadwork_model::{Exchange, Model, Stage, StageKind, System};

use crate::steps::Clock;
use crate::words::underscored;

/// Rows of a block. A block of the answer spans ten autocorrelation times, and nearly independent rows have an
/// autocorrelation time of half a row to one row.
const ROWS_OF_BLOCK: u64 = 10;
/// An error bar needs this many blocks at a temperature, or this many ladders, however few rows each has.
const FEWEST_BLOCKS: u64 = 8;
/// The shortest first stage that a warning advises.
const SHORTEST_BEFORE: u64 = 100;

/// How the answer uses the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Peaks, or a comparison with a law, of all rows.
    AllRows,
    /// A mean over the last stage of each replica.
    LastStage,
    /// Averages over the last stage of this many ladders together, or of this many chains at one temperature.
    Ladders(u64),
}

impl Answer {
    /// How the answer uses the rows of this many replicas of each point.
    pub fn of(
        system: &System,
        stages: &[Stage],
        replicas: u64,
        exchange: Option<&Exchange>,
    ) -> Answer {
        let has_peaks = |external: &External| {
            external.pulling() == Pulling::Spring || external.cantilever().is_some()
        };
        match (&system.model, exchange) {
            (Model::Oscillators(_), _) => Answer::AllRows,
            // Each ladder that places temperatures has temperatures of its own.
            (_, Some(exchange)) if !exchange.tunings.is_empty() => Answer::Ladders(1),
            (_, Some(exchange)) => Answer::Ladders(replicas / exchange.temperatures.len() as u64),
            (Model::ElasticPolymer(_), None) => Answer::Ladders(replicas),
            _ if stages.iter().flat_map(|stage| &stage.externals).any(has_peaks) => Answer::AllRows,
            _ => Answer::LastStage,
        }
    }
}

/// Whether averages include rows from the start of the run: only one stage has rows, and the input names no `start`,
/// which may be equilibrated.
pub(crate) fn is_from_start(stages: &[Stage], start_is_given: bool) -> bool {
    !start_is_given && stages.iter().filter(|stage| takes_time(stage)).count() == 1
}

/// Whether a stage has rows; a minimisation has none.
pub(crate) fn takes_time(stage: &Stage) -> bool {
    !matches!(stage.kind, StageKind::Minimise { .. })
}

/// Steps or sweeps of a stage; 0 for a minimisation.
pub(crate) fn steps_in_time(stage: &Stage) -> u64 {
    if takes_time(stage) { stage.steps() } else { 0 }
}

/// Warnings about a table with a row after every `every` steps or sweeps, and a trajectory with a frame after every
/// `frames_every`, if there is one.
pub(crate) fn warnings(
    stages: &[Stage],
    every: u64,
    frames_every: Option<u64>,
    clock: Clock<'_>,
    answer: Answer,
    start_is_given: bool,
) -> Vec<String> {
    let is_averaged = matches!(answer, Answer::Ladders(_));
    let of_start = warning_of_start(stages, start_is_given).filter(|_| is_averaged);
    let of_rows = warning_of_rows(stages, every, clock, answer);
    let of_frames = frames_every.and_then(|every| warning_of_frames(stages, every));
    [of_start, of_rows, of_frames].into_iter().flatten().collect()
}

/// The warning that no frame falls into the run behind its start.
fn warning_of_frames(stages: &[Stage], every: u64) -> Option<String> {
    let steps: u64 = stages.iter().map(steps_in_time).sum();
    (0 < steps && steps < every).then(|| {
        "the trajectory's interval is longer than the run: only the start will be in it".to_string()
    })
}

/// The warning that the answer averages over a single stage, equilibration included.
fn warning_of_start(stages: &[Stage], start_is_given: bool) -> Option<String> {
    let stage = stages.iter().rfind(|stage| takes_time(stage))?;
    let part = underscored((stage.steps() / 10).max(SHORTEST_BEFORE));
    let (where_from, keys) = match stage.kind {
        // Here another warning asks for a second stage, because displacements are fitted.
        StageKind::Sample { tune_every: Some(_), .. } => return None,
        StageKind::Sample { .. } => {
            ("where chains are straight", format!("sweeps = {part} and tune = true"))
        }
        _ => ("where all replicas have the structure that was read", format!("steps = {part}")),
    };
    is_from_start(stages, start_is_given).then(|| {
        format!(
            "the run has one stage to average over, \"{}\", so the averages include the start of the run, {where_from}: put a stage before it that is left out, [[stage]] with for example {keys}",
            stage.name
        )
    })
}

/// The warning that the last stage has no rows to average over, or too few for error bars.
fn warning_of_rows(
    stages: &[Stage],
    every: u64,
    clock: Clock<'_>,
    answer: Answer,
) -> Option<String> {
    let counted = clock.counted();
    let place = stages.iter().rposition(takes_time)?;
    let (before, stage) = (&stages[..place], &stages[place]);
    let steps_before: u64 = before.iter().map(steps_in_time).sum();
    if steps_before + stage.steps() < every {
        return Some(
            "the table's interval is longer than the run: only the start will be in it".to_string(),
        );
    }
    let ladders = match answer {
        Answer::AllRows => return None,
        Answer::LastStage => FEWEST_BLOCKS,
        Answer::Ladders(ladders) => ladders,
    };
    // Rows count from the run's start. After minimisations and stop rules the first step of a stage is unknown.
    let is_known = before.iter().all(|stage| takes_time(stage) && stage.stops.is_empty());
    let offset = if is_known { steps_before % every } else { 0 };
    let rows = (offset + stage.steps()) / every;
    let name = &stage.name;
    // Blocks are cut from the rows of each ladder separately; rows that do not fill a block are left out.
    let needed = ROWS_OF_BLOCK * FEWEST_BLOCKS.div_ceil(ladders.max(1));
    let many_ladders = ladders >= FEWEST_BLOCKS;
    let instead = match stage.steps() / needed {
        0 if !many_ladders => "make the stage longer".to_string(),
        interval => format!(
            "write rows more often, for example table = {{ every_{counted} = {} }} in [output], or make the stage longer",
            underscored(interval.max(1))
        ),
    };
    if rows == 0 {
        let none = if is_known { "no row" } else { "perhaps no row" };
        return Some(format!(
            "stage \"{name}\", whose averages are the answer, has {} {counted} and the table a row every {}, so that {none} falls into it: {instead}",
            underscored(stage.steps()),
            underscored(every),
        ));
    }
    let of_all = |rows: u64| match ladders {
        1 => rows.to_string(),
        _ => format!("{ladders} × {rows}"),
    };
    (!many_ladders && rows < needed).then(|| {
        format!(
            "stage \"{name}\", whose averages are the answer, has {} row(s) at each temperature, and errors usually need at least {}, for eight blocks of ten: {instead}",
            of_all(rows),
            of_all(needed)
        )
    })
}
