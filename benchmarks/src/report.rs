//! Results: JSON for programs, Markdown for people.

use std::io::Write as _;
use std::path::Path;

use beadwork_analysis::numbers::{fixed, grouped, significant};
use beadwork_cuda::Device;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::machine::Machine;
use crate::options::Options;
use crate::statistics::{Check, Estimate, Spread};
use crate::{Error, Outcome};

/// The cells of one line of a table, each with the head of its column.
pub type Line = Vec<(&'static str, String)>;

/// A row of a result: each measured value, with its key in JSON and its head in a table.
#[derive(Debug, Default)]
pub struct Row {
    cells: Vec<(&'static str, Value)>,
    /// Cells that name the row; all its lines begin with them.
    labels: Line,
    line: Line,
    inner: Vec<(&'static str, Inner)>,
    checks: Vec<Check>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Inner {
    One(Row),
    Many(Vec<Row>),
}

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        self.cells.iter().try_for_each(|(key, cell)| map.serialize_entry(key, cell))?;
        self.inner.iter().try_for_each(|(key, rows)| map.serialize_entry(key, rows))?;
        if !self.checks.is_empty() {
            map.serialize_entry("checks", &self.checks)?;
        }
        if !self.notes.is_empty() {
            map.serialize_entry("notes", &self.notes)?;
        }
        map.end()
    }
}

impl Row {
    /// Adds a value that only JSON has.
    pub fn value(mut self, key: &'static str, value: impl Serialize) -> Row {
        self.cells.push((key, serde_json::to_value(value).unwrap_or_default()));
        self
    }

    /// Adds a cell that only the table has.
    pub fn shown(mut self, head: &'static str, cell: impl Into<String>) -> Row {
        self.line.push((head, cell.into()));
        self
    }

    pub fn text(self, key: &'static str, head: &'static str, text: &str) -> Row {
        self.value(key, text).shown(head, text)
    }

    pub fn count(self, key: &'static str, head: &'static str, number: u64) -> Row {
        self.value(key, number).shown(head, grouped(number))
    }

    /// Adds a number, which the table shows as `words` writes it.
    pub fn number(
        self,
        key: &'static str,
        head: &'static str,
        number: f64,
        words: impl Fn(f64) -> String,
    ) -> Row {
        self.value(key, number).shown(head, words(number))
    }

    pub fn estimate(
        self,
        key: &'static str,
        head: &'static str,
        estimate: Option<Estimate>,
    ) -> Row {
        let words = |found: Estimate| with_error(found.mean, Some(found.error));
        self.value(key, estimate).shown(head, estimate.map_or("-".to_string(), words))
    }

    pub fn median(
        self,
        key: &'static str,
        head: &'static str,
        spread: Option<&Spread>,
        words: impl Fn(f64) -> String,
    ) -> Row {
        let median = spread.map_or("-".to_string(), |spread| words(spread.median));
        self.value(key, spread).shown(head, median)
    }

    pub fn spread(
        self,
        key: &'static str,
        head: &'static str,
        spread: Option<&Spread>,
        words: impl Fn(f64) -> String,
    ) -> Row {
        let extremes = |of: &Spread| format!("{} to {}", words(of.lowest), words(of.highest));
        let extremes = spread.map_or("-".to_string(), extremes);
        self.median(key, head, spread, words).shown("lowest to highest", extremes)
    }

    /// Makes the present cells of the table the row's labels.
    pub fn labelled(mut self) -> Row {
        self.labels.append(&mut self.line);
        self
    }

    /// Adds a row whose cells continue this line of the table; in JSON it is an object of its own.
    pub fn beside(mut self, key: &'static str, mut row: Row) -> Row {
        self.line.append(&mut row.line);
        self.value(key, row)
    }

    /// Adds the row of a peer within this one; its checks count as this row's.
    pub fn peer(mut self, row: Option<Row>) -> Row {
        self.inner.extend(row.map(|row| ("peer", Inner::One(row))));
        self
    }

    /// Adds rows within this one; their checks count as this row's.
    pub fn inner_rows(mut self, key: &'static str, rows: Vec<Row>) -> Row {
        self.inner.push((key, Inner::Many(rows)));
        self
    }

    pub fn checked(mut self, checks: impl IntoIterator<Item = Check>) -> Row {
        self.checks.extend(checks);
        self
    }

    /// Adds notes on what could not be checked, and why.
    pub fn noted(mut self, notes: Vec<String>) -> Row {
        self.notes = notes;
        self
    }

    /// The row's line in a table, or that of a row within it.
    pub fn line(&self, of: &Row) -> Line {
        self.labels.iter().chain(&of.line).cloned().collect()
    }

    pub fn inner_ones(&self) -> impl Iterator<Item = &Row> {
        self.inner.iter().flat_map(|(_, inner)| match inner {
            Inner::One(row) => std::slice::from_ref(row),
            Inner::Many(rows) => rows,
        })
    }

    fn all_checks(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().chain(self.inner_ones().flat_map(|row| &row.checks))
    }
}

/// The head of a result.
#[derive(Debug)]
pub struct Head {
    name: &'static str,
    pub machine: Machine,
    device: &'static str,
    command: String,
}

#[derive(Serialize)]
struct Report<'a> {
    name: &'a str,
    machine: &'a Machine,
    /// `cpu` or `cuda`.
    device: &'a str,
    /// The command, so that the measurement can be repeated.
    command: &'a str,
    #[serde(flatten)]
    conditions: &'a Row,
    rows: &'a [Row],
    holds: bool,
}

impl Head {
    /// The head of a benchmark that begins now, on these GPUs or, without any, on the processor.
    pub fn new(name: &'static str, cards: &[Device]) -> Head {
        let machine = Machine::here(cards);
        if !machine.optimised {
            remark("warning: this is not a release build; its speeds mean nothing");
        }
        let device = if cards.is_empty() { "cpu" } else { "cuda" };
        Head { name, machine, device, command: command() }
    }

    /// Puts the result together and saves it if `--save` asks for it. JSON has the `conditions` beside the rows, Markdown
    /// has the `text` between the head and the checks. Checks of rows within the conditions count, too.
    pub fn finish(
        &self,
        options: &Options,
        conditions: &Row,
        rows: &[Row],
        text: &str,
    ) -> Result<Outcome, Error> {
        let checked: Vec<&Row> = rows.iter().chain(conditions.inner_ones()).collect();
        let holds = checked.iter().flat_map(|row| row.all_checks()).all(|check| check.holds);
        let Head { name, device, machine, command } = self;
        let failed = "A CHECK FAILS: the figures above do not count.";
        let verdict = if holds { "All checks hold." } else { failed };
        let markdown = format!(
            "# bench {name} on the {device}\n\n{}`{command}`\n\n{text}{}\n{verdict}\n",
            machine.in_words(),
            checks_of(&checked),
        );
        let report = Report { name, machine, device, command, conditions, rows, holds };
        let mut json = serde_json::to_string_pretty(&report)
            .map_err(|error| Error::Machine(error.to_string()))?;
        json.push('\n');
        if let Some(stem) = &options.save {
            keep(stem, "json", &json)?;
            keep(stem, "md", &markdown)?;
        }
        Ok(Outcome { text: if options.json { json } else { markdown }, holds })
    }
}

/// The section of checks, and of what could not be checked.
fn checks_of(rows: &[&Row]) -> String {
    let line = |row: &Row, check: &Check| -> Line {
        let Check { quantity, found, expected, deviation, allowed, .. } = check;
        // Deviations of means are in standard errors.
        let apart = |by: f64| match check.found_error {
            Some(_) => format!("{by:.2} s.e."),
            None => format!("{by:.1e}"),
        };
        let found = || with_error(*found, check.found_error);
        let cells = [
            ("quantity", quantity.clone()),
            ("found", check.remark.clone().unwrap_or_else(found)),
            ("expected", with_error(*expected, check.expected_error)),
            ("apart", apart(*deviation)),
            ("allowed", apart(*allowed)),
            ("", if check.holds { "holds" } else { "FAILS" }.to_string()),
        ];
        row.labels.iter().cloned().chain(cells).collect()
    };
    let lines: Vec<Line> =
        rows.iter().flat_map(|row| row.all_checks().map(move |check| line(row, check))).collect();
    let mut text = String::new();
    if !lines.is_empty() {
        text = format!("\n## Checks\n\n{}", table(lines));
    }
    for row in rows.iter().filter(|row| !row.notes.is_empty()) {
        let labels: Vec<String> =
            row.labels.iter().map(|(head, cell)| format!("{head} {cell}")).collect();
        text.push_str(&format!("\n{}: {}.\n", labels.join(", "), row.notes.join("; ")));
    }
    text
}

/// The command for a repetition, without the folders of absolute paths, which do not affect the measurement.
fn command() -> String {
    let words = std::env::args_os().map(|word| match Path::new(&word) {
        path if path.is_absolute() => path.file_name().map_or(word.clone(), Into::into),
        _ => word,
    });
    let words: Vec<String> =
        words.skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    format!("beadwork {}", words.join(" "))
}

fn keep(stem: &Path, extension: &str, text: &str) -> Result<(), Error> {
    // `with_extension` would cut a name with a dot in it.
    let mut name = stem.as_os_str().to_os_string();
    name.push(format!(".{extension}"));
    Ok(beadwork_io::atomic::write(Path::new(&name), text.as_bytes())?)
}

/// Prints progress on standard error. A closed pipe is ignored.
pub fn remark(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

pub fn table_of(rows: &[Row]) -> String {
    table(rows.iter().map(|row| row.line(row)))
}

/// A Markdown table of lines with the same heads. All cells of a column have the width of the widest, for terminals.
pub fn table(lines: impl IntoIterator<Item = Line>) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in lines {
        let (heads, cells): (Vec<&str>, Vec<String>) = line.into_iter().unzip();
        if rows.is_empty() {
            rows.push(heads.into_iter().map(String::from).collect());
        }
        rows.push(cells);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("| {cell:<width$} "));
        text.extend(cells.chain(["|\n".to_string()]));
        if number == 0 {
            let lines = widths.iter().map(|width| format!("|-{}-", "-".repeat(*width)));
            text.extend(lines.chain(["|\n".to_string()]));
        }
    }
    text
}

/// A speed with three digits: repeats differ in the third.
pub fn rounded(value: f64) -> String {
    if value < 1_000.0 {
        return significant(value);
    }
    let unit = 10_f64.powi(value.log10().floor() as i32 - 2);
    grouped(((value / unit).round() * unit) as u64)
}

/// A mean and its error, both with as many decimals as give the error two digits.
fn with_error(mean: f64, error: Option<f64>) -> String {
    let Some(error) = error.filter(|error| error.is_finite() && *error > 0.0) else {
        return significant(mean);
    };
    let decimals = (1 - error.log10().floor() as i32).clamp(0, 9) as usize;
    format!("{} ± {error:.decimals$}", fixed(mean, decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(rounded(123_456.0), "123 000");
        assert_eq!(rounded(99.96), "99.96");
        assert_eq!(with_error(-87.5463, Some(0.0671)), "-87.546 ± 0.067");
        assert_eq!(with_error(0.608_28, Some(0.000_12)), "0.60828 ± 0.00012");
        assert_eq!(with_error(5.0, Some(0.0)), "5");
    }

    #[test]
    fn rows_are_lines_and_objects() {
        let row = |name, spread: Option<Spread>| {
            let row = Row::default().text("name", "a", name).labelled();
            row.count("beads", "long", 1234).spread("rate", "x", spread.as_ref(), significant)
        };
        let rows = [row("±±", Some(Spread::of(vec![1.0, 3.0]))), row("±", None)];
        let expected = "\
| a  | long  | x | lowest to highest |
|----|-------|---|-------------------|
| ±± | 1 234 | 2 | 1 to 3            |
| ±  | 1 234 | - | -                 |
";
        assert_eq!(table_of(&rows), expected);
        let json = serde_json::to_string(&rows[1]).unwrap();
        assert_eq!(json, r#"{"name":"±","beads":1234,"rate":null}"#);
    }

    #[test]
    fn checks_of_inner_rows_count() {
        let wrong = Check::of_equality("x", Some("another".to_string()));
        let inner = Row::default().checked([wrong]);
        let row = Row::default().text("name", "a", "b").labelled().peer(Some(inner));
        assert!(checks_of(&[&row]).contains("| b | x        | another | 0 "));
    }
}
