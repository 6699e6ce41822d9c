//! Figures: axes with units, curves of many replicas, histograms; written as SVG and PNG.
//!
//! The same data give the same bytes, and the PNG is a rasterisation of the SVG with a font that is
//! part of the program, so no font needs to be installed.

mod axes;
mod axis;
mod drawing;
mod figure;
mod heat_map;
mod ink;
mod layer;
mod legend;
mod plot_area;
mod raster;
mod scale;
mod text;
mod thinning;

pub use axis::Axis;
pub use figure::{Emphasis, Figure, Mark, Series, Style};
pub use heat_map::HeatMap;
pub use ink::Colour;
pub(crate) use ink::colour_of;
pub use raster::png;
pub(crate) use raster::png_below;
pub(crate) use text::escape;
pub use thinning::thin;
