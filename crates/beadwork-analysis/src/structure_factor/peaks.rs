//! Peaks of a structure factor, and the plane that the strongest of them span.

use std::f64::consts::TAU;

use super::WaveVectors;

/// Peaks are so many times as high as chance explains at one vector in a thousand runs: see [`background`].
const RARE: f64 = 7.0;
/// Two peaks are at least this part of the stronger one's |q| apart; nearer maxima are speckle of one peak.
const APART: f64 = 0.25;
/// A peak is in a plane if it is less than this part of its |q| away from it.
const IN_PLANE: f64 = 0.15;
/// Peaks whose |q| differs by less than this part from that of the strongest are of one order.
const SAME_ORDER: f64 = 0.2;
/// The least angle between two peaks that span a plane, degrees; nearer ones are of two orders of one direction.
const LEAST_ANGLE: f64 = 20.0;
/// The most peaks that are listed.
const MOST: usize = 24;

/// A peak at q and −q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// The numbers of its wave vector.
    pub numbers: [i32; 3],
    /// q.
    pub vector: [f64; 3],
    /// |q|.
    pub length: f64,
    /// S(q).
    pub height: f64,
}

/// A plane of wave vectors through zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Orthogonal directions in the plane, of length 1; the first one is that of the strongest peak.
    pub axes: [[f64; 3]; 2],
}

impl Peak {
    /// The peaks among the heights of the vectors in the ball, the strongest first.
    pub fn find(vectors: &WaveVectors, heights: &[f64]) -> Vec<Peak> {
        let background = background(vectors, heights);
        let enough = (heights.len() as f64).ln() + RARE;
        let height_at = |n: [i32; 3]| vectors.place(n).map_or(0.0, |place| heights[place]);
        let mut peaks = Vec::new();
        for (&numbers, &height) in vectors.ball().iter().zip(heights) {
            let around =
                (0..27).map(|place| [place / 9, place / 3 % 3, place % 3].map(|step| step - 1));
            let is_highest = || {
                around.filter(|step| *step != [0; 3]).all(|step| {
                    height_at([0, 1, 2].map(|axis| numbers[axis] + step[axis])) <= height
                })
            };
            if height > enough * background[vectors.shell(numbers)] && is_highest() {
                let (vector, length) = (vectors.vector(numbers), vectors.length(numbers));
                peaks.push(Peak { numbers, vector, length, height });
            }
        }
        peaks.sort_by(|one, other| other.height.total_cmp(&one.height));
        let mut chosen: Vec<Peak> = Vec::new();
        for peak in peaks {
            let is_near = |stronger: &Peak| {
                let apart = |sign: f64| {
                    let along = |axis: usize| stronger.vector[axis] - sign * peak.vector[axis];
                    (0..3).map(|axis| along(axis).powi(2)).sum::<f64>().sqrt()
                };
                apart(1.0).min(apart(-1.0)) < APART * stronger.length
            };
            if chosen.len() < MOST && !chosen.iter().any(is_near) {
                chosen.push(peak);
            }
        }
        chosen
    }
}

/// A height for each shell that chance alone rarely exceeds much: the mean of exponentially distributed heights, as amplitudes
/// of many independent beads have them, from the median of the shell and its neighbours; and not less than the 1 of an ideal
/// gas. Of n such heights the largest is above (ln n + x) means with probability e⁻ˣ.
fn background(vectors: &WaveVectors, heights: &[f64]) -> Vec<f64> {
    let mut shells: Vec<Vec<f64>> = Vec::new();
    for (&numbers, &height) in vectors.ball().iter().zip(heights) {
        let shell = vectors.shell(numbers);
        shells.resize(shells.len().max(shell + 1), Vec::new());
        shells[shell].push(height);
    }
    let median = |shell: usize| {
        let mut near = shells[shell.saturating_sub(1)..(shell + 2).min(shells.len())].concat();
        near.sort_by(f64::total_cmp);
        near.get(near.len() / 2).copied().unwrap_or(0.0)
    };
    (0..shells.len()).map(|shell| (median(shell) / 2_f64.ln()).max(1.0)).collect()
}

impl Plane {
    /// The plane through the strongest peak and the next one in another direction. If there is none, it is the plane across
    /// the side of the box that is most at right angles to the strongest peak, and without peaks that of x and y.
    pub fn through(peaks: &[Peak]) -> Plane {
        let Some(first) = peaks.first() else {
            return Plane { axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] };
        };
        let one = first.vector.map(|q| q / first.length);
        let beside = |vector: [f64; 3]| {
            let along = dot(vector, one);
            let rest = [0, 1, 2].map(|axis| vector[axis] - along * one[axis]);
            let length = dot(rest, rest).sqrt();
            (rest.map(|q| q / length), length)
        };
        let least = LEAST_ANGLE.to_radians().sin();
        let of_peaks = peaks.iter().map(|peak| (beside(peak.vector), peak.length));
        let mut spanning = of_peaks.filter(|((_, beside), length)| *beside > least * length);
        let other = spanning.next().map_or_else(
            || {
                let axes = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]].map(beside);
                let best = axes.into_iter().reduce(|a, b| if b.1 > a.1 + 1e-9 { b } else { a });
                best.map_or([0.0; 3], |(axis, _)| axis)
            },
            |((axis, _), _)| axis,
        );
        Plane { axes: [one, other] }
    }

    /// The direction across the plane, of length 1.
    pub fn normal(&self) -> [f64; 3] {
        let [a, b] = self.axes;
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    /// The angle of q and the first axis, in degrees from 0 to 360; `None` if q is not in the plane.
    pub fn angle(&self, vector: [f64; 3]) -> Option<f64> {
        let [x, y] = self.axes.map(|axis| dot(axis, vector));
        let is_near = dot(self.normal(), vector).abs() < IN_PLANE * dot(vector, vector).sqrt();
        is_near.then(|| y.atan2(x).to_degrees().rem_euclid(360.0)).map(|angle| {
            // −10⁻¹⁴ is 0, not 360.
            if angle > 360.0 - 1e-6 { 0.0 } else { angle }
        })
    }

    /// The angles of the peaks in the plane whose |q| is that of the strongest, q and −q, ascending: six at multiples of 60° for
    /// hexagonal order, two for layers.
    pub fn star(&self, peaks: &[Peak]) -> Vec<f64> {
        let Some(first) = peaks.first() else { return Vec::new() };
        let is_first = |peak: &&Peak| (peak.length / first.length - 1.0).abs() < SAME_ORDER;
        let both = |peak: &Peak| [peak.vector, peak.vector.map(|q| -q)];
        let vectors = peaks.iter().filter(is_first).flat_map(both);
        let mut angles: Vec<f64> = vectors.filter_map(|vector| self.angle(vector)).collect();
        angles.sort_by(f64::total_cmp);
        angles
    }

    /// Heights on a square grid in the plane, with `steps` cells on each side of q = 0. A cell has the height of the box's nearest
    /// wave vector; it is NaN at q = 0 and outside the ball. Rows ascend along the second axis.
    pub fn map(&self, vectors: &WaveVectors, heights: &[f64], steps: i32) -> Vec<Vec<f64>> {
        let width = vectors.shell_width();
        let cell = |u: i32, v: i32| {
            let [u, v] = [u, v].map(|steps| f64::from(steps) * width);
            let numbers = [0, 1, 2].map(|axis| {
                let q = u * self.axes[0][axis] + v * self.axes[1][axis];
                (q * vectors.sides()[axis] / TAU).round() as i32
            });
            vectors.place(numbers).map_or(f64::NAN, |place| heights[place])
        };
        (-steps..=steps).map(|v| (-steps..=steps).map(|u| cell(u, v)).collect()).collect()
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
