//! What a member measures of itself.

use beadwork_model::drives::{Drive, centre, dot};
use beadwork_model::observables::{
    Observable, extension, native_contacts_held, radius_of_gyration, temperature_from_displacements,
};
use beadwork_model::potentials::{NativeContact, SinglePotential};
use beadwork_model::{Energies, Model};
use beadwork_random::Normal;

use crate::stepper::{ForcePath, Stepper};
use beadwork_simulation::{Failure, Measurement, StepError, Sums};

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
        self.sums = Sums::default();
    }

    /// Measures at the present step; averages go on.
    ///
    /// # Errors
    /// As [`Stepper::verify`].
    pub fn observe(&mut self) -> Result<Measurement, Failure> {
        self.verify()?;
        let positions = self.positions();
        let mut energies = self.energies(&positions).map_err(|error| self.fail(error))?;
        let dynamics = &self.protocol.dynamics;
        let protocol = self.protocol.clone();
        let stage = &protocol.stages[self.stage_number()];
        let mut force = None;
        let mut work = None;
        for (drive, state) in stage.drives.iter().zip(&mut self.drives) {
            if let Some(ends) = drive.ends() {
                let at = centre(&ends.pulled, &positions);
                if let Some(pull) = drive.pull(state, self.stage_step, dynamics.timestep, at) {
                    *force.get_or_insert(0.0) += dot(pull, state.direction);
                    *work.get_or_insert(0.0) += state.work;
                }
            }
            if let Drive::Restrain(restrain) = drive {
                for (bead, trap) in restrain.traps(state) {
                    energies.singles += trap.energy(positions[bead]);
                }
            }
        }
        let sums = self.sums;
        let model = self.system.model;
        let moments = match &model {
            Model::Sop | Model::ElasticPolymer(_) => None,
            Model::Oscillators(particles) => {
                let (means, square) = particles.moments(&positions);
                // Each direction of a particle has k⟨x²⟩/2.
                let axes = particles.coordinates() as f64 / particles.particles as f64;
                Some((means, square, particles.stiffness * square, axes / 2.0))
            }
        };
        let value = |observable: Observable| match observable {
            Observable::Extension => Some(extension(&self.protocol.ends, &positions)),
            Observable::Force => force,
            Observable::MeanForce => {
                (sums.force_steps > 0).then(|| sums.force / sums.force_steps as f64)
            }
            Observable::Work => work,
            Observable::BondEnergy => Some(energies.bonds),
            Observable::ContactEnergy => Some(energies.contacts),
            Observable::RepulsionEnergy => Some(energies.pairs),
            Observable::TrapEnergy => Some(energies.singles),
            Observable::TotalEnergy => Some(energies.total()),
            Observable::Temperature => (sums.moves > 0).then(|| {
                temperature_from_displacements(
                    sums.squared_displacements,
                    sums.moves as f64,
                    dynamics.friction,
                    dynamics.timestep,
                )
            }),
            Observable::NativeContacts => {
                let contacts = self.system.interactions.bonded_by::<NativeContact>();
                Some(native_contacts_held(contacts, &positions) as f64)
            }
            Observable::RadiusOfGyration => Some(radius_of_gyration(&positions)),
            Observable::MeanX => moments.map(|(means, ..)| means[0]),
            Observable::MeanY => moments.map(|(means, ..)| means[1]),
            Observable::MeanZ => moments.map(|(means, ..)| means[2]),
            Observable::Mean => moments.map(|(means, ..)| means.iter().sum::<f64>() / 3.0),
            Observable::MeanSquare => moments.map(|(_, square, ..)| square),
            Observable::ParticleEnergy => moments.map(|(.., spread, half)| half * spread),
            Observable::SpreadTemperature => moments.map(|(_, _, spread, _)| spread),
            // Chains are sampled, not stepped.
            Observable::ReducedEnergy
            | Observable::SquareRadiusOfGyration
            | Observable::EndToEndDistance
            | Observable::Contacts => None,
        };
        let mut values = [None; Observable::ALL.len()];
        for observable in Observable::of(&model) {
            values[observable as usize] =
                value(observable).map(|value| observable.to_column(value));
        }
        Ok(Measurement { values })
    }

    /// Energies in f64, with the pairs of the neighbour list.
    fn energies(&mut self, positions: &[[f64; 3]]) -> Result<Energies, StepError> {
        let Stepper { system, force_path, positions: in_precision, .. } = self;
        if system.interactions.pairs.is_empty() {
            return Ok(system.energies(positions));
        }
        match force_path {
            ForcePath::Reference(path) => {
                let triples: Vec<_> = in_precision.iter().collect();
                let list = path.neighbours(&triples)?;
                Ok(system.energies_of_pairs(positions, |row| {
                    (0..positions.len()).for_each(|i| row(i, list.partners(i)));
                }))
            }
            ForcePath::PairSimd(path) => {
                path.refresh(in_precision)?;
                Ok(system.energies_of_pairs(positions, |row| path.for_each_bead(row)))
            }
        }
    }
}
