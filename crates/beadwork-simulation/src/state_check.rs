//! Whether a state that was read from a file can be one of a member.

use beadwork_model::externals::{External, ExternalState};
use beadwork_model::{Boundary, Exchange, Precision, Protocol, Stage, StageKind, System};
use beadwork_random::{Owner, Streams};

use crate::exchange::LadderState;
use crate::state::{ChainState, MemberState, Places};

impl MemberState {
    /// Refuses a state that no member of this system and protocol can reach.
    ///
    /// # Errors
    /// A sentence that names what does not fit.
    pub fn check(&self, system: &System, protocol: &Protocol) -> Result<(), String> {
        let beads = system.beads();
        let stages = &protocol.stages;
        let Some(stage) = stages.get(self.stage) else {
            return Err(format!(
                "it is in stage {} (counted from 0), and the input has {} stage(s)",
                self.stage,
                stages.len()
            ));
        };
        let before: u64 = stages[..self.stage].iter().map(Stage::steps).sum();
        let steps_fit = self.stage_step <= stage.steps()
            && self.dynamics_step <= self.step
            && self.step.checked_sub(self.stage_step).is_some_and(|steps| steps <= before);
        // Forces are computed up to twice a step, and also in a step that failed.
        let steps = self.step.saturating_add(1).saturating_mul(2);
        let moves = steps.saturating_mul(beads as u64);
        let sums_fit = self.sums.moves <= moves && self.sums.force_steps <= steps;
        let positions_fit =
            self.positions.len() == beads && self.positions.iter().flatten().all(|x| x.is_finite());
        let drive_fits = |(external, state): (&External, &ExternalState)| {
            let anchors = external.anchors();
            // They come to a step before its forces are known, also in one that failed.
            let is_before = |step: u64| step.saturating_sub(1) <= self.stage_step;
            let moved = state.moving.and_then(|moving| moving.step);
            state.anchors.len() == anchors
                && state.moving.is_some() == external.moves_every().is_some()
                && moved.is_none_or(is_before)
                && state.last.is_none_or(|last| is_before(last.step))
                && state.row.is_none_or(|row| is_before(row.step))
        };
        let drives_fit = self.externals.len() == stage.externals.len()
            && stage.externals.iter().zip(&self.externals).all(drive_fits);
        let minimises = matches!(stage.kind, StageKind::Minimise { .. });
        let minimiser_fits = self
            .minimiser
            .as_ref()
            .is_none_or(|minimiser| minimises && minimiser.velocities.len() == beads);
        let motion_fits = match &self.extra.motion {
            None => !protocol.dynamics.integrator.has_velocities() || system.is_sampled(),
            Some(motion) => {
                let vectors = |vectors: &[[f64; 3]]| {
                    vectors.len() == beads && vectors.iter().flatten().all(|x| x.is_finite())
                };
                protocol.dynamics.integrator.has_velocities()
                    && vectors(&motion.velocities)
                    && motion.forces.as_deref().is_none_or(vectors)
            }
        };
        let places_fit = match (&self.extra.places, system.boundary) {
            (None, Boundary::Open) => true,
            (Some(Places { fractions, images }), Boundary::Periodic { .. }) => {
                fractions.len() == beads && images.len() == beads
            }
            _ => false,
        };
        let (noise_fits, chain_fits) = match (system.is_sampled(), &self.chain) {
            (true, Some(chain)) => (self.noise.is_none(), chain.fits(beads, moves)),
            (true, None) => (true, false),
            (false, chain) => (self.noise_fits(protocol, beads), chain.is_none()),
        };
        let name = &stage.name;
        refuse([
            (steps_fit, format!("its numbers of steps are not possible in stage \"{name}\"")),
            (positions_fit, format!("it has no finite positions of {beads} beads")),
            (drives_fit, format!("its drives are not those of stage \"{name}\"")),
            (sums_fit, "its sums are of more steps than were made".to_string()),
            (noise_fits, "its random numbers are of another generator".to_string()),
            (motion_fits, "its velocities are not those of the integrator".to_string()),
            (places_fit, "its beads are not in the periodic box of the system".to_string()),
            (minimiser_fits, format!("its minimisation is not that of stage \"{name}\"")),
            (chain_fits, "its Monte Carlo moves are not those of the system".to_string()),
        ])
    }

    /// Whether there is a state for each generator that keeps one.
    fn noise_fits(&self, protocol: &Protocol, beads: usize) -> bool {
        let owner = Owner { seed: protocol.seed, replica: 0 };
        let distribution = protocol.randomness.distribution();
        let words = match protocol.dynamics.precision {
            Precision::Single => distribution.words::<f32>(),
            Precision::Double => distribution.words::<f64>(),
        };
        let streams = Streams::in_simulations(protocol.randomness, owner, beads as u32, words);
        streams.fits(self.noise.as_ref())
    }
}

impl ChainState {
    fn fits(&self, beads: usize, moves: u64) -> bool {
        let counts = [self.row, self.fit];
        self.displacement.is_finite()
            && counts.iter().all(|one| one.accepted <= one.attempted && one.attempted <= moves)
            && self.lowest.as_ref().is_none_or(|lowest| lowest.positions.len() == beads)
    }
}

impl LadderState {
    /// Refuses a state that no ladder of the exchange can reach within this number of steps.
    ///
    /// # Errors
    /// A sentence that names what does not fit.
    pub fn check(&self, exchange: &Exchange, steps: u64) -> Result<(), String> {
        let replicas = exchange.temperatures.len();
        let mut rungs = self.rungs.clone();
        rungs.sort_unstable();
        let is_whole =
            self.temperatures.len() == replicas && rungs.into_iter().eq(0..replicas as u32);
        let temperatures = &self.temperatures;
        let rise = temperatures.windows(2).all(|pair| pair[0] < pair[1]);
        let ends =
            |temperatures: &[f64]| temperatures.first().copied().zip(temperatures.last().copied());
        let temperatures_fit = match exchange.tunings.is_empty() {
            true => *temperatures == exchange.temperatures,
            false => rise && ends(temperatures) == ends(&exchange.temperatures),
        };
        let record = &self.record;
        let at_most = |counts: &[u64], length: usize| {
            counts.len() == length && counts.iter().all(|count| *count <= self.attempt)
        };
        let pairs = replicas.saturating_sub(1);
        let record_fits = self.attempt <= steps / exchange.every.max(1)
            && at_most(&record.attempted, pairs)
            && at_most(&record.accepted, pairs)
            && record.attempted.iter().zip(&record.accepted).all(|(tried, made)| made <= tried)
            && [&record.upward, &record.downward, &record.round_trips]
                .iter()
                .all(|counts| at_most(counts, replicas))
            && record.last_end.len() == replicas
            && record.turned.len() == replicas;
        refuse([
            (is_whole, format!("it is not of a ladder of {replicas} replicas")),
            (temperatures_fit, "its temperatures are not those of the input".to_string()),
            (record_fits, "its counts of exchanges are not possible".to_string()),
        ])
    }
}

/// Returns the sentence of the first condition that does not hold.
fn refuse<const N: usize>(conditions: [(bool, String); N]) -> Result<(), String> {
    conditions.into_iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, words)| Err(words))
}
