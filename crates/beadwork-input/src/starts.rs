//! `start` in `[system]`: files of positions, one for all replicas or one for each.

use std::path::PathBuf;

use beadwork_model::force_fields::sop::Beads;
use beadwork_structure::ReadOptions;

use crate::document::{Value, as_table};
use crate::error::{BAD_VALUE, Error, Location, START};
use crate::files::{Files, REPLICA};
use crate::section::Section;

const START_KEYS: [&str; 2] = ["file", "first"];
const MAXIMUM_STARTS: u64 = 100_000;
/// The files from which beads start.
pub(crate) struct StartFiles {
    pub paths: Vec<PathBuf>,
    /// Whether each replica has a file of its own.
    pub is_series: bool,
    pub place: Location,
}

/// Reads `start` of proteins and chains.
pub(crate) fn read_start(
    section: &mut Section<'_>,
    files: &mut Files,
    replicas: u64,
) -> Result<Option<StartFiles>, Error> {
    read_start_with(section, files, replicas, &START_KEYS)
}

/// Reads `start`, which may have these keys; `file` and `first` among them.
pub(crate) fn read_start_with(
    section: &mut Section<'_>,
    files: &mut Files,
    replicas: u64,
    keys: &[&str],
) -> Result<Option<StartFiles>, Error> {
    let Some(node) = section.node("start").map(as_table) else { return Ok(None) };
    let mut inner = Section::open(&node, "`start` in [system]", keys)?;
    let file = inner.required_text("file", "start_{replica}.pdb")?;
    let first = inner.integer_or("first", 0, 0)?;
    let is_series = file.value.contains(REPLICA);
    if !is_series && first.value != 0 {
        let problem = "numbers files, but the file name has no {replica} for the number";
        return Err(inner.fault(BAD_VALUE, "first", problem));
    }
    // All coordinates of all replicas are in memory at the same time.
    let series = if is_series { replicas } else { 1 };
    let end = first.value.checked_add(series).filter(|_| series <= MAXIMUM_STARTS).ok_or_else(|| {
        let problem = format!(
            "needs a file for each of {replicas} replicas, numbered from {}: give fewer replicas, at most {MAXIMUM_STARTS}, or one file for all",
            first.value
        );
        inner.fault(BAD_VALUE, "file", &problem)
    })?;
    let numbers: Vec<u64> = (first.value..end).collect();
    let paths = files.load_series(&file.value, &numbers, &file.place)?;
    files.note_positions(&paths);
    inner.keep("file", Value::Text(files.resolved_name(&file.value)));
    section.keep("start", Value::Table(inner.resolved));
    Ok(Some(StartFiles { paths, is_series, place: file.place }))
}

impl StartFiles {
    /// The positions of the C-alphas in each file.
    pub fn read(&self, files: &Files, beads: usize) -> Result<Vec<Vec<[f64; 3]>>, Error> {
        let positions = |path: &PathBuf| {
            let (text, source) = files.text(path, &self.place)?;
            let structure = beadwork_structure::parse(&text, &source, &ReadOptions::default())
                .map_err(self.place.blame())?;
            let positions = Beads::from_structure(&structure).positions;
            if positions.len() != beads {
                let problem = format!(
                    "[system]: the start file {} has {} C-alphas and the system {beads}: both must be of the same molecule and chains",
                    path.display(),
                    positions.len()
                );
                return Err(self.place.error(START, problem));
            }
            Ok(positions)
        };
        self.paths.iter().map(positions).collect()
    }
}
