//! Disordered proteins with a bead for each residue, in implicit water with salt: CALVADOS 2 and 3.

mod parameters;
mod solution;

use beadwork_structure::Label;

pub use solution::Solution;

use crate::error::Error;
use crate::particles::{ParticleType, Particles};
use crate::potentials::pair::{PairEntry, PairTable};
use crate::potentials::{AshbaughHatch, DebyeHuckel, HarmonicBond};
use crate::system::{Counts, Interactions, Pair, System};
use crate::units::ANGSTROMS_PER_NANOMETRE;
use parameters::{AminoAcid, amino_acids};

/// kJ in one kcal.
const KILOJOULES: f64 = 4.184;
/// Bonds: k, kJ/(mol nm²), of the energy (k/2)(r − r₀)², and r₀, nm.
const BOND_STIFFNESS: f64 = 8033.0;
const BOND_LENGTH: f64 = 0.38;
/// Pairs: ε, kJ/mol, and the cutoffs of attraction and charges, nm.
const DEPTH: f64 = 0.8368;
const CUTOFF: f64 = 2.0;
const CHARGE_CUTOFF: f64 = 4.0;
/// Atoms at a charged end, Da: two hydrogens more at the first residue, one oxygen at the last.
const FIRST_MASS: f64 = 2.0;
const LAST_MASS: f64 = 16.0;

/// The version of the parameters; they differ in the stickiness λ of the residues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calvados {
    /// Tesei and Lindorff-Larsen, Open Res. Europe 2, 94 (2022).
    Two,
    /// Cao et al., Protein Sci. 33, e5172 (2024).
    Three,
}

/// Which ends of a chain have a charge besides that of their residue.
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

/// A residue as a bead: its amino acid, and whether it is a charged end.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Residue {
    amino_acid: AminoAcid,
    first: bool,
    last: bool,
}

impl Residue {
    fn mass(&self) -> f64 {
        let ends = [(self.first, FIRST_MASS), (self.last, LAST_MASS)];
        ends.iter().fold(
            self.amino_acid.mass,
            |mass, (is_end, more)| {
                if *is_end { mass + more } else { mass }
            },
        )
    }

    fn charge(&self, solution: &Solution) -> f64 {
        let own = match self.amino_acid.letter {
            'H' => solution.histidine_charge(),
            _ => self.amino_acid.charge,
        };
        own + f64::from(u8::from(self.first)) - f64::from(u8::from(self.last))
    }

    /// `ALA`, `MET+` at a charged first residue, `LYS-` at a charged last one.
    fn type_name(&self) -> String {
        let sign = match (self.first, self.last) {
            (true, true) => "+-",
            (true, false) => "+",
            (false, true) => "-",
            (false, false) => "",
        };
        format!("{}{sign}", self.amino_acid.name)
    }
}

/// Builds chains from sequences of one-letter codes. Each chain starts straight along x; chains stand side by side,
/// 10 nm apart.
///
/// The interactions are harmonic bonds, Ashbaugh–Hatch between all pairs, and Debye–Hückel between charged pairs; bonded
/// pairs feel the bond alone.
///
/// # Errors
/// A letter that is no amino acid, or a chain of fewer than two residues.
///
/// ```
/// use beadwork_model::force_fields::residues::{Calvados, ChargedEnds, Solution, build};
/// let solution = Solution { temperature: 298.0, ionic_strength: 0.15, ph: 7.0 };
/// let system = build(&["GSGSK"], Calvados::Two, &solution, ChargedEnds::default()).unwrap();
/// assert_eq!((system.beads(), system.bonds().len()), (5, 4));
/// assert_eq!(system.particles.charge(4), 0.0);
/// ```
pub fn build(
    sequences: &[&str],
    version: Calvados,
    solution: &Solution,
    ends: ChargedEnds,
) -> Result<System, Error> {
    let known = amino_acids();
    let mut kinds: Vec<Residue> = Vec::new();
    let mut system = System::default();
    let mut bonds = Vec::new();
    for (chain, sequence) in sequences.iter().enumerate() {
        let residues = residues_of(chain, sequence, &known, ends)?;
        let begin = system.beads();
        for (number, residue) in residues.iter().enumerate() {
            let kind = kinds.iter().position(|kind| kind == residue).unwrap_or_else(|| {
                kinds.push(*residue);
                kinds.len() - 1
            });
            let x = BOND_LENGTH * number as f64;
            add_bead(&mut system.particles, residue, chain, number, kind, x, solution);
        }
        let potential = HarmonicBond {
            stiffness: BOND_STIFFNESS / KILOJOULES / ANGSTROMS_PER_NANOMETRE.powi(2),
            length: BOND_LENGTH * ANGSTROMS_PER_NANOMETRE,
        };
        let along = (begin + 1..system.beads()).map(|j| Pair { i: j - 1, j, potential });
        bonds.extend(along);
    }
    let (beads, chains) = (system.beads(), sequences.len());
    system.counts = Counts { beads, chains, bonds: bonds.len(), ..Counts::default() };
    system.types =
        kinds.iter().map(|kind| ParticleType::new(kind.type_name(), kind.mass())).collect();
    system.interactions = Interactions {
        excluded: bonds.iter().map(|bond| (bond.i, bond.j)).collect(),
        bonded: vec![bonds.into()],
        pairs: vec![attractions(&kinds, version).into(), charges(&kinds, solution).into()],
        ..Interactions::default()
    };
    Ok(system)
}

fn residues_of(
    chain: usize,
    sequence: &str,
    known: &[AminoAcid],
    ends: ChargedEnds,
) -> Result<Vec<Residue>, Error> {
    let last = sequence.chars().count().saturating_sub(1);
    if last == 0 {
        let source_name = format!("sequence {}", chain + 1);
        return Err(Error::TooFewBeads { source_name, beads: sequence.chars().count() });
    }
    let residue = |(number, letter): (usize, char)| {
        let amino_acid = known.iter().find(|amino_acid| amino_acid.letter == letter);
        let amino_acid = *amino_acid.ok_or_else(|| {
            let letters: String = known.iter().map(|amino_acid| amino_acid.letter).collect();
            Error::Topology(format!(
                "sequence {}, residue {}: '{letter}' is no amino acid of the model; write one of {letters}",
                chain + 1,
                number + 1
            ))
        })?;
        Ok(Residue {
            amino_acid,
            first: number == 0 && ends.first,
            last: number == last && ends.last,
        })
    };
    sequence.chars().enumerate().map(residue).collect()
}

/// Adds a bead at `x`, nm, along its chain.
fn add_bead(
    particles: &mut Particles,
    residue: &Residue,
    chain: usize,
    number: usize,
    kind: usize,
    x: f64,
    solution: &Solution,
) {
    let letter = char::from(b'A' + (chain % 26) as u8);
    particles.labels.push(Label {
        name: "CA".into(),
        residue_name: residue.amino_acid.name.into(),
        residue_number: (number % 9_999 + 1) as i32,
        chain: letter.to_string().as_str().into(),
        ..Label::default()
    });
    let [row, column] = [chain % 100, chain / 100].map(|place| 10.0 * place as f64);
    particles.positions.push([x, row, column].map(|nm| nm * ANGSTROMS_PER_NANOMETRE));
    particles.types.push(kind as u16);
    particles.charges.push(residue.charge(solution) as f32);
    particles.molecules.push(chain as u32);
}

/// The attraction of all pairs: σ and λ are the means of the two residues.
fn attractions(kinds: &[Residue], version: Calvados) -> PairTable<AshbaughHatch> {
    let mean = |a: usize, b: usize, of: fn(&AminoAcid) -> f64| {
        (of(&kinds[a].amino_acid) + of(&kinds[b].amino_acid)) / 2.0
    };
    let stickiness: fn(&AminoAcid) -> f64 = match version {
        Calvados::Two => |amino_acid| amino_acid.stickiness[0],
        Calvados::Three => |amino_acid| amino_acid.stickiness[1],
    };
    let cutoff = CUTOFF * ANGSTROMS_PER_NANOMETRE;
    PairTable::new(kinds.len(), |a, b| {
        let diameter = mean(a, b, |amino_acid| amino_acid.diameter) * ANGSTROMS_PER_NANOMETRE;
        let depth = DEPTH / KILOJOULES;
        let potential = AshbaughHatch::shifted(depth, diameter, mean(a, b, stickiness), cutoff);
        PairEntry { potential, cutoff }
    })
}

/// The energy of charged pairs; uncharged ones do not interact.
fn charges(kinds: &[Residue], solution: &Solution) -> PairTable<DebyeHuckel> {
    let unit = solution.coulomb_strength() / KILOJOULES * ANGSTROMS_PER_NANOMETRE;
    let inverse_length = solution.inverse_screening_length() / ANGSTROMS_PER_NANOMETRE;
    let cutoff = CHARGE_CUTOFF * ANGSTROMS_PER_NANOMETRE;
    PairTable::new(kinds.len(), |a, b| {
        let product = kinds[a].charge(solution) * kinds[b].charge(solution);
        PairEntry {
            potential: DebyeHuckel::shifted(product * unit, inverse_length, cutoff),
            cutoff: if product == 0.0 { 0.0 } else { cutoff },
        }
    })
}
