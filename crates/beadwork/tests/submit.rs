//! Jobs of a cluster: what is written, and that its scripts, run by a shell, leave the bytes of one run.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::common::{LADDERS, PULL, Place, assert_same, only};

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
        ("squeue", "echo '1|PENDING|BeginTime'"),
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
    let mut bash = Command::new("bash");
    bash.arg(name).current_dir(place.path("jobs")).env("CUDA_VISIBLE_DEVICES", "");
    bash.env("SLURM_ARRAY_TASK_ID", task.to_string()).env("SLURM_JOB_ID", "77");
    with_cluster(place, &mut bash).status().unwrap().code().unwrap()
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
    let mut status = place.command("submit jobs --status");
    let output = with_cluster(&place, &mut status).output().unwrap();
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        words.contains("part-1: replicas 1..2: 1 not begun; job: pending (BeginTime)"),
        "{words}"
    );
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
        ("bin --status", "bin is no folder of jobs"),
    ] {
        place.beadwork(&format!("submit {arguments}")).expect(2).complains(&[reason]);
    }
    assert!(!place.path("new").exists());
}

/// Parts without a join would be submitted a second time by the next attempt.
#[test]
fn parts_whose_join_is_refused_are_cancelled() {
    let place = place();
    let refusing = "#!/bin/sh\necho \"$*\" >> asked.txt\n[ \"$2\" = part.sh ] && echo '7;titan'\n";
    place.write("bin/sbatch", refusing);
    place.beadwork("submit input.toml --jobs 2 --output jobs").expect(0);
    assert_eq!(script(&place, "submit.sh", 0), 1);
    let asked = "--parsable part.sh\n--parsable --dependency=afterany:7 join.sh\ncancel 7\n";
    assert_eq!(place.read("jobs/asked.txt"), asked);
    assert!(!place.path("jobs/jobs.txt").exists());
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
    for (folder, option) in [("a\nb", "--sbatch=--wait"), ("new", "--sbatch=--wait\ntouch x")] {
        submit(folder, option).expect(2).complains(&["without line breaks"]);
        assert!(!place.path(folder).exists());
    }
    fs::create_dir(place.path("own")).unwrap();
    place.write("own/join.sh", "mine\n");
    submit("own", "--sbatch=--wait").expect(2).complains(&["join.sh", "a file of yours"]);
    assert_eq!(place.read("own/join.sh"), "mine\n");
    assert!(!place.path("own/part.sh").exists());
}
