//! Fluids in periodic boxes, whose beads begin on a lattice: the systems with which the field compares programs.

use std::sync::Arc;

use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    DpdConservative, DpdThermostat, FeneBond, HarmonicBond, LennardJones, PairNoise, PairThermostat,
};
use beadwork_model::{
    Boundary, Dynamics, Integrator, Interactions, Model, Pair, ParticleType, Particles, Precision,
    System, Units,
};
use beadwork_structure::Label;
use clap::ValueEnum;

use crate::Error;
use crate::runs::Workload;

/// A fluid at kT 1 in reduced units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fluid {
    /// Dissipative particle dynamics of A3B7 block copolymers at density 3 with steps of 0.04 (Phillips et al., J. Comput. Phys. 230, 7191, 2011).
    Dpd,
    /// Chains of 100 beads at density 0.85, Langevin dynamics with friction 0.5 and steps of 0.01 (Kremer and Grest, J. Chem. Phys. 92, 5057, 1990).
    Melt,
    /// A Lennard-Jones liquid at density 0.844, cutoff 2.5, Langevin dynamics with friction 1 and steps of 0.005.
    LennardJones,
}

impl Fluid {
    fn density(self) -> f64 {
        match self {
            Fluid::Dpd => 3.0,
            Fluid::Melt => 0.85,
            Fluid::LennardJones => 0.844,
        }
    }

    /// Beads of a chain.
    fn chain(self) -> usize {
        match self {
            Fluid::Dpd => 10,
            Fluid::Melt => 100,
            Fluid::LennardJones => 1,
        }
    }

    /// The subcommand of `bench` that measures it.
    pub(super) fn command(self) -> &'static str {
        match self {
            Fluid::Dpd => "dpd",
            Fluid::Melt => "melt",
            Fluid::LennardJones => "fluid",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Fluid::Dpd => "DPD melt of A3B7",
            Fluid::Melt => "Kremer-Grest melt",
            Fluid::LennardJones => "Lennard-Jones liquid",
        }
    }

    fn interactions(self, beads: usize) -> Interactions {
        let mut interactions = Interactions::default();
        match self {
            Fluid::Dpd => {
                let soft = |a, b| {
                    let strength = if a == b { 25.0 } else { 50.0 };
                    PairEntry { potential: DpdConservative { strength, cutoff: 1.0 }, cutoff: 1.0 }
                };
                let drag = PairEntry {
                    potential: DpdThermostat { friction: 4.5, cutoff: 1.0 },
                    cutoff: 1.0,
                };
                interactions.pairs = vec![PairTable::new(2, soft).into()];
                interactions.thermostat = Some(PairThermostat {
                    table: PairTable::new(2, |_, _| drag),
                    noise: PairNoise::Uniform,
                });
                let spring = HarmonicBond { stiffness: 4.0, length: 0.0 };
                interactions.bonded = vec![self.bonds(beads, spring).into()];
            }
            Fluid::Melt => {
                let core = LennardJones::weeks_chandler_andersen(1.0, 1.0);
                let cutoff = 2.0_f64.powf(1.0 / 6.0);
                interactions.pairs = vec![PairTable::of_one_type(core, cutoff).into()];
                let spring = FeneBond { stiffness: 30.0, limit: 1.5, length: 0.0 };
                interactions.bonded = vec![self.bonds(beads, spring).into()];
            }
            Fluid::LennardJones => {
                let pair = LennardJones::cut(1.0, 1.0, 2.5);
                interactions.pairs = vec![PairTable::of_one_type(pair, 2.5).into()];
            }
        }
        interactions
    }

    fn bonds<F: Copy>(self, beads: usize, potential: F) -> Vec<Pair<F>> {
        let bonds = (1..beads).filter(|j| !j.is_multiple_of(self.chain()));
        bonds.map(|j| Pair { i: j - 1, j, potential }).collect()
    }

    fn dynamics(self) -> Dynamics {
        let (integrator, timestep, skin) = match self {
            Fluid::Dpd => (Integrator::VelocityVerlet, 0.04, 0.3),
            Fluid::Melt => (Integrator::Langevin, 0.01, 0.4),
            Fluid::LennardJones => (Integrator::Langevin, 0.005, 0.3),
        };
        let precision = Precision::Single;
        Dynamics { integrator, temperature: 1.0, friction: 0.0, timestep, precision, skin }
    }
}

/// Three whole numbers with this product, as similar as can be.
fn factors(beads: usize) -> [usize; 3] {
    let divisors_below = |number: usize, root: f64| {
        let most = (root + 1e-9).floor().max(1.0) as usize;
        (1..=most).rev().find(|&divisor| number.is_multiple_of(divisor)).unwrap_or(1)
    };
    let first = divisors_below(beads, (beads as f64).cbrt());
    let second = divisors_below(beads / first, ((beads / first) as f64).sqrt());
    [first, second, beads / first / second]
}

/// The sites of a lattice with this spacing, in an order in which each is next to the one before.
fn path(counts: [usize; 3], spacing: f64) -> Vec<[f64; 3]> {
    let [nx, ny, nz] = counts;
    let turned = |place: usize, count: usize, row: usize| match row.is_multiple_of(2) {
        true => place,
        false => count - 1 - place,
    };
    let site = |number: usize| {
        let (line, plane) = (number / nx, number / nx / ny);
        let (x, y) = (turned(number % nx, nx, line), turned(line % ny, ny, plane));
        [x, y, plane].map(|place| (place as f64 + 0.5) * spacing)
    };
    (0..nx * ny * nz).map(site).collect()
}

impl Workload {
    /// A fluid of this many beads, before it has come to rest.
    ///
    /// # Errors
    /// Beads that do not make whole chains, or a box with a side of less than half of another.
    pub fn fluid(fluid: Fluid, beads: usize) -> Result<Workload, Error> {
        let chain = fluid.chain();
        let counts = factors(beads);
        let sides =
            [counts.iter().min(), counts.iter().max()].map(|side| side.copied().unwrap_or(0));
        if !beads.is_multiple_of(chain) || 2 * sides[0] < sides[1] {
            return Err(Error::Arguments(format!(
                "{beads} beads of the {} do not fill a box: take a multiple of {chain} that is a product of three similar numbers, such as {}",
                fluid.title(),
                [24_000, 32_000, 64_000, 240_000].map(|known: usize| known.to_string()).join(", ")
            )));
        }
        let spacing = fluid.density().powf(-1.0 / 3.0);
        let lengths = counts.map(|count| count as f64 * spacing);
        let labels = vec![Label::default(); beads];
        let mut particles = Particles::of_one_type(labels, path(counts, spacing));
        particles.molecules = (0..beads).map(|bead| (bead / chain) as u32).collect();
        let mut types = vec![ParticleType::new("A", 1.0)];
        if fluid == Fluid::Dpd {
            particles.types = (0..beads).map(|bead| u16::from(bead % chain >= 3)).collect();
            types.push(ParticleType::new("B", 1.0));
        }
        let mut system = System {
            particles,
            types,
            boundary: Boundary::Periodic { lengths },
            interactions: fluid.interactions(beads),
            units: Units::Reduced,
            model: Model::Beads,
            ..System::default()
        };
        match fluid {
            Fluid::Dpd => {}
            Fluid::Melt => system.set_collision_rate(0.5),
            Fluid::LennardJones => system.set_collision_rate(1.0),
        }
        Ok(Workload {
            name: format!("{}-{beads}", fluid.title().to_lowercase().replace(' ', "-")),
            title: format!("{} of {beads} beads", fluid.title()),
            system: Arc::new(system),
            systems: Vec::new(),
            dynamics: fluid.dynamics(),
            relaxation: 2_000,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_fill_their_lattice_site_by_site() {
        let counts = factors(24_000);
        assert_eq!(counts.iter().product::<usize>(), 24_000);
        assert_eq!(counts, [25, 30, 32]);
        let sites = path([3, 4, 5], 1.0);
        for pair in sites.windows(2) {
            let apart: f64 = (0..3).map(|axis| (pair[0][axis] - pair[1][axis]).abs()).sum();
            assert!((apart - 1.0).abs() < 1e-12, "{pair:?}");
        }
        let mut found: Vec<_> = sites.iter().map(|site| site.map(|x| x as usize)).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 60);
    }

    #[test]
    fn numbers_that_fill_no_box_are_refused() {
        assert!(Workload::fluid(Fluid::Melt, 32_000).is_ok());
        for beads in [32_050, 37 * 100] {
            let message = Workload::fluid(Fluid::Melt, beads).unwrap_err().to_string();
            assert!(message.contains("do not fill a box"), "{message}");
        }
    }
}
