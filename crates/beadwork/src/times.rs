//! Times in words.

use std::time::{Duration, SystemTime};

use beadwork_analysis::numbers::significant;
use beadwork_model::Units;

/// A time of day in UTC, as `2026-11-21T09:30:00Z`. A wrong clock may show a time before 1970 or after 9999; it becomes the
/// closest time in between.
pub fn date(moment: SystemTime) -> String {
    let last = SystemTime::UNIX_EPOCH + Duration::from_secs(253_402_300_799);
    humantime::format_rfc3339_seconds(moment.clamp(SystemTime::UNIX_EPOCH, last)).to_string()
}

/// A time of a system: with a unit, such as 20 ps, 1.5 µs or 4 ms, or a number in reduced units.
pub fn time_in(units: Units, time: f64) -> String {
    match units {
        Units::Real => simulated(time),
        Units::Reduced => significant(time),
    }
}

/// A time, ps, in a unit that suits it.
pub fn simulated(picoseconds: f64) -> String {
    let units = [(1e12, "s"), (1e9, "ms"), (1e6, "µs"), (1e3, "ns"), (1.0, "ps")];
    let (size, name) =
        units.into_iter().find(|(size, _)| picoseconds.abs() >= *size).unwrap_or((1.0, "ps"));
    let value = picoseconds / size;
    if value.abs() >= 1e15 {
        return format!("{} {name}", significant(value));
    }
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text} {name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_wrong_clocks_are_limited() {
        let seconds = Duration::from_secs;
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(date(epoch + seconds(86_400)), "1970-01-02T00:00:00Z");
        assert_eq!(date(epoch - seconds(1)), "1970-01-01T00:00:00Z");
        assert_eq!(date(epoch + seconds(300_000_000_000)), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn times_for_people() {
        assert_eq!(simulated(20.0), "20 ps");
        assert_eq!(simulated(1.5e6), "1.5 µs");
        assert_eq!(simulated(4e9), "4 ms");
        assert_eq!(simulated(0.0), "0 ps");
        assert_eq!(simulated(2.5e99), "2.5e87 s");
    }
}
