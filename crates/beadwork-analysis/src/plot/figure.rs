//! What a figure shows: series, marks and a map, in the units of its axes.

use super::axis::Axis;
use super::colour_scale::ColourScale;
use super::heat_map::HeatMap;
use super::ink::Colour;

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Style {
    /// Straight lines from point to point, in the order given.
    #[default]
    Line,
    /// A disc at each point.
    Points,
    /// A hollow disc at each point.
    Rings,
    /// Each y holds from its x to the next x.
    Steps,
    /// An upright bar with caps between two points, which a point that is not finite separates from the next two. The caps show
    /// beside a marker that hides a short bar.
    ErrorBars,
    /// The area between two lines with as many points each: first those of one line, then those of the other in the opposite order.
    /// The area is translucent.
    Band,
    /// A bar from zero to y, centred at x.
    Bars {
        /// Width of a bar in the unit of the x axis.
        width: f64,
    },
}

/// How prominent a series is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Emphasis {
    /// Thin and translucent: one of many replicas.
    Faint,
    /// An ordinary series.
    #[default]
    Normal,
    /// Bold, with a white rim where it lies on faint ones.
    Strong,
}

/// A set of points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The name in the legend; an empty name keeps it out of the legend.
    pub label: String,
    /// Points (x, y) in the units of the axes. A point that is not finite interrupts a line.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub style: Style,
    /// Their colour.
    pub colour: Colour,
    /// How prominent they are.
    pub emphasis: Emphasis,
    /// The dashes of lines, from 1 on; 0 leaves them to the colour, which has none unless its number is above seven.
    pub dash: usize,
    /// The panel in which they are drawn; `None` is every panel. Without panels it says nothing.
    pub panel: Option<usize>,
}

impl Series {
    /// A line through the points.
    pub fn line(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { label: label.into(), points, ..Self::default() }
    }
}

/// A dashed vertical line across the whole plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// Where it crosses the x axis, in the unit of that axis.
    pub x: f64,
    /// The name in the legend; an empty name keeps it out of the legend.
    pub label: String,
    /// The colour; the automatic colour is grey.
    pub colour: Colour,
    /// The panel that it crosses; `None` is every panel.
    pub panel: Option<usize>,
}

/// One figure.
///
/// ```
/// use beadwork_analysis::plot::{Axis, Figure, Series};
///
/// let figure = Figure {
///     title: "Pulling".into(),
///     x: Axis::new("extension / nm"),
///     y: Axis::new("force / pN"),
///     series: vec![Series::line("WW domain", vec![(0.0, 0.0), (4.8, 121.0), (5.5, 20.0)])],
///     ..Figure::default()
/// };
/// assert!(figure.to_svg().contains("extension / nm"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// Title above the plot; may be empty.
    pub title: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Coloured cells below the series.
    pub map: Option<HeatMap>,
    /// The series, each drawn over the ones before it.
    pub series: Vec<Series>,
    /// Vertical lines.
    pub marks: Vec<Mark>,
    /// The titles of panels beside and below each other, which share both axes; with fewer than two, all is in one plot.
    pub panels: Vec<String>,
    /// The panels of a row, as far as there is room; 0 makes about as many rows as columns.
    pub columns: usize,
    /// The scale of [`Colour::Value`], drawn beside the plot unless there is a map.
    pub scale: Option<ColourScale>,
    /// Small text below the plot; each starts a line.
    pub notes: Vec<String>,
}

impl Figure {
    /// The ends of the data along the horizontal axis and along the vertical one: points of series, bars from zero on, the cells of
    /// a map. `None` without data.
    ///
    /// ```
    /// use beadwork_analysis::plot::{Figure, Series};
    ///
    /// let points = vec![(0.0, 3.0), (4.0, 1.0), (f64::NAN, 9.0)];
    /// let figure = Figure { series: vec![Series::line("", points)], ..Figure::default() };
    /// assert_eq!(figure.data_range(), Some([(0.0, 4.0), (1.0, 3.0)]));
    /// ```
    pub fn data_range(&self) -> Option<[(f64, f64); 2]> {
        let mut ends = [(f64::INFINITY, f64::NEG_INFINITY); 2];
        let mut add = |x: f64, y: f64| {
            if self.x.shows(x) && self.y.shows(y) {
                for (end, value) in ends.iter_mut().zip([x, y]) {
                    *end = (end.0.min(value), end.1.max(value));
                }
            }
        };
        for series in &self.series {
            for &(x, y) in &series.points {
                match series.style {
                    Style::Bars { width } => {
                        add(x - 0.5 * width, 0.0);
                        add(x + 0.5 * width, y);
                    }
                    _ => add(x, y),
                }
            }
        }
        if let Some(HeatMap { x, y, .. }) = &self.map {
            add(x.0, y.0);
            add(x.1, y.1);
        }
        (ends[0].0 <= ends[0].1).then_some(ends)
    }
}
