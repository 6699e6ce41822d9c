//! Parts of an ensemble: some of its members, in a folder of their own.
//!
//! A member's number counts over ensemble and sweep, point × replicas + replica; its noise is keyed
//! by it and its files are called after it. So a part leaves the same files as the whole run does,
//! byte for byte, and parts that were made apart can be answered together.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use beadwork_engine::Plan;
use beadwork_input::Request;
use beadwork_io::RunFolder;

use crate::record::Record;
use crate::run_status::RunStatus;
use crate::session::{fingerprint, plan};
use crate::{Error, exchanges, lowest};

/// The rungs of the ladders, and the range with whole ones, where a range does not have whole ones alone.
fn cut_ladder(first: u64, end: u64, request: &Request) -> Option<(u64, u64, u64)> {
    let exchange = request.points.first()?.exchange.as_ref()?;
    let rungs = exchange.temperatures.len() as u64;
    let (lower, upper) = (first / rungs * rungs, end.div_ceil(rungs) * rungs);
    ((lower, upper) != (first, end)).then_some((rungs, lower, upper))
}

/// Some members of an ensemble, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part(Range<u64>);

impl Part {
    /// All members.
    pub fn whole(request: &Request) -> Part {
        Part(0..request.members())
    }

    /// Members `range`, by their numbers over ensemble and sweep.
    ///
    /// # Errors
    /// A range without members or beyond those of the request.
    pub fn new(range: Range<u64>, request: &Request) -> Result<Part, Error> {
        let (first, end, members) = (range.start, range.end, request.members());
        let last = members.saturating_sub(1);
        let problem = if first > end {
            format!("{first}..{end} runs backwards: write {end}..{first}")
        } else if first == end {
            format!(
                "{first}..{end} is empty, since the number after the dots is not among them: write {first}..{} for one replica",
                first.saturating_add(1)
            )
        } else if end > members {
            format!(
                "{first}..{end} goes beyond the ensemble, whose {members} replica(s) have the numbers 0 to {last}: write at most {}..{members}",
                first.min(last)
            )
        } else if let Some((rungs, lower, upper)) = cut_ladder(first, end, request) {
            format!(
                "{first}..{end} would cut a ladder, whose {rungs} replicas exchange their temperatures: write {lower}..{upper}"
            )
        } else {
            return Ok(Part(range));
        };
        Err(Error::Part(format!("the replicas {problem}")))
    }

    /// Reads `100..200`: from 100 to 199.
    ///
    /// # Errors
    /// A text that is no such range, and those of [`Part::new`].
    pub fn parse(text: &str, request: &Request) -> Result<Part, Error> {
        let range = text
            .split_once("..")
            .and_then(|(first, end)| Some(first.trim().parse().ok()?..end.trim().parse().ok()?));
        let unread = || {
            Error::Part(format!(
                "the replicas \"{text}\" cannot be read: write the first number, two dots and the number after the last, such as 100..200 for 100 to 199"
            ))
        };
        Part::new(range.ok_or_else(unread)?, request)
    }

    /// The numbers of its members.
    pub fn range(&self) -> Range<u64> {
        self.0.clone()
    }

    /// How many there are.
    pub fn members(&self) -> u64 {
        self.0.end - self.0.start
    }

    /// Whether these are all.
    pub fn is_whole(&self, request: &Request) -> bool {
        *self == Part::whole(request)
    }

    /// The folder, with its files called after these members.
    pub(crate) fn folder(&self, folder: RunFolder, request: &Request) -> RunFolder {
        folder
            .with_members(request.members() as usize)
            .with_part(self.0.start as usize..self.0.end as usize)
    }
}

/// A run to be looked at, or the parts of one: folders of one input whose members are all
/// different, in the order of their numbers.
#[derive(Debug)]
pub struct View {
    /// The folders, at least one, each with its members.
    pub folders: Vec<RunFolder>,
    /// Their request.
    pub request: Request,
    fingerprint: String,
    /// Of each folder, once somebody has asked, so that all that is said of it is of one moment.
    statuses: OnceLock<Vec<RunStatus>>,
}

impl View {
    /// A folder to be looked at, while its run goes on or afterwards.
    ///
    /// # Errors
    /// A folder that is none of a run, or whose input cannot be read.
    pub fn open(path: &Path) -> Result<View, Error> {
        let folder = RunFolder::open(path)?;
        let request = beadwork_input::load(&folder.resolved(), &[])?;
        let part = Record::read(&folder)?.part(&request)?;
        let fingerprint = fingerprint(&request);
        let folders = vec![part.folder(folder, &request)];
        Ok(View { folders, request, fingerprint, statuses: OnceLock::new() })
    }

    /// A note for each folder with replicas that are still on their way.
    ///
    /// # Errors
    /// A damaged `members.csv`.
    pub fn notes(&self) -> Result<Vec<String>, Error> {
        let statuses = self.folders.iter().zip(self.statuses()?);
        Ok(statuses.filter_map(|(folder, status)| status.note(folder)).collect())
    }

    /// Writes into each folder what a run leaves of its checkpoints: `exchange.csv`, `lowest.csv` and `lowest.pdb`. Nothing
    /// where checkpoints cannot be used or are gone, so that the files stay as they are.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn write_kept(&self) -> Result<(), Error> {
        for (folder, status) in self.folders.iter().zip(self.statuses()?) {
            if status.has_all_checkpoints() {
                let plan = self.plan(folder)?;
                exchanges::write(folder, &plan)?;
                lowest::write(folder, &plan, self.request.replicas)?;
            }
        }
        Ok(())
    }

    /// How far the members of each folder came.
    fn statuses(&self) -> Result<&[RunStatus], Error> {
        if let Some(known) = self.statuses.get() {
            return Ok(known);
        }
        let read = |folder: &RunFolder| RunStatus::read(folder, &self.plan(folder)?);
        let statuses = self.folders.iter().map(read).collect::<Result<_, Error>>()?;
        Ok(self.statuses.get_or_init(|| statuses))
    }

    /// What is done with the members of a folder.
    fn plan(&self, folder: &RunFolder) -> Result<Plan, Error> {
        let members = folder.members();
        let part = Part::new(members.start as u64..members.end as u64, &self.request)?;
        Ok(plan(&self.request, &part))
    }

    /// Whether all members are in one folder.
    fn is_whole(&self) -> bool {
        self.folders.iter().any(|folder| folder.members().len() as u64 == self.request.members())
    }

    /// Puts parts of one run together. Runs of different inputs stay beside each other, in the order
    /// in which they were given, and so do whole ones of one input.
    ///
    /// # Errors
    /// Parts of one run that have a member in common, which would count twice.
    pub fn join(views: Vec<View>) -> Result<Vec<View>, Error> {
        let mut joined: Vec<View> = Vec::new();
        for view in views {
            let of_the_same = |other: &&mut View| {
                other.fingerprint == view.fingerprint && !other.is_whole() && !view.is_whole()
            };
            let Some(other) = joined.iter_mut().find(of_the_same) else {
                joined.push(view);
                continue;
            };
            for folder in &view.folders {
                other.refuse_twice(folder)?;
            }
            other.statuses.take();
            other.folders.extend(view.folders);
            other.folders.sort_by_key(|folder| folder.members().start);
        }
        Ok(joined)
    }

    fn refuse_twice(&self, folder: &RunFolder) -> Result<(), Error> {
        let members = folder.members();
        for other in &self.folders {
            let (first, end) =
                (members.start.max(other.members().start), members.end.min(other.members().end));
            if first < end {
                let which = if end - first == 1 {
                    format!("replica {first} is")
                } else {
                    format!("the replicas {first}..{end} are")
                };
                return Err(Error::Part(format!(
                    "{which} both in {} and in {} and would count twice: leave out one of the folders",
                    other.root().display(),
                    folder.root().display()
                )));
            }
        }
        Ok(())
    }
}
