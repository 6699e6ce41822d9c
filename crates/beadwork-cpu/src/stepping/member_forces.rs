//! The forces on the beads of a member, and the paths that compute them.

use std::ops::Range;
use std::sync::Arc;

use beadwork_model::System;
use beadwork_random::Normal;
use beadwork_simulation::StepError;

use super::cpu_path::CpuPath;
use super::force_path::ForcePath;
use crate::arrays::coordinates::Coordinates;
use crate::noise::pair_thermal::PairThermal;
use crate::teams::team::Team;

/// The forces of a member.
#[derive(Clone, Debug)]
pub(super) struct MemberForces<T> {
    path: ForcePath<T>,
    /// The forces of a push-off at its present level.
    soft: Option<(u32, ForcePath<T>)>,
    /// kcal/(mol Å), externals included, as they were last computed.
    values: Coordinates<T>,
}

impl<T: Normal> MemberForces<T> {
    /// The forces of a system whose lists have this skin, Å, with a range of beads for each thread.
    pub fn new(path: CpuPath, system: &Arc<System>, skin: f64, ranges: &[Range<usize>]) -> Self {
        MemberForces {
            path: ForcePath::new(path, system, skin, ranges),
            soft: None,
            values: Coordinates::zero(system.beads()),
        }
    }

    /// Computes all forces by another path, or with other ranges of beads, from now on.
    pub fn set_path(&mut self, path: CpuPath, skin: f64, ranges: &[Range<usize>]) {
        self.path = ForcePath::new(path, self.path.system(), skin, ranges);
        if let Some((_, soft)) = &mut self.soft {
            *soft = ForcePath::new(path, soft.system(), skin, ranges);
        }
    }

    pub fn path(&mut self) -> &mut ForcePath<T> {
        &mut self.path
    }

    pub fn values(&self) -> &Coordinates<T> {
        &self.values
    }

    pub fn values_mut(&mut self) -> &mut Coordinates<T> {
        &mut self.values
    }

    /// Computes the forces of the interactions into [`MemberForces::values`]: in a push-off those of soft repulsions.
    pub fn evaluate(
        &mut self,
        positions: &Coordinates<T>,
        team: Option<&Team>,
    ) -> Result<(), StepError> {
        let path = match &mut self.soft {
            Some((_, soft)) => soft,
            None => &mut self.path,
        };
        path.evaluate(positions, &mut self.values, team, None)
    }

    /// Computes the forces of the interactions, and of a pair thermostat, into another array.
    pub fn evaluate_into(
        &mut self,
        positions: &Coordinates<T>,
        into: &mut Coordinates<T>,
        team: Option<&Team>,
        thermal: Option<&PairThermal<'_, T>>,
    ) -> Result<(), StepError> {
        self.path.evaluate(positions, into, team, thermal)
    }

    /// The level of the push-off whose soft repulsions act, if any do.
    pub fn level(&self) -> Option<u32> {
        self.soft.as_ref().map(|(level, _)| *level)
    }

    /// The system with the soft repulsions that act, if any do.
    pub fn soft_system(&self) -> Option<&Arc<System>> {
        self.soft.as_ref().map(|(_, path)| path.system())
    }

    /// Puts soft repulsions of a level in place of all pair terms; `None` takes them away.
    pub fn soften(&mut self, soft: Option<(u32, ForcePath<T>)>) {
        self.soft = soft;
    }
}
