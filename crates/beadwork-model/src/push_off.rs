//! Soft repulsions that push overlapping beads apart, and how densely repulsions let beads be packed.

use std::f64::consts::PI;

use crate::interactions::Interactions;
use crate::potentials::pair::{
    DpdConservative, PairEntry, PairFormula, PairTable, PairTerm, PairVisitor,
};
use crate::start_check::EnergyOf;
use crate::system::System;
use crate::units::Units;

/// Levels of strength in a push-off.
const LEVELS: u32 = 6;
/// The energy of a soft core grows by this factor from level to level, from half of kT at room temperature, or half of a
/// reduced unit.
const GROWTH: f64 = 4.0;
const ROOM_TEMPERATURE: f64 = 0.6;
/// Energies of two beads, in the same unit, that are implausible in a fluid (as in `force_unit.rs`).
const IMPLAUSIBLE_ENERGY: f64 = 64.0;
/// Cores are looked for from this part of the cutoff on, in steps of this factor.
const SMALLEST_CORE: f64 = 1e-3;
const SCAN: f64 = 1.01;
const HALVINGS: u32 = 40;

/// The level of strength at a step of a push-off of so many steps.
pub fn level(step: u64, steps: u64) -> u32 {
    (u128::from(step) * u128::from(LEVELS) / u128::from(steps.max(1))) as u32
}

/// The first step after a step of a push-off that has another level; `None` after the push-off.
pub fn end_of_level(step: u64, steps: u64) -> Option<u64> {
    let next = u128::from(level(step, steps)) + 1;
    (step < steps).then(|| (next * u128::from(steps)).div_ceil(u128::from(LEVELS)) as u64)
}

impl System {
    /// The same system with soft repulsions in place of all pair terms: between two types (a/2) r_c (1 − r/r_c)² up to the
    /// distance r_c below which their pair terms repel. Bonds, angles and fields stay.
    ///
    /// Where beads of a random start overlap, their own forces have no bounds. A soft repulsion that grows pushes chains apart
    /// gently (Auhl, Everaers, Grest, Kremer and Plimpton, J. Chem. Phys. 119, 12718, 2003). FENE bonds have no rest length
    /// without the repulsion of their beads, and shrink while it is weak.
    #[must_use]
    pub fn softened(&self, level: u32) -> System {
        let energy = self.scale_of_energy() * GROWTH.powi(level as i32);
        let soft = |a: usize, b: usize| {
            let types = [a as u16, b as u16];
            let force = |term: &PairTerm, r2| term.visit(ForceOf { types, r2 });
            let cutoff = self.core(types, |r2| self.sum(|term| force(term, r2)));
            let strength = if cutoff > 0.0 { energy / cutoff } else { 0.0 };
            PairEntry { potential: DpdConservative { strength, cutoff }, cutoff }
        };
        let pairs = match self.interactions.pairs.is_empty() {
            true => Vec::new(),
            false => vec![PairTable::new(self.types.len(), soft).into()],
        };
        let interactions = Interactions { pairs, thermostat: None, ..self.interactions.clone() };
        System { interactions, ..self.clone() }
    }

    /// The share of a box that beads take as spheres whose diameter is the distance at which the energy of two beads of
    /// their type is implausible. Equal spheres fill at most π/√18 = 0.74. `None` in open space.
    pub fn packing_fraction(&self) -> Option<f64> {
        let most = IMPLAUSIBLE_ENERGY * self.scale_of_energy();
        let sphere = |kind: usize| {
            let types = [kind as u16; 2];
            let energy = |term: &PairTerm, r2| term.visit(EnergyOf { types, r2 });
            let diameter = self.core(types, |r2| self.sum(|term| energy(term, r2)) - most);
            PI / 6.0 * diameter.powi(3)
        };
        let spheres: Vec<f64> = (0..self.types.len()).map(sphere).collect();
        let filled: f64 = self.particles.types.iter().map(|&kind| spheres[usize::from(kind)]).sum();
        self.boundary.volume().map(|volume| filled / volume)
    }

    fn scale_of_energy(&self) -> f64 {
        match self.units {
            Units::Real => ROOM_TEMPERATURE,
            Units::Reduced => 1.0,
        }
    }

    fn sum(&self, of_term: impl Fn(&PairTerm) -> f64) -> f64 {
        self.interactions.pairs.iter().map(of_term).sum()
    }

    /// The distance, Å, below which a function of the squared distance is positive; at most the cutoff of two types.
    fn core(&self, types: [u16; 2], value: impl Fn(f64) -> f64) -> f64 {
        let cutoffs = self.interactions.pair_cutoffs();
        let cutoff = cutoffs.between(types[0], types[1]);
        let is_inside = |r: f64| value(r * r) > 0.0;
        let mut inside = SMALLEST_CORE * cutoff;
        if !is_inside(inside) {
            return 0.0;
        }
        let mut outside = inside * SCAN;
        while outside < cutoff && is_inside(outside) {
            inside = outside;
            outside *= SCAN;
        }
        outside = outside.min(cutoff);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (inside + outside);
            if is_inside(middle) {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        outside
    }
}

/// Force over distance of two beads of a pair term; 0 beyond its cutoff.
struct ForceOf {
    types: [u16; 2],
    r2: f64,
}

impl PairVisitor for ForceOf {
    type Output = f64;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> f64 {
        let entry = term.between(self.types[0], self.types[1]);
        match self.r2 < entry.cutoff * entry.cutoff {
            true => entry.potential.force_over_distance(self.r2),
            false => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Boundary, ParticleType, Particles};
    use crate::potentials::pair::{DebyeHuckel, LennardJones, PairPotential};

    /// Beads of two types at one place in a box of volume 10.
    fn system(beads: usize, pairs: Vec<PairTerm>) -> System {
        let labels = vec![beadwork_structure::Label::default(); beads];
        System {
            particles: Particles::of_one_type(labels, vec![[0.0; 3]; beads]),
            types: vec![ParticleType::new("A", 1.0), ParticleType::new("B", 1.0)],
            boundary: Boundary::Periodic { lengths: [2.0, 2.0, 2.5] },
            interactions: Interactions { pairs, ..Interactions::default() },
            units: Units::Reduced,
            ..System::default()
        }
    }

    fn table<F: Copy>(entries: [(F, f64); 3]) -> PairTable<F> {
        PairTable::new(2, |a, b| {
            let (potential, cutoff) = entries[a + b];
            PairEntry { potential, cutoff }
        })
    }

    #[test]
    fn soft_repulsions_end_where_pairs_cease_to_repel() {
        let minimum = 2.0_f64.powf(1.0 / 6.0);
        let wca = LennardJones::weeks_chandler_andersen(1.0, 1.0);
        let long = LennardJones::cut(0.5, 1.5, 2.5);
        let none = LennardJones::cut(0.0, 1.0, 2.5);
        let pairs = table([(wca, wca.cutoff), (long, 2.5), (none, 2.5)]);
        let soft = system(4, vec![pairs.into()]).softened(2);
        let soft: &PairTable<DpdConservative> = soft.interactions.pairs_by().unwrap();
        let cores = [(0, 0), (0, 1), (1, 1)].map(|(a, b)| soft.between(a, b).cutoff);
        for (core, expected) in cores.into_iter().zip([minimum, 1.5 * minimum, 0.0]) {
            assert!((core - expected).abs() < 1e-9, "{core} {expected}");
        }
        // Half of 4² at distance 0.
        let energy = soft.between(0, 0).potential.energy(0.0);
        assert!((energy - 8.0).abs() < 1e-12, "{energy}");
        assert_eq!([0, 99, 100, 599].map(|step| level(step, 600)), [0, 0, 1, 5]);
        for steps in [1, 4, 6, 601] {
            for step in 0..steps {
                let end = end_of_level(step, steps).unwrap();
                assert!((step..end).all(|other| level(other, steps) == level(step, steps)));
                assert!(end == steps || level(end, steps) > level(step, steps));
            }
            assert_eq!(end_of_level(steps, steps), None);
        }
    }

    #[test]
    fn all_terms_of_a_pair_decide_on_its_core() {
        // 4 (12 r⁻¹² − 6 r⁻⁶) = −A r⁻¹ of an unscreened attraction, cut far away, at about 0.95.
        let repulsion = LennardJones::cut(1.0, 1.0, 2.5);
        let attraction = DebyeHuckel::shifted(-20.0, 1e-9, 2.5);
        let pairs = vec![table([(repulsion, 2.5); 3]).into(), table([(attraction, 2.5); 3]).into()];
        let soft = system(4, pairs).softened(0);
        let soft: &PairTable<DpdConservative> = soft.interactions.pairs_by().unwrap();
        let core = soft.between(0, 0).cutoff;
        let force = 24.0 * (2.0 * core.powi(-13) - core.powi(-7)) - 20.0 / (core * core);
        assert!(force.abs() < 1e-6, "{core}: {force}");
    }

    #[test]
    fn spheres_fill_a_share_of_the_box() {
        // 4 (r⁻¹² − r⁻⁶) = 64 where r⁻⁶ = (1 + √65)/2, and ten spheres in a volume of 10.
        let hard = LennardJones::cut(1.0, 1.0, 2.5);
        let filled = |pairs: PairTerm| system(10, vec![pairs]).packing_fraction().unwrap();
        let r6: f64 = (1.0 + 65.0_f64.sqrt()) / 2.0;
        let expected = PI / 6.0 * r6.powf(-0.5);
        let found = filled(table([(hard, 2.5); 3]).into());
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        // Soft beads fill nothing.
        let soft = DpdConservative { strength: 100.0, cutoff: 1.0 };
        assert_eq!(filled(table([(soft, 1.0); 3]).into()), 0.0);
    }
}
