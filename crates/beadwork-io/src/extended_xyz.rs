//! Beads, positions and velocities in the extended XYZ format (<https://github.com/libAtoms/extxyz>).

use std::borrow::Cow;
use std::fmt::Write;

/// A bead of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct XyzBead<'a> {
    /// The name of its type; blanks become underscores, and an empty one `X`.
    pub species: &'a str,
    /// In any unit of length.
    pub position: [f64; 3],
    /// In the unit of length over any unit of time.
    pub velocity: Option<[f64; 3]>,
    /// The mass of its type.
    pub mass: f64,
    /// In elementary charges.
    pub charge: f32,
    /// The number of its molecule.
    pub molecule: u32,
}

/// What a file says of bonds, which it cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BondsElsewhere<'a> {
    /// Their number.
    pub count: usize,
    /// Whether all beads that follow each other in a molecule are bonded.
    pub include_chains: bool,
    /// The name of a file that has them.
    pub file: &'a str,
}

/// The text of beads, each number with as many digits as tell it from all others. Velocities are written if the first bead
/// has one, and `sides` are those of a periodic box whose centre is the origin. `bonds` is given if beads are bonded otherwise
/// than one after another in each molecule.
pub fn text(
    beads: &[XyzBead<'_>],
    sides: Option<[f64; 3]>,
    bonds: Option<BondsElsewhere<'_>>,
    title: &str,
) -> String {
    let with_velocities = beads.first().is_some_and(|bead| bead.velocity.is_some());
    let mut text = format!("{}\n", beads.len());
    // Writing into a String does not fail.
    if let Some([x, y, z]) = sides {
        let _ = write!(text, "Lattice=\"{x} 0 0 0 {y} 0 0 0 {z}\" ");
        let _ = write!(text, "Origin=\"{} {} {}\" ", -x / 2.0, -y / 2.0, -z / 2.0);
    }
    if let Some(BondsElsewhere { count, include_chains, file }) = bonds {
        let _ = write!(text, "NumberOfBonds={count} ");
        if !include_chains {
            let _ = write!(text, "Bonds=\"{file} has them\" ");
        }
    }
    let velocities = if with_velocities { ":velo:R:3" } else { "" };
    let _ = writeln!(
        text,
        "Properties=species:S:1:pos:R:3{velocities}:mass:R:1:charge:R:1:molecule:I:1 comment=\"{}\"",
        // A quotation mark would end the comment.
        title.replace('"', "'")
    );
    for XyzBead { species, position: [x, y, z], velocity, mass, charge, molecule } in beads {
        // Blanks would make columns of a name, and a name of none would leave out a column.
        let species = match species.contains(char::is_whitespace) {
            true => Cow::Owned(species.split_whitespace().collect::<Vec<_>>().join("_")),
            false => Cow::Borrowed(*species),
        };
        let species = if species.is_empty() { "X" } else { &species };
        let _ = write!(text, "{species} {x} {y} {z}");
        if let (true, Some([u, v, w])) = (with_velocities, velocity) {
            let _ = write!(text, " {u} {v} {w}");
        }
        let _ = writeln!(text, " {mass} {charge} {molecule}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_and_names_cannot_change_what_columns_mean() {
        let bead = |species| XyzBead {
            species,
            position: [1.0, 2.0, 3.0],
            velocity: None,
            mass: 4.0,
            charge: 0.0,
            molecule: 5,
        };
        let text = text(&[bead(" "), bead("big bead")], None, None, "a \" Lattice=\"1");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].ends_with(" comment=\"a ' Lattice='1\""), "{}", lines[1]);
        assert_eq!(lines[2..], ["X 1 2 3 4 0 5", "big_bead 1 2 3 4 0 5"]);
    }
}
