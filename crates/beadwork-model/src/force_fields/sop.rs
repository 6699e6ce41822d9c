//! The Self-Organized Polymer model of proteins (\[A\], equation 1): one bead for each residue, at its C-alpha; FENE
//! bonds, native contacts, repulsion of all other pairs.

mod contacts;

use std::collections::{BTreeMap, BTreeSet};

use beadwork_structure::{Label, Name, Selection, SopGpuTopology, Structure, chain_words};

use crate::Error;
use crate::particles::{Boundary, ParticleType, Particles};
use crate::potentials::pair::PairTable;
use crate::potentials::{FeneBond, NativeContact, SixthPowerRepulsion};
use crate::system::{Counts, Interactions, Model, Pair, System};

/// Neighbours in a chain farther apart than this, Å, are not bonded: C-alphas of bonded residues are 3.8 Å apart (2.9 Å
/// across a cis peptide bond), C-alphas with one missing residue between them 5 to 7.3 Å.
const BREAK_DISTANCE: f64 = 5.0;
/// The same limit if the residue numbers jump as well: no intact bond is this long.
const BREAK_DISTANCE_AT_NUMBER_GAP: f64 = 4.3;
/// C-alphas closer than this, Å, belong to one residue that the file has twice, such as a chain on a symmetry axis and
/// its copy. Different residues are 2.9 Å apart or more, and so short a contact would make a singular force.
const SAME_PLACE: f64 = 0.5;

/// Da: the mean mass of a residue. Overdamped dynamics needs no mass, but files for viewers do.
const RESIDUE_MASS: f64 = 110.0;

/// The source of the depth of native contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactDepth {
    /// The same depth for all contacts, kcal/mol.
    Constant(f64),
    /// The square root of the product of the two C-alphas' occupancy columns, kcal/mol.
    Occupancy,
    /// The square root of the product of the two C-alphas' temperature-factor columns, kcal/mol.
    Beta,
}

/// A contact that a list names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedContact {
    /// One bead.
    pub i: usize,
    /// The other bead.
    pub j: usize,
    /// Å; without one, the distance in the structure.
    pub length: Option<f64>,
    /// kcal/mol; without one, [`Parameters::depth`].
    pub depth: Option<f64>,
}

/// How contacts are found.
#[derive(Clone, Debug, PartialEq)]
pub enum ContactRule {
    /// By distance.
    Distance {
        /// Å: C-alphas closer than this touch; nothing touches at 0.
        cutoff: f64,
        /// Å: residues touch too when any two atoms not named CA, N, C or O are closer.
        side_chain_cutoff: Option<f64>,
        /// Whether hydrogens in the file count as side-chain atoms.
        side_chain_hydrogens: bool,
    },
    /// By name.
    List(Vec<ListedContact>),
}

/// Parameters of the model; [`Parameters::default`] has those of \[A\].
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// How contacts are found.
    pub contacts: ContactRule,
    /// How deep they are.
    pub depth: ContactDepth,
    /// k, kcal/(mol Å²).
    pub bond_stiffness: f64,
    /// R₀, Å.
    pub bond_limit: f64,
    /// ε_r, kcal/mol.
    pub repulsion_strength: f64,
    /// σ, Å.
    pub repulsion_diameter: f64,
    /// Å.
    pub repulsion_cutoff: f64,
    /// Whether to bond the disulfides that the structure lists.
    pub disulfides: bool,
    /// Further bonds between beads.
    pub extra_bonds: Vec<(usize, usize)>,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            contacts: ContactRule::Distance {
                cutoff: 8.0,
                side_chain_cutoff: None,
                side_chain_hydrogens: true,
            },
            depth: ContactDepth::Constant(1.5),
            bond_stiffness: 20.0,
            bond_limit: 2.0,
            repulsion_strength: 1.0,
            repulsion_diameter: 3.8,
            repulsion_cutoff: 20.0,
            disulfides: true,
            extra_bonds: Vec::new(),
        }
    }
}

/// The beads of a structure: labels, positions, and the residue of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Beads {
    /// The label of each bead.
    pub labels: Vec<Label>,
    /// Å.
    pub positions: Vec<[f64; 3]>,
    /// Index of the residue in the structure.
    pub residues: Vec<usize>,
    /// Occupancy and temperature factor of the C-alpha.
    pub columns: Vec<(f64, f64)>,
    /// Number of the chain in the structure.
    pub chains: Vec<usize>,
}

impl Beads {
    /// One bead for each residue that has a C-alpha, in all chains.
    pub fn from_structure(structure: &Structure) -> Beads {
        let mut beads = Beads::default();
        for (number, chain) in structure.chains.iter().enumerate() {
            for index in chain.residues.clone() {
                let residue = &structure.residues[index];
                let Some(atom) = structure.alpha_carbon(index) else { continue };
                beads.labels.push(Label {
                    name: "CA".into(),
                    residue_name: (*residue.name).into(),
                    residue_number: residue.number,
                    insertion: residue.insertion,
                    chain: (*chain.id).into(),
                    segment: (*chain.segment).into(),
                });
                beads.positions.push(atom.position);
                beads.residues.push(index);
                beads.columns.push((atom.occupancy, atom.beta));
                beads.chains.push(number);
            }
        }
        beads
    }

    /// Only the beads that a selection matches.
    ///
    /// # Errors
    /// If the selection matches no bead.
    pub fn select(&self, selection: &Selection, role: &str) -> Result<Beads, Error> {
        let kept = selection.indices(&self.labels);
        if kept.is_empty() {
            return Err(Error::EmptySelection {
                role: role.to_string(),
                selection: selection.text().to_string(),
                hint: format!("there are {}", describe_chains(&self.labels)),
            });
        }
        Ok(Beads {
            labels: kept.iter().map(|&bead| self.labels[bead]).collect(),
            positions: kept.iter().map(|&bead| self.positions[bead]).collect(),
            residues: kept.iter().map(|&bead| self.residues[bead]).collect(),
            columns: kept.iter().map(|&bead| self.columns[bead]).collect(),
            chains: kept.iter().map(|&bead| self.chains[bead]).collect(),
        })
    }

    fn distance(&self, i: usize, j: usize) -> f64 {
        Boundary::Open.squared_distance(self.positions[i], self.positions[j]).sqrt()
    }

    fn contact_depth(&self, depth: ContactDepth, i: usize, j: usize) -> Result<f64, Error> {
        let of_column = |pick: fn(&(f64, f64)) -> f64, name: &str| {
            let product = pick(&self.columns[i]) * pick(&self.columns[j]);
            if product < 0.0 || pick(&self.columns[i]) < 0.0 {
                return Err(Error::Topology(format!(
                    "contact energies come from the {name} column, which is negative for bead {i} or {j}: write energies of 0 or more there, or give `energy` a value"
                )));
            }
            Ok(product.sqrt())
        };
        match depth {
            ContactDepth::Constant(depth) => Ok(depth),
            ContactDepth::Occupancy => of_column(|columns| columns.0, "occupancy"),
            ContactDepth::Beta => of_column(|columns| columns.1, "temperature-factor"),
        }
    }
}

/// Lists chains with their sizes: `chains A (34 beads), B (12 beads)`.
pub fn describe_chains(labels: &[Label]) -> String {
    let mut chains: Vec<(Name, usize)> = Vec::new();
    for label in labels {
        match chains.last_mut() {
            Some((id, count)) if *id == label.chain => *count += 1,
            _ => chains.push((label.chain, 1)),
        }
    }
    let shown: Vec<String> = chains
        .iter()
        .take(12)
        .map(|(id, count)| {
            format!("{} ({count} beads)", if id.is_empty() { "without id" } else { id.as_str() })
        })
        .collect();
    let more = if chains.len() > 12 { " …" } else { "" };
    format!("chains {}{more}", shown.join(", "))
}

/// Builds the system of a structure from all or some of its beads.
///
/// Returns the system and warnings: breaks in chains, listed bonds that have no effect.
///
/// # Errors
/// Fewer than two beads; lists that name a bead twice or an unknown one; two beads at one position.
pub fn build(
    structure: &Structure,
    beads: Beads,
    parameters: &Parameters,
) -> Result<(System, Vec<String>), Error> {
    let count = beads.labels.len();
    if count < 2 {
        return Err(Error::TooFewBeads { source_name: structure.source.clone(), beads: count });
    }
    let mut warnings = Vec::new();
    let backbone = backbone_bonds(&beads, &mut warnings);
    let mut extra = extra_bonds(structure, &beads, parameters)?;
    for bond in &backbone {
        if extra.remove(bond) {
            warnings.push(format!(
                "beads {} and {} are neighbours in their chain and bonded already: the further bond between them adds nothing",
                bond.0, bond.1
            ));
        }
    }
    let bonds = backbone.iter().chain(&extra).map(|&(i, j)| (i, j, beads.distance(i, j)));
    let topology = Topology {
        bonds: bonds.collect(),
        extra_bonds: extra.len(),
        chain_starts: starts(&beads.chains, |a, b| a == b),
        contacts: native_contacts(structure, &beads, parameters)?,
        repelling: None,
    };
    Ok((assemble(beads.labels, beads.positions, topology, parameters)?, warnings))
}

/// Bonds that a list names, and those of disulfides.
fn extra_bonds(
    structure: &Structure,
    beads: &Beads,
    parameters: &Parameters,
) -> Result<BTreeSet<(usize, usize)>, Error> {
    let mut extra = BTreeSet::new();
    for &(a, b) in &parameters.extra_bonds {
        let pair = ordered(a, b, beads.labels.len(), "extra bond")?;
        if !extra.insert(pair) {
            return Err(twice("extra bond", pair));
        }
    }
    if parameters.disulfides {
        let bead_of: BTreeMap<usize, usize> =
            beads.residues.iter().enumerate().map(|(bead, &residue)| (residue, bead)).collect();
        for (a, b) in &structure.disulfides {
            if let (Some(&a), Some(&b)) = (bead_of.get(a), bead_of.get(b)) {
                extra.insert((a.min(b), a.max(b)));
            }
        }
    }
    Ok(extra)
}

fn native_contacts(
    structure: &Structure,
    beads: &Beads,
    parameters: &Parameters,
) -> Result<Vec<Pair<NativeContact>>, Error> {
    let contact = |i: usize, j: usize, depth: Option<f64>, length: f64| {
        let depth = match depth {
            Some(depth) => depth,
            None => beads.contact_depth(parameters.depth, i, j)?,
        };
        Ok(Pair { i, j, potential: NativeContact { depth, length } })
    };
    match &parameters.contacts {
        &ContactRule::Distance { cutoff, side_chain_cutoff, side_chain_hydrogens } => {
            let rule = contacts::Rule { cutoff, side_chain_cutoff, side_chain_hydrogens };
            let found = contacts::touching(structure, beads, &rule).into_iter();
            let found = found.map(|(i, j)| match beads.distance(i, j) {
                length if length < SAME_PLACE => Err(same_place(beads, i, j, length)),
                length => contact(i, j, None, length),
            });
            found.collect()
        }
        ContactRule::List(list) => {
            let listed = list.iter().map(|listed| {
                let (i, j) = ordered(listed.i, listed.j, beads.labels.len(), "contact")?;
                let length = listed.length.unwrap_or_else(|| beads.distance(i, j));
                contact(i, j, listed.depth, length)
            });
            listed.collect()
        }
    }
}

/// Builds the system of a SOP-GPU topology with beads at `positions`, Å.
///
/// # Errors
/// If `positions` and the topology differ in the number of beads; pairs named twice.
pub fn build_from_topology(
    topology: &SopGpuTopology,
    positions: Vec<[f64; 3]>,
    parameters: &Parameters,
) -> Result<System, Error> {
    if positions.len() != topology.atoms.len() {
        return Err(Error::Topology(format!(
            "the topology has {} beads and the coordinates {}: they must be of the same system",
            topology.atoms.len(),
            positions.len()
        )));
    }
    let count = positions.len();
    let mut bonds = Vec::new();
    for &(a, b, length) in &topology.bonds {
        let (i, j) = ordered(a, b, count, "bond")?;
        bonds.push((i, j, length));
    }
    let mut contacts = Vec::new();
    for &(a, b, length, depth) in &topology.contacts {
        let (i, j) = ordered(a, b, count, "contact")?;
        contacts.push(Pair { i, j, potential: NativeContact { depth, length } });
    }
    let extra_bonds = bonds.iter().filter(|(i, j, _)| j - i != 1).count();
    let chain_starts = starts(&topology.atoms, |a, b| a.chain == b.chain && a.segment == b.segment);
    let repelling = topology.pairs.clone();
    let lists = Topology { bonds, extra_bonds, chain_starts, contacts, repelling };
    assemble(topology.atoms.clone(), positions, lists, parameters)
}

/// The indices of items that differ from the item before; the first is 0.
fn starts<T>(items: &[T], same: impl Fn(&T, &T) -> bool) -> Vec<usize> {
    (0..items.len()).filter(|&i| i == 0 || !same(&items[i - 1], &items[i])).collect()
}

/// Bonds with their lengths, contacts, and the repelling pairs if the file lists them.
struct Topology {
    bonds: Vec<(usize, usize, f64)>,
    extra_bonds: usize,
    chain_starts: Vec<usize>,
    contacts: Vec<Pair<NativeContact>>,
    repelling: Option<Vec<(usize, usize)>>,
}

fn assemble(
    labels: Vec<Label>,
    positions: Vec<[f64; 3]>,
    mut topology: Topology,
    parameters: &Parameters,
) -> Result<System, Error> {
    let count = labels.len();
    if count < 2 {
        return Err(Error::TooFewBeads { source_name: "the topology".to_string(), beads: count });
    }
    topology.bonds.sort_by_key(|&(i, j, _)| (i, j));
    topology.contacts.sort_by_key(|contact| (contact.i, contact.j));
    let bonded: Vec<_> = topology.bonds.iter().map(|&(i, j, _)| (i, j)).collect();
    refuse_repeated("bond", &bonded)?;
    let native: Vec<_> = topology.contacts.iter().map(|contact| (contact.i, contact.j)).collect();
    refuse_repeated("contact", &native)?;
    for contact in &topology.contacts {
        if !(contact.potential.length > 0.0 && contact.potential.depth >= 0.0) {
            return Err(Error::Topology(format!(
                "the contact between beads {} and {} has length {} A and energy {} kcal/mol: the length must be positive and the energy not negative",
                contact.i, contact.j, contact.potential.length, contact.potential.depth
            )));
        }
    }
    for &(i, j, length) in &topology.bonds {
        if length.is_nan() || length <= 0.0 {
            return Err(Error::Topology(format!(
                "the bond between beads {i} and {j} has length {length} A; two residues in one place cannot be bonded: check the coordinates"
            )));
        }
    }
    let excluded = match topology.repelling {
        None => union(&bonded, &native),
        Some(pairs) => {
            let repelling: Result<Vec<_>, Error> =
                pairs.iter().map(|&(a, b)| ordered(a, b, count, "repelling pair")).collect();
            all_but(repelling?, count)
        }
    };
    let native_contacts: Vec<_> = topology
        .contacts
        .iter()
        .filter(|contact| bonded.binary_search(&(contact.i, contact.j)).is_err())
        .copied()
        .collect();
    let counts = Counts {
        beads: count,
        chains: topology.chain_starts.len(),
        bonds: topology.bonds.len(),
        extra_bonds: topology.extra_bonds,
        native_contacts: topology.contacts.len(),
        native_contacts_with_energy: native_contacts.len(),
        nonnative_pairs: count * (count - 1) / 2 - excluded.len(),
    };
    let (stiffness, limit) = (parameters.bond_stiffness, parameters.bond_limit);
    let bond = |&(i, j, length): &(usize, usize, f64)| Pair {
        i,
        j,
        potential: FeneBond { stiffness, limit, length },
    };
    let bonds: Vec<_> = topology.bonds.iter().map(bond).collect();
    let repulsion = SixthPowerRepulsion {
        strength: parameters.repulsion_strength,
        diameter: parameters.repulsion_diameter,
    };
    let mut particles = Particles::of_one_type(labels, positions);
    for (molecule, &start) in topology.chain_starts.iter().enumerate() {
        particles.molecules[start..].fill(molecule as u32);
    }
    Ok(System {
        particles,
        types: vec![ParticleType::new("residue", RESIDUE_MASS)],
        interactions: Interactions {
            bonded: vec![bonds.into(), native_contacts.into()],
            pairs: vec![PairTable::of_one_type(repulsion, parameters.repulsion_cutoff).into()],
            excluded,
            ..Interactions::default()
        },
        counts,
        model: Model::Sop,
        ..System::default()
    })
}

/// Bonds between successive residues of a chain, none across a break.
fn backbone_bonds(beads: &Beads, warnings: &mut Vec<String>) -> Vec<(usize, usize)> {
    let mut bonds = Vec::new();
    let mut breaks = Vec::new();
    let mut missing = 0;
    for i in 0..beads.labels.len().saturating_sub(1) {
        let j = i + 1;
        if beads.chains[i] != beads.chains[j] {
            continue;
        }
        let distance = beads.distance(i, j);
        let [a, b] = [&beads.labels[i], &beads.labels[j]];
        let gap = i64::from(b.residue_number) - i64::from(a.residue_number) - 1;
        let limit = if gap > 0 { BREAK_DISTANCE_AT_NUMBER_GAP } else { BREAK_DISTANCE };
        if distance <= limit {
            bonds.push((i, j));
            continue;
        }
        if gap > 0 {
            missing += gap;
        }
        breaks.push(format!(
            "between residues {} and {} of {} ({distance:.1} A apart{})",
            a.residue_number,
            b.residue_number,
            chain_words(&a.chain),
            if gap > 0 { format!(", {gap} missing") } else { String::new() }
        ));
    }
    if !breaks.is_empty() {
        let shown = breaks.iter().take(6).cloned().collect::<Vec<_>>().join("; ");
        let more = if breaks.len() > 6 { "; …" } else { "" };
        warnings.push(format!(
            "{} break(s), {missing} residue(s) missing, no bond across: {shown}{more}. Model the missing residues if the chain should carry force there",
            breaks.len()
        ));
    }
    bonds
}

fn ordered(a: usize, b: usize, count: usize, what: &str) -> Result<(usize, usize), Error> {
    if a == b {
        return Err(Error::Topology(format!("a {what} joins bead {a} with itself")));
    }
    if a.max(b) >= count {
        return Err(Error::Topology(format!(
            "a {what} names bead {}, but beads go from 0 to {}",
            a.max(b),
            count - 1
        )));
    }
    Ok((a.min(b), a.max(b)))
}

/// Refuses pairs that are named twice; `pairs` must be sorted.
fn refuse_repeated(what: &str, pairs: &[(usize, usize)]) -> Result<(), Error> {
    match pairs.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(twice(what, two[0])),
        None => Ok(()),
    }
}

fn twice(what: &str, (i, j): (usize, usize)) -> Error {
    Error::Topology(format!("the {what} between beads {i} and {j} is listed twice: list it once"))
}

fn same_place(beads: &Beads, i: usize, j: usize, length: f64) -> Error {
    let who = |bead: usize| {
        let label = &beads.labels[bead];
        let insertion = label.insertion.map(String::from).unwrap_or_default();
        format!(
            "bead {bead} ({}, residue {}{insertion})",
            chain_words(&label.chain),
            label.residue_number
        )
    };
    Error::Topology(format!(
        "{} and {} are {} A apart, too close for two residues: remove one of them from the structure, or choose another assembly",
        who(i),
        who(j),
        (length * 100.0).round() / 100.0
    ))
}

/// The union of two sorted lists of unique pairs.
fn union(one: &[(usize, usize)], other: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut all = [one, other].concat();
    // The stable sort merges two sorted runs in linear time.
    all.sort();
    all.dedup();
    all
}

/// All pairs of `count` beads except the given ones, sorted.
fn all_but(mut pairs: Vec<(usize, usize)>, count: usize) -> Vec<(usize, usize)> {
    pairs.sort_unstable();
    pairs.dedup();
    let mut given = pairs.into_iter().peekable();
    (0..count)
        .flat_map(|i| (i + 1..count).map(move |j| (i, j)))
        .filter(|pair| given.next_if_eq(pair).is_none())
        .collect()
}
