//! Figures of oscillators: each curve with its law.

use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};

use super::compared::{Compared, Comparison, Scale};
use super::replicas::Oscillations;

/// The stem of a file name, a title, the labels of the axes, and the curve.
type CurveKind =
    (&'static str, &'static str, [&'static str; 2], fn(&Oscillations) -> Option<Comparison>);

const CURVES: [CurveKind; 3] = [
    (
        "position-time",
        "Mean position",
        ["time / ns", "mean position / nm"],
        Oscillations::positions,
    ),
    (
        "mean-square-time",
        "Mean square",
        ["time / ns", "mean square / nm²"],
        Oscillations::mean_squares,
    ),
    (
        "correlation",
        "Correlation over time origins",
        ["time between / ns", "C / nm²"],
        Oscillations::correlation,
    ),
];

/// The figures with at least one curve, each with the stem of its file name.
pub(crate) fn figures(groups: &[Oscillations]) -> Vec<(&'static str, Figure)> {
    let figure = |(stem, title, [x, y], of): CurveKind| {
        let compared =
            groups.iter().enumerate().filter_map(|(number, one)| Some((number, one, of(one)?)));
        let style = if stem == "correlation" { Style::Points } else { Style::Line };
        let series: Vec<Series> = compared
            .flat_map(|(number, group, compared)| {
                let name = if group.group.is_empty() { "run" } else { &group.group };
                series(number, name, style, &compared)
            })
            .collect();
        let (x, y, title) = (Axis::new(x), Axis::new(y), title.to_string());
        (!series.is_empty()).then(|| (stem, Figure { title, x, y, series, ..Figure::default() }))
    };
    CURVES.into_iter().filter_map(figure).collect()
}

fn series(number: usize, name: &str, style: Style, compared: &Comparison) -> [Series; 4] {
    let line = |of: &dyn Fn(&Compared) -> f64| {
        compared.points.iter().map(|point| (point.time, of(point))).collect::<Vec<_>>()
    };
    let law = match compared.scale {
        _ if number > 0 => "",
        Scale::Chance => "law and ±4 standard errors",
        Scale::Rounding => "law",
    };
    let grey = |label: &str, points, emphasis| Series {
        colour: Colour::Grey,
        emphasis,
        ..Series::line(label, points)
    };
    let values = Series::line(name, line(&|point| point.value));
    [
        Series { style, colour: Colour::Palette(number), ..values },
        grey(law, line(&|point| point.law), Emphasis::Normal),
        grey("", line(&|point| point.law + 4.0 * point.error), Emphasis::Faint),
        grey("", line(&|point| point.law - 4.0 * point.error), Emphasis::Faint),
    ]
}
