//! The content of `summary.json`: groups with their values and findings.

use beadwork_analysis::Estimate;
use beadwork_analysis::average::Average;
use serde::{Deserialize, Serialize};

use super::finding::{Code, Finding};
use super::table::TableFile;
use crate::words::{drive_in_words, word};

/// The layout of `summary.json`. A member that is added leaves the number alone; one that changes its meaning raises it.
pub const FORMAT: u32 = 1;

/// All that a run says, or several runs that are compared: the content of `summary.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`FORMAT`].
    pub format: u32,
    /// The groups in the order of runs and of the points of their sweeps.
    pub groups: Vec<Group>,
    /// What concerns whole runs.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// The files that hold curves and single replicas.
    #[serde(default)]
    pub tables: Vec<TableFile>,
    /// The files of figures and pictures, relative to the folder of `summary.json`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plots: Vec<String>,
    /// Further files beside `summary.json`: `tables.parquet` of joined parts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
}

/// The replicas of one point of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// The name in legends and tables: the settings of the point, and the run if several are compared; may be empty.
    pub name: String,
    /// The number of the point, from 0; of a fit over several points that of the first.
    pub point: u64,
    /// The points over which a fit goes; empty for a point.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<u64>,
    /// The swept keys and their values as the input writes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// The stage that a person asked for; empty if the run answers for its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stage: String,
    /// The replicas that have begun.
    pub replicas: usize,
    /// Those of them that failed.
    pub failed: usize,
    /// The values.
    pub values: Vec<Value>,
    /// What the values rest on, and what is wrong with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// A swept key and its value at a point.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// The path of the key, such as `pull.speed`.
    pub key: String,
    /// Its value as the input writes it, such as `2.5 um/s`.
    pub value: String,
    /// The name of the drive whose key it is, if the path has its number and the stage has several drives; else empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub drive: String,
}

impl Setting {
    /// The key as figures name it: `speed`, or `speed of drive left`.
    pub(crate) fn word(&self) -> String {
        match self.drive.as_str() {
            "" => word(&self.key),
            drive => format!("{} of {}", word(&self.key), drive_in_words(drive)),
        }
    }
}

/// A number, or a list of numbers, with its unit and its error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// The stable name, such as `radius_of_gyration`.
    pub name: String,
    /// The name in words, such as `radius of gyration`; empty for values that words leave out.
    pub words: String,
    /// What it is of, such as a type or a kind of molecule; empty for the whole system.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    /// The unit; empty for numbers and reduced units.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// The value; `None` for a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The numbers of a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<f64>,
    /// The standard error, in the same unit; `None` where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The standard deviation of the values of which this is the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// The number of independent values on which the error rests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub independent_values: Option<f64>,
    /// The degrees of freedom of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub degrees_of_freedom: Option<f64>,
    /// The value by theory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub law: Option<f64>,
    /// What the value must not exceed if theory and program are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The rows, replicas and choices on which the value rests.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub basis: String,
}

impl Value {
    /// A value without an error.
    pub fn new(name: impl Into<String>, words: impl Into<String>, unit: &str, value: f64) -> Value {
        Value {
            name: name.into(),
            words: words.into(),
            unit: unit.to_string(),
            value: Some(value).filter(|value| value.is_finite()),
            ..Value::default()
        }
    }

    /// A list of numbers.
    pub fn list(name: &str, words: &str, unit: &str, list: Vec<f64>) -> Value {
        Value { list, value: None, ..Value::new(name, words, unit, f64::NAN) }
    }

    /// The value of a part of the system.
    pub fn of(self, of: impl Into<String>) -> Value {
        Value { of: of.into(), ..self }
    }

    /// With a standard error, if it is known.
    pub fn with_error(self, error: Option<f64>) -> Value {
        Value { error: error.filter(|error| error.is_finite()), ..self }
    }

    /// With the error of a mean of correlated values.
    pub fn with_average(self, average: &Average) -> Value {
        Value { independent_values: Some(average.independent), ..self.with_error(average.error) }
    }

    /// With the error of an estimate, of which a unit is `unit`.
    pub fn with_estimate(self, estimate: &Estimate, unit: f64) -> Value {
        let found = self.with_error(estimate.error.map(|error| error * unit));
        let freedom = Some(estimate.freedom).filter(|freedom| freedom.is_finite());
        Value { degrees_of_freedom: freedom.filter(|_| found.error.is_some()), ..found }
    }

    /// On what it rests.
    pub fn from(self, basis: impl Into<String>) -> Value {
        Value { basis: basis.into(), ..self }
    }
}

impl Group {
    /// The value of this name of the whole system.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.values.iter().find(|value| value.name == name && value.of.is_empty())
    }

    /// Adds a finding.
    pub fn find(&mut self, code: Code, text: impl Into<String>) {
        self.findings.push(Finding::new(code, text));
    }
}

impl Summary {
    /// The text of `summary.json`, which ends with a line break. The same run gives the same bytes.
    pub fn to_json(&self) -> String {
        // Maps with keys that are no text, and numbers that are not finite, are what cannot be written; there are none.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Reads `summary.json`.
    ///
    /// # Errors
    /// A text that is no summary, with the line and the reason.
    pub fn from_json(text: &str) -> Result<Summary, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// All findings, those of groups first.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.groups.iter().flat_map(|group| &group.findings).chain(&self.findings)
    }
}
