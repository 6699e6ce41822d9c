//! The programs that measure samples.

use beadwork_model::sums::have_runs;
use beadwork_model::{Precision, System};

use crate::compile::program::{Program, definitions_of, including};
use crate::error::OLDEST_CARD;
use crate::observables::Threads;
use crate::tables::{TermNames, struct_name};

/// Threads of a block: some warps, each with work of its own.
pub const THREADS: usize = 128;
pub const WARPS: usize = THREADS / 32;

/// The properties on which a program is specialised.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ObservedKey {
    /// The number type of samples.
    pub precision: Precision,
    /// Whether positions wrap around.
    pub boxed: bool,
    /// The terms of the system, without a thermostat.
    pub terms: TermNames,
    /// Whether sizes are means over molecules, and not of all beads.
    pub by_molecules: bool,
    /// Whether beads have velocities.
    pub moving: bool,
    /// Whether sums are sums of runs.
    pub large: bool,
}

impl ObservedKey {
    /// The key of a system whose members have the terms `terms`.
    pub fn of(system: &System, terms: &TermNames, precision: Precision, moving: bool) -> Self {
        ObservedKey {
            precision,
            boxed: system.boundary.volume().is_some(),
            terms: TermNames { thermostat: None, ..terms.clone() },
            by_molecules: !system.sizes_are_of_all_beads(),
            moving,
            large: have_runs(system.beads()),
        }
    }

    /// Whether a member of this system can share a launch with members of this key, whose terms and boundary are its own.
    pub fn suits(&self, system: &System) -> bool {
        self.by_molecules != system.sizes_are_of_all_beads()
            && self.large == have_runs(system.beads())
    }

    /// The program.
    pub fn program(&self) -> Program {
        let flag = u32::from;
        let definitions = [
            // Measurements are in double precision, rounded as written, whatever the samples have.
            ("DOUBLE", 1),
            ("FUSED", 0),
            ("DOUBLE_SAMPLES", flag(self.precision == Precision::Double)),
            ("BOXED", flag(self.boxed)),
            ("TYPED", flag(self.terms.typed)),
            ("BY_MOLECULES", flag(self.by_molecules)),
            ("MOVING", flag(self.moving)),
            ("LARGE", flag(self.large)),
            ("THREADS", THREADS as u32),
        ];
        let kernels = if self.large { "observables/large.cuh" } else { "observables/small.cuh" };
        Program {
            name: self.name(),
            source: definitions_of(&definitions) + &self.chosen() + &including(&[kernels]),
            functions: self.kernels().map(|(name, _)| name.into()).collect(),
            oldest: OLDEST_CARD,
            registers: 255,
            local_bytes: 512,
        }
    }

    /// Its kernels and their threads, in the order in which they run.
    pub(super) fn kernels(&self) -> impl Iterator<Item = (&'static str, Threads)> {
        let unwrap = self.boxed.then_some(("beadwork_unwrap", Threads::Coordinates));
        let of_large = [
            ("beadwork_clear", Threads::Cells),
            ("beadwork_enter", Threads::Beads),
            ("beadwork_things", Threads::Things),
            ("beadwork_runs", Threads::Runs),
        ];
        let of_large = of_large.into_iter().filter(|_| self.large);
        unwrap.into_iter().chain(of_large).chain([("beadwork_observe", Threads::Samples)])
    }

    fn name(&self) -> String {
        format!(
            "observables {} {}{}{}{}{}",
            self.precision.name(),
            self.terms.words(),
            if self.boxed { " box" } else { "" },
            if self.by_molecules { " molecules" } else { "" },
            if self.moving { " velocities" } else { "" },
            if self.large { " large" } else { "" },
        )
    }

    /// The terms of each shape, for `observables/terms.cuh`.
    fn chosen(&self) -> String {
        let with_energy = |name: &str| {
            let formula = struct_name(name);
            format!("WithEnergy<{formula}, {formula}Energy>")
        };
        let bonded = self.terms.bonded.iter().map(|term| {
            let formula = struct_name(term.formula);
            let kind = if term.is_bond { "BOND" } else { "CONTACT" };
            format!("WithEnergy<{formula}, {formula}Energy, EnergyKind::{kind}>")
        });
        let plain = |names: &[&str]| names.iter().map(|name| struct_name(name)).collect();
        let shapes: [(&str, Vec<String>); 4] = [
            ("BONDED", bonded.collect()),
            ("PAIRS", self.terms.pairs.iter().map(|name| with_energy(name)).collect()),
            ("ANGLES", plain(&self.terms.angles)),
            ("SINGLES", plain(&self.terms.singles)),
        ];
        let define = |(shape, names): &(&str, Vec<String>)| {
            format!("#define CHOSEN_{shape} {}\n", names.join(", "))
        };
        shapes.iter().map(define).collect()
    }
}

/// A sample of the programs, with every formula, for tests that compile them.
pub fn observed_programs() -> Vec<Program> {
    let mut plain = TermNames::every();
    plain.bonded.retain(|term| ["fene_bond", "native_contact"].contains(&term.name));
    plain.pairs.retain(|&name| name == "sixth_power_repulsion");
    plain.angles.clear();
    plain.singles.clear();
    let plain = TermNames { typed: false, ..plain };
    let key = |precision, boxed, terms: &TermNames, by_molecules, moving| ObservedKey {
        precision,
        boxed,
        terms: terms.clone(),
        by_molecules,
        moving,
        large: false,
    };
    let every = TermNames::every();
    let keys = [
        key(Precision::Single, false, &plain, false, false),
        key(Precision::Double, false, &every, true, false),
        key(Precision::Single, true, &every, true, true),
    ];
    let large = keys.iter().map(|key| ObservedKey { large: true, ..key.clone() });
    keys.iter().cloned().chain(large).map(|key| key.program()).collect()
}
