//! The rows of members as columns.

use beadwork::analysis::table::{self, read_csv};
use beadwork::engine::{MemoryRecorder, MemoryRow, Plan, header};
use beadwork::input::{Point, Request};
use beadwork::model::Units;
use beadwork::simulation::Measurement;
use beadwork::steering::MemberNow;
use beadwork::tables::{MemberFolder, measured_columns};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyAny;
use rayon::prelude::*;

use crate::failure::Failure;
use crate::threads::check_signal;

/// Columns of whole numbers.
const COUNTS: [&str; 3] = ["step", "sweep", "rung"];

/// Cells of a column.
enum Cells {
    Counts(Vec<i64>),
    Numbers(Vec<f64>),
    /// Numbers of stages.
    Stages(Vec<i32>),
}

impl Cells {
    /// As many cells that say nothing.
    fn empty(name: &str, rows: usize) -> Cells {
        match name {
            "stage" => Cells::Stages(vec![-1; rows]),
            _ if COUNTS.contains(&name) => Cells::Counts(vec![-1; rows]),
            _ => Cells::Numbers(vec![f64::NAN; rows]),
        }
    }

    fn append(&mut self, other: Cells) {
        match (self, other) {
            (Cells::Counts(all), Cells::Counts(more)) => all.extend(more),
            (Cells::Numbers(all), Cells::Numbers(more)) => all.extend(more),
            (Cells::Stages(all), Cells::Stages(more)) => all.extend(more),
            // A name decides the kind.
            _ => {}
        }
    }
}

/// Columns of the rows of several members.
pub struct Table {
    /// The number of each row's member.
    members: Vec<i64>,
    /// Name, unit and cells.
    columns: Vec<(String, &'static str, Cells)>,
    stages: Vec<String>,
}

/// Columns as name, unit and array; the names of the stages.
pub type PyTable<'py> = (Vec<(String, &'static str, Bound<'py, PyAny>)>, Vec<String>);

/// Reads the tables of members, and joins them in the order given. A column that only some members have is NaN for the others.
pub fn read_tables(request: &Request, members: &[MemberFolder<'_>]) -> Result<Table, Failure> {
    let read = |&(folder, place, number): &MemberFolder<'_>| {
        check_signal()?;
        let (point, _) = request.member(number);
        let path = folder.table(place);
        // A member that failed in its first step has a checkpoint and no table.
        match path.exists() {
            true => columns_of(&read_csv(path)?, point),
            false => Ok(Vec::new()),
        }
    };
    let read: Vec<Result<Vec<(String, Cells)>, Failure>> = members.par_iter().map(read).collect();
    let mut table = Table { members: Vec::new(), columns: Vec::new(), stages: stages(request) };
    for (&(_, _, number), columns) in members.iter().zip(read) {
        table.append(number, columns?, request);
    }
    Ok(table)
}

impl Table {
    pub fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    /// Adds the columns of the members of a plan, of which none has rows.
    pub fn add_columns(&mut self, request: &Request, plan: &Plan) {
        for (number, member) in plan.members.iter().enumerate() {
            self.append(member.replica, columns_of_rows(plan, number, &[]), request);
        }
    }

    fn append(&mut self, number: u64, columns: Vec<(String, Cells)>, request: &Request) {
        let before = self.members.len();
        let rows = columns.first().map_or(0, |(_, cells)| match cells {
            Cells::Counts(cells) => cells.len(),
            Cells::Numbers(cells) => cells.len(),
            Cells::Stages(cells) => cells.len(),
        });
        self.members.resize(before + rows, number as i64);
        let mut columns: Vec<(String, Option<Cells>)> =
            columns.into_iter().map(|(name, cells)| (name, Some(cells))).collect();
        for (name, _, all) in &mut self.columns {
            let own = columns.iter_mut().find(|(other, _)| other == name);
            let own = own.and_then(|(_, cells)| cells.take());
            all.append(own.unwrap_or_else(|| Cells::empty(name, rows)));
        }
        for (name, cells) in columns {
            if let Some(cells) = cells {
                let mut all = Cells::empty(&name, before);
                all.append(cells);
                let unit = unit_of(&name, request);
                self.columns.push((name, unit, all));
            }
        }
    }
}

/// The rows of all members that were recorded in memory.
pub fn of_memory(request: &Request, plan: &Plan, memory: &MemoryRecorder) -> Table {
    let of_member = |number: usize| {
        let columns = memory.with_member(number, |one| columns_of_rows(plan, number, &one.rows));
        columns.unwrap_or_default()
    };
    joined(request, plan, (0..plan.members.len()).into_par_iter().map(of_member).collect())
}

/// A row of each member as it is now; cells are empty where nothing can be measured.
pub fn of_now(
    request: &Request,
    plan: &Plan,
    members: &[MemberNow],
    measured: &[Option<Measurement>],
) -> Table {
    let of_member = |(number, now): (usize, &MemberNow)| {
        let own = &plan.members[number];
        let Some(measurement) = &measured[number] else { return Vec::new() };
        let columns = own.protocol.measured_columns(&own.system);
        let steps = now.state.dynamics_step as f64;
        let row = MemoryRow {
            step: now.state.step,
            time: steps * own.protocol.dynamics.timestep,
            stage: now.state.stage,
            values: columns.iter().map(|column| measurement.of_column(column)).collect(),
            rung: None,
            acceptance: None,
        };
        columns_of_rows(plan, number, &[row])
    };
    joined(request, plan, members.iter().enumerate().map(of_member).collect())
}

fn joined(request: &Request, plan: &Plan, members: Vec<Vec<(String, Cells)>>) -> Table {
    let mut table = Table { members: Vec::new(), columns: Vec::new(), stages: stages(request) };
    for (member, columns) in plan.members.iter().zip(members) {
        table.append(member.replica, columns, request);
    }
    if !table.has_columns() {
        table.add_columns(request, plan);
    }
    table
}

/// The columns that the table of a member would have, with these rows.
fn columns_of_rows(plan: &Plan, number: usize, rows: &[MemoryRow]) -> Vec<(String, Cells)> {
    let member = &plan.members[number];
    let (system, units) = (&member.system, member.system.units);
    let measured = member.protocol.measured_columns(system);
    let numbers =
        |of: &dyn Fn(&MemoryRow) -> f64| Cells::Numbers(rows.iter().map(of).collect::<Vec<f64>>());
    let of_row = |name: &str| match name {
        "step" | "sweep" => Cells::Counts(rows.iter().map(|row| row.step as i64).collect()),
        "stage" => Cells::Stages(rows.iter().map(|row| row.stage as i32).collect()),
        "rung" => {
            let rung = |row: &MemoryRow| row.rung.map_or(-1, |(rung, _)| i64::from(rung));
            Cells::Counts(rows.iter().map(rung).collect())
        }
        "acceptance" => numbers(&|row| row.acceptance.unwrap_or(f64::NAN)),
        name if name == units.time_column() => numbers(&|row| units.time_in_tables(row.time)),
        name => {
            let place = measured.iter().position(|column| column.column_in(units) == name);
            let unit = system.temperature_unit();
            let of_bath = |row: &MemoryRow| row.rung.map_or(f64::NAN, |(_, bath)| bath / unit);
            let of = |row: &MemoryRow| match place {
                Some(place) => {
                    row.values[place].filter(|value| value.is_finite()).unwrap_or(f64::NAN)
                }
                // The only column beside these is the temperature of the rung.
                None => of_bath(row),
            };
            numbers(&of)
        }
    };
    header(member).into_iter().map(|name| (name.clone(), of_row(&name))).collect()
}

/// All columns of a member's table.
fn columns_of(table: &table::Table, point: &Point) -> Result<Vec<(String, Cells)>, Failure> {
    let cells = |name: &String| -> Result<(String, Cells), Failure> {
        let cells = match name.as_str() {
            "stage" => Cells::Stages(stage_numbers(table, point)?),
            name if COUNTS.contains(&name) => {
                Cells::Counts(table.counts(name)?.into_iter().map(|count| count as i64).collect())
            }
            name => Cells::Numbers(table.numbers(name)?),
        };
        Ok((name.clone(), cells))
    };
    table.columns.iter().map(cells).collect()
}

/// The number of each row's stage.
pub fn stage_numbers(table: &table::Table, point: &Point) -> Result<Vec<i32>, Failure> {
    let stages = &point.protocol.stages;
    let number = |(row, name): (usize, &str)| {
        let number = stages.iter().position(|stage| stage.name == name);
        let reason = || format!("its stage is \"{name}\", which the input does not have");
        Ok(number.ok_or_else(|| table.damaged(row, reason()))? as i32)
    };
    table.texts("stage")?.into_iter().enumerate().map(number).collect()
}

fn stages(request: &Request) -> Vec<String> {
    request.points[0].protocol.stages.iter().map(|stage| stage.name.clone()).collect()
}

/// The unit of a column; empty for numbers and in reduced units.
fn unit_of(name: &str, request: &Request) -> &'static str {
    let units = request.points[0].system.units;
    let mut measured = measured_columns(request).into_iter();
    match name {
        "bath_temperature_K" => "K",
        _ if name == units.time_column() && units == Units::Real => "ns",
        _ => measured
            .find(|column| column.column_in(units) == name)
            .map_or("", |column| without_parentheses(column.unit_in(units).symbol())),
    }
}

/// Symbols with a quotient have parentheses for labels of axes, where they follow a stroke.
fn without_parentheses(symbol: &'static str) -> &'static str {
    symbol.strip_prefix('(').and_then(|symbol| symbol.strip_suffix(')')).unwrap_or(symbol)
}

/// Hands a table over, with a first column `member`.
pub fn to_python(py: Python<'_>, table: Table) -> PyResult<PyTable<'_>> {
    let members = PyArray1::from_vec(py, table.members).into_any();
    let mut columns = vec![("member".to_string(), "", members)];
    for (name, unit, cells) in table.columns {
        let array = match cells {
            Cells::Counts(cells) => PyArray1::from_vec(py, cells).into_any(),
            Cells::Numbers(cells) => PyArray1::from_vec(py, cells).into_any(),
            Cells::Stages(cells) => PyArray1::from_vec(py, cells).into_any(),
        };
        columns.push((name, unit, array));
    }
    Ok((columns, table.stages))
}
