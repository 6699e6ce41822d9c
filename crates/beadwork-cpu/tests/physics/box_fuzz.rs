//! Random boxes: every path has the bits of the reference path, or fails as it does, with any number of threads.

use std::sync::Arc;

use beadwork_cpu::{CpuPath, Instructions};
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{DpdConservative, DpdThermostat, LennardJones, PairThermostat};
use beadwork_model::{
    Boundary, Dynamics, Integrator, Interactions, ParticleType, Particles, Precision, System, Units,
};
use beadwork_structure::Label;
use beadwork_testing::few_or_many;

use crate::boxed::uniform;
use crate::boxes::member_of;
use crate::support::dynamics;

/// Where the beads of a random box are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Start {
    Anywhere,
    /// In one place: all pairs are near, and their separations are zero.
    OnePlace,
    /// Within a cutoff of a corner, so across all faces.
    Corner,
    /// On the faces of four cells a side.
    Faces,
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
                let axis = self.one_of(3);
                let quarter = 0.25 * (self.one_of(4) as f64 - 2.0) * lengths[axis];
                [0, 1, 2].map(|one| if one == axis { quarter } else { anywhere[one] })
            }
        }
    }

    /// Soft beads of up to four types, some of them without beads, with excluded pairs; rarely hard beads, whose forces
    /// may be beyond all limits.
    fn system(&mut self, most: f64, skin: f64) -> (System, Start) {
        let all = [Start::Anywhere, Start::Anywhere, Start::OnePlace, Start::Corner, Start::Faces];
        let start = all[self.one_of(all.len())];
        // As many orders of magnitude; few where all pairs are near.
        let most = if start == Start::Anywhere { most } else { most.min(600.0) };
        let beads = self.between(0.0, most.ln()).exp() as usize;
        let types = 1 + self.one_of(4);
        let cutoffs: Vec<f64> = (0..types).map(|_| self.between(0.5, 1.5)).collect();
        let cutoff_of = |a: usize, b: usize| cutoffs[a].max(cutoffs[b]);
        let cutoff = cutoffs.iter().copied().fold(0.0, f64::max);
        let mut lengths = [(); 3].map(|()| self.side(cutoff, skin));
        // No more beads than a simulation would have: otherwise a small box of many has millions of pairs.
        let least = beads as f64 / (12.0 * cutoff.powi(3));
        while start == Start::Anywhere && lengths.iter().product::<f64>() < least {
            lengths[self.one_of(3)] *= 2.0;
        }
        let positions = (0..beads).map(|_| self.place(start, lengths, cutoff)).collect();
        let mut particles = Particles::of_one_type(vec![Label::default(); beads], positions);
        let used = 1 + self.one_of(types);
        particles.types = (0..beads).map(|_| self.one_of(used) as u16).collect();
        let strength = if start == Start::Anywhere { 25.0 } else { 0.1 };
        let soft = |a: usize, b: usize| {
            let (strength, cutoff) = (strength * (1 + a + b) as f64, cutoff_of(a, b));
            PairEntry { potential: DpdConservative { strength, cutoff }, cutoff }
        };
        let hard = |a: usize, b: usize| {
            let cutoff = cutoff_of(a, b);
            PairEntry { potential: LennardJones::cut(1.0, 0.4 * cutoff, cutoff), cutoff }
        };
        let drag = |a: usize, b: usize| {
            let (friction, cutoff) = (0.1 * strength, 0.9 * cutoff_of(a, b));
            PairEntry { potential: DpdThermostat { friction, cutoff }, cutoff }
        };
        let mut pairs = vec![PairTable::new(types, soft).into()];
        if self.one_of(8) == 0 {
            pairs.push(PairTable::new(types, hard).into());
        }
        let mut thermostat = PairThermostat::of_one_type(1.0, 1.0);
        thermostat.table = PairTable::new(types, drag);
        let thermostat = (self.one_of(2) == 0).then_some(thermostat);
        let gap = 1 + self.one_of(9);
        let excluded: Vec<_> = (gap..beads).step_by(1 + gap).map(|j| (j - gap, j)).collect();
        let interactions = Interactions { pairs, thermostat, excluded, ..Interactions::default() };
        let types = (0..types).map(|kind| ParticleType::new(format!("t{kind}"), 1.0)).collect();
        let boundary = Boundary::Periodic { lengths };
        let units = Units::Reduced;
        (System { particles, types, boundary, interactions, units, ..System::default() }, start)
    }
}

/// Boxes of two and three cells a side, and between; huge ones with few beads; all beads in one place or around a corner;
/// types without beads; forces beyond all limits.
#[test]
fn random_boxes_have_the_bits_of_the_reference_path() {
    let (cases, most) = few_or_many((150, 2_000.0), (1_500, 30_000.0));
    let mut failures = 0;
    for case in 0..cases {
        let mut draw = Draw(uniform(7_000 + case));
        let skin = [0.0, 0.1, 0.5, 2.0][draw.one_of(4)];
        let (system, start) = draw.system(most, skin);
        let threads = [1, 2, 3, 5][draw.one_of(4)];
        let system = Arc::new(system);
        let precision = Precision::ALL[draw.one_of(2)];
        // Without a list after some steps: beads move a large part of a small skin at each.
        let timestep = [0.002, 0.03][draw.one_of(2)];
        let dynamics = Dynamics {
            skin,
            friction: 0.0,
            ..dynamics((Integrator::VelocityVerlet, precision), timestep)
        };
        let member = member_of(&system, dynamics, case);
        let result = |path: CpuPath, threads: usize| {
            let mut member = member.clone().with_path(path);
            member.set_threads(threads);
            let forces = member.interaction_forces();
            let steps = [1, 4, 1].map(|count| member.advance(count).map_err(|one| one.error));
            (forces, steps, member.state())
        };
        let expected = result(CpuPath::Reference, 1);
        failures += usize::from(expected.0.is_err());
        let available = Instructions::ALL.into_iter().filter(|one| one.is_available());
        let others = available.map(|one| (one, 1));
        for (instructions, threads) in others.chain([(Instructions::best(), threads)]) {
            assert!(
                result(CpuPath::PairSimd(instructions), threads) == expected,
                "case {case}: {} beads, {start:?}, {:?}, skin {skin}, {precision:?}, {instructions:?}, {threads} threads",
                system.beads(),
                system.boundary,
            );
        }
    }
    assert!((1..cases as usize / 4).contains(&failures), "{failures} of {cases} boxes fail");
}
