//! The answer as data.

use beadwork_analysis::Estimate;
use beadwork_analysis::jackknife::LEAST_BLOCKS;
use beadwork_analysis::thermodynamics::Basis;

use super::curves::{Curves, growth, heat_capacity};
use super::exchanges::few_round_trips;
use super::findings::{Family, Findings};
use super::ladder::Ladder;
use super::ladders::Ladders;
use crate::data::{self, Code, Value, listed};
use crate::words::{head, plain};

/// Lists of more temperatures are left out of sentences.
const SHOWN: usize = 32;
const LONG_ENOUGH: &str = "ten autocorrelation times long and five times the autocorrelation time along exchanged replicas";

/// The answers of all groups.
pub(crate) fn answers(groups: &[Ladders]) -> impl Iterator<Item = data::Group> + use<'_> {
    groups.iter().map(|group| group.answer(groups.len()))
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

fn is_short(basis: Basis) -> bool {
    matches!(basis, Basis::TooShort { .. })
}

impl Ladders {
    pub(super) fn head(&self) -> String {
        head(&self.group)
    }

    /// The unit of temperatures.
    pub(super) fn kelvin(&self) -> &'static str {
        self.kind.kelvin.trim()
    }

    pub(super) fn temperature(&self, temperature: f64) -> String {
        format!("{}{}", plain(temperature / self.kind.unit), self.kind.kelvin)
    }

    /// The answer of this group, one of `groups`.
    fn answer(&self, groups: usize) -> data::Group {
        let mut group = self.about.clone();
        let findings = self.findings();
        if findings.families.iter().all(|one| one.at.is_empty()) {
            group.find(Code::NoValues, format!("no rows of {}: no results", self.stage));
            return group;
        }
        group.values.push(self.rows());
        if let [Family { at, .. }] = findings.families.as_slice()
            && let [at] = at.as_slice()
        {
            let bead = 1.0 / self.beads as f64;
            let (energy, unit) = (at.energy.value * bead, self.kind.energy_unit.trim());
            let energy = Value::new("energy_per_bead", "energy a bead", unit, energy);
            let heat = at.heat_capacity_per_bead;
            let capacity = Value::new("heat_capacity_per_bead", "C/N", "", heat.value);
            group.values.push(energy.with_estimate(&at.energy, bead));
            group.values.push(capacity.with_estimate(&heat, 1.0));
        }
        self.describe_exchanges(&mut group, findings);
        self.describe_curves(&mut group, groups, findings);
        for note in self.notes_of_errors(findings) {
            group.find(Code::FewValues, note);
        }
        if let Some(note) = self.left_out.note("energy or other quantity") {
            group.find(Code::LeftOut, note);
        }
        group
    }

    /// The number of rows, with temperatures and ladders.
    fn rows(&self) -> Value {
        let rows: usize = self.ladders.values().flat_map(|ladder| &ladder.rows).map(Vec::len).sum();
        let count = self.ladders.len();
        let basis = match self.temperatures.as_slice() {
            [only] => {
                let (only, kelvin) = (only / self.kind.unit, self.kind.kelvin);
                format!("T = {only}{kelvin}, {count} chain(s)")
            }
            all => format!(
                "{} temperatures from {} to {}, {count} ladder(s)",
                all.len(),
                plain(all[0] / self.kind.unit),
                self.temperature(all[all.len() - 1])
            ),
        };
        Value::new("rows", format!("rows of {}", self.stage), "", rows as f64).from(basis)
    }

    /// The highest specific heat and the fastest growth, and a finding if energies drift.
    fn describe_curves(&self, group: &mut data::Group, groups: usize, findings: &Findings) {
        let drift = self.note_of_drift(groups, findings);
        match &findings.curves {
            Ok(curves) => {
                let at = || findings.families.iter().flat_map(|one| &one.at);
                // If a temperature has too few rows for an error, errors of curves come from the spread between ladders. This needs enough ladders.
                let differ = curves.ladders >= LEAST_BLOCKS;
                let is_sound = (differ || !at().any(|at| is_short(at.basis)))
                    && drift.is_none()
                    && few_round_trips(findings).is_none();
                let has_size = differ || !at().any(|at| is_short(at.observables[0].basis));
                self.describe_highest(group, curves, is_sound);
                self.describe_growth(group, curves, is_sound, has_size);
            }
            Err(_) if self.temperatures.len() == 1 => {}
            Err(reason) => {
                group.find(Code::NotMeasured, format!("no curves over the temperature: {reason}"));
            }
        }
        if let Some(drift) = drift {
            group.find(Code::Drift, drift);
        }
    }

    /// A temperature, with the error of an estimate if that is sound.
    fn place(&self, [name, words]: [&str; 2], place: &Estimate, basis: Option<&str>) -> Value {
        let unit = self.kind.unit.recip();
        let value = Value::new(name, words, self.kelvin(), place.value * unit);
        with_sound_error(value, place, unit, basis)
    }

    /// The highest specific heat.
    fn describe_highest(&self, group: &mut data::Group, curves: &Curves, is_sound: bool) {
        let Some(peak) = &curves.peak else {
            let highest = curves.higher_end(heat_capacity).map(|end| end.temperature);
            let text = format!(
                "the specific heat is highest at an end of the temperatures, {}, and has no peak between them{}",
                self.temperature(highest.unwrap_or(f64::NAN)),
                if is_sound { "" } else { " so far" }
            );
            group.find(Code::NoPeak, text);
            return;
        };
        let is_sound = is_sound && peak.temperature.error.is_some();
        let words = "highest specific heat C/N";
        let height = Value::new("highest_specific_heat", words, "", peak.height.value);
        let basis = curves.basis();
        let basis = is_sound.then_some(basis.as_str());
        group.values.push(with_sound_error(height, &peak.height, 1.0, basis));
        let names =
            ["temperature_of_highest_specific_heat", "temperature of the highest specific heat"];
        group.values.push(self.place(names, &peak.temperature, basis));
        if let Some(above) = curves.hardly_above(peak, heat_capacity).filter(|_| is_sound) {
            let text = format!(
                "the highest specific heat is {} more than at an end of the temperatures, within its 95 % confidence interval, so that it may be no peak",
                plain(above)
            );
            group.find(Code::NoPeak, text);
        }
    }

    /// Where the size grows fastest, with its error if curves are sound and the size has errors.
    fn describe_growth(
        &self,
        group: &mut data::Group,
        curves: &Curves,
        is_sound: bool,
        has_size: bool,
    ) {
        let size = self.kind.size;
        let Some(peak) = &curves.growth else {
            let end = curves.higher_end(growth).filter(|end| growth(end).value > 0.0);
            if let Some(end) = end {
                let text = format!(
                    "{size} grows fastest at an end of the temperatures, {}, and its growth has no peak between them{}",
                    self.temperature(end.temperature),
                    if is_sound { "" } else { " so far" }
                );
                group.find(Code::NoPeak, text);
            }
            return;
        };
        if peak.height.value <= 0.0 {
            return;
        }
        let is_sound = is_sound && has_size && peak.temperature.error.is_some();
        let words = format!("temperature at which {size} grows fastest");
        let basis = curves.basis();
        let basis = is_sound.then_some(basis.as_str());
        let names = ["temperature_of_fastest_growth", &words];
        group.values.push(self.place(names, &peak.temperature, basis));
        if !is_sound {
            return;
        }
        if let Some(rival) = &curves.rival {
            let words = format!(
                "temperature at which {size} grows as fast within a 95 % confidence interval"
            );
            let names = ["temperature_of_equally_fast_growth", words.as_str()];
            group.values.push(self.place(names, &rival.temperature, basis));
        }
        if curves.hardly_above(peak, growth).is_some() {
            let text = format!(
                "{size} grows by no more than its 95 % confidence interval faster there than at an end of the temperatures, so that it may be no peak"
            );
            group.find(Code::NoPeak, text);
        }
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
            format!(", or until eight {kind} have rows of {}", self.stage)
        } else {
            String::new()
        }
    }
}

/// With the error of an estimate that rests on `basis`, or a word that it is not known.
fn with_sound_error(value: Value, estimate: &Estimate, unit: f64, basis: Option<&str>) -> Value {
    match basis {
        Some(basis) => value.with_estimate(estimate, unit).from(basis),
        None => value.from("without an error"),
    }
}
