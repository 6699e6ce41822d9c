//! The tip of an instrument, which presses on a molecule.

use super::vectors::point_before;
use super::{Cantilever, Contact, ExternalState, Law, Moment, MovingState, PARAMETERS, dot};

/// A sphere that a cantilever presses on beads (\[A\], §IV.D; SOP-GPU 2.0).
#[derive(Clone, Debug, PartialEq)]
pub struct Tip {
    /// The beads on which it acts.
    pub beads: Vec<usize>,
    /// Å.
    pub radius: f64,
    /// The potential at a distance from the sphere.
    pub contact: Contact,
    /// What moves it.
    pub cantilever: Cantilever,
    /// Where tip and base are when the stage begins.
    pub place: TipPlace,
}

/// Where a tip is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TipPlace {
    /// Å: its centre.
    At([f64; 3]),
    /// Å: the distance of the sphere from the nearest of its beads along its direction, over their centre.
    Above(f64),
}

impl Tip {
    /// The vector from the centre to a position, and its length.
    fn separation(moving: &MovingState, at: [f64; 3]) -> ([f64; 3], f64) {
        let apart = [0, 1, 2].map(|axis| at[axis] - moving.position[axis]);
        (apart, dot(apart, apart).sqrt())
    }
}

impl Law for Tip {
    fn examples(beads: usize) -> Vec<Tip> {
        vec![Tip {
            beads: (0..beads).collect(),
            radius: 30.0,
            contact: Contact { epsilon: 1.0, sigma: 3.0, twelfth: 0.0, sixth: 1.0 },
            cantilever: Cantilever::example([0.0, 0.6, -0.8]),
            place: TipPlace::Above(2.0),
        }]
    }

    fn beads(&self) -> &[usize] {
        &self.beads
    }

    fn contact(&self) -> Option<Contact> {
        Some(self.contact)
    }

    fn cantilever(&self) -> Option<&Cantilever> {
        Some(&self.cantilever)
    }

    fn cantilever_mut(&mut self) -> Option<&mut Cantilever> {
        Some(&mut self.cantilever)
    }

    fn begin(&self, positions: &[[f64; 3]]) -> ExternalState {
        self.cantilever.begin(match self.place {
            TipPlace::At(point) => point,
            TipPlace::Above(gap) => {
                let distance = self.radius + gap;
                point_before(&self.beads, positions, self.cantilever.direction, distance)
            }
        })
    }

    fn force(&self, state: &ExternalState, _: Moment, _: usize, at: [f64; 3]) -> [f64; 3] {
        let Some(moving) = &state.moving else { return [0.0; 3] };
        let (apart, distance) = Tip::separation(moving, at);
        let over_distance = self.contact.force(distance - self.radius) / distance;
        apart.map(|component| over_distance * component)
    }

    fn energy(&self, state: &ExternalState, _: Moment, _: usize, at: [f64; 3]) -> f64 {
        let Some(moving) = &state.moving else { return 0.0 };
        self.contact.energy(Tip::separation(moving, at).1 - self.radius)
    }

    fn clearance(&self, state: &ExternalState, at: [f64; 3]) -> Option<f64> {
        let moving = state.moving.as_ref()?;
        Some(Tip::separation(moving, at).1 - self.radius)
    }

    fn way_back(&self, state: &ExternalState, at: [f64; 3], sigmas: f64) -> f64 {
        let Some(moving) = &state.moving else { return f64::NEG_INFINITY };
        let (apart, distance) = Tip::separation(moving, at);
        let ahead = dot(apart, self.cantilever.direction);
        let reach = self.radius + sigmas * self.contact.sigma;
        // The distance from the line along which it goes.
        let beside = distance * distance - ahead * ahead;
        match reach * reach - beside {
            before if before >= 0.0 => before.sqrt() - ahead,
            _ => f64::NEG_INFINITY,
        }
    }

    fn parameters(&self, _: f64) -> [f64; PARAMETERS] {
        let [strength, sigma, twelfth, sixth] = self.contact.factors();
        [self.radius, strength, sigma, twelfth, sixth]
    }

    fn square_reach(&self) -> f64 {
        // Forces below half a unit are rounded to zero.
        let unit = self.reaction_unit().map_or(0.0, |unit| unit.unit);
        let reach = self.radius + self.contact.reach(0.25 * unit);
        reach * reach
    }
}
