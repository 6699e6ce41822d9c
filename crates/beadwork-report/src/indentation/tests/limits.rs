//! What an answer says of slopes that friction or scatter makes, of ranges beyond the data, of contacts in all, and of replicas that
//! failed.

use super::*;

/// pN ns/nm, of a tip.
const FRICTION: f64 = 100.0;

/// A curve of 30 pN/nm whose tip takes up speed from contact on, 0.3 nm/ns for each nm: its drag is 30 pN/nm more for the cantilever.
fn dragged() -> Curve {
    let mut one = curve(30.0, 400, false);
    for row in 1..one.time.len() {
        let speed = 0.1 + 0.3 * one.deformation[row].max(0.0);
        one.time[row] = one.time[row - 1] + 0.01 / speed;
        one.force[row] += FRICTION * speed;
    }
    one
}

fn with_friction(curves: &[Curve]) -> IndentedGroup {
    let mut setup = setup(false);
    setup.criteria.tip_friction = FRICTION;
    group_with(setup, curves)
}

#[test]
fn slopes_that_the_drag_of_the_tip_makes_are_named() {
    let one = dragged();
    let group = with_friction(std::slice::from_ref(&one));
    let answer = group.answer();
    near(answer.value("initial_slope").unwrap().value, 60.0, 1e-3);
    near(answer.value("initial_slope_on_tip").unwrap().value, 30.0, 1e-3);
    near(answer.value("initial_slope_of_drag").unwrap().value, 30.0, 1e-3);
    let said = text(&answer, Code::SlopesDiffer).unwrap();
    let begin = "the initial slope of the cantilever's force is 60 pN/nm and that of the force on the tip 30 pN/nm over the same depths";
    assert!(said.starts_with(begin), "{said}");
    assert!(said.contains("makes 30 pN/nm of the first"), "{said}");
    assert!(said.ends_with("so that of the force on the tip is the molecule's"), "{said}");
    // Other drives have a part in the force of the cantilever, and noise of the tip in that of one replica.
    let mut other = with_friction(std::slice::from_ref(&one));
    other.setup.added = 1;
    assert_eq!(text(&other.answer(), Code::SlopesDiffer), None);
    let mut shaken = with_friction(&[one]);
    shaken.setup.is_shaken = true;
    assert_eq!(text(&shaken.answer(), Code::SlopesDiffer), None);
}

/// The force on the tip of one replica is 10 pN/nm where its cantilever has 30 and the tip no drag.
#[test]
fn slopes_of_forces_that_scatter_are_told_from_those_of_drag() {
    let mut one = curve(30.0, 400, false);
    one.tip_force.iter_mut().for_each(|force| *force /= 3.0);
    let said = text(&group(std::slice::from_ref(&one), false).answer(), Code::SlopesDiffer);
    let said = said.unwrap();
    assert!(said.contains("makes 0 pN/nm of the first, so the molecule's is 30 pN/nm"), "{said}");
    assert!(said.contains("is of single moments, which scatter"), "{said}");
    // Replicas of 10 and 110 pN/nm on the tip, whose mean of 60 has an error of 50, say nothing against 30.
    let mut other = curve(30.0, 400, false);
    other.tip_force.iter_mut().for_each(|force| *force *= 11.0 / 3.0);
    let both = group(&[one, other], false).answer();
    near(both.value("initial_slope_on_tip").unwrap().value, 60.0, 1e-6);
    assert_eq!(text(&both, Code::SlopesDiffer), None);
}

/// A line between 0.5 and 1 nm, on 51 rows, with windows of 40 and 60.
#[test]
fn slopes_over_less_than_a_window_are_named() {
    let said = |window_points: usize| {
        let mut setup = setup(false);
        setup.criteria.slope = Some((0.5, 1.0));
        setup.criteria.window_points = window_points;
        let answer = group_with(setup, &[curve(30.0, 400, false)]).answer();
        assert!(answer.value("slope").is_some());
        text(&answer, Code::ShortRange)
    };
    assert_eq!(said(40), None);
    let said = said(60).unwrap();
    let begin = "the slope of 1 of 1 replica(s) rests on averages at as few as 5";
    assert!(said.starts_with(begin) && said.contains("(window 60 points"), "{said}");
}

/// The tip goes to and fro beside its beads: 500 pN at each second row, where its cantilever has at most 90 and it has no drag.
#[test]
fn forces_that_the_way_of_a_tip_contradicts_are_named() {
    let said = |force: f64, window_points: usize| {
        let mut setup = setup(false);
        setup.criteria.window_points = window_points;
        let mut one = curve(30.0, 400, false);
        one.tip_force.iter_mut().step_by(2).for_each(|own| *own += force);
        text(&group_with(setup, &[one]).answer(), Code::UnstableTip)
    };
    let found = said(500.0, 10).unwrap();
    let begin = "the averaged force on the tip of 1 of 1 replica(s) is up to 33";
    assert!(found.starts_with(begin) && found.contains("say at most 9"), "{found}");
    // Twice that of the way and 40 pN are allowed; single rows scatter.
    assert_eq!((said(200.0, 10), said(500.0, 1)), (None, None));
}

#[test]
fn replicas_at_temperature_0_are_the_same() {
    let mut setup = setup(false);
    setup.temperature = 0.0;
    let both = [curve(30.0, 400, false), curve(30.0, 400, false)];
    let answer = group_with(setup.clone(), &both).answer();
    let said = text(&answer, Code::FewValues).unwrap();
    assert!(said.starts_with("nothing is random at temperature 0"), "{said}");
    // With starts of their own they differ.
    setup.has_starts = true;
    let said = text(&group_with(setup, &both).answer(), Code::FewValues).unwrap();
    assert!(said.starts_with("errors rest on 2 replicas"), "{said}");
}

#[test]
fn ranges_before_contact_begin_there() {
    let mut setup = setup(false);
    setup.criteria.slope = Some((-5.0, 1.0));
    let said = text(&group_with(setup, &[curve(30.0, 400, false)]).answer(), Code::BeyondData);
    assert!(said.unwrap().starts_with("`slope` asks for -5 to 1 nm, and what is fitted begins"));
}

/// One of three follows Hertz's law, then two of four.
#[test]
fn a_modulus_of_few_replicas_is_not_that_of_all() {
    let with = |force: fn(f64) -> f64| {
        let mut one = curve(30.0, 400, false);
        one.tip_force = one.deformation.iter().map(|depth| force(depth.max(0.0))).collect();
        one
    };
    let follows = with(|depth| 80.0 * depth.powf(1.5));
    let falls = with(|depth| 12.0 - depth);
    let few = group(&[follows.clone(), falls.clone(), falls.clone()], false).answer();
    assert!(few.value("reduced_modulus").is_none() && text(&few, Code::HalfSpace).is_none());
    let is_of_few = |one: &data::Finding| one.text.contains("is given for all");
    let said = few.findings.iter().find(|one| is_of_few(one)).unwrap();
    assert!(said.text.contains(": 1 of 3 replica(s) follow the law"), "{said}");
    let half = group(&[follows.clone(), follows, falls.clone(), falls], false).answer();
    assert!(half.value("reduced_modulus").is_some() && !half.findings.iter().any(is_of_few));
}

/// A drag of 87 pN on a way of 4 nm.
#[test]
fn works_say_what_the_tip_takes_of_them() {
    let answer = group(&[curve(30.0, 400, true)], true).answer();
    let from = &answer.value("dissipated_work").unwrap().basis;
    assert!(from.contains("It makes up to 348 pN nm of the work of each way"), "{from}");
}

/// The tip comes 3 nm deep, in steps of 0.01 nm.
#[test]
fn ranges_that_end_beyond_the_data_say_where_it_ends() {
    let said = |slope: (f64, f64), hertz: Option<(f64, f64)>| {
        let mut setup = setup(false);
        (setup.criteria.slope, setup.criteria.hertz) = (Some(slope), hertz);
        let all = [curve(30.0, 400, false), curve(30.0, 380, false)];
        let answer = group_with(setup, &all).answer();
        let found = answer.findings.into_iter().filter(|one| one.code == Code::BeyondData);
        found.map(|finding| finding.text).collect::<Vec<String>>()
    };
    assert_eq!(said((0.0, 2.0), Some((0.0, 1.0))), [""; 0]);
    // Averages end before the data: by less than a tenth of the range nothing is said.
    assert_eq!(said((0.0, 3.1), None), [""; 0]);
    let both = said((0.0, 5.0), Some((0.0, 3.2)));
    let expected = [
        "`slope` asks for 0 to 5 nm, but the averaged forces of 2 of 2 replica(s) end at 2.8 to 3 nm, and what is fitted to them ends there",
        "`hertz` asks for 0 to 3.2 nm, but the averaged forces of 1 of 2 replica(s) end at 2.8 nm, and what is fitted to them ends there",
    ];
    assert_eq!(both, expected);
}

/// 100 contacts hold when the approach begins, 20 of them between chains.
#[test]
fn lost_contacts_stand_beside_those_at_the_start_and_in_all() {
    let mut one = curve(30.0, 250, false);
    one.contacts.fill(100.0);
    one.contacts_between.fill(20.0);
    let group = group(&[one], false);
    let answer = group.answer();
    let in_all = ["hold in the first window, of 120 in all;", "first window, of 24 in all;"];
    for (name, number, basis) in [
        ("contacts_at_start", 100.0, in_all[0]),
        ("contacts_between_chains_at_start", 20.0, in_all[1]),
    ] {
        let value = answer.value(name).unwrap();
        near(value.value, number, 1e-9);
        assert!(value.basis.contains(basis) && !value.words.is_empty(), "{value:?}");
    }
    let table = tables(&[group])[0].to_csv(&[answer]);
    let [names, cells] = table.lines().collect::<Vec<_>>()[..] else { panic!("{table}") };
    let last = "native_contacts_in_all,native_contacts_between_chains_in_all";
    assert!(names.ends_with(last) && cells.ends_with(",120,24"), "{table}");
}

#[test]
fn values_of_replicas_that_failed_say_so() {
    let mut one = group(&[curve(30.0, 400, false)], false);
    let basis = |group: &IndentedGroup| group.answer().value("peak_force").unwrap().basis.clone();
    assert!(basis(&one).contains("; one replica; stage"), "{}", basis(&one));
    one.about.failed = 1;
    assert!(basis(&one).contains("; one replica, which failed; stage"), "{}", basis(&one));
    let mut two = group(&[curve(30.0, 400, false), curve(34.0, 400, false)], false);
    two.about.failed = 1;
    assert!(basis(&two).contains("; 2 replicas, of which 1 failed; stage"), "{}", basis(&two));
}
