//! Converts SVG to PNG and PDF.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::layer;
use super::look::{Look, MM_PER_INCH, MM_PER_UNIT};
use crate::Error;

/// The PNG of an SVG text made by [`Figure::to_svg_as`](super::Figure::to_svg_as) with this look; `title` names the figure in errors.
///
/// # Errors
/// `analysis/figure-not-rasterised`.
pub fn png(svg: &str, look: &Look, title: &str) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| failed(title, reason);
    let tree =
        Tree::from_str(svg, &Options::default()).map_err(|error| failed(error.to_string()))?;
    // A size in mm becomes one in pixels of 96 to the inch, which the drawing's own units are not.
    let size = tree.size();
    let scale = match look.width_mm {
        Some(_) => (look.pixels_per_unit() * MM_PER_INCH / 96.0 / MM_PER_UNIT) as f32,
        None => look.pixels_per_unit() as f32,
    };
    let [width, height] = [size.width(), size.height()].map(|side| (side * scale).round() as u32);
    let mut pixels = Pixmap::new(width, height)
        .ok_or_else(|| failed(format!("{width} by {height} pixels are too many")))?;
    layer::render(&tree, Transform::from_scale(scale, scale), &mut pixels);
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

/// A PNG of an image with an SVG of the same width over it, which may go on below. The image has three bytes a pixel.
pub(crate) fn png_under(
    image: &[u8],
    width: usize,
    svg: &str,
    title: &str,
) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| failed(title, reason);
    let tree =
        Tree::from_str(svg, &Options::default()).map_err(|error| failed(error.to_string()))?;
    let height = tree.size().to_int_size().height();
    let mut pixels = Pixmap::new(width as u32, height)
        .ok_or_else(|| failed(format!("{width} by {height} pixels are too many")))?;
    pixels.fill(Color::WHITE);
    for (pixel, colour) in pixels.data_mut().chunks_exact_mut(4).zip(image.chunks_exact(3)) {
        pixel[..3].copy_from_slice(colour);
    }
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

/// The PDF of an SVG text made by [`Figure::to_svg_as`](super::Figure::to_svg_as) with this look, on one page of its size.
pub(super) fn pdf(svg: &str, look: &Look, title: &str) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| failed(title, reason);
    let options = svg2pdf::usvg::Options::default();
    let tree =
        svg2pdf::usvg::Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    // What has no size in mm gets the letters of print.
    let dots = if look.width_mm.is_some() { 96.0 } else { MM_PER_INCH / MM_PER_UNIT };
    let page = svg2pdf::PageOptions { dpi: dots as f32 };
    svg2pdf::to_pdf(&tree, svg2pdf::ConversionOptions::default(), page)
        .map_err(|error| failed(error.to_string()))
}

fn failed(title: &str, reason: String) -> Error {
    let message = format!(
        "The figure `{title}` could not be drawn: {reason}. The other figures and tables are still good; please report this."
    );
    Error::new("analysis/figure-not-rasterised", message)
}
