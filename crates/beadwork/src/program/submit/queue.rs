//! What the queue of the cluster says of jobs.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

use super::super::output::remark;

/// squeue repeats its question for minutes while the scheduler does not answer.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What the queue says of the jobs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Queue {
    /// Whether it could be asked.
    pub is_known: bool,
    /// The states of the parts that it has, by their numbers.
    pub parts: BTreeMap<usize, String>,
    /// The state of the join, if the queue has it.
    pub join: Option<String>,
}

impl Queue {
    /// Asks for the job of the parts and that of the join. Says if the queue cannot be asked.
    pub fn ask(parts: &str, join: &str) -> Queue {
        let mut squeue = Command::new("squeue");
        let jobs = format!("--jobs={parts},{join}");
        squeue.args(["--noheader", "--array", &jobs, "--format=%F|%K|%T|%r"]);
        match answer(&mut squeue, LONGEST_WAIT) {
            Ok(lines) => Queue::read(&lines, parts, join),
            Err(reason) => {
                remark(&format!("note: what the queue says is not known: squeue {reason}"));
                Queue::default()
            }
        }
    }

    /// From lines such as `71|3|PENDING|BeginTime` and, of a job without tasks, `72|N/A|PENDING|Dependency`.
    fn read(lines: &str, parts: &str, join: &str) -> Queue {
        let mut queue = Queue { is_known: true, ..Queue::default() };
        for line in lines.lines() {
            let mut fields = line.trim().splitn(3, '|');
            let (Some(job), Some(task), Some(rest)) = (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            match task.parse() {
                Ok(number) if job == parts => {
                    queue.parts.insert(number, state(rest));
                }
                Err(_) if job == join => queue.join = Some(state(rest)),
                _ => {}
            }
        }
        queue
    }
}

/// `pending (BeginTime)`, `running`.
fn state(text: &str) -> String {
    let (state, reason) = text.split_once('|').unwrap_or((text, "None"));
    let state = state.to_ascii_lowercase();
    if reason == "None" { state } else { format!("{state} ({reason})") }
}

/// What a command prints, or how it failed.
fn answer(command: &mut Command, limit: Duration) -> Result<String, String> {
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().map_err(|error| format!("cannot be started: {error}"))?;
    let (out, error) = (child.stdout.take(), child.stderr.take());
    let (sender, receiver) = mpsc::channel();
    let read = move || {
        let mut bytes = (Vec::new(), Vec::new());
        let _ = out.map(|mut out| out.read_to_end(&mut bytes.0));
        let _ = error.map(|mut error| error.read_to_end(&mut bytes.1));
        let _ = sender.send(bytes);
    };
    let said = match Builder::new().spawn(read) {
        Ok(_) => receiver
            .recv_timeout(limit)
            .map_err(|_| format!("gave no answer within {} s", limit.as_secs())),
        Err(error) => Err(format!("cannot be read: {error}")),
    };
    let (out, error) = said.inspect_err(|_| {
        let _ = child.kill();
    })?;
    let ended = child.wait().map_err(|error| error.to_string())?;
    let error = String::from_utf8_lossy(&error);
    // Jobs that are long over are an error to squeue.
    match ended.success() || error.contains("Invalid job id") {
        true => Ok(String::from_utf8_lossy(&out).into_owned()),
        false => Err(format!("failed ({ended}): {}", error.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_by_job_and_task() {
        let lines = "7|0|RUNNING|None\n7|12|PENDING|BeginTime\n\n8|N/A|PENDING|Dependency\n9|1|RUNNING|None\nnoise\n";
        let found = Queue::read(lines, "7", "8");
        let parts = [(0, "running".to_string()), (12, "pending (BeginTime)".to_string())];
        assert_eq!(found.parts.into_iter().collect::<Vec<_>>(), parts);
        assert_eq!(found.join.as_deref(), Some("pending (Dependency)"));
        assert_eq!(Queue::read("", "7", "8"), Queue { is_known: true, ..Queue::default() });
    }

    #[cfg(unix)]
    #[test]
    fn commands_answer_fail_or_hang() {
        let shell =
            |text: &str, limit: Duration| answer(Command::new("sh").args(["-c", text]), limit);
        let long = Duration::from_secs(3_600);
        assert_eq!(shell("echo 7", long).as_deref(), Ok("7\n"));
        assert_eq!(shell("echo Invalid job id specified >&2; exit 1", long).as_deref(), Ok(""));
        let refused = shell("echo no controller >&2; exit 1", long).unwrap_err();
        assert!(refused.contains("no controller"), "{refused}");
        let hung = shell("exec sleep 3600", Duration::ZERO).unwrap_err();
        assert!(hung.contains("no answer within"), "{hung}");
        let missing = answer(&mut Command::new("no/such/program"), long).unwrap_err();
        assert!(missing.contains("cannot be started"), "{missing}");
    }
}
