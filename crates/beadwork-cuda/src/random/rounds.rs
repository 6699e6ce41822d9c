//! Rounds in which numbers of Lagged Fibonacci are made: within one, no number depends on another.

/// The largest depth that kernels have.
const MOST_DEPTH: u64 = 8;

/// The numbers of a round that fill a card. A greater depth makes a round longer, and its numbers read more others.
const MOST_NUMBERS: u64 = 1 << 19;

/// The numbers of a round: `depth` short lags of them, `first` short lags behind the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    pub first: u32,
    pub depth: u32,
}

impl Round {
    /// The threads that make the numbers of a sequence with this short lag.
    pub fn threads(self, short_lag: u32) -> u32 {
        self.depth * short_lag
    }
}

/// The rounds that make sequences side by side, each given by its short and long lag and how many numbers it makes. Numbers of depth
/// d are sums of earlier ones, the farthest d long lags before (`kernels/random/sequences.cuh`). A ring holds one long lag of them, so
/// that the depth can be d once d − 1 long lags of numbers are made.
pub fn rounds(sequences: impl Iterator<Item = ([u32; 2], u64)>) -> impl Iterator<Item = Round> {
    let (mut last, mut reach, mut side_by_side) = (0, 1, 0);
    for ([short, long], numbers) in sequences {
        let [short, long] = [short, long].map(u64::from);
        last = last.max(numbers.div_ceil(short));
        reach = reach.max(long.div_ceil(short));
        side_by_side += short;
    }
    let most = (MOST_NUMBERS / side_by_side.max(1)).clamp(1, MOST_DEPTH);
    let mut next: u64 = 0;
    std::iter::from_fn(move || {
        let first = next;
        if first >= last {
            return None;
        }
        let depth = 1 << most.min(first / reach + 1).ilog2();
        next += depth;
        Some(Round { first: first as u32, depth: depth as u32 })
    })
}

#[cfg(test)]
mod tests {
    use beadwork_random::generators::lagged_fibonacci::LAGS;

    use super::*;

    /// Rounds follow each other without gaps, read only what exists, and reach the depth that fills a card.
    #[test]
    fn rounds_follow_each_other_and_read_what_there_is() {
        for (short, long) in LAGS.map(|(short, long)| (short as u32, long as u32)) {
            for members in [1, 7, 1_000] {
                let numbers = 40 * u64::from(long) + 3;
                let of_each = std::iter::repeat_n(([short, long], numbers), members);
                let made: Vec<Round> = rounds(of_each).collect();
                let mut next = 0;
                for &Round { first, depth } in &made {
                    assert_eq!(first, next, "{short}, {long}, {members} members");
                    assert!([1, 2, 4, 8].contains(&depth));
                    let farthest = i64::from(first) * i64::from(short);
                    assert!(farthest - i64::from(depth * long) >= -i64::from(long));
                    next += depth;
                }
                let short = u64::from(short);
                assert!(u64::from(next) * short >= numbers);
                assert!(u64::from(made.last().unwrap().first) * short < numbers);
                let deepest = made.iter().map(|round| round.depth).max().unwrap();
                let usual = MOST_NUMBERS / (members as u64 * short);
                assert_eq!(u64::from(deepest), 1 << usual.clamp(1, MOST_DEPTH).ilog2());
            }
        }
        assert_eq!(rounds([([1_252, 2_281], 0)].into_iter()).count(), 0);
        assert_eq!(rounds(std::iter::empty()).count(), 0);
    }
}
