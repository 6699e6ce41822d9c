//! The tip of an instrument on a cantilever, which presses on a molecule.

use super::vectors::point_before;
use super::{
    Contact, ExternalEnergy, ExternalProblem, ExternalState, Indentation, Law, Moment, MovingState,
    Noise, PARAMETERS, ReactionUnit, dot,
};
use crate::observables::Observable;

/// A sphere that a cantilever presses on beads (\[A\], §IV.D; SOP-GPU 2.0).
///
/// The centre moves without inertia: every n steps of h by (n h/ζ)(κ (base − tip) + R), where R is the mean force of the
/// beads on it in these steps. Between its moves it stands. Noise of its own adds √(2 kT n h/ζ) times a standard normal
/// number along each axis (Euler's scheme, as beads have it; Ermak, J. Chem. Phys. 62, 4189 (1975)).
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
    /// kB T of its own noise, kcal/mol; 0 without noise.
    pub temperature: f64,
    /// Whether it goes on from where the tip of the stage before has come to, which may differ from it in its path alone.
    pub goes_on: bool,
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

/// The steps since a tip last moved.
#[derive(Clone, Copy)]
struct Window {
    steps: u64,
    /// How often forces of the beads were added in them.
    forces: u64,
    /// Their end.
    moment: Moment,
}

/// The way of a base: out, a rest, back, a rest, in some cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BasePath {
    /// Å/ps, both ways; below 0 against the direction.
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

    /// The steps after which all cycles are over, if the base does not come back within `steps`; a hundredth of its way may be
    /// left, as times are rounded to steps. `None` too if it never turns.
    pub fn steps_back(&self, steps: u64) -> Option<u64> {
        let out = self.out?;
        let half = out.saturating_add(self.rest);
        let before = half.saturating_mul(2).saturating_mul(self.cycles.saturating_sub(1));
        let needed = before.saturating_add(half).saturating_add(out);
        (needed.saturating_sub(steps) > out / 100).then_some(needed)
    }

    /// How far the base is from its beginning, Å.
    pub fn travelled(&self, Moment { step, timestep }: Moment) -> f64 {
        self.steps_out(step) as f64 * (timestep * self.speed)
    }
}

impl Tip {
    /// The way of the tip along its direction since it began, Å.
    fn tip_travel(&self, state: &ExternalState, moving: &MovingState) -> f64 {
        dot([0, 1, 2].map(|axis| moving.position[axis] - state.origin[axis]), self.direction)
    }

    /// The way of the base since it began, Å.
    fn base_travel(&self, moving: &MovingState, moment: Moment) -> f64 {
        moving.base + self.path.travelled(moment)
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

    /// √(2 kT t/ζ), Å: the size of its noise along an axis in a time, ps.
    pub fn amplitude(&self, time: f64) -> f64 {
        (2.0 * self.temperature * time / self.friction).sqrt()
    }

    /// Moves the tip over the steps since its last move, in which the forces of the beads on it were added so many times.
    fn advance(
        &self,
        state: &mut ExternalState,
        moving: &mut MovingState,
        Window { steps, forces, moment }: Window,
        noise: Noise<'_>,
    ) -> Result<(), ExternalProblem> {
        let tip = self.tip_travel(state, moving);
        let before = Moment { step: moment.step - steps, ..moment };
        let (from, to) = (self.base_travel(moving, before), self.base_travel(moving, moment));
        let seen = match self.schedule {
            MoveSchedule::Earlier => from,
            MoveSchedule::Present => to,
        };
        let time = steps as f64 * moment.timestep;
        let mobility = time / self.friction;
        let reaction = self.unit().force(moving.reaction);
        let spring = self.spring(state, moving, seen);
        let mut shift =
            [0, 1, 2].map(|axis| mobility * (spring[axis] + reaction[axis] / forces as f64));
        if self.temperature > 0.0 {
            let (amplitude, normals) = (self.amplitude(time), noise());
            shift = [0, 1, 2].map(|axis| shift[axis] + amplitude * normals[axis]);
        }
        if self.along_only {
            let along = dot(shift, self.direction);
            shift = self.direction.map(|component| along * component);
        }
        let distance = dot(shift, shift).sqrt();
        // A distance that is not a number is an error too.
        if distance.is_nan() || distance > 0.5 * self.contact.sigma {
            return Err(ExternalProblem::Jumped { distance });
        }
        state.work += self.work_of_base(tip, from, to);
        let pushed = -dot(reaction, self.direction) / forces as f64;
        if moving.contact.is_none() && pushed > self.contact_force {
            moving.contact = Some(tip);
        }
        moving.position = [0, 1, 2].map(|axis| moving.position[axis] + shift[axis]);
        moving.reaction = [0; 3];
        Ok(())
    }

    /// How thick the beads on which it acts are along its direction, Å.
    pub fn thickness(&self, positions: &[[f64; 3]]) -> f64 {
        let along = self.beads.iter().map(|&bead| dot(positions[bead], self.direction));
        let (first, last) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| {
            (first.min(at), last.max(at))
        });
        last - first
    }

    fn unit(&self) -> ReactionUnit {
        let terms = (self.beads.len() as u64).saturating_mul(self.moves_every);
        ReactionUnit::of(self.contact.largest_force(), terms)
    }

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
            stiffness: 0.5,
            friction: 125_000.0,
            direction: [0.0, 0.6, -0.8],
            place: TipPlace::Above(2.0),
            path: BasePath { speed: 1e-3, out: Some(40), rest: 13, cycles: 2 },
            moves_every: 7,
            schedule: MoveSchedule::Earlier,
            along_only: false,
            contact_force: 0.1,
            temperature: 0.0,
            goes_on: false,
        }]
    }

    fn beads(&self) -> &[usize] {
        &self.beads
    }

    fn contact(&self) -> Option<Contact> {
        Some(self.contact)
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

    fn moves(&self) -> bool {
        true
    }

    fn renew(
        &self,
        state: &mut ExternalState,
        moment: Moment,
        _: [f64; 3],
        noise: Noise<'_>,
    ) -> Result<(), ExternalProblem> {
        let Some(mut moving) = state.moving else { return Ok(()) };
        if moving.step == Some(moment.step) {
            return Ok(());
        }
        moving.step = Some(moment.step);
        if moment.step > 0 && moment.step.is_multiple_of(self.moves_every) {
            let window = Window { steps: self.moves_every, forces: self.moves_every, moment };
            self.advance(state, &mut moving, window, noise)?;
        }
        state.moving = Some(moving);
        Ok(())
    }

    fn goes_on(&self) -> bool {
        self.goes_on
    }

    fn close(
        &self,
        state: &ExternalState,
        moment: Moment,
        noise: Noise<'_>,
    ) -> Result<ExternalState, ExternalProblem> {
        let mut state = state.clone();
        let Some(mut moving) = state.moving else { return Ok(state) };
        if let Some(step) = moving.step {
            let last = step - step % self.moves_every;
            let window = Window { steps: moment.step - last, forces: step - last + 1, moment };
            if window.steps > 0 {
                self.advance(&mut state, &mut moving, window, noise)?;
            }
        }
        let base = self.base_travel(&moving, moment);
        state.moving = Some(MovingState { base, reaction: [0; 3], step: None, ..moving });
        Ok(state)
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
        Some(dot(self.spring(state, moving, self.base_travel(moving, moment)), self.direction))
    }

    fn work(&self, state: &ExternalState, moment: Moment) -> f64 {
        let Some(moving) = &state.moving else { return 0.0 };
        let last = Moment { step: moment.step - moment.step % self.moves_every, ..moment };
        let (from, to) = (self.base_travel(moving, last), self.base_travel(moving, moment));
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
            base_travel: self.base_travel(moving, moment),
            deformation: moving.contact.map(|contact| tip_travel - contact),
            tip_force: -dot(reaction, self.direction),
        })
    }

    fn moves_every(&self) -> Option<u64> {
        Some(self.moves_every)
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
        let [strength, sigma, twelfth, sixth] = self.contact.factors();
        [self.radius, strength, sigma, twelfth, sixth]
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
            self.amplitude(steps * timestep),
        ]
    }
}
