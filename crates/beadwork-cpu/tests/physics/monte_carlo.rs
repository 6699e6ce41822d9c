//! Metropolis moves of elastic chains: energies, detailed balance, continuation.

use beadwork_cpu::Instructions;
use beadwork_cpu::monte_carlo::{
    ChainSampler, ChainSamplerState, Proposal, Rung, SamplerGroup, quench, tuned,
};
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_model::potentials::PairPotential;
use beadwork_random::{NoiseKey, Normal, Purpose};

fn straight(polymer: &ElasticPolymer) -> ChainSamplerState {
    ChainSamplerState { sweep: 0, positions: polymer.straight() }
}

fn sampler<T: Normal>(polymer: &ElasticPolymer, replica: u64) -> ChainSampler<T> {
    ChainSampler::new(polymer, 11, replica, &straight(polymer))
}

const WARM: Rung = Rung { temperature: 1.0, displacement: 0.1 };

/// The energies of sampler and system agree; in single precision up to the rounding of some thousand terms of size 1.
#[test]
fn energies_equal_those_of_the_system() {
    for monomers in [2, 13, 55, 100] {
        let polymer = ElasticPolymer::new(monomers);
        let system = polymer.build();
        let mut double = sampler::<f64>(&polymer, 0);
        for _ in 0..5 {
            double.advance(20, WARM, &polymer);
            let expected = system.energies(&double.positions()).total();
            assert!((double.energy(&polymer) - expected).abs() < 1e-10 * (1.0 + expected.abs()));
            let state = double.state();
            let single = ChainSampler::<f32>::new(&polymer, 11, 0, &state).energy(&polymer);
            assert!(
                (single - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                "{single} {expected}"
            );
        }
    }
}

/// Replays a sweep with energies of the whole system before and after each move, by Metropolis's rule of \[G\].
#[test]
fn moves_follow_the_change_of_the_whole_energy() {
    for monomers in [2, 13, 40] {
        let polymer = ElasticPolymer::new(monomers);
        let system = polymer.build();
        let mut fast = sampler::<f64>(&polymer, 3);
        let mut positions = polymer.straight();
        let key = NoiseKey::new(11, Purpose::MonteCarloMove, 3);
        let (mut accepted, mut found) = (0, 0);
        for sweep in 0..30 {
            accepted += fast.advance(1, WARM, &polymer);
            for number in 0..monomers as u32 {
                let proposal = Proposal::<f64>::new(key, sweep, number, monomers);
                let before = system.energies(&positions).total();
                let mut moved = positions.clone();
                for (x, direction) in moved[proposal.monomer].iter_mut().zip(proposal.direction) {
                    *x += WARM.displacement * direction;
                }
                let broken = moved.windows(2).any(|pair| {
                    let r = (0..3).map(|k| (pair[0][k] - pair[1][k]).powi(2)).sum::<f64>().sqrt();
                    (r - polymer.bonds.length).abs() >= polymer.bonds.limit
                });
                let change =
                    if broken { f64::INFINITY } else { system.energies(&moved).total() - before };
                let uniform = (-proposal.threshold).exp();
                if uniform < (-change / WARM.temperature).exp() {
                    positions = moved;
                    found += 1;
                }
            }
        }
        assert_eq!((fast.positions(), accepted), (positions, found));
        assert!(found > 0 && found < 30 * monomers as u64);
    }
}

/// A dimer's bond length r is distributed as r² exp(−V(r)/T). Moves between two of its states, bins of r, are equally
/// frequent in both directions.
#[test]
fn a_dimer_is_in_detailed_balance() {
    const BINS: usize = 12;
    let polymer = ElasticPolymer::new(2);
    let temperature = 0.7;
    let (low, high) = (0.4, 1.0);
    let weight = |r: f64| {
        let energy = polymer.pairs.energy(r * r) + polymer.bonds.energy(r * r);
        r * r * (-energy / temperature).exp()
    };
    let cells = 1_000;
    let mut expected = [0.0; BINS];
    for cell in 0..BINS * cells {
        let r = low + (high - low) * (cell as f64 + 0.5) / (BINS * cells) as f64;
        expected[cell / cells] += weight(r);
    }
    let whole: f64 = expected.iter().sum();
    let bin = |positions: &[[f64; 3]]| {
        let r = (0..3).map(|k| (positions[0][k] - positions[1][k]).powi(2)).sum::<f64>().sqrt();
        ((r - low) / (high - low) * BINS as f64) as usize
    };
    let mut sampler = sampler::<f64>(&polymer, 0);
    let rung = Rung { temperature, displacement: 0.25 };
    sampler.advance(1_000, rung, &polymer);
    // 32 blocks, longer than the autocorrelation time of some hundred sweeps.
    let (blocks, sweeps) = (32, 8_000);
    let mut shares = vec![[0.0; BINS]; blocks];
    let mut passages = [[0.0_f64; BINS]; BINS];
    for share in &mut shares {
        let mut before = bin(&sampler.positions());
        for _ in 0..sweeps {
            sampler.advance(1, rung, &polymer);
            let now = bin(&sampler.positions());
            share[now] += 1.0 / f64::from(sweeps);
            passages[before][now] += 1.0;
            before = now;
        }
    }
    for place in 0..BINS {
        let values: Vec<f64> = shares.iter().map(|share| share[place]).collect();
        let mean = values.iter().sum::<f64>() / blocks as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let error = (variance / (blocks * (blocks - 1)) as f64).sqrt();
        let law = expected[place] / whole;
        assert!((mean - law).abs() < 4.0 * error + 1e-6, "bin {place}: {mean} ± {error}, {law}");
    }
    // A pair of sweeps is as reversible as one move, since moves are chosen independently: of n passages between two
    // bins, n/2 ± √n/2 go in each direction.
    let mut seen = 0;
    for (a, from_a) in passages.iter().enumerate() {
        for (b, from_b) in passages[..a].iter().enumerate() {
            let (there, back) = (from_a[b], from_b[a]);
            if there + back > 20.0 {
                assert!(
                    (there - back).abs() < 4.5 * (there + back).sqrt(),
                    "{a} {b}: {there} {back}"
                );
                seen += 1;
            }
        }
    }
    assert!(seen > 20);
}

#[test]
fn restored_samplers_continue_to_the_bit() {
    fn continued<T: Normal>() {
        let polymer = ElasticPolymer::new(13);
        let mut whole = sampler::<T>(&polymer, 5);
        let mut parts = sampler::<T>(&polymer, 5);
        let accepted = whole.advance(100, WARM, &polymer);
        let first = parts.advance(37, WARM, &polymer);
        let mut rest = ChainSampler::<T>::new(&polymer, 11, 5, &parts.state());
        assert_eq!(first + rest.advance(63, WARM, &polymer), accepted);
        assert_eq!(rest.state(), whole.state());
        let mut other = sampler::<T>(&polymer, 6);
        other.advance(100, WARM, &polymer);
        assert_ne!(other.state(), whole.state());
    }
    continued::<f32>();
    continued::<f64>();
}

/// No move breaks a bond or makes a coordinate that is not finite, however large it is.
#[test]
fn large_moves_that_break_bonds_are_refused() {
    let polymer = ElasticPolymer::new(13);
    let mut single = sampler::<f32>(&polymer, 1);
    let rung = Rung { temperature: 100.0, displacement: 5.0 };
    single.advance(2_000, rung, &polymer);
    assert!(single.energy(&polymer).is_finite());
    let small = Rung { temperature: 100.0, displacement: 0.3 };
    assert!(single.advance(200, small, &polymer) > 0);
    assert!(single.energy(&polymer).is_finite());
}

/// Samplers in lanes have different rungs and numbers of sweeps. Each gives the bits of a sampler that is moved alone:
/// with any instructions and any number of samplers, also if bonds would break and monomers coincide.
#[test]
fn a_sampler_does_not_depend_on_its_batch() {
    fn together<T: Normal>(instructions: Instructions, monomers: usize, leave: usize) {
        let polymer = ElasticPolymer::new(monomers);
        let mut group = SamplerGroup::<T>::new(instructions);
        let count = group.width().saturating_sub(leave).max(1);
        let rungs: Vec<Rung> = (0..count)
            .map(|lane| Rung {
                temperature: 0.3 + 0.4 * lane as f64,
                displacement: [0.05, 0.1, 0.3, 5.0][lane % 4],
            })
            .collect();
        let mut alone: Vec<ChainSampler<T>> = (0..count as u64)
            .map(|replica| ChainSampler::new(&polymer, 11, 7 * replica, &straight(&polymer)))
            .collect();
        for (age, (sampler, rung)) in alone.iter_mut().zip(&rungs).enumerate() {
            sampler.advance(age as u64, *rung, &polymer);
        }
        // One sampler begins at sweeps beyond 2³².
        if let Some(last) = alone.last_mut() {
            let state = ChainSamplerState { sweep: (1 << 32) - 5, ..last.state() };
            *last = ChainSampler::new(&polymer, 12, 1, &state);
        }
        let mut grouped = alone.clone();
        for sweeps in [1, 12] {
            let mut members: Vec<&mut ChainSampler<T>> = grouped.iter_mut().collect();
            let found = group.advance(&mut members, &rungs, sweeps, &polymer);
            let expected: Vec<u64> = alone
                .iter_mut()
                .zip(&rungs)
                .map(|(sampler, rung)| sampler.advance(sweeps, *rung, &polymer))
                .collect();
            assert_eq!(found, expected, "{instructions:?}, {monomers} monomers");
            for (grouped, alone) in grouped.iter().zip(&alone) {
                assert_eq!(grouped.state(), alone.state(), "{instructions:?}, {monomers} monomers");
            }
        }
        let moved = alone.iter().filter(|sampler| sampler.positions() != polymer.straight());
        assert!(moved.count() > count / 2);
    }
    for instructions in Instructions::ALL.into_iter().filter(|some| some.is_available()) {
        for (monomers, leave) in [(2, 0), (13, 3), (32, 0), (33, 1), (55, 0), (71, 15)] {
            together::<f32>(instructions, monomers, leave);
            together::<f64>(instructions, monomers, leave);
        }
    }
}

/// A chain whose monomers coincide has no finite energy; samplers moved alone and in a group agree even then.
#[test]
fn chains_with_coinciding_monomers_move_alike_in_groups() {
    let polymer = ElasticPolymer::new(6);
    let mut state = straight(&polymer);
    state.positions[4] = state.positions[2];
    let mut alone = ChainSampler::<f32>::new(&polymer, 11, 0, &state);
    let mut grouped = alone.clone();
    let mut group = SamplerGroup::new(Instructions::best());
    let accepted = group.advance(&mut [&mut grouped], &[WARM], 30, &polymer);
    assert_eq!(accepted, [alone.advance(30, WARM, &polymer)]);
    assert_eq!(grouped.state(), alone.state());
    assert!(accepted[0] > 0);
}

#[test]
#[should_panic(expected = "17 samplers")]
fn more_samplers_than_lanes_are_refused() {
    let polymer = ElasticPolymer::new(2);
    let mut samplers: Vec<ChainSampler<f32>> =
        (0..17).map(|replica| sampler(&polymer, replica)).collect();
    let mut members: Vec<&mut ChainSampler<f32>> = samplers.iter_mut().collect();
    SamplerGroup::new(Instructions::best()).advance(&mut members, &[WARM; 17], 1, &polymer);
}

#[test]
fn both_precisions_propose_the_same_moves() {
    let key = NoiseKey::new(1, Purpose::MonteCarloMove, 2);
    for number in 0..1_000 {
        let single = Proposal::<f32>::new(key, 3, number, 55);
        let double = Proposal::<f64>::new(key, 3, number, 55);
        assert_eq!(single.monomer, double.monomer);
        assert_eq!(single.direction.map(f64::from), double.direction);
        let error = f64::from(single.threshold) - double.threshold;
        assert!(error.abs() < 1e-6 * double.threshold + 1e-7);
        assert!(double.threshold > 0.0);
    }
}

/// Of M moves, each of 7 monomers is chosen M/7 times and each third of each axis M/3 times; χ² of 6 and of 2
/// degrees of freedom, at 10⁻⁴ 27.9 and 18.4.
#[test]
fn all_monomers_and_directions_are_equally_likely() {
    let key = NoiseKey::new(5, Purpose::MonteCarloMove, 0);
    let (mut chosen, mut thirds) = ([0.0; 7], [[0.0; 3]; 3]);
    let moves = 100_000;
    for number in 0..moves {
        let proposal = Proposal::<f64>::new(key, u64::from(number / 7), number % 7, 7);
        chosen[proposal.monomer] += 1.0;
        for axis in 0..3 {
            thirds[axis][(1.5 * (proposal.direction[axis] + 1.0)) as usize] += 1.0;
        }
    }
    let chi_square = |counts: &[f64]| -> f64 {
        let expected = f64::from(moves) / counts.len() as f64;
        counts.iter().map(|count| (count - expected).powi(2) / expected).sum()
    };
    assert!(chi_square(&chosen) < 27.9, "{chosen:?}");
    for counts in thirds {
        assert!(chi_square(&counts) < 18.4, "{counts:?}");
    }
}

/// Three monomers at equal distances are at rest if both the pair and the bond energy are at their minimum: the
/// triangle of side r₀, −3ε less three shifts.
#[test]
fn quenching_a_chain_of_three_gives_a_triangle() {
    let polymer = ElasticPolymer::new(3);
    let start = [[0.0; 3], [0.7, 0.05, 0.0], [0.5, 0.6, 0.1]];
    let found = quench(&polymer, &start);
    assert!(found.converged);
    let expected = -3.0 * (1.0 + polymer.pairs.shift);
    assert!((found.energy - expected).abs() < 1e-12, "{} {expected}", found.energy);
    for (a, b) in [(0, 1), (1, 2), (0, 2)] {
        let (a, b) = (found.positions[a], found.positions[b]);
        let square: f64 = (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum();
        assert!((square.sqrt() - 0.7).abs() < 1e-6);
    }
}

#[test]
fn displacements_are_fitted_to_the_share_of_accepted_moves() {
    assert_eq!(tuned(0.1, 40, 100, 0.7), 0.1);
    assert_eq!(tuned(0.1, 100, 100, 0.7), 0.125);
    assert_eq!(tuned(0.1, 0, 100, 0.7), 0.1 * 0.8);
    assert_eq!(tuned(0.1, 0, 0, 0.7), 0.1);
    assert_eq!(tuned(0.7, 100, 100, 0.7), 0.7);
    assert_eq!(tuned(7e-5, 0, 100, 0.7), 1e-4 * 0.7);
}
