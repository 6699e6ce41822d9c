//! Bonds and chains: bond lengths, equipartition, Rouse modes.

use std::f64::consts::PI;
use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{BondedTerm, FeneBond, HarmonicBond, LennardJones};
use beadwork_model::{Integrator, Interactions, Pair, Pairs, System};
use beadwork_testing::chi_square_p_value;

use crate::oscillators::discrete_law;
use crate::support::{CASES, assert_joint, deviation, dynamics, member, system};

/// A spherical potential by its value and its first two derivatives.
struct Radial {
    potential: fn(f64) -> f64,
    slope: fn(f64) -> f64,
    curvature: fn(f64) -> f64,
}

/// The distribution of the bond length of a free dimer that a scheme samples, tabulated.
///
/// Brownian motion has r² exp(−V/T). The first-order scheme with mobility times step ε = 2h/ξ of
/// the bond vector has, to first order in ε, that times exp(ε φ) with φ = −ΔV/2 + |∇V|²/4T: from
/// E f(x′) = f + ε L f + ε² A f, where after partial integrations the stationary ⟨A f⟩ is
/// −(T/2)⟨∇f·(∇ΔV − ∇∇V·∇V/T)⟩. In a harmonic well this is the variance 1/(1 − a/2). The
/// second-order scheme has no such term.
struct BondLengths {
    at: Vec<f64>,
    cumulative: Vec<f64>,
    mean_energy: f64,
}

impl BondLengths {
    fn new(law: &Radial, (low, high): (f64, f64), epsilon: f64) -> BondLengths {
        let points = 40_000;
        let width = (high - low) / f64::from(points);
        let (mut at, mut cumulative, mut total, mut energy) = (vec![low], vec![0.0], 0.0, 0.0);
        // Uses the middles of cells, since V may diverge at the ends.
        for cell in 0..points {
            let r = low + (f64::from(cell) + 0.5) * width;
            let (value, slope) = ((law.potential)(r), (law.slope)(r));
            let laplacian = (law.curvature)(r) + 2.0 * slope / r;
            let weight =
                r * r * (-value + epsilon * (-0.5 * laplacian + 0.25 * slope * slope)).exp();
            // At such energies the expansion in ε fails, and the weight is negligible.
            let weight = if value > 25.0 { 0.0 } else { weight };
            total += weight;
            energy += weight * value;
            at.push(r + 0.5 * width);
            cumulative.push(total);
        }
        cumulative.iter_mut().for_each(|sum| *sum /= total);
        BondLengths { at, cumulative, mean_energy: energy / total }
    }

    /// χ² of lengths counted in `bins` of equal probability; its degrees of freedom are one less.
    fn chi_square(&self, lengths: &[f64], bins: usize) -> f64 {
        let mut counts = vec![0.0; bins];
        for &length in lengths {
            let cell = self.at.partition_point(|&end| end < length).clamp(1, self.at.len() - 1);
            let share = (length - self.at[cell - 1]) / (self.at[cell] - self.at[cell - 1]);
            let below = self.cumulative[cell - 1]
                + share * (self.cumulative[cell] - self.cumulative[cell - 1]);
            counts[((below * bins as f64) as usize).min(bins - 1)] += 1.0;
        }
        let expected = lengths.len() as f64 / bins as f64;
        counts.iter().map(|count: &f64| (count - expected).powi(2) / expected).sum()
    }
}

const DIMERS: usize = 600;
const STIFFNESS: f64 = 5.0;
const LENGTH: f64 = 3.8;

/// Dimers at rest, far apart.
fn dimers<F: Copy>(potential: F) -> Arc<System>
where
    BondedTerm: From<Pairs<F>>,
{
    let place = |bead: usize| [LENGTH * (bead % 2) as f64, 10.0 * (bead / 2) as f64, 0.0];
    let bonds: Pairs<F> =
        (0..DIMERS).map(|pair| Pair { i: 2 * pair, j: 2 * pair + 1, potential }).collect();
    let interactions = Interactions { bonded: vec![bonds.into()], ..Interactions::default() };
    system((0..2 * DIMERS).map(place).collect(), interactions)
}

fn lengths(run: &Member) -> Vec<f64> {
    let positions = run.positions();
    let length = |pair: &[[f64; 3]]| {
        (0..3).map(|axis| (pair[0][axis] - pair[1][axis]).powi(2)).sum::<f64>().sqrt()
    };
    positions.chunks_exact(2).map(length).collect()
}

/// Runs dimers in each case and compares their lengths and mean energies with the law.
///
/// The step is a = 2 k h/ξ = 0.02: 50 steps a relaxation, 250 between samples.
fn assert_bond_law(system: &Arc<System>, law: &Radial, range: (f64, f64), seed: u64) {
    let epsilon = 0.02 / STIFFNESS;
    let mut deviations = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        let correction = match case.0 {
            Integrator::Brownian => epsilon,
            _ => 0.0,
        };
        let expected = BondLengths::new(law, range, correction);
        let mut run = member(system, dynamics(case, epsilon / 2.0), vec![], seed + number as u64);
        run.advance(500).unwrap();
        let mut all = Vec::new();
        let mut energies = vec![0.0; DIMERS];
        for _ in 0..50 {
            run.advance(250).unwrap();
            let now = lengths(&run);
            for (energy, &length) in energies.iter_mut().zip(&now) {
                *energy += (law.potential)(length) / 50.0;
            }
            all.extend(now);
        }
        run.verify().unwrap();
        let statistic = expected.chi_square(&all, 40);
        let probability = chi_square_p_value(statistic, 39.0);
        assert!(probability > 1e-4, "{case:?}: χ² {statistic}, probability {probability:e}");
        deviations.push(deviation(&energies, expected.mean_energy));
        // Shifted lengths do not follow the law. The shift is that of a law without the r² of the sphere's surface:
        // 2T/(k r₀) = 0.1 Å, a quarter of the width.
        let flat = all.iter().map(|length| length + 0.1).collect::<Vec<_>>();
        assert!(chi_square_p_value(expected.chi_square(&flat, 40), 39.0) < 1e-12);
    }
    assert_joint(&deviations);
}

#[test]
fn fene_bonds_have_their_distribution_of_lengths() {
    let potential = FeneBond { stiffness: STIFFNESS, limit: 2.0, length: LENGTH };
    let system = dimers(potential);
    // With u = (r − r₀)/R: V = −10 ln(1 − u²), V′ = 10 u/(1 − u²), V″ = 5 (1 + u²)/(1 − u²)².
    let law = Radial {
        potential: |r| -10.0 * (1.0 - ((r - LENGTH) / 2.0).powi(2)).ln(),
        slope: |r| {
            let u = (r - LENGTH) / 2.0;
            10.0 * u / (1.0 - u * u)
        },
        curvature: |r| {
            let u = (r - LENGTH) / 2.0;
            5.0 * (1.0 + u * u) / (1.0 - u * u).powi(2)
        },
    };
    assert_bond_law(&system, &law, (LENGTH - 2.0, LENGTH + 2.0), 400);
}

/// ⟨V⟩ is half a kT except for the effect of r² in three dimensions, which the quadrature includes.
#[test]
fn harmonic_bonds_share_the_energy_equally() {
    let potential = HarmonicBond { stiffness: STIFFNESS, length: LENGTH };
    let system = dimers(potential);
    let law = Radial {
        potential: |r| 2.5 * (r - LENGTH).powi(2),
        slope: |r| 5.0 * (r - LENGTH),
        curvature: |_| 5.0,
    };
    let expected = BondLengths::new(&law, (0.0, 8.0), 0.0).mean_energy;
    // ∫ r² (k/2)(r − r₀)² … / ∫ r² … with ⟨x²⟩ = 1/k, ⟨x⁴⟩ = 3/k²: (r₀² + 3/k)/(r₀² + 1/k)/2.
    let on_paper = 0.5 * (LENGTH.powi(2) + 0.6) / (LENGTH.powi(2) + 0.2);
    assert!((expected - on_paper).abs() < 1e-7, "{expected} {on_paper}");
    assert_bond_law(&system, &law, (0.0, 8.0), 500);
}

/// Bonded pairs interact like all other pairs unless they are excluded. The dimers have springs and Lennard-Jones
/// pairs; they are too far apart to meet, and each type interacts only with the other one.
#[test]
fn bonded_lennard_jones_pairs_have_their_distribution_of_lengths() {
    const CUTOFF: f64 = 5.0;
    let table = PairTable::new(2, |a, b| PairEntry {
        potential: LennardJones::shifted(1.0 + 5.0 * (1 - b) as f64, 3.2, CUTOFF),
        cutoff: if a == b { 0.0 } else { CUTOFF },
    });
    let bonds = dimers(HarmonicBond { stiffness: STIFFNESS, length: LENGTH });
    let mut system = Arc::unwrap_or_clone(bonds);
    system.interactions.pairs = vec![table.into()];
    for (bead, position) in system.particles.positions.iter_mut().enumerate() {
        let dimer = bead / 2;
        let place = [dimer % 9, dimer / 9 % 9, dimer / 81].map(|n| 100.0 * n as f64);
        *position = [place[0] + LENGTH * (bead % 2) as f64, place[1], place[2]];
        system.particles.types[bead] = bead as u16 % 2;
    }
    let law = Radial {
        potential: |r| {
            let lennard_jones = |r: f64| (3.2 / r).powi(12) - (3.2 / r).powi(6);
            let inside = 4.0 * (lennard_jones(r) - lennard_jones(CUTOFF));
            2.5 * (r - LENGTH).powi(2) + if r < CUTOFF { inside } else { 0.0 }
        },
        slope: |r| {
            let inside = 4.0 * (6.0 * (3.2 / r).powi(6) - 12.0 * (3.2 / r).powi(12)) / r;
            5.0 * (r - LENGTH) + if r < CUTOFF { inside } else { 0.0 }
        },
        curvature: |r| {
            let inside = 4.0 * (156.0 * (3.2 / r).powi(12) - 42.0 * (3.2 / r).powi(6)) / (r * r);
            5.0 + if r < CUTOFF { inside } else { 0.0 }
        },
    };
    assert_bond_law(&Arc::new(system), &law, (2.0, 8.0), 600);
}

const CHAINS: usize = 60;
const BEADS: usize = 12;

/// Chains of springs whose rest length is zero.
fn rouse_chains(stiffness: f64) -> Arc<System> {
    let potential = HarmonicBond { stiffness, length: 0.0 };
    let bonds = |chain: usize| {
        (0..BEADS - 1).map(move |bead| {
            let i = chain * BEADS + bead;
            Pair { i, j: i + 1, potential }
        })
    };
    let bonded = vec![(0..CHAINS).flat_map(bonds).collect::<Vec<_>>().into()];
    let start = vec![[0.0; 3]; CHAINS * BEADS];
    system(start, Interactions { bonded, ..Interactions::default() })
}

/// X_p = √(2/N) Σ cos(pπ(n + ½)/N) r_n of every chain and axis, which is normalised so that it
/// moves as a bead of friction ξ in a well of stiffness 4 k sin²(pπ/2N).
fn modes(run: &Member, mode: usize) -> Vec<f64> {
    let positions = run.positions();
    let scale = (2.0 / BEADS as f64).sqrt();
    let mut modes = Vec::new();
    for chain in positions.chunks_exact(BEADS) {
        for axis in 0..3 {
            let sum = chain.iter().enumerate().map(|(bead, position)| {
                (mode as f64 * PI * (bead as f64 + 0.5) / BEADS as f64).cos() * position[axis]
            });
            modes.push(scale * sum.sum::<f64>());
        }
    }
    modes
}

/// Each mode decays with the factor of its own a_p = 4 (k h/ξ) sin²(pπ/2N) a step, that is with
/// τ_p = ξ/(4 k sin²(pπ/2N)) for small steps, and has the variance of that oscillator.
#[test]
fn rouse_modes_have_their_decay_and_variance() {
    let (stiffness, timestep) = (2.0, 0.05);
    let system = rouse_chains(stiffness);
    let mut deviations = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        let mut run = member(&system, dynamics(case, timestep), vec![], 600 + number as u64);
        // The slowest mode relaxes in 147 steps (a = 0.0068): after 1,500 steps e⁻²⁰ of the variance is missing.
        run.advance(1_500).unwrap();
        let samples = 25;
        let chosen = [(1, 100), (2, 40), (5, 6), (11, 1)];
        let mut squares = vec![vec![0.0; 3 * CHAINS]; chosen.len()];
        let mut products = squares.clone();
        for _ in 0..samples {
            for (index, &(mode, lag)) in chosen.iter().enumerate() {
                let before = modes(&run, mode);
                run.advance(lag).unwrap();
                let after = modes(&run, mode);
                for (chain, (x, y)) in before.iter().zip(&after).enumerate() {
                    squares[index][chain] += x * x / f64::from(samples);
                    products[index][chain] += x * y / f64::from(samples);
                }
            }
        }
        for (index, &(mode, lag)) in chosen.iter().enumerate() {
            let strength = 4.0 * stiffness * (mode as f64 * PI / (2 * BEADS) as f64).sin().powi(2);
            let (factor, variance) = discrete_law(case.0, strength * timestep);
            let variance = variance / strength;
            deviations.push(deviation(&squares[index], variance));
            deviation(&products[index], variance * factor.powi(lag as i32));
        }
    }
    // Modes of one chain are independent.
    assert_joint(&deviations);
}

/// Forces between beads cancel, so the centre diffuses with D/N for any springs.
#[test]
fn the_centre_of_a_chain_diffuses_as_one_bead_of_its_friction() {
    let system = rouse_chains(2.0);
    let mut deviations = Vec::new();
    for (number, case) in CASES.into_iter().enumerate() {
        let mut squares = Vec::new();
        for seed in 0..10 {
            let seed = 700 + 10 * number as u64 + seed;
            let mut run = member(&system, dynamics(case, 0.05), vec![], seed);
            run.advance(200).unwrap();
            for chain in run.positions().chunks_exact(BEADS) {
                for axis in 0..3 {
                    let centre: f64 = chain.iter().map(|p| p[axis]).sum::<f64>() / BEADS as f64;
                    squares.push(centre * centre);
                }
            }
        }
        // 2 (D/N) t an axis, t = 10.
        deviations.push(deviation(&squares, 2.0 * 10.0 / BEADS as f64));
    }
    assert_joint(&deviations);
}
