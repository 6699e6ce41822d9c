//! Figures: axes with units, curves of many replicas, histograms; written as SVG and PNG.
//!
//! The same data give the same bytes. The PNG is a rasterisation of the SVG, whose text is outlines of a font that is part of the
//! program, so no font needs to be installed and both look alike everywhere.

mod axes;
mod axis;
mod colour_scale;
mod drawing;
mod figure;
mod glyphs;
mod heat_map;
mod ink;
mod layer;
mod legend;
mod look;
mod panels;
mod plot_area;
mod raster;
mod scale;
mod text;
mod thinning;

pub use axis::Axis;
pub use colour_scale::ColourScale;
pub use figure::{Emphasis, Figure, Mark, Series, Style};
pub(crate) use glyphs::{Anchor, draw_text, width};
pub use heat_map::HeatMap;
pub(crate) use ink::colour_of;
pub use ink::{COLOURS, Colour};
pub use look::{Look, NARROWEST_MM};
pub use panels::MOST_COLUMNS;
pub use raster::png;
pub(crate) use raster::png_under;
pub use thinning::thin;
