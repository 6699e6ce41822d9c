//! `pairs` from the coefficients of a LAMMPS data file.

use std::fmt::Write as _;

use super::{LJ, Style, TypeKeys, Writer, quantity, quote};

/// LAMMPS draws the noise of DPD from a normal distribution.
const NORMAL_NOISE: &str = ", noise = \"normal\"";

/// A style whose unlike types do not follow from like ones: LAMMPS refuses to run where its script lacks a pair.
struct Unmixed {
    kind: &'static str,
    /// Our keys and their units, in the order in which LAMMPS has the coefficients. A cutoff may stand behind them.
    keys: Vec<(&'static str, &'static str)>,
    /// The cutoff that is written where the file has none; without it the user has to write one.
    usual_cutoff: Option<f64>,
    /// What ends the entry.
    ending: &'static str,
}

/// A cutoff that is usual where the file has none.
const CUTOFF_PER_DIAMETER: f64 = 2.5;

/// The Lennard-Jones term of two types.
#[derive(Clone, Copy, Debug)]
struct Well {
    depth: f64,
    diameter: f64,
    cutoff: Option<f64>,
}

impl Well {
    /// Types without Lennard-Jones have a depth, a diameter or a cutoff of 0.
    fn acts(&self) -> bool {
        self.depth > 0.0 && self.diameter > 0.0 && self.cutoff != Some(0.0)
    }

    fn cutoff_or_usual(&self) -> f64 {
        self.cutoff.unwrap_or(CUTOFF_PER_DIAMETER * self.diameter)
    }
}

impl Writer<'_> {
    pub(super) fn write_pairs(&mut self, text: &mut String) {
        let style = self.coefficients.pair_style.clone();
        let written = match self.unmixed_style(&style) {
            Some(term) => self.unmixed(&style, &term),
            None => match style.as_str() {
                "lj/cut" => self.lennard_jones("none"),
                "lj/smooth/linear" => self.lennard_jones("force"),
                _ => None,
            },
        };
        if let Some(lines) = written {
            let _ = write!(text, "pairs = [\n{lines}]\n");
            return;
        }
        let (replaced, found) = match style.as_str() {
            "" => (
                "that of the script".to_string(),
                "no style in its section Pair Coeffs, or no such section".to_string(),
            ),
            style => (
                style.to_string(),
                format!("the style {style}, with coefficients that cannot be carried over"),
            ),
        };
        let _ = writeln!(
            text,
            "# fill in: pairs = [ {{ kind = … }} ], in place of LAMMPS' pair_style: {replaced}"
        );
        self.notes.push(format!(
            "the file has {found}: fill in `pairs`, without which beads pass through each other"
        ));
    }

    fn unmixed_style(&self, style: &str) -> Option<Unmixed> {
        let Style { units, length, energy, per_length, .. } = self.style;
        Some(match style {
            "dpd" if units == LJ.units => Unmixed {
                kind: "dpd",
                keys: vec![("repulsion", ""), ("friction", "")],
                usual_cutoff: Some(1.0),
                ending: NORMAL_NOISE,
            },
            "dpd/tstat" if units == LJ.units => Unmixed {
                kind: "dpd-thermostat",
                keys: vec![("friction", "")],
                usual_cutoff: Some(1.0),
                ending: NORMAL_NOISE,
            },
            "morse" => Unmixed {
                kind: "morse",
                keys: vec![("depth", energy), ("steepness", per_length), ("length", length)],
                usual_cutoff: None,
                ending: "",
            },
            _ => return None,
        })
    }

    /// The lines of an entry with the pairs that the file has. Each one that it lacks gets a comment, and the input is
    /// refused until it is there.
    fn unmixed(&mut self, style: &str, term: &Unmixed) -> Option<String> {
        let length = self.style.length;
        let count = term.keys.len();
        let mut rows: Vec<(String, Vec<f64>)> = Vec::new();
        let mut lacking = Vec::new();
        for (pair, a, b) in self.type_pairs() {
            match self.row(a, b) {
                Some(row) if row.len() < count => return None,
                Some(row) => rows.push((pair, row.to_vec())),
                None => lacking.push((pair, a + 1, b + 1)),
            }
        }
        if rows.is_empty() {
            return None;
        }
        let is_whole = lacking.is_empty();
        let mut keys: Vec<&str> = Vec::new();
        let mut entry = format!("    {{ kind = \"{}\"", term.kind);
        for (place, (key, unit)) in term.keys.iter().enumerate() {
            let values: Vec<(String, f64)> =
                rows.iter().map(|(pair, row)| (pair.clone(), row[place])).collect();
            let _ = write!(entry, ", {key} = {}", table(&values, unit, is_whole));
            keys.push(*key);
        }
        let with_cutoff = rows.iter().filter(|(_, row)| row.len() > count).count();
        let cutoffs: Vec<(String, f64)> = rows
            .iter()
            .filter_map(|(pair, row)| {
                Some((pair.clone(), row.get(count).copied().or(term.usual_cutoff)?))
            })
            .collect();
        if !cutoffs.is_empty() {
            // The cutoff of pair_style holds for all pairs, also for those that the file lacks.
            let is_one = with_cutoff == 0 || (is_whole && cutoffs.len() == rows.len());
            let _ = write!(entry, ", cutoff = {}", table(&cutoffs, length, is_one));
        }
        if with_cutoff > 0 {
            keys.push("cutoff");
        }
        let mut lines = String::new();
        if with_cutoff < rows.len() {
            lines += &self.lacking_cutoff(term);
        }
        let keys = keys.join(", ");
        for (pair, a, b) in &lacking {
            let _ = writeln!(
                lines,
                "    # fill in: {} of {keys}, from pair_coeff {a} {b} of the script",
                quote(pair)
            );
        }
        if !is_whole {
            let pairs: Vec<&str> = lacking.iter().map(|(pair, ..)| pair.as_str()).collect();
            self.notes.push(format!(
                "pair_style {style} has no rule for unlike types, and the file does not have {}: fill them in from pair_coeff of the script",
                pairs.join(", ")
            ));
        }
        if term.kind == "morse" {
            self.notes.push("energies of the Morse term are shifted to be zero at the cutoff, as with pair_modify shift yes; forces are the same without it".to_string());
        }
        let _ = writeln!(lines, "{entry}{} }},", term.ending);
        Some(lines)
    }

    /// The comment on a cutoff that the file does not have, and a note.
    fn lacking_cutoff(&mut self, term: &Unmixed) -> String {
        let (comment, note) = match term.usual_cutoff {
            Some(usual) => (
                format!("cutoff, from pair_style of the script; {usual:?} is a guess"),
                format!("{usual:?} is written, check it"),
            ),
            None => ("cutoff = …, from pair_style of the script".to_string(), "fill it in".into()),
        };
        self.notes.push(format!("the cutoff stands in pair_style of the script: {note}"));
        format!("    # fill in: {comment}\n")
    }

    fn lennard_jones(&mut self, shift: &str) -> Option<String> {
        let pairs = self.type_pairs();
        let found: Option<Vec<(String, Well)>> =
            pairs.iter().map(|(pair, a, b)| Some((pair.clone(), self.well(*a, *b)?))).collect();
        let mut found = found?;
        let Style { length, energy, .. } = self.style;
        let mut lines = String::new();
        if found.iter().any(|(_, well)| well.acts() && well.cutoff.is_none()) {
            self.notes.push(
                "cutoffs stand in pair_style of the script: 2.5 diameters are written, check them"
                    .to_string(),
            );
            lines +=
                "    # fill in: cutoff, from pair_style of the script; 2.5 diameters are a guess\n";
        }
        if pairs.iter().any(|&(_, a, b)| self.row(a, b).is_none()) {
            self.notes.push("unlike types that the file does not have get geometric means, the default of LAMMPS: check pair_coeff and pair_modify mix of the script".to_string());
        }
        // A diameter and a cutoff are more than 0; those of pairs that do not act have no meaning.
        let of_acting = found.iter().map(|(_, well)| well).filter(|well| well.acts());
        let (diameter, cutoff) = of_acting.fold((0.0_f64, 0.0_f64), |(diameter, cutoff), well| {
            (diameter.max(well.diameter), cutoff.max(well.cutoff_or_usual()))
        });
        let usual = if diameter > 0.0 { (diameter, cutoff) } else { (1.0, CUTOFF_PER_DIAMETER) };
        for (_, well) in &mut found {
            if !well.acts() {
                *well = Well { depth: 0.0, diameter: usual.0, cutoff: Some(usual.1) };
            }
        }
        let values = |value: fn(&Well) -> f64| -> Vec<(String, f64)> {
            found.iter().map(|(pair, well)| (pair.clone(), value(well))).collect()
        };
        let depth = table(&values(|well| well.depth), energy, true);
        let diameter = table(&values(|well| well.diameter), length, true);
        let cutoff = table(&values(Well::cutoff_or_usual), length, true);
        let _ = writeln!(
            lines,
            "    {{ kind = \"lennard-jones\", depth = {depth}, diameter = {diameter}, cutoff = {cutoff}, shift = \"{shift}\" }},"
        );
        Some(lines)
    }

    /// The Lennard-Jones term of two types. Unlike types that the file does not have get the geometric means of the like ones, as
    /// `pair_modify mix geometric` of LAMMPS has it. `None` if coefficients are missing or have no meaning here.
    fn well(&self, a: usize, b: usize) -> Option<Well> {
        let of_row = |row: &[f64]| match *row {
            [depth, diameter] => Some(Well { depth, diameter, cutoff: None }),
            [depth, diameter, cutoff] => Some(Well { depth, diameter, cutoff: Some(cutoff) }),
            _ => None,
        };
        let well = match self.row(a, b) {
            Some(row) => of_row(row)?,
            None => {
                let (one, other) = (of_row(self.row(a, a)?)?, of_row(self.row(b, b)?)?);
                Well {
                    depth: (one.depth * other.depth).sqrt(),
                    diameter: (one.diameter * other.diameter).sqrt(),
                    cutoff: one.cutoff.zip(other.cutoff).map(|(one, other)| (one * other).sqrt()),
                }
            }
        };
        let all = [Some(well.depth), Some(well.diameter), well.cutoff];
        all.iter().flatten().all(|value| *value >= 0.0).then_some(well)
    }

    /// Each two types: a key that means them alone, and their numbers counted from 0.
    fn type_pairs(&self) -> Vec<(String, usize, usize)> {
        let names = &self.beads.type_names;
        let keys = TypeKeys::new(names);
        let pairs = (0..names.len()).flat_map(|a| (a..names.len()).map(move |b| (a, b)));
        pairs.map(|(a, b)| (keys.spelling(a, b, ["-", " ", ""]), a, b)).collect()
    }

    /// The coefficients that the file has for two types.
    fn row(&self, a: usize, b: usize) -> Option<&[f64]> {
        let rows = &self.coefficients.pairs;
        rows.get(&(a, b)).or_else(|| rows.get(&(b, a))).map(Vec::as_slice)
    }
}

/// A table with a value for each two types. The only value stands alone if no two types lack theirs.
fn table(values: &[(String, f64)], unit: &str, is_whole: bool) -> String {
    match values {
        [first, rest @ ..] if is_whole && rest.iter().all(|(_, value)| *value == first.1) => {
            quantity(first.1, unit)
        }
        _ => {
            let entries = values
                .iter()
                .map(|(pair, value)| format!("{} = {}", quote(pair), quantity(*value, unit)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}
