//! The scripts of jobs for Slurm.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use beadwork::io::words::shell_word;

use super::further::asks_for_devices;

/// A shorter limit leaves no time to write checkpoints: Slurm counts minutes.
pub(super) const SHORTEST_TIME: Duration = Duration::from_secs(120);

/// Arrays of more jobs are refused where Slurm has its default MaxArraySize, of 1001.
pub(super) const USUAL_ARRAY: usize = 1_001;

/// A job gets its signal so long before its end, or a tenth of its time if that is less.
const LONGEST_LEAD: Duration = Duration::from_secs(120);

/// What the scripts say.
#[derive(Debug)]
pub(super) struct Scripts<'a> {
    /// The name of the jobs, of letters as of [`job_name`].
    pub name: String,
    /// The program that they call.
    pub program: PathBuf,
    /// The number of parts.
    pub parts: usize,
    /// So many run at the same time; as many as the cluster lets without it.
    pub at_once: Option<u64>,
    /// Threads of each.
    pub threads: u16,
    /// The time limit of each, and of the join; that of the cluster without it.
    pub time: Option<Duration>,
    /// Where members are stepped.
    pub device: String,
    /// Further options.
    pub options: &'a [String],
}

/// Submits both scripts and notes the numbers of their jobs.
pub(super) const SUBMIT: &str = r#"#!/bin/bash
# Submits the parts, and the job that joins them when all have ended. Written by `beadwork submit`.
set -eu
CDPATH= cd -- "$(dirname -- "$0")"

# jobs.txt stays: sbatch may fail, as when its answer is late, although the jobs are in the queue.
give_up() {
    echo "$1: cancel those of these jobs that squeue --me shows (--job-name in part.sh and join.sh), then remove $PWD/jobs.txt" >&2
    exit 1
}

refuse_other_than_number() {
    case $1 in
    "" | *[!0-9]*) give_up "sbatch answered \"$1\" instead of the number of a job" ;;
    esac
}

# Parts that have finished have no steps left, and are not submitted again.
left=
count=0
finished=0
while read -r _; do
    if grep -qs '"ending": "finished"' "part-$count/run.json"; then
        finished=$((finished + 1))
    else
        left=$left,$count
    fi
    count=$((count + 1))
done < parts.txt
array=
if [ "$finished" -gt 0 ]; then
    if [ -z "$left" ] && ! [ -e jobs.txt ]; then
        echo "all parts have finished, and nothing is submitted; to join them: (cd $(printf %q "$PWD") && bash join.sh)"
        exit 0
    fi
    array=--array=${left#,}$(sed -n 's/^#SBATCH --array=[^%]*\(%[0-9]*\).*/\1/p' part.sh | tail -n 1)
fi

# Parts that run twice would want the same folders. Only one process can make this file.
if ! (set -o noclobber && : > jobs.txt) 2> /dev/null; then
    if [ -e jobs.txt ]; then
        echo "the jobs in $PWD were submitted before, or are being submitted: beadwork submit --status says how far they are; to submit them again, cancel them and remove jobs.txt" >&2
        exit 2
    fi
    echo "$PWD/jobs.txt cannot be written" >&2
    exit 1
fi
parts=$(sbatch --parsable ${array:+"$array"} part.sh) || give_up "sbatch failed for the parts, which may be queued all the same"
parts=${parts%%;*}
refuse_other_than_number "$parts"
echo "$parts" > jobs.txt
join=$(sbatch --parsable --dependency="afterany:$parts" join.sh) || {
    # Parts alone would leave no answer.
    scancel "$parts" && give_up "sbatch failed for the join, which may be queued all the same, and the parts, job $parts, were cancelled"
    give_up "sbatch failed for the join, and scancel for the parts, job $parts"
}
join=${join%%;*}
refuse_other_than_number "$join"
echo "$join" >> jobs.txt
echo "submitted: the parts as job $parts, the join as job $join"
if [ "$finished" -gt 0 ]; then
    echo "$finished of $count parts have finished and are left out"
fi
"#;

impl Scripts<'_> {
    /// The script of a part, which is a task of an array.
    pub fn part(&self) -> String {
        let mut text = self.head("A part of the replicas.", "");
        let at_once = self.at_once.map_or(String::new(), |most| format!("%{most}"));
        let _ = writeln!(text, "#SBATCH --array=0-{}{at_once}", self.parts.saturating_sub(1));
        let mut limit = String::new();
        if let Some(time) = self.time {
            // Both of the program's own accord and, should it be slow, by the signal.
            let stop = Duration::from_secs(time.saturating_sub(2 * lead(time)).as_secs());
            let stop = humantime::format_duration(stop).to_string().replace(' ', "");
            limit = format!(" --max-time {stop}");
        }
        let seconds = self.time.map_or(LONGEST_LEAD, lead).as_secs();
        let _ = write!(
            text,
            r#"#SBATCH --output=logs/part-%a.txt
# If its node fails, a part is queued again, goes on from its checkpoints, and adds to its log.
#SBATCH --requeue
#SBATCH --open-mode=append
# So many seconds before the time limit this script gets USR1.
#SBATCH --signal=B:USR1@{seconds}
{options}
part=${{SLURM_ARRAY_TASK_ID:?is not set: submit.sh submits this script as an array of jobs}}
job=${{SLURM_ARRAY_JOB_ID:-$SLURM_JOB_ID}}_$part
echo "$(date '+%F %T'): part $part begins or goes on, job $job on $HOSTNAME"
replicas=$(sed -n "$((part + 1))p" parts.txt)
if [ -z "$replicas" ]; then
    echo "part $part has no line in parts.txt of $PWD" >&2
    exit 2
fi

queue_again() {{
    echo "part $part $1: asking Slurm to queue it again"
    scontrol requeue "$SLURM_JOB_ID" ||
        echo "part $part is not queued again: when all jobs have ended, remove jobs.txt, then: bash submit.sh" >&2
}}

# A process may live on although Slurm takes its node for failed. While it works in the part, no other can.
if [ -e "part-$part/lock" ]; then
    flock --timeout 1 --conflict-exit-code 75 "part-$part/lock" true
    if [ $? -eq 75 ]; then
        queue_again "has another process at work (io/folder-busy)"
        exit 5
    fi
fi
{program} run resolved.toml --continue --replicas "$replicas" --output "part-$part" \
    --device {device} --threads {threads}{limit} --quiet --no-plots &
run=$!

# TERM lets the run write its checkpoints. It comes from scancel, and from a preemption, after which Slurm queues the job again.
limit_is_near=no
trap 'limit_is_near=yes; kill -TERM "$run"' USR1
trap 'kill -TERM "$run"' TERM
wait "$run"
code=$?
# A signal ends `wait` before the run.
while [ "$code" -gt 128 ] && kill -0 "$run" 2> /dev/null; do
    wait "$run"
    code=$?
done

# Exit code 5: the run reached its time limit. The part is queued again, to go on.
if [ "$code" -eq 5 ] || {{ [ "$limit_is_near" = yes ] && [ "$code" -gt 128 ]; }}; then
    queue_again "has steps left"
elif [ "$code" -eq 137 ]; then
    echo "part $part was killed (137): out of memory? Compare what it took: sacct --jobs=$job --format=State,MaxRSS,ReqMem" >&2
    echo "to queue it again as it was: scontrol requeue $job; with more memory: change part.sh, and submit again when all jobs have ended" >&2
fi
exit "$code"
"#,
            options = self.further(|_| true),
            program = shell_word(&self.program.to_string_lossy()),
            device = self.device,
            threads = self.threads,
        );
        text
    }

    /// The script of the job that joins the parts.
    pub fn join(&self) -> String {
        let mut text = self.head("Joins the parts when all have ended.", "-join");
        let _ = write!(
            text,
            r#"#SBATCH --output=logs/join.txt
#SBATCH --requeue
#SBATCH --open-mode=append
{options}
echo "$(date '+%F %T'): the join begins, job ${{SLURM_JOB_ID:-none}} on $HOSTNAME"
# The answer is of all rows that there are; notes name replicas that are missing or have steps left.
{program} plot part-* --one-run --output answer --threads {threads} || exit
{program} report part-* --output answer/report.html --threads {threads} || exit
# Exit code 5 if replicas have steps left, 3 if some have failed.
{program} submit . --status
"#,
            options = self.further(|option| !asks_for_devices(option)),
            program = shell_word(&self.program.to_string_lossy()),
            threads = self.threads,
        );
        text
    }

    fn head(&self, what: &str, ending: &str) -> String {
        let limit = match self.time {
            None => "# No --time: the limit is that of the partition.".to_string(),
            Some(time) => format!("#SBATCH --time={}", slurm_time(time)),
        };
        format!(
            "#!/bin/bash\n# {what} Written by `beadwork submit`: change what your cluster needs. submit.sh submits it.\n#SBATCH --job-name={}{ending}\n#SBATCH --cpus-per-task={}\n{limit}\n",
            self.name, self.threads
        )
    }

    fn further(&self, is_chosen: impl Fn(&str) -> bool) -> String {
        let chosen = self.options.iter().filter(|option| is_chosen(option));
        chosen.map(|option| format!("#SBATCH {option}\n")).collect()
    }
}

fn lead(time: Duration) -> Duration {
    LONGEST_LEAD.min(time / 10)
}

/// Days, hours, minutes and seconds, as `1-02:30:00`.
fn slurm_time(time: Duration) -> String {
    let seconds = time.as_secs();
    let (minutes, hours, days) = (seconds / 60 % 60, seconds / 3_600 % 24, seconds / 86_400);
    format!("{days}-{hours:02}:{minutes:02}:{:02}", seconds % 60)
}

/// The name of a folder as one of a job: letters, digits, and `.`, `_` and `-`.
pub(super) fn job_name(folder: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    folder.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_times_are_written_as_slurm_reads_them() {
        assert_eq!(slurm_time(Duration::from_secs(26 * 3_600 + 125)), "1-02:02:05");
        assert_eq!(job_name("run 1;\nls-é_2.x"), "run_1__ls-__2.x");
    }

    #[test]
    fn a_part_stops_before_its_limit_and_is_queued_again() {
        let options = ["--partition=long", "--gres=gpu:1", "-G 1"].map(str::to_string);
        let scripts = |time: Option<u64>| Scripts {
            name: "titin".into(),
            program: "/opt/beadwork".into(),
            parts: 32,
            at_once: time.map(|_| 8),
            threads: 4,
            time: time.map(Duration::from_secs),
            device: "cpu".into(),
            options: &options,
        };
        let text = scripts(Some(86_400)).part();
        for line in [
            "#SBATCH --job-name=titin\n",
            "#SBATCH --array=0-31%8\n",
            "#SBATCH --cpus-per-task=4\n",
            "#SBATCH --time=1-00:00:00\n",
            "#SBATCH --requeue\n#SBATCH --open-mode=append\n",
            "#SBATCH --signal=B:USR1@120\n",
            "#SBATCH --partition=long\n#SBATCH --gres=gpu:1\n#SBATCH -G 1\n",
            "--device cpu --threads 4 --max-time 23h56m --quiet --no-plots &\n",
            "{ [ \"$limit_is_near\" = yes ] && [ \"$code\" -gt 128 ]; }; then\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
        let short = scripts(Some(120)).part();
        assert!(short.contains("USR1@12\n") && short.contains("--max-time 1m36s "), "{short}");
        let unlimited = scripts(None).part();
        assert!(!unlimited.contains("SBATCH --time") && !unlimited.contains("--max-time "));
        assert!(unlimited.contains("USR1@120\n") && unlimited.contains("--array=0-31\n"));
        let join = scripts(None).join();
        assert!(join.contains("#SBATCH --job-name=titin-join\n"), "{join}");
        assert!(join.contains("#SBATCH --partition=long\n"), "{join}");
        assert!(!join.contains("gpu:1") && !join.contains("-G"), "{join}");
        let limited = scripts(Some(86_400)).join();
        assert!(limited.contains("#SBATCH --time=1-00:00:00\n"), "{limited}");
        for line in [
            "/opt/beadwork plot part-* --one-run --output answer --threads 4 || exit\n",
            "/opt/beadwork report part-* --output answer/report.html --threads 4 || exit\n",
        ] {
            assert!(join.contains(line), "{line}{join}");
        }
    }
}
