//! The members of a run that have begun, with what their checkpoints say of their files.

use beadwork_engine::{MemberCheckpoint, MemberStatus, output_files};
use beadwork_input::Request;
use beadwork_io::RunFolder;

use crate::Error;
use crate::members_list::{self, Listed};
use crate::outputs::{MemberOutputs, of_checkpoints, reads_frames};
use crate::part::Part;
use crate::plan::plan;

/// A member by its folder, its index there and its number.
pub type MemberFolder<'a> = (&'a RunFolder, usize, u64);

/// The members that have begun: those with a table or a checkpoint, and those that `members.csv` names as begun.
///
/// # Errors
/// An output file that is gone or shorter than at its checkpoint; a damaged `members.csv`.
pub fn begun<'a>(
    folders: &'a [RunFolder],
    request: &Request,
) -> Result<Vec<MemberFolder<'a>>, Error> {
    let members = begun_and_ended(folders, request)?;
    Ok(members.into_iter().map(|(member, _)| member).collect())
}

/// The members that [`begun`] finds. Beside each stands whether it has no steps left, by its checkpoint, or by `members.csv`
/// where there is no checkpoint.
///
/// # Errors
/// See [`begun`].
pub fn begun_and_ended<'a>(
    folders: &'a [RunFolder],
    request: &Request,
) -> Result<Vec<(MemberFolder<'a>, bool)>, Error> {
    let mut begun = Vec::new();
    let reads_frames = request.points.iter().any(|point| reads_frames(&point.system.model));
    for folder in folders {
        let listed = members_list::read(folder)?;
        let files = files_at_checkpoints(folder, request)?;
        for (place, number) in folder.members().enumerate() {
            let listed = listed.get(place).copied();
            let is_listed = listed.is_some_and(|one| one != Listed::NotBegun);
            for file in files[place].iter().flat_map(|(_, files)| files) {
                if reads_frames || !file.is_trajectory {
                    file.compare_length()?;
                }
            }
            if is_listed
                || files[place].is_some()
                || folder.checkpoint(place).exists()
                || folder.table(place).exists()
            {
                let has_ended = match &files[place] {
                    Some((status, _)) => *status != MemberStatus::Running,
                    None => matches!(listed, Some(Listed::Finished | Listed::Failed)),
                };
                begun.push(((folder, place, number as u64), has_ended));
            }
        }
    }
    Ok(begun)
}

/// The output files of each member with their ends at its checkpoint, and its status there; `None` without a readable
/// checkpoint, which other functions report.
fn files_at_checkpoints(
    folder: &RunFolder,
    request: &Request,
) -> Result<Vec<Option<MemberOutputs>>, Error> {
    let plan = plan(request, &Part::of(folder, request)?);
    let of_member = |number: usize, found: Option<MemberCheckpoint>| {
        let MemberCheckpoint { record, status, .. } = found?;
        Some(output_files(folder, &plan, number, record).map(|files| (status, files)))
    };
    let mut files = Vec::with_capacity(plan.members.len());
    for (members, known) in
        plan.checkpoint_groups().iter().zip(of_checkpoints(folder, &plan, of_member))
    {
        match known {
            Ok(known) => {
                let known = known.into_iter().map(Option::transpose);
                files.extend(known.collect::<Result<Vec<_>, _>>()?);
            }
            Err(_) => files.resize(files.len() + members.len(), None),
        }
    }
    Ok(files)
}
