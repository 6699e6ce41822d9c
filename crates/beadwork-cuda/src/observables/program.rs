//! The programs that measure samples.

use beadwork_model::{Model, Precision, System};

use crate::compile::program::{ARITHMETIC_TEXT, GEOMETRY_TEXT, Program, text_of};
use crate::error::OLDEST_CARD;
use crate::tables::{TermNames, struct_name};

/// Threads of a block: some warps, each with a sample of its own.
pub const THREADS: usize = 128;

const FILES: [&str; 2] =
    [include_str!("../../kernels/observables.cuh"), include_str!("../../kernels/observe.cuh")];

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
}

impl ObservedKey {
    /// The key of a system whose members have the terms `terms`.
    pub fn of(system: &System, terms: &TermNames, precision: Precision, moving: bool) -> Self {
        ObservedKey {
            precision,
            boxed: system.boundary.volume().is_some(),
            terms: TermNames { thermostat: None, ..terms.clone() },
            by_molecules: system.model != Model::Sop,
            moving,
        }
    }

    /// Whether a member of this system can share a launch with members of this key, whose terms and boundary are its own.
    pub fn suits(&self, system: &System) -> bool {
        self.by_molecules == (system.model != Model::Sop)
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
            ("THREADS", THREADS as u32),
        ];
        let [counted, terms] = self.declarations();
        let texts = self.terms.texts();
        let first = [ARITHMETIC_TEXT, GEOMETRY_TEXT];
        let files = [&first, &*texts, &[&counted], &FILES[..1], &[&terms], &FILES[1..]].concat();
        Program {
            name: self.name(),
            source: text_of(&definitions, &files),
            functions: vec!["beadwork_unwrap".into(), "beadwork_observe".into()],
            oldest: OLDEST_CARD,
            registers: 255,
            local_bytes: 512,
        }
    }

    fn name(&self) -> String {
        format!(
            "observables {} {}{}{}{}",
            self.precision.name(),
            self.terms.words(),
            if self.boxed { " box" } else { "" },
            if self.by_molecules { " molecules" } else { "" },
            if self.moving { " velocities" } else { "" },
        )
    }

    /// The contact whose pairs are counted, and the types of the terms.
    fn declarations(&self) -> [String; 2] {
        let counts = self.terms.bonded.iter().any(|term| term.formula == "native_contact");
        let counted = match counts {
            true => "typedef NativeContactEnergy CountedContact;\n",
            false => "struct CountedContact {};\n",
        };
        let with_energy = |name: &str| {
            let formula = struct_name(name);
            format!("WithEnergy<{formula}, {formula}Energy>")
        };
        let list = |names: Vec<String>| names.join(", ");
        let bonded = self.terms.bonded.iter().map(|term| with_energy(term.formula)).collect();
        let pairs = self.terms.pairs.iter().map(|name| with_energy(name)).collect();
        let plain = |names: &[&str]| names.iter().map(|name| struct_name(name)).collect();
        let terms = format!(
            "struct Terms {{\n    typedef ::Bonded<{}> Bonded;\n    typedef ::Pairs<{}> Pairs;\n    typedef ::Angles<{}> Angles;\n    typedef ::Singles<{}> Singles;\n}};\n",
            list(bonded),
            list(pairs),
            list(plain(&self.terms.angles)),
            list(plain(&self.terms.singles)),
        );
        [counted.to_string(), terms]
    }
}

/// A sample of the programs, with every formula, for tests that compile them.
pub fn observed_programs() -> Vec<Program> {
    let mut plain = TermNames::every();
    plain.bonded.retain(|term| ["fene_bond", "native_contact"].contains(&term.formula));
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
    };
    let every = TermNames::every();
    let keys = [
        key(Precision::Single, false, &plain, false, false),
        key(Precision::Double, false, &every, true, false),
        key(Precision::Single, true, &every, true, true),
    ];
    keys.iter().map(ObservedKey::program).collect()
}
