//! A run that is read, from one folder or from the folders of its parts.

use std::path::Path;
use std::sync::OnceLock;

use beadwork_engine::Plan;
use beadwork_input::Request;
use beadwork_io::RunFolder;

use super::member_range::Part;
use crate::comparison::{self, Known};
use crate::extension_mark::digest_when_longer;
use crate::fingerprint::fingerprint;
use crate::members_list::Listed;
use crate::plan::plan;
use crate::record::Record;
use crate::run_status::RunStatus;
use crate::{Error, exchanges, lowest};

/// A run that is read, or the parts of one: folders of one input with different members, in the order of their numbers.
#[derive(Debug)]
pub struct View {
    /// The folders, at least one, each with its members.
    pub folders: Vec<RunFolder>,
    /// Their request.
    pub request: Request,
    fingerprint: String,
    /// The status of each folder. It is read once, so all reports describe the same moment.
    statuses: OnceLock<Vec<RunStatus>>,
    /// What the checkpoints of each folder know of its output files, read once too.
    known: OnceLock<Vec<Known>>,
}

impl View {
    /// Opens a folder for reading, during its run or after it.
    ///
    /// # Errors
    /// A folder that holds no run, or whose input cannot be read.
    pub fn open(path: &Path) -> Result<View, Error> {
        let folder = RunFolder::open(path)?;
        let record = Record::read(&folder)?;
        let longer = digest_when_longer(&folder);
        record.refuse_changed(&folder, longer.as_deref())?;
        let request = beadwork_input::load_begun(&folder.resolved(), &[])?;
        if longer.is_none() {
            record.refuse_other(&folder, &request)?;
        }
        let part = record.part(&request)?;
        let fingerprint = fingerprint(&request);
        let folders = vec![part.folder(folder, &request)];
        let (statuses, known) = (OnceLock::new(), OnceLock::new());
        Ok(View { folders, request, fingerprint, statuses, known })
    }

    /// Refuses folders with output files that are not what was written.
    ///
    /// # Errors
    /// The first such file.
    pub fn refuse_damaged(&self) -> Result<(), Error> {
        for (folder, known) in self.folders.iter().zip(self.known()?) {
            comparison::refuse_damaged(folder, &self.plan(folder)?, known)?;
        }
        Ok(())
    }

    /// The members of a folder.
    pub(crate) fn part(&self, folder: &RunFolder) -> Result<Part, Error> {
        Part::of(folder, &self.request)
    }

    /// The status of each member, in the order of their numbers, by their checkpoints.
    ///
    /// # Errors
    /// A checkpoint that cannot be used.
    pub fn listed(&self) -> Result<Vec<Listed>, Error> {
        let mut all = Vec::new();
        for folder in &self.folders {
            let statuses = beadwork_engine::statuses(folder, &self.plan(folder)?)?;
            all.extend(statuses.iter().map(|status| Listed::of(status.as_ref())));
        }
        Ok(all)
    }

    /// A note for each folder with replicas that have steps left.
    ///
    /// # Errors
    /// A damaged `members.csv`.
    pub fn unfinished(&self) -> Result<Vec<String>, Error> {
        let folders = self.folders.iter().zip(self.statuses()?);
        Ok(folders.filter_map(|(folder, status)| status.note(folder)).collect())
    }

    /// Notes on replicas whose files could not be compared with what was written, since their checkpoints are gone or cannot be
    /// used, and on trajectories that are gone although no value rests on them.
    ///
    /// # Errors
    /// A damaged `members.csv`.
    pub fn not_compared(&self) -> Result<Vec<String>, Error> {
        let mut notes = Vec::new();
        for (folder, known) in self.folders.iter().zip(self.known()?) {
            notes.extend(comparison::notes(folder, &self.plan(folder)?, known));
        }
        Ok(notes)
    }

    /// Writes the files that a run derives from its checkpoints: `exchange.csv`, `lowest.csv` and `lowest.pdb`. Leaves the
    /// files of a folder alone if a checkpoint of it is missing or cannot be used.
    pub fn write_derived(&self) -> Result<(), Error> {
        for (folder, status) in self.folders.iter().zip(self.statuses()?) {
            if status.has_all_checkpoints() {
                let plan = self.plan(folder)?;
                exchanges::write(folder, &plan)?;
                lowest::write(folder, &plan, self.request.replicas)?;
            }
        }
        Ok(())
    }

    /// What the checkpoints of each folder know of its output files.
    fn known(&self) -> Result<&[Known], Error> {
        if let Some(known) = self.known.get() {
            return Ok(known);
        }
        let read = |folder: &RunFolder| Known::read(folder, &self.plan(folder)?);
        let known = self.folders.iter().map(read).collect::<Result<_, Error>>()?;
        Ok(self.known.get_or_init(|| known))
    }

    /// The status of each folder.
    fn statuses(&self) -> Result<&[RunStatus], Error> {
        if let Some(known) = self.statuses.get() {
            return Ok(known);
        }
        let read = |folder: &RunFolder| RunStatus::read(folder, &self.plan(folder)?);
        let statuses = self.folders.iter().map(read).collect::<Result<_, Error>>()?;
        Ok(self.statuses.get_or_init(|| statuses))
    }

    /// The plan of a folder's members.
    fn plan(&self, folder: &RunFolder) -> Result<Plan, Error> {
        Ok(plan(&self.request, &Part::of(folder, &self.request)?))
    }

    /// Whether all members are in one folder.
    fn is_whole(&self) -> bool {
        self.folders.iter().any(|folder| folder.members().len() as u64 == self.request.members())
    }

    /// Refuses folders with members that would begin anew because their checkpoints are gone.
    ///
    /// # Errors
    /// The first such folder, and what would be lost.
    pub fn refuse_lost(&self) -> Result<(), Error> {
        self.folders.iter().try_for_each(|folder| crate::lost::refuse(folder, &self.plan(folder)?))
    }

    /// Joins the parts of each run. Runs of different inputs, and whole runs of one input, stay separate and in order.
    ///
    /// # Errors
    /// Parts of one run with a member in common, which would count twice.
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
            other.known.take();
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
                let which = match end - first {
                    1 => format!("replica {first} is"),
                    _ => format!("the replicas {first}..{end} are"),
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

#[cfg(test)]
mod tests {
    use beadwork_engine::Devices;
    use beadwork_input::Addition;
    use beadwork_io::RunFolder;

    use super::View;
    use crate::part::Part;
    use crate::session::Session;

    /// Earlier versions began runs with a sweep over two keys of which one removes the other.
    #[test]
    fn begun_runs_are_read_with_what_is_refused_now() {
        let home = tempfile::tempdir().unwrap();
        let text = "[system]\nmodel = \"oscillators\"\nparticles = 7\n[dynamics]\ntemperature = \"300 K\"\ntimestep = \"1 ps\"\n[[stage]]\nname = \"go\"\nsteps = 5\n[ensemble.sweep]\n\"dynamics.friction\" = [\"1e4 pN ps/nm\"]\n\"dynamics.diffusion\" = [\"1 um^2/s\", \"2 um^2/s\"]\n";
        assert!(beadwork_input::parse(text, "in.toml", home.path(), &[]).is_err());
        let request = beadwork_input::parse_begun(text, "in.toml", home.path(), &[]).unwrap();
        let (path, part) = (home.path().join("run"), Part::whole(&request));
        let claimed = RunFolder::create(&path).unwrap();
        drop(Session::fill(claimed, request, part, &Devices::Cpu).unwrap());
        assert_eq!(View::open(&path).unwrap().request.points.len(), 2);
        drop(Session::open(&path).unwrap());
        let resolved = path.join("resolved.toml");
        let longer = beadwork_input::extend(&resolved, None, &Addition::Steps(5)).unwrap();
        assert_eq!(longer.request.points[1].protocol.steps(), 10);
    }
}
