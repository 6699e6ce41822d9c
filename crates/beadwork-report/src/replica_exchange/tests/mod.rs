//! Made-up ladders whose energies follow a known law.

pub mod batches;
mod drifts;
mod peaks;
mod shares;

use std::sync::OnceLock;

use beadwork_analysis::table::read_csv;
use beadwork_io::RunFolder;
use beadwork_model::Placement;

use super::columns::CHAINS;
use super::curves::Curves;
use super::ladder::{Ladder, LadderSample};
use super::*;
use crate::data;
use crate::rows::LeftOut;

/// Energies of eight quadratic degrees of freedom at each rung: C = 4 and E = 4 T everywhere.
fn group(ladders: u64, rungs: usize, rows: u64) -> Ladders {
    let mut word = 17_u64;
    let mut uniform = || {
        word = word.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((word >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let span = (rungs - 1) as f64;
    let given: Vec<f64> = (0..rungs).map(|rung| 1.0 + rung as f64 / span).collect();
    let mut ladder = |number: u64| {
        let own = (number + 1) as f64 / 1000.0;
        let between = |t: &f64| t + own * (t - 1.0) * (2.0 - t);
        let mut found = Ladder::new(&given.iter().map(between).collect::<Vec<f64>>());
        for (rung, temperature) in found.temperatures.iter().enumerate() {
            for step in 0..rows {
                let product: f64 = (0..4).map(|_| uniform()).product();
                let values = [-temperature * product.ln(), 0.0, 0.0, 1.0];
                let replica = (rung + step as usize) % rungs;
                found.rows[rung].push(LadderSample { step, replica, values });
            }
        }
        found.swaps = vec![(100.0, 60.0); rungs - 1];
        found
    };
    Ladders {
        group: String::new(),
        about: data::Group::default(),
        kind: &CHAINS,
        beads: 1,
        ladders: (0..ladders).map(|number| (number, ladder(number))).collect(),
        temperatures: given,
        placed_by: Some(Placement::RoundTrips),
        stage: "the last stage".to_string(),
        has_counts: true,
        one_stage: false,
        asked: ladders,
        left_out: LeftOut::default(),
        findings: OnceLock::new(),
    }
}

/// A figure by the stem of its file.
fn svg(groups: &[Ladders], stem: &str) -> String {
    let figures = figures(groups);
    let found = figures.iter().find(|one| one.stem == stem).map(|one| one.figure.to_svg());
    found.unwrap_or_else(|| panic!("no {stem}"))
}

/// The summary of groups.
fn in_words(groups: &[Ladders]) -> String {
    data::Summary { groups: answers(groups).collect(), ..Default::default() }.in_words()
}

fn words(group: Ladders) -> String {
    in_words(&[group])
}

/// Checks that curves follow E = 4 T and C = 4.
fn hold(curves: &Curves, degrees_of_errors: usize) {
    // Four points have two values each; by chance, Student's t exceeds the limit about once in 10,000 values.
    let limit = if degrees_of_errors > 20 { 4.0 } else { 6.5 };
    for point in curves.points.iter().step_by(60) {
        let off = [
            point.energy.deviation(4.0 * point.temperature).unwrap(),
            point.heat_capacity_per_bead.deviation(4.0).unwrap(),
        ];
        assert!(off.iter().all(|off| off.abs() < limit), "{off:?} {point:?}");
        assert!(point.heat_capacity_per_bead.error.unwrap() < 0.4, "{point:?}");
    }
}

/// Ladders are reweighted together, in batches if temperatures are too many, or singly if batches would be too few.
#[test]
fn ladders_with_temperatures_of_their_own_make_one_curve() {
    for (ladders, rungs, rows) in [(9, 4, 200), (9, 60, 60), (3, 172, 40)] {
        let group = group(ladders, rungs, rows);
        let curves = group.findings().curves.as_ref().unwrap();
        // With three ladders, each is cut into sixteen blocks.
        hold(curves, if ladders == 3 { 45 } else { 8 });
        // The error of ⟨E⟩ is T √(4/n), n the effective samples; it is known to a quarter at least.
        let point = &curves.points[120];
        let (error, counted) = (point.energy.error.unwrap(), point.effective_samples);
        let ratio = error / (point.temperature * (4.0 / counted).sqrt());
        assert!((0.25..2.0).contains(&ratio), "{ladders} {rungs}: {ratio}");
    }
}

/// Ladders without rows of the last stage are left out and do not disturb the others.
#[test]
fn ladders_before_the_last_stage_are_left_out() {
    for (ladders, rungs, rows) in [(4, 4, 400), (10, 60, 60)] {
        let mut late = group(ladders, rungs, rows);
        // Clears the first ladder, so that its batch has no samples and figures must use another ladder.
        let first = late.ladder(0);
        first.rows.iter_mut().for_each(Vec::clear);
        first.swaps = vec![(10.0, 1.0); rungs - 1];
        // Clears an inner rung of another ladder, as if its replica had failed.
        late.ladder(1).rows[2].clear();
        // Clears the lowest rung of a third ladder.
        late.ladder(2).rows[0].clear();
        let findings = late.findings();
        hold(findings.curves.as_ref().unwrap(), 6);
        assert_eq!(findings.unplaced, [0]);
        assert_eq!(findings.families.len(), ladders as usize - 1);
        let text = words(late);
        for said in [
            "without rows of the last stage, and left out of all results: ladder 0\n",
            "temperatures as placed of ladder 1: ",
            "least acceptance of exchanges: 60 % ",
        ] {
            assert!(text.contains(said), "no {said} in\n{text}");
        }
        assert!(!text.contains("as placed of ladder 0: ") && !text.contains("no curves"), "{text}");
    }
    let mut none = group(2, 4, 0);
    none.ladder(0);
    assert_eq!(words(none), "no rows of the last stage: no results\n");
}

/// The figure of energies uses the first ladder with samples.
#[test]
fn energies_are_drawn_for_the_first_ladder_with_samples() {
    let mut late = group(3, 3, 40);
    late.ladder(0).rows.iter_mut().for_each(Vec::clear);
    assert!(svg(&[late], "energies").contains("T = 2.0000"));
}

/// The groups share the lines of the figure, each in a panel, and notes name the groups whose temperatures were left out.
#[test]
fn energies_of_several_groups_are_drawn_side_by_side() {
    let drawn = |groups: usize, rungs: usize| {
        let named = |number: usize| {
            let mut one = group(1, rungs, 40);
            one.group = format!("point {number}");
            one
        };
        svg(&(1..=groups).map(named).collect::<Vec<Ladders>>(), "energies")
    };
    let two = drawn(2, 16);
    for point in ["point 1", "point 2"] {
        assert!(two.contains(&format!(">{point}</title>")), "{point}");
        let note = format!("{point}: 8 neighbours in the middle of 16 temperatures.");
        assert!(two.contains(&note), "{note}");
    }
    // Colours are temperatures, which have a scale.
    assert!(!two.contains("T = ") && two.matches("<polyline").count() == 16);
    let nine = drawn(9, 4);
    assert!(nine.contains("point 9: 2 neighbours in the middle of 4 temperatures."));
    assert!((1..=9).all(|point| nine.contains(&format!(">point {point}</title>"))));
    assert_eq!(nine.matches("<polyline").count(), 18);
}

/// If only one ladder of four has rows, the report does not call it "all ladders".
#[test]
fn the_only_ladder_with_rows_keeps_its_number() {
    let mut late = group(4, 4, 200);
    for number in [0, 1, 3] {
        late.ladder(number).rows.iter_mut().for_each(Vec::clear);
    }
    let text = words(late);
    assert!(text.contains("as placed of ladder 2: ") && !text.contains("all ladders"), "{text}");
    assert!(text.contains("left out of all results: ladder 0 1 3\n"), "{text}");
}

/// If a replica fails, the ladder keeps the given temperatures, or those of the last placement.
#[test]
fn temperatures_of_ladders_with_failed_replicas() {
    let mut failed = group(4, 4, 200);
    let given = failed.temperatures.clone();
    for number in [1, 2] {
        failed.ladder(number).failed_early = true;
    }
    failed.ladder(2).temperatures = given;
    let text = words(failed);
    for said in [
        "\ntemperatures as placed of ladder 0: 1 1.3336 ",
        "\ntemperatures as placed before a replica failed of ladder 1: 1 1.3338 ",
        "\ntemperatures not placed, since a replica failed before of ladder 2: 1 1.3333 ",
        "\ntemperatures as placed of ladder 3: ",
    ] {
        assert!(text.contains(said), "no {said} in\n{text}");
    }
}

/// The report names ladders that should have been placed for round trips and were placed otherwise.
#[test]
fn ladders_placed_by_another_rule_are_listed() {
    let named = |by: &str, asked: Placement| {
        let mut group = group(4, 4, 200);
        group.placed_by = Some(asked);
        for number in [0, 1, 2] {
            group.ladder(number).placed_by = by.to_string();
        }
        group.ladder(3).placed_by = Placement::RoundTrips.name().to_string();
        group.ladder(1).rows.iter_mut().for_each(Vec::clear);
        let text = words(group);
        text.lines().find(|line| line.contains("and not for round trips")).map(String::from)
    };
    let said = named("acceptance", Placement::RoundTrips).unwrap();
    assert!(said.contains("by acceptance and not for round trips, in ladder 0 2: make"), "{said}");
    assert_eq!(named("acceptance", Placement::Acceptance), None);
    assert_eq!(named("round-trips", Placement::RoundTrips), None);
    // Older run folders do not store the rule.
    assert_eq!(named("", Placement::RoundTrips), None);
}

/// A file written before the last placement has no counts for the new temperatures.
#[test]
fn exchanges_of_other_temperatures_are_not_counted() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(&place.path().join("run")).unwrap().0;
    let read = |moved: f64| {
        let mut group = group(4, 4, 200);
        let mut text = String::from(
            "first_replica,rung,temperature,attempted,accepted,upward,downward,round_trips,placed_by\n",
        );
        for (number, ladder) in &mut group.ladders {
            ladder.swaps = vec![(0.0, 0.0); 3];
            for (rung, temperature) in ladder.temperatures.iter().enumerate() {
                // Moves the inner rungs of ladder 2.
                let factor = if *number == 2 && (1..3).contains(&rung) { moved } else { 1.0 };
                let counts = if rung < 3 { "100,70" } else { "," };
                text += &format!(
                    "{},{rung},{},{counts},9,9,2,acceptance\n",
                    4 * number,
                    temperature * factor
                );
            }
        }
        std::fs::write(folder.root().join("exchange.csv"), text).unwrap();
        group.add_exchanges(&folder, &(0..16)).unwrap();
        let ladder = &group.ladders[&2];
        ((ladder.swaps[1], ladder.round_trips), words(group))
    };
    let (counts, text) = read(1.0);
    assert_eq!(counts, ((100.0, 70.0), 8.0));
    assert!(text.contains("not for round trips, in ladder 0 1 2 3: make"), "{text}");
    let (counts, text) = read(1.01);
    assert_eq!(counts, ((0.0, 0.0), 0.0));
    assert!(text.contains("not for round trips, in ladder 0 1 3: make"), "{text}");
    assert!(text.contains("least acceptance of exchanges: 70 % "), "{text}");
    for (ladder, accepted) in [(1, Some("70 70 70 %")), (2, None)] {
        let after = |what: &str| {
            let start = format!("{what} of ladder {ladder}: ");
            text.lines().find_map(|line| Some(line.split_once(&start)?.1))
        };
        assert!(after("temperatures as placed").unwrap().ends_with(" 2"), "{text}");
        assert_eq!(after("accepted exchanges"), accepted, "{text}");
    }
    // Three ladders with four replicas each make eight round trips each.
    assert!(text.contains("round trips: 24 ("), "{text}");
}

/// The flow is the share of replicas that came from the lower end; rungs without visits have none.
#[test]
fn the_flow_of_replicas_is_drawn() {
    let place = tempfile::tempdir().unwrap();
    let folder = RunFolder::create(&place.path().join("run")).unwrap().0;
    let mut group = at_given_temperatures(2, 4, 40);
    let mut text = String::from(
        "first_replica,rung,temperature,attempted,accepted,upward,downward,round_trips\n",
    );
    for (number, ladder) in &group.ladders {
        let flow = [(8, 0), (7, 1), (0, 0), (0, 9)];
        for (rung, ((up, down), temperature)) in flow.iter().zip(&ladder.temperatures).enumerate() {
            let (first, counts) = (4 * number, if rung < 3 { "100,70" } else { "," });
            // At this rung, the second ladder has as many up as down; in the first, seven of eight go up.
            let (up, down) = if (*number, rung) == (1, 1) { (4, 4) } else { (*up, *down) };
            text += &format!("{first},{rung},{temperature},{counts},{up},{down},2\n");
        }
    }
    std::fs::write(folder.root().join("exchange.csv"), text).unwrap();
    assert_eq!(group.ladder(0).flow, [(0.0, 0.0); 4]);
    group.add_exchanges(&folder, &(0..8)).unwrap();
    let family = &group.findings().families[0];
    assert_eq!(family.flow, [(16.0, 0.0), (11.0, 5.0), (0.0, 0.0), (0.0, 18.0)]);
    let svg = svg(&[group], "flow");
    assert!(svg.contains("from the lowest temperature, of those from either end"), "{svg}");
}

/// Energies at temperatures too far apart cannot be compared, and a note says so.
#[test]
fn neighbours_without_overlap_are_not_compared() {
    let mut apart = group(2, 3, 400);
    for number in [0, 1] {
        for row in &mut apart.ladder(number).rows[2] {
            row.values[0] += 1_000.0;
        }
    }
    let text = words(apart);
    let said = "note: energies of 2 of 4 pair(s) of neighbours could not be compared: they overlap too little";
    assert!(text.contains(said), "{text}");
}

/// Ladders at the given temperatures, with round trips.
fn at_given_temperatures(ladders: u64, rungs: usize, rows: u64) -> Ladders {
    let mut group = group(ladders, rungs, rows);
    group.placed_by = None;
    for number in 0..ladders {
        let given = group.temperatures.clone();
        let ladder = group.ladder(number);
        (ladder.temperatures, ladder.round_trips) = (given, 100.0);
    }
    group
}

/// If ladders have temperatures of their own, the note lists temperatures with too few rows by ladder.
#[test]
fn temperatures_with_too_few_rows_are_listed_by_ladder() {
    let text = words(group(2, 3, 12));
    let said = "note: at 6 temperature(s), 1.0000 1.5003 2.0000 of ladder 0, 1.0000 1.5005 2.0000 of ladder 1, there are too few rows";
    assert!(text.contains(said), "{text}");
    let text = words(at_given_temperatures(2, 3, 12));
    assert!(text.contains("note: at 3 temperature(s), 1.0000 1.5000 2.0000, there are"), "{text}");
}

/// The note advises eight ladders if the run has fewer, and waiting for them if it has eight.
#[test]
fn eight_ladders_are_advised_only_if_the_run_has_fewer() {
    let advice = |ladders: u64, asked: u64, change: &dyn Fn(&mut Ladders)| {
        let mut few = at_given_temperatures(ladders, 4, 12);
        few.asked = asked;
        change(&mut few);
        let text = words(few);
        text.split_once("along exchanged replicas; run longer")
            .expect("too few rows")
            .1
            .trim()
            .to_string()
    };
    assert_eq!(advice(2, 7, &|_| {}), ", or eight ladders");
    // Six of the eight ladders have not begun.
    assert_eq!(advice(2, 8, &|_| {}), ", or until eight ladders have rows of the last stage");
    let failed = |group: &mut Ladders| {
        let ladder = group.ladder(1);
        ladder.rows.iter_mut().for_each(Vec::clear);
        ladder.failed_early = true;
    };
    assert_eq!(advice(2, 8, &failed), "");
    assert_eq!(advice(2, 2, &|group| group.placed_by = Some(Placement::Acceptance)), "");
    // The replicas of one temperature failed.
    let holes = |group: &mut Ladders| (0..6).for_each(|one| group.ladder(one).rows[1].clear());
    assert_eq!(advice(8, 8, &holes), "");
}

/// Errors rely on times along the replicas until eight ladders have samples on all rungs.
#[test]
fn errors_count_only_ladders_with_samples_on_all_rungs() {
    let times = |cleared: &dyn Fn(&mut Ladders)| {
        let mut group = group(8, 3, 400);
        cleared(&mut group);
        replica_times::replica_times(&group.ladders.values().collect::<Vec<_>>())[0]
    };
    assert!(times(&|_| {}).is_none());
    let four = |group: &mut Ladders| {
        (0..4).for_each(|one| group.ladder(one).rows.iter_mut().for_each(Vec::clear));
    };
    assert!(times(&four).is_some());
    assert!(times(&|group| group.ladder(5).rows[1].clear()).is_some());
}
