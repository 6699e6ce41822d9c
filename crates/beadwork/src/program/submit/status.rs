//! `beadwork submit --status`: how far the parts are.

use std::fmt::Write as _;
use std::path::Path;

use beadwork::BAD_INPUT;
use beadwork::input::Request;
use beadwork::io::RunFolder;
use beadwork::members_list::Listed;
use beadwork::part::{Part, View};
use beadwork::session::Session;

use super::super::failure::{Failure, UNPHYSICAL};
use super::super::output::say;
use super::inputs::Inputs;
use super::queue::Queue;
use super::{ANSWER, JOBS, JOIN, PART, PARTS, RESOLVED, SUBMIT, shell_path};

/// The exit code if replicas have steps left, as of a run that was stopped by its time limit.
const UNFINISHED: u8 = 5;

/// The join takes all folders `part-*`, so a damaged one must not stay beside them under such a name.
const DAMAGED: &str = "before you submit again: mend what is said of parts that cannot go on, or move their folders elsewhere, and they begin anew\n";

/// Prints a line for each part.
pub(super) fn say_status(folder: &Path) -> Result<u8, Failure> {
    let (request, parts) = parts_of(folder)?;
    let jobs = Jobs::read(folder)?;
    // The queue is asked first: what has left it by now writes nothing more into its folder.
    let queue = jobs.ask();
    let (mut text, mut code, mut damage) = (String::new(), 0, None);
    let (mut is_left, mut gone, mut inputs) = (false, None, Inputs::default());
    for (number, part) in parts.iter().enumerate() {
        let place = folder.join(format!("part-{number}"));
        let counts = match Counts::is_begun(&place) {
            true => Counts::read(&place, part, |resolved| inputs.add(number, resolved)),
            false => {
                inputs.add(number, &request.resolved);
                Ok(Counts { not_begun: part.members() as usize, ..Counts::default() })
            }
        };
        let is_over = counts.as_ref().is_ok_and(|counts| counts.code() != UNFINISHED);
        let state = queue.parts.get(&number);
        let job = match state {
            Some(state) => format!("; job: {state}"),
            None if queue.is_known && !is_over => "; in no queue".to_string(),
            None => String::new(),
        };
        let is_waiting = state.is_none_or(|state| state.starts_with("pending"));
        let busy = match is_waiting && RunFolder::at_path(&place).is_busy() {
            true => "; another process works in it",
            false => "",
        };
        is_left |= !is_over;
        if state.is_none() && !is_over && counts.is_ok() {
            gone.get_or_insert(number);
        }
        let mut reason = String::new();
        let found = match counts {
            Ok(counts) => {
                code = code.max(counts.code());
                counts.in_words()
            }
            Err(failure) => {
                damage.get_or_insert(failure.exit_code());
                reason = format!("  {failure}\n");
                "cannot go on".to_string()
            }
        };
        let (start, end) = (part.range().start, part.range().end);
        let _ =
            write!(text, "part-{number}: replicas {start}..{end}: {found}{job}{busy}\n{reason}");
    }
    let differing = inputs.in_words();
    if !differing.is_empty() {
        code = BAD_INPUT;
    }
    text.push_str(&differing);
    text.push_str(&jobs.in_words(&queue, folder, parts.len(), is_left, differing.is_empty(), gone));
    if damage.is_some() {
        text.push_str(DAMAGED);
    }
    say(&text)?;
    Ok(damage.unwrap_or(code))
}

/// The input, and the parts, whose list must have each of its replicas once.
pub(super) fn parts_of(folder: &Path) -> Result<(Request, Vec<Part>), Failure> {
    let list = folder.join(PARTS);
    let text = std::fs::read_to_string(&list).map_err(|error| {
        Failure::input(format!(
            "{} is no folder of jobs ({PARTS}: {error}): name the one that `beadwork submit` wrote",
            folder.display()
        ))
    })?;
    let request = beadwork::input::load_begun(&folder.join(RESOLVED), &[])?;
    let mut parts: Vec<Part> = Vec::new();
    let mut next = 0;
    for line in text.lines() {
        let part = Part::parse(line, &request)
            .map_err(|error| Failure::input(format!("{}: {error}", list.display())))?;
        if part.range().start != next {
            break;
        }
        next = part.range().end;
        parts.push(part);
    }
    match next == request.members() {
        true => Ok((request, parts)),
        false => Err(Failure::input(format!(
            "{} must have the {} replicas of {RESOLVED} one after another, and from {next} on it does not: write the jobs anew into another folder",
            list.display(),
            request.members()
        ))),
    }
}

/// What `jobs.txt` says.
#[derive(Debug, PartialEq, Eq)]
enum Jobs {
    NotSubmitted,
    /// The numbers of the jobs of the parts and of the join.
    Submitted(String, String),
    /// The numbers are not there yet.
    HalfSubmitted,
}

impl Jobs {
    fn read(folder: &Path) -> Result<Jobs, Failure> {
        let path = folder.join(JOBS);
        let text = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Jobs::NotSubmitted);
            }
            read => read.map_err(|error| {
                Failure::machine(format!("{} cannot be read: {error}", path.display()))
            })?,
        };
        let is_number = |line: &&str| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit());
        let numbers: Vec<&str> = text.lines().take_while(is_number).collect();
        match numbers[..] {
            [parts, join, ..] => Ok(Jobs::Submitted(parts.to_string(), join.to_string())),
            _ => Ok(Jobs::HalfSubmitted),
        }
    }

    fn ask(&self) -> Queue {
        match self {
            Jobs::Submitted(parts, join) => Queue::ask(parts, join),
            _ => Queue::default(),
        }
    }

    /// How far the jobs are beside their parts, and what to do next; `gone` is a part with steps left and without a job. Parts that
    /// are not `alike` cannot be joined.
    fn in_words(
        &self,
        queue: &Queue,
        folder: &Path,
        parts: usize,
        is_left: bool,
        alike: bool,
        gone: Option<usize>,
    ) -> String {
        let (jobs, submit) = (shell_path(&folder.join(JOBS)), shell_path(&folder.join(SUBMIT)));
        match self {
            Jobs::NotSubmitted => without_jobs(folder, parts, is_left, alike),
            Jobs::HalfSubmitted => format!(
                "{JOBS} has no numbers of two jobs: they are being submitted, or that was stopped or has failed. Unless it goes on, cancel those of these jobs that squeue --me shows (--job-name in {PART} and {JOIN}), then: rm {jobs} && bash {submit}\n"
            ),
            // The join itself asks, at its end.
            Jobs::Submitted(_, join)
                if std::env::var("SLURM_JOB_ID").is_ok_and(|own| own == *join) =>
            {
                String::new()
            }
            Jobs::Submitted(job, _) => {
                let answer = Answer::of(folder, parts);
                let mut text = match &queue.join {
                    Some(state) => format!("join: job: {state}\n"),
                    None => format!("join: {}\n", answer.in_words(queue.is_known, is_left)),
                };
                let is_empty = queue.is_known && queue.join.is_none() && queue.parts.is_empty();
                if is_empty && is_left {
                    let _ = writeln!(text, "to submit what is left: rm {jobs} && bash {submit}");
                } else if is_empty && alike && answer != Answer::Whole {
                    let _ = writeln!(text, "to join all parts: {}", way_to_join(folder));
                }
                if let (Some(number), false) = (gone, queue.parts.is_empty()) {
                    let _ = writeln!(
                        text,
                        "to queue part-{number} again while others run: scontrol requeue {job}_{number}; Slurm knows a job for some minutes after its end"
                    );
                }
                text
            }
        }
    }
}

/// What to do if no jobs are noted: to submit them, unless no part has steps left.
fn without_jobs(folder: &Path, parts: usize, is_left: bool, alike: bool) -> String {
    let answer = Answer::of(folder, parts);
    if is_left {
        let of_answer = match answer {
            Answer::Missing => String::new(),
            _ => format!("join: {}\n", answer.in_words(false, is_left)),
        };
        return format!("{of_answer}not submitted: bash {}\n", shell_path(&folder.join(SUBMIT)));
    }
    match answer {
        _ if !alike => "no part has steps left\n".to_string(),
        Answer::Whole => format!("no part has steps left; {ANSWER}/ is the answer of all\n"),
        _ => format!("no part has steps left; to join them: {}\n", way_to_join(folder)),
    }
}

/// The command that joins all parts.
fn way_to_join(folder: &Path) -> String {
    format!("(cd {} && bash {JOIN})", shell_path(folder))
}

/// What the join has written.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Missing,
    /// A part was changed afterwards.
    Old(usize),
    Whole,
}

impl Answer {
    fn of(folder: &Path, parts: usize) -> Answer {
        let changed = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
        let Some(answer) = changed(&folder.join(ANSWER).join("summary.txt")) else {
            return Answer::Missing;
        };
        // The record of a part changes when a process begins to step it or makes it longer; the folder of its checkpoints with each
        // of them, as they are renamed into it.
        let is_later = |number: &usize| {
            let part = folder.join(format!("part-{number}"));
            let changes = ["run.json", "checkpoints"].map(|name| changed(&part.join(name)));
            changes.into_iter().flatten().any(|change| change > answer)
        };
        (0..parts).find(is_later).map_or(Answer::Whole, Answer::Old)
    }

    /// In words; `is_left` if parts have steps left.
    fn in_words(&self, is_queue_known: bool, is_left: bool) -> String {
        match self {
            Answer::Missing if is_queue_known => {
                "is in no queue and has written no answer".to_string()
            }
            Answer::Missing => "has written no answer".to_string(),
            Answer::Old(number) => {
                format!("has written {ANSWER}/ before part-{number} was changed")
            }
            Answer::Whole if is_left => {
                format!("has written {ANSWER}/, which lacks the steps that are left")
            }
            Answer::Whole => format!("has written {ANSWER}/"),
        }
    }
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
    /// Whether a part has begun.
    fn is_begun(folder: &Path) -> bool {
        Session::exists(folder) || has_results(folder)
    }

    /// Counts the replicas of a part that has begun, and tells `add` its input.
    fn read(folder: &Path, part: &Part, add: impl FnOnce(&str)) -> Result<Counts, Failure> {
        let mut counts = Counts::default();
        let view = View::open(folder)?;
        add(&view.request.resolved);
        view.refuse_lost()?;
        let found = Part::of(&view.folders[0], &view.request)?;
        if found != *part {
            let range = found.range();
            return Err(Failure::input(format!(
                "it holds the replicas {}..{}, which are not those of {PARTS}",
                range.start, range.end
            )));
        }
        for status in view.listed()? {
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

/// Whether members of a folder have begun.
fn has_results(folder: &Path) -> bool {
    let has_files = |name: &str| {
        std::fs::read_dir(folder.join(name)).is_ok_and(|mut entries| entries.next().is_some())
    };
    has_files("tables") || has_files("checkpoints")
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn numbers_of_jobs_are_read_or_missed() {
        let folder = tempfile::tempdir().unwrap();
        let read = || Jobs::read(folder.path()).unwrap();
        assert_eq!(read(), Jobs::NotSubmitted);
        for (text, is_whole) in [("", false), ("7\n", false), ("7\n\n", false), ("7\n8\n", true)] {
            std::fs::write(folder.path().join(JOBS), text).unwrap();
            let whole = Jobs::Submitted("7".to_string(), "8".to_string());
            assert_eq!(read(), if is_whole { whole } else { Jobs::HalfSubmitted }, "{text:?}");
        }
    }
}
