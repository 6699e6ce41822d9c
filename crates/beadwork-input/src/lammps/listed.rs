//! `bonds`, `angles` and `exclude` from a LAMMPS data file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::coefficients::Coefficient;
use super::{Style, Writer, quantity};

impl Writer<'_> {
    /// Writes the bonds or angles of the file, an entry for each of their types.
    pub(super) fn write_listed(&mut self, text: &mut String, what: &str) {
        let all = &self.coefficients;
        let (kinds, coefficients, heading): (BTreeSet<u32>, _, _) = match what {
            "bonds" => {
                let kinds = self.beads.bonds.iter().map(|(_, kind)| *kind).collect();
                (kinds, &all.bonds, &all.bond_style)
            }
            _ => {
                let kinds = self.beads.angles.iter().map(|(_, kind)| *kind).collect();
                (kinds, &all.angles, &all.angle_style)
            }
        };
        if kinds.is_empty() {
            return;
        }
        let _ = writeln!(text, "{what} = [");
        let mut lacking: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for kind in kinds {
            let found = coefficients.get(&kind);
            let entry = found.and_then(|found| self.entry(what, found));
            let between = format!("between = \"file\", number = {kind}");
            if let Some((word, rest)) = entry {
                let _ = writeln!(text, "    {{ kind = \"{word}\", {between}, {rest} }},");
                continue;
            }
            let example = if what == "bonds" {
                "kind = \"harmonic\", stiffness = …, length = …"
            } else {
                "kind = \"cosine\", stiffness = …"
            };
            let _ = writeln!(text, "    # fill in: {{ {example}, {between} }},");
            let style = match found.map_or(heading.as_str(), |found| &found.style) {
                "" => "their style stands in the script",
                style => style,
            };
            lacking.entry(style.to_string()).or_default().push(kind);
        }
        for (style, kinds) in lacking {
            let plural = if kinds.len() > 1 { "the types" } else { "type" };
            let kinds: Vec<String> = kinds.iter().map(u32::to_string).collect();
            self.notes.push(format!(
                "{what} of {plural} {} have no coefficients that can be carried over ({style}): fill them in",
                kinds.join(", ")
            ));
        }
        *text += "]\n";
    }

    /// The kind and the parameters of a type of bonds or angles. K of LAMMPS is half of a stiffness.
    fn entry(&self, what: &str, found: &Coefficient) -> Option<(&'static str, String)> {
        let Style { length, energy, stiffness, .. } = self.style;
        let fene = |k: f64, limit: f64, more: String| {
            let (k, limit) = (quantity(k, stiffness), quantity(limit, length));
            Some(("fene", format!("stiffness = {k}, limit = {limit}{more}")))
        };
        // Without depth or diameter the bond has no repulsion.
        let repels = |depth: f64, diameter: f64| depth != 0.0 && diameter != 0.0;
        Some(match (what, found.style.as_str(), &found.numbers[..]) {
            ("bonds", "harmonic", &[k, rest]) => {
                let (k, rest) = (quantity(2.0 * k, stiffness), quantity(rest, length));
                ("harmonic", format!("stiffness = {k}, length = {rest}"))
            }
            ("bonds", "fene", &[k, limit, depth, diameter])
            | ("bonds", "fene/expand", &[k, limit, depth, diameter, 0.0])
                if repels(depth, diameter) =>
            {
                let (depth, diameter) = (quantity(depth, energy), quantity(diameter, length));
                return fene(k, limit, format!(", depth = {depth}, diameter = {diameter}"));
            }
            ("bonds", "fene", &[k, limit, _, _]) => return fene(k, limit, String::new()),
            ("bonds", "fene/expand", &[k, limit, depth, diameter, longer])
                if !repels(depth, diameter) =>
            {
                return fene(k, limit, format!(", length = {}", quantity(longer, length)));
            }
            ("angles", "harmonic", &[k, angle]) => (
                "harmonic",
                format!("stiffness = {}, angle = {angle:?}", quantity(2.0 * k, energy)),
            ),
            ("angles", "cosine", &[k]) => {
                ("cosine", format!("stiffness = {}", quantity(k, energy)))
            }
            ("angles", "cosine/squared", &[k, angle]) => (
                "cosine-squared",
                format!("stiffness = {}, angle = {angle:?}", quantity(2.0 * k, energy)),
            ),
            _ => return None,
        })
    }

    /// `exclude`, which stands in the script as `special_bonds`.
    pub(super) fn exclusions(&mut self) -> String {
        let used: BTreeSet<u32> = self.beads.bonds.iter().map(|(_, kind)| *kind).collect();
        let style = |kind| self.coefficients.bonds.get(kind).map(|found| found.style.as_str());
        let has_fene =
            used.iter().any(|kind| style(kind).is_some_and(|style| style.starts_with("fene")));
        let (reach, because) = match has_fene {
            true => (
                1,
                "as LAMMPS asks for special_bonds fene (0 1 1) where bonds of the style fene have a repulsion of their own",
            ),
            false => (3, "which is LAMMPS' default (0 0 0)"),
        };
        self.notes.push(format!(
            "special_bonds stands in the script: exclude = {reach} is written, {because}"
        ));
        format!(
            "exclude = {reach}                  # fill in from the script: special_bonds 0 0 0 is 3, 0 1 1 is 1, 1 1 1 is 0\n"
        )
    }
}
