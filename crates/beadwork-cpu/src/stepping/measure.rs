//! Measurements of a member at its present step.

use beadwork_model::externals::{Moment, centre};
use beadwork_model::observables::{Measured, Observable, Pull, Sample, Velocities};
use beadwork_model::{Energies, Mechanics, MechanicsState, Protocol};
use beadwork_random::Normal;
use beadwork_simulation::{Failure, Measurement, StepError};

use super::force_path::PathForces;
use super::stepper::Stepper;

impl<T: Normal> Stepper<T> {
    /// Measures at the present step and begins new averages.
    ///
    /// # Errors
    /// As [`Stepper::verify`].
    pub fn measure(&mut self) -> Result<Measurement, Failure> {
        let measurement = self.observe()?;
        self.begin_averages();
        Ok(measurement)
    }

    /// Begins new averages.
    pub fn begin_averages(&mut self) {
        self.averages.begin();
    }

    /// What another backend measured of the present state.
    pub fn measured(&self) -> Option<Measured> {
        self.averages.measured_at(self.clock.step())
    }

    /// Measures at the present step without beginning new averages.
    ///
    /// # Errors
    /// As [`Stepper::verify`].
    pub fn observe(&mut self) -> Result<Measurement, Failure> {
        // What another backend measured is of a sound state.
        let measured = self.measured();
        if measured.is_none() {
            self.verify()?;
        }
        let protocol = self.protocol.clone();
        let stage = &protocol.stages[self.stage_number()];
        // In a box no default column needs positions beside what was measured, and no external acts.
        let needs_none = measured.is_some()
            && self.beads.geometry().is_periodic()
            && protocol.columns.is_empty();
        let positions = match needs_none && stage.externals.is_empty() {
            true => Vec::new(),
            false => self.positions(),
        };
        let (mut energies, virial) = match (measured, self.beads.geometry().is_periodic()) {
            (Some(Measured { energies, virial, .. }), _) => (energies, virial),
            (None, true) => self.system.energies_and_virial(&positions),
            (None, false) => (self.energies(&positions).map_err(|error| self.fail(error))?, None),
        };
        let mut pull: Option<Pull> = None;
        let moment = Moment { step: self.clock.stage_step(), timestep: protocol.dynamics.timestep };
        for (external, state) in stage.externals.iter().zip(&mut self.externals) {
            let law = &**external;
            let beads = law.beads();
            let of = |bead: usize| positions[bead];
            let centre = if law.reads_centre() { centre(beads, of) } else { [0.0; 3] };
            law.renew(state, moment, centre);
            if let Some(along) = law.along(state) {
                let pull = pull.get_or_insert_default();
                pull.force += along;
                pull.work += state.work;
            }
            for (entry, &bead) in beads.iter().enumerate() {
                energies.singles += law.energy(state, entry, positions[bead]);
            }
        }
        let of_beads = match measured {
            Some(_) if protocol.columns.is_empty() => Vec::new(),
            _ => self.velocities().unwrap_or_default(),
        };
        let velocities = self.motion.is_some().then(|| Velocities {
            of_beads: &of_beads,
            degrees_of_freedom: self.degrees_of_freedom(),
        });
        let asks = |column| protocol.columns.contains(&column);
        let needs_mechanics =
            asks(Observable::PressureXx) || asks(Observable::ConfigurationalTemperature);
        let mechanics = needs_mechanics.then(|| self.mechanics(&positions));
        let Protocol { dynamics, ends, .. } = &*protocol;
        let sample = Sample::new(&self.system, dynamics, ends, &positions, energies);
        let sums = self.averages.sums();
        let sample = Sample { virial, pull, sums, velocities, measured, mechanics, ..sample };
        Ok(Measurement::of(&sample, &protocol))
    }

    /// The pressure tensor and the configurational temperature at `positions`, Å, which are those of the member.
    fn mechanics(&mut self, positions: &[[f64; 3]]) -> Mechanics {
        // If overlapping beads make forces too large to sum, the column is left empty. Only a step reports them as an error.
        let wanted = self.protocol.columns.contains(&Observable::ConfigurationalTemperature);
        let forces = if wanted { self.interaction_forces().ok() } else { None };
        let velocities = self.velocities();
        let free = self.beads.free();
        let free: Vec<bool> = (0..positions.len()).map(|bead| free.is_free(bead)).collect();
        self.system.mechanics(MechanicsState {
            positions,
            velocities: velocities.as_deref(),
            forces: forces.as_deref(),
            free: &free,
            temperature: self.protocol.dynamics.temperature,
        })
    }

    /// Energies in f64 in open space, with the pairs of the neighbour list.
    fn energies(&mut self, positions: &[[f64; 3]]) -> Result<Energies, StepError> {
        let Stepper { system, forces, beads, .. } = self;
        let in_precision = beads.positions();
        if !system.interactions.act_on_pairs() {
            return Ok(system.energies(positions));
        }
        match forces.path().forces() {
            PathForces::Reference(path) => {
                let triples: Vec<_> = in_precision.iter().collect();
                let list = path.neighbours(&triples)?;
                Ok(system.energies_of_pairs(positions, |row| {
                    (0..positions.len()).for_each(|i| row(i, list.partners(i)));
                }))
            }
            PathForces::PairSimd(path) => {
                path.refresh(in_precision)?;
                Ok(system.energies_of_pairs(positions, |row| path.for_each_bead(row)))
            }
        }
    }
}
