//! What looks odd in the rows that the answer is made of.

use beadwork_model::drives::Drive;
use beadwork_model::{Model, Stage, StageKind, System};

use crate::section::underscored;
use crate::steps::Clock;

/// Rows at a temperature, in all ladders, without which nothing has an error: eight blocks of ten autocorrelation times,
/// which are a row at least.
const FEWEST_ROWS: u64 = 80;
/// Ladders that make an error by their differences, however few rows they have.
const ENOUGH_LADDERS: u64 = 8;

/// What the answer makes of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Peaks, or a comparison with a law, of rows wherever they are.
    AllRows,
    /// A mean over the last stage of each replica.
    LastStage,
    /// Averages over the last stage with errors of so many ladders, or chains at one temperature.
    Ladders(u64),
}

impl Answer {
    /// Of a run of so many replicas of each point, and so many temperatures where they are exchanged.
    pub fn of(system: &System, stages: &[Stage], replicas: u64, rungs: Option<u64>) -> Answer {
        let pulls = |drive: &Drive| matches!(drive, Drive::Spring(_));
        match system.model {
            Model::ElasticPolymer(_) => Answer::Ladders(replicas / rungs.unwrap_or(1)),
            Model::Oscillators(_) => Answer::AllRows,
            Model::Sop => match rungs {
                Some(rungs) => Answer::Ladders(replicas / rungs),
                None if stages.iter().flat_map(|stage| &stage.drives).any(pulls) => Answer::AllRows,
                None => Answer::LastStage,
            },
        }
    }
}

/// Whether rows from the start on are averaged over: of a single stage that takes its time. Whoever names a `start` may
/// have equilibrated it.
pub(crate) fn is_from_start(stages: &[Stage], start_is_given: bool) -> bool {
    !start_is_given && stages.iter().filter(|stage| takes_time(stage)).count() == 1
}

fn takes_time(stage: &Stage) -> bool {
    !matches!(stage.kind, StageKind::Minimise { .. })
}

/// What looks odd where there is a row after every `every` steps or sweeps.
pub(crate) fn warnings(
    stages: &[Stage],
    every: u64,
    clock: Clock<'_>,
    answer: Answer,
    start_is_given: bool,
) -> Vec<String> {
    let of_start = match answer {
        Answer::Ladders(_) => warning_of_start(stages, start_is_given),
        Answer::AllRows | Answer::LastStage => None,
    };
    of_start.into_iter().chain(warning_of_rows(stages, every, clock, answer)).collect()
}

/// The warning where a single stage is averaged over, equilibration included.
fn warning_of_start(stages: &[Stage], start_is_given: bool) -> Option<String> {
    let stage = stages.iter().rfind(|stage| takes_time(stage))?;
    let part = underscored((stage.steps() / 10).max(1));
    let (where_from, keys) = match stage.kind {
        // That its displacements are fitted is warned of, and mended by a second stage.
        StageKind::Sample { tune_every: Some(_), .. } => return None,
        StageKind::Sample { .. } => {
            ("where chains are straight", format!("sweeps = {part} and tune = true"))
        }
        _ => ("where all replicas have the structure that was read", format!("steps = {part}")),
    };
    is_from_start(stages, start_is_given).then(|| {
        format!(
            "the run has one stage to average over, \"{}\", so that rows from the start on, {where_from}, count: put a stage before it that is left out, [[stage]] with for example {keys}",
            stage.name
        )
    })
}

/// The warning where the last stage has no rows to average over, or too few for errors.
fn warning_of_rows(
    stages: &[Stage],
    every: u64,
    clock: Clock<'_>,
    answer: Answer,
) -> Option<String> {
    let (counted, key) = match clock {
        Clock::Steps(_) => ("steps", "every_steps"),
        Clock::Sweeps => ("sweeps", "every_sweeps"),
    };
    let place = stages.iter().rposition(takes_time)?;
    let (before, stage) = (&stages[..place], &stages[place]);
    let steps_before: u64 = before.iter().filter(|stage| takes_time(stage)).map(Stage::steps).sum();
    if steps_before + stage.steps() < every {
        return Some(
            "the table's interval is longer than the run: only the start will be in it".to_string(),
        );
    }
    let ladders = match answer {
        Answer::AllRows => return None,
        Answer::LastStage => ENOUGH_LADDERS,
        Answer::Ladders(ladders) => ladders,
    };
    // Rows count from the run's start, and minimisations and stop rules end when they do.
    let is_known = before.iter().all(|stage| takes_time(stage) && stage.stops.is_empty());
    let offset = if is_known { steps_before % every } else { 0 };
    let rows = (offset + stage.steps()) / every;
    let name = &stage.name;
    let of_all = stage.steps().saturating_mul(ladders);
    let more = |interval: u64| {
        let interval = underscored(interval.max(1));
        format!(
            "write rows more often, for example table = {{ {key} = {interval} }} in [output], or make the stage longer"
        )
    };
    if rows == 0 {
        let none = if is_known { "no row" } else { "perhaps no row" };
        return Some(format!(
            "stage \"{name}\", whose averages are the answer, has {} {counted} and the table a row every {}, so that {none} falls into it: {}",
            underscored(stage.steps()),
            underscored(every),
            more((of_all / FEWEST_ROWS).min(stage.steps()))
        ));
    }
    let rows = rows.saturating_mul(ladders);
    (ladders < ENOUGH_LADDERS && rows < FEWEST_ROWS).then(|| {
        let instead = match of_all / FEWEST_ROWS {
            0 => "make the stage longer".to_string(),
            interval => more(interval),
        };
        format!(
            "stage \"{name}\", whose averages are the answer, has {rows} row(s) at each temperature, and errors need at least {FEWEST_ROWS}, eight blocks of ten: {instead}"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(name: &str, sweeps: u64) -> Stage {
        let kind = StageKind::Sample { sweeps, displacement: None, tune_every: None };
        Stage { name: name.into(), kind, fixed: vec![], drives: vec![], stops: vec![] }
    }

    fn said(stages: &[Stage], every: u64, ladders: u64) -> String {
        let warning = warning_of_rows(stages, every, Clock::Sweeps, Answer::Ladders(ladders));
        warning.unwrap_or_default()
    }

    #[test]
    fn rows_are_counted_from_the_start_of_the_run() {
        // The 900 sweeps after the first 150 have the rows of 200, 300, … 1000.
        let stages = [stage("first", 150), stage("then", 900)];
        assert!(said(&stages, 100, 1).contains("has 9 row(s) at each temperature"));
        assert!(said(&stages, 100, 1).contains("for example table = { every_sweeps = 11 }"));
        assert!(said(&stages, 100, 7).contains("has 63 row(s) at each temperature"));
        assert_eq!((said(&stages, 100, 8), said(&stages, 11, 1)), (String::new(), String::new()));
        // The row of 1000 is in the second stage, and there is none of 2000.
        assert_eq!(said(&stages, 1000, 8), "");
        let stages = [stage("first", 1100), stage("then", 899)];
        assert_eq!(
            said(&stages, 1000, 8),
            "stage \"then\", whose averages are the answer, has 899 sweeps and the table a row every 1_000, so that no row falls into it: write rows more often, for example table = { every_sweeps = 89 } in [output], or make the stage longer"
        );
        assert!(said(&stages, 2000, 8).starts_with("the table's interval is longer than the run"));
        assert!(
            said(&[stage("then", 60)], 1, 1)
                .ends_with("eight blocks of ten: make the stage longer")
        );
    }

    #[test]
    fn peaks_are_looked_for_wherever_rows_are() {
        let stages = [stage("first", 1100), stage("then", 800)];
        assert_eq!(warning_of_rows(&stages, 1000, Clock::Sweeps, Answer::AllRows), None);
    }
}
