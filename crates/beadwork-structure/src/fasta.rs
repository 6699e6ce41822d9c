//! FASTA files: names and sequences (Pearson and Lipman, Proc. Natl. Acad. Sci. 85, 2444, 1988).

use std::collections::HashMap;
use std::path::Path;

use crate::error::Error;
use crate::structure::read_text;
use crate::visible_text::text_of_file;

/// A sequence of a FASTA file with its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FastaRecord {
    /// The first word behind `>`.
    pub name: String,
    /// The other words behind `>`.
    pub description: String,
    /// The letters as they are written, in capitals or not; the `*` at their end is dropped.
    pub letters: String,
}

impl FastaRecord {
    /// The letters in capitals.
    pub fn sequence(&self) -> String {
        self.letters.to_ascii_uppercase()
    }
}

/// Reads a FASTA file: its records in their order.
///
/// A name is the first word behind `>`. Sequences are letters; a `*` at their end is dropped. Lines that begin with `;` are
/// comments. Characters that are not visible are replaced in names, see [`visible`](crate::visible).
///
/// # Errors
/// A sequence before the first name, a name that is missing, has no sequence or appears twice, a character that is no
/// letter, the PIR format. The message names the line.
pub fn read_fasta(path: &Path) -> Result<Vec<FastaRecord>, Error> {
    parse_fasta(&read_text(path)?, &path.display().to_string())
}

/// As [`read_fasta`], from text; `source` is its name in messages.
///
/// ```
/// let text = ">FUS low complexity\nMASNDY\ntqqat*\n>linker\nGSGSGS\n";
/// let records = beadwork_structure::parse_fasta(text, "two.fasta").unwrap();
/// assert_eq!((records[0].name.as_str(), records[0].description.as_str()), ("FUS", "low complexity"));
/// assert_eq!(records[0].sequence(), "MASNDYTQQAT");
/// assert_eq!(records[1].sequence(), "GSGSGS");
/// ```
pub fn parse_fasta(text: &str, source: &str) -> Result<Vec<FastaRecord>, Error> {
    let text = text_of_file(text);
    if text.trim().is_empty() {
        return Err(Error::empty_file(source));
    }
    let mut entries: Vec<Entry> = Vec::new();
    let mut lines_of_names: HashMap<String, usize> = HashMap::new();
    for (index, line) in text.lines().enumerate() {
        let (line, number) = (line.trim(), index + 1);
        let damaged = |problem: String| damaged(source, number, &problem);
        if let Some(heading) = line.strip_prefix('>') {
            check_sequence_of(entries.last(), source)?;
            let heading = heading.trim();
            let (name, description) =
                heading.split_once(char::is_whitespace).unwrap_or((heading, ""));
            if name.is_empty() {
                return Err(damaged("a name must stand behind \">\"".to_owned()));
            }
            if is_pir(name) {
                return Err(damaged(
                    "this is the PIR format, whose second line describes the sequence; write it as FASTA, a line \
                     \">name\" and then letters alone"
                        .to_owned(),
                ));
            }
            if let Some(other) = lines_of_names.insert(name.to_owned(), number) {
                let problem = format!("the name {name} stands on line {other} already");
                return Err(damaged(problem));
            }
            let record = FastaRecord {
                name: name.to_owned(),
                description: description.trim().to_owned(),
                letters: String::new(),
            };
            entries.push(Entry { record, line: number, ended: false });
        } else if !line.is_empty() && !line.starts_with(';') {
            let entry = entries.last_mut().ok_or_else(|| {
                damaged(
                    "a sequence stands before the first name: write a line \">name\" above it"
                        .to_owned(),
                )
            })?;
            entry.add(line).map_err(damaged)?;
        }
    }
    if entries.is_empty() {
        return Err(damaged(
            source,
            1,
            "no name stands in the file, a line that begins with \">\"",
        ));
    }
    check_sequence_of(entries.last(), source)?;
    Ok(entries.into_iter().map(|entry| entry.record).collect())
}

/// Whether a name is that of the PIR format, such as `P1;CRAB_ANAPL`.
fn is_pir(name: &str) -> bool {
    ["P1;", "F1;", "DL;", "DC;", "RL;", "RC;", "N1;", "N3;", "XX;"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

struct Entry {
    record: FastaRecord,
    /// The line of the name, from 1.
    line: usize,
    /// Whether a `*` has ended the sequence.
    ended: bool,
}

impl Entry {
    /// Adds a line of the sequence.
    fn add(&mut self, line: &str) -> Result<(), String> {
        for (column, character) in line.chars().enumerate() {
            if self.ended {
                return Err(format!(
                    "the sequence of {} goes on after \"*\", which ends it",
                    self.record.name
                ));
            }
            match character {
                '*' => self.ended = true,
                letter if letter.is_ascii_alphabetic() => self.record.letters.push(letter),
                gap @ ('-' | '.') => {
                    return Err(format!(
                        "column {} has '{gap}', which is no letter but a gap of an alignment; take the gaps out",
                        column + 1
                    ));
                }
                other => {
                    return Err(format!("column {} has '{other}', which is no letter", column + 1));
                }
            }
        }
        Ok(())
    }
}

fn check_sequence_of(entry: Option<&Entry>, source: &str) -> Result<(), Error> {
    match entry {
        Some(Entry { record, line, .. }) if record.letters.is_empty() => {
            Err(damaged(source, *line, &format!("no sequence follows the name {}", record.name)))
        }
        _ => Ok(()),
    }
}

fn damaged(source: &str, line: usize, problem: &str) -> Error {
    let message = format!("{source}, line {line}: {problem}. Correct the file.");
    Error::new("structure/damaged-fasta", message)
}
