//! What replicas of oscillators say of the law of their scheme.

use beadwork_model::units::BOLTZMANN;

use super::compared::{Compared, Comparison};
use super::replicas::{FEWEST_ORIGINS, Oscillations, RELAXATIONS_BEFORE, SQUARE_ANGSTROMS};
use crate::data::{self, Cell, Code, Table, Value};
use crate::words::time_in_words;

impl Oscillations {
    /// The comparison with the law as data.
    pub fn answer(&self) -> data::Group {
        let mut group = self.about.clone();
        if self.failed == self.replicas {
            let all = self.replicas;
            let text =
                format!("all {all} replica(s) failed: there is nothing to compare with the law");
            group.find(Code::NoValues, text);
            return group;
        }
        let diffusion = self.diffusion();
        let compared: Vec<Comparison> = [
            self.positions(),
            self.mean_squares(),
            self.correlation(),
            diffusion.as_ref().map(|(comparison, _)| comparison.clone()),
        ]
        .into_iter()
        .flatten()
        .collect();
        group.values.extend(compared.iter().map(Comparison::value));
        if let Some((comparison, found)) = &diffusion
            && let [point] = comparison.points.as_slice()
        {
            let basis = format!("{}, {} displacements", found.of, found.count);
            let value = Value::new("diffusion_coefficient", "diffusion", "nm²/ns", point.value);
            let error = point.value * (2.0 / found.count as f64).sqrt();
            let value = Value { law: Some(point.law), ..value.with_error(Some(error)).from(basis) };
            group.values.push(value);
        }
        group.values.extend(self.variances());
        if self.correlation().is_none() {
            group.find(Code::NotMeasured, self.no_correlations());
        }
        let off: Vec<&str> =
            compared.iter().filter(|one| !one.agrees()).map(|one| one.what).collect();
        match (compared.is_empty(), off.as_slice()) {
            (true, _) => group.find(Code::NoValues, "no rows after the start: no results"),
            (_, []) => group.find(Code::Agreement, "The run agrees with the law of its scheme."),
            (_, off) => group.find(
                Code::Disagreement,
                format!("The run DISAGREES with the law of its scheme: {}.", off.join(", ")),
            ),
        }
        self.notes(&mut group);
        group
    }

    /// The variance of positions in nm², and as the temperature that it implies.
    fn variances(&self) -> Vec<Value> {
        let found = self.correlation().zip(self.correlations.as_ref());
        let point =
            found.and_then(|(correlation, found)| Some((*correlation.points.first()?, found)));
        let Some((Compared { value, law, error, .. }, found)) = point else { return Vec::new() };
        let basis = format!(
            "{} after {RELAXATIONS_BEFORE} relaxation times, {} series",
            found.of, found.series
        );
        let kelvin =
            |variance: f64| variance * SQUARE_ANGSTROMS * self.particles.stiffness / BOLTZMANN;
        let of = |value: Value, error: f64, law: f64| Value {
            law: Some(law),
            ..value.with_error(Some(error)).from(basis.as_str())
        };
        let temperature =
            Value::new("spread_temperature", "spread temperature", "K", kelvin(value));
        vec![
            of(Value::new("variance", "variance", "nm²", value), error, law),
            of(temperature, kelvin(error), kelvin(law)),
        ]
    }

    /// Why there are no correlations.
    fn no_correlations(&self) -> String {
        let why = match self.law.relaxation() {
            _ if self.law.kick == 0.0 => "at temperature 0 nothing fluctuates".to_string(),
            Some(relaxation) => format!(
                "time origins begin after {RELAXATIONS_BEFORE} relaxation times of {}, and {} of them are needed",
                time_in_words(self.time_ns(relaxation)),
                2 * FEWEST_ORIGINS
            ),
            None => "these particles do not relax".to_string(),
        };
        format!("no correlations: {why}")
    }

    fn notes(&self, group: &mut data::Group) {
        if let Some(note) = self.left_out.note("mean or mean square") {
            group.find(Code::LeftOut, note);
        }
        if self.correlations.is_some() {
            let short = "replica(s) are too short for correlations and are left out of them";
            let long = "replica(s) are longer than the first; correlations leave out their rest";
            let many = "coordinate(s) of each replica are left out of correlations, since memory is limited";
            let counts = [(self.too_short, short), (self.cut, long), (self.not_held, many)];
            for (count, why) in counts.into_iter().filter(|(count, _)| *count > 0) {
                group.find(Code::LeftOut, format!("{count} {why}"));
            }
        }
    }
}

/// `correlation.csv`: a line for each lag; `None` if no run was long enough.
pub(crate) fn table(groups: &[Oscillations]) -> Option<Table> {
    let columns =
        ["time_ns", "correlation_nm2", "law_nm2", "standard_error_nm2", "origins", "series"];
    let mut table = Table::new("correlation.csv", &columns);
    for (place, group) in groups.iter().enumerate() {
        let found = group.correlation().zip(group.correlations.as_ref());
        let Some((compared, found)) = found else { continue };
        for (point, origins) in compared.points.iter().zip(&found.origins) {
            let Compared { time, value, law, error, .. } = *point;
            let cells = [time, value, law, error].map(Cell::from).into_iter();
            table.push(place, cells.chain([*origins, found.series].map(Cell::from)));
        }
    }
    (!table.is_empty()).then_some(table)
}
