//! Groups of made curves.

use beadwork_analysis::indentation::{Criteria, Curve};
use beadwork_analysis::picture::Scene;

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
    }
    curve
}

fn setup(turns: bool) -> Setup {
    let criteria =
        Criteria { window_points: 1, prominence: 40.0, radius: 9.0, slope: None, hertz: None };
    Setup {
        stage_names: vec!["indent".into()],
        criteria,
        interval: 20.0,
        turns,
        contact_force: 10.0,
        drag_of_beads: (250.0, 28_620),
        drag_of_tip: 87.0,
        temperature: 300.0,
        ..Setup::default()
    }
}

fn group(curves: &[Curve], turns: bool) -> IndentedGroup {
    let about = data::Group { replicas: curves.len(), ..data::Group::default() };
    let setup = setup(turns);
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
    assert!(words.starts_with("peak force: 98.0 ± 6.0 pN (standard error of 2"), "{words}");
    let drag = text(&answer, Code::Drag).unwrap();
    assert!(drag.contains("up to 250 pN") && drag.contains("28620 beads"), "{drag}");
    assert!(drag.contains("87 pN more") && drag.contains("beside a peak of 98 pN"), "{drag}");
    assert!(text(&answer, Code::NoPeak).unwrap().contains("2 of 2 replica(s)"));
    assert!(text(&answer, Code::ColdTip).is_some());
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
    near(Some(out.forces[0]), 2.0 + 32.0 * 2.025, 0.2);
    near(Some(out.forces[1]), 32.0 * 2.025, 0.2);
    near(out.errors[1], 2.0 * 2.025, 0.02);
    assert_eq!(out.replicas, 2);
    near(Some(at(Way::Retraction, 2.025).forces[1]), 16.0 * 2.025, 0.2);
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
    let stands = Curve {
        time: vec![0.0, 1.0],
        base: vec![0.0; 2],
        deformation: vec![f64::NAN; 2],
        force: vec![0.0; 2],
        tip_force: vec![0.0; 2],
        work: vec![0.0; 2],
        energy: vec![0.0; 2],
        contacts: vec![0.0; 2],
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
    let one = curve(30.0, 300, true);
    let twice = |values: &[f64]| [values, &values[1..]].concat();
    let both = Curve {
        time: twice(&one.time),
        base: twice(&one.base),
        deformation: twice(&one.deformation),
        force: twice(&one.force),
        tip_force: twice(&one.tip_force),
        work: twice(&one.work),
        energy: twice(&one.energy),
        contacts: twice(&one.contacts),
    };
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
        figures[0].1.series.iter().map(|series| series.label.as_str()).collect();
    assert!(labels.contains(&"cycle 2, retraction"), "{labels:?}");
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
