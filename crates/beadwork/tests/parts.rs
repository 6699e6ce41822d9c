//! Parts of an ensemble leave the files of the whole run, and are analysed together.

use std::collections::BTreeMap;
use std::fs;

use crate::common::{PULL, Place, assert_same, earlier_record, only, time_of};

const OF_MEMBERS: [&str; 4] = ["tables", "trajectories", "checkpoints", "final"];

/// Two points of five replicas: members 0 to 9.
fn input() -> String {
    let sweep = "[ensemble]\nreplicas = 5\n\n[ensemble.sweep]\n\"pull.stiffness\" = [\"100 pN/nm\", \"150 pN/nm\"]";
    PULL.replace("[ensemble]\nreplicas = 3", sweep)
}

fn run_parts(place: &Place, parts: &[&str]) {
    for part in parts {
        place.beadwork(&format!("run input.toml -o p{part} --replicas {part} --quiet")).expect(0);
    }
}

#[test]
fn files_of_parts_are_those_of_the_whole() {
    let place = Place::with_input(&input()).with_plots();
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    // The first part is within a point, the second crosses the border of the two points.
    let parts = ["0..3", "3..7", "7..10"];
    run_parts(&place, &parts);
    let whole = place.results("whole");
    let mut together = BTreeMap::new();
    for part in parts {
        let found = only(&place.results(&format!("p{part}")), &OF_MEMBERS);
        assert!(found.keys().all(|name| !together.contains_key(name)));
        together.extend(found);
        for same in ["resolved.toml", "topology.psf", "input.toml"] {
            assert_eq!(whole[same], place.results(&format!("p{part}"))[same]);
        }
    }
    assert_same(&only(&whole, &OF_MEMBERS), &together);
    // Each line of the list is that of the whole list.
    let lines: Vec<String> = parts
        .iter()
        .flat_map(|part| {
            let text = place.read(&format!("p{part}/members.csv"));
            text.lines().skip(1).map(String::from).collect::<Vec<_>>()
        })
        .collect();
    let list = place.read("whole/members.csv");
    assert_eq!(lines, list.lines().skip(1).collect::<Vec<_>>());
    assert!(lines[5].starts_with("5,1,0,150 pN/nm,finished"), "{}", lines[5]);
    let json: serde_json::Value = serde_json::from_str(&place.read("p3..7/run.json")).unwrap();
    assert_eq!(json["replicas"], serde_json::json!([3, 7]));
    assert_eq!(json["members"], 4);
    assert!(!place.read("whole/run.json").contains("replicas"));
    assert!(place.read("p3..7/log.txt").contains("4 member(s) (replicas 3..7 of 10)"));

    // All parts together have the answer of the whole, in whatever order they are named.
    let words = place.beadwork("plot p7..10 p0..3 p3..7").expect(0).stdout;
    let answer = ["summary.txt", "unfolding.csv", "peaks.csv"];
    assert!(words.starts_with(&place.read("whole/summary.txt")), "{words}");
    assert_same(
        &only(&whole, &answer),
        &place
            .results("together")
            .into_iter()
            .filter(|(name, _)| answer.contains(&name.as_str()))
            .collect(),
    );
    for file in fs::read_dir(place.path("whole/plots")).unwrap().map(Result::unwrap) {
        let name = file.file_name();
        assert_eq!(
            fs::read(file.path()).unwrap(),
            fs::read(place.path("together").join(&name)).unwrap(),
            "{name:?}"
        );
    }
    // A missing part is reported.
    let words = place.beadwork("plot p0..3 p7..10 -o some").expect(0).stdout;
    assert!(
        words.contains("note: 4 of the run's 10 replica(s) are in none of these folders: 3..7\n"),
        "{words}"
    );
    // Beside another run, or beside the whole run, the joined parts have one colour.
    place.beadwork("run input.toml -o other --quiet --set random.seed=3").expect(0);
    let words = place.beadwork("plot other p0..3 p3..7 p7..10").expect(0).stdout;
    let groups = |words: &str| {
        words
            .lines()
            .filter(|line| line.contains("unfolded (window ") || line.contains("unfolded; window "))
            .count()
    };
    assert_eq!(groups(&words), 2 * 2, "{words}");
    assert!(
        words.contains("other: stiffness = 100 pN/nm")
            && words.contains("p0..3: stiffness = 100 pN/nm"),
        "{words}"
    );
    let words = place.beadwork("plot whole p0..3 p3..7 p7..10").expect(0).stdout;
    assert_eq!(groups(&words), 2 * 2, "{words}");
    // Each part alone can be analysed as a run.
    let words = place.beadwork("plot p3..7").expect(0).stdout;
    assert_eq!(groups(&words), 2, "{words}");
    let lacks = "note: 6 of the run's 10 replica(s) are not in this folder: 0..3, 7..10\n";
    assert!(words.contains(lacks), "{words}");
    // `plot` prints the same summary as the run.
    assert!(words.starts_with(&place.read("p3..7/summary.txt")), "{words}");
    assert!(!place.read("whole/summary.txt").contains("not in this folder"));
}

#[test]
fn parts_that_overlap_are_refused() {
    let place = Place::with_input(&input().replace("80_000", "400"));
    run_parts(&place, &["0..5", "4..7", "6..10"]);
    place.beadwork("run input.toml -o again --replicas 0..5 --quiet").expect(0);
    for (folders, which) in [
        ("p0..5 p4..7", "replica 4 is both in p0..5 and in p4..7 and would count twice"),
        ("p6..10 p4..7", "replica 6 is both in p6..10 and in p4..7"),
        ("p0..5 again", "the replicas 0..5 are both in p0..5 and in again"),
    ] {
        let said = place.beadwork(&format!("plot {folders} -o all"));
        said.expect(2).complains(&["run/part", which]);
    }
    assert!(!place.path("all").exists());
    // Parts without a common member are accepted.
    place.beadwork("plot p6..10 p0..5 -o all").expect(0);
}

/// Replicas 5 to 9 are those of one point.
#[test]
fn parts_of_two_runs_share_the_noise_of_common_replicas_alone() {
    let place = Place::with_input(&input().replace("80_000", "400"));
    run_parts(&place, &["4..7", "6..10"]);
    place
        .beadwork("run input.toml -o longer --replicas 7..10 --set pull.steps=800 --quiet")
        .expect(0);
    for (part, shares) in [("p4..7", false), ("p6..10", true)] {
        let words = place.beadwork(&format!("plot {part} longer -o with-{part}")).expect(0).stdout;
        assert_eq!(words.contains("and so the same noise"), shares, "{part}: {words}");
    }
}

#[test]
fn a_part_can_be_resumed_continued_and_extended() {
    let place = Place::with_input(&input().replace("80_000", "20_000"));
    let whole = time_of(|| {
        place.beadwork("run input.toml -o whole --quiet --set pull.steps=24000").expect(0);
    });
    place.beadwork("run input.toml -o part --replicas 3..7 --quiet --max-time 0s").expect(5);
    assert_eq!(place.read("part/members.csv").matches(",not begun,").count(), 4);
    let go_on = "run input.toml -o part --continue --quiet";
    for other in ["", "--replicas 3..8", "--replicas 0..4"] {
        let said = place.beadwork(&format!("{go_on} {other}")).expect(2);
        said.complains(&["part holds the replicas 3..7 of this input, not"]);
    }
    let limit = (whole / 8).as_micros();
    place.beadwork(&format!("{go_on} --replicas 3..7 --max-time {limit}us"));
    place.beadwork("resume part --quiet").expect(0);
    place.beadwork("extend part --steps 4000").expect(0);
    place.beadwork(&format!("{go_on} --replicas 3..7")).expect(0);
    let found = only(&place.results("part"), &OF_MEMBERS);
    let mut expected = only(&place.results("whole"), &OF_MEMBERS);
    expected.retain(|name, _| {
        (3..7).any(|n| {
            name.contains(&format!("member-{n:04}")) || name.ends_with(&format!("replica-{n}.pdb"))
        })
    });
    assert_same(&expected, &found);
    // A part with all members equals the whole run.
    place.beadwork("run input.toml -o all --replicas 0..10 --quiet --max-time 0s").expect(5);
    place.beadwork("run input.toml -o all --quiet --continue --max-time 0s").expect(5);
}

#[test]
fn refuses_wrong_ranges() {
    let place = Place::with_input(&input());
    for (range, part) in [
        (
            "4..4",
            "4..4 is empty, since the number after the dots is not among them: write 4..5 for one replica",
        ),
        ("7..3", "7..3 runs backwards: write 3..7"),
        (
            "8..11",
            "8..11 goes beyond the ensemble, whose 10 replica(s) have the numbers 0 to 9: write at most 8..10",
        ),
        ("99..100", "write at most 9..10"),
        ("3", "the replicas \"3\" cannot be read: write the first number, two dots"),
        ("3..=7", "cannot be read"),
        ("-3..7", "cannot be read"),
        ("..7", "cannot be read"),
    ] {
        let said =
            place.beadwork_of(&["run", "input.toml", "-o", "run", &format!("--replicas={range}")]);
        said.expect(2).complains(&["run/part", part]);
    }
    assert!(!place.path("run").exists(), "a refused run leaves no folder");
    place.beadwork("run input.toml -o run --replicas 2..3 --quiet --max-time 0s").expect(5);
    let record = place.read("run/run.json");
    place.write("run/run.json", &earlier_record(&record, &[("    2,", "    12,")]));
    place.beadwork("resume run").expect(2).complains(&["12..3 runs backwards"]);
    place.write("run/run.json", "{}");
    let parts = ["run/run.json cannot be understood", "put the original file back", "run/record"];
    place.beadwork("resume run").expect(2).complains(&parts);
    place.beadwork("plot run").expect(2).complains(&parts);
}
