//! Beads, positions, bonds and the box in the PDB format (version 3.3 of the wwPDB's description).

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use crate::psf::check_bonds;
use crate::{Error, TopologyBead, atomic, in_parts};

/// The largest decimal serial number of five digits; bonds are written up to it.
const LARGEST_DECIMAL_SERIAL: usize = 99_999;

/// The largest serial number of five hybrid-36 digits: 10⁵ - 1 + 2·26·36⁴.
const LARGEST_SERIAL: usize = 99_999 + 2 * 26 * 36 * 36 * 36 * 36;

/// Writes the beads at `positions` (Å), the `sides` of a periodic box (Å) as a CRYST1 record, and the `bonds` between
/// beads (pairs of indices from 0) as CONECT records, atomically.
///
/// The columns are narrow: bead and residue names are cut to four characters, chains to one, segments to four (dashes
/// are removed first from longer ones). Residue numbers beyond -999 to 9999 are taken modulo 10,000. Serial numbers
/// beyond 99,999 are hybrid-36, and the bonds of these beads are left out. The PSF file keeps all of this. The sides
/// of a box have three decimals, fewer from 100,000 Å on; a box from 10⁹ Å on is left out, and a remark says so.
/// Coordinates, occupancies and temperature factors that do not fit their columns are errors.
pub fn write(
    path: &Path,
    beads: &[TopologyBead],
    positions: &[[f64; 3]],
    bonds: &[(usize, usize)],
    sides: Option<[f64; 3]>,
    title: &str,
) -> Result<(), Error> {
    atomic::write(path, text(path, beads, positions, bonds, sides, title)?.as_bytes())
}

/// The text that [`write()`] writes; `path` is its name in messages.
pub fn text(
    path: &Path,
    beads: &[TopologyBead],
    positions: &[[f64; 3]],
    bonds: &[(usize, usize)],
    sides: Option<[f64; 3]>,
    title: &str,
) -> Result<String, Error> {
    if beads.len() != positions.len() {
        return Err(Error::bead_count(path, beads.len(), positions.len()));
    }
    check_count(path, beads.len())?;
    check_bonds(path, beads.len(), bonds)?;

    let mut text = String::new();
    for line in title.lines() {
        let _ = writeln!(text, "REMARK   1 {line}");
    }
    if let Some(sides) = sides {
        text.push_str(&unit_cell(sides));
    }
    text.push_str(&in_parts(beads.len(), |text, index| {
        let (bead, position) = (&beads[index], &positions[index]);
        let number = |field, value| {
            six_columns(value).ok_or_else(|| Error::number(path, index, field, value))
        };
        if let Some(before) = index.checked_sub(1).map(|before| &beads[before])
            && (before.chain != bead.chain || before.segment != bead.segment)
        {
            text.push_str("TER\n");
        }
        let mut segment = bead.segment_or_chain().to_owned();
        if segment.chars().count() > 4 {
            // `A-100`, the hundredth copy of chain A, becomes `A100`.
            segment = segment.replace('-', "").chars().take(4).collect();
        }
        // Writing into a String does not fail.
        let _ = writeln!(
            text,
            "ATOM  {} {} {}{}{:>4}{}   {}{}{}      {:<4}",
            serial(index + 1),
            // Names of up to three characters start in the second column; the first is for two-letter elements.
            four_columns(&bead.name, |name| format!(" {name:<3}")),
            // Residue names of up to three characters end in column 20; the common fourth character uses column 21.
            four_columns(&bead.residue_name, |name| format!("{name:>3} ")),
            bead.chain.chars().next().unwrap_or(' '),
            residue_number(bead.residue_number),
            bead.insertion.unwrap_or(' '),
            coordinates(path, index, position)?,
            number("occupancy", bead.occupancy)?,
            number("temperature factor", bead.beta)?,
            segment,
        );
        Ok(())
    })?);
    if !beads.is_empty() {
        text.push_str("TER\n");
    }
    connect(&mut text, beads.len(), bonds);
    text.push_str("END\n");
    Ok(text)
}

/// Whether a file can number so many beads.
///
/// # Errors
/// If it cannot.
pub fn check_count(path: &Path, beads: usize) -> Result<(), Error> {
    match beads > LARGEST_SERIAL {
        true => Err(Error::too_many_beads(path, beads, LARGEST_SERIAL)),
        false => Ok(()),
    }
}

/// Writes each bond at both of its beads, four partners to a line.
fn connect(text: &mut String, beads: usize, bonds: &[(usize, usize)]) {
    let mut partners = vec![BTreeSet::new(); beads.min(LARGEST_DECIMAL_SERIAL)];
    for &(first, second) in bonds {
        if first.max(second) < partners.len() && first != second {
            partners[first].insert(second);
            partners[second].insert(first);
        }
    }
    for (index, partners) in partners.iter().enumerate() {
        let partners: Vec<_> = partners.iter().collect();
        for line in partners.chunks(4) {
            let _ = write!(text, "CONECT{:>5}", index + 1);
            for partner in line {
                let _ = write!(text, "{:>5}", *partner + 1);
            }
            text.push('\n');
        }
    }
}

fn coordinates(path: &Path, bead: usize, position: &[f64; 3]) -> Result<String, Error> {
    let mut columns = String::with_capacity(24);
    for (axis, &value) in ['x', 'y', 'z'].into_iter().zip(position) {
        let column = format!("{value:>8.3}");
        if column.len() > 8 || !value.is_finite() {
            return Err(Error::Coordinate {
                path: path.to_path_buf(),
                bead,
                axis,
                value,
                limit: "PDB holds -999.999 to 9999.999 Å; move the structure towards the origin",
            });
        }
        columns.push_str(&column);
    }
    Ok(columns)
}

/// The CRYST1 record of a rectangular box, or a remark that no such record can hold it.
fn unit_cell(sides: [f64; 3]) -> String {
    let [x, y, z] = sides;
    let columns: Option<String> = sides.into_iter().map(|side| columns(side, 9, 3)).collect();
    match columns {
        Some(sides) => format!("CRYST1{sides}  90.00  90.00  90.00 P 1           1\n"),
        None => format!("REMARK   1 a box of {x} x {y} x {z} A, too wide for CRYST1\n"),
    }
}

/// `%6.2f`, with fewer decimals for larger numbers.
fn six_columns(value: f64) -> Option<String> {
    columns(value, 6, 2)
}

/// A number in so many columns, with as many decimals, up to `most`, as they have room for.
fn columns(value: f64, width: usize, most: usize) -> Option<String> {
    (0..=most)
        .rev()
        .map(|decimals| format!("{value:>width$.decimals$}"))
        .find(|column| column.len() == width && value.is_finite())
}

/// The first four characters of a name; `short` pads shorter names.
fn four_columns(name: &str, short: fn(&str) -> String) -> String {
    if name.chars().count() < 4 { short(name) } else { name.chars().take(4).collect() }
}

/// Few programs read hybrid-36 residue numbers; many accept numbers that start again at 0.
fn residue_number(number: i32) -> i32 {
    if (-999..=9999).contains(&number) { number } else { number.rem_euclid(10_000) }
}

/// Five hybrid-36 digits (R. W. Grosse-Kunstleve, cci.lbl.gov/hybrid_36): decimal numbers, then
/// base 36 from `A0000`, then base 36 from `a0000`.
fn serial(number: usize) -> String {
    const PLACES: usize = 36 * 36 * 36 * 36;
    if number <= LARGEST_DECIMAL_SERIAL {
        return format!("{number:>5}");
    }
    let beyond = number - (LARGEST_DECIMAL_SERIAL + 1);
    let value = beyond % (26 * PLACES) + 10 * PLACES;
    let digit = |place| char::from_digit((value / place % 36) as u32, 36).unwrap_or('0');
    let text: String = [PLACES, 36 * 36 * 36, 36 * 36, 36, 1].into_iter().map(digit).collect();
    if beyond < 26 * PLACES { text.to_ascii_uppercase() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_follow_hybrid_36() {
        // The limits that the author of the scheme gives.
        for (number, text) in [
            (1, "    1"),
            (99_999, "99999"),
            (100_000, "A0000"),
            (100_035, "A000Z"),
            (100_036, "A0010"),
            (43_770_015, "ZZZZZ"),
            (43_770_016, "a0000"),
            (LARGEST_SERIAL, "zzzzz"),
        ] {
            assert_eq!(serial(number), text);
        }
        assert_eq!(LARGEST_SERIAL, 87_440_031);
    }
}
