//! Molecules as text: `A3B7`, `(AB2)5`, `A4[B3]A4`.

/// The most beads of a molecule.
const MOST_BEADS: usize = 10_000_000;
/// The most brackets within brackets.
const MOST_NESTED: usize = 20;

/// The beads of a molecule, without rings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Molecule {
    /// The type of each bead, as an index of the names.
    pub types: Vec<u16>,
    /// Bead k is bonded to bead k − `backs[k]`; 0 for the first one.
    pub backs: Vec<u32>,
    /// The bead to which the next one is bonded.
    end: usize,
}

impl Molecule {
    /// Reads a molecule; types that are new join `names`. Names of types begin with a letter and have no capital letters
    /// further on; a number repeats the type or the group in parentheses before it; square brackets have a branch, which
    /// begins at the bead before them.
    pub fn parse(text: &str, names: &mut Vec<String>) -> Result<Molecule, String> {
        let mut parser = Parser { rest: text.trim(), names };
        let read = parser.group(0);
        match read {
            Some(molecule) if parser.rest.is_empty() && molecule.types.len() <= MOST_BEADS => {
                Ok(molecule)
            }
            Some(molecule) if molecule.types.len() > MOST_BEADS => {
                Err(format!("has more than {MOST_BEADS} beads: write a smaller number"))
            }
            _ if text.trim().is_empty() => Err("is empty: write for example \"A10\"".to_string()),
            _ => {
                let rest = parser.rest;
                if rest.starts_with(|c: char| c.is_ascii_digit()) && rest.len() < text.trim().len()
                {
                    return Err(format!(
                        "is \"{text}\", and cannot be read at {rest}: numbers are from 1 to {MOST_BEADS}"
                    ));
                }
                let near = if rest.is_empty() { "its end" } else { rest };
                Err(format!(
                    "is \"{text}\", and cannot be read at {near}: a molecule is written as types with numbers such as \"A10\" or \"A3B7\", with (AB2)5 for repeated groups and A4[B3]A4 for branches"
                ))
            }
        }
    }

    /// Adds a part so many times, each after the one before.
    fn append(&mut self, part: &Molecule, times: usize) {
        for _ in 0..times {
            let first = self.types.len();
            self.types.extend_from_slice(&part.types);
            self.backs.extend_from_slice(&part.backs);
            if first > 0 {
                self.backs[first] = (first - self.end) as u32;
            }
            self.end = first + part.end;
        }
    }
}

struct Parser<'a> {
    /// What has not been read yet.
    rest: &'a str,
    names: &'a mut Vec<String>,
}

impl Parser<'_> {
    /// Reads up to a closing bracket or the end; `None` if the text makes no sense where it stops. Stops early at too many
    /// beads.
    fn group(&mut self, nested: usize) -> Option<Molecule> {
        let mut all = Molecule::default();
        while !self.rest.is_empty() && !self.rest.starts_with([')', ']']) {
            if all.types.len() > MOST_BEADS {
                return Some(all);
            }
            if self.rest.starts_with('[') {
                if all.types.is_empty() {
                    return None;
                }
                let branch = self.bracketed(nested, ']')?;
                let end = all.end;
                all.append(&branch, 1);
                all.end = end;
                continue;
            }
            let part = match self.rest.starts_with('(') {
                true => self.bracketed(nested, ')')?,
                false => Molecule { types: vec![self.name()?], backs: vec![0], end: 0 },
            };
            let before = self.rest;
            let times = self.number().filter(|times| (1..=MOST_BEADS).contains(times));
            let Some(times) = times else {
                self.rest = before;
                return None;
            };
            // One more than is allowed suffices to be found.
            all.append(&part, times.min(MOST_BEADS / part.types.len() + 1));
        }
        (!all.types.is_empty()).then_some(all)
    }

    fn bracketed(&mut self, nested: usize, end: char) -> Option<Molecule> {
        if nested == MOST_NESTED {
            return None;
        }
        self.rest = &self.rest[1..];
        let inner = self.group(nested + 1)?;
        if inner.types.len() <= MOST_BEADS {
            self.rest = self.rest.strip_prefix(end)?;
        }
        Some(inner)
    }

    /// The number of a type's name.
    fn name(&mut self) -> Option<u16> {
        let first = self.rest.chars().next().filter(|first| first.is_alphabetic())?;
        let ends = |c: char| c.is_ascii_digit() || c.is_uppercase() || "()[]".contains(c);
        let after = first.len_utf8();
        let end = self.rest[after..].find(ends).map_or(self.rest.len(), |at| at + after);
        let (name, rest) = self.rest.split_at(end);
        if name.contains(['-', ' ']) {
            return None;
        }
        self.rest = rest;
        let known = self.names.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        });
        u16::try_from(number).ok()
    }

    /// A number; 1 if there is none.
    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        if digits.is_empty() { Some(1) } else { digits.parse().ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<u16>, Vec<u32>) {
        let mut names = ["A", "B"].map(String::from).to_vec();
        let molecule = Molecule::parse(text, &mut names).unwrap();
        (molecule.types, molecule.backs)
    }

    #[test]
    fn molecules_are_read_type_by_type() {
        let mut names = Vec::new();
        let types = |text: &str, names: &mut Vec<String>| {
            Molecule::parse(text, names).map(|molecule| molecule.types)
        };
        assert_eq!(types("A3B2A", &mut names), Ok(vec![0, 0, 0, 1, 1, 0]));
        assert_eq!(types("WaB", &mut names), Ok(vec![2, 1]));
        assert_eq!(names, ["A", "B", "Wa"]);
        for text in
            ["", "3A", "A0", "A-B", "A(B", "A)", "[B]A", "()", "A[]", "A(B]", "A99999999999"]
        {
            assert!(types(text, &mut names).is_err(), "{text}");
        }
        let nested = format!("{}A{}", "(".repeat(100), ")".repeat(100));
        assert!(types(&nested, &mut names).is_err());
        assert!(types("(A1000)1000000", &mut names).unwrap_err().contains("more than"));
    }

    #[test]
    fn groups_repeat() {
        assert_eq!(read("(AB2)2A"), (vec![0, 1, 1, 0, 1, 1, 0], vec![0, 1, 1, 1, 1, 1, 1]));
        assert_eq!(read("(A)3"), read("A3"));
    }

    #[test]
    fn branches_begin_at_the_bead_before_them() {
        assert_eq!(read("A2[B2]A"), (vec![0, 0, 1, 1, 0], vec![0, 1, 1, 1, 3]));
        // A star, and a comb.
        assert_eq!(read("A[B][B]B").1, [0, 1, 2, 3]);
        assert_eq!(read("(A[B])3"), (vec![0, 1, 0, 1, 0, 1], vec![0, 1, 2, 1, 2, 1]));
        assert_eq!(read("A[B[A]B]A").1, [0, 1, 1, 2, 4]);
    }
}
