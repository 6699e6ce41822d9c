//! Energies of given configurations against those of other programs.

use std::collections::HashMap;
use std::fs;

use beadwork_model::System;
use beadwork_model::force_fields::residues::{Chain, ChargedEnds, ResidueModel, build};
use beadwork_model::potentials::pair::{PairEntry, PairTable};
use beadwork_model::potentials::{
    AshbaughHatch, DebyeHuckel, HarmonicBond, PairPotential, WangFrenkel,
};
use beadwork_testing::shared_data;

use super::at;

const KILOJOULES: f64 = 4.184;

/// The name of a sequence and the number of a configuration.
type Key = (String, String);
/// One-letter codes and positions, Å.
type Configuration = (String, Vec<[f64; 3]>);

/// The rows of a table, without its heading.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().skip(1).map(|line| line.split(',').collect())
}

fn number(cell: &str) -> f64 {
    cell.parse().unwrap()
}

/// Å from three cells in nm.
fn position(cells: &[&str]) -> [f64; 3] {
    [0, 1, 2].map(|axis| 10.0 * number(cells[axis]))
}

/// The energies of bonds, attraction and charges, kJ/mol.
fn terms(system: &System, positions: &[[f64; 3]]) -> [f64; 3] {
    let of_pairs = |term: usize| {
        let mut alone = system.clone();
        alone.interactions.pairs = vec![system.interactions.pairs[term].clone()];
        let energies = alone.energies(positions);
        (energies.pairs + energies.charges) * KILOJOULES
    };
    [system.energies(positions).bonds * KILOJOULES, of_pairs(0), of_pairs(1)]
}

/// The table with other potentials at the same cutoffs.
fn changed<F: Copy>(table: &PairTable<F>, change: impl Fn(F) -> F) -> PairTable<F> {
    PairTable::new(table.types(), |a, b| {
        let entry = table.between(a as u16, b as u16);
        PairEntry { potential: change(entry.potential), ..entry }
    })
}

fn unshifted_charges(system: &System) -> PairTable<DebyeHuckel> {
    let charges = system.interactions.pairs_by::<DebyeHuckel>().unwrap();
    changed(charges, |potential| DebyeHuckel { shift: 0.0, ..potential })
}

#[track_caller]
fn assert_near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() < within, "{found} instead of {expected}");
}

/// Energies of random chains by term, within 10⁻⁹ kJ/mol of sums in double precision that another program confirmed.
#[test]
fn calvados_has_the_energies_of_another_program() {
    let folder = "residue/single_points";
    let Some(energies) = shared_data(&format!("{folder}/calvados_energies.csv")) else { return };
    let Some(positions) = shared_data(&format!("{folder}/calvados_positions.csv")) else { return };
    let mut chains: HashMap<Key, Configuration> = HashMap::new();
    for line in fs::read_to_string(positions).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (letters, beads) =
            chains.entry((cells[0].to_string(), cells[1].to_string())).or_default();
        letters.push_str(cells[3]);
        beads.push([4, 5, 6].map(|cell| 10.0 * cells[cell].parse::<f64>().unwrap()));
    }
    let mut compared = 0;
    for line in fs::read_to_string(energies).unwrap().lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |cell: usize| cells[cell].parse::<f64>().unwrap();
        let (sequence, positions) = &chains[&(cells[0].to_string(), cells[1].to_string())];
        let model = if cells[2] == "2" { ResidueModel::Calvados2 } else { ResidueModel::Calvados3 };
        let solution = at(number(3), number(4), number(5));
        let chain = Chain::disordered(cells[0], sequence);
        let whole = build(&[chain], model, &solution, ChargedEnds::default()).unwrap();
        let [bonds, attraction, charges] = terms(&whole, positions);
        let found = [bonds, attraction, charges, whole.energies(positions).total() * KILOJOULES];
        for (found, cell) in found.into_iter().zip(6..10) {
            let error = (found - number(cell)).abs();
            // The table has twelve digits after the point; energies are up to some thousand kJ/mol.
            assert!(error < 1e-9, "{line}: {found} in column {cell}");
        }
        compared += 1;
    }
    assert_eq!(compared, 36);
}

/// A protein of 236 residues in ten configurations: HOOMD, which shifts nothing, within 10⁻⁴ kJ/mol by term (it computes in
/// single precision), and sums in double precision, shifted ones too, within 10⁻⁶.
#[test]
fn hps_urry_has_the_energies_of_another_program() {
    let mut frames: Vec<Configuration> = vec![Configuration::default(); 10];
    let amino_acids = include_str!("../../../data/residue/hps_urry.csv");
    let letters: HashMap<&str, &str> = rows(amino_acids).map(|row| (row[0], row[1])).collect();
    for cells in rows(include_str!("../../data/residue/hps_ddx4_positions.csv")) {
        let (sequence, positions) = &mut frames[cells[0].parse::<usize>().unwrap()];
        sequence.push_str(letters[cells[2]]);
        positions.push(position(&cells[3..]));
    }
    let chain = Chain::disordered("Ddx4", &frames[0].0);
    let ends = ChargedEnds::default();
    let shifted = build(&[chain], ResidueModel::HpsUrry, &at(298.0, 0.15, 7.0), ends).unwrap();
    let attractions = shifted.interactions.pairs_by::<AshbaughHatch>().unwrap();
    let attractions = changed(attractions, |pair| AshbaughHatch { shift: 0.0, ..pair });
    let mut bare = shifted.clone();
    bare.interactions.pairs = vec![attractions.into(), unshifted_charges(&shifted).into()];
    let own = rows(include_str!("../../data/residue/hps_ddx4_own.csv"));
    let hoomd = rows(include_str!("../../data/residue/hps_ddx4_hoomd.csv"));
    let mut compared = 0;
    for (((_, positions), own), hoomd) in frames.iter().zip(own).zip(hoomd) {
        let [bonds, attraction, charges] = terms(&bare, positions);
        for (found, column) in [(bonds, 1), (attraction, 2), (charges, 4)] {
            assert_near(found, number(hoomd[column]), 1e-4);
            assert_near(found, number(own[column]), 1e-6);
        }
        let [_, attraction, charges] = terms(&shifted, positions);
        assert_near(attraction, number(own[5]), 1e-6);
        assert_near(charges, number(own[6]), 1e-6);
        compared += 1;
    }
    assert_eq!(compared, 10);
}

/// Å.
const BOX: f64 = 100.0;
/// Bonds of uracil, kcal/(mol Å²) and Å, and its charge.
const URACIL_BOND: HarmonicBond = HarmonicBond { stiffness: 19.2, length: 5.0 };
const URACIL_CHARGE: f64 = -0.75;

/// Ten arginines, ten lysines and two chains of ten uracils in a periodic box. `build` makes the proteins; potentials of
/// uracil, which is no amino acid, follow here from the published table.
struct Mixture {
    proteins: System,
    /// The charges of the proteins.
    charges: PairTable<DebyeHuckel>,
    /// Whether charges are zero at their cutoff.
    is_shifted: bool,
    /// The attraction of uracil and ARG, LYS and U.
    uracil: Vec<WangFrenkel>,
}

impl Mixture {
    fn new(is_shifted: bool) -> Mixture {
        let chains = ["RRRRRRRRRR", "KKKKKKKKKK"].map(|chain| Chain::disordered(chain, chain));
        let solution = at(298.0, 0.15, 7.0);
        let proteins =
            build(&chains, ResidueModel::Mpipi, &solution, ChargedEnds::default()).unwrap();
        let charges = match is_shifted {
            true => proteins.interactions.pairs_by().unwrap().clone(),
            false => unshifted_charges(&proteins),
        };
        let table = include_str!("../../../data/residue/mpipi.csv");
        let with = |partner: &str| {
            let is_pair =
                |row: &Vec<&str>| row[..2] == ["U", partner] || row[..2] == [partner, "U"];
            let row = rows(table).find(is_pair).unwrap();
            let [depth, diameter] = [number(row[2]) / KILOJOULES, 10.0 * number(row[3])];
            let [mu, nu] = [4, 5].map(|cell: usize| row[cell].parse().unwrap());
            WangFrenkel::new(depth, diameter, 3.0 * diameter, mu, nu)
        };
        let uracil = ["ARG", "LYS", "U"].map(with).to_vec();
        Mixture { proteins, charges, is_shifted, uracil }
    }

    /// The type of a bead: 0 for ARG, 1 for LYS, 2 for U.
    fn kind(bead: usize) -> usize {
        (bead / 10).min(2)
    }

    fn bond(&self, bead: usize) -> HarmonicBond {
        let proteins = self.proteins.interactions.bonded_by::<HarmonicBond>();
        let known = proteins.iter().find(|pair| pair.i == bead);
        known.map_or(URACIL_BOND, |pair| pair.potential)
    }

    /// Attraction and charges of two beads, kcal/mol.
    fn pair(&self, i: usize, j: usize, r2: f64) -> [f64; 2] {
        let (a, b) = (Mixture::kind(i), Mixture::kind(j));
        if b < 2 {
            let table = self.proteins.interactions.pairs_by::<WangFrenkel>().unwrap();
            let charges = self.charges.between(a as u16, b as u16);
            [entry(table.between(a as u16, b as u16), r2), entry(charges, r2)]
        } else {
            let potential = self.uracil[a];
            let cutoff = 3.0 * potential.diameter;
            let charge = if a < 2 { 0.75 } else { URACIL_CHARGE };
            let strength = charge * URACIL_CHARGE * 138.935458 / 80.0 / KILOJOULES * 10.0;
            let shifted = DebyeHuckel::shifted(strength, 0.126, 35.0);
            let shift = if self.is_shifted { shifted.shift } else { 0.0 };
            let charges = DebyeHuckel { shift, ..shifted };
            [
                entry(PairEntry { potential, cutoff }, r2),
                entry(PairEntry { potential: charges, cutoff: 35.0 }, r2),
            ]
        }
    }

    /// The energies of bonds, attraction and charges, kJ/mol, by nearest images.
    fn terms(&self, positions: &[[f64; 3]]) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for j in 0..positions.len() {
            for i in 0..j {
                let apart = |axis: usize| {
                    let distance = positions[i][axis] - positions[j][axis];
                    distance - BOX * (distance / BOX).round()
                };
                let r2 = [0, 1, 2].map(|axis| apart(axis).powi(2)).iter().sum();
                if j == i + 1 && i / 10 == j / 10 {
                    sums[0] += self.bond(i).energy(r2) * KILOJOULES;
                } else {
                    let [attraction, charges] = self.pair(i, j, r2);
                    sums[1] += attraction * KILOJOULES;
                    sums[2] += charges * KILOJOULES;
                }
            }
        }
        sums
    }
}

fn entry<F: PairPotential<f64>>(entry: PairEntry<F>, r2: f64) -> f64 {
    if r2 < entry.cutoff * entry.cutoff { entry.potential.energy(r2) } else { 0.0 }
}

/// Two peptides and two chains of RNA in eleven configurations: LAMMPS, which does not shift charges, within 10⁻³ kJ/mol by
/// term (its frames have single precision), and sums in double precision, with shifted charges too, within 10⁻⁶.
#[test]
fn mpipi_has_the_energies_of_another_program() {
    let mut frames: Vec<Vec<[f64; 3]>> = vec![Vec::new(); 11];
    for cells in rows(include_str!("../../data/residue/mpipi_positions.csv")) {
        let frame = &mut frames[cells[0].parse::<usize>().unwrap()];
        assert_eq!(cells[3], ["ARG", "LYS", "U"][Mixture::kind(frame.len())]);
        frame.push(position(&cells[4..]));
    }
    let [bare, shifted] = [false, true].map(Mixture::new);
    let own = rows(include_str!("../../data/residue/mpipi_own.csv"));
    let lammps = rows(include_str!("../../data/residue/mpipi_lammps.csv"));
    let mut compared = 0;
    for ((positions, own), lammps) in frames.iter().zip(own).zip(lammps) {
        for (found, column) in bare.terms(positions).into_iter().zip(1..) {
            assert_near(found, KILOJOULES * number(lammps[column]), 1e-3);
            assert_near(found, number(own[column]), 1e-6);
        }
        assert_near(shifted.terms(positions)[2], number(own[4]), 1e-6);
        compared += 1;
    }
    assert_eq!(compared, 11);
}

/// The parameters of every pair of amino acids: −ε at the minimum, whose place in diameters follows from μ.
#[test]
fn every_pair_of_mpipi_has_its_depth() {
    let minimum = HashMap::from([("2", 1.104980636), ("4", 1.051979485), ("11", 1.018601117)]);
    let table = include_str!("../../../data/residue/mpipi.csv");
    let beads = include_str!("../../../data/residue/mpipi_beads.csv");
    let proteins: Vec<_> = rows(beads).filter(|row| row[2] == "protein").collect();
    let letters: HashMap<&str, &str> = proteins.iter().map(|row| (row[0], row[1])).collect();
    let mut compared = 0;
    for row in rows(table) {
        let (Some(a), Some(b)) = (letters.get(row[0]), letters.get(row[1])) else { continue };
        let chain = [Chain::disordered("pair", format!("{a}{b}"))];
        let solution = at(298.0, 0.15, 7.0);
        let system = build(&chain, ResidueModel::Mpipi, &solution, ChargedEnds::default()).unwrap();
        let types = &system.particles.types;
        let pairs = system.interactions.pairs_by::<WangFrenkel>().unwrap();
        let PairEntry { potential, cutoff } = pairs.between(types[0], types[1]);
        let diameter = 10.0 * number(row[3]);
        let energy = potential.energy((minimum[row[4]] * diameter).powi(2)) * KILOJOULES;
        assert_near(energy / number(row[2]), -1.0, 1e-12);
        assert_near(cutoff, 3.0 * diameter, 1e-12);
        compared += 1;
    }
    assert_eq!(compared, 210);
}
