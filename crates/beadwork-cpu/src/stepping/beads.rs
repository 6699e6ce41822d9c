//! Where the beads of a member are, and where they were one step ago.

use beadwork_arithmetic::Fraction;
use beadwork_model::System;
use beadwork_random::Normal;
use beadwork_simulation::{Places, StepError};

use crate::arrays::coordinates::Coordinates;
use crate::arrays::free::Free;
use crate::space::Geometry;

/// The beads of a member: their space, places and fixed ones.
#[derive(Clone, Debug)]
pub(super) struct Beads<T> {
    geometry: Geometry<T>,
    /// Å; in a periodic box whole numbers in the bits of the components.
    positions: Coordinates<T>,
    /// The positions one step ago, if `moved`.
    previous: Coordinates<T>,
    /// The whole sides that each bead is away from a periodic box; empty in open space.
    images: Vec<[i32; 3]>,
    /// Whether the step since `previous` may still turn out to be broken.
    moved: bool,
    /// Beads of the stage that are not fixed.
    free: Free,
}

/// The positions of beads while a step is made.
pub(super) struct MovingBeads<'a, T> {
    pub positions: &'a mut Coordinates<T>,
    pub previous: &'a mut Coordinates<T>,
    pub free: &'a Free,
}

impl<T: Normal> Beads<T> {
    pub fn new(system: &System) -> Self {
        let (beads, geometry) = (system.beads(), Geometry::new(system));
        Beads {
            geometry,
            positions: Coordinates::zero(beads),
            previous: Coordinates::zero(beads),
            images: vec![[0; 3]; if geometry.is_periodic() { beads } else { 0 }],
            moved: false,
            free: Free::default(),
        }
    }

    pub fn count(&self) -> usize {
        self.positions.len()
    }

    pub fn geometry(&self) -> Geometry<T> {
        self.geometry
    }

    pub fn positions(&self) -> &Coordinates<T> {
        &self.positions
    }

    pub fn images(&self) -> &[[i32; 3]] {
        &self.images
    }

    pub fn free(&self) -> &Free {
        &self.free
    }

    /// Positions, Å; in a periodic box those of the images that the beads have reached.
    pub fn unwrapped(&self) -> Vec<[f64; 3]> {
        let image = |bead: usize| self.images.get(bead).copied().unwrap_or_default();
        let positions = self.positions.iter().enumerate();
        positions.map(|(bead, at)| self.geometry.position(at, image(bead))).collect()
    }

    /// Puts the beads at positions, Å.
    pub fn place(&mut self, positions: &[[f64; 3]]) {
        for (bead, &position) in positions.iter().enumerate() {
            let (coordinate, image) = self.geometry.place(position);
            self.positions.set(bead, coordinate);
            if let Some(of_bead) = self.images.get_mut(bead) {
                *of_bead = image;
            }
        }
    }

    /// Where the beads are in a periodic box.
    pub fn places(&self) -> Option<Places> {
        self.geometry.is_periodic().then(|| Places {
            fractions: self.positions.iter().map(|at| at.map(Fraction::to_fraction)).collect(),
            images: self.images.clone(),
        })
    }

    /// The inverse of [`Beads::places`].
    pub fn restore(&mut self, places: &Places) {
        for (bead, fractions) in places.fractions.iter().enumerate() {
            self.positions.set(bead, fractions.map(T::from_fraction));
        }
        self.images.clone_from(&places.images);
    }

    /// Takes over moves that another backend made, to positions as [`Beads::positions`] has them.
    pub fn take_over(&mut self, positions: impl Fn(usize) -> [T; 3], crossings: &[[i32; 3]]) {
        for bead in 0..self.positions.len() {
            self.positions.set(bead, positions(bead));
        }
        for (image, crossed) in self.images.iter_mut().zip(crossings) {
            (0..3).for_each(|axis| image[axis] += crossed[axis]);
        }
    }

    /// Forgets the last step, and takes the fixed beads of a stage.
    pub fn begin_stage(&mut self, fixed: &[usize]) {
        self.previous.copy_from(&self.positions);
        self.moved = false;
        self.free = Free::new(self.positions.len(), fixed);
    }

    /// The positions, for a step that goes from one array to the other.
    pub fn moving(&mut self) -> MovingBeads<'_, T> {
        MovingBeads {
            positions: &mut self.positions,
            previous: &mut self.previous,
            free: &self.free,
        }
    }

    /// All that steps in lanes change: positions, previous positions and images.
    pub fn stepped(&mut self) -> (&mut Coordinates<T>, &mut Coordinates<T>, &mut [[i32; 3]]) {
        (&mut self.positions, &mut self.previous, &mut self.images)
    }

    /// Exchanges the present positions and the previous ones.
    pub fn swap(&mut self) {
        std::mem::swap(&mut self.positions, &mut self.previous);
    }

    /// Says whether the last step may still turn out to be broken.
    pub fn set_moved(&mut self, moved: bool) {
        self.moved = moved;
    }

    /// Finishes a move from the previous positions to the present ones. If a bead moved too far, the member is one step
    /// later at its previous positions, as a failure expects.
    pub fn have_moved(&mut self, moved: Result<(), StepError>) -> Result<(), StepError> {
        if !self.geometry.is_periodic() {
            return moved;
        }
        if moved.is_err() {
            self.positions.copy_from(&self.previous);
            self.moved = false;
        }
        self.count_crossings(false);
        moved
    }

    /// Goes back to the previous positions if the last step may be broken; whether it did.
    pub fn go_back(&mut self) -> bool {
        let moved = std::mem::take(&mut self.moved);
        if moved {
            self.count_crossings(true);
            self.positions.copy_from(&self.previous);
        }
        moved
    }

    /// Counts the sides that beads crossed between the previous positions and the present ones.
    fn count_crossings(&mut self, back: bool) {
        let sign = if back { -1 } else { 1 };
        for (axis, to) in self.positions.axes.iter().enumerate() {
            let from = &self.previous.axes[axis];
            for (image, (&from, &to)) in self.images.iter_mut().zip(from.iter().zip(to.iter())) {
                image[axis] += sign * Geometry::crossed(from, to);
            }
        }
    }
}
