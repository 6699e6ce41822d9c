//! A key that orders points by its numbers, and a scale of colours for it.

use beadwork_analysis::plot::{COLOURS, Colour, ColourScale};

use super::MOST_PANELS;
use super::names::{Named, differs, needed, told_apart, word_of};
use crate::data::{Group, Swept, WIDE};
use crate::words::{label, with_symbols};

/// Fewer values of a key are better told by names.
const FEWEST_ON_A_SCALE: usize = 3;

/// A key whose values are numbers.
pub(super) struct Order {
    /// Name and unit of the key.
    label: String,
    pub key: String,
    /// The value of each point.
    pub at: Vec<f64>,
    /// The name of each point by all other keys.
    pub rest: Vec<String>,
    /// What these names leave out.
    pub notes: Vec<String>,
}

impl Order {
    /// By the key with the most values that are all numbers, if there are enough; the others of `keys` name panels.
    pub fn of(groups: &[Named<'_>], keys: &[&str]) -> Option<Order> {
        let all: Vec<Group> = groups.iter().map(|named| named.group.clone()).collect();
        let order = |key: &&str| {
            let swept = Swept::of(&all, key)?;
            let at: Vec<f64> = swept.at.iter().copied().collect::<Option<_>>()?;
            let others: Vec<&str> = keys.iter().filter(|other| *other != key).copied().collect();
            let (rest, notes) = rests(groups, key, &others);
            Some(Order {
                label: label(&word_of(&all, key).replace('_', " "), &with_symbols(swept.unit)),
                key: (*key).to_string(),
                at,
                rest,
                notes,
            })
        };
        let orders = keys.iter().filter_map(order);
        let orders = orders.filter(|order| order.ranks().len() >= FEWEST_ON_A_SCALE);
        orders.reduce(|one, next| if next.ranks().len() > one.ranks().len() { next } else { one })
    }

    /// The different values, the lowest first.
    pub fn ranks(&self) -> Vec<f64> {
        let mut ranks = self.at.clone();
        ranks.sort_by(f64::total_cmp);
        ranks.dedup();
        ranks
    }

    /// The different names by other keys, in the order of the points.
    pub fn panels(&self) -> Vec<&str> {
        let mut panels: Vec<&str> = Vec::new();
        for rest in &self.rest {
            if !panels.contains(&rest.as_str()) {
                panels.push(rest);
            }
        }
        panels
    }

    /// Whether there are few enough panels.
    pub fn fits(&self) -> bool {
        self.panels().len() <= MOST_PANELS
    }

    /// The scale of colours; `None` for few values, which have names.
    pub fn scale(&self) -> Option<ColourScale> {
        let ranks = self.ranks();
        let range = (ranks[0], ranks[ranks.len() - 1]);
        let logarithmic = range.0 > 0.0 && range.1 >= WIDE * range.0;
        let label = self.label.clone();
        (ranks.len() > COLOURS).then_some(ColourScale { label, range, logarithmic })
    }

    /// The colour of a value among `ranks`.
    pub fn colour(ranks: &[f64], value: f64) -> Colour {
        match ranks.len() <= COLOURS {
            true => Colour::Palette(ranks.iter().position(|rank| *rank == value).unwrap_or(0)),
            false => Colour::Value(value),
        }
    }
}

/// The name of each point by the keys beside `key` that its run needs, and what is left out.
fn rests(groups: &[Named<'_>], key: &str, others: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut runs: Vec<&str> = Vec::new();
    for named in groups {
        if !runs.contains(&named.run.as_str()) {
            runs.push(&named.run);
        }
    }
    let mut rest = vec![String::new(); groups.len()];
    let mut notes = Vec::new();
    for run in runs {
        let is_own = |place: &usize| groups[*place].run == run;
        let own: Vec<usize> = (0..groups.len()).filter(is_own).collect();
        let of_run: Vec<&Named<'_>> = own.iter().map(|&place| &groups[place]).collect();
        let chosen = needed(&of_run, others, &[key]);
        let is_left = |other: &&&str| !chosen.contains(*other) && differs(&of_run, other);
        let left: Vec<&str> = others.iter().filter(is_left).copied().collect();
        let word = |key: &str| word_of(of_run.iter().map(|named| named.group), key);
        notes.extend(told_apart(run, &[&[key][..], chosen.as_slice()].concat(), &left, word));
        own.iter().for_each(|&place| rest[place] = groups[place].named_by(&chosen));
    }
    (rest, notes)
}
