//! The names of colours below a picture.

use std::fmt::Write as _;

use super::Scene;
use crate::plot::{Anchor, colour_of, draw_text, width as width_of};

/// The height of a line, and of the letters in it.
const LINE: usize = 34;
const LETTERS: f64 = 22.0;

/// An SVG of this width with a line of names and one of the caption; its height is a whole number of lines.
pub(super) fn svg(scene: &Scene, width: usize) -> String {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut at = 24.0;
    for (name, colour) in &scene.names {
        let room = 44.0 + width_of(name, LETTERS);
        if at + room > width as f64 && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            at = 24.0;
        }
        let [red, green, blue] = colour_of(*colour);
        let _ = write!(
            line,
            r##"<circle cx="{at:.1}" cy="17" r="9" fill="#{red:02X}{green:02X}{blue:02X}"/>"##
        );
        draw_text(&mut line, (at + 16.0, 25.0), LETTERS, Anchor::Start, name);
        at += room;
    }
    lines.push(line);
    if !scene.caption.is_empty() {
        let mut caption = String::new();
        draw_text(&mut caption, (15.0, 25.0), LETTERS, Anchor::Start, &scene.caption);
        lines.push(caption);
    }
    let height = LINE * lines.len() + 8;
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" fill="#222222">"##
    );
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(svg, r#"<g transform="translate(0 {})">{line}</g>"#, number * LINE);
    }
    svg + "</svg>"
}
