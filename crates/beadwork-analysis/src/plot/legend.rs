//! The legend: its entries, its size, and a free corner of the plot for it.

use super::text;
use super::{Figure, Style};
use crate::plot::drawing::{Frame, Paint};

pub(super) const FONT_SIZE: f64 = 12.0;
pub(super) const LINE: f64 = 18.0;
/// Space inside the border.
pub(super) const PADDING: f64 = 8.0;
/// Width of the line or symbol before a name.
pub(super) const SAMPLE: f64 = 22.0;
/// Space between the symbol and the name.
pub(super) const GAP: f64 = 7.0;
/// Entries beyond this number are counted instead of named.
const MOST_ENTRIES: usize = 16;
/// Space between the legend and the axes.
const DISTANCE: f64 = 9.0;
const WIDEST: f64 = 260.0;

/// An entry of the legend; with `None` as its sample it is text only.
pub(super) struct Entry {
    pub label: String,
    pub sample: Option<(Sample, Paint)>,
}

/// The symbol before a name.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sample {
    Line,
    Disc,
    Bar,
    Mark,
}

pub(super) struct Placed {
    pub entries: Vec<Entry>,
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub outside: bool,
}

pub(super) fn entries(figure: &Figure, series: &[Paint], marks: &[Paint]) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let of_series = figure.series.iter().zip(series).map(|(series, paint)| {
        let sample = match series.style {
            Style::Line | Style::Steps => Sample::Line,
            Style::Points => Sample::Disc,
            Style::Bars { .. } => Sample::Bar,
        };
        (&series.label, sample, paint)
    });
    let of_marks =
        figure.marks.iter().zip(marks).map(|(mark, paint)| (&mark.label, Sample::Mark, paint));
    for (label, sample, paint) in of_series.chain(of_marks).filter(|entry| !entry.0.is_empty()) {
        let label = text::shorten(label, FONT_SIZE, WIDEST);
        entries.push(Entry { label, sample: Some((sample, paint.clone())) });
    }
    if entries.len() > MOST_ENTRIES {
        let more = entries.len() - MOST_ENTRIES + 1;
        entries.truncate(MOST_ENTRIES - 1);
        entries.push(Entry { label: format!("and {more} more"), sample: None });
    }
    entries
}

/// Finds a corner of the plot without obstacles; otherwise takes the space to the right of the plot.
pub(super) fn place(
    is_outside: bool,
    entries: Vec<Entry>,
    frame: Frame,
    obstacles: &[Frame],
) -> Option<Placed> {
    if entries.is_empty() {
        return None;
    }
    let widest =
        entries.iter().map(|entry| text::width(&entry.label, FONT_SIZE)).fold(0.0, f64::max);
    let width = 2.0 * PADDING + SAMPLE + GAP + widest;
    let height = 2.0 * PADDING + LINE * entries.len() as f64 - 4.0;
    let (left, right) = (frame.left + DISTANCE, frame.right - DISTANCE - width);
    let (top, bottom) = (frame.top + DISTANCE, frame.bottom - DISTANCE - height);
    let fits = !is_outside && right >= left && bottom >= top;
    let corner = [(right, top), (left, top), (right, bottom), (left, bottom)]
        .into_iter()
        .find(|corner| fits && is_free(*corner, width, height, obstacles));
    let (left, top) = corner.unwrap_or((frame.right + 14.0, frame.top));
    Some(Placed { entries, left, top, width, height, outside: corner.is_none() })
}

fn is_free((left, top): (f64, f64), width: f64, height: f64, obstacles: &[Frame]) -> bool {
    obstacles.iter().all(|obstacle| {
        obstacle.right < left
            || obstacle.left > left + width
            || obstacle.bottom < top
            || obstacle.top > top + height
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Frame = Frame { left: 0.0, top: 0.0, right: 500.0, bottom: 300.0 };

    fn place_one(obstacles: &[Frame]) -> Placed {
        let entry = Entry { label: "a".into(), sample: None };
        place(false, vec![entry], FRAME, obstacles).unwrap()
    }

    #[test]
    fn the_first_free_corner_is_taken() {
        let free = place_one(&[]);
        assert!(free.left > 250.0 && free.top < 150.0 && !free.outside);
        let upper_right = Frame { left: 480.0, top: 20.0, right: 480.0, bottom: 20.0 };
        let next = place_one(&[upper_right]);
        assert!(next.left < 250.0 && next.top < 150.0 && !next.outside);
        let upper_half = Frame { bottom: 150.0, ..FRAME };
        let lower = place_one(&[upper_half]);
        assert!(lower.left > 250.0 && lower.top > 150.0 && !lower.outside);
        assert!(place_one(&[FRAME]).outside);
    }
}
