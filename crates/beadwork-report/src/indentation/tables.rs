//! `indentation.csv` and `force-deformation.csv`.

use beadwork_analysis::indentation::{HertzFit, Pressed};
use beadwork_model::Units;
use beadwork_model::observables::Observable;

use super::quantities::{QUANTITIES, Quantity};
use super::replicas::{IndentedGroup, Way};
use crate::data::{Cell, Table};

/// `indentation.csv`, a line for each cycle of each replica, and `force-deformation.csv`, the mean curve with its errors; none
/// without a tip.
pub(crate) fn tables(groups: &[IndentedGroup]) -> Vec<Table> {
    let Some(units) = groups.first().map(|group| group.setup.units) else { return Vec::new() };
    [of_replicas(groups, units), of_curves(groups, units)].into()
}

fn of_replicas(groups: &[IndentedGroup], units: Units) -> Table {
    let named = QUANTITIES.iter().map(|one| format!("{}{}", one.name, one.unit.suffix(units)));
    let named: Vec<String> = named.collect();
    let first = ["replica", "cycle", "contact", "peak_passed"];
    let last = ["native_contacts_in_all", "native_contacts_between_chains_in_all"];
    let columns = first.into_iter().chain(named.iter().map(String::as_str)).chain(last);
    let columns: Vec<&str> = columns.collect();
    let mut table = Table::new("indentation.csv", &columns);
    let said = |holds: bool| if holds { "yes" } else { "no" };
    for (place, group) in groups.iter().enumerate() {
        for member in &group.members {
            for (cycle, found) in member.cycles.iter().enumerate() {
                let pressed = &found.pressed;
                let passed = pressed.peak.map(|peak| said(peak.is_passed));
                let cells = [
                    Cell::from(member.number),
                    Cell::from(cycle + 1),
                    Cell::from(said(pressed.has_contact())),
                    passed.map_or(Cell::Empty, Cell::from),
                ];
                let values = QUANTITIES.iter().map(|one| Cell::from(in_table(one, pressed)));
                let in_all = group.setup.native_contacts.map(Cell::from);
                table.push(place, cells.into_iter().chain(values).chain(in_all));
            }
        }
    }
    table
}

/// The value of a quantity of one replica. Of a fit of Hertz's law that its forces do not follow, there is all but the modulus.
fn in_table(quantity: &Quantity, pressed: &Pressed) -> Option<f64> {
    let of_refused = |fit: HertzFit| match quantity.name {
        "hertz_zero" => Some(fit.law.zero),
        "hertz_deviation" => Some(fit.law.deviation),
        "hertz_end" => Some(fit.range.1),
        _ => None,
    };
    (quantity.value)(pressed).or_else(|| pressed.refused.and_then(of_refused))
}

fn of_curves(groups: &[IndentedGroup], units: Units) -> Table {
    let names = [Observable::Deformation, Observable::Force, Observable::TipForce];
    let [deformation, force, tip_force] = names.map(|one| one.column_in(units));
    let error = |observable: Observable| {
        observable.column_in(units).replacen(
            observable.word(),
            &format!("{}_standard_error", observable.word()),
            1,
        )
    };
    let errors = [error(Observable::Force), error(Observable::TipForce)];
    let columns =
        ["cycle", "way", deformation, force, &errors[0], tip_force, &errors[1], "replicas"];
    let mut table = Table::new("force-deformation.csv", &columns);
    for (place, group) in groups.iter().enumerate() {
        for bin in group.mean_curve() {
            let way = match bin.way {
                Way::Approach => "approach",
                Way::Retraction => "retraction",
            };
            let cells = [
                Cell::from(bin.cycle + 1),
                Cell::from(way),
                Cell::from(bin.deformation),
                Cell::from(bin.means[0]),
                Cell::from(bin.errors[0]),
                Cell::from(bin.means[1]),
                Cell::from(bin.errors[1]),
                Cell::from(bin.replicas),
            ];
            table.push(place, cells);
        }
    }
    table
}
