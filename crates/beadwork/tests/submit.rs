//! Jobs of a cluster: what is written, and that its scripts, run by a shell, leave the bytes of one run.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{LADDERS, PULL, Place, Said, assert_same, only, said};

const OF_MEMBERS: [&str; 4] = ["tables", "trajectories", "checkpoints", "final"];

/// Five replicas of a short run.
fn place() -> Place {
    let place = Place::with_input(&PULL.replace("replicas = 3", "replicas = 5"));
    // Programs of a cluster that note what they are asked.
    fs::create_dir(place.path("bin")).unwrap();
    for (name, script) in [
        ("sbatch", "echo \"$*\" >> asked.txt; grep -c . asked.txt"),
        ("scontrol", "echo \"$*\" >> asked.txt"),
        ("scancel", "echo \"cancel $*\" >> asked.txt"),
        ("squeue", "echo '1|1|PENDING|BeginTime'"),
    ] {
        let path = place.path(&format!("bin/{name}"));
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    place
}

/// A command in whose path these programs come first.
fn with_cluster<'a>(place: &Place, command: &'a mut Command) -> &'a mut Command {
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{}:{path}", place.path("bin").display()))
}

/// Runs a script of the jobs as the scheduler does: in its folder, with the number of a task. Returns its exit code.
fn script(place: &Place, name: &str, task: usize) -> i32 {
    script_of(place, name, Some(task)).code.unwrap()
}

/// What a script says, as a task or without a scheduler.
fn script_of(place: &Place, name: &str, task: Option<usize>) -> Said {
    let mut bash = Command::new("bash");
    bash.arg(name).current_dir(place.path("jobs")).env("CUDA_VISIBLE_DEVICES", "");
    bash.env_remove("SLURM_ARRAY_TASK_ID").env("SLURM_JOB_ID", "77");
    if let Some(task) = task {
        bash.env("SLURM_ARRAY_TASK_ID", task.to_string());
    }
    said(with_cluster(place, &mut bash))
}

/// `submit jobs --status` where the cluster has its programs.
fn status(place: &Place) -> Said {
    said(with_cluster(place, &mut place.command("submit jobs --status")))
}

fn replace_program(place: &Place, name: &str, script: &str) {
    place.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
}

#[test]
fn parts_by_the_scripts_are_joined_to_the_whole() {
    let place = place();
    place.beadwork("run input.toml -o whole --quiet --no-plots").expect(0);
    let said = place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    assert!(said.stdout.contains("2 part(s) in jobs"), "{}", said.stdout);
    assert_eq!(place.read("jobs/parts.txt"), "0..2\n2..5\n");
    assert_eq!(place.read("jobs/resolved.toml"), place.read("whole/resolved.toml"));
    place.beadwork("submit jobs --status").expect(5);

    // Without its number a script runs no part.
    for task in [None, Some(7)] {
        assert_ne!(script_of(&place, "part.sh", task).code, Some(0), "{task:?}");
    }
    assert!(!place.path("jobs/part-").exists() && !place.path("jobs/part-7").exists());

    // One part is stopped by its time limit, asks to be queued again, and goes on.
    let part = place.read("jobs/part.sh");
    place.write("jobs/limited.sh", &part.replace("--quiet", "--max-time 0s --quiet"));
    assert_eq!(script(&place, "limited.sh", 1), 5);
    assert_eq!(place.read("jobs/asked.txt"), "requeue 77\n");
    let said = place.beadwork("submit jobs --status").expect(5);
    assert!(said.stdout.contains("part-0: replicas 0..2: 2 not begun"), "{}", said.stdout);
    assert!(said.stdout.contains("part-1: replicas 2..5: 3 not begun"), "{}", said.stdout);
    assert_eq!(script(&place, "join.sh", 0), 5);
    for task in [1, 0] {
        assert_eq!(script(&place, "part.sh", task), 0);
    }
    assert_eq!(place.read("jobs/asked.txt"), "requeue 77\n");
    assert_eq!(script(&place, "join.sh", 0), 0);

    let whole = place.results("whole");
    let mut together = BTreeMap::new();
    for part in ["jobs/part-0", "jobs/part-1"] {
        together.extend(only(&place.results(part), &OF_MEMBERS));
    }
    assert_same(&only(&whole, &OF_MEMBERS), &together);
    assert_eq!(place.read("jobs/answer/summary.txt"), place.read("whole/summary.txt"));
}

/// Replicas of a ladder exchange their temperatures, so a part has whole ladders.
#[test]
fn no_part_cuts_a_ladder() {
    let place = Place::with_input(LADDERS);
    place.beadwork("submit input.toml --jobs 2 --output two").expect(0);
    assert_eq!(place.read("two/parts.txt"), "0..4\n4..12\n");
    let said = place.beadwork("submit input.toml --jobs 12 --output three").expect(0);
    said.complains(&["note: 3 part(s) are enough"]);
    assert_eq!(place.read("three/parts.txt"), "0..4\n4..8\n8..12\n");
}

#[test]
fn jobs_are_submitted_once_and_edited_scripts_are_kept() {
    let place = place();
    let asked = ["submit", "input.toml", "--jobs", "9", "--output", "jobs", "--time", "26h"];
    let options = ["--threads", "3", "--sbatch=--partition=long"];
    let said = place.beadwork_of(&[&asked[..], &options].concat()).expect(0);
    said.complains(&["note: 5 part(s) are enough"]);
    let part = place.read("jobs/part.sh");
    for line in ["--array=0-4", "--time=1-02:00:00", "--cpus-per-task=3", "--partition=long"] {
        assert!(part.contains(&format!("#SBATCH {line}\n")), "{line}: {part}");
    }
    let edited = format!("{part}# mine\n");
    place.write("jobs/part.sh", &edited);
    let mut go = place.command("submit input.toml --jobs 9 --output jobs --go");
    let output = with_cluster(&place, &mut go).output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(words.contains("the parts as job 1, the join as job 2"), "{words}");
    assert_eq!(place.read("jobs/part.sh"), edited);
    let submitted = place.read("jobs/asked.txt");
    assert_eq!(submitted, "--parsable part.sh\n--parsable --dependency=afterany:1 join.sh\n");
    let words = status(&place).expect(5).stdout;
    for line in [
        "part-0: replicas 0..1: 1 not begun; in no queue\n",
        "part-1: replicas 1..2: 1 not begun; job: pending (BeginTime)\n",
        "join: is in no queue and has written no answer\n",
        "to queue part-0 again while others run: scontrol requeue 1_0; ",
    ] {
        assert!(words.contains(line), "{line}{words}");
    }
    assert!(!words.contains("submit what is left"), "{words}");
    place
        .beadwork("submit input.toml --jobs 9 --output jobs --go")
        .expect(2)
        .complains(&["were submitted before"]);
    assert_eq!(script(&place, "submit.sh", 0), 2);
    assert_eq!(place.read("jobs/asked.txt"), submitted);

    for (arguments, reason) in [
        ("input.toml --jobs 3 --output jobs", "jobs holds jobs of other parts"),
        ("input.toml --jobs 9 --output jobs --set random.seed=7", "jobs of another input"),
        ("input.toml --jobs 3 --output new --time 90s", "--time must be 2m or more"),
        ("input.toml", "--jobs"),
        ("input.toml --jobs 0", "--jobs"),
        ("jobs --go", "jobs was written before: bash jobs/submit.sh"),
        ("jobs --jobs 9 --go", "jobs was written before: bash jobs/submit.sh"),
        ("bin --status", "bin is no folder of jobs"),
    ] {
        place.beadwork(&format!("submit {arguments}")).expect(2).complains(&[reason]);
    }
    assert!(!place.path("new").exists());
}

/// Scripts that are there keep their options, which must not pass for those that are given.
#[test]
fn scripts_without_the_options_that_are_given_are_named() {
    let place = place();
    let submit = |options: &str| {
        place.beadwork(&format!("submit input.toml --jobs 2 --output jobs {options}")).expect(0)
    };
    submit("--time 24h");
    assert!(!submit("--time 24h").stderr.contains("left as it is"));
    let lacks =
        "part.sh was written before and is left as it is, without \"#SBATCH --time=2-00:00:00\"";
    submit("--time 48h").complains(&[lacks, "jobs/join.sh was written before"]);
    place.write("jobs/part.sh", &format!("{}# mine\n", place.read("jobs/part.sh")));
    submit("--time 24h").complains(&["part.sh was changed and is left as it is"]);
    fs::remove_file(place.path("jobs/part.sh")).unwrap();
    submit("--time 48h");
    assert!(place.read("jobs/part.sh").contains("#SBATCH --time=2-00:00:00\n"));
    // Of an earlier version, which had another guard.
    let whole = place.read("jobs/submit.sh");
    place.write("jobs/submit.sh", &whole.replace("set -eu\n", ""));
    submit("--time 48h").complains(&["submit.sh was written before", "without \"set -eu\""]);
    fs::remove_file(place.path("jobs/submit.sh")).unwrap();
    submit("--time 48h");
    assert_eq!(place.read("jobs/submit.sh"), whole);
}

#[test]
fn what_clusters_refuse_is_said_before() {
    let place = Place::with_input(&PULL.replace("replicas = 3", "replicas = 1002"));
    let said = place.beadwork("submit input.toml --jobs 1002 --output jobs").expect(0);
    said.complains(&["refuse arrays of more than 1001 jobs", "MaxArraySize"]);
    let said = place.beadwork("submit input.toml --jobs 1001 --output fewer").expect(0);
    assert!(!said.stderr.contains("MaxArraySize"), "{}", said.stderr);
    let said = place.beadwork("submit input.toml --jobs 2 --device cuda --output gpus").expect(0);
    said.complains(&["no option asks for a GPU"]);
    let said = place.beadwork("submit input.toml --jobs 2 --device auto --output any").expect(2);
    said.complains(&["--device cpu or cuda"]);
}

#[test]
fn parts_that_leave_vector_lanes_empty_are_noted() {
    let place = Place::with_input(&PULL.replace("replicas = 3", "replicas = 64"));
    let said = place.beadwork("submit input.toml --jobs 64 --output many").expect(0);
    said.complains(&["replicas together in vector lanes, and parts of 1 with 1 thread(s)"]);
    for arguments in ["--jobs 1 --output one", "--jobs 64 --device cuda --output gpus"] {
        let said = place.beadwork(&format!("submit input.toml {arguments}")).expect(0);
        assert!(!said.stderr.contains("vector lanes"), "{arguments}: {}", said.stderr);
    }
}

#[test]
fn parts_that_have_finished_are_not_submitted_again() {
    let place = place();
    place.beadwork("submit input.toml --jobs 3 --at-once 2 --output jobs").expect(0);
    assert_eq!(script(&place, "part.sh", 1), 0);
    let said = script_of(&place, "submit.sh", None).expect(0);
    assert!(said.stdout.ends_with("1 of 3 parts have finished and are left out\n"), "{said:?}");
    let asked = "--parsable --array=0,2%2 part.sh\n--parsable --dependency=afterany:1 join.sh\n";
    assert_eq!(place.read("jobs/asked.txt"), asked);
    for task in [0, 2] {
        assert_eq!(script(&place, "part.sh", task), 0);
    }
    assert_eq!(script(&place, "submit.sh", 0), 2);
    fs::remove_file(place.path("jobs/jobs.txt")).unwrap();
    let said = script_of(&place, "submit.sh", None).expect(0);
    assert!(
        said.stdout.starts_with("all parts have finished, and nothing is submitted"),
        "{said:?}"
    );
    assert_eq!(place.read("jobs/asked.txt"), asked);
    assert!(!place.path("jobs/jobs.txt").exists());
}

/// Of several processes that submit at once, one does.
#[test]
fn jobs_are_queued_once_and_named_whatever_sbatch_answers() {
    let place = place();
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    let words = status(&place).expect(5).stdout;
    assert!(words.contains("not submitted: bash jobs/submit.sh\n"), "{words}");
    let together: Vec<_> = (0..4)
        .map(|_| {
            let mut go = place.command("submit input.toml --jobs 2 --output jobs --go");
            with_cluster(&place, &mut go)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut codes: Vec<_> =
        together.into_iter().map(|mut one| one.wait().unwrap().code().unwrap()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [0, 2, 2, 2]);
    assert_eq!(place.read("jobs/asked.txt").lines().count(), 2);
    assert_eq!(place.read("jobs/jobs.txt"), "1\n2\n");
    let words = place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0).stdout;
    assert!(words.contains("submitted before: beadwork submit jobs --status"), "{words}");

    fs::remove_file(place.path("jobs/jobs.txt")).unwrap();
    replace_program(&place, "sbatch", "exit 1");
    let failed = script_of(&place, "submit.sh", None).expect(1);
    failed.complains(&["may be queued all the same", "squeue --me", "then remove"]);
    // So they are not queued twice.
    assert_eq!(script(&place, "submit.sh", 0), 2);
    fs::remove_file(place.path("jobs/jobs.txt")).unwrap();
    replace_program(&place, "sbatch", "echo \"$*\" >> asked.txt; echo 7 and more");
    let refused = script_of(&place, "submit.sh", None).expect(1);
    refused.complains(&["instead of the number of a job"]);
    assert_eq!(script(&place, "submit.sh", 0), 2);
    let words = status(&place).expect(5).stdout;
    let advice = "cancel those of these jobs that squeue --me shows";
    assert!(words.contains("jobs.txt has no numbers of two jobs"), "{words}");
    assert!(words.contains(advice) && words.contains("rm jobs/jobs.txt && bash"), "{words}");
}

#[test]
fn a_status_says_what_cannot_go_on_and_what_is_left() {
    let place = place();
    place.beadwork("submit input.toml --jobs 4 --output jobs").expect(0);
    assert_eq!(place.read("jobs/parts.txt"), "0..1\n1..2\n2..3\n3..5\n");
    for task in 0..3 {
        assert_eq!(script(&place, "part.sh", task), 0);
    }
    let submit_again = "to submit what is left: rm jobs/jobs.txt && bash jobs/submit.sh\n";
    place.write("jobs/jobs.txt", "1\n2\n");
    replace_program(&place, "squeue", "echo Invalid job id specified >&2; exit 1");
    let words = status(&place).expect(5).stdout;
    assert!(words.contains("part-3: replicas 3..5: 2 not begun; in no queue\n"), "{words}");
    assert!(words.contains(submit_again), "{words}");

    // A part that Slurm does not queue again.
    replace_program(&place, "scontrol", "exit 1");
    let part = place.read("jobs/part.sh");
    place.write("jobs/limited.sh", &part.replace("--quiet", "--max-time 0s --quiet"));
    script_of(&place, "limited.sh", Some(3)).expect(5).complains(&["part 3 is not queued again"]);

    // Damage ends no list, and is no beginning.
    fs::remove_file(place.path("jobs/part-0/run.json")).unwrap();
    place.write("jobs/part-1/checkpoints/member-0001.ckpt", "short");
    fs::remove_file(place.path("jobs/part-2/checkpoints/member-0002.ckpt")).unwrap();
    replace_program(&place, "squeue", "echo no controller >&2; exit 1");
    let said = status(&place).expect(2);
    said.complains(&["what the queue says is not known", "no controller"]);
    for line in [
        "part-0: replicas 0..1: cannot go on\n  ",
        "part-1: replicas 1..2: cannot go on\n  ",
        "part-2: replicas 2..3: cannot go on\n  ",
        "part-3: replicas 3..5: 2 not begun\n",
        "join: has written no answer\n",
        "move their folders elsewhere",
    ] {
        assert!(said.stdout.contains(line), "{line}{}", said.stdout);
    }
    assert!(!said.stdout.contains(submit_again), "{}", said.stdout);

    for list in ["", "0..1\n", "0..1\n2..5\n", "0..1\n1..6\n", "mine\n"] {
        place.write("jobs/parts.txt", list);
        let said = status(&place).expect(2);
        assert_eq!(said.stdout, "", "{list:?}");
        said.complains(&["jobs/parts.txt"]);
    }
}

#[test]
fn an_answer_is_old_once_a_part_has_gone_on() {
    let place = place();
    place.beadwork("submit input.toml --jobs 1 --output jobs").expect(0);
    assert_eq!(script(&place, "part.sh", 0), 0);
    let words = status(&place).expect(0).stdout;
    let way = "no part has steps left; to join them: (cd jobs && bash join.sh)\n";
    assert!(words.ends_with(way) && !words.contains("not submitted"), "{words}");
    place.write("jobs/jobs.txt", "1\n2\n");
    replace_program(&place, "squeue", "");
    let again = "to join all parts: (cd jobs && bash join.sh)\n";
    let words = status(&place).expect(0).stdout;
    assert!(words.ends_with(again), "{words}");
    assert_eq!(script(&place, "join.sh", 0), 0);
    let words = status(&place).expect(0).stdout;
    assert!(words.ends_with("join: has written answer/\n"), "{words}");
    // As long after the answer as clocks of any file system can tell.
    let answer = fs::metadata(place.path("jobs/answer/summary.txt")).unwrap().modified().unwrap();
    for name in ["run.json", "checkpoints"] {
        let changed = fs::File::open(place.path("jobs/part-0").join(name)).unwrap();
        let before = changed.metadata().unwrap().modified().unwrap();
        changed.set_modified(answer + Duration::from_secs(3_600)).unwrap();
        let words = status(&place).expect(0).stdout;
        assert!(words.contains("written answer/ before part-0 was changed\n"), "{name}: {words}");
        assert!(words.contains(again), "{words}");
        changed.set_modified(before).unwrap();
    }
    let words = status(&place).expect(0).stdout;
    assert!(words.ends_with("join: has written answer/\n"), "{words}");
    fs::remove_file(place.path("jobs/jobs.txt")).unwrap();
    let words = status(&place).expect(0).stdout;
    assert!(words.ends_with("no part has steps left; answer/ is the answer of all\n"), "{words}");
}

/// The join writes an answer of parts that have steps left, too.
#[test]
fn an_answer_of_parts_with_steps_left_is_called_so() {
    let place = place();
    place.beadwork("submit input.toml --jobs 1 --output jobs").expect(0);
    let part = place.read("jobs/part.sh");
    place.write("jobs/limited.sh", &part.replace("--quiet", "--max-time 0s --quiet"));
    assert_eq!(script(&place, "limited.sh", 0), 5);
    assert_eq!(script(&place, "join.sh", 0), 5);
    let lacks = "join: has written answer/, which lacks the steps that are left\n";
    let words = status(&place).expect(5).stdout;
    assert!(words.ends_with(&format!("{lacks}not submitted: bash jobs/submit.sh\n")), "{words}");
    place.write("jobs/jobs.txt", "1\n2\n");
    replace_program(&place, "squeue", "");
    let words = status(&place).expect(5).stdout;
    assert!(words.contains(lacks) && words.contains("to submit what is left: rm "), "{words}");
}

/// A node that Slurm has lost may still step its part.
#[cfg(target_os = "linux")]
#[test]
fn a_part_in_which_another_process_works_waits() {
    let place = place();
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    fs::create_dir(place.path("jobs/part-1")).unwrap();
    let lock = fs::File::create(place.path("jobs/part-1/lock")).unwrap();
    lock.lock().unwrap();
    let part = place.read("jobs/part.sh");
    place.write("jobs/part.sh", &part.replace("--timeout 1 ", "--timeout 0 "));
    let said = script_of(&place, "part.sh", Some(1)).expect(5);
    assert!(said.stdout.contains("part 1 has another process at work"), "{}", said.stdout);
    assert_eq!(place.read("jobs/asked.txt"), "requeue 77\n");
    let busy = "part-1: replicas 2..5: 3 not begun; another process works in it\n";
    let words = place.beadwork("submit jobs --status").expect(5).stdout;
    assert!(words.contains(busy), "{words}");
    drop(lock);
    assert!(!place.beadwork("submit jobs --status").expect(5).stdout.contains("another process"));
}

/// What the log says of a part whose program was killed, as for lack of memory.
#[test]
fn logs_begin_with_a_date_and_say_that_a_part_was_killed() {
    let place = place();
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    let part = place.read("jobs/part.sh");
    let program = part.find(" run resolved.toml").unwrap();
    let line = part[..program].rfind('\n').unwrap() + 1;
    let killed = format!("{}bash -c 'kill -KILL $$' --{}", &part[..line], &part[program..]);
    place.write("jobs/killed.sh", &killed);
    let said = script_of(&place, "killed.sh", Some(1)).expect(137);
    assert!(said.stdout.starts_with("20") && said.stdout.contains("job 77_1 on "), "{said:?}");
    said.complains(&["part 1 was killed (137): out of memory?", "scontrol requeue 77_1"]);
    assert!(!place.path("jobs/asked.txt").exists());

    // The join's own line would say that it still runs.
    assert_eq!(script(&place, "part.sh", 0), 0);
    place.write("jobs/jobs.txt", "1\n77\n");
    let said = script_of(&place, "join.sh", None).expect(5);
    assert!(said.stdout.contains(": the join begins, job 77 on "), "{}", said.stdout);
    assert!(
        said.stdout.contains("part-1: ") && !said.stdout.contains("\njoin: "),
        "{}",
        said.stdout
    );
}

/// `extend` lengthens a part alone, and a comparison of parts is no answer of their run.
#[test]
fn no_join_is_proposed_for_parts_that_differ() {
    let place = place();
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    let part = place.read("jobs/part.sh");
    place.write("jobs/limited.sh", &part.replace("--quiet", "--max-time 0s --quiet"));
    assert_eq!([0, 1].map(|task| script(&place, "limited.sh", task)), [5, 5]);
    place.beadwork("extend jobs/part-1 --steps 1000").expect(0);
    assert_eq!([0, 1].map(|task| script(&place, "part.sh", task)), [0, 0]);
    let words = place.beadwork("submit jobs --status").expect(2).stdout;
    assert!(words.contains("the join fails until"), "{words}");
    assert!(words.ends_with("no part has steps left\n") && !words.contains("to join"), "{words}");
}

#[test]
fn parts_of_which_one_was_lengthened_are_not_joined() {
    let place = place();
    place.beadwork("submit input.toml --jobs 3 --output jobs").expect(0);
    let part = place.read("jobs/part.sh");
    place.write("jobs/limited.sh", &part.replace("--quiet", "--max-time 0s --quiet"));
    for task in 0..3 {
        assert_eq!(script(&place, "limited.sh", task), 5);
    }
    let words = place.beadwork("submit jobs --status").expect(5).stdout;
    assert!(!words.contains("another input"), "{words}");
    for command in ["resume jobs", "plot jobs", "verify jobs"] {
        place.beadwork(command).expect(2).complains(&["jobs is a folder of jobs"]);
    }
    let words = place.beadwork("extend jobs/part-1 --steps 1000").expect(0).stdout;
    let way =
        "go on with, when all jobs have ended: rm -f ./jobs/jobs.txt && bash ./jobs/submit.sh\n";
    assert!(words.ends_with(way), "{words}");
    let words = place.beadwork("submit jobs --status").expect(2).stdout;
    let line = "part-1: another input than part-0: resolved.toml has ";
    assert!(words.contains(line) && words.contains("the join fails until"), "{words}");
    let failed = script_of(&place, "join.sh", None).expect(2);
    failed.complains(&["part-0 and part-1 are not parts of one run"]);
    assert!(!place.path("jobs/answer").exists());
    let before = place.results("jobs");
    place.beadwork("extend jobs --steps 1000").expect(2).complains(&[
        "jobs/part-0 and jobs/part-1 are parts of the same jobs and have different inputs",
        "80000 steps and 81000 steps",
    ]);
    assert_same(&before, &place.results("jobs"));
    place.beadwork("extend jobs/part-0 jobs/part-2 --steps 1000").expect(0);
    place.beadwork("submit jobs --status").expect(5);
    // All parts at once, by the folder of their jobs.
    let said = place.beadwork("extend jobs --by 50%").expect(0);
    for line in [
        "jobs/part-0: stage \"pull\" lengthened: 81000 steps -> 121500 steps; 1 member(s) go on\n",
        "jobs/part-2: stage \"pull\" lengthened: 81000 steps -> 121500 steps; 2 member(s) go on\n",
    ] {
        assert!(said.stdout.contains(line), "{line}{}", said.stdout);
    }
    assert_eq!(said.stdout.matches(way).count(), 1, "{}", said.stdout);
    said.complains(&["note: jobs/part-1 was made longer before, by 1000 steps, and was not"]);
    let words = place.beadwork("submit jobs --status").expect(5).stdout;
    assert!(!words.contains("another input"), "{words}");
    assert_eq!(script(&place, "join.sh", 0), 5);
    let page = place.read("jobs/answer/report.html");
    let way = "rm -f ./jobs.txt &amp;&amp; bash ./submit.sh # when all jobs have ended";
    assert_eq!(page.matches(way).count(), 1);
    // The page is one of the jobs, not of their first part.
    assert!(page.contains("<h1>jobs</h1>"), "{}", page.split("<main>").next().unwrap_or_default());
}

/// Parts alone would leave no answer; a join that was refused late may be in the queue.
#[test]
fn parts_whose_join_is_refused_are_cancelled() {
    let place = place();
    let refusing = "#!/bin/sh\necho \"$*\" >> asked.txt\n[ \"$2\" = part.sh ] && echo '7;titan'\n";
    place.write("bin/sbatch", refusing);
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    let failed = script_of(&place, "submit.sh", None).expect(1);
    failed.complains(&["the parts, job 7, were cancelled", "then remove"]);
    let asked = "--parsable part.sh\n--parsable --dependency=afterany:7 join.sh\ncancel 7\n";
    assert_eq!(place.read("jobs/asked.txt"), asked);
    assert_eq!(place.read("jobs/jobs.txt"), "7\n");
    replace_program(&place, "scancel", "exit 1");
    fs::remove_file(place.path("jobs/jobs.txt")).unwrap();
    let failed = script_of(&place, "submit.sh", None).expect(1);
    failed.complains(&["and scancel for the parts, job 7: cancel"]);
}

#[test]
fn names_and_files_of_a_person_do_no_harm() {
    let place = place();
    let submit = |folder: &str, option: &str| {
        place.beadwork_of(&["submit", "input.toml", "--jobs", "2", "--output", folder, option])
    };
    let said = submit("my jobs", "--sbatch=--partition=long").expect(0);
    assert!(said.stdout.contains("then: bash 'my jobs/submit.sh'\n"), "{}", said.stdout);
    assert!(place.read("my jobs/part.sh").contains("#SBATCH --job-name=my_jobs\n"));
    for (folder, option, reason) in [
        ("a\nb", "--sbatch=--wait", "without line breaks"),
        ("new", "--sbatch=--wait\ntouch x", "line break"),
        ("new", "--sbatch=", "begins with dashes"),
        ("new", "--sbatch=--time=1:00", "give --time without --sbatch"),
    ] {
        submit(folder, option).expect(2).complains(&[reason]);
        assert!(!place.path(folder).exists());
    }
    // A name that a shell would take for an option.
    let said = place.beadwork("submit input.toml --jobs 2 --output=-jobs").expect(0);
    assert!(said.stdout.contains("then: bash ./-jobs/submit.sh\n"), "{}", said.stdout);
    let mut go = place.command("submit input.toml --jobs 2 --output=-jobs --go");
    assert!(with_cluster(&place, &mut go).status().unwrap().success());
    assert_eq!(place.read("-jobs/jobs.txt"), "1\n2\n");
    for name in ["join.sh", "submit.sh", "part-0"] {
        let folder = format!("own-{name}");
        fs::create_dir(place.path(&folder)).unwrap();
        place.write(&format!("{folder}/{name}"), "mine\n");
        submit(&folder, "--sbatch=--wait").expect(2).complains(&[name, "may be yours"]);
        assert_eq!(place.read(&format!("{folder}/{name}")), "mine\n");
        assert!(!place.path(&format!("{folder}/part.sh")).exists());
    }
}
