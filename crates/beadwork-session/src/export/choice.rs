//! Which configurations of a member are meant.

use std::ops::Range;

use crate::Error;

/// Which configurations of a member are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frames {
    /// The state in its checkpoint, in double precision and with velocities.
    State,
    /// All frames of its trajectory.
    All,
    /// One frame, counted from 0, or from −1 backwards from the last one.
    One(i64),
    /// Frames from one number up to, but not including, another one.
    Some(Range<u64>),
}

impl Frames {
    /// Reads `state`, `all`, `last`, `7`, `-2` or `10..20`.
    ///
    /// # Errors
    /// A text that is none of these.
    pub fn parse(text: &str) -> Result<Frames, Error> {
        let range = |(first, end): (&str, &str)| {
            let range = first.trim().parse().ok()?..end.trim().parse().ok()?;
            (range.start < range.end).then_some(Frames::Some(range))
        };
        let read = match text.trim() {
            "state" => Some(Frames::State),
            "all" => Some(Frames::All),
            "last" => Some(Frames::One(-1)),
            other => other
                .parse()
                .ok()
                .map(Frames::One)
                .or_else(|| other.split_once("..").and_then(range)),
        };
        read.ok_or_else(|| {
            Error::Export(format!(
                "the frames \"{text}\" cannot be read: write last, all, state, a number such as 0 or -2, or 10..20 for the frames 10 to 19"
            ))
        })
    }

    /// The numbers of the frames that are meant of so many; `None` for the state.
    pub(super) fn numbers(&self, count: usize) -> Result<Option<Range<usize>>, Error> {
        let missing = |what: String| {
            let message = format!("{what}, and the trajectory has {count}, counted from 0");
            Err(Error::Export(message))
        };
        match self {
            Frames::State => Ok(None),
            Frames::All if count == 0 => missing("all were asked for".to_string()),
            Frames::All => Ok(Some(0..count)),
            Frames::One(number) => {
                let place = match *number {
                    number if number < 0 => (count as u64).checked_sub(number.unsigned_abs()),
                    number => Some(number.unsigned_abs()),
                };
                match place.filter(|&place| place < count as u64) {
                    Some(place) => Ok(Some(place as usize..place as usize + 1)),
                    None => missing(format!("the frame {number} was asked for")),
                }
            }
            Frames::Some(range) if range.end > count as u64 => {
                missing(format!("the frames {}..{} were asked for", range.start, range.end))
            }
            Frames::Some(range) => Ok(Some(range.start as usize..range.end as usize)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_from_both_ends() {
        let numbers = |text: &str, count| Frames::parse(text).unwrap().numbers(count);
        for (text, count, expected) in [
            ("all", 4, Some(0..4)),
            ("last", 4, Some(3..4)),
            ("0", 4, Some(0..1)),
            ("-4", 4, Some(0..1)),
            ("1..3", 4, Some(1..3)),
            ("state", 0, None),
        ] {
            assert_eq!(numbers(text, count).unwrap(), expected, "{text}");
        }
        for (text, count) in [("4", 4), ("-5", 4), ("1..5", 4), ("all", 0), ("last", 0)] {
            assert_eq!(numbers(text, count).unwrap_err().code(), "run/export", "{text}");
        }
        for text in ["", "first", "3..3", "4..2", "1.5", "1..x"] {
            assert_eq!(Frames::parse(text).unwrap_err().code(), "run/export", "{text}");
        }
    }
}
