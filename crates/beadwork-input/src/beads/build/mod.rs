//! `build` in `[system]`: molecules that fill a box, on a lattice or at random, or one in open space.

mod amounts;
mod crowded;
mod molecule;

use beadwork_model::start_positions::{RandomWalks, lattice};
use beadwork_model::units::{BEADS_PER_MOLARITY, Dimension, Units};
use beadwork_random::{NoiseKey, Purpose};
use beadwork_structure::{Configuration, Label, Name};

use super::boundary::OPEN;
use super::lists::list_of;
use super::memory;
use crate::document::{Node, Table, Value};
use crate::error::{BAD_VALUE, CONFLICT, Error};
use crate::numbers::Bound;
use crate::section::Section;
use crate::settings::DynamicsRead;
use amounts::MoleculeAmount;
use molecule::Molecule;

const MOLECULES: &str = "molecules";
const MOLECULE_KEYS: [&str; 3] = ["molecule", "count", "fraction"];
/// `build` as a table has its only molecule, or a list of them, beside how they fill the box.
const KEYS: [&str; 8] = [
    MOLECULES,
    MOLECULE_KEYS[0],
    MOLECULE_KEYS[1],
    MOLECULE_KEYS[2],
    "density",
    "placement",
    "bond_length",
    "characteristic_ratio",
];
const PLACEMENTS: [&str; 2] = ["lattice", "random"];

/// The molecules that fill a box, or the only one in open space.
pub(super) struct BuildRead {
    pub beads: Configuration,
    /// Bead k is bonded to bead k − `backs[k]`, and begins a molecule with 0.
    pub backs: Vec<u32>,
    /// The sides of the box, which may follow from a density; none in open space.
    pub sides: Option<[f64; 3]>,
    /// Whether places are drawn from the seed.
    pub is_random: bool,
}

/// Reads `build`. `sides` are those that `box` gives.
pub(super) fn read(
    section: &mut Section<'_>,
    node: &Node,
    sides: Option<[f64; 3]>,
    (dynamics, is_begun): (&DynamicsRead, bool),
    seed: u64,
) -> Result<BuildRead, Error> {
    let whole = in_full(node);
    let mut whole = Section::open(&whole, "`build` in [system]", &KEYS)?.in_units(section.units);
    let density = read_density(&mut whole)?;
    let listed = molecules_of(&whole)?;
    let is_filled = density.is_some() && sides.is_some();
    let (mut names, mut parts, mut resolved) = (Vec::new(), Vec::new(), Vec::new());
    for (index, node) in listed.iter().enumerate() {
        let name = format!("`build` {} in [system]", index + 1);
        let mut inner = Section::open(node, &name, &MOLECULE_KEYS)?;
        let text = inner.required_text("molecule", "A10")?.value;
        let molecule = Molecule::parse(&text, &mut names)
            .map_err(|problem| inner.fault(BAD_VALUE, "molecule", &problem))?;
        parts.push(MoleculeAmount::read(&mut inner, molecule, is_filled, listed.len() == 1)?);
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    whole.keep(MOLECULES, Value::List(resolved));
    if parts.is_empty() {
        return Err(section.fault(BAD_VALUE, "build", "makes no beads: give it a molecule"));
    }
    let is_open = density.is_none() && section.node("box").and_then(Node::text) == Some(OPEN);
    let (counts, sides) = match (density, sides) {
        (Some(density), Some(sides)) => {
            (amounts::of_density(&whole, &parts, density, sides)?, Some(sides))
        }
        (density, sides) => {
            let counts: Vec<u64> = parts.iter().filter_map(MoleculeAmount::count).collect();
            let beads = amounts::beads(&parts, &counts);
            let cube = density.map(|density| [(beads as f64 / density).cbrt(); 3]);
            (counts, sides.or(cube))
        }
    };
    if sides.is_none() {
        refuse_unplaced(section, is_open, &counts)?;
    }
    let beads = amounts::beads(&parts, &counts);
    memory::refuse_too_many(section, "build", beads)?;
    if let Some(sides) = sides.filter(|_| !is_begun) {
        crowded::refuse(section, dynamics, &names, (&parts, &counts), sides)?;
    }
    let walks = read_placement(&mut whole, &parts, is_open)?;
    section.keep("build", Value::Table(whole.resolved));
    let (mut beads, backs) = fill(&parts, &counts, names);
    // In open space the only molecule begins at the origin.
    let room = sides.unwrap_or_default();
    beads.positions = match walks {
        None => lattice(backs.len(), room),
        Some(walks) => {
            walks.place(&backs, room, NoiseKey::new(seed, Purpose::StartConfiguration, 0))
        }
    };
    Ok(BuildRead { beads, backs, sides, is_random: walks.is_some() })
}

/// Refuses molecules for which there are no sides of a box, but one in open space.
fn refuse_unplaced(section: &Section<'_>, is_open: bool, counts: &[u64]) -> Result<(), Error> {
    let molecules = counts.iter().copied().fold(0, u64::saturating_add);
    let problem = match (is_open, molecules) {
        (true, 1) => return Ok(()),
        (true, _) => format!(
            "has {molecules} molecules, and box = \"{OPEN}\" has room for one: write count = 1, or the sides of a box, such as box = [10, 10, 10], or `start` with a file of all beads"
        ),
        (false, _) => format!(
            "fills a box, and `box` has no sides: write for example box = [10, 10, 10], or give `build` a density, or write box = \"{OPEN}\" for one molecule in open space"
        ),
    };
    Err(section.fault(CONFLICT, "build", &problem))
}

/// `build` as a table with a list of molecules, for which a list or a table of one molecule is short.
pub(crate) fn in_full(node: &Node) -> Node {
    let mut whole = Table::default();
    let molecules = match &node.value {
        Value::List(_) => node.clone(),
        Value::Table(table) if table.get(MOLECULES).is_none() => {
            let (entries, others) =
                table.entries.iter().cloned().partition(|entry| is_of_molecule(&entry.key));
            whole.entries = others;
            let molecule = Node::new(Value::Table(Table { entries }), &node.place);
            Node::new(Value::List(vec![molecule]), &node.place)
        }
        _ => return node.clone(),
    };
    whole.set(MOLECULES, &node.place, molecules);
    Node::new(Value::Table(whole), &node.place)
}

/// The keys of a path below `build` in its full form: `1.count`, and `count` of its only molecule, are within `molecules`.
pub(crate) fn keys_in_full<'k>(keys: &[&'k str]) -> Vec<&'k str> {
    let begins = match keys {
        [first, ..] if is_of_molecule(first) => &[MOLECULES, "1"][..],
        [first, ..] if first.parse::<u64>().is_ok() => &[MOLECULES],
        _ => &[],
    };
    [begins, keys].concat()
}

/// The problem with a path below `build` that names a key of a molecule but not which of several molecules has it.
pub(crate) fn problem_with(whole: &Node, keys: &[&str]) -> Option<String> {
    let count = whole.get(MOLECULES).and_then(Node::list)?.len();
    let key = keys.first().filter(|key| is_of_molecule(key) && count > 1)?;
    Some(format!("`build` has {count} molecules with this key; write build.1.{key} for the first"))
}

fn is_of_molecule(key: &str) -> bool {
    MOLECULE_KEYS.contains(&key)
}

/// The tables of molecules.
fn molecules_of(whole: &Section<'_>) -> Result<Vec<Node>, Error> {
    whole.exclude(&MOLECULE_KEYS, "each entry of `molecules` has its own")?;
    list_of(whole, MOLECULES).map(<[Node]>::to_vec)
}

/// Beads in a unit of volume, Å⁻³ or reduced.
fn read_density(section: &mut Section<'_>) -> Result<Option<f64>, Error> {
    let read = section.quantity("density", Dimension::Concentration, Bound::Positive)?;
    Ok(read.map(|read| match section.units {
        Units::Real => BEADS_PER_MOLARITY * read.value,
        Units::Reduced => read.value,
    }))
}

/// Reads `placement` and what belongs to it; `None` is a lattice, which open space does not have.
fn read_placement(
    section: &mut Section<'_>,
    parts: &[MoleculeAmount],
    is_open: bool,
) -> Result<Option<RandomWalks>, Error> {
    let keys = ["bond_length", "characteristic_ratio"];
    let usual = PLACEMENTS[usize::from(is_open)];
    if section.choice("placement", &PLACEMENTS, Some(usual))? == 0 {
        if is_open {
            let problem = "is \"lattice\", which fills a box, and open space has none: write \"random\" and a `bond_length`, for a random walk";
            return Err(section.fault(CONFLICT, "placement", problem));
        }
        section.exclude(&keys, "it belongs to placement = \"random\"")?;
        return Ok(None);
    }
    if parts.iter().all(|part| part.molecule.types.len() == 1) {
        section.exclude(&keys, "no molecule has bonds")?;
        return Ok(Some(RandomWalks { bond_length: 1.0, characteristic_ratio: 1.0 }));
    }
    let bond_length =
        section.required_quantity("bond_length", Dimension::Length, Bound::Positive, "3.8 A")?;
    let characteristic_ratio = section.number_or("characteristic_ratio", Bound::Positive, 1.0)?;
    if characteristic_ratio < 1.0 {
        let problem = format!(
            "must be at least 1, that of a freely jointed chain, but is {characteristic_ratio}"
        );
        return Err(section.fault(BAD_VALUE, "characteristic_ratio", &problem));
    }
    Ok(Some(RandomWalks { bond_length, characteristic_ratio }))
}

/// All beads without their places, and the bonds along molecules.
fn fill(parts: &[MoleculeAmount], counts: &[u64], names: Vec<String>) -> (Configuration, Vec<u32>) {
    let total = amounts::beads(parts, counts) as usize;
    let mut beads = Configuration {
        source: "`build`".to_string(),
        types: Vec::with_capacity(total),
        labels: Vec::with_capacity(total),
        masses: vec![None; names.len()],
        ..Configuration::default()
    };
    let (mut backs, mut molecules) = (Vec::with_capacity(total), Vec::with_capacity(total));
    let type_names: Vec<Name> = names.iter().map(|name| Name::from(&**name)).collect();
    let mut molecule = 0;
    for (part, &count) in parts.iter().zip(counts) {
        let Molecule { types, backs: own, .. } = &part.molecule;
        for _ in 0..count {
            molecule += 1;
            // A name for each bead of a fluid would take more memory than the bead.
            let chain = match types.len() {
                1 => Name::default(),
                _ => Name::from(&*molecule.to_string()),
            };
            for (place, &kind) in types.iter().enumerate() {
                let name = type_names[usize::from(kind)];
                // Four digits are all that PDB files have room for.
                let residue_number = (place % 9_999 + 1) as i32;
                let label =
                    Label { name, residue_name: name, residue_number, chain, ..Label::default() };
                beads.labels.push(label);
            }
            molecules.extend(std::iter::repeat_n(molecule, types.len()));
            beads.types.extend_from_slice(types);
            backs.extend_from_slice(own);
        }
    }
    beads.molecules = Some(molecules);
    beads.type_names = names;
    (beads, backs)
}
