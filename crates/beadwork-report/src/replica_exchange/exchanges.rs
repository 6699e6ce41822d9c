//! Exchanges: how often replicas were exchanged, and whether their energies are those of one system.

use beadwork_model::Placement;

use super::findings::{Family, Findings, Placing};
use super::ladder::Ladder;
use super::ladders::{Ladders, SHOWN_FAMILIES};
use crate::data::{self, Code, Value, listed};
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
    /// The placed temperatures, acceptance, round trips and the energies of neighbours.
    pub(super) fn describe_exchanges(&self, group: &mut data::Group, findings: &Findings) {
        if self.is_placed() {
            self.describe_placing(group, findings);
        }
        if !findings.unplaced.is_empty() {
            let text = format!(
                "without rows of {}, and left out of all results: ladder {}",
                self.stage,
                numbers(findings.unplaced.iter().copied())
            );
            group.find(Code::LeftOut, text);
        }
        // Temperatures of ladders before the last stage may still be placed again.
        let otherwise =
            |ladder: &Ladder| ladder.has_rows() && ladder.placed_by == Placement::Acceptance.name();
        let for_round_trips = self.placed_by == Some(Placement::RoundTrips);
        let ladders =
            self.ladders.iter().filter(|(_, ladder)| for_round_trips && otherwise(ladder));
        let otherwise = numbers(ladders.map(|(number, _)| *number));
        if !otherwise.is_empty() {
            let text = format!(
                "less than half of the replicas came from the lowest temperature to the highest in the last half of the stage that places temperatures, so that it was done by acceptance and not for round trips, in ladder {otherwise}: make that stage longer, or write tune_temperatures = \"acceptance\""
            );
            group.find(Code::PlacedOtherwise, text);
        }
        if !self.has_counts && self.temperatures.len() > 1 {
            group.find(
                Code::NotMeasured,
                "no acceptance and no round trips of a stage alone: exchange.csv counts exchanges over the whole run, or since temperatures were last placed",
            );
        }
        self.describe_acceptance(group, findings);
        self.describe_neighbours(group, findings);
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
    fn describe_placing(&self, group: &mut data::Group, findings: &Findings) {
        let kelvin = self.kelvin();
        let given = self.in_unit(&self.temperatures);
        let words = "temperatures as given";
        group.values.push(Value::list("temperatures_as_given", words, kelvin, given));
        for one in findings.families.iter().take(SHOWN_FAMILIES) {
            let of = match one.name.as_str() {
                "" => "all ladders".to_string(),
                name => format!("ladder {name}"),
            };
            let words = match one.placing {
                Placing::Done => "temperatures as placed",
                Placing::BrokenOff => "temperatures as placed before a replica failed",
                Placing::Never => "temperatures not placed, since a replica failed before",
            };
            let placed = self.in_unit(&one.temperatures);
            let placed = Value::list("temperatures_as_placed", words, kelvin, placed);
            group.values.push(placed.of(of.as_str()));
            if one.has_attempts() {
                let percent =
                    one.swaps.iter().map(|(tried, made)| 100.0 * made / tried.max(1.0)).collect();
                let accepted =
                    Value::list("accepted_exchanges", "accepted exchanges", "%", percent);
                group.values.push(accepted.of(of));
            }
        }
        if findings.families.len() > SHOWN_FAMILIES {
            let more = findings.families.len() - SHOWN_FAMILIES;
            let text = format!("temperatures of {more} more ladders are in exchange.csv");
            group.find(Code::NotMeasured, text);
        }
    }

    fn describe_acceptance(&self, group: &mut data::Group, findings: &Findings) {
        // Family, lower rung, acceptance and attempts.
        let mut rates: Vec<(&Family, usize, f64, f64)> = Vec::new();
        for one in &findings.families {
            let tried = one.swaps.iter().enumerate().filter(|(_, (tried, _))| *tried > 0.0);
            rates.extend(tried.map(|(lower, (tried, made))| (one, lower, made / tried, *tried)));
        }
        let least = rates.iter().min_by(|a, b| a.2.total_cmp(&b.2));
        let most = rates.iter().max_by(|a, b| a.2.total_cmp(&b.2));
        let (Some(least), Some(most)) = (least, most) else { return };
        for (name, words, (one, lower, share, _)) in [
            ("least_acceptance", "least acceptance of exchanges", least),
            ("largest_acceptance", "largest acceptance of exchanges", most),
        ] {
            let basis = format!("between {}", self.between(one, *lower));
            group.values.push(Value::new(name, words, "%", 100.0 * share).from(basis));
        }
        let trips = findings.families.iter().filter_map(Family::round_trips);
        let (made, expected) =
            trips.fold((0.0, 0.0), |sum, trips| (sum.0 + trips.0, sum.1 + trips.1));
        let trips = Value::new("round_trips", "round trips", "", made);
        let basis = format!("{expected:.0} expected of independent energies");
        group.values.push(trips.from(basis));
        let stuck: Vec<_> = rates
            .iter()
            .filter(|(.., share, tried)| *share < FEWEST_SWAPS && *tried >= FEWEST_ATTEMPTS)
            .collect();
        if let Some((one, lower, ..)) = stuck.first() {
            let more = match stuck.len() - 1 {
                0 => String::new(),
                more => format!(" and {more} more pair(s)"),
            };
            let text = format!(
                "replicas do not mix between {}{more}: put more temperatures there",
                self.between(one, *lower)
            );
            group.find(Code::NoMixing, text);
        }
        if let Some((made, replicas)) = few_round_trips(findings) {
            let text = format!(
                "{made} round trip(s) of {replicas} replicas are few: averages and errors cover only states that these replicas visited, which may be far from equilibrium; run longer"
            );
            group.find(Code::FewRoundTrips, text);
        }
    }

    /// Whether the energies of neighbours are those of one system.
    fn describe_neighbours(&self, group: &mut data::Group, findings: &Findings) {
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
            let words = "largest deviation of ln P1/P2 against the energies of neighbours";
            let value = Value::new("deviation_of_neighbours", words, "standard errors", *off);
            let value = value.from(format!("between {}", self.between(one, *lower)));
            group.values.push(Value { bound: Some(WRONG_BEYOND), ..value });
            let (code, verdict) = match *off > WRONG_BEYOND {
                true => (
                    Code::Disagreement,
                    "NOT those of one system at two temperatures: the run is too short, or something is wrong",
                ),
                false => (Code::Agreement, "those of one system at two temperatures"),
            };
            group.find(code, format!("energies of neighbours are {verdict}"));
        }
        if compared.len() < all {
            let text = format!(
                "energies of {} of {all} pair(s) of neighbours could not be compared: they overlap too little, or have too few rows",
                all - compared.len()
            );
            group.find(Code::FewValues, text);
        }
    }
}
