//! Globules like proteins, of any size, made by rule: how the cost of a step grows with the number of beads can be measured
//! without structures.
//!
//! A globule is one chain of alpha helices that lie side by side in layers, as dense as a protein,
//! with native contacts by the 8 Å rule: between four and five a bead, since there is little surface
//! (small proteins have two to three, capsids three to four).

use std::f64::consts::PI;

use super::{sop_system, trace};
use crate::{Error, System};

/// Residues of a helix, and residues of the linker to the next helix.
const HELIX: usize = 22;
const LINKER: usize = 2;
/// An ideal alpha helix (Pauling, Corey and Branson 1951) at its C-alphas: radius and rise in Å.
const RADIUS: f64 = 2.3;
const RISE: f64 = 1.5;
const TURN: f64 = 100.0 * PI / 180.0;
/// Å³ a residue: 110 Da at 0.73 cm³/g.
const VOLUME: f64 = 135.0;
/// Å between the end of one layer and the start of the next: room for the linkers of both.
const LAYER_GAP: f64 = 9.0;
/// Height of a linker above its layer, Å.
const LINKER_HEIGHT: f64 = 2.0;
/// Å from the last bead of a helix to the first of its neighbour: three bonds of a little over 3.8 Å
/// with the linker's height.
const LINKER_SPAN: f64 = 10.4;

fn layer_height() -> f64 {
    RISE * (HELIX - 1) as f64
}

/// Positions, Å, of the C-alphas of a globule.
fn positions(beads: usize) -> Vec<[f64; 3]> {
    let pitch = layer_height() + LAYER_GAP;
    let residues = HELIX + LINKER;
    // Hexagonal packing: (√3/2) D² of area a helix.
    let row_height = 0.75_f64.sqrt();
    let spacing = (VOLUME * residues as f64 / (pitch * row_height)).sqrt();
    let side = (VOLUME * beads as f64).cbrt();
    let layers = (side / pitch).round().max(1.0) as usize;
    // An odd number: the last helix of a layer then ends next to the following layer. No linker leads to the first helix.
    let helices = (beads + LINKER).div_ceil(residues * layers) | 1;
    let columns = (helices as f64).sqrt().round().max(1.0) as usize;
    let axis_of = |place: usize| {
        // Rows run forth and back, so that neighbours in the chain are neighbours in space.
        let (row, along) = (place / columns, place % columns);
        let even = row.is_multiple_of(2);
        let column = if even { along as f64 } else { columns as f64 - 0.5 - along as f64 };
        [column * spacing, row as f64 * row_height * spacing]
    };
    let mut chain: Vec<[f64; 3]> = Vec::with_capacity(beads + residues);
    for layer in 0..layers {
        let bottom = layer as f64 * pitch;
        for number in 0..helices {
            // Every second layer runs backwards, so that successive layers join at one axis.
            let place = if layer.is_multiple_of(2) { number } else { helices - 1 - number };
            let up = number.is_multiple_of(2);
            add_helix(&mut chain, axis_of(place), bottom, up);
        }
    }
    chain.truncate(beads);
    chain
}

/// Adds a helix that goes up from `bottom`, or down to it, after the linker that leads to it.
fn add_helix(chain: &mut Vec<[f64; 3]>, axis: [f64; 2], bottom: f64, up: bool) {
    let (begin, direction) = if up { (bottom, 1.0) } else { (bottom + layer_height(), -1.0) };
    // The helix is right-handed in both directions: the angle grows with the height.
    let bead = |phase: f64, residue: usize| {
        let angle = phase + direction * TURN * residue as f64;
        let height = begin + direction * RISE * residue as f64;
        [axis[0] + RADIUS * angle.cos(), axis[1] + RADIUS * angle.sin(), height]
    };
    let mut phase = 0.0;
    if let Some(&last) = chain.last() {
        let off = |phase: f64| (distance(last, bead(phase, 0)) - LINKER_SPAN).abs();
        for step in 1..36 {
            let other = f64::from(step) * PI / 18.0;
            if off(other) < off(phase) {
                phase = other;
            }
        }
        let first = bead(phase, 0);
        let within_layer = (last[2] - first[2]).abs() < 1e-9;
        let height = if within_layer { -direction * LINKER_HEIGHT } else { 0.0 };
        for number in 1..=LINKER {
            let part = number as f64 / (LINKER + 1) as f64;
            let [x, y, z] = [0, 1, 2].map(|k| last[k] + part * (first[k] - last[k]));
            chain.push([x, y, z + height]);
        }
    }
    chain.extend((0..HELIX).map(|residue| bead(phase, residue)));
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    [0, 1, 2].map(|k| (a[k] - b[k]).powi(2)).iter().sum::<f64>().sqrt()
}

/// The SOP system of a globule with this many beads.
///
/// # Errors
/// Fewer than two beads.
pub fn globule(beads: usize) -> Result<System, Error> {
    sop_system(&trace("globule", positions(beads)), None)
}
