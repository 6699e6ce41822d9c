//! `thermodynamics.csv`, `curves.csv` and `neighbours.csv`.

use std::fmt::Write as _;

use beadwork_analysis::Estimate;
use beadwork_analysis::thermodynamics::Basis;
use beadwork_io::table::quoted;

use super::findings::Family;
use super::{Kind, Ladders};

/// The names and contents of the tables, with the columns of the first group; empty without groups.
pub(crate) fn tables(groups: &[Ladders]) -> Vec<(&'static str, String)> {
    let Some(first) = groups.first() else { return Vec::new() };
    let [mut averages, mut curves, mut neighbours] = headers(first.kind);
    for group in groups {
        group.write_averages(&mut averages);
        group.write_curves(&mut curves);
        group.write_neighbours(&mut neighbours);
    }
    vec![("thermodynamics.csv", averages), ("curves.csv", curves), ("neighbours.csv", neighbours)]
}

fn headers(kind: &Kind) -> [String; 3] {
    let Kind { temperature, energy_per_bead: energy, .. } = kind;
    let of_energy = format!(
        "{temperature},{energy},{energy}_error,heat_capacity_per_bead,heat_capacity_per_bead_error"
    );
    let mut averages = format!("group,ladder,{of_energy},errors_from,degrees_of_freedom");
    let mut curves = format!("group,{of_energy}");
    for name in kind.quantities {
        let derivative = format!("{name}_derivative,{name}_derivative_error");
        let _ = write!(
            averages,
            ",{name},{name}_error,{name}_fluctuation,{name}_fluctuation_error,{derivative},{name}_errors_from,{name}_degrees_of_freedom"
        );
        let _ = write!(curves, ",{name},{name}_error,{derivative}");
    }
    averages.push('\n');
    curves.push_str(",effective_samples,degrees_of_freedom\n");
    let neighbours = format!(
        "group,ladder,{temperature},next_{temperature},attempted,accepted,overlap,slope_standard_errors_off\n"
    );
    [averages, curves, neighbours]
}

/// The cells of an estimate: its value, and its error or an empty cell.
fn cells(estimate: &Estimate, unit: f64) -> String {
    let error = estimate.error.map(|error| (error * unit).to_string()).unwrap_or_default();
    format!("{},{error}", estimate.value * unit)
}

/// The degrees of freedom of an error, as a cell; empty without an error.
fn freedom(estimate: &Estimate) -> String {
    estimate.error.map(|_| estimate.freedom.to_string()).unwrap_or_default()
}

fn source(basis: Basis) -> String {
    match basis {
        Basis::Ladders(count) => format!("{count} ladders"),
        Basis::Blocks { count, length } => format!("{count} blocks of {length} rows"),
        Basis::TooShort { .. } => "too few rows".to_string(),
    }
}

impl Ladders {
    fn write_averages(&self, text: &mut String) {
        let (group, unit, bead) = (quoted(&self.group), self.kind.unit, 1.0 / self.beads as f64);
        let families = &self.findings().families;
        for (family, at) in families.iter().flat_map(|one| one.at.iter().map(move |at| (one, at))) {
            let _ = write!(
                text,
                "{group},{},{},{},{},{},{}",
                family.name,
                at.temperature / unit,
                cells(&at.energy, bead),
                cells(&at.heat_capacity_per_bead, 1.0),
                source(at.basis),
                freedom(&at.energy)
            );
            for response in &at.observables {
                let _ = write!(
                    text,
                    ",{},{},{},{},{}",
                    cells(&response.mean, 1.0),
                    cells(&response.fluctuation, 1.0),
                    cells(&response.temperature_derivative, unit),
                    source(response.basis),
                    freedom(&response.mean)
                );
            }
            text.push('\n');
        }
    }

    fn write_curves(&self, text: &mut String) {
        let (group, unit, bead) = (quoted(&self.group), self.kind.unit, 1.0 / self.beads as f64);
        for point in self.findings().curves.iter().flat_map(|curves| &curves.points) {
            let _ = write!(
                text,
                "{group},{},{},{}",
                point.temperature / unit,
                cells(&point.energy, bead),
                cells(&point.heat_capacity_per_bead, 1.0)
            );
            for observable in &point.observables {
                let mean = cells(&observable.mean, 1.0);
                let _ = write!(text, ",{mean},{}", cells(&observable.temperature_derivative, unit));
            }
            let _ = writeln!(text, ",{},{}", point.effective_samples, freedom(&point.energy));
        }
    }

    fn write_neighbours(&self, text: &mut String) {
        let group = quoted(&self.group);
        for Family { name, temperatures, swaps, neighbours, .. } in &self.findings().families {
            let temperatures = self.in_unit(temperatures);
            for (lower, ((off, overlap), (tried, made))) in neighbours.iter().zip(swaps).enumerate()
            {
                let off = off.map(|off| off.to_string()).unwrap_or_default();
                let overlap = if overlap.is_nan() { String::new() } else { overlap.to_string() };
                let (own, next) = (temperatures[lower], temperatures[lower + 1]);
                let _ =
                    writeln!(text, "{group},{name},{own},{next},{tried},{made},{overlap},{off}");
            }
        }
    }
}
