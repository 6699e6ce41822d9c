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
