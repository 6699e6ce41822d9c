//! Beads, bonds and angles as data files of LAMMPS, of the atom style `full`
//! (<https://docs.lammps.org/read_data.html>).

use std::fmt::{Display, Write};

/// An atom of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LammpsAtom {
    /// The number of its molecule, from 1.
    pub molecule: u32,
    /// The number of its type, from 1.
    pub kind: u32,
    /// In elementary charges.
    pub charge: f32,
    /// Within the bounds of the box.
    pub position: [f64; 3],
    /// The image of the box that it has reached, along each axis.
    pub image: [i64; 3],
}

/// Bonds or angles: terms of N atoms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LammpsTerms<const N: usize> {
    /// The number of types.
    pub types: u32,
    /// The type of each term, from 1, and its atoms, counted from 0.
    pub terms: Vec<(u32, [usize; N])>,
    /// The style of each type and its coefficients, or nothing: LAMMPS wants a row for each type or none at all.
    pub coefficients: Vec<(&'static str, Vec<f64>)>,
}

/// What a file holds. All numbers are in the unit style that the title names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LammpsData {
    /// The first line. LAMMPS does not read it; ` units = real` in it tells other programs the unit style.
    pub title: String,
    /// Lines of comments behind the title.
    pub remarks: Vec<String>,
    /// The lower and the upper bound of the box along each axis.
    pub bounds: [[f64; 2]; 3],
    /// The name and the mass of each type.
    pub types: Vec<(String, f64)>,
    /// The atoms.
    pub atoms: Vec<LammpsAtom>,
    /// The velocity of each atom, if they are known.
    pub velocities: Option<Vec<[f64; 3]>>,
    /// Bonds.
    pub bonds: LammpsTerms<2>,
    /// Angles, the atom in the middle second.
    pub angles: LammpsTerms<3>,
}

impl LammpsData {
    /// The text of the file, each number with as many digits as tell it from all others.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", one_line(&self.title));
        for remark in &self.remarks {
            line(&mut text, format_args!("# {}", one_line(remark)));
        }
        text.push('\n');
        let (bonds, angles) = (&self.bonds, &self.angles);
        let counts = [
            (self.atoms.len(), "atoms"),
            (bonds.terms.len(), "bonds"),
            (angles.terms.len(), "angles"),
            (self.types.len(), "atom types"),
            (bonds.types as usize, "bond types"),
            (angles.types as usize, "angle types"),
        ];
        for (count, of) in counts {
            line(&mut text, format_args!("{count} {of}"));
        }
        text.push('\n');
        for (axis, [low, high]) in ['x', 'y', 'z'].into_iter().zip(self.bounds) {
            line(&mut text, format_args!("{low} {high} {axis}lo {axis}hi"));
        }
        text.push_str("\nMasses\n\n");
        for (number, (name, mass)) in (1..).zip(&self.types) {
            line(&mut text, format_args!("{number} {mass} # {}", one_line(name)));
        }
        bonds.write_coefficients(&mut text, "Bond");
        angles.write_coefficients(&mut text, "Angle");
        text.push_str("\nAtoms # full\n\n");
        for (id, atom) in (1..).zip(&self.atoms) {
            let LammpsAtom { molecule, kind, charge, position: [x, y, z], image: [u, v, w] } = atom;
            line(
                &mut text,
                format_args!("{id} {molecule} {kind} {charge} {x} {y} {z} {u} {v} {w}"),
            );
        }
        if let Some(velocities) = &self.velocities {
            text.push_str("\nVelocities\n\n");
            for (id, [x, y, z]) in (1..).zip(velocities) {
                line(&mut text, format_args!("{id} {x} {y} {z}"));
            }
        }
        bonds.write(&mut text, "Bonds");
        angles.write(&mut text, "Angles");
        text
    }
}

impl<const N: usize> LammpsTerms<N> {
    /// Whether there are terms whose coefficients the file does not have.
    pub fn lack_coefficients(&self) -> bool {
        !self.terms.is_empty() && self.coefficients.is_empty()
    }

    fn write(&self, text: &mut String, section: &str) {
        if self.terms.is_empty() {
            return;
        }
        line(text, format_args!("\n{section}\n"));
        for (id, (kind, atoms)) in (1..).zip(&self.terms) {
            line(text, format_args!("{id} {kind}{}", spaced(atoms.iter().map(|atom| atom + 1))));
        }
    }

    /// Rows of several styles begin with that of their type, as `hybrid` has it.
    fn write_coefficients(&self, text: &mut String, shape: &str) {
        let Some((first, _)) = self.coefficients.first() else { return };
        let is_hybrid = self.coefficients.iter().any(|(style, _)| style != first);
        let heading = if is_hybrid { "hybrid" } else { first };
        line(text, format_args!("\n{shape} Coeffs # {heading}\n"));
        for (kind, (style, numbers)) in (1..).zip(&self.coefficients) {
            let style = if is_hybrid { format!(" {style}") } else { String::new() };
            line(text, format_args!("{kind}{style}{}", spaced(numbers)));
        }
    }
}

fn line(text: &mut String, content: std::fmt::Arguments<'_>) {
    // Writing into a String does not fail.
    let _ = writeln!(text, "{content}");
}

/// Each item with a space before it.
fn spaced(items: impl IntoIterator<Item = impl Display>) -> String {
    items.into_iter().map(|item| format!(" {item}")).collect()
}

/// Line breaks would end a comment.
fn one_line(text: &str) -> String {
    text.split(['\n', '\r']).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_documented_sections() {
        let atom = |molecule, kind, x: f64, image| LammpsAtom {
            molecule,
            kind,
            charge: -0.5,
            position: [x, 0.0, 2.5],
            image,
        };
        let data = LammpsData {
            title: "three beads, units = lj".into(),
            remarks: vec!["a remark\nof two lines".into()],
            bounds: [[-5.0, 5.0], [-5.0, 5.0], [-2.5, 2.5]],
            types: vec![("A".into(), 1.0), ("B".into(), 2.5)],
            atoms: vec![
                atom(1, 1, 0.1, [0; 3]),
                atom(1, 2, 1.0, [0, -1, 2]),
                atom(1, 1, 2.0, [0; 3]),
            ],
            velocities: Some(vec![[0.0, 0.25, -1e-7]; 3]),
            bonds: LammpsTerms {
                types: 2,
                terms: vec![(1, [0, 1]), (2, [1, 2])],
                coefficients: vec![
                    ("harmonic", vec![15.0, 0.5]),
                    ("fene", vec![30.0, 1.5, 1.0, 1.0]),
                ],
            },
            angles: LammpsTerms {
                types: 1,
                terms: vec![(1, [0, 1, 2])],
                coefficients: vec![("cosine", vec![4.0])],
            },
        };
        let expected = "\
three beads, units = lj
# a remark of two lines

3 atoms
2 bonds
1 angles
2 atom types
2 bond types
1 angle types

-5 5 xlo xhi
-5 5 ylo yhi
-2.5 2.5 zlo zhi

Masses

1 1 # A
2 2.5 # B

Bond Coeffs # hybrid

1 harmonic 15 0.5
2 fene 30 1.5 1 1

Angle Coeffs # cosine

1 4

Atoms # full

1 1 1 -0.5 0.1 0 2.5 0 0 0
2 1 2 -0.5 1 0 2.5 0 -1 2
3 1 1 -0.5 2 0 2.5 0 0 0

Velocities

1 0 0.25 -0.0000001
2 0 0.25 -0.0000001
3 0 0.25 -0.0000001

Bonds

1 1 1 2
2 2 2 3

Angles

1 1 1 2 3
";
        assert_eq!(data.text(), expected);
    }
}
