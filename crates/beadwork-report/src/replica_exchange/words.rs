//! The answer in words.

use std::fmt::Write as _;

use beadwork_analysis::Estimate;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::Peak;
use beadwork_analysis::thermodynamics::Basis;
use beadwork_model::Placement;

use super::curves::{Curves, growth, heat_capacity};
use super::findings::{Family, Findings, Placing};
use super::{Ladder, OfGroup, ReplicaExchange, SHOWN_FAMILIES, of_group_columns};

/// Slopes of neighbouring energies further off than this many standard errors are wrong: one in ten thousand of a ladder's
/// pairs together, at most some hundred pairs.
const WRONG_BEYOND: f64 = 5.0;
/// Replicas that swap more rarely than this do not mix.
const FEWEST_SWAPS: f64 = 0.01;
/// So many attempts without one that succeeds say that swaps are rarer than that, at one in twenty.
const FEWEST_ATTEMPTS: f64 = 300.0;
/// Fewer round trips than one for so many replicas say little of equilibrium.
const REPLICAS_A_TRIP: f64 = 4.0;
/// Numbers that a line lists.
const SHOWN: usize = 32;
/// Of blocks.
const LONG_ENOUGH: &str =
    "ten autocorrelation times long and five times what replicas remember while they are exchanged";

impl ReplicaExchange {
    /// In words.
    pub fn in_words(&self) -> String {
        let mut text = String::new();
        for group in &self.0 {
            group.describe(&mut text, self.0.len());
        }
        text
    }
}

/// `5.25 ± 0.08`.
fn in_words(estimate: &Estimate, unit: f64) -> String {
    let value = estimate.value * unit;
    match estimate.error {
        Some(error) => {
            let [value, error] = [value, error * unit].map(|number| figure(number, value));
            format!("{value} ± {error}")
        }
        None => figure(value, value),
    }
}

/// What the errors of some estimates are, in brackets after a space: ` (standard errors with 7 degrees of freedom)`;
/// nothing where none has an error.
pub(super) fn of_errors<'a>(estimates: impl IntoIterator<Item = &'a Estimate>) -> String {
    let known = estimates.into_iter().filter(|estimate| estimate.error.is_some());
    let (least, most) = known.fold((f64::INFINITY, 0.0_f64), |(least, most), estimate| {
        (least.min(estimate.freedom), most.max(estimate.freedom))
    });
    if most == 0.0 {
        String::new()
    } else if least.round() == most.round() {
        format!(" (standard errors with {least:.0} degrees of freedom)")
    } else {
        format!(" (standard errors with {least:.0} to {most:.0} degrees of freedom)")
    }
}

/// A number with as many digits as suit one of the size of `like`: `0.3320`, `360.87`, `3.3200e-4`.
fn figure(number: f64, like: f64) -> String {
    let size = like.abs();
    if size == 0.0 || (1e-2..10.0).contains(&size) {
        format!("{number:.4}")
    } else if (10.0..1e5).contains(&size) {
        format!("{number:.2}")
    } else {
        format!("{number:.4e}")
    }
}

/// A number as it is.
pub(super) fn plain(number: f64) -> String {
    figure(number, number)
}

/// `0.4 0.6 1`, of many numbers the first and the last.
fn listed(numbers: &[f64], each: impl Fn(f64) -> String) -> String {
    let shown =
        |numbers: &[f64]| numbers.iter().map(|number| each(*number)).collect::<Vec<_>>().join(" ");
    if numbers.len() <= SHOWN {
        return shown(numbers);
    }
    format!("{} … {}", shown(&numbers[..SHOWN - 2]), shown(&numbers[numbers.len() - 2..]))
}

/// Whether rows are too few for an error.
fn is_short(basis: Basis) -> bool {
    matches!(basis, Basis::TooShort { .. })
}

impl OfGroup {
    /// Numbers of the ladders whose temperatures were placed by acceptance, though they were to be for round trips.
    fn placed_otherwise(&self) -> impl Iterator<Item = u64> {
        let for_round_trips = self.placed_by == Some(Placement::RoundTrips);
        // Before the last stage they may be placed again.
        let otherwise = move |ladder: &Ladder| {
            for_round_trips && ladder.has_rows() && ladder.placed_by == Placement::Acceptance.name()
        };
        let ladders = self.ladders.iter().filter(move |(_, ladder)| otherwise(ladder));
        ladders.map(|(number, _)| *number)
    }

    /// The group's name before what is said of it.
    pub(super) fn head(&self) -> String {
        if self.group.is_empty() { String::new() } else { format!("{}: ", self.group) }
    }

    /// Of one of so many groups.
    fn describe(&self, text: &mut String, groups: usize) {
        let head = self.head();
        let findings = self.findings();
        let unit = self.unit();
        let kelvin = if self.sampled { "" } else { " K" };
        let (lowest, highest) =
            (self.temperatures[0] / unit, self.temperatures[self.temperatures.len() - 1] / unit);
        let rows: usize = self.ladders.values().flat_map(|l| &l.rows).map(Vec::len).sum();
        if findings.families.iter().all(|one| one.at.is_empty()) {
            let _ = writeln!(text, "{head}no rows of the last stage: nothing can be said");
            return;
        }
        let _ = match self.temperatures.len() {
            1 => writeln!(
                text,
                "{head}T = {lowest}{kelvin}, {} chain(s), {rows} rows",
                self.ladders.len()
            ),
            rungs => writeln!(
                text,
                "{head}{rungs} temperatures from {} to {}{kelvin}, {} ladder(s), {rows} rows of the last stage",
                plain(lowest),
                plain(highest),
                self.ladders.len()
            ),
        };
        if let [Family { at, .. }] = findings.families.as_slice()
            && let [at] = at.as_slice()
        {
            let _ = writeln!(
                text,
                "{head}energy a bead {}, C/N {}{}",
                in_words(&at.energy, 1.0 / self.beads as f64),
                in_words(&at.heat_capacity_per_bead, 1.0),
                of_errors([&at.energy, &at.heat_capacity_per_bead])
            );
        }
        self.describe_exchanges(text, &head, findings);
        self.describe_curve(text, (&head, groups), findings);
        if let Some(note) = self.left_out.note("energy or other quantity") {
            let _ = writeln!(text, "note: {head}{note}");
        }
    }

    /// The highest specific heat and the fastest growth, and what there is against averages and errors.
    fn describe_curve(
        &self,
        text: &mut String,
        (head, groups): (&str, usize),
        findings: &Findings,
    ) {
        let (unit, kelvin) = (self.unit(), if self.sampled { "" } else { " K" });
        let drift = self.note_of_drift((head, groups), findings);
        let of_family = |one: &Family| -> Vec<f64> {
            let at = one.at.iter().filter(|at| is_short(at.basis));
            at.map(|at| at.temperature / unit).collect()
        };
        let short = findings.families.iter().map(|one| (one, of_family(one)));
        let short: Vec<(&Family, Vec<f64>)> = short.filter(|(_, of)| !of.is_empty()).collect();
        match &findings.curves {
            Ok(curves) => {
                // What has no error at single temperatures has none here, but by the differences of enough ladders.
                let differ = curves.ladders >= LEAST_BLOCKS;
                let is_sound = (short.is_empty() || differ)
                    && drift.is_none()
                    && self.few_round_trips(findings).is_none();
                let mut sizes = findings.families.iter().flat_map(|one| &one.at);
                let has_size = differ || !sizes.any(|at| is_short(at.observables[0].basis));
                self.describe_highest(text, head, curves, is_sound);
                self.describe_growth(text, head, curves, (is_sound, has_size));
            }
            Err(_) if self.temperatures.len() == 1 => {}
            Err(reason) => {
                let _ = writeln!(text, "{head}no curves over the temperature: {reason}");
            }
        }
        if let Some(drift) = drift {
            let _ = writeln!(text, "{drift}");
        }
        if !short.is_empty() {
            let count: usize = short.iter().map(|(_, temperatures)| temperatures.len()).sum();
            let which = if self.temperatures.len() == 1 || count > SHOWN {
                String::new()
            } else {
                let of_each = short.iter().map(|(one, temperatures)| {
                    format!(", {}{kelvin}{}", listed(temperatures, plain), one.of_ladder())
                });
                of_each.collect::<String>() + ","
            };
            let _ = writeln!(
                text,
                "note: {head}at {count} temperature(s){which} there are too few rows for an error: eight blocks are needed, {LONG_ENOUGH}; run longer{}",
                self.enough_ladders()
            );
        }
        let (_, quantities) = of_group_columns(self.sampled);
        let without: Vec<&str> = quantities
            .iter()
            .enumerate()
            .filter(|(which, _)| {
                let at = findings.families.iter().flat_map(|one| &one.at);
                let mut of_energy = at.filter(|at| !is_short(at.basis));
                of_energy.any(|at| is_short(at.observables[*which].basis))
            })
            .map(|(_, quantity)| quantity.name)
            .collect();
        if !without.is_empty() {
            let _ = writeln!(
                text,
                "note: {head}there are too few rows for an error of {}, where energies have one: eight blocks are needed, {LONG_ENOUGH}; run longer{}",
                without.join(", "),
                self.enough_ladders()
            );
        }
    }

    /// The highest specific heat, with its error where that is sound.
    fn describe_highest(&self, text: &mut String, head: &str, curves: &Curves, is_sound: bool) {
        let (unit, kelvin) = (self.unit(), if self.sampled { "" } else { " K" });
        let Some(peak) = &curves.peak else {
            let highest = curves.higher_end(heat_capacity).map(|end| end.temperature);
            let _ = writeln!(
                text,
                "{head}the specific heat is highest at an end of the temperatures, {}{kelvin}, and has no peak between them{}",
                plain(highest.unwrap_or(f64::NAN) / unit),
                if is_sound { "" } else { " so far" }
            );
            return;
        };
        if !is_sound || peak.temperature.error.is_none() {
            let _ = writeln!(
                text,
                "{head}highest specific heat C/N = {} at T = {}{kelvin}, without an error",
                plain(peak.height.value),
                plain(peak.temperature.value / unit)
            );
            return;
        }
        let _ = writeln!(
            text,
            "{head}highest specific heat C/N = {} at T = {}{kelvin}{}",
            in_words(&peak.height, 1.0),
            in_words(&peak.temperature, 1.0 / unit),
            of_errors([&peak.height, &peak.temperature])
        );
        if let Some(above) = curves.hardly_above(peak, heat_capacity) {
            let _ = writeln!(
                text,
                "note: {head}which is {} more than at an end of the temperatures, within its 95 % confidence interval, so that it may be no peak",
                plain(above)
            );
        }
    }

    /// Where the size grows fastest, with its error where curves are sound and the size has errors.
    fn describe_growth(
        &self,
        text: &mut String,
        head: &str,
        curves: &Curves,
        (is_sound, has_size): (bool, bool),
    ) {
        let (unit, kelvin) = (self.unit(), if self.sampled { "" } else { " K" });
        let (_, [size, ..]) = of_group_columns(self.sampled);
        let fastest = format!("{head}{} grows fastest at", size.what());
        let Some(peak) = &curves.growth else {
            // What grows nowhere is at neither end.
            if let Some(end) = curves.higher_end(growth).filter(|end| growth(end).value > 0.0) {
                let _ = writeln!(
                    text,
                    "{fastest} an end of the temperatures, {}{kelvin}, and its growth has no peak between them{}",
                    plain(end.temperature / unit),
                    if is_sound { "" } else { " so far" }
                );
            }
            return;
        };
        if peak.height.value <= 0.0 {
            return;
        }
        if !(is_sound && has_size && peak.temperature.error.is_some()) {
            let place = plain(peak.temperature.value / unit);
            let _ = writeln!(text, "{fastest} T = {place}{kelvin}, without an error");
            return;
        }
        let place = |peak: &Peak| format!("{}{kelvin}", in_words(&peak.temperature, 1.0 / unit));
        let rival = curves.rival.as_ref().map_or_else(String::new, |rival| {
            format!(", and as fast within a 95 % confidence interval at T = {}", place(rival))
        });
        let errors = of_errors([&peak.temperature]);
        let _ = writeln!(text, "{fastest} T = {}{rival}{errors}", place(peak));
        if curves.hardly_above(peak, growth).is_some() {
            let _ = writeln!(
                text,
                "note: {head}where it grows by no more than its 95 % confidence interval faster than at an end of the temperatures, so that it may be no peak"
            );
        }
    }

    /// What else than a longer run gives errors where there are too few rows, `, or …`: ladders, or chains at one
    /// temperature.
    fn enough_ladders(&self) -> String {
        let kind = if self.temperatures.len() == 1 { "replicas" } else { "ladders" };
        let least = LEAST_BLOCKS as u64;
        let count = |which: &dyn Fn(&Ladder) -> bool| {
            self.ladders.values().filter(|ladder| which(ladder)).count() as u64
        };
        let arrived = count(&Ladder::has_rows);
        let lost = count(&|ladder| ladder.failed_early && !ladder.has_rows());
        // Ladders with temperatures of their own are not averaged over.
        if self.is_placed() && self.temperatures.len() > 1 {
            String::new()
        } else if self.asked < least {
            format!(", or eight {kind}")
        } else if arrived < least && self.asked - lost >= least {
            format!(", or until eight {kind} have rows of the last stage")
        } else {
            String::new()
        }
    }

    /// Round trips that were made and replicas that made them, if they are too few to say much of equilibrium.
    fn few_round_trips(&self, findings: &Findings) -> Option<(f64, usize)> {
        let counted = findings.families.iter().filter(|one| one.has_attempts());
        let ladders: usize = counted.clone().map(|one| one.ladders.len()).sum();
        let replicas = ladders * self.temperatures.len();
        let made: f64 = counted.map(|one| one.round_trips).sum();
        (made * REPLICAS_A_TRIP < replicas as f64).then_some((made, replicas))
    }

    fn describe_exchanges(&self, text: &mut String, head: &str, findings: &Findings) {
        let unit = self.unit();
        let kelvin = if self.sampled { "" } else { " K" };
        let in_unit = |temperatures: &[f64]| -> Vec<f64> {
            temperatures.iter().map(|temperature| temperature / unit).collect()
        };
        let between = |one: &Family, lower: usize| {
            let temperatures = in_unit(&one.temperatures);
            let [below, above] = [0, 1].map(|above| plain(temperatures[lower + above]));
            format!("{below} and {above}{kelvin}{}", one.of_ladder())
        };
        // With how many were attempted.
        let mut rates: Vec<(&Family, usize, f64, f64)> = Vec::new();
        if self.is_placed() {
            let given = listed(&in_unit(&self.temperatures), plain);
            let _ = writeln!(text, "{head}temperatures as given: {given}{kelvin}");
        }
        for (number, one) in findings.families.iter().enumerate() {
            let tried = one.swaps.iter().enumerate().filter(|(_, (tried, _))| *tried > 0.0);
            rates.extend(tried.map(|(lower, (tried, made))| (one, lower, made / tried, *tried)));
            if self.is_placed() && number < SHOWN_FAMILIES {
                let of = match one.name.as_str() {
                    "" => "all ladders".to_string(),
                    name => format!("ladder {name}"),
                };
                let how = match one.placing {
                    Placing::Done => "as placed",
                    Placing::BrokenOff => "as placed before a replica failed",
                    Placing::Never => "not placed, since a replica failed before",
                };
                let placed = listed(&in_unit(&one.temperatures), plain);
                let percent: Vec<f64> =
                    one.swaps.iter().map(|(tried, made)| 100.0 * made / tried.max(1.0)).collect();
                let accepted = match one.has_attempts() {
                    true => {
                        format!("; accepted {} %", listed(&percent, |share| format!("{share:.1}")))
                    }
                    false => String::new(),
                };
                let _ = writeln!(text, "{head}{how}, {of}: {placed}{kelvin}{accepted}");
            }
        }
        if self.is_placed() && findings.families.len() > SHOWN_FAMILIES {
            let more = findings.families.len() - SHOWN_FAMILIES;
            let _ = writeln!(text, "{head}those of {more} more ladders are in exchange.csv");
        }
        if !findings.unplaced.is_empty() {
            let numbers: Vec<f64> = findings.unplaced.iter().map(|&number| number as f64).collect();
            let _ = writeln!(
                text,
                "{head}without rows of the last stage, and left out of everything: ladder {}",
                listed(&numbers, |number| format!("{number}"))
            );
        }
        let instead: Vec<f64> = self.placed_otherwise().map(|number| number as f64).collect();
        if !instead.is_empty() {
            let _ = writeln!(
                text,
                "note: {head}less than half of the replicas came from the lowest temperature to the highest in the last half of the stage that places temperatures, so that it was done by acceptance and not for round trips, in ladder {}: make that stage longer, or write tune_temperatures = \"acceptance\"",
                listed(&instead, |number| format!("{number}"))
            );
        }
        let least = rates.iter().min_by(|a, b| a.2.total_cmp(&b.2));
        let most = rates.iter().max_by(|a, b| a.2.total_cmp(&b.2));
        if let (Some(least), Some(most)) = (least, most) {
            let trips = findings.families.iter().filter_map(Family::round_trips);
            let (made, expected) =
                trips.fold((0.0, 0.0), |sum, trips| (sum.0 + trips.0, sum.1 + trips.1));
            let _ = writeln!(
                text,
                "{head}exchanges accepted: {:.1} % (between {}) to {:.1} % (between {}); {made} round trip(s), {expected:.0} expected of replicas that forget",
                100.0 * least.2,
                between(least.0, least.1),
                100.0 * most.2,
                between(most.0, most.1),
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
                    between(one, *lower)
                );
            }
            if let Some((made, replicas)) = self.few_round_trips(findings) {
                let _ = writeln!(
                    text,
                    "note: {head}{made} round trip(s) of {replicas} replicas are few: averages and their errors are of what these replicas have seen, which may be far from equilibrium; run longer"
                );
            }
        }
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
                between(one, *lower)
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
