//! Warnings about values that the language takes and that are probably slips: a unit, a power of ten, degrees Celsius.
//!
//! One list of quantities with the range that is usual, read from the resolved form, which has every value and default.

use std::collections::BTreeMap;

use beadwork_model::units::{self, Dimension, Units};

use crate::document::{Node, TableEntry, Value};
use crate::models::MODELS;

/// Stands for every key of a table.
const ANY: &str = "*";

/// All models.
const ALL: &[&str] = &MODELS;

/// A quantity and its usual values.
struct UsualRange {
    /// Where it stands in the resolved form; each entry of a list is looked at.
    paths: &'static [&'static [&'static str]],
    /// Models whose runs have it.
    models: &'static [&'static str],
    dimension: Dimension,
    /// The lowest and the highest usual value in real units; [`OF_ZERO`] has what is said of 0.
    real: Option<[&'static str; 2]>,
    /// The lowest and the highest usual value in reduced units.
    reduced: Option<[f64; 2]>,
    /// What follows beyond these values, and what was perhaps meant.
    advice: &'static str,
}

const TEMPERATURES: &[&[&str]] = &[
    &["dynamics", "temperature"],
    &["exchange", "temperatures"],
    &["exchange", "temperatures", "from"],
    &["exchange", "temperatures", "to"],
];

const USUAL: &[UsualRange] = &[
    UsualRange {
        paths: TEMPERATURES,
        models: &["sop", "residues", "beads"],
        dimension: Dimension::Temperature,
        real: Some(["200 K", "1000 K"]),
        reduced: None,
        advice: "temperatures are in kelvins, so that 37 degrees Celsius are \"310 K\"",
    },
    UsualRange {
        paths: TEMPERATURES,
        models: &["beads"],
        dimension: Dimension::Temperature,
        real: None,
        reduced: Some([0.0, 50.0]),
        advice: "in reduced units a temperature is kT in units of the energy, mostly near 1, and no number of kelvins",
    },
    UsualRange {
        paths: &[&["dynamics", "collision_rate"]],
        models: &["sop", "residues", "beads"],
        dimension: Dimension::Rate,
        real: Some(["1e-6 /ps", "1000 /ps"]),
        reduced: Some([1e-6, 1e4]),
        advice: "velocities forget their values after one over this rate: at a low one the bath hardly acts, at a high one beads hardly move; mind ps and ns",
    },
    UsualRange {
        paths: &[&["system", "solution", "ionic_strength"]],
        models: &["residues"],
        dimension: Dimension::Concentration,
        real: Some(["1 uM", "5 M"]),
        reduced: None,
        advice: "no salt dissolves to more, and screened charges are a theory of dilute salt; 150 millimolar is \"150 mM\"",
    },
    UsualRange {
        paths: &[&["system", "solution", "ph"]],
        models: &["residues"],
        dimension: Dimension::Number,
        real: Some(["0", "14"]),
        reduced: None,
        advice: "water has a pH between 0 and 14, and about 7 in cells",
    },
    UsualRange {
        paths: &[&["system", "contacts", "cutoff"]],
        models: &["sop"],
        dimension: Dimension::Length,
        real: Some(["4 A", "20 A"]),
        reduced: None,
        advice: "alpha carbons of neighbours in a chain are 3.8 A apart, and the model was made with 8 A: a shorter cutoff finds no contacts, a longer one joins residues that do not touch; mind nm and A",
    },
    UsualRange {
        paths: &[&["system", "contacts", "side_chain_cutoff"]],
        models: &["sop"],
        dimension: Dimension::Length,
        real: Some(["3 A", "15 A"]),
        reduced: None,
        advice: "the model was made with 5.2 A between atoms of side chains; mind nm and A",
    },
    UsualRange {
        paths: &[
            &["system", "contacts", "energy"],
            &["system", "contacts", "between_chains"],
            &["system", "contacts", "chain_pairs", ANY],
        ],
        models: &["sop"],
        dimension: Dimension::Energy,
        real: Some(USUAL_ENERGIES_OF_CONTACTS),
        reduced: None,
        advice: ENERGIES_OF_CONTACTS,
    },
    UsualRange {
        paths: &[&["system", "repulsion", "cutoff"]],
        models: &["sop"],
        dimension: Dimension::Length,
        real: Some(["3.8 A", "100 A"]),
        reduced: None,
        advice: "beads that are no contact repel within it, from a diameter of 3.8 A on: within a shorter one they pass through each other, and a longer one only costs time; mind nm and A",
    },
    UsualRange {
        paths: &[&["system", "repulsion", "strength"]],
        models: &["sop"],
        dimension: Dimension::Energy,
        real: Some(["0.01 kcal/mol", "100 kcal/mol"]),
        reduced: None,
        advice: "the model was made with 1 kcal/mol: weaker, beads pass through each other; stronger, they need a shorter time step; mind kcal/mol and kJ/mol",
    },
    UsualRange {
        paths: &[&["system", "bonds", "limit"]],
        models: &["sop"],
        dimension: Dimension::Length,
        real: Some(["0.2 A", "10 A"]),
        reduced: None,
        advice: "a bond of 3.8 A breaks when it is longer or shorter by so much, and the model was made with 2 A; mind nm and A",
    },
    UsualRange {
        paths: &[&["analysis", "prominence"]],
        models: &["sop", "residues", "beads"],
        dimension: Dimension::Force,
        real: Some(["0.1 pN", "1e5 pN"]),
        reduced: None,
        advice: "a force that falls by so much has passed a peak, so that below it noise has peaks and above it nothing has; mind pN and nN",
    },
    UsualRange {
        paths: &[&["output", "checkpoint"]],
        models: ALL,
        dimension: Dimension::Time,
        real: Some(["1 ms", "1e6 s"]),
        reduced: None,
        advice: "it is time on the clock between checkpoints and not time of the model, mostly some minutes; mind s, min and h",
    },
];

const USUAL_ENERGIES_OF_CONTACTS: [&str; 2] = ["0.1 kcal/mol", "5 kcal/mol"];
const ENERGIES_OF_CONTACTS: &str = "contacts have 1 to 2 kcal/mol each, with which proteins unfold as measured; mind kcal/mol and kJ/mol, and the point";

/// A quantity that turns something off where it is 0.
struct OfZero {
    path: &'static [&'static str],
    models: &'static [&'static str],
    /// What is off then.
    off: &'static str,
}

const OF_ZERO: &[OfZero] = &[
    OfZero {
        path: &["system", "repulsion", "strength"],
        models: &["sop"],
        off: "beads pass through each other",
    },
    OfZero {
        path: &["system", "bonds", "stiffness"],
        models: &["sop", "beads"],
        off: "the beads of a bond do not hold each other",
    },
];

/// A quantity of drives and its usual values in real units.
struct UsualOfDrives {
    kinds: &'static [&'static str],
    key: &'static str,
    dimension: Dimension,
    /// The lowest and the highest usual value, 0 not looked at.
    range: [&'static str; 2],
    advice: &'static str,
}

const USUAL_OF_DRIVES: &[UsualOfDrives] = &[
    // Soft optical traps, and cantilevers.
    UsualOfDrives {
        kinds: &["spring", "tip"],
        key: "stiffness",
        dimension: Dimension::Stiffness,
        range: ["0.001 pN/nm", "10000 pN/nm"],
        advice: "cantilevers have 6 to 100 pN/nm and optical traps 0.01 to 1; mind N/m, which is 1000 pN/nm",
    },
    UsualOfDrives {
        kinds: &["tip"],
        key: "radius",
        dimension: Dimension::Length,
        range: ["1 A", "20 um"],
        advice: "tips have 5 to 100 nm, and spheres that are glued to cantilevers some um; mind nm and A",
    },
    // From a sphere of 1 nm in water to 500 times one of 100 um, since friction of the model is some 1,200 times that of water.
    UsualOfDrives {
        kinds: &["tip"],
        key: "friction",
        dimension: Dimension::Friction,
        range: ["1e4 pN ps/nm", "1e12 pN ps/nm"],
        advice: "a bead has some 9e6 pN ps/nm, and tips often ten times as much; mind ps, ns and us",
    },
    UsualOfDrives {
        kinds: &["tip", "surface"],
        key: "sigma",
        dimension: Dimension::Length,
        range: ["0.5 A", "10 nm"],
        advice: "beads come as near to a tip or a surface, mostly 1 to 10 A; mind nm and A",
    },
    UsualOfDrives {
        kinds: &["tip", "surface"],
        key: "depth",
        dimension: Dimension::Energy,
        range: ["0.001 kcal/mol", "20 kcal/mol"],
        advice: "mostly it is 0.1 to 2 kcal/mol, and kT is 0.6 at 300 K; mind kcal/mol and kJ/mol, and the point",
    },
    UsualOfDrives {
        kinds: &["surface"],
        key: "spacing",
        dimension: Dimension::Length,
        range: ["0.5 A", "10 nm"],
        advice: "between points farther apart than two `sigma` beads fall through the surface; mind nm and A",
    },
];

/// The warnings about the values of a point. `model` and `units` are those of its system.
pub(crate) fn warnings(
    resolved: &BTreeMap<&'static str, Value>,
    model: &str,
    units: Units,
) -> Vec<String> {
    let mut found = Vec::new();
    for usual in USUAL.iter().filter(|usual| usual.models.contains(&model)) {
        for (named, value) in usual.paths.iter().flat_map(|path| values_at(resolved, path)) {
            // Checkpoints are counted in seconds everywhere.
            let strange = match usual.dimension == Dimension::Time || units == Units::Real {
                true => usual.real.and_then(|range| real(value, usual.dimension, range)),
                false => usual.reduced.and_then(|range| reduced(value, range)),
            };
            found.extend(strange.map(|strange| in_words(&named, &strange, usual.advice)));
        }
    }
    for OfZero { path, off, .. } in OF_ZERO.iter().filter(|of| of.models.contains(&model)) {
        let zero = values_at(resolved, path).into_iter().find(|(_, value)| is_zero(value));
        found.extend(zero.map(|(named, _)| format!("{named} is 0: {off}; go on if it is meant")));
    }
    if units == Units::Real {
        found.extend(of_drives(resolved.get("stage")));
    }
    found
}

/// The values at a path in the resolved form, with their names in messages.
fn values_at<'a>(
    resolved: &'a BTreeMap<&'static str, Value>,
    path: &[&'static str],
) -> Vec<(String, &'a Value)> {
    let Some((section, keys)) = path.split_first() else { return Vec::new() };
    let mut values: Vec<(&str, &Value)> =
        resolved.get(section).map(|value| ("", value)).into_iter().collect();
    for &key in keys {
        values = values.into_iter().flat_map(|(_, value)| entries(value, key)).collect();
    }
    let shown: Vec<&str> = keys.iter().copied().filter(|key| *key != ANY).collect();
    let named = |last: &str| {
        let last = if keys.ends_with(&[ANY]) { format!(".{last}") } else { String::new() };
        format!("`{}{last}` of [{section}]", shown.join("."))
    };
    values.into_iter().map(|(last, value)| (named(last), value)).collect()
}

/// The warning about an energy of a contact, kcal/mol, that a list gives; `named` says where.
pub(crate) fn warning_of_listed_energy(named: &str, energy: f64) -> Option<String> {
    let value = Value::Float(energy);
    let (number, side) = match energy {
        // No other word says that the contact is off.
        0.0 => ("0".to_string(), format!("less than {}", USUAL_ENERGIES_OF_CONTACTS[0])),
        _ => real(&value, Dimension::Energy, USUAL_ENERGIES_OF_CONTACTS)?,
    };
    Some(in_words(named, &(format!("{number} kcal/mol"), side), ENERGIES_OF_CONTACTS))
}

/// The entry of a table with this key, or all entries; of a list those of each of its tables.
fn entries<'a>(value: &'a Value, key: &'static str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let tables = each(value).filter_map(|value| match value {
        Value::Table(table) => Some(table),
        _ => None,
    });
    let asked = move |entry: &&TableEntry| key == ANY || entry.key == key;
    let found = tables.flat_map(|table| &table.entries).filter(asked);
    found.map(|entry| (entry.key.as_str(), &entry.node.value))
}

/// Whether a number is 0, or a quantity such as `0 kcal/mol`.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Text(text) => {
            text.split_whitespace().next().and_then(|word| word.parse().ok()) == Some(0.0)
        }
        Value::Float(number) => *number == 0.0,
        Value::Integer(number) => *number == 0,
        _ => false,
    }
}

fn in_words(named: &str, (value, side): &(String, String), advice: &str) -> String {
    format!("{named} is {value}, {side}: {advice}; go on if it is meant")
}

/// Each of the values of a list, or the value itself.
fn each(value: &Value) -> impl Iterator<Item = &Value> {
    let list = match value {
        Value::List(list) => list.as_slice(),
        _ => &[],
    };
    let single = (!matches!(value, Value::List(_))).then_some(value);
    list.iter().map(|node| &node.value).chain(single)
}

/// A value of a quantity with a unit that is beyond its range, and on which side.
fn real(value: &Value, dimension: Dimension, range: [&str; 2]) -> Option<(String, String)> {
    let [low, high] = range.map(|text| units::parse(text, dimension).map(|read| read.value).ok());
    let (low, high) = (low?, high?);
    each(value).find_map(|value| {
        let (text, number) = match value {
            Value::Text(text) => (text.clone(), units::parse(text, dimension).ok()?.value),
            Value::Float(number) => (shown(*number), *number),
            Value::Integer(number) => (number.to_string(), *number as f64),
            _ => return None,
        };
        side(number, [low, high]).map(|which| (text, format!("{} {}", which.0, range[which.1])))
    })
}

fn reduced(value: &Value, range: [f64; 2]) -> Option<(String, String)> {
    each(value).find_map(|value| {
        let number = match value {
            Value::Float(number) => *number,
            Value::Integer(number) => *number as f64,
            _ => return None,
        };
        side(number, range)
            .map(|which| (shown(number), format!("{} {}", which.0, shown(range[which.1]))))
    })
}

/// On which side of a range a number lies; 0, which turns something off, on none.
fn side(number: f64, [low, high]: [f64; 2]) -> Option<(&'static str, usize)> {
    match number {
        0.0 => None,
        number if number < low => Some(("less than", 0)),
        number if number > high => Some(("more than", 1)),
        _ => None,
    }
}

/// Without tens of zeros.
fn shown(number: f64) -> String {
    if number != 0.0 && !(1e-6..1e7).contains(&number.abs()) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// Warnings about drives that no instrument has.
fn of_drives(stages: Option<&Value>) -> Vec<String> {
    let Some(Value::List(stages)) = stages else { return Vec::new() };
    let mut found = Vec::new();
    for stage in stages {
        let externals = stage.get("drives").and_then(Node::list).unwrap_or_default();
        for (index, external) in externals.iter().enumerate() {
            let kind = external.get("kind").and_then(Node::text).unwrap_or_default();
            for usual in USUAL_OF_DRIVES.iter().filter(|usual| usual.kinds.contains(&kind)) {
                let UsualOfDrives { key, dimension, range, advice, .. } = *usual;
                let strange =
                    external.get(key).and_then(|node| real(&node.value, dimension, range));
                let name = stage.get("name").map(Node::plain).unwrap_or_default();
                let named = format!("`{key}` of drive {} in stage \"{name}\"", index + 1);
                found.extend(strange.map(|strange| in_words(&named, &strange, advice)));
            }
        }
    }
    found
}
