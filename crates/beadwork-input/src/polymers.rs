//! `[system]` of elastic polymers, which are sampled and not moved in time.

use std::sync::Arc;

use beadwork_model::force_fields::elastic_polymer::{
    DIAMETER_PER_LENGTH, DIAMETERS_PER_CUTOFF, ElasticPolymer,
};
use beadwork_model::potentials::{FeneBond, LennardJones, PairPotential};
use beadwork_structure::parse_positions;

use crate::built::{Built, BuiltSystems, FromElsewhere};
use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, Error, START};
use crate::files::Files;
use crate::models::MODELS;
use crate::numbers::Bound;
use crate::section::{AUTOMATIC, Section};
use crate::starts::{StartFiles, read_start};

const KEYS: [&str; 9] = [
    "model",
    "monomers",
    "depth",
    "bond_length",
    "diameter",
    "cutoff",
    "bond_stiffness",
    "bond_limit",
    "start",
];
/// Every move computes the energy with every monomer.
const MOST_MONOMERS: u64 = 10_000;
/// Reads `[system]`; returns its resolved form and what it describes.
pub(crate) fn read(
    node: &Node,
    files: &mut Files,
    replicas: u64,
    built: &mut BuiltSystems,
) -> Result<(Table, Arc<Built>), Error> {
    let mut section = Section::open(node, "[system]", &KEYS)?;
    section.choice("model", &MODELS, None)?;
    let monomers = section.required_integer("monomers", 2, "13")?;
    if monomers > MOST_MONOMERS {
        let problem = format!(
            "must be at most 10_000, but is {monomers}: each move takes the energy with all other monomers, so that longer chains take too long"
        );
        return Err(section.fault(BAD_VALUE, "monomers", &problem));
    }
    let depth = section.number_or("depth", Bound::Positive, 1.0)?;
    let length = section.number_or("bond_length", Bound::Positive, 0.7)?;
    let automatic = section.node("diameter").and_then(Node::text) == Some(AUTOMATIC);
    let diameter = if automatic { None } else { section.number("diameter", Bound::Positive)? };
    let diameter = diameter.unwrap_or_else(|| {
        // Records the word, not the value, so that the diameter follows a swept bond length.
        section.keep("diameter", Value::Text(AUTOMATIC.to_string()));
        length * DIAMETER_PER_LENGTH
    });
    let cutoff = section.number_or("cutoff", Bound::Positive, DIAMETERS_PER_CUTOFF)?;
    let stiffness = section.number_or("bond_stiffness", Bound::NotNegative, 40.0)?;
    let limit = section.number_or("bond_limit", Bound::Positive, 0.3)?;
    let start = read_start(&mut section, files, replicas)?;
    built.get_or_build(section.resolved, FromElsewhere::default(), || {
        let polymer = ElasticPolymer {
            monomers: monomers as usize,
            pairs: LennardJones::shifted(depth, diameter, cutoff * diameter),
            bonds: FeneBond { stiffness, limit, length },
        };
        let starts = start.map(|start| read_starts(&start, files, &polymer)).transpose()?;
        let warnings = polymer.warnings();
        Ok(Built { starts, warnings, ..polymer.build().into() })
    })
}

/// Start coordinates. The numbers of the files are in units of the length.
fn read_starts(
    start: &StartFiles,
    files: &Files,
    polymer: &ElasticPolymer,
) -> Result<Vec<Vec<[f64; 3]>>, Error> {
    let fault = |problem: String| start.place.error(START, problem);
    let mut starts = Vec::with_capacity(start.paths.len());
    for (replica, path) in start.paths.iter().enumerate() {
        let (text, source) = files.text(path, &start.place)?;
        let positions = parse_positions(&text, &source).map_err(start.place.blame())?;
        let path = path.display();
        if positions.len() != polymer.monomers {
            return Err(fault(format!(
                "[system]: the start file {path} has {} atoms and the chain {} monomers: give a file with an atom for each",
                positions.len(),
                polymer.monomers
            )));
        }
        let who =
            if start.is_series { format!("replica {replica}") } else { "all replicas".to_string() };
        let FeneBond { limit, length, .. } = polymer.bonds;
        for (bead, pair) in positions.windows(2).enumerate() {
            let square = (0..3).map(|axis| (pair[1][axis] - pair[0][axis]).powi(2)).sum::<f64>();
            if !polymer.bonds.holds(square) {
                return Err(fault(format!(
                    "[system]: in the start of {who}, {path}, the bond of beads {bead} and {} is {:.3} long, and bonds hold within {length} +/- {limit} only: give a start whose bonds hold, or leave `start` out for a straight chain",
                    bead + 1,
                    square.sqrt()
                )));
            }
        }
        if let Some((i, j, distance)) =
            nearest_in_one_place(&positions, NEAREST * polymer.pairs.diameter)
        {
            let distance = match distance {
                0.0 => "0".to_string(),
                _ => format!("{distance:.2e}"),
            };
            return Err(fault(format!(
                "[system]: in the start of {who}, {path}, beads {i} and {j} are {distance} apart, and the energy of beads in one place is infinite: move them apart"
            )));
        }
        starts.push(positions);
    }
    Ok(starts)
}

/// Two monomers that are closer than this many diameters have an energy beyond all numbers of single precision.
const NEAREST: f64 = 1e-3;

/// Two positions closer than a limit, and their distance, if there are such positions.
fn nearest_in_one_place(positions: &[[f64; 3]], limit: f64) -> Option<(usize, usize, f64)> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by(|&i, &j| positions[i][0].total_cmp(&positions[j][0]));
    for (place, &i) in order.iter().enumerate() {
        let near =
            order[place + 1..].iter().take_while(|&&j| positions[j][0] - positions[i][0] < limit);
        for &j in near {
            let [a, b] = [positions[i], positions[j]];
            let distance = (0..3).map(|axis| (b[axis] - a[axis]).powi(2)).sum::<f64>().sqrt();
            if distance < limit {
                return Some((i.min(j), i.max(j), distance));
            }
        }
    }
    None
}
