//! Places of beads in few bytes.

/// Positions as whole numbers of 16 bits: the first frame as differences of successive beads, each other one as differences from the
/// frame before. All low bytes come first, then all high ones, most of which are alike.
pub(super) struct Places {
    /// The lowest coordinates.
    pub origin: [f64; 3],
    /// What a whole number stands for.
    pub step: f64,
    differences: Vec<u16>,
}

impl Places {
    /// Rounds to multiples of `step`, or of a larger one if the frames reach too far.
    pub(super) fn of(frames: &[Vec<[f64; 3]>], step: f64) -> Places {
        let all = || frames.iter().flatten();
        let end = |axis: usize, pick: fn(f64, f64) -> f64, start: f64| {
            all().map(|at| at[axis]).filter(|x| x.is_finite()).fold(start, pick)
        };
        let origin = [0, 1, 2].map(|axis| end(axis, f64::min, f64::INFINITY));
        let origin = origin.map(|x| if x.is_finite() { x } else { 0.0 });
        let reach = (0..3).map(|axis| end(axis, f64::max, origin[axis]) - origin[axis]);
        let step = reach.fold(step, |step, reach| step.max(reach / f64::from(u16::MAX)));
        // Numbers that are not finite become 0.
        let whole = |x: f64, axis: usize| ((x - origin[axis]) / step).round() as u16;
        let mut differences = Vec::with_capacity(3 * all().count());
        for (number, frame) in frames.iter().enumerate() {
            for axis in 0..3 {
                let mut before = 0;
                for (bead, at) in frame.iter().enumerate() {
                    let now = whole(at[axis], axis);
                    let from = match number {
                        0 => std::mem::replace(&mut before, now),
                        _ => whole(frames[number - 1][bead][axis], axis),
                    };
                    differences.push(now.wrapping_sub(from));
                }
            }
        }
        Places { origin, step, differences }
    }

    /// The length of the description as a word of 32 bits, the description, then the differences.
    pub(super) fn bytes(&self, description: &str) -> Vec<u8> {
        let mut bytes = (description.len() as u32).to_le_bytes().to_vec();
        bytes.extend(description.as_bytes());
        bytes.extend(self.differences.iter().map(|difference| difference.to_le_bytes()[0]));
        bytes.extend(self.differences.iter().map(|difference| difference.to_le_bytes()[1]));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the script does.
    fn unpack(packed: &Places, beads: usize) -> Vec<Vec<[f64; 3]>> {
        let mut frames: Vec<Vec<[u16; 3]>> = Vec::new();
        for frame in packed.differences.chunks(3 * beads) {
            let mut now = vec![[0_u16; 3]; beads];
            for axis in 0..3 {
                let mut before = 0_u16;
                for (bead, place) in now.iter_mut().enumerate() {
                    let from = frames.last().map_or(before, |frame| frame[bead][axis]);
                    before = from.wrapping_add(frame[axis * beads + bead]);
                    place[axis] = before;
                }
            }
            frames.push(now);
        }
        let place = |at: &[u16; 3]| {
            [0, 1, 2].map(|axis| packed.origin[axis] + packed.step * f64::from(at[axis]))
        };
        frames.iter().map(|frame| frame.iter().map(place).collect()).collect()
    }

    #[test]
    fn packed_positions_are_those_that_were_packed() {
        let frame = |shift: f64| {
            (0..50)
                .map(|bead| [shift - f64::from(bead), 3.8 * f64::from(bead), -700.0 + shift])
                .collect()
        };
        let frames: Vec<Vec<[f64; 3]>> = vec![frame(0.0), frame(3.33), frame(-12.0)];
        let packed = Places::of(&frames, 0.1);
        assert_eq!(packed.step, 0.1);
        for (one, other) in frames.iter().flatten().zip(unpack(&packed, 50).iter().flatten()) {
            assert!(one.iter().zip(other).all(|(x, y)| (x - y).abs() < 0.051), "{one:?} {other:?}");
        }
        let far = vec![vec![[0.0; 3], [65_535.0, 0.0, 0.0]]];
        assert_eq!(Places::of(&far, 0.1).step, 1.0);
    }
}
