//! The forces of a member that is stepped alone.

use std::ops::Range;
use std::sync::Arc;

use beadwork_model::System;
use beadwork_random::Normal;
use beadwork_simulation::StepError;

use crate::arrays::coordinates::Coordinates;
use crate::noise::pair_thermal::PairThermal;
use crate::pair_simd;
use crate::reference;
use crate::stepping::cpu_path::CpuPath;
use crate::teams::team::Team;

/// The forces by a path. They are made when they are first needed: a member that a GPU steps needs none, and in large systems
/// they take more memory than all else.
#[derive(Clone, Debug)]
pub(crate) struct ForcePath<T> {
    path: CpuPath,
    system: Arc<System>,
    skin: f64,
    ranges: Vec<Range<usize>>,
    forces: Option<PathForces<T>>,
}

#[derive(Clone, Debug)]
pub(crate) enum PathForces<T> {
    Reference(reference::Forces<T>),
    PairSimd(pair_simd::Forces<T>),
}

impl<T: Normal> ForcePath<T> {
    /// The forces of a system whose lists have this skin, Å, with a range of beads for each thread.
    pub fn new(path: CpuPath, system: &Arc<System>, skin: f64, ranges: &[Range<usize>]) -> Self {
        let (system, ranges) = (system.clone(), ranges.to_vec());
        ForcePath { path, system, skin, ranges, forces: None }
    }

    pub fn system(&self) -> &Arc<System> {
        &self.system
    }

    pub fn forces(&mut self) -> &mut PathForces<T> {
        let ForcePath { path, system, skin, ranges, forces } = self;
        forces.get_or_insert_with(|| match *path {
            CpuPath::Reference => PathForces::Reference(reference::Forces::new(system, *skin)),
            CpuPath::PairSimd(instructions) => {
                PathForces::PairSimd(pair_simd::Forces::new(system, *skin, instructions, ranges))
            }
        })
    }

    pub fn evaluate(
        &mut self,
        positions: &Coordinates<T>,
        forces: &mut Coordinates<T>,
        team: Option<&Team>,
        thermal: Option<&PairThermal<'_, T>>,
    ) -> Result<(), StepError> {
        match self.forces() {
            PathForces::PairSimd(path) => path.evaluate(positions, forces, team, thermal),
            PathForces::Reference(path) => {
                let triples: Vec<_> = positions.iter().collect();
                let mut sums = vec![[T::zero(); 3]; triples.len()];
                path.evaluate_with(&triples, thermal, &mut sums)?;
                sums.into_iter().enumerate().for_each(|(bead, sum)| forces.set(bead, sum));
                Ok(())
            }
        }
    }
}
