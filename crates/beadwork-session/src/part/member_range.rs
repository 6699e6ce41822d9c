//! Consecutive members of an ensemble.

use std::ops::Range;

use beadwork_input::Request;
use beadwork_io::RunFolder;

use crate::Error;

/// Consecutive members of an ensemble.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part(Range<u64>);

impl Part {
    /// All members.
    pub fn whole(request: &Request) -> Part {
        Part(0..request.members())
    }

    /// The members with these numbers.
    ///
    /// # Errors
    /// An empty range, one beyond the members of the request, or one that cuts a ladder.
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

    /// The members of a folder.
    ///
    /// # Errors
    /// The errors of [`Part::new`].
    pub fn of(folder: &RunFolder, request: &Request) -> Result<Part, Error> {
        let members = folder.members();
        Part::new(members.start as u64..members.end as u64, request)
    }

    /// Reads `100..200`: from 100 to 199.
    ///
    /// # Errors
    /// A text that is no such range, and the errors of [`Part::new`].
    pub fn parse(text: &str, request: &Request) -> Result<Part, Error> {
        let range = text
            .split_once("..")
            .and_then(|(first, end)| Some(first.trim().parse().ok()?..end.trim().parse().ok()?));
        let Some(range) = range else {
            return Err(Error::Part(format!(
                "the replicas \"{text}\" cannot be read: write the first number, two dots and the number after the last, such as 100..200 for 100 to 199"
            )));
        };
        Part::new(range, request)
    }

    /// All members in so many parts of consecutive ones, as equal in number as can be. There are fewer parts if there are fewer
    /// members, or ladders, none of which is cut.
    pub fn split(request: &Request, parts: u64) -> Vec<Part> {
        let exchange = request.points.first().and_then(|point| point.exchange.as_ref());
        let together = exchange.map_or(1, |exchange| exchange.temperatures.len() as u64).max(1);
        let groups = request.members() / together;
        let parts = parts.clamp(1, groups.max(1));
        let start = |part: u64| u128::from(groups) * u128::from(part) / u128::from(parts);
        let start = |part: u64| start(part) as u64 * together;
        (0..parts).map(|part| Part(start(part)..start(part + 1))).collect()
    }

    /// The numbers of the members.
    pub fn range(&self) -> Range<u64> {
        self.0.clone()
    }

    /// The number of members.
    pub fn members(&self) -> u64 {
        self.0.end - self.0.start
    }

    /// Whether these are all members of the ensemble.
    pub fn is_whole(&self, request: &Request) -> bool {
        *self == Part::whole(request)
    }

    /// The folder, with file names for these members.
    pub(crate) fn folder(&self, folder: RunFolder, request: &Request) -> RunFolder {
        folder
            .with_members(request.members() as usize)
            .with_part(self.0.start as usize..self.0.end as usize)
    }
}

/// If a range cuts a ladder: the number of rungs, and the smallest larger range that does not.
fn cut_ladder(first: u64, end: u64, request: &Request) -> Option<(u64, u64, u64)> {
    let exchange = request.points.first()?.exchange.as_ref()?;
    let rungs = exchange.temperatures.len() as u64;
    let (lower, upper) = (first / rungs * rungs, end.div_ceil(rungs) * rungs);
    ((lower, upper) != (first, end)).then_some((rungs, lower, upper))
}
