//! A system: beads, their start, and their interactions.

use std::ops::Range;

use crate::force_fields::elastic_polymer::ElasticPolymer;
use crate::force_fields::oscillators::Oscillators;
use crate::force_fields::residues::Residues;
use crate::particles::{Boundary, ParticleType, Particles};
use crate::potentials::angle::{AngleFormula, AngleTerm, AngleVisitor};
use crate::potentials::bonded::{BondedTerm, BondedVisitor};
use crate::potentials::pair::{PairCutoffs, PairFormula, PairTable, PairTerm, PairVisitor};
use crate::potentials::single::{SingleTerm, SingleVisitor};
use crate::potentials::{EnergyKind, PairThermostat};
use crate::protocol::Dynamics;
use crate::units::{BOLTZMANN, Units};

/// A potential between two named beads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair<P> {
    /// The bead with the smaller number.
    pub i: usize,
    /// The bead with the larger number.
    pub j: usize,
    /// The potential that acts between them.
    pub potential: P,
}

/// Bonded pairs of one formula, sorted by (i, j), each pair once.
pub type Pairs<F> = Vec<Pair<F>>;

/// A potential of the angle at the middle one of three beads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle<P> {
    /// The beads, the middle one second.
    pub beads: [usize; 3],
    /// The potential that acts between them.
    pub potential: P,
}

/// Angles of one formula. Their order is the order in which a bead sums them.
pub type Angles<F> = Vec<Angle<F>>;

/// A potential of one bead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Single<P> {
    /// The bead.
    pub bead: usize,
    /// The potential that acts on it.
    pub potential: P,
}

/// Beads in fields of one formula. Their order is the order in which a bead sums them.
pub type Singles<F> = Vec<Single<F>>;

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
        let none = BondedTerm::from(Pairs::<F>::new());
        let place = self.bonded.partition_point(|term| term.rank() < none.rank());
        if self.bonded.get(place).is_none_or(|term| term.rank() != none.rank()) {
            self.bonded.insert(place, none);
        }
        match <&mut Pairs<F>>::try_from(&mut self.bonded[place]) {
            Ok(pairs) => pairs,
            Err(_) => unreachable!("terms of one rank have one formula"),
        }
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
        let terms = self.pairs.iter().map(|term| term.visit(Cutoffs));
        let thermostat = self.thermostat.iter().map(|thermostat| thermostat.table.cutoffs());
        terms.chain(thermostat).fold(none, |largest, of_term| largest.or_larger(&of_term))
    }

    fn bonds(&self) -> impl Iterator<Item = ListedPair> {
        let listed = self.bonded.iter().flat_map(BondedTerm::listed);
        listed.filter(|pair| pair.kind == EnergyKind::Bond)
    }

    /// The largest stiffness of a field, kcal/(mol Å²).
    pub fn stiffest_field(&self) -> f64 {
        self.singles.iter().map(|term| term.visit(Stiffest)).fold(0.0, f64::max)
    }
}

/// The kind of energy of a pair term, or of a bonded term with pairs.
struct Kind;

impl BondedVisitor for Kind {
    type Output = Option<EnergyKind>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        (!term.is_empty()).then_some(F::ENERGY)
    }
}

impl PairVisitor for Kind {
    type Output = EnergyKind;

    fn visit<F: PairFormula>(self, _: &PairTable<F>) -> EnergyKind {
        F::ENERGY
    }
}

struct Types;

impl PairVisitor for Types {
    type Output = usize;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> usize {
        term.types()
    }
}

/// A pair of a bonded term, without its formula.
pub(crate) struct ListedPair {
    pub beads: (usize, usize),
    /// [`EnergyKind::Bond`] for bonds, other kinds for contacts.
    pub kind: EnergyKind,
    /// kcal/(mol Å²).
    pub stiffness: f64,
    /// Å.
    pub rest_length: f64,
}

struct Listed;

impl BondedVisitor for Listed {
    type Output = Vec<ListedPair>;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> Self::Output {
        let listed = |&Pair { i, j, potential }: &Pair<F>| ListedPair {
            beads: (i, j),
            kind: F::ENERGY,
            stiffness: potential.stiffness(),
            rest_length: potential.rest_length(),
        };
        term.iter().map(listed).collect()
    }
}

struct Stiffest;

impl SingleVisitor for Stiffest {
    type Output = f64;

    fn visit<F: crate::potentials::SingleFormula>(self, term: &Singles<F>) -> f64 {
        term.iter().map(|single| single.potential.stiffness()).fold(0.0, f64::max)
    }
}

struct Cutoffs;

impl PairVisitor for Cutoffs {
    type Output = PairCutoffs;

    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> PairCutoffs {
        term.cutoffs()
    }
}

impl BondedTerm {
    /// The pairs of beads, without their potentials.
    pub fn pairs(&self) -> Vec<(usize, usize)> {
        self.listed().into_iter().map(|pair| pair.beads).collect()
    }

    pub(crate) fn listed(&self) -> Vec<ListedPair> {
        self.visit(Listed)
    }
}

struct Triples;

impl AngleVisitor for Triples {
    type Output = Vec<[usize; 3]>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        term.iter().map(|angle| angle.beads).collect()
    }
}

impl AngleTerm {
    /// The beads of each angle, the middle one second.
    pub fn triples(&self) -> Vec<[usize; 3]> {
        self.visit(Triples)
    }
}

impl PairTerm {
    /// The number of types in its table.
    pub fn types(&self) -> usize {
        self.visit(Types)
    }
}

/// In place of a bead.
const NO_BEAD: u32 = u32::MAX;

/// Beads, their start and their interactions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct System {
    /// The beads.
    pub particles: Particles,
    /// The types of the beads.
    pub types: Vec<ParticleType>,
    /// Names of types that no bead has, but files name.
    pub types_without_beads: Vec<String>,
    /// The boundary.
    pub boundary: Boundary,
    /// The interactions.
    pub interactions: Interactions,
    /// Counts from the construction of the system.
    pub counts: Counts,
    /// The units of its lengths, energies and temperatures.
    pub units: Units,
    /// The model that the system represents.
    pub model: Model,
    /// The ends of those linear molecules whose first and last beads they are not, by the first bead, ascending.
    pub ends: Vec<(u32, [u32; 2])>,
}

/// The model that a system represents. Inputs, reports and the program's text use it; all other code uses the contents
/// of the [`System`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Model {
    /// Molecules, by the Self-Organized Polymer model.
    #[default]
    Sop,
    /// Independent particles.
    Oscillators(Oscillators),
    /// One elastic, flexible chain, in reduced units.
    ElasticPolymer(ElasticPolymer),
    /// Proteins with a bead for each residue, in implicit water with salt.
    Residues(Residues),
    /// Beads with the interactions that the input lists.
    Beads,
}

/// The numbers that `check` prints and Table I of \[A\] lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Beads.
    pub beads: usize,
    /// Chains.
    pub chains: usize,
    /// All bonds, disulfides included.
    pub bonds: usize,
    /// Bonds that are not of the backbone.
    pub extra_bonds: usize,
    /// Pairs that the contact rule finds, bonded ones included as in \[A\].
    pub native_contacts: usize,
    /// Native contacts that carry energy, because they are not bonded.
    pub native_contacts_with_energy: usize,
    /// Pairs that are neither bonded nor native; these pairs repel.
    pub nonnative_pairs: usize,
}

impl System {
    /// The chain, if Monte Carlo samples the system. All other systems are stepped by dynamics.
    pub fn sampled_chain(&self) -> Option<&ElasticPolymer> {
        match &self.model {
            Model::ElasticPolymer(polymer) => Some(polymer),
            _ => None,
        }
    }

    /// Whether Monte Carlo samples the system, in sweeps without time.
    pub fn is_sampled(&self) -> bool {
        self.sampled_chain().is_some()
    }

    /// The particles, if no particle acts on another.
    pub fn independent_particles(&self) -> Option<&Oscillators> {
        match &self.model {
            Model::Oscillators(particles) => Some(particles),
            _ => None,
        }
    }

    /// One unit of the temperatures in its tables, as kB T in the unit of its energy: 1 K, or 1 in reduced units.
    pub fn temperature_unit(&self) -> f64 {
        match self.units {
            Units::Real => BOLTZMANN,
            Units::Reduced => 1.0,
        }
    }

    /// Whether any type has friction.
    pub fn has_friction(&self, dynamics: &Dynamics) -> bool {
        self.types.iter().any(|kind| kind.friction.unwrap_or(dynamics.friction) != 0.0)
    }

    /// Whether friction and noise hold beads at the temperature of `dynamics`. Otherwise it is that of the velocities at the
    /// start alone.
    pub fn holds_temperature(&self, dynamics: &Dynamics) -> bool {
        self.has_friction(dynamics) || self.interactions.thermostat.is_some()
    }

    /// Gives every type the friction ξ = γ m of a collision rate γ, 1/ps, for integrators with velocities.
    pub fn set_collision_rate(&mut self, rate: f64) {
        let unit = self.units.acceleration();
        for kind in &mut self.types {
            kind.friction = Some(rate * kind.mass / unit);
        }
    }

    /// The beads between which the end-to-end distance of a molecule is measured: the ends of a linear one, otherwise the first
    /// and the last of its `beads`.
    pub fn ends_of(&self, beads: &[u32]) -> Option<[usize; 2]> {
        let (&first, &last) = (beads.first()?, beads.last()?);
        let known = self.ends.binary_search_by_key(&first, |(of, _)| *of);
        let ends = known.map_or([first, last], |place| self.ends[place].1);
        Some(ends.map(|bead| bead as usize))
    }

    /// Finds the ends of linear molecules from their bonds.
    pub fn find_ends(&mut self) {
        let mut neighbours: Vec<[u32; 2]> = vec![[NO_BEAD; 2]; self.beads()];
        let mut is_branched = vec![false; self.beads()];
        let mut bonds = self.bonds();
        // Two terms may act on one pair.
        bonds.dedup();
        for (i, j) in bonds {
            for (from, to) in [(i, j), (j, i)] {
                match neighbours[from].iter_mut().find(|place| **place == NO_BEAD) {
                    Some(place) => *place = to as u32,
                    None => is_branched[from] = true,
                }
            }
        }
        let degree = |bead: u32| {
            let [one, other] = neighbours[bead as usize];
            usize::from(one != NO_BEAD) + usize::from(other != NO_BEAD)
        };
        let ends_of = |beads: &[u32]| {
            let start = *beads.iter().find(|&&bead| degree(bead) == 1)?;
            let number = |bead: u32| self.particles.molecules[bead as usize];
            let (mut before, mut at, mut count) = (NO_BEAD, start, 1);
            loop {
                if is_branched[at as usize] || number(at) != number(start) {
                    return None;
                }
                let [one, other] = neighbours[at as usize];
                let next = if one == before { other } else { one };
                if next == NO_BEAD {
                    break;
                }
                (before, at) = (at, next);
                count += 1;
            }
            (count == beads.len()).then_some([start.min(at), start.max(at)])
        };
        let molecules = self.particles.beads_of_molecules();
        let several = molecules.iter().filter(|beads| beads.len() > 1);
        let differ = several.filter_map(|beads| {
            let ends = ends_of(beads)?;
            let usual = [beads[0], beads[beads.len() - 1]];
            (ends != usual).then_some((beads[0], ends))
        });
        self.ends = differ.collect();
    }

    /// The masses of some beads, Da.
    pub fn masses(&self, beads: Range<usize>) -> impl Iterator<Item = f64> + Clone + '_ {
        beads.map(|bead| self.mass(bead))
    }

    /// The mass of a bead.
    pub fn mass(&self, bead: usize) -> f64 {
        self.types[usize::from(self.particles.types[bead])].mass
    }

    /// Whether any interaction has this kind of energy.
    pub fn has_energy(&self, kind: EnergyKind) -> bool {
        let Interactions { bonded, pairs, angles, singles, .. } = &self.interactions;
        match kind {
            EnergyKind::Angle => !angles.is_empty(),
            EnergyKind::Single => !singles.is_empty(),
            EnergyKind::Pair | EnergyKind::Charge => {
                pairs.iter().any(|term| term.visit(Kind) == kind)
            }
            EnergyKind::Bond | EnergyKind::Contact => {
                bonded.iter().any(|term| term.visit(Kind) == Some(kind))
            }
        }
    }

    /// The number of beads.
    pub fn beads(&self) -> usize {
        self.particles.len()
    }

    /// All bonds, sorted, for viewers to draw; contacts are not included.
    pub fn bonds(&self) -> Vec<(usize, usize)> {
        let mut pairs: Vec<_> = self.interactions.bonds().map(|bond| bond.beads).collect();
        pairs.sort_unstable();
        pairs
    }

    /// All bonds with their rest lengths, Å, term after term.
    pub fn bonds_at_rest(&self) -> Vec<(usize, usize, f64)> {
        let at_rest = |bond: ListedPair| (bond.beads.0, bond.beads.1, bond.rest_length);
        self.interactions.bonds().map(at_rest).collect()
    }

    /// A name for each type that no other has, for answers. Beads of one type of an input that differ in their charge are of several
    /// types here, which share its name: it is then followed by the charge, as in `A(+1)` and `A(0)`.
    pub fn type_labels(&self) -> Vec<String> {
        let shared = |name: &str| self.types.iter().filter(|kind| kind.name == name).count() > 1;
        let of_bead =
            |kind: usize| self.particles.types.iter().position(|of| usize::from(*of) == kind);
        let label = |(kind, name): (usize, &String)| match of_bead(kind) {
            Some(bead) if shared(name) => match self.particles.charge(bead) {
                0.0 => format!("{name}(0)"),
                charge => format!("{name}({charge:+})"),
            },
            _ => name.clone(),
        };
        self.types.iter().map(|kind| &kind.name).enumerate().map(label).collect()
    }

    /// `bead 17 (GLY 18 of chain A)`, for messages. Beads count from 0.
    pub fn bead_label(&self, bead: usize) -> String {
        match self.particles.labels.get(bead) {
            Some(label) => {
                let insertion = label.insertion.map(String::from).unwrap_or_default();
                let of_chain = match label.chain.as_str() {
                    "" => String::new(),
                    chain => format!(" of chain {chain}"),
                };
                format!(
                    "bead {bead} ({} {}{insertion}{of_chain})",
                    label.residue_name, label.residue_number
                )
            }
            None => format!("bead {bead}"),
        }
    }
}
