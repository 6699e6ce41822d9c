//! The beads of a system.

use beadwork_structure::Label;

/// A kind of bead.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleType {
    /// What it is called.
    pub name: String,
    /// Da. Overdamped beads have none that matters; viewers are told this one.
    pub mass: f64,
}

/// The beads of a system: an array for each property, 54 bytes a bead in all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// What each bead is called.
    pub labels: Vec<Label>,
    /// Where each starts, Å.
    pub positions: Vec<[f64; 3]>,
    /// The number of each bead's type among those of the system.
    pub types: Vec<u16>,
    /// Elementary charges; empty where no bead is charged.
    pub charges: Vec<f32>,
    /// The number of each bead's molecule, ascending.
    pub molecules: Vec<u32>,
}

impl Particles {
    /// Beads of one type in one molecule, uncharged.
    pub fn of_one_type(labels: Vec<Label>, positions: Vec<[f64; 3]>) -> Particles {
        let beads = labels.len();
        Particles {
            labels,
            positions,
            types: vec![0; beads],
            charges: Vec::new(),
            molecules: vec![0; beads],
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// A bead's charge, elementary charges.
    pub fn charge(&self, bead: usize) -> f32 {
        self.charges.get(bead).copied().unwrap_or(0.0)
    }

    /// The first bead of each molecule.
    pub fn molecule_starts(&self) -> impl Iterator<Item = usize> + '_ {
        let begins = |&bead: &usize| bead == 0 || self.molecules[bead] != self.molecules[bead - 1];
        (0..self.len()).filter(begins)
    }
}

/// Where a system ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Boundary {
    /// Nowhere.
    #[default]
    Open,
}

impl Boundary {
    /// r_a − r_b, Å.
    pub fn separation(self, a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        match self {
            Boundary::Open => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Systems of 10⁷ beads are to fit into the memory of one machine beside everything else.
    #[test]
    fn a_bead_takes_64_bytes_at_most() {
        let bytes = size_of::<Label>()
            + size_of::<[f64; 3]>()
            + size_of::<u16>()
            + size_of::<f32>()
            + size_of::<u32>();
        assert!(bytes <= 64, "{bytes}");
    }

    #[test]
    fn molecules_begin_where_their_number_changes() {
        let particles = Particles {
            labels: vec![Label::default(); 5],
            molecules: vec![0, 0, 3, 4, 4],
            ..Particles::default()
        };
        assert_eq!(particles.molecule_starts().collect::<Vec<_>>(), [0, 2, 3]);
    }
}
