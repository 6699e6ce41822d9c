//! Runs of proteins with a bead for each residue: averages with errors, the scaling exponent, contacts.

mod conformations;
mod drawing;

use std::fmt::Write as _;

use beadwork_analysis::autocorrelation::integrated_time;
use beadwork_analysis::conformations::{InternalDistances, LEAST_SEPARATION, Scaling};
use beadwork_analysis::drift::drift;
use beadwork_analysis::jackknife::Estimate;
use beadwork_analysis::statistics::{mean, standard_deviation};
use beadwork_io::table::quoted;
use beadwork_model::observables::Observable;
use beadwork_session::Error;

use crate::rows::{PointMembers, Rows};
use crate::words::{decimals, head};
use conformations::Conformations;
pub(crate) use drawing::figures;

/// The columns that are averaged, with their names in words.
const AVERAGED: [(Observable, &str); 6] = [
    (Observable::RadiusOfGyrationByMass, "radius of gyration by mass / nm"),
    (Observable::RadiusOfGyration, "radius of gyration / nm"),
    (Observable::EndToEnd, "end-to-end distance / nm"),
    (Observable::PotentialEnergy, "potential energy / (kcal/mol)"),
    (Observable::TotalEnergy, "energy / (kcal/mol)"),
    (Observable::Temperature, "temperature / K"),
];
const TIME: &str = "time_ns";
/// A drift that chance alone would show less often than this is reported.
const RARE: f64 = 1e-3;

/// The replicas of a point.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    name: String,
    replicas: usize,
    failed: usize,
    /// One for each of [`AVERAGED`]; empty if tables lack the column.
    columns: Vec<Column>,
    /// Time, ns, and radius of gyration by mass of each replica, over the whole run.
    traces: Vec<Vec<(f64, f64)>>,
    /// The time at which the last stage began, ns, as its rows show.
    began: Option<f64>,
    conformations: Option<Conformations>,
    notes: Vec<String>,
}

/// A column over the last stage.
#[derive(Clone, Debug, Default)]
struct Column {
    /// The values of each replica.
    series: Vec<Vec<f64>>,
}

/// The mean of correlated values.
#[derive(Clone, Copy, Debug)]
struct Average {
    mean: f64,
    error: Option<f64>,
    /// As many independent values would have the same error.
    independent: f64,
    /// Whether the series are long enough for their autocorrelation time; otherwise the error is a lower bound.
    is_known: bool,
}

impl Column {
    /// The mean with its standard error from the autocorrelation time of all series (Madras and Sokal, J. Stat. Phys. 50,
    /// 109, 1988).
    fn average(&self) -> Option<Average> {
        let all: Vec<f64> = self.series.concat();
        let centre = mean(&all)?;
        let count = all.len() as f64;
        let time = integrated_time(&self.series);
        let independent = time.map_or(count, |time| count / time.inefficiency());
        let spread = standard_deviation(&all);
        Some(Average {
            mean: centre,
            error: spread.filter(|_| time.is_some()).map(|spread| spread / independent.sqrt()),
            independent,
            is_known: time.is_none_or(|time| time.long_enough),
        })
    }

    /// Whether the second half of the series differs from the first by more than chance explains.
    fn drifts(&self) -> bool {
        let series: Vec<&[f64]> = self.series.iter().map(Vec::as_slice).collect();
        drift(&series, None).is_some_and(|drift| drift.probability() < RARE)
    }
}

impl Group {
    /// Reads the tables of a point, and its frames if it has some.
    pub fn read(of_point: &PointMembers<'_>) -> Result<Group, Error> {
        let point = of_point.point;
        let mut found = Group {
            name: of_point.name.clone(),
            replicas: 0,
            failed: 0,
            columns: vec![Column::default(); AVERAGED.len()],
            traces: Vec::new(),
            began: None,
            conformations: None,
            notes: Vec::new(),
        };
        let names: Vec<&str> =
            AVERAGED.iter().map(|(column, _)| column.column()).chain(["step", TIME]).collect();
        let last = point.protocol.stages.len().saturating_sub(1);
        let of_member = |_: &crate::rows::Member<'_>, rows: Rows| {
            let steps = rows.table.counts("step")?;
            let sampled: Vec<usize> =
                rows.of_stage(Some(last)).filter(|&row| steps[row] > 0).collect();
            let values = |column: &Observable| -> Result<Vec<f64>, Error> {
                let name = column.column();
                if !rows.table.has(name) {
                    return Ok(Vec::new());
                }
                let numbers = rows.table.numbers(name)?;
                let of_rows = sampled.iter().map(|&row| numbers[row]);
                Ok(of_rows.filter(|value| value.is_finite()).collect())
            };
            let columns: Result<Vec<_>, Error> =
                AVERAGED.iter().map(|(column, _)| values(column)).collect();
            let times = rows.table.numbers(TIME)?;
            let sizes = rows.table.numbers(AVERAGED[0].0.column())?;
            let began = sampled.first().map(|&row| times[row]);
            let trace: Vec<(f64, f64)> = times.into_iter().zip(sizes).collect();
            Ok((columns?, trace, began))
        };
        of_point.read(&names, of_member, |member, (columns, trace, began)| {
            found.replicas += 1;
            found.failed += usize::from(member.failed);
            found.traces.push(trace);
            found.began = found.began.or(began);
            for (all, values) in found.columns.iter_mut().zip(columns) {
                all.series.extend(Some(values).filter(|values| !values.is_empty()));
            }
            Ok(())
        })?;
        (found.conformations, found.notes) = conformations::read(of_point, last)?;
        Ok(found)
    }

    /// ν and R₀ of the chain with their errors, by leaving out each block of frames in turn.
    fn scaling(&self) -> Option<(Estimate, Estimate)> {
        let blocks = &self.conformations.as_ref()?.blocks;
        let all = conformations::merged(blocks.iter())?.scaling()?;
        let without = |left_out: usize| {
            let others = blocks.iter().enumerate().filter(|(block, _)| *block != left_out);
            conformations::merged(others.map(|(_, block)| block))?.scaling()
        };
        let others: Vec<Scaling> = (0..blocks.len()).filter_map(without).collect();
        if blocks.len() < 2 || others.len() < blocks.len() {
            let alone = |value: f64| Estimate { value, error: None, freedom: 0.0 };
            return Some((alone(all.exponent), alone(all.prefactor)));
        }
        let estimate = |value: f64, of: fn(&Scaling) -> f64| {
            Estimate::jackknife(value, &others.iter().map(of).collect::<Vec<f64>>())
        };
        Some((
            estimate(all.exponent, |scaling| scaling.exponent),
            estimate(all.prefactor, |scaling| scaling.prefactor),
        ))
    }

    /// A paragraph.
    fn in_words(&self) -> String {
        let head = head(&self.name);
        if self.columns.iter().all(|column| column.series.is_empty()) {
            let why = match self.failed == self.replicas {
                true => format!(
                    "all {} replica(s) failed before the last stage had rows",
                    self.replicas
                ),
                false => format!("none of {} replica(s) has rows of the last stage", self.replicas),
            };
            return format!("{head}no averages, since {why}\n");
        }
        let mut text =
            if self.name.is_empty() { String::new() } else { format!("{}:\n", self.name) };
        let mut short = Vec::new();
        for ((_, name), column) in AVERAGED.iter().zip(&self.columns) {
            let Some(average) = column.average() else { continue };
            let Average { mean, error, independent, is_known } = average;
            let _ = match error {
                Some(error) => {
                    let decimals = decimals(error);
                    writeln!(
                        text,
                        "{name}: {mean:.decimals$} ± {error:.decimals$} (standard error of about {independent:.0} independent values)"
                    )
                }
                None => writeln!(text, "{name}: {mean:.4}"),
            };
            if !is_known {
                short.push(name.split(" / ").next().unwrap_or_default());
            }
        }
        if let Some((exponent, prefactor)) = self.scaling() {
            let number = |estimate: Estimate| match estimate.error {
                Some(error) => {
                    let decimals = decimals(error);
                    format!("{:.decimals$} ± {error:.decimals$}", estimate.value)
                }
                None => format!("{:.3}", estimate.value),
            };
            let _ = writeln!(
                text,
                "scaling exponent: {}, prefactor {} nm (root mean square distances of residues at least {LEAST_SEPARATION} bonds apart)",
                number(exponent),
                number(prefactor)
            );
        }
        if !short.is_empty() {
            let _ = writeln!(
                text,
                "note: {head}the last stage is shorter than 100 autocorrelation times of {}: errors may be larger; make it longer, or add replicas",
                short.join(", ")
            );
        }
        let drifting = AVERAGED.iter().zip(&self.columns).filter(|(_, column)| column.drifts());
        let drifting: Vec<&str> =
            drifting.map(|((_, name), _)| name.split(" / ").next().unwrap_or_default()).collect();
        if !drifting.is_empty() {
            let _ = writeln!(
                text,
                "note: {head}the second half of the last stage differs from the first by more than chance explains in {}: make the stages before it longer",
                drifting.join(", ")
            );
        }
        for note in &self.notes {
            let _ = writeln!(text, "note: {head}{note}");
        }
        text
    }
}

/// The answer in words.
pub(crate) fn in_words(groups: &[Group]) -> String {
    groups.iter().map(Group::in_words).collect()
}

/// `averages.csv`, a line for each group and column, and `distances.csv`, a line for each separation along the chain.
pub(crate) fn tables(groups: &[Group]) -> Vec<(&'static str, String)> {
    if groups.is_empty() {
        return Vec::new();
    }
    let mut averages = String::from("group,quantity,mean,standard_error,independent_values\n");
    let mut distances = String::from("group,separation,distance_nm\n");
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for group in groups {
        let name = quoted(&group.name);
        for ((column, _), values) in AVERAGED.iter().zip(&group.columns) {
            let Some(average) = values.average() else { continue };
            let Average { mean, error, independent, .. } = average;
            let column = column.column();
            let _ = writeln!(averages, "{name},{column},{mean},{},{independent}", number(error));
        }
        if let Some((exponent, prefactor)) = group.scaling() {
            for (what, estimate) in
                [("scaling_exponent", exponent), ("scaling_prefactor_nm", prefactor)]
            {
                let Estimate { value, error, .. } = estimate;
                let _ = writeln!(averages, "{name},{what},{value},{},", number(error));
            }
        }
        for (separation, distance) in group.distances() {
            let _ = writeln!(distances, "{name},{separation},{distance}");
        }
    }
    vec![("averages.csv", averages), ("distances.csv", distances)]
}

impl Group {
    /// Separations along the chain and root mean square distances, nm; empty without frames.
    fn distances(&self) -> Vec<(f64, f64)> {
        let blocks = self.conformations.iter().flat_map(|found| &found.blocks);
        conformations::merged(blocks)
            .map_or_else(Vec::new, |all: InternalDistances| all.root_mean_squares())
    }
}
