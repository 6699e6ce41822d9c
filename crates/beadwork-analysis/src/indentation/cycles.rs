//! The ways of a base out and back.

use std::ops::Range;

/// One way of a base out, and the way back if it has turned. Rests between them belong to neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycle {
    /// The samples of the way out, from the last one at which the base stood.
    pub approach: Range<usize>,
    /// The rows of the way back, from the last row at which the base stood or went out.
    pub retraction: Option<Range<usize>>,
}

/// The cycles of a base that has gone this far at successive times. A base that stands still has none.
///
/// ```
/// use beadwork_analysis::indentation::cycles;
/// let found = cycles(&[0.0, 1.0, 2.0, 2.0, 1.0, 0.0, 1.0]);
/// assert_eq!((found[0].approach.clone(), found[0].retraction.clone()), (0..3, Some(3..6)));
/// assert_eq!((found[1].approach.clone(), found[1].retraction.clone()), (5..7, None));
/// ```
pub fn cycles(base: &[f64]) -> Vec<Cycle> {
    let mut cycles: Vec<Cycle> = Vec::new();
    for (before, pair) in base.windows(2).enumerate() {
        let (travel, end) = (pair[1] - pair[0], before + 2);
        match cycles.last_mut() {
            Some(Cycle { approach, retraction: None }) if travel > 0.0 => approach.end = end,
            _ if travel > 0.0 => cycles.push(Cycle { approach: before..end, retraction: None }),
            Some(Cycle { retraction, .. }) if travel < 0.0 => {
                retraction.get_or_insert(before..end).end = end;
            }
            _ => {}
        }
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_that_stands_has_no_cycle() {
        assert!(cycles(&[]).is_empty() && cycles(&[1.0]).is_empty());
        assert!(cycles(&[1.0, 1.0, 1.0]).is_empty());
        // The base is recorded for the first time on the way back.
        assert!(cycles(&[2.0, 1.0, 0.0]).is_empty());
    }

    #[test]
    fn rests_belong_to_no_way() {
        let base = [0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 1.0, 0.0, 0.0, 0.0, 1.0, 2.0];
        let found = cycles(&base);
        assert_eq!(found[0], Cycle { approach: 1..4, retraction: Some(5..8) });
        assert_eq!(found[1], Cycle { approach: 9..12, retraction: None });
        assert_eq!(found.len(), 2);
    }
}
