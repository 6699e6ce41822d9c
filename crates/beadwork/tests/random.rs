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

/// A folder in which the program `battery` is this script.
fn with_battery(script: &str) -> Place {
    let place = Place::new();
    place.write("battery", script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("battery"), executable).unwrap();
    place
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
