//! Chains of residues: one, a proteome of many lengths, and a slab.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::force_fields::residues::{self, Chain, ChargedEnds, ResidueModel, Solution};
use beadwork_model::made_systems::one_stage;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Boundary, Dynamics, Generator, Integrator, Precision, System};

use crate::members::unphysical;
use crate::runs::Workload;
use crate::{Error, SEED};

/// The low-complexity domain of hnRNP A1 (Martin et al., Science 367, 694, 2020).
const A1_LCD: &str = "GSMASASSSQRGRSGSGNFGGGRGGGFGGNDNFGRGGNFSGRGGFGGSRGGGGYGGSGDGYNGFGNDGSNFGGGGSYNDFGNYNNQSSNFGPMKGGNFGGRSSGGSGGGGQYFAKPRNQGGYGGSSSSSSYGSGRRF";
const SOLUTION: Solution = Solution { temperature: 298.0, ionic_strength: 0.15, ph: 7.0 };
/// 1/ps.
const COLLISION_RATE: f64 = 0.01;
/// A straight chain shrinks to its size at rest by the tension of its bonds, which so few collisions hardly slow down, in a
/// time that grows with its length. Its heat leaves within some 25 ps, at twice the rate of the timed runs.
const RELAXATION_RATE: f64 = 0.02;
const RELAXATION_STEPS: u64 = 20_000;
/// Length of the bonds between residues, Å.
const BOND: f64 = 3.8;
/// Steps of 10 fs at 0.01/ps. In two collision times an excess of energy falls to about an eighth, e⁻².
const TWO_COLLISION_TIMES: u64 = 20_000;
/// Chains of more residues still shrink after these steps. The slowest motion of a chain takes a time that grows as the square
/// of its length (Rouse, J. Chem. Phys. 21, 1272, 1953), and so do their steps.
const LONGEST_AT_REST: usize = 137;

impl Workload {
    /// A chain of CALVADOS 2 with the dynamics of the published runs: 298 K, 0.15 mol/L, steps of 10 fs, collisions at
    /// 0.01/ps. It starts where steps with twice as many collisions lead from a straight chain.
    ///
    /// # Errors
    /// None for chains of at least two residues.
    pub fn residues(length: usize) -> Result<Workload, Error> {
        let dynamics = dynamics_of_residues();
        let mut system = chains_of(length, 1)?;
        system.set_collision_rate(RELAXATION_RATE);
        let generator = Generator::Philox4x32x10;
        let steps = RELAXATION_STEPS + 100 * length as u64;
        let protocol = one_stage(dynamics.clone(), generator, SEED, steps, length);
        let (relaxed, start) = (Arc::new(system.clone()), system.particles.positions.clone());
        let mut member = Member::new(relaxed, Arc::new(protocol), 0, &start);
        member.advance(steps).map_err(unphysical)?;
        system.particles.positions = member.positions();
        system.set_collision_rate(COLLISION_RATE);
        let longer = (length as f64 / LONGEST_AT_REST as f64).max(1.0);
        Ok(Workload {
            name: format!("residues-{length}"),
            title: format!("chain of {length} residues"),
            system: Arc::new(system),
            systems: Vec::new(),
            dynamics,
            relaxation: (TWO_COLLISION_TIMES as f64 * longer.powi(2)) as u64,
        })
    }

    /// Chains of 30 to 400 residues with the lengths of disordered human proteins: 30 more than an exponential number of
    /// mean 120. Each starts as the beginning of one relaxed chain.
    pub(super) fn proteome(chains: usize) -> Result<Workload, Error> {
        const LONGEST: usize = 400;
        let longest = Workload::residues(LONGEST)?;
        let positions = &longest.system.particles.positions;
        let mut systems = Vec::with_capacity(chains);
        for chain in 0..chains {
            // The lengths divide the distribution evenly, so that few chains represent it well.
            let part = (chain as f64 + 0.5) / chains as f64;
            let length = (30.0 - 120.0 * part.ln()).min(LONGEST as f64) as usize;
            let mut system = chains_of(length, 1)?;
            system.particles.positions = positions[..length].to_vec();
            system.set_collision_rate(COLLISION_RATE);
            systems.push(Arc::new(system));
        }
        let residues: usize = systems.iter().map(|system| system.beads()).sum();
        Ok(Workload {
            name: format!("proteome-{chains}"),
            title: format!(
                "{chains} chains of 30 to 400 residues, {} on average",
                residues / chains
            ),
            systems,
            relaxation: TWO_COLLISION_TIMES,
            ..longest
        })
    }

    /// Chains in a box of 150 × 150 × 1,500 Å, in which they form a slab: as in simulations of phase separation, they begin
    /// straight and side by side in the middle of the long side.
    ///
    /// # Errors
    /// Chains that are longer than the box.
    pub fn slab(chains: usize, length: usize) -> Result<Workload, Error> {
        const LENGTHS: [f64; 3] = [150.0, 150.0, 1_500.0];
        let mut system = chains_of(length, chains)?;
        let along = LENGTHS[2] / (length as f64 * BOND);
        if along < 1.0 {
            return Err(Error::Arguments(format!(
                "A straight chain of {length} residues is longer than the box of {} A: take {} or fewer.",
                LENGTHS[2],
                (LENGTHS[2] / BOND) as usize
            )));
        }
        let rows = (chains as f64).sqrt().ceil();
        for (bead, at) in system.particles.positions.iter_mut().enumerate() {
            let (chain, residue) = ((bead / length) as f64, (bead % length) as f64);
            let places = [chain % rows, (chain / rows).floor()];
            let middle = 0.5 * (LENGTHS[2] - (length as f64 - 1.0) * BOND);
            let across = places.map(|place| (place + 0.5) * LENGTHS[0] / rows);
            *at = [across[0], across[1], middle + residue * BOND];
        }
        system.boundary = Boundary::Periodic { lengths: LENGTHS };
        system.set_collision_rate(COLLISION_RATE);
        Ok(Workload {
            name: format!("slab-{chains}x{length}"),
            title: format!("slab of {chains} chains of {length} residues"),
            system: Arc::new(system),
            systems: Vec::new(),
            dynamics: dynamics_of_residues(),
            relaxation: 20 * TWO_COLLISION_TIMES,
        })
    }
}

/// The dynamics of the published runs.
fn dynamics_of_residues() -> Dynamics {
    Dynamics {
        integrator: Integrator::Langevin,
        temperature: SOLUTION.temperature * BOLTZMANN,
        friction: 0.0,
        timestep: 0.01,
        precision: Precision::Single,
        skin: 4.0,
    }
}

/// Straight chains of so many residues: pieces and repeats of [`A1_LCD`].
fn chains_of(length: usize, chains: usize) -> Result<System, Error> {
    let sequence: String = A1_LCD.chars().cycle().take(length).collect();
    let chain = Chain::disordered(format!("of {length} residues"), sequence);
    let (model, ends) = (ResidueModel::Calvados2, ChargedEnds::default());
    residues::build(&vec![chain; chains], model, &SOLUTION, ends).map_err(Error::unusable)
}
