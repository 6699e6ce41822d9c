//! What the externals that pull at a centre have in common: they act on the centre of some beads, and share their force
//! equally among them.

use super::{
    ExternalProblem, ExternalState, LastPoint, Law, Moment, Noise, PARAMETERS, RowPoint, centre,
    dot, unit,
};
use crate::units::Units;

/// The beads that a pulling external holds and pulls, and along which line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// Beads that do not move.
    pub fixed: Vec<usize>,
    /// Beads that are pulled.
    pub pulled: Vec<usize>,
    /// Unit vector of pulling. If it is missing, it points from the centre of `fixed` to that of `pulled` when the
    /// stage begins.
    pub direction: Option<[f64; 3]>,
    /// The name in columns of its own; without one it has a part in the columns of all externals together alone.
    pub name: String,
}

/// A line shorter than this part of the largest coordinate has no direction of its own: single precision rounds coordinates by
/// 6e-8, which would turn it by a third of a degree.
const SHORTEST_LINE: f64 = 1e-5;

/// How near each other two centres are that have no line between them, at a distance in Å: `coincide`, or `lie only 2.5e-7 A apart`.
pub fn nearness_in_words(distance: f64, units: Units) -> String {
    match distance {
        0.0 => "coincide".to_string(),
        some => format!("lie only {some:.1e}{} apart", units.of_length()),
    }
}

/// How an external pulls at the ends of a chain. The order is that in which answers look at them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pulling {
    /// Not at all.
    #[default]
    None,
    /// With a constant force.
    Force,
    /// With a force that grows.
    Ramp,
    /// With a spring.
    Spring,
}

impl Ends {
    /// The ends of an example for so many beads.
    fn example(beads: usize) -> Ends {
        Ends { fixed: vec![0], pulled: vec![5, beads - 1], ..Ends::default() }
    }

    /// The state when a stage begins with beads at `positions`, Å. If the centres of the two ends coincide and no
    /// direction is given, the direction is x.
    pub(super) fn begin(&self, positions: &[[f64; 3]]) -> ExternalState {
        let origin = centre(&self.pulled, |bead| positions[bead]);
        let direction = self.direction.unwrap_or_else(|| {
            let from = centre(&self.fixed, |bead| positions[bead]);
            let line = [0, 1, 2].map(|axis| origin[axis] - from[axis]);
            unit(line).unwrap_or([1.0, 0.0, 0.0])
        });
        ExternalState { origin, direction, ..ExternalState::default() }
    }

    /// The distance between the centres of the two ends with beads at `positions`, Å, where the line between them decides on the
    /// direction and is so short that rounding would; `None` where it is longer, where a direction is given, and without held
    /// beads.
    pub fn short_line(&self, positions: &[[f64; 3]]) -> Option<f64> {
        if self.direction.is_some() || self.fixed.is_empty() {
            return None;
        }
        let from = centre(&self.fixed, |bead| positions[bead]);
        let to = centre(&self.pulled, |bead| positions[bead]);
        let line = [0, 1, 2].map(|axis| to[axis] - from[axis]);
        let distance = dot(line, line).sqrt();
        let beads = self.fixed.iter().chain(&self.pulled);
        let coordinates = beads.flat_map(|&bead| positions[bead]);
        let largest = coordinates.map(f64::abs).fold(0.0, f64::max);
        (distance <= SHORTEST_LINE * largest).then_some(distance)
    }

    /// The share of each pulled bead in the force at the last step.
    pub(super) fn share(&self, state: &ExternalState) -> [f64; 3] {
        let force = state.last.map_or([0.0; 3], |last| last.force);
        force.map(|component| component / self.pulled.len() as f64)
    }
}

/// A kind that pulls at the centre of some beads.
pub trait Puller {
    /// One of this kind, for [`Law::examples`].
    fn example(ends: Ends) -> Self
    where
        Self: Sized;

    /// The beads that it holds and pulls.
    fn ends(&self) -> &Ends;

    /// The ends, so that a reader of inputs can give the external a name.
    fn ends_mut(&mut self) -> &mut Ends;

    /// Whether the force is constant over steps and is renewed after them.
    fn is_held(&self) -> bool;

    /// The force on the centre, which is at `centre`, Å, at a step.
    fn force_on_centre(
        &self,
        state: &mut ExternalState,
        moment: Moment,
        centre: [f64; 3],
    ) -> [f64; 3];

    /// Its mean force along its direction, kcal/(mol Å), over the steps from a row up to this one, which is later; the force at
    /// this one does not count. `None` if it does not follow from the state.
    fn mean_since(&self, state: &ExternalState, row: &RowPoint, moment: Moment) -> Option<f64>;

    /// Å: the way of its base along its direction since the stage began, if it has a base.
    fn base_travel(&self, _: Moment) -> Option<f64> {
        None
    }

    /// How it pulls.
    fn pulling(&self) -> Pulling;

    /// k of the centre, kcal/(mol Å²).
    fn stiffness(&self) -> f64;

    /// Å: how far it can move the centre in a time, ps.
    fn travel(&self, time: f64) -> f64;

    /// The numbers of its struct in kernels.
    fn parameters(&self, timestep: f64) -> [f64; PARAMETERS];
}

impl<P: Puller> Law for P {
    fn examples(beads: usize) -> Vec<P> {
        vec![Puller::example(Ends::example(beads))]
    }

    fn beads(&self) -> &[usize] {
        &Puller::ends(self).pulled
    }

    fn begin(&self, positions: &[[f64; 3]]) -> ExternalState {
        Puller::ends(self).begin(positions)
    }

    fn reads_centre(&self) -> bool {
        true
    }

    fn moves(&self) -> bool {
        Puller::pulling(self) != Pulling::Force
    }

    fn renew(
        &self,
        state: &mut ExternalState,
        moment: Moment,
        centre: [f64; 3],
        _: Noise<'_>,
    ) -> Result<(), ExternalProblem> {
        if state.last.is_some_and(|last| last.step == moment.step) {
            return Ok(());
        }
        let force = self.force_on_centre(state, moment, centre);
        if let Some(last) = state.last {
            // The trapezoid rule is exact for a force linear in the displacement. A one-sided sum would give work −
            // energy a bias under noise.
            for axis in 0..3 {
                let end = if self.is_held() { last.force[axis] } else { force[axis] };
                state.work += 0.5 * (last.force[axis] + end) * (centre[axis] - last.centre[axis]);
            }
        }
        state.last = Some(LastPoint { step: moment.step, force, centre });
        Ok(())
    }

    fn force(&self, state: &ExternalState, _: Moment, _: usize, _: [f64; 3]) -> [f64; 3] {
        Puller::ends(self).share(state)
    }

    fn energy(&self, _: &ExternalState, _: Moment, _: usize, _: [f64; 3]) -> f64 {
        0.0
    }

    fn along(&self, state: &ExternalState, _: Moment) -> Option<f64> {
        state.last.map(|last| dot(last.force, state.direction))
    }

    fn work(&self, state: &ExternalState, _: Moment) -> f64 {
        state.work
    }

    fn mean_along(&self, state: &ExternalState, moment: Moment) -> Option<f64> {
        let row = state.row.unwrap_or_default();
        (moment.step > row.step).then(|| self.mean_since(state, &row, moment))?
    }

    fn base_travel(&self, moment: Moment) -> Option<f64> {
        Puller::base_travel(self, moment)
    }

    fn pulling(&self) -> Pulling {
        Puller::pulling(self)
    }

    fn ends(&self) -> Option<&Ends> {
        Some(Puller::ends(self))
    }

    fn ends_mut(&mut self) -> Option<&mut Ends> {
        Some(Puller::ends_mut(self))
    }

    fn stiffness(&self) -> f64 {
        // Each bead has its share of the spring.
        Puller::stiffness(self) / self.beads().len().max(1) as f64
    }

    fn travel(&self, time: f64) -> f64 {
        Puller::travel(self, time)
    }

    fn parameters(&self, timestep: f64) -> [f64; PARAMETERS] {
        Puller::parameters(self, timestep)
    }
}
