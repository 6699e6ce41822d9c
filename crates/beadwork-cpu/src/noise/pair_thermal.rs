//! The pair thermostat in a step: velocities, and the noise of pairs.

use std::sync::Arc;

use beadwork_arithmetic::{Real, Vector};
use beadwork_model::Dynamics;
use beadwork_model::potentials::{DpdThermostat, PairNoise, PairThermostat};
use beadwork_random::{Normal, PairStream, pair_number};

use crate::arrays::coordinates::Coordinates;
use crate::arrays::lanes::{Triple, spread};

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

impl<T: Normal> PairThermal<'_, T> {
    /// Force over distance of pairs i < j, one in each lane; invalid beyond the cutoff.
    #[inline(always)]
    pub fn factors<V: Vector<Scalar = T>>(
        &self,
        normal: bool,
        entry: ThermostatEntry<V>,
        pair: impl Fn(usize) -> [u32; 2],
        apart: Triple<V>,
        relative: Triple<V>,
        r2: V,
    ) -> V {
        let words =
            self.stream.words_in_lanes::<V>(self.step, |lane| pair(lane)[0], |lane| pair(lane)[1]);
        let size = entry.root * spread(self.size);
        factor(entry.formula, size, pair_number::<V>(words, normal), apart, relative, r2)
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
    /// A single entry if it is the same for all types.
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
        let table = &thermostat.table;
        let mut entries: Vec<_> = table.entries().iter().map(entry).collect();
        if table.entries().windows(2).all(|pair| pair[0] == pair[1]) {
            entries.truncate(1);
        }
        ThermostatTable {
            types,
            count: table.types(),
            entries,
            normal: thermostat.noise == PairNoise::Normal,
        }
    }

    #[inline(always)]
    pub fn between(&self, i: usize, j: usize) -> &ThermostatEntry<T> {
        match self.entries.as_slice() {
            [same] => same,
            all => &all[usize::from(self.types[i]) * self.count + usize::from(self.types[j])],
        }
    }
}

impl<T: Normal> ThermostatTable<T> {
    /// The parameters of pairs, one in each lane.
    #[inline(always)]
    pub fn gathered<V: Vector<Scalar = T>>(
        &self,
        pair: impl Fn(usize) -> [u32; 2],
    ) -> ThermostatEntry<V> {
        if let [same] = self.entries.as_slice() {
            return same.in_lanes();
        }
        let [mut friction, mut cutoff, mut root, mut square_cutoff] = [[T::zero(); 16]; 4];
        for lane in 0..V::WIDTH {
            let [i, j] = pair(lane);
            let entry = self.between(i as usize, j as usize);
            friction[lane] = entry.formula.friction;
            cutoff[lane] = entry.formula.cutoff;
            root[lane] = entry.root;
            square_cutoff[lane] = entry.square_cutoff;
        }
        ThermostatEntry {
            formula: DpdThermostat { friction: V::load(&friction), cutoff: V::load(&cutoff) },
            root: V::load(&root),
            square_cutoff: V::load(&square_cutoff),
        }
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
