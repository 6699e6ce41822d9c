//! A member that steps through the stages of a protocol.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use beadwork_arithmetic::Instructions;
use beadwork_model::drives::{DriveState, dot};
use beadwork_model::observables::Measured;
use beadwork_model::{Dynamics, Integrator, Protocol, Stage, StageKind, System};
use beadwork_random::Normal;

use crate::coordinates::Coordinates;
use crate::force_path::ForcePath;
use crate::free::Free;
use crate::inertia::{InertiaArrays, constants_of_types};
use crate::inertial::Motion;
use crate::minimiser::Descent;
use crate::noise::{Noise, Thermal};
use crate::pair_simd::moves::RUN;
use crate::pair_simd::ranges;
use crate::pair_thermal::noise_size;
use crate::reference::{self, verify};
use crate::space::Geometry;
use crate::team::Team;
use crate::team_size::TeamSize;
use crate::{dynamics, minimiser};
use beadwork_simulation::{ExtraState, Failure, MemberState, StepError, Sums};

/// The path of a member that is stepped alone. All paths give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CpuPath {
    /// The definition: pair by pair, bead by bead.
    Reference,
    /// With lanes over pairs and beads.
    PairSimd(Instructions),
}

impl CpuPath {
    /// The fastest path of this machine.
    pub fn best() -> CpuPath {
        CpuPath::PairSimd(Instructions::best())
    }

    pub(crate) fn instructions(self) -> Instructions {
        match self {
            CpuPath::Reference => Instructions::Scalar,
            CpuPath::PairSimd(instructions) => instructions,
        }
    }
}

/// A member in one precision.
#[derive(Clone, Debug)]
pub struct Stepper<T> {
    pub(crate) system: Arc<System>,
    pub(crate) protocol: Arc<Protocol>,
    pub(crate) geometry: Geometry<T>,
    pub(crate) force_path: ForcePath<T>,
    pub(crate) path: CpuPath,
    /// The range of beads of each thread when the member is stepped alone.
    pub(crate) ranges: Vec<Range<usize>>,
    pub(crate) team: Option<Arc<Team>>,
    /// How many threads of the team share the member's beads.
    size: TeamSize,
    /// Σ|Δr|², Å², of each run of beads in the last step.
    pub(crate) runs: Vec<f64>,
    pub(crate) thermal: Thermal<T>,
    pub(crate) positions: Coordinates<T>,
    /// The positions one step ago, if `moved`.
    pub(crate) previous: Coordinates<T>,
    /// The whole sides that each bead is away from a periodic box; empty in open space.
    pub(crate) images: Vec<[i32; 3]>,
    /// Whether the step since `previous` may still turn out to be broken.
    pub(crate) moved: bool,
    pub(crate) forces: Coordinates<T>,
    /// For integrators with velocities.
    pub(crate) motion: Option<Motion<T>>,
    /// Predicted positions, the forces there, and the kicks, for schemes that look ahead.
    pub(crate) ahead: Coordinates<T>,
    pub(crate) forces_ahead: Coordinates<T>,
    pub(crate) kicks: Coordinates<T>,
    /// Beads of the stage that are not fixed.
    pub(crate) free: Free,
    /// Where the stage minimises, after [`Stepper::prepare`].
    pub(crate) minimiser: Option<Descent<T>>,
    /// The forces of a push-off at its present level.
    pub(crate) soft: Option<(u32, ForcePath<T>)>,
    pub(crate) step: u64,
    pub(crate) dynamics_step: u64,
    pub(crate) stage: usize,
    pub(crate) stage_step: u64,
    pub(crate) stage_over: bool,
    pub(crate) drives: Vec<DriveState>,
    pub(crate) sums: Sums,
    /// What another backend measured of the state at a step; it holds while that is the present one.
    pub(crate) measured: Option<(u64, Measured)>,
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
        stepper.motion = Motion::new(&stepper, replica);
        stepper.begin_stage(0);
        stepper
    }

    /// A member from the state that [`Stepper::state`] returned.
    ///
    /// # Panics
    /// If the state belongs to another system or generator.
    pub fn restore(
        system: Arc<System>,
        protocol: Arc<Protocol>,
        replica: u64,
        state: MemberState,
    ) -> Self {
        let mut stepper = Self::bare(system, protocol, replica);
        stepper.place(&state.positions);
        if let Some(places) = &state.extra.places {
            for (bead, fractions) in places.fractions.iter().enumerate() {
                stepper.positions.set(bead, fractions.map(T::from_fraction));
            }
            stepper.images.clone_from(&places.images);
        }
        stepper.motion = Motion::new(&stepper, replica);
        stepper.begin_stage(state.stage);
        if let Some(motion) = &state.extra.motion {
            stepper.restore_motion(motion);
        }
        stepper.stage_step = state.stage_step;
        stepper.stage_over = state.stage_over;
        stepper.step = state.step;
        stepper.dynamics_step = state.dynamics_step;
        stepper.drives = state.drives;
        stepper.sums = state.sums;
        // Where other potentials begin to act, beads begin at rest.
        let minimiser = state.minimiser.filter(|_| !stepper.begins_level());
        stepper.minimiser = minimiser.as_ref().map(Descent::restore);
        if let Some(states) = state.noise {
            stepper.thermal.noise.restore(states);
        }
        stepper
    }

    fn place(&mut self, positions: &[[f64; 3]]) {
        for (bead, &position) in positions.iter().enumerate() {
            let (coordinate, image) = self.geometry.place(position);
            self.positions.set(bead, coordinate);
            if let Some(of_bead) = self.images.get_mut(bead) {
                *of_bead = image;
            }
        }
    }

    fn bare(system: Arc<System>, protocol: Arc<Protocol>, replica: u64) -> Self {
        let dynamics = &protocol.dynamics;
        let beads = system.beads();
        assert_eq!(system.problem_with(&protocol), None, "a system that its protocol can step");
        reference::check(&system);
        let geometry = Geometry::new(&system);
        let path = CpuPath::best();
        let ranges = ranges(beads, 1);
        let force_path = ForcePath::new(path, &system, dynamics.skin, &ranges);
        let mobility = dynamics.timestep / dynamics.friction;
        let zero = || Coordinates::zero(beads);
        let looks_ahead = || match dynamics.integrator {
            Integrator::BrownianSecondOrder => zero(),
            _ => Coordinates::zero(0),
        };
        let mut thermal = Thermal {
            noise: Noise::new(protocol.randomness, protocol.seed, replica, beads),
            step: 0,
            mobility: T::from_f64(mobility),
            amplitude: T::zero(),
            chunks: Vec::new(),
        };
        thermal.amplitude = amplitude(&system, &protocol.dynamics, dynamics.temperature);
        Stepper {
            geometry,
            force_path,
            path,
            ranges,
            team: None,
            size: TeamSize::new(1),
            runs: vec![0.0; beads.div_ceil(RUN)],
            thermal,
            positions: zero(),
            previous: zero(),
            images: vec![[0; 3]; if geometry.is_periodic() { beads } else { 0 }],
            moved: false,
            forces: zero(),
            motion: None,
            ahead: looks_ahead(),
            forces_ahead: looks_ahead(),
            kicks: looks_ahead(),
            free: Free::default(),
            minimiser: None,
            soft: None,
            step: 0,
            dynamics_step: 0,
            stage: 0,
            stage_step: 0,
            stage_over: false,
            drives: Vec::new(),
            sums: Sums::default(),
            measured: None,
            system,
            protocol,
        }
    }

    /// Sets the temperature of the following steps, kB T in kcal/mol.
    pub fn set_temperature(&mut self, temperature: f64) {
        let dynamics = &self.protocol.dynamics;
        self.thermal.amplitude = amplitude(&self.system, dynamics, temperature);
        if let Some(motion) = &mut self.motion {
            motion.inertia = InertiaArrays::new(&self.system, dynamics, temperature);
            motion.pair_noise = noise_size(dynamics, temperature);
        }
    }

    /// The same for a replica that comes from another temperature: its velocities are scaled by the square root of the
    /// ratio (Sugita and Okamoto, Chem. Phys. Lett. 314, 141, 1999).
    pub fn change_temperature(&mut self, from: f64, to: f64) {
        self.set_temperature(to);
        if let Some(motion) = &mut self.motion
            && from != to
        {
            motion.rescale((to / from).sqrt());
            self.measured = None;
        }
    }

    /// Sets the path for steps that the member makes alone.
    pub fn set_path(&mut self, path: CpuPath) {
        self.path = path;
        let skin = self.protocol.dynamics.skin;
        self.force_path = ForcePath::new(path, &self.system, skin, &self.ranges);
        if let Some((_, soft)) = &mut self.soft {
            *soft = ForcePath::new(path, soft.system(), skin, &self.ranges);
        }
    }

    /// Lets up to `threads` threads share the beads when the member is stepped alone, with at least 256 beads for each
    /// thread. The member measures how many of them make it faster, and steps with those.
    pub fn set_threads(&mut self, threads: usize) {
        let most = ranges(self.positions.len(), threads).len();
        if most == self.size.most() {
            return;
        }
        self.size = TeamSize::new(most);
        self.team = (most > 1).then(|| Arc::new(Team::new(most)));
        self.share_beads();
    }

    /// Divides the beads among the threads that share them now.
    fn share_beads(&mut self) {
        let ranges = ranges(self.positions.len(), self.size.now());
        if ranges != self.ranges {
            self.ranges = ranges;
            self.set_path(self.path);
        }
    }

    /// Everything that the member needs to continue.
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
            minimiser: self.minimiser.as_ref().map(Descent::state),
            chain: None,
            extra: ExtraState { motion: self.motion_state(), places: self.places() },
        }
    }

    pub(crate) fn minimises(&self) -> bool {
        matches!(self.stage().kind, StageKind::Minimise { .. })
    }

    /// Positions, Å; in a periodic box those of the images that the beads have reached.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        let image = |bead: usize| self.images.get(bead).copied().unwrap_or_default();
        let positions = self.positions.iter().enumerate();
        positions.map(|(bead, at)| self.geometry.position(at, image(bead))).collect()
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

    /// Steps that remain in the present stage.
    pub fn remaining(&self) -> u64 {
        if self.stage_over { 0 } else { self.stage().steps() - self.stage_step }
    }

    /// The present stage.
    pub fn stage(&self) -> &Stage {
        &self.protocol.stages[self.stage]
    }

    /// Ends the present stage now.
    pub fn end_stage(&mut self) {
        self.stage_over = true;
    }

    /// Enters a stage: initialises its drives and stops its fixed beads. A later failure goes back no further than
    /// here, so call [`Stepper::verify`] before.
    pub fn begin_stage(&mut self, stage: usize) {
        self.stage = stage;
        self.stage_step = 0;
        self.stage_over = false;
        self.minimiser = None;
        self.soft = None;
        self.previous.copy_from(&self.positions);
        self.moved = false;
        let positions = self.positions();
        let stage = &self.protocol.stages[stage];
        self.drives = stage.drives.iter().map(|drive| drive.begin(&positions)).collect();
        self.free = Free::new(positions.len(), &stage.fixed);
        self.begin_motion();
    }

    /// Checks the bonds at the present positions. Call it before storing or measuring a state: a step notices a broken
    /// bond only when forces are next evaluated.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite, as [`Stepper::advance`] would find it.
    pub fn verify(&mut self) -> Result<(), Failure> {
        let sound = verify(&self.system, &self.geometry, |bead| self.positions.get(bead));
        sound.map_err(|error| self.fail(error))
    }

    /// Restores the last sound state: one step ago, or the present one if the error lies ahead.
    pub(crate) fn fail(&mut self, error: StepError) -> Failure {
        let failure = Failure { error, step: self.step };
        if self.moved {
            self.moved = false;
            self.count_crossings(true);
            self.positions.copy_from(&self.previous);
            if let Some(motion) = &mut self.motion {
                motion.velocities.copy_from(&motion.other_velocities);
            }
            self.step -= 1;
            self.stage_step -= 1;
            if let StageKind::Dynamics { .. } = self.stage().kind {
                self.dynamics_step -= 1;
            }
        }
        failure
    }

    /// Makes up to `steps` steps of the present stage; fewer only if the stage ends. Returns how many.
    ///
    /// # Errors
    /// A broken bond or a coordinate that is not finite. The member then has its last sound state.
    pub fn advance(&mut self, steps: u64) -> Result<u64, Failure> {
        let steps = steps.min(self.remaining());
        for made in 0..steps {
            if self.size.now() != self.ranges.len() {
                self.share_beads();
            }
            let began = (self.size.most() > 1).then(Instant::now);
            self.thermal.step = self.step;
            let outcome = match self.stage().kind {
                StageKind::Dynamics { .. } => {
                    dynamics::step(self).map(|()| self.dynamics_step += 1)
                }
                StageKind::Minimise { tolerance, .. } => match minimiser::step(self, tolerance) {
                    Ok(true) => {
                        self.stage_over = true;
                        return Ok(made);
                    }
                    Ok(false) => Ok(()),
                    Err(error) => Err(error),
                },
                StageKind::Sample { .. } => unreachable!("a stepper samples nothing"),
            };
            if let Err(error) = outcome {
                return Err(self.fail(error));
            }
            // A step with velocities ends with the forces at its new positions, so these are sound.
            self.moved = self.motion.is_none() || self.minimises();
            self.step += 1;
            self.stage_step += 1;
            if let Some(began) = began {
                self.size.count(began.elapsed());
            }
        }
        Ok(steps)
    }

    /// The forces of the interactions, without drives, at the present positions, kcal/(mol Å).
    ///
    /// # Errors
    /// As [`Stepper::advance`]; the member stays as it is.
    pub fn interaction_forces(&mut self) -> Result<Vec<[f64; 3]>, StepError> {
        let Stepper { force_path, team, positions, .. } = self;
        let mut forces = Coordinates::zero(positions.len());
        force_path.evaluate(positions, &mut forces, team.as_deref(), None)?;
        Ok(forces.iter().map(to_f64).collect())
    }

    /// The largest force on a free bead at the last evaluation, kcal/(mol Å): it shows how far a minimisation is from
    /// its end.
    pub fn largest_force(&self) -> f64 {
        let square = |&bead: &u32| {
            let force = to_f64(self.forces.get(bead as usize));
            dot(force, force)
        };
        self.free.beads.iter().map(square).fold(0.0, f64::max).sqrt()
    }
}

/// The size of the random displacements, Å: √(2 kT h/ξ). With velocities, each bead's noise has a size of its own, and this
/// is 1 where there is noise.
fn amplitude<T: Normal>(system: &System, dynamics: &Dynamics, temperature: f64) -> T {
    if dynamics.integrator.has_velocities() {
        let types = constants_of_types::<T>(system, dynamics, temperature);
        let warm = types.iter().any(|constants| constants.amplitude != T::zero());
        return T::from_f64(if warm { 1.0 } else { 0.0 });
    }
    let mobility = dynamics.timestep / dynamics.friction;
    T::from_f64((2.0 * temperature * mobility).sqrt())
}

pub(crate) fn to_f64<T: Normal>(position: [T; 3]) -> [f64; 3] {
    position.map(|component| component.to_f64())
}
