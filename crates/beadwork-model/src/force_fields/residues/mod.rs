//! Proteins with a bead for each residue, in implicit water with salt: CALVADOS 2 and 3, HPS-Urry, Mpipi.

mod amino_acid;
mod calvados;
mod chain;
mod hps_urry;
mod model;
mod mpipi;
mod pairs;
mod remarks;
mod solution;
mod structure;

use beadwork_structure::Label;

pub use crate::models::Residues;
pub use chain::{Chain, Folded};
pub use model::ResidueModel;
pub use remarks::remarks;
pub use solution::Solution;
pub use structure::centres_of_mass;

use crate::error::Error;
use crate::interactions::Interactions;
use crate::models::Model;
use crate::particles::{ParticleType, Particles};
use crate::potentials::HarmonicBond;
use crate::potentials::listed::Pair;
use crate::system::{Counts, System};
use crate::units::ANGSTROMS_PER_NANOMETRE;
use amino_acid::Residue;

/// kJ in one kcal.
const KILOJOULES: f64 = 4.184;
/// k of restraints within folded domains, kJ/(mol nm²).
const RESTRAINT_STIFFNESS: f64 = 700.0;
/// Disordered chains start this far apart, and at least so far from structures, Å.
const SPACING: f64 = 100.0;
const CLEARANCE: f64 = 20.0;

/// Which ends of a chain have a charge besides that of their residue, and the mass of the atoms that carry it. CALVADOS
/// alone has charged ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChargedEnds {
    /// +1 at the first residue.
    pub first: bool,
    /// −1 at the last residue.
    pub last: bool,
}

impl Default for ChargedEnds {
    fn default() -> Self {
        ChargedEnds { first: true, last: true }
    }
}

/// Builds chains of residues.
///
/// A chain with a structure starts from it; copies must have been moved apart by the caller. Chains without a structure
/// start straight along x, side by side, 10 nm apart, above all structures.
///
/// The interactions are harmonic bonds, an attraction between all pairs, and Debye–Hückel between charged pairs; bonded
/// pairs feel the bond alone. In folded domains, which CALVADOS 3 has, springs hold two residues at their distance in the
/// structure; these pairs feel the spring alone. Bonds of residues in domains are as long as in the structure.
///
/// # Errors
/// A letter that is no amino acid, or a chain of fewer than two residues. Domains without a structure, outside the
/// sequence, with a residue in common, or in a model other than CALVADOS 3; a structure of another length than the
/// sequence. For CALVADOS, a solution that cannot be.
///
/// ```
/// use beadwork_model::force_fields::residues::{Chain, ChargedEnds, ResidueModel, Solution, build};
/// let solution = Solution { temperature: 298.0, ionic_strength: 0.15, ph: 7.0 };
/// let chain = Chain::disordered("linker", "GSGSK");
/// let ends = ChargedEnds::default();
/// let system = build(&[chain], ResidueModel::Calvados2, &solution, ends).unwrap();
/// assert_eq!((system.beads(), system.bonds().len()), (5, 4));
/// assert_eq!(system.particles.charge(4), 0.0);
/// ```
pub fn build(
    chains: &[Chain],
    model: ResidueModel,
    solution: &Solution,
    ends: ChargedEnds,
) -> Result<System, Error> {
    if model.depends_on_solution() {
        solution.check()?;
    }
    let ends = match model.depends_on_solution() {
        true => ends,
        false => ChargedEnds { first: false, last: false },
    };
    let known = model.amino_acids(solution);
    let above = height_above_structures(chains);
    let mut kinds: Vec<Residue> = Vec::new();
    let mut particles = Particles::default();
    let (mut bonds, mut springs) = (Vec::new(), Vec::new());
    for (number, chain) in chains.iter().enumerate() {
        let residues = chain.residues(&known, ends, model.depends_on_solution())?;
        let domains = chain.domains(model)?;
        let begin = particles.len();
        for (index, residue) in residues.iter().enumerate() {
            let kind = kinds.iter().position(|kind| kind == residue).unwrap_or_else(|| {
                kinds.push(*residue);
                kinds.len() - 1
            });
            add_bead(&mut particles, residue, kind, number, index);
        }
        particles.positions.extend(start(chain, number, model, above));
        bonds.extend(bonds_of(chain, &domains, model, begin));
        springs.extend(springs_of(chain, &domains, begin));
    }
    let mut excluded: Vec<_> = bonds.iter().map(|bond| (bond.i, bond.j)).collect();
    excluded.extend(springs.iter().map(|spring| (spring.i, spring.j)));
    excluded.sort_unstable();
    let counts = Counts {
        beads: particles.len(),
        chains: chains.len(),
        bonds: bonds.len(),
        native_contacts: springs.len(),
        native_contacts_with_energy: springs.len(),
        ..Counts::default()
    };
    let mut interactions = Interactions {
        excluded,
        bonded: vec![bonds.into()],
        pairs: model.pairs(&kinds, solution),
        ..Interactions::default()
    };
    if !springs.is_empty() {
        *interactions.elastic_network_mut() = springs;
    }
    let types = kinds.iter().map(|kind| ParticleType::new(kind.type_name(), kind.mass())).collect();
    let model = Model::Residues(Residues { model, solution: *solution });
    Ok(System { particles, types, interactions, counts, model, ..System::default() })
}

/// The height, Å, at which disordered chains start.
fn height_above_structures(chains: &[Chain]) -> f64 {
    let structures = chains.iter().filter_map(|chain| chain.folded.as_ref());
    let heights = structures.flat_map(|folded| &folded.positions).map(|position| position[2]);
    heights.reduce(f64::max).map_or(0.0, |highest| highest + CLEARANCE)
}

/// The start of the beads of a chain, Å.
fn start(chain: &Chain, number: usize, model: ResidueModel, above: f64) -> Vec<[f64; 3]> {
    if let Some(folded) = &chain.folded {
        return folded.positions.clone();
    }
    let (_, length) = model.bond();
    let [y, z] = [number % 100, number / 100].map(|place| SPACING * place as f64);
    let x = |index: usize| length * index as f64 * ANGSTROMS_PER_NANOMETRE;
    (0..chain.sequence.chars().count()).map(|index| [x(index), y, above + z]).collect()
}

/// Adds a bead without its position.
fn add_bead(particles: &mut Particles, residue: &Residue, kind: usize, chain: usize, index: usize) {
    let letter = char::from(b'A' + (chain % 26) as u8);
    particles.labels.push(Label {
        name: "CA".into(),
        residue_name: residue.name().into(),
        residue_number: (index % 9_999 + 1) as i32,
        chain: letter.to_string().as_str().into(),
        ..Label::default()
    });
    particles.types.push(kind as u16);
    particles.charges.push(residue.charge() as f32);
    particles.molecules.push(chain as u32);
}

/// kcal/(mol Å²) of kJ/(mol nm²).
fn stiffness(value: f64) -> f64 {
    value / KILOJOULES / ANGSTROMS_PER_NANOMETRE.powi(2)
}

/// The bonds along a chain whose first bead is `begin`. A bond with a residue in a domain is as long as in the structure.
fn bonds_of<'a>(
    chain: &'a Chain,
    domains: &'a [Option<usize>],
    model: ResidueModel,
    begin: usize,
) -> impl Iterator<Item = Pair<HarmonicBond>> + 'a {
    let (constant, usual) = model.bond();
    (1..domains.len()).map(move |j| {
        let length = match &chain.folded {
            Some(folded) if domains[j - 1].or(domains[j]).is_some() => folded.distance(j - 1, j),
            _ => usual * ANGSTROMS_PER_NANOMETRE,
        };
        let potential = HarmonicBond { stiffness: stiffness(constant), length };
        Pair { i: begin + j - 1, j: begin + j, potential }
    })
}

/// The springs within the domains of a chain whose first bead is `begin`.
fn springs_of(chain: &Chain, domains: &[Option<usize>], begin: usize) -> Vec<Pair<HarmonicBond>> {
    let restraints = chain.folded.iter().flat_map(|folded| folded.restraints(domains));
    let spring = |(i, j, length)| {
        let stiffness = stiffness(RESTRAINT_STIFFNESS);
        Pair { i: begin + i, j: begin + j, potential: HarmonicBond { stiffness, length } }
    };
    restraints.map(spring).collect()
}
