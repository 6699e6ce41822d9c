//! Tables of bead models.

use beadwork_model::{Model, Units};

use super::motion::Motion;
use super::replicas::BeadModelGroup;
use super::sizes::SIZES;
use super::structure_factors::Structure;
use crate::data::{Cell, Table};

/// `distances.csv`, a line for each separation along the chain, and tables of structure, motion and sizes where there are frames.
pub(crate) fn tables(groups: &[BeadModelGroup]) -> Vec<Table> {
    let of_residues = |group: &BeadModelGroup| matches!(group.model, Model::Residues(_));
    let mut tables = Vec::new();
    if groups.iter().any(of_residues) {
        let mut distances = Table::new("distances.csv", &["separation", "distance_nm"]);
        for (place, group) in groups.iter().enumerate() {
            for (separation, distance) in group.distances() {
                distances.push(place, [separation, distance].map(Cell::from));
            }
        }
        tables.push(distances);
    }
    if groups.iter().any(|group| !group.pair_distributions.is_empty()) {
        tables.push(pair_distributions(groups));
    }
    tables.extend(structure_factors(groups));
    tables.extend(displacements(groups));
    tables.extend(size_distributions(groups));
    tables
}

/// `pair-distributions.csv`.
fn pair_distributions(groups: &[BeadModelGroup]) -> Table {
    let unit = match groups.first().map(|group| group.units) {
        Some(Units::Real) => "_nm",
        _ => "",
    };
    let distance = format!("distance{unit}");
    let columns = ["type", "other_type", &distance, "g", "standard_error"];
    let mut table = Table::new("pair-distributions.csv", &columns);
    for (place, group) in groups.iter().enumerate() {
        for curve in &group.pair_distributions {
            for (distance, g, error) in &curve.points {
                let names = curve.types.iter().map(|name| Cell::from(name.as_str()));
                let numbers = [Cell::from(*distance), Cell::from(*g), Cell::from(*error)];
                table.push(place, names.chain(numbers));
            }
        }
    }
    table
}

/// `structure-factors.csv` and `structure-peaks.csv`; none without frames.
fn structure_factors(groups: &[BeadModelGroup]) -> Vec<Table> {
    let with: Vec<(usize, &Structure)> = groups
        .iter()
        .enumerate()
        .filter_map(|(place, group)| Some((place, group.structure.as_ref()?)))
        .collect();
    let Some((first, _)) = with.first() else { return Vec::new() };
    let unit = if groups[*first].units == Units::Real { "_per_nm" } else { "" };
    let [x, y, z, q] = ["qx", "qy", "qz", "q"].map(|name| format!("{name}{unit}"));
    let columns = ["type", "other_type", &q, "s", "standard_error"];
    let mut curves = Table::new("structure-factors.csv", &columns);
    let columns = ["type", &x, &y, &z, &q, "s", "standard_error", "angle_in_plane_degrees"];
    let mut peaks = Table::new("structure-peaks.csv", &columns);
    for (place, structure) in with {
        for curve in &structure.curves {
            for (q, s, error) in &curve.points {
                let names = curve.types.iter().map(|name| Cell::from(name.as_str()));
                let numbers = [Cell::from(*q), Cell::from(*s), Cell::from(*error)];
                curves.push(place, names.chain(numbers));
            }
        }
        for (peak, error) in &structure.peaks {
            // q and −q are two peaks of one height.
            for sign in [1.0, -1.0] {
                let vector = peak.vector.map(|q| sign * q);
                let [x, y, z] = vector.map(|q| q * structure.unit);
                let numbers = [x, y, z, peak.length * structure.unit, peak.height].map(Cell::from);
                let last = [*error, structure.plane.angle(vector)].map(Cell::from);
                let kind = [Cell::from(structure.kind.as_str())];
                peaks.push(place, kind.into_iter().chain(numbers).chain(last));
            }
        }
    }
    vec![curves, peaks]
}

/// `displacements.csv`; `None` without frames.
fn displacements(groups: &[BeadModelGroup]) -> Option<Table> {
    let units = groups.iter().find(|group| !group.motion.is_empty())?.units;
    let square = match units {
        Units::Real => "squared_displacement_nm2",
        Units::Reduced => "squared_displacement",
    };
    let columns = ["of", units.time_column(), square, "standard_error"];
    let mut table = Table::new("displacements.csv", &columns);
    for (place, group) in groups.iter().enumerate() {
        for Motion { of, points, .. } in &group.motion {
            for (time, square, error) in points {
                let numbers = [Cell::from(*time), Cell::from(*square), Cell::from(*error)];
                table.push(place, [Cell::from(of.as_str())].into_iter().chain(numbers));
            }
        }
    }
    Some(table)
}

/// `size-distributions.csv`; `None` without frames and molecules.
fn size_distributions(groups: &[BeadModelGroup]) -> Option<Table> {
    let units = groups.iter().find(|group| !group.sizes.is_empty())?.units;
    let [value, density] = match units {
        Units::Real => ["value_nm", "density_per_nm"],
        Units::Reduced => ["value", "density"],
    };
    let mut table = Table::new("size-distributions.csv", &["molecule", "size", value, density]);
    for (place, group) in groups.iter().enumerate() {
        for sizes in &group.sizes {
            for (number, (_, column)) in SIZES.iter().enumerate() {
                for (value, density) in sizes.distribution(number) {
                    let names = [sizes.species.as_str(), column].map(Cell::from);
                    table.push(place, names.into_iter().chain([value, density].map(Cell::from)));
                }
            }
        }
    }
    Some(table)
}
