//! The order in which a bead's forces are summed, to the bit.

use std::sync::Arc;

use beadwork_cpu::reference::{Forces, PARTIAL_SUMS};
use beadwork_model::potentials::angle::outer_forces;
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairFormula, PairTable};
use beadwork_model::potentials::{
    AngleTerm, CosineSquaredAngle, HarmonicTrap, LennardJones, PairPotential, SinglePotential,
    SixthPowerRepulsion, convert,
};
use beadwork_model::{Pairs, System};
use beadwork_random::Normal;

use crate::everything::{everything, everything_and_types};
use crate::support::shaken;

/// r_i − r_j.
pub fn apart<T: Normal>(positions: &[[T; 3]], i: usize, j: usize) -> [T; 3] {
    [0, 1, 2].map(|axis| positions[i][axis] - positions[j][axis])
}

/// The forces on i of listed pairs (i, j).
struct Listed<'a, T>(&'a [[T; 3]]);

impl<T: Normal> BondedVisitor for Listed<'_, T> {
    type Output = Vec<(usize, usize, [T; 3])>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let force = |pair: &beadwork_model::Pair<F>| {
            let [x, y, z] = apart(self.0, pair.i, pair.j);
            let potential: F::In<T> = convert(pair.potential);
            let factor = potential.force_over_distance(x * x + y * y + z * z);
            (pair.i, pair.j, [x, y, z].map(|component| factor * component))
        };
        term.iter().map(force).collect()
    }
}

/// The force over the distance of a pair term between beads of two types.
fn over_distance<F: PairFormula, T: Normal>(
    term: Option<&PairTable<F>>,
    types: [u16; 2],
    r2: T,
) -> Option<T> {
    let entry = term?.between(types[0], types[1]);
    let potential: F::In<T> = convert(entry.potential);
    (r2 < T::from_f64(entry.cutoff * entry.cutoff)).then(|| potential.force_over_distance(r2))
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
            let repulsion = over_distance(all.pairs_by::<SixthPowerRepulsion>(), types, r2);
            let attraction = over_distance(all.pairs_by::<LennardJones>(), types, r2);
            let factor = repulsion.into_iter().chain(attraction).reduce(|sum, next| sum + next);
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
    for AngleTerm::CosineSquaredAngle(angles) in &system.interactions.angles {
        for angle in angles {
            let [i, j, k] = angle.beads;
            let potential: CosineSquaredAngle<T> = convert(angle.potential);
            let (on_i, on_k) =
                outer_forces(&potential, apart(positions, i, j), apart(positions, k, j));
            forces[i] = plus(forces[i], on_i);
            forces[j] = plus(forces[j], plus(on_i, on_k).map(|component| -component));
            forces[k] = plus(forces[k], on_k);
        }
    }
    for trap in system.interactions.singles_by::<HarmonicTrap>() {
        let potential: HarmonicTrap<T> = convert(trap.potential);
        forces[trap.bead] = plus(forces[trap.bead], potential.force(positions[trap.bead]));
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
