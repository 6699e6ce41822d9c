//! The progress of the members of a folder, from their checkpoints and from `members.csv`.

use beadwork_engine::{MemberStatus, Plan};
use beadwork_io::RunFolder;

use crate::Error;
use crate::members_list::{self, Listed};
use crate::part::way_on;

/// The status of a folder's members, in the order of their numbers.
#[derive(Debug)]
pub(crate) struct RunStatus {
    /// The statuses in checkpoints, or the reason why checkpoints cannot be used.
    checkpoints: Result<Vec<Option<MemberStatus>>, beadwork_engine::Error>,
    listed: Vec<Listed>,
}

impl RunStatus {
    /// Reads all checkpoints and `members.csv`, which must not be damaged.
    pub fn read(folder: &RunFolder, plan: &Plan) -> Result<RunStatus, Error> {
        let checkpoints = beadwork_engine::statuses(folder, plan);
        Ok(RunStatus { checkpoints, listed: members_list::read(folder)? })
    }

    fn checkpoint(&self, place: usize) -> Option<&MemberStatus> {
        self.checkpoints.as_ref().ok()?.get(place)?.as_ref()
    }

    fn is_listed_as(&self, place: usize, any: &[Listed]) -> bool {
        self.listed.get(place).is_some_and(|one| any.contains(one))
    }

    /// Whether a member has no steps left. Without checkpoints `members.csv` decides, which an extension updates.
    fn is_over(&self, place: usize) -> bool {
        match self.checkpoint(place) {
            Some(status) => *status != MemberStatus::Running,
            None => self.is_listed_as(place, &[Listed::Finished, Listed::Failed]),
        }
    }

    /// Whether every member has a usable checkpoint.
    pub fn has_all_checkpoints(&self) -> bool {
        let is_gone = |place: usize| {
            self.checkpoint(place).is_none()
                && self.is_listed_as(place, &[Listed::Finished, Listed::Failed, Listed::Stopped])
        };
        self.checkpoints.is_ok() && !(0..self.listed.len()).any(is_gone)
    }

    /// A note if members have steps left.
    pub fn note(&self, folder: &RunFolder) -> Option<String> {
        let (path, members) = (folder.root().display(), folder.members().len());
        let open: Vec<usize> = (0..members).filter(|&place| !self.is_over(place)).collect();
        if open.is_empty() {
            return None;
        }
        if let Err(error) = &self.checkpoints {
            return Some(format!("it is not known how far the replicas in {path} are: {error}"));
        }
        let is_lost =
            |place: &&usize| self.checkpoint(**place).is_none() && folder.table(**place).exists();
        let further = match open.iter().filter(is_lost).count() {
            0 => format!("if the run was stopped, {}", way_on(folder.root())),
            lost => format!(
                "{lost} of them have a table and no checkpoint, and start from the beginning if the run was stopped"
            ),
        };
        Some(format!(
            "{} of {members} replica(s) in {path} have not finished all stages, and the results cover what they have done so far; {further}",
            open.len()
        ))
    }
}
