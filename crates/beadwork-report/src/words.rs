//! Numbers, times and names in words.

use std::ops::Range;

use beadwork_analysis::numbers::{fixed, rounded};
use beadwork_model::Units;
use beadwork_model::observables::Unit;

use crate::data::Setting;

/// The symbol of a unit without the brackets that a fraction has on an axis: `kcal/mol`.
pub(crate) fn symbol(unit: Unit) -> &'static str {
    let symbol = unit.symbol();
    symbol.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(symbol)
}

/// The label of an axis: a quantity over its unit, and alone without one.
pub(crate) fn label(quantity: &str, unit: &str) -> String {
    match unit {
        "" => quantity.to_string(),
        unit if unit.contains(['/', ' ']) => format!("{quantity} / ({unit})"),
        unit => format!("{quantity} / {unit}"),
    }
}

/// A quantity as inputs write it, with the symbol of micro in its unit: `2.5 µm/s` of `2.5 um/s`.
pub(crate) fn with_symbols(text: &str) -> String {
    let mut symbols = String::with_capacity(text.len());
    for (place, character) in text.char_indices() {
        let is_first = !text[..place].ends_with(char::is_alphanumeric);
        let rest = &text[place + character.len_utf8()..];
        let unit: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
        let is_micro =
            character == 'u' && is_first && ["m", "s", "N", "g"].contains(&unit.as_str());
        symbols.push(if is_micro { 'µ' } else { character });
    }
    symbols
}

/// The name of a group as the beginning of a line about it.
pub(crate) fn head(group: &str) -> String {
    if group.is_empty() { String::new() } else { format!("{group}: ") }
}

/// Numbers that ascend, those that follow each other as a range: `0 to 3, 8`.
pub(crate) fn ranges_in_words(ranges: impl IntoIterator<Item = Range<u64>>) -> String {
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => joined.push(range),
        }
    }
    let in_words = |range: &Range<u64>| match range.end.saturating_sub(range.start) {
        1 => range.start.to_string(),
        _ => format!("{} to {}", range.start, range.end.saturating_sub(1)),
    };
    joined.iter().map(in_words).collect::<Vec<String>>().join(", ")
}

/// The number of decimals that shows two significant digits of an error.
pub(crate) fn decimals(error: f64) -> usize {
    if error > 0.0 && error.is_finite() {
        (1 - error.log10().floor() as i32).clamp(0, 12) as usize
    } else {
        4
    }
}

/// A number with as many digits as a number of the size of `like` needs: `0.3320`, `360.87`, `3.3200e-4`.
pub(crate) fn figure(number: f64, like: f64) -> String {
    // A zero has no minus.
    let (number, size) = (number + 0.0, like.abs());
    if size == 0.0 || (1e-2..10.0).contains(&size) {
        fixed(number, 4)
    } else if (10.0..1e5).contains(&size) {
        fixed(number, 2)
    } else {
        format!("{number:.4e}")
    }
}

/// A number with two significant digits, large and small ones with a power of ten: `3.1×10¹²`.
pub(crate) fn with_power(number: f64) -> String {
    if number == 0.0 || (1e-3..1e4).contains(&number.abs()) || !number.is_finite() {
        return rounded(number, 2).replace('-', "−");
    }
    let text = format!("{number:.1e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String = power
        .chars()
        .map(|sign| match sign.to_digit(10) {
            Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
            None => '⁻',
        })
        .collect();
    format!("{}×10{raised}", mantissa.trim_end_matches(".0").replace('-', "−"))
}

pub(crate) fn plain(number: f64) -> String {
    figure(number, number)
}

/// The unit for times up to this one, and its length in ns.
pub(crate) fn time_unit(longest_ns: f64) -> (&'static str, f64) {
    match longest_ns {
        time if time < 2e3 => ("ns", 1.0),
        time if time < 2e6 => ("µs", 1e3),
        _ => ("ms", 1e6),
    }
}

/// The same for the times of tables; reduced ones have no unit.
pub(crate) fn time_unit_in(units: Units, longest: f64) -> (&'static str, f64) {
    match units {
        Units::Real => time_unit(longest),
        Units::Reduced => ("", 1.0),
    }
}

/// A time with three significant digits, in a unit that makes the number at least one: `10 µs`.
pub(crate) fn time_in_words(time_ns: f64) -> String {
    let (unit, size) = time_unit(2.0 * time_ns);
    let value = if time_ns.is_finite() { time_ns / size } else { 0.0 };
    format!("{} {unit}", rounded(value, 3))
}

/// The width rounded to the nearest of 1, 2 and 5 times a power of ten.
pub(crate) fn round_width(width: f64) -> f64 {
    let power = 10f64.powf(width.log10().floor());
    let mantissa = match width / power {
        rest if rest < 1.5 => 1.0,
        rest if rest < 3.5 => 2.0,
        rest if rest < 7.5 => 5.0,
        _ => 10.0,
    };
    mantissa * power
}

/// The name in legends: the run, the settings of a point, and the stage if several are answered for.
pub(crate) fn group_name(run: &str, settings: &[Setting], stage: Option<&str>) -> String {
    // Legends are narrow: they show the last word of a path if no other path ends in it.
    let name = |setting: &Setting| {
        let short = setting.word();
        let alone = settings.iter().filter(|other| other.word() == short).count() == 1;
        if alone { short } else { setting.key.clone() }
    };
    let named = settings.iter().map(|one| format!("{} = {}", name(one), one.value));
    let named = named.chain(stage.map(|stage| format!("stage = {stage}")));
    let named = named.collect::<Vec<String>>().join(", ");
    match (run.is_empty(), named.is_empty()) {
        (true, _) => named,
        (false, true) => run.to_string(),
        (false, false) => format!("{run}: {named}"),
    }
}

/// The last word of a key, which names it in figures. A name of types or a number says little alone, so the key before it is named
/// too: `stickiness of BB`.
pub(crate) fn word(key: &str) -> String {
    fn is_number(word: &str) -> bool {
        word.bytes().all(|byte| byte.is_ascii_digit())
    }
    let words: Vec<&str> = key.split('.').collect();
    let Some((last, before)) = words.split_last() else { return String::new() };
    let is_of_types = |word: &&str| ["pairs", "bonds", "angles"].contains(word);
    let by_types = before.iter().position(is_of_types).is_some_and(|place| {
        let parameters = &before[place + 1..];
        parameters.iter().any(|word| !is_number(word))
    });
    // Keys have small letters alone.
    let is_key = last.chars().all(|c| c == '_' || c.is_ascii_lowercase());
    match before.iter().rfind(|word| !is_number(word)) {
        Some(key) if is_number(last) => format!("{key} {last}"),
        Some(key) if by_types || !is_key => format!("{key} of {last}"),
        _ => (*last).to_string(),
    }
}

/// What values are of: a drive, or nothing for all drives together.
pub(crate) fn drive_in_words(drive: &str) -> String {
    if drive.is_empty() { String::new() } else { format!("drive {drive}") }
}

/// Errors of means of fewer independent values are said to be little known.
pub(crate) const FEWEST_VALUES: usize = 8;

/// How well the standard error of a mean of some independent values is itself known at best, relative 1/√(2(n − 1)): `50 %`.
pub(crate) fn known_at_best(values: usize) -> String {
    format!("{:.0} %", 100.0 / (2.0 * (values as f64 - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_quantity_and_unit() {
        assert_eq!(label("speed", "µm/s"), "speed / (µm/s)");
        assert_eq!(label("work", "pN nm"), "work / (pN nm)");
        assert_eq!([label("time", "ns"), label("g", "")], ["time / ns", "g"]);
    }

    #[test]
    fn large_and_small_numbers_have_powers() {
        assert_eq!([3.14e12, 63_663.0].map(with_power), ["3.1×10¹²", "6.4×10⁴"]);
        assert_eq!(with_power(-2e-7), "−2×10⁻⁷");
        assert_eq!([0.0, 31.4, -0.25].map(with_power), ["0", "31", "−0.25"]);
    }

    #[test]
    fn names_of_types_stand_with_their_key() {
        let name = |key: &str, words: &str| assert_eq!(word(key), words);
        name("pull.speed", "speed");
        name("seed", "seed");
        name("system.build.1.count", "count");
        name("system.bonds.stiffness", "stiffness");
        name("system.bonds.2.stiffness.AB", "stiffness of AB");
        name("system.pairs.1.stickiness.BB", "stickiness of BB");
        name("system.pairs.1.stickiness.ab", "stickiness of ab");
        name("system.pairs.1.cutoff", "cutoff");
        name("exchange.temperatures.3", "temperatures 3");
        let setting = |key: &str, value: &str, drive: &str| Setting {
            key: key.into(),
            value: value.into(),
            drive: drive.into(),
        };
        let settings = [setting("system.pairs.1.stickiness.BB", "0.4", "")];
        assert_eq!(group_name("", &settings, None), "stickiness of BB = 0.4");
        let speed = |number: u32, drive: &str| {
            setting(&format!("pull.drives.{number}.speed"), "70 um/s", drive)
        };
        let both = [speed(1, "left"), speed(2, "right")];
        assert_eq!(
            group_name("", &both, None),
            "speed of drive left = 70 um/s, speed of drive right = 70 um/s"
        );
        // The one drive of a stage needs no name.
        assert_eq!(group_name("", &[speed(1, "")], None), "speed = 70 um/s");
    }

    #[test]
    fn micro_has_its_symbol() {
        assert_eq!(with_symbols("2.5 um/s"), "2.5 µm/s");
        assert_eq!(with_symbols("us"), "µs");
        assert_eq!(
            with_symbols("speed = 0.2 um/us, mode = ulm, lum = 3"),
            "speed = 0.2 µm/µs, mode = ulm, lum = 3"
        );
    }

    #[test]
    fn widths_are_round() {
        assert_eq!([0.7, 1.4, 3.0, 3.6, 8.0].map(round_width), [0.5, 1.0, 2.0, 5.0, 10.0]);
    }
}
