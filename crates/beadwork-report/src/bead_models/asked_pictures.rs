//! What a person asks of pictures, and why there is none of it.

use std::collections::{BTreeMap, BTreeSet};

use beadwork_analysis::Error as AnalysisError;
use beadwork_session::Error;

use super::pictures::chosen;
use super::replicas::BeadModelGroup;
use crate::choices::PictureChoice;
use crate::frames;
use crate::rows::PointMembers;
use crate::words::{head, ranges_in_words};

/// The picture that is asked for, and the points that lack it, over all runs that are compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct AskedPictures {
    choice: PictureChoice,
    /// Whether a point has it.
    is_there: bool,
    /// The numbers of the replicas that have begun, of points without it, by run.
    begun: BTreeMap<String, BTreeSet<u64>>,
    /// The replica with the most frames of those that are asked for, and the number of its frames.
    most_frames: Option<(u64, usize)>,
}

impl AskedPictures {
    pub fn new(choice: PictureChoice) -> AskedPictures {
        AskedPictures { choice, ..AskedPictures::default() }
    }

    /// Adds a point whose picture was looked for.
    pub fn add(
        &mut self,
        of_point: &PointMembers<'_>,
        group: &BeadModelGroup,
    ) -> Result<(), Error> {
        self.is_there |= group.picture.is_some() || group.lacks_picture;
        let is_asked = self.choice.member.is_some() || self.choice.frame.is_some();
        if self.is_there || !is_asked {
            return Ok(());
        }
        let begun = self.begun.entry(of_point.run.clone()).or_default();
        begun.extend(of_point.members.iter().map(|member| member.number));
        for member in chosen(of_point, self.choice) {
            let count = frames::count(of_point, member)?;
            self.keep_most((member.number, count));
        }
        Ok(())
    }

    /// Adds the points of another run.
    pub fn extend(&mut self, other: AskedPictures) {
        self.is_there |= other.is_there;
        for (run, begun) in other.begun {
            self.begun.entry(run).or_default().extend(begun);
        }
        other.most_frames.into_iter().for_each(|one| self.keep_most(one));
    }

    fn keep_most(&mut self, (number, count): (u64, usize)) {
        if self.most_frames.is_none_or(|(_, most)| count > most) {
            self.most_frames = Some((number, count));
        }
    }

    /// Refuses a picture that points were asked for and that none of them has.
    ///
    /// # Errors
    /// `analysis/no-picture`, with what there is.
    pub fn refuse_absent(&self) -> Result<(), Error> {
        if self.is_there || self.begun.is_empty() {
            return Ok(());
        }
        Err(AnalysisError::new("analysis/no-picture", self.reason()).into())
    }

    fn reason(&self) -> String {
        let PictureChoice { member, frame, .. } = self.choice;
        let what = match (member, frame) {
            (Some(member), None) => format!("there is no picture of replica {member}"),
            (Some(member), Some(frame)) => {
                format!("there is no picture of frame {frame} of replica {member}")
            }
            (None, frame) => format!("there is no picture of frame {}", frame.unwrap_or_default()),
        };
        let Some((number, count)) = self.most_frames else {
            let of_run = |(run, begun): (&String, &BTreeSet<u64>)| {
                let numbers = ranges_in_words(begun.iter().map(|&number| number..number + 1));
                match begun.len() {
                    1 => format!("{}replica {numbers} has begun", head(run)),
                    _ => format!("{}replicas {numbers} have begun", head(run)),
                }
            };
            let begun: Vec<String> = self.begun.iter().map(of_run).collect();
            return format!("{what}: {}", begun.join("; "));
        };
        let has = match member {
            Some(_) => "it has".to_string(),
            None => format!("replica {number} has the most,"),
        };
        let all = ranges_in_words(std::iter::once(0..count as u64));
        match frame {
            _ if count == 0 => format!(
                "{what}, since no frames were written: `trajectory` in [output] asks for them"
            ),
            Some(frame) if frame >= count => format!("{what}: {has} frames {all}"),
            _ => format!(
                "{what}: {has} frames {all}, but none of all beads in the stage that is asked for"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(member: Option<u64>, frame: Option<usize>) -> AskedPictures {
        AskedPictures::new(PictureChoice { member, frame, ..PictureChoice::default() })
    }

    #[test]
    fn what_is_missing_is_said_with_what_there_is() {
        let run = |name: &str, numbers: &[u64]| {
            (name.to_string(), numbers.iter().copied().collect::<BTreeSet<u64>>())
        };
        let mut none = asked(Some(7), None);
        none.begun = BTreeMap::from([run("", &[0, 1, 2, 8])]);
        let reason = "there is no picture of replica 7: replicas 0 to 2, 8 have begun";
        assert_eq!(none.reason(), reason);
        none.begun = BTreeMap::from([run("a", &[0]), run("b", &[0, 1])]);
        let begun = "7: a: replica 0 has begun; b: replicas 0 to 1 have begun";
        assert!(none.reason().ends_with(begun), "{}", none.reason());
        let mut short = asked(None, Some(500));
        [(0, 3), (4, 9), (5, 9)].into_iter().for_each(|one| short.keep_most(one));
        let reason = "there is no picture of frame 500: replica 4 has the most, frames 0 to 8";
        assert_eq!(short.reason(), reason);
        short.choice.member = Some(4);
        assert!(short.reason().ends_with("frame 500 of replica 4: it has frames 0 to 8"));
        short.most_frames = Some((4, 0));
        assert!(short.reason().contains("since no frames were written: `trajectory`"));
    }

    /// What one of two runs has is no fault of the other.
    #[test]
    fn a_picture_of_any_run_will_do() {
        let mut all = asked(Some(7), None);
        assert!(all.refuse_absent().is_ok(), "no point was asked");
        all.begun = BTreeMap::from([("a".to_string(), BTreeSet::from([0]))]);
        assert_eq!(all.refuse_absent().unwrap_err().code(), "analysis/no-picture");
        all.extend(AskedPictures { is_there: true, ..asked(Some(7), None) });
        assert!(all.refuse_absent().is_ok());
    }
}
