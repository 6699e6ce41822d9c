//! An elastic network with the continuum's moduli, finer near the origin.

use std::collections::BTreeMap;

use beadwork_model::potentials::HarmonicBond;
use beadwork_model::{Pair, ParticleType, Particles, System};
use beadwork_structure::Label;

/// Cubic cells below a surface at z = 0, each with springs along its edges and the diagonals of its faces.
///
/// Springs of one strength k along both, shared by the cells around them, make an isotropic solid with C12 = C44 = k/a and
/// C11 = 3 k/a, as the sums of k n n n n over the springs of a bead say (Born and Huang, *Dynamical Theory of Crystal
/// Lattices*, 1954, §11: central forces). So k grows as the edge a of the cell.
pub struct Network {
    pub system: System,
    depth: i32,
    places: Vec<[i32; 3]>,
}

/// Moduli, kcal/(mol Å³).
pub struct Moduli {
    pub c11: f64,
    pub c12: f64,
    pub c44: f64,
    pub young: f64,
    pub poisson: f64,
}

/// The springs of a cell between its corners, by the share of k that is its own: an edge belongs to four cells, a face to two.
fn springs_of_cell() -> impl Iterator<Item = ([i32; 3], [i32; 3], f64)> {
    let corners = || (0..8).map(|n| [n & 1, n >> 1 & 1, n >> 2 & 1]);
    let pairs = corners().flat_map(move |a| corners().map(move |b| (a, b)));
    pairs.filter(|(a, b)| a < b).filter_map(|(a, b)| {
        let apart = (0..3).filter(|&axis| a[axis] != b[axis]).count();
        match apart {
            1 => Some((a, b, 0.25)),
            2 => Some((a, b, 0.5)),
            _ => None,
        }
    })
}

impl Network {
    /// The network of regions, each with cells of twice the edge of the one before, the first of 1 Å: half the width and the depth.
    pub fn new(regions: &[[i32; 2]]) -> Network {
        let mut springs: BTreeMap<[[i32; 3]; 2], f64> = BTreeMap::new();
        let mut inner = [0, 0];
        for (level, &[half, depth]) in regions.iter().enumerate() {
            let edge = 1 << level;
            let along = || (-half..half).step_by(edge as usize);
            let is_inner = |[x, y, z]: [i32; 3]| {
                let within = |place: i32| -inner[0] <= place && place < inner[0];
                within(x) && within(y) && z >= -inner[1]
            };
            let cells = (-depth..0)
                .step_by(edge as usize)
                .flat_map(|z| along().flat_map(move |y| along().map(move |x| [x, y, z])));
            for cell in cells.filter(|cell| !is_inner(*cell)) {
                let corner = |at: [i32; 3]| [0, 1, 2].map(|axis| cell[axis] + edge * at[axis]);
                for (a, b, share) in springs_of_cell() {
                    *springs.entry([corner(a), corner(b)]).or_default() += share * f64::from(edge);
                }
            }
            inner = [half, depth];
        }
        let mut places: Vec<[i32; 3]> = springs.keys().flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        let number = |place: &[i32; 3]| places.binary_search(place).unwrap_or_default();
        let mut pairs: Vec<Pair<HarmonicBond>> = springs
            .iter()
            .map(|([a, b], &stiffness)| {
                let square: i32 = (0..3).map(|axis| (a[axis] - b[axis]).pow(2)).sum();
                let length = f64::from(square).sqrt();
                let (one, other) = (number(a), number(b));
                let potential = HarmonicBond { stiffness, length };
                Pair { i: one.min(other), j: one.max(other), potential }
            })
            .collect();
        pairs.sort_unstable_by_key(|pair| (pair.i, pair.j));
        let positions: Vec<[f64; 3]> = places.iter().map(|place| place.map(f64::from)).collect();
        let label = |number: usize| Label { residue_number: number as i32, ..Label::default() };
        let labels = (0..positions.len()).map(label).collect();
        let mut system = System {
            particles: Particles::of_one_type(labels, positions),
            types: vec![ParticleType::new("A", 1.0)],
            ..System::default()
        };
        *system.interactions.bonded_by_mut::<HarmonicBond>() = pairs;
        Network { system, depth: inner[1], places }
    }

    /// How many springs there are.
    pub fn springs(&self) -> usize {
        self.system.interactions.bonded_by::<HarmonicBond>().len()
    }

    /// The beads that lie lowest.
    pub fn bottom(&self) -> Vec<usize> {
        self.beads_where(|place| place[2] == -self.depth)
    }

    /// The beads of the surface within a distance of the origin.
    pub fn surface_within(&self, distance: f64) -> Vec<usize> {
        self.beads_where(|[x, y, z]| z == 0 && f64::from(x * x + y * y) <= distance * distance)
    }

    fn beads_where(&self, holds: impl Fn([i32; 3]) -> bool) -> Vec<usize> {
        let places = self.places.iter().enumerate();
        places.filter(|(_, place)| holds(**place)).map(|(bead, _)| bead).collect()
    }

    /// The moduli, by energies at small strains.
    pub fn moduli(&self, strain: f64) -> Moduli {
        let rest = &self.system.particles.positions;
        let extent = |axis: usize| {
            let along = || rest.iter().map(|at| at[axis]);
            along().fold(f64::MIN, f64::max) - along().fold(f64::MAX, f64::min)
        };
        let volume = extent(0) * extent(1) * extent(2);
        // Of both signs, so that terms of odd order in the strain cancel.
        let density = |[x, y, shear]: [f64; 3]| {
            let energy = |strain: f64| {
                let strained: Vec<[f64; 3]> = rest
                    .iter()
                    .map(|at| {
                        [
                            at[0] * (1.0 + x * strain) + shear * strain * at[1],
                            at[1] * (1.0 + y * strain),
                            at[2],
                        ]
                    })
                    .collect();
                self.system.energies(&strained).bonds
            };
            (energy(strain) + energy(-strain)) / (volume * strain * strain)
        };
        // Twice the density over the square of the strain: C11, 2 C11 + 2 C12, and C44.
        let (c11, both, c44) =
            (density([1.0, 0.0, 0.0]), density([1.0, 1.0, 0.0]), density([0.0, 0.0, 1.0]));
        let c12 = 0.5 * both - c11;
        let poisson = c12 / (c11 + c12);
        let young = c11 - 2.0 * c12 * poisson;
        Moduli { c11, c12, c44, young, poisson }
    }
}
