//! The axes and the grid of a figure.

use std::fmt::Write as _;

use super::figure::Figure;
use super::glyphs::{Anchor, draw_text, draw_text_upwards};
use super::ink::{Frame, TICK_SIZE};
use super::scale::Scale;

const AXIS_SIZE: f64 = 14.0;

pub(super) fn draw_grid(svg: &mut String, x: &Scale, y: &Scale, frame: Frame) {
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

/// Draws the axes of a panel with their ticks; labels of ticks where no neighbour has them.
pub(super) fn draw_axes(
    svg: &mut String,
    (x, y): (&Scale, &Scale),
    frame: Frame,
    (has_below, has_left): (bool, bool),
) {
    let Frame { left, top, right, bottom } = frame;
    draw_lines(svg, frame);
    let mut path = String::new();
    for tick in &x.ticks {
        let at = x.pixel(tick.value);
        let _ = write!(path, "M{at:.1} {bottom:.1}v5");
        if let (Some(label), false) = (&tick.label, has_below) {
            draw_text(svg, (at, bottom + 19.0), TICK_SIZE, Anchor::Middle, label);
        }
    }
    for tick in &y.ticks {
        let at = y.pixel(tick.value);
        let _ = write!(path, "M{left:.1} {at:.1}h-5");
        if let (Some(label), false) = (&tick.label, has_left) {
            draw_text(svg, (left - 8.0, at + 4.2), TICK_SIZE, Anchor::End, label);
        }
    }
    let _ = writeln!(svg, r##"<path d="{path}" stroke="#444444" stroke-width="1"/>"##);
    if !has_below && x.power != 0 {
        draw_text(svg, (right, bottom + 38.0), TICK_SIZE, Anchor::End, &x.factor());
    }
    if !has_left && y.power != 0 {
        draw_text(svg, (left + 6.0, top + 11.0), TICK_SIZE, Anchor::Start, &y.factor());
    }
}

/// Draws the axes of a figure without data.
pub(super) fn draw_empty(svg: &mut String, frame: Frame) {
    draw_lines(svg, frame);
    let middle = (0.5 * (frame.left + frame.right), 0.5 * (frame.top + frame.bottom));
    draw_text(svg, middle, AXIS_SIZE, Anchor::Middle, "no data");
}

fn draw_lines(svg: &mut String, Frame { left, top, right, bottom }: Frame) {
    let _ = writeln!(
        svg,
        r##"<path d="M{left:.1} {top:.1}V{bottom:.1}H{right:.1}" fill="none" stroke="#444444" stroke-width="1"/>"##
    );
}

/// Draws the labels of the axes beside the area of all panels.
pub(super) fn draw_labels(svg: &mut String, figure: &Figure, whole: Frame) {
    let middle = (0.5 * (whole.left + whole.right), 0.5 * (whole.top + whole.bottom));
    let below = (middle.0, whole.bottom + 39.0);
    draw_text(svg, below, AXIS_SIZE, Anchor::Middle, &figure.x.label);
    draw_text_upwards(svg, (20.0, middle.1), AXIS_SIZE, &figure.y.label);
}
