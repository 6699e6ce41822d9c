//! `thermodynamics.csv`, `curves.csv` and `neighbours.csv`.

use std::fmt::Write as _;
use std::path::Path;

use beadwork_analysis::Estimate;
use beadwork_analysis::thermodynamics::Basis;
use beadwork_io::atomic;
use beadwork_io::table::quoted;
use beadwork_session::Error;

use super::findings::Family;
use super::{OfGroup, Quantity, ReplicaExchange, of_group_columns};

impl ReplicaExchange {
    /// Writes `thermodynamics.csv`, `curves.csv` and `neighbours.csv`.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let (mut averages, mut curves, mut neighbours) =
            (String::new(), String::new(), String::new());
        for group in &self.0 {
            group.write(&mut averages, &mut curves, &mut neighbours);
        }
        for (name, text) in [
            ("thermodynamics.csv", averages),
            ("curves.csv", curves),
            ("neighbours.csv", neighbours),
        ] {
            if !text.is_empty() {
                atomic::write(&folder.join(name), text.as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Cells of an estimate: its value and its error, empty without one.
fn cells(estimate: &Estimate, unit: f64) -> String {
    let error = estimate.error.map(|error| (error * unit).to_string()).unwrap_or_default();
    format!("{},{error}", estimate.value * unit)
}

/// The degrees of freedom of an error, as a cell; empty without one.
fn freedom(estimate: &Estimate) -> String {
    estimate.error.map(|_| estimate.freedom.to_string()).unwrap_or_default()
}

/// What errors come from, as a cell.
fn source(basis: Basis) -> String {
    match basis {
        Basis::Ladders(count) => format!("{count} ladders"),
        Basis::Blocks { count, length } => format!("{count} blocks of {length} rows"),
        Basis::TooShort { .. } => "too few rows".to_string(),
    }
}

impl OfGroup {
    fn write(&self, averages: &mut String, curves: &mut String, neighbours: &mut String) {
        let findings = self.findings();
        let (_, quantities) = of_group_columns(self.sampled);
        let (unit, beads) = (self.unit(), self.beads as f64);
        let temperature = if self.sampled { "temperature" } else { "temperature_K" };
        let energy = if self.sampled { "energy_per_bead" } else { "energy_per_bead_kcal_per_mol" };
        let group = quoted(&self.group);
        if averages.is_empty() {
            let _ = write!(
                averages,
                "group,ladder,{temperature},{energy},{energy}_error,heat_capacity_per_bead,heat_capacity_per_bead_error,errors_from,degrees_of_freedom"
            );
            let _ = write!(
                curves,
                "group,{temperature},{energy},{energy}_error,heat_capacity_per_bead,heat_capacity_per_bead_error"
            );
            for Quantity { name, .. } in quantities {
                let _ = write!(
                    averages,
                    ",{name},{name}_error,{name}_fluctuation,{name}_fluctuation_error,{name}_derivative,{name}_derivative_error,{name}_errors_from,{name}_degrees_of_freedom"
                );
                let _ = write!(
                    curves,
                    ",{name},{name}_error,{name}_derivative,{name}_derivative_error"
                );
            }
            averages.push('\n');
            curves.push_str(",effective_samples,degrees_of_freedom\n");
            let _ = writeln!(
                neighbours,
                "group,ladder,{temperature},next_{temperature},attempted,accepted,overlap,slope_standard_errors_off"
            );
        }
        let of_each =
            findings.families.iter().flat_map(|one| one.at.iter().map(move |at| (one, at)));
        for (family, at) in of_each {
            let _ = write!(
                averages,
                "{group},{},{},{},{},{},{}",
                family.name,
                at.temperature / unit,
                cells(&at.energy, 1.0 / beads),
                cells(&at.heat_capacity_per_bead, 1.0),
                source(at.basis),
                freedom(&at.energy)
            );
            for response in &at.observables {
                let _ = write!(
                    averages,
                    ",{},{},{},{},{}",
                    cells(&response.mean, 1.0),
                    cells(&response.fluctuation, 1.0),
                    cells(&response.temperature_derivative, unit),
                    source(response.basis),
                    freedom(&response.mean)
                );
            }
            averages.push('\n');
        }
        for point in findings.curves.iter().flat_map(|curves| &curves.points) {
            let _ = write!(
                curves,
                "{group},{},{},{}",
                point.temperature / unit,
                cells(&point.energy, 1.0 / beads),
                cells(&point.heat_capacity_per_bead, 1.0)
            );
            for observable in &point.observables {
                let _ = write!(
                    curves,
                    ",{},{}",
                    cells(&observable.mean, 1.0),
                    cells(&observable.temperature_derivative, unit)
                );
            }
            let _ = writeln!(curves, ",{},{}", point.effective_samples, freedom(&point.energy));
        }
        for Family { name, temperatures, swaps, neighbours: pairs, .. } in &findings.families {
            for (lower, ((off, overlap), (tried, made))) in pairs.iter().zip(swaps).enumerate() {
                let off = off.map(|off| off.to_string()).unwrap_or_default();
                let overlap = if overlap.is_nan() { String::new() } else { overlap.to_string() };
                let _ = writeln!(
                    neighbours,
                    "{group},{},{},{},{tried},{made},{overlap},{off}",
                    name,
                    temperatures[lower] / unit,
                    temperatures[lower + 1] / unit
                );
            }
        }
    }
}
