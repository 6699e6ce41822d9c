//! What a cantilever presses on beads with: its base moves, and what it holds moves by its force and those of the beads.

use super::{
    Contact, ExternalProblem, ExternalState, Indentation, Moment, MovingState, Noise, ReactionUnit,
    dot,
};
use crate::observables::Observable;

/// A cantilever whose base moves, with the friction of what it presses on beads (\[A\], §IV.D; SOP-GPU 2.0).
///
/// What it presses moves without inertia: every n steps of h by (n h/ζ)(κ (base − place) + R), where R is the mean force of the
/// beads on it in these steps. Between its moves it stands. Noise of its own adds √(2 kT n h/ζ) times a standard normal
/// number along each axis (Euler's scheme, as beads have it; Ermak, J. Chem. Phys. 62, 4189 (1975)).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cantilever {
    /// κ, kcal/(mol Å²).
    pub stiffness: f64,
    /// ζ, kcal ps/(mol Å²).
    pub friction: f64,
    /// The unit vector along which the base approaches.
    pub direction: [f64; 3],
    /// The way of the base.
    pub path: BasePath,
    /// n, the steps between moves.
    pub moves_every: u64,
    /// The base that a move sees.
    pub schedule: MoveSchedule,
    /// Whether what it presses moves along its direction alone.
    pub along_only: bool,
    /// kcal/(mol Å): it is in contact from the move on for which beads push it back harder than this.
    pub contact_force: f64,
    /// kB T of its own noise, kcal/mol; 0 without noise.
    pub temperature: f64,
    /// Whether it goes on from where its like of the stage before has come to, which may differ from it in its path alone.
    pub goes_on: bool,
}

/// The base that a move after steps s − n to s sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveSchedule {
    /// Where it was at step s − n, as the forces of the beads are of the steps before s.
    Earlier,
    /// Where it is at step s (SOP-GPU).
    Present,
}

/// The steps since what is pressed last moved.
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

/// A cantilever with the contact and the unit of forces of what it presses on beads.
#[derive(Clone, Copy, Debug)]
pub struct Pressing<'a> {
    pub(super) cantilever: &'a Cantilever,
    pub(super) contact: Contact,
    pub(super) unit: ReactionUnit,
}

impl Cantilever {
    /// Columns that tables of a run with one have.
    pub(super) const COLUMNS: &'static [Observable] = &[
        Observable::TipX,
        Observable::TipY,
        Observable::TipZ,
        Observable::TipTravel,
        Observable::BaseTravel,
        Observable::Deformation,
        Observable::TipForce,
        Observable::TipEnergy,
        Observable::ContactsBetweenChains,
    ];

    /// One for examples, which presses along this direction.
    pub(super) fn example(direction: [f64; 3]) -> Cantilever {
        Cantilever {
            stiffness: 0.5,
            friction: 125_000.0,
            direction,
            path: BasePath { speed: 1e-3, out: Some(40), rest: 13, cycles: 2 },
            moves_every: 7,
            schedule: MoveSchedule::Earlier,
            along_only: false,
            contact_force: 0.1,
            temperature: 0.0,
            goes_on: false,
        }
    }

    /// The state when a stage begins, with what it presses at a point, Å.
    pub(super) fn begin(&self, origin: [f64; 3]) -> ExternalState {
        let moving = MovingState { position: origin, ..MovingState::default() };
        let direction = self.direction;
        ExternalState { origin, direction, moving: Some(moving), ..ExternalState::default() }
    }

    /// The way of what it presses along its direction since it began, Å.
    fn travel(&self, state: &ExternalState, moving: &MovingState) -> f64 {
        dot([0, 1, 2].map(|axis| moving.position[axis] - state.origin[axis]), self.direction)
    }

    /// The way of the base since it began, Å.
    fn base_travel(&self, moving: &MovingState, moment: Moment) -> f64 {
        moving.base + self.path.travelled(moment)
    }

    /// The force of the cantilever on what it presses, kcal/(mol Å), when the base has gone this far, Å.
    fn spring(&self, state: &ExternalState, moving: &MovingState, gone: f64) -> [f64; 3] {
        [0, 1, 2].map(|axis| {
            let base = state.origin[axis] + gone * self.direction[axis];
            self.stiffness * (base - moving.position[axis])
        })
    }

    /// The work of the base on it while what it presses has come as far as `travel` and the base goes from `from` to `to`, Å.
    fn work_of_base(&self, travel: f64, from: f64, to: f64) -> f64 {
        self.stiffness * (0.5 * (from + to) - travel) * (to - from)
    }

    /// How thick these beads are along its direction, Å.
    pub fn thickness(&self, beads: &[usize], positions: &[[f64; 3]]) -> f64 {
        let along = beads.iter().map(|&bead| dot(positions[bead], self.direction));
        let (first, last) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), at| {
            (first.min(at), last.max(at))
        });
        last - first
    }

    /// √(2 kT t/ζ), Å: the size of its noise along an axis in a time, ps.
    pub fn amplitude(&self, time: f64) -> f64 {
        (2.0 * self.temperature * time / self.friction).sqrt()
    }

    /// The numbers of the cantilever in kernels, with steps of `timestep`, ps, and forces of beads in this unit.
    pub(super) fn numbers(&self, timestep: f64, unit: ReactionUnit) -> Vec<f64> {
        let flag = |is: bool| f64::from(u8::from(is));
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
            unit.unit,
            unit.limit,
            self.amplitude(steps * timestep),
        ]
    }
}

impl Pressing<'_> {
    /// Moves what is pressed over the steps since its last move, in which the forces of the beads on it were added so many times.
    fn advance(
        &self,
        state: &mut ExternalState,
        moving: &mut MovingState,
        Window { steps, forces, moment }: Window,
        noise: Noise<'_>,
    ) -> Result<(), ExternalProblem> {
        let cantilever = self.cantilever;
        let travel = cantilever.travel(state, moving);
        let before = Moment { step: moment.step - steps, ..moment };
        let (from, to) =
            (cantilever.base_travel(moving, before), cantilever.base_travel(moving, moment));
        let seen = match cantilever.schedule {
            MoveSchedule::Earlier => from,
            MoveSchedule::Present => to,
        };
        let time = steps as f64 * moment.timestep;
        let mobility = time / cantilever.friction;
        let reaction = self.unit.force(moving.reaction);
        let spring = cantilever.spring(state, moving, seen);
        let mut shift =
            [0, 1, 2].map(|axis| mobility * (spring[axis] + reaction[axis] / forces as f64));
        if cantilever.temperature > 0.0 {
            let (amplitude, normals) = (cantilever.amplitude(time), noise());
            shift = [0, 1, 2].map(|axis| shift[axis] + amplitude * normals[axis]);
        }
        if cantilever.along_only {
            let along = dot(shift, cantilever.direction);
            shift = cantilever.direction.map(|component| along * component);
        }
        let distance = dot(shift, shift).sqrt();
        // A distance that is not a number is an error too.
        if distance.is_nan() || distance > 0.5 * self.contact.sigma {
            return Err(ExternalProblem::Jumped { distance });
        }
        state.work += cantilever.work_of_base(travel, from, to);
        let pushed = -dot(reaction, cantilever.direction) / forces as f64;
        if moving.contact.is_none() && pushed > cantilever.contact_force {
            moving.contact = Some(travel);
        }
        moving.position = [0, 1, 2].map(|axis| moving.position[axis] + shift[axis]);
        moving.reaction = [0; 3];
        Ok(())
    }

    /// [`Law::renew`](super::Law::renew).
    pub(super) fn renew(
        &self,
        state: &mut ExternalState,
        moment: Moment,
        noise: Noise<'_>,
    ) -> Result<(), ExternalProblem> {
        let Some(mut moving) = state.moving else { return Ok(()) };
        let every = self.cantilever.moves_every;
        if moving.step == Some(moment.step) {
            return Ok(());
        }
        moving.step = Some(moment.step);
        if moment.step > 0 && moment.step.is_multiple_of(every) {
            let window = Window { steps: every, forces: every, moment };
            self.advance(state, &mut moving, window, noise)?;
        }
        state.moving = Some(moving);
        Ok(())
    }

    /// [`Law::close`](super::Law::close).
    pub(super) fn close(
        &self,
        state: &ExternalState,
        moment: Moment,
        noise: Noise<'_>,
    ) -> Result<ExternalState, ExternalProblem> {
        let mut state = state.clone();
        let Some(mut moving) = state.moving else { return Ok(state) };
        if let Some(step) = moving.step {
            let last = step - step % self.cantilever.moves_every;
            let window = Window { steps: moment.step - last, forces: step - last + 1, moment };
            if window.steps > 0 {
                self.advance(&mut state, &mut moving, window, noise)?;
            }
        }
        let base = self.cantilever.base_travel(&moving, moment);
        state.moving = Some(MovingState { base, reaction: [0; 3], step: None, ..moving });
        Ok(state)
    }

    /// [`Law::along`](super::Law::along).
    pub(super) fn along(&self, state: &ExternalState, moment: Moment) -> Option<f64> {
        let cantilever = self.cantilever;
        let moving = state.moving.as_ref()?;
        let gone = cantilever.base_travel(moving, moment);
        Some(dot(cantilever.spring(state, moving, gone), cantilever.direction))
    }

    /// [`Law::work`](super::Law::work).
    pub(super) fn work(&self, state: &ExternalState, moment: Moment) -> f64 {
        let cantilever = self.cantilever;
        let Some(moving) = &state.moving else { return 0.0 };
        let last = Moment { step: moment.step - moment.step % cantilever.moves_every, ..moment };
        let (from, to) =
            (cantilever.base_travel(moving, last), cantilever.base_travel(moving, moment));
        state.work + cantilever.work_of_base(cantilever.travel(state, moving), from, to)
    }

    /// [`Law::indentation`](super::Law::indentation).
    pub(super) fn indentation(
        &self,
        state: &ExternalState,
        moment: Moment,
        reaction: [i64; 3],
    ) -> Option<Indentation> {
        let moving = state.moving.as_ref()?;
        let tip_travel = self.cantilever.travel(state, moving);
        let reaction = self.unit.force(reaction);
        Some(Indentation {
            tip: moving.position,
            tip_travel,
            base_travel: self.cantilever.base_travel(moving, moment),
            deformation: moving.contact.map(|contact| tip_travel - contact),
            tip_force: -dot(reaction, self.cantilever.direction),
        })
    }
}
