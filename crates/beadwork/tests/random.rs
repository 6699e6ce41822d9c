//! `beadwork random`: the table, raw words, and the results of a battery that is a script.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;

use crate::common::{Place, Said};
use beadwork::random::orders::Request;
use beadwork::random::{Generator, Order, OrderedWords};

/// The bytes of a stream.
fn stream(place: &Place, arguments: &str) -> Vec<u8> {
    let output = place.command(&format!("random stream {arguments}")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn words_are_those_of_the_library() {
    let place = Place::new();
    for generator in Generator::ALL {
        for order in Order::ALL {
            let scheme = generator.schemes()[0];
            let request = Request { generator, scheme, order, seed: 5, particles: 7 };
            let mut words = OrderedWords::new(request).unwrap();
            let mut expected = Vec::new();
            while expected.len() < 4 * 101 {
                expected.extend(words.next_block().iter().flat_map(|word| word.to_le_bytes()));
            }
            let (name, order) = (generator.name(), order.name());
            let found = stream(
                &place,
                &format!("--generator {name} --order {order} --seed 5 --particles 7 --words 101"),
            );
            assert_eq!(found, expected[..4 * 101], "{name} {order}");
        }
    }
}

#[test]
fn a_reader_may_close_the_pipe_at_any_time() {
    let place = Place::new();
    let mut child = place
        .command("random stream --generator xorwow")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn wrong_arguments_are_refused() {
    let place = Place::new();
    let refused = |arguments: &str| place.beadwork(&format!("random stream {arguments}")).expect(2);
    refused("--generator xorwov").complains(&["philox4x32-10, philox4x32-7, saru-tea"]);
    refused("--generator saru --order sideways").complains(&["system, particle, neighbors, seeds"]);
    refused("--generator saru --scheme counter")
        .complains(&["It runs in: one-per-call, one-per-call-published, one-per-thread"]);
    refused("--generator saru --particles 0").complains(&["--particles"]);
}

#[test]
fn the_table_has_every_generator() {
    let place = Place::new();
    let text = place.beadwork("random info --beads 10").expect(0).stdout;
    let json = place.beadwork("random info --beads 10 --json").expect(0).stdout;
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    let rows = report["generators"].as_array().unwrap();
    for generator in Generator::ALL {
        assert!(text.lines().any(|line| line.starts_with(generator.name())));
        for scheme in generator.schemes() {
            let row = rows
                .iter()
                .find(|row| row["generator"] == generator.name() && row["scheme"] == scheme.name());
            assert_eq!(row.unwrap()["flaws"].as_str(), generator.flaws());
        }
    }
    let bytes = |name: &str| {
        rows.iter().find(|row| row["generator"] == name).unwrap()["state_bytes"].clone()
    };
    assert_eq!(
        ["philox4x32-10", "hybrid-taus", "mt19937", "lagged-fibonacci"].map(bytes),
        [0, 160, 2500, 9128].map(serde_json::Value::from)
    );
}

/// A battery that finds test 3 suspicious with seed 20101 and fails test 4. It reads the first bytes of its words.
const BATTERY: &str = r#"#!/bin/sh
first=$(od -An -N4 -tx4 | tr -d ' ')
echo "$2 $first" >> asked.txt
echo "== p-values"
case $2 in
    3) if [ "$(grep -c '^3 ' asked.txt)" = 1 ]; then echo "0.00001 Gap"; else echo "0.3 Gap"; fi ;;
    4) echo "0.5 SimpPoker"; echo "1e-200 SimpPoker again" ;;
    5) [ -e broken ] && { echo "no luck" >&2; exit 1; }; echo "0.25 CouponCollector" ;;
    6) p=0.5; [ -e odd ] && p=nan; echo "$p Other"; echo "-1 NotComputed" ;;
    *) echo "0.5 Other"; echo "-1 NotComputed" ;;
esac
"#;

/// A battery that takes Dieharder's arguments and prints its rows: of test 17 a p-value of 0 with every seed, of test
/// 203 with size 5 a value of 1 with the first seed, and of tests 200 to 203 without a size nothing.
const DIEHARDER: &str = r#"#!/bin/sh
echo "$*" >> asked.txt
p=0.25000000
case "$4:$5:$6" in
    17::) p=0.00000000 ;;
    203:-n:5) if [ "$(grep -c -e '-d 203 -n 5$' asked.txt)" = 1 ]; then p=1.00000000; fi ;;
    20[0-3]::) exit 0 ;;
esac
echo "        test_name   |ntup| tsamples |psamples|  p-value |Assessment"
echo "       test_of_some |   ${6:-0}|   1000000|     100|$p|  PASSED  "
"#;

/// A battery that needs 100,000 words.
const GREEDY: &str = r#"#!/bin/sh
[ "$(head -c 400000 | wc -c)" -eq 400000 ] || { echo "too few" >&2; exit 1; }
echo "== p-values"
echo "0.5 Other"
"#;

/// A folder in which the program `battery` is this script.
fn with_battery(script: &str) -> Place {
    let place = Place::new();
    put_program(&place, "battery", script);
    place
}

fn put_program(place: &Place, name: &str, script: &str) {
    place.write(name, script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path(name), executable).unwrap();
}

fn certify(place: &Place, more: &str) -> Said {
    place.beadwork(&format!(
        "random certify found --generator saru-tea --order particle --program ./battery --threads 1 {more}"
    ))
}

fn asked(place: &Place) -> usize {
    place.read("asked.txt").lines().count()
}

#[test]
fn results_are_kept_and_summarised() {
    let place = with_battery(BATTERY);
    // The fifth of ten tests breaks, after four tests, one of them repeated.
    place.write("broken", "");
    certify(&place, "").expect(4).complains(&["test 5 of small-crush", "no luck"]);
    assert_eq!(asked(&place), 4 + 1 + 1);
    std::fs::remove_file(place.path("broken")).unwrap();
    // A p-value of the sixth is no number, which is told and not kept.
    place.write("odd", "");
    certify(&place, "").expect(4).complains(&["test 6 of small-crush gave NaN", "of Other"]);
    assert_eq!(asked(&place), 6 + 2);
    std::fs::remove_file(place.path("odd")).unwrap();
    let said = certify(&place, "").expect(0);
    assert_eq!(asked(&place), 8 + 5);
    let row =
        "| saru-tea | one-per-call | particle | small-crush | 10 | 12 | 1 (4) | 0 | 1.0e-200 |";
    assert!(said.stdout.contains(row), "{}", said.stdout);
    assert_eq!(place.read("found/summary.md"), said.stdout);
    // All tests have results, so none is run again.
    assert_eq!(certify(&place, "").expect(0).stdout, said.stdout);
    assert_eq!(asked(&place), 13);
    // The tests read the words of the streams; the repeated test read those of two seeds.
    let first = |seed: u64| {
        let bytes = stream(
            &place,
            &format!("--generator saru-tea --order particle --seed {seed} --words 1"),
        );
        format!("{:08x}", u32::from_le_bytes(bytes.try_into().unwrap()))
    };
    let lines = place.read("asked.txt");
    assert!(lines.starts_with(&format!("1 {}\n", first(20_101))), "{lines}");
    assert!(lines.contains(&format!("3 {}\n", first(20_102))), "{lines}");
    certify(&place, "--test 11").expect(2).complains(&["small-crush has no such test"]);
    let file =
        "found/saru-tea.one-per-call.particle/small-crush-001.seed-20101.particles-16000.txt";
    for wrong in ["?", "NaN Other\n", "1.5 Other\n"] {
        place.write(file, wrong);
        certify(&place, "").expect(2).complains(&["is no result of a test", "delete it"]);
    }
}

#[test]
fn each_size_of_dieharder_is_a_test_and_a_printed_zero_is_repeated() {
    let place = with_battery(DIEHARDER);
    let said = certify(&place, "--battery dieharder").expect(0);
    let row = "| saru-tea | one-per-call | particle | dieharder | 76 | 78 | 1 (17) | 0 | < 5e-9 |";
    assert!(said.stdout.contains(row), "{}", said.stdout);
    said.complains(&[
        "dieharder 17, seed 20101: suspicious",
        "dieharder 17, seed 20102: failed",
        "dieharder 203-5, seed 20101: suspicious",
        "dieharder 203-5, seed 20102: passed",
    ]);
    let lines = place.read("asked.txt");
    let times = |words: &str| lines.lines().filter(|line| *line == words).count();
    assert_eq!((lines.lines().count(), times("-g 200 -d 17"), times("-g 200 -d 0")), (78, 2, 1));
    for (number, sizes) in [(200, 1..=12), (201, 2..=5), (202, 2..=5), (203, 0..=32)] {
        for size in sizes {
            let expected = if (number, size) == (203, 5) { 2 } else { 1 };
            assert_eq!(times(&format!("-g 200 -d {number} -n {size}")), expected);
        }
    }
    let file = |name: &str| {
        format!("found/saru-tea.one-per-call.particle/{name}.seed-20101.particles-16000.txt")
    };
    assert_eq!(place.read(&file("dieharder-203-05")), "1e0 test_of_some 5\n");
    // One size, and all of a number, are run again where their files are gone.
    let remove = |name: &str| std::fs::remove_file(place.path(&file(name))).unwrap();
    remove("dieharder-203-04");
    remove("dieharder-202-02");
    certify(&place, "--battery dieharder --test 203-4").expect(0);
    assert_eq!(asked(&place), 79);
    certify(&place, "--battery dieharder --test 17,202").expect(0);
    assert_eq!(asked(&place), 80);
    // What earlier versions wrote is of no size.
    place.write(&file("dieharder-203"), "1e-20 rgb_lagged_sum 0\n");
    let again = certify(&place, "--battery dieharder").expect(0);
    assert_eq!((again.stdout.as_str(), asked(&place)), (said.stdout.as_str(), 80));
    again
        .complains(&["left out of the summary: dieharder has no test 203; it has 203-0 to 203-32"]);
    certify(&place, "--battery dieharder --test 203-33").expect(2).complains(&["has no such test"]);
    certify(&place, "--battery dieharder --test 203-")
        .expect(2)
        .complains(&["a number and a size"]);
}

#[test]
fn a_test_of_seeds_is_repeated_with_seeds_far_on() {
    let place = with_battery(BATTERY);
    let said = place.beadwork(
        "random certify found --generator saru-tea --order seeds --program ./battery --threads 1 --test 3",
    );
    said.expect(0).complains(&["seed 20101: suspicious", "seed 2147503749: passed"]);
    assert_eq!(asked(&place), 2);
}

/// The words of the generator of others in the tests below.
const OTHERS: &str = "--generator saru-tea --order particle";

/// The first words that the stand-in read for a test, as it wrote them.
fn read_for(place: &Place, test: &str) -> Vec<String> {
    let lines = place.read("asked.txt");
    let of_test = lines.lines().filter_map(|line| line.strip_prefix(&format!("{test} ")));
    of_test.map(str::to_string).collect()
}

fn first_word(place: &Place) -> String {
    let bytes = stream(place, &format!("{OTHERS} --words 1"));
    format!("{:08x}", u32::from_le_bytes(bytes.try_into().unwrap()))
}

#[test]
fn a_program_of_others_is_started_for_each_test() {
    let place = with_battery(BATTERY);
    let program = env!("CARGO_BIN_EXE_beadwork");
    let script =
        format!("#!/bin/sh\necho \"$*\" >> starts.txt\nexec '{program}' random stream {OTHERS}\n");
    put_program(&place, "mygen.sh", &script);
    let certify = |command: &str, more: &str| {
        let mut words = vec!["random", "certify", "found", "--program", "./battery"];
        words.extend(["--threads", "1", "--command", command]);
        words.extend(more.split_whitespace());
        place.beadwork_of(&words)
    };
    let starts = || place.read("starts.txt").lines().count();
    let said = certify("./mygen.sh --fast", "").expect(0);
    let row = "| mygen-sh | own | command | small-crush | 10 | 12 | 1 (4) | 0 | 1.0e-200 |";
    assert!(said.stdout.contains(row), "{}", said.stdout);
    said.complains(&["mygen-sh small-crush 3, run 1: suspicious", "3, run 2: passed"]);
    // The repetition reads on, and each other test begins with the first word.
    assert_eq!((asked(&place), starts()), (11, 10));
    assert!(place.read("starts.txt").starts_with("--fast\n"));
    let first = first_word(&place);
    assert_eq!(read_for(&place, "1"), std::slice::from_ref(&first));
    let read = read_for(&place, "3");
    assert!(read.len() == 2 && read[0] == first && read[1] != first, "{read:?}");
    let folder = "found/mygen-sh.own.command";
    assert_eq!(place.read(&format!("{folder}/command.txt")), "./mygen.sh --fast\n");
    assert_eq!(place.read(&format!("{folder}/small-crush-003.run-1.txt")), "1e-5 Gap\n");
    // What has a result is not run again; a suspicious run alone is, since no other has the words behind it.
    assert_eq!(certify("./mygen.sh --fast", "").expect(0).stdout, said.stdout);
    assert_eq!((asked(&place), starts()), (11, 10));
    std::fs::remove_file(place.path(&format!("{folder}/small-crush-003.run-2.txt"))).unwrap();
    certify("./mygen.sh --fast", "").expect(0);
    assert_eq!((asked(&place), starts()), (12, 11));
    assert_eq!(place.read(&format!("{folder}/small-crush-003.run-1.txt")), "3e-1 Gap\n");
    // Results of one name are of one command.
    certify("./mygen.sh --slow", "").expect(2).complains(&["another command, ./mygen.sh --fast"]);
    certify("./mygen.sh --slow", "--name slow --test 1").expect(0);
    assert!(place.read("found/slow.own.command/small-crush-001.run-1.txt").ends_with(" Other\n"));
    for more in ["--seed 5", "--generator saru", "--order seeds", "--particles 9"] {
        certify("./mygen.sh", more).expect(2).complains(&["--seed", "of your own program"]);
    }
    certify("./mygen.sh", "more").expect(2).complains(&["two folders"]);
    place.beadwork("random certify found --name a").expect(2).complains(&["--name is for words"]);
}

#[test]
fn words_that_end_before_a_test_are_told() {
    let place = with_battery(GREEDY);
    let certify = |command: &str, name: &str| {
        let words = ["random", "certify", "found", "--program", "./battery", "--test", "1"];
        place.beadwork_of(&[&words[..], &["--command", command, "--name", name]].concat())
    };
    certify("head -c 100000 /dev/zero", "short")
        .expect(2)
        .complains(&["the output of head", "ended after 25000 words"]);
    certify("./nothing-here", "none").expect(2).complains(&["ended after 0 words"]);
    certify("cat /dev/zero", "zeros").expect(0);
}

#[test]
fn standard_input_serves_one_test() {
    let place = with_battery(BATTERY);
    std::fs::write(place.path("words"), stream(&place, &format!("{OTHERS} --words 300000")))
        .unwrap();
    let certify = |arguments: &str| {
        let words = format!("random certify - {arguments} --program ./battery");
        let from = std::fs::File::open(place.path("words")).unwrap();
        crate::common::said(place.command(&words).stdin(from))
    };
    let nothing = place.command("random certify - --test 1 --program ./battery");
    crate::common::said({ nothing }.stdin(std::process::Stdio::null()))
        .expect(2)
        .complains(&["standard input ended after 0 words"]);
    std::fs::remove_file(place.path("asked.txt")).unwrap();
    let said = certify("--test 3").expect(0);
    let row = "| standard-input | own | input | small-crush | 1 | 2 | 0 | 0 | 1.0e-5 |";
    assert!(said.stdout.contains(row), "{}", said.stdout);
    let (read, first) = (read_for(&place, "3"), first_word(&place));
    assert!(read.len() == 2 && read[0] == first && read[1] != first, "{read:?}");
    assert!(!place.path("summary.md").exists());
    // In a folder results are kept, and words that nobody can tell from others are not taken for them.
    certify("found --test 1 --name mine").expect(0);
    assert_eq!(place.read("found/mine.own.input/small-crush-001.run-1.txt"), "5e-1 Other\n");
    assert!(
        place.read("found/summary.md").contains("| mine | own | input | small-crush | 1 | 1 |")
    );
    certify("found --test 1 --name mine").expect(2).complains(&["is there already", "--name"]);
    certify("").expect(2).complains(&["can be read once", "these 10 tests", "--command"]);
    certify("--test 1 --seed 2").expect(2).complains(&["of your own program"]);
    certify("--test 1 --command ./mygen").expect(2).complains(&["choose one of them"]);
}
