//! The tip of an instrument on a cantilever, which presses on a molecule.

use super::vectors::point_before;
use super::{
    Contact, Ends, ExternalEnergy, ExternalProblem, ExternalState, Indentation, Law, Moment,
    MovingState, PARAMETERS, Pulling, ReactionUnit, dot,
};
use crate::observables::Observable;

/// A sphere that a cantilever presses on beads (\[A\], §IV.D; SOP-GPU 2.0).
///
/// The centre moves without inertia: every n steps of h by (n h/ζ)(κ (base − tip) + R), where R is the mean force of the
/// beads on it in these steps. Between its moves it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Tip {
    /// The beads on which it acts.
    pub beads: Vec<usize>,
    /// Å.
    pub radius: f64,
    /// The potential at a distance from the sphere.
    pub contact: Contact,
    /// κ of the cantilever, kcal/(mol Å²).
    pub stiffness: f64,
    /// ζ, kcal ps/(mol Å²).
    pub friction: f64,
    /// The unit vector along which the base approaches.
    pub direction: [f64; 3],
    /// Where tip and base are when the stage begins.
    pub place: TipPlace,
    /// The way of the base.
    pub path: BasePath,
    /// n, the steps between moves.
    pub moves_every: u64,
    /// The base that a move sees.
    pub schedule: MoveSchedule,
    /// Whether it moves along its direction alone.
    pub along_only: bool,
    /// kcal/(mol Å): it is in contact from the move on for which beads push it back harder than this.
    pub contact_force: f64,
}

/// Where a tip is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TipPlace {
    /// Å: its centre.
    At([f64; 3]),
    /// Å: the distance of the sphere from the nearest of its beads along its direction, over their centre.
    Above(f64),
}

/// The base that a move after steps s − n to s sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSchedule {
    /// Where it was at step s − n, as the forces of the beads are of the steps before s.
    Earlier,
    /// Where it is at step s (SOP-GPU).
    Present,
}

/// The way of a base: out, a rest, back, a rest, in some cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BasePath {
    /// Å/ps, both ways.
    pub speed: f64,
    /// Steps out; `None` if it never turns.
    pub out: Option<u64>,
    /// Steps of a rest.
    pub rest: u64,
    /// Cycles, after which it stays where it began.
    pub cycles: u64,
}

impl BasePath {
    /// The steps out, less those back, at a step of the stage.
    fn steps_out(&self, step: u64) -> u64 {
        let Some(out) = self.out else { return step };
        let cycle = 2 * (out + self.rest);
        if cycle == 0 || step / cycle >= self.cycles {
            return 0;
        }
        let (phase, turned) = (step % cycle, out + self.rest);
        if phase < turned { phase.min(out) } else { out.saturating_sub(phase - turned) }
    }

    /// How far the base is from its beginning, Å.
    pub fn travelled(&self, Moment { step, timestep }: Moment) -> f64 {
        self.steps_out(step) as f64 * (timestep * self.speed)
    }
}

impl Tip {
    /// The way of the tip along its direction since the stage began, Å.
    fn tip_travel(&self, state: &ExternalState, moving: &MovingState) -> f64 {
        dot([0, 1, 2].map(|axis| moving.position[axis] - state.origin[axis]), self.direction)
    }

    /// The force of the cantilever on the tip when the base has gone this far, Å.
    fn spring(&self, state: &ExternalState, moving: &MovingState, gone: f64) -> [f64; 3] {
        [0, 1, 2].map(|axis| {
            let base = state.origin[axis] + gone * self.direction[axis];
            self.stiffness * (base - moving.position[axis])
        })
    }

    /// The work of the base on the cantilever while the tip stands and the base goes from `from` to `to`, Å.
    fn work_of_base(&self, tip: f64, from: f64, to: f64) -> f64 {
        self.stiffness * (0.5 * (from + to) - tip) * (to - from)
    }

    /// The position after a move at a step, and what it makes of the state; an error if it is too long.
    fn moved(
        &self,
        state: &ExternalState,
        moving: &MovingState,
        moment: Moment,
    ) -> Result<([f64; 3], f64), f64> {
        let steps = self.moves_every;
        let before = Moment { step: moment.step - steps, ..moment };
        let seen = match self.schedule {
            MoveSchedule::Earlier => self.path.travelled(before),
            MoveSchedule::Present => self.path.travelled(moment),
        };
        let mobility = steps as f64 * moment.timestep / self.friction;
        let reaction = self.unit().force(moving.reaction);
        let spring = self.spring(state, moving, seen);
        let shift = [0, 1, 2].map(|axis| mobility * (spring[axis] + reaction[axis] / steps as f64));
        let shift = match self.along_only {
            true => {
                let along = dot(shift, self.direction);
                self.direction.map(|component| along * component)
            }
            false => shift,
        };
        let distance = dot(shift, shift).sqrt();
        // A distance that is not a number is an error too.
        if distance.is_nan() || distance > 0.5 * self.contact.sigma {
            return Err(distance);
        }
        let pushed = -dot(reaction, self.direction) / steps as f64;
        Ok(([0, 1, 2].map(|axis| moving.position[axis] + shift[axis]), pushed))
    }

    fn unit(&self) -> ReactionUnit {
        let terms = self.beads.len() as u64 * self.moves_every;
        ReactionUnit::of(self.contact.largest_force(), terms)
    }

    /// The vector from the centre to a position, and its length.
    fn separation(moving: &MovingState, at: [f64; 3]) -> ([f64; 3], f64) {
        let apart = [0, 1, 2].map(|axis| at[axis] - moving.position[axis]);
        (apart, dot(apart, apart).sqrt())
    }
}

impl Law for Tip {
    fn kind(&self) -> &'static str {
        "tip"
    }

    fn beads(&self) -> &[usize] {
        &self.beads
    }

    fn begin(&self, positions: &[[f64; 3]]) -> ExternalState {
        let origin = match self.place {
            TipPlace::At(point) => point,
            TipPlace::Above(gap) => {
                point_before(&self.beads, positions, self.direction, self.radius + gap)
            }
        };
        let moving = MovingState { position: origin, ..MovingState::default() };
        ExternalState {
            origin,
            direction: self.direction,
            moving: Some(moving),
            ..ExternalState::default()
        }
    }

    fn reads_centre(&self) -> bool {
        false
    }

    fn renew(
        &self,
        state: &mut ExternalState,
        moment: Moment,
        _: [f64; 3],
    ) -> Result<(), ExternalProblem> {
        let Some(mut moving) = state.moving else { return Ok(()) };
        if moving.step == Some(moment.step) {
            return Ok(());
        }
        moving.step = Some(moment.step);
        if moment.step > 0 && moment.step.is_multiple_of(self.moves_every) {
            let tip = self.tip_travel(state, &moving);
            let before = Moment { step: moment.step - self.moves_every, ..moment };
            let (from, to) = (self.path.travelled(before), self.path.travelled(moment));
            let (position, pushed) = self
                .moved(state, &moving, moment)
                .map_err(|distance| ExternalProblem::Jumped { distance })?;
            state.work += self.work_of_base(tip, from, to);
            if moving.contact.is_none() && pushed > self.contact_force {
                moving.contact = Some(tip);
            }
            (moving.position, moving.reaction) = (position, [0; 3]);
        }
        state.moving = Some(moving);
        Ok(())
    }

    fn force(&self, state: &ExternalState, _: usize, at: [f64; 3]) -> [f64; 3] {
        let Some(moving) = &state.moving else { return [0.0; 3] };
        let (apart, distance) = Tip::separation(moving, at);
        let over_distance = self.contact.force(distance - self.radius) / distance;
        apart.map(|component| over_distance * component)
    }

    fn energy(&self, state: &ExternalState, _: usize, at: [f64; 3]) -> f64 {
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
        let ahead = dot(apart, self.direction);
        let reach = self.radius + sigmas * self.contact.sigma;
        // The distance from the line along which it goes.
        let beside = distance * distance - ahead * ahead;
        match reach * reach - beside {
            before if before >= 0.0 => before.sqrt() - ahead,
            _ => f64::NEG_INFINITY,
        }
    }

    fn along(&self, state: &ExternalState, moment: Moment) -> Option<f64> {
        let moving = state.moving.as_ref()?;
        Some(dot(self.spring(state, moving, self.path.travelled(moment)), self.direction))
    }

    fn work(&self, state: &ExternalState, moment: Moment) -> f64 {
        let Some(moving) = &state.moving else { return 0.0 };
        let last = Moment { step: moment.step - moment.step % self.moves_every, ..moment };
        let (from, to) = (self.path.travelled(last), self.path.travelled(moment));
        state.work + self.work_of_base(self.tip_travel(state, moving), from, to)
    }

    fn indentation(
        &self,
        state: &ExternalState,
        moment: Moment,
        reaction: [i64; 3],
    ) -> Option<Indentation> {
        let moving = state.moving.as_ref()?;
        let tip_travel = self.tip_travel(state, moving);
        let reaction = self.unit().force(reaction);
        Some(Indentation {
            tip: moving.position,
            tip_travel,
            base_travel: self.path.travelled(moment),
            deformation: moving.contact.map(|contact| tip_travel - contact),
            tip_force: -dot(reaction, self.direction),
        })
    }

    fn pulling(&self) -> Pulling {
        Pulling::None
    }

    fn ends(&self) -> Option<&Ends> {
        None
    }

    fn stiffness(&self) -> f64 {
        0.0
    }

    fn travel(&self, _: f64) -> f64 {
        0.0
    }

    fn moves_every(&self) -> Option<u64> {
        Some(self.moves_every)
    }

    fn anchors(&self) -> usize {
        0
    }

    fn reaction_unit(&self) -> Option<ReactionUnit> {
        Some(self.unit())
    }

    fn energy_of(&self) -> ExternalEnergy {
        ExternalEnergy::Tip
    }

    fn columns(&self) -> &'static [Observable] {
        &[
            Observable::TipX,
            Observable::TipY,
            Observable::TipZ,
            Observable::TipTravel,
            Observable::BaseTravel,
            Observable::Deformation,
            Observable::TipForce,
            Observable::TipEnergy,
            Observable::ContactsBetweenChains,
        ]
    }

    fn parameters(&self, _: f64) -> [f64; PARAMETERS] {
        let Contact { epsilon, sigma, twelfth, sixth } = self.contact;
        [self.radius, epsilon, sigma, twelfth, sixth]
    }

    fn square_reach(&self) -> f64 {
        // Forces below half a unit are rounded to zero.
        let reach = self.radius + self.contact.reach(0.25 * self.unit().unit);
        reach * reach
    }

    fn more_parameters(&self, timestep: f64) -> Vec<f64> {
        let flag = |is: bool| f64::from(u8::from(is));
        let ReactionUnit { unit, limit } = self.unit();
        let steps = self.moves_every as f64;
        vec![
            self.stiffness,
            steps * timestep / self.friction,
            timestep * self.path.speed,
            self.path.out.map_or(-1.0, |out| out as f64),
            self.path.rest as f64,
            self.path.cycles as f64,
            steps,
            flag(self.schedule == MoveSchedule::Present),
            flag(self.along_only),
            self.contact_force,
            unit,
            limit,
        ]
    }
}
