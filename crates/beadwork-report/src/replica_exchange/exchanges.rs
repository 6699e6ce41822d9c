//! Exchanges in words: how often replicas were exchanged, and whether their energies are those of one system.

use std::fmt::Write as _;

use beadwork_model::Placement;

use super::findings::{Family, Findings, Placing};
use super::words::listed;
use super::{Ladder, Ladders, SHOWN_FAMILIES};
use crate::words::plain;

/// Slopes of neighbouring energies that deviate by more standard errors are wrong. By chance this happens once in ten
/// thousand ladders of up to a hundred pairs.
const WRONG_BEYOND: f64 = 5.0;
/// Replicas that are exchanged less often than this do not mix.
const FEWEST_SWAPS: f64 = 0.01;
/// This many attempts without success show, at a level of 5 %, that exchanges are rarer than that.
const FEWEST_ATTEMPTS: f64 = 300.0;
/// A run with less than one round trip for this many replicas may be far from equilibrium.
const REPLICAS_A_TRIP: f64 = 4.0;

/// The numbers of round trips and of replicas, if there are too few round trips.
pub(super) fn few_round_trips(findings: &Findings) -> Option<(f64, usize)> {
    let counted = findings.families.iter().filter(|one| one.has_attempts());
    let replicas = counted.clone().map(|one| one.ladders.len() * one.temperatures.len()).sum();
    let made: f64 = counted.map(|one| one.round_trips).sum();
    (made * REPLICAS_A_TRIP < replicas as f64).then_some((made, replicas))
}

fn numbers(ladders: impl IntoIterator<Item = u64>) -> String {
    let numbers: Vec<f64> = ladders.into_iter().map(|number| number as f64).collect();
    listed(&numbers, |number| format!("{number}"))
}

impl Ladders {
    /// Lines on the placed temperatures, acceptance, round trips and the energies of neighbours.
    pub(super) fn exchanges_in_words(&self, findings: &Findings) -> String {
        let head = self.head();
        let mut text = String::new();
        if self.is_placed() {
            self.describe_placing(&mut text, &head, findings);
        }
        if !findings.unplaced.is_empty() {
            let _ = writeln!(
                text,
                "{head}without rows of the last stage, and left out of all results: ladder {}",
                numbers(findings.unplaced.iter().copied())
            );
        }
        // Temperatures of ladders before the last stage may still be placed again.
        let otherwise =
            |ladder: &Ladder| ladder.has_rows() && ladder.placed_by == Placement::Acceptance.name();
        let for_round_trips = self.placed_by == Some(Placement::RoundTrips);
        let ladders =
            self.ladders.iter().filter(|(_, ladder)| for_round_trips && otherwise(ladder));
        let otherwise = numbers(ladders.map(|(number, _)| *number));
        if !otherwise.is_empty() {
            let _ = writeln!(
                text,
                "note: {head}less than half of the replicas came from the lowest temperature to the highest in the last half of the stage that places temperatures, so that it was done by acceptance and not for round trips, in ladder {otherwise}: make that stage longer, or write tune_temperatures = \"acceptance\""
            );
        }
        self.describe_acceptance(&mut text, &head, findings);
        self.describe_neighbours(&mut text, &head, findings);
        text
    }

    /// `0.4 and 0.5 K of ladder 2`.
    fn between(&self, family: &Family, lower: usize) -> String {
        let below = plain(family.temperatures[lower] / self.kind.unit);
        format!(
            "{below} and {}{}",
            self.temperature(family.temperatures[lower + 1]),
            family.of_ladder()
        )
    }

    /// The temperatures of the input, and those of each family, if stages place them.
    fn describe_placing(&self, text: &mut String, head: &str, findings: &Findings) {
        let kelvin = self.kind.kelvin;
        let shown = |temperatures: &[f64]| listed(&self.in_unit(temperatures), plain);
        let given = shown(&self.temperatures);
        let _ = writeln!(text, "{head}temperatures as given: {given}{kelvin}");
        for one in findings.families.iter().take(SHOWN_FAMILIES) {
            let of = match one.name.as_str() {
                "" => "all ladders".to_string(),
                name => format!("ladder {name}"),
            };
            let how = match one.placing {
                Placing::Done => "as placed",
                Placing::BrokenOff => "as placed before a replica failed",
                Placing::Never => "not placed, since a replica failed before",
            };
            let percent: Vec<f64> =
                one.swaps.iter().map(|(tried, made)| 100.0 * made / tried.max(1.0)).collect();
            let accepted = match one.has_attempts() {
                true => format!("; accepted {} %", listed(&percent, |share| format!("{share:.1}"))),
                false => String::new(),
            };
            let placed = shown(&one.temperatures);
            let _ = writeln!(text, "{head}{how}, {of}: {placed}{kelvin}{accepted}");
        }
        if findings.families.len() > SHOWN_FAMILIES {
            let more = findings.families.len() - SHOWN_FAMILIES;
            let _ = writeln!(text, "{head}those of {more} more ladders are in exchange.csv");
        }
    }

    fn describe_acceptance(&self, text: &mut String, head: &str, findings: &Findings) {
        // Family, lower rung, acceptance and attempts.
        let mut rates: Vec<(&Family, usize, f64, f64)> = Vec::new();
        for one in &findings.families {
            let tried = one.swaps.iter().enumerate().filter(|(_, (tried, _))| *tried > 0.0);
            rates.extend(tried.map(|(lower, (tried, made))| (one, lower, made / tried, *tried)));
        }
        let least = rates.iter().min_by(|a, b| a.2.total_cmp(&b.2));
        let most = rates.iter().max_by(|a, b| a.2.total_cmp(&b.2));
        let (Some(least), Some(most)) = (least, most) else { return };
        let trips = findings.families.iter().filter_map(Family::round_trips);
        let (made, expected) =
            trips.fold((0.0, 0.0), |sum, trips| (sum.0 + trips.0, sum.1 + trips.1));
        let _ = writeln!(
            text,
            "{head}exchanges accepted: {:.1} % (between {}) to {:.1} % (between {}); {made} round trip(s), {expected:.0} expected of independent energies",
            100.0 * least.2,
            self.between(least.0, least.1),
            100.0 * most.2,
            self.between(most.0, most.1),
        );
        let stuck: Vec<_> = rates
            .iter()
            .filter(|(.., share, tried)| *share < FEWEST_SWAPS && *tried >= FEWEST_ATTEMPTS)
            .collect();
        if let Some((one, lower, ..)) = stuck.first() {
            let more = match stuck.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more pair(s)"),
            };
            let _ = writeln!(
                text,
                "note: {head}replicas do not mix between {}{more}: put more temperatures there",
                self.between(one, *lower)
            );
        }
        if let Some((made, replicas)) = few_round_trips(findings) {
            let _ = writeln!(
                text,
                "note: {head}{made} round trip(s) of {replicas} replicas are few: averages and errors cover only states that these replicas visited, which may be far from equilibrium; run longer"
            );
        }
    }

    /// Whether the energies of neighbours are those of one system.
    fn describe_neighbours(&self, text: &mut String, head: &str, findings: &Findings) {
        let pairs = findings
            .families
            .iter()
            .flat_map(|one| one.neighbours.iter().enumerate().map(move |pair| (one, pair)));
        let all = pairs.clone().count();
        let compared: Vec<(&Family, usize, f64)> = pairs
            .filter_map(|(one, (lower, (off, _)))| Some((one, lower, off.as_ref()?.abs())))
            .collect();
        let worst = compared.iter().max_by(|a, b| a.2.total_cmp(&b.2));
        if let Some((one, lower, off)) = worst {
            let verdict = if *off > WRONG_BEYOND {
                "NOT those of one system at two temperatures: the run is too short, or something is wrong"
            } else {
                "those of one system at two temperatures"
            };
            let _ = writeln!(
                text,
                "{head}energies of neighbours are {verdict} (ln P1/P2 against E: at most {off:.2} standard errors off, between {})",
                self.between(one, *lower)
            );
        }
        if compared.len() < all {
            let _ = writeln!(
                text,
                "note: {head}energies of {} of {all} pair(s) of neighbours could not be compared: they overlap too little, or have too few rows",
                all - compared.len()
            );
        }
    }
}
