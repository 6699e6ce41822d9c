//! Lists of pairs of beads: contacts and bonds named in a CSV file.

use std::collections::HashMap;

use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_structure::{Label, chain_words, with_line_feeds};

use crate::error::{Error, Location, PAIR_LIST};
use crate::numbers::Bound;
use crate::words::meant;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ListedPair {
    pub i: usize,
    pub j: usize,
    /// Length, Å.
    pub length: Option<f64>,
    /// Energy, kcal/mol.
    pub energy: Option<f64>,
    /// Where the text has the pair, in bytes.
    offset: usize,
}

/// A list that was read, with its text.
#[derive(Debug)]
pub(crate) struct PairList {
    pub pairs: Vec<ListedPair>,
    whole: Location,
}

impl ListedPair {
    /// The two beads, the lower number first.
    pub fn beads(&self) -> (usize, usize) {
        (self.i.min(self.j), self.i.max(self.j))
    }
}

impl PairList {
    /// The line of a pair, counted from 1.
    pub fn line(&self, pair: &ListedPair) -> usize {
        line_at(pair.offset, &self.whole).0
    }
}

pub(crate) const BEADS: [&str; 2] = ["bead_i", "bead_j"];
pub(crate) const RESIDUES: [&str; 4] = ["chain_i", "residue_i", "chain_j", "residue_j"];
/// The columns of a list of contacts beside the two beads.
pub(crate) const CONTACT_VALUES: [&str; 3] = ["length_A", "length_nm", "energy_kcal_mol"];

/// Reads a list; the first line names the columns, `#` begins a comment. Besides the columns that
/// name the beads, a list may have the columns `values`.
///
/// Beads are numbered from 0; residues are as in the structure, with insertion code: `52A`.
pub(crate) fn read(
    bytes: &[u8],
    name: &str,
    beads: &[Label],
    values: &[&str],
) -> Result<PairList, Error> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = with_line_feeds(&before).matches('\n').count() + 1;
        let problem = format!("{name}, line {line}: the text is not UTF-8: save it as such");
        Error::new(PAIR_LIST, problem)
    })?;
    let text = with_line_feeds(text.trim_start_matches('\u{feff}'));
    let text = &*text;
    let whole = Location::whole(name, text);
    let fault = |offset: usize, problem: String| {
        let (line, place) = line_at(offset, &whole);
        place.error(PAIR_LIST, format!("{name}, line {line}: {problem}"))
    };
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let broken = |error: &csv::Error| {
        let offset = offset_of(error.position());
        let problem = match error.kind() {
            csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("there are {len} values for {expected_len} columns")
            }
            _ => error.to_string(),
        };
        fault(offset, problem)
    };
    let header: Vec<String> =
        reader.headers().map_err(|error| broken(&error))?.iter().map(str::to_string).collect();
    let columns = Columns::find(&header, values).map_err(|problem| fault(0, problem))?;
    let mut residues = Residues::new();
    for (index, bead) in beads.iter().enumerate() {
        residues.entry((&bead.chain, bead.residue_number, bead.insertion)).or_default().push(index);
    }
    let mut pairs = Vec::new();
    // Where each pair stands.
    let mut known: HashMap<(usize, usize), usize> = HashMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(&error))?;
        let offset = offset_of(record.position());
        let pair = columns.pair(&record, beads.len(), &residues);
        let pair = ListedPair { offset, ..pair.map_err(|problem| fault(offset, problem))? };
        let (i, j) = pair.beads();
        if let Some(earlier) = known.insert((i, j), offset) {
            let problem = format!(
                "{} and {} are listed in line {} already: list each pair once",
                bead_in_words(beads, i),
                bead_in_words(beads, j),
                line_at(earlier, &whole).0
            );
            return Err(fault(offset, problem));
        }
        pairs.push(pair);
    }
    if pairs.is_empty() {
        return Err(fault(0, "the list has a header but no pairs".to_string()));
    }
    Ok(PairList { pairs, whole })
}

fn offset_of(position: Option<&csv::Position>) -> usize {
    let byte = position.map_or(0, csv::Position::byte);
    usize::try_from(byte).unwrap_or(usize::MAX)
}

/// `bead 9 (chain A, residue 10)`.
pub(crate) fn bead_in_words(beads: &[Label], bead: usize) -> String {
    let label = &beads[bead];
    let insertion = label.insertion.map(String::from).unwrap_or_default();
    let chain = chain_words(&label.chain);
    format!("bead {bead} ({chain}, residue {}{insertion})", label.residue_number)
}

/// Beads by chain, residue number and insertion code.
type Residues<'a> = HashMap<(&'a str, i32, Option<char>), Vec<usize>>;

struct Columns {
    /// The columns that name each bead: its number, or its chain and its residue.
    beads: [Vec<usize>; 2],
    /// The column of lengths, and Å in its unit.
    length: Option<(usize, f64)>,
    energy: Option<usize>,
}

impl Columns {
    fn find(header: &[String], values: &[&str]) -> Result<Columns, String> {
        let known: Vec<&str> = BEADS.iter().chain(&RESIDUES).chain(values).copied().collect();
        for (index, name) in header.iter().enumerate() {
            if !known.contains(&name.as_str()) {
                return Err(format!(
                    "unknown column \"{name}\"{} The first line names the columns, which may be {}",
                    meant(name, &known, '"'),
                    known.join(", ")
                ));
            }
            if header[..index].contains(name) {
                return Err(format!("the column \"{name}\" is there twice"));
            }
        }
        let at = |name: &str| header.iter().position(|column| column == name);
        let all = |names: &[&str]| names.iter().map(|name| at(name)).collect::<Option<Vec<_>>>();
        let beads = match (all(&BEADS), all(&RESIDUES)) {
            (Some(columns), None) | (None, Some(columns)) => columns,
            (Some(_), Some(_)) => {
                let problem = "beads are named both by number and by residue; keep one way";
                return Err(problem.to_string());
            }
            (None, None) => {
                return Err(format!(
                    "the columns that name the beads are missing: write {} or {}",
                    BEADS.join(","),
                    RESIDUES.join(",")
                ));
            }
        };
        let (first, second) = beads.split_at(beads.len() / 2);
        let in_unit = |name, unit| at(name).map(|column| (column, unit));
        let angstroms = in_unit("length_A", 1.0);
        let nanometres = in_unit("length_nm", ANGSTROMS_PER_NANOMETRE);
        if angstroms.is_some() && nanometres.is_some() {
            return Err("both length_A and length_nm are there; keep one".to_string());
        }
        Ok(Columns {
            beads: [first.to_vec(), second.to_vec()],
            length: angstroms.or(nanometres),
            energy: at("energy_kcal_mol"),
        })
    }

    /// Reads the pair of a line; the system has `beads` beads.
    fn pair(
        &self,
        record: &csv::StringRecord,
        count: usize,
        residues: &Residues<'_>,
    ) -> Result<ListedPair, String> {
        let cell = |column: usize| record.get(column).unwrap_or_default();
        let length = match self.length {
            Some((column, unit)) => {
                number_in(cell(column), "length", Bound::Positive)?.map(|x| x * unit)
            }
            None => None,
        };
        let energy = match self.energy {
            Some(column) => number_in(cell(column), "energy", Bound::NotNegative)?,
            None => None,
        };
        let bead = |columns: &[usize]| match *columns {
            [chain, residue] => residue_number(cell(chain), cell(residue), residues),
            _ => bead_number(cell(columns[0]), count),
        };
        let (i, j) = (bead(&self.beads[0])?, bead(&self.beads[1])?);
        if i == j {
            return Err(format!("bead {i} is paired with itself"));
        }
        Ok(ListedPair { i, j, length, energy, offset: 0 })
    }
}

fn bead_number(text: &str, count: usize) -> Result<usize, String> {
    let number: usize =
        text.parse().map_err(|_| format!("\"{text}\" is not the number of a bead"))?;
    if number >= count {
        let last = count - 1;
        return Err(format!("there is no bead {number}: beads are numbered from 0 to {last}"));
    }
    Ok(number)
}

fn residue_number(chain: &str, text: &str, residues: &Residues<'_>) -> Result<usize, String> {
    let insertion = text.chars().last().filter(|last| last.is_alphabetic());
    let digits = insertion.map_or(text, |letter| &text[..text.len() - letter.len_utf8()]);
    let number: i32 = digits
        .parse()
        .map_err(|_| format!("\"{text}\" is not a residue number such as 52 or 52A"))?;
    match residues.get(&(chain, number, insertion)).map(Vec::as_slice) {
        Some([bead]) => Ok(*bead),
        Some(several) => Err(format!(
            "residue {text} of chain {chain} is there {} times; name beads by number instead, in columns bead_i and bead_j",
            several.len()
        )),
        None => Err(format!("there is no residue {text} in a chain {chain} among the beads")),
    }
}

/// An empty cell means that the rule for all pairs gives the value.
fn number_in(text: &str, what: &str, bound: Bound) -> Result<Option<f64>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let number: f64 = text.parse().map_err(|_| format!("the {what} \"{text}\" is not a number"))?;
    // 1e400 is read as infinite, and is too large as 1e300 is.
    let judged = if number == f64::INFINITY { f64::MAX } else { number };
    match bound.problem(judged) {
        Some(problem) => Err(format!("the {what} {problem}, but is {text}")),
        None => Ok(Some(number)),
    }
}

/// The first line at or after `offset` that holds data. A record's position may be that of comments before it.
fn line_at(offset: usize, whole: &Location) -> (usize, Location) {
    let text = &whole.text;
    let mut start = offset.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            let end = start + line.trim_end().len();
            return (text[..start].matches('\n').count() + 1, whole.with_span(start..end));
        }
        start += line.len();
    }
    (text.lines().count().max(1), whole.with_span(text.len()..text.len()))
}
