//! Figures of runs of oscillators: each curve with its law.

use std::path::{Path, PathBuf};

use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};
use beadwork_session::Error;

use super::compared::{Compared, Comparison, Scale};
use super::{OfGroup, Oscillations};

impl Oscillations {
    /// Writes the figures into `plots`, each as SVG and PNG, and returns their paths.
    pub fn draw(&self, plots: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut written = Vec::new();
        let axis = |label: &str| Axis::new(label);
        for (stem, title, x, y, of) in [
            (
                "position-time",
                "Mean position",
                "time / ns",
                "mean position / nm",
                OfGroup::positions as fn(&OfGroup) -> Option<Comparison>,
            ),
            (
                "mean-square-time",
                "Mean square",
                "time / ns",
                "mean square / nm²",
                OfGroup::mean_squares,
            ),
            (
                "correlation",
                "Correlation over time origins",
                "time between / ns",
                "C / nm²",
                OfGroup::correlation,
            ),
        ] {
            let mut series = Vec::new();
            for (number, group) in self.0.iter().enumerate() {
                let Some(compared) = of(group) else { continue };
                let colour = Colour::Palette(number);
                let line = |of: &dyn Fn(&Compared) -> f64| {
                    let points = compared.points.iter();
                    points.map(|point| (point.time, of(point))).collect::<Vec<_>>()
                };
                let name = if group.group.is_empty() { "run" } else { &group.group };
                let style = if stem == "correlation" { Style::Points } else { Style::Line };
                series.push(Series { style, colour, ..Series::line(name, line(&|p| p.value)) });
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
                series.push(grey(law, line(&|p| p.law), Emphasis::Normal));
                series.push(grey("", line(&|p| p.law + 4.0 * p.error), Emphasis::Faint));
                series.push(grey("", line(&|p| p.law - 4.0 * p.error), Emphasis::Faint));
            }
            if !series.is_empty() {
                let (x, y, title) = (axis(x), axis(y), title.to_string());
                let figure = Figure { title, x, y, series, ..Figure::default() };
                written.extend(figure.write(plots.join(stem))?);
            }
        }
        Ok(written)
    }
}
