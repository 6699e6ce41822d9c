//! Programs that test random words: how to call them and read their output.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use beadwork::random::OrderedWords;
use clap::ValueEnum;

use super::stream;
use crate::program::failure::Failure;

/// A set of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Battery {
    /// TestU01's, 10 tests, seconds.
    SmallCrush,
    /// TestU01's, 96 tests, an hour.
    Crush,
    /// TestU01's, 106 tests, hours.
    BigCrush,
    /// Dieharder's, 27 tests.
    Dieharder,
}

/// The numbers of the tests that Dieharder calls good.
const DIEHARDER: [u32; 27] = [
    0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 15, 16, 17, 100, 101, 102, 200, 201, 202, 203, 204, 205,
    206, 207, 208, 209,
];

/// A statistic's name and p-value.
pub type Statistic = (String, f64);

impl Battery {
    /// The name in commands and file names.
    pub fn name(self) -> &'static str {
        match self {
            Battery::SmallCrush => "small-crush",
            Battery::Crush => "crush",
            Battery::BigCrush => "big-crush",
            Battery::Dieharder => "dieharder",
        }
    }

    /// The numbers of its tests.
    pub fn tests(self) -> Vec<u32> {
        match self {
            Battery::SmallCrush => (1..=10).collect(),
            Battery::Crush => (1..=96).collect(),
            Battery::BigCrush => (1..=106).collect(),
            Battery::Dieharder => DIEHARDER.to_vec(),
        }
    }

    /// The program that runs it by default.
    pub fn program(self) -> &'static str {
        match self {
            Battery::Dieharder => "dieharder",
            _ => "testu01_battery",
        }
    }

    fn arguments(self, test: u32) -> Vec<OsString> {
        let test = test.to_string();
        let words: Vec<&str> = match self {
            // Generator 200 reads raw words from standard input.
            Battery::Dieharder => vec!["-g", "200", "-d", &test],
            _ => vec![self.name(), &test],
        };
        words.into_iter().map(OsString::from).collect()
    }

    /// Runs one test of some words in a process of its own, and returns its statistics.
    pub fn run(
        self,
        program: &Path,
        test: u32,
        words: OrderedWords,
    ) -> Result<Vec<Statistic>, Failure> {
        let mut command = Command::new(program);
        command.args(self.arguments(test));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            let hint = match self {
                Battery::Dieharder => "install dieharder",
                _ => "compile it from validation/random/testu01_battery.c, where it says how",
            };
            let program = program.display();
            Failure::machine(format!(
                "{program} cannot be started ({error}): {hint}, or name it by --program"
            ))
        })?;
        let input = child.stdin.take();
        // The test closes its input when it has read enough, so a broken pipe is no error.
        let feed = std::thread::Builder::new().spawn(move || {
            input.map(|input| stream::write(words, None, input));
        });
        // Without the thread the input is closed, and the test ends.
        let feed = match feed {
            Ok(feed) => feed,
            Err(error) => {
                let _ = child.kill().and_then(|()| child.wait());
                let problem = format!("the thread that feeds the test cannot be started: {error}");
                return Err(Failure::machine(problem));
            }
        };
        let output = child.wait_with_output();
        let _ = feed.join();
        let output = output.map_err(|error| Failure::machine(error.to_string()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let statistics = self.read(&said);
        if !output.status.success() || statistics.is_empty() {
            let name = self.name();
            let complaint = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::machine(format!(
                "test {test} of {name} gave no p-value ({}): {}",
                output.status,
                complaint.trim()
            )));
        }
        Ok(statistics)
    }

    /// The p-values in the output of a program.
    fn read(self, said: &str) -> Vec<Statistic> {
        if self == Battery::Dieharder {
            // A row is: name | ntup | tsamples | psamples | p-value | assessment
            let row = |line: &str| {
                let cells: Vec<&str> = line.split('|').map(str::trim).collect();
                let [name, tuple, _, _, p, _] = cells.as_slice() else { return None };
                Some((format!("{name} {tuple}"), p.parse().ok()?))
            };
            return said.lines().filter_map(row).collect();
        }
        let (_, list) = said.split_once("== p-values\n").unwrap_or_default();
        let row = |line: &str| {
            let (p, name) = line.split_once(' ')?;
            Some((name.trim().to_string(), p.parse().ok()?))
        };
        // A negative value marks a statistic that was not computed.
        list.lines().filter_map(row).filter(|(_, p)| *p >= 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let said = "report\n 0.5 none of it\n== p-values\n0.0057 Collision\n-1 SumCollector\n1e-300 MaxOft AD\n";
        let expected = [("Collision".to_string(), 0.0057), ("MaxOft AD".to_string(), 1e-300)];
        assert_eq!(Battery::SmallCrush.read(said), expected);
        let said = "#===#\n        test_name   |ntup| tsamples |psamples|  p-value |Assessment\n#===#\n      diehard_operm5|   0|   1000000|     100|0.23321254|  PASSED  \n";
        let expected = [("diehard_operm5 0".to_string(), 0.233_212_54)];
        assert_eq!(Battery::Dieharder.read(said), expected);
        assert_eq!(Battery::Crush.read("nothing"), []);
    }
}
