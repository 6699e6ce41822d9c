//! What lies over a picture and below it: outlines, a scale bar, the names of colours, a caption.

use std::fmt::Write as _;

use super::{Scene, View};
use crate::numbers::rounded;
use crate::plot::{Anchor, draw_text, width as width_of};

/// The height of a line, and of the letters in it.
const LINE: usize = 34;
const LETTERS: f64 = 22.0;
/// Scale bars are about so long, pixels.
const BAR: f64 = 160.0;

/// An SVG over a square picture of this width, `scale` pixels a unit of length; below are lines of the scale bar and of names, and one of the
/// caption.
pub(super) fn svg(scene: &Scene, view: &View, scale: f64, width: usize) -> String {
    let mut lines: Vec<String> = scale_bar(scene, scale).into_iter().collect();
    let mut line = String::new();
    let mut at = 24.0;
    for (name, colour) in &scene.names {
        let room = 44.0 + width_of(name, LETTERS);
        if at + room > width as f64 && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            at = 24.0;
        }
        let [red, green, blue] = scene.colour(*colour);
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
    let height = width + LINE * lines.len() + 8;
    let mut svg = format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" fill="#222222"><defs><clipPath id="picture"><rect width="{width}" height="{width}"/></clipPath></defs>"##
    );
    let _ =
        write!(svg, r#"<g clip-path="url(#picture)">{}</g>"#, outlines(scene, view, scale, width));
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(svg, r#"<g transform="translate(0 {})">{line}</g>"#, width + number * LINE);
    }
    svg + "</svg>"
}

/// Circles over the picture, dark with a white rim, so that they are seen on beads and on white.
fn outlines(scene: &Scene, view: &View, scale: f64, width: usize) -> String {
    let middle = 0.5 * width as f64;
    let mut circles = String::new();
    for outline in &scene.outlines {
        let [right, up, _] = view.seen(outline.centre);
        let (x, y, radius) = (middle + scale * right, middle - scale * up, scale * outline.radius);
        for (colour, line) in [("#FFFFFF", 6), ("#222222", 3)] {
            let _ = write!(
                circles,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="{radius:.1}" fill="none" stroke="{colour}" stroke-width="{line}"/>"#
            );
        }
    }
    circles
}

/// A bar of 1, 2 or 5 times a power of ten units.
fn scale_bar(scene: &Scene, scale: f64) -> Option<String> {
    let (unit, symbol) = scene.unit.as_ref()?;
    let pixels_per_unit = scale * unit;
    let most = BAR / pixels_per_unit;
    let power = 10_f64.powf(most.log10().floor());
    let count =
        [5.0, 2.0, 1.0].map(|times| times * power).into_iter().find(|count| *count <= most)?;
    let (left, right) = (15.0, 15.0 + count * pixels_per_unit);
    let mut bar = format!(
        r##"<path d="M{left:.1} 11V23M{left:.1} 17H{right:.1}M{right:.1} 11V23" stroke="#222222" stroke-width="3" fill="none"/>"##
    );
    let length = rounded(count, 3);
    let label =
        if symbol.is_empty() { format!("length {length}") } else { format!("{length} {symbol}") };
    draw_text(&mut bar, (right + 12.0, 25.0), LETTERS, Anchor::Start, &label);
    Some(bar)
}

#[cfg(test)]
mod tests {
    use super::super::{Ball, Outline};
    use super::*;

    fn scene() -> Scene {
        let ball = |x| Ball { position: [x, 0.0, 0.0], radius: 2.0, colour: 0 };
        Scene {
            balls: vec![ball(0.0), ball(30.0)],
            unit: Some((10.0, "nm".to_string())),
            ..Scene::default()
        }
    }

    /// Ten pixels a unit of length, so 100 a nanometre: the longest round bar of at most 160 pixels has one.
    #[test]
    fn a_bar_is_a_round_number_of_units() {
        let bar = scale_bar(&scene(), 10.0).unwrap();
        assert!(bar.contains("M15.0 17H115.0") && bar.contains(">1 nm</title>"), "{bar}");
        assert!(scale_bar(&scene(), 0.7).unwrap().contains(">20 nm</title>"));
        let reduced = Scene { unit: Some((1.0, String::new())), ..scene() };
        assert!(scale_bar(&reduced, 300.0).unwrap().contains(">length 0.5</title>"));
        assert_eq!(scale_bar(&Scene { unit: None, ..scene() }, 1.0), None);
    }

    #[test]
    fn outlines_are_where_spheres_are() {
        let view = View::new([0.0, -1.0, 0.0], [15.0, 0.0, 0.0]);
        let outlines_of = |scene: &Scene| outlines(scene, &view, 10.0, 1000);
        assert!(outlines_of(&scene()).is_empty());
        let outlined = Scene {
            outlines: vec![Outline { centre: [15.0, 0.0, 20.0], radius: 12.0 }],
            ..scene()
        };
        assert!(
            outlines_of(&outlined).contains(r#"cx="500.0" cy="300.0" r="120.0""#),
            "{}",
            outlines_of(&outlined)
        );
        // The picture goes on to the tip: its lowest point is at 8, and more of it is seen.
        assert!(outlined.corners()[1][2] > 8.0 && scene().corners()[1][2] == 2.0);
    }
}
