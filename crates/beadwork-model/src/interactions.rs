//! The interactions of a system, by shape.

use crate::potentials::angle::AngleTerm;
use crate::potentials::bonded::{BondedTerm, HarmonicBond, ListedPair};
use crate::potentials::listed::{Pair, Pairs, Single, Singles};
use crate::potentials::pair::{PairCutoffs, PairFormula, PairTable, PairTerm, PairVisitor};
use crate::potentials::single::{SingleFormula, SingleTerm, SingleVisitor};
use crate::potentials::{EnergyKind, PairThermostat};

/// The interactions of beads, by shape; each shape has a list of terms, and each term a formula.
///
/// The order of the terms is the order in which a bead sums them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interactions {
    /// Between listed pairs.
    pub bonded: Vec<BondedTerm>,
    /// Between all pairs within a cutoff, except the excluded ones.
    pub pairs: Vec<PairTerm>,
    /// Pairs (i < j, ascending, unique) between which no pair term acts.
    pub excluded: Vec<(usize, usize)>,
    /// On listed triples.
    pub angles: Vec<AngleTerm>,
    /// On single beads.
    pub singles: Vec<SingleTerm>,
    /// Drag and noise between pairs.
    pub thermostat: Option<PairThermostat>,
    /// The type that each bonded pair has in files, counted from 0, over the terms in their order; empty where each term is a
    /// type. No force depends on it.
    pub bond_types: Vec<u32>,
    /// The type that each of the `angles` has in files, counted from 0; empty where each term is a type, in their order.
    pub angle_types: Vec<u32>,
}

impl Interactions {
    /// Whether any force acts between beads.
    pub fn act_between_beads(&self) -> bool {
        let bonded = self.bonded.iter().any(|term| !term.pairs().is_empty());
        bonded || self.act_on_pairs() || !self.angles.is_empty()
    }

    /// Whether any force acts between all near pairs, so that paths need their lists.
    pub fn act_on_pairs(&self) -> bool {
        !self.pairs.is_empty() || self.thermostat.is_some()
    }

    /// The pairs of one bonded formula; empty if the system has no such term.
    pub fn bonded_by<F>(&self) -> &[Pair<F>]
    where
        for<'a> &'a Pairs<F>: TryFrom<&'a BondedTerm>,
    {
        let term = self.bonded.iter().find_map(|term| <&Pairs<F>>::try_from(term).ok());
        term.map_or(&[], Vec::as_slice)
    }

    /// The pairs of one bonded formula, mutable. A missing term is inserted at its formula's place in the list of
    /// formulas.
    pub fn bonded_by_mut<F>(&mut self) -> &mut Pairs<F>
    where
        F: PairFormula,
        BondedTerm: From<Pairs<F>>,
        for<'a> &'a mut Pairs<F>: TryFrom<&'a mut BondedTerm>,
    {
        match <&mut Pairs<F>>::try_from(self.term_like(BondedTerm::from(Pairs::<F>::new()))) {
            Ok(pairs) => pairs,
            Err(_) => unreachable!("terms of one rank have one formula"),
        }
    }

    /// The springs of elastic networks; empty if the system has none.
    pub fn elastic_network(&self) -> &[Pair<HarmonicBond>] {
        let springs = self.bonded.iter().find_map(|term| match term {
            BondedTerm::ElasticNetworkSpring(springs) => Some(springs.as_slice()),
            _ => None,
        });
        springs.unwrap_or_default()
    }

    /// The springs of elastic networks, mutable. A missing term is inserted at its place.
    pub fn elastic_network_mut(&mut self) -> &mut Pairs<HarmonicBond> {
        match self.term_like(BondedTerm::ElasticNetworkSpring(Pairs::new())) {
            BondedTerm::ElasticNetworkSpring(springs) => springs,
            _ => unreachable!("terms of one rank are of one kind"),
        }
    }

    /// The bonded term of the kind of `none`, which is inserted at its place if the system has no such term.
    fn term_like(&mut self, none: BondedTerm) -> &mut BondedTerm {
        let place = self.bonded.partition_point(|term| term.rank() < none.rank());
        if self.bonded.get(place).is_none_or(|term| term.rank() != none.rank()) {
            self.bonded.insert(place, none);
        }
        &mut self.bonded[place]
    }

    /// The table of one pair formula.
    pub fn pairs_by<F>(&self) -> Option<&PairTable<F>>
    where
        for<'a> &'a PairTable<F>: TryFrom<&'a PairTerm>,
    {
        self.pairs.iter().find_map(|term| <&PairTable<F>>::try_from(term).ok())
    }

    /// The beads of one single-bead formula; empty if the system has no such term.
    pub fn singles_by<F>(&self) -> &[Single<F>]
    where
        for<'a> &'a Singles<F>: TryFrom<&'a SingleTerm>,
    {
        let term = self.singles.iter().find_map(|term| <&Singles<F>>::try_from(term).ok());
        term.map_or(&[], Vec::as_slice)
    }

    /// The largest distance, Å, at which a pair term or the pair thermostat acts; 0 if there is neither.
    pub fn pair_cutoff(&self) -> f64 {
        self.pair_cutoffs().largest()
    }

    /// The largest distance at which a pair term or the pair thermostat acts, by the types of two beads.
    pub fn pair_cutoffs(&self) -> PairCutoffs {
        let none = PairCutoffs::new(1, |_, _| 0.0);
        let terms = self.pairs.iter().map(|term| term.visit(CutoffsOfTerm));
        let thermostat = self.thermostat.iter().map(|thermostat| thermostat.table.cutoffs());
        terms.chain(thermostat).fold(none, |largest, of_term| largest.or_larger(&of_term))
    }

    /// The bonded pairs that are bonds, term after term.
    pub(crate) fn bonds(&self) -> impl Iterator<Item = ListedPair> {
        let listed = self.bonded.iter().flat_map(BondedTerm::listed);
        listed.filter(|pair| pair.kind == EnergyKind::Bond)
    }

    /// Whether any interaction has this kind of energy.
    pub(crate) fn have_energy(&self, kind: EnergyKind) -> bool {
        let Interactions { bonded, pairs, angles, singles, .. } = self;
        match kind {
            EnergyKind::Angle => !angles.is_empty(),
            EnergyKind::Single => !singles.is_empty(),
            EnergyKind::Pair | EnergyKind::Charge => {
                pairs.iter().any(|term| term.visit(KindOfEnergy) == kind)
            }
            EnergyKind::Bond | EnergyKind::Contact => {
                bonded.iter().any(|term| term.energy_kind() == kind && term.has_pairs())
            }
        }
    }

    /// The largest stiffness of a field, kcal/(mol Å²).
    pub fn stiffest_field(&self) -> f64 {
        self.singles.iter().map(|term| term.visit(LargestStiffness)).fold(0.0, f64::max)
    }
}

/// The kind of energy of a pair term.
struct KindOfEnergy;

impl PairVisitor for KindOfEnergy {
    type Output = EnergyKind;

    fn visit<F: PairFormula>(self, _: &PairTable<F>) -> EnergyKind {
        F::ENERGY
    }
}

struct LargestStiffness;

impl SingleVisitor for LargestStiffness {
    type Output = f64;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> f64 {
        term.iter().map(|single| single.potential.stiffness()).fold(0.0, f64::max)
    }
}

struct CutoffsOfTerm;

impl PairVisitor for CutoffsOfTerm {
    type Output = PairCutoffs;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> PairCutoffs {
        term.cutoffs()
    }
}
