//! The names of colours below a picture.

use std::fmt::Write as _;

use super::Scene;
use crate::plot::{colour_of, escape};

/// The height of a line, and of the letters in it.
const LINE: usize = 34;
const LETTERS: f64 = 22.0;

/// An SVG of this width with a line of names and one of the caption; its height is a whole number of lines.
pub(super) fn svg(scene: &Scene, width: usize) -> String {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut at = 24.0;
    for (name, colour) in &scene.names {
        // Letters of the font are about half as wide as high.
        let room = 44.0 + 0.55 * LETTERS * name.chars().count() as f64;
        if at + room > width as f64 && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            at = 24.0;
        }
        let [red, green, blue] = colour_of(*colour);
        let _ = write!(
            line,
            r##"<circle cx="{at:.1}" cy="17" r="9" fill="#{red:02X}{green:02X}{blue:02X}"/><text x="{:.1}" y="25">{}</text>"##,
            at + 16.0,
            escape(name)
        );
        at += room;
    }
    lines.push(line);
    if !scene.caption.is_empty() {
        lines.push(format!(r#"<text x="15" y="25">{}</text>"#, escape(&scene.caption)));
    }
    let height = LINE * lines.len() + 8;
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="{LETTERS}" fill="#222222">"##
    );
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(svg, r#"<g transform="translate(0 {})">{line}</g>"#, number * LINE);
    }
    svg + "</svg>"
}
