//! The legend: its entries, its size, and a free corner of the plot for it.

use std::fmt::Write as _;

use super::figure::{Figure, Style};
use super::glyphs::{Anchor, draw_text, width};
use super::ink::{Frame, Paint};
use super::text;

const FONT_SIZE: f64 = 12.0;
const LINE: f64 = 18.0;
/// The height of further lines of a name.
const NEXT_LINE: f64 = 14.0;
/// Space inside the border.
const PADDING: f64 = 8.0;
/// Width of the line or symbol before a name.
const SAMPLE: f64 = 22.0;
/// Space between the symbol and the name.
const GAP: f64 = 7.0;
/// A legend with more entries is below the plot, in columns.
const MOST_ENTRIES: usize = 16;
/// Space between the legend and the axes.
const DISTANCE: f64 = 9.0;
/// Longer names have several lines.
const WIDEST: f64 = 260.0;

/// An entry of the legend; with `None` as its sample it is text only.
pub(super) struct LegendEntry {
    /// The lines of its name.
    pub label: Vec<String>,
    pub sample: Option<(LegendSample, Paint)>,
}

/// The symbol before a name.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum LegendSample {
    Line,
    Disc,
    Bar,
    Mark,
}

/// Where a legend may be.
#[derive(Clone, Copy)]
pub(super) struct Room {
    /// The area between the axes.
    pub inside: Frame,
    /// Where the room beside the plot begins, and whether there is any.
    pub beside: (f64, bool),
    /// Where the room below the plot begins, and the width of the figure.
    pub below: (f64, f64),
}

pub(super) struct PlacedLegend {
    pub entries: Vec<LegendEntry>,
    pub left: f64,
    pub top: f64,
    /// The width of a column, and how many there are.
    pub width: f64,
    pub columns: usize,
    /// The height of an entry.
    pub row: f64,
    pub height: f64,
    pub below: bool,
}

impl PlacedLegend {
    /// Where the figure may end to the right.
    pub fn right(&self) -> f64 {
        self.left + self.width * self.columns as f64 + 10.0
    }
}

pub(super) fn entries(figure: &Figure, series: &[Paint], marks: &[Paint]) -> Vec<LegendEntry> {
    let mut entries: Vec<LegendEntry> = Vec::new();
    let of_series = figure.series.iter().zip(series).map(|(series, paint)| {
        let sample = match series.style {
            Style::Line | Style::Steps | Style::ErrorBars => LegendSample::Line,
            Style::Points | Style::Rings => LegendSample::Disc,
            Style::Bars { .. } | Style::Band => LegendSample::Bar,
        };
        (&series.label, sample, paint)
    });
    let of_marks = figure
        .marks
        .iter()
        .zip(marks)
        .map(|(mark, paint)| (&mark.label, LegendSample::Mark, paint));
    for (label, sample, paint) in of_series.chain(of_marks).filter(|entry| !entry.0.is_empty()) {
        let label = text::wrap(label, FONT_SIZE, WIDEST);
        entries.push(LegendEntry { label, sample: Some((sample, paint.clone())) });
    }
    entries
}

/// Finds a corner of the plot without obstacles; otherwise takes the space to the right of the plot, or, for many entries and where there
/// is none, that below it. Below there is room for all entries.
pub(super) fn place(
    is_outside: bool,
    entries: Vec<LegendEntry>,
    room: Room,
    obstacles: &[Frame],
) -> Option<PlacedLegend> {
    if entries.is_empty() {
        return None;
    }
    let frame = room.inside;
    let lines = || entries.iter().flat_map(|entry| &entry.label);
    let widest = lines().map(|line| width(line, FONT_SIZE)).fold(0.0, f64::max);
    let width = 2.0 * PADDING + SAMPLE + GAP + widest;
    let most_lines = entries.iter().map(|entry| entry.label.len()).max().unwrap_or(1).max(1);
    let row = LINE + NEXT_LINE * (most_lines - 1) as f64;
    let height = 2.0 * PADDING + row * entries.len() as f64 - 4.0;
    let (left, right) = (frame.left + DISTANCE, frame.right - DISTANCE - width);
    let (top, bottom) = (frame.top + DISTANCE, frame.bottom - DISTANCE - height);
    let fits = !is_outside && right >= left && bottom >= top && entries.len() <= MOST_ENTRIES;
    let corner = [(right, top), (left, top), (right, bottom), (left, bottom)]
        .into_iter()
        .find(|corner| fits && is_free(*corner, width, height, obstacles));
    let one = |left, top, entries| PlacedLegend {
        entries,
        left,
        top,
        width,
        columns: 1,
        row,
        height,
        below: false,
    };
    if let Some((left, top)) = corner {
        return Some(one(left, top, entries));
    }
    if let ((left, true), true) = (room.beside, entries.len() <= MOST_ENTRIES) {
        return Some(one(left + 14.0, frame.top, entries));
    }
    let (top, whole) = room.below;
    let columns = (((whole - frame.left) / width) as usize).clamp(1, entries.len());
    let rows = entries.len().div_ceil(columns);
    let height = 2.0 * PADDING + row * rows as f64 - 4.0;
    Some(PlacedLegend { entries, left: frame.left, top, width, columns, row, height, below: true })
}

fn is_free((left, top): (f64, f64), width: f64, height: f64, obstacles: &[Frame]) -> bool {
    obstacles.iter().all(|obstacle| {
        obstacle.right < left
            || obstacle.left > left + width
            || obstacle.bottom < top
            || obstacle.top > top + height
    })
}

/// Draws a legend at its place.
pub(super) fn draw_legend(svg: &mut String, placed: &PlacedLegend) {
    let PlacedLegend { left, top, width, height, .. } = placed;
    let rows = placed.entries.len().div_ceil(placed.columns);
    let whole = width * placed.columns as f64;
    let _ = writeln!(
        svg,
        r##"<g class="legend"><rect x="{left:.1}" y="{top:.1}" width="{whole:.1}" height="{height:.1}" rx="3" fill="#FFFFFF" fill-opacity="0.85" stroke="#D0D0D0" stroke-width="0.8"/>"##
    );
    for (number, entry) in placed.entries.iter().enumerate() {
        let (column, row) = (number / rows, number % rows);
        let start = left + PADDING + width * column as f64;
        let middle = top + PADDING + 7.0 + placed.row * row as f64;
        if let Some((sample, Paint { colour, dashes })) = &entry.sample {
            let end = start + SAMPLE;
            let _ = match sample {
                LegendSample::Line => writeln!(
                    svg,
                    r#"<path d="M{start:.1} {middle:.1}H{end:.1}" stroke="{colour}" stroke-width="2"{dashes}/>"#
                ),
                LegendSample::Mark => writeln!(
                    svg,
                    r#"<path d="M{start:.1} {middle:.1}H{end:.1}" stroke="{colour}" stroke-width="1.3" stroke-dasharray="5 4"/>"#
                ),
                LegendSample::Disc => writeln!(
                    svg,
                    r#"<circle cx="{:.1}" cy="{middle:.1}" r="3" fill="{colour}"/>"#,
                    0.5 * (start + end)
                ),
                LegendSample::Bar => writeln!(
                    svg,
                    r#"<rect x="{:.1}" y="{:.1}" width="14" height="10" fill="{colour}" fill-opacity="0.38" stroke="{colour}"{dashes}/>"#,
                    start + 4.0,
                    middle - 5.0
                ),
            };
        }
        for (line, place) in entry.label.iter().zip(0..) {
            let at = (start + SAMPLE + GAP, middle + 4.2 + NEXT_LINE * f64::from(place));
            draw_text(svg, at, FONT_SIZE, Anchor::Start, line);
        }
    }
    svg.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { left: 0.0, top: 0.0, right: 500.0, bottom: 300.0 };

    fn place_one(obstacles: &[Frame]) -> PlacedLegend {
        let entry = LegendEntry { label: vec!["a".into()], sample: None };
        let room = Room { inside: FRAME, beside: (500.0, true), below: (340.0, 520.0) };
        place(false, vec![entry], room, obstacles).unwrap()
    }

    #[test]
    fn the_first_free_corner_is_taken() {
        let free = place_one(&[]);
        assert!(free.left > 250.0 && free.top < 150.0 && free.left < 500.0);
        let upper_right = Frame { left: 480.0, top: 20.0, right: 480.0, bottom: 20.0 };
        let next = place_one(&[upper_right]);
        assert!(next.left < 250.0 && next.top < 150.0 && next.top < 300.0);
        let upper_half = Frame { bottom: 150.0, ..FRAME };
        let lower = place_one(&[upper_half]);
        assert!(lower.left > 250.0 && lower.top > 150.0 && !lower.below);
        assert!(place_one(&[FRAME]).left > 500.0);
    }

    #[test]
    fn many_entries_are_below_in_columns() {
        let entries = (0..50).map(|number| LegendEntry {
            label: vec![format!("speed = {number} um/s")],
            sample: None,
        });
        let room = Room { inside: FRAME, beside: (500.0, true), below: (340.0, 520.0) };
        let placed = place(false, entries.collect(), room, &[]).unwrap();
        assert!(placed.below && placed.columns > 1 && placed.right() <= 530.0);
        assert!(placed.height < 18.0 * 30.0 && placed.entries.len() == 50);
    }
}
