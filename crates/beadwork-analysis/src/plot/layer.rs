//! Draws groups of many translucent lines by all threads, with the bytes that resvg draws by one.
//!
//! Which share of each pixel a line covers depends on no other line, so all threads find that, line by line. Then they blend
//! the lines into rows of pixels, each thread in its own rows and all in the order of the lines, since colours are rounded
//! after each line. Covering is tiny-skia's; blending is a few operations on whole numbers.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use resvg::tiny_skia::{
    BlendMode, Color, FillRule, FilterQuality, IntRect, Mask, MaskType, Paint, Path, PathBuilder,
    PathStroker, Pattern, Pixmap, SpreadMode, Transform,
};
use resvg::usvg::{self, Node, Tree};

/// A group of fewer elements is left to resvg.
const MANY: usize = 64;
/// One thread alone gains nothing.
const FEWEST_THREADS: usize = 2;
/// Lines whose coverage is held in memory at a time, up to some 100 kB each.
const LINES_TOGETHER: usize = 128;
/// Rows of pixels that a thread blends at a time.
const ROWS_TOGETHER: usize = 16;
/// Thinner strokes, in pixels, are drawn in another way.
const THINNEST: f32 = 1.25;

/// Draws a tree as [`resvg::render`] does.
pub(super) fn render(tree: &Tree, transform: Transform, pixels: &mut Pixmap) {
    let nodes = tree.root().children();
    let is_large = |node: &Node| match node {
        Node::Group(group) => group.children().len() >= MANY,
        _ => false,
    };
    if rayon::current_num_threads() < FEWEST_THREADS || !nodes.iter().any(is_large) {
        return resvg::render(tree, transform, &mut pixels.as_mut());
    }
    for node in nodes {
        let drawn = match node {
            Node::Group(group) if is_large(node) => draw_group(group, transform, pixels),
            _ => None,
        };
        if let (None, Some(bounds)) = (drawn, node.abs_layer_bounding_box()) {
            // `resvg::render_node` moves a node to the corner of the picture. To move it back brings no error into a transform that
            // only scales.
            let transform = transform.pre_translate(bounds.x(), bounds.y());
            resvg::render_node(node, transform, &mut pixels.as_mut());
        }
    }
}

/// Draws a group of many strokes that is clipped by one path; `None`, with nothing drawn, if it is another group.
fn draw_group(group: &usvg::Group, transform: Transform, pixels: &mut Pixmap) -> Option<()> {
    let transform = transform.pre_concat(group.transform());
    let clip = group.clip_path().filter(|clip| clip.clip_path().is_none())?;
    let [Node::Path(clip_path)] = clip.root().children() else { return None };
    let is_plain = group.opacity().get() == 1.0
        && group.blend_mode() == usvg::BlendMode::Normal
        && group.mask().is_none()
        && group.filters().is_empty();
    let elements: Vec<Element<'_>> =
        group.children().iter().map(Element::of).collect::<Option<_>>()?;
    if !is_plain {
        return None;
    }
    let place = layer_place(group, transform, pixels)?;
    let shift = Transform::from_translate(-place.x() as f32, -place.y() as f32);
    let inside = shift.pre_concat(transform);
    let mut layer = Pixmap::new(place.width(), place.height())?;
    let masks = Mutex::default();
    for run in elements.chunk_by(|one, other| one.is_faint(inside) == other.is_faint(inside)) {
        if run[0].is_faint(inside) {
            for lines in run.chunks(LINES_TOGETHER) {
                blend(lines, inside, &masks, &mut layer)?;
            }
        } else {
            run.iter().for_each(|element| element.draw(inside, &mut layer));
        }
    }
    clip_layer(clip_path, inside.pre_concat(clip.transform()), &mut layer)?;
    let paint = Paint {
        shader: Pattern::new(
            layer.as_ref(),
            SpreadMode::Pad,
            FilterQuality::Bilinear,
            1.0,
            Transform::from_translate(place.x() as f32, place.y() as f32),
        ),
        anti_alias: true,
        ..Paint::default()
    };
    let area = PathBuilder::from_rect(place.to_rect());
    pixels.fill_path(&area, &paint, FillRule::Winding, Transform::identity(), None);
    Some(())
}

/// The pixels that a group's layer takes: those of its elements with two around them, and no farther than two pictures away.
fn layer_place(group: &usvg::Group, transform: Transform, pixels: &Pixmap) -> Option<IntRect> {
    let bounds = group.layer_bounding_box().transform(transform)?;
    let (left, top) = (bounds.x().floor() as i32 - 2, bounds.y().floor() as i32 - 2);
    let (right, bottom) = (
        left.checked_add(bounds.width().ceil() as i32)?.checked_add(4)?,
        top.checked_add(bounds.height().ceil() as i32)?.checked_add(4)?,
    );
    let [width, height] = [pixels.width(), pixels.height()].map(|side| side as i32);
    IntRect::from_ltrb(
        left.max(-2 * width),
        top.max(-2 * height),
        right.min(3 * width),
        bottom.min(3 * height),
    )
}

/// Makes all transparent that a path does not cover.
fn clip_layer(path: &usvg::Path, transform: Transform, layer: &mut Pixmap) -> Option<()> {
    let mut outside = Pixmap::new(layer.width(), layer.height())?;
    outside.fill(Color::BLACK);
    let paint = Paint { blend_mode: BlendMode::Clear, anti_alias: true, ..Paint::default() };
    outside.fill_path(path.data(), &paint, FillRule::Winding, transform, None);
    let mut mask = Mask::from_pixmap(outside.as_ref(), MaskType::Alpha);
    mask.invert();
    layer.apply_mask(&mask);
    Some(())
}

/// A path of a group, filled, stroked or both, each with one colour.
struct Element<'a> {
    path: &'a usvg::Path,
    fill: Option<Color>,
    stroke: Option<Color>,
}

impl<'a> Element<'a> {
    fn of(node: &'a Node) -> Option<Element<'a>> {
        let Node::Path(path) = node else { return None };
        let colour = |paint: &usvg::Paint, opacity: usvg::Opacity| match paint {
            usvg::Paint::Color(colour) => {
                Some(Color::from_rgba8(colour.red, colour.green, colour.blue, opacity.to_u8()))
            }
            _ => None,
        };
        let is_plain = path.is_visible()
            && path.paint_order() == usvg::PaintOrder::FillAndStroke
            && path.rendering_mode().use_shape_antialiasing()
            && path.fill().is_none_or(|fill| fill.rule() == usvg::FillRule::NonZero);
        let fill = path.fill().map(|fill| colour(fill.paint(), fill.opacity()));
        let stroke = path.stroke().map(|stroke| colour(stroke.paint(), stroke.opacity()));
        let is_coloured = fill != Some(None) && stroke != Some(None);
        (is_plain && is_coloured).then(|| Element {
            path,
            fill: fill.flatten(),
            stroke: stroke.flatten(),
        })
    }

    /// Whether it is a translucent line, and nothing else.
    fn is_faint(&self, transform: Transform) -> bool {
        let width = self.path.stroke().map_or(0.0, |stroke| stroke.width().get());
        let is_scaled = transform.sx == transform.sy && !transform.has_skew();
        self.fill.is_none()
            && is_scaled
            && width * transform.sx > THINNEST
            && self.stroke.is_some_and(|colour| !colour.is_opaque())
            && self.path.stroke().is_some_and(|stroke| stroke.dasharray().is_none())
    }

    fn draw(&self, transform: Transform, layer: &mut Pixmap) {
        let data = self.path.data();
        let paint = |colour: Color| {
            let mut paint = Paint { anti_alias: true, ..Paint::default() };
            paint.set_color(colour);
            paint
        };
        let has_area = data.bounds().width() != 0.0 && data.bounds().height() != 0.0;
        if let Some(colour) = self.fill.filter(|_| has_area) {
            layer.fill_path(data, &paint(colour), FillRule::Winding, transform, None);
        }
        if let (Some(colour), Some(stroke)) = (self.stroke, self.path.stroke()) {
            layer.stroke_path(data, &paint(colour), &stroke.to_tiny_skia(), transform, None);
        }
    }

    /// The outline of the stroke, in pixels.
    fn outline(&self, transform: Transform) -> Option<Path> {
        let stroke = self.path.stroke()?.to_tiny_skia();
        let scale = PathStroker::compute_resolution_scale(&transform);
        self.path.data().stroke(&stroke, scale)?.transform(transform)
    }
}

/// What a line covers of a layer.
struct Covered {
    /// Red, green, blue and opacity; the colours are multiplied by the opacity.
    colour: [u16; 4],
    runs: Vec<Run>,
    /// The covered shares of 255 of all runs, one after another.
    shares: Vec<u8>,
}

/// Neighbouring pixels of a row that a line covers in part or wholly.
struct Run {
    row: u32,
    left: u32,
    /// The place of the first one among the shares, and how many they are.
    first: u32,
    count: u32,
}

impl Covered {
    /// The pixels of a stroke; `mask` is empty before and after.
    fn by(element: &Element<'_>, transform: Transform, mask: &mut Mask) -> Option<Covered> {
        let colour = element.stroke?.premultiply();
        let colour = [colour.red(), colour.green(), colour.blue(), colour.alpha()]
            .map(|part| (part * 255.0 + 0.5) as u16);
        let mut covered = Covered { colour, runs: Vec::new(), shares: Vec::new() };
        let outline = element.outline(transform)?;
        mask.fill_path(&outline, FillRule::Winding, true, Transform::identity());
        let (width, height) = (mask.width() as usize, mask.height() as usize);
        let bounds = outline.bounds();
        // One pixel more, for what covering rounds.
        let [top, left] = [bounds.top(), bounds.left()].map(|edge| (edge - 1.0).max(0.0) as usize);
        let [bottom, right] = [bounds.bottom(), bounds.right()].map(|edge| (edge + 2.0) as usize);
        let (bottom, right) = (bottom.min(height), right.min(width));
        for row in top..bottom {
            let pixels = &mut mask.data_mut()[row * width..][left.min(right)..right];
            covered.add_row(row, left, pixels);
            pixels.fill(0);
        }
        Some(covered)
    }

    fn add_row(&mut self, row: usize, left: usize, pixels: &[u8]) {
        let mut at = 0;
        while let Some(start) = first_covered(pixels, at) {
            let count = pixels[start..].iter().take_while(|share| **share != 0).count();
            let first = self.shares.len() as u32;
            let [row, left] = [row, left + start].map(|place| place as u32);
            self.runs.push(Run { row, left, first, count: count as u32 });
            self.shares.extend_from_slice(&pixels[start..start + count]);
            at = start + count;
        }
    }
}

/// The place of the first share from `at` on that is not 0, eight looked at together.
fn first_covered(pixels: &[u8], mut at: usize) -> Option<usize> {
    while let Some(eight) = pixels[at..].first_chunk() {
        match u64::from_le_bytes(*eight) {
            0 => at += 8,
            shares => return Some(at + shares.trailing_zeros() as usize / 8),
        }
    }
    Some(at + pixels[at..].iter().position(|share| *share != 0)?)
}

/// Blends faint lines into a layer, one after another. `masks` are empty ones of the layer's size.
fn blend(
    lines: &[Element<'_>],
    transform: Transform,
    masks: &Mutex<Vec<Mask>>,
    layer: &mut Pixmap,
) -> Option<()> {
    let (width, height) = (layer.width(), layer.height());
    let pool = || masks.lock().unwrap_or_else(PoisonError::into_inner);
    let cover = |line: &Element<'_>| {
        let free = pool().pop();
        let mut mask = free.or_else(|| Mask::new(width, height))?;
        let covered = Covered::by(line, transform, &mut mask);
        pool().push(mask);
        Some(covered)
    };
    let lines: Vec<Option<Covered>> = lines.par_iter().map(cover).collect::<Option<_>>()?;
    let width = width as usize;
    let rows = layer.data_mut().par_chunks_mut(4 * width * ROWS_TOGETHER).enumerate();
    rows.for_each(|(number, pixels)| {
        let first = number * ROWS_TOGETHER;
        let end = (first + ROWS_TOGETHER) as u32;
        for line in lines.iter().flatten() {
            let above = line.runs.partition_point(|run| run.row < first as u32);
            for run in line.runs[above..].iter().take_while(|run| run.row < end) {
                let start = 4 * ((run.row as usize - first) * width + run.left as usize);
                let (pixels, _) = pixels[start..].as_chunks_mut::<4>();
                let shares = &line.shares[run.first as usize..][..run.count as usize];
                for (pixel, share) in pixels.iter_mut().zip(shares) {
                    blend_pixel(pixel, line.colour, u16::from(*share));
                }
            }
        }
    });
    Some(())
}

/// Blends a colour over a pixel of which it covers a share of 255; products are divided as tiny-skia does.
#[inline(always)]
fn blend_pixel(pixel: &mut [u8; 4], colour: [u16; 4], share: u16) {
    let below = 255 - divided(colour[3] * share);
    for channel in 0..4 {
        let over = divided(colour[channel] * share);
        pixel[channel] = (over + divided(u16::from(pixel[channel]) * below)) as u8;
    }
}

#[inline(always)]
fn divided(product: u16) -> u16 {
    (product + 255) >> 8
}
