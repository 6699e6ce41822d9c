//! The beads of a structure.

use beadwork_structure::{Label, Name, Selection, Structure};

use super::parameters::ContactDepth;
use crate::Error;
use crate::particles::Boundary;

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

    /// The identifiers in the file of the chains that have beads; copies have that of their chain.
    pub fn chains_in_file(&self, structure: &Structure) -> Vec<String> {
        let mut chains = self.chains.clone();
        chains.dedup();
        let id = |chain: usize| {
            structure.chains.get(chain).map(|chain| chain.id_in_file.clone()).unwrap_or_default()
        };
        chains.into_iter().map(id).collect()
    }

    /// Whether there are two chains with these identifiers in the file; copies have that of their chain.
    pub fn has_chains(&self, structure: &Structure, [one, other]: [&str; 2]) -> bool {
        let chains = self.chains_in_file(structure);
        let named = |id: &str| chains.iter().filter(|chain| *chain == id).count();
        match one == other {
            true => named(one) > 1,
            false => named(one) > 0 && named(other) > 0,
        }
    }

    /// Å.
    pub(super) fn distance(&self, i: usize, j: usize) -> f64 {
        Boundary::Open.squared_distance(self.positions[i], self.positions[j]).sqrt()
    }

    /// The depth, kcal/mol, of a contact of two beads.
    pub(super) fn contact_depth(
        &self,
        depth: ContactDepth,
        i: usize,
        j: usize,
    ) -> Result<f64, Error> {
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
