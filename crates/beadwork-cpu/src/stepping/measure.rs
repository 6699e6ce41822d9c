//! Measurements of a member at its present step.

use beadwork_model::externals::{
    Ends, ExternalEnergy, ExternalState, Indentation, Law, Moment, centre, dot,
};
use beadwork_model::observables::{
    EnergiesOfExternals, Measured, NamedPull, Observable, Pull, Sample, Velocities, extension,
};
use beadwork_model::{Energies, Mechanics, MechanicsState, Protocol, Stage};
use beadwork_random::Normal;
use beadwork_simulation::{Failure, Measurement, StepError};

use super::force_path::PathForces;
use super::stepper::Stepper;
use crate::terms::externals::{NoiseOfExternals, act, renew};

/// What externals are at a step.
#[derive(Default)]
struct OfExternals<'a> {
    pull: Option<Pull>,
    pulls: Vec<NamedPull<'a>>,
    indentation: Option<Indentation>,
    energies: EnergiesOfExternals,
}

/// A pulling external that has a name, after it was brought to this moment, where beads are at `positions`, Å.
fn named_pull<'a>(
    (name, ends): (&'a str, &Ends),
    law: &dyn Law,
    state: &ExternalState,
    moment: Moment,
    positions: &[[f64; 3]],
) -> NamedPull<'a> {
    NamedPull {
        name,
        extension: match ends.fixed.is_empty() {
            true => {
                let pulled = centre(&ends.pulled, |bead| positions[bead]);
                let way = [0, 1, 2].map(|axis| pulled[axis] - state.origin[axis]);
                dot(way, state.direction)
            }
            false => extension(&ends.fixed, &ends.pulled, positions),
        },
        force: law.along(state, moment),
        mean_force: law.mean_along(state, moment),
        base_travel: law.base_travel(moment),
        work: law.work(state, moment),
    }
}

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
        let externals = &self.protocol.stages[self.stage_number()].externals;
        for (external, state) in externals.iter().zip(&mut self.externals) {
            if external.name().is_some() {
                state.begin_row();
            }
        }
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
        let of_externals = self.measure_externals(stage, &positions, &mut energies);
        let of_externals = of_externals.map_err(|error| self.fail(error))?;
        let OfExternals { pull, pulls, indentation, energies: of_externals } = of_externals;
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
        let sample = Sample {
            virial,
            pull,
            pulls: &pulls,
            indentation,
            of_externals,
            sums,
            velocities,
            measured,
            mechanics,
            ..sample
        };
        Ok(Measurement::of(&sample, &protocol))
    }

    /// What externals are at the present step, at `positions`, Å; adds their energies.
    fn measure_externals<'a>(
        &mut self,
        stage: &'a Stage,
        positions: &[[f64; 3]],
        energies: &mut Energies,
    ) -> Result<OfExternals<'a>, StepError> {
        let timestep = self.protocol.dynamics.timestep;
        let moment = Moment { step: self.clock.stage_step(), timestep };
        let at = |bead: usize| positions[bead];
        let noise = NoiseOfExternals { key: self.external_key, step: self.clock.step() };
        let mut found = OfExternals::default();
        for (number, (external, state)) in
            stage.externals.iter().zip(&mut self.externals).enumerate()
        {
            let law = &**external;
            // What beads push counts the steps that are made; a measurement is none.
            let mut copy = law.reaction_unit().map(|_| state.clone());
            let state = copy.as_mut().unwrap_or(state);
            let error = |problem| StepError::External { number, problem };
            let noise = || noise.normals::<T>(number);
            renew(law, state, moment, at, &noise).map_err(error)?;
            if let Some(along) = law.along(state, moment) {
                let pull = found.pull.get_or_insert_default();
                pull.force += along;
                pull.work += law.work(state, moment);
            }
            let named = external.name().zip(law.ends());
            let named = named.map(|of| named_pull(of, law, state, moment, positions));
            found.pulls.extend(named);
            let reaction = match law.reaction_unit() {
                Some(_) => act(law, state, moment, at, |_, _| ()).map_err(error)?,
                None => [0; 3],
            };
            found.indentation = found.indentation.or(law.indentation(state, moment, reaction));
            let beads = law.beads().iter().enumerate();
            let of_beads = beads.map(|(entry, &bead)| law.energy(state, moment, entry, at(bead)));
            match law.energy_of() {
                // One after another, as the energies of fields are added.
                ExternalEnergy::Trap => of_beads.for_each(|energy| energies.singles += energy),
                ExternalEnergy::Tip => found.energies.tip += of_beads.sum::<f64>(),
                ExternalEnergy::Surface => found.energies.surface += of_beads.sum::<f64>(),
            }
        }
        energies.singles += found.energies.tip + found.energies.surface;
        Ok(found)
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
