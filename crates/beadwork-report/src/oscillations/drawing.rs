//! Figures of oscillators: each curve with its law.

use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};

use super::compared::{Compared, Comparison, Scale};
use super::replicas::Oscillations;
use crate::words::{label, time_unit};

/// The stem of a file name, a title, the quantities of the axes with the unit of the second, and the curve.
type CurveKind =
    (&'static str, &'static str, [&'static str; 3], fn(&Oscillations) -> Option<Comparison>);

const CURVES: [CurveKind; 3] = [
    ("position-time", "Mean position", ["time", "mean position", "nm"], Oscillations::positions),
    ("mean-square-time", "Mean square", ["time", "mean square", "nm²"], Oscillations::mean_squares),
    (
        "correlation",
        "Correlation over time origins",
        ["time between", "C", "nm²"],
        Oscillations::correlation,
    ),
];

/// The figures with at least one curve, each with the stem of its file name.
pub(crate) fn figures(groups: &[Oscillations]) -> Vec<(&'static str, Figure)> {
    let figure = |(stem, title, [x, y, unit], of): CurveKind| {
        let compared = groups.iter().enumerate();
        let compared: Vec<(usize, &Oscillations, Comparison)> =
            compared.filter_map(|(number, one)| Some((number, one, of(one)?))).collect();
        let times = compared.iter().flat_map(|(.., of)| &of.points).map(|point| point.time);
        let (time, size) = time_unit(times.fold(0.0, f64::max));
        let style = if stem == "correlation" { Style::Points } else { Style::Line };
        let of_group =
            |(place, (number, group, compared)): (usize, &(usize, &Oscillations, Comparison))| {
                let name = if group.group.is_empty() { "run" } else { &group.group };
                series(*number, (name, place == 0), (style, size), compared)
            };
        let series: Vec<Series> = compared.iter().enumerate().flat_map(of_group).collect();
        let (x, y) = (Axis::new(label(x, time)), Axis::new(label(y, unit)));
        let title = title.to_string();
        (!series.is_empty()).then(|| (stem, Figure { title, x, y, series, ..Figure::default() }))
    };
    CURVES.into_iter().filter_map(figure).collect()
}

/// The curve of a group and its law, which has a name for the first one, with times in units of `size` ns.
fn series(
    number: usize,
    (name, is_first): (&str, bool),
    (style, size): (Style, f64),
    compared: &Comparison,
) -> [Series; 4] {
    let line = |of: &dyn Fn(&Compared) -> f64| {
        compared.points.iter().map(|point| (point.time / size, of(point))).collect::<Vec<_>>()
    };
    let law = match compared.scale {
        _ if !is_first => "",
        Scale::Chance => "law and ±4 standard errors",
        Scale::Rounding => "law",
    };
    let grey = |label: &str, points, emphasis| Series {
        colour: Colour::Grey,
        emphasis,
        // Several groups have panels.
        panel: Some(number),
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
