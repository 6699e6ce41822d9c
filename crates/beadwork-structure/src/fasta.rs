//! FASTA files: names and sequences (Pearson and Lipman, Proc. Natl. Acad. Sci. 85, 2444, 1988).

use std::collections::HashMap;
use std::path::Path;

use crate::error::Error;
use crate::structure::read_text;

/// Reads a FASTA file: the name and the sequence of each entry, in the order of the file.
///
/// A name is the first word behind `>`. Sequences are letters, here in capitals; a `*` at their end is dropped.
///
/// # Errors
/// A sequence before the first name, a name that is missing, has no sequence or appears twice, a character that is no
/// letter. The message names the line.
pub fn read_fasta(path: &Path) -> Result<Vec<(String, String)>, Error> {
    parse_fasta(&read_text(path)?, &path.display().to_string())
}

/// As [`read_fasta`], from text; `source` is its name in messages.
///
/// ```
/// let text = ">FUS low complexity\nMASNDY\ntqqat*\n>linker\nGSGSGS\n";
/// let entries = beadwork_structure::parse_fasta(text, "two.fasta").unwrap();
/// assert_eq!(entries[0], ("FUS".to_string(), "MASNDYTQQAT".to_string()));
/// assert_eq!(entries[1].1, "GSGSGS");
/// ```
pub fn parse_fasta(text: &str, source: &str) -> Result<Vec<(String, String)>, Error> {
    let text = text.trim_start_matches('\u{feff}');
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
            let name = heading.split_whitespace().next().unwrap_or_default();
            if name.is_empty() {
                return Err(damaged("a name must stand behind \">\"".to_owned()));
            }
            if let Some(other) = lines_of_names.insert(name.to_owned(), number) {
                let problem = format!("the name {name} stands on line {other} already");
                return Err(damaged(problem));
            }
            entries.push(Entry { name: name.to_owned(), line: number, ..Entry::default() });
        } else if !line.is_empty() {
            let entry = entries.last_mut().ok_or_else(|| {
                damaged(
                    "a sequence stands before the first name, a line that begins with \">\""
                        .to_owned(),
                )
            })?;
            entry.add(line).map_err(damaged)?;
        }
    }
    check_sequence_of(entries.last(), source)?;
    Ok(entries.into_iter().map(|entry| (entry.name, entry.sequence)).collect())
}

#[derive(Default)]
struct Entry {
    name: String,
    /// The line of the name, from 1.
    line: usize,
    sequence: String,
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
                    self.name
                ));
            }
            match character {
                '*' => self.ended = true,
                letter if letter.is_ascii_alphabetic() => {
                    self.sequence.push(letter.to_ascii_uppercase());
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
        Some(Entry { name, line, sequence, .. }) if sequence.is_empty() => {
            Err(damaged(source, *line, &format!("no sequence follows the name {name}")))
        }
        _ => Ok(()),
    }
}

fn damaged(source: &str, line: usize, problem: &str) -> Error {
    let message = format!("{source}, line {line}: {problem}. Correct the file.");
    Error::new("structure/damaged-fasta", message)
}
