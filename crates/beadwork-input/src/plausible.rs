//! Warnings about values that the language takes and that are probably slips: a unit, a power of ten, degrees Celsius.
//!
//! One list of quantities with the range that is usual, read from the resolved form, which has every value and default.

use std::collections::BTreeMap;

use beadwork_model::units::{self, Dimension, Units};

use crate::document::{Node, Value};

/// Stands for every key of a table.
const ANY: &str = "*";

/// A quantity and its usual values.
struct UsualRange {
    /// Where it stands in the resolved form; each entry of a list is looked at.
    path: &'static [&'static str],
    /// Models whose runs have it; all if there are none.
    models: &'static [&'static str],
    dimension: Dimension,
    /// The lowest and the highest usual value in real units, 0 not looked at.
    real: Option<[&'static str; 2]>,
    /// The lowest and the highest usual value in reduced units.
    reduced: Option<[f64; 2]>,
    /// What follows beyond these values, and what was perhaps meant.
    advice: &'static str,
}

const USUAL: &[UsualRange] = &[
    UsualRange {
        path: &["dynamics", "temperature"],
        models: &["sop", "residues", "beads"],
        dimension: Dimension::Temperature,
        real: Some(["200 K", "1000 K"]),
        reduced: None,
        advice: "temperatures are in kelvins, so that 37 degrees Celsius are \"310 K\"",
    },
    UsualRange {
        path: &["dynamics", "temperature"],
        models: &["beads"],
        dimension: Dimension::Temperature,
        real: None,
        reduced: Some([0.0, 50.0]),
        advice: "in reduced units a temperature is kT in units of the energy, mostly near 1, and no number of kelvins",
    },
    UsualRange {
        path: &["exchange", "temperatures"],
        models: &["sop", "residues", "beads"],
        dimension: Dimension::Temperature,
        real: Some(["200 K", "1000 K"]),
        reduced: None,
        advice: "temperatures are in kelvins, so that 37 degrees Celsius are \"310 K\"",
    },
    UsualRange {
        path: &["exchange", "temperatures"],
        models: &["beads"],
        dimension: Dimension::Temperature,
        real: None,
        reduced: Some([0.0, 50.0]),
        advice: "in reduced units a temperature is kT in units of the energy, mostly near 1, and no number of kelvins",
    },
    UsualRange {
        path: &["system", "solution", "ionic_strength"],
        models: &["residues"],
        dimension: Dimension::Concentration,
        real: Some(["1 uM", "5 M"]),
        reduced: None,
        advice: "no salt dissolves to more, and screened charges are a theory of dilute salt; 150 millimolar is \"150 mM\"",
    },
    UsualRange {
        path: &["system", "solution", "ph"],
        models: &["residues"],
        dimension: Dimension::Number,
        real: Some(["0", "14"]),
        reduced: None,
        advice: "water has a pH between 0 and 14, and about 7 in cells",
    },
    UsualRange {
        path: &["system", "contacts", "cutoff"],
        models: &["sop"],
        dimension: Dimension::Length,
        real: Some(["4 A", "20 A"]),
        reduced: None,
        advice: "alpha carbons of neighbours in a chain are 3.8 A apart, and the model was made with 8 A: a shorter cutoff finds no contacts, a longer one joins residues that do not touch; mind nm and A",
    },
    UsualRange {
        path: &["system", "contacts", "side_chain_cutoff"],
        models: &["sop"],
        dimension: Dimension::Length,
        real: Some(["3 A", "15 A"]),
        reduced: None,
        advice: "the model was made with 5.2 A between atoms of side chains; mind nm and A",
    },
    UsualRange {
        path: &["system", "contacts", "energy"],
        models: &["sop"],
        dimension: Dimension::Energy,
        real: Some(USUAL_ENERGIES_OF_CONTACTS),
        reduced: None,
        advice: ENERGIES_OF_CONTACTS,
    },
    UsualRange {
        path: &["system", "contacts", "between_chains"],
        models: &["sop"],
        dimension: Dimension::Energy,
        real: Some(USUAL_ENERGIES_OF_CONTACTS),
        reduced: None,
        advice: ENERGIES_OF_CONTACTS,
    },
    UsualRange {
        path: &["system", "contacts", "chain_pairs", ANY],
        models: &["sop"],
        dimension: Dimension::Energy,
        real: Some(USUAL_ENERGIES_OF_CONTACTS),
        reduced: None,
        advice: ENERGIES_OF_CONTACTS,
    },
];

const USUAL_ENERGIES_OF_CONTACTS: [&str; 2] = ["0.1 kcal/mol", "5 kcal/mol"];
const ENERGIES_OF_CONTACTS: &str = "contacts have 1 to 2 kcal/mol each, with which proteins unfold as measured; mind kcal/mol and kJ/mol, and the point";

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
        let Some((section, keys)) = usual.path.split_first() else { continue };
        let mut values: Vec<(&str, &Value)> =
            resolved.get(section).map(|value| ("", value)).into_iter().collect();
        for key in keys {
            values = values.iter().flat_map(|&(_, value)| entries(value, key)).collect();
        }
        for (last, value) in values {
            let path: Vec<&str> = keys.iter().copied().filter(|key| *key != ANY).collect();
            let last = if keys.ends_with(&[ANY]) { format!(".{last}") } else { String::new() };
            let named = format!("`{}{last}` of [{section}]", path.join("."));
            let strange = match units {
                Units::Real => usual.real.and_then(|range| real(value, usual.dimension, range)),
                Units::Reduced => usual.reduced.and_then(|range| reduced(value, range)),
            };
            found.extend(strange.map(|strange| in_words(&named, &strange, usual.advice)));
        }
    }
    if units == Units::Real {
        found.extend(of_drives(resolved.get("stage")));
    }
    found
}

/// The warning about an energy of a contact, kcal/mol, that a list gives; `named` says where.
pub(crate) fn warning_of_listed_energy(named: &str, energy: f64) -> Option<String> {
    let value = Value::Float(energy);
    let (number, side) = real(&value, Dimension::Energy, USUAL_ENERGIES_OF_CONTACTS)?;
    Some(in_words(named, &(format!("{number} kcal/mol"), side), ENERGIES_OF_CONTACTS))
}

/// The entry of a table with this key, or all entries.
fn entries<'a>(value: &'a Value, key: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    let table = match value {
        Value::Table(table) => table.entries.as_slice(),
        _ => &[],
    };
    let asked = table.iter().filter(move |entry| key == ANY || entry.key == key);
    asked.map(|entry| (entry.key.as_str(), &entry.node.value))
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

/// On which side of a range a number lies; 0, which turns something off, lies on none.
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
