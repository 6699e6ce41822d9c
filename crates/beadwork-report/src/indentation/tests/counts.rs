//! What legends, names and findings count: replicas, passed peaks, rows, and reasons.

use super::super::figures;
use super::*;

/// Of four replicas three come into contact, and one of these ends at a depth of 1 nm.
#[test]
fn legends_count_the_replicas_of_a_mean() {
    let curves = [400, 400, 200, 90].map(|rows| curve(30.0, rows, false));
    let label = |curves: &[Curve]| {
        let figures = figures(&[group(curves, false)]);
        let mut series = figures[0].figure.series.iter().map(|series| series.label.clone());
        series.find(|label| !label.is_empty())
    };
    assert_eq!(label(&curves).as_deref(), Some("mean of 2 to 3"));
    assert_eq!(label(&[curves[0].clone(), curves[3].clone()]).as_deref(), Some("mean of 1"));
}

/// The force falls after 2 nm, or rises until the end.
#[test]
fn words_count_the_peaks_that_were_passed() {
    let rising = curve(30.0, 400, false);
    let mut passed = rising.clone();
    for (force, depth) in passed.force.iter_mut().zip(&passed.deformation) {
        *force = if *depth > 2.0 { 2.0 } else { *force };
    }
    let words = |curves: &[&Curve]| {
        let curves: Vec<Curve> = curves.iter().map(|curve| (*curve).clone()).collect();
        let answer = group(&curves, false).answer();
        ["peak_force", "peak_deformation"].map(|name| answer.value(name).unwrap().words.clone())
    };
    let largest = "deformation at the largest force";
    assert_eq!(words(&[&passed, &passed]), ["peak force", "deformation at the peak"]);
    assert_eq!(
        words(&[&rising, &passed, &rising]),
        ["largest force (peak passed by 1 of 3)", largest]
    );
    assert_eq!(words(&[&rising]), ["largest force (no peak passed)", largest]);
}

#[test]
fn windows_of_few_rows_have_a_finding() {
    let said = |window: usize| {
        let mut setup = setup(false);
        setup.criteria.window_points = window;
        let findings = group_with(setup, &[curve(30.0, 400, false)]).answer().findings;
        let of_rows = |one: &data::Finding| {
            one.code == Code::FewValues && one.text.starts_with("averages of forces")
        };
        findings.into_iter().find(of_rows).map(|one| one.text)
    };
    assert!(said(1).unwrap().contains("fewer than 5 rows (window 1 point = 20 ns)"));
    assert!(said(4).is_some());
    assert_eq!(said(5), None);
}

/// Forces on the tip between contact and 1.5 nm: two follow the law; others fall, scatter, begin late or begin early.
#[test]
fn each_reason_for_no_modulus_is_counted() {
    let law = |depth: f64| 80.0 * depth.max(0.0).powf(1.5);
    let with = |force: &dyn Fn(usize, f64) -> f64| {
        let mut one = curve(30.0, 400, false);
        let forces = one.deformation.iter().enumerate().map(|(row, depth)| force(row, *depth));
        one.tip_force = forces.collect();
        one
    };
    let follows = with(&|_, depth| law(depth));
    let scatters = |row: usize| if row.is_multiple_of(2) { 60.0 } else { -60.0 };
    let curves = [
        follows.clone(),
        with(&|_, depth| 10.0 - depth),
        with(&|row, depth| law(depth) + scatters(row)),
        with(&|_, depth| law(depth - 1.0)),
        with(&|_, depth| law(depth + 0.8)),
        follows,
    ];
    let group = group(&curves, false);
    let answer = group.answer();
    let is_of_modulus = |one: &&data::Finding| one.text.starts_with("no modulus by Hertz of");
    let said = answer.findings.iter().find(is_of_modulus).unwrap().text.clone();
    let expected = "no modulus by Hertz of 4 of 6 replica(s): 1 without a fit (fewer than five averaged forces on the tip, or forces that do not grow as the law does), 1 with an r.m.s. distance from the law beyond 25 % of its force at the end of the range, 1 with d₀ behind the middle of the range, 1 with d₀ before contact by more than 25 % of the depth";
    assert_eq!(said, expected);
    // The table has what was fitted, but no modulus.
    let table = tables(&[group])[0].to_csv(&[answer]);
    let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let cell = |name: &str| lines[4][lines[0].iter().position(|own| *own == name).unwrap()];
    assert_eq!(cell("reduced_modulus_MPa"), "");
    near(cell("hertz_zero_nm").parse().ok(), 1.0, 1e-3);
    assert!(!cell("hertz_deviation_pN").is_empty() && !cell("hertz_end_nm").is_empty());
}
