//! `summary.txt`.

use beadwork_analysis::numbers::fixed;

use super::finding::{Code, Finding};
use super::summary::{Group, Summary, Value};
use crate::words::{decimals, figure, head, plain};

/// Small numbers with smaller errors have an exponent. Others would lose digits by it.
const TINY: f64 = 1e-6;
/// Numbers below this one are small.
const SMALL: f64 = 1e-2;
/// Errors from this one on are of runs that blew up. Numbers with them have an exponent, since their digits say nothing.
const HUGE: f64 = 1e9;
/// Lists with more numbers are shortened.
const SHOWN: usize = 32;

impl Summary {
    /// The text of `summary.txt`: failures, since values may rest on rows just before them, then a paragraph for each group, then
    /// what else concerns whole runs.
    pub fn in_words(&self) -> String {
        let (failures, others): (Vec<&Finding>, Vec<&Finding>) =
            self.findings.iter().partition(|finding| finding.code == Code::Failed);
        let mut text: String = failures.into_iter().map(|finding| line(finding, "")).collect();
        for group in &self.groups {
            text.push_str(&group.in_words());
        }
        text.extend(others.into_iter().map(|finding| line(finding, "")));
        text
    }
}

impl Group {
    fn in_words(&self) -> String {
        let head = head(&self.name);
        let values: Vec<&Value> = self.values.iter().filter(|one| !one.words.is_empty()).collect();
        let mut text = match (self.name.is_empty(), values.len()) {
            (true, _) | (_, 0) => String::new(),
            (_, 1) => head.clone(),
            _ => format!("{}:\n", self.name),
        };
        // Rows that many values share are named once.
        let mut before = "";
        for value in values {
            let shared = value.error.is_some() && value.basis == before;
            before = &value.basis;
            text.push_str(&value.with_basis(if shared { "" } else { before }));
            text.push('\n');
        }
        text.extend(self.findings.iter().map(|finding| line(finding, &head)));
        text
    }
}

fn line(finding: &Finding, head: &str) -> String {
    let note = if finding.is_verdict() { "" } else { "note: " };
    format!("{note}{head}{finding}\n")
}

impl Value {
    /// A line without its end: `unfolding force: 182.3 ± 1.8 pN (standard error of 15 independent values; standard deviation 7.1)`.
    pub fn in_words(&self) -> String {
        self.with_basis(&self.basis)
    }

    /// The line, with these words on its basis.
    fn with_basis(&self, basis: &str) -> String {
        let of = if self.of.is_empty() { String::new() } else { format!(" of {}", self.of) };
        let unit = match self.unit.as_str() {
            "" => String::new(),
            unit => format!(" {unit}"),
        };
        let (number, notes) = self.number_and_notes(basis);
        let notes =
            if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
        format!("{}{of}: {number}{unit}{notes}", self.words)
    }

    /// The number with its error, without the unit, and what is to be said of it, with these words on its basis.
    pub(crate) fn number_and_notes(&self, basis: &str) -> (String, Vec<String>) {
        let mut notes = Vec::new();
        // A zero has no minus.
        let number = match (self.value.map(|value| value + 0.0), self.error) {
            (None, _) => listed(&self.list, short),
            (Some(value), Some(error)) => {
                notes.push(self.error_in_words());
                let decimals = decimals(error);
                match error < TINY && value.abs() < SMALL {
                    // All values are equal.
                    _ if error == 0.0 => format!("{} ± 0", plain(value)),
                    true => format!("{value:.2e} ± {error:.1e}"),
                    false if error >= HUGE => {
                        // The last digit is that of the error.
                        let digits = (value.abs() / error).log10().floor() + 1.0;
                        let digits = digits.clamp(1.0, 12.0) as usize;
                        format!("{value:.digits$e} ± {error:.1e}")
                    }
                    false => format!("{} ± {error:.decimals$}", fixed(value, decimals)),
                }
            }
            (Some(value), None) => {
                notes.extend(self.independent_values.filter(|_| self.bound.is_none()).map(
                    |count| match count {
                        1.0 => "one value, so without an error".to_string(),
                        _ => "without an error".to_string(),
                    },
                ));
                short(value)
            }
        };
        let like = self.value.unwrap_or(0.0);
        notes.extend(
            self.deviation.map(|spread| format!("standard deviation {}", figure(spread, spread))),
        );
        notes.extend(self.law.map(|law| format!("law {}", figure(law, like))));
        notes.extend(self.bound.map(|bound| format!("at most {} is expected", short(bound))));
        notes.extend(Some(basis.to_string()).filter(|basis| !basis.is_empty()));
        (number, notes)
    }

    /// `standard error of about 120 independent values`.
    fn error_in_words(&self) -> String {
        let mut text = "standard error".to_string();
        if let Some(count) = self.independent_values {
            let about = if count.fract() == 0.0 { "" } else { "about " };
            let values = if format!("{count:.0}") == "1" { "value" } else { "values" };
            text.push_str(&format!(" of {about}{count:.0} independent {values}"));
        }
        if let Some(freedom) = self.degrees_of_freedom {
            text.push_str(&format!(" with {freedom:.0} degrees of freedom"));
        }
        text
    }
}

/// A whole number as it is, another with some digits.
fn short(number: f64) -> String {
    let is_whole = number.fract() == 0.0 && number.abs() < 1e9;
    if is_whole { format!("{}", number + 0.0) } else { plain(number) }
}

/// `0.4 0.6 1`; the first and the last if there are many numbers.
pub(crate) fn listed(numbers: &[f64], each: impl Fn(f64) -> String) -> String {
    let shown =
        |numbers: &[f64]| numbers.iter().map(|number| each(*number)).collect::<Vec<_>>().join(" ");
    if numbers.len() <= SHOWN {
        return shown(numbers);
    }
    format!("{} … {}", shown(&numbers[..SHOWN - 2]), shown(&numbers[numbers.len() - 2..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_come_before_values() {
        let group =
            Group { values: vec![Value::new("force", "force", "pN", 473.71)], ..Group::default() };
        let findings = [Code::Unfinished, Code::Failed, Code::Missing]
            .map(|code| Finding::new(code, code.text()));
        let summary =
            Summary { groups: vec![group], findings: findings.to_vec(), ..Summary::default() };
        let words = summary.in_words();
        let expected = "note: failed\nforce: 473.71 pN\nnote: unfinished\nnote: missing-replicas\n";
        assert_eq!(words, expected);
    }

    #[test]
    fn small_errors_leave_the_digits_of_a_value() {
        let shown = |value: f64, error: f64| {
            let value = Value::new("work", "work", "", value).with_error(Some(error));
            let words = value.in_words();
            words.trim_start_matches("work: ").split(" (").next().unwrap().to_string()
        };
        assert_eq!(shown(258.12, 0.0), "258.12 ± 0");
        assert_eq!(shown(3e-7, 0.0), "3.0000e-7 ± 0");
        assert_eq!(shown(258.12, 2e-7), "258.12000000 ± 0.00000020");
        assert_eq!(shown(3.2e-7, 2e-8), "3.20e-7 ± 2.0e-8");
        assert_eq!(shown(258.12, 0.25), "258.12 ± 0.25");
        assert_eq!(shown(17_249_483_778_138.0, 1.52e13), "1.7e13 ± 1.5e13");
        assert_eq!(shown(1.2345e12, 2e10), "1.23e12 ± 2.0e10");
        assert_eq!(shown(0.0, 2e10), "0.0e0 ± 2.0e10");
        assert_eq!(shown(17_249_483.0, 25_000.0), "17249483 ± 25000");
    }

    #[test]
    fn zero_has_no_minus() {
        let shown = |value: f64, error: Option<f64>| {
            Value::new("slope", "slope", "", value).with_error(error).number_and_notes("").0
        };
        assert_eq!(shown(-0.02, Some(3.2)), "0.0 ± 3.2");
        assert_eq!(shown(-0.06, Some(3.2)), "-0.1 ± 3.2");
        assert_eq!(shown(-0.0, Some(0.0)), "0.0000 ± 0");
        assert_eq!(shown(-0.0, Some(2e10)), "0.0e0 ± 2.0e10");
        assert_eq!(shown(-0.0, None), "0");
    }
}
