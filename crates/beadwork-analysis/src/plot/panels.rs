//! Small multiples: panels of one size in rows, which share both axes.

use super::ink::Frame;
use super::text;

/// The size of titles.
pub(super) const TITLE_SIZE: f64 = 11.0;
const TITLE_LINE: f64 = 14.0;
/// Space between a title and the panel above it.
const ABOVE_TITLE: f64 = 10.0;
/// Space between neighbours.
const GAP: f64 = 20.0;
/// A panel's height over its width.
const SHAPE: f64 = 0.63;
/// Widths of panels: on a screen, and the least one in a figure of a fixed width.
const WIDTH: f64 = 150.0;
const NARROWEST: f64 = 100.0;
/// More columns than this are narrow.
pub const MOST_COLUMNS: usize = 5;

/// Where panels are, from the corner of the first one.
pub(super) struct Panels {
    pub columns: usize,
    /// The lines of each title.
    pub titles: Vec<Vec<String>>,
    width: f64,
    /// The lines of the longest title.
    lines: usize,
}

impl Panels {
    /// So many columns, or about as many as rows if that is 0, within a width.
    pub fn new(titles: &[String], columns: usize, room: f64) -> Panels {
        let most = (((room + GAP) / (NARROWEST + GAP)) as usize).clamp(1, MOST_COLUMNS);
        let columns = columns_of(titles.len(), columns).clamp(1, most);
        let width = (room + GAP) / columns as f64 - GAP;
        let titles: Vec<Vec<String>> =
            titles.iter().map(|title| text::wrap(title, TITLE_SIZE, width)).collect();
        let lines = titles.iter().map(Vec::len).max().unwrap_or(0);
        Panels { columns, titles, width, lines }
    }

    /// The width that panels take on a screen, at least `least`.
    pub fn width_on_screen(count: usize, columns: usize, least: f64) -> f64 {
        let columns = columns_of(count, columns).min(MOST_COLUMNS);
        least.max((WIDTH + GAP) * columns as f64 - GAP)
    }

    fn title_height(&self) -> f64 {
        TITLE_LINE * self.lines as f64
    }

    fn height(&self) -> f64 {
        SHAPE * self.width
    }

    /// The areas between the axes of all panels, the first of which has its title below `top`.
    pub fn frames(&self, left: f64, top: f64) -> Vec<Frame> {
        let pitch = self.height() + self.title_height() + ABOVE_TITLE;
        let frame = |number: usize| {
            let (row, column) = (number / self.columns, number % self.columns);
            let left = left + (self.width + GAP) * column as f64;
            let top = top + self.title_height() + pitch * row as f64;
            Frame { left, top, right: left + self.width, bottom: top + self.height() }
        };
        (0..self.titles.len()).map(frame).collect()
    }

    /// The lines of a title, each with the place of its beginning.
    pub fn title_lines(
        &self,
        number: usize,
        frame: Frame,
    ) -> impl Iterator<Item = (&str, (f64, f64))> {
        let lines = &self.titles[number];
        let first = frame.top - 5.0 - TITLE_LINE * (lines.len() as f64 - 1.0);
        lines
            .iter()
            .enumerate()
            .map(move |(row, line)| (line.as_str(), (frame.left, first + TITLE_LINE * row as f64)))
    }

    /// Whether a panel has another one below it, and one to its left.
    pub fn has_neighbours(&self, number: usize) -> (bool, bool) {
        (number + self.columns < self.titles.len(), !number.is_multiple_of(self.columns))
    }
}

fn columns_of(count: usize, asked: usize) -> usize {
    if asked > 0 { asked.min(count) } else { (count as f64).sqrt().ceil() as usize }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_fill_the_width_and_do_not_overlap() {
        for (count, room) in [(2, 540.0), (4, 540.0), (9, 300.0), (50, 798.0)] {
            let titles: Vec<String> = (0..count).map(|number| format!("point {number}")).collect();
            let panels = Panels::new(&titles, 0, room);
            let frames = panels.frames(40.0, 30.0);
            let right = frames.iter().map(|frame| frame.right).fold(0.0, f64::max);
            assert!((right - 40.0 - room).abs() < 1e-9, "{count}: {right}");
            for (number, frame) in frames.iter().enumerate() {
                assert!(frame.right - frame.left >= 100.0);
                let (below, beside) = panels.has_neighbours(number);
                if below {
                    let title = panels
                        .title_lines(number + panels.columns, frames[number + panels.columns]);
                    assert!(
                        title.into_iter().all(|(_, at)| at.1 > frame.bottom + TITLE_SIZE - 3.0)
                    );
                }
                assert!(!beside || frames[number - 1].right < frame.left);
            }
        }
    }

    #[test]
    fn rows_have_the_panels_that_are_asked_for() {
        let titles = vec![String::new(); 12];
        let columns = |asked: usize, room: f64| Panels::new(&titles, asked, room).columns;
        assert_eq!([0, 3, 5].map(|asked| columns(asked, 798.0)), [4, 3, 5]);
        assert_eq!((columns(5, 300.0), columns(20, 798.0)), (2, 5));
    }

    #[test]
    fn long_titles_have_lines() {
        let titles = [
            "short".to_string(),
            "speed = 2.5 µm/s, temperature = 300 K, stiffness = 2 pN/nm".to_string(),
        ];
        let panels = Panels::new(&titles, 0, 540.0);
        assert!(panels.titles[1].len() > 1 && panels.titles[0].len() == 1);
        // The lines of a short title stand next to its panel.
        let frames = panels.frames(0.0, 0.0);
        let [short, long] =
            [0, 1].map(|number| panels.title_lines(number, frames[number]).last().unwrap().1.1);
        assert_eq!(short, long);
    }
}
