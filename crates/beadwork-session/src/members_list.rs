//! `members.csv`: the settings of each member of a folder, and how it ended.

use std::fmt::Write as _;

use beadwork_analysis::table;
use beadwork_engine::MemberStatus;
use beadwork_input::Request;
use beadwork_io::table::quoted;
use beadwork_io::{RunFolder, atomic};

use crate::Error;
use crate::part::Part;

/// The status of a member while no process steps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// It has no table.
    NotBegun,
    /// It has steps left.
    Stopped,
    /// It has finished all stages.
    Finished,
    /// It is frozen in its last sound state.
    Failed,
}

impl Listed {
    const ALL: [Listed; 4] = [Listed::NotBegun, Listed::Stopped, Listed::Finished, Listed::Failed];

    fn of(status: Option<&MemberStatus>) -> Listed {
        match status {
            None => Listed::NotBegun,
            Some(MemberStatus::Running) => Listed::Stopped,
            Some(MemberStatus::Finished) => Listed::Finished,
            Some(MemberStatus::Failed { .. }) => Listed::Failed,
        }
    }

    /// The word in the file.
    fn word(self) -> &'static str {
        match self {
            Listed::NotBegun => "not begun",
            Listed::Stopped => "stopped",
            Listed::Finished => "finished",
            Listed::Failed => "failed",
        }
    }
}

/// Writes one line for each member. Call it when no process steps the members: those with steps left count as stopped.
pub(crate) fn write(
    folder: &RunFolder,
    request: &Request,
    part: &Part,
    statuses: &[Option<MemberStatus>],
) -> Result<(), Error> {
    let mut text = String::from("member,point,replica_of_point");
    for (path, _) in &request.points[0].settings {
        let _ = write!(text, ",{}", quoted(path));
    }
    text.push_str(",status,message\n");
    for (number, status) in part.range().zip(statuses) {
        let (point, replica) = request.member(number);
        let place = number / request.replicas.max(1);
        let _ = write!(text, "{number},{place},{replica}");
        for (_, value) in &point.settings {
            let _ = write!(text, ",{}", quoted(value));
        }
        let message = match status {
            Some(MemberStatus::Failed { message, .. }) => message.as_str(),
            _ => "",
        };
        let word = Listed::of(status.as_ref()).word();
        let _ = writeln!(text, ",{word},{}", quoted(message));
    }
    Ok(atomic::write(&folder.members_csv(), text.as_bytes())?)
}

/// Reads the status of each member; empty during the first session of a run, which writes the list at its end.
///
/// # Errors
/// A damaged list, or one with an unknown status.
pub fn read(folder: &RunFolder) -> Result<Vec<Listed>, Error> {
    let path = folder.members_csv();
    if !path.exists() {
        return Ok(Vec::new());
    }
    let table = table::read_csv(&path)?;
    let listed = |(row, word): (usize, &str)| {
        let listed = Listed::ALL.into_iter().find(|listed| listed.word() == word);
        listed.ok_or_else(|| {
            let words = Listed::ALL.map(Listed::word).join(", ");
            table.damaged(row, format!("its status is \"{word}\", which is none of {words}")).into()
        })
    };
    table.texts("status")?.into_iter().enumerate().map(listed).collect()
}
