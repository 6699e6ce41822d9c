//! Averages, fluctuations and derivatives of samples at one temperature.
//!
//! kB = 1: temperatures are in the unit of the energies.

use crate::autocorrelation::{AutocorrelationTime, integrated_time};
use crate::jackknife::{Estimate, LEAST_BLOCKS};
use crate::{Error, Samples, samples};

/// A block is at least this many autocorrelation times long: its error is then low by about a twentieth.
const BLOCK_TIMES: f64 = 10.0;
/// With replica exchange, a block is also at least this many autocorrelation times along the replicas long. Their
/// correlations cause a part of the error at each temperature; such blocks miss a fifth of the square of that part.
pub const REPLICA_TIMES: f64 = 5.0;
/// More blocks would be shorter and miss more of the weak correlations that autocorrelation times do not show. Sixteen
/// blocks give the error to within a fifth.
pub(crate) const MOST_BLOCKS: usize = 16;

/// Averages at one temperature.
#[derive(Clone, Debug, PartialEq)]
pub struct Thermodynamics {
    /// T, in the unit of the energies.
    pub temperature: f64,
    /// ⟨E⟩ of the whole system.
    pub energy: Estimate,
    /// C/N = β²/N (⟨E²⟩ − ⟨E⟩²), a number. From n independent samples it is low by the fraction 1/n.
    pub heat_capacity_per_bead: Estimate,
    /// Each of the observables, in the order given.
    pub observables: Vec<Response>,
    /// How the errors of the energy and the heat capacity were obtained.
    pub basis: Basis,
}

/// An observable at one temperature, such as r_g², the end-to-end distance or the number of contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// ⟨A⟩.
    pub mean: Estimate,
    /// ⟨A²⟩ − ⟨A⟩²: of A = r_g², ⟨r_g⁴⟩ − ⟨r_g²⟩².
    pub fluctuation: Estimate,
    /// d⟨A⟩/dT = β² (⟨E A⟩ − ⟨E⟩⟨A⟩).
    pub temperature_derivative: Estimate,
    /// How their errors were obtained.
    pub basis: Basis,
}

/// How the errors of an average were obtained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Basis {
    /// Errors from this many independent ladders.
    Ladders(usize),
    /// Errors from blocks of time within the ladders.
    Blocks {
        /// Number of blocks in all.
        count: usize,
        /// The least number of samples in a block.
        length: usize,
    },
    /// No errors: the samples do not fill eight blocks that are long enough.
    TooShort {
        /// The block length needed, in samples; a lower bound.
        needed: usize,
    },
}

/// Averages of samples at one temperature, of one or more independent ladders, for `beads` beads.
///
/// Heat capacity as in \[G\] (Gross, Janke and Bachmann, Comput. Phys. Commun. 182, 1638, 2011), eq. 7; errors by the
/// jackknife. It leaves out one ladder at a time if there are at least [`LEAST_BLOCKS`], otherwise one block of at
/// least ten autocorrelation times of the energy, its squared deviation and the observable.
///
/// With replica exchange, `replicas` holds the autocorrelation times along the replicas, of the energy and of each
/// observable (see [`replicas`](crate::replicas)); a block is at least five times as long. Without exchange `replicas` is empty.
pub fn at_temperature(
    temperature: f64,
    beads: usize,
    ladders: &[Samples],
    replicas: &[Option<AutocorrelationTime>],
) -> Result<Thermodynamics, Error> {
    let observables = ladders.first().map_or(0, |ladder| ladder.observables.len());
    samples::check(temperature, ladders, observables)?;
    if ladders.is_empty() || ladders.iter().any(|ladder| ladder.energies.is_empty()) || beads == 0 {
        let reason = format!(
            "a ladder at temperature {temperature} has no samples, or there are no beads: leave such ladders out"
        );
        return Err(Error::samples(reason));
    }
    // Sums are of differences from a typical energy, so that squares of large energies do not cancel.
    let energy_offset = ladders[0].energies[0];
    let offsets: Vec<f64> = ladders[0].observables.iter().map(|values| values[0]).collect();
    let sums_of = |samples: &Samples| BlockSums::of(samples, energy_offset, &offsets);
    let of_replicas =
        |which: usize| LeastBlock::of_replicas(replicas.get(which).copied().flatten());
    let of_energy = LeastBlock::of_energy(ladders).or(of_replicas(0));
    let basis = Resampled::new(ladders, of_energy, &sums_of);
    let bases: Vec<Resampled> = (0..observables)
        .map(|which| {
            let own = ladders.iter().map(|ladder| ladder.observables[which]).collect();
            let own = LeastBlock::of(own).or(of_replicas(which + 1));
            Resampled::new(ladders, of_energy.or(own), &sums_of)
        })
        .collect();
    let beta_squared = temperature.powi(-2);
    let response = |(which, basis): (usize, &Resampled)| Response {
        mean: basis.estimate(&|sums| offsets[which] + sums.observables[which][0] / sums.count),
        fluctuation: basis.estimate(&|sums| {
            let [a, aa, _] = sums.observables[which];
            sums.covariance(a, a, aa)
        }),
        temperature_derivative: basis.estimate(&|sums| {
            let [a, _, ea] = sums.observables[which];
            beta_squared * sums.covariance(sums.energy, a, ea)
        }),
        basis: basis.basis,
    };
    Ok(Thermodynamics {
        temperature,
        energy: basis.estimate(&|sums| energy_offset + sums.energy / sums.count),
        heat_capacity_per_bead: basis.estimate(&|sums| {
            beta_squared / beads as f64
                * sums.covariance(sums.energy, sums.energy, sums.energy_squared)
        }),
        observables: bases.iter().enumerate().map(response).collect(),
        basis: basis.basis,
    })
}

/// Sums over a block, of deviations from fixed offsets.
#[derive(Clone)]
struct BlockSums {
    count: f64,
    energy: f64,
    energy_squared: f64,
    /// Σ a, Σ a², Σ e a of each observable.
    observables: Vec<[f64; 3]>,
}

impl BlockSums {
    fn of(samples: &Samples, energy_offset: f64, offsets: &[f64]) -> Self {
        let energies = || samples.energies.iter().map(|energy| energy - energy_offset);
        let products = |(which, offset): (usize, &f64)| {
            let values = samples.observables.get(which).copied().unwrap_or_default();
            values.iter().zip(energies()).fold([0.0; 3], |[a, aa, ea], (value, energy)| {
                let value = value - offset;
                [a + value, aa + value * value, ea + energy * value]
            })
        };
        Self {
            count: samples.energies.len() as f64,
            energy: energies().sum(),
            energy_squared: energies().map(|energy| energy * energy).sum(),
            observables: offsets.iter().enumerate().map(products).collect(),
        }
    }

    fn add(&mut self, other: &Self, sign: f64) {
        self.count += sign * other.count;
        self.energy += sign * other.energy;
        self.energy_squared += sign * other.energy_squared;
        let sums = self.observables.iter_mut().flatten();
        sums.zip(other.observables.iter().flatten()).for_each(|(sum, more)| *sum += sign * more);
    }

    /// ⟨x y⟩ − ⟨x⟩⟨y⟩ from the sums of x, y and x y.
    fn covariance(&self, x: f64, y: f64, xy: f64) -> f64 {
        (xy - x * y / self.count) / self.count
    }
}

/// The least number of values in a block whose mean is independent of the other blocks: from the autocorrelation times
/// of the series and, if exchanged, along the replicas. `None` if one of the two is not known well enough.
pub fn block_length(
    time: AutocorrelationTime,
    replicas: Option<AutocorrelationTime>,
) -> Option<usize> {
    let block = LeastBlock::of_time(time).or(LeastBlock::of_replicas(replicas));
    block.known.then(|| block.length())
}

/// The least length of a block; not `known` if an autocorrelation time is only a lower bound.
#[derive(Clone, Copy)]
struct LeastBlock {
    block: f64,
    known: bool,
}

impl LeastBlock {
    /// No requirement: blocks may have any length.
    const NONE: Self = Self { block: 0.0, known: true };

    /// The least block for one series a ladder. Constant series, and enough ladders, need no blocks.
    fn of(series: Vec<&[f64]>) -> Self {
        let time = if series.len() < LEAST_BLOCKS { integrated_time(&series) } else { None };
        time.map_or(Self::NONE, Self::of_time)
    }

    fn of_time(time: AutocorrelationTime) -> Self {
        Self { block: BLOCK_TIMES * time.time, known: time.long_enough }
    }

    /// The least block for the energy and its squared deviation.
    fn of_energy(ladders: &[Samples]) -> Self {
        if ladders.len() >= LEAST_BLOCKS {
            return Self::NONE;
        }
        let total: usize = ladders.iter().map(|ladder| ladder.energies.len()).sum();
        let mean = ladders.iter().flat_map(|ladder| ladder.energies).sum::<f64>() / total as f64;
        let square = |energy: &f64| (energy - mean).powi(2);
        let squares: Vec<Vec<f64>> =
            ladders.iter().map(|ladder| ladder.energies.iter().map(square).collect()).collect();
        let energies = ladders.iter().map(|ladder| ladder.energies).collect();
        Self::of(energies).or(Self::of(squares.iter().map(Vec::as_slice).collect()))
    }

    fn of_replicas(time: Option<AutocorrelationTime>) -> Self {
        time.map_or(Self::NONE, |time| Self {
            block: REPLICA_TIMES * time.time,
            known: time.long_enough,
        })
    }

    fn length(self) -> usize {
        self.block.ceil().max(1.0) as usize
    }

    fn or(self, other: Self) -> Self {
        Self { block: self.block.max(other.block), known: self.known && other.known }
    }
}

/// Sums over all samples, and the sums without each block.
struct Resampled {
    all: BlockSums,
    without: Vec<BlockSums>,
    basis: Basis,
}

impl Resampled {
    fn new(
        ladders: &[Samples],
        least: LeastBlock,
        sums_of: &dyn Fn(&Samples) -> BlockSums,
    ) -> Self {
        let (blocks, basis) = blocks(ladders, least);
        let sums: Vec<BlockSums> = blocks.iter().map(sums_of).collect();
        let mut all = sums_of(&Samples::default());
        sums.iter().for_each(|block| all.add(block, 1.0));
        let without = |block| {
            let mut rest = all.clone();
            rest.add(block, -1.0);
            rest
        };
        let without = match basis {
            Basis::TooShort { .. } => Vec::new(),
            _ => sums.iter().map(without).collect(),
        };
        Self { all, without, basis }
    }

    fn estimate(&self, number: &dyn Fn(&BlockSums) -> f64) -> Estimate {
        let without: Vec<f64> = self.without.iter().map(number).collect();
        Estimate::jackknife(number(&self.all), &without)
    }
}

/// The blocks for the jackknife; whole ladders if they are too short for blocks.
fn blocks<'a>(ladders: &[Samples<'a>], least: LeastBlock) -> (Vec<Samples<'a>>, Basis) {
    if ladders.len() >= LEAST_BLOCKS {
        return (ladders.to_vec(), Basis::Ladders(ladders.len()));
    }
    let total: usize = ladders.iter().map(|ladder| ladder.energies.len()).sum();
    let needed = least.length();
    let length = needed.max(total.div_ceil(MOST_BLOCKS));
    let counts = ladders.iter().map(|ladder| ladder.energies.len() / length);
    let count: usize = counts.clone().sum();
    // Averages would leave out a ladder that is shorter than a block.
    if !least.known || count < LEAST_BLOCKS || counts.clone().any(|count| count == 0) {
        return (ladders.to_vec(), Basis::TooShort { needed });
    }
    let blocks = ladders.iter().zip(counts).flat_map(|(ladder, count)| ladder.blocks(count));
    (blocks.collect(), Basis::Blocks { count, length })
}
