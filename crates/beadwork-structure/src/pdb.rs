//! The fixed columns of PDB files.
//!
//! Columns are those of the "PDB File Format, version 3.3" (wwPDB, 2012), with the segment
//! identifier of older versions in columns 73–76. Atom serial numbers are not used here.

use std::collections::HashSet;
use std::ops::Range;

use crate::error::Error;
use crate::number::{plain_decimal, residue_number};
use crate::polymer::{Contents, Link, Membership, Partner, Record, leads_to_copy};
use crate::residue_columns::ResidueColumns;
use crate::structure::{ReadOptions, choose_model};

pub(crate) struct Model {
    number: u32,
    pub lines: Range<usize>,
}

pub(crate) fn parse<'a>(
    text: &'a str,
    file: &str,
    options: &ReadOptions,
) -> Result<Contents<'a>, Error> {
    let lines: Vec<&str> = text.lines().collect();
    if !lines.iter().any(|line| is_atom(line)) {
        return Err(Error::not_a_structure(file, ""));
    }
    let mut warnings = Vec::new();
    let models = models(&lines, &mut warnings);
    let numbers: Vec<_> = models.iter().map(|model| model.number).collect();
    let chosen = &models[choose_model(&numbers, options, file)?];
    let columns = ResidueColumns::decide(&lines, chosen.lines.clone());
    let records = records(&lines, chosen.lines.clone(), &columns, file)?;
    let links = links(&lines, &columns, &mut warnings);
    warnings.extend(columns.warnings);
    Ok(Contents { records, links, models: models.len(), warnings })
}

/// The text of columns `first` to `last` (from 1, both included); shorter where the line ends.
pub(crate) fn columns(line: &str, first: usize, last: usize) -> &str {
    if line.is_ascii() {
        let end = last.min(line.len());
        return line.get((first - 1).min(end)..end).unwrap_or("");
    }
    let mut starts = line.char_indices().map(|(start, _)| start).chain([line.len()]);
    let start = starts.nth(first - 1).unwrap_or(line.len());
    let end = starts.nth(last - first).unwrap_or(line.len());
    line.get(start..end).unwrap_or("")
}

pub(crate) fn is_atom(line: &str) -> bool {
    line.starts_with("HETATM")
        || (line.starts_with("ATOM") && !line[4..].starts_with(|next: char| next.is_alphabetic()))
}

/// Whether the line is the record `name`, a keyword that ends at a blank or at the end of the line.
pub(crate) fn is_record(line: &str, name: &str) -> bool {
    line.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// The models of a file: its MODEL records. Without any, frames separated by END records that begin
/// with the same atom, as trajectory writers make them; otherwise the whole file.
pub(crate) fn models(lines: &[&str], warnings: &mut Vec<String>) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    let mut open = false;
    let mut outside = 0;
    for (index, line) in lines.iter().enumerate() {
        if is_record(line, "MODEL") {
            let ordinal = u32::try_from(models.len() + 1).unwrap_or(u32::MAX);
            let number = line[5..].trim().parse().unwrap_or(ordinal);
            models.push(Model { number, lines: index..lines.len() });
            open = true;
        } else if is_record(line, "ENDMDL") {
            open = false;
        } else if is_atom(line) {
            match models.last_mut() {
                Some(model) if open => model.lines.end = index + 1,
                _ => outside += 1,
            }
        } else if open
            && is_record(line, "TER")
            && let Some(model) = models.last_mut()
        {
            model.lines.end = index + 1;
        }
    }
    if models.is_empty() {
        return frames(lines, warnings);
    }
    if outside > 0 {
        warnings.push(format!("{outside} atoms outside of the MODEL records are left out"));
    }
    models
}

fn frames(lines: &[&str], warnings: &mut Vec<String>) -> Vec<Model> {
    let identity =
        |line: &&str| (columns(line, 13, 27).to_owned(), columns(line, 73, 76).to_owned());
    let first = lines.iter().find(|line| is_atom(line)).map(identity);
    let mut frames = vec![Model { number: 1, lines: 0..lines.len() }];
    let mut ended = false;
    let mut seen_atom = false;
    for (index, line) in lines.iter().enumerate() {
        if is_record(line, "END") || is_record(line, "ENDMDL") {
            ended = seen_atom;
        } else if is_atom(line) {
            if ended && Some(identity(line)) == first {
                let number = u32::try_from(frames.len() + 1).unwrap_or(u32::MAX);
                if let Some(frame) = frames.last_mut() {
                    frame.lines.end = index;
                }
                frames.push(Model { number, lines: index..lines.len() });
            }
            ended = false;
            seen_atom = true;
        }
    }
    if frames.len() > 1 {
        warnings.push(format!(
            "the file has no MODEL records, but END separates {} parts that begin with the same \
             atom; they are taken as models",
            frames.len()
        ));
    }
    frames
}

pub(crate) fn records<'a>(
    lines: &[&'a str],
    range: Range<usize>,
    residue_columns: &ResidueColumns<'_>,
    file: &str,
) -> Result<Vec<Record<'a>>, Error> {
    // Old files repeat the identifier of the entry in the columns of the segment.
    let entry = lines
        .iter()
        .find(|line| line.starts_with("HEADER"))
        .map_or("", |line| columns(line, 63, 66).trim());
    let mut records: Vec<Record<'a>> = Vec::new();
    let mut terminated = vec![false];
    let mut numbering = Numbering::default();
    for index in range {
        let line = lines[index];
        if is_record(line, "TER") {
            terminated.pop();
            terminated.extend([true, false]);
        } else if is_atom(line) {
            let name_and_chain = residue_columns.name_and_chain(line, index);
            let place = (index + 1, terminated.len() - 1);
            records.push(record(line, place, name_and_chain, entry, file, &mut numbering)?);
        }
    }
    assign_membership(&mut records, &terminated);
    Ok(records)
}

fn record<'a>(
    line: &'a str,
    (number, section): (usize, usize),
    (residue_name, chain): (&'a str, &'a str),
    entry: &str,
    file: &str,
    numbering: &mut Numbering<'a>,
) -> Result<Record<'a>, Error> {
    let mut position = [0.0; 3];
    for ((coordinate, first), axis) in position.iter_mut().zip([31, 39, 47]).zip(["x", "y", "z"]) {
        let text = columns(line, first, first + 7);
        // A number that does not fill its columns up to the last was cut off with the line.
        let whole = text.chars().count() == 8;
        *coordinate = plain_decimal(text.trim()).filter(|_| whole).ok_or_else(|| {
            let place = format!("columns {first}–{}", first + 7);
            Error::damaged_coordinate((file, number), axis, place, text)
        })?;
    }
    let optional = |first: usize, what: &str, default: f64| {
        let text = columns(line, first, first + 5);
        if text.trim().is_empty() {
            return Ok(default);
        }
        plain_decimal(text.trim()).ok_or_else(|| {
            let place = format!("columns {first}–{}", first + 5);
            let expected = "a plain decimal number or blank";
            Error::damaged_number((file, number), what, place, text, expected)
        })
    };
    let occupancy = optional(55, "occupancy", 1.0)?;
    let beta = optional(61, "temperature factor", 0.0)?;
    let (residue_number, insertion) = numbering.read(line, chain, number, file)?;
    let name = columns(line, 13, 16);
    let segment = columns(line, 73, 76).trim();
    let element = columns(line, 77, 78).trim();
    let is_symbol =
        !element.is_empty() && element.chars().all(|letter| letter.is_ascii_alphabetic());
    Ok(Record {
        hetero: line.starts_with("HETATM"),
        name: name.trim(),
        left_aligned: !name.starts_with(' '),
        alternate: columns(line, 17, 17).chars().next().filter(|letter| *letter != ' '),
        residue_name,
        chain,
        instance: chain,
        segment: if segment == entry { "" } else { segment },
        number: residue_number,
        insertion,
        sequence: "",
        element: is_symbol.then_some(element),
        position,
        occupancy,
        beta,
        section,
        membership: Membership::Polymer,
    })
}

/// How the residues of a file are numbered.
#[derive(Default)]
struct Numbering<'a> {
    /// The chain, columns 23 to 26 and the number of the line before.
    before: (&'a str, &'a str, i32),
    /// VMD goes on with hexadecimal numbers after 9999: 2710 is 10 000.
    is_hexadecimal: bool,
}

impl<'a> Numbering<'a> {
    /// Residue number and insertion code of the next atom. Some programs let numbers above 9999 spill into the column of the
    /// insertion code.
    fn read(
        &mut self,
        line: &'a str,
        chain: &'a str,
        number: usize,
        file: &str,
    ) -> Result<(i32, Option<char>), Error> {
        let text = columns(line, 23, 26);
        let insertion = columns(line, 27, 27).chars().next().filter(|letter| *letter != ' ');
        let (chain_before, text_before, before) = self.before;
        self.is_hexadecimal |= text_before == "9999" && text == "2710";
        let hexadecimal = i32::from_str_radix(text, 16).ok().filter(|value| *value > 9999);
        // Another chain may go on with the numbers, or begin with decimal ones.
        let goes_on = |value: &i32| chain == chain_before || (0..=1).contains(&(value - before));
        let hexadecimal =
            hexadecimal.filter(|value| self.is_hexadecimal && (before == 9999 || goes_on(value)));
        self.is_hexadecimal = hexadecimal.is_some();
        if let Some(value) = hexadecimal {
            self.before = (chain, text, value);
            return Ok((value, insertion));
        }
        let full = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        if full && insertion.is_some_and(|letter| letter.is_ascii_digit()) {
            let wide = columns(line, 23, 27);
            if let Ok(value) = wide.parse() {
                self.before = (chain, text, value);
                return Ok((value, None));
            }
        }
        let value = residue_number(text).ok_or_else(|| {
            let expected = "an integer (above 9999 hybrid-36, or hexadecimal after 9999)";
            Error::damaged_number((file, number), "residue number", "columns 23–26", text, expected)
        })?;
        self.before = (chain, text, value);
        Ok((value, insertion))
    }
}

/// Decides which HETATM records may belong to a polymer: those before the TER of their chain; in a
/// chain without TER, those that look like one of its residues.
fn assign_membership(records: &mut [Record<'_>], terminated: &[bool]) {
    let any_terminator = terminated.contains(&true);
    let mut start = 0;
    while start < records.len() {
        let (section, chain) = (records[start].section, records[start].chain);
        let same = |record: &Record<'_>| record.section == section && record.chain == chain;
        let length = records[start..].iter().take_while(|record| same(record)).count();
        let end = start + length;
        let last_of_section = records.get(end).is_none_or(|next| next.section != section);
        let run = &mut records[start..end];
        let has_polymer = run.iter().any(|record| !record.hetero && record.name == "CA");
        let membership = if last_of_section && terminated.get(section) == Some(&true) {
            Membership::Polymer
        } else if has_polymer {
            Membership::IfBackboneOrNear
        } else if any_terminator {
            Membership::Other
        } else {
            Membership::IfNear
        };
        for record in run.iter_mut().filter(|record| record.hetero) {
            record.membership = membership;
        }
        start = end;
    }
}

/// The disulfide bonds of SSBOND records that lie within one copy of the structure.
fn links(
    lines: &[&str],
    residue_columns: &ResidueColumns<'_>,
    warnings: &mut Vec<String>,
) -> Vec<Link> {
    let mut links = Vec::new();
    let mut seen = HashSet::new();
    for (index, line) in lines.iter().enumerate() {
        if !is_record(line, "SSBOND") {
            continue;
        }
        let place = format!("SSBOND on line {}", index + 1);
        let partner = |chain: usize, number: usize| {
            let insertion = columns(line, number + 4, number + 4);
            Some(Partner {
                chain: residue_columns.chain_at(line, chain).to_owned(),
                number: residue_number(columns(line, number, number + 3))?,
                insertion: insertion.chars().next().filter(|letter| *letter != ' '),
            })
        };
        let (Some(first), Some(second)) = (partner(16, 18), partner(30, 32)) else {
            let problem = "a residue number cannot be read; the bond is left out";
            warnings.push(format!("{place}: {problem}"));
            continue;
        };
        let operator = |first: usize| match columns(line, first, first + 5).trim() {
            "" => "1555",
            operator => operator,
        };
        let (one, other) = (operator(60), operator(67));
        if one != other {
            warnings.push(leads_to_copy(&place, one, other));
            continue;
        }
        let link = Link { first, second, place };
        if seen.insert((link.first.clone(), link.second.clone())) {
            links.push(link);
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        assert_eq!(columns("abcdef", 2, 3), "bc");
        assert_eq!(columns("abc", 3, 9), "c");
        assert_eq!(columns("abc", 5, 9), "");
        assert_eq!(columns("aé¢def", 2, 4), "é¢d");
        assert_eq!(columns("aé", 2, 9), "é");
        assert_eq!(columns("aé", 4, 9), "");
    }

    #[test]
    fn record_names_are_whole_words() {
        assert!(is_atom("ATOM      1") && is_atom("ATOM  100000") && is_atom("HETATM10000"));
        assert!(!is_atom("ATOMS") && !is_atom("ANISOU"));
        assert!(is_record("TER", "TER") && is_record("TER   12", "TER"));
        assert!(!is_record("TERM", "TER"));
    }
}
