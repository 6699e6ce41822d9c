//! Figures of several points. Every figure that draws curves of points goes through [`ManyPoints::arrange`], which decides what
//! tells points and kinds of curves apart: colours, a scale of colours, dashes or panels.

mod apart;
mod kinds;
mod names;
mod order;
#[cfg(test)]
mod tests;

use beadwork_analysis::plot::{COLOURS, Colour, Figure, Series, Style};

use crate::data::Group;
use names::{Named, differs, keys, needed, tell_apart};
pub(crate) use names::{run_of, told_apart, word_of};
use order::Order;

/// More histograms than this hide each other.
const MOST_HISTOGRAMS: usize = 3;
/// More panels are too small to read.
const MOST_PANELS: usize = 60;
/// More points than this have no note each.
const MOST_NOTES: usize = 8;

/// Whether the labels of so many points stay in figures of curves. Of more, a scale of colours or panels have the names, and what
/// labels say beside them is lost.
pub(crate) fn keep_labels(points: usize) -> bool {
    points <= COLOURS
}

/// Notes on what is said of each point, for the first ones, and on the `table` that has all.
pub(crate) fn notes_on_points(said: &[String], table: &str) -> Vec<String> {
    let first = said.iter().take(MOST_NOTES).map(|said| format!("{said}."));
    let more = match said.len().saturating_sub(MOST_NOTES) {
        0 => None,
        1 => Some(format!("And 1 group more: {table} has all.")),
        more => Some(format!("And {more} groups more: {table} has all.")),
    };
    first.chain(more).collect()
}

/// What the points of a figure are drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Lines and points: readers tell eight apart.
    Curves,
    /// Bars.
    Histograms,
    /// Curves, each beside a law of its own in grey.
    Laws,
}

/// A figure in which points are not yet told apart. Series and marks of point n have the colours of the palette from `each` · n on,
/// or, with kinds, the colour of the kind's number from `kinds` · n on.
#[derive(Clone, Debug)]
pub(crate) struct PointFigure {
    /// The name of its file without the ending.
    pub stem: String,
    pub figure: Figure,
    pub shows: Shows,
    /// The colours of a point, which labels name.
    pub each: usize,
    /// The names of the curves that each point has, which are in no label, such as pairs of types. Empty for figures with labels.
    pub kinds: Vec<String>,
}

impl PointFigure {
    /// A figure in which each point has one colour.
    pub fn new(stem: impl Into<String>, figure: Figure) -> PointFigure {
        let is_bars = |series: &Series| matches!(series.style, Style::Bars { .. });
        let has_bars = figure.series.iter().any(is_bars);
        let shows = if has_bars { Shows::Histograms } else { Shows::Curves };
        PointFigure { stem: stem.into(), figure, shows, each: 1, kinds: Vec::new() }
    }
}

/// The points of figures, in the order of the numbers of their colours.
pub(crate) struct ManyPoints<'a> {
    groups: Vec<Named<'a>>,
    /// What short names leave out.
    notes: Vec<String>,
    /// A key that orders the points.
    order: Option<Order>,
}

/// What tells points apart.
enum By<'a> {
    /// A colour for each.
    Colours,
    /// Colours of a key, and a panel for each setting of the other keys.
    Order(&'a Order),
    /// A panel for each.
    Panels,
}

impl<'a> ManyPoints<'a> {
    /// Points with their names in labels.
    pub fn new(groups: impl IntoIterator<Item = (&'a str, &'a Group)>) -> ManyPoints<'a> {
        let named = groups.into_iter().map(|(full, group)| Named::new(full, group));
        let mut groups: Vec<Named<'a>> = named.collect();
        let all: Vec<&Named<'_>> = groups.iter().collect();
        let keys = keys(&groups);
        let varying: Vec<&str> = keys.iter().filter(|key| differs(&all, key)).copied().collect();
        if groups.len() < 2 || !tell_apart(&all, &varying) {
            return ManyPoints { groups, notes: Vec::new(), order: None };
        }
        let chosen = needed(&all, &varying, &[]);
        let constant = keys.iter().filter(|key| !varying.contains(key));
        let constant: Vec<&str> = constant.copied().collect();
        let mut notes = Vec::new();
        if !constant.is_empty() {
            notes.push(format!("All points: {}.", groups[0].settings_in_words(&constant)));
        }
        let left: Vec<&str> = varying.iter().filter(|key| !chosen.contains(key)).copied().collect();
        let word = |key: &str| word_of(groups.iter().map(|named| named.group), key);
        notes.extend(told_apart("", &chosen, &left, word));
        let order = Order::of(&groups, &chosen);
        groups.iter_mut().for_each(|named| named.short = named.named_by(&chosen));
        ManyPoints { groups, notes, order }
    }

    /// The figure with short names, and with what tells its points apart.
    pub fn arrange(&self, of: PointFigure) -> (String, Figure) {
        let PointFigure { stem, mut figure, shows, each, kinds } = of;
        if kinds.is_empty() {
            self.arrange_labelled(&mut figure, shows, each.max(1));
        } else {
            self.arrange_kinds(&mut figure, shows, &kinds);
        }
        (stem, figure)
    }

    /// What tells apart points that have so many colours each.
    fn decide(&self, shows: Shows, each: usize) -> By<'_> {
        let most = match shows {
            Shows::Curves => COLOURS,
            Shows::Histograms => MOST_HISTOGRAMS,
            Shows::Laws => 1,
        };
        match &self.order {
            _ if self.groups.len() * each <= most => By::Colours,
            Some(order) if shows == Shows::Curves && each == 1 && order.fits() => By::Order(order),
            _ => By::Panels,
        }
    }

    fn arrange_labelled(&self, figure: &mut Figure, shows: Shows, each: usize) {
        let is_of_groups = |series: &Series| match series.colour {
            Colour::Automatic => false,
            Colour::Palette(number) => number / each < self.groups.len(),
            _ => true,
        };
        if self.groups.len() < 2 || !figure.series.iter().all(is_of_groups) {
            return;
        }
        self.shorten(figure, each);
        let has_groups = |series: &Series| matches!(series.colour, Colour::Palette(_));
        if figure.series.iter().any(has_groups) {
            figure.notes.extend(self.notes.iter().cloned());
            match self.decide(shows, each) {
                By::Colours => {}
                By::Order(order) => self.by_order(figure, order, &[String::new()]),
                By::Panels => self.apart(figure, shows, each),
            }
        } else if !figure.panels.is_empty() {
            // Colours are values.
            figure.notes.extend(self.notes.iter().cloned());
            self.keep_panels(figure);
        }
    }

    /// Replaces full names by short ones.
    fn shorten(&self, figure: &mut Figure, each: usize) {
        let series = figure.series.iter_mut().map(|one| (&mut one.label, one.colour));
        let marks = figure.marks.iter_mut().map(|one| (&mut one.label, one.colour));
        let mut others: Vec<&Named<'_>> =
            self.groups.iter().filter(|one| !one.full.is_empty()).collect();
        // A name may be the beginning of another one.
        others.sort_by_key(|named| std::cmp::Reverse(named.full.len()));
        for note in &mut figure.notes {
            for Named { full, short, .. } in &others {
                *note = note.replace(&format!("{full}: "), &format!("{short}: "));
            }
        }
        for title in &mut figure.panels {
            if let Some(named) = self.groups.iter().find(|named| named.full == *title) {
                title.clone_from(&named.short);
            }
        }
        for (label, colour) in series.chain(marks) {
            let Colour::Palette(number) = colour else { continue };
            let Some(Named { full, short, .. }) = self.groups.get(number / each) else { continue };
            if let (Some(rest), false) = (label.strip_prefix(full.as_str()), full.is_empty()) {
                *label = format!("{short}{rest}");
            }
        }
    }

    /// Leaves out panels that are too many, and says so.
    fn keep_panels(&self, figure: &mut Figure) {
        let all = figure.panels.len();
        if all > MOST_PANELS {
            figure.panels.truncate(MOST_PANELS);
            let is_shown = |panel: Option<usize>| panel.is_none_or(|panel| panel < MOST_PANELS);
            figure.series.retain(|series| is_shown(series.panel));
            figure.marks.retain(|mark| is_shown(mark.panel));
            figure.notes.push(format!("The first {MOST_PANELS} of {all} points are drawn."));
        }
    }
}
