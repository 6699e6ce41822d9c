//! Axes of an assembly: those of its operators, and the choice between equivalent ones.

use std::collections::BTreeSet;

use crate::assembly::{Assembly, Operator};
use crate::error::Error;
use crate::quasi_axes::{Candidate, FirstCopy, QuasiAxis, quasi_axes};
use crate::rotations::Turn;
use crate::structure::{Chain, Structure};
use crate::vectors::{Vector, dot};

/// Most operators whose axes are looked for; the time grows with their square.
const MOST_OPERATORS: usize = 1000;
/// The least cosine of the angle between directions of one axis.
const SAME_AXIS: f64 = 0.9999;

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
        if let Orientation::Along(direction) = wanted {
            return Ok(Axis { direction, equivalent: 1, quasi: None });
        }
        let operators = self.shared_operators(unit, &keep)?;
        let directions = match wanted {
            Orientation::Along(_) => None,
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

    fn quasi_axes(
        &self,
        unit: &Structure,
        keep: impl Fn(&Chain) -> bool,
        operators: &[Operator],
    ) -> Vec<Candidate> {
        let mut copied: BTreeSet<usize> = BTreeSet::new();
        let mut chains = Vec::new();
        for generator in &self.generators {
            let Some(first) = generator.each_operator().next() else { continue };
            for &number in generator.chains() {
                let chain = unit.chains.get(number).filter(|chain| keep(chain));
                if let Some(chain) = chain.filter(|_| copied.insert(number)) {
                    chains.push(FirstCopy::new(unit, chain, &first));
                }
            }
        }
        quasi_axes(unit, &chains, operators, &orders(operators))
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
