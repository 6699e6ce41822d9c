//! Boxes at random: the tests of all paths and backends use them.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{DpdConservative, DpdThermostat, LennardJones, PairThermostat};
use beadwork_model::{
    Boundary, Dynamics, Integrator, Interactions, ParticleType, Particles, Precision, System, Units,
};
use beadwork_structure::Label;

use crate::boxed::uniform;
use crate::support::{dynamics, protocol, stage};

/// The most beads around one point: all of their pairs are near.
const MOST_CROWDED: usize = 600;

/// Where the beads of a random box are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    Anywhere,
    /// In one place: all pairs are near, and their separations are zero.
    OnePlace,
    /// Within a cutoff of a corner, so across all faces.
    Corner,
    /// On the faces of four cells a side, or on their corners.
    Faces,
}

/// What a kernel of a GPU is compiled for; the rest of a random box is data.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub beads: usize,
    /// Hard beads, whose forces may be beyond all limits.
    pub hard: bool,
    /// Drag and noise between pairs.
    pub heated: bool,
    pub precision: Precision,
}

/// Numbers that describe a random box.
struct Draw<N>(N);

impl<N: FnMut() -> f64> Draw<N> {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.0()
    }

    /// From 0 to `count` − 1.
    fn one_of(&mut self, count: usize) -> usize {
        (self.0() * count as f64) as usize
    }

    /// As many boxes for each order of magnitude of their beads; rarely hard beads.
    fn kind(&mut self, most: f64) -> Kind {
        Kind {
            beads: self.between(0.0, most.ln()).exp() as usize,
            hard: self.one_of(8) == 0,
            heated: self.one_of(2) == 0,
            precision: Precision::ALL[self.one_of(2)],
        }
    }

    /// A side of two cells, of two with the skin, of three, of a few, or much longer.
    fn side(&mut self, cutoff: f64, skin: f64) -> f64 {
        match self.one_of(6) {
            0 => 2.0 * cutoff,
            1 => self.between(2.0 * cutoff, 2.0 * (cutoff + skin)),
            2 => 3.0 * (cutoff + skin) * self.between(0.9999, 1.0001),
            3 => self.between(2.0, 4.0) * (cutoff + skin),
            4 => self.between(4.0, 12.0) * (cutoff + skin),
            _ => self.between(100.0, 1000.0) * cutoff,
        }
    }

    fn place(&mut self, start: Start, lengths: [f64; 3], cutoff: f64) -> [f64; 3] {
        let anywhere = lengths.map(|length| self.between(-0.5, 0.5) * length);
        match start {
            Start::Anywhere => anywhere,
            Start::OnePlace => lengths.map(|length| 0.25 * length),
            Start::Corner => lengths.map(|length| 0.5 * length + self.between(-0.5, 0.5) * cutoff),
            Start::Faces => {
                let (face, at_corner) = (self.one_of(3), self.one_of(8) == 0);
                [0, 1, 2].map(|axis| match axis == face || at_corner {
                    true => 0.25 * (self.one_of(4) as f64 - 2.0) * lengths[axis],
                    false => anywhere[axis],
                })
            }
        }
    }

    /// Beads of up to four types, some of them without beads, with excluded pairs.
    fn system(&mut self, kind: Kind, skin: f64) -> (System, Start) {
        let Kind { beads, hard, heated, .. } = kind;
        let all = [Start::Anywhere, Start::Anywhere, Start::Faces, Start::OnePlace, Start::Corner];
        let start = all[self.one_of(if beads > MOST_CROWDED { 3 } else { 5 })];
        let types = 1 + self.one_of(4);
        let cutoffs: Vec<f64> = (0..types).map(|_| self.between(0.5, 1.5)).collect();
        let cutoff = cutoffs.iter().copied().fold(0.0, f64::max);
        let mut lengths = [(); 3].map(|()| self.side(cutoff, skin));
        // No more beads than a simulation would have: otherwise a small box of many has millions of pairs.
        let least = beads as f64 / (12.0 * cutoff.powi(3));
        let is_spread = matches!(start, Start::Anywhere | Start::Faces);
        while is_spread && lengths.iter().product::<f64>() < least {
            lengths[self.one_of(3)] *= 2.0;
        }
        let positions = (0..beads).map(|_| self.place(start, lengths, cutoff)).collect();
        let mut particles = Particles::of_one_type(vec![Label::default(); beads], positions);
        let (first, used) = (self.one_of(types), 1 + self.one_of(types));
        particles.types =
            (0..beads).map(|_| ((first + self.one_of(used)) % types) as u16).collect();
        let strength = if start == Start::Anywhere { 25.0 } else { 0.1 };
        let gap = 1 + self.one_of(9);
        let excluded: Vec<_> = (gap..beads).step_by(1 + gap).map(|j| (j - gap, j)).collect();
        let interactions =
            Interactions { excluded, ..pair_terms(&cutoffs, strength, hard, heated) };
        let types = (0..types).map(|kind| ParticleType::new(format!("t{kind}"), 1.0)).collect();
        let boundary = Boundary::Periodic { lengths };
        let units = Units::Reduced;
        (System { particles, types, boundary, interactions, units, ..System::default() }, start)
    }
}

/// Soft beads, whose pairs have the larger cutoff of their types.
fn pair_terms(cutoffs: &[f64], strength: f64, hard: bool, heated: bool) -> Interactions {
    let types = cutoffs.len();
    let cutoff_of = |a: usize, b: usize| cutoffs[a].max(cutoffs[b]);
    let soft = |a: usize, b: usize| {
        let (strength, cutoff) = (strength * (1 + a + b) as f64, cutoff_of(a, b));
        PairEntry { potential: DpdConservative { strength, cutoff }, cutoff }
    };
    let core = |a: usize, b: usize| {
        let cutoff = cutoff_of(a, b);
        PairEntry { potential: LennardJones::cut(1.0, 0.4 * cutoff, cutoff), cutoff }
    };
    let drag = |a: usize, b: usize| {
        let (friction, cutoff) = (0.1 * strength, 0.9 * cutoff_of(a, b));
        PairEntry { potential: DpdThermostat { friction, cutoff }, cutoff }
    };
    let mut pairs = vec![PairTable::new(types, soft).into()];
    if hard {
        pairs.push(PairTable::new(types, core).into());
    }
    let thermostat = PairThermostat::of_one_type(1.0, 1.0);
    let thermostat = PairThermostat { table: PairTable::new(types, drag), ..thermostat };
    Interactions { pairs, thermostat: heated.then_some(thermostat), ..Interactions::default() }
}

/// A random box and how it is stepped.
pub struct RandomBox {
    pub number: u64,
    pub system: Arc<System>,
    pub dynamics: Dynamics,
    pub start: Start,
    /// Threads that share its beads, on a CPU.
    pub threads: usize,
}

impl RandomBox {
    /// A box with up to `most` beads.
    pub fn new(number: u64, most: f64) -> RandomBox {
        let kind = Draw(uniform(8_000 + number)).kind(most);
        RandomBox::of_kind(number, kind)
    }

    pub fn of_kind(number: u64, kind: Kind) -> RandomBox {
        let mut draw = Draw(uniform(7_000_000 + number));
        let skin = [0.0, 0.1, 0.5, 2.0][draw.one_of(4)];
        let (system, start) = draw.system(kind, skin);
        let threads = [1, 2, 3, 5][draw.one_of(4)];
        // Without a list after some steps: beads move a large part of a small skin at each.
        let timestep = [0.002, 0.03][draw.one_of(2)];
        let case = (Integrator::VelocityVerlet, kind.precision);
        let dynamics = Dynamics { skin, friction: 0.0, ..dynamics(case, timestep) };
        RandomBox { number, system: Arc::new(system), dynamics, start, threads }
    }

    pub fn member(&self) -> Member {
        let protocol = protocol(self.dynamics.clone(), vec![stage(u64::MAX, vec![])]);
        let start = &self.system.particles.positions;
        Member::new(self.system.clone(), Arc::new(protocol), self.number, start)
    }
}

impl std::fmt::Display for RandomBox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let RandomBox { number, system, dynamics, start, .. } = self;
        let Dynamics { skin, precision, .. } = dynamics;
        let (beads, boundary) = (system.beads(), system.boundary);
        write!(
            f,
            "box {number}: {beads} beads, {start:?}, {boundary:?}, skin {skin}, {precision:?}"
        )
    }
}
