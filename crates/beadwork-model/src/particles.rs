//! The beads of a system.

use std::borrow::Cow;

use beadwork_structure::Label;

/// A kind of bead.
#[derive(Clone, Debug, PartialEq)]
pub struct ParticleType {
    /// The name of the type.
    pub name: String,
    /// Da. Overdamped dynamics does not use it; files for viewers contain it.
    pub mass: f64,
    /// ξ, kcal ps/(mol Å²), of beads with velocities, if it is not that of the dynamics.
    pub friction: Option<f64>,
}

impl ParticleType {
    /// A type with the friction of the dynamics.
    pub fn new(name: impl Into<String>, mass: f64) -> ParticleType {
        ParticleType { name: name.into(), mass, friction: None }
    }
}

/// The beads of a system: an array for each property, 54 bytes for each bead in all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// The label of each bead.
    pub labels: Vec<Label>,
    /// The start of each bead, Å.
    pub positions: Vec<[f64; 3]>,
    /// The type of each bead, as an index into the types of the system.
    pub types: Vec<u16>,
    /// Elementary charges; empty where no bead is charged.
    pub charges: Vec<f32>,
    /// The number of each bead's molecule. Molecules are numbered in the order of their first beads; the beads of one need not
    /// follow each other.
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
        let mut next = 0;
        let begins = move |&bead: &usize| {
            let number = self.molecules[bead];
            let is_new = bead == 0 || number >= next;
            next = next.max(number.saturating_add(1));
            is_new
        };
        (0..self.len()).filter(begins)
    }

    /// Whether the beads of each molecule follow each other.
    pub fn are_in_order_of_molecules(&self) -> bool {
        self.molecules.is_sorted()
    }

    /// The beads of each molecule.
    pub fn beads_of_molecules(&self) -> MoleculeBeads {
        let mut starts: Vec<usize>;
        let beads: Vec<u32>;
        if self.are_in_order_of_molecules() {
            starts = self.molecule_starts().collect();
            beads = (0..self.molecules.len() as u32).collect();
        } else {
            // Counts become the places behind the last bead of each molecule.
            let most = self.molecules.iter().max().map_or(0, |most| *most as usize + 1);
            let mut places = vec![0; most + 1];
            self.molecules.iter().for_each(|&molecule| places[molecule as usize + 1] += 1);
            for molecule in 0..most {
                places[molecule + 1] += places[molecule];
            }
            starts = places[..most].to_vec();
            let mut sorted = vec![0; self.molecules.len()];
            for (bead, &molecule) in self.molecules.iter().enumerate() {
                let place = &mut places[molecule as usize];
                sorted[*place] = bead as u32;
                *place += 1;
            }
            // Numbers without beads are no molecules.
            starts.dedup();
            beads = sorted;
        }
        starts.retain(|&start| start < beads.len());
        MoleculeBeads { beads, starts }
    }
}

/// The beads of the molecules of a system, ascending in each molecule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoleculeBeads {
    beads: Vec<u32>,
    /// Where each molecule begins in `beads`.
    starts: Vec<usize>,
}

impl MoleculeBeads {
    /// The beads of each molecule, in the order of their first beads.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.beads.len()]);
        self.starts.iter().zip(ends).map(|(&start, end)| &self.beads[start..end])
    }
}

/// The positions of some beads, ascending, of all. They are not copied if the beads follow each other.
pub fn positions_of<'a>(all: &'a [[f64; 3]], beads: &[u32]) -> Cow<'a, [[f64; 3]]> {
    let (Some(&first), Some(&last)) = (beads.first(), beads.last()) else { return Cow::default() };
    let (first, last) = (first as usize, last as usize);
    match last - first + 1 == beads.len() {
        true => Cow::Borrowed(&all[first..=last]),
        false => beads.iter().map(|&bead| all[bead as usize]).collect(),
    }
}

/// The boundary of a system.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Boundary {
    /// None: space is infinite.
    #[default]
    Open,
    /// A box that repeats along each axis.
    Periodic {
        /// The sides of the box, Å.
        lengths: [f64; 3],
    },
}

impl Boundary {
    /// r_a − r_b, Å; in a box that of the nearest images.
    ///
    /// ```
    /// use beadwork_model::Boundary;
    ///
    /// let (a, b) = ([9.5, 1.0, 0.0], [0.5, 1.0, 4.0]);
    /// assert_eq!(Boundary::Open.separation(a, b), [9.0, 0.0, -4.0]);
    /// assert_eq!(Boundary::Periodic { lengths: [10.0; 3] }.separation(a, b), [-1.0, 0.0, -4.0]);
    /// ```
    pub fn separation(self, a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
        match self {
            Boundary::Open => [x, y, z],
            Boundary::Periodic { lengths: [u, v, w] } => {
                [x - u * (x / u).round(), y - v * (y / v).round(), z - w * (z / w).round()]
            }
        }
    }

    /// |r_a − r_b|², Å².
    pub fn squared_distance(self, a: [f64; 3], b: [f64; 3]) -> f64 {
        let [x, y, z] = self.separation(a, b);
        x * x + y * y + z * z
    }

    /// The image of `position`, Å, that is nearest to an anchor; in open space the position itself.
    pub fn near(self, position: [f64; 3], anchor: [f64; 3]) -> [f64; 3] {
        match self {
            Boundary::Open => position,
            Boundary::Periodic { .. } => {
                let [x, y, z] = self.separation(position, anchor);
                [anchor[0] + x, anchor[1] + y, anchor[2] + z]
            }
        }
    }

    /// The sides of the box, Å; `None` in open space.
    pub fn sides(self) -> Option<[f64; 3]> {
        match self {
            Boundary::Open => None,
            Boundary::Periodic { lengths } => Some(lengths),
        }
    }

    /// Å³; `None` in open space.
    pub fn volume(self) -> Option<f64> {
        match self {
            Boundary::Open => None,
            Boundary::Periodic { lengths: [x, y, z] } => Some(x * y * z),
        }
    }
}
