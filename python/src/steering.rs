//! `beadwork.Simulation`: segments of runs that are stepped in pieces and read between them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

use beadwork::engine::{MemberPlan, MemberStatus};
use beadwork::input::Request;
use beadwork::model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork::model::{Boundary, Model, Units};
use beadwork::steering::{Change, MemberNow, Steered};
use numpy::{PyArray1, PyArray3, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::held::{Asked, Held};
use crate::job::{Listeners, in_another_thread, max_time};
use crate::request::{Source, choice};
use crate::tables::{PyTable, Table, of_memory, of_now, to_python};
use crate::threads::without_python;

/// Positions or velocities of members × beads × 3.
type Vectors<'py> = Bound<'py, PyArray3<f64>>;

/// A segment of a simulation.
#[pyclass(frozen, module = "beadwork._beadwork")]
pub struct Segment {
    held: Arc<Mutex<Held>>,
}

/// Steps of each member; the word for its status, and the message of one that failed.
type Statuses<'py> = (Bound<'py, PyArray1<i64>>, Vec<(&'static str, String)>);

#[pymethods]
impl Segment {
    /// Reads an input, whose segment has not begun; `home` is an empty folder.
    #[new]
    #[pyo3(signature = (name, text, base, settings, home))]
    fn new(
        py: Python<'_>,
        name: PathBuf,
        text: Option<String>,
        base: PathBuf,
        settings: Vec<(String, String)>,
        home: PathBuf,
    ) -> PyResult<Segment> {
        let source = Source { name, text, base, settings };
        let read = || Ok(Steered::in_memory(source.read()?, &home)?);
        Ok(Segment::of(without_python(py, read)?, false))
    }

    /// The segment in the folder of a run.
    #[staticmethod]
    fn open(py: Python<'_>, folder: PathBuf) -> PyResult<Segment> {
        Ok(Segment::of(without_python(py, || Ok(Steered::in_folder(&folder)?))?, true))
    }

    /// The segment that begins where this one is, with something set; `staging` and `home` are empty folders.
    #[pyo3(signature = (staging, home, positions, velocities, settings, stages))]
    #[expect(clippy::too_many_arguments, reason = "each is something that can be set")]
    fn next(
        &self,
        py: Python<'_>,
        staging: PathBuf,
        home: PathBuf,
        positions: Option<PyReadonlyArray3<'_, f64>>,
        velocities: Option<PyReadonlyArray3<'_, f64>>,
        settings: Vec<(String, String)>,
        stages: Option<String>,
    ) -> PyResult<Segment> {
        let held = self.lock()?;
        let unit = length_of(held.steered.request());
        let given = |array: Option<PyReadonlyArray3<'_, f64>>| array.map(|it| vectors(&it, unit));
        let (positions, velocities) = (given(positions), given(velocities));
        let change = Change { positions, velocities, settings, stages };
        let steered = &held.steered;
        let next =
            without_python(py, || Ok(Steered::in_memory(steered.next(&staging, &change)?, &home)?));
        Ok(Segment::of(next?, false))
    }

    /// Whether it has been asked for steps.
    #[getter]
    fn is_begun(&self) -> PyResult<bool> {
        Ok(self.lock()?.is_begun)
    }

    /// The folder with the resolved input.
    #[getter]
    fn home(&self) -> PyResult<PathBuf> {
        Ok(self.lock()?.steered.home().to_path_buf())
    }

    /// Steps of dynamics, or sweeps, that were asked for.
    #[getter]
    fn target(&self) -> PyResult<u64> {
        Ok(self.lock()?.steered.target())
    }

    /// Steps of dynamics, or sweeps, of all stages.
    #[getter]
    fn length(&self) -> PyResult<u64> {
        Ok(self.lock()?.steered.length())
    }

    /// Makes the last stage longer if so many more steps are not left.
    fn make_room(&self, py: Python<'_>, steps: u64) -> PyResult<()> {
        let mut held = self.lock()?;
        let steered = &mut held.steered;
        Ok(without_python(py, || Ok(steered.make_room(steps)?))?)
    }

    /// Steps between rows.
    #[getter]
    fn rows_every(&self) -> PyResult<u64> {
        Ok(self.lock()?.steered.plan().table_every)
    }

    /// The number of members.
    #[getter]
    fn members(&self) -> PyResult<usize> {
        Ok(self.lock()?.steered.plan().members.len())
    }

    /// The number of beads of a member; `None` if members have different numbers.
    #[getter]
    fn beads(&self) -> PyResult<Option<usize>> {
        let held = self.lock()?;
        Ok(common(&held.steered.plan().members, |member| member.system.beads()))
    }

    /// A step in ns or reduced units; of chains a sweep, 1. `None` if members have different time steps.
    #[getter]
    fn timestep(&self) -> PyResult<Option<f64>> {
        let held = self.lock()?;
        Ok(common(&held.steered.plan().members, |member| match member.system.is_sampled() {
            true => 1.0,
            false => member.system.units.time_in_tables(member.protocol.dynamics.timestep),
        }))
    }

    /// The names of its stages.
    #[getter]
    fn stages(&self) -> PyResult<Vec<String>> {
        let held = self.lock()?;
        let stages = &held.steered.plan().members[0].protocol.stages;
        Ok(stages.iter().map(|stage| stage.name.clone()).collect())
    }

    /// Whether no member would go on, however long the last stage.
    #[getter]
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        let held = self.lock()?;
        Ok(without_python(py, || Ok(held.steered.is_over()?))?)
    }

    /// Whether Monte Carlo samples the members, in sweeps.
    #[getter]
    fn is_sampled(&self) -> PyResult<bool> {
        Ok(self.lock()?.steered.plan().members[0].system.is_sampled())
    }

    /// Whether members have velocities that no start file holds, so that a new segment draws others.
    #[getter]
    fn draws_velocities(&self) -> PyResult<bool> {
        let held = self.lock()?;
        let member = &held.steered.plan().members[0];
        let moves = member.protocol.dynamics.integrator.has_velocities();
        Ok(moves && member.system.model != Model::Beads && !member.system.is_sampled())
    }

    /// Whether quantities have no units.
    #[getter]
    fn is_reduced(&self) -> PyResult<bool> {
        Ok(self.lock()?.steered.plan().members[0].system.units == Units::Reduced)
    }

    /// The sides of the box in nm or reduced units; `None` in open space.
    #[getter]
    fn sides(&self) -> PyResult<Option<[f64; 3]>> {
        let held = self.lock()?;
        let unit = length_of(held.steered.request());
        let boundary = common(&held.steered.plan().members, |member| member.system.boundary);
        let boundary = boundary.ok_or_else(|| {
            Failure::argument("the members have different boxes: make a simulation of each point")
        })?;
        Ok(match boundary {
            Boundary::Periodic { lengths } => Some(lengths.map(|length| length / unit)),
            Boundary::Open => None,
        })
    }

    /// The steps, or sweeps, in a time.
    fn steps_in(&self, time: &str) -> PyResult<u64> {
        let held = self.lock()?;
        Ok(beadwork::input::steps_in(held.steered.request(), time).map_err(Failure::from)?)
    }

    /// Positions of all members in nm or reduced units.
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Vectors<'py>> {
        let held = self.lock()?;
        let found = without_python(py, || Ok(held.steered.members()?))?;
        array_of(py, &held.steered, found.iter().map(|now| now.state.positions.as_slice()))
    }

    /// Positions of all members, and which of them have made the steps that were asked for: others have failed or ended before.
    fn at_row<'py>(&self, py: Python<'py>) -> PyResult<(Vectors<'py>, Bound<'py, PyArray1<bool>>)> {
        let held = self.lock()?;
        let found = without_python(py, || Ok(held.steered.members()?))?;
        let is_there = |now: &MemberNow| {
            let has_failed = matches!(now.status, Some(MemberStatus::Failed { .. }));
            !has_failed && now.state.dynamics_step == held.steered.target()
        };
        let are_there = found.iter().map(is_there).collect();
        let positions = found.iter().map(|now| now.state.positions.as_slice());
        Ok((array_of(py, &held.steered, positions)?, PyArray1::from_vec(py, are_there)))
    }

    /// Velocities of all members in nm/ps or reduced units; `None` without velocities.
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Option<Vectors<'py>>> {
        let held = self.lock()?;
        let found = without_python(py, || Ok(held.steered.members()?))?;
        let of = |now: &MemberNow| now.state.extra.motion.as_ref().map(|it| it.velocities.clone());
        let velocities: Option<Vec<_>> = found.iter().map(of).collect();
        let Some(velocities) = velocities else { return Ok(None) };
        array_of(py, &held.steered, velocities.iter().map(Vec::as_slice)).map(Some)
    }

    /// Steps of each member, and its status.
    fn statuses<'py>(&self, py: Python<'py>) -> PyResult<Statuses<'py>> {
        let held = self.lock()?;
        let found = without_python(py, || Ok(held.steered.members()?))?;
        let steps = found.iter().map(|now| now.state.dynamics_step as i64).collect();
        let status = |now: &MemberNow| match &now.status {
            None => ("not begun", String::new()),
            Some(MemberStatus::Running) => ("stopped", String::new()),
            Some(MemberStatus::Finished) => ("finished", String::new()),
            Some(MemberStatus::Failed { message, .. }) => ("failed", message.clone()),
        };
        Ok((PyArray1::from_vec(py, steps), found.iter().map(status).collect()))
    }

    /// What a row would hold of each member as it is.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<PyTable<'py>> {
        let held = self.lock()?;
        let measure = || -> Result<Table, Failure> {
            let steered = &held.steered;
            let members = steered.members()?;
            let measured = steered.measure(members.clone());
            Ok(of_now(steered.request(), steered.plan(), &members, &measured))
        };
        to_python(py, without_python(py, measure)?)
    }

    /// The rows of all members that were recorded in memory; `None` for a run in a folder.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Option<PyTable<'py>>> {
        let held = self.lock()?;
        let Some(memory) = held.steered.memory() else { return Ok(None) };
        let (request, plan) = (held.steered.request(), held.steered.plan());
        to_python(py, without_python(py, || Ok(of_memory(request, plan, memory)))?).map(Some)
    }

    /// Steps all members; returns how that ended. `end` is the step to which this piece and later ones go, and `spent` are the seconds
    /// of the time limit that earlier ones took.
    #[pyo3(signature = (steps, end, folder, device, threads, max_time, spent, command, progress, remark))]
    #[expect(
        clippy::too_many_arguments,
        reason = "each is a keyword of the method that people call"
    )]
    fn advance(
        &self,
        py: Python<'_>,
        steps: Option<u64>,
        end: Option<u64>,
        folder: Option<PathBuf>,
        device: Option<&str>,
        threads: Option<u16>,
        max_time: Option<&str>,
        spent: f64,
        command: String,
        progress: Option<&Bound<'_, PyAny>>,
        remark: &Bound<'_, PyAny>,
    ) -> PyResult<&'static str> {
        let spent = Duration::try_from_secs_f64(spent).unwrap_or_default();
        let max_time = self::max_time(max_time)?.map(|limit| limit.saturating_sub(spent));
        let asked = Asked { steps, end, folder, choice: choice(device)?, max_time, command };
        let held = self.held.clone();
        let became = |ending: &&'static str| {
            format!(
                "the simulation was {ending}; advance(0) completes what was asked for, with the same bits"
            )
        };
        let listeners = Listeners { progress, remark };
        in_another_thread(py, threads, &listeners, became, move |threads, shared| {
            try_lock(&held)?.advance(&asked, threads, shared)
        })
    }

    /// Ends the segment where it is; a run in a folder gets its answer, and plots if `draws`.
    fn end(
        &self,
        py: Python<'_>,
        threads: Option<u16>,
        draws: bool,
        command: String,
        remark: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let held = self.held.clone();
        let listeners = Listeners { progress: None, remark };
        let became = |(): &()| "the segment has ended".to_string();
        in_another_thread(py, threads, &listeners, became, move |threads, shared| {
            try_lock(&held)?.end(threads, draws, &command, shared)
        })
    }
}

impl Segment {
    fn of(steered: Steered, is_begun: bool) -> Segment {
        Segment { held: Arc::new(Mutex::new(Held::new(steered, is_begun))) }
    }

    fn lock(&self) -> Result<MutexGuard<'_, Held>, Failure> {
        try_lock(&self.held)
    }
}

/// Another thread that steps the segment would be waited for while it waits for Python.
fn try_lock(held: &Mutex<Held>) -> Result<MutexGuard<'_, Held>, Failure> {
    match held.try_lock() {
        Ok(held) => Ok(held),
        Err(TryLockError::Poisoned(held)) => Ok(held.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Failure::argument(
            "another thread is stepping or reading this simulation: wait for it",
        )),
    }
}

/// The internal length that arrays have as 1.
fn length_of(request: &Request) -> f64 {
    match request.points[0].system.units {
        Units::Real => ANGSTROMS_PER_NANOMETRE,
        Units::Reduced => 1.0,
    }
}

/// An array of members × beads × 3 as lists, in internal units.
fn vectors(array: &PyReadonlyArray3<'_, f64>, unit: f64) -> Vec<Vec<[f64; 3]>> {
    let of_bead = |bead: numpy::ndarray::ArrayView1<'_, f64>| {
        [0, 1, 2].map(|axis| bead.get(axis).map_or(f64::NAN, |x| x * unit))
    };
    let members = array.as_array();
    members.outer_iter().map(|member| member.outer_iter().map(of_bead).collect()).collect()
}

/// What all members have alike; `None` if they differ.
fn common<T: PartialEq>(members: &[MemberPlan], of: impl Fn(&MemberPlan) -> T) -> Option<T> {
    let first = of(&members[0]);
    members.iter().all(|member| of(member) == first).then_some(first)
}

fn array_of<'py, 'a>(
    py: Python<'py>,
    steered: &Steered,
    members: impl ExactSizeIterator<Item = &'a [[f64; 3]]>,
) -> PyResult<Vectors<'py>> {
    let unit = length_of(steered.request());
    let different = || {
        Failure::argument(
            "the members have different numbers of beads, so no array holds all: make a simulation of each point",
        )
    };
    let beads = common(&steered.plan().members, |member| member.system.beads());
    let (count, beads) = (members.len(), beads.ok_or_else(different)?);
    let numbers: Vec<f64> =
        members.flat_map(|member| member.as_flattened().iter().map(move |x| x / unit)).collect();
    let array = numpy::ndarray::Array3::from_shape_vec((count, beads, 3), numbers);
    let array = array.map_err(|_| different())?;
    Ok(PyArray3::from_owned_array(py, array))
}
