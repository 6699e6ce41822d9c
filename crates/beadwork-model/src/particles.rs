//! The beads of a system.

use beadwork_structure::Label;

/// A kind of bead.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleType {
    /// What it is called.
    pub name: String,
    /// Da. It does not affect overdamped beads; files for viewers have it.
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
