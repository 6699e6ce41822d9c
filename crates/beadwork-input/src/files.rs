//! The files that a request names. Each is read once and gets a name in the run folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use beadwork_files::{LARGEST_STRUCTURE, unpacked, unpacked_name};
use beadwork_structure::{
    Configuration, FastaRecord, ReadOptions, Structure, parse_configuration_bytes, parse_fasta,
    text_of,
};

use crate::built_in;
use crate::document::{Node, Value};
use crate::error::{BAD_VALUE, Error, Location, UNREADABLE_FILE};
use crate::kinds_of_files;
use crate::run_outputs::is_output;
use crate::section::Section;

/// Stands for the replica number in the name of a start file.
pub(crate) const REPLICA: &str = "{replica}";

/// Keys whose texts are file names, in any section.
pub(crate) const FILE_KEYS: [&str; 5] = ["structure", "topology", "file", "extra", "start"];

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Where it was found.
    pub from: PathBuf,
    /// Its unique name in [`Request::resolved`](crate::Request::resolved), such as `inputs/1UBQ.pdb`.
    pub name: String,
    /// The bytes that were read, packed if the file is packed.
    pub contents: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct Files {
    base: PathBuf,
    /// The files that were read before, if an input is read again: they stand for those on the disk.
    held: Vec<InputFile>,
    pub read: Vec<InputFile>,
    /// What the packed ones of `read` unpack to, by index.
    unpacked: BTreeMap<usize, Vec<u8>>,
    /// Indices into `read`. A file with two names has the index of the first.
    by_path: BTreeMap<PathBuf, usize>,
    /// The path of the file that has each name.
    holders: BTreeMap<String, PathBuf>,
    /// From a name in the input to the name in the resolved form.
    names: BTreeMap<String, String>,
    structures: BTreeMap<(PathBuf, Option<u32>), Structure>,
    sequences: BTreeMap<PathBuf, Arc<[FastaRecord]>>,
    /// Whether positions were read from a file.
    has_positions: bool,
    /// The first file of positions that a run wrote.
    output: Option<PathBuf>,
    configurations: BTreeMap<(PathBuf, i64), Arc<Configuration>>,
    /// Whether the input is that of a run that has begun, in which what is refused now may stand ([`crate::load_begun`]).
    pub is_begun: bool,
}

impl Files {
    pub fn new(base: &Path) -> Files {
        Files { base: base.to_path_buf(), ..Files::default() }
    }

    /// The files of a resolved form, which names them as `held` does; none is read from the disk.
    pub fn held(held: &[InputFile]) -> Files {
        Files { held: held.to_vec(), ..Files::default() }
    }

    /// Reads a file once and gives it a name; returns its path.
    pub fn load(&mut self, written: &str, place: &Location) -> Result<PathBuf, Error> {
        self.load_series(written, &[0], place).map(|mut paths| paths.remove(0))
    }

    /// Loads the file that a key of a section names, if there is one, and records its resolved name.
    pub fn named(
        &mut self,
        section: &mut Section<'_>,
        key: &str,
        example: &str,
    ) -> Result<Option<(PathBuf, Location)>, Error> {
        let Some(file) = section.text(key, example)? else { return Ok(None) };
        let path = self.load(&file.value, &file.place)?;
        section.keep(key, Value::Text(self.resolved_name(&file.value)));
        Ok(Some((path, file.place)))
    }

    /// Reads the files of `x_{replica}.pdb` for the given numbers; returns their paths. A text without `{replica}`
    /// names one file for all.
    pub fn load_series(
        &mut self,
        written: &str,
        numbers: &[u64],
        place: &Location,
    ) -> Result<Vec<PathBuf>, Error> {
        if written.trim().is_empty() {
            let problem = "the name of the file is empty: write the name of a file, which is looked for beside the input";
            return Err(place.error(BAD_VALUE, problem));
        }
        let numbers = if written.contains(REPLICA) { numbers } else { &[0] };
        let paths: Vec<PathBuf> = numbers
            .iter()
            .map(|number| self.base.join(written.replace(REPLICA, &number.to_string())))
            .collect();
        let pattern = self.name_of(written, numbers, &paths);
        for (number, path) in numbers.iter().zip(&paths) {
            let name = pattern.replace(REPLICA, &number.to_string());
            if self.holders.contains_key(&name) {
                continue;
            }
            let source = path.display().to_string();
            let held = self.held.iter().find(|file| Path::new(&file.name) == path);
            let contents = match (held, built_in::contents(written, place)?) {
                (Some(file), _) => file.contents.clone(),
                (None, Some(text)) => text.as_bytes().to_vec(),
                (None, None) => beadwork_files::read(path, LARGEST_STRUCTURE).map_err(|error| {
                    let problem = format!(
                        "the file {source} cannot be read ({error}): check its name; it is looked for beside the input"
                    );
                    place.error(UNREADABLE_FILE, problem)
                })?,
            };
            let text = unpacked(&contents, &source, LARGEST_STRUCTURE).map_err(|error| {
                place.error(UNREADABLE_FILE, format!("the file {source} cannot be read: {error}"))
            })?;
            kinds_of_files::refuse_utf16(&text, &source).map_err(|error| error.at(place))?;
            if let Cow::Owned(text) = text {
                self.unpacked.insert(self.read.len(), text);
            }
            self.by_path.entry(path.clone()).or_insert(self.read.len());
            self.holders.insert(name.clone(), path.clone());
            self.read.push(InputFile { from: path.clone(), name, contents });
        }
        Ok(paths)
    }

    pub fn structure(
        &mut self,
        path: &Path,
        model: Option<u32>,
        place: &Location,
    ) -> Result<&Structure, Error> {
        match self.structures.entry((path.to_path_buf(), model)) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(new) => {
                let source = path.display().to_string();
                let bytes = contents_of(&self.read, &self.unpacked, &self.by_path, path);
                let structure = text_of(bytes, &source).and_then(|text| {
                    beadwork_structure::parse(&text, &source, &ReadOptions { model })
                });
                Ok(new.insert(structure.map_err(place.blame())?))
            }
        }
    }

    /// The records of a FASTA file that was loaded.
    pub fn fasta(&mut self, path: &Path, place: &Location) -> Result<Arc<[FastaRecord]>, Error> {
        if let Some(known) = self.sequences.get(path) {
            return Ok(known.clone());
        }
        let text = String::from_utf8_lossy(self.contents(path)).into_owned();
        let read = parse_fasta(&text, &path.display().to_string()).map_err(place.blame())?;
        let read: Arc<[FastaRecord]> = read.into();
        self.sequences.insert(path.to_path_buf(), read.clone());
        Ok(read)
    }

    /// The beads of a frame of a file that was loaded.
    pub fn configuration(
        &mut self,
        path: &Path,
        frame: i64,
        place: &Location,
    ) -> Result<Arc<Configuration>, Error> {
        let key = (path.to_path_buf(), frame);
        if let Some(known) = self.configurations.get(&key) {
            return Ok(known.clone());
        }
        let source = path.display().to_string();
        let read = parse_configuration_bytes(self.contents(path), &source, frame);
        let read = Arc::new(read.map_err(place.blame())?);
        self.configurations.insert(key, read.clone());
        Ok(read)
    }

    /// The bytes of a file that was loaded, unpacked.
    pub fn contents(&self, path: &Path) -> &[u8] {
        contents_of(&self.read, &self.unpacked, &self.by_path, path)
    }

    /// Notes that positions are read from files that were loaded.
    pub fn note_positions(&mut self, paths: &[PathBuf]) {
        self.has_positions = true;
        let is_of_run = |path: &&PathBuf| is_output(path, self.contents(path));
        // What is read again was judged where it lay.
        if self.output.is_none() && self.held.is_empty() {
            self.output = paths.iter().find(is_of_run).cloned();
        }
    }

    /// Whether positions were read from a file.
    pub fn has_positions(&self) -> bool {
        self.has_positions
    }

    /// The first file of positions that a run wrote, if there is one.
    pub fn output(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// The text of a structure or topology that was loaded, and its name in messages.
    pub fn text(&self, path: &Path, place: &Location) -> Result<(String, String), Error> {
        let source = path.display().to_string();
        let text = text_of(self.contents(path), &source).map_err(place.blame())?;
        Ok((text, source))
    }

    /// The name in the resolved form, with `{replica}` where it was written.
    fn name_of(&mut self, written: &str, numbers: &[u64], paths: &[PathBuf]) -> String {
        if let Some(name) = self.names.get(written) {
            return name.clone();
        }
        // A file that the input names in two ways keeps its first name.
        if let [path] = paths
            && !written.contains(REPLICA)
            && let Some(&index) = self.by_path.get(path)
        {
            let name = self.read[index].name.clone();
            self.names.insert(written.to_string(), name.clone());
            return name;
        }
        let file = Path::new(built_in::name_of_file(written))
            .file_name()
            .map_or_else(|| "file".to_string(), |name| name.to_string_lossy().into_owned());
        // The ending of `a.xyz.gz` is `.xyz.gz`, so that a second one is not called `a.xyz-2.gz`.
        let end = match unpacked_name(&file).rfind('.') {
            Some(dot) if dot > 0 => dot,
            _ => unpacked_name(&file).len(),
        };
        let (stem, extension) = file.split_at(end);
        let mut stem = stem.to_string();
        if written.contains(REPLICA) && !file.contains(REPLICA) {
            stem = format!("{stem}_{REPLICA}");
        }
        // A file of a series may have been read before, under the name that it needs here.
        let free = |name: &str| {
            self.names.values().all(|taken| taken != name)
                && numbers.iter().zip(paths).all(|(number, path)| {
                    let name = name.replace(REPLICA, &number.to_string());
                    self.holders.get(&name).is_none_or(|holder| holder == path)
                })
        };
        let mut name = format!("inputs/{stem}{extension}");
        let mut copy = 1;
        while !free(&name) {
            copy += 1;
            name = format!("inputs/{stem}-{copy}{extension}");
        }
        self.names.insert(written.to_string(), name.clone());
        name
    }

    pub fn resolved_name(&self, written: &str) -> String {
        self.names.get(written).cloned().unwrap_or_else(|| written.to_string())
    }

    /// Replaces the names of files that were read, in the value of a key and in everything below it.
    pub fn rename(&self, key: &str, node: &mut Node) {
        match &mut node.value {
            Value::Text(text) if FILE_KEYS.contains(&key) => {
                if let Some(name) = self.names.get(text) {
                    *text = name.clone();
                }
            }
            Value::Table(table) => {
                for entry in &mut table.entries {
                    self.rename(&entry.key, &mut entry.node);
                }
            }
            Value::List(list) => {
                for item in list {
                    self.rename(key, item);
                }
            }
            _ => {}
        }
    }
}

/// The bytes of a file as they were read, unpacked if it is packed. Everything is parsed from them, so that the copy in a run
/// folder is what was simulated even if the file changes meanwhile.
fn contents_of<'a>(
    read: &'a [InputFile],
    unpacked: &'a BTreeMap<usize, Vec<u8>>,
    by_path: &BTreeMap<PathBuf, usize>,
    path: &Path,
) -> &'a [u8] {
    by_path.get(path).map_or(&[], |index| unpacked.get(index).unwrap_or(&read[*index].contents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document;

    /// The lines of a chain of so many alpha carbons.
    fn chain(length: usize) -> String {
        let line = |k: usize| {
            let x = 3.8 * k as f64;
            format!(
                "ATOM  {k:5}  CA  GLY A{k:4}    {x:8.3}{:8.3}{:8.3}  1.00  0.00           C\n",
                0.0, 0.0
            )
        };
        (1..=length).map(line).collect()
    }

    /// Files that change after they were read: everything is made of the bytes that were read, which the run folder gets.
    #[test]
    fn files_are_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = document::parse("", "input.toml").unwrap().place;
        let mut files = Files::new(folder.path());
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let xyz = |count: usize| format!("{count}\n\n{}", "A 0 0 0\n".repeat(count));
        let fasta = |letters: &str| format!(">one\n{letters}\n");
        write("s.pdb", &chain(19));
        write("start.xyz", &xyz(3));
        write("chains.fasta", &fasta("GGG"));
        let [pdb, start, sequences] =
            ["s.pdb", "start.xyz", "chains.fasta"].map(|name| files.load(name, &place).unwrap());
        write("s.pdb", &chain(29));
        write("start.xyz", &xyz(4));
        std::fs::remove_file(&sequences).unwrap();
        assert_eq!(files.structure(&pdb, None, &place).unwrap().residues.len(), 19);
        let (text, _) = files.text(&pdb, &place).unwrap();
        assert_eq!(text.as_bytes(), files.read[0].contents);
        assert_eq!(files.configuration(&start, 0, &place).unwrap().positions.len(), 3);
        assert_eq!(files.fasta(&sequences, &place).unwrap()[0].letters, "GGG");
    }
}
