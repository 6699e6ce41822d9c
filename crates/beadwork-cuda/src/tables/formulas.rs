//! The formulas of the kernels, and the choice of those that a system needs.

use beadwork_model::potentials::EnergyKind;
use beadwork_model::potentials::PairNoise;
use beadwork_model::potentials::angle::{AngleFormula, AngleTerm, AngleVisitor};
use beadwork_model::potentials::bonded::{BondedMaker, BondedTerm, BondedVisitor};
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairTerm, PairVisitor};
use beadwork_model::potentials::single::{SingleFormula, SingleTerm, SingleVisitor};
use beadwork_model::{Angles, Pairs, Singles, System};

/// The list of all formulas in kernels; the struct of each has the name of the Rust type.
const POTENTIALS: &str = include_str!("../../kernels/potentials/potentials.cuh");

/// Whether kernels have the formula of this name in the model.
fn is_known(name: &str) -> bool {
    POTENTIALS.contains(&format!("/{name}.cuh\""))
}

/// The most terms of a shape.
pub const MOST_TERMS: usize = 12;

/// A bonded term of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BondedName {
    /// The kind of term.
    pub name: &'static str,
    /// The formula of the term's pairs.
    pub formula: &'static str,
    /// Whether its pairs are bonds and not contacts. Most beads have few bonds.
    pub is_bond: bool,
}

impl BondedName {
    fn of(term: &BondedTerm) -> BondedName {
        let is_bond = term.energy_kind() == EnergyKind::Bond;
        BondedName { name: term.name(), formula: term.visit(Name), is_bond }
    }
}

/// The terms that act in a system, in their order, by the names of their formulas.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TermNames {
    /// Between listed pairs.
    pub bonded: Vec<BondedName>,
    /// Between all pairs within a cutoff.
    pub pairs: Vec<&'static str>,
    /// On triples.
    pub angles: Vec<&'static str>,
    /// On single beads.
    pub singles: Vec<&'static str>,
    /// The noise of the pair thermostat, if there is one.
    pub thermostat: Option<PairNoise>,
    /// Whether beads have different types.
    pub typed: bool,
}

struct Name;

impl BondedMaker for Name {
    type Output = BondedName;

    fn make<F: PairFormula>(&mut self, term: fn(Pairs<F>) -> BondedTerm) -> BondedName {
        BondedName::of(&term(Pairs::new()))
    }
}

impl BondedVisitor for Name {
    type Output = &'static str;

    fn visit<F: PairFormula>(self, _: &Pairs<F>) -> Self::Output {
        F::NAME
    }
}

impl PairVisitor for Name {
    type Output = &'static str;

    fn visit<F: PairFormula>(self, _: &PairTable<F>) -> Self::Output {
        F::NAME
    }
}

impl AngleVisitor for Name {
    type Output = Option<&'static str>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        (!term.is_empty()).then_some(F::NAME)
    }
}

impl SingleVisitor for Name {
    type Output = Option<&'static str>;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> Self::Output {
        (!term.is_empty()).then_some(F::NAME)
    }
}

impl TermNames {
    /// The terms of a system; empty terms are left out.
    pub fn of(system: &System) -> TermNames {
        let all = &system.interactions;
        let bonded = all.bonded.iter().filter(|term| term.has_pairs());
        TermNames {
            bonded: bonded.map(BondedName::of).collect(),
            typed: pair_types(system) > 1,
            pairs: all.pairs.iter().map(|term| term.visit(Name)).collect(),
            angles: all.angles.iter().filter_map(|term| term.visit(Name)).collect(),
            singles: all.singles.iter().filter_map(|term| term.visit(Name)).collect(),
            thermostat: all.thermostat.as_ref().map(|thermostat| thermostat.noise),
        }
    }

    /// The terms of a system with every formula and several types.
    pub fn every() -> TermNames {
        TermNames {
            bonded: BondedTerm::each(&mut Name),
            pairs: PairTerm::NAMES.to_vec(),
            angles: AngleTerm::NAMES.to_vec(),
            singles: SingleTerm::NAMES.to_vec(),
            thermostat: None,
            typed: true,
        }
    }

    /// `fene_bond+native_contact+sixth_power_repulsion`, for messages.
    pub fn words(&self) -> String {
        let bonded = self.bonded.iter().map(|term| term.name);
        let names: Vec<&str> = bonded.chain(self.not_bonded()).collect();
        let mut words = if names.is_empty() { "no-terms".to_string() } else { names.join("+") };
        if let Some(noise) = self.thermostat {
            words += if noise == PairNoise::Normal { "+normal" } else { "+uniform" };
            words += "_pair_thermostat";
        }
        if self.typed { format!("{words} typed") } else { words }
    }

    /// The names of the formulas, some perhaps more than once.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.bonded.iter().map(|term| term.formula).chain(self.not_bonded())
    }

    fn not_bonded(&self) -> impl Iterator<Item = &'static str> + '_ {
        [&self.pairs, &self.angles, &self.singles].into_iter().flatten().copied()
    }

    /// The reason why kernels cannot be made of these terms; `None` if they can.
    pub fn obstacle(&self) -> Option<String> {
        if let Some(name) = self.names().find(|name| !is_known(name)) {
            return Some(format!("no kernel has the formula {name}"));
        }
        let counts = [self.bonded.len(), self.pairs.len(), self.angles.len(), self.singles.len()];
        let most = counts.into_iter().max().unwrap_or(0);
        (most > MOST_TERMS)
            .then(|| format!("a system with {most} terms of a shape; a GPU takes {MOST_TERMS}"))
    }

    /// The types of these terms and of the thermostat, for `kernels/chosen.cuh`. A thread keeps the first bond of a slot, and `kept` contacts, in registers.
    pub fn declaration(&self, kept: u32) -> String {
        let mut left = kept;
        let bonded = self.bonded.iter().enumerate().map(|(number, term)| {
            let kept = if term.is_bond { 1 } else { std::mem::take(&mut left) };
            format!("BondedTerm<{}, {number}, {kept}>", struct_name(term.formula))
        });
        let bonded: Vec<String> = bonded.collect();
        let list = |names: &[&str]| {
            names.iter().map(|name| struct_name(name)).collect::<Vec<_>>().join(", ")
        };
        format!(
            "#define CHOSEN_TERMS TermsOf<Bonded<{}>, Pairs<{}>, Angles<{}>, Singles<{}>>\n#define CHOSEN_THERMOSTAT {}\n",
            bonded.join(", "),
            list(&self.pairs),
            list(&self.angles),
            list(&self.singles),
            if self.thermostat.is_some() { "DpdThermostat" } else { "NoThermostat" }
        )
    }
}

/// The types that tables of pairs distinguish.
pub fn pair_types(system: &System) -> usize {
    let all = &system.interactions;
    let tables = all.pairs.iter().map(PairTerm::types);
    let thermostat = all.thermostat.iter().map(|thermostat| thermostat.table.types());
    tables.chain(thermostat).max().unwrap_or(1)
}

/// `fene_bond` as `FeneBond`.
pub fn struct_name(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').map(capital).collect()
}

#[cfg(test)]
#[path = "../../tests/unit/formulas.rs"]
mod tests;
