//! The results of test batteries: a file for each test, and a summary.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use beadwork::io::atomic;
use beadwork::random::orders::Request;

use super::battery::{Battery, Statistic};
use crate::program::failure::Failure;

/// A test with a p-value closer to 0 or 1 than this has failed.
const FAILURE: f64 = 1e-10;
/// A test with a p-value closer than this is repeated with another seed.
const SUSPICION: f64 = 1e-4;

/// The verdict on a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    Passed,
    Suspicious,
    Failed,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::Suspicious => "suspicious",
            Verdict::Failed => "failed",
        }
    }
}

/// The distance of a p-value from the closer of 0 and 1.
fn margin(p: f64) -> f64 {
    p.min(1.0 - p)
}

/// The verdict on the statistics of one test.
pub fn judge(statistics: &[Statistic]) -> Verdict {
    let least = statistics.iter().map(|(_, p)| margin(*p)).fold(0.5, f64::min);
    match least {
        _ if least < FAILURE => Verdict::Failed,
        _ if least < SUSPICION => Verdict::Suspicious,
        _ => Verdict::Passed,
    }
}

/// The verdict on a test from the verdicts with several seeds.
fn of_runs(verdicts: impl Iterator<Item = Verdict> + Clone) -> Verdict {
    match verdicts.clone().max() {
        Some(Verdict::Failed) => Verdict::Failed,
        _ => verdicts.min().unwrap_or(Verdict::Passed),
    }
}

/// The file of one test: `generator.scheme.order/crush-007.seed-20101.particles-16000.txt`.
pub fn file(folder: &Path, request: &Request, battery: Battery, test: u32) -> PathBuf {
    let Request { generator, scheme, order, seed, particles } = *request;
    let group = format!("{}.{}.{}", generator.name(), scheme.name(), order.name());
    let name = format!("{}-{test:03}.seed-{seed}.particles-{particles}.txt", battery.name());
    folder.join(group).join(name)
}

/// Writes the statistics of a test in one piece, so that a file that exists is complete.
pub fn write(path: &Path, statistics: &[Statistic]) -> Result<(), Failure> {
    let mut text = String::new();
    for (name, p) in statistics {
        let _ = writeln!(text, "{p:e} {name}");
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| unwritten(folder, &error))?;
    }
    Ok(atomic::write(path, text.as_bytes())?)
}

/// The statistics in a file; `None` if the file does not exist.
pub fn read(path: &Path) -> Result<Option<Vec<Statistic>>, Failure> {
    let Ok(text) = fs::read_to_string(path) else { return Ok(None) };
    let row = |line: &str| {
        let (p, name) = line.split_once(' ')?;
        Some((name.to_string(), p.parse().ok()?))
    };
    let rows: Option<Vec<Statistic>> = text.lines().map(row).collect();
    let rows = rows.filter(|rows| !rows.is_empty());
    rows.map(Some).ok_or_else(|| {
        let path = path.display();
        Failure::input(format!(
            "{path} is no result of a test: delete it, and the test is run again"
        ))
    })
}

fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::machine(format!("{} cannot be written: {error}", path.display()))
}

/// The statistics with each seed, by number of the test.
type Tests = BTreeMap<String, Vec<Vec<Statistic>>>;

/// Summarises all results in a folder as a Markdown table, and writes it there.
///
/// A suspicious test that passes with another seed counts as passed, since chance rarely repeats; a failure remains.
pub fn summary(folder: &Path) -> Result<String, Failure> {
    let mut groups: BTreeMap<[String; 4], Tests> = BTreeMap::new();
    for path in files_in(folder) {
        let Some((group, battery, test)) = parts(&path) else { continue };
        let Some(statistics) = read(&path)? else { continue };
        let [generator, scheme, order] = group;
        let entry = groups.entry([generator, scheme, order, battery]).or_default();
        entry.entry(test).or_default().push(statistics);
    }
    let mut text = String::from(
        "| generator | scheme | order | battery | tests | statistics | failed | suspicious | p nearest to 0 or 1 |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for ([generator, scheme, order, battery], tests) in &groups {
        let verdicts: Vec<(&String, Verdict)> = tests
            .iter()
            .map(|(test, runs)| (test, of_runs(runs.iter().map(|run| judge(run)))))
            .collect();
        let named = |verdict: Verdict| {
            let tests = verdicts.iter().filter(|(_, found)| *found == verdict);
            let numbers: Vec<&str> = tests.map(|(test, _)| test.trim_start_matches('0')).collect();
            match numbers.len() {
                0 => "0".to_string(),
                many => format!("{many} ({})", numbers.join(", ")),
            }
        };
        let all = || tests.values().flatten().flatten();
        let least = all().map(|(_, p)| *p).min_by(|a, b| margin(*a).total_cmp(&margin(*b)));
        let _ = writeln!(
            text,
            "| {generator} | {scheme} | {order} | {battery} | {} | {} | {} | {} | {} |",
            tests.len(),
            all().count(),
            named(Verdict::Failed),
            named(Verdict::Suspicious),
            extreme(least.unwrap_or(0.5))
        );
    }
    atomic::write(&folder.join("summary.md"), text.as_bytes())?;
    Ok(text)
}

/// A p-value by its distance from the closer of 0 and 1: `3.8e-3`, `1 - 4.5e-5`.
fn extreme(p: f64) -> String {
    if p > 0.5 { format!("1 - {:.1e}", 1.0 - p) } else { format!("{p:.1e}") }
}

/// All result files, sorted.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let folders = entries(folder).into_iter().filter(|path| path.is_dir());
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.sort();
    files
}

/// Generator, scheme and order; battery; number of the test.
fn parts(path: &Path) -> Option<([String; 3], String, String)> {
    let text = |path: Option<&std::ffi::OsStr>| Some(path?.to_str()?.to_string());
    let group = text(path.parent()?.file_name())?;
    let mut words = group.split('.').map(str::to_string);
    let group = [words.next()?, words.next()?, words.next()?];
    let name = text(path.file_name())?;
    let (battery, test) = name.strip_suffix(".txt")?.split_once(".seed-")?.0.rsplit_once('-')?;
    Some((group, battery.to_string(), test.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_follow_the_p_value_nearest_to_an_end() {
        let of = |ps: &[f64]| judge(&ps.iter().map(|p| (String::new(), *p)).collect::<Vec<_>>());
        assert_eq!(of(&[0.5, 0.01, 0.999]), Verdict::Passed);
        assert_eq!(of(&[0.5, 1e-5]), Verdict::Suspicious);
        assert_eq!(of(&[0.999_95]), Verdict::Suspicious);
        assert_eq!(of(&[0.5, 1e-5, 1e-11]), Verdict::Failed);
        assert_eq!(of(&[1.0]), Verdict::Failed);
    }

    #[test]
    fn p_values_are_written_from_the_nearer_end() {
        assert_eq!(
            [0.0, 1e-200, 0.25, 0.75, 1.0].map(extreme),
            ["0.0e0", "1.0e-200", "2.5e-1", "1 - 2.5e-1", "1 - 0.0e0"]
        );
    }

    #[test]
    fn a_repeat_clears_suspicion_but_not_failure() {
        use Verdict::{Failed, Passed, Suspicious};
        for (verdicts, expected) in [
            (&[Suspicious, Passed][..], Passed),
            (&[Suspicious, Suspicious], Suspicious),
            (&[Passed, Failed], Failed),
        ] {
            assert_eq!(of_runs(verdicts.iter().copied()), expected);
        }
    }
}
