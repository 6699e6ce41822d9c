//! Figures of several kinds of curves of each point, such as pairs of types.

use beadwork_analysis::plot::{COLOURS, Colour, Figure, MOST_COLUMNS, Series, Style};

use super::order::Order;
use super::{By, MOST_PANELS, ManyPoints, Shows};

/// Kinds of curves that readers tell apart by dashes.
const MOST_DASHES: usize = 3;

/// How the curves of a kind of a point are drawn.
#[derive(Default)]
struct Drawn {
    colour: Colour,
    dash: usize,
    panel: Option<usize>,
}

/// Draws each curve, by its number, as `of` says, and leaves out those of which it says nothing. Grey ones with the number of a point
/// have the panel of its first curve.
fn draw(figure: &mut Figure, kinds: usize, of: impl Fn(usize) -> Option<Drawn>) {
    let is_drawn = |colour: Colour| match colour {
        Colour::Palette(number) => of(number).is_some(),
        _ => true,
    };
    figure.series.retain(|series| is_drawn(series.colour));
    figure.marks.retain(|mark| is_drawn(mark.colour));
    for series in &mut figure.series {
        match (series.colour, series.panel) {
            (Colour::Palette(number), _) => {
                let Drawn { colour, dash, panel } = of(number).unwrap_or_default();
                (series.colour, series.panel) = (colour, panel);
                series.dash = series.dash.max(dash);
                series.label.clear();
            }
            (_, Some(number)) => series.panel = of(number * kinds).and_then(|drawn| drawn.panel),
            _ => {}
        }
    }
    for mark in &mut figure.marks {
        if let Colour::Palette(number) = mark.colour {
            let drawn = of(number).unwrap_or_default();
            (mark.colour, mark.panel) = (drawn.colour, drawn.panel);
        }
    }
}

/// Adds entries of the legend alone.
fn add_entries(figure: &mut Figure, entries: impl Iterator<Item = (String, Colour, usize)>) {
    let has_lines = |series: &Series| series.style != Style::Points && series.points.len() > 1;
    let style = if figure.series.iter().any(has_lines) { Style::Line } else { Style::Points };
    let entries = entries.map(|(label, colour, dash)| Series {
        style,
        colour,
        dash,
        ..Series::line(label, Vec::new())
    });
    figure.series.extend(entries);
}

fn palette(names: &[String]) -> impl Iterator<Item = (String, Colour, usize)> {
    names.iter().enumerate().map(|(number, name)| (name.clone(), Colour::Palette(number), 0))
}

/// A sentence if kinds are left out.
fn note_left_out(figure: &mut Figure, shown: usize, kinds: &[String]) {
    if shown < kinds.len() {
        let all = kinds.len();
        figure.notes.push(format!(
            "Of {all} curves of each point the first {shown} are drawn; the table has all."
        ));
    }
}

impl ManyPoints<'_> {
    /// Tells apart points and the kinds of curves that each has.
    pub(super) fn arrange_kinds(&self, figure: &mut Figure, shows: Shows, kinds: &[String]) {
        figure.notes.extend(self.notes.iter().cloned());
        if let ([only], true) = (kinds, self.groups.len() > 1) {
            figure.notes.push(format!("Curves are of {only}."));
        }
        match self.decide(shows, 1) {
            By::Colours => self.by_colours(figure, kinds),
            By::Order(order) => self.by_order(figure, order, kinds),
            By::Panels => self.by_panels(figure, kinds),
        }
    }

    /// A colour for each point; kinds have dashes if they are few, and else panels. The kinds of one point have colours.
    fn by_colours(&self, figure: &mut Figure, kinds: &[String]) {
        let (count, is_one) = (kinds.len(), self.groups.len() < 2);
        if is_one && count <= COLOURS {
            draw(figure, count, |curve| {
                Some(Drawn { colour: Colour::Palette(curve % count), ..Drawn::default() })
            });
            return add_entries(figure, palette(kinds));
        }
        // Discs have no dashes.
        let has_discs = figure.series.iter().any(|series| series.style == Style::Points);
        let has_panels = count > 1 && (is_one || count > MOST_DASHES || has_discs);
        let shown = if has_panels { count.min(MOST_PANELS) } else { count };
        draw(figure, count, |curve| {
            let (point, kind) = (curve / count, curve % count);
            (kind < shown).then(|| Drawn {
                colour: Colour::Palette(point),
                dash: if has_panels { 0 } else { kind },
                panel: has_panels.then_some(kind),
            })
        });
        if !is_one {
            let names: Vec<String> = self.groups.iter().map(|named| named.short.clone()).collect();
            add_entries(figure, palette(&names));
        }
        if has_panels {
            figure.panels = kinds[..shown].to_vec();
        } else if count > 1 {
            let dashes = kinds.iter().enumerate();
            add_entries(figure, dashes.map(|(dash, kind)| (kind.clone(), Colour::Grey, dash)));
        }
        note_left_out(figure, shown, kinds);
    }

    /// Colours by a key, and a panel for each kind and each setting of the other keys, one of which has a row of its own.
    pub(super) fn by_order(&self, figure: &mut Figure, order: &Order, kinds: &[String]) {
        let (panels, ranks) = (order.panels(), order.ranks());
        let (count, rests) = (kinds.len(), panels.len());
        let shown = (MOST_PANELS / rests).clamp(1, count);
        let kind_has_row = rests <= MOST_COLUMNS;
        let place = |kind: usize, rest: usize| match kind_has_row {
            true => kind * rests + rest,
            false => rest * shown + kind,
        };
        let panel = |point: usize, kind: usize| {
            let rest = panels.iter().position(|panel| *panel == order.rest[point]).unwrap_or(0);
            (rests * shown > 1).then(|| place(kind, rest))
        };
        draw(figure, count, |curve| {
            let (point, kind) = (curve / count, curve % count);
            (kind < shown).then(|| Drawn {
                colour: Order::colour(&ranks, order.at[point]),
                dash: 0,
                panel: panel(point, kind),
            })
        });
        if rests * shown > 1 {
            figure.panels = vec![String::new(); rests * shown];
            for (number, kind) in kinds[..shown].iter().enumerate() {
                for (rest, name) in panels.iter().enumerate() {
                    // One kind is in the notes, and what is of all points in no title.
                    let kind = if count == 1 { "" } else { kind };
                    let name = if rests == 1 { "" } else { name };
                    let parts = [kind, name].into_iter().filter(|part| !part.is_empty());
                    figure.panels[place(number, rest)] = parts.collect::<Vec<&str>>().join(", ");
                }
            }
        }
        let in_rows = rests > 1 && shown > 1;
        figure.columns = match kind_has_row {
            true if in_rows => rests,
            false if in_rows && shown <= MOST_COLUMNS => shown,
            _ => 0,
        };
        figure.scale = order.scale();
        if figure.scale.is_none() {
            let name = |value: &f64| {
                let point = order.at.iter().position(|at| at == value).unwrap_or(0);
                self.groups[point].settings_in_words(&[&order.key])
            };
            let names: Vec<String> = ranks.iter().map(name).collect();
            add_entries(figure, palette(&names));
        }
        figure.notes.extend(order.notes.iter().cloned());
        note_left_out(figure, shown, kinds);
    }

    /// A panel for each point, in which kinds have colours.
    fn by_panels(&self, figure: &mut Figure, kinds: &[String]) {
        let count = kinds.len();
        let shown = count.min(COLOURS);
        draw(figure, count, |curve| {
            let (point, kind) = (curve / count, curve % count);
            let (colour, panel) = (Colour::Palette(kind), Some(point));
            (kind < shown).then_some(Drawn { colour, dash: 0, panel })
        });
        figure.panels = self.groups.iter().map(|named| named.short.clone()).collect();
        self.keep_panels(figure);
        if count > 1 {
            add_entries(figure, palette(&kinds[..shown]));
        }
        note_left_out(figure, shown, kinds);
    }
}
