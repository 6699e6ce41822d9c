//! Figures of answers against swept values.

use std::collections::{BTreeMap, BTreeSet};

use beadwork_analysis::plot::{Axis, Colour, Figure, Series, Style};
use beadwork_model::units::ratio;

use super::summary::{Group, Setting, Summary, Value};
use crate::many_points::{ManyPoints, PointFigure, run_of, told_apart, word_of};
use crate::words::{label, with_symbols};

/// Swept values that span this factor have a logarithmic axis.
pub(crate) const WIDE: f64 = 10.0;

/// Keys that a run sweeps together with one key, each with the run.
type Followers<'a> = BTreeSet<(String, &'a str)>;

/// A figure of each value against each swept key whose values are numbers of one dimension, with the stem of its file: points with
/// error bars, a colour for each setting of the other keys. Of keys that change together the first one has figures.
pub(crate) fn figures(summary: &Summary) -> Vec<(String, Figure)> {
    let groups = &summary.groups;
    let values = values(groups);
    let mut figures: Vec<(String, Figure)> = Vec::new();
    // What changes together with the keys before, and the numbers of the values that are drawn against these.
    let mut before: Vec<(Followers<'_>, Vec<usize>)> = Vec::new();
    for key in keys(groups) {
        let Some(swept) = Swept::of(groups, key) else { continue };
        let runs = runs_that_vary(groups, key);
        let follows = |followers: &Followers<'_>| {
            !runs.is_empty() && runs.iter().all(|run| followers.contains(&(run.clone(), key)))
        };
        let leaders = before.iter().filter(|(followers, _)| follows(followers));
        let shown: BTreeSet<usize> = leaders.flat_map(|(_, drawn)| drawn).copied().collect();
        let followers = swept.followers(groups);
        let mut drawn = Vec::new();
        for (number, value) in values.iter().enumerate().filter(|(one, _)| !shown.contains(one)) {
            let figure = swept.figure(groups, &followers, value);
            drawn.extend(figure.is_some().then_some(number));
            figures.extend(figure);
        }
        before.push((followers, drawn));
    }
    figures
}

/// The swept keys, in the order of the settings.
fn keys(groups: &[Group]) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    for setting in groups.iter().flat_map(|group| &group.settings) {
        if !keys.contains(&setting.key.as_str()) {
            keys.push(&setting.key);
        }
    }
    keys
}

/// The runs in which a key has several values.
fn runs_that_vary(groups: &[Group], key: &str) -> BTreeSet<String> {
    let mut first: BTreeMap<String, &str> = BTreeMap::new();
    let mut varied = BTreeSet::new();
    for group in groups {
        let Some(own) = group.settings.iter().find(|setting| setting.key == key) else { continue };
        let run = run_of(group);
        if *first.entry(run.clone()).or_insert(&own.value) != own.value {
            varied.insert(run);
        }
    }
    varied
}

/// The first of each kind of value that has an error or is a mean; counts, verdicts and what words leave out, but shares, are
/// left out.
fn values(groups: &[Group]) -> Vec<&Value> {
    let mut found: Vec<&Value> = Vec::new();
    let is_said = |value: &Value| !value.words.is_empty() || value.name.ends_with("_share");
    let drawn = |value: &&Value| {
        value.value.is_some() && value.bound.is_none() && value.name != "rows" && is_said(value)
    };
    for value in groups.iter().flat_map(|group| &group.values).filter(drawn) {
        if !found.iter().any(|one| is_same(one, value)) {
            found.push(value);
        }
    }
    found
}

fn is_same(one: &Value, other: &Value) -> bool {
    (&one.name, &one.of, &one.unit) == (&other.name, &other.of, &other.unit)
}

/// A key and its value at each group.
pub(crate) struct Swept<'a> {
    key: &'a str,
    pub unit: &'a str,
    /// `None` where a run that is compared does not sweep the key.
    pub at: Vec<Option<f64>>,
}

impl<'a> Swept<'a> {
    /// `None` unless there are two different numbers, all in the unit of the first or in one that can be converted to it.
    pub fn of(groups: &'a [Group], key: &'a str) -> Option<Swept<'a>> {
        let setting = |group: &'a Group| group.settings.iter().find(|one| one.key == key);
        let split = |text: &'a str| {
            let text = text.trim();
            let end = text.find(|c: char| !(c.is_ascii_digit() || "+-._eE".contains(c)));
            let (number, unit) = text.split_at(end.unwrap_or(text.len()));
            Some((number.replace('_', "").parse::<f64>().ok()?, unit.trim()))
        };
        let (_, unit) = split(&groups.iter().find_map(setting)?.value)?;
        let in_unit = |group| match setting(group) {
            None => Some(None),
            Some(setting) => match split(&setting.value)? {
                (number, own) if own == unit => Some(Some(number)),
                _ => ratio(&setting.value, &format!("1 {unit}")).map(Some),
            },
        };
        let at: Vec<Option<f64>> = groups.iter().map(in_unit).collect::<Option<_>>()?;
        let mut numbers = at.iter().flatten();
        let first = numbers.next()?;
        numbers.any(|number| number != first).then_some(Swept { key, unit, at })
    }

    /// The other keys of each run that vary and have one value at each value of this key: a run sweeps them together with it.
    fn followers<'g>(&self, groups: &'g [Group]) -> Followers<'g> {
        let mut first: BTreeMap<(String, &str), &str> = BTreeMap::new();
        let mut at: BTreeMap<(String, &str, &str), &str> = BTreeMap::new();
        let (mut varied, mut independent) = (BTreeSet::new(), BTreeSet::new());
        for group in groups {
            let run = run_of(group);
            let is_own = |setting: &&Setting| setting.key == self.key;
            let Some(own) = group.settings.iter().find(is_own) else { continue };
            for Setting { key, value, .. } in group.settings.iter().filter(|one| !is_own(one)) {
                let of_run = (run.clone(), key.as_str());
                if *first.entry(of_run.clone()).or_insert(value) != value {
                    varied.insert(of_run.clone());
                }
                let place = (run.clone(), own.value.as_str(), key.as_str());
                if *at.entry(place).or_insert(value) != value {
                    independent.insert(of_run);
                }
            }
        }
        varied.difference(&independent).cloned().collect()
    }

    /// Values of one kind against the key; `None` for fewer than two.
    fn figure(
        &self,
        groups: &[Group],
        followers: &Followers<'_>,
        kind: &Value,
    ) -> Option<(String, Figure)> {
        // Two keys may end in one word, such as the speeds of two stages.
        let own = word_of(groups, self.key);
        let shares = |key: &&str| *key != self.key && word_of(groups, key) == own;
        let last = if keys(groups).iter().any(shares) { self.key.to_string() } else { own };
        let mut lines: Vec<Line<'_>> = Vec::new();
        for (group, x) in groups.iter().zip(&self.at) {
            let value = group.values.iter().find(|value| is_same(value, kind));
            let point = x.zip(value);
            let others = self.others(group, followers);
            // Lines stand in the order of their groups, also where the first ones have no such value.
            match lines.iter_mut().find(|line| line.group.name == others.name) {
                Some(line) => line.points.extend(point),
                None => lines.push(Line { group: others, points: Vec::from_iter(point) }),
            }
        }
        lines.retain(|line| !line.points.is_empty());
        if !lines.iter().any(|line| line.points.len() > 1) {
            return None;
        }
        let mut series = Vec::new();
        for (number, line) in lines.iter_mut().enumerate() {
            line.points.sort_by(|one, other| one.0.total_cmp(&other.0));
            let name = line.group.name.clone();
            series.extend(drawn(name, Colour::Palette(number), &line.points));
        }
        let numbers = || self.at.iter().flatten().copied();
        let (least, most) = numbers().fold((f64::INFINITY, f64::NEG_INFINITY), |ends, number| {
            (ends.0.min(number), ends.1.max(number))
        });
        let of = if kind.of.is_empty() { String::new() } else { format!(" of {}", kind.of) };
        // What stands in brackets may not be true of all points.
        let words = match kind.words.split(" (").next() {
            None | Some("") => kind.name.replace('_', " "),
            Some(words) => words.to_string(),
        };
        let bars = vec!["Vertical bars: ± one standard error.".to_string()];
        let notes = [bars, self.notes(groups, followers)].concat();
        let is_share = kind.name.ends_with("_share");
        let figure = Figure {
            title: format!("{}{of} and {last}", capital(&words)),
            x: Axis {
                logarithmic: least > 0.0 && most >= WIDE * least,
                ..Axis::new(label(&last.replace('_', " "), &with_symbols(self.unit)))
            },
            // Shares that are all zero or all one have the axis of others.
            y: Axis {
                range: is_share.then_some((-0.05, 1.05)),
                ..Axis::new(label(&words, &kind.unit))
            },
            series,
            notes,
            ..Figure::default()
        };
        let groups = lines.iter().map(|line| (line.group.name.as_str(), &line.group));
        let stem = |text: &str| -> String {
            let words = text.split(|c: char| !c.is_alphanumeric());
            words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
        };
        let stem = stem(&format!("{}{of} against {last}", kind.name));
        Some(ManyPoints::new(groups).arrange(PointFigure::new(stem, figure)))
    }

    /// A note on each run whose other keys change with this one.
    fn notes(&self, groups: &[Group], followers: &Followers<'_>) -> Vec<String> {
        let runs: BTreeSet<&str> = followers.iter().map(|(run, _)| run.as_str()).collect();
        let note = |run: &str| {
            let own = followers.iter().filter(|(other, _)| other == run);
            let own: Vec<&str> = own.map(|(_, key)| *key).collect();
            told_apart(run, &[self.key], &own, |key| word_of(groups, key))
        };
        runs.into_iter().filter_map(note).collect()
    }

    /// The group without this key, the keys that follow it, and values; its name has the settings of the others, and the run if
    /// several are compared.
    fn others(&self, group: &Group, followers: &Followers<'_>) -> Group {
        let run = run_of(group);
        let is_other = |setting: &&Setting| {
            setting.key != self.key && !followers.contains(&(run.clone(), setting.key.as_str()))
        };
        let settings: Vec<Setting> = group.settings.iter().filter(is_other).cloned().collect();
        let stage = (!group.stage.is_empty()).then(|| format!("stage = {}", group.stage));
        let words = settings.iter().map(|one| format!("{} = {}", one.key, one.value)).chain(stage);
        let words: Vec<String> = words.collect();
        let name = [run, words.join(", ")]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(": ");
        Group { name, settings, stage: group.stage.clone(), ..Group::default() }
    }
}

/// Points with the same settings of all other keys.
struct Line<'a> {
    group: Group,
    points: Vec<(f64, &'a Value)>,
}

/// A line through points, the points and their error bars; two points show no course between them.
fn drawn(label: String, colour: Colour, line: &[(f64, &Value)]) -> [Series; 3] {
    let point = |(x, value): &(f64, &Value)| Some((*x, value.value?));
    let points: Vec<(f64, f64)> = line.iter().filter_map(point).collect();
    let bar = |(x, value): &(f64, &Value)| {
        let (middle, error) = (value.value?, value.error?);
        Some([(*x, middle - error), (*x, middle + error), (*x, f64::NAN)])
    };
    let bars = line.iter().filter_map(bar).flatten().collect();
    let series =
        |label: String, points, style| Series { style, colour, ..Series::line(label, points) };
    let course = if points.len() > 2 { points.clone() } else { Vec::new() };
    [
        series(String::new(), course, Style::Line),
        series(label, points, Style::Points),
        // Behind markers short ones would be hidden.
        series(String::new(), bars, Style::ErrorBars),
    ]
}

fn capital(words: &str) -> String {
    let mut characters = words.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(settings: &[(&str, &str)], force: f64) -> Group {
        let setting = |(key, value): &(&str, &str)| Setting {
            key: key.to_string(),
            value: value.to_string(),
            ..Setting::default()
        };
        let value = Value::new("unfolding_force", "unfolding force", "pN", force);
        Group {
            settings: settings.iter().map(setting).collect(),
            values: vec![value.with_error(Some(2.0))],
            ..Group::default()
        }
    }

    #[test]
    fn forces_are_drawn_against_the_logarithm_of_the_speed() {
        let groups =
            [("0.5 um/s", 100.0), ("2.5 um/s", 120.0), ("25 um/s", 150.0)].map(|(speed, force)| {
                group(&[("pull.speed", speed), ("dynamics.temperature", "300 K")], force)
            });
        let summary = Summary { groups: groups.to_vec(), ..Summary::default() };
        let figures = figures(&summary);
        let [(stem, figure)] = figures.as_slice() else { panic!("{figures:?}") };
        assert_eq!(stem, "unfolding-force-against-speed");
        assert_eq!((figure.x.label.as_str(), figure.x.logarithmic), ("speed / (µm/s)", true));
        assert_eq!(figure.y.label, "unfolding force / pN");
        let [_, points, bars] = figure.series.as_slice() else { panic!("{figure:?}") };
        assert_eq!(points.points, [(0.5, 100.0), (2.5, 120.0), (25.0, 150.0)]);
        assert_eq!(points.label, "dynamics.temperature = 300 K");
        assert_eq!(bars.points[..2], [(0.5, 98.0), (0.5, 102.0)]);
        assert_eq!([points, bars].map(|series| series.style), [Style::Points, Style::ErrorBars]);
    }

    #[test]
    fn quantities_in_several_units_share_the_unit_of_the_first() {
        let groups = ["1 um/s", "500 nm/s"].map(|value| group(&[("pull.speed", value)], 1.0));
        let figures = figures(&Summary { groups: groups.to_vec(), ..Summary::default() });
        let [(_, figure)] = figures.as_slice() else { panic!("{figures:?}") };
        assert_eq!(figure.x.label, "speed / (µm/s)");
        assert_eq!(figure.series[1].points, [(0.5, 1.0), (1.0, 1.0)]);
    }

    /// A run that sweeps both keys together has a line against the first, and one that sweeps one for each value of the other has
    /// several against each.
    #[test]
    fn keys_that_change_together_are_one_line() {
        let both = |[speed, stiffness]: [&str; 2]| {
            group(&[("pull.speed", speed), ("pull.stiffness", stiffness)], 1.0)
        };
        let zipped = [["1", "10"], ["2", "20"], ["3", "30"]].map(both);
        let figures = figures(&Summary { groups: zipped.to_vec(), ..Summary::default() });
        let [(stem, figure)] = figures.as_slice() else { panic!("{figures:?}") };
        assert_eq!((stem.as_str(), figure.series.len()), ("unfolding-force-against-speed", 3));
        assert_eq!(figure.series[1].points.len(), 3);
        assert_eq!(figure.notes[1], "Points are told apart by speed; stiffness changes with it.");
        let product = [["1", "10"], ["2", "10"], ["1", "20"], ["2", "20"]].map(both);
        let figures = self::figures(&Summary { groups: product.to_vec(), ..Summary::default() });
        assert_eq!((figures.len(), figures[0].1.series.len()), (2, 6));
        assert_eq!(figures[0].1.notes.len(), 1);
    }

    /// Names of structures have no axis, so the key behind them has the figure.
    #[test]
    fn the_first_key_with_numbers_stands_for_those_that_change_with_it() {
        let groups = [["a.pdb", "1", "10"], ["b.pdb", "2", "20"]].map(|[file, speed, steps]| {
            group(&[("system.structure", file), ("pull.speed", speed), ("pull.steps", steps)], 1.0)
        });
        let figures = figures(&Summary { groups: groups.to_vec(), ..Summary::default() });
        let [(stem, figure)] = figures.as_slice() else { panic!("{figures:?}") };
        assert_eq!(stem, "unfolding-force-against-speed");
        let note = "Points are told apart by speed; steps, structure change with it.";
        assert_eq!(figure.notes[1], note);
    }

    /// A fit over points that share a key has no other key, so its values are drawn against this one.
    #[test]
    fn values_without_the_first_key_are_drawn_against_the_next() {
        let point = |speed: &str, temperature: &str| {
            group(&[("pull.speed", speed), ("dynamics.temperature", temperature)], 1.0)
        };
        let fit = |temperature: &str| Group {
            values: vec![Value::new("barrier_distance", "distance", "nm", 0.4)],
            ..group(&[("dynamics.temperature", temperature)], 1.0)
        };
        let points = [("1", "300 K"), ("2", "300 K"), ("3", "310 K"), ("4", "310 K")];
        let points = points.map(|(speed, temperature)| point(speed, temperature));
        let groups = [points.as_slice(), &["300 K", "310 K"].map(fit)[..]].concat();
        let figures = figures(&Summary { groups, ..Summary::default() });
        let stems: Vec<&str> = figures.iter().map(|(stem, _)| stem.as_str()).collect();
        let expected = ["unfolding-force-against-speed", "barrier-distance-against-temperature"];
        assert_eq!(stems, expected);
    }

    /// The speeds of two springs that are swept together.
    #[test]
    fn axes_and_notes_name_drives() {
        let of_drive = |number: u32, drive: &str, value: &str| Setting {
            key: format!("pull.drives.{number}.speed"),
            value: value.into(),
            drive: drive.into(),
        };
        let groups = ["1 um/s", "2 um/s"].map(|speed| Group {
            settings: vec![of_drive(1, "left", speed), of_drive(2, "right", speed)],
            ..group(&[], 1.0)
        });
        let figures = figures(&Summary { groups: groups.to_vec(), ..Summary::default() });
        let [(stem, figure)] = figures.as_slice() else { panic!("{figures:?}") };
        assert_eq!(stem, "unfolding-force-against-speed-of-drive-left");
        assert_eq!(figure.x.label, "speed of drive left / (µm/s)");
        let note =
            "Points are told apart by speed of drive left; speed of drive right changes with it.";
        assert_eq!(figure.notes[1], note);
    }

    #[test]
    fn shares_have_an_axis_from_zero_to_one() {
        let groups = ["1", "2"].map(|value| Group {
            values: vec![Value::new("unfolded_share", "", "", 0.0)],
            ..group(&[("pull.speed", value)], 1.0)
        });
        let figures = figures(&Summary { groups: groups.to_vec(), ..Summary::default() });
        let [(stem, figure)] = figures.as_slice() else { panic!("{figures:?}") };
        assert_eq!(stem, "unfolded-share-against-speed");
        assert_eq!(
            (figure.y.label.as_str(), figure.y.range),
            ("unfolded share", Some((-0.05, 1.05)))
        );
    }

    #[test]
    fn types_are_named_with_their_key() {
        let key = "system.pairs.1.stickiness.BB";
        let groups = ["0.2", "0.4"].map(|value| group(&[(key, value)], 1.0));
        let figures = figures(&Summary { groups: groups.to_vec(), ..Summary::default() });
        let [(stem, figure)] = figures.as_slice() else { panic!("{figures:?}") };
        assert_eq!(stem, "unfolding-force-against-stickiness-of-BB");
        assert_eq!(figure.title, "Unfolding force and stickiness of BB");
        assert_eq!(figure.x.label, "stickiness of BB");
    }

    /// Names and lengths beside times have no axis.
    #[test]
    fn what_is_no_number_is_not_drawn() {
        for values in [["brownian", "langevin"], ["1 nm", "500 ns"], ["3 nm", "3 nm"]] {
            let groups = values.map(|value| group(&[("key", value)], 1.0)).to_vec();
            assert!(figures(&Summary { groups, ..Summary::default() }).is_empty(), "{values:?}");
        }
    }
}
