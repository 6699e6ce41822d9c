//! Further options of jobs, as a person gives them to `--sbatch`.

use super::super::failure::Failure;

/// Options that the scripts have already, and what to give in their place.
const OWN: [(&str, &str, &str); 8] = [
    ("--array", "-a", "give --jobs, and --at-once to bound how many run at the same time"),
    ("--cpus-per-task", "-c", "give --threads"),
    ("--time", "-t", "give --time without --sbatch"),
    ("--output", "-o", "what the jobs say goes into logs/"),
    ("--open-mode", "", "a part that is queued again adds to its log"),
    ("--signal", "", "the scripts wait for the signal that they ask for"),
    ("--no-requeue", "", "a part that is stopped must be queued again"),
    ("--chdir", "-D", "the scripts run in the folder of the jobs"),
];

/// Refuses what is no option of sbatch, is two, or would undo one of the scripts' own.
pub(super) fn refuse_unusable(option: &str) -> Result<(), Failure> {
    let own = OWN.iter().find(|(long, short, _)| is_named(option, long, short));
    let problem = if option.contains(char::is_control) {
        "it has a line break or another control character".to_string()
    } else if !is_option(option) {
        "an option begins with dashes, as in --sbatch=--partition=long".to_string()
    } else if option.split_whitespace().skip(1).any(is_option) {
        "these are several options: give each its own --sbatch".to_string()
    } else if let Some((long, _, instead)) = own {
        format!("the scripts set {long} themselves: {instead}, or edit them")
    } else {
        return Ok(());
    };
    Err(Failure::input(format!("--sbatch={option:?}: {problem}")))
}

fn is_option(word: &str) -> bool {
    word.strip_prefix('-').is_some_and(|rest| !rest.trim_matches('-').trim().is_empty())
}

fn name(option: &str) -> &str {
    option.split(['=', ' ']).next().unwrap_or_default()
}

/// Whether an option is this one. Slurm takes the first letters of a long name for the whole.
fn is_named(option: &str, long: &str, short: &str) -> bool {
    match option.starts_with("--") {
        true => name(option).len() > 3 && long.starts_with(name(option)),
        false => !short.is_empty() && option.starts_with(short),
    }
}

/// Whether an option asks for GPUs, which the join has no use for.
pub(super) fn asks_for_devices(option: &str) -> bool {
    let name = name(option);
    name.starts_with("-G")
        || name.contains("gpu")
        || ["--gres", "--tres"].iter().any(|begin| name.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_options_of_which_the_scripts_have_none_are_taken() {
        for option in [
            "--partition=long",
            "-p long",
            "--time-min=1:00",
            "--gres=gpu:1",
            "-G 1",
            "--comment=a-b",
            "--account=lab",
            "--nice=-5",
        ] {
            assert!(refuse_unusable(option).is_ok(), "{option}");
        }
        for (option, reason) in [
            ("", "begins with dashes"),
            ("--", "begins with dashes"),
            ("partition=long", "begins with dashes"),
            ("--wait\ntouch x", "line break"),
            ("--wait --time=1", "its own --sbatch"),
            ("-p long -t 5", "its own --sbatch"),
            ("--array=0-31%8", "--jobs, and --at-once"),
            ("--arr=0-3", "--jobs"),
            ("-a0-3", "--jobs"),
            ("-c 4", "--threads"),
            ("--time=1:00", "--time without --sbatch"),
            ("--no-requeue", "queued again"),
            ("-D /tmp", "folder of the jobs"),
        ] {
            let error = refuse_unusable(option).unwrap_err().to_string();
            assert!(error.contains(reason), "{option:?}: {error}");
        }
    }
}
