//! What follows from the samples of a group.

use beadwork_analysis::Samples;
use beadwork_analysis::overlap::{energy_ratio, overlap_fraction};
use beadwork_analysis::round_trips;
use beadwork_analysis::thermodynamics::{Thermodynamics, at_temperature};

use super::curves::Curves;
use super::{Ladder, OfGroup, Series, samples_of};

/// Ladders with the same temperatures, all of a group unless these were placed.
pub(super) struct Family<'a> {
    /// Numbers of the ladders; empty where it is all of them.
    pub name: String,
    pub temperatures: &'a [f64],
    ladders: Vec<&'a Ladder>,
}

/// What is said of a group.
pub(super) struct Findings<'a> {
    pub families: Vec<OfFamily<'a>>,
    pub curves: Result<Curves, String>,
}

/// What is said of a family.
pub(super) struct OfFamily<'a> {
    pub family: Family<'a>,
    pub at: Vec<Thermodynamics>,
    /// Of each pair of neighbours: standard errors that the slope of their energies is off, and the overlap.
    pub neighbours: Vec<(Option<f64>, f64)>,
}

impl<'a> Family<'a> {
    /// Attempts and successes by lower rung.
    pub fn swaps(&self) -> Vec<(f64, f64)> {
        let sum = |pair: usize| {
            let of_pair = self.ladders.iter().map(|ladder| ladder.swaps[pair]);
            of_pair.fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
        };
        (0..self.temperatures.len() - 1).map(sum).collect()
    }

    /// Round trips that were made, and those of replicas that would forget their energies from one attempt to the next;
    /// none where nothing was attempted.
    pub fn round_trips(&self) -> Option<(f64, f64)> {
        let swaps = self.swaps();
        // Pairs are attempted in turn.
        let attempts = match swaps.as_slice() {
            [] => return None,
            [only] => 2.0 * only.0,
            [first, second, ..] => first.0 + second.0,
        };
        let acceptance: Vec<f64> = swaps.iter().map(|(tried, made)| made / tried).collect();
        let expected = round_trips::expected(attempts, &acceptance);
        let made = self.ladders.iter().map(|ladder| ladder.round_trips).sum();
        expected.is_finite().then_some((made, expected))
    }

    /// Energies at each rung.
    pub fn energies(&self) -> Vec<Vec<f64>> {
        let of_rung = |rung: usize| {
            let rows = self.ladders.iter().flat_map(|ladder| ladder.rows[rung].values());
            rows.map(|row| row[0]).collect()
        };
        (0..self.temperatures.len()).map(of_rung).collect()
    }

    fn findings(self, beads: usize) -> OfFamily<'a> {
        let series: Vec<Vec<Series>> = self.ladders.iter().map(|ladder| ladder.series()).collect();
        let at_rung = |rung: usize| -> Vec<Samples<'_>> {
            let of_rung = series.iter().map(|rungs| samples_of(&rungs[rung]));
            of_rung.filter(|of| !of.energies.is_empty()).collect()
        };
        let samples: Vec<Vec<Samples<'_>>> = (0..self.temperatures.len()).map(at_rung).collect();
        let at = samples.iter().zip(self.temperatures);
        let at = at.filter_map(|(of, t)| at_temperature(*t, beads, of).ok()).collect();
        let chains =
            |rung: usize| -> Vec<&[f64]> { samples[rung].iter().map(|of| of.energies).collect() };
        let neighbours = (1..self.temperatures.len())
            .map(|above| {
                let temperatures = [self.temperatures[above - 1], self.temperatures[above]];
                let (cold, warm) = (chains(above - 1), chains(above));
                let ratio = energy_ratio(temperatures, [&cold, &warm]).ok();
                let overlap = overlap_fraction([&cold.concat(), &warm.concat()]);
                (ratio.and_then(|ratio| ratio.deviation()), overlap)
            })
            .collect();
        OfFamily { at, neighbours, family: self }
    }
}

impl OfGroup {
    /// Ladders by their temperatures, in the order of their numbers.
    fn families(&self) -> Vec<Family<'_>> {
        let mut families: Vec<Family<'_>> = Vec::new();
        for (number, ladder) in &self.ladders {
            let alike = |one: &&mut Family<'_>| one.temperatures == ladder.temperatures;
            match families.iter_mut().find(alike) {
                Some(family) => {
                    family.name += &format!(" {number}");
                    family.ladders.push(ladder);
                }
                None => families.push(Family {
                    name: number.to_string(),
                    temperatures: &ladder.temperatures,
                    ladders: vec![ladder],
                }),
            }
        }
        if let [all] = families.as_mut_slice() {
            all.name.clear();
        }
        families
    }

    pub(super) fn findings(&self) -> Findings<'_> {
        let families = self.families().into_iter().map(|family| family.findings(self.beads));
        Findings { families: families.collect(), curves: self.curves() }
    }
}
