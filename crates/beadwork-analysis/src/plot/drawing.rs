//! The layout of a figure and its SVG text.

use std::fmt::Write as _;

use super::axes::{draw_axes, draw_empty, draw_grid, draw_labels};
use super::colour_scale::SCALE_WIDTH;
use super::figure::{Emphasis, Figure, Series, Style};
use super::glyphs::{Anchor, draw_text, width as width_of};
use super::ink::{Colour, Frame, Paint, TICK_SIZE};
use super::legend::{self, draw_legend};
use super::look::{Look, MM_PER_UNIT};
use super::panels::{self, Panels};
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
    /// The area between the axes, of each panel if there are several.
    frames: Vec<Frame>,
    panels: Option<Panels>,
    /// The width of the whole figure.
    width: f64,
    title: Vec<String>,
}

impl Layout {
    fn new(figure: &Figure, look: &Look, y: impl Fn((f64, f64)) -> Scale) -> (Layout, Scale) {
        let map_width = |height| figure.map.as_ref().map(|map| map.width(height, PLOT_WIDTH));
        let beside = beside_plot(figure);
        let has_panels = figure.panels.len() > 1;
        let of_screen = match map_width(PLOT_HEIGHT) {
            Some(width) => width,
            None if has_panels => {
                Panels::width_on_screen(figure.panels.len(), figure.columns, PLOT_WIDTH)
            }
            None => PLOT_WIDTH,
        };
        let layout_of = |left: f64, room: f64| {
            let title = match look.without_title {
                true => Vec::new(),
                false => text::wrap(&figure.title, TITLE_SIZE, room),
            };
            let top = 16.0 + 20.0 * title.len() as f64;
            let panels = has_panels.then(|| Panels::new(&figure.panels, figure.columns, room));
            // A map has the shape of its cells.
            let shape = PLOT_HEIGHT / map_width(PLOT_HEIGHT).unwrap_or(PLOT_WIDTH);
            let one = Frame { left, top, right: left + room, bottom: top + room * shape };
            let frames = panels.as_ref().map_or(vec![one], |panels| panels.frames(left, top));
            Layout { frames, panels, width: left + room + RIGHT + beside, title }
        };
        // The room on the left follows from the labels of the ticks, whose number follows from the height.
        let left_of = |layout: &Layout| {
            let y = y((layout.frames[0].bottom, layout.frames[0].top));
            let labels = y.ticks.iter().filter_map(|tick| tick.label.as_deref());
            let widest = labels.map(|label| width_of(label, TICK_SIZE)).fold(20.0, f64::max);
            44.0 + widest
        };
        let room =
            |left: f64| look.width().map_or(of_screen, |width| width - left - RIGHT - beside);
        let left = left_of(&layout_of(0.0, room(64.0)));
        let layout = layout_of(left, room(left));
        let first = layout.frames[0];
        (layout, y((first.bottom, first.top)))
    }

    /// The area of all panels.
    fn whole(&self) -> Frame {
        let over = |of: fn(&Frame) -> f64, choose: fn(f64, f64) -> f64| {
            self.frames.iter().map(of).reduce(choose).unwrap_or(0.0)
        };
        Frame {
            left: over(|frame| frame.left, f64::min),
            top: over(|frame| frame.top, f64::min),
            right: over(|frame| frame.right, f64::max),
            bottom: over(|frame| frame.bottom, f64::max),
        }
    }

    /// Whether a panel has neighbours below it and to its left.
    fn neighbours(&self, number: usize) -> (bool, bool) {
        self.panels.as_ref().map_or((false, false), |panels| panels.has_neighbours(number))
    }
}

/// The room that the scale of colours takes.
fn beside_plot(figure: &Figure) -> f64 {
    if figure.map.is_some() || figure.scale.is_some() { SCALE_WIDTH } else { 0.0 }
}

fn svg(figure: &Figure, look: &Look) -> String {
    let series = drawable(figure);
    let empty = figure.map.is_none() && series.iter().all(|runs| runs.is_empty());
    // Without data there is nothing for panels and a scale to tell apart.
    let without = empty.then(|| Figure { panels: Vec::new(), scale: None, ..figure.clone() });
    let figure = without.as_ref().unwrap_or(figure);
    let (x_extent, y_extent) = extents(figure, &series);
    // Panels are small, and their ticks nearer.
    let between_ticks = if figure.panels.len() > 1 { (52.0, 30.0) } else { (72.0, 46.0) };
    let (layout, y) =
        Layout::new(figure, look, |ends| Scale::new(&figure.y, y_extent, ends, between_ticks.1));
    let (first, whole) = (layout.frames[0], layout.whole());
    let x = Scale::new(&figure.x, x_extent, (first.left, first.right), between_ticks.0);

    let contents = Contents::new(figure, &series, empty);
    let mut body = String::new();
    let obstacles = contents.draw(&mut body, &layout, (&x, &y));
    draw_around(&mut body, figure, &layout, (&x, &y), empty);

    let entries = match empty {
        true => Vec::new(),
        false => legend::entries(figure, &contents.paints, &contents.marks),
    };
    let labels_end = whole.bottom + if figure.x.label.is_empty() { 24.0 } else { 44.0 };
    let room = legend::Room {
        inside: whole,
        beside: (whole.right + beside_plot(figure), look.width().is_none()),
        below: (labels_end, layout.width),
    };
    let placed = legend::place(layout.panels.is_some(), entries, room, &obstacles);

    let width = placed.as_ref().map_or(layout.width, |placed| layout.width.max(placed.right()));
    let below = placed.as_ref().filter(|placed| placed.below).map_or(0.0, |placed| placed.height);
    let notes: Vec<String> = match look.without_notes {
        true => Vec::new(),
        false => {
            let wrapped = |note: &String| text::wrap(note, NOTE_SIZE, width - whole.left - 12.0);
            figure.notes.iter().flat_map(wrapped).collect()
        }
    };
    let notes_top = labels_end + 14.0 + below;
    let beside = placed.as_ref().map_or(0.0, |placed| placed.top + placed.height + 12.0);
    let height = (notes_top + 15.0 * notes.len() as f64).max(beside);

    let round = |units: f64| if look.width_mm.is_some() { units } else { units.ceil() };
    let mut svg = head(look, (round(width), round(height)), &layout.frames);
    for (line, row) in layout.title.iter().zip(0..) {
        let at = (whole.left, 24.0 + 20.0 * f64::from(row));
        draw_text(&mut svg, at, TITLE_SIZE, Anchor::Start, line);
    }
    svg.push_str(&body);
    if let Some(placed) = &placed {
        draw_legend(&mut svg, placed);
    }
    for (note, row) in notes.iter().zip(0..) {
        let at = (whole.left, notes_top + 15.0 * f64::from(row));
        draw_text(&mut svg, at, NOTE_SIZE, Anchor::Start, note);
    }
    svg.push_str("</svg>\n");
    svg
}

/// What is drawn between the axes.
struct Contents<'a> {
    figure: &'a Figure,
    /// The points of each series, in runs without gaps.
    runs: &'a [Vec<Vec<(f64, f64)>>],
    paints: Vec<Paint>,
    marks: Vec<Paint>,
    is_empty: bool,
}

impl<'a> Contents<'a> {
    fn new(figure: &'a Figure, runs: &'a [Vec<Vec<(f64, f64)>>], is_empty: bool) -> Self {
        let mut automatic = 0..;
        let scale = figure.scale.as_ref();
        let paint = |series: &Series| match series.colour {
            Colour::Automatic => {
                Paint::new(Colour::Palette(automatic.next().unwrap_or(0)), series.dash, scale)
            }
            colour => Paint::new(colour, series.dash, scale),
        };
        let paints = figure.series.iter().map(paint).collect();
        let marks = figure.marks.iter().map(|mark| Paint::new(mark.colour, 0, scale)).collect();
        Contents { figure, runs, paints, marks, is_empty }
    }

    /// Draws the grid, the map, series and marks of each panel, whose first one has these axes. Returns what the legend should not
    /// cover.
    fn draw(&self, svg: &mut String, layout: &Layout, (x, y): (&Scale, &Scale)) -> Vec<Frame> {
        let (figure, first) = (self.figure, layout.frames[0]);
        let mut obstacles = Vec::new();
        for (number, frame) in layout.frames.iter().enumerate() {
            let (x, y) = (x.moved(frame.left - first.left), y.moved(frame.top - first.top));
            draw_grid(svg, &x, &y, *frame);
            let _ = writeln!(svg, r#"<g clip-path="url(#{})">"#, clip_name(number));
            if let Some(map) = &figure.map {
                map.draw(svg, &x, &y);
            }
            let is_here = |panel: Option<usize>| {
                layout.panels.is_none() || panel.is_none_or(|panel| panel == number)
            };
            let here = || figure.series.iter().filter(|series| is_here(series.panel));
            let count = |emphasis| here().filter(|other| other.emphasis == emphasis).count();
            let mut plot = PlotArea {
                svg: String::new(),
                obstacles: Vec::new(),
                x: &x,
                y: &y,
                frame: *frame,
                faint: count(Emphasis::Faint),
                strong: count(Emphasis::Strong),
            };
            for ((series, runs), paint) in figure.series.iter().zip(self.runs).zip(&self.paints) {
                if is_here(series.panel) {
                    plot.draw(series, runs, paint);
                }
            }
            for (mark, paint) in figure.marks.iter().zip(&self.marks) {
                if figure.x.shows(mark.x) && !self.is_empty && is_here(mark.panel) {
                    plot.mark(mark.x, paint);
                }
            }
            svg.push_str(&plot.svg);
            svg.push_str("</g>\n");
            obstacles.append(&mut plot.obstacles);
        }
        obstacles
    }
}

/// Draws what surrounds the curves: titles of panels, axes, and the scale of colours.
fn draw_around(
    svg: &mut String,
    figure: &Figure,
    layout: &Layout,
    (x, y): (&Scale, &Scale),
    empty: bool,
) {
    let (first, whole) = (layout.frames[0], layout.whole());
    let of_map = figure.map.as_ref().and_then(|map| map.scale());
    if let Some(scale) = of_map.as_ref().or(figure.scale.as_ref()) {
        scale.draw(svg, whole, of_map.is_none());
    }
    for (number, frame) in layout.frames.iter().enumerate() {
        if empty {
            draw_empty(svg, *frame);
        } else {
            let (x, y) = (x.moved(frame.left - first.left), y.moved(frame.top - first.top));
            draw_axes(svg, (&x, &y), *frame, layout.neighbours(number));
        }
        let lines = layout.panels.iter().flat_map(|panels| panels.title_lines(number, *frame));
        for (line, at) in lines {
            draw_text(svg, at, panels::TITLE_SIZE, Anchor::Start, line);
        }
    }
    draw_labels(svg, figure, whole);
}

/// The name of the area of a panel.
fn clip_name(number: usize) -> String {
    if number == 0 { "plot".to_owned() } else { format!("plot-{number}") }
}

/// The beginning of an SVG: its size, the areas of the plot, and a white background.
fn head(look: &Look, (width, height): (f64, f64), frames: &[Frame]) -> String {
    // Hundredths of a unit, or of a mm, are too small to see.
    let [width, height] = [width, height].map(|side| (100.0 * side).round() / 100.0);
    let size = |units: f64| match look.width_mm {
        Some(_) => format!("{:.2}mm", units * MM_PER_UNIT),
        None => format!("{units:.0}"),
    };
    let area = |(number, frame): (usize, &Frame)| {
        let Frame { left, top, right, bottom } = frame;
        format!(
            r#"<clipPath id="{}"><rect x="{left:.1}" y="{top:.1}" width="{:.1}" height="{:.1}"/></clipPath>"#,
            clip_name(number),
            right - left,
            bottom - top
        )
    };
    let areas: String = frames.iter().enumerate().map(area).collect();
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {width} {height}" fill="{INK}">
<defs>{areas}</defs>
<rect width="100%" height="100%" fill="#FFFFFF"/>
"##,
        size(width),
        size(height)
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
                    Style::Bars { .. } | Style::ErrorBars | Style::Band => run.to_vec(),
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
    let (margin, margin_y) = (if has_bars { 0.04 } else { 0.02 }, 0.06);
    // An axis that ends at zero would cut a marker there.
    let markers = || {
        let all = figure.series.iter().zip(series);
        let marked = all.filter(|(one, _)| matches!(one.style, Style::Points | Style::Rings));
        marked.flat_map(|(_, runs)| runs.iter().flatten())
    };
    let is_free = |end: f64, of: fn(&(f64, f64)) -> f64| markers().all(|marker| of(marker) >= end);
    let touches = [
        !has_bars && is_free(margin * x.1, |marker| marker.0),
        is_free(margin_y * y.1, |marker| marker.1),
    ];
    (
        Extent { low: x.0, high: x.1, touches_zero: touches[0], margin },
        Extent { low: y.0, high: y.1, touches_zero: touches[1], margin: margin_y },
    )
}
