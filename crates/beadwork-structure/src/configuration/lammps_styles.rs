//! Atom styles of LAMMPS data files: which columns the rows of `Atoms` have.

use super::lammps_coefficients::without_suffix;

/// A column, or several that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Molecule,
    Type,
    Charge,
    Diameter,
    Density,
    Position,
    Dipole,
}

use Field::{Charge, Density, Diameter, Dipole, Molecule, Position, Type};

/// Names of styles and what follows the id of an atom in them.
const STYLES: [(&str, &[Field]); 8] = [
    ("atomic", &[Type, Position]),
    ("charge", &[Type, Charge, Position]),
    ("bond", &[Molecule, Type, Position]),
    ("angle", &[Molecule, Type, Position]),
    ("molecular", &[Molecule, Type, Position]),
    ("full", &[Molecule, Type, Charge, Position]),
    ("sphere", &[Type, Diameter, Density, Position]),
    ("dipole", &[Type, Charge, Position, Dipole]),
];
/// The style whose columns are those of the styles behind its name, each only once.
const HYBRID: &str = "hybrid";
/// The styles that files without a style are compared with; where the columns of several fit, the first one is taken.
const GUESSED: [&str; 6] = ["molecular", "full", "atomic", "charge", "sphere", "dipole"];
/// Styles with columns that are not read: their atoms are no points, or carry what no bead has.
const UNREAD: [&str; 24] = [
    "amoeba",
    "apip",
    "body",
    "bpm/rotational",
    "bpm/sphere",
    "dielectric",
    "dpd",
    "edpd",
    "electron",
    "ellipsoid",
    "line",
    "mdpd",
    "mesont",
    "oxdna",
    "peri",
    "rheo",
    "rheo/thermal",
    "smd",
    "sph",
    "spin",
    "tdpd",
    "template",
    "tri",
    "wavepacket",
];

impl Field {
    /// Number of columns.
    fn width(self) -> usize {
        if matches!(self, Position | Dipole) { 3 } else { 1 }
    }
}

/// What is known of a file beside its rows of atoms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Whether the header has bonds, angles, dihedrals or impropers, or types of them.
    pub has_bonds: bool,
    /// Whether there are masses of types.
    pub has_masses: bool,
}

/// Where the columns of an atom stand, counted from 0; the first is its id.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layout {
    fields: Vec<Field>,
    /// Whether three image flags follow.
    pub has_images: bool,
    /// Sentences about what is not certain or not read.
    pub warnings: Vec<String>,
}

impl Layout {
    fn new(fields: Vec<Field>, columns: usize) -> Option<Layout> {
        let layout = Layout { fields, has_images: false, warnings: Vec::new() };
        match columns.checked_sub(layout.columns_without_images()) {
            Some(0) => Some(layout),
            Some(3) => Some(Layout { has_images: true, ..layout }),
            _ => None,
        }
    }

    /// The first column of a field.
    pub(super) fn column(&self, field: Field) -> Option<usize> {
        let place = self.fields.iter().position(|one| *one == field)?;
        Some(1 + self.fields[..place].iter().map(|field| field.width()).sum::<usize>())
    }

    pub(super) fn columns_without_images(&self) -> usize {
        1 + self.fields.iter().map(|field| field.width()).sum::<usize>()
    }

    /// Chooses the layout from the comment behind `Atoms`, or else from what fits: `fits` says whether the rows can be
    /// read in a layout. `columns` is the number of columns of the first row.
    pub(super) fn choose(
        comment: &str,
        columns: usize,
        evidence: Evidence,
        fits: impl Fn(&Layout) -> bool,
    ) -> Result<Layout, String> {
        let words: Vec<&str> = comment
            .split_ascii_whitespace()
            .map(|word| word.trim_matches([':', ',', ';', '.', '(', ')', '"', '\'']))
            .collect();
        let first = words.first().map_or("", |word| without_suffix(word));
        if let Some(fields) = named(first, &words)? {
            let expected = Layout { fields, has_images: false, warnings: Vec::new() };
            let expected_columns = expected.columns_without_images();
            let mut layout = Layout::new(expected.fields, columns).ok_or_else(|| {
                format!(
                    "the first atom has {columns} columns, but the atom style {first} has {expected_columns}, or {} with image flags",
                    expected_columns + 3
                )
            })?;
            layout.warn_of_unread();
            return Ok(layout);
        }
        if let Some(layout) = columns_named(&words).and_then(|fields| Layout::new(fields, columns))
        {
            return Ok(layout);
        }
        let mut layout = guess(columns, evidence, fits)?;
        if !comment.is_empty() {
            layout.warnings.insert(0, format!(
                "the comment behind Atoms, \"{comment}\", names no atom style: the atoms are read by their columns, as in {}",
                layout.style()
            ));
        }
        layout.warn_of_unread();
        Ok(layout)
    }

    /// The name of the style with these columns; of bond, angle and molecular, which have the same, the last.
    fn style(&self) -> &'static str {
        let style = STYLES.iter().rev().find(|(_, fields)| *fields == self.fields);
        style.map_or("", |(name, _)| name)
    }

    fn warn_of_unread(&mut self) {
        for (field, what) in [(Dipole, "dipole moments"), (Diameter, "diameters")] {
            if self.fields.contains(&field) {
                self.warnings.push(format!("the {what} of atoms are not read: beads are points"));
            }
        }
    }
}

/// The columns of the style that the comment behind `Atoms` begins with; `None` if it is no style.
fn named(first: &str, words: &[&str]) -> Result<Option<Vec<Field>>, String> {
    let of_style = |name: &str| STYLES.iter().find(|(style, _)| *style == name);
    if let Some((_, fields)) = of_style(first) {
        return Ok(Some(fields.to_vec()));
    }
    let known = || STYLES.map(|(style, _)| style).join(", ");
    if UNREAD.contains(&first) {
        return Err(format!(
            "atoms of the style {first} are not read, because beads are points with a type, a mass and a charge; known are {} and {HYBRID} ones of these",
            known()
        ));
    }
    if first != HYBRID {
        return Ok(None);
    }
    let mut fields = vec![Type, Position];
    let styles = words[1..].iter().map(|word| without_suffix(word));
    let styles: Vec<&str> = styles.take_while(|word| of_style(word).is_some()).collect();
    let unread = words.get(1 + styles.len()).filter(|word| UNREAD.contains(word));
    if styles.is_empty() || unread.is_some() {
        return Err(format!(
            "atoms of the style {HYBRID} are read where its parts stand behind it, as in \"Atoms # {HYBRID} bond charge\", and all are of {}",
            known()
        ));
    }
    for (_, of_part) in styles.iter().filter_map(|style| of_style(style)) {
        let new = of_part.iter().filter(|field| !fields.contains(field)).copied();
        let new: Vec<Field> = new.collect();
        fields.extend(new);
    }
    Ok(Some(fields))
}

/// The columns that a comment such as `id mol type q x y z` names.
fn columns_named(words: &[&str]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    let mut words = words.iter().map(|word| word.to_ascii_lowercase().replace(['_', '-'], ""));
    if !matches!(&*words.next()?, "id" | "atomid" | "atom" | "tag") {
        return None;
    }
    loop {
        fields.push(match &*words.next()? {
            "mol" | "molid" | "molecule" | "moleculeid" | "moltag" | "moleculetag" => Molecule,
            "type" | "atomtype" => Type,
            "q" | "charge" => Charge,
            "x" => match (&*words.next()?, &*words.next()?) {
                ("y", "z") => {
                    fields.push(Position);
                    break;
                }
                _ => return None,
            },
            _ => return None,
        });
    }
    STYLES.iter().any(|(_, known)| *known == fields).then_some(fields)
}

/// The layout whose columns fit, if the file does not name one.
fn guess(
    columns: usize,
    evidence: Evidence,
    fits: impl Fn(&Layout) -> bool,
) -> Result<Layout, String> {
    let styles = GUESSED.iter().filter_map(|name| STYLES.iter().find(|(style, _)| style == name));
    let mut possible: Vec<Layout> = styles
        // Bonds need molecules, and the masses of spheres follow from their densities.
        .filter(|(_, fields)| !evidence.has_bonds || fields.contains(&Molecule))
        .filter(|(_, fields)| !evidence.has_masses || !fields.contains(&Density))
        .filter_map(|(_, fields)| Layout::new(fields.to_vec(), columns))
        .collect();
    if possible.len() > 1 {
        let fitting: Vec<Layout> = possible.iter().filter(|layout| fits(layout)).cloned().collect();
        if !fitting.is_empty() {
            possible = fitting;
        }
    }
    let others: Vec<&str> = possible.iter().skip(1).map(Layout::style).collect();
    let others = others.join(" or ");
    let Some(mut layout) = possible.into_iter().next() else {
        let with_bonds = if evidence.has_bonds { " that have bonds" } else { "" };
        return Err(format!(
            "atoms with {columns} columns have none of the atom styles{with_bonds} {}; name the atom style in a comment behind the heading, such as \"Atoms # bond\"",
            STYLES.map(|(style, _)| style).join(", ")
        ));
    };
    if !others.is_empty() {
        let style = layout.style();
        layout.warnings.push(format!(
            "the atom style does not stand behind Atoms: the columns are read as those of {style}, and could be those of {others}. Write \"Atoms # {style}\", or the style that is meant"
        ));
    }
    Ok(layout)
}
