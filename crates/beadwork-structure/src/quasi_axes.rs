//! Quasi-axes of an assembly: neighbouring chains of one sequence that no operator relates, and the turn that superposes
//! them.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::assembly::Operator;
use crate::rotations::Turn;
use crate::structure::{Chain, Structure};
use crate::superposition::superpose;
use crate::vectors::{Vector, centre, difference, dot, unit};

/// Largest deviation of the angle of a quasi-axis, degrees.
const ANGLE_OF_QUASI_AXES: f64 = 10.0;
/// Å: the longest shift along a quasi-axis.
const SCREW_OF_QUASI_AXES: f64 = 3.0;
/// The least cosine of the angle between the axis about which neighbours turn and the line from the centre (30 degrees).
const TILT_OF_QUASI_AXES: f64 = 0.866;
/// The least cosine of the angle between directions of one quasi-axis (5 degrees).
const SAME_QUASI_AXIS: f64 = 0.996;
/// Å: chains about a quasi-axis have alpha carbons closer than this.
const NEIGHBOURS: f64 = 10.0;
/// The orders of quasi-axes: of dimers, trimers, and rings of up to six.
const QUASI_ORDERS: RangeInclusive<u32> = 2..=6;
/// Chains of one sequence share at least this many residues.
const LEAST_SHARED: usize = 10;

/// Neighbouring chains of one sequence whose superposition turns about an axis. Such an axis need not pass the centre: the
/// line from there to the site, the point of this axis between the chains, stands for it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuasiAxis {
    /// Their identifiers in the file.
    pub chains: [String; 2],
    /// The angle of the turn, degrees.
    pub angle: f64,
    /// The angle, degrees, between the axis of the turn and the line from the centre.
    pub tilt: f64,
    /// Å: the root mean square deviation of their alpha carbons.
    pub deviation: f64,
    /// How many residues were superposed.
    pub residues: usize,
}

/// A quasi-axis before the choice between equivalent ones.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub order: u32,
    /// From the centre outwards.
    pub direction: Vector,
    pub quasi: QuasiAxis,
}

/// A chain of the file where the first operator puts it.
pub(crate) struct FirstCopy<'a> {
    chain: &'a Chain,
    operator: Operator,
    /// Å.
    alphas: Vec<Vector>,
    /// Å: the mean of the alpha carbons.
    middle: Vector,
}

impl<'a> FirstCopy<'a> {
    pub fn new(structure: &Structure, chain: &'a Chain, first: &Operator) -> FirstCopy<'a> {
        let alphas = chain.residues.clone().filter_map(|residue| structure.alpha_carbon(residue));
        let alphas: Vec<Vector> = alphas.map(|atom| first.apply(atom.position)).collect();
        let middle = centre(alphas.iter().copied());
        FirstCopy { chain, operator: *first, alphas, middle }
    }
}

/// Quasi-axes between chains, in the order of chains and operators. `axes` are those of the operators, of which one close
/// by is meant. An axis with a turn by a smaller angle too has that order alone.
pub(crate) fn quasi_axes(
    structure: &Structure,
    chains: &[FirstCopy<'_>],
    operators: &[Operator],
    axes: &[(u32, Vector)],
) -> Vec<Candidate> {
    let middles = |operator: &'_ Operator| {
        let operator = *operator;
        chains.iter().map(move |one| operator.apply(one.middle))
    };
    let middle_of_all = centre(operators.iter().flat_map(middles));
    let mut found: Vec<Candidate> = Vec::new();
    for (number, one) in chains.iter().enumerate() {
        for other in &chains[number + 1..] {
            let pairs = shared_residues(structure, one, other);
            if pairs.len() < LEAST_SHARED {
                continue;
            }
            let superposition = superpose(&pairs);
            for operator in operators {
                let both = operator.after(&superposition.operator);
                let Some(found_here) = around(&both, one.middle, middle_of_all) else { continue };
                if !are_near(&one.alphas, &other.alphas, operator) {
                    continue;
                }
                let Around { order, angle, site, tilt } = found_here;
                let near = axes.iter().find(|(_, axis)| dot(*axis, site).abs() > SAME_QUASI_AXIS);
                let direction = near.map_or(site, |(_, axis)| {
                    let sign = if dot(*axis, site) < 0.0 { -1.0 } else { 1.0 };
                    axis.map(|component| sign * component)
                });
                let quasi = QuasiAxis {
                    chains: [one, other].map(|copy| copy.chain.id_in_file.clone()),
                    angle,
                    tilt,
                    deviation: superposition.deviation,
                    residues: pairs.len(),
                };
                found.push(Candidate { order, direction, quasi });
            }
        }
    }
    let highest = |candidate: &Candidate| {
        let same = found
            .iter()
            .filter(|other| dot(other.direction, candidate.direction) > SAME_QUASI_AXIS);
        same.map(|other| other.order).max() == Some(candidate.order)
    };
    let mut kept = found.iter().map(highest).collect::<Vec<bool>>().into_iter();
    found.retain(|_| kept.next() == Some(true));
    found
}

/// Where a turn about an axis of some order superposes a chain on a neighbour.
struct Around {
    order: u32,
    /// Degrees.
    angle: f64,
    /// The direction from the centre of the assembly to the point of the axis between the chains.
    site: Vector,
    /// The angle between the axis and this direction, degrees.
    tilt: f64,
}

fn around(operator: &Operator, middle: Vector, centre: Vector) -> Option<Around> {
    let turn = Turn::of(operator)?;
    let order = turn.order_within(ANGLE_OF_QUASI_AXES)?;
    if !QUASI_ORDERS.contains(&order) || turn.screw.abs() > SCREW_OF_QUASI_AXES {
        return None;
    }
    let site = unit(difference(turn.nearest_on_axis(operator, middle), centre))?;
    let cosine = dot(turn.direction, site).abs();
    let tilt = cosine.min(1.0).acos().to_degrees();
    (cosine > TILT_OF_QUASI_AXES).then_some(Around { order, angle: turn.angle, site, tilt })
}

/// The alpha carbons of residues with one number and one name. None if the chains are not of one
/// sequence: if names differ at a tenth of the shared numbers, or if half of the shorter chain has no partner.
fn shared_residues(
    structure: &Structure,
    one: &FirstCopy<'_>,
    other: &FirstCopy<'_>,
) -> Vec<(Vector, Vector)> {
    let key = |residue: usize| {
        let residue = &structure.residues[residue];
        (residue.number, residue.insertion)
    };
    let partners: HashMap<_, usize> =
        other.chain.residues.clone().map(|residue| (key(residue), residue)).collect();
    let (mut pairs, mut numbered) = (Vec::new(), 0);
    for residue in one.chain.residues.clone() {
        let Some(&partner) = partners.get(&key(residue)) else { continue };
        numbered += 1;
        if structure.residues[residue].name != structure.residues[partner].name {
            continue;
        }
        let alphas = [residue, partner].map(|residue| structure.alpha_carbon(residue));
        if let [Some(a), Some(b)] = alphas {
            pairs.push((one.operator.apply(a.position), other.operator.apply(b.position)));
        }
    }
    let shorter = one.chain.residues.len().min(other.chain.residues.len());
    if 10 * pairs.len() < 9 * numbered || 2 * pairs.len() < shorter {
        pairs.clear();
    }
    pairs
}

/// Whether any of some positions is near any of others that an operator moves.
fn are_near(one: &[Vector], other: &[Vector], operator: &Operator) -> bool {
    other.iter().any(|&at| {
        let at = operator.apply(at);
        one.iter().any(|&position| {
            let apart = difference(position, at);
            dot(apart, apart) < NEIGHBOURS * NEIGHBOURS
        })
    })
}
