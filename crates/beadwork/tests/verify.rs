//! Damage anywhere in a run folder: `verify` names the file, and `resume` restores the bytes or refuses.

use std::fs;

use crate::common::{Dice, LADDERS, PULL, Place, assert_same, has_checkpoint, json_of};
use beadwork_testing::few_or_many;

/// Beads in a box with frames as GSD, more than one block of its index has room for.
const BEADS: &str = r#"
[system]
model = "beads"
units = "reduced"
box = [8, 8, 8]
build = { molecule = "A4", count = 12 }
exclude = 0
bonds = [ { kind = "harmonic", stiffness = 4, length = 0.5 } ]
pairs = [ { kind = "dpd", repulsion = 25, cutoff = 1, friction = 4.5 } ]

[dynamics]
integrator = "velocity-verlet"
temperature = 1
timestep = 0.04

[[stage]]
steps = 800

[ensemble]
replicas = 2

[output]
table = { every_steps = 20 }
trajectory = { every_steps = 40, format = "gsd" }
checkpoint = "0.02 s"
"#;

/// A short pull.
fn pull() -> String {
    PULL.replace("steps = 10_000", "steps = 2_000").replace("replicas = 3", "replicas = 2")
}

/// Files that follow from others; a finished run makes them anew.
fn is_derived(name: &str) -> bool {
    let kinds = ["plots/", "lowest", "summary"];
    let is_list = name.ends_with(".csv") && !name.starts_with("tables/");
    is_list || kinds.iter().any(|kind| name.starts_with(kind))
}

/// Damages one file of a folder: a bit, a piece, the end, all of it, or bytes behind the end.
fn damage(bytes: &[u8], dice: &mut Dice) -> Option<Vec<u8>> {
    let mut bytes = bytes.to_vec();
    let at = dice.next() as usize % bytes.len().max(1);
    match dice.next() % 6 {
        0 => return None,
        1 => bytes.truncate(at),
        2 => bytes.extend(b"1,2,3\n"),
        3 => bytes[at..].iter_mut().take(100).for_each(|byte| *byte = 0),
        _ => bytes[at] ^= 1 << (dice.next() % 8),
    }
    Some(bytes)
}

/// Damages one file after another of a folder that is finished, and of one that was stopped.
fn is_restored_or_refused(input: &str, places: usize, seed: u64) {
    let place = Place::with_input(input);
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    let whole = place.results("whole");
    let mut dice = Dice(seed);
    stop_on_the_way(&place);
    let (mut restored, mut refused) = (0, 0);
    for attempt in 0..places {
        let folder = if attempt % 2 == 0 { "whole" } else { "stopped" };
        let run = copied(&place, folder);
        let raw = raw_files(&place, &run);
        let names: Vec<&String> = raw.keys().collect();
        let name = names[dice.next() as usize % names.len()].clone();
        let path = place.path(&run).join(&name);
        let Some(bytes) = damage(&raw[&name], &mut dice) else {
            fs::remove_file(&path).unwrap();
            check(&place, &run, &name, &whole, (&mut restored, &mut refused));
            continue;
        };
        if bytes == raw[&name] {
            continue;
        }
        fs::write(&path, bytes).unwrap();
        check(&place, &run, &name, &whole, (&mut restored, &mut refused));
    }
    assert!(refused > 0 && restored + refused > places / 2, "{restored} and {refused}");
}

/// Stops a run by the longest of some times within which it does not end, however fast the machine is.
fn stop_on_the_way(place: &Place) {
    for milliseconds in [160, 80, 40, 20, 10, 5, 2, 1] {
        let run =
            format!("run input.toml -o stopped --threads 1 --quiet --max-time {milliseconds}ms");
        let said = place.beadwork(&run);
        if said.code == Some(5)
            && has_checkpoint(&place.path("stopped/checkpoints/member-0000.ckpt"))
        {
            return;
        }
        fs::remove_dir_all(place.path("stopped")).unwrap();
    }
    panic!("no run was stopped on its way");
}

fn check(
    place: &Place,
    run: &str,
    name: &str,
    whole: &std::collections::BTreeMap<String, Vec<u8>>,
    (restored, refused): (&mut usize, &mut usize),
) {
    let verified = place.beadwork(&format!("verify {run}"));
    assert!(matches!(verified.code, Some(0 | 2)), "{name}: {verified:?}");
    let said = place.beadwork(&format!("resume {run} --quiet"));
    match said.code {
        Some(0) => {
            assert_same(whole, &place.results(run));
            *restored += 1;
        }
        Some(2) => {
            let file = name.rsplit('/').next().unwrap();
            said.complains(&[file]);
            let named = verified.stdout.contains(file) || verified.stderr.contains(file);
            assert!(verified.code == Some(2) && named, "{name}: {verified:?}\n{said:?}");
            *refused += 1;
        }
        _ => panic!("{name}: {said:?}"),
    }
    fs::remove_dir_all(place.path(run)).unwrap();
}

fn copied(place: &Place, folder: &str) -> String {
    let from = place.path(folder);
    let to = place.path("damaged");
    copy(&from, &to);
    "damaged".to_string()
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// The files of a folder that do not follow from others, with their very bytes.
fn raw_files(place: &Place, run: &str) -> std::collections::BTreeMap<String, Vec<u8>> {
    let root = place.path(run);
    let names = place.results(run).into_keys().filter(|name| !is_derived(name));
    names.map(|name| (name.clone(), fs::read(root.join(&name)).unwrap())).collect()
}

#[test]
fn damage_to_pulls_is_restored_or_refused() {
    is_restored_or_refused(&pull(), few_or_many(10, 200), 1);
    is_restored_or_refused(&pull().replace("\"xtc\"", "\"dcd\""), few_or_many(6, 200), 2);
}

#[test]
fn damage_to_beads_is_restored_or_refused() {
    is_restored_or_refused(BEADS, few_or_many(10, 200), 3);
}

#[test]
fn damage_to_ladders_is_restored_or_refused() {
    let ladders = LADDERS.replace("ladders = 3", "ladders = 1") + "checkpoint = \"0.01 s\"\n";
    is_restored_or_refused(
        &ladders.replace("sweeps = 2000", "sweeps = 20000"),
        few_or_many(8, 200),
        4,
    );
}

#[test]
fn whole_runs_are_verified_as_whole() {
    let place = Place::with_input(BEADS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let said = place.beadwork("verify run").expect(0).stdout;
    assert!(said.contains("all as they were written"), "{said}");
    let json = json_of(&place.beadwork("verify run --json").expect(0).stdout);
    assert_eq!(json[0]["findings"], serde_json::json!([]));
    // Nothing in the folder changed, and the files that others are made of count once each.
    assert!(json[0]["files"].as_u64().unwrap() >= 12, "{json}");
    place.beadwork("run input.toml -o part --replicas 1..2 --quiet").expect(0);
    place.beadwork("extend run --steps 40").expect(0);
    for run in ["run", "part"] {
        place.beadwork(&format!("verify {run}")).expect(0);
    }
    place.beadwork("resume run --quiet").expect(0);
    place.beadwork("verify run part").expect(0);
    place.beadwork("verify nowhere").expect(2).complains(&["There is no nowhere"]);
    place.write("run/tables/member-0001.csv", "step\n");
    let json = json_of(&place.beadwork("verify part run --json").expect(2).stdout);
    assert_eq!(json[1]["findings"][0]["file"], "tables/member-0001.csv");
    assert_eq!(json[1]["findings"][0]["code"], "io/short-output");
}

/// The case: a shortened trajectory, and a list of frames that is gone or shortened. Neither `plot` nor `resume` passes
/// over it, with checkpoints and without.
#[test]
fn short_trajectories_and_lists_are_refused() {
    let place = Place::with_input(BEADS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let xtc = BEADS.replace("\"gsd\"", "\"dcd\"");
    place.write("dcd.toml", &xtc);
    place.beadwork("run dcd.toml -o dcd --quiet").expect(0);
    for (run, trajectory) in [("run", "member-0000.gsd"), ("dcd", "member-0000.dcd")] {
        let trajectory = place.path(run).join("trajectories").join(trajectory);
        let list = place.path(run).join("tables/member-0000-frames.csv");
        let kept = [&trajectory, &list].map(|path| fs::read(path).unwrap());
        let restore = || {
            fs::write(&trajectory, &kept[0]).unwrap();
            fs::write(&list, &kept[1]).unwrap();
        };
        let refused = |commands: &[&str], part: &str| {
            for command in commands {
                place.beadwork(&format!("{command} {run}")).expect(2).complains(&[part]);
            }
            restore();
        };
        let both = ["plot", "resume --quiet"];
        fs::write(&trajectory, &kept[0][..kept[0].len() / 2]).unwrap();
        refused(&both, "io/short-output");
        fs::write(&list, &kept[1][..126]).unwrap();
        refused(&both, "io/short-output");
        fs::remove_file(&list).unwrap();
        refused(&both, "io/missing-output");
        fs::remove_file(&trajectory).unwrap();
        refused(&both, "io/missing-output");
        // Other positions in the same length.
        let mut changed = kept[0].clone();
        let at = changed.len() - 10;
        changed[at] ^= 0x40;
        fs::write(&trajectory, changed).unwrap();
        refused(&both, "io/changed-output");
        // Checkpoints may be gone, as in a folder that was thinned out.
        fs::rename(place.path(run).join("checkpoints"), place.path("kept")).unwrap();
        fs::write(&trajectory, &kept[0][..kept[0].len() / 2]).unwrap();
        refused(&both[..1], "before the last frame in the list");
        fs::remove_file(&list).unwrap();
        refused(&both[..1], "io/missing-output");
        fs::remove_file(&list).unwrap();
        fs::remove_file(&trajectory).unwrap();
        let words = place.beadwork(&format!("plot {run}")).expect(0).stdout;
        let said =
            format!("trajectories of 1 replica(s) without a usable checkpoint in {run} are gone");
        assert!(words.contains(&said), "{words}");
        restore();
        place.beadwork(&format!("plot {run}")).expect(0);
        fs::rename(place.path("kept"), place.path(run).join("checkpoints")).unwrap();
        place.beadwork(&format!("resume {run} --quiet")).expect(0);
    }
}
