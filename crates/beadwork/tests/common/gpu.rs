//! Runs on a GPU.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use super::{Dice, Place, assert_same, only};

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

/// Kills a run three times without warning within the `time` that it takes, then lets it end: once with one thread, once with
/// three. Its files are those of the uninterrupted run `whole`.
pub fn survives_kills(
    place: &Place,
    command: &str,
    whole: &BTreeMap<String, Vec<u8>>,
    time: Duration,
) {
    let mut dice = Dice(20_101);
    let mut met = 0;
    for threads in [1, 3] {
        let folder = format!("killed-{threads}");
        let go_on = format!("{command} -o {folder} --continue --threads {threads}");
        for _ in 0..3 {
            let words: Vec<&str> = go_on.split_whitespace().collect();
            let mut command = place.command_with_gpus(&words);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            std::thread::sleep(dice.below(time));
            met += usize::from(child.try_wait().unwrap().is_none());
            // An error only means that the child has ended.
            let _ = child.kill();
            child.wait().unwrap();
        }
        place.beadwork_with_gpus(&go_on).expect(0);
        assert_same(whole, &place.results(&folder));
    }
    assert!(met > 0, "no kill came before the end of a run");
}
