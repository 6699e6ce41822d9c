//! Selections that do not lie about the axis along which their assembly was turned.

use std::collections::BTreeMap;

use beadwork_model::advice::with_decimals;
use beadwork_model::externals::{centre, dot};
use beadwork_model::force_fields::sop::Beads;

/// Warns of selected beads, of the whole assembly's `all`, that the axis of this name and order passes by. The axis runs through
/// the centre of all, and its end lies along +z.
pub(crate) fn warning_off_axis(
    all: &Beads,
    selected: &Beads,
    name: &str,
    order: u32,
) -> Option<String> {
    let middle = centre_of(&all.positions);
    let own = centre_of(&selected.positions);
    let away = distance_from_end(own, middle);
    let squares = selected.positions.iter().map(|&at| {
        let apart = difference(at, own);
        dot(apart, apart)
    });
    let radius = (squares.sum::<f64>() / selected.positions.len() as f64).sqrt();
    if selected.labels.len() == all.labels.len() || away <= radius {
        return None;
    }
    let mut chains: BTreeMap<usize, (Vec<[f64; 3]>, String)> = BTreeMap::new();
    for ((&chain, &at), label) in all.chains.iter().zip(&all.positions).zip(&all.labels) {
        let entry = chains.entry(chain);
        entry.or_insert_with(|| (Vec::new(), label.chain.to_string())).0.push(at);
    }
    let mut nearest: Vec<(f64, String)> = chains
        .into_values()
        .map(|(positions, name)| (distance_from_end(centre_of(&positions), middle), name))
        .collect();
    nearest.sort_by(|one, other| one.0.total_cmp(&other.0));
    let names: Vec<String> =
        nearest.into_iter().take(order as usize).map(|(_, name)| name).collect();
    Some(format!(
        "`orient` = \"{name}\" turns the assembly along an axis that passes by the selected beads: their centre is {} A from its upper end, and their radius of gyration is {} A; of equivalent axes that nearest to +z in the file is taken, about which the chains {} lie: select these, or give a vector as `orient`",
        with_decimals(away, 0),
        with_decimals(radius, 0),
        names.join(" ")
    ))
}

fn centre_of(positions: &[[f64; 3]]) -> [f64; 3] {
    let numbers: Vec<usize> = (0..positions.len()).collect();
    centre(&numbers, |number| positions[number])
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis])
}

/// How far a point is from the half of the axis that begins at `middle` and goes along +z.
fn distance_from_end(at: [f64; 3], middle: [f64; 3]) -> f64 {
    let [x, y, z] = difference(at, middle);
    let below = z.min(0.0);
    dot([x, y, below], [x, y, below]).sqrt()
}
