//! Converts SVG to PNG.

use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::layer;
use crate::Error;

const PIXELS_PER_UNIT: f32 = 2.0;

/// The fonts built into the program: one for text, one for the few characters that the first lacks.
fn fonts() -> Arc<fontdb::Database> {
    static FONTS: OnceLock<Arc<fontdb::Database>> = OnceLock::new();
    Arc::clone(FONTS.get_or_init(|| {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
        fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
        let family = fonts.faces().next().and_then(|face| face.families.first()).cloned();
        if let Some((name, _)) = family {
            fonts.set_sans_serif_family(name);
        }
        Arc::new(fonts)
    }))
}

/// The PNG of an SVG text made by [`Figure::to_svg`](super::Figure::to_svg); `title` names the figure in errors.
pub fn png(svg: &str, title: &str) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| failed(title, reason);
    let options = Options { fontdb: fonts(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size().to_int_size();
    let (width, height) =
        (size.width() * PIXELS_PER_UNIT as u32, size.height() * PIXELS_PER_UNIT as u32);
    let mut pixels = Pixmap::new(width, height)
        .ok_or_else(|| failed(format!("{width} by {height} pixels are too many")))?;
    let transform = Transform::from_scale(PIXELS_PER_UNIT, PIXELS_PER_UNIT);
    layer::render(&tree, transform, &mut pixels);
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

/// The PNG of an image (red, green and blue of each pixel, rows of `width`) with an SVG of the same width below it.
pub(crate) fn png_below(
    image: &[u8],
    width: usize,
    svg: &str,
    title: &str,
) -> Result<Vec<u8>, Error> {
    let failed = |reason: String| failed(title, reason);
    let options = Options { fontdb: fonts(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let height = image.len() / (3 * width);
    let below = tree.size().to_int_size().height();
    let mut pixels = Pixmap::new(width as u32, height as u32 + below)
        .ok_or_else(|| failed(format!("{width} by {height} pixels are too many")))?;
    pixels.fill(Color::WHITE);
    for (pixel, colour) in pixels.data_mut().chunks_exact_mut(4).zip(image.chunks_exact(3)) {
        pixel[..3].copy_from_slice(colour);
    }
    let transform = Transform::from_translate(0.0, height as f32);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| failed(error.to_string()))
}

fn failed(title: &str, reason: String) -> Error {
    let message = format!(
        "The figure `{title}` could not be turned into a PNG: {reason}. The other figures and tables are still good; please report this."
    );
    Error::new("analysis/figure-not-rasterised", message)
}
