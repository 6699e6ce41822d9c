//! The results of test batteries: a file for each test, and a summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use beadwork::io::atomic;
use beadwork::random::orders::Request;

use super::super::output::remark;
use super::battery::{Battery, Statistic, Test, is_p_value};
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

/// A run of a test with a seed; on words of others, the first or second run.
pub struct Run {
    pub seed: u64,
    pub statistics: Vec<Statistic>,
}

impl Run {
    /// The distance from 0 or 1 of the p-value that is nearest to them.
    fn margin(&self) -> f64 {
        self.statistics.iter().map(|(_, p)| margin(*p)).fold(0.5, f64::min)
    }
}

/// The verdict on a test from its runs.
///
/// A suspicious test that passes with another seed counts as passed, since chance rarely repeats; a failure remains.
///
/// A printed 0 says no more than p < limit, where a program prints few digits, so it counts as the limit, which is
/// suspicious, and so does a printed 1. Two runs that end so are a failure. Independent words bring a statistic
/// within 5e-9 of 0 or 1 with probability 1e-8, one of the thirty of Dieharder's test 102 with 3e-7, and this twice
/// with 9e-14. Files with one seed and other numbers of particles may be of the same words, so seeds are counted.
pub fn judge(battery: Battery, runs: &[Run]) -> Verdict {
    let limit = battery.print_limit();
    let verdicts = runs.iter().map(|run| match run.margin().max(limit) {
        least if least < FAILURE => Verdict::Failed,
        least if least < SUSPICION => Verdict::Suspicious,
        _ => Verdict::Passed,
    });
    let at_limit = runs.iter().filter(|run| run.margin() < limit);
    let seeds: BTreeSet<u64> = at_limit.map(|run| run.seed).collect();
    if seeds.len() > 1 || verdicts.clone().any(|verdict| verdict == Verdict::Failed) {
        return Verdict::Failed;
    }
    verdicts.min().unwrap_or(Verdict::Passed)
}

/// The file of one test: `generator.scheme.order/crush-007.seed-20101.particles-16000.txt`.
pub fn file(folder: &Path, request: &Request, battery: Battery, test: Test) -> PathBuf {
    let Request { generator, scheme, order, seed, particles } = *request;
    let group = format!("{}.{}.{}", generator.name(), scheme.name(), order.name());
    let (battery, test) = (battery.name(), test.in_file_name());
    let name = format!("{battery}-{test}.seed-{seed}.particles-{particles}.txt");
    folder.join(group).join(name)
}

/// The file of one run of a test on words of others: `mygen.own.command/crush-007.run-1.txt`.
pub fn outside_file(
    folder: &Path,
    group: &[String; 3],
    battery: Battery,
    test: Test,
    run: u64,
) -> PathBuf {
    let (battery, test) = (battery.name(), test.in_file_name());
    folder.join(group.join(".")).join(format!("{battery}-{test}.run-{run}.txt"))
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
        let p = p.parse::<f64>().ok().filter(|p| is_p_value(*p))?;
        Some((name.to_string(), p))
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

/// Generator, scheme and order; battery.
type Group = ([String; 3], Battery);

/// Results by group and test.
type Results = BTreeMap<Group, BTreeMap<Test, Vec<Run>>>;

/// Summarises all results in a folder as a Markdown table, and writes it there.
///
/// Files of tests that no battery has, as earlier versions wrote them of Dieharder's 200 to 203 without a size, are
/// named and left out.
pub fn summary(folder: &Path) -> Result<String, Failure> {
    let mut groups = Results::new();
    for path in files_in(folder) {
        let Some((group, test, seed)) = parts(&path) else { continue };
        let battery = group.1;
        if !battery.tests().contains(&test) {
            let (path, name, instead) = (path.display(), battery.name(), battery.instead_of(test));
            remark(&format!(
                "{path} is left out of the summary: {name} has no test {test}{instead}"
            ));
            continue;
        }
        let Some(statistics) = read(&path)? else { continue };
        let tests = groups.entry(group).or_default();
        tests.entry(test).or_default().push(Run { seed, statistics });
    }
    let text = table(&groups);
    atomic::write(&folder.join("summary.md"), text.as_bytes())?;
    Ok(text)
}

/// The table of one test that leaves no file.
pub fn table_of(group: [String; 3], battery: Battery, test: Test, runs: Vec<Run>) -> String {
    table(&BTreeMap::from([((group, battery), BTreeMap::from([(test, runs)]))]))
}

fn table(groups: &Results) -> String {
    let mut text = String::from(
        "| generator | scheme | order | battery | tests | statistics | failed | suspicious | p nearest to 0 or 1 |\n|---|---|---|---|---|---|---|---|---|\n",
    );
    for (([generator, scheme, order], battery), tests) in groups {
        let verdicts: Vec<(&Test, Verdict)> =
            tests.iter().map(|(test, runs)| (test, judge(*battery, runs))).collect();
        let named = |verdict: Verdict| {
            let tests = verdicts.iter().filter(|(_, found)| *found == verdict);
            let tests: Vec<String> = tests.map(|(test, _)| test.to_string()).collect();
            match tests.len() {
                0 => "0".to_string(),
                many => format!("{many} ({})", tests.join(", ")),
            }
        };
        let all = || tests.values().flatten().flat_map(|run| &run.statistics);
        let least = all().map(|(_, p)| *p).min_by(|a, b| margin(*a).total_cmp(&margin(*b)));
        let _ = writeln!(
            text,
            "| {generator} | {scheme} | {order} | {} | {} | {} | {} | {} | {} |",
            battery.name(),
            tests.len(),
            all().count(),
            named(Verdict::Failed),
            named(Verdict::Suspicious),
            extreme(least.unwrap_or(0.5), battery.print_limit())
        );
    }
    text
}

/// A p-value by its distance from the closer of 0 and 1: `3.8e-3`, `1 - 4.5e-5`; with the limit of the print `< 5e-9`,
/// `> 1 - 5e-9`.
fn extreme(p: f64, limit: f64) -> String {
    match (margin(p) < limit, p > 0.5) {
        (false, false) => format!("{p:.1e}"),
        (false, true) => format!("1 - {:.1e}", 1.0 - p),
        (true, false) => format!("< {limit:e}"),
        (true, true) => format!("> 1 - {limit:e}"),
    }
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

/// What the path of a result says: group, test, and seed or number of the run.
fn parts(path: &Path) -> Option<(Group, Test, u64)> {
    let group = path.parent()?.file_name()?.to_str()?;
    let mut words = group.split('.').map(str::to_string);
    let group = [words.next()?, words.next()?, words.next()?];
    let name = path.file_name()?.to_str()?.strip_suffix(".txt")?;
    let (name, seed) = match name.split_once(".seed-") {
        Some((name, numbers)) => (name, numbers.split_once('.')?.0),
        None => name.split_once(".run-")?,
    };
    let (battery, test) = Battery::of_file_name(name)?;
    Some(((group, battery), test, seed.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use beadwork::random::{Generator, Order};

    use super::*;

    /// Runs with seeds 0, 1, … and these p-values.
    fn runs(ps: &[&[f64]]) -> Vec<Run> {
        let runs = (0..).zip(ps).map(|(seed, ps)| Run {
            seed,
            statistics: ps.iter().map(|p| (String::new(), *p)).collect(),
        });
        runs.collect()
    }

    fn crush(ps: &[&[f64]]) -> Verdict {
        judge(Battery::Crush, &runs(ps))
    }

    fn dieharder(ps: &[&[f64]]) -> Verdict {
        judge(Battery::Dieharder, &runs(ps))
    }

    #[test]
    fn verdicts_follow_the_p_value_nearest_to_an_end() {
        assert_eq!(crush(&[&[0.5, 0.01, 0.999]]), Verdict::Passed);
        assert_eq!(crush(&[&[0.5, 1e-5]]), Verdict::Suspicious);
        assert_eq!(crush(&[&[0.999_95]]), Verdict::Suspicious);
        assert_eq!(crush(&[&[0.5, 1e-5, 1e-11]]), Verdict::Failed);
        assert_eq!(crush(&[&[1.0]]), Verdict::Failed);
        assert_eq!(crush(&[&[0.0]]), Verdict::Failed);
    }

    #[test]
    fn a_repeat_clears_suspicion_but_not_failure() {
        assert_eq!(crush(&[&[1e-5], &[0.3]]), Verdict::Passed);
        assert_eq!(crush(&[&[1e-5], &[1e-6]]), Verdict::Suspicious);
        assert_eq!(crush(&[&[0.3], &[1e-11]]), Verdict::Failed);
    }

    #[test]
    fn a_printed_zero_fails_if_it_repeats() {
        for end in [0.0, 1.0] {
            assert_eq!(dieharder(&[&[end, 0.4]]), Verdict::Suspicious);
            assert_eq!(dieharder(&[&[end], &[0.3]]), Verdict::Passed);
            // The next number that is printed is no limit.
            assert_eq!(dieharder(&[&[end], &[1e-8]]), Verdict::Suspicious);
            assert_eq!(dieharder(&[&[end], &[0.999_999_99]]), Verdict::Suspicious);
            assert_eq!(dieharder(&[&[end], &[0.4, 0.0]]), Verdict::Failed);
            assert_eq!(dieharder(&[&[end], &[1.0]]), Verdict::Failed);
            // A third seed takes nothing back.
            assert_eq!(dieharder(&[&[end], &[0.0], &[0.5]]), Verdict::Failed);
        }
        assert_eq!(dieharder(&[&[1e-8], &[1e-8]]), Verdict::Suspicious);
        // The same words twice.
        let mut twice = runs(&[&[0.0], &[0.0]]);
        twice[1].seed = 0;
        assert_eq!(judge(Battery::Dieharder, &twice), Verdict::Suspicious);
    }

    #[test]
    fn p_values_are_written_from_the_nearer_end() {
        assert_eq!(
            [0.0, 1e-200, 0.25, 0.75, 1.0].map(|p| extreme(p, 0.0)),
            ["0.0e0", "1.0e-200", "2.5e-1", "1 - 2.5e-1", "1 - 0.0e0"]
        );
        assert_eq!(
            [0.0, 1e-8, 0.75, 1.0].map(|p| extreme(p, Battery::Dieharder.print_limit())),
            ["< 5e-9", "1.0e-8", "1 - 2.5e-1", "> 1 - 5e-9"]
        );
    }

    #[test]
    fn paths_are_read_as_they_are_written() {
        let generator = Generator::Ran2;
        let scheme = generator.schemes()[0];
        let order = Order::System;
        let request = Request { generator, scheme, order, seed: 7, particles: 256 };
        for (battery, test, expected) in [
            (Battery::BigCrush, "7", "big-crush-007.seed-7.particles-256.txt"),
            (Battery::Dieharder, "0", "dieharder-000.seed-7.particles-256.txt"),
            (Battery::Dieharder, "203-5", "dieharder-203-05.seed-7.particles-256.txt"),
            // As of earlier versions: no size is made of it.
            (Battery::Dieharder, "202", "dieharder-202.seed-7.particles-256.txt"),
        ] {
            let test: Test = test.parse().unwrap();
            let path = file(Path::new("found"), &request, battery, test);
            assert_eq!(path, Path::new("found/ran2.one-per-thread.system").join(expected));
            let group = ["ran2", "one-per-thread", "system"].map(str::to_string);
            assert_eq!(parts(&path), Some(((group, battery), test, 7)));
        }
        let own = ["mygen", "own", "command"].map(str::to_string);
        let test: Test = "203-5".parse().unwrap();
        let path = outside_file(Path::new("found"), &own, Battery::Dieharder, test, 2);
        assert_eq!(path, Path::new("found/mygen.own.command/dieharder-203-05.run-2.txt"));
        assert_eq!(parts(&path), Some(((own, Battery::Dieharder), test, 2)));
        for other in [
            "summary.md",
            "command.txt",
            "crush-007.txt",
            "crush-007.run-.txt",
            "crush-007.seed-x.particles-1.txt",
        ] {
            assert_eq!(parts(&Path::new("ran2.one-per-thread.system").join(other)), None);
        }
    }
}
