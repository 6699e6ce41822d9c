//! Results of the samples of a group.

use beadwork_analysis::overlap::{overlap_fraction, slope_error};
use beadwork_analysis::thermodynamics::{Thermodynamics, at_temperature};
use beadwork_analysis::{Samples, round_trips};
use rayon::prelude::*;

use super::curves::Curves;
use super::equilibrium::Drifts;
use super::replica_times::{ReplicaTimes, replica_times};
use super::{Ladder, Ladders, Series, samples_of};

/// Equal temperatures may differ by this fraction, because tables have kelvins and samples k_B T.
const ROUNDING: f64 = 1e-9;

pub(super) fn is_same(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < ROUNDING
}

/// A ladder with its samples in the order of time.
pub(super) struct Sampled<'a> {
    pub number: u64,
    pub ladder: &'a Ladder,
    /// The samples of each rung.
    pub series: Vec<Series>,
}

#[derive(Clone, Debug)]
pub(super) struct Findings {
    /// The families in the order of their first ladders.
    pub families: Vec<Family>,
    /// The numbers of ladders without rows of the last stage, whose temperatures may still change.
    pub unplaced: Vec<u64>,
    pub curves: Result<Curves, String>,
}

/// The results of ladders with the same temperatures: all ladders of a group, unless stages placed the temperatures.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    /// The numbers of the ladders in words; empty if these are all ladders.
    pub name: String,
    pub ladders: Vec<u64>,
    pub temperatures: Vec<f64>,
    pub placing: Placing,
    /// Attempted and accepted exchanges of each lower rung.
    pub swaps: Vec<(f64, f64)>,
    /// For each rung, visits of replicas that came from the lowest rung and from the highest.
    pub flow: Vec<(f64, f64)>,
    pub round_trips: f64,
    pub at: Vec<Thermodynamics>,
    /// For each pair of neighbours, the deviation of the slope of their energies in standard errors, and the overlap.
    pub neighbours: Vec<(Option<f64>, f64)>,
    pub drifts: Drifts,
}

/// How the stages of a run placed the temperatures of a family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Placing {
    /// The temperatures are placed as the stages specify.
    #[default]
    Done,
    /// A replica failed after temperatures were placed, so they were not placed again.
    BrokenOff,
    /// A replica failed before temperatures were placed.
    Never,
}

impl Findings {
    /// The first family with samples, whose energies are drawn.
    pub fn sampled_family(&self) -> Option<&Family> {
        self.families.iter().find(|family| !family.at.is_empty())
    }
}

impl Family {
    /// ` of ladder 2`; empty for all ladders.
    pub fn of_ladder(&self) -> String {
        match self.name.as_str() {
            "" => String::new(),
            name => format!(" of ladder {name}"),
        }
    }

    pub fn has_attempts(&self) -> bool {
        self.swaps.iter().any(|(tried, _)| *tried > 0.0)
    }

    /// The number of round trips, and the number expected if the energies of successive attempts were independent; `None`
    /// without attempts.
    pub fn round_trips(&self) -> Option<(f64, f64)> {
        // Even and odd pairs are attempted alternately.
        let attempts = match self.swaps.as_slice() {
            [] => return None,
            [only] => 2.0 * only.0,
            [first, second, ..] => first.0 + second.0,
        };
        let acceptance: Vec<f64> = self.swaps.iter().map(|(tried, made)| made / tried).collect();
        let expected = round_trips::expected(attempts, &acceptance);
        expected.is_finite().then_some((self.round_trips, expected))
    }
}

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
