//! The results as kept: JSON for programs, Markdown for people.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use beadwork_arithmetic::Instructions;
use serde::Serialize;

use crate::measure::{IMPROVED, Mode, REPEATS, SHORT, Series};

/// All that was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The processor's name for itself.
    processor: String,
    /// Version of beadwork.
    version: &'static str,
    /// False in a debug build, whose times say nothing.
    optimised: bool,
    /// Means over systems.
    summary: Vec<Summary>,
    /// The measurements.
    series: Vec<Series>,
}

/// Geometric means over the systems, relative to K = 4.
#[derive(Clone, Debug, Serialize)]
struct Summary {
    mode: Mode,
    precision: &'static str,
    instructions: &'static str,
    /// Variants that keep the rule and their times.
    ruled: Vec<(&'static str, f64)>,
    /// The fastest variant without the rules.
    loose: f64,
}

/// The variants of the summary that keep the rule.
const RULED: [&str; 5] = ["K = 1", "K = 2", "K = 8", IMPROVED, SHORT];
/// In place of precision and instructions: all of them.
const ALL: &str = "all";

impl Report {
    /// Of some series.
    pub fn new(series: Vec<Series>) -> Report {
        let mut summary = Vec::new();
        for mode in [Mode::OneSystem, Mode::Ensemble] {
            for precision in ["single", "double"] {
                for instructions in Instructions::ALL.map(Instructions::name) {
                    summary.extend(summarise(&series, mode, precision, instructions));
                }
            }
            summary.extend(summarise(&series, mode, ALL, ALL));
        }
        Report {
            processor: processor().unwrap_or_else(|| "unknown".to_string()),
            version: env!("CARGO_PKG_VERSION"),
            optimised: !cfg!(debug_assertions),
            summary,
            series,
        }
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        let build = if self.optimised { "" } else { ", NOT a release build" };
        let mut text = format!(
            "# The order of sums\n\n\
             beadwork {}{build}, {}, one thread. Times of a thread's processor, medians of {REPEATS} repeats in \
             which the variants took turns, with the fastest and the slowest; ns a pair within the cutoff (and \
             replica), excluded pairs not counted. Relative: median over repeats of the ratio to K = 4. Error: the \
             largest of a force against a plain sum in double precision, in units of ε times the magnitudes of the \
             bead's terms.\n\n\
             ## Relative to K = 4, geometric means over the systems\n\n\
             K = 4 is as the engine had it when this was measured; improved, the same bits with less work around \
             the pairs; shorter, improved with two multiplications a pair fewer, which the loose variants do not \
             have. The rules cost what K = 4 takes more than the fastest loose variant.\n\n\
             | lanes | precision | instructions | K = 1 | K = 2 | K = 8 | K = 4, improved | shorter | loose | the rules \
             cost | improved |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
            self.version, self.processor
        );
        for row in &self.summary {
            let of = |variant: &str| {
                let found = row.ruled.iter().find(|(some, _)| *some == variant);
                found.map(|(_, relative)| *relative)
            };
            let cell = |variant| of(variant).map_or("–".to_string(), |time| format!("{time:.2}"));
            let cost = |time: f64| format!("{:+.0} %", 100.0 * (time / row.loose - 1.0));
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {:.2} | {} | {} |",
                row.mode.name(),
                row.precision,
                row.instructions,
                RULED.map(cell).join(" | "),
                row.loose,
                cost(1.0),
                of(IMPROVED).map_or("–".to_string(), cost)
            );
        }
        for series in &self.series {
            let _ = write!(
                text,
                "\n## {}, {} beads, {}, {} precision, {}\n\n{:.0} pairs.\n\n\
                 | variant | ns/pair | range | relative | error |\n|---|---|---|---|---|\n",
                series.system,
                series.beads,
                series.mode.name(),
                series.precision,
                series.instructions,
                series.pairs
            );
            for row in &series.rows {
                let [low, high] = row.range;
                let _ = writeln!(
                    text,
                    "| {} | {:.3} | {low:.3}–{high:.3} | {:.2} | {:.1} |",
                    row.variant, row.nanoseconds, row.relative, row.error
                );
            }
        }
        text
    }

    /// Writes `order-of-sums.json` and `order-of-sums.md` into the folder of results.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn keep(&self) -> io::Result<()> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
        std::fs::create_dir_all(&folder)?;
        let json = serde_json::to_string_pretty(self)?;
        std::fs::write(folder.join("order-of-sums.json"), json + "\n")?;
        std::fs::write(folder.join("order-of-sums.md"), self.markdown())
    }
}

/// Means over the series of this kind, if there are any.
fn summarise(
    series: &[Series],
    mode: Mode,
    precision: &'static str,
    instructions: &'static str,
) -> Option<Summary> {
    let fits = |wanted: &str, some: &str| wanted == ALL || wanted == some;
    let chosen: Vec<&Series> = series
        .iter()
        .filter(|some| {
            some.mode == mode
                && fits(precision, some.precision)
                && fits(instructions, some.instructions)
        })
        .collect();
    let loose = mean(chosen.iter().filter_map(|some| some.loosest()))?;
    let ruled = RULED.into_iter().filter_map(|variant| {
        Some((variant, mean(chosen.iter().filter_map(|some| some.relative(variant)))?))
    });
    let ruled = ruled.collect();
    Some(Summary { mode, precision, instructions, ruled, loose })
}

/// The geometric mean, if there is any number.
fn mean(numbers: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = numbers.map(f64::ln).collect();
    let count = logarithms.len();
    (count > 0).then(|| (logarithms.into_iter().sum::<f64>() / count as f64).exp())
}

/// The first model name of Linux's list of processors.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Row;

    #[test]
    fn the_cost_is_that_of_k_4_over_the_fastest_loose_variant() {
        let row = |variant: &str, relative: f64| Row {
            variant: variant.to_string(),
            nanoseconds: relative,
            range: [relative, relative],
            relative,
            error: 0.0,
        };
        let series = |system: &'static str, factor: f64| Series {
            system,
            beads: 1,
            pairs: 1.0,
            mode: Mode::Ensemble,
            precision: "single",
            instructions: "avx2",
            rows: vec![
                row("K = 1", 2.0 * factor),
                row("K = 4", 1.0),
                row(IMPROVED, 0.9),
                row("loose", 0.95),
                row("loose, estimate", 0.8),
            ],
        };
        let report = Report::new(vec![series("a", 1.0), series("b", 4.0)]);
        // That of the kind and that of all ensembles.
        assert_eq!(report.summary.len(), 2);
        let [("K = 1", first), (IMPROVED, improved)] = report.summary[0].ruled[..] else {
            panic!("{:?}", report.summary);
        };
        assert!((first - 4.0).abs() < 1e-12 && (improved - 0.9).abs() < 1e-12);
        let text = report.markdown();
        let line = "| ensemble | single | avx2 | 4.00 | – | – | 0.90 | – | 0.80 | +25 % | +12 % |";
        assert!(text.contains(line), "{text}");
    }
}
