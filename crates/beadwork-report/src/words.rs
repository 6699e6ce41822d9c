//! Numbers, times and names in words.

use beadwork_analysis::numbers::rounded;
use beadwork_model::observables::Unit;

/// The symbol of a unit without the brackets that a fraction has on an axis: `kcal/mol`.
pub(crate) fn symbol(unit: Unit) -> &'static str {
    let symbol = unit.symbol();
    symbol.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(symbol)
}

/// The name of a group as the beginning of a line about it.
pub(crate) fn head(group: &str) -> String {
    if group.is_empty() { String::new() } else { format!("{group}: ") }
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
    let size = like.abs();
    if size == 0.0 || (1e-2..10.0).contains(&size) {
        format!("{number:.4}")
    } else if (10.0..1e5).contains(&size) {
        format!("{number:.2}")
    } else {
        format!("{number:.4e}")
    }
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
pub(crate) fn group_name(run: &str, settings: &[(String, String)], stage: Option<&str>) -> String {
    // Legends are narrow: they show the last word of a path if no other path ends in it.
    let last = |path: &str| path.rsplit('.').next().unwrap_or_default().to_string();
    let name = |path: &str| {
        let short = last(path);
        let alone = settings.iter().filter(|(other, _)| last(other) == short).count() == 1;
        if alone { short } else { path.to_string() }
    };
    let named = settings.iter().map(|(path, value)| format!("{} = {value}", name(path)));
    let named = named.chain(stage.map(|stage| format!("stage = {stage}")));
    let named = named.collect::<Vec<String>>().join(", ");
    match (run.is_empty(), named.is_empty()) {
        (true, _) => named,
        (false, true) => run.to_string(),
        (false, false) => format!("{run}: {named}"),
    }
}

/// What values are of: a drive, or nothing for all drives together.
pub(crate) fn drive_in_words(drive: &str) -> String {
    if drive.is_empty() { String::new() } else { format!("drive {drive}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_round() {
        assert_eq!([0.7, 1.4, 3.0, 3.6, 8.0].map(round_width), [0.5, 1.0, 2.0, 5.0, 10.0]);
    }
}
