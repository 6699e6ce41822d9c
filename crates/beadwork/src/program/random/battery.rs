//! Programs that test random words: how to call them and read their output.

use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};
use std::str::FromStr;
use std::thread::JoinHandle;

use clap::ValueEnum;

use crate::program::failure::Failure;

/// A set of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Battery {
    /// TestU01's, 10 tests, seconds.
    SmallCrush,
    /// TestU01's, 96 tests, an hour.
    Crush,
    /// TestU01's, 106 tests, hours.
    BigCrush,
    /// Dieharder's, 76 tests, where each size of 200 to 203 is one.
    Dieharder,
}

/// The numbers of the tests without a size that Dieharder calls good.
const DIEHARDER: [u32; 23] =
    [0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 15, 16, 17, 100, 101, 102, 204, 205, 206, 207, 208, 209];

/// Its tests of tuples, with the sizes that `dieharder -a` takes: distribution of bits, minimum distance in as many
/// dimensions, permutations, and sums with as many words left out between two.
///
/// Called without a size, 200 tests nothing, 201 does not end, and 202 and 203 take one size only.
const DIEHARDER_BY_SIZE: [(u32, RangeInclusive<u32>); 4] =
    [(200, 1..=12), (201, 2..=5), (202, 2..=5), (203, 0..=32)];

/// A test of a battery, written `17`, or `203-5` with the size of its tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Test {
    number: u32,
    /// Of tests that a battery has once for each size; in a request, all sizes if there is none.
    size: Option<u32>,
}

impl Test {
    /// Whether a request for this test means the other one.
    pub fn includes(self, other: Test) -> bool {
        self.number == other.number && (self.size.is_none() || self.size == other.size)
    }

    /// As in file names, which sort by it: `017`, `203-05`.
    pub fn in_file_name(self) -> String {
        let Test { number, size } = self;
        size.map_or_else(|| format!("{number:03}"), |size| format!("{number:03}-{size:02}"))
    }
}

impl fmt::Display for Test {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.number)?;
        self.size.map_or(Ok(()), |size| write!(formatter, "-{size}"))
    }
}

impl FromStr for Test {
    type Err = String;

    fn from_str(text: &str) -> Result<Test, String> {
        let read = |digits: &str| {
            let problem =
                "write the number of a test, such as 17, or a number and a size, such as 203-5";
            // A sign would be read as a part of the number.
            let are_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.parse::<u32>().ok().filter(|_| are_digits);
            number.ok_or_else(|| problem.to_string())
        };
        match text.split_once('-') {
            Some((number, size)) => Ok(Test { number: read(number)?, size: Some(read(size)?) }),
            None => Ok(Test { number: read(text)?, size: None }),
        }
    }
}

/// A statistic's name and p-value.
pub type Statistic = (String, f64);

/// Whether a number is a probability.
pub fn is_p_value(p: f64) -> bool {
    (0.0..=1.0).contains(&p)
}

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

    /// Its tests, in ascending order.
    pub fn tests(self) -> Vec<Test> {
        let numbered = |number: u32| Test { number, size: None };
        match self {
            Battery::SmallCrush => (1..=10).map(numbered).collect(),
            Battery::Crush => (1..=96).map(numbered).collect(),
            Battery::BigCrush => (1..=106).map(numbered).collect(),
            Battery::Dieharder => {
                let by_size = DIEHARDER_BY_SIZE.into_iter().flat_map(|(number, sizes)| {
                    sizes.map(move |size| Test { number, size: Some(size) })
                });
                let mut tests: Vec<Test> =
                    DIEHARDER.into_iter().map(numbered).chain(by_size).collect();
                tests.sort_unstable();
                tests
            }
        }
    }

    /// What it has in place of a test that it does not have: `; it has 203-0 to 203-32`, or nothing.
    pub fn instead_of(self, test: Test) -> String {
        let of_number = self.tests().into_iter().filter(|one| one.number == test.number);
        match of_number.collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            [only] => format!("; it has {only}"),
            [first, .., last] => format!("; it has {first} to {last}"),
        }
    }

    /// The battery and the test in a file's name, up to the seed: `crush-007`, `dieharder-203-05`.
    pub fn of_file_name(name: &str) -> Option<(Battery, Test)> {
        Battery::value_variants().iter().find_map(|battery| {
            let test = name.strip_prefix(battery.name())?.strip_prefix('-')?;
            Some((*battery, test.parse().ok()?))
        })
    }

    /// The distance from 0 or 1 below which its program prints a p-value as 0 or 1.
    pub fn print_limit(self) -> f64 {
        match self {
            // Eight decimals: a 0 says p < 5e-9.
            Battery::Dieharder => 5e-9,
            // Seventeen digits, and an exponent.
            _ => 0.0,
        }
    }

    /// The program that runs it by default.
    pub fn program(self) -> &'static str {
        match self {
            Battery::Dieharder => "dieharder",
            _ => "testu01_battery",
        }
    }

    fn arguments(self, test: Test) -> Vec<OsString> {
        let number = test.number.to_string();
        let size = test.size.map(|size| size.to_string());
        let mut words: Vec<&str> = match self {
            // Generator 200 reads raw words from standard input.
            Battery::Dieharder => vec!["-g", "200", "-d", &number],
            _ => vec![self.name(), &number],
        };
        if let Some(size) = size.as_deref() {
            words.extend(["-n", size]);
        }
        words.into_iter().map(OsString::from).collect()
    }

    /// Runs one test in a process of its own, and returns its statistics, and the thread in which `feed` has written words
    /// into the process. It ends once it notices that the process reads no more.
    pub fn run<Left: Send + 'static>(
        self,
        program: &Path,
        test: Test,
        feed: impl FnOnce(ChildStdin) -> Left + Send + 'static,
    ) -> Result<(Vec<Statistic>, JoinHandle<Left>), Failure> {
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
        let Some(input) = child.stdin.take() else {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(Failure::machine(format!("{} has no standard input", program.display())));
        };
        // The test closes its input when it has read enough, so a broken pipe is no error.
        let feed = std::thread::Builder::new().spawn(move || feed(input));
        // Without the thread the input is closed, and the test ends.
        let feed = match feed {
            Ok(feed) => feed,
            Err(error) => {
                let _ = child.kill().and_then(|()| child.wait());
                let problem = format!("the thread that feeds the test cannot be started: {error}");
                return Err(Failure::machine(problem));
            }
        };
        let output =
            child.wait_with_output().map_err(|error| Failure::machine(error.to_string()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let statistics = self.read(&said);
        let name = self.name();
        if !output.status.success() || statistics.is_empty() {
            let complaint = String::from_utf8_lossy(&output.stderr);
            return Err(Failure::machine(format!(
                "test {test} of {name} gave no p-value ({}): {}",
                output.status,
                complaint.trim()
            )));
        }
        // Such a value says nothing about the words.
        if let Some((statistic, p)) = statistics.iter().find(|(_, p)| !is_p_value(*p)) {
            return Err(Failure::machine(format!(
                "test {test} of {name} gave {p} as the p-value of {statistic}, which is no number from 0 to 1"
            )));
        }
        Ok((statistics, feed))
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
            Some((name.trim().to_string(), p.parse::<f64>().ok()?))
        };
        // A negative value marks a statistic that was not computed. One that is no number is kept, so that it is told.
        list.lines().filter_map(row).filter(|(_, p)| p.is_nan() || *p >= 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_have_the_sizes_that_dieharder_takes() {
        for (battery, count) in [
            (Battery::SmallCrush, 10),
            (Battery::Crush, 96),
            (Battery::BigCrush, 106),
            (Battery::Dieharder, 23 + 12 + 4 + 4 + 33),
        ] {
            let tests = battery.tests();
            assert_eq!(tests.len(), count);
            assert!(tests.is_sorted_by(|a, b| a < b), "{tests:?}");
        }
        let tests = Battery::Dieharder.tests();
        let sizes = |number: u32| {
            let of_number = tests.iter().filter(|test| test.number == number);
            of_number.map(|test| test.size).collect::<Vec<_>>()
        };
        assert_eq!(sizes(17), [None::<u32>]);
        assert_eq!(sizes(200), (1..=12).map(Some).collect::<Vec<_>>());
        assert_eq!(sizes(201), [2, 3, 4, 5].map(Some));
        assert_eq!(sizes(202), [2, 3, 4, 5].map(Some));
        assert_eq!(sizes(203), (0..=32).map(Some).collect::<Vec<_>>());
        let arguments = |battery: Battery, test: &str| {
            let words = battery.arguments(test.parse().unwrap());
            words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(arguments(Battery::Dieharder, "203-0"), "-g 200 -d 203 -n 0");
        assert_eq!(arguments(Battery::Dieharder, "17"), "-g 200 -d 17");
        assert_eq!(arguments(Battery::BigCrush, "7"), "big-crush 7");
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for battery in Battery::value_variants() {
            for test in battery.tests() {
                assert_eq!(test.to_string().parse::<Test>(), Ok(test));
                let name = format!("{}-{}", battery.name(), test.in_file_name());
                assert_eq!(Battery::of_file_name(&name), Some((*battery, test)), "{name}");
            }
        }
        let test = Test { number: 203, size: Some(5) };
        assert_eq!((test.to_string().as_str(), test.in_file_name().as_str()), ("203-5", "203-05"));
        assert_eq!(Test { number: 17, size: None }.in_file_name(), "017");
        for wrong in ["", "-", "203-", "-5", "203-5-1", "gap", "+5", "203-+5", "٣"] {
            assert!(wrong.parse::<Test>().is_err(), "{wrong}");
        }
        for other in ["dieharder", "dieharder-", "harder-017", "small-crush-gap"] {
            assert_eq!(Battery::of_file_name(other), None, "{other}");
        }
    }

    #[test]
    fn a_number_asks_for_all_its_sizes() {
        let asked = |text: &str| {
            let asked: Test = text.parse().unwrap();
            Battery::Dieharder.tests().into_iter().filter(|test| asked.includes(*test)).count()
        };
        assert_eq!(["203", "203-5", "203-33", "17", "17-1", "5"].map(asked), [33, 1, 0, 1, 0, 0]);
        let instead = |text: &str| Battery::Dieharder.instead_of(text.parse().unwrap());
        assert_eq!(
            ["203-33", "17-1", "5"].map(instead),
            ["; it has 203-0 to 203-32", "; it has 17", ""]
        );
    }

    #[test]
    fn answers_are_read() {
        let said = "report\n 0.5 none of it\n== p-values\n0.0057 Collision\n-1 SumCollector\n1e-300 MaxOft AD\n";
        let expected = [("Collision".to_string(), 0.0057), ("MaxOft AD".to_string(), 1e-300)];
        assert_eq!(Battery::SmallCrush.read(said), expected);
        let said = "#===#\n        test_name   |ntup| tsamples |psamples|  p-value |Assessment\n#===#\n      diehard_operm5|   0|   1000000|     100|0.23321254|  PASSED  \n";
        let expected = [("diehard_operm5 0".to_string(), 0.233_212_54)];
        assert_eq!(Battery::Dieharder.read(said), expected);
        assert_eq!(Battery::Crush.read("nothing"), []);
        let said = "== p-values\n-nan Gap\n-1 SumCollector\n";
        let found = Battery::Crush.read(said);
        assert!(
            matches!(found.as_slice(), [(name, p)] if name == "Gap" && p.is_nan()),
            "{found:?}"
        );
        assert_eq!(
            [f64::NAN, -0.1, 0.0, 1.0, 1.1].map(is_p_value),
            [false, false, true, true, false]
        );
    }
}
