//! The numbers that types of bonds and angles have in files.

use crate::document::Value;
use crate::section::Section;

/// Files that a run writes keep numbers of types up to this one, since they name all types below.
const MOST_TYPES: u64 = 10_000;

/// The number of the file's type that an entry of `bonds` or `angles` chooses.
pub(super) fn number_of_type(section: &Section<'_>) -> Option<u64> {
    match section.resolved.get("number")?.value {
        Value::Integer(number) => u64::try_from(number).ok(),
        _ => None,
    }
}

/// The type, counted from 0, that each entry of `bonds` or `angles` has in files that a run writes. Entries that choose a type of
/// the start file keep its number, so that the same input reads the written file in the same way; the others take the numbers that
/// are left, in their order.
pub(super) fn types_in_files(numbers: &[Option<u64>]) -> Vec<u32> {
    if numbers.iter().flatten().any(|number| *number > MOST_TYPES) {
        return (0..numbers.len() as u32).collect();
    }
    let mut next = 0;
    let of_entry = |number: &Option<u64>| match number {
        Some(number) => u32::try_from(number - 1).unwrap_or(u32::MAX),
        None => {
            while numbers.contains(&Some(u64::from(next) + 1)) {
                next += 1;
            }
            next += 1;
            next - 1
        }
    };
    numbers.iter().map(of_entry).collect()
}
