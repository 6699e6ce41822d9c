//! The columns of a point: what the tables of its replicas hold in the stage that is averaged.

use beadwork_analysis::average::Average;
use beadwork_analysis::drift::drift;
use beadwork_input::Point;
use beadwork_model::observables::{MeasuredColumn, Observable};
use beadwork_model::{Model, Units};
use beadwork_session::Error;

use super::in_time::beginning;
use super::spread::{AtTime, Parts, Spread};
use crate::rows::{BegunMember, MemberRows, PointMembers};

/// The columns of residues that are averaged.
const OF_RESIDUES: [Observable; 17] = [
    Observable::RadiusOfGyrationByMass,
    Observable::RadiusOfGyration,
    Observable::EndToEnd,
    Observable::PotentialEnergy,
    Observable::TotalEnergy,
    Observable::Temperature,
    Observable::PressureXx,
    Observable::PressureYy,
    Observable::PressureZz,
    Observable::PressureXy,
    Observable::PressureXz,
    Observable::PressureYz,
    Observable::ConfigurationalTemperature,
    Observable::Curvature,
    Observable::MomentumX,
    Observable::MomentumY,
    Observable::MomentumZ,
];
/// The most replicas of a point that have a line each in figures against time. Of more the median is drawn.
pub(super) const MOST_TRACES: usize = 16;
/// The replicas that have a line beside the median.
pub(super) const TRACES_BESIDE_MEDIAN: usize = 4;
/// The most rows of a line.
const MOST_POINTS: usize = 4_000;
/// A drift that chance alone would show less often than this is reported.
const RARE: f64 = 1e-3;

/// A column.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub measured: MeasuredColumn,
    /// The values of each replica in the stage.
    pub series: Vec<Vec<f64>>,
    /// Time and value of each replica that is drawn, over the whole run or in the stage that a person asked for.
    pub traces: Vec<Trace>,
    /// The median of all replicas and the range of most of them in time, if they are too many to be drawn.
    pub at_times: Vec<AtTime>,
}

/// Times and values.
pub(super) type Trace = Vec<(f64, f64)>;

/// What a replica has of a column.
#[derive(Default)]
struct OfReplica {
    values: Vec<f64>,
    trace: Trace,
    parts: Parts<(f64, f64)>,
}

impl Column {
    pub(super) fn new(measured: impl Into<MeasuredColumn>) -> Column {
        let measured = measured.into();
        Column { measured, series: Vec::new(), traces: Vec::new(), at_times: Vec::new() }
    }

    /// The name without the unit.
    pub fn name(&self) -> String {
        self.measured.quantity().in_words(Units::Reduced)
    }

    pub fn average(&self) -> Option<Average> {
        Average::of(&self.series)
    }

    /// Whether the second half of the series differs from the first by more than chance explains.
    pub fn drifts(&self) -> bool {
        let series: Vec<&[f64]> = self.series.iter().map(Vec::as_slice).collect();
        drift(&series, None).is_some_and(|drift| drift.probability() < RARE)
    }
}

/// The columns of a point that say something, with the values of each replica, and the time of the last row before the stage where
/// other stages are drawn before it.
pub(super) fn read(
    of_point: &PointMembers<'_>,
    stage: usize,
) -> Result<(Vec<Column>, Option<f64>), Error> {
    let units = of_point.point.system.units;
    let mut columns: Vec<Column> = averaged(of_point.point).into_iter().map(Column::new).collect();
    let headers: Vec<String> =
        columns.iter().map(|column| column.measured.column_in(units)).collect();
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let names = [headers.as_slice(), &["step", units.time_column()]].concat();
    let are_many = of_point.members.len() > MOST_TRACES;
    let of_member = |_: &BegunMember<'_>, rows: MemberRows| {
        let steps = rows.table.counts("step")?;
        let sampled: Vec<usize> =
            rows.of_stage(Some(stage)).filter(|&row| steps[row] > 0).collect();
        let times = rows.table.numbers(units.time_column())?;
        let began = beginning(stage, sampled.first().copied(), &times);
        let drawn: Vec<usize> = rows.of_stage(of_point.asked).collect();
        let every = drawn.len().div_ceil(MOST_POINTS).max(1);
        let last = if are_many { Parts::of_rows(&drawn, &steps) } else { Parts::default() };
        let values = |header: &&str| -> Result<OfReplica, Error> {
            if !rows.table.has(header) {
                return Ok(OfReplica::default());
            }
            let numbers = rows.table.numbers(header)?;
            let of_rows = sampled.iter().map(|&row| numbers[row]);
            let point = |row: usize| (times[row], numbers[row]);
            Ok(OfReplica {
                values: of_rows.filter(|value| value.is_finite()).collect(),
                trace: drawn.iter().step_by(every).map(|&row| point(row)).collect(),
                parts: last.map(point),
            })
        };
        let values: Result<Vec<_>, Error> = headers.iter().map(values).collect();
        Ok((values?, began))
    };
    let most_traces = if are_many { TRACES_BESIDE_MEDIAN } else { MOST_TRACES };
    let mut spreads = vec![Spread::default(); columns.len()];
    let mut first = None;
    of_point.read(&names, of_member, |_, (values, began)| {
        first = first.or(began.filter(|_| of_point.asked.is_none()));
        for ((column, spread), of_replica) in columns.iter_mut().zip(&mut spreads).zip(values) {
            let OfReplica { values, trace, parts } = of_replica;
            column.series.extend(Some(values).filter(|values| !values.is_empty()));
            if column.traces.len() < most_traces {
                column.traces.push(trace);
            }
            if are_many {
                spread.add(parts);
            }
        }
        Ok(())
    })?;
    for (column, spread) in columns.iter_mut().zip(&spreads) {
        column.at_times = spread.at_times();
    }
    weigh_by_curvature(&mut columns);
    // Columns of forces without externals are empty, and those of energies without terms are zero.
    let says = |series: &Vec<f64>| series.iter().any(|&value| value != 0.0);
    columns.retain(|column| column.series.iter().any(says));
    Ok((columns, first))
}

/// The columns that are averaged, in their order.
fn averaged(point: &Point) -> Vec<MeasuredColumn> {
    let measured = point.protocol.measured_columns(&point.system);
    match point.system.model {
        Model::Residues(_) => {
            let of_residues = OF_RESIDUES.map(MeasuredColumn::Whole).into_iter();
            of_residues.filter(|one| measured.contains(one)).collect()
        }
        _ => measured,
    }
}

/// Replaces each configurational temperature T with curvature L by ⟨TL⟩/⟨L⟩ + (T − ⟨TL⟩/⟨L⟩) L/⟨L⟩. The mean of these is
/// ⟨Σ F²⟩/⟨Σ ∇²V⟩, and their errors are its errors to first order; the mean of the ratios would be wrong where few beads meet.
fn weigh_by_curvature(columns: &mut [Column]) {
    let place = |wanted: Observable| {
        columns.iter().position(|column| column.measured == MeasuredColumn::Whole(wanted))
    };
    let temperature = place(Observable::ConfigurationalTemperature);
    let Some((temperature, curvature)) = temperature.zip(place(Observable::Curvature)) else {
        return;
    };
    let weights = columns[curvature].series.clone();
    let all = weights.iter().flatten();
    let (sum, count) = all.fold((0.0, 0.0), |(sum, count), weight| (sum + weight, count + 1.0));
    let values = &mut columns[temperature].series;
    let is_aligned = values.len() == weights.len()
        && values.iter().zip(&weights).all(|(values, weights)| values.len() == weights.len());
    if !is_aligned || sum == 0.0 {
        return;
    }
    let products = values.iter().flatten().zip(weights.iter().flatten());
    let mean = products.map(|(value, weight)| value * weight).sum::<f64>() / sum;
    for (value, weight) in values.iter_mut().flatten().zip(weights.iter().flatten()) {
        *value = mean + (*value - mean) * weight * count / sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ F² of 1, 9 and 8 with curvatures of 1, 3 and 4 in two replicas: 18/8, where the mean of the ratios is 2.
    #[test]
    fn configurational_temperatures_are_weighed_by_the_curvature() {
        let mut columns =
            [Observable::ConfigurationalTemperature, Observable::Curvature].map(Column::new);
        columns[0].series = vec![vec![1.0, 3.0], vec![2.0]];
        columns[1].series = vec![vec![1.0, 3.0], vec![4.0]];
        weigh_by_curvature(&mut columns);
        let mean = columns[0].series.iter().flatten().sum::<f64>() / 3.0;
        assert!((mean - 2.25).abs() < 1e-12, "{mean}");
        assert_eq!(columns[1].series, [vec![1.0, 3.0], vec![4.0]]);
    }
}
