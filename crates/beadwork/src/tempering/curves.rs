//! Curves over the temperature, by reweighting.

use beadwork_analysis::autocorrelation::integrated_time;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::{Binning, Peak, Point, Reweighted, Reweighting, State};
use beadwork_analysis::{Estimate, Samples};

use super::{Ladder, OfGroup, Series, samples_of};

/// Temperatures at which curves are drawn.
const GRID: usize = 240;
/// Temperatures of which samples are reweighted together: the work grows with their third power.
const MOST_TOGETHER: usize = 512;

/// What is known between the temperatures, too.
pub(super) struct Curves {
    /// From the lowest temperature to the highest.
    pub points: Vec<Point>,
    /// The highest specific heat, if it is between the ends.
    pub peak: Option<Peak>,
}

impl OfGroup {
    /// Curves from all ladders together. Of more temperatures than can be, ladders are reweighted in parties, and averaged.
    pub(super) fn curves(&self) -> Result<Curves, String> {
        let rungs = self.temperatures.len();
        if rungs < 2 {
            return Err("one temperature has no curve".to_string());
        }
        let ladders: Vec<&Ladder> = self.ladders.values().collect();
        let alike = ladders.windows(2).all(|pair| pair[0].temperatures == pair[1].temperatures);
        if alike || ladders.len() * rungs <= MOST_TOGETHER {
            // Ladders, or stretches of the time of each, are left out in turn.
            let blocks = match ladders.len() {
                many if many >= LEAST_BLOCKS => 1,
                few => (2 * LEAST_BLOCKS).div_ceil(few.max(1)),
            };
            return self.reweighted(&ladders, blocks);
        }
        let parties = (ladders.len() * rungs).div_ceil(MOST_TOGETHER).max(LEAST_BLOCKS);
        // Rather more parties than fewer, since errors come from how they differ.
        let size = (ladders.len() / parties).max(1);
        let parties: Vec<Curves> = ladders
            .chunks(size)
            .map(|party| self.reweighted(party, 1))
            .collect::<Result<_, String>>()?;
        Ok(average(&parties))
    }

    /// Curves from some ladders, whose samples are cut into so many blocks each.
    fn reweighted(&self, ladders: &[&Ladder], blocks: usize) -> Result<Curves, String> {
        let series: Vec<(&[f64], Vec<Series>)> =
            ladders.iter().map(|ladder| (&ladder.temperatures[..], ladder.series())).collect();
        let nothing = [const { Vec::new() }; 4];
        let mut states: Vec<State<'_>> = Vec::new();
        for (place, (temperatures, _)) in series.iter().enumerate() {
            // Of ladders with the same temperatures the first stands for all.
            if series[..place].iter().any(|(others, _)| others == temperatures) {
                continue;
            }
            for (rung, &temperature) in temperatures.iter().enumerate() {
                // Other ladders have nothing at this temperature.
                let samples: Vec<Samples<'_>> = series
                    .iter()
                    .map(|(own, rungs)| if own == temperatures { &rungs[rung] } else { &nothing })
                    .map(samples_of)
                    .collect();
                let chains: Vec<&[f64]> =
                    samples.iter().map(|of| of.energies).filter(|all| !all.is_empty()).collect();
                let inefficiency =
                    integrated_time(&chains).map_or(1.0, |time| time.inefficiency().max(1.0));
                let groups = samples.iter().flat_map(|ladder| ladder.blocks(blocks)).collect();
                states.push(State { temperature, inefficiency, groups });
            }
        }
        // The solver is fastest where those that share energies stand together.
        states.sort_by(|one, other| one.temperature.total_cmp(&other.temperature));
        let found =
            Reweighting::new(&states, Binning::Automatic).map_err(|error| error.to_string())?;
        let (from, to) = (self.temperatures[0], self.temperatures[self.temperatures.len() - 1]);
        let step = (to / from).ln() / (GRID - 1) as f64;
        let grid: Vec<f64> = (0..GRID).map(|place| from * (step * place as f64).exp()).collect();
        Ok(Curves {
            points: found.curve(&grid, self.beads),
            peak: found.heat_capacity_peak(from, to, self.beads),
        })
    }
}

/// The mean over parties of ladders and its error, from how they differ.
fn average(parties: &[Curves]) -> Curves {
    let mean = |pick: &dyn Fn(&Curves) -> f64| {
        let values: Vec<f64> = parties.iter().map(pick).collect();
        let (sum, others) = (values.iter().sum::<f64>(), values.len() as f64 - 1.0);
        let without: Vec<f64> = values.iter().map(|value| (sum - value) / others).collect();
        Estimate::jackknife(sum / values.len() as f64, &without)
    };
    let point = |place: usize| {
        let first = &parties[0].points[place];
        let observable = |which: usize| {
            let of = move |party: &Curves| party.points[place].observables[which];
            Reweighted {
                mean: mean(&|party| of(party).mean.value),
                temperature_derivative: mean(&|party| of(party).temperature_derivative.value),
            }
        };
        Point {
            temperature: first.temperature,
            energy: mean(&|party| party.points[place].energy.value),
            heat_capacity_per_bead: mean(&|party| party.points[place].heat_capacity_per_bead.value),
            observables: (0..first.observables.len()).map(observable).collect(),
            effective_samples: parties.iter().map(|one| one.points[place].effective_samples).sum(),
        }
    };
    let all_have = parties.iter().all(|party| party.peak.is_some());
    let of_peak =
        |pick: &dyn Fn(&Peak) -> f64| mean(&|party| party.peak.as_ref().map_or(f64::NAN, pick));
    Curves {
        points: (0..parties[0].points.len()).map(point).collect(),
        peak: all_have.then(|| Peak {
            temperature: of_peak(&|peak| peak.temperature.value),
            height: of_peak(&|peak| peak.height.value),
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Energies of eight quadratic degrees of freedom at each rung: C = 4 and E = 4 T everywhere.
    fn group(ladders: u64, rungs: usize) -> OfGroup {
        let mut word = 17_u64;
        let mut uniform = || {
            word = word
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((word >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        let mut ladder = |number: u64| {
            let span = (rungs - 1) as f64;
            let temperatures: Vec<f64> = (0..rungs)
                .map(|rung| (rung as f64 / span, number as f64 / 1000.0))
                .map(|(x, own)| 1.0 + x + own * x * (1.0 - x))
                .collect();
            let mut found = Ladder::new(&temperatures);
            for (rows, temperature) in found.rows.iter_mut().zip(&temperatures) {
                for step in 0..200 {
                    let product: f64 = (0..4).map(|_| uniform()).product();
                    rows.insert(step, [-temperature * product.ln(), 0.0, 0.0, 1.0]);
                }
            }
            found
        };
        let ladders: BTreeMap<u64, Ladder> = (0..ladders).map(|n| (n, ladder(n))).collect();
        let temperatures = ladders[&0].temperatures.clone();
        OfGroup {
            group: String::new(),
            sampled: true,
            beads: 1,
            temperatures,
            placed: true,
            ladders,
        }
    }

    /// Together, or in parties where that would be too many temperatures.
    #[test]
    fn ladders_with_temperatures_of_their_own_make_one_curve() {
        for (ladders, rungs) in [(9, 4), (9, 60)] {
            let curves = group(ladders, rungs).curves().unwrap();
            assert_eq!(curves.points.len(), GRID);
            for point in curves.points.iter().step_by(60) {
                let off = [
                    point.energy.deviation(4.0 * point.temperature).unwrap(),
                    point.heat_capacity_per_bead.deviation(4.0).unwrap(),
                ];
                // Student's t of eight degrees beyond 6 once in 3,000 times, and there are sixteen.
                assert!(
                    off.iter().all(|off| off.abs() < 6.0),
                    "{ladders} {rungs}: {off:?} {point:?}"
                );
                assert!(point.heat_capacity_per_bead.error.unwrap() < 0.4, "{point:?}");
            }
        }
    }
}
