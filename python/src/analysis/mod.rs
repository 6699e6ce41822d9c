//! `beadwork.analysis`: what the library finds in numbers, over arrays of numpy.
//!
//! Functions here take arrays whose shapes the package has checked, and return plain values. They work while other threads of
//! Python run.

mod frames;
mod pulling;
mod reweighting;
mod series;

use beadwork::analysis::{Estimate, interruption};
use numpy::{PyReadonlyArray1, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::failure::Failure;

/// Adds all functions to the module.
pub fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<reweighting::Reweighting>()?;
    module.add_function(wrap_pyfunction!(pulling::unfolding, module)?)?;
    module.add_function(wrap_pyfunction!(pulling::noise_fall, module)?)?;
    module.add_function(wrap_pyfunction!(pulling::bell_evans, module)?)?;
    module.add_function(wrap_pyfunction!(pulling::bell_evans_force, module)?)?;
    module.add_function(wrap_pyfunction!(pulling::hertz, module)?)?;
    module.add_function(wrap_pyfunction!(pulling::survival, module)?)?;
    module.add_function(wrap_pyfunction!(series::autocorrelation, module)?)?;
    module.add_function(wrap_pyfunction!(series::average, module)?)?;
    module.add_function(wrap_pyfunction!(frames::displacements, module)?)?;
    module.add_function(wrap_pyfunction!(frames::displacement_lags, module)?)?;
    module.add_function(wrap_pyfunction!(frames::diffusion, module)?)?;
    module.add_function(wrap_pyfunction!(frames::radius_of_gyration, module)?)?;
    module.add_function(wrap_pyfunction!(frames::internal_distances, module)?)?;
    module.add_function(wrap_pyfunction!(frames::contact_map, module)?)?;
    module.add_function(wrap_pyfunction!(frames::pair_distribution, module)?)?;
    module.add_function(wrap_pyfunction!(frames::structure_factor, module)?)
}

/// Values one after another.
type Values<'py> = PyReadonlyArray1<'py, f64>;

/// A number, its standard error, the degrees of freedom of that, and half of its 95 % confidence interval.
type PyEstimate = (f64, Option<f64>, f64, Option<f64>);

fn estimate(of: Estimate) -> PyEstimate {
    (of.value, of.error, of.freedom, of.half_interval())
}

/// Positions of frames × beads × 3, in single or double precision.
#[derive(FromPyObject)]
enum Positions<'py> {
    Single(PyReadonlyArray3<'py, f32>),
    Double(PyReadonlyArray3<'py, f64>),
}

/// The numbers of `Positions`, x, y and z of each bead of each frame in turn.
enum Coordinates<'a> {
    Single(&'a [[f32; 3]]),
    Double(&'a [[f64; 3]]),
}

/// The frames of `Positions`.
struct PositionFrames<'a> {
    coordinates: Coordinates<'a>,
    frames: usize,
    beads: usize,
}

impl Positions<'_> {
    fn frames(&self) -> PyResult<PositionFrames<'_>> {
        let (shape, coordinates) = match self {
            Positions::Single(all) => {
                let coordinates = Coordinates::Single(all.as_slice()?.as_chunks().0);
                (all.as_array().dim(), coordinates)
            }
            Positions::Double(all) => {
                let coordinates = Coordinates::Double(all.as_slice()?.as_chunks().0);
                (all.as_array().dim(), coordinates)
            }
        };
        let (frames, beads, axes) = shape;
        if axes != 3 {
            let problem = format!("positions have {axes} numbers for each bead: give x, y and z");
            return Err(Failure::argument(problem).into());
        }
        Ok(PositionFrames { coordinates, frames, beads })
    }
}

impl PositionFrames<'_> {
    /// The positions of a frame.
    fn at(&self, frame: usize) -> Vec<[f64; 3]> {
        let beads = frame * self.beads..(frame + 1) * self.beads;
        match self.coordinates {
            Coordinates::Single(all) => all[beads].iter().map(|at| at.map(f64::from)).collect(),
            Coordinates::Double(all) => all[beads].to_vec(),
        }
    }

    /// The frames up to the one during which a signal comes.
    fn until_signal(&self) -> impl Iterator<Item = usize> {
        (0..self.frames).take_while(|_| !interruption::is_wished())
    }

    /// Refuses positions that are not finite.
    fn check(&self) -> Result<(), Failure> {
        let place = match self.coordinates {
            Coordinates::Single(all) => all.iter().position(|at| at.iter().any(|x| !x.is_finite())),
            Coordinates::Double(all) => all.iter().position(|at| at.iter().any(|x| !x.is_finite())),
        };
        match place {
            None => Ok(()),
            Some(place) => Err(Failure::argument(format!(
                "bead {} of frame {} has a position that is not finite: leave such frames out",
                place % self.beads,
                place / self.beads
            ))),
        }
    }
}
