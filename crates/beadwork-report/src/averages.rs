//! Averages over the second half of a stage: for runs without a spring, and for stages that a person asks for.

use beadwork_analysis::average::Average;
use beadwork_analysis::drift::drift;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::statistics::{mean, standard_deviation, standard_error};
use beadwork_model::Units;
use beadwork_model::observables::Observable;
use beadwork_session::Error;

use crate::data::{self, Code, Value};
use crate::lower_bounds::LowerBounds;
use crate::notes;
use crate::rows::{LeftOut, MemberRows, PointMembers};
use crate::words::symbol;

/// The columns that are averaged.
const AVERAGED: [Observable; 6] = [
    Observable::Extension,
    Observable::TotalEnergy,
    Observable::PotentialEnergy,
    Observable::NativeContacts,
    Observable::RadiusOfGyration,
    Observable::Temperature,
];

/// Of runs in equilibrium, fewer than this part are said to drift.
const RARE: f64 = 1e-3;

/// Averages of one group over the second half of a stage, the last by default.
#[derive(Clone, Debug, Default)]
pub(crate) struct Averages {
    about: data::Group,
    /// The rows that are averaged, in words.
    basis: String,
    /// The stage in sentences.
    stage: String,
    /// For each column of [`AVERAGED`], one value for each member with rows.
    means: [Vec<f64>; 6],
    /// The rows of the first members, which give the error where members are few.
    series: [Vec<Vec<f64>>; 6],
    /// For each member with two rows or more, the means of the first and of the second half of its rows.
    halves: [Vec<[f64; 2]>; 6],
    /// What the column of temperatures reads in equilibrium, in words.
    temperature: Option<String>,
    /// Whether a drive of the stage moves, so that nothing stays as it is.
    is_driven: bool,
    left_out: [LeftOut; 6],
}

/// The rows of one member: for each column of [`AVERAGED`] its values, and the number of rows left out.
pub(crate) type OfMember = [(Vec<f64>, usize); 6];

pub(crate) fn columns() -> impl Iterator<Item = &'static str> {
    AVERAGED.iter().map(|column| column.column()).chain(["step"])
}

/// The rows of one member.
pub(crate) fn of_member(rows: &MemberRows, stage: usize) -> Result<OfMember, Error> {
    let steps = rows.table.counts("step")?;
    // The start is not a sample.
    let after_start: Vec<usize> =
        rows.of_stage(Some(stage)).filter(|&row| steps[row] > 0).collect();
    let half = &after_start[after_start.len() / 2..];
    let mut found = OfMember::default();
    for (found, observable) in found.iter_mut().zip(AVERAGED) {
        if rows.table.has(observable.column()) {
            let values = rows.table.numbers(observable.column())?;
            let known = half.iter().map(|&row| values[row]).filter(|value| value.is_finite());
            let known: Vec<f64> = known.collect();
            let left_out = half.len() - known.len();
            *found = (known, left_out);
        }
    }
    Ok(found)
}

impl Averages {
    /// Averages without members.
    pub fn new(of_point: &PointMembers<'_>) -> Averages {
        let stage = of_point.point.protocol.stages.get(of_point.averaged_stage());
        Averages {
            about: of_point.about(),
            basis: format!("second half of {}", of_point.basis()),
            stage: of_point.stage_in_words(),
            temperature: notes::of_temperature(of_point.point),
            is_driven: stage
                .is_some_and(|stage| stage.externals.iter().any(|external| external.moves())),
            ..Averages::default()
        }
    }

    /// Adds the result of [`of_member`].
    pub fn add(&mut self, averages: OfMember) {
        for (number, (values, left_out)) in averages.into_iter().enumerate() {
            self.left_out[number].add(left_out);
            self.means[number].extend(mean(&values));
            let (first, second) = values.split_at(values.len() / 2);
            let halves = mean(first).zip(mean(second));
            self.halves[number].extend(halves.map(|(first, second)| [first, second]));
            if !values.is_empty() && self.series[number].len() < LEAST_BLOCKS {
                self.series[number].push(values);
            }
        }
    }

    /// The group without values.
    pub fn about(&self) -> &data::Group {
        &self.about
    }

    /// The number of members, if all of them failed.
    pub fn all_failed(&self) -> Option<usize> {
        (self.about.failed == self.about.replicas).then_some(self.about.replicas)
    }

    /// Adds the averages to an answer.
    pub fn describe(&self, group: &mut data::Group) {
        if self.means.iter().all(Vec::is_empty) {
            let why = match self.all_failed() {
                Some(all) => format!("all {all} replica(s) failed before {} had rows", self.stage),
                None => format!("none of {} replica(s) has rows of {}", group.replicas, self.stage),
            };
            group.find(Code::NoValues, format!("no averages, since {why}"));
            return;
        }
        let mut short = LowerBounds::default();
        for (number, observable) in AVERAGED.into_iter().enumerate() {
            let Some(value) = self.value(number, observable, &mut short) else { continue };
            group.values.push(value);
        }
        group.findings.extend(short.findings(&format!("the {}", self.basis)));
        if let Some(text) = self.drift() {
            group.find(Code::Drift, text);
        }
        for (left_out, observable) in self.left_out.iter().zip(AVERAGED) {
            if let Some(note) = left_out.note(observable.column()) {
                group.find(Code::LeftOut, note);
            }
        }
    }

    /// A sentence if values still change within the rows that are averaged, by more than chance explains.
    fn drift(&self) -> Option<String> {
        let drifts = |number: &usize| {
            // Eight members or more are independent; each is its two means. Fewer are judged by how they vary in time.
            let found = match self.halves[*number].len() >= LEAST_BLOCKS {
                true => drift(
                    &self.halves[*number].iter().map(<[f64; 2]>::as_slice).collect::<Vec<_>>(),
                    None,
                ),
                false => {
                    drift(&self.series[*number].iter().map(Vec::as_slice).collect::<Vec<_>>(), None)
                }
            };
            found.is_some_and(|drift| drift.probability() < RARE / AVERAGED.len() as f64)
        };
        let drifting = (0..AVERAGED.len()).filter(drifts);
        let names: Vec<String> =
            drifting.map(|number| AVERAGED[number].in_words(Units::Reduced)).collect();
        (!self.is_driven && !names.is_empty()).then(|| {
            format!(
                "{} still change(s) within the {} by more than chance explains: make the stage longer, or put a longer one before it",
                names.join(", "),
                self.basis
            )
        })
    }

    /// The mean of a column. Eight members or more are the independent values; fewer give the error by how they vary in time.
    fn value(
        &self,
        number: usize,
        observable: Observable,
        short: &mut LowerBounds,
    ) -> Option<Value> {
        let words = observable.in_words(Units::Reduced);
        let means = &self.means[number];
        let value = Value::new(observable.word(), &words, symbol(observable.unit()), mean(means)?);
        let replicas = |basis: &str| match means.len() {
            1 => format!("one replica; {basis}"),
            count => format!("{count} replicas; {basis}"),
        };
        let basis = match (&self.temperature, observable) {
            (Some(read), Observable::Temperature) => {
                format!("{}; steps drift, so tables read about {read}", self.basis)
            }
            _ => self.basis.clone(),
        };
        let value = value.from(replicas(&basis));
        if means.len() >= LEAST_BLOCKS {
            let deviation = standard_deviation(means);
            let independent_values = Some(means.len() as f64);
            let value = Value { deviation, independent_values, ..value };
            return Some(value.with_error(standard_error(means)));
        }
        let average = Average::of(&self.series[number])?;
        short.add(&average, words);
        Some(value.with_average(&average))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members whose extension is higher by `rise` in the second half, beside a wave that differs from member to member.
    fn averages(members: usize, rise: f64, is_driven: bool) -> Averages {
        let mut found = Averages { is_driven, ..Averages::default() };
        for member in 0..members {
            let value = |row: usize| {
                let wave = ((7 * row + 3 * member) as f64).sin();
                if row < 200 { wave } else { rise + wave }
            };
            let mut of_member = OfMember::default();
            of_member[0] = ((0..400).map(value).collect(), 0);
            found.add(of_member);
        }
        found
    }

    /// Ten members are independent values; three are judged by how they vary in time.
    #[test]
    fn drifts_are_found_unless_a_stage_is_driven() {
        for members in [10, 3] {
            let drift = averages(members, 1.0, false).drift().unwrap();
            assert!(drift.starts_with("extension still change(s)"), "{drift}");
            assert_eq!(averages(members, 0.0, false).drift(), None);
            assert_eq!(averages(members, 1.0, true).drift(), None);
        }
    }
}
