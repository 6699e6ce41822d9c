//! `thermodynamics.csv`, `curves.csv` and `neighbours.csv`.

use beadwork_analysis::Estimate;
use beadwork_analysis::thermodynamics::Basis;

use super::columns::LadderColumns;
use super::findings::Family;
use super::ladders::Ladders;
use crate::data::{Cell, Table};

/// The tables, with the columns of the first group; empty without groups.
pub(crate) fn tables(groups: &[Ladders]) -> Vec<Table> {
    let Some(first) = groups.first() else { return Vec::new() };
    let [mut averages, mut curves, mut neighbours] = empty(first.kind);
    for (place, group) in groups.iter().enumerate() {
        group.fill_averages(place, &mut averages);
        group.fill_curves(place, &mut curves);
        group.fill_neighbours(place, &mut neighbours);
    }
    vec![averages, curves, neighbours]
}

fn empty(kind: &LadderColumns) -> [Table; 3] {
    let LadderColumns { temperature, energy_per_bead: energy, .. } = kind;
    let names = |names: &[String]| names.to_vec();
    let with_error = |name: &str| [name.to_string(), format!("{name}_error")];
    let of_energy = [
        vec![temperature.to_string()],
        names(&with_error(energy)),
        names(&with_error("heat_capacity_per_bead")),
    ]
    .concat();
    let last = |names: [&str; 2]| names.map(str::to_string);
    let mut averages =
        ["ladder".to_string()].into_iter().chain(of_energy.clone()).collect::<Vec<_>>();
    averages.extend(last(["errors_from", "degrees_of_freedom"]));
    let mut curves = of_energy;
    for name in kind.quantities {
        let derivative = with_error(&format!("{name}_derivative"));
        averages.extend(with_error(name));
        averages.extend(with_error(&format!("{name}_fluctuation")));
        averages.extend(derivative.clone());
        averages.push(format!("{name}_errors_from"));
        averages.push(format!("{name}_degrees_of_freedom"));
        curves.extend(with_error(name));
        curves.extend(derivative);
    }
    curves.extend(last(["effective_samples", "degrees_of_freedom"]));
    let next = format!("next_{temperature}");
    let neighbours = [
        "ladder",
        temperature,
        &next,
        "attempted",
        "accepted",
        "overlap",
        "slope_standard_errors_off",
    ];
    let table = |file: &str, names: &[String]| {
        Table::new(file, &names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    [
        table("thermodynamics.csv", &averages),
        table("curves.csv", &curves),
        Table::new("neighbours.csv", &neighbours),
    ]
}

/// The cells of an estimate: its value, and its error or an empty cell.
fn cells(estimate: &Estimate, unit: f64) -> [Cell; 2] {
    [Cell::from(estimate.value * unit), Cell::from(estimate.error.map(|error| error * unit))]
}

/// The degrees of freedom of an error, as a cell; empty without an error.
fn freedom(estimate: &Estimate) -> Cell {
    estimate.error.map_or(Cell::Empty, |_| Cell::Text(estimate.freedom.to_string()))
}

fn source(basis: Basis) -> String {
    match basis {
        Basis::Ladders(count) => format!("{count} ladders"),
        Basis::Blocks { count, length } => format!("{count} blocks of {length} rows"),
        Basis::TooShort { .. } => "too few rows".to_string(),
    }
}

impl Ladders {
    fn fill_averages(&self, place: usize, table: &mut Table) {
        let (unit, bead) = (self.kind.unit, 1.0 / self.beads as f64);
        let families = &self.findings().families;
        for (family, at) in families.iter().flat_map(|one| one.at.iter().map(move |at| (one, at))) {
            let mut row = vec![Cell::from(family.name.as_str()), Cell::from(at.temperature / unit)];
            row.extend(cells(&at.energy, bead));
            row.extend(cells(&at.heat_capacity_per_bead, 1.0));
            row.extend([Cell::Text(source(at.basis)), freedom(&at.energy)]);
            for response in &at.observables {
                row.extend(cells(&response.mean, 1.0));
                row.extend(cells(&response.fluctuation, 1.0));
                row.extend(cells(&response.temperature_derivative, unit));
                row.extend([Cell::Text(source(response.basis)), freedom(&response.mean)]);
            }
            table.push(place, row);
        }
    }

    fn fill_curves(&self, place: usize, table: &mut Table) {
        let (unit, bead) = (self.kind.unit, 1.0 / self.beads as f64);
        for point in self.findings().curves.iter().flat_map(|curves| &curves.points) {
            let mut row = vec![Cell::from(point.temperature / unit)];
            row.extend(cells(&point.energy, bead));
            row.extend(cells(&point.heat_capacity_per_bead, 1.0));
            for observable in &point.observables {
                row.extend(cells(&observable.mean, 1.0));
                row.extend(cells(&observable.temperature_derivative, unit));
            }
            row.extend([Cell::from(point.effective_samples), freedom(&point.energy)]);
            table.push(place, row);
        }
    }

    fn fill_neighbours(&self, place: usize, table: &mut Table) {
        for Family { name, temperatures, swaps, neighbours, .. } in &self.findings().families {
            let temperatures = self.in_unit(temperatures);
            for (lower, ((off, overlap), (tried, made))) in neighbours.iter().zip(swaps).enumerate()
            {
                let numbers =
                    [temperatures[lower], temperatures[lower + 1], *tried, *made, *overlap];
                let name = [Cell::from(name.as_str())];
                let row = name.into_iter().chain(numbers.map(Cell::from));
                table.push(place, row.chain([Cell::from(*off)]));
            }
        }
    }
}
