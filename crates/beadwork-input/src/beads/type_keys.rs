//! Keys of tables by types: a type (`A`), or two types as `AB`, `A-B` or `A B`.
//!
//! Names of types may be longer than a letter, so that `AAB` can mean A with AB, or AA with B. Such a key is refused.

use std::collections::HashMap;

use crate::document::{Table, TableEntry};
use crate::error::{BAD_VALUE, Error};

/// What stands between two types; without it the names follow each other.
pub(crate) const SEPARATORS: [&str; 3] = ["", "-", " "];

/// What a key can mean. Types are numbered as their names.
#[derive(Clone, Copy, Debug)]
enum Reading {
    Type(usize),
    /// In the order in which the key has them.
    Pair(usize, usize),
}

impl Reading {
    /// Whether these two types are meant, in any order.
    fn is_pair(self, one: usize, other: usize) -> bool {
        matches!(self, Reading::Pair(a, b) if (a, b) == (one, other) || (b, a) == (one, other))
    }
}

/// The names of types, and what keys mean.
pub(crate) struct TypeKeys<'a> {
    names: &'a [String],
    numbers: HashMap<&'a str, usize>,
}

/// The keys of a table by what they mean.
#[derive(Debug, Default)]
pub(crate) struct Sorted<'t> {
    pub types: HashMap<usize, &'t TableEntry>,
    pub pairs: HashMap<(usize, usize), &'t TableEntry>,
}

impl<'a> TypeKeys<'a> {
    pub fn new(names: &'a [String]) -> TypeKeys<'a> {
        let numbers = names.iter().enumerate().map(|(number, name)| (name.as_str(), number));
        TypeKeys { names, numbers: numbers.collect() }
    }

    /// Everything that a key can mean, each once.
    fn readings(&self, key: &str) -> Vec<Reading> {
        let number = |name: &str| self.numbers.get(name).copied();
        let mut readings: Vec<Reading> = number(key).map(Reading::Type).into_iter().collect();
        for (place, _) in key.char_indices().skip(1) {
            let (left, right) = key.split_at(place);
            let Some(one) = number(left) else { continue };
            let others = SEPARATORS.iter().filter_map(|between| right.strip_prefix(between));
            for other in others.filter_map(number) {
                if !readings.iter().any(|known| known.is_pair(one, other)) {
                    readings.push(Reading::Pair(one, other));
                }
            }
        }
        readings
    }

    /// Sorts the keys of a table; `named` names the table in messages. `None` if a key is not known.
    pub fn sort<'t>(&self, table: &'t Table, named: &str) -> Result<Option<Sorted<'t>>, Error> {
        let readings: Vec<Vec<Reading>> =
            table.entries.iter().map(|entry| self.readings(&entry.key)).collect();
        let mut sorted = Sorted::default();
        for (index, (entry, all)) in table.entries.iter().zip(&readings).enumerate() {
            let reading = match all[..] {
                [] => return Ok(None),
                [one] => one,
                // The name of a type that is that of two others together stands for the type, as long as the type
                // would lack a value otherwise.
                [one @ Reading::Type(kind), ..]
                    if !readings.iter().enumerate().any(|(other, all)| {
                        other != index && all.iter().any(|reading| reading.is_pair(kind, kind))
                    }) =>
                {
                    one
                }
                _ => return Err(self.ambiguous(entry, all, named)),
            };
            let earlier = match reading {
                Reading::Type(kind) => sorted.types.insert(kind, entry),
                Reading::Pair(one, other) => {
                    sorted.pairs.insert((one.min(other), one.max(other)), entry)
                }
            };
            if let Some(earlier) = earlier {
                let problem =
                    format!("{named}: `{}` is the same as `{}`: keep one", entry.key, earlier.key);
                return Err(entry.node.place.error(BAD_VALUE, problem));
            }
        }
        Ok(Some(sorted))
    }

    fn ambiguous(&self, entry: &TableEntry, readings: &[Reading], named: &str) -> Error {
        let mut meanings = Vec::new();
        let mut remedies = Vec::new();
        for reading in readings {
            match *reading {
                Reading::Type(kind) => {
                    let name = &self.names[kind];
                    meanings.push(format!("the type {name}"));
                    remedies
                        .push(format!("for the type each of its pairs, such as `{name}-{name}`"));
                }
                Reading::Pair(one, other) => {
                    meanings.push(format!("{} with {}", self.names[one], self.names[other]));
                    remedies.push(format!("`{}`", self.spelling(one, other, ["-", " ", ""])));
                }
            }
        }
        let problem = format!(
            "{named}: `{}` can mean {}: write {}",
            entry.key,
            meanings.join(" or "),
            remedies.join(" or ")
        );
        entry.place.error(BAD_VALUE, problem)
    }

    /// A key that means these two types and nothing else, with the first separator that makes it clear.
    pub fn spelling(&self, one: usize, other: usize, separators: [&str; 3]) -> String {
        let is_meant = |key: &String| matches!(self.readings(key)[..], [reading] if reading.is_pair(one, other));
        let orders = [[one, other], [other, one]].map(|order| order.map(|kind| &self.names[kind]));
        let spelled = orders.iter().flat_map(|[one, other]| {
            separators.iter().map(move |between| format!("{one}{between}{other}"))
        });
        let mut clear = spelled.filter(is_meant);
        clear.next().unwrap_or_else(|| format!("{}-{}", self.names[one], self.names[other]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_string()).collect()
    }

    #[test]
    fn keys_have_every_meaning_that_names_allow() {
        let names = names(&["A", "AA", "AB", "B", "C3-x"]);
        let keys = TypeKeys::new(&names);
        let readings = |key: &str| -> Vec<String> {
            let name = |kind: usize| names[kind].as_str();
            let meaning = |reading: &Reading| match *reading {
                Reading::Type(kind) => name(kind).to_string(),
                Reading::Pair(one, other) => format!("{} {}", name(one), name(other)),
            };
            keys.readings(key).iter().map(meaning).collect()
        };
        assert_eq!(readings("A"), ["A"]);
        assert_eq!(readings("BA"), ["B A"]);
        assert_eq!(readings("AB"), ["AB", "A B"]);
        assert_eq!(readings("AAA"), ["A AA"]);
        assert_eq!(readings("AAB"), ["A AB", "AA B"]);
        assert_eq!(readings("A-AB"), ["A AB"]);
        assert_eq!(readings("A AB"), ["A AB"]);
        assert_eq!(readings("C3-x-B"), ["C3-x B"]);
        assert_eq!(readings("C3-x"), ["C3-x"]);
        for unknown in ["", "-", "A-", "-A", "A--B", "A  B", "X", "AX", "é"] {
            assert!(readings(unknown).is_empty(), "{unknown}");
        }
        assert_eq!(keys.spelling(0, 3, SEPARATORS), "A-B");
        assert_eq!(keys.spelling(0, 2, SEPARATORS), "A-AB");
        assert_eq!(keys.spelling(1, 0, SEPARATORS), "AAA");
        assert_eq!(keys.spelling(4, 4, SEPARATORS), "C3-xC3-x");
    }
}
