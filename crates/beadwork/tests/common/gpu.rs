//! Runs on a GPU.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::time::Duration;

use super::{Dice, Place, assert_same, kill, only};

/// Whether there is a GPU; says so if not.
pub fn has_gpu() -> bool {
    match beadwork::cuda::Device::open(0) {
        Ok(_) => true,
        Err(error) => {
            println!("skipped: no CUDA device ({})", error.code());
            false
        }
    }
}

/// Tables and trajectories.
pub fn rows(place: &Place, run: &str) -> BTreeMap<String, Vec<u8>> {
    only(&place.results(run), &["tables/", "trajectories/"])
}

/// Lets time limits interrupt a run until it ends with the code `exit`; returns its folder. Each piece has a command of its own.
/// Limits grow, so that any machine finishes; where none came between the first rows and the end, another folder has shorter ones.
pub fn in_pieces(place: &Place, command: impl Fn(usize) -> String, exit: i32) -> String {
    for attempt in 0..6 {
        let folder = format!("pieces-{attempt}");
        let table = place.path(&format!("{folder}/tables/member-0000.csv"));
        let mut on_the_way = 0;
        for piece in 0.. {
            let limit = (100_000 + 60_000 * piece) >> attempt;
            let go_on = format!("-o {folder} --continue --quiet --max-time {limit}us");
            let said = place.beadwork_with_gpus(&format!("{} {go_on}", command(piece)));
            if said.code == Some(exit) {
                break;
            }
            said.expect(5).complains(&["time limit reached"]);
            let has_rows = fs::read_to_string(&table).is_ok_and(|text| text.lines().count() > 3);
            on_the_way += usize::from(has_rows);
        }
        if on_the_way > 0 {
            return folder;
        }
    }
    panic!("no run was interrupted between its start and its end");
}

/// Kills a run three times without warning, then lets it end: once with one thread, once with three. Its files, and those of runs
/// that ended before a kill, are those of the uninterrupted run `whole`. Kills come within `time`, or sooner where that is too late.
pub fn survives_kills(
    place: &Place,
    command: &str,
    whole: &BTreeMap<String, Vec<u8>>,
    mut time: Duration,
) {
    let mut dice = Dice(20_101);
    for threads in [1, 3] {
        let (mut kills, mut folders) = (0, 0);
        let run = |number| format!("killed-{threads}-{number}");
        let go_on = |run: &str| format!("{command} -o {run} --continue --threads {threads}");
        while kills < 3 {
            let folder = run(folders);
            let line = go_on(&folder);
            let words: Vec<&str> = line.split_whitespace().collect();
            let mut command = place.command_with_gpus(&words);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let child = command.spawn().unwrap();
            std::thread::sleep(dice.below(time));
            if kill(child) {
                kills += 1;
            } else {
                // Kernels may have been compiled in `time`, which later runs do not wait for.
                assert_same(whole, &place.results(&folder));
                (folders, time) = (folders + 1, time / 2);
            }
        }
        let last = run(folders);
        place.beadwork_with_gpus(&go_on(&last)).expect(0);
        assert_same(whole, &place.results(&last));
    }
}
