//! Heat maps: a colour for each cell.

use std::fmt::Write as _;

use super::axis::usable;
use super::colour_scale::{ColourScale, colour_of_shade};
use super::scale::Scale;

/// A matrix of values, drawn as coloured cells below all series.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// The ends of the cells along the horizontal axis, in its unit.
    pub x: (f64, f64),
    /// The ends of the cells along the vertical axis.
    pub y: (f64, f64),
    /// Rows from the lower end up, each from the left. Cells that are not finite stay white; on a logarithmic scale those of
    /// zero and below too.
    pub cells: Vec<Vec<f64>>,
    /// The quantity and its unit.
    pub label: String,
    /// Whether the scale of colours is logarithmic; it then has four decades at most.
    pub logarithmic: bool,
}

/// More cells than this along an axis are averaged.
const MOST_CELLS: usize = 200;
const MOST_DECADES: f64 = 1e4;

/// The cells, averaged over so many in each direction that there are at most [`MOST_CELLS`] along an axis.
fn averaged(cells: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let widest = cells.iter().map(Vec::len).max().unwrap_or(0).max(cells.len());
    let each = widest.div_ceil(MOST_CELLS).max(1);
    let mean = |rows: &[Vec<f64>], column: usize| {
        let values = rows.iter().flat_map(|row| row.iter().skip(column * each).take(each));
        let known: Vec<f64> = values.copied().filter(|value| value.is_finite()).collect();
        known.iter().sum::<f64>() / known.len() as f64
    };
    let columns = cells.first().map_or(0, Vec::len).div_ceil(each);
    cells.chunks(each).map(|rows| (0..columns).map(|column| mean(rows, column)).collect()).collect()
}

impl HeatMap {
    /// The width of a plot of some height in which a unit is as long along both axes, so that angles are true; at most `most`.
    pub(super) fn width(&self, height: f64, most: f64) -> f64 {
        let width = height * (self.x.1 - self.x.0) / (self.y.1 - self.y.0);
        if width.is_finite() { width.clamp(0.5 * most, most) } else { most }
    }

    /// The scale from the smallest to the largest value that is drawn; `None` if none is.
    pub(super) fn scale(&self) -> Option<ColourScale> {
        let shown = self.cells.iter().flatten().copied();
        let shown = shown.filter(|value| usable(*value) && (!self.logarithmic || *value > 0.0));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let low = if self.logarithmic { low.max(high / MOST_DECADES) } else { low };
        let (label, range) = (self.label.clone(), (low, high));
        (low <= high).then_some(ColourScale { label, range, logarithmic: self.logarithmic })
    }

    /// Draws the cells between the axes. Neighbours of one shade are one rectangle.
    pub(super) fn draw(&self, svg: &mut String, x: &Scale, y: &Scale) {
        let Some(scale) = self.scale() else { return };
        let rows = averaged(&self.cells);
        let edge = |(from, to): (f64, f64), number: usize, count: usize| {
            from + (to - from) * number as f64 / count as f64
        };
        for (number, row) in rows.iter().enumerate() {
            let [bottom, top] =
                [number, number + 1].map(|at| y.pixel(edge(self.y, at, rows.len())));
            let shades: Vec<Option<usize>> = row.iter().map(|&value| scale.shade(value)).collect();
            let mut begin = 0;
            for run in shades.chunk_by(|a, b| a == b) {
                let ends = [begin, begin + run.len()];
                begin = ends[1];
                let Some(shade) = run[0] else { continue };
                let [left, right] = ends.map(|at| x.pixel(edge(self.x, at, row.len())));
                let _ = writeln!(
                    svg,
                    r#"<rect x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="{}"/>"#,
                    // Cells overlap a little, so that no white lines show between them.
                    right - left + 0.3,
                    bottom - top + 0.3,
                    colour_of_shade(shade)
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Axis, Figure};
    use super::*;

    fn figure(cells: Vec<Vec<f64>>, logarithmic: bool) -> String {
        let ends = (0.0, 2.0);
        let axis = || Axis { range: Some(ends), ..Axis::new("bead") };
        let map =
            HeatMap { x: ends, y: ends, cells, label: "probability".to_string(), logarithmic };
        Figure { x: axis(), y: axis(), map: Some(map), ..Figure::default() }.to_svg()
    }

    #[test]
    fn cells_have_the_colour_of_their_value() {
        let svg = figure(vec![vec![0.0, 1.0], vec![1.0, f64::NAN]], false);
        let cells = svg.split("</g>").next().unwrap();
        assert_eq!((cells.matches("#440154").count(), cells.matches("#FDE725").count()), (1, 2));
        assert!(svg.contains("probability") && !svg.contains("no data"));
    }

    #[test]
    fn a_unit_is_as_long_along_both_axes() {
        let map = |x, y| HeatMap { x, y, ..HeatMap::default() };
        assert_eq!(map((-3.0, 3.0), (-3.0, 3.0)).width(340.0, 540.0), 340.0);
        assert_eq!(map((0.0, 3.0), (0.0, 2.0)).width(340.0, 540.0), 510.0);
        assert_eq!(map((0.0, 90.0), (0.0, 2.0)).width(340.0, 540.0), 540.0);
        assert_eq!(map((0.0, 0.0), (0.0, 0.0)).width(340.0, 540.0), 540.0);
    }

    #[test]
    fn neighbours_of_one_colour_are_one_rectangle() {
        let svg = figure(vec![vec![1.0, 1.0], vec![0.1, 0.0]], true);
        let cells = svg.split("</g>").next().unwrap();
        // The cell of zero is not on a logarithmic scale.
        assert_eq!((cells.matches("#FDE725").count(), cells.matches("#440154").count()), (1, 1));
    }

    #[test]
    fn many_cells_are_averaged() {
        let cells = vec![vec![2.0; 900]; 900];
        let few = averaged(&cells);
        assert_eq!((few.len(), few[0].len(), few[179][0]), (180, 180, 2.0));
        assert!(averaged(&[]).is_empty());
    }
}
