//! The rows of members' tables.

use std::ops::Range;
use std::path::Path;

use beadwork_analysis::table::{Table, read_columns};
use beadwork_input::{Point, Request};
use beadwork_io::RunFolder;
use beadwork_model::{Protocol, Stage, StageKind};
use beadwork_session::Error;
use rayon::prelude::*;

use crate::data::{self, Setting};

const LAST_STAGE: &str = "the last stage";

/// Columns that never fall.
const CLOCKS: [&str; 4] = ["step", "sweep", "time_ns", "time"];

/// Bytes of tables that a thread reads at a time; they take several times as much memory.
const BYTES_A_THREAD: u64 = 32 << 20;

/// The settings of a point, those of one of several drives with its name.
pub(crate) fn settings_of(point: &Point) -> Vec<Setting> {
    let setting = |(key, value): &(String, String)| Setting {
        key: key.clone(),
        value: value.clone(),
        drive: drive_of(key, &point.protocol.stages).unwrap_or_default(),
    };
    point.settings.iter().map(setting).collect()
}

/// The drive, one of several in its stage, that a path such as `pull.drives.2.speed` names by its number.
fn drive_of(key: &str, stages: &[Stage]) -> Option<String> {
    let words: Vec<&str> = key.split('.').collect();
    let [stage, "drives", number, ..] = words.as_slice() else { return None };
    let stage = stages.iter().find(|one| one.name == *stage)?;
    let place = number.parse::<usize>().ok()?.checked_sub(1)?;
    let drive = stage.externals.get(place).filter(|_| stage.externals.len() > 1)?;
    Some(drive.name().unwrap_or(number).to_string())
}

/// A replica that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BegunMember<'a> {
    pub folder: &'a RunFolder,
    /// Its index in the folder.
    pub place: usize,
    /// Its number over ensemble and sweep.
    pub number: u64,
    pub failed: bool,
    /// Whether it has no steps left.
    pub has_ended: bool,
}

/// The replicas of a point that have begun, in the order of their numbers; at least one.
#[derive(Debug)]
pub(crate) struct PointMembers<'a> {
    /// The name in legends: the settings of the point, and the run if several are compared.
    pub name: String,
    /// The run, if several are compared; otherwise empty.
    pub run: String,
    pub request: &'a Request,
    pub point: &'a Point,
    /// The stage that a person asked for, as a number from 0. Without one each kind of run has its own.
    pub asked: Option<usize>,
    /// The number of the point's first replica.
    pub first: u64,
    pub members: Vec<BegunMember<'a>>,
    /// The number of those in the folders that have not begun.
    pub not_begun: usize,
}

impl<'a> PointMembers<'a> {
    /// The answer of the point without values.
    pub fn about(&self) -> data::Group {
        let asked = self.asked.map(|stage| self.point.protocol.stages[stage].name.clone());
        data::Group {
            name: self.name.clone(),
            stage: asked.unwrap_or_default(),
            point: self.first / self.request.replicas.max(1),
            settings: settings_of(self.point),
            replicas: self.members.len(),
            failed: self.members.iter().filter(|member| member.failed).count(),
            ..data::Group::default()
        }
    }

    /// The stages that the answer may be of: the one asked for, or all.
    pub fn stages(&self) -> &'a [Stage] {
        let stages = &self.point.protocol.stages;
        self.asked.map_or(stages, |stage| &stages[stage..=stage])
    }

    /// The stage of which averages are: the one asked for, or the last.
    pub fn averaged_stage(&self) -> usize {
        self.asked.unwrap_or(self.point.protocol.stages.len().saturating_sub(1))
    }

    /// That stage as the rows on which averages rest: `stage "run"`.
    pub fn basis(&self) -> String {
        let stage = self.point.protocol.stages.get(self.averaged_stage());
        stage.map_or_else(String::new, |stage| format!("stage \"{}\"", stage.name))
    }

    /// That stage in sentences: `the last stage`, or `stage "run"` if a person asked for it.
    pub fn stage_in_words(&self) -> String {
        if self.asked.is_some() { self.basis() } else { LAST_STAGE.to_string() }
    }

    /// Reads `columns` of all tables and calls `make` for each in parallel, then `take` in the order of the replicas, so that
    /// results do not depend on the number of threads.
    pub fn read<T: Send>(
        &self,
        columns: &[&str],
        make: impl Fn(&BegunMember<'a>, MemberRows) -> Result<T, Error> + Sync,
        mut take: impl FnMut(&BegunMember<'a>, T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let protocol = &self.point.protocol;
        let one = |member: &BegunMember<'a>| {
            make(member, MemberRows::read(&member.folder.table(member.place), protocol, columns)?)
        };
        let most = BYTES_A_THREAD * rayon::current_num_threads() as u64;
        let mut rest = self.members.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |member: &&BegunMember<'a>| {
                let before = bytes;
                let table = member.folder.table(member.place);
                bytes += std::fs::metadata(table).map_or(0, |table| table.len());
                before < most
            };
            let (now, later) = rest.split_at(rest.iter().take_while(fits).count());
            let made: Vec<Result<T, Error>> = now.par_iter().map(one).collect();
            for (member, made) in now.iter().zip(made) {
                take(member, made?)?;
            }
            rest = later;
        }
        Ok(())
    }
}

/// Some columns of a member's table, and the stage of each row.
pub(crate) struct MemberRows {
    pub table: Table,
    /// Numbers of the stages, from 0.
    stages: Vec<usize>,
}

impl MemberRows {
    /// Reads those of `columns` that a table has. Fails for a damaged table, for an unknown stage, and where time goes backwards.
    pub fn read(path: &Path, protocol: &Protocol, columns: &[&str]) -> Result<MemberRows, Error> {
        let is_own = |name: &str| name == "stage" || CLOCKS.contains(&name);
        let table = read_columns(path, |name| is_own(name) || columns.contains(&name))?;
        refuse_backwards(&table)?;
        let number = |(row, name): (usize, &str)| {
            let reason = || format!("its stage is \"{name}\", which the input does not have");
            let number = protocol.stages.iter().position(|stage| stage.name == name);
            number.ok_or_else(|| table.damaged(row, reason()))
        };
        let stages = table.texts("stage")?.into_iter().enumerate().map(number);
        let stages = stages.collect::<Result<_, _>>()?;
        Ok(MemberRows { table, stages })
    }

    /// The rows of a stage, or all rows.
    pub fn of_stage(&self, stage: Option<usize>) -> impl Iterator<Item = usize> {
        let is_of = move |row: &usize| stage.is_none_or(|stage| self.stages[*row] == stage);
        (0..self.stages.len()).filter(is_of)
    }

    /// The rows of some stages.
    pub fn of_stages(&self, stages: &Range<usize>) -> impl Iterator<Item = usize> {
        (0..self.stages.len()).filter(|&row| stages.contains(&self.stages[row]))
    }

    /// Whether there are rows of a stage after this one.
    pub fn have_left(&self, stage: usize) -> bool {
        self.stages.iter().any(|other| *other > stage)
    }

    /// The numbers of a column in the rows of a stage, or in all rows; NaN for an empty cell.
    pub fn numbers(&self, column: &str, stage: Option<usize>) -> Result<Vec<f64>, Error> {
        let numbers = self.table.numbers(column)?;
        Ok(self.of_stage(stage).map(|row| numbers[row]).collect())
    }
}

/// Refuses a table in which steps or times fall; in a minimisation times stand.
fn refuse_backwards(table: &Table) -> Result<(), Error> {
    for clock in CLOCKS.into_iter().filter(|clock| table.has(clock)) {
        let mut last = 0.0;
        for (row, now) in table.numbers(clock)?.into_iter().enumerate() {
            if now < last {
                let reason = format!("its {clock} is {now}, less than {last}, which it had before");
                return Err(table.damaged(row, reason).into());
            }
            // An empty cell is no number, and other functions say so.
            last = now.max(last);
        }
    }
    Ok(())
}

/// Whether a stage samples, that is, is not a minimisation.
pub(crate) fn samples(stage: &Stage) -> bool {
    !matches!(stage.kind, StageKind::Minimise { .. })
}

/// Rows with an empty cell, which an answer cannot use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut {
    rows: usize,
    replicas: usize,
}

impl LeftOut {
    /// Counts such rows of one more replica.
    pub fn add(&mut self, rows: usize) {
        self.rows += rows;
        self.replicas += usize::from(rows > 0);
    }

    /// A note that these rows lack `what`, if there are such rows.
    pub fn note(self, what: &str) -> Option<String> {
        let LeftOut { rows, replicas } = self;
        (rows > 0).then(|| {
            format!("{rows} row(s) of {replicas} replica(s) have no {what} and are left out")
        })
    }
}
