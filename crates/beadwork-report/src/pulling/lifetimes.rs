//! Lifetimes of a stage that stop rules end, such as a clamp of constant force: how long replicas hold.

use beadwork_analysis::plot::{Axis, Colour, Figure, Series, Style};
use beadwork_analysis::survival::{Lifetime, Survival, mean_lifetime, median_lifetime, survival};
use beadwork_model::{Stage, Units};
use beadwork_session::Error;
use beadwork_session::members_list::{StageTimes, stage_times};

use super::replicas::Points;
use crate::data::{self, Cell, Code, Table, Value};
use crate::rows::{BegunMember, PointMembers};
use crate::words::{FEWEST_VALUES, known_at_best, time_in_words, time_unit};

/// The reason in the list of members for the end of a stage that no rule ended.
const BY_DURATION: &str = "duration";

/// The lifetimes of the replicas of a point, ns.
#[derive(Clone, Debug)]
pub(crate) struct Lifetimes {
    group: String,
    /// The stop rules in words.
    rules: String,
    stage: String,
    /// The time between two looks at the rules, ns.
    interval_ns: f64,
    all: Vec<OfReplica>,
}

/// The lifetime of a replica.
#[derive(Clone, Debug)]
struct OfReplica {
    number: u64,
    lifetime: Lifetime,
    /// The rule that ended it; empty if none did.
    rule: String,
}

/// When a stage of each member of a point began and ended, as its folder lists it.
pub(crate) struct HeldStage<'a> {
    stage: &'a Stage,
    /// By folder and place in it.
    times: Vec<(&'a beadwork_io::RunFolder, Vec<Option<StageTimes>>)>,
}

impl<'a> HeldStage<'a> {
    /// Reads the list of a point; `None` if no rule can end the stage or one before it.
    pub fn read(of_point: &PointMembers<'a>, stage: usize) -> Result<Option<HeldStage<'a>>, Error> {
        let stages = &of_point.point.protocol.stages;
        let Some(own) = stages.get(stage) else { return Ok(None) };
        if stages[..=stage].iter().all(|stage| stage.stops.is_empty()) {
            return Ok(None);
        }
        let before = stage.checked_sub(1).map(|before| stages[before].name.as_str());
        let mut times: Vec<(&beadwork_io::RunFolder, Vec<Option<StageTimes>>)> = Vec::new();
        for member in &of_point.members {
            if !times.iter().any(|(folder, _)| folder.root() == member.folder.root()) {
                let units = of_point.point.system.units;
                let read = stage_times(member.folder, &own.name, before, units)?;
                times.push((member.folder, read));
            }
        }
        Ok(Some(HeldStage { stage: own, times }))
    }

    /// Whether rules can end the stage itself.
    pub fn has_rules(&self) -> bool {
        !self.stage.stops.is_empty()
    }

    fn listed(&self, member: &BegunMember<'_>) -> Option<&StageTimes> {
        let of_folder = self.times.iter().find(|(folder, _)| folder.root() == member.folder.root());
        of_folder.and_then(|(_, times)| times.get(member.place)?.as_ref())
    }

    /// Whether a rule has ended the stage of the member, or, of `all_stages`, whether it has left the last one: a rule may have
    /// ended one before.
    pub fn has_stopped(&self, member: &BegunMember<'_>, all_stages: bool) -> bool {
        self.listed(member).is_some_and(|times| all_stages || self.is_rule(&times.reason))
    }

    /// Whether the stage of the member has ended by its duration.
    pub fn ended_by_duration(&self, member: &BegunMember<'_>) -> bool {
        self.listed(member).is_some_and(|times| times.reason == BY_DURATION)
    }

    fn is_rule(&self, reason: &str) -> bool {
        self.stage.stops.iter().any(|rule| rule.text == reason)
    }

    /// The lifetime of a member whose rows of the stage end at `last_ns` since it began; `None` if it has not reached the stage.
    fn of(&self, member: &BegunMember<'_>, last_ns: Option<f64>) -> Option<OfReplica> {
        let (time, rule) = match self.listed(member) {
            Some(StageTimes { reason, began, ended, .. }) if self.is_rule(reason) => {
                (ended - began, reason.clone())
            }
            Some(StageTimes { began, ended, .. }) => (ended - began, String::new()),
            None => (last_ns?, String::new()),
        };
        let lifetime = Lifetime { time, has_ended: !rule.is_empty() };
        Some(OfReplica { number: member.number, lifetime, rule })
    }
}

impl Lifetimes {
    /// Of a group without replicas.
    pub fn new(of_point: &PointMembers<'_>, listed: &HeldStage<'_>) -> Lifetimes {
        let rules: Vec<&str> = listed.stage.stops.iter().map(|rule| rule.text.as_str()).collect();
        let every = listed.stage.stops.iter().map(|rule| rule.every).max().unwrap_or(0);
        let steps = every as f64;
        Lifetimes {
            group: of_point.name.clone(),
            rules: rules.join(" or "),
            stage: listed.stage.name.clone(),
            interval_ns: Units::Real
                .time_in_tables(steps * of_point.point.protocol.dynamics.timestep),
            all: Vec::new(),
        }
    }

    /// Adds the next replica; see [`HeldStage::of`].
    pub fn add(&mut self, listed: &HeldStage<'_>, member: &BegunMember<'_>, last_ns: Option<f64>) {
        self.all.extend(listed.of(member, last_ns));
    }

    fn lifetimes(&self) -> Vec<Lifetime> {
        self.all.iter().map(|one| one.lifetime).collect()
    }

    fn curve(&self) -> Vec<Survival> {
        survival(&self.lifetimes())
    }

    /// Adds mean and median to an answer, or why there are none.
    pub fn describe(&self, answer: &mut data::Group) {
        let all = self.lifetimes();
        if all.is_empty() {
            return;
        }
        let ended = all.iter().filter(|one| one.has_ended).count();
        let of = format!("{ended} of {} replicas stopped by {}", all.len(), self.rules);
        let Some(mean) = mean_lifetime(&all) else {
            let held: f64 = all.iter().map(|one| one.time).sum();
            // No end in the time T at a constant rate k has the probability exp(−kT).
            let text = format!(
                "no lifetime of stage \"{}\", since {of}; they held for {} together, so at a constant rate of ends it is longer than {} at 95 % confidence",
                self.stage,
                time_in_words(held),
                time_in_words(held / 20_f64.ln())
            );
            answer.find(Code::NotMeasured, text);
            return;
        };
        let basis = match ended == all.len() {
            true => of,
            false => format!(
                "{of}; the others are longer: their time counts, at a constant rate of ends"
            ),
        };
        let value = Value::new("lifetime", "mean lifetime", "ns", mean.value);
        let basis =
            format!("{basis}; rules are looked at every {}", time_in_words(self.interval_ns));
        let value = value.of(format!("stage {}", self.stage)).with_estimate(&mean, 1.0);
        answer.values.push(Value { independent_values: Some(ended as f64), ..value.from(basis) });
        if let Some(median) = median_lifetime(&self.curve()) {
            let value = Value::new("median_lifetime", "median lifetime", "ns", median);
            answer.values.push(value.of(format!("stage {}", self.stage)));
        }
        if ended < FEWEST_VALUES {
            let known = match ended {
                1 => "one end, so its error says little".to_string(),
                _ => {
                    let known = known_at_best(ended);
                    format!("{ended} ends: its error is known to {known} at best")
                }
            };
            let text = format!(
                "the lifetime of stage \"{}\" rests on {known}; add replicas, or make the stage longer",
                self.stage
            );
            answer.find(Code::FewValues, text);
        }
    }
}

/// `lifetimes.csv`, a line for each replica, and `survival.csv`, the share of replicas that hold; none without stop rules. The place
/// of each group stands before it.
pub(crate) fn tables(groups: &[Option<&Lifetimes>]) -> Vec<Table> {
    let mut lifetimes = Table::new("lifetimes.csv", &["replica", "lifetime_ns", "ended", "rule"]);
    let columns = ["time_ns", "replicas_at_risk", "share", "standard_error"];
    let mut curves = Table::new("survival.csv", &columns);
    for (place, group) in groups.iter().enumerate() {
        for OfReplica { number, lifetime, rule } in group.iter().flat_map(|group| &group.all) {
            let ended = if lifetime.has_ended { "yes" } else { "no" };
            let cells = [Cell::from(*number), Cell::from(lifetime.time), Cell::from(ended)];
            lifetimes.push(place, cells.into_iter().chain([Cell::from(rule.as_str())]));
        }
        for point in group.iter().flat_map(|group| group.curve()) {
            let Survival { time, at_risk, share, error } = point;
            let cells = [Cell::from(time), Cell::from(at_risk), Cell::from(share)];
            curves.push(place, cells.into_iter().chain([Cell::from(error)]));
        }
    }
    [lifetimes, curves].into_iter().filter(|table| !table.is_empty()).collect()
}

/// The share of replicas that hold, in time; `None` if no stage ended by a rule.
pub(crate) fn figure(groups: &[Option<&Lifetimes>]) -> Option<(&'static str, Figure)> {
    let longest =
        |group: &Lifetimes| group.all.iter().map(|one| one.lifetime.time).fold(0.0, f64::max);
    let all = || groups.iter().flatten().copied();
    let (unit, size) = time_unit(all().map(longest).fold(0.0, f64::max));
    let mut series = Vec::new();
    for (number, group) in groups.iter().enumerate() {
        let Some(group) = group else { continue };
        let curve = group.curve();
        if curve.is_empty() {
            continue;
        }
        let mut points: Points = vec![(0.0, 1.0)];
        points.extend(curve.iter().map(|point| (point.time / size, point.share)));
        points.extend(curve.last().map(|point| (longest(group) / size, point.share)));
        let bars = curve.iter().flat_map(|point| {
            let x = point.time / size;
            [(x, point.share - point.error), (x, point.share + point.error), (x, f64::NAN)]
        });
        let label = if group.group.is_empty() { "replicas" } else { &group.group };
        let colour = Colour::Palette(number);
        series.push(Series { colour, ..Series::line(String::new(), bars.collect()) });
        series.push(Series { colour, style: Style::Steps, ..Series::line(label, points) });
    }
    let mut stages = all().map(|group| &group.stage);
    let first = stages.next()?;
    let figure = Figure {
        title: match stages.all(|stage| stage == first) {
            true => format!("Replicas that hold in stage \"{first}\""),
            false => "Replicas that hold".to_string(),
        },
        x: Axis::new(format!("time / {unit}")),
        y: Axis { range: Some((0.0, 1.05)), ..Axis::new("share of the replicas") },
        series,
        notes: vec![
            "Kaplan and Meier's curve: replicas that were not stopped by a rule count until then. Bars: ± one standard error."
                .to_string(),
        ],
        ..Figure::default()
    };
    (!figure.series.is_empty()).then_some(("survival", figure))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight replicas held for 4 µs each: 32 µs over ln 20 is 10.7 µs.
    #[test]
    fn without_an_end_there_is_a_bound() {
        let held = Lifetime { time: 4e3, has_ended: false };
        let one = |number| OfReplica { number, lifetime: held, rule: String::new() };
        let lifetimes = Lifetimes {
            group: String::new(),
            rules: "extension > 5 nm".to_string(),
            stage: "hold".to_string(),
            interval_ns: 20.0,
            all: (0..8).map(one).collect(),
        };
        let mut answer = data::Group::default();
        lifetimes.describe(&mut answer);
        let text = answer.findings[0].to_string();
        assert!(answer.values.is_empty() && text.contains("held for 32 µs together"), "{text}");
        assert!(text.contains("longer than 10.7 µs at 95 % confidence"), "{text}");
        for (ends, said) in [
            (1, "rests on one end, so its error says little;"),
            (3, "rests on 3 ends: its error is known to 50 % at best;"),
        ] {
            let mut some = lifetimes.clone();
            some.all.iter_mut().take(ends).for_each(|one| one.lifetime.has_ended = true);
            let mut answer = data::Group::default();
            some.describe(&mut answer);
            assert!(answer.findings[0].text.contains(said), "{answer:?}");
        }
    }
}
