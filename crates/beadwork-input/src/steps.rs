//! Converts times to whole numbers of steps.

use beadwork_model::units::{Dimension, Quantity, Units};
use beadwork_random::MAXIMUM_STEP;

use crate::error::{Error, MISSING_KEY, STEPS};
use crate::numbers::Bound;
use crate::section::{Read, Section};

/// The number of steps that have noise of their own.
pub(crate) const MAXIMUM_STEPS: u64 = MAXIMUM_STEP + 1;

/// The unit of a run's length.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock<'a> {
    /// Steps of dynamics.
    Steps(&'a TimeStep),
    /// Sweeps of Monte Carlo moves, which take no time.
    Sweeps,
}

/// The length of a step, and the units of times.
#[derive(Clone, Debug)]
pub(crate) struct TimeStep {
    pub quantity: Quantity,
    pub units: Units,
}

impl Clock<'_> {
    /// The units of times, temperatures and all else beside it.
    pub fn units(self) -> Units {
        match self {
            Clock::Steps(timestep) => timestep.units,
            Clock::Sweeps => Units::Reduced,
        }
    }

    /// The keys that give an interval.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            Clock::Steps(_) => &["every", "every_steps"],
            Clock::Sweeps => &["every_sweeps"],
        }
    }

    /// The plural name of the unit.
    pub fn counted(self) -> &'static str {
        match self {
            Clock::Steps(_) => "steps",
            Clock::Sweeps => "sweeps",
        }
    }

    pub fn interval(self, section: &mut Section<'_>) -> Result<Read<u64>, Error> {
        match self {
            Clock::Steps(timestep) => read(section, "every", "every_steps", timestep)?
                .ok_or_else(|| missing(section, "every", "every_steps", "1 us")),
            Clock::Sweeps => sweeps(section, "every_sweeps", "1000")?
                .ok_or_else(|| section.missing("every_sweeps", "1000")),
        }
    }

    pub fn interval_or(self, section: &mut Section<'_>, default: u32) -> Result<Read<u64>, Error> {
        if self.keys().iter().any(|key| section.has(key)) {
            return self.interval(section);
        }
        section.integer_or(&format!("every_{}", self.counted()), 1, default)
    }
}

pub(crate) fn sweeps(
    section: &mut Section<'_>,
    key: &str,
    example: &str,
) -> Result<Option<Read<u64>>, Error> {
    let read = section.integer(key, 1, example)?;
    refuse_too_many(section, key, read, "sweeps")
}

/// Reads a number of steps, or of what else is `counted`, that something lasts or recurs after.
pub(crate) fn number_or(
    section: &mut Section<'_>,
    key: &str,
    default: u32,
    counted: &str,
) -> Result<u64, Error> {
    let read = section.integer_or(key, 1, default)?;
    let value = read.value;
    refuse_too_many(section, key, Some(read), counted)?;
    Ok(value)
}

/// Refuses more steps or sweeps than the noise can number.
fn refuse_too_many(
    section: &Section<'_>,
    key: &str,
    read: Option<Read<u64>>,
    counted: &str,
) -> Result<Option<Read<u64>>, Error> {
    match read {
        Some(Read { value: count, .. }) if count > MAXIMUM_STEPS => {
            let most = format!("more than the 2^48 = {MAXIMUM_STEPS} that a run may have");
            Err(section.fault(STEPS, key, &format!("is {count} {counted}, {most}")))
        }
        read => Ok(read),
    }
}

/// A time counts as a whole number of steps if it is within this fraction of one, because quantities in different units
/// are products of rounded factors.
const WHOLE: f64 = 1e-9;

/// Reads a number of steps, given as a time (`time_key`) or as a number (`steps_key`).
pub(crate) fn read(
    section: &mut Section<'_>,
    time_key: &str,
    steps_key: &str,
    timestep: &TimeStep,
) -> Result<Option<Read<u64>>, Error> {
    section.one_of(time_key, steps_key)?;
    if let Some(time) = section.quantity(time_key, Dimension::Time, Bound::Positive)? {
        let value = whole(&time, &timestep.quantity);
        let value = value.map_err(|problem| section.fault(STEPS, time_key, &problem))?;
        let read = Read { value, place: section.value_place(time_key).clone() };
        return refuse_too_many(section, time_key, Some(read), "steps");
    }
    let read = section.integer(steps_key, 1, "1000")?;
    refuse_too_many(section, steps_key, read, "steps")
}

/// The error if neither is given.
pub(crate) fn missing(
    section: &Section<'_>,
    time_key: &str,
    steps_key: &str,
    example: &str,
) -> Error {
    let example = match section.units {
        Units::Real => format!("\"{example}\""),
        Units::Reduced => "100".to_string(),
    };
    let problem = format!(
        "{}: how long is missing; write for example {time_key} = {example} or {steps_key} = 1000",
        section.name
    );
    section.place.error(MISSING_KEY, problem)
}

/// The whole number of steps in a time, or a description of what is wrong with it.
pub(crate) fn whole(time: &Quantity, timestep: &Quantity) -> Result<u64, String> {
    let ratio = time.value / timestep.value;
    if ratio <= 0.0 {
        return Err(format!("must be above 0: a step is {}", written(&timestep.text)));
    }
    let steps = ratio.round();
    if steps > 2f64.powi(62) {
        return Err(format!("is {ratio:e} steps, more than the 2^48 that a run may have"));
    }
    if steps >= 1.0 && (ratio - steps).abs() <= WHOLE * steps {
        return Ok(steps as u64);
    }
    let below = ratio.floor();
    let said = |steps: f64| {
        let plural = if steps == 1.0 { "" } else { "s" };
        format!("{} ({steps} step{plural})", written(&scaled(&time.text, steps / ratio)))
    };
    let advice =
        if below < 1.0 { said(1.0) } else { format!("{} or {}", said(below), said(below + 1.0)) };
    Err(format!(
        "is {}, which is {} steps of {}: write {advice}",
        written(&time.text),
        rounded(ratio),
        timestep.text
    ))
}

/// The number of a quantity's text times a factor, with the same unit.
pub(crate) fn scaled(text: &str, factor: f64) -> String {
    let unit_start = text
        .char_indices()
        .find(|&(at, c)| {
            let exponent = matches!(c, 'e' | 'E')
                && text[at + 1..]
                    .starts_with(|next: char| next.is_ascii_digit() || next == '-' || next == '+');
            !(c.is_ascii_digit() || matches!(c, '.' | '_' | '+' | '-') || exponent)
        })
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(unit_start);
    let number: f64 = number.replace('_', "").parse().unwrap_or(1.0);
    format!("{} {}", rounded(number * factor), unit.trim()).trim().to_string()
}

/// A quantity as TOML has it: in quotes unless it has no unit.
pub(crate) fn written(text: &str) -> String {
    let is_bare = text.replace('_', "").parse::<f64>().is_ok();
    if is_bare { text.to_string() } else { format!("\"{text}\"") }
}

/// A number as a person would write it: 12 digits, so that rounding errors do not show.
pub(crate) fn rounded(number: f64) -> String {
    let shortened: f64 = format!("{number:.11e}").parse().unwrap_or(number);
    let magnitude = shortened.abs();
    if shortened != 0.0 && !(1e-4..1e15).contains(&magnitude) {
        format!("{shortened:e}")
    } else {
        shortened.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_step_is_no_length() {
        let quantity = |value: f64, text: &str| Quantity { value, text: text.to_string() };
        let step = quantity(20.0, "20 ps");
        assert_eq!(whole(&quantity(40.0, "40 ps"), &step), Ok(2));
        for time in [quantity(0.0, "0 us"), quantity(-20.0, "-20 ps")] {
            assert_eq!(
                whole(&time, &step),
                Err("must be above 0: a step is \"20 ps\"".to_string())
            );
        }
    }

    #[test]
    fn rounded_numbers_hide_rounding_errors() {
        assert_eq!(rounded(0.1 + 0.2), "0.3");
        assert_eq!(rounded(2.5e-8), "2.5e-8");
        assert_eq!(rounded(12500.0), "12500");
        assert_eq!(scaled("1.5e1ns", 2.0), "30 ns");
    }
}
