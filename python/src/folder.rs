//! Run folders that are read.

use std::path::PathBuf;

use beadwork::answer::{Answer, Choices};
use beadwork::data::Summary;
use beadwork::engine::{CheckpointSet, MemberCheckpoint, MemberStatus};
use beadwork::io::RunFolder;
use beadwork::members_list::Listed;
use beadwork::model::Units;
use beadwork::part::{Part, View};
use beadwork::session::{frame_format, plan};
use beadwork::structure::visible;
use beadwork::tables::begun;
use numpy::{PyArray1, PyArray2, PyArray4};
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::frames::{FrameList, Frames, read_list, read_positions};
use crate::tables::{PyTable, Table, read_tables, to_python};
use crate::threads::without_python;

/// A run, or the parts of one, in folders.
#[pyclass(frozen, module = "beadwork._beadwork")]
pub struct Folder {
    view: View,
}

/// Number, folder, point, replica of the point, status, message.
type MemberRow = (u64, PathBuf, u64, u64, &'static str, String);

/// Positions of members × frames × beads × 3.
type Positions<'py> = Bound<'py, PyArray4<f32>>;

/// Steps, times and stages of frames, and the names of stages.
type FrameTimes<'py> =
    (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<i32>>, Vec<String>);

#[pymethods]
impl Folder {
    #[new]
    fn new(py: Python<'_>, folders: Vec<PathBuf>) -> PyResult<Folder> {
        Ok(without_python(py, || {
            let views = folders.iter().map(|path| View::open(path));
            let mut views = View::join(views.collect::<Result<_, _>>()?)?;
            match (views.pop(), views.is_empty()) {
                (Some(view), true) => Ok(Folder { view }),
                (None, _) => Err(Failure::argument("name a folder")),
                _ => Err(Failure::argument(
                    "the folders hold different runs, or one whole run and another of it: open each by itself",
                )),
            }
        })?)
    }

    /// The folders.
    #[getter]
    fn folders(&self) -> Vec<PathBuf> {
        self.view.folders.iter().map(|folder| folder.root().to_path_buf()).collect()
    }

    /// The names of the stages.
    #[getter]
    fn stages(&self) -> Vec<String> {
        let stages = &self.view.request.points[0].protocol.stages;
        stages.iter().map(|stage| stage.name.clone()).collect()
    }

    /// For each point of the sweep the keys and values that it sets.
    #[getter]
    fn points(&self) -> Vec<Vec<(String, String)>> {
        self.view.request.points.iter().map(|point| point.settings.clone()).collect()
    }

    /// The numbers of the members in the folders.
    #[getter]
    fn numbers(&self) -> Vec<usize> {
        self.view.folders.iter().flat_map(RunFolder::members).collect()
    }

    /// The replicas of each point.
    #[getter]
    fn replicas(&self) -> u64 {
        self.view.request.replicas
    }

    /// The number of beads of each point.
    #[getter]
    fn beads(&self) -> Vec<usize> {
        self.view.request.points.iter().map(|point| point.system.beads()).collect()
    }

    /// The unit of lengths: `nm`, or nothing in reduced units.
    #[getter]
    fn length_unit(&self) -> &'static str {
        match self.view.request.points[0].system.units {
            Units::Real => "nm",
            Units::Reduced => "",
        }
    }

    /// The unit of times: `ns`, or nothing in reduced units.
    #[getter]
    fn time_unit(&self) -> &'static str {
        match self.view.request.points[0].system.units {
            Units::Real => "ns",
            Units::Reduced => "",
        }
    }

    /// The members in the folders, begun or not.
    fn members(&self, py: Python<'_>) -> PyResult<Vec<MemberRow>> {
        Ok(without_python(py, || self.member_rows())?)
    }

    /// The columns of the tables of these members, of all without numbers; and the names of the stages.
    #[pyo3(signature = (members=None))]
    fn table<'py>(&self, py: Python<'py>, members: Option<Vec<u64>>) -> PyResult<PyTable<'py>> {
        let read = || -> Result<Table, Failure> {
            let begun = begun(&self.view.folders, &self.view.request)?;
            let chosen = match members {
                None => begun,
                Some(numbers) => {
                    let of = |number: u64| {
                        let found = begun.iter().find(|(_, _, other)| *other == number).copied();
                        found.ok_or_else(|| self.no_member(number))
                    };
                    numbers.into_iter().map(of).collect::<Result<_, _>>()?
                }
            };
            let mut table = read_tables(&self.view.request, &chosen)?;
            for folder in &self.view.folders {
                if !table.has_columns() {
                    let request = &self.view.request;
                    table.add_columns(request, &plan(request, &Part::of(folder, request)?));
                }
            }
            Ok(table)
        };
        to_python(py, without_python(py, read)?)
    }

    /// The number of frames of each of these members.
    fn frame_counts(&self, py: Python<'_>, members: Vec<u64>) -> PyResult<Vec<usize>> {
        let count = || members.iter().map(|&number| Ok(self.list(number)?.steps.len())).collect();
        Ok(without_python(py, count)?)
    }

    /// Steps, times and stages of a member's frames.
    fn frame_times<'py>(&self, py: Python<'py>, member: u64) -> PyResult<FrameTimes<'py>> {
        let list = without_python(py, || self.list(member))?;
        Ok((
            PyArray1::from_vec(py, list.steps),
            PyArray1::from_vec(py, list.times),
            PyArray1::from_vec(py, list.stages),
            self.stages(),
        ))
    }

    /// The positions of all frames of these members, which must have as many frames and beads.
    fn positions<'py>(&self, py: Python<'py>, members: Vec<u64>) -> PyResult<Positions<'py>> {
        let read = || {
            let members = members.iter().map(|&number| self.frames(number));
            read_positions(&members.collect::<Result<Vec<_>, _>>()?)
        };
        let (shape, positions) = without_python(py, read)?;
        let array = numpy::ndarray::Array4::from_shape_vec(shape, positions);
        let array = array.map_err(|error| Failure::machine(error.to_string()))?;
        Ok(PyArray4::from_owned_array(py, array))
    }

    /// The sides of the boxes of these members, in nm or reduced units; `None` in open space.
    fn boxes<'py>(
        &self,
        py: Python<'py>,
        members: Vec<u64>,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let sides: Result<Vec<_>, Failure> =
            members.iter().map(|&number| Ok(self.frames(number)?.sides())).collect();
        let sides: Option<Vec<[f64; 3]>> = sides?.into_iter().collect();
        let Some(sides) = sides else { return Ok(None) };
        let array = numpy::ndarray::Array2::from(sides);
        Ok(Some(PyArray2::from_owned_array(py, array)))
    }

    /// The trajectory of a member; `None` if the run writes none.
    fn trajectory(&self, member: u64) -> PyResult<Option<PathBuf>> {
        let (folder, place) = self.place(member)?;
        let trajectory = self.view.request.output.trajectory;
        Ok(trajectory.map(|(_, kind)| folder.trajectory(place, frame_format(kind))))
    }

    /// The answer as JSON, and in words: that of `summary.json` if it is there and wanted, or else of the run so far.
    fn answer(&self, py: Python<'_>, written: bool) -> PyResult<(String, String)> {
        Ok(without_python(py, || {
            let known = match written {
                true => self.written_answer()?,
                false => None,
            };
            let summary = match known {
                Some(summary) => summary,
                None => {
                    self.view.refuse_damaged()?;
                    let choices = Choices { without_pictures: true, ..Choices::default() };
                    Answer::of_view(&self.view, "", &choices)?.summary()
                }
            };
            Ok((summary.to_json(), summary.in_words()))
        })?)
    }
}

impl Folder {
    fn member_rows(&self) -> Result<Vec<MemberRow>, Failure> {
        let request = &self.view.request;
        let mut rows = Vec::new();
        for folder in &self.view.folders {
            let part = Part::of(folder, request)?;
            let planned = plan(request, &part);
            for group in planned.checkpoint_groups() {
                // A checkpoint that cannot be read hides no other one.
                let found: Vec<_> = match CheckpointSet::read(folder, &planned, &group) {
                    Ok(set) => {
                        let members = group.clone().zip(set.members);
                        members.map(|(place, one)| status(folder, place, one)).collect()
                    }
                    Err(error) => {
                        vec![("damaged", visible(&error.to_string()).into_owned()); group.len()]
                    }
                };
                for (place, (word, message)) in group.zip(found) {
                    let number = part.range().start + place as u64;
                    let (_, replica) = request.member(number);
                    let point = number / request.replicas.max(1);
                    let root = folder.root().to_path_buf();
                    rows.push((number, root, point, replica, word, message));
                }
            }
        }
        Ok(rows)
    }

    /// A member's folder, and its index there.
    fn place(&self, number: u64) -> Result<(&RunFolder, usize), Failure> {
        let place = |folder: &RunFolder| {
            let members = folder.members();
            let number = usize::try_from(number).ok()?;
            members.contains(&number).then(|| number - members.start)
        };
        let mut folders = self.view.folders.iter();
        let found = folders.find_map(|folder| Some((folder, place(folder)?)));
        found.ok_or_else(|| self.no_member(number))
    }

    fn no_member(&self, number: u64) -> Failure {
        let members: Vec<String> = self
            .view
            .folders
            .iter()
            .map(|folder| format!("{}..{}", folder.members().start, folder.members().end))
            .collect();
        Failure::argument(format!(
            "there is no member {number} that has begun: the run has {}",
            members.join(" and ")
        ))
    }

    fn frames(&self, number: u64) -> Result<Frames<'_>, Failure> {
        let (folder, place) = self.place(number)?;
        let request = &self.view.request;
        Ok(Frames { number, folder, place, request, system: &request.member(number).0.system })
    }

    fn list(&self, number: u64) -> Result<FrameList, Failure> {
        read_list(&self.frames(number)?)
    }

    /// What `summary.json` holds; `None` without it, and if it only lists figures.
    fn written_answer(&self) -> Result<Option<Summary>, Failure> {
        let [folder] = self.view.folders.as_slice() else { return Ok(None) };
        let path = folder.root().join("summary.json");
        if !path.exists() {
            return Ok(None);
        }
        let read = |source| beadwork::io::Error::Read { path: path.clone(), source };
        let text = std::fs::read_to_string(&path).map_err(read)?;
        let known = Summary::from_json(&text).map_err(|reason| {
            Failure::argument(format!(
                "{} cannot be understood ({reason}): write it anew by `beadwork plot {}`",
                path.display(),
                folder.root().display()
            ))
        })?;
        Ok(Some(known).filter(|known| !known.groups.is_empty()))
    }
}

/// The status of the member with this index in a folder, by its checkpoint, and why it failed.
fn status(
    folder: &RunFolder,
    place: usize,
    checkpoint: Option<MemberCheckpoint>,
) -> (&'static str, String) {
    let status = checkpoint.map(|one| one.status);
    let word = match Listed::of(status.as_ref()) {
        // Rows come before the first checkpoint.
        Listed::NotBegun if folder.table(place).exists() => Listed::Stopped.word(),
        listed => listed.word(),
    };
    match status {
        Some(MemberStatus::Failed { message, .. }) => (word, message),
        _ => (word, String::new()),
    }
}
