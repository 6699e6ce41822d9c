//! The layout of a figure and its SVG text.

use std::fmt::Write as _;

use super::axes::{draw_axes, draw_grid};
use super::figure::{Emphasis, Figure, Series, Style};
use super::glyphs::{Anchor, draw_text, width as width_of};
use super::heat_map::SCALE_WIDTH;
use super::ink::{Colour, Frame, Paint, TICK_SIZE};
use super::legend::{self, draw_legend};
use super::look::{Look, MM_PER_UNIT};
use super::plot_area::{PlotArea, half_of};
use super::raster::{pdf, png};
use super::scale::{Extent, Scale};
use super::text;
use super::thinning::thin;
use crate::Error;

const INK: &str = "#222222";
const PLOT_WIDTH: f64 = 540.0;
const PLOT_HEIGHT: f64 = 340.0;
const TITLE_SIZE: f64 = 15.0;
const NOTE_SIZE: f64 = 11.0;
/// Room to the right of the plot.
const RIGHT: f64 = 18.0;
const MOST_POINTS_OF_A_SERIES: usize = 2_000;
const MOST_POINTS: usize = 150_000;

impl Figure {
    /// The figure as SVG text for a screen, some 640 by 440 units (pixels) large, larger when notes and legend need the space. Each
    /// series is thinned to at most 2,000 points, all series together to about 150,000.
    pub fn to_svg(&self) -> String {
        self.to_svg_as(&Look::default())
    }

    /// The figure as SVG text. A fixed width is written in mm, else it is in pixels.
    pub fn to_svg_as(&self, look: &Look) -> String {
        svg(self, look)
    }

    /// The figure as a PNG, two pixels per unit of the SVG in each direction.
    ///
    /// # Errors
    /// `analysis/figure-not-rasterised`.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        self.to_png_as(&Look::default())
    }

    /// The figure as a PNG with the pixels of its look.
    ///
    /// # Errors
    /// `analysis/figure-not-rasterised`, also for more pixels than memory holds.
    pub fn to_png_as(&self, look: &Look) -> Result<Vec<u8>, Error> {
        png(&self.to_svg_as(look), look, &self.title)
    }

    /// The figure as a PDF of one page, which has the width of its look, or letters of the usual sizes of print.
    ///
    /// # Errors
    /// `analysis/figure-not-rasterised`.
    pub fn to_pdf_as(&self, look: &Look) -> Result<Vec<u8>, Error> {
        pdf(&self.to_svg_as(look), look, &self.title)
    }
}

/// Where the parts of a figure are.
struct Layout {
    frame: Frame,
    /// The width of the whole figure.
    width: f64,
    title: Vec<String>,
}

impl Layout {
    fn new(figure: &Figure, look: &Look, y: impl Fn((f64, f64)) -> Scale) -> (Layout, Scale) {
        let map_width = |height| figure.map.as_ref().map(|map| map.width(height, PLOT_WIDTH));
        let beside_map = figure.map.as_ref().map_or(0.0, |_| SCALE_WIDTH);
        let of_screen = (map_width(PLOT_HEIGHT).unwrap_or(PLOT_WIDTH), PLOT_HEIGHT);
        let frame_of = |left: f64, (width, height): (f64, f64)| {
            let title = match look.without_title {
                true => Vec::new(),
                false => text::wrap(&figure.title, TITLE_SIZE, width),
            };
            let top = 16.0 + 20.0 * title.len() as f64;
            (Frame { left, top, right: left + width, bottom: top + height }, title)
        };
        // The room on the left follows from the labels of the ticks, whose number follows from the height.
        let left_of = |frame: Frame| {
            let y = y((frame.bottom, frame.top));
            let labels = y.ticks.iter().filter_map(|tick| tick.label.as_deref());
            let widest = labels.map(|label| width_of(label, TICK_SIZE)).fold(20.0, f64::max);
            (44.0 + widest, y)
        };
        let Some(width) = look.width() else {
            let (left, scale) = left_of(frame_of(0.0, of_screen).0);
            let (frame, title) = frame_of(left, of_screen);
            return (Layout { frame, width: frame.right + RIGHT + beside_map, title }, scale);
        };
        let between = |left: f64| {
            let room = width - left - RIGHT - beside_map;
            match figure.map.as_ref() {
                // A map has the shape of its cells.
                Some(map) => (room, room * PLOT_HEIGHT / map.width(PLOT_HEIGHT, PLOT_WIDTH)),
                None => (room, room * PLOT_HEIGHT / PLOT_WIDTH),
            }
        };
        let (left, _) = left_of(frame_of(0.0, between(64.0)).0);
        let (frame, title) = frame_of(left, between(left));
        (Layout { frame, width, title }, y((frame.bottom, frame.top)))
    }
}

fn svg(figure: &Figure, look: &Look) -> String {
    let series = drawable(figure);
    let empty = figure.map.is_none() && series.iter().all(|runs| runs.is_empty());
    let (x_extent, y_extent) = extents(figure, &series);
    let (layout, y) = Layout::new(figure, look, |ends| Scale::new(&figure.y, y_extent, ends, 46.0));
    let Layout { frame, title, .. } = &layout;
    let frame = *frame;
    let x = Scale::new(&figure.x, x_extent, (frame.left, frame.right), 72.0);

    let mut automatic = 0..;
    let paint = |series: &Series| match series.colour {
        Colour::Automatic => Paint::new(Colour::Palette(automatic.next().unwrap_or(0))),
        colour => Paint::new(colour),
    };
    let paints: Vec<Paint> = figure.series.iter().map(paint).collect();
    let marks: Vec<Paint> = figure.marks.iter().map(|mark| Paint::new(mark.colour)).collect();

    let faint = figure.series.iter().filter(|other| other.emphasis == Emphasis::Faint).count();
    let mut plot =
        PlotArea { svg: String::new(), obstacles: Vec::new(), x: &x, y: &y, frame, faint };
    for ((series, runs), paint) in figure.series.iter().zip(&series).zip(&paints) {
        plot.draw(series, runs, paint);
    }
    for (mark, paint) in figure.marks.iter().zip(&marks) {
        if figure.x.shows(mark.x) && !empty {
            plot.mark(mark.x, paint);
        }
    }
    let PlotArea { svg: plot, obstacles, .. } = plot;
    let entries = if empty { Vec::new() } else { legend::entries(figure, &paints, &marks) };
    let labels_end = frame.bottom + if figure.x.label.is_empty() { 24.0 } else { 44.0 };
    let beside_map = figure.map.as_ref().map_or(0.0, |_| SCALE_WIDTH);
    let room = legend::Room {
        inside: frame,
        beside: (frame.right + beside_map, look.width().is_none()),
        below: (labels_end, layout.width),
    };
    let placed = legend::place(figure.legend_outside, entries, room, &obstacles);

    let width = placed.as_ref().map_or(layout.width, |placed| layout.width.max(placed.right()));
    let below = placed.as_ref().filter(|placed| placed.below).map_or(0.0, |placed| placed.height);
    let notes: Vec<String> = match look.without_notes {
        true => Vec::new(),
        false => {
            let wrapped = |note: &String| text::wrap(note, NOTE_SIZE, width - frame.left - 12.0);
            figure.notes.iter().flat_map(wrapped).collect()
        }
    };
    let notes_top = labels_end + 14.0 + below;
    let beside = placed.as_ref().map_or(0.0, |placed| placed.top + placed.height + 12.0);
    let height = (notes_top + 15.0 * notes.len() as f64).max(beside);

    let whole = |units: f64| if look.width_mm.is_some() { units } else { units.ceil() };
    let mut svg = head(look, (whole(width), whole(height)), frame);
    for (line, row) in title.iter().zip(0..) {
        let at = (frame.left, 24.0 + 20.0 * f64::from(row));
        draw_text(&mut svg, at, TITLE_SIZE, Anchor::Start, line);
    }
    draw_grid(&mut svg, &x, &y, frame);
    let _ = writeln!(svg, r#"<g clip-path="url(#plot)">"#);
    if let Some(map) = &figure.map {
        map.draw(&mut svg, &x, &y);
    }
    svg.push_str(&plot);
    svg.push_str("</g>\n");
    if let Some(map) = &figure.map {
        map.draw_scale(&mut svg, frame);
    }
    draw_axes(&mut svg, figure, (&x, &y), frame, empty);
    if let Some(placed) = &placed {
        draw_legend(&mut svg, placed);
    }
    for (note, row) in notes.iter().zip(0..) {
        let at = (frame.left, notes_top + 15.0 * f64::from(row));
        draw_text(&mut svg, at, NOTE_SIZE, Anchor::Start, note);
    }
    svg.push_str("</svg>\n");
    svg
}

/// The beginning of an SVG: its size, the area of the plot, and a white background.
fn head(look: &Look, (width, height): (f64, f64), frame: Frame) -> String {
    // Hundredths of a unit, or of a mm, are too small to see.
    let [width, height] = [width, height].map(|side| (100.0 * side).round() / 100.0);
    let size = |units: f64| match look.width_mm {
        Some(_) => format!("{:.2}mm", units * MM_PER_UNIT),
        None => format!("{units:.0}"),
    };
    let Frame { left, top, right, bottom } = frame;
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {width} {height}" fill="{INK}">
<defs><clipPath id="plot"><rect x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}"/></clipPath></defs>
<rect width="100%" height="100%" fill="#FFFFFF"/>
"##,
        size(width),
        size(height),
        right - left,
        bottom - top
    )
}

/// The drawable points of each series, thinned out and split into runs at gaps.
fn drawable(figure: &Figure) -> Vec<Vec<Vec<(f64, f64)>>> {
    let total: usize = figure.series.iter().map(|series| series.points.len()).sum();
    figure
        .series
        .iter()
        .map(|series| {
            let count = series.points.len();
            // Each series gets an equal share of the points of the figure; a bold one gets all that it needs.
            let share = (MOST_POINTS as f64 * count as f64 / total.max(1) as f64) as usize;
            let most = match series.emphasis {
                Emphasis::Strong => MOST_POINTS_OF_A_SERIES,
                _ => share.clamp(40, MOST_POINTS_OF_A_SERIES),
            };
            let can_be_drawn =
                |point: &(f64, f64)| figure.x.shows(point.0) && figure.y.shows(point.1);
            series
                .points
                .split(|point| !can_be_drawn(point))
                .filter(|run| !run.is_empty())
                .map(|run| match series.style {
                    Style::Bars { .. } => run.to_vec(),
                    _ => thin(run, (most * run.len()).div_ceil(count)),
                })
                .collect()
        })
        .collect()
}

fn extents(figure: &Figure, series: &[Vec<Vec<(f64, f64)>>]) -> (Extent, Extent) {
    let start = (f64::INFINITY, f64::NEG_INFINITY);
    let extend = |range: (f64, f64), value: f64| (range.0.min(value), range.1.max(value));
    let (mut x, mut y) = (start, start);
    let mut has_bars = false;
    for (series, runs) in figure.series.iter().zip(series) {
        for &(at, value) in runs.iter().flatten() {
            let half = if let Style::Bars { width } = series.style { half_of(width) } else { 0.0 };
            for end in [at - half, at + half] {
                if !figure.x.logarithmic || end > 0.0 {
                    x = extend(x, end);
                }
            }
            y = extend(y, value);
            if matches!(series.style, Style::Bars { .. }) {
                has_bars = true;
                if !figure.y.logarithmic {
                    y = extend(y, 0.0);
                }
            }
        }
    }
    for mark in &figure.marks {
        if figure.x.shows(mark.x) && x.0 <= x.1 {
            x = extend(x, mark.x);
        }
    }
    let or_one = |range: (f64, f64)| if range.0 <= range.1 { range } else { (0.1, 1.0) };
    let (x, y) = (or_one(x), or_one(y));
    let margin = if has_bars { 0.04 } else { 0.02 };
    (
        Extent { low: x.0, high: x.1, touches_zero: !has_bars, margin },
        Extent { low: y.0, high: y.1, touches_zero: true, margin: 0.06 },
    )
}
