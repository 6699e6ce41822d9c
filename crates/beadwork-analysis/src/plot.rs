//! Figures: axes with units, curves of many replicas, histograms; written as SVG and PNG.
//!
//! The same data give the same bytes, and the PNG is a rasterisation of the SVG with a font that is
//! part of the program, so no font needs to be installed.

mod drawing;
mod heat_map;
mod legend;
mod raster;
mod scale;
mod text;
mod thinning;

use crate::Error;

pub use heat_map::HeatMap;
pub use raster::png;
pub(crate) use raster::png_below;
pub(crate) use text::escape;
pub use thinning::thin;

/// One axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Quantity and unit, such as `extension / nm`.
    pub label: String,
    /// Lower and upper end. `None`, or ends that do not form a range, fit the data.
    pub range: Option<(f64, f64)>,
    /// Whether the axis is logarithmic. Values of zero and below are then left out.
    pub logarithmic: bool,
    /// Whether only whole numbers get labels, as for counts.
    pub whole_numbers: bool,
}

impl Axis {
    /// Whether a value has a place on an axis of this kind.
    fn shows(&self, value: f64) -> bool {
        scale::usable(value) && (!self.logarithmic || value > 0.0)
    }

    /// A linear axis that fits the data.
    pub fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Style {
    /// Straight lines from point to point, in the order given.
    #[default]
    Line,
    /// A disc at each point.
    Points,
    /// Each y holds from its x to the next x.
    Steps,
    /// A bar from zero to y, centred at x.
    Bars {
        /// Width of a bar in the unit of the x axis.
        width: f64,
    },
}

/// The colour of a series: one of eight that colour-blind readers can tell apart (Okabe and Ito,
/// 2008), then the same eight dashed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// The next colour that no other automatic series has.
    #[default]
    Automatic,
    /// The colour of this number.
    Palette(usize),
    /// Grey, for background series.
    Grey,
}

/// Red, green and blue of the palette's colour with this number.
pub(crate) fn colour_of(number: usize) -> [u8; 3] {
    let hex = drawing::PALETTE[number % drawing::PALETTE.len()];
    [1, 3, 5].map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap_or(0))
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
    /// Its name in the legend; an empty name keeps it out of the legend.
    pub label: String,
    /// Points (x, y) in the units of the axes. A point that is not finite interrupts a line.
    pub points: Vec<(f64, f64)>,
    /// How they are drawn.
    pub style: Style,
    /// Their colour.
    pub colour: Colour,
    /// How prominent they are.
    pub emphasis: Emphasis,
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
    /// Its name in the legend; an empty name keeps it out of the legend.
    pub label: String,
    /// Its colour; the automatic colour is grey.
    pub colour: Colour,
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
    /// Whether the legend is always to the right of the plot, even if a corner of the plot is free.
    pub legend_outside: bool,
    /// Small text below the plot; each starts a line.
    pub notes: Vec<String>,
}

impl Figure {
    /// The figure as SVG text, some 640 by 440 units (pixels) large, larger when notes and legend need the space. Each
    /// series is thinned to at most 2,000 points, all series together to about 150,000.
    pub fn to_svg(&self) -> String {
        drawing::svg(self)
    }

    /// The figure as a PNG, two pixels per unit of the SVG in each direction.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        png(&self.to_svg(), &self.title)
    }
}
