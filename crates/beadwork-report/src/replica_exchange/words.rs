//! The answer in words.

use std::fmt::Write as _;

use beadwork_analysis::Estimate;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::reweighting::Peak;
use beadwork_analysis::thermodynamics::Basis;

use super::curves::{Curves, growth, heat_capacity};
use super::exchanges::few_round_trips;
use super::findings::{Family, Findings};
use super::{Ladder, Ladders};
use crate::words::{figure, head, plain};

const SHOWN: usize = 32;
const LONG_ENOUGH: &str = "ten autocorrelation times long and five times the autocorrelation time along exchanged replicas";

pub(crate) fn in_words(groups: &[Ladders]) -> String {
    groups.iter().map(|group| group.in_words(groups.len())).collect()
}

/// `5.25 ± 0.08`.
fn with_error(estimate: &Estimate, unit: f64) -> String {
    let value = estimate.value * unit;
    match estimate.error {
        Some(error) => {
            let [value, error] = [value, error * unit].map(|number| figure(number, value));
            format!("{value} ± {error}")
        }
        None => figure(value, value),
    }
}

/// The kind of the estimates' errors: ` (standard errors with 7 degrees of freedom)`; empty without errors.
pub(super) fn of_errors<'a>(estimates: impl IntoIterator<Item = &'a Estimate>) -> String {
    let known = estimates.into_iter().filter(|estimate| estimate.error.is_some());
    let (least, most) = known.fold((f64::INFINITY, 0.0_f64), |(least, most), estimate| {
        (least.min(estimate.freedom), most.max(estimate.freedom))
    });
    let freedom = match (format!("{least:.0}"), format!("{most:.0}")) {
        _ if most == 0.0 => return String::new(),
        (least, most) if least == most => most,
        (least, most) => format!("{least} to {most}"),
    };
    format!(" (standard errors with {freedom} degrees of freedom)")
}

/// `0.4 0.6 1`; the first and the last if there are many numbers.
pub(super) fn listed(numbers: &[f64], each: impl Fn(f64) -> String) -> String {
    let shown =
        |numbers: &[f64]| numbers.iter().map(|number| each(*number)).collect::<Vec<_>>().join(" ");
    if numbers.len() <= SHOWN {
        return shown(numbers);
    }
    format!("{} … {}", shown(&numbers[..SHOWN - 2]), shown(&numbers[numbers.len() - 2..]))
}

fn is_short(basis: Basis) -> bool {
    matches!(basis, Basis::TooShort { .. })
}

impl Ladders {
    pub(super) fn head(&self) -> String {
        head(&self.group)
    }

    pub(super) fn temperature(&self, temperature: f64) -> String {
        format!("{}{}", plain(temperature / self.kind.unit), self.kind.kelvin)
    }

    /// A paragraph on this group, one of `groups`.
    fn in_words(&self, groups: usize) -> String {
        let (head, findings) = (self.head(), self.findings());
        if findings.families.iter().all(|one| one.at.is_empty()) {
            return format!("{head}no rows of the last stage: no results\n");
        }
        let rows: usize = self.ladders.values().flat_map(|ladder| &ladder.rows).map(Vec::len).sum();
        let count = self.ladders.len();
        let mut text = match self.temperatures.as_slice() {
            [only] => {
                let (only, kelvin) = (only / self.kind.unit, self.kind.kelvin);
                format!("{head}T = {only}{kelvin}, {count} chain(s), {rows} rows\n")
            }
            all => format!(
                "{head}{} temperatures from {} to {}, {count} ladder(s), {rows} rows of the last stage\n",
                all.len(),
                plain(all[0] / self.kind.unit),
                self.temperature(all[all.len() - 1])
            ),
        };
        if let [Family { at, .. }] = findings.families.as_slice()
            && let [at] = at.as_slice()
        {
            let _ = writeln!(
                text,
                "{head}energy a bead {}, C/N {}{}",
                with_error(&at.energy, 1.0 / self.beads as f64),
                with_error(&at.heat_capacity_per_bead, 1.0),
                of_errors([&at.energy, &at.heat_capacity_per_bead])
            );
        }
        text.push_str(&self.exchanges_in_words(findings));
        text.push_str(&self.curves_in_words(groups, findings));
        for note in
            self.notes_of_errors(findings).chain(self.left_out.note("energy or other quantity"))
        {
            let _ = writeln!(text, "note: {head}{note}");
        }
        text
    }

    /// Lines on the highest specific heat and the fastest growth, and a note if energies drift.
    fn curves_in_words(&self, groups: usize, findings: &Findings) -> String {
        let drift = self.note_of_drift(groups, findings);
        let mut text = match &findings.curves {
            Ok(curves) => {
                let at = || findings.families.iter().flat_map(|one| &one.at);
                // If a temperature has too few rows for an error, errors of curves come from the spread between ladders. This needs enough ladders.
                let differ = curves.ladders >= LEAST_BLOCKS;
                let is_sound = (differ || !at().any(|at| is_short(at.basis)))
                    && drift.is_none()
                    && few_round_trips(findings).is_none();
                let has_size = differ || !at().any(|at| is_short(at.observables[0].basis));
                self.highest_in_words(curves, is_sound)
                    + &self.growth_in_words(curves, is_sound, has_size)
            }
            Err(_) if self.temperatures.len() == 1 => String::new(),
            Err(reason) => format!("{}no curves over the temperature: {reason}\n", self.head()),
        };
        if let Some(drift) = drift {
            let _ = writeln!(text, "note: {}{drift}", self.head());
        }
        text
    }

    /// The highest specific heat, with its error if that is sound.
    fn highest_in_words(&self, curves: &Curves, is_sound: bool) -> String {
        let head = self.head();
        let Some(peak) = &curves.peak else {
            let highest = curves.higher_end(heat_capacity).map(|end| end.temperature);
            return format!(
                "{head}the specific heat is highest at an end of the temperatures, {}, and has no peak between them{}\n",
                self.temperature(highest.unwrap_or(f64::NAN)),
                if is_sound { "" } else { " so far" }
            );
        };
        if !is_sound || peak.temperature.error.is_none() {
            let (height, place) = (plain(peak.height.value), peak.temperature.value);
            let place = self.temperature(place);
            return format!(
                "{head}highest specific heat C/N = {height} at T = {place}, without an error\n"
            );
        }
        let mut text = format!(
            "{head}highest specific heat C/N = {} at T = {}{}{}\n",
            with_error(&peak.height, 1.0),
            with_error(&peak.temperature, 1.0 / self.kind.unit),
            self.kind.kelvin,
            of_errors([&peak.height, &peak.temperature])
        );
        if let Some(above) = curves.hardly_above(peak, heat_capacity) {
            let _ = writeln!(
                text,
                "note: {head}which is {} more than at an end of the temperatures, within its 95 % confidence interval, so that it may be no peak",
                plain(above)
            );
        }
        text
    }

    /// Where the size grows fastest, with its error if curves are sound and the size has errors.
    fn growth_in_words(&self, curves: &Curves, is_sound: bool, has_size: bool) -> String {
        let head = self.head();
        let fastest = format!("{head}{} grows fastest at", self.kind.size);
        let Some(peak) = &curves.growth else {
            let end = curves.higher_end(growth).filter(|end| growth(end).value > 0.0);
            return end.map_or_else(String::new, |end| {
                format!(
                    "{fastest} an end of the temperatures, {}, and its growth has no peak between them{}\n",
                    self.temperature(end.temperature),
                    if is_sound { "" } else { " so far" }
                )
            });
        };
        if peak.height.value <= 0.0 {
            return String::new();
        }
        if !(is_sound && has_size && peak.temperature.error.is_some()) {
            let place = self.temperature(peak.temperature.value);
            return format!("{fastest} T = {place}, without an error\n");
        }
        let place = |peak: &Peak| {
            format!("{}{}", with_error(&peak.temperature, 1.0 / self.kind.unit), self.kind.kelvin)
        };
        let rival = curves.rival.as_ref().map_or_else(String::new, |rival| {
            format!(", and as fast within a 95 % confidence interval at T = {}", place(rival))
        });
        let errors = of_errors([&peak.temperature]);
        let mut text = format!("{fastest} T = {}{rival}{errors}\n", place(peak));
        if curves.hardly_above(peak, growth).is_some() {
            let _ = writeln!(
                text,
                "note: {head}where it grows by no more than its 95 % confidence interval faster than at an end of the temperatures, so that it may be no peak"
            );
        }
        text
    }

    fn notes_of_errors(&self, findings: &Findings) -> impl Iterator<Item = String> {
        let mut count = 0;
        let mut which = String::new();
        for one in &findings.families {
            let short = one.at.iter().filter(|at| is_short(at.basis));
            let short: Vec<f64> = short.map(|at| at.temperature / self.kind.unit).collect();
            count += short.len();
            if !short.is_empty() {
                let (short, kelvin) = (listed(&short, plain), self.kind.kelvin);
                which.push_str(&format!(", {short}{kelvin}{}", one.of_ladder()));
            }
        }
        which = match self.temperatures.len() == 1 || count > SHOWN {
            true => String::new(),
            false => which + ",",
        };
        let advice =
            format!("eight blocks are needed, {LONG_ENOUGH}; run longer{}", self.enough_ladders());
        let of_energy = (count > 0).then(|| {
            format!(
                "at {count} temperature(s){which} there are too few rows for an error: {advice}"
            )
        });
        let lacks = |which: usize| {
            let mut at = findings.families.iter().flat_map(|one| &one.at);
            at.any(|at| !is_short(at.basis) && is_short(at.observables[which].basis))
        };
        let without: Vec<&str> =
            (0..3).filter(|&which| lacks(which)).map(|which| self.kind.quantities[which]).collect();
        let of_quantities = (!without.is_empty()).then(|| {
            let without = without.join(", ");
            format!(
                "there are too few rows for an error of {without}, where energies have one: {advice}"
            )
        });
        of_energy.into_iter().chain(of_quantities)
    }

    /// What gives errors beside a longer run: `, or eight ladders`.
    fn enough_ladders(&self) -> String {
        let kind = if self.temperatures.len() == 1 { "replicas" } else { "ladders" };
        let least = LEAST_BLOCKS as u64;
        let count = |which: &dyn Fn(&Ladder) -> bool| {
            self.ladders.values().filter(|ladder| which(ladder)).count() as u64
        };
        let arrived = count(&Ladder::has_rows);
        let lost = count(&|ladder| ladder.failed_early && !ladder.has_rows());
        // There are no averages over ladders with temperatures of their own.
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
}
