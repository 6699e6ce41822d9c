//! Today, for the head of a result.

use std::time::{SystemTime, UNIX_EPOCH};

/// The date of today in UTC, as `2026-11-21`.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date_of_day(seconds / 86_400)
}

/// The date of a day counted from 1970-01-01.
///
/// Years begin on 1 March here, so that the leap day is the last of its year; an era is 400 years.
fn date_of_day(day: u64) -> String {
    // 1970-01-01 is day 719,468 from 0000-03-01.
    let day = day + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months from March on have 153 days in every five.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = 400 * era + year_of_era + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

#[cfg(test)]
mod tests {
    use super::date_of_day;

    #[test]
    fn dates_of_the_calendar() {
        assert_eq!(date_of_day(0), "1970-01-01");
        assert_eq!(date_of_day(58), "1970-02-28");
        assert_eq!(date_of_day(59), "1970-03-01");
        // 30 years with leap days in 1972, 76, 80, 84, 88, 92, 96.
        assert_eq!(date_of_day(30 * 365 + 7), "2000-01-01");
        assert_eq!(date_of_day(30 * 365 + 7 + 59), "2000-02-29");
        assert_eq!(date_of_day(30 * 365 + 7 + 365), "2000-12-31");
    }
}
