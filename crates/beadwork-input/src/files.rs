//! The files that a request names. Each is read once and gets a name in the run folder.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use beadwork_files::LARGEST_STRUCTURE;
use beadwork_structure::{
    Configuration, ReadOptions, Structure, parse_configuration_bytes, parse_fasta,
};

use crate::document::{Node, Value};
use crate::error::{Error, Location, UNREADABLE_FILE};
use crate::section::Section;

/// Stands for the replica number in the name of a start file.
pub(crate) const REPLICA: &str = "{replica}";

/// Keys whose texts are file names, in any section.
const FILE_KEYS: [&str; 5] = ["structure", "topology", "file", "extra", "start"];

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFile {
    /// Where it was found.
    pub from: PathBuf,
    /// Its unique name in [`Request::resolved`](crate::Request::resolved), such as `inputs/1UBQ.pdb`.
    pub name: String,
    /// The bytes that were read.
    pub contents: Vec<u8>,
}

#[derive(Debug, Default)]
pub(crate) struct Files {
    base: PathBuf,
    pub read: Vec<InputFile>,
    /// Indices into `read`. A file with two names has the index of the first.
    by_path: BTreeMap<PathBuf, usize>,
    /// The path of the file that has each name.
    holders: BTreeMap<String, PathBuf>,
    /// From a name in the input to the name in the resolved form.
    names: BTreeMap<String, String>,
    structures: BTreeMap<(PathBuf, Option<u32>), Structure>,
    sequences: BTreeMap<PathBuf, Arc<[(String, String)]>>,
    configurations: BTreeMap<(PathBuf, i64), Arc<Configuration>>,
}

impl Files {
    pub fn new(base: &Path) -> Files {
        Files { base: base.to_path_buf(), ..Files::default() }
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
            let contents = beadwork_files::read(path, LARGEST_STRUCTURE).map_err(|error| {
                let problem = format!(
                    "the file {} cannot be read ({error}): check its name; it is looked for beside the input",
                    path.display()
                );
                place.error(UNREADABLE_FILE, problem)
            })?;
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
                let structure = beadwork_structure::read(path, &ReadOptions { model });
                Ok(new.insert(structure.map_err(place.blame())?))
            }
        }
    }

    /// The names and sequences of a FASTA file that was loaded.
    pub fn fasta(
        &mut self,
        path: &Path,
        place: &Location,
    ) -> Result<Arc<[(String, String)]>, Error> {
        if let Some(known) = self.sequences.get(path) {
            return Ok(known.clone());
        }
        let text = String::from_utf8_lossy(self.contents(path)).into_owned();
        let read = parse_fasta(&text, &path.display().to_string()).map_err(place.blame())?;
        let read: Arc<[(String, String)]> = read.into();
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

    pub fn contents(&self, path: &Path) -> &[u8] {
        self.by_path.get(path).map_or(&[], |&index| &self.read[index].contents)
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
        let file = Path::new(written)
            .file_name()
            .map_or_else(|| "file".to_string(), |name| name.to_string_lossy().into_owned());
        let (stem, extension) = match file.rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => (stem, format!(".{extension}")),
            _ => (file.as_str(), String::new()),
        };
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
