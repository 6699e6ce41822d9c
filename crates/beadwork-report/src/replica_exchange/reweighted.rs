//! Computes curves over the temperature by reweighting.

use beadwork_analysis::Samples;
use beadwork_analysis::autocorrelation::integrated_time;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::{Binning, Peak, Point, Reweighting, State};
use beadwork_analysis::thermodynamics::REPLICA_TIMES;
use rayon::prelude::*;

use super::batches::{MOST_TOGETHER, average, batches};
use super::curves::{Curves, growth};
use super::ladder::{Sampled, samples_of};
use super::ladders::Ladders;
use super::replica_times::ReplicaTimes;

pub(super) const GRID: usize = 240;

impl Ladders {
    /// Curves from all ladders, or the average over batches if there are too many temperatures. `times` has one entry for each
    /// family of ladders with the same temperatures.
    pub(super) fn curves(
        &self,
        ladders: &[Sampled<'_>],
        times: &[ReplicaTimes],
    ) -> Result<Curves, String> {
        let rungs = self.temperatures.len();
        if rungs < 2 {
            return Err("one temperature has no curve".to_string());
        }
        // A ladder with temperatures of its own needs samples at both ends, between which curves are drawn.
        let spans = |one: &&Sampled<'_>| match self.is_placed() {
            true => [0, rungs - 1].iter().all(|&end| !one.ladder.rows[end].is_empty()),
            false => one.ladder.has_rows(),
        };
        let ladders: Vec<&Sampled<'_>> = ladders.iter().filter(spans).collect();
        let mut pairs = ladders.windows(2).map(|pair| (pair[0].ladder, pair[1].ladder));
        let alike = pairs.all(|(one, other)| one.temperatures == other.temperatures);
        if alike || ladders.len() * rungs <= MOST_TOGETHER {
            return self.with_errors(&ladders, times);
        }
        let batches = batches(ladders.len(), rungs);
        // If there are too few batches, each is a single ladder with an error of its own.
        let alone = batches.len() < LEAST_BLOCKS;
        let curves = batches.into_par_iter().map(|batch| {
            let batch = &ladders[batch];
            if alone { self.with_errors(batch, times) } else { self.reweighted(batch, 1) }
        });
        let curves: Vec<Result<Curves, String>> = curves.collect();
        Ok(average(&curves.into_iter().collect::<Result<Vec<Curves>, String>>()?))
    }

    /// Curves from some ladders. Errors come from leaving out one ladder each or, for few ladders, one block of rows that is
    /// much longer than the autocorrelation time along the replicas.
    fn with_errors(
        &self,
        ladders: &[&Sampled<'_>],
        times: &[ReplicaTimes],
    ) -> Result<Curves, String> {
        let few = ladders.len().max(1);
        if few >= LEAST_BLOCKS {
            return self.reweighted(ladders, 1);
        }
        let all = ladders.iter().flat_map(|one| &one.series).map(|[energies, ..]| energies.len());
        let rows = all.filter(|rows| *rows > 0).min().unwrap_or(0);
        // The most blocks of a ladder that are long enough for the energy, and for each quantity.
        let most = [0, 1, 2, 3].map(|which| {
            let of = times.iter().filter_map(|of| of[which]);
            of.map(|time| match time.long_enough {
                true => rows / (REPLICA_TIMES * time.time).ceil().max(1.0) as usize,
                false => 0,
            })
            .fold(usize::MAX, usize::min)
        });
        let [fewest, many] = [LEAST_BLOCKS, 2 * LEAST_BLOCKS].map(|blocks| blocks.div_ceil(few));
        let blocks = most.into_iter().fold(many, usize::min).max(fewest);
        let mut curves = self.reweighted(ladders, blocks)?;
        let known = most.map(|most| blocks <= most);
        curves.keep_errors(known);
        Ok(curves)
    }

    /// Curves from some ladders, each cut into this many blocks.
    fn reweighted(&self, ladders: &[&Sampled<'_>], blocks: usize) -> Result<Curves, String> {
        let nothing = [const { Vec::new() }; 4];
        let mut states: Vec<State<'_>> = Vec::new();
        for (place, first) in ladders.iter().enumerate() {
            let temperatures = &first.ladder.temperatures;
            let alike = |one: &Sampled<'_>| one.ladder.temperatures == *temperatures;
            // The first of the ladders with the same temperatures provides the temperatures of all.
            if ladders[..place].iter().any(|one| alike(one)) {
                continue;
            }
            for (rung, &temperature) in temperatures.iter().enumerate() {
                // Other ladders have no samples at this temperature.
                let samples: Vec<Samples<'_>> = ladders
                    .iter()
                    .map(|one| if alike(one) { &one.series[rung] } else { &nothing })
                    .map(samples_of)
                    .collect();
                let chains: Vec<&[f64]> =
                    samples.iter().map(|of| of.energies).filter(|all| !all.is_empty()).collect();
                // The replica there failed, or has not reached the last stage.
                if chains.is_empty() {
                    continue;
                }
                let inefficiency =
                    integrated_time(&chains).map_or(1.0, |time| time.inefficiency().max(1.0));
                let groups = samples.iter().flat_map(|ladder| ladder.blocks(blocks)).collect();
                states.push(State { temperature, inefficiency, groups });
            }
        }
        // The solver is fastest if states with overlapping energies are adjacent.
        states.sort_by(|one, other| one.temperature.total_cmp(&other.temperature));
        let (from, to) = (self.temperatures[0], self.temperatures[self.temperatures.len() - 1]);
        let sampled = |end: f64| states.iter().any(|state| state.temperature == end);
        if !(sampled(from) && sampled(to)) {
            return Err("the lowest temperature or the highest has no rows".to_string());
        }
        let found =
            Reweighting::new(&states, Binning::Automatic).map_err(|error| error.to_string())?;
        let step = (to / from).ln() / (GRID - 1) as f64;
        let at = |place: usize| found.at(from * (step * place as f64).exp(), self.beads);
        let points: Vec<Point> = (0..GRID).into_par_iter().map(at).collect();
        let (mut growth, mut rival) = (found.growth_peak(from, to, 0), None);
        // Two peaks of equal height are searched separately; otherwise the error would span both places.
        if growth.is_some()
            && let Some(valley) = valley(&points)
        {
            let sides = [(from, valley), (valley, to)];
            let mut sides = sides.map(|(from, to)| found.growth_peak(from, to, 0));
            sides.sort_by(|one, other| height(other).total_cmp(&height(one)));
            [growth, rival] = sides;
        }
        let peak = found.heat_capacity_peak(from, to, self.beads);
        Ok(Curves { points, peak, growth, rival, ladders: ladders.len() })
    }
}

fn height(peak: &Option<Peak>) -> f64 {
    peak.as_ref().map_or(f64::NEG_INFINITY, |peak| peak.height.value)
}

/// The bottom of the valley between the highest peak of the growth and the next that is as high within a confidence interval,
/// if the valley is deeper than that interval.
fn valley(points: &[Point]) -> Option<f64> {
    let at = |place: usize| growth(&points[place]);
    // The growth at one point minus that at another, in halves of the confidence interval of the difference.
    let above = |one: usize, other: usize| -> Option<f64> {
        let (one, other) = (at(one), at(other));
        Some((one.value - other.value) / one.half_interval()?.hypot(other.half_interval()?))
    };
    let higher = |a: &usize, b: &usize| at(*a).value.total_cmp(&at(*b).value);
    let top = (0..points.len()).max_by(higher)?;
    let lowest = |rival: usize| (rival.min(top)..=rival.max(top)).min_by(higher);
    let is_rival = |&rival: &usize| {
        let deep = lowest(rival).and_then(|valley| above(rival, valley));
        above(top, rival).is_some_and(|above| above < 1.0) && deep.is_some_and(|deep| deep > 1.0)
    };
    let rival = (1..points.len() - 1).filter(is_rival).max_by(higher)?;
    lowest(rival).map(|valley| points[valley].temperature)
}

#[cfg(test)]
mod tests {
    use beadwork_analysis::Estimate;

    use super::super::tests::batches::parabola;
    use super::*;

    /// Two peaks in ln T count if their heights agree within 1.96 errors; one peak, or a lower second one, gives none.
    #[test]
    fn valleys_between_peaks_that_are_as_high() {
        let between = |lower: f64, ripple: f64| {
            let mut points = parabola(0.5).points;
            for point in &mut points {
                let x = point.temperature.ln();
                let peak = |place: f64| (-100.0 * (x - place).powi(2)).exp();
                let value = 3.0 * peak(0.3) + (3.0 - lower) * peak(0.7) + ripple * (90.0 * x).sin();
                let growth = Estimate { value, error: Some(0.1), freedom: f64::INFINITY };
                point.observables[0].temperature_derivative = growth;
            }
            valley(&points)
        };
        // 1.96 standard errors of the difference: 1.96 √2 0.1 = 0.28.
        let found = between(0.2, 0.0).unwrap();
        assert!((found.ln() - 0.5).abs() < 0.01, "{found}");
        assert_eq!(between(0.4, 0.0), None);
        assert!(between(-0.2, 0.0).is_some());
        // Shallow ripples do not count as valleys.
        assert_eq!(between(1.0, 0.05), None);
        assert_eq!(valley(&parabola(0.5).points), None);
    }
}
