//! How figures are laid out and written, apart from what they show.

/// Letters at the ticks of an axis are 12 units high. With this unit they are 7 points, as journals ask for.
pub(super) const MM_PER_UNIT: f64 = 7.0 / 12.0 * MM_PER_INCH / 72.0;
pub(super) const MM_PER_INCH: f64 = 25.4;

/// The narrowest figure, mm: a narrower one has no room for axes, their letters and the scale of a map.
pub const NARROWEST_MM: f64 = 60.0;

/// How a figure is laid out. The default is for a screen: 540 units (pixels) between the axes, with title and notes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Look {
    /// The width of the whole figure in mm, at least [`NARROWEST_MM`]; its letters then have the usual sizes of print (7 points at the ticks).
    pub width_mm: Option<f64>,
    /// Pixels in an inch of a PNG; by default two in a unit, about 250.
    pub dots_per_inch: Option<f64>,
    /// Leaves out the title.
    pub without_title: bool,
    /// Leaves out the notes below the plot.
    pub without_notes: bool,
}

impl Look {
    /// Pixels of a PNG in a unit of the drawing.
    pub(super) fn pixels_per_unit(&self) -> f64 {
        self.dots_per_inch.map_or(2.0, |dots| dots * MM_PER_UNIT / MM_PER_INCH)
    }

    /// The width of the whole figure in units of the drawing, if it is fixed.
    pub(super) fn width(&self) -> Option<f64> {
        self.width_mm.map(|width| width.max(NARROWEST_MM) / MM_PER_UNIT)
    }
}
