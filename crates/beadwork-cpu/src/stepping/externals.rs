//! The forces of the externals of a stage on the beads of a member.

use beadwork_model::Protocol;
use beadwork_model::externals::{External, ExternalState, Moment};
use beadwork_random::{NoiseKey, Normal};
use beadwork_simulation::StepError;

use super::clock::Clock;
use super::stepper::Stepper;

use crate::arrays::coordinates::{Coordinates, to_f64};
use crate::terms::externals::{NoiseOfExternals, Pull, apply};

/// Adds the forces of a stage's externals to `forces`, so many steps ahead of the clock.
pub(super) fn add_externals<T: Normal>(
    protocol: &Protocol,
    (clock, ahead): (&Clock, u64),
    key: NoiseKey,
    states: &mut [ExternalState],
    positions: &Coordinates<T>,
    forces: &mut Coordinates<T>,
) -> Result<Pull, StepError> {
    let mut pull = Pull::default();
    let position = |bead: usize| to_f64(positions.get(bead));
    let mut add = |bead, force: [f64; 3]| {
        let [x, y, z] = forces.get(bead);
        let [u, v, w] = force.map(T::from_f64);
        forces.set(bead, [x + u, y + v, z + w]);
    };
    let timestep = protocol.dynamics.timestep;
    let moment = Moment { step: clock.stage_step() + ahead, timestep };
    let noise = NoiseOfExternals { key, step: clock.step() + ahead };
    let externals = &protocol.stages[clock.stage()].externals;
    for (number, (external, state)) in externals.iter().zip(states).enumerate() {
        let noise = || noise.normals::<T>(number);
        apply(external, state, moment, position, &mut add, (&mut pull, &noise))
            .map_err(|problem| StepError::External { number, problem })?;
    }
    Ok(pull)
}

impl<T: Normal> Stepper<T> {
    /// The states with which the externals of a stage begin, with the beads at `positions`, Å. Those that go on begin where
    /// their like in the stage before has come to, if that is the present one.
    ///
    /// # Errors
    /// If one moves too far in the last steps of the present stage.
    pub(super) fn externals_of_stage(
        &self,
        stage: usize,
        positions: &[[f64; 3]],
    ) -> Result<Vec<ExternalState>, StepError> {
        let externals = &self.protocol.stages[stage].externals;
        let follows = stage == self.clock.stage() + 1;
        let begin = |(place, external): (usize, &External)| {
            let before = if follows { self.gone_on(externals, place)? } else { None };
            Ok(before.unwrap_or_else(|| external.begin(positions)))
        };
        externals.iter().enumerate().map(begin).collect()
    }

    /// Refuses externals that cannot go on into the next stage, or have no direction there, if the present one has ended.
    ///
    /// # Errors
    /// A drive of the next stage that cannot begin, or whose line runs between two centres at one place.
    pub(super) fn check_next_stage(&self) -> Result<(), StepError> {
        let next = self.protocol.stages.get(self.clock.stage() + 1);
        let Some(next) = next.filter(|_| self.remaining() == 0) else { return Ok(()) };
        (0..next.externals.len())
            .try_for_each(|place| self.gone_on(&next.externals, place).map(|_| ()))?;
        let positions = self.positions();
        let short = |(number, external): (usize, &External)| {
            let distance = external.ends()?.short_line(&positions)?;
            Some(StepError::NoDirection { number, distance })
        };
        next.externals.iter().enumerate().find_map(short).map_or(Ok(()), Err)
    }

    /// The state with which an external of the next stage begins, if it goes on: that of the one of its kind in the present
    /// stage that has as many of its kind before it.
    fn gone_on(
        &self,
        externals: &[External],
        place: usize,
    ) -> Result<Option<ExternalState>, StepError> {
        if !externals[place].goes_on() {
            return Ok(None);
        }
        let kind = externals[place].number();
        let before = externals[..place].iter().filter(|one| one.number() == kind).count();
        let Stepper { protocol, clock, .. } = self;
        let timestep = protocol.dynamics.timestep;
        let moment = Moment { step: clock.stage_step(), timestep };
        let noise = NoiseOfExternals { key: self.external_key, step: clock.step() };
        let own = protocol.stages[clock.stage()].externals.iter().zip(&self.externals).enumerate();
        let mut of_kind = own.filter(|(_, (external, _))| external.number() == kind);
        let Some((number, (external, state))) = of_kind.nth(before) else { return Ok(None) };
        let state = external.close(state, moment, &|| noise.normals::<T>(number));
        state.map(Some).map_err(|problem| StepError::External { number, problem })
    }
}
