//! What legends, names and findings count: replicas, passed peaks, rows, and reasons.

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
