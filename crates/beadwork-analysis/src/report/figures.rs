//! The standard figures of a pulling run.

use super::{
    GroupSummary, MemberData, group_summaries, grouped, interval_ns, time_unit, window_in_words,
};
use crate::plot::{Axis, Colour, Emphasis, Figure, Legend, Mark, Series, Style, thin};
use crate::statistics::{Histogram, automatic_width, running_average};

/// Beyond this multiple of the largest unfolding force the axis of the force ends, so that the taut
/// chain does not dwarf the unfolding.
const HEADROOM: f64 = 2.0;
/// More groups than this share a histogram as outlines instead of bars.
const MOST_GROUPS_WITH_BARS: usize = 3;
/// A line keeps this many points, so that a thousand replicas fit into memory.
const MOST_POINTS: usize = 2_000;
/// Notes name the numbers of this many groups at most.
const MOST_GROUPS_IN_NOTES: usize = 8;

/// The standard figures, each with the stem of its file name: `force-extension`, `force-time`,
/// `unfolding-forces`, `extension-time`, `temperature-time`, `contacts-time`.
///
/// Forces, extensions, temperatures and contacts are running averages over the window of each
/// member's criteria. Each group has one colour. Thin lines are members; the bold line is the member with
/// the median unfolding force (forces) or the mean of the members (extension, temperature and
/// contacts).
pub fn pulling_figures(members: &[MemberData]) -> Vec<(String, Figure)> {
    let groups: Vec<Group> = grouped(members)
        .into_iter()
        .zip(0..)
        .map(|((name, members), number)| Group { name, members, colour: Colour::Palette(number) })
        .collect();
    vec![
        ("force-extension".to_owned(), force_extension(&groups)),
        ("force-time".to_owned(), force_time(&groups)),
        ("unfolding-forces".to_owned(), unfolding_forces(members)),
        ("extension-time".to_owned(), extension_time(&groups)),
        ("temperature-time".to_owned(), temperature_time(&groups)),
        ("contacts-time".to_owned(), contacts_time(&groups)),
    ]
}

struct Group<'a> {
    name: &'a str,
    members: Vec<&'a MemberData>,
    colour: Colour,
}

impl Group<'_> {
    /// The member with the median unfolding force, else the middle one.
    fn representative(&self) -> usize {
        let mut unfolded: Vec<(f64, usize)> = self
            .members
            .iter()
            .zip(0..)
            .filter_map(|(member, place)| Some((member.unfolding.rupture?.force_pn, place)))
            .collect();
        unfolded.sort_by(|one, other| one.0.total_cmp(&other.0));
        let middle = unfolded.len().saturating_sub(1) / 2;
        unfolded.get(middle).map_or(self.members.len() / 2, |member| member.1)
    }

    /// What the bold line is: `2.5 µm/s (median of 16)`.
    fn legend(&self, kind: &str) -> String {
        match (self.name, self.members.len()) {
            ("", 1) => self.members[0].label.clone(),
            (name, 1) => name.to_owned(),
            ("", count) => format!("{kind} of {count}"),
            (name, count) => format!("{name} ({kind} of {count})"),
        }
    }
}

type Points = Vec<(f64, f64)>;

fn points(x: impl IntoIterator<Item = f64>, y: impl IntoIterator<Item = f64>) -> Points {
    x.into_iter().zip(y).collect()
}

/// All thin lines, then all bold ones, so that no group hides another's bold line.
fn layered(
    groups: &[Group],
    lines: &[Vec<Points>],
    bold: impl Fn(usize) -> (String, Points),
) -> Vec<Series> {
    let mut series = Vec::new();
    for (group, lines) in groups.iter().zip(lines).filter(|group| group.0.members.len() > 1) {
        series.extend(lines.iter().map(|points| Series {
            points: points.clone(),
            colour: group.colour,
            emphasis: Emphasis::Faint,
            ..Series::default()
        }));
    }
    for (place, group) in groups.iter().enumerate() {
        let (label, points) = bold(place);
        let emphasis = match group.members.len() {
            1 => Emphasis::Normal,
            _ => Emphasis::Strong,
        };
        if !points.is_empty() {
            series.push(Series {
                label,
                points,
                colour: group.colour,
                emphasis,
                ..Series::default()
            });
        }
    }
    series
}

/// Lines of all members with the representative in bold, and a disc at each unfolding force.
fn force_figure(
    groups: &[Group],
    title: &str,
    x: Axis,
    line: impl Fn(&MemberData) -> Points,
    peak: impl Fn(&crate::unfolding::Peak) -> f64,
) -> Figure {
    let lines: Vec<Vec<Points>> = groups
        .iter()
        .map(|group| group.members.iter().map(|member| thin(&line(member), MOST_POINTS)).collect())
        .collect();
    let mut series = layered(groups, &lines, |place| {
        let group = &groups[place];
        let representative = group.representative();
        let unfolded = group.members.iter().any(|member| member.unfolding.rupture.is_some());
        let kind = if unfolded { "median" } else { "one" };
        (group.legend(kind), lines[place].get(representative).cloned().unwrap_or_default())
    });
    let mut ruptures = 0;
    let mut largest = 0.0f64;
    for group in groups {
        let points: Points = group
            .members
            .iter()
            .filter_map(|member| member.unfolding.rupture.as_ref())
            .map(|rupture| (peak(rupture), rupture.force_pn))
            .collect();
        ruptures += points.len();
        largest = points.iter().map(|point| point.1).fold(largest, f64::max);
        series.push(Series {
            points,
            colour: group.colour,
            style: Style::Points,
            ..Series::default()
        });
    }

    let forces =
        || lines.iter().flatten().flatten().map(|point| point.1).filter(|force| force.is_finite());
    let (least, greatest) = (forces().fold(0.0, f64::min), forces().fold(0.0, f64::max));
    let mut y = Axis::new("force / pN");
    let bold = if ruptures > 0 { "the one with the median unfolding force" } else { "one of them" };
    let mut notes = vec![curves_in_words(groups, bold)];
    if ruptures > 0 {
        notes.push(
            "Discs: unfolding forces, the highest values before the largest fall.".to_owned(),
        );
    }
    if largest > 0.0 && greatest > 1.5 * HEADROOM * largest {
        y.range = Some((1.05 * least, HEADROOM * largest));
        notes.push(format!("The taut chain reaches {greatest:.0} pN, beyond the axis."));
    }
    Figure { title: title.to_owned(), x, y, series, notes, ..Figure::default() }
}

fn force_extension(groups: &[Group]) -> Figure {
    let mut figure = force_figure(
        groups,
        "Force and extension",
        Axis::new("extension / nm"),
        |member| {
            let average = |values| running_average(values, member.criteria.window_points);
            points(average(&member.curve.extension_nm), average(&member.curve.force_pn))
        },
        |peak| peak.extension_nm,
    );
    // One mark for all, so only where all have the same chain.
    let mut limits = groups
        .iter()
        .flat_map(|group| &group.members)
        .map(|member| member.criteria.taut_extension_nm);
    let limit = limits.next().flatten().filter(|limit| limits.all(|other| other == Some(*limit)));
    if let Some(x) = limit {
        let mut points = figure.series.iter().flat_map(|series| &series.points);
        if points.any(|point| point.0 >= x) {
            figure.marks.push(Mark { x, label: "taut from here".to_owned(), ..Mark::default() });
        }
    }
    figure
}

fn force_time(groups: &[Group]) -> Figure {
    let (unit, size) = shared_unit(groups, |member| &member.curve.time_ns);
    force_figure(
        groups,
        "Force and time",
        Axis::new(format!("time / {unit}")),
        |member| {
            let window = member.criteria.window_points;
            let times = member.curve.time_ns.iter().skip(window / 2).map(|time| time / size);
            points(times, running_average(&member.curve.force_pn, window))
        },
        |peak| peak.time_ns / size,
    )
}

/// Lines of all members with their mean in bold, against time.
fn mean_figure(
    groups: &[Group],
    (title, label): (&str, &str),
    quantity: impl Fn(&MemberData) -> (&[f64], &[f64]),
) -> Figure {
    let (unit, size) = shared_unit(groups, |member| quantity(member).0);
    let mut means = Vec::new();
    let mut lines = Vec::new();
    for group in groups {
        let mut mean = MeanLine::default();
        let mut thinned = Vec::new();
        for member in &group.members {
            let (time_ns, values) = quantity(member);
            // The window is a time: this table may have more or fewer samples than the force.
            let ratio = match (interval_ns(&member.curve.time_ns), interval_ns(time_ns)) {
                (Some(force), Some(own)) => force / own,
                _ => 1.0,
            };
            let window = (member.criteria.window_points as f64 * ratio).round() as usize;
            let times = time_ns.iter().skip(window / 2).map(|time| time / size);
            let line = points(times, running_average(values, window));
            mean.add(&line);
            thinned.push(thin(&line, MOST_POINTS));
        }
        means.push(mean.points());
        lines.push(thinned);
    }
    let series =
        layered(groups, &lines, |place| (groups[place].legend("mean"), means[place].clone()));
    Figure {
        title: title.to_owned(),
        x: Axis::new(format!("time / {unit}")),
        y: Axis::new(label),
        series,
        notes: vec![curves_in_words(groups, "their mean while at least half of them go on")],
        ..Figure::default()
    }
}

fn extension_time(groups: &[Group]) -> Figure {
    let words = ("Extension and time", "extension / nm");
    mean_figure(groups, words, |member| (&member.curve.time_ns, &member.curve.extension_nm))
}

fn temperature_time(groups: &[Group]) -> Figure {
    let words = ("Temperature and time", "temperature / K");
    mean_figure(groups, words, |member| (&member.temperature_time_ns, &member.temperature_k))
}

fn contacts_time(groups: &[Group]) -> Figure {
    let words = ("Native contacts and time", "native contacts");
    mean_figure(groups, words, |member| (&member.curve.time_ns, &member.curve.contacts))
}

/// The mean of lines sampled at the same x, as far as at least half of the lines go.
#[derive(Default)]
struct MeanLine {
    lines: usize,
    x: Vec<f64>,
    sums: Vec<(f64, usize)>,
}

impl MeanLine {
    fn add(&mut self, line: &[(f64, f64)]) {
        self.lines += 1;
        self.x.extend(line.iter().skip(self.x.len()).map(|point| point.0));
        self.sums.resize(self.x.len(), (0.0, 0));
        for (sum, (_, value)) in self.sums.iter_mut().zip(line) {
            if value.is_finite() {
                *sum = (sum.0 + value, sum.1 + 1);
            }
        }
    }

    fn points(&self) -> Points {
        self.x
            .iter()
            .zip(&self.sums)
            .take_while(|(_, (_, count))| *count > 0 && 2 * count >= self.lines)
            .map(|(&x, &(sum, count))| (x, sum / count as f64))
            .collect()
    }
}

fn unfolding_forces(members: &[MemberData]) -> Figure {
    let summaries = group_summaries(members);
    let width = summaries
        .iter()
        .filter_map(|summary| automatic_width(&summary.forces_pn))
        .reduce(f64::min)
        .map_or(5.0, round_width);
    let mut figure = Figure {
        title: "Unfolding forces".to_owned(),
        x: Axis::new("unfolding force / pN"),
        y: Axis { whole_numbers: true, ..Axis::new("number of replicas") },
        ..Figure::default()
    };
    for (summary, number) in summaries.iter().zip(0..) {
        // A spread too large for the width leaves the group out of the figure, not out of the notes.
        let Ok(Histogram { edges, counts }) =
            Histogram::with_bin_width(&summary.forces_pn, width, 0.0)
        else {
            continue;
        };
        let colour = Colour::Palette(number);
        let counts = counts.iter().map(|&count| count as f64);
        let label = match summary.group.as_str() {
            "" => format!("n = {}", summary.forces_pn.len()),
            group => format!("{group}, n = {}", summary.forces_pn.len()),
        };
        let series = if summaries.len() <= MOST_GROUPS_WITH_BARS {
            let centres = edges.iter().map(|edge| edge + 0.5 * width);
            Series {
                points: points(centres, counts),
                style: Style::Bars { width },
                ..Series::default()
            }
        } else {
            let closed = std::iter::once(0.0).chain(counts).chain([0.0]);
            let start = edges.first().copied();
            let points = points(start.into_iter().chain(edges), closed);
            Series { points, style: Style::Steps, emphasis: Emphasis::Strong, ..Series::default() }
        };
        figure.series.push(Series { label, colour, ..series });
        if let Some(x) = summary.mean_pn {
            let label =
                match (summary.standard_deviation_pn, summaries.len() <= MOST_GROUPS_WITH_BARS) {
                    (_, false) => String::new(),
                    (Some(deviation), _) => format!("mean {x:.1} ± {deviation:.1} pN"),
                    (None, _) => format!("{x:.1} pN"),
                };
            figure.marks.push(Mark { x, label, colour });
        }
    }
    figure.notes = histogram_notes(&summaries);
    if summaries.iter().any(|summary| !summary.forces_pn.is_empty()) {
        figure.notes.push(format!("Bins of {width} pN. Dashed: mean."));
    }
    if summaries.len() > MOST_GROUPS_WITH_BARS {
        figure.legend = Legend::Outside;
    }
    figure
}

/// The summary of one group in full, of several in a line each.
fn histogram_notes(summaries: &[GroupSummary]) -> Vec<String> {
    if let [only] = summaries {
        let separator = if only.group.is_empty() { "" } else { ": " };
        return vec![capitalised(&format!("{}{separator}{only}.", only.group))];
    }
    let mut notes: Vec<String> = summaries
        .iter()
        .take(MOST_GROUPS_IN_NOTES)
        .map(|summary| {
            let GroupSummary { group, members, forces_pn, window, .. } = summary;
            let value =
                match (summary.mean_pn, summary.standard_deviation_pn, summary.standard_error_pn) {
                    (Some(mean), Some(deviation), Some(error)) => {
                        format!("{mean:.1} ± {deviation:.1} pN, standard error {error:.1}, ")
                    }
                    (Some(mean), ..) => format!("{mean:.1} pN, "),
                    _ => String::new(),
                };
            format!("{group}: {value}{} of {members} unfolded, {window}.", forces_pn.len())
        })
        .collect();
    if summaries.len() > MOST_GROUPS_IN_NOTES {
        notes.push(format!("And {} groups more.", summaries.len() - MOST_GROUPS_IN_NOTES));
    }
    if !summaries.is_empty() {
        notes.push("Numbers are mean ± standard deviation.".to_owned());
    }
    notes
}

/// The width rounded to the nearest of 1, 2 and 5 times a power of ten.
fn round_width(width: f64) -> f64 {
    let power = 10f64.powf(width.log10().floor());
    let mantissa = match width / power {
        rest if rest < 1.5 => 1.0,
        rest if rest < 3.5 => 2.0,
        rest if rest < 7.5 => 5.0,
        _ => 10.0,
    };
    mantissa * power
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next();
    first.into_iter().flat_map(char::to_uppercase).chain(characters).collect()
}

fn curves_in_words(groups: &[Group], bold: &str) -> String {
    let members = groups.iter().map(|group| group.members.len()).sum::<usize>();
    let windows: Vec<String> = groups.iter().map(|group| window_in_words(&group.members)).collect();
    let averaged = groups
        .iter()
        .flat_map(|group| &group.members)
        .any(|member| member.criteria.window_points > 1);
    let average = match windows.as_slice() {
        _ if !averaged => "No running average".to_owned(),
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            format!("Running average, {first}")
        }
        _ => {
            let each: Vec<String> = groups
                .iter()
                .zip(&windows)
                .take(MOST_GROUPS_IN_NOTES)
                .map(|(group, window)| format!("{}: {window}", group.name))
                .collect();
            format!("Running averages, {}", each.join("; "))
        }
    };
    match members > groups.len() {
        true => format!("Thin: single replicas; bold: {bold}. {average}."),
        false => format!("{average}."),
    }
}

/// The unit in which the longest time of all members is a handy number.
fn shared_unit<'a>(
    groups: &[Group<'a>],
    time_ns: impl Fn(&'a MemberData) -> &'a [f64],
) -> (&'static str, f64) {
    let longest = groups
        .iter()
        .flat_map(|group| group.members.iter())
        .flat_map(|member| time_ns(member))
        .copied()
        .filter(|time| time.is_finite())
        .fold(0.0, f64::max);
    time_unit(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_line(lines: &[Points]) -> Points {
        let mut mean = MeanLine::default();
        lines.iter().for_each(|line| mean.add(line));
        mean.points()
    }

    #[test]
    fn the_mean_goes_on_while_half_of_the_lines_do() {
        let lines = [
            vec![(0.0, 1.0), (1.0, 3.0)],
            vec![(0.0, 3.0), (1.0, 5.0), (2.0, 5.0)],
            vec![(0.0, f64::NAN), (1.0, 4.0), (2.0, 7.0)],
            vec![(0.0, 5.0)],
        ];
        assert_eq!(mean_line(&lines), [(0.0, 3.0), (1.0, 4.0), (2.0, 6.0)]);
        assert_eq!(mean_line(&lines[2..]), [(0.0, 5.0), (1.0, 4.0), (2.0, 7.0)]);
        assert_eq!(
            mean_line(&[vec![(0.0, 1.0)], lines[3].clone(), lines[1].clone()]),
            [(0.0, 3.0)]
        );
        assert!(mean_line(&[]).is_empty());
    }

    #[test]
    fn widths_are_round() {
        assert_eq!([0.7, 1.4, 3.0, 3.6, 8.0].map(round_width), [0.5, 1.0, 2.0, 5.0, 10.0]);
    }
}
