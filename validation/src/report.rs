//! Reports stored beside the programs that made them: JSON for programs, Markdown for people.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde::Serialize;

use crate::Failure;
use crate::agreement::{ALLOWED_ERRORS, ALLOWED_PROBABILITY, Comparison, joint_probability};
use crate::backend::Backend;

/// One table of a report.
#[derive(Clone, Debug, Serialize)]
pub struct Table {
    /// The quantities compared, and their reference.
    pub title: String,
    /// Parameters, steps and precision.
    pub conditions: String,
    /// Independent runs behind each mean.
    pub runs: usize,
    /// The rows.
    pub comparisons: Vec<Comparison>,
    /// Probability of the joint χ².
    pub joint_probability: f64,
    /// Number of rows in the joint χ².
    pub joint_rows: usize,
    /// Further conditions, each a sentence, and whether it holds.
    pub statements: Vec<(String, bool)>,
}

impl Table {
    /// A table of independent rows.
    pub fn of_rows(
        title: impl Into<String>,
        conditions: impl Into<String>,
        runs: usize,
        rows: Vec<Comparison>,
    ) -> Table {
        Table {
            title: title.into(),
            conditions: conditions.into(),
            runs,
            joint_probability: joint_probability(&rows),
            joint_rows: rows.len(),
            comparisons: rows,
            statements: Vec::new(),
        }
    }

    /// A table of statements alone.
    pub fn of_statements(
        title: impl Into<String>,
        conditions: impl Into<String>,
        statements: Vec<(String, bool)>,
    ) -> Table {
        Table { statements, ..Table::of_rows(title, conditions, 1, Vec::new()) }
    }

    /// Whether all rows and conditions agree.
    pub fn agrees(&self) -> bool {
        // A NaN probability does not agree.
        self.joint_probability >= ALLOWED_PROBABILITY
            && self.comparisons.iter().all(Comparison::agrees)
            && self.statements.iter().all(|(_, holds)| *holds)
    }
}

/// The report of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The program.
    pub name: String,
    /// The question it answers.
    pub question: String,
    /// The day of the run.
    pub date: String,
    /// Version of beadwork.
    pub version: String,
    /// Commit from `BEADWORK_COMMIT`, or from git, with `-modified` if files were changed.
    pub commit: Option<String>,
    /// The device it ran on.
    pub device: String,
    /// Wall time, s.
    pub seconds: f64,
    /// The results.
    pub tables: Vec<Table>,
    /// Whether every table agrees.
    pub agrees: bool,
}

impl Table {
    fn write(&self, text: &mut String) {
        let runs =
            if self.runs > 1 { format!(" {} independent runs.", self.runs) } else { String::new() };
        let _ = write!(text, "\n## {}\n\n{}{runs}\n\n", self.title, self.conditions);
        if !self.comparisons.is_empty() {
            text.push_str("| quantity | here | s.e. | reference | s.e. | difference in s.e. |\n");
            text.push_str("|---|---|---|---|---|---|\n");
        }
        for row in &self.comparisons {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {:+.2} |",
                row.name,
                number(row.mean),
                number(row.standard_error),
                number(row.reference),
                number(row.reference_error),
                row.deviation
            );
        }
        for (statement, holds) in &self.statements {
            let _ = writeln!(text, "- {statement} {}.", if *holds { "Holds" } else { "FAILS" });
        }
        text.push('\n');
        if !self.comparisons.is_empty() {
            let _ = write!(
                text,
                "Joint χ² of {} rows: p = {}. Allowed: {ALLOWED_ERRORS} s.e. each, p ≥ {ALLOWED_PROBABILITY:e}. ",
                self.joint_rows,
                number(self.joint_probability)
            );
        }
        let _ = writeln!(text, "**{}**", verdict(self.agrees()));
    }
}

impl Report {
    /// A report, dated today, of a run on this backend that began at `began`.
    pub fn new(
        backend: &Backend,
        program: &str,
        question: &str,
        began: Instant,
        tables: Vec<Table>,
    ) -> Report {
        Report {
            name: backend.result(program),
            question: question.to_string(),
            date: beadwork_benchmarks::today(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            commit: commit(),
            device: backend.name(),
            seconds: began.elapsed().as_secs_f64(),
            agrees: tables.iter().all(Table::agrees),
            tables,
        }
    }

    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        let commit = self.commit.as_deref().unwrap_or("unknown");
        let mut text = format!(
            "# {}\n\n{}\n\n{}, beadwork {}, commit {commit}, {:.0} s on {}. **{}**\n",
            self.name,
            self.question,
            self.date,
            self.version,
            self.seconds,
            self.device,
            verdict(self.agrees)
        );
        for table in &self.tables {
            table.write(&mut text);
        }
        text
    }

    /// Prints the report, and writes `NAME.json` and `NAME.md` to the folder of `--keep`. Without `--keep` it writes to
    /// the folder of results, unless the run was only a `part`, which must not replace a full result. Fails if a table
    /// disagrees.
    #[allow(clippy::print_stdout, reason = "what people watch the programs for")]
    pub fn finish(&self, keep: Option<&Path>, part: bool) -> Result<(), Failure> {
        println!("{}", self.markdown());
        let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("results");
        if let Some(folder) = keep.or((!part).then_some(results.as_path())) {
            std::fs::create_dir_all(folder)?;
            let json = serde_json::to_string_pretty(self)?;
            std::fs::write(folder.join(format!("{}.json", self.name)), json + "\n")?;
            std::fs::write(folder.join(format!("{}.md", self.name)), self.markdown())?;
        }
        if self.agrees { Ok(()) } else { Err("something does not agree".into()) }
    }
}

fn verdict(agrees: bool) -> &'static str {
    if agrees { "Agrees." } else { "DOES NOT AGREE." }
}

/// Six digits; in powers of ten if a plain number would be long.
fn number(value: f64) -> String {
    if value == 0.0 {
        "0".to_string()
    } else if (1e-3..1e6).contains(&value.abs()) {
        let decimals = (5 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
        format!("{value:.decimals$}")
    } else {
        format!("{value:.3e}")
    }
}

fn commit() -> Option<String> {
    if let Ok(commit) = std::env::var("BEADWORK_COMMIT") {
        return Some(commit);
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .ok()
            .filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let hash = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", "..", ":!results"])?;
    Some(if changed.is_empty() { hash } else { format!("{hash}-modified") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(-87.546), "-87.5460");
        assert_eq!(number(0.60828), "0.608280");
        assert_eq!(number(1.25e-7), "1.250e-7");
    }
}
