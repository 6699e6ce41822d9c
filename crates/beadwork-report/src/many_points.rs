//! Figures of sweeps: short names of points, and for many points a scale of colours or panels.

use std::collections::BTreeSet;

use beadwork_analysis::plot::{COLOURS, Colour, ColourScale, Figure, Series};

use crate::data::{Group, Swept, WIDE, word};
use crate::words::{group_name, label, with_symbols};

/// More histograms than this hide each other.
const MOST_HISTOGRAMS: usize = 3;
/// Fewer values of a key are better told by names.
const FEWEST_ON_A_SCALE: usize = 3;
/// More panels are too small to read.
const MOST_PANELS: usize = 60;
/// More labels of lines in each panel are left to the notes.
const MOST_REMARKS: usize = 4;

/// What the groups of a figure are drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// Lines and points: readers tell eight apart.
    Curves,
    /// Bars.
    Histograms,
}

/// The groups of figures, whose series have the colour of the group's number.
pub(crate) struct ManyPoints<'a> {
    groups: Vec<Named<'a>>,
    /// What short names leave out.
    notes: Vec<String>,
    /// A key that orders the groups.
    order: Option<Order>,
}

/// A group and its names.
struct Named<'a> {
    group: &'a Group,
    /// The run, if several are compared.
    run: String,
    /// The name in labels, what it has behind the name of the group, and the short name.
    full: String,
    suffix: String,
    short: String,
}

/// A key whose values are numbers.
struct Order {
    /// Its name and unit.
    label: String,
    key: String,
    /// The value of each group.
    at: Vec<f64>,
    /// The name of each group by all other keys.
    rest: Vec<String>,
}

impl Named<'_> {
    fn value(&self, key: &str) -> Option<&str> {
        let found = self.group.settings.iter().find(|setting| setting.key == key);
        found.map(|setting| setting.value.as_str())
    }

    /// Some settings, with the symbols of units.
    fn settings(&self, keys: &[&str]) -> Vec<(String, String)> {
        let settings = self.group.settings.iter();
        let chosen = settings.filter(|setting| keys.contains(&setting.key.as_str()));
        chosen.map(|one| (one.key.clone(), with_symbols(&one.value))).collect()
    }

    fn settings_in_words(&self, keys: &[&str]) -> String {
        group_name("", &self.settings(keys), None)
    }

    /// The name by some keys, with the run and the stage.
    fn named_by(&self, keys: &[&str]) -> String {
        let stage = Some(self.group.stage.as_str()).filter(|stage| !stage.is_empty());
        let name = group_name(&self.run, &self.settings(keys), stage) + &self.suffix;
        name.trim_start_matches(", ").to_string()
    }
}

/// The run in a group's name.
fn run_of(group: &Group) -> String {
    let settings: Vec<(String, String)> =
        group.settings.iter().map(|one| (one.key.clone(), one.value.clone())).collect();
    let stage = Some(group.stage.as_str()).filter(|stage| !stage.is_empty());
    let own = group_name("", &settings, stage);
    match group.name.strip_suffix(&own) {
        Some(run) if own.is_empty() || run.is_empty() => run.to_string(),
        Some(run) if run.ends_with(": ") => run.trim_end_matches(": ").to_string(),
        // Names may have whole keys.
        _ => group.name.split_once(": ").map_or("", |(run, _)| run).to_string(),
    }
}

/// Whether keys tell all groups apart, with their runs and stages.
fn tell_apart(groups: &[Named<'_>], keys: &[&str]) -> bool {
    let of = |named: &Named<'_>| {
        let values: Vec<Option<String>> =
            keys.iter().map(|key| named.value(key).map(str::to_string)).collect();
        (named.run.clone(), named.group.stage.clone(), named.suffix.clone(), values)
    };
    groups.iter().map(of).collect::<BTreeSet<_>>().len() == groups.len()
}

impl<'a> ManyPoints<'a> {
    /// Groups with their names in labels, in the order of the numbers of their colours.
    pub fn new(groups: impl IntoIterator<Item = (&'a str, &'a Group)>) -> ManyPoints<'a> {
        let named = |(full, group): (&str, &'a Group)| Named {
            group,
            run: run_of(group),
            full: full.to_string(),
            suffix: full.strip_prefix(group.name.as_str()).unwrap_or_default().to_string(),
            short: with_symbols(full),
        };
        let mut groups: Vec<Named<'a>> = groups.into_iter().map(named).collect();
        let mut notes = Vec::new();
        let keys = keys(&groups);
        let differs = |key: &&&str| groups.iter().any(|one| one.value(key) != groups[0].value(key));
        let varying: Vec<&str> = keys.iter().filter(differs).copied().collect();
        if groups.len() < 2 || !tell_apart(&groups, &varying) {
            return ManyPoints { groups, notes, order: None };
        }
        let mut chosen = varying.clone();
        for key in varying.iter().rev() {
            let others: Vec<&str> = chosen.iter().filter(|one| *one != key).copied().collect();
            if tell_apart(&groups, &others) {
                chosen = others;
            }
        }
        let constant: Vec<&str> =
            keys.iter().filter(|key| !varying.contains(key)).copied().collect();
        if !constant.is_empty() {
            notes.push(format!("All: {}.", groups[0].settings_in_words(&constant)));
        }
        let left: Vec<&str> = varying.iter().filter(|key| !chosen.contains(key)).copied().collect();
        if !left.is_empty() {
            notes.push(format!("Names leave out what differs too: {}.", left.join(", ")));
        }
        groups.iter_mut().for_each(|named| named.short = named.named_by(&chosen));
        let order = Order::of(&groups, &chosen);
        ManyPoints { groups, notes, order }
    }

    /// Gives a figure short names, and where there are many groups a scale of colours or panels. Series and marks of group n have
    /// the colours from `each` · n on.
    pub fn arrange(&self, figure: &mut Figure, shows: Shows, each: usize) {
        let each = each.max(1);
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
        if !figure.series.iter().any(has_groups) {
            return;
        }
        figure.notes.extend(self.notes.iter().cloned());
        let most = if shows == Shows::Histograms { MOST_HISTOGRAMS } else { COLOURS };
        if self.groups.len() * each <= most {
            return;
        }
        match &self.order {
            Some(order) if shows == Shows::Curves && each == 1 => self.order(figure, order),
            _ if figure.panels.is_empty() => self.apart(figure, shows, each),
            _ => {}
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
            let Named { full, short, .. } = &self.groups[number / each];
            if let (Some(rest), false) = (label.strip_prefix(full.as_str()), full.is_empty()) {
                *label = format!("{short}{rest}");
            }
        }
    }

    /// Colours by a key, and a panel for each setting of the other keys.
    fn order(&self, figure: &mut Figure, order: &Order) {
        let mut panels: Vec<&String> = Vec::new();
        order.rest.iter().for_each(|rest| {
            if !panels.contains(&rest) {
                panels.push(rest);
            }
        });
        let has_panels = panels.len() > 1;
        if has_panels && !figure.panels.is_empty() {
            return;
        }
        if panels.len() > MOST_PANELS {
            return self.apart(figure, Shows::Curves, 1);
        }
        let ranks = order.ranks();
        let of = |number: usize| {
            let colour = match ranks.len() <= COLOURS {
                true => {
                    let is_own = |rank: &f64| *rank == order.at[number];
                    Colour::Palette(ranks.iter().position(is_own).unwrap_or(0))
                }
                false => Colour::Value(order.at[number]),
            };
            let panel = panels.iter().position(|panel| **panel == order.rest[number]);
            (colour, panel.filter(|_| has_panels))
        };
        for series in &mut figure.series {
            if let Colour::Palette(number) = series.colour {
                series.label.clear();
                let (colour, panel) = of(number);
                (series.colour, series.panel) = (colour, panel.or(series.panel));
            } else if let (Some(number), true) = (series.panel, figure.panels.is_empty()) {
                // The law of a group is grey.
                series.panel = of(number).1;
            }
        }
        for mark in &mut figure.marks {
            if let Colour::Palette(number) = mark.colour {
                (mark.colour, mark.panel) = of(number);
            }
        }
        if has_panels {
            figure.panels = panels.into_iter().cloned().collect();
        }
        if ranks.len() <= COLOURS {
            figure.series.extend(ranks.iter().enumerate().map(|(rank, value)| {
                let of_value = order.at.iter().position(|at| at == value).unwrap_or(0);
                let label = self.groups[of_value].settings_in_words(&[&order.key]);
                Series { colour: Colour::Palette(rank), ..Series::line(label, Vec::new()) }
            }));
        } else {
            figure.scale = Some(order.scale());
        }
    }

    /// A panel for each group. Its title is the group's name, of a histogram the whole label.
    fn apart(&self, figure: &mut Figure, shows: Shows, each: usize) {
        let count = self.groups.len().min(MOST_PANELS);
        let mut titles: Vec<String> =
            self.groups.iter().take(count).map(|named| named.short.clone()).collect();
        let panel_of = |colour: Colour| match colour {
            Colour::Palette(number) => Some((number / each, Colour::Palette(number % each))),
            _ => None,
        };
        // What labels say beside the name is true of many panels, and said once.
        let mut said = BTreeSet::new();
        for series in &mut figure.series {
            let Some((panel, colour)) = panel_of(series.colour) else { continue };
            (series.colour, series.panel) = (colour, Some(panel));
            if shows == Shows::Histograms {
                let label = std::mem::take(&mut series.label);
                if let Some(title) = titles.get_mut(panel).filter(|_| !label.is_empty()) {
                    *title = label;
                }
                continue;
            }
            let rest = series.label.strip_prefix(&self.groups[panel].short);
            let rest = rest.unwrap_or(&series.label).trim_matches([' ', ',', ':', '(', ')']);
            series.label = rest.to_string();
            if !said.insert(series.label.clone()) {
                series.label.clear();
            }
        }
        for mark in &mut figure.marks {
            let Some((panel, colour)) = panel_of(mark.colour) else { continue };
            (mark.colour, mark.panel) = (colour, Some(panel));
            if shows == Shows::Histograms {
                mark.label.clear();
            }
        }
        if said.len() > MOST_REMARKS * each {
            let of_groups = figure.series.iter_mut().filter(|series| series.panel.is_some());
            of_groups.for_each(|series| series.label.clear());
        }
        figure.series.retain(|series| series.panel.is_none_or(|panel| panel < count));
        figure.marks.retain(|mark| mark.panel.is_none_or(|panel| panel < count));
        if count < self.groups.len() {
            let all = self.groups.len();
            figure.notes.push(format!("The first {count} of {all} points are drawn."));
        }
        figure.panels = titles;
    }
}

/// The keys of all groups in the order of their settings.
fn keys<'a>(groups: &[Named<'a>]) -> Vec<&'a str> {
    let mut keys: Vec<&str> = Vec::new();
    for setting in groups.iter().flat_map(|named| &named.group.settings) {
        if !keys.contains(&setting.key.as_str()) {
            keys.push(&setting.key);
        }
    }
    keys
}

impl Order {
    /// By the key with the most values that are all numbers, if there are enough; the others of `keys` name panels.
    fn of(groups: &[Named<'_>], keys: &[&str]) -> Option<Order> {
        let all: Vec<Group> = groups.iter().map(|named| named.group.clone()).collect();
        let order = |key: &&str| {
            let swept = Swept::of(&all, key)?;
            let at: Vec<f64> = swept.at.iter().copied().collect::<Option<_>>()?;
            let others: Vec<&str> = keys.iter().filter(|other| *other != key).copied().collect();
            Some(Order {
                label: label(&word(key).replace('_', " "), &with_symbols(swept.unit)),
                key: (*key).to_string(),
                at,
                rest: groups.iter().map(|named| named.named_by(&others)).collect(),
            })
        };
        let orders = keys.iter().filter_map(order);
        let orders = orders.filter(|order| order.ranks().len() >= FEWEST_ON_A_SCALE);
        orders.reduce(|one, next| if next.ranks().len() > one.ranks().len() { next } else { one })
    }

    /// The different values, the lowest first.
    fn ranks(&self) -> Vec<f64> {
        let mut ranks = self.at.clone();
        ranks.sort_by(f64::total_cmp);
        ranks.dedup();
        ranks
    }

    fn scale(&self) -> ColourScale {
        let ranks = self.ranks();
        let range = (ranks[0], ranks[ranks.len() - 1]);
        let logarithmic = range.0 > 0.0 && range.1 >= WIDE * range.0;
        ColourScale { label: self.label.clone(), range, logarithmic }
    }
}

#[cfg(test)]
mod tests {
    use beadwork_analysis::plot::{Mark, Style};

    use super::*;
    use crate::data::Setting;

    fn group(settings: &[(&str, String)]) -> Group {
        let setting =
            |(key, value): &(&str, String)| Setting { key: key.to_string(), value: value.clone() };
        let settings: Vec<Setting> = settings.iter().map(setting).collect();
        let pairs: Vec<(String, String)> =
            settings.iter().map(|one| (one.key.clone(), one.value.clone())).collect();
        Group { name: group_name("", &pairs, None), settings, ..Group::default() }
    }

    /// A thin line and a named bold one of each group, and the law of all.
    fn figure(groups: &[Group], style: Style) -> Figure {
        let mut figure = Figure::default();
        for (number, group) in groups.iter().enumerate() {
            let colour = Colour::Palette(number);
            let points = vec![(0.0, number as f64), (1.0, 2.0)];
            figure.series.push(Series {
                colour,
                style,
                points: points.clone(),
                ..Series::default()
            });
            let label = format!("{} (mean of 4)", group.name);
            figure.series.push(Series { colour, style, ..Series::line(label, points) });
            figure.marks.push(Mark { x: number as f64, colour, ..Mark::default() });
        }
        let of_last = Some(groups.len() - 1);
        figure.series.push(Series { colour: Colour::Grey, panel: of_last, ..Series::default() });
        let law = Series::line("law", vec![(0.0, 1.0)]);
        figure.series.push(Series { colour: Colour::Grey, ..law });
        figure
    }

    fn arranged(groups: &[Group], style: Style) -> Figure {
        let mut figure = figure(groups, style);
        let shows = if style == Style::Line { Shows::Curves } else { Shows::Histograms };
        let points = ManyPoints::new(groups.iter().map(|group| (group.name.as_str(), group)));
        points.arrange(&mut figure, shows, 1);
        figure
    }

    fn labels(figure: &Figure) -> Vec<&str> {
        figure
            .series
            .iter()
            .map(|one| one.label.as_str())
            .filter(|label| !label.is_empty())
            .collect()
    }

    /// Zipped keys change together, so the first one is a name; what is the same at all points is said once.
    #[test]
    fn names_have_what_tells_points_apart() {
        let groups: Vec<Group> = (1..4)
            .map(|number| {
                group(&[
                    ("pull.speed", format!("{number} um/s")),
                    ("dynamics.timestep", format!("{} ps", 0.1 / f64::from(number))),
                    ("dynamics.temperature", "300 K".to_string()),
                ])
            })
            .collect();
        let figure = arranged(&groups, Style::Line);
        let of_groups = ["1", "2", "3"].map(|number| format!("speed = {number} µm/s (mean of 4)"));
        assert_eq!(labels(&figure)[..3], of_groups);
        assert_eq!(
            figure.notes,
            ["All: temperature = 300 K.", "Names leave out what differs too: dynamics.timestep."]
        );
        assert!(figure.panels.is_empty() && figure.scale.is_none());
    }

    #[test]
    fn many_numbers_have_a_scale_of_colours() {
        let value = |number: i32| 0.1 * f64::from(number + 1);
        let groups: Vec<Group> = (0..50)
            .map(|number| group(&[("pull.speed", format!("{} um/s", value(number)))]))
            .collect();
        let figure = arranged(&groups, Style::Line);
        let scale = figure.scale.as_ref().unwrap();
        assert_eq!((scale.label.as_str(), scale.logarithmic), ("speed / (µm/s)", true));
        assert_eq!((scale.range.0, labels(&figure)), (0.1, vec!["law"]));
        assert_eq!(figure.series[5].colour, Colour::Value(value(2)));
        assert_eq!(figure.marks[2].colour, Colour::Value(value(2)));
        assert!(figure.panels.is_empty());
    }

    /// Four speeds at three temperatures: speeds have colours, temperatures panels.
    #[test]
    fn two_keys_are_colours_and_panels() {
        let mut groups = Vec::new();
        for temperature in ["280 K", "300 K", "320 K"] {
            groups.extend([1, 2, 4, 8].map(|speed| {
                group(&[
                    ("pull.speed", format!("{speed} um/s")),
                    ("dynamics.temperature", temperature.to_string()),
                ])
            }));
        }
        let figure = arranged(&groups, Style::Line);
        assert_eq!(
            figure.panels,
            ["temperature = 280 K", "temperature = 300 K", "temperature = 320 K"]
        );
        let of_speeds = ["1", "2", "4", "8"].map(|speed| format!("speed = {speed} µm/s"));
        assert_eq!(labels(&figure)[1..], of_speeds);
        let tenth = &figure.series[2 * 9];
        assert_eq!((tenth.colour, tenth.panel), (Colour::Palette(1), Some(2)));
        // What is of the last group is in its panel, and the law of all in every one.
        assert_eq!(figure.series[24].panel, Some(2));
        assert!(figure.series.iter().any(|series| series.label == "law" && series.panel.is_none()));
    }

    #[test]
    fn names_without_an_order_and_histograms_have_panels() {
        let groups: Vec<Group> =
            (0..9).map(|number| group(&[("force_field", format!("\"number{number}\""))])).collect();
        let figure = arranged(&groups, Style::Line);
        assert_eq!(
            (figure.panels.len(), figure.panels[3].as_str()),
            (9, "force_field = \"number3\"")
        );
        assert_eq!(
            (figure.series[6].panel, figure.series[6].colour),
            (Some(3), Colour::Palette(0))
        );
        assert_eq!(figure.series[18].panel, Some(8));
        // What is the same in all panels is said once.
        assert_eq!(labels(&figure), ["mean of 4", "law"]);
        let bars = Style::Bars { width: 1.0 };
        let of_bars = |count: usize| arranged(&groups[..count], bars).panels;
        assert_eq!((of_bars(3).len(), of_bars(4).len()), (0, 4));
        assert_eq!(of_bars(4)[1], "force_field = \"number1\" (mean of 4)");
    }

    #[test]
    fn more_points_than_panels_are_said_to_be_left_out() {
        let groups: Vec<Group> =
            (0..80).map(|number| group(&[("name", format!("\"a{number}\""))])).collect();
        let figure = arranged(&groups, Style::Line);
        assert_eq!(figure.panels.len(), MOST_PANELS);
        assert!(
            figure.series.iter().all(|series| series.panel.is_none_or(|panel| panel < MOST_PANELS))
        );
        assert_eq!(figure.notes, ["The first 60 of 80 points are drawn."]);
    }

    #[test]
    fn one_point_stays_as_it_is() {
        let groups = [group(&[("pull.speed", "1 um/s".to_string())])];
        assert_eq!(arranged(&groups, Style::Line), figure(&groups, Style::Line));
    }
}
