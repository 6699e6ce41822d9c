//! The layout of a figure and its SVG text.

use std::fmt::Write as _;

use super::axes::{draw_axes, draw_grid};
use super::figure::{Emphasis, Figure, Series, Style};
use super::heat_map::SCALE_WIDTH;
use super::ink::{Colour, Frame, Paint, TICK_SIZE, draw_text};
use super::legend::{self, draw_legend};
use super::plot_area::{PlotArea, half_of};
use super::raster::png;
use super::scale::{Extent, Scale};
use super::text;
use super::thinning::thin;
use crate::Error;

const INK: &str = "#222222";
const PLOT_WIDTH: f64 = 540.0;
const PLOT_HEIGHT: f64 = 340.0;
const TITLE_SIZE: f64 = 15.0;
const NOTE_SIZE: f64 = 11.0;
const MOST_POINTS_OF_A_SERIES: usize = 2_000;
const MOST_POINTS: usize = 150_000;

impl Figure {
    /// The figure as SVG text, some 640 by 440 units (pixels) large, larger when notes and legend need the space. Each
    /// series is thinned to at most 2,000 points, all series together to about 150,000.
    pub fn to_svg(&self) -> String {
        svg(self)
    }

    /// The figure as a PNG, two pixels per unit of the SVG in each direction.
    pub fn to_png(&self) -> Result<Vec<u8>, Error> {
        png(&self.to_svg(), &self.title)
    }
}

fn svg(figure: &Figure) -> String {
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
