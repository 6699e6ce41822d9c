//! `build` in `[system]`: molecules on a lattice that fills a box.

use beadwork_structure::Configuration;

use super::start::{no_box, wrong_molecule};
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, Error};
use crate::section::Section;

const KEYS: [&str; 2] = ["molecule", "count"];
/// The most beads that a box is filled with.
const MOST_BEADS: usize = 20_000_000;

/// Reads `build`: tables with a linear molecule, such as "A3B7", and how many of them there are.
pub(super) fn read(
    section: &mut Section<'_>,
    sides: Option<[f64; 3]>,
) -> Result<Configuration, Error> {
    let sides = sides.ok_or_else(|| no_box(section))?;
    let single = section.node("build").filter(|node| node.table().is_some());
    let nodes = match single {
        Some(node) => std::slice::from_ref(node),
        None => super::list_of(section, "build")?,
    };
    let mut resolved = Vec::new();
    let mut beads = Configuration { source: "`build`".to_string(), ..Configuration::default() };
    let mut molecules = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let name = format!("`build` {} in [system]", index + 1);
        let mut inner = Section::open(node, &name, &KEYS)?;
        let text = inner.required_text("molecule", "A10")?.value;
        let types = parse(&text, &mut beads.type_names)
            .map_err(|problem| wrong_molecule(&inner, &problem))?;
        let count = inner.integer_or("count", 1, 1)?.value;
        let total = count.saturating_mul(types.len() as u64) as usize;
        if beads.types.len().saturating_add(total) > MOST_BEADS {
            let problem = format!("makes more than {MOST_BEADS} beads: take fewer molecules");
            return Err(inner.fault(BAD_VALUE, "count", &problem));
        }
        for _ in 0..count {
            let molecule = molecules.last().map_or(1, |last| last + 1);
            molecules.extend(std::iter::repeat_n(molecule, types.len()));
            beads.types.extend_from_slice(&types);
        }
        resolved.push(Node::new(Value::Table(inner.resolved), &node.place));
    }
    section.keep("build", Value::List(resolved));
    if beads.types.is_empty() {
        return Err(section.fault(BAD_VALUE, "build", "makes no beads: give it a molecule"));
    }
    beads.positions = positions(beads.types.len(), sides);
    beads.masses = vec![None; beads.type_names.len()];
    beads.molecules = Some(molecules);
    beads.label_by_type();
    Ok(beads)
}

/// The types along a molecule such as "A3B7": names begin with a capital letter, numbers repeat them.
fn parse(text: &str, names: &mut Vec<String>) -> Result<Vec<u16>, String> {
    let mut types = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let end = rest[first.len_utf8()..]
            .find(|c: char| c.is_ascii_digit() || c.is_uppercase())
            .map_or(rest.len(), |at| at + first.len_utf8());
        let (name, behind) = rest.split_at(end);
        let digits = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        let (digits, behind) = behind.split_at(digits);
        rest = behind;
        let count = if digits.is_empty() { Some(1) } else { digits.parse().ok() };
        let count = count.filter(|count: &usize| (1..=1_000_000).contains(count));
        let is_name = first.is_alphabetic() && !name.contains(['-', ' ']);
        let (true, Some(count)) = (is_name, count) else {
            return Err(format!(
                "is \"{text}\", and a molecule is written as types with numbers, such as \"A10\" or \"A3B7\""
            ));
        };
        let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
            names.push(name.to_string());
            names.len() - 1
        });
        types.extend(std::iter::repeat_n(number as u16, count));
    }
    match types.is_empty() {
        true => Err("is empty: write for example \"A10\"".to_string()),
        false => Ok(types),
    }
}

/// The points of a lattice that fills a box whose centre is the origin, along a path whose steps go to neighbours, so that
/// the bonds of a chain are short and no two beads share a place.
fn positions(beads: usize, sides: [f64; 3]) -> Vec<[f64; 3]> {
    let spacing = (sides.iter().product::<f64>() / beads as f64).cbrt();
    let mut counts = sides.map(|side| ((side / spacing).round() as usize).max(1));
    while counts.iter().product::<usize>() < beads {
        // Where the spacing is largest, another layer changes it least.
        let widest = |&a: &usize, &b: &usize| {
            let [a, b] = [a, b].map(|axis| sides[axis] / counts[axis] as f64);
            a.total_cmp(&b)
        };
        let axis = (0..3).max_by(widest).unwrap_or(0);
        counts[axis] += 1;
    }
    let turned =
        |place: usize, count: usize, back: bool| if back { count - 1 - place } else { place };
    let place = |bead: usize| {
        let [columns, rows, _] = counts;
        let (row, layer) = (bead / columns, bead / (columns * rows));
        let x = turned(bead % columns, columns, row % 2 == 1);
        let y = turned(row % rows, rows, layer % 2 == 1);
        let lattice = [x, y, layer];
        [0, 1, 2].map(|axis| {
            let side = sides[axis] / counts[axis] as f64;
            (lattice[axis] as f64 + 0.5) * side - 0.5 * sides[axis]
        })
    };
    (0..beads).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn molecules_are_read_type_by_type() {
        let mut names = Vec::new();
        assert_eq!(parse("A3B2A", &mut names), Ok(vec![0, 0, 0, 1, 1, 0]));
        assert_eq!(parse("WaB", &mut names), Ok(vec![2, 1]));
        assert_eq!(names, ["A", "B", "Wa"]);
        for text in ["", "3A", "A0", "A-B"] {
            assert!(parse(text, &mut names).is_err(), "{text}");
        }
    }

    #[test]
    fn a_path_through_the_lattice_has_short_steps_and_no_place_twice() {
        for (beads, sides) in [(3_000, [10.0; 3]), (97, [4.0, 9.0, 30.0]), (1, [2.0; 3])] {
            let positions = positions(beads, sides);
            let spacing = (sides.iter().product::<f64>() / beads as f64).cbrt();
            let distance = |a: [f64; 3], b: [f64; 3]| {
                (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
            };
            for pair in positions.windows(2) {
                let step = distance(pair[0], pair[1]);
                assert!((0.4 * spacing..2.0 * spacing).contains(&step), "{step} of {spacing}");
            }
            let inside = |p: &[f64; 3]| (0..3).all(|axis| p[axis].abs() < 0.5 * sides[axis]);
            assert!(positions.iter().all(inside));
            let mut bits: Vec<_> = positions.iter().map(|p| p.map(f64::to_bits)).collect();
            bits.sort_unstable();
            bits.dedup();
            assert_eq!(bits.len(), beads);
        }
    }
}
