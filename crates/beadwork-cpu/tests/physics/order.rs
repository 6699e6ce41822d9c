//! The order in which a bead's forces are summed, to the bit.

use std::sync::Arc;

use beadwork_cpu::reference::{Forces, PARTIAL_SUMS};
use beadwork_model::potentials::angle::{AngleFormula, AngleTerm, AngleVisitor, outer_forces};
use beadwork_model::potentials::bonded::{BondedTerm, BondedVisitor};
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairTerm, PairVisitor};
use beadwork_model::potentials::single::{SingleFormula, SingleTerm, SingleVisitor};
use beadwork_model::potentials::{PairPotential, SinglePotential, convert};
use beadwork_model::{Angle, Angles, Pair, Pairs, Single, Singles, System};
use beadwork_random::Normal;

use crate::everything::{everything, everything_and_types};
use crate::support::shaken;

/// r_i − r_j.
pub fn apart<T: Normal>(positions: &[[T; 3]], i: usize, j: usize) -> [T; 3] {
    [0, 1, 2].map(|axis| positions[i][axis] - positions[j][axis])
}

/// The forces on i from listed pairs (i, j), on the outer beads of angles, and on beads in fields.
struct Listed<'a, T>(&'a [[T; 3]]);

impl<T: Normal> BondedVisitor for Listed<'_, T> {
    type Output = Vec<(usize, usize, [T; 3])>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let force = |pair: &Pair<F>| {
            let [x, y, z] = apart(self.0, pair.i, pair.j);
            let potential: F::In<T> = convert(pair.potential);
            let factor = potential.force_over_distance(x * x + y * y + z * z);
            (pair.i, pair.j, [x, y, z].map(|component| factor * component))
        };
        term.iter().map(force).collect()
    }
}

impl<T: Normal> AngleVisitor for Listed<'_, T> {
    type Output = Vec<([usize; 3], [T; 3], [T; 3])>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        let outer = |angle: &Angle<F>| {
            let [i, j, k] = angle.beads;
            let potential: F::In<T> = convert(angle.potential);
            let (on_i, on_k) = outer_forces(&potential, apart(self.0, i, j), apart(self.0, k, j));
            (angle.beads, on_i, on_k)
        };
        term.iter().map(outer).collect()
    }
}

impl<T: Normal> SingleVisitor for Listed<'_, T> {
    type Output = Vec<(usize, [T; 3])>;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> Self::Output {
        let force = |single: &Single<F>| {
            let potential: F::In<T> = convert(single.potential);
            (single.bead, potential.force(self.0[single.bead]))
        };
        term.iter().map(force).collect()
    }
}

/// Force over distance of a pair term between beads of two types at a squared distance; `None` beyond the cutoff.
struct OverDistance<T>([u16; 2], T);

impl<T: Normal> PairVisitor for OverDistance<T> {
    type Output = Option<T>;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Option<T> {
        let OverDistance([a, b], r2) = self;
        let entry = term.between(a, b);
        let potential: F::In<T> = convert(entry.potential);
        (r2 < T::from_f64(entry.cutoff * entry.cutoff)).then(|| potential.force_over_distance(r2))
    }
}

/// The forces on i of all pairs (i, j): bonded terms in their order, then pairs within a cutoff; in each (i, j) ascend.
pub fn pair_forces<T: Normal>(
    system: &System,
    positions: &[[T; 3]],
) -> Vec<(usize, usize, [T; 3])> {
    let all = &system.interactions;
    let mut forces: Vec<_> =
        all.bonded.iter().flat_map(|term| term.visit(Listed(positions))).collect();
    for i in 0..positions.len() {
        for j in i + 1..positions.len() {
            let [x, y, z] = apart(positions, i, j);
            let types = [i, j].map(|bead| system.particles.types[bead]);
            let r2 = x * x + y * y + z * z;
            let terms = all.pairs.iter().filter_map(|term| term.visit(OverDistance(types, r2)));
            let factor = terms.reduce(|sum, next| sum + next);
            if let Some(factor) = factor.filter(|_| !all.excluded.contains(&(i, j))) {
                forces.push((i, j, [x, y, z].map(|component| factor * component)));
            }
        }
    }
    forces
}

fn plus<T: Normal>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    [0, 1, 2].map(|axis| a[axis] + b[axis])
}

/// A bead's force is (p₀ + p₁) + (p₂ + p₃), then angles, then fields; partner j adds to p of j mod 4.
fn forces_by_the_rule<T: Normal>(system: &System, positions: &[[T; 3]]) -> Vec<[T; 3]> {
    let mut sums = vec![[[T::zero(); 3]; PARTIAL_SUMS]; positions.len()];
    for (i, j, force) in pair_forces(system, positions) {
        sums[i][j % 4] = plus(sums[i][j % 4], force);
        sums[j][i % 4] = plus(sums[j][i % 4], force.map(|component| -component));
    }
    let add_up = |[a, b, c, d]: [[T; 3]; PARTIAL_SUMS]| plus(plus(a, b), plus(c, d));
    let mut forces: Vec<[T; 3]> = sums.into_iter().map(add_up).collect();
    for term in &system.interactions.angles {
        for ([i, j, k], on_i, on_k) in term.visit(Listed(positions)) {
            forces[i] = plus(forces[i], on_i);
            forces[j] = plus(forces[j], plus(on_i, on_k).map(|component| -component));
            forces[k] = plus(forces[k], on_k);
        }
    }
    for term in &system.interactions.singles {
        for (bead, force) in term.visit(Listed(positions)) {
            forces[bead] = plus(forces[bead], force);
        }
    }
    forces
}

fn assert_rule<T: Normal>(system: &Arc<System>, seed: u64) {
    let positions = shaken(&system.particles.positions, 0.2, seed);
    let positions: Vec<[T; 3]> = positions.iter().map(|p| p.map(T::from_f64)).collect();
    let mut forces = vec![[T::zero(); 3]; positions.len()];
    Forces::new(system, 1.5).evaluate(&positions, &mut forces).unwrap();
    assert!(forces == forces_by_the_rule(system, &positions), "seed {seed}");
}

/// The rule is frozen: other orders round differently.
#[test]
fn forces_are_summed_in_the_order_of_the_rule() {
    for system in [everything(), everything_and_types()].map(Arc::new) {
        for seed in 0..40 {
            assert_rule::<f64>(&system, seed);
            assert_rule::<f32>(&system, seed);
        }
    }
}

/// All paths are compared on this system, so a formula that it lacks would not be tested.
#[test]
fn the_test_system_has_every_formula() {
    let System { particles, interactions: all, .. } = everything_and_types();
    let positions = &particles.positions;
    let check = |names: &[&str], terms: Vec<(usize, bool)>| {
        for (rank, name) in names.iter().enumerate() {
            assert!(terms.contains(&(rank, true)), "nothing feels {name}: change its EXAMPLE");
        }
        assert!(terms.is_sorted(), "{terms:?}");
    };
    let bonded = all.bonded.iter().map(|t| (t.rank(), !t.visit(Listed(positions)).is_empty()));
    check(BondedTerm::NAMES, bonded.collect());
    let acts = |term: &PairTerm| {
        let feel = |&[a, b]: &[usize; 2]| {
            let r = crate::everything::distance(positions, a, b);
            let types = [a, b].map(|bead| particles.types[bead]);
            term.visit(OverDistance(types, r * r)).is_some_and(|force| force != 0.0)
        };
        (0..positions.len()).any(|b| (0..b).any(|a| feel(&[a, b])))
    };
    check(PairTerm::NAMES, all.pairs.iter().map(|term| (term.rank(), acts(term))).collect());
    let angles = all.angles.iter().map(|t| (t.rank(), !t.visit(Listed(positions)).is_empty()));
    check(AngleTerm::NAMES, angles.collect());
    let singles = all.singles.iter().map(|t| (t.rank(), !t.visit(Listed(positions)).is_empty()));
    check(SingleTerm::NAMES, singles.collect());
}
