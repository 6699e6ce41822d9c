//! The layout of a figure and its SVG text.

use std::fmt::Write as _;

use super::heat_map::SCALE_WIDTH;
use super::legend::{self, Placed, Sample};
use super::scale::{Extent, Scale, power_of_ten, usable};
use super::text;
use super::thinning::thin;
use super::{Colour, Emphasis, Figure, Series, Style};

/// Names and values of the colours of Okabe and Ito (<https://jfly.uni-koeln.de/color/>), the
/// yellow last because it is faint on white.
pub(super) const PALETTE: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"];
const GREY: &str = "#8A8A8A";
const INK: &str = "#222222";
const PLOT_WIDTH: f64 = 540.0;
const PLOT_HEIGHT: f64 = 340.0;
const TITLE_SIZE: f64 = 15.0;
const AXIS_SIZE: f64 = 14.0;
pub(super) const TICK_SIZE: f64 = 12.0;
const NOTE_SIZE: f64 = 11.0;
const MOST_POINTS_OF_A_SERIES: usize = 2_000;
const MOST_POINTS: usize = 150_000;

/// An area, such as that between the axes, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

/// The colour of a series and the dashes of its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Paint {
    pub colour: &'static str,
    pub dashes: &'static str,
}

impl Paint {
    fn new(colour: Colour) -> Self {
        let Colour::Palette(number) = colour else { return Self { colour: GREY, dashes: "" } };
        let dashes = match number / PALETTE.len() % 3 {
            0 => "",
            1 => " stroke-dasharray=\"6 3\"",
            _ => " stroke-dasharray=\"2 2\"",
        };
        Self { colour: PALETTE[number % PALETTE.len()], dashes }
    }
}

pub(super) fn svg(figure: &Figure) -> String {
    let series = drawable(figure);
    let empty = figure.map.is_none() && series.iter().all(|runs| runs.is_empty());
    let (x_extent, y_extent) = extents(figure, &series);

    let plot_width =
        figure.map.as_ref().map_or(PLOT_WIDTH, |map| map.width(PLOT_HEIGHT, PLOT_WIDTH));
    let title = text::wrap(&figure.title, TITLE_SIZE, plot_width);
    let top = 16.0 + 20.0 * title.len() as f64;
    let bottom = top + PLOT_HEIGHT;
    let y = Scale::new(&figure.y, y_extent, (bottom, top), 46.0);
    let widest = y
        .ticks
        .iter()
        .filter_map(|tick| tick.label.as_deref())
        .map(|label| text::width(label, TICK_SIZE))
        .fold(20.0, f64::max);
    let left = 44.0 + widest;
    let frame = Frame { left, top, right: left + plot_width, bottom };
    let x = Scale::new(&figure.x, x_extent, (frame.left, frame.right), 72.0);

    let mut automatic = 0..;
    let paint = |series: &Series| match series.colour {
        Colour::Automatic => Paint::new(Colour::Palette(automatic.next().unwrap_or(0))),
        colour => Paint::new(colour),
    };
    let paints: Vec<Paint> = figure.series.iter().map(paint).collect();
    let marks: Vec<Paint> = figure.marks.iter().map(|mark| Paint::new(mark.colour)).collect();

    let faint = figure.series.iter().filter(|other| other.emphasis == Emphasis::Faint).count();
    let mut plot = Plot { svg: String::new(), obstacles: Vec::new(), x: &x, y: &y, frame, faint };
    for ((series, runs), paint) in figure.series.iter().zip(&series).zip(&paints) {
        plot.draw(series, runs, paint);
    }
    for (mark, paint) in figure.marks.iter().zip(&marks) {
        if figure.x.shows(mark.x) && !empty {
            plot.mark(mark.x, paint);
        }
    }
    let Plot { svg: plot, obstacles, .. } = plot;
    let entries = if empty { Vec::new() } else { legend::entries(figure, &paints, &marks) };
    let beside_map = figure.map.as_ref().map_or(0.0, |_| SCALE_WIDTH);
    let frame_of_legend = Frame { right: frame.right + beside_map, ..frame };
    let placed = legend::place(figure.legend_outside, entries, frame_of_legend, &obstacles);

    let outside = placed.as_ref().filter(|placed| placed.outside);
    let width =
        outside.map_or(frame.right + 18.0 + beside_map, |placed| placed.left + placed.width + 10.0);
    let notes: Vec<String> = figure
        .notes
        .iter()
        .flat_map(|note| text::wrap(note, NOTE_SIZE, width - frame.left - 12.0))
        .collect();
    let notes_top = frame.bottom + if figure.x.label.is_empty() { 38.0 } else { 58.0 };
    let beside = outside.map_or(0.0, |placed| placed.top + placed.height + 12.0);
    let height = (notes_top + 15.0 * notes.len() as f64).max(beside);

    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0}" height="{1:.0}" viewBox="0 0 {0:.0} {1:.0}" font-family="'Ubuntu Light', Ubuntu, 'Helvetica Neue', Helvetica, Arial, sans-serif" fill="{INK}">
<defs><clipPath id="plot"><rect x="{2:.1}" y="{3:.1}" width="{plot_width:.1}" height="{PLOT_HEIGHT:.1}"/></clipPath></defs>
<rect width="100%" height="100%" fill="#FFFFFF"/>
"##,
        width.ceil(),
        height.ceil(),
        frame.left,
        frame.top
    );
    for (line, row) in title.iter().zip(0..) {
        draw_text(&mut svg, (frame.left, 24.0 + 20.0 * f64::from(row)), TITLE_SIZE, "start", line);
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
        draw_text(&mut svg, at, NOTE_SIZE, "start", note);
    }
    svg.push_str("</svg>\n");
    svg
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

fn half_of(width: f64) -> f64 {
    if usable(width) { 0.5 * width.abs() } else { 0.0 }
}

/// The area between the axes while series are drawn into it.
struct Plot<'a> {
    svg: String,
    /// Areas that the legend should not cover.
    obstacles: Vec<Frame>,
    x: &'a Scale,
    y: &'a Scale,
    frame: Frame,
    faint: usize,
}

impl Plot<'_> {
    fn draw(&mut self, series: &Series, runs: &[Vec<(f64, f64)>], paint: &Paint) {
        for run in runs {
            let pixels = run.iter().map(|&(at, value)| (self.x.pixel(at), self.y.pixel(value)));
            let pixels: Vec<(f64, f64)> = pixels.collect();
            match series.style {
                Style::Steps if run.len() > 1 => self.line(series, &steps(&pixels), paint),
                Style::Line if run.len() > 1 => self.line(series, &pixels, paint),
                Style::Line | Style::Steps | Style::Points => self.discs(series, &pixels, paint),
                Style::Bars { width } => self.bars(run, &pixels, width, paint),
            }
        }
    }

    /// The colour of a series, and an opacity attribute for each name in `of` (`stroke`, `fill`). Opacity is set per
    /// attribute because renderers draw an element of its own opacity into an extra picture.
    fn ink(&self, series: &Series, paint: &Paint, of: &[&str]) -> (String, String) {
        if series.emphasis != Emphasis::Faint {
            return (paint.colour.to_owned(), String::new());
        }
        let opacity = (3.0 / (self.faint as f64).sqrt()).clamp(0.06, 0.7);
        let attributes = of.iter().map(|of| format!(" {of}-opacity=\"{opacity:.3}\"")).collect();
        // Overlapping translucent lines approach their full colour; a lighter one keeps bold lines visible.
        (lighter(paint.colour), attributes)
    }

    fn line(&mut self, series: &Series, pixels: &[(f64, f64)], paint: &Paint) {
        let mut points = String::with_capacity(12 * pixels.len());
        for (across, down) in pixels {
            let _ = write!(points, "{across:.1},{down:.1} ");
        }
        let points = points.trim_end();
        if series.emphasis == Emphasis::Strong && self.faint > 0 {
            let _ = writeln!(
                self.svg,
                r##"<polyline class="rim" points="{points}" fill="none" stroke="#FFFFFF" stroke-width="4" stroke-opacity="0.75" stroke-linejoin="round"/>"##
            );
        }
        // Corners of faint lines are too small to see, so the cheapest join will do.
        let (width, corners) = match series.emphasis {
            Emphasis::Faint => (0.9, "bevel"),
            Emphasis::Normal => (1.5, "round"),
            Emphasis::Strong => (2.0, "round"),
        };
        let (colour, faded) = self.ink(series, paint, &["stroke"]);
        let dashes = paint.dashes;
        let _ = writeln!(
            self.svg,
            r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="{corners}"{dashes}{faded}/>"#
        );
        self.block_line(pixels);
    }

    fn discs(&mut self, series: &Series, pixels: &[(f64, f64)], paint: &Paint) {
        let radius = if series.emphasis == Emphasis::Faint { 1.8 } else { 2.8 };
        let (colour, faded) = self.ink(series, paint, &["fill", "stroke"]);
        for &(across, down) in pixels {
            let _ = writeln!(
                self.svg,
                r##"<circle cx="{across:.1}" cy="{down:.1}" r="{radius}" fill="{colour}" stroke="#FFFFFF" stroke-width="0.6"{faded}/>"##
            );
            self.obstacles.push(Frame {
                left: across - radius,
                top: down - radius,
                right: across + radius,
                bottom: down + radius,
            });
        }
    }

    fn bars(&mut self, run: &[(f64, f64)], pixels: &[(f64, f64)], width: f64, paint: &Paint) {
        let (x, y) = (self.x, self.y);
        let half = half_of(width);
        let ground = if y.logarithmic { self.frame.bottom } else { y.pixel(0.0) };
        let Paint { colour, dashes } = paint;
        for (&(at, _), &(_, end)) in run.iter().zip(pixels) {
            let start = if x.logarithmic { (at - half).max(x.low) } else { at - half };
            let (from, to) = (x.pixel(start), x.pixel(at + half));
            let (top, bottom) = (end.min(ground), end.max(ground));
            if bottom - top < 0.05 {
                continue;
            }
            let _ = writeln!(
                self.svg,
                r#"<rect x="{from:.1}" y="{top:.1}" width="{:.1}" height="{:.1}" fill="{colour}" fill-opacity="0.38" stroke="{colour}" stroke-width="1"{dashes}/>"#,
                to - from,
                bottom - top
            );
            self.obstacles.push(Frame { left: from, top, right: to, bottom });
        }
    }

    fn mark(&mut self, x: f64, paint: &Paint) {
        let (at, Frame { top, bottom, .. }) = (self.x.pixel(x), self.frame);
        let _ = writeln!(
            self.svg,
            r#"<line x1="{at:.1}" y1="{top:.1}" x2="{at:.1}" y2="{bottom:.1}" stroke="{}" stroke-width="1.3" stroke-dasharray="5 4"/>"#,
            paint.colour
        );
        self.obstacles.push(Frame { left: at, top, right: at, bottom });
    }

    /// Marks points along a line as obstacles, close enough together that no legend fits between them.
    fn block_line(&mut self, pixels: &[(f64, f64)]) {
        for pair in pixels.windows(2) {
            let (across, down) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
            let parts = (across.hypot(down) / 8.0).ceil().clamp(1.0, 200.0);
            for part in 0..=parts as u32 {
                let part = f64::from(part) / parts;
                let at = (pair[0].0 + part * across, pair[0].1 + part * down);
                self.obstacles.push(Frame { left: at.0, top: at.1, right: at.0, bottom: at.1 });
            }
        }
    }
}

fn lighter(colour: &str) -> String {
    let number = colour.strip_prefix('#').and_then(|digits| u32::from_str_radix(digits, 16).ok());
    format!("#{:06X}", ((number.unwrap_or(0) & 0x00FE_FEFE) >> 1) + 0x007F_7F7F)
}

/// Corners of a line that holds each value until the next point.
fn steps(pixels: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut corners = Vec::with_capacity(2 * pixels.len());
    for pair in pixels.windows(2) {
        corners.extend([pair[0], (pair[1].0, pair[0].1)]);
    }
    corners.extend(pixels.last());
    corners
}

pub(super) fn draw_text(
    svg: &mut String,
    (x, y): (f64, f64),
    size: f64,
    anchor: &str,
    content: &str,
) {
    let content = text::escape(content);
    let _ = writeln!(
        svg,
        r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}">{content}</text>"#
    );
}

fn draw_grid(svg: &mut String, x: &Scale, y: &Scale, frame: Frame) {
    let mut paths = [String::new(), String::new()];
    for tick in &x.ticks {
        let at = x.pixel(tick.value);
        let path = &mut paths[usize::from(tick.label.is_none())];
        let _ = write!(path, "M{at:.1} {:.1}V{:.1}", frame.top, frame.bottom);
    }
    for tick in &y.ticks {
        let at = y.pixel(tick.value);
        let path = &mut paths[usize::from(tick.label.is_none())];
        let _ = write!(path, "M{:.1} {at:.1}H{:.1}", frame.left, frame.right);
    }
    for (path, colour) in paths.iter().zip(["#E4E4E4", "#F1F1F1"]).rev() {
        if !path.is_empty() {
            let _ = writeln!(svg, r#"<path d="{path}" stroke="{colour}" stroke-width="1"/>"#);
        }
    }
}

fn draw_axes(
    svg: &mut String,
    figure: &Figure,
    (x, y): (&Scale, &Scale),
    frame: Frame,
    empty: bool,
) {
    let Frame { left, top, right, bottom } = frame;
    let _ = writeln!(
        svg,
        r##"<path d="M{left:.1} {top:.1}V{bottom:.1}H{right:.1}" fill="none" stroke="#444444" stroke-width="1"/>"##
    );
    let middle = (0.5 * (left + right), 0.5 * (top + bottom));
    if empty {
        draw_text(svg, middle, AXIS_SIZE, "middle", "no data");
    } else {
        let mut path = String::new();
        for tick in &x.ticks {
            let at = x.pixel(tick.value);
            let _ = write!(path, "M{at:.1} {bottom:.1}v5");
            if let Some(label) = &tick.label {
                draw_text(svg, (at, bottom + 19.0), TICK_SIZE, "middle", label);
            }
        }
        for tick in &y.ticks {
            let at = y.pixel(tick.value);
            let _ = write!(path, "M{left:.1} {at:.1}h-5");
            if let Some(label) = &tick.label {
                draw_text(svg, (left - 8.0, at + 4.2), TICK_SIZE, "end", label);
            }
        }
        let _ = writeln!(svg, r##"<path d="{path}" stroke="#444444" stroke-width="1"/>"##);
        for (power, at, anchor) in
            [(x.power, (right, bottom + 38.0), "end"), (y.power, (left + 6.0, top + 11.0), "start")]
        {
            if power != 0 {
                draw_text(svg, at, TICK_SIZE, anchor, &format!("×{}", power_of_ten(power)));
            }
        }
    }
    draw_text(svg, (middle.0, bottom + 39.0), AXIS_SIZE, "middle", &figure.x.label);
    let _ = writeln!(
        svg,
        r#"<text transform="translate(20 {:.1}) rotate(-90)" font-size="{AXIS_SIZE}" text-anchor="middle">{}</text>"#,
        middle.1,
        text::escape(&figure.y.label)
    );
}

fn draw_legend(svg: &mut String, placed: &Placed) {
    let Placed { left, top, width, height, .. } = placed;
    let _ = writeln!(
        svg,
        r##"<g class="legend"><rect x="{left:.1}" y="{top:.1}" width="{width:.1}" height="{height:.1}" rx="3" fill="#FFFFFF" fill-opacity="0.85" stroke="#D0D0D0" stroke-width="0.8"/>"##
    );
    let start = left + legend::PADDING;
    for (entry, row) in placed.entries.iter().zip(0..) {
        let middle = top + legend::PADDING + 7.0 + legend::LINE * f64::from(row);
        if let Some((sample, Paint { colour, dashes })) = &entry.sample {
            let end = start + legend::SAMPLE;
            let _ = match sample {
                Sample::Line => writeln!(
                    svg,
                    r#"<path d="M{start:.1} {middle:.1}H{end:.1}" stroke="{colour}" stroke-width="2"{dashes}/>"#
                ),
                Sample::Mark => writeln!(
                    svg,
                    r#"<path d="M{start:.1} {middle:.1}H{end:.1}" stroke="{colour}" stroke-width="1.3" stroke-dasharray="5 4"/>"#
                ),
                Sample::Disc => writeln!(
                    svg,
                    r#"<circle cx="{:.1}" cy="{middle:.1}" r="3" fill="{colour}"/>"#,
                    0.5 * (start + end)
                ),
                Sample::Bar => writeln!(
                    svg,
                    r#"<rect x="{:.1}" y="{:.1}" width="14" height="10" fill="{colour}" fill-opacity="0.38" stroke="{colour}"{dashes}/>"#,
                    start + 4.0,
                    middle - 5.0
                ),
            };
        }
        let at = (start + legend::SAMPLE + legend::GAP, middle + 4.2);
        draw_text(svg, at, legend::FONT_SIZE, "start", &entry.label);
    }
    svg.push_str("</g>\n");
}
