//! Averages at any temperature from samples at several.

use beadwork::analysis::Samples;
use beadwork::analysis::reweighting::{self, Binning, Peak, State};
use pyo3::prelude::*;

use super::{PyEstimate, Values, estimate};
use crate::threads::{alone_without_python, without_python};

/// Samples at several temperatures with their free energies.
#[pyclass(frozen, module = "beadwork._beadwork")]
pub struct Reweighting {
    reweighting: reweighting::Reweighting,
}

/// The samples of a group at one temperature.
struct Group {
    energies: Vec<f64>,
    observables: Vec<Vec<f64>>,
}

impl Group {
    fn samples(&self) -> Samples<'_> {
        Samples {
            energies: &self.energies,
            observables: self.observables.iter().map(Vec::as_slice).collect(),
        }
    }
}

fn copied(values: &Values<'_>) -> PyResult<Vec<f64>> {
    Ok(values.as_slice()?.to_vec())
}

/// Energy, heat capacity a bead, effective samples, and mean and derivative of each observable.
type PyPoint = (PyEstimate, PyEstimate, f64, Vec<(PyEstimate, PyEstimate)>);

/// Temperature and height.
type PyPeak = Option<(PyEstimate, PyEstimate)>;

#[pymethods]
impl Reweighting {
    /// Of temperatures, the energies of each group at each, the values of observables beside them, and inefficiencies. Bins have
    /// the width `width`; 0 puts only equal energies into one bin.
    #[new]
    #[pyo3(signature = (temperatures, energies, observables, inefficiencies, width))]
    fn new(
        py: Python<'_>,
        temperatures: Vec<f64>,
        energies: Vec<Vec<Values<'_>>>,
        observables: Vec<Vec<Vec<Values<'_>>>>,
        inefficiencies: Vec<f64>,
        width: Option<f64>,
    ) -> PyResult<Reweighting> {
        let mut groups: Vec<Vec<Group>> = Vec::new();
        for (place, of_groups) in energies.iter().enumerate() {
            let mut of_state = Vec::new();
            for (group, energies) in of_groups.iter().enumerate() {
                let values = observables.iter().map(|observable| copied(&observable[place][group]));
                let observables = values.collect::<PyResult<Vec<Vec<f64>>>>()?;
                of_state.push(Group { energies: copied(energies)?, observables });
            }
            groups.push(of_state);
        }
        let binning = match width {
            None => Binning::Automatic,
            Some(0.0) => Binning::Exact,
            Some(width) => Binning::Width(width),
        };
        let reweighting = without_python(py, || {
            let mut states = Vec::new();
            for ((&temperature, &inefficiency), groups) in
                temperatures.iter().zip(&inefficiencies).zip(&groups)
            {
                let groups = groups.iter().map(Group::samples).collect();
                states.push(State { temperature, inefficiency, groups });
            }
            Ok(reweighting::Reweighting::new(&states, binning)?)
        })?;
        Ok(Reweighting { reweighting })
    }

    /// The width of the bins; 0 if only equal energies share one.
    #[getter]
    fn bin_width(&self) -> f64 {
        self.reweighting.bin_width()
    }

    /// The free energy of each temperature over kT, less that of the first.
    fn free_energies(&self) -> Vec<PyEstimate> {
        self.reweighting.free_energies().into_iter().map(estimate).collect()
    }

    /// Averages at a temperature.
    fn at(&self, py: Python<'_>, temperature: f64, beads: usize) -> PyResult<PyPoint> {
        let point = alone_without_python(py, || Ok(self.reweighting.at(temperature, beads)))?;
        let of = |one: &reweighting::Reweighted| {
            (estimate(one.mean), estimate(one.temperature_derivative))
        };
        let observables = point.observables.iter().map(of).collect();
        let heat_capacity = estimate(point.heat_capacity_per_bead);
        Ok((estimate(point.energy), heat_capacity, point.effective_samples, observables))
    }

    /// The highest maximum of the heat capacity a bead, or of the growth of an observable.
    #[pyo3(signature = (low, high, beads, observable))]
    fn peak(
        &self,
        py: Python<'_>,
        low: f64,
        high: f64,
        beads: usize,
        observable: Option<usize>,
    ) -> PyResult<PyPeak> {
        let peak = without_python(py, || {
            Ok(match observable {
                None => self.reweighting.heat_capacity_peak(low, high, beads),
                Some(observable) => self.reweighting.growth_peak(low, high, observable),
            })
        })?;
        Ok(peak.map(|Peak { temperature, height }| (estimate(temperature), estimate(height))))
    }
}
