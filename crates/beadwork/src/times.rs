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

/// A duration in its two largest units: `20 years 10 months`, `45 min 26 s`.
pub fn duration(duration: Duration) -> String {
    const UNITS: [(u64, &str, &str); 6] = [
        (31_557_600, "year", "years"),
        (2_629_800, "month", "months"),
        (86_400, "day", "days"),
        (3_600, "h", "h"),
        (60, "min", "min"),
        (1, "s", "s"),
    ];
    let mut left = duration.as_secs();
    let first = UNITS.iter().position(|unit| left >= unit.0).unwrap_or(UNITS.len() - 1);
    let mut words = Vec::new();
    for (place, (size, one, many)) in UNITS.iter().enumerate().skip(first).take(2) {
        let count = left / size;
        left %= size;
        let is_last = place + 1 == UNITS.len();
        if count > 0 || (is_last && words.is_empty()) {
            words.push(format!("{count} {}", if count == 1 { one } else { many }));
        }
    }
    words.join(" ")
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
    fn durations_have_two_units() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (2_726, "45 min 26 s"),
            (86_461, "1 day"),
            (90_061, "1 day 1 h"),
            (657_000_000, "20 years 9 months"),
            (u64::MAX, "584542046090 years 7 months"),
        ] {
            assert_eq!(duration(Duration::from_secs(seconds)), expected);
        }
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
