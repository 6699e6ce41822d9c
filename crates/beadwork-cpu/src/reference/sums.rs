//! The sums of forces on beads: in order in open space, of whole numbers in a box.

use beadwork_arithmetic::Real;
use beadwork_simulation::StepError;

use crate::space::{Geometry, PARTIAL_SUMS, PeriodicBox};

/// The sums of all beads.
pub(crate) enum BeadSums<T> {
    /// The partial sums of each bead.
    Ordered(Vec<[[T; 3]; PARTIAL_SUMS]>),
    /// Multiples of the force unit, and the first bead with a force beyond the limit.
    Fixed { sides: PeriodicBox<T>, sums: Vec<[i64; 3]>, lost: Option<usize> },
}

impl<T: Real> BeadSums<T> {
    pub fn new(geometry: &Geometry<T>, beads: usize) -> Self {
        match *geometry {
            Geometry::Open => BeadSums::Ordered(vec![[[T::zero(); 3]; PARTIAL_SUMS]; beads]),
            Geometry::Periodic(sides) => {
                BeadSums::Fixed { sides, sums: vec![[0; 3]; beads], lost: None }
            }
        }
    }

    /// Adds the force on i from j, and its opposite on j.
    pub fn add_pair(&mut self, i: usize, j: usize, force: [T; 3]) {
        match self {
            BeadSums::Ordered(sums) => {
                for (axis, component) in force.into_iter().enumerate() {
                    sums[i][j % PARTIAL_SUMS][axis] += component;
                    sums[j][i % PARTIAL_SUMS][axis] -= component;
                }
            }
            BeadSums::Fixed { sides, sums, lost } => match sides.whole(force) {
                Some(force) => {
                    add(&mut sums[i], force);
                    add(&mut sums[j], force.map(|component| -component));
                }
                None => lose(lost, i.min(j)),
            },
        }
    }

    /// In a box, adds the forces on two beads and their opposite on a third one. In open space this does nothing: angles
    /// follow the sums.
    pub fn add_three(&mut self, beads: [usize; 3], on_i: [T; 3], on_k: [T; 3]) {
        let (BeadSums::Fixed { sides, sums, lost }, [i, j, k]) = (self, beads) else { return };
        match (sides.whole(on_i), sides.whole(on_k)) {
            (Some(on_i), Some(on_k)) => {
                add(&mut sums[i], on_i);
                add(&mut sums[k], on_k);
                add(&mut sums[j], [0, 1, 2].map(|axis| -(on_i[axis] + on_k[axis])));
            }
            _ => lose(lost, i.min(j).min(k)),
        }
    }

    /// In a box, adds a force on one bead. In open space this does nothing: fields follow the sums.
    pub fn add_one(&mut self, bead: usize, force: [T; 3]) {
        let BeadSums::Fixed { sides, sums, lost } = self else { return };
        match sides.whole(force) {
            Some(force) => add(&mut sums[bead], force),
            None => lose(lost, bead),
        }
    }

    /// Writes the force on each bead.
    ///
    /// # Errors
    /// If a force in a box was beyond the limit.
    pub fn write(&self, forces: &mut [[T; 3]]) -> Result<(), StepError> {
        match self {
            BeadSums::Ordered(sums) => {
                for (force, [a, b, c, d]) in forces.iter_mut().zip(sums) {
                    *force = [0, 1, 2].map(|axis| (a[axis] + b[axis]) + (c[axis] + d[axis]));
                }
                Ok(())
            }
            BeadSums::Fixed { sides, lost: Some(bead), .. } => {
                Err(StepError::ForceTooLarge { bead: *bead, limit: sides.force.limit })
            }
            BeadSums::Fixed { sides, sums, lost: None } => {
                forces.iter_mut().zip(sums).for_each(|(force, &sum)| *force = sides.force(sum));
                Ok(())
            }
        }
    }
}

/// Adds whole numbers. The limit is chosen so that this never overflows.
fn add(sum: &mut [i64; 3], force: [i64; 3]) {
    sum.iter_mut().zip(force).for_each(|(sum, component)| *sum += component);
}

fn lose(lost: &mut Option<usize>, bead: usize) {
    *lost = Some(lost.map_or(bead, |other| other.min(bead)));
}
