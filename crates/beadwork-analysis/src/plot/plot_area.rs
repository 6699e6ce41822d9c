//! The area between the axes: lines, points, steps, bars and marks.

use std::fmt::Write as _;

use super::axis::usable;
use super::figure::{Emphasis, Series, Style};
use super::ink::{COLOURS, Frame, Paint};
use super::scale::Scale;

/// Half the width of the caps of error bars, more than the radius of a marker.
const CAP: f64 = 4.5;

/// The area between the axes while series are drawn into it.
pub(super) struct PlotArea<'a> {
    pub svg: String,
    /// Areas that the legend should not cover.
    pub obstacles: Vec<Frame>,
    pub x: &'a Scale,
    pub y: &'a Scale,
    pub frame: Frame,
    pub faint: usize,
    /// Bold series. The white rims of many would hide the others.
    pub strong: usize,
}

impl PlotArea<'_> {
    pub fn draw(&mut self, series: &Series, runs: &[Vec<(f64, f64)>], paint: &Paint) {
        for run in runs {
            let pixels = run.iter().map(|&(at, value)| (self.x.pixel(at), self.y.pixel(value)));
            let pixels: Vec<(f64, f64)> = pixels.collect();
            match series.style {
                Style::Steps if run.len() > 1 => self.line(series, &steps(&pixels), paint),
                Style::Line if run.len() > 1 => self.line(series, &pixels, paint),
                Style::Line | Style::Steps | Style::Points | Style::Rings => {
                    self.discs(series, &pixels, paint);
                }
                Style::ErrorBars => self.error_bar(series, &pixels, paint),
                Style::Bars { width } => self.bars(run, &pixels, width, paint),
                Style::Band => self.band(&pixels, paint),
            }
        }
    }

    /// The colour of a series, and an opacity attribute for each name in `of` (`stroke`, `fill`). Opacity is set per
    /// attribute because renderers draw an element of its own opacity into an extra picture.
    fn ink(&self, series: &Series, paint: &Paint, of: &[&str]) -> (String, String) {
        if series.emphasis != Emphasis::Faint {
            return (paint.colour.clone(), String::new());
        }
        let opacity = (3.0 / (self.faint as f64).sqrt()).clamp(0.06, 0.7);
        let attributes = of.iter().map(|of| format!(" {of}-opacity=\"{opacity:.3}\"")).collect();
        // Overlapping translucent lines approach their full colour; a lighter one keeps bold lines visible.
        (lighter(&paint.colour), attributes)
    }

    fn line(&mut self, series: &Series, pixels: &[(f64, f64)], paint: &Paint) {
        let mut points = String::with_capacity(12 * pixels.len());
        for (across, down) in pixels {
            let _ = write!(points, "{across:.1},{down:.1} ");
        }
        let points = points.trim_end();
        if series.emphasis == Emphasis::Strong && self.faint > 0 && self.strong <= COLOURS {
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
        let dashes = &paint.dashes;
        let _ = writeln!(
            self.svg,
            r#"<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="{corners}"{dashes}{faded}/>"#
        );
        self.block_line(pixels);
    }

    fn discs(&mut self, series: &Series, pixels: &[(f64, f64)], paint: &Paint) {
        let radius = if series.emphasis == Emphasis::Faint { 1.8 } else { 2.8 };
        let (colour, faded) = self.ink(series, paint, &["fill", "stroke"]);
        let (fill, rim, width) = match series.style {
            Style::Rings => ("#FFFFFF", colour.as_str(), "1.4"),
            _ => (colour.as_str(), "#FFFFFF", "0.6"),
        };
        for &(across, down) in pixels {
            let _ = writeln!(
                self.svg,
                r##"<circle cx="{across:.1}" cy="{down:.1}" r="{radius}" fill="{fill}" stroke="{rim}" stroke-width="{width}"{faded}/>"##
            );
            self.obstacles.push(Frame {
                left: across - radius,
                top: down - radius,
                right: across + radius,
                bottom: down + radius,
            });
        }
    }

    /// A bar between the first and the last point.
    fn error_bar(&mut self, series: &Series, pixels: &[(f64, f64)], paint: &Paint) {
        let &[(across, from), .., (_, to)] = pixels else { return };
        let (left, right) = (across - CAP, across + CAP);
        let (colour, faded) = self.ink(series, paint, &["stroke"]);
        let _ = writeln!(
            self.svg,
            r#"<polyline points="{left:.1},{from:.1} {right:.1},{from:.1} {across:.1},{from:.1} {across:.1},{to:.1} {left:.1},{to:.1} {right:.1},{to:.1}" fill="none" stroke="{colour}" stroke-width="1.5" stroke-linejoin="round"{faded}/>"#
        );
        self.block_line(pixels);
    }

    /// The area inside an outline.
    fn band(&mut self, pixels: &[(f64, f64)], paint: &Paint) {
        let mut points = String::with_capacity(12 * pixels.len());
        for (across, down) in pixels {
            let _ = write!(points, "{across:.1},{down:.1} ");
        }
        let (points, colour) = (points.trim_end(), &paint.colour);
        let _ = writeln!(
            self.svg,
            r#"<polygon points="{points}" fill="{colour}" fill-opacity="0.22"/>"#
        );
        let half = pixels.len() / 2;
        for (from, to) in pixels[..half].iter().zip(pixels.iter().rev()) {
            self.block_line(&[*from, *to]);
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

    pub fn mark(&mut self, x: f64, paint: &Paint) {
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

/// Half the width of a bar.
pub(super) fn half_of(width: f64) -> f64 {
    if usable(width) { 0.5 * width.abs() } else { 0.0 }
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
