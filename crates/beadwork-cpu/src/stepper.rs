//! A member on its way through the stages of a protocol.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use beadwork_arithmetic::{Instructions, Kernel};
use beadwork_model::drives::{DriveState, dot};
use beadwork_model::{Integrator, Protocol, Stage, StageKind, System};
use beadwork_random::Normal;

use crate::coordinates::Coordinates;
use crate::forces::Forces;
use crate::minimiser;
use crate::moves::{BrownianStep, Correction, Free, Prediction, RUN};
use crate::neighbours::NeighbourList;
use crate::noise::{Noise, Thermal};
use crate::pulling::{Pull, apply};
use crate::state::{Failure, MemberState, MinimiserState, Sums, Trouble};
use crate::team::Team;
use crate::tiles::{TileForces, each, ranges};

/// How a member is stepped when it is stepped alone. The bits are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The definition: pair by pair, bead by bead.
    Plain,
    /// By tiles, with vectors.
    Vectors(Instructions),
}

impl Way {
    /// The fastest of this machine.
    pub fn best() -> Way {
        Way::Vectors(Instructions::best())
    }

    fn instructions(self) -> Instructions {
        match self {
            Way::Plain => Instructions::Scalar,
            Way::Vectors(instructions) => instructions,
        }
    }
}

/// Where forces come from.
#[derive(Clone, Debug)]
pub(crate) enum ForcePath<T> {
    Plain(NeighbourList<T>),
    Tiles(Box<TileForces<T>>),
}

/// A member in one precision.
#[derive(Clone, Debug)]
pub struct Stepper<T> {
    pub(crate) system: Arc<System>,
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) interactions: Arc<Forces<T>>,
    pub(crate) path: ForcePath<T>,
    pub(crate) way: Way,
    /// The beads of each thread that shares the work when the member is stepped alone.
    ranges: Vec<Range<usize>>,
    team: Option<Arc<Team>>,
    /// Σ|Δr|², Å², of each run of beads in the last step.
    runs: Vec<f64>,
    pub(crate) thermal: Thermal<T>,
    pub(crate) positions: Coordinates<T>,
    /// Where the beads were one step ago, if `moved`.
    pub(crate) previous: Coordinates<T>,
    /// Whether the beads have made a step since `previous` that is not known to be sound yet.
    pub(crate) moved: bool,
    pub(crate) forces: Coordinates<T>,
    /// Of the second-order scheme only.
    predicted: Coordinates<T>,
    predicted_forces: Coordinates<T>,
    kicks: Coordinates<T>,
    /// Beads of the stage that are not fixed.
    pub(crate) free: Free,
    pub(crate) minimiser: Option<MinimiserState>,
    pub(crate) step: u64,
    pub(crate) dynamics_step: u64,
    stage: usize,
    pub(crate) stage_step: u64,
    stage_over: bool,
    pub(crate) drives: Vec<DriveState>,
    pub(crate) sums: Sums,
}

impl<T: Normal> Stepper<T> {
    /// A member at the beginning of its first stage, with beads at `positions`, Å.
    pub fn new(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        positions: &[[f64; 3]],
    ) -> Self {
        let mut stepper = Self::bare(system, protocol, replica);
        stepper.place(positions);
        stepper.begin_stage(0);
        stepper
    }

    /// A member as [`Stepper::state`] described it.
    ///
    /// # Panics
    /// With a state of another system or generator.
    pub fn restore(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: MemberState,
    ) -> Self {
        let mut stepper = Self::bare(system, protocol, replica);
        stepper.place(&state.positions);
        stepper.begin_stage(state.stage);
        stepper.stage_step = state.stage_step;
        stepper.stage_over = state.stage_over;
        stepper.step = state.step;
        stepper.dynamics_step = state.dynamics_step;
        stepper.drives = state.drives;
        stepper.sums = state.sums;
        stepper.minimiser = state.minimiser;
        if let Some(states) = state.noise {
            stepper.thermal.noise.restore(states);
        }
        stepper
    }

    fn place(&mut self, positions: &[[f64; 3]]) {
        for (bead, position) in positions.iter().enumerate() {
            self.positions.set(bead, position.map(T::from_f64));
        }
    }

    fn bare(system: Arc<System>, protocol: Arc<Protocol>, replica: u64) -> Self {
        let dynamics = &protocol.dynamics;
        let beads = system.beads.len();
        let interactions = Arc::new(Forces::new(&system));
        let way = Way::best();
        let ranges = ranges(beads, 1);
        let path = ForcePath::new(way, &system, &interactions, dynamics.skin, &ranges);
        let mobility = dynamics.timestep / dynamics.friction;
        let zero = || Coordinates::zero(beads);
        let second_order = || match dynamics.integrator {
            Integrator::Brownian => Coordinates::zero(0),
            Integrator::BrownianSecondOrder => zero(),
        };
        Stepper {
            interactions,
            path,
            way,
            ranges,
            team: None,
            runs: vec![0.0; beads.div_ceil(RUN)],
            thermal: Thermal {
                noise: Noise::new(protocol.randomness, protocol.seed, replica, beads),
                step: 0,
                mobility: T::from_f64(mobility),
                amplitude: T::from_f64((2.0 * dynamics.temperature * mobility).sqrt()),
            },
            positions: zero(),
            previous: zero(),
            moved: false,
            forces: zero(),
            predicted: second_order(),
            predicted_forces: second_order(),
            kicks: second_order(),
            free: Free::default(),
            minimiser: None,
            step: 0,
            dynamics_step: 0,
            stage: 0,
            stage_step: 0,
            stage_over: false,
            drives: Vec::new(),
            sums: Sums::default(),
            system,
            protocol,
        }
    }

    /// The temperature from the next step on, kB T in kcal/mol.
    pub fn set_temperature(&mut self, temperature: f64) {
        let dynamics = &self.protocol.dynamics;
        let mobility = dynamics.timestep / dynamics.friction;
        self.thermal.amplitude = T::from_f64((2.0 * temperature * mobility).sqrt());
    }

    /// Changes how the member is stepped alone.
    pub fn set_way(&mut self, way: Way) {
        self.way = way;
        let skin = self.protocol.dynamics.skin;
        self.path = ForcePath::new(way, &self.system, &self.interactions, skin, &self.ranges);
    }

    /// Has up to `threads` threads share the beads when the member is stepped alone; 256 beads a
    /// thread at least.
    pub fn set_threads(&mut self, threads: usize) {
        self.ranges = ranges(self.positions.len(), threads);
        let size = self.ranges.len();
        self.team = (size > 1).then(|| Arc::new(Team::new(size)));
        self.set_way(self.way);
    }

    /// Everything from which the member goes on.
    pub fn state(&self) -> MemberState {
        MemberState {
            step: self.step,
            dynamics_step: self.dynamics_step,
            stage: self.stage,
            stage_step: self.stage_step,
            stage_over: self.stage_over,
            positions: self.positions(),
            drives: self.drives.clone(),
            sums: self.sums,
            noise: self.thermal.noise.states(),
            minimiser: self.minimiser.clone(),
            walk: None,
        }
    }

    /// Å.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.positions.iter().map(to_f64).collect()
    }

    /// Steps since the run began.
    pub fn step_number(&self) -> u64 {
        self.step
    }

    /// Steps of dynamics since the run began.
    pub fn dynamics_step(&self) -> u64 {
        self.dynamics_step
    }

    /// Steps since the present stage began.
    pub fn stage_step(&self) -> u64 {
        self.stage_step
    }

    /// Time since the run began, ps.
    pub fn time(&self) -> f64 {
        self.dynamics_step as f64 * self.protocol.dynamics.timestep
    }

    /// The number of the present stage.
    pub fn stage_number(&self) -> usize {
        self.stage
    }

    /// Steps that the present stage still has.
    pub fn remaining(&self) -> u64 {
        if self.stage_over { 0 } else { self.stage().steps() - self.stage_step }
    }

    /// The present stage.
    pub fn stage(&self) -> &Stage {
        &self.protocol.stages[self.stage]
    }

    /// Ends the present stage where it is.
    pub fn end_stage(&mut self) {
        self.stage_over = true;
    }

    /// Enters a stage: drives begin, other beads are free. A later failure goes back no further
    /// than here, so that [`Stepper::verify`] is to be asked before.
    pub fn begin_stage(&mut self, stage: usize) {
        self.stage = stage;
        self.stage_step = 0;
        self.stage_over = false;
        self.minimiser = None;
        self.previous.copy_from(&self.positions);
        self.moved = false;
        let positions = self.positions();
        let stage = &self.protocol.stages[stage];
        self.drives = stage.drives.iter().map(|drive| drive.begin(&positions)).collect();
        self.free = Free::new(positions.len(), &stage.fixed);
    }

    /// Looks at the bonds where the beads are now. To be asked before a state is kept or measured:
    /// a step finds a bond that it broke only when it looks for forces the next time.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite, as [`Stepper::advance`] would find it.
    pub fn verify(&mut self) -> Result<(), Failure> {
        let beads = self.positions.len();
        let sound = self.interactions.verify(|bead| self.positions.get(bead), beads);
        sound.map_err(|trouble| self.fail(trouble))
    }

    /// Goes back to the last sound state: one step ago, or here where the trouble lies ahead.
    pub(crate) fn fail(&mut self, trouble: Trouble) -> Failure {
        let failure = Failure { trouble, step: self.step };
        if self.moved {
            self.moved = false;
            self.positions.copy_from(&self.previous);
            self.step -= 1;
            self.stage_step -= 1;
            if let StageKind::Dynamics { .. } = self.stage().kind {
                self.dynamics_step -= 1;
            }
        }
        failure
    }

    /// Makes up to `steps` steps of the present stage; fewer only where the stage ends. Returns
    /// how many.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite. The member is back at the last step that
    /// was sound.
    pub fn advance(&mut self, steps: u64) -> Result<u64, Failure> {
        let steps = steps.min(self.remaining());
        for made in 0..steps {
            self.thermal.step = self.step;
            let outcome = match self.stage().kind {
                StageKind::Dynamics { .. } => match self.protocol.dynamics.integrator {
                    Integrator::Brownian => self.brownian_step(),
                    Integrator::BrownianSecondOrder => self.brownian_second_order_step(),
                }
                .map(|()| self.dynamics_step += 1),
                StageKind::Minimise { tolerance, .. } => match minimiser::step(self, tolerance) {
                    Ok(true) => {
                        self.stage_over = true;
                        return Ok(made);
                    }
                    Ok(false) => Ok(()),
                    Err(trouble) => Err(trouble),
                },
                StageKind::Sample { .. } => unreachable!("a stepper samples nothing"),
            };
            if let Err(trouble) = outcome {
                return Err(self.fail(trouble));
            }
            self.moved = true;
            self.step += 1;
            self.stage_step += 1;
        }
        Ok(steps)
    }

    fn brownian_step(&mut self) -> Result<(), Trouble> {
        self.evaluate_forces()?;
        std::mem::swap(&mut self.positions, &mut self.previous);
        self.thermal.draw(&self.free);
        let Stepper { way, team, ranges, thermal, free, forces, previous, positions, runs, .. } =
            self;
        let (instructions, mobility) = (way.instructions(), thermal.mobility);
        if let [_] = ranges.as_slice() {
            instructions.dispatch(BrownianStep {
                kicks: thermal.whole(),
                mobility,
                free,
                forces,
                from: previous,
                to: positions.whole(),
                runs,
            });
        } else {
            let steps = thermal.parts(ranges).into_iter().zip(positions.parts(ranges));
            let steps = steps.zip(runs_of(runs, ranges)).map(|((kicks, to), runs)| BrownianStep {
                kicks,
                mobility,
                free,
                forces,
                from: previous,
                to,
                runs,
            });
            dispatch_each(team.as_deref(), instructions, steps);
        }
        self.count_displacements();
        Ok(())
    }

    fn brownian_second_order_step(&mut self) -> Result<(), Trouble> {
        self.evaluate_forces()?;
        self.thermal.draw(&self.free);
        let Stepper {
            way, team, ranges, thermal, free, forces, positions, predicted, kicks, ..
        } = self;
        let (instructions, mobility) = (way.instructions(), thermal.mobility);
        let parts = predicted.parts(ranges).into_iter().zip(kicks.parts(ranges));
        let steps = thermal.parts(ranges).into_iter().zip(parts);
        let steps = steps.map(|(kicks, (predicted, noise))| Prediction {
            kicks,
            mobility,
            free,
            forces,
            from: positions,
            predicted,
            noise,
        });
        dispatch_each(team.as_deref(), instructions, steps);
        // The step begins in a sound state; should it lead nowhere, that state is to be kept.
        self.moved = false;
        self.evaluate_predicted_forces()?;
        std::mem::swap(&mut self.positions, &mut self.previous);
        let Stepper {
            team,
            ranges,
            free,
            forces,
            predicted_forces,
            kicks,
            previous,
            positions,
            runs,
            ..
        } = self;
        let parts = positions.parts(ranges).into_iter().zip(runs_of(runs, ranges));
        let steps = parts.map(|(to, runs)| Correction {
            mobility,
            free,
            forces,
            predicted_forces,
            noise: kicks,
            from: previous,
            to,
            runs,
        });
        dispatch_each(team.as_deref(), instructions, steps);
        self.count_displacements();
        Ok(())
    }

    /// The forces at the present positions, drives included, into `self.forces`.
    pub(crate) fn evaluate_forces(&mut self) -> Result<(), Trouble> {
        let Stepper { interactions, path, team, positions, forces, .. } = self;
        path.evaluate(interactions, positions, forces, team.as_deref())?;
        let stage = &self.protocol.stages[self.stage];
        let timestep = self.protocol.dynamics.timestep;
        let mut pull = Pull::default();
        for (drive, state) in stage.drives.iter().zip(&mut self.drives) {
            let position = |bead: usize| to_f64(self.positions.get(bead));
            apply(
                drive,
                state,
                self.stage_step,
                timestep,
                position,
                |bead, force| {
                    let forces = &mut self.forces;
                    let [x, y, z] = forces.get(bead);
                    let [u, v, w] = force.map(T::from_f64);
                    forces.set(bead, [x + u, y + v, z + w]);
                },
                &mut pull,
            );
        }
        self.sums.count(pull);
        Ok(())
    }

    /// The forces at the predicted positions one step later, into `self.predicted_forces`.
    fn evaluate_predicted_forces(&mut self) -> Result<(), Trouble> {
        let Stepper { interactions, path, team, predicted, predicted_forces, .. } = self;
        path.evaluate(interactions, predicted, predicted_forces, team.as_deref())?;
        let stage = &self.protocol.stages[self.stage];
        let timestep = self.protocol.dynamics.timestep;
        for (drive, state) in stage.drives.iter().zip(&self.drives) {
            // On a copy: the drive itself must see only true positions.
            let mut ahead = state.clone();
            let position = |bead: usize| to_f64(predicted.get(bead));
            apply(
                drive,
                &mut ahead,
                self.stage_step + 1,
                timestep,
                position,
                |bead, force| {
                    let [x, y, z] = predicted_forces.get(bead);
                    let [u, v, w] = force.map(T::from_f64);
                    predicted_forces.set(bead, [x + u, y + v, z + w]);
                },
                &mut Pull::default(),
            );
        }
        Ok(())
    }

    /// The forces of the interactions, without drives, at the present positions, kcal/(mol Å).
    ///
    /// # Errors
    /// As [`Stepper::advance`]; the member stays as it is.
    pub fn interaction_forces(&mut self) -> Result<Vec<[f64; 3]>, Trouble> {
        let Stepper { interactions, path, team, positions, .. } = self;
        let mut forces = Coordinates::zero(positions.len());
        path.evaluate(interactions, positions, &mut forces, team.as_deref())?;
        Ok(forces.iter().map(to_f64).collect())
    }

    /// The largest force on a free bead when forces were last asked for, kcal/(mol Å): how far a
    /// minimisation is from its end.
    pub fn largest_force(&self) -> f64 {
        let square = |&bead: &u32| {
            let force = to_f64(self.forces.get(bead as usize));
            dot(force, force)
        };
        self.free.beads.iter().map(square).fold(0.0, f64::max).sqrt()
    }

    fn count_displacements(&mut self) {
        self.sums.squared_displacements += self.runs.iter().fold(0.0, |sum, run| sum + run);
        self.sums.moves += self.free.beads.len() as u64;
    }
}

impl<T: Normal> ForcePath<T> {
    fn new(
        way: Way,
        system: &System,
        interactions: &Arc<Forces<T>>,
        skin: f64,
        ranges: &[Range<usize>],
    ) -> Self {
        match way {
            Way::Plain => {
                let (cutoff, excluded) = match &system.interactions.repulsion {
                    Some(repulsion) => (repulsion.cutoff, repulsion.excluded.as_slice()),
                    None => (0.0, [].as_slice()),
                };
                let beads = system.beads.len();
                ForcePath::Plain(NeighbourList::new(beads, cutoff, skin, excluded))
            }
            Way::Vectors(instructions) => {
                let interactions = interactions.clone();
                let tiles = TileForces::new(system, interactions, skin, instructions, ranges);
                ForcePath::Tiles(Box::new(tiles))
            }
        }
    }

    fn evaluate(
        &mut self,
        interactions: &Forces<T>,
        positions: &Coordinates<T>,
        forces: &mut Coordinates<T>,
        team: Option<&Team>,
    ) -> Result<(), Trouble> {
        match self {
            ForcePath::Tiles(tiles) => tiles.evaluate(positions, forces, team),
            ForcePath::Plain(neighbours) => {
                let triples: Vec<_> = positions.iter().collect();
                let mut sums = vec![[T::zero(); 3]; triples.len()];
                interactions.evaluate(&triples, neighbours, &mut sums)?;
                sums.into_iter().enumerate().for_each(|(bead, sum)| forces.set(bead, sum));
                Ok(())
            }
        }
    }
}

/// The runs of beads in each range.
fn runs_of<'a>(mut runs: &'a mut [f64], ranges: &[Range<usize>]) -> Vec<&'a mut [f64]> {
    let mut parts = Vec::with_capacity(ranges.len());
    for range in ranges {
        let (part, rest) = std::mem::take(&mut runs).split_at_mut(range.len().div_ceil(RUN));
        runs = rest;
        parts.push(part);
    }
    parts
}

/// Has each member of a team do one piece of work.
fn dispatch_each<K: Kernel<Output = ()> + Send>(
    team: Option<&Team>,
    instructions: Instructions,
    work: impl Iterator<Item = K>,
) {
    let work: Vec<_> = work.map(|work| Mutex::new(Some(work))).collect();
    each(team, work.len(), &|number| {
        let work = work[number].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(work) = work {
            instructions.dispatch(work);
        }
    });
}

pub(crate) fn to_f64<T: Normal>(position: [T; 3]) -> [f64; 3] {
    position.map(|component| component.to_f64())
}
