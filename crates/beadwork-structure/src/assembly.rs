//! Biological assemblies: the chains of a file, copied by rotations and translations.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use crate::disulfides;
use crate::error::Error;
use crate::structure::{Atom, Chain, ReadOptions, Residue, Structure, contents, read_text};
use crate::visible_text::text_of_file;
use crate::{mmcif_assemblies, mmcif_table, pdb_assemblies, polymer};

pub(crate) const MAXIMUM_RESIDUES: usize = 10_000_000;

/// Largest deviation of the rows of an operator from perpendicular unit vectors. Files write
/// operators with four to eight decimals, an error of 2·10⁻⁴ at most. At this bound distances
/// within a copy are wrong by 0.05 %, or 0.004 Å for a contact of 8 Å.
const ORTHONORMALITY: f64 = 1e-3;

/// A rotation and a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Operator {
    pub(crate) rotation: [[f64; 3]; 3],
    /// The translation, Å.
    pub(crate) translation: [f64; 3],
}

impl Operator {
    /// Refuses a matrix that is not a rotation; the message continues "operator 3 …".
    pub(crate) fn new(rotation: [[f64; 3]; 3], translation: [f64; 3]) -> Result<Operator, String> {
        let mut deviation = 0.0_f64;
        for (i, one) in rotation.iter().enumerate() {
            for (j, other) in rotation.iter().enumerate() {
                let product: f64 = one.iter().zip(other).map(|(a, b)| a * b).sum();
                let miss = (product - if i == j { 1.0 } else { 0.0 }).abs();
                // If an entry is NaN, the deviation must be NaN too.
                if miss.is_nan() || miss > deviation {
                    deviation = miss;
                }
            }
        }
        if deviation.is_nan() || deviation > ORTHONORMALITY {
            return Err(format!(
                "is no rotation: its rows miss being perpendicular unit vectors by {deviation:.2}, \
                 and {ORTHONORMALITY} is allowed"
            ));
        }
        let [a, b, c] = rotation;
        let cross =
            [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        let determinant: f64 = a.iter().zip(cross).map(|(a, b)| a * b).sum();
        if determinant < 0.0 {
            return Err(
                "is no rotation but a reflection: its copies would be mirror images".to_owned()
            );
        }
        Ok(Operator { rotation, translation })
    }

    pub(crate) const IDENTITY: Operator = Operator {
        rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        translation: [0.0; 3],
    };

    pub(crate) fn rotate(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.rotation.map(|row| row[0] * x + row[1] * y + row[2] * z)
    }

    /// Applies the operator; the identity returns the same bits.
    pub(crate) fn apply(&self, position: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = self.rotate(position);
        [x + self.translation[0], y + self.translation[1], z + self.translation[2]]
    }

    pub(crate) fn after(&self, first: &Operator) -> Operator {
        let column = |index: usize| self.rotate([0, 1, 2].map(|row| first.rotation[row][index]));
        let columns = [column(0), column(1), column(2)];
        Operator {
            rotation: [0, 1, 2].map(|row| columns.map(|column| column[row])),
            translation: self.apply(first.translation),
        }
    }

    /// The operator that undoes this one.
    pub(crate) fn inverse(&self) -> Operator {
        let rotation = [0, 1, 2].map(|row| [0, 1, 2].map(|column| self.rotation[column][row]));
        let back = Operator { rotation, translation: [0.0; 3] };
        Operator { translation: back.rotate(self.translation).map(|component| -component), ..back }
    }

    /// Bits that are equal for operators that move all positions to the same places.
    fn bits(&self) -> [u64; 12] {
        let numbers = self.rotation.as_flattened();
        let number = |index: usize| numbers.get(index).unwrap_or(&self.translation[index % 3]);
        // Adding 0.0 turns minus zero into zero.
        std::array::from_fn(|index| (number(index) + 0.0).to_bits())
    }
}

/// One row of a file's description of an assembly, before chains are known.
#[derive(Debug)]
pub(crate) struct Row {
    /// Lists of operators; each combination makes one copy. Operators of the last list apply first;
    /// the first list varies slowest.
    pub factors: Vec<Vec<Operator>>,
    /// The chains as the row names them; `None` for all chains.
    pub chains: Option<Vec<String>>,
    /// The line of the row, counted from 1.
    pub line: usize,
}

/// Operators and the chains that they copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    factors: Vec<Vec<Operator>>,
    /// The chains as indices of [`Structure::chains`], ascending.
    chains: Vec<usize>,
    line: usize,
}

impl Generator {
    /// The number of operators, with products counted.
    pub fn operators(&self) -> usize {
        self.factors.iter().map(Vec::len).fold(1, usize::saturating_mul)
    }

    /// The chains to copy, as indices of [`Structure::chains`], ascending.
    pub fn chains(&self) -> &[usize] {
        &self.chains
    }

    pub(crate) fn each_operator(&self) -> impl Iterator<Item = Operator> {
        (0..self.operators()).map(|mut rest| {
            let mut operator = Operator::IDENTITY;
            for factor in self.factors.iter().rev() {
                operator = factor[rest % factor.len()].after(&operator);
                rest /= factor.len();
            }
            operator
        })
    }
}

/// An assembly as a file describes it, for the [`Structure`] that was read with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembly {
    /// The identifier in the file: a number, in a few mmCIF files a word.
    pub id: String,
    /// The generators of copies, in the order of the file.
    pub generators: Vec<Generator>,
}

/// Reads a PDB or mmCIF file and its description of the assembly `id`.
pub fn read_assembly(
    path: &Path,
    options: &ReadOptions,
    id: &str,
) -> Result<(Structure, Assembly), Error> {
    parse_assembly(&read_text(path)?, &path.display().to_string(), options, id)
}

/// Reads the text of a PDB or mmCIF file and its description of the assembly `id`; `source` is its
/// name in messages.
///
/// ```
/// use beadwork_structure::{ReadOptions, parse_assembly};
/// let text = "\
/// REMARK 350 BIOMOLECULE: 1
/// REMARK 350 APPLY THE FOLLOWING TO CHAINS: A
/// REMARK 350   BIOMT1   1  1.000000  0.000000  0.000000        0.00000
/// REMARK 350   BIOMT2   1  0.000000  1.000000  0.000000        0.00000
/// REMARK 350   BIOMT3   1  0.000000  0.000000  1.000000        0.00000
/// REMARK 350   BIOMT1   2 -1.000000  0.000000  0.000000        9.00000
/// REMARK 350   BIOMT2   2  0.000000 -1.000000  0.000000        0.00000
/// REMARK 350   BIOMT3   2  0.000000  0.000000  1.000000        0.00000
/// ATOM      1  CA  GLY A   1       1.000   2.000   3.000  1.00  0.00           C
/// ";
/// let (unit, assembly) = parse_assembly(text, "dimer.pdb", &ReadOptions::default(), "1")?;
/// let dimer = assembly.build(&unit, |_| true)?;
/// assert_eq!(dimer.chains[1].id, "A-2");
/// assert_eq!(dimer.atoms[1].position, [8.0, -2.0, 3.0]);
/// # Ok::<(), beadwork_structure::Error>(())
/// ```
pub fn parse_assembly(
    text: &str,
    source: &str,
    options: &ReadOptions,
    id: &str,
) -> Result<(Structure, Assembly), Error> {
    let text = &text_of_file(text);
    let (unit, instances) = polymer::assemble(contents(text, source, options)?, source)?;
    let rows = if mmcif_table::is_mmcif(text) {
        mmcif_assemblies::find(text, source, id)?
    } else {
        pdb_assemblies::find(text, source, id)?
    };
    let generators = rows
        .into_iter()
        .map(|row| {
            let listed: Option<HashSet<&str>> =
                row.chains.as_ref().map(|chains| chains.iter().map(String::as_str).collect());
            let is_listed = |chain: &usize| {
                listed.as_ref().is_none_or(|listed| listed.contains(instances[*chain].as_str()))
            };
            let chains = (0..instances.len()).filter(is_listed).collect();
            Generator { factors: row.factors, chains, line: row.line }
        })
        .collect();
    Ok((unit, Assembly { id: id.to_owned(), generators }))
}

/// The name of the copy with this number, from 1: `A`, `A-2`, `A-3`, as in the assembly files of
/// the wwPDB.
fn copy_name(name: &str, number: usize) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}-{number}") }
}

impl Assembly {
    /// Builds the assembly of those chains of `unit` that `keep` accepts.
    ///
    /// Copies follow the operators in the order of the file; within a copy, chains follow the order of `unit`. The
    /// first copy of a chain keeps its identifier and segment, the others are called `A-2`, `A-3` and so on; an empty
    /// segment stays empty. Each copy has the disulfides of `unit`; between copies, sulfurs that are close enough are
    /// bonded. It is an error if the assembly has no chains or more than ten million residues, or if a chain is copied
    /// twice to the same place.
    pub fn build(
        &self,
        unit: &Structure,
        keep: impl Fn(&Chain) -> bool,
    ) -> Result<Structure, Error> {
        let kept: Vec<bool> = unit.chains.iter().map(keep).collect();
        let of_generator = |generator: &Generator| -> Vec<usize> {
            let chains = generator.chains.iter().copied();
            chains.filter(|chain| kept.get(*chain) == Some(&true)).collect()
        };
        let sizes = self.generators.iter().map(|generator| {
            let residues = |chain: usize| unit.chains[chain].residues.len();
            let unit: usize = of_generator(generator).into_iter().map(residues).sum();
            unit.saturating_mul(generator.operators())
        });
        let residues = sizes.fold(0, usize::saturating_add);
        if residues > MAXIMUM_RESIDUES {
            let message = format!(
                "{}: assembly {} would have {residues} residues, and {MAXIMUM_RESIDUES} are the most. \
                 Choose another assembly or fewer chains.",
                unit.source, self.id
            );
            return Err(Error::new("structure/assembly-too-large", message));
        }
        let mut assembly = Structure {
            source: unit.source.clone(),
            warnings: unit.warnings.clone(),
            nucleic_chains: unit.nucleic_chains.clone(),
            models: unit.models,
            ..Structure::default()
        };
        let mut copies = vec![0; unit.chains.len()];
        // The new index of a chain's first residue for each operator, and the operators in their order.
        let mut placed: HashMap<([u64; 12], usize), usize> = HashMap::new();
        let mut operators: Vec<[u64; 12]> = Vec::new();
        for generator in &self.generators {
            let chains = of_generator(generator);
            // The size limit does not count the operators of such a generator, and there may be very many.
            if chains.is_empty() {
                continue;
            }
            for operator in generator.each_operator() {
                let bits = operator.bits();
                operators.push(bits);
                for &chain in &chains {
                    if placed.insert((bits, chain), assembly.residues.len()).is_some() {
                        let chain = names_in_words(unit, BTreeSet::from([chain]));
                        let problem =
                            format!("assembly {} copies {chain} twice to the same place", self.id);
                        return Err(Error::damaged_assembly(&unit.source, generator.line, problem));
                    }
                    copies[chain] += 1;
                    copy_chain(unit, chain, &operator, copies[chain], &mut assembly);
                }
            }
        }
        if assembly.chains.is_empty() {
            let copied = self.generators.iter().flat_map(|generator| &generator.chains);
            let message = format!(
                "{}: assembly {} has none of the chosen chains: it copies {}. Choose of those.",
                unit.source,
                self.id,
                names_in_words(unit, copied.copied().collect())
            );
            return Err(Error::new("structure/empty-assembly", message));
        }
        let absent: BTreeSet<usize> =
            (0..copies.len()).filter(|&chain| kept[chain] && copies[chain] == 0).collect();
        if !absent.is_empty() {
            assembly.warnings.push(format!(
                "assembly {} does not have {}, which the file has: left out",
                self.id,
                names_in_words(unit, absent)
            ));
        }
        let mut seen = HashSet::new();
        operators.retain(|operator| seen.insert(*operator));
        let mut bonds = BTreeSet::new();
        for operator in operators {
            let copy = |residue: usize| {
                let chain = unit.residues.get(residue)?.chain;
                let first = placed.get(&(operator, chain))?;
                Some(first + residue - unit.chains.get(chain)?.residues.start)
            };
            for &(one, other) in &unit.disulfides {
                if let (Some(one), Some(other)) = (copy(one), copy(other)) {
                    bonds.insert((one.min(other), one.max(other)));
                }
            }
        }
        bonds.extend(disulfides::close_sulfurs(&assembly));
        assembly.disulfides = bonds.into_iter().collect();
        Ok(assembly)
    }
}

fn copy_chain(
    unit: &Structure,
    number: usize,
    operator: &Operator,
    copy: usize,
    assembly: &mut Structure,
) {
    let chain = &unit.chains[number];
    let first = assembly.residues.len();
    for residue in &unit.residues[chain.residues.clone()] {
        let start = assembly.atoms.len();
        let moved = |atom: &Atom| Atom { position: operator.apply(atom.position), ..atom.clone() };
        assembly.atoms.extend(unit.atoms[residue.atoms.clone()].iter().map(moved));
        assembly.residues.push(Residue {
            chain: assembly.chains.len(),
            atoms: start..assembly.atoms.len(),
            ..residue.clone()
        });
    }
    let mut segment = chain.segment.clone();
    if !segment.is_empty() {
        segment = copy_name(&segment, copy);
    }
    let (id, residues) = (copy_name(&chain.id, copy), first..assembly.residues.len());
    assembly.chains.push(Chain {
        id,
        id_in_file: chain.id_in_file.clone(),
        segment,
        residues,
        caps: chain.caps,
    });
}

/// `chains A, B`, each name once; `no chain that was read`.
fn names_in_words(unit: &Structure, chains: BTreeSet<usize>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for chain in chains.into_iter().filter_map(|chain| unit.chains.get(chain)) {
        let name = if chain.id.is_empty() { "without identifier" } else { &chain.id };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [] => "no chain that was read".to_owned(),
        [one] => format!("chain {one}"),
        several => format!("chains {}", several.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUARTER_TURN: [[f64; 3]; 3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn operators_follow_each_other() {
        let turn = Operator::new(QUARTER_TURN, [0.0; 3]).unwrap();
        let shift = Operator::new(Operator::IDENTITY.rotation, [10.0, 0.0, 0.0]).unwrap();
        let point = [1.0, 2.0, 3.0];
        assert_eq!(turn.apply(point), [-2.0, 1.0, 3.0]);
        assert_eq!(turn.after(&shift).apply(point), [-2.0, 11.0, 3.0]);
        assert_eq!(shift.after(&turn).apply(point), [8.0, 1.0, 3.0]);
        assert_eq!(Operator::IDENTITY.after(&turn).bits(), turn.bits());
    }

    #[test]
    fn only_rotations_are_operators() {
        let scaled = |factor: f64| QUARTER_TURN.map(|row| row.map(|number| factor * number));
        assert!(Operator::new(scaled(1.0004), [0.0; 3]).is_ok());
        let problem = Operator::new(scaled(1.001), [0.0; 3]).unwrap_err();
        assert!(problem.contains("no rotation"), "{problem}");
        let skewed = [[1.0, 0.0, 0.0], [0.002, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert!(Operator::new(skewed, [0.0; 3]).is_err());
        assert!(Operator::new([[f64::NAN; 3]; 3], [0.0; 3]).is_err());
        let mirror = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
        let problem = Operator::new(mirror, [0.0; 3]).unwrap_err();
        assert!(problem.contains("reflection"), "{problem}");
    }

    #[test]
    fn products_vary_slowest_in_their_first_list() {
        let shift = |x: f64| Operator::new(Operator::IDENTITY.rotation, [x, 0.0, 0.0]).unwrap();
        let generator = Generator {
            factors: vec![vec![shift(10.0), shift(20.0)], vec![shift(1.0), shift(2.0), shift(3.0)]],
            chains: vec![0],
            line: 1,
        };
        let shifts: Vec<f64> = generator.each_operator().map(|one| one.translation[0]).collect();
        assert_eq!(generator.operators(), 6);
        assert_eq!(shifts, [11.0, 12.0, 13.0, 21.0, 22.0, 23.0]);
    }
}
