//! The pair thermostat in a step: velocities, and the noise of pairs.

use std::sync::Arc;

use beadwork_arithmetic::{Real, Vector};
use beadwork_model::Dynamics;
use beadwork_model::potentials::{DpdThermostat, PairNoise, PairThermostat};
use beadwork_random::{Normal, PairStream, pair_number};

use crate::coordinates::Coordinates;
use crate::lanes::{Triple, spread};

/// √(2 kT/h) in units of force over √friction: times √γ it is the size of a pair's noise.
pub(crate) fn noise_size<T: Normal>(dynamics: &Dynamics, temperature: f64) -> T {
    T::from_f64((2.0 * temperature / dynamics.timestep).sqrt())
}

/// What a pair thermostat acts on in a step of one member.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairThermal<'a, T> {
    /// Å/ps.
    pub velocities: &'a Coordinates<T>,
    pub stream: PairStream,
    pub step: u64,
    /// See [`noise_size`].
    pub size: T,
}

impl<T: Normal> PairThermal<'_, T> {
    /// Force over distance of beads i < j.
    pub fn factor(
        &self,
        formula: DpdThermostat,
        noise: PairNoise,
        [i, j]: [usize; 2],
        apart: Triple<T>,
        r2: T,
    ) -> T {
        let words = self.stream.words_in_lanes::<T>(self.step, |_| i as u32, |_| j as u32);
        let relative = Triple(self.velocities.get(i)) - Triple(self.velocities.get(j));
        let formula: DpdThermostat<T> = formula.convert();
        let root = formula.friction.sqrt();
        factor(
            formula,
            root * self.size,
            pair_number(words, noise == PairNoise::Normal),
            apart,
            relative,
            r2,
        )
    }
}

/// Force over distance of a pair, by the size of its noise and its random number.
#[inline(always)]
pub(crate) fn factor<V: Vector>(
    formula: DpdThermostat<V>,
    size: V,
    number: V,
    apart: Triple<V>,
    relative: Triple<V>,
    r2: V,
) -> V {
    let (Triple([x, y, z]), Triple([u, v, w])) = (apart, relative);
    formula.force_over_distance(r2, x * u + y * v + z * w, size * number)
}

/// The parameters of a pair thermostat in a form that vectors load.
#[derive(Clone, Debug)]
pub(crate) struct ThermostatTable<T> {
    types: Arc<[u16]>,
    count: usize,
    entries: Vec<ThermostatEntry<T>>,
    /// Whether random numbers are normal.
    pub normal: bool,
}

/// The parameters for beads of two types.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThermostatEntry<T> {
    pub formula: DpdThermostat<T>,
    /// √γ.
    pub root: T,
    pub square_cutoff: T,
}

impl<T: Normal> ThermostatTable<T> {
    pub fn new(thermostat: &PairThermostat, types: Arc<[u16]>) -> Self {
        let entry = |entry: &beadwork_model::potentials::pair::PairEntry<DpdThermostat>| {
            let formula = entry.potential.convert::<T>();
            ThermostatEntry {
                formula,
                root: formula.friction.sqrt(),
                square_cutoff: T::from_f64(entry.cutoff * entry.cutoff),
            }
        };
        ThermostatTable {
            types,
            count: thermostat.table.types(),
            entries: thermostat.table.entries().iter().map(entry).collect(),
            normal: thermostat.noise == PairNoise::Normal,
        }
    }

    #[inline(always)]
    pub fn between(&self, i: usize, j: usize) -> &ThermostatEntry<T> {
        &self.entries[usize::from(self.types[i]) * self.count + usize::from(self.types[j])]
    }
}

impl<T: Real> ThermostatEntry<T> {
    /// The same in every lane.
    #[inline(always)]
    pub fn in_lanes<V: Vector<Scalar = T>>(&self) -> ThermostatEntry<V> {
        ThermostatEntry {
            formula: DpdThermostat {
                friction: spread(self.formula.friction),
                cutoff: spread(self.formula.cutoff),
            },
            root: spread(self.root),
            square_cutoff: spread(self.square_cutoff),
        }
    }
}
