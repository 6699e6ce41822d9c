//! Parameters that depend on the types of two beads.

use beadwork_model::units::Dimension;

use super::type_keys::{SEPARATORS, TypeKeys};
use crate::document::{Node, Value};
use crate::error::{Error, MISSING_KEY, UNKNOWN_KEY};
use crate::numbers::Bound;
use crate::section::Section;
use crate::words::meant;

/// How the value of two different types follows from those of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mixing {
    /// (a + b)/2, as for diameters (Lorentz).
    Arithmetic,
    /// √(a b), as for energies (Berthelot).
    Geometric,
    /// It does not follow: each pair needs its own.
    None,
}

/// A parameter of a pair or bond term.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub key: &'static str,
    pub dimension: Dimension,
    pub bound: Bound,
    pub mixing: Mixing,
}

/// The value of a parameter for each two types, row after row.
#[derive(Clone, Debug)]
pub(super) struct ByTypes {
    types: usize,
    values: Vec<f64>,
}

impl ByTypes {
    /// The same value for all types.
    pub fn same(types: usize, value: f64) -> ByTypes {
        ByTypes { types, values: vec![value; types * types] }
    }

    /// A value for each two types.
    pub fn new(types: usize, value: impl Fn(usize, usize) -> f64) -> ByTypes {
        ByTypes { types, values: (0..types * types).map(|n| value(n / types, n % types)).collect() }
    }

    pub fn between(&self, a: usize, b: usize) -> f64 {
        self.values[a * self.types + b]
    }
}

/// Reads a parameter: one value for all types, or a table with entries for types (`A`) and for pairs of types (`AB`,
/// `A-B` or `A B`), where each two types for which `needs` is true need a value. `None` if the key is absent.
pub(super) fn read(
    section: &mut Section<'_>,
    parameter: Parameter,
    names: &[String],
    needs: impl Fn(usize, usize) -> bool,
) -> Result<Option<ByTypes>, Error> {
    let Parameter { key, .. } = parameter;
    let Some(node) = section.node(key) else { return Ok(None) };
    if node.table().is_none() {
        let value = one(section, key, parameter)?;
        return Ok(value.map(|value| ByTypes::same(names.len(), value)));
    }
    let named = format!("`{key}` of {}", section.name);
    let (values, resolved) = table(node, &named, section, parameter, names, needs)?;
    section.keep(key, Value::Table(resolved));
    Ok(Some(values))
}

/// As [`read`] for all types; the key must be there.
pub(super) fn required(
    section: &mut Section<'_>,
    parameter: Parameter,
    names: &[String],
) -> Result<ByTypes, Error> {
    required_where(section, parameter, names, |_, _| true)
}

/// As [`read`]; the key must be there.
pub(super) fn required_where(
    section: &mut Section<'_>,
    parameter: Parameter,
    names: &[String],
    needs: impl Fn(usize, usize) -> bool,
) -> Result<ByTypes, Error> {
    let found = read(section, parameter, names, needs)?;
    found.ok_or_else(|| {
        let example = match (parameter.dimension, section.units) {
            (Dimension::Number, _) | (_, beadwork_model::Units::Reduced) => "1.0".to_string(),
            (dimension, _) => example_of(dimension),
        };
        section.missing(parameter.key, &example)
    })
}

/// The first example of a dimension's expectation, with its quotes.
fn example_of(dimension: Dimension) -> String {
    let quoted = dimension.expectation().split('"').nth(1);
    quoted.map_or_else(|| "1.0".to_string(), |text| format!("\"{text}\""))
}

/// A value without types.
fn one(section: &mut Section<'_>, key: &str, parameter: Parameter) -> Result<Option<f64>, Error> {
    let Parameter { dimension, bound, .. } = parameter;
    match dimension {
        Dimension::Number => section.number(key, bound),
        _ => Ok(section.quantity(key, dimension, bound)?.map(|quantity| quantity.value)),
    }
}

fn table(
    node: &Node,
    named: &str,
    section: &Section<'_>,
    parameter: Parameter,
    names: &[String],
    needs: impl Fn(usize, usize) -> bool,
) -> Result<(ByTypes, crate::document::Table), Error> {
    let keys = TypeKeys::new(names);
    let pairs = (0..names.len()).flat_map(|a| (a..names.len()).map(move |b| (a, b)));
    let entries = node.table().map_or(&[][..], |table| &table.entries);
    let sorted = node.table().map(|table| keys.sort(table, named)).transpose()?.flatten();
    let Some(sorted) = sorted else {
        let mut known = names.to_vec();
        known.extend(pairs.map(|(a, b)| keys.spelling(a, b, SEPARATORS)));
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let is_known = |key: &str| known.contains(&key);
        if let Some(entry) = entries.iter().find(|entry| !is_known(&entry.key)) {
            let end = meant(&entry.key, &known, '`');
            let problem = format!(
                "{named}: `{}` is no type of the beads and no pair of their types, which are {}{end} Known keys: {}",
                entry.key,
                names.join(", "),
                known.join(", ")
            );
            return Err(entry.place.error(UNKNOWN_KEY, problem));
        }
        return Err(node.place.error(UNKNOWN_KEY, format!("{named} has keys that are no types")));
    };
    let known: Vec<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let mut inner = Section::open(node, named, &known)?.in_units(section.units);
    let mut of_types = Vec::with_capacity(names.len());
    for kind in 0..names.len() {
        let entry = sorted.types.get(&kind);
        let value = entry.map(|entry| one(&mut inner, &entry.key, parameter)).transpose()?;
        of_types.push(value.flatten());
    }
    let mut values = ByTypes::same(names.len(), 0.0);
    for (a, b) in pairs {
        let entry = sorted.pairs.get(&(a, b));
        let given = entry.map(|entry| one(&mut inner, &entry.key, parameter)).transpose()?;
        let of_both = of_types[a].zip(of_types[b]);
        let mixed = of_both.and_then(|(one, other)| match parameter.mixing {
            _ if a == b => Some(one),
            Mixing::Arithmetic => Some(0.5 * (one + other)),
            Mixing::Geometric => Some((one * other).sqrt()),
            Mixing::None => None,
        });
        // A value that no two beads use.
        let unused = (!needs(a, b)).then_some(0.0);
        let value = given.flatten().or(mixed).or(unused).ok_or_else(|| {
            let (one, other) = (&names[a], &names[b]);
            let or_types = match parameter.mixing {
                Mixing::None => String::new(),
                _ if a == b => format!(", or `{one}`"),
                _ => format!(", or `{one}` and `{other}`, from which it follows"),
            };
            let problem = format!(
                "{named} has no value for the types {one} and {other}: write `{}`{or_types}",
                keys.spelling(a, b, SEPARATORS)
            );
            node.place.error(MISSING_KEY, problem)
        })?;
        values.values[a * names.len() + b] = value;
        values.values[b * names.len() + a] = value;
    }
    Ok((values, inner.resolved))
}
