//! `beadwork submit --status`: how far the parts are.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use beadwork::members_list::Listed;
use beadwork::part::View;
use beadwork::session::Session;

use super::super::failure::{Failure, UNPHYSICAL};
use super::super::output::{remark, say};
use super::{JOBS, PARTS};

/// The exit code if replicas have steps left, as of a run that was stopped by its time limit.
const UNFINISHED: u8 = 5;

/// Prints a line for each part.
pub(super) fn say_status(folder: &Path) -> Result<u8, Failure> {
    let list = folder.join(PARTS);
    let ranges = std::fs::read_to_string(&list).map_err(|error| {
        Failure::input(format!(
            "{} is no folder of jobs ({error}): name the one that `beadwork submit` wrote",
            folder.display()
        ))
    })?;
    let jobs = jobs_of(folder);
    let queue = jobs.as_ref().map(|(parts, join)| Queue::ask(parts, join)).unwrap_or_default();
    let (mut text, mut code) = (String::new(), 0);
    for (number, range) in ranges.lines().enumerate() {
        let counts = Counts::read(&folder.join(format!("part-{number}")), range)?;
        code = code.max(counts.code());
        let state =
            queue.parts.get(&number).map(|state| format!("; job: {state}")).unwrap_or_default();
        let _ = writeln!(text, "part-{number}: replicas {range}: {}{state}", counts.in_words());
    }
    if jobs.is_some() {
        let _ = writeln!(text, "join: {}", queue.of_join(folder));
    } else {
        text.push_str("not submitted: bash submit.sh\n");
    }
    say(&text)?;
    Ok(code)
}

/// The numbers of the jobs of the parts and of the join.
fn jobs_of(folder: &Path) -> Option<(String, String)> {
    let text = std::fs::read_to_string(folder.join(JOBS)).ok()?;
    let mut lines = text.lines().map(str::to_owned);
    Some((lines.next()?, lines.next()?))
}

/// How many replicas of a part are how far.
#[derive(Debug, Default)]
struct Counts {
    finished: usize,
    failed: usize,
    stopped: usize,
    not_begun: usize,
}

impl Counts {
    fn read(folder: &Path, range: &str) -> Result<Counts, Failure> {
        let mut counts = Counts::default();
        if !Session::exists(folder) {
            let ends = range.split_once("..");
            let ends = ends.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            let (first, end): (usize, usize) = ends.unwrap_or((0, 0));
            counts.not_begun = end.saturating_sub(first);
            return Ok(counts);
        }
        for status in View::open(folder)?.listed()? {
            *match status {
                Listed::Finished => &mut counts.finished,
                Listed::Failed => &mut counts.failed,
                Listed::Stopped => &mut counts.stopped,
                Listed::NotBegun => &mut counts.not_begun,
            } += 1;
        }
        Ok(counts)
    }

    fn code(&self) -> u8 {
        match (self.stopped + self.not_begun, self.failed) {
            (0, 0) => 0,
            (0, _) => UNPHYSICAL,
            _ => UNFINISHED,
        }
    }

    fn in_words(&self) -> String {
        let all = [
            (self.finished, "finished"),
            (self.failed, "failed"),
            (self.stopped, "with steps left"),
            (self.not_begun, "not begun"),
        ];
        let some = all.iter().filter(|(count, _)| *count > 0);
        some.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }
}

/// What the queue says of the jobs.
#[derive(Debug, Default)]
struct Queue {
    /// Whether it could be asked.
    is_known: bool,
    /// The states of the parts that it has, by their numbers.
    parts: BTreeMap<usize, String>,
    /// That of the join, if it has it.
    join: Option<String>,
}

impl Queue {
    /// Says if the queue cannot be asked.
    fn ask(parts: &str, join: &str) -> Queue {
        match squeue(parts).and_then(|parts| Ok((parts, squeue(join)?))) {
            Ok((parts, join)) => {
                Queue { is_known: true, parts: tasks(&parts), join: single(&join) }
            }
            Err(reason) => {
                remark(&format!("note: what the queue says is not known ({reason})"));
                Queue::default()
            }
        }
    }

    fn of_join(&self, folder: &Path) -> String {
        match (&self.join, folder.join("answer/summary.txt").exists()) {
            (Some(state), _) => format!("job: {state}"),
            (None, true) => "has written answer/".to_string(),
            (None, false) if self.is_known => {
                "is in no queue and has written no answer".to_string()
            }
            (None, false) => "has written no answer".to_string(),
        }
    }
}

/// The state of a job without tasks, from `N/A|PENDING|Dependency`.
fn single(lines: &str) -> Option<String> {
    lines.lines().find_map(|line| Some(state(line.split_once('|')?.1)))
}

fn squeue(job: &str) -> Result<String, String> {
    let job = format!("--jobs={job}");
    let asked = ["--noheader", "--array", &job, "--format=%K|%T|%r"];
    let output = Command::new("squeue").args(asked).output().map_err(|error| error.to_string())?;
    // A job that is long over is an error to squeue.
    match output.status.success()
        || String::from_utf8_lossy(&output.stderr).contains("Invalid job id")
    {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_string()),
    }
}

/// From `3|PENDING|BeginTime`.
fn tasks(lines: &str) -> BTreeMap<usize, String> {
    let task = |line: &str| {
        let (number, rest) = line.trim().split_once('|')?;
        Some((number.parse().ok()?, state(rest)))
    };
    lines.lines().filter_map(task).collect()
}

/// `pending (BeginTime)`, `running`.
fn state(text: &str) -> String {
    let (state, reason) = text.trim().split_once('|').unwrap_or((text.trim(), "None"));
    let state = state.to_ascii_lowercase();
    if reason == "None" { state } else { format!("{state} ({reason})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_tasks_are_read() {
        let found = tasks("0|RUNNING|None\n12|PENDING|BeginTime\n\nslurm_load_jobs error\n");
        let expected = [(0, "running".to_string()), (12, "pending (BeginTime)".to_string())];
        assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(single("N/A|PENDING|Dependency\n").as_deref(), Some("pending (Dependency)"));
        assert_eq!(single("\n"), None);
    }

    #[test]
    fn steps_that_are_left_outrank_failures() {
        let counts =
            |finished, failed, stopped, not_begun| Counts { finished, failed, stopped, not_begun };
        assert_eq!(counts(4, 0, 0, 0).code(), 0);
        assert_eq!(counts(3, 1, 0, 0).code(), 3);
        assert_eq!(counts(2, 1, 1, 0).code(), 5);
        assert_eq!(counts(0, 0, 0, 4).code(), 5);
        assert_eq!(counts(2, 1, 1, 0).in_words(), "2 finished, 1 failed, 1 with steps left");
    }
}
