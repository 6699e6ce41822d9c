//! Axes of an assembly: those of its operators, and quasi-axes between chains of one sequence.

use std::collections::{BTreeSet, HashMap};

use crate::assembly::{Assembly, Operator};
use crate::error::Error;
use crate::rotations::Turn;
use crate::structure::{Chain, Structure};
use crate::superposition::superpose;
use crate::vectors::{Vector, centre, difference, dot, unit};

/// Most operators whose axes are looked for; the time grows with their square.
const MOST_OPERATORS: usize = 1000;
/// Largest deviation of the angle of a quasi-axis, degrees.
const ANGLE_OF_QUASI_AXES: f64 = 10.0;
/// Å: chains about a quasi-axis have alpha carbons closer than this.
const NEIGHBOURS: f64 = 10.0;
/// Å: the longest shift along a quasi-axis.
const SCREW_OF_QUASI_AXES: f64 = 3.0;
/// The least cosine of the angle between the axis about which neighbours turn and the line from the centre (30 degrees).
const TILT_OF_QUASI_AXES: f64 = 0.866;
/// The least cosine of the angle between directions of one axis of operators, and of one quasi-axis (5 degrees).
const SAME_AXIS: f64 = 0.9999;
const SAME_QUASI_AXIS: f64 = 0.996;
/// The orders of quasi-axes: of dimers, trimers, and rings of up to six.
const QUASI_ORDERS: std::ops::RangeInclusive<u32> = 2..=6;
/// Chains of one sequence share at least this many residues.
const LEAST_SHARED: usize = 10;

/// Which way a structure is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Orientation {
    /// An axis of this order of the assembly's operators.
    Fold(u32),
    /// An axis of about this order between chains of one sequence that no operator relates.
    QuasiFold(u32),
    /// A direction of the file.
    Along([f64; 3]),
}

impl Orientation {
    /// Reads the name of an axis: `2-fold` or `quasi-3-fold`.
    pub fn named(text: &str) -> Option<Orientation> {
        let (quasi, rest) = match text.strip_prefix("quasi-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let order: u32 = rest.strip_suffix("-fold")?.parse().ok()?;
        match order {
            0 | 1 => None,
            _ if quasi => Some(Orientation::QuasiFold(order)),
            _ => Some(Orientation::Fold(order)),
        }
    }
}

/// An axis that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its unit vector in the file. Of equivalent ones it is nearest to +z, then to +y, then to +x.
    pub direction: [f64; 3],
    /// How many axes, or sites of a quasi-axis, the operators make of it, itself included.
    pub equivalent: usize,
    /// How it was found, if it is a quasi-axis.
    pub quasi: Option<QuasiAxis>,
}

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

/// An axis before the choice between equivalent ones.
#[derive(Debug)]
struct Candidate {
    order: u32,
    direction: Vector,
    quasi: QuasiAxis,
}

impl Assembly {
    /// Finds an axis of the assembly of those chains of `unit` that `keep` accepts.
    ///
    /// # Errors
    /// If it has no such axis; the message names those that it has.
    pub fn axis(
        &self,
        unit: &Structure,
        keep: impl Fn(&Chain) -> bool,
        wanted: Orientation,
    ) -> Result<Axis, Error> {
        let operators = self.shared_operators(unit, &keep)?;
        let directions = match wanted {
            Orientation::Along(direction) => {
                return Ok(Axis { direction, equivalent: 1, quasi: None });
            }
            Orientation::Fold(order) => match directions_of(&operators, order) {
                found if found.is_empty() => None,
                found => Some((found, None)),
            },
            Orientation::QuasiFold(order) => {
                let candidates = self.quasi_axes(unit, &keep, &operators);
                let of_order = candidates.into_iter().filter(|one| one.order == order);
                // The nearest to the ideal angle, to a thousandth of a degree; the first of several.
                let off = |one: &Candidate| {
                    (1e3 * (one.quasi.angle - 360.0 / f64::from(order)).abs()).round() as u64
                };
                of_order.min_by_key(off).map(|one| {
                    let turned = |operator: &Operator| operator.rotate(one.direction);
                    (operators.iter().map(turned).collect(), Some(one.quasi))
                })
            }
        };
        let Some((directions, quasi)) = directions else {
            return Err(self.no_such_axis(unit, &keep, &operators, wanted));
        };
        let mut different: Vec<Vector> = Vec::new();
        for &direction in &directions {
            // A site has one direction, outwards; an axis of operators has two.
            let is_same = |known: &Vector| match dot(*known, direction) {
                cosine if quasi.is_none() => cosine.abs() > SAME_AXIS,
                cosine => cosine > SAME_AXIS,
            };
            if !different.iter().any(is_same) {
                different.push(direction);
            }
        }
        Ok(Axis { direction: nearest_to_z(&directions), equivalent: different.len(), quasi })
    }

    /// The operators that move all kept chains, each after the inverse of the first, so that the first is the identity.
    fn shared_operators(
        &self,
        unit: &Structure,
        keep: impl Fn(&Chain) -> bool,
    ) -> Result<Vec<Operator>, Error> {
        let is_kept = |chain: &usize| unit.chains.get(*chain).is_some_and(&keep);
        let used = self.generators.iter().filter(|one| one.chains().iter().any(is_kept));
        let mut shared: Option<Vec<Operator>> = None;
        for generator in used {
            if generator.operators() > MOST_OPERATORS {
                let message = format!(
                    "{}: assembly {} has {} operators, and axes are looked for among {MOST_OPERATORS} at most. Turn it by a vector, such as [0, 0, 1].",
                    unit.source,
                    self.id,
                    generator.operators()
                );
                return Err(Error::new("structure/no-such-axis", message));
            }
            let all: Vec<Operator> = generator.each_operator().collect();
            let Some(first) = all.first().map(Operator::inverse) else { continue };
            let relative: Vec<Operator> = all.iter().map(|one| one.after(&first)).collect();
            shared = Some(match shared {
                None => relative,
                Some(mut earlier) => {
                    earlier.retain(|one| relative.iter().any(|other| is_same(one, other)));
                    earlier
                }
            });
        }
        Ok(shared.unwrap_or_default())
    }

    /// Axes of superpositions of neighbouring chains of one sequence, in the order of chains and operators. An axis that
    /// has a smaller angle too has that order.
    fn quasi_axes(
        &self,
        structure: &Structure,
        keep: impl Fn(&Chain) -> bool,
        operators: &[Operator],
    ) -> Vec<Candidate> {
        let first = self.generators.first().and_then(|one| one.each_operator().next());
        let first = first.unwrap_or(Operator::IDENTITY);
        let copied: BTreeSet<usize> =
            self.generators.iter().flat_map(|one| one.chains().iter().copied()).collect();
        let chains: Vec<&Chain> = copied
            .into_iter()
            .filter_map(|chain| structure.chains.get(chain))
            .filter(|chain| keep(chain))
            .collect();
        let alphas: Vec<Vec<Vector>> = chains
            .iter()
            .map(|chain| {
                let residues = chain.residues.clone();
                let alphas = residues.filter_map(|residue| structure.alpha_carbon(residue));
                alphas.map(|atom| first.apply(atom.position)).collect()
            })
            .collect();
        let middles: Vec<Vector> =
            alphas.iter().map(|alphas| centre(alphas.iter().copied())).collect();
        let all = operators
            .iter()
            .flat_map(|operator| middles.iter().map(|&middle| operator.apply(middle)));
        let middle_of_all = centre(all);
        let axes = orders(operators);
        let mut found: Vec<Candidate> = Vec::new();
        for (x, one) in chains.iter().enumerate() {
            for (y, other) in chains.iter().enumerate().skip(x + 1) {
                let pairs = shared_residues(structure, one, other, &first);
                if pairs.len() < LEAST_SHARED {
                    continue;
                }
                let superposition = superpose(&pairs);
                for operator in operators {
                    let both = operator.after(&superposition.operator);
                    let around = around(&both, middles[x], middle_of_all);
                    let Some((order, angle, site, tilt)) = around else { continue };
                    if !are_near(&alphas[x], &alphas[y], operator) {
                        continue;
                    }
                    // An axis of the operators close by is meant.
                    let near =
                        axes.iter().find(|(_, axis)| dot(*axis, site).abs() > SAME_QUASI_AXIS);
                    let direction = near.map_or(site, |(_, axis)| {
                        let sign = if dot(*axis, site) < 0.0 { -1.0 } else { 1.0 };
                        axis.map(|component| sign * component)
                    });
                    let quasi = QuasiAxis {
                        chains: [one.id_in_file.clone(), other.id_in_file.clone()],
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
        let kept: Vec<bool> = found.iter().map(highest).collect();
        let mut kept = kept.into_iter();
        found.retain(|_| kept.next() == Some(true));
        found
    }

    fn no_such_axis(
        &self,
        unit: &Structure,
        keep: impl Fn(&Chain) -> bool,
        operators: &[Operator],
        wanted: Orientation,
    ) -> Error {
        let orders: BTreeSet<u32> = orders(operators).into_iter().map(|(order, _)| order).collect();
        let quasi: BTreeSet<u32> =
            self.quasi_axes(unit, keep, operators).into_iter().map(|one| one.order).collect();
        let names = orders.iter().map(|order| format!("{order}-fold"));
        let names: Vec<String> =
            names.chain(quasi.iter().map(|order| format!("quasi-{order}-fold"))).collect();
        let wanted = match wanted {
            Orientation::QuasiFold(order) => format!("quasi-{order}-fold"),
            Orientation::Fold(order) => format!("{order}-fold"),
            Orientation::Along(_) => "such".to_owned(),
        };
        let advice = match names.as_slice() {
            [] => "it has none at all. Write a vector, such as [0, 0, 1]".to_owned(),
            names => format!(
                "it has these: {}. Write one of them, or a vector such as [0, 0, 1]",
                names.join(", ")
            ),
        };
        let message =
            format!("{}: assembly {} has no {wanted} axis; {advice}.", unit.source, self.id);
        Error::new("structure/no-such-axis", message)
    }
}

/// The order and the angle of the turn that superposes a chain on a neighbour, the direction from the centre of the
/// assembly to the point of its axis between them, and the angle between both, degrees; `None` if there is no such order.
fn around(operator: &Operator, middle: Vector, centre: Vector) -> Option<(u32, f64, Vector, f64)> {
    let turn = Turn::of(operator)?;
    let order = turn.order_within(ANGLE_OF_QUASI_AXES)?;
    if !QUASI_ORDERS.contains(&order) || turn.screw.abs() > SCREW_OF_QUASI_AXES {
        return None;
    }
    let site = unit(difference(turn.nearest_on_axis(operator, middle), centre))?;
    let cosine = dot(turn.direction, site).abs();
    let tilt = cosine.min(1.0).acos().to_degrees();
    (cosine > TILT_OF_QUASI_AXES).then_some((order, turn.angle, site, tilt))
}

/// Whether two operators move positions of a file to the same places, up to the decimals of files.
fn is_same(one: &Operator, other: &Operator) -> bool {
    let near =
        |a: &[f64], b: &[f64], limit: f64| a.iter().zip(b).all(|(a, b)| (a - b).abs() < limit);
    near(one.rotation.as_flattened(), other.rotation.as_flattened(), 2e-3)
        && near(&one.translation, &other.translation, 0.5)
}

/// The order of the axis of each operator that has one, with its direction. An axis about which another operator turns
/// by a smaller angle has that operator's order.
fn orders(operators: &[Operator]) -> Vec<(u32, Vector)> {
    let turns: Vec<(u32, Vector)> = operators
        .iter()
        .filter_map(|operator| {
            Turn::of(operator).and_then(|turn| Some((turn.order()?, turn.direction)))
        })
        .collect();
    let is_highest = |&&(order, direction): &&(u32, Vector)| {
        !turns
            .iter()
            .any(|(other, along)| *other > order && dot(*along, direction).abs() > SAME_AXIS)
    };
    turns.iter().filter(is_highest).copied().collect()
}

/// Both directions of all axes of this order.
fn directions_of(operators: &[Operator], order: u32) -> Vec<Vector> {
    let axes = orders(operators).into_iter().filter(|(found, _)| *found == order);
    axes.flat_map(|(_, along)| [along, along.map(|component| 0.0 - component)]).collect()
}

/// The direction with the largest z, of those the one with the largest y, of those the one with the largest x. Numbers
/// that differ by a rounding of the file count as equal.
fn nearest_to_z(directions: &[Vector]) -> Vector {
    let rank = |direction: &Vector| {
        let rounded = direction.map(|component| (1e4 * component).round() as i64);
        [rounded[2], rounded[1], rounded[0]]
    };
    let mut best = directions.first().copied().unwrap_or([0.0, 0.0, 1.0]);
    for direction in directions {
        if rank(direction) > rank(&best) {
            best = *direction;
        }
    }
    best
}

/// The alpha carbons of residues with one number and one name, after an operator. None if the chains are not of one
/// sequence: if names differ at a tenth of the shared numbers, or if half of the shorter chain has no partner.
fn shared_residues(
    unit: &Structure,
    one: &Chain,
    other: &Chain,
    operator: &Operator,
) -> Vec<(Vector, Vector)> {
    let key = |residue: usize| {
        let residue = &unit.residues[residue];
        (residue.number, residue.insertion)
    };
    let partners: HashMap<_, usize> =
        other.residues.clone().map(|residue| (key(residue), residue)).collect();
    let (mut pairs, mut numbered) = (Vec::new(), 0);
    for residue in one.residues.clone() {
        let Some(&partner) = partners.get(&key(residue)) else { continue };
        numbered += 1;
        if unit.residues[residue].name != unit.residues[partner].name {
            continue;
        }
        let alphas = [residue, partner].map(|residue| unit.alpha_carbon(residue));
        if let [Some(a), Some(b)] = alphas {
            pairs.push((operator.apply(a.position), operator.apply(b.position)));
        }
    }
    let shorter = one.residues.len().min(other.residues.len());
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
