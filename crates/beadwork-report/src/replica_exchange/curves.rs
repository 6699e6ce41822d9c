//! Curves over the temperature: averages, the peak of the heat capacity, and where the size grows fastest.

use beadwork_analysis::Estimate;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::{Peak, Point};

#[derive(Clone, Debug)]
pub(super) struct Curves {
    /// The averages from the lowest temperature to the highest.
    pub points: Vec<Point>,
    /// The highest specific heat, if it is between the ends.
    pub peak: Option<Peak>,
    /// Where the first quantity, the size, grows fastest with the temperature, if it is between the ends.
    pub growth: Option<Peak>,
    /// A second temperature beyond a valley, at which the size grows equally fast within a confidence interval.
    pub rival: Option<Peak>,
    pub ladders: usize,
}

pub(super) fn heat_capacity(point: &Point) -> Estimate {
    point.heat_capacity_per_bead
}

/// The derivative of the size.
pub(super) fn growth(point: &Point) -> Estimate {
    point.observables[0].temperature_derivative
}

impl Curves {
    /// What the errors rest on. Blocks of few ladders give each value degrees of freedom of its own (Welch and Satterthwaite).
    pub fn basis(&self) -> String {
        match self.ladders {
            ladders if ladders >= LEAST_BLOCKS => format!("from the spread of {ladders} ladders"),
            1 => "from blocks of one ladder's rows".to_string(),
            ladders => format!(
                "from blocks of the rows of {ladders} ladders; each value has degrees of freedom of its own"
            ),
        }
    }

    /// The end of the temperatures at which a curve is higher.
    pub(super) fn higher_end(&self, curve: fn(&Point) -> Estimate) -> Option<&Point> {
        let (cold, warm) = self.points.first().zip(self.points.last())?;
        Some(if curve(cold).value > curve(warm).value { cold } else { warm })
    }

    /// The height of a peak above the curve's higher end, if that is within the confidence interval of the height.
    pub(super) fn hardly_above(&self, peak: &Peak, curve: fn(&Point) -> Estimate) -> Option<f64> {
        let above = peak.height.value - curve(self.higher_end(curve)?).value;
        peak.height.half_interval().filter(|half| above < *half).map(|_| above)
    }

    /// Removes the errors of the energy, or of a quantity, if they are not known.
    pub(super) fn keep_errors(&mut self, [energy, quantities @ ..]: [bool; 4]) {
        let keep = |estimate: &mut Estimate, known: bool| {
            estimate.error = estimate.error.filter(|_| known);
        };
        for point in &mut self.points {
            keep(&mut point.energy, energy);
            keep(&mut point.heat_capacity_per_bead, energy);
            for (observable, own) in point.observables.iter_mut().zip(quantities) {
                keep(&mut observable.mean, energy && own);
                keep(&mut observable.temperature_derivative, energy && own);
            }
        }
        let size = energy && quantities[0];
        let peaks = [(&mut self.peak, energy), (&mut self.growth, size), (&mut self.rival, size)];
        for (peak, known) in peaks {
            if let Some(peak) = peak {
                keep(&mut peak.temperature, known);
                keep(&mut peak.height, known);
            }
        }
    }
}
