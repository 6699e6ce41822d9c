//! Groups of made curves.

mod counts;
mod limits;
mod many_cycles;

use beadwork_analysis::indentation::{Criteria, Curve};
use beadwork_analysis::picture::Scene;
use beadwork_analysis::plot::{Colour, Style};
use beadwork_model::Units;
use beadwork_model::observables::Observable;

use super::replicas::{IndentedGroup, Way, read};
use super::setup::Setup;
use super::*;
use crate::data::{self, Code};

/// A tip that goes with its base, 0.01 nm a row for `out` rows and back if it `turns`; in contact from 1 nm on. The force out
/// is `stiffness` times the deformation, that back half of it.
fn curve(stiffness: f64, out: usize, turns: bool) -> Curve {
    let mut curve = Curve::default();
    let rows = if turns { 2 * out } else { out };
    let (mut work, mut before) = (0.0, (0.0, 0.0));
    for row in 0..=rows {
        let base = 0.01 * if row <= out { row } else { 2 * out - row } as f64;
        let depth = base - 1.0;
        let force = stiffness * depth.max(0.0) * if row <= out { 1.0 } else { 0.5 };
        work += 0.5 * (force + before.1) * (base - before.0);
        before = (base, force);
        curve.time.push(row as f64);
        curve.base.push(base);
        curve.deformation.push(depth);
        curve.force.push(force + 2.0);
        curve.tip_force.push(force);
        curve.work.push(work);
        curve.energy.push(-100.0);
        curve.contacts.push(f64::NAN);
        curve.contacts_between.push(f64::NAN);
    }
    curve.contact = curve.deformation.iter().position(|depth| *depth >= 0.0);
    curve
}

/// A curve, and behind it the same once more.
fn twice(one: &Curve) -> Curve {
    let twice = |values: &[f64]| [values, &values[1..]].concat();
    Curve {
        time: twice(&one.time),
        base: twice(&one.base),
        deformation: twice(&one.deformation),
        contact: one.contact,
        force: twice(&one.force),
        tip_force: twice(&one.tip_force),
        work: twice(&one.work),
        energy: twice(&one.energy),
        contacts: twice(&one.contacts),
        contacts_between: twice(&one.contacts_between),
    }
}

fn setup(turns: bool) -> Setup {
    Setup {
        units: Units::Real,
        stages: 0..1,
        stage_names: vec!["indent".into()],
        criteria: Criteria {
            window_points: 1,
            prominence: 40.0,
            contact_force: 10.0,
            radius: 9.0,
            tip_friction: 0.0,
            slope: None,
            hertz: None,
        },
        interval: 20.0,
        turns,
        direction: [0.0, 0.0, -1.0],
        drag_of_beads: (250.0, 28_620),
        drag_of_tip: 87.0,
        temperature: 300.0,
        has_starts: false,
        is_shaken: false,
        native_contacts: [120, 24],
        energy: Observable::TotalEnergy,
        added: 0,
        others: Vec::new(),
    }
}

fn group(curves: &[Curve], turns: bool) -> IndentedGroup {
    group_with(setup(turns), curves)
}

fn group_with(setup: Setup, curves: &[Curve]) -> IndentedGroup {
    let about = data::Group { replicas: curves.len(), ..data::Group::default() };
    let mut group = IndentedGroup::new(about, setup.clone());
    for (number, curve) in (0..).zip(curves) {
        group.add(read(number, curve, &setup));
    }
    group
}

fn near(found: Option<f64>, expected: f64, tolerance: f64) {
    assert!(
        found.is_some_and(|found| (found - expected).abs() < tolerance),
        "{found:?} {expected}"
    );
}

fn text(answer: &data::Group, code: Code) -> Option<String> {
    let found = answer.findings.iter().find(|finding| finding.code == code);
    found.map(|finding| finding.text.clone())
}

/// Two replicas of 30 and 34 pN/nm, pressed 3 nm: means 32 pN/nm and 98 pN with the offset of 2 pN.
#[test]
fn values_are_means_over_replicas_with_errors() {
    let answer = group(&[curve(30.0, 400, true), curve(34.0, 400, true)], true).answer();
    let value = |name: &str| answer.value(name).unwrap_or_else(|| panic!("no {name}"));
    let slope = value("initial_slope");
    near(slope.value, 32.0, 1e-9);
    near(slope.error, 2.0, 1e-9);
    assert_eq!((slope.unit.as_str(), slope.independent_values), ("pN/nm", Some(2.0)));
    near(value("peak_force").value, 98.0, 1e-9);
    near(value("peak_force_on_tip").value, 96.0, 1e-9);
    near(value("peak_deformation").value, 3.0, 1e-9);
    // Half of 32 · 3²/2 comes back.
    near(value("work_out").value, 144.0, 1e-6);
    near(value("dissipated_work").value, 72.0, 0.5);
    near(value("contact_share").value, 1.0, 1e-12);
    near(value("drag_of_beads").value, 250.0, 1e-12);
    assert!(answer.value("contacts_lost_at_peak").is_none() && answer.value("slope").is_none());
    let words = data::Summary { groups: vec![answer.clone()], ..Default::default() }.in_words();
    let largest = "largest force (no peak passed): 98.0 ± 6.0 pN (standard error of 2";
    assert!(words.starts_with(largest), "{words}");
    assert!(words.contains("deformation at the largest force: 3"), "{words}");
    assert!(words.contains("ζv on the cantilever, up to 87 pN, plus on approach"), "{words}");
    let drag = text(&answer, Code::Drag).unwrap();
    assert!(drag.contains("up to 250 pN") && drag.contains("28620 beads"), "{drag}");
    assert!(
        drag.contains("87 pN more") && drag.contains("beside a largest force of 98 pN"),
        "{drag}"
    );
    assert!(drag.contains("may be up to all of it;"), "{drag}");
    assert!(text(&answer, Code::NoPeak).unwrap().contains("2 of 2 replica(s)"));
    assert!(text(&answer, Code::ColdTip).unwrap().contains("a bath of 0 K for"));
    let reduced = Setup { units: Units::Reduced, ..setup(true) };
    let reduced = group_with(reduced, &[curve(30.0, 400, true)]).answer();
    assert!(text(&reduced, Code::ColdTip).unwrap().contains("a bath of temperature 0 for"));
    assert!(text(&answer, Code::FewValues).unwrap().contains("2 replicas"));
    // Hertz's law is fitted up to half of the rise, 1.5 nm of 9 nm.
    assert!(text(&answer, Code::HalfSpace).unwrap().contains("up to 17 %"));
    assert!(text(&answer, Code::NoContact).is_none());
}

#[test]
fn the_mean_curve_tells_approach_and_retraction_apart() {
    let all = group(&[curve(30.0, 400, true), curve(34.0, 400, true)], true).mean_curve();
    let at = |way: Way, depth: f64| {
        all.iter()
            .find(|bin| bin.way == way && (bin.deformation - depth).abs() < 0.5 * 0.05)
            .unwrap_or_else(|| panic!("{all:?}"))
    };
    // Bins of 0.05 nm: 50 bins in 3 nm, rounded.
    let out = at(Way::Approach, 2.025);
    near(Some(out.means[0]), 2.0 + 32.0 * 2.025, 0.2);
    near(Some(out.means[1]), 32.0 * 2.025, 0.2);
    near(out.errors[1], 2.0 * 2.025, 0.02);
    assert_eq!(out.replicas, 2);
    near(Some(at(Way::Retraction, 2.025).means[1]), 16.0 * 2.025, 0.2);
    assert!(all.iter().all(|bin| bin.deformation >= -3.0));
}

#[test]
fn tables_have_a_line_for_each_cycle_and_bin() {
    let groups = [group(&[curve(30.0, 400, false), curve(34.0, 90, false)], false)];
    let about = [groups[0].answer()];
    let [replicas, curve] = tables(&groups).try_into().unwrap();
    let text = replicas.to_csv(&about);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("group,replica,cycle,contact,peak_passed,peak_force_pN,"));
    assert!(lines[1].starts_with(",0,1,yes,no,92,3,90,90,"), "{}", lines[1]);
    assert!(lines[2].starts_with(",1,1,no,,,,"), "{}", lines[2]);
    let text = curve.to_csv(&about);
    assert!(
        text.starts_with(
            "group,cycle,way,deformation_nm,force_pN,force_standard_error_pN,tip_force_pN,tip_force_standard_error_pN,replicas\n,1,approach,"
        ),
        "{text}"
    );
    assert!(tables(&[]).is_empty() && figures(&[]).is_empty());
}

#[test]
fn a_tip_that_does_not_touch_says_so() {
    let missed = |turns: bool| group(&[curve(30.0, 90, turns)], turns).answer();
    let early = text(&missed(true), Code::NoContact).unwrap();
    assert!(early.starts_with("the base of 1 of 1 replica(s) turned after 0.9 nm"), "{early}");
    let never = text(&missed(false), Code::NoContact).unwrap();
    assert!(never.contains("never came into contact"), "{never}");
    assert!(missed(false).value("peak_force").is_none());
    assert!(text(&missed(false), Code::ColdTip).is_none());
    near(missed(false).value("contact_share").unwrap().value, 0.0, 1e-12);
    let mut running = group(&[curve(30.0, 90, false)], false);
    running.members[0].is_running = true;
    assert!(running.answer().value("contact_share").is_none());
    let stands = Curve {
        time: vec![0.0, 1.0],
        base: vec![0.0; 2],
        deformation: vec![f64::NAN; 2],
        force: vec![0.0; 2],
        tip_force: vec![0.0; 2],
        work: vec![0.0; 2],
        energy: vec![0.0; 2],
        contacts: vec![0.0; 2],
        contacts_between: vec![0.0; 2],
        contact: None,
    };
    let answer = group(&[stands], false).answer();
    assert!(text(&answer, Code::NoValues).unwrap().contains("has not moved"), "{answer:?}");
}

#[test]
fn drives_whose_force_tables_add_are_named() {
    let mut both = group(&[curve(30.0, 400, false)], false);
    assert_eq!(text(&both.answer(), Code::NotMeasured), None);
    both.setup.added = 1;
    let added = text(&both.answer(), Code::NotMeasured).unwrap();
    assert!(added.contains("1 other drive(s) of stage \"indent\""), "{added}");
    let one = text(&both.answer(), Code::FewValues).unwrap();
    assert!(one.starts_with("one replica"), "{one}");
}

/// A second cycle has values of its own.
#[test]
fn cycles_are_told_apart() {
    let both = twice(&curve(30.0, 300, true));
    let group = group(&[both], true);
    let answer = group.answer();
    let peaks: Vec<(&str, Option<f64>)> = answer
        .values
        .iter()
        .filter(|value| value.name == "peak_force")
        .map(|value| (value.of.as_str(), value.value))
        .collect();
    assert_eq!(peaks, [("cycle 1", Some(62.0)), ("cycle 2", Some(62.0))]);
    let figures = figures(&[group]);
    let labels: Vec<&str> =
        figures[0].figure.series.iter().map(|series| series.label.as_str()).collect();
    assert!(labels.contains(&"cycle 2, retraction"), "{labels:?}");
    let mut colours: Vec<(Colour, usize)> = figures[0]
        .figure
        .series
        .iter()
        .filter(|series| !series.label.is_empty())
        .map(|series| (series.colour, series.dash))
        .collect();
    colours.dedup();
    // Each cycle has a colour, dashed on the way back.
    assert_eq!(
        colours,
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(n, dash)| (Colour::Palette(n), dash))
    );
    // No peak is passed: rings in the colours of their cycles.
    let rings = figures[0].figure.series.iter().filter(|series| series.style == Style::Rings);
    let rings: Vec<Colour> = rings.map(|series| series.colour).collect();
    assert_eq!(rings, [0, 1].map(Colour::Palette));
}

/// The first cycle reaches 60 + 2 pN. The second is empty down to 1.5 nm and reaches 30 · 0.5 + 2 pN, of which friction may be all.
#[test]
fn a_later_cycle_has_its_own_contact_and_friction() {
    let mut both = twice(&curve(30.0, 300, true));
    for sample in 601..both.time.len() {
        let force = 30.0 * (both.deformation[sample] - 1.5).max(0.0);
        (both.force[sample], both.tip_force[sample]) = (force + 2.0, force);
    }
    let mut group = group(std::slice::from_ref(&both), true);
    group.setup.drag_of_beads.0 = 10.0;
    group.setup.drag_of_tip = 8.0;
    let answer = group.answer();
    let second = |name: &str| {
        let mut all = answer.values.iter();
        all.find(|value| value.name == name && value.of == "cycle 2").and_then(|value| value.value)
    };
    // The first row with more than 10 pN.
    near(second("contact_deformation"), 1.84, 1e-9);
    near(second("initial_slope"), 30.0, 1e-6);
    let drag = text(&answer, Code::Drag).unwrap();
    assert!(
        drag.contains(
            "of 62 pN in cycle 1 and 17 pN in cycle 2: it may be up to all of it in cycle 2;"
        ),
        "{drag}"
    );
    // One whose force stays below that of a contact has none, and no values of one.
    both.tip_force[601..].iter_mut().for_each(|force| *force *= 0.5);
    let answer = self::group(&[both], true).answer();
    let early = text(&answer, Code::NoContact).unwrap();
    assert!(early.contains("1 of 2 approach(es)") && early.contains("no peak, slope"), "{early}");
    let is_second = |value: &&data::Value| value.of == "cycle 2";
    let names: Vec<&str> =
        answer.values.iter().filter(is_second).map(|value| value.name.as_str()).collect();
    assert_eq!(names, ["work_out", "work_back", "dissipated_work"]);
}

/// Ten contacts between chains are lost in each nm of 20, of 100 contacts in all.
#[test]
fn contacts_between_chains_have_values_and_a_figure() {
    let mut one = curve(30.0, 250, false);
    for sample in 0..one.time.len() {
        let lost = 10.0 * one.deformation[sample].max(0.0);
        one.contacts[sample] = 100.0 - lost;
        one.contacts_between[sample] = 20.0 - lost;
    }
    let with = group(std::slice::from_ref(&one), false);
    let answer = with.answer();
    for name in ["contacts_lost_at_peak", "contacts_between_chains_lost_at_peak"] {
        near(answer.value(name).unwrap().value, 15.0, 1e-9);
    }
    near(answer.value("contacts_between_chains_lost_at_end").unwrap().value, 15.0, 1e-9);
    let figures = figures(&[with]);
    let stem = "contacts-between-chains-deformation";
    let drawn = &figures.iter().find(|one| one.stem == stem).unwrap().figure;
    let last = drawn.series[0].points.last().copied();
    near(last.map(|point| point.0), 1.5, 1e-9);
    near(last.map(|point| point.1), 5.0, 1e-9);
    // One chain has contacts, and none with another chain.
    one.contacts_between.fill(0.0);
    let alone = group(&[one], false);
    assert!(alone.answer().value("contacts_between_chains_lost_at_peak").is_none());
    let stems: Vec<String> = self::figures(&[alone]).into_iter().map(|one| one.stem).collect();
    let has = |stem: &str| stems.iter().any(|one| one == stem);
    assert!(has("contacts-deformation") && !has(stem), "{stems:?}");
}

#[test]
fn drags_that_differ_say_of_which_run_they_are() {
    let named = |name: &str, drag: f64| {
        let mut group = group(&[curve(30.0, 250, false)], false);
        group.about.name = name.into();
        group.setup.drag_of_tip = drag;
        group
    };
    let notes = |other: f64| -> Vec<String> {
        let drawn = figures(&[named("slow", 87.0), named("fast", other)]);
        let notes = drawn.into_iter().flat_map(|one| one.figure.notes);
        notes.filter(|note| note.to_lowercase().contains("drag: a tip")).collect()
    };
    let same = notes(87.0);
    assert!(same.len() == 1 && same[0].starts_with("Drag: a tip that moves"), "{same:?}");
    let differing = notes(1740.0);
    let [slow, fast] = differing.as_slice() else { panic!("{differing:?}") };
    assert!(slow.starts_with("slow: drag: a tip") && slow.contains("up to 87"), "{slow}");
    assert!(fast.starts_with("fast: drag: a tip") && fast.contains("up to 1740"), "{fast}");
}

/// Of 60 and 2 pN/nm the mean is 31 with an error of 29.
#[test]
fn replicas_that_do_not_agree_have_no_modulus() {
    let near_ones = group(&[curve(30.0, 400, false), curve(34.0, 400, false)], false).answer();
    assert!(near_ones.value("reduced_modulus").is_some());
    let group = group(&[curve(60.0, 400, false), curve(2.0, 400, false)], false);
    let answer = group.answer();
    assert!(answer.value("reduced_modulus").is_none() && answer.value("hertz_zero").is_none());
    let none = |finding: &&data::Finding| finding.text.contains("do not agree on one");
    let finding = answer.findings.iter().find(none).unwrap();
    assert_eq!(finding.code, Code::NotMeasured);
    assert!(finding.text.starts_with("no modulus by Hertz: 2 replicas"), "{finding}");
    assert!(text(&answer, Code::HalfSpace).is_none());
    // Single ones stay in the table.
    assert!(group.members[0].cycles[0].pressed.hertz.is_some());
}

/// A window that is longer than a curve averages nothing, and no caption says that it does.
#[test]
fn captions_say_what_is_drawn() {
    let notes = |window: usize| {
        let mut setup = setup(false);
        setup.criteria.window_points = window;
        let mut group = IndentedGroup::new(data::Group::default(), setup.clone());
        for number in 0..2 {
            group.add(read(number, &curve(30.0, 400, false), &setup));
        }
        figures(&[group])[1].figure.notes[0].clone()
    };
    let usual = notes(10);
    assert!(usual.starts_with("Thin: running average, window 10 points = 200 ns,"), "{usual}");
    assert!(usual.contains("bold: mean over replicas of their rows, without a running"), "{usual}");
    let long = notes(1_000);
    assert!(long.starts_with("Line: mean over") && !long.contains("1000"), "{long}");
}

/// Groups without pictures leave their place to those after them.
#[test]
fn four_groups_have_pictures() {
    let with = |has: bool| {
        let mut one = group(&[], false);
        one.pictures.extend(has.then(|| ("shell-peak", Scene::default())));
        one
    };
    let mut groups: Vec<IndentedGroup> = [true, false, true, true].map(&with).into();
    assert!(have_room(&groups));
    groups.push(with(true));
    assert!(!have_room(&groups));
    let stems: Vec<String> = pictures(&groups).into_iter().map(|(stem, _)| stem).collect();
    assert_eq!(stems, ["shell-peak-0", "shell-peak-1", "shell-peak-2", "shell-peak-3"]);
}
