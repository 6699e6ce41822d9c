//! Scales of colours: a colour for each value, and the bar beside the plot that tells them.

use std::fmt::Write as _;

use super::axis::{Axis, usable};
use super::glyphs::{Anchor, draw_text, draw_text_upwards};
use super::ink::{Frame, TICK_SIZE};
use super::scale::{Extent, Scale};

/// The space that a bar takes to the right of the plot.
pub(super) const SCALE_WIDTH: f64 = 100.0;
/// The least distance of the label of an end to the next label.
const BETWEEN_LABELS: f64 = 15.0;
/// A tick that is nearer to an end than this is the end.
const SAME_PLACE: f64 = 0.1;
const SHADES: usize = 64;
/// The part of the colours that lines have: the lightest ones are faint on white.
const OF_LINES: f64 = 0.86;
/// Viridis by van der Walt and Smith: its lightness rises evenly, for colour-blind readers too.
const ANCHORS: [[f64; 3]; 5] = [
    [68.0, 1.0, 84.0],
    [59.0, 82.0, 139.0],
    [33.0, 145.0, 140.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];

/// A colour for each value of a quantity, dark for low ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColourScale {
    /// The quantity and its unit, such as `speed / (µm/s)`.
    pub label: String,
    /// The lowest and the highest value.
    pub range: (f64, f64),
    /// Whether the scale is logarithmic; both ends are then above zero.
    pub logarithmic: bool,
}

impl ColourScale {
    /// Where a value is between the ends, from 0 to 1; `None` for what has no place.
    fn part(&self, value: f64) -> Option<f64> {
        let (low, high) = self.range;
        let part = match self.logarithmic {
            _ if high <= low => 1.0,
            true => (value / low).ln() / (high / low).ln(),
            false => (value - low) / (high - low),
        };
        let is_shown = usable(value) && (!self.logarithmic || value > 0.0);
        is_shown.then(|| part.clamp(0.0, 1.0))
    }

    /// The colour of a line with a value.
    pub(super) fn colour_of(&self, value: f64) -> String {
        colour(OF_LINES * self.part(value).unwrap_or(0.0))
    }

    /// The colour of a cell, of which there are [`SHADES`].
    pub(super) fn shade(&self, value: f64) -> Option<usize> {
        self.part(value).map(|part| (part * (SHADES - 1) as f64).round() as usize)
    }

    /// Draws the bar to the right of a plot, with the colours of lines or of cells.
    pub(super) fn draw(&self, svg: &mut String, frame: Frame, of_lines: bool) {
        let (low, high) = self.range;
        if low >= high {
            return;
        }
        let (left, width) = (frame.right + 14.0, 14.0);
        let axis =
            Axis { range: Some((low, high)), logarithmic: self.logarithmic, ..Axis::default() };
        let extent = Extent { low, high, touches_zero: false, margin: 0.0 };
        let scale = Scale::new(&axis, extent, (frame.bottom, frame.top), 46.0);
        let height = (frame.bottom - frame.top) / SHADES as f64;
        for shade in 0..SHADES {
            let top = frame.bottom - height * (shade + 1) as f64;
            let part = shade as f64 / (SHADES - 1) as f64;
            let _ = writeln!(
                svg,
                r#"<rect x="{left:.1}" y="{top:.1}" width="{width}" height="{:.1}" fill="{}"/>"#,
                height + 0.3,
                colour(if of_lines { OF_LINES * part } else { part })
            );
        }
        for (value, label) in labels(&scale) {
            let at = (left + width + 6.0, scale.pixel(value) + 4.2);
            draw_text(svg, at, TICK_SIZE, Anchor::Start, &label);
        }
        let factor = scale.factor();
        let label = match self.label.as_str() {
            label if factor.is_empty() => label.to_owned(),
            label => format!("{label} {factor}"),
        };
        let at = (frame.right + SCALE_WIDTH - 8.0, 0.5 * (frame.top + frame.bottom));
        draw_text_upwards(svg, at, TICK_SIZE, &label);
    }
}

/// The labels of both ends, which are values that are drawn, and of the ticks that leave them room.
fn labels(scale: &Scale) -> Vec<(f64, String)> {
    let ends = [scale.low, scale.high];
    let labelled = scale.ticks.iter().filter_map(|tick| Some((tick.value, tick.label.clone()?)));
    let labelled: Vec<(f64, String)> = labelled.collect();
    let distance = |one: f64, other: f64| (scale.pixel(one) - scale.pixel(other)).abs();
    let of_end = |end: f64| {
        let tick = labelled.iter().find(|(value, _)| distance(*value, end) < SAME_PLACE);
        (end, tick.map_or_else(|| scale.label_of(end), |(_, label)| label.clone()))
    };
    let has_room = |(value, _): &&(f64, String)| {
        ends.iter().all(|end| distance(*value, *end) >= BETWEEN_LABELS)
    };
    let others = labelled.iter().filter(has_room).cloned();
    ends.into_iter().map(of_end).chain(others).collect()
}

/// The colour of a shade of cells.
pub(super) fn colour_of_shade(shade: usize) -> String {
    colour(shade as f64 / (SHADES - 1) as f64)
}

/// The colour of a part of the scale, 0 the darkest.
fn colour(part: f64) -> String {
    let place = part * (ANCHORS.len() - 1) as f64;
    let below = (place as usize).min(ANCHORS.len() - 2);
    let part = place - below as f64;
    let [r, g, b] = [0, 1, 2].map(|channel| {
        let [low, high] = [ANCHORS[below], ANCHORS[below + 1]].map(|anchor| anchor[channel]);
        (low + part * (high - low)).round() as u8
    });
    format!("#{r:02X}{g:02X}{b:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_have_labels() {
        let labels = |range: (f64, f64), logarithmic| {
            let axis = Axis { range: Some(range), logarithmic, ..Axis::default() };
            let extent = Extent { low: range.0, high: range.1, touches_zero: false, margin: 0.0 };
            let scale = Scale::new(&axis, extent, (340.0, 0.0), 46.0);
            labels(&scale).into_iter().map(|(_, label)| label).collect::<Vec<String>>()
        };
        assert_eq!(labels((0.5, 50.0), true), ["0.5", "50", "1", "10"]);
        // The end is a tick, or near one.
        assert_eq!(labels((0.1, 9.9), true), ["0.1", "9.9", "1"]);
        assert_eq!(labels((3.2e-7, 0.5), true)[..2], ["3.2×10⁻⁷", "0.5"]);
        assert_eq!(labels((0.5, 2.0), false)[..3], ["0.5", "2.0", "1.0"]);
        // The power of ten stands beside the label of the whole.
        assert_eq!(labels((1.5e6, 4e6), false)[..2], ["1.5", "4.0"]);
        assert_eq!(labels((-2.0, 1.0), false)[..2], ["−2.0", "1.0"]);
    }

    #[test]
    fn colours_follow_values() {
        let scale = |logarithmic| ColourScale {
            range: (1.0, 100.0),
            logarithmic,
            ..ColourScale::default()
        };
        assert_eq!(scale(false).colour_of(1.0), "#440154");
        assert_eq!(scale(true).colour_of(10.0), colour(0.5 * OF_LINES));
        assert_eq!(scale(true).shade(10.0), Some(32));
        // Beyond the ends are the colours of the ends.
        assert_eq!(scale(false).colour_of(1e9), scale(false).colour_of(100.0));
        assert_eq!((scale(true).shade(-1.0), scale(false).shade(f64::NAN)), (None, None));
    }
}
