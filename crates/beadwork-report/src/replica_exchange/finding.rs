//! Computes the results of ladders from their samples.

use beadwork_analysis::Samples;
use beadwork_analysis::overlap::{overlap_fraction, slope_error};
use beadwork_analysis::thermodynamics::at_temperature;
use rayon::prelude::*;

use super::equilibrium::Drifts;
use super::findings::{Family, Findings, Placing, is_same};
use super::ladder::{Ladder, Sampled, samples_of};
use super::ladders::Ladders;
use super::replica_times::{ReplicaTimes, replica_times};

/// The deviation of the slope of two neighbours' energies in standard errors, and their overlap.
fn neighbours(temperatures: [f64; 2], samples: [&[Samples<'_>]; 2]) -> (Option<f64>, f64) {
    let [cold, warm] =
        samples.map(|of| of.iter().map(|ladder| ladder.energies).collect::<Vec<&[f64]>>());
    let slope = slope_error(temperatures, [&cold, &warm]).ok();
    let overlap = overlap_fraction([&cold.concat(), &warm.concat()]);
    (slope.and_then(|slope| slope.deviation(0.0)), overlap)
}

impl Ladders {
    /// The families of these ladders, in the order of their first ladders, each with the indices of its ladders.
    /// Exchanges and round trips are summed; `at`, `neighbours` and `drifts` are still empty.
    fn families(&self, ladders: &[Sampled<'_>]) -> Vec<(Family, Vec<usize>)> {
        let mut families: Vec<(Family, Vec<usize>)> = Vec::new();
        for (place, Sampled { number, ladder, .. }) in ladders.iter().enumerate() {
            let placing = self.placing(ladder);
            let alike = |(one, _): &(Family, _)| {
                one.temperatures == ladder.temperatures && one.placing == placing
            };
            let known = families.iter().position(alike).unwrap_or(families.len());
            if known == families.len() {
                let family = Family {
                    temperatures: ladder.temperatures.clone(),
                    placing,
                    swaps: vec![(0.0, 0.0); ladder.swaps.len()],
                    flow: vec![(0.0, 0.0); ladder.flow.len()],
                    ..Family::default()
                };
                families.push((family, Vec::new()));
            }
            let (family, places) = &mut families[known];
            family.ladders.push(*number);
            places.push(place);
            family.round_trips += ladder.round_trips;
            let swaps = family.swaps.iter_mut().zip(&ladder.swaps);
            for (sum, of) in swaps.chain(family.flow.iter_mut().zip(&ladder.flow)) {
                *sum = (sum.0 + of.0, sum.1 + of.1);
            }
        }
        for (family, _) in &mut families {
            if family.ladders.len() < self.ladders.len() {
                let numbers: Vec<String> = family.ladders.iter().map(u64::to_string).collect();
                family.name = numbers.join(" ");
            }
        }
        families
    }

    fn placing(&self, ladder: &Ladder) -> Placing {
        let mut both = ladder.temperatures.iter().zip(&self.temperatures);
        let mut as_given = || both.all(|(own, given)| is_same(*own, *given));
        match self.is_placed() && ladder.failed_early {
            false => Placing::Done,
            true if as_given() => Placing::Never,
            true => Placing::BrokenOff,
        }
    }

    pub(super) fn find(&self) -> Findings {
        let (counted, unplaced): (Vec<_>, Vec<_>) =
            self.ladders.iter().partition(|(_, ladder)| !self.is_placed() || ladder.has_rows());
        let sampled = counted.into_par_iter().map(|(&number, ladder)| Sampled {
            number,
            ladder,
            series: ladder.series(),
        });
        let ladders: Vec<Sampled<'_>> = sampled.collect();
        let families = self.families(&ladders);
        let samples = |family: usize, rung: usize| -> Vec<Samples<'_>> {
            let of_rung = families[family].1.iter().map(|&place| &ladders[place].series[rung]);
            of_rung.map(samples_of).filter(|of| !of.energies.is_empty()).collect()
        };
        let times: Vec<ReplicaTimes> = families
            .iter()
            .map(|(_, places)| {
                let of_family = places.iter().map(|&place| ladders[place].ladder);
                replica_times(&of_family.collect::<Vec<_>>())
            })
            .collect();
        // Each rung of each family, with the next rung.
        let rungs = self.temperatures.len();
        let found = (0..families.len() * rungs).into_par_iter().map(|number| {
            let (family, rung) = (number / rungs, number % rungs);
            let temperatures = &families[family].0.temperatures;
            let own = samples(family, rung);
            let pair = temperatures.get(rung + 1).map(|&next| {
                neighbours([temperatures[rung], next], [&own, &samples(family, rung + 1)])
            });
            (at_temperature(temperatures[rung], self.beads, &own, &times[family]).ok(), pair)
        });
        let found: Vec<_> = found.collect();
        let curves = self.curves(&ladders, &times);
        let drifts = families.par_iter().map(|(_, places)| {
            Drifts::of(&places.iter().map(|&place| &ladders[place]).collect::<Vec<_>>(), rungs)
        });
        let drifts: Vec<Drifts> = drifts.collect();
        let mut families: Vec<Family> = families.into_iter().map(|(family, _)| family).collect();
        families.iter_mut().zip(drifts).for_each(|(family, drifts)| family.drifts = drifts);
        for (number, (at, pair)) in found.into_iter().enumerate() {
            let family = &mut families[number / rungs];
            family.at.extend(at);
            family.neighbours.extend(pair);
        }
        let unplaced = unplaced.into_iter().map(|(&number, _)| number).collect();
        Findings { families, unplaced, curves }
    }
}
