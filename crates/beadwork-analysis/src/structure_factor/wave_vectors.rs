//! Wave vectors of a periodic box.

use std::f64::consts::{PI, TAU};

/// Wave vectors 2π(n_x/L_x, n_y/L_y, n_z/L_z) of a box with the sides L, one of each pair q and −q.
///
/// First come all of a ball around zero, from which peaks and maps are taken, then some in each shell beyond it.
#[derive(Clone, Debug, PartialEq)]
pub struct WaveVectors {
    sides: [f64; 3],
    /// The numbers n, sorted, those of the ball first.
    numbers: Vec<[i32; 3]>,
    /// How many are in the ball.
    ball: usize,
    /// The radius of the ball.
    radius: f64,
}

/// Directions of half a sphere in which vectors of a shell beyond the ball are taken.
const DIRECTIONS: usize = 24;

/// Shells beyond the ball in which there are vectors, or twice as many.
const MOST_SHELLS: usize = 4_096;

impl WaveVectors {
    /// All vectors up to `radius`, and some of each shell up to `longest`, in the inverse unit of the sides.
    pub fn new(sides: [f64; 3], radius: f64, longest: f64) -> WaveVectors {
        let mut vectors = WaveVectors { sides, numbers: Vec::new(), ball: 0, radius };
        let most = sides.map(|side| (radius * side / TAU).floor() as i32);
        for x in 0..=most[0] {
            for y in -most[1]..=most[1] {
                for z in -most[2]..=most[2] {
                    let is_chosen = [x, y, z] > [0; 3];
                    if is_chosen && vectors.length([x, y, z]) <= radius {
                        vectors.numbers.push([x, y, z]);
                    }
                }
            }
        }
        vectors.ball = vectors.numbers.len();
        let width = vectors.shell_width();
        let mut outer = Vec::new();
        let shells = (radius / width).ceil() as usize..=(longest / width).floor() as usize;
        // In a thin box the shells are narrow and many: then only each of some has vectors.
        let every = (shells.end().saturating_sub(*shells.start()) / MOST_SHELLS).max(1);
        for shell in shells.step_by(every) {
            let length = (shell as f64 + 0.5) * width;
            outer.extend((0..DIRECTIONS).map(|number| {
                let direction = direction(number);
                let number = |axis: usize| (length * direction[axis] * sides[axis] / TAU).round();
                [0, 1, 2].map(|axis| number(axis) as i32)
            }));
        }
        let half = |n: [i32; 3]| if n > [0; 3] { n } else { n.map(|n| -n) };
        let mut outer: Vec<[i32; 3]> = outer.into_iter().map(half).collect();
        outer.retain(|&n| vectors.length(n) > radius && vectors.length(n) <= longest);
        outer.sort_unstable();
        outer.dedup();
        vectors.numbers.extend(outer);
        vectors
    }

    /// The largest radius of a ball with about so many vectors.
    pub fn radius_of(sides: [f64; 3], vectors: usize) -> f64 {
        // Half a ball has 2π/3 r³ of the volume 8π³/V that a vector has in q.
        let volume: f64 = sides.iter().product();
        let [_, middle, longest] = sorted(sides);
        let vectors = vectors as f64;
        let of_ball = (vectors * TAU.powi(3) / volume * 1.5 / PI).cbrt();
        // A ball that is narrower than the distance of two vectors along the shortest side has a disc of vectors, π/2 r² of the
        // area 4π²/A of each; in a still longer box a line of them.
        let of_disc = (vectors * TAU.powi(2) / (middle * longest) * 2.0 / PI).sqrt();
        let of_line = vectors * TAU / longest;
        of_ball.min(of_disc).min(of_line)
    }

    /// The numbers n of all vectors.
    pub fn numbers(&self) -> &[[i32; 3]] {
        &self.numbers
    }

    /// The numbers n of the vectors in the ball.
    pub fn ball(&self) -> &[[i32; 3]] {
        &self.numbers[..self.ball]
    }

    /// The radius of the ball.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The sides of the box.
    pub fn sides(&self) -> [f64; 3] {
        self.sides
    }

    /// q of the numbers n.
    pub fn vector(&self, numbers: [i32; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| TAU * f64::from(numbers[axis]) / self.sides[axis])
    }

    /// |q|.
    pub fn length(&self, numbers: [i32; 3]) -> f64 {
        self.vector(numbers).iter().map(|q| q * q).sum::<f64>().sqrt()
    }

    /// The place of a vector or its opposite in the ball.
    pub fn place(&self, numbers: [i32; 3]) -> Option<usize> {
        let half = if numbers > [0; 3] { numbers } else { numbers.map(|n| -n) };
        self.ball().binary_search(&half).ok()
    }

    /// The width of shells: the distance of two vectors along the longest side.
    pub fn shell_width(&self) -> f64 {
        TAU / self.sides.into_iter().fold(0.0, f64::max)
    }

    /// The number of a vector's shell.
    pub fn shell(&self, numbers: [i32; 3]) -> usize {
        (self.length(numbers) / self.shell_width()) as usize
    }
}

fn sorted(mut sides: [f64; 3]) -> [f64; 3] {
    sides.sort_by(f64::total_cmp);
    sides
}

/// A point of half a sphere: its heights are evenly spaced, its angles golden.
fn direction(number: usize) -> [f64; 3] {
    let height = (number as f64 + 0.5) / DIRECTIONS as f64;
    let angle = number as f64 * PI * (3.0 - 5_f64.sqrt());
    let across = (1.0 - height * height).sqrt();
    [across * angle.cos(), across * angle.sin(), height]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ball has one vector of each pair q and −q; each shell beyond it has at most `DIRECTIONS`.
    #[test]
    fn vectors_of_a_box() {
        let sides = [TAU, TAU, 2.0 * TAU];
        let vectors = WaveVectors::new(sides, 2.0, 6.0);
        let near = |n: i32| -n..=n;
        let all = near(2).flat_map(|x| near(2).map(move |y| (x, y)));
        let all = all.flat_map(|(x, y)| near(4).map(move |z| 4 * (x * x + y * y) + z * z));
        let inside = all.filter(|&square| square > 0 && square <= 16).count();
        assert_eq!(vectors.ball().len(), inside / 2);
        assert!(vectors.ball().is_sorted());
        for &n in vectors.ball() {
            assert_eq!(vectors.place(n), vectors.place(n.map(|n| -n)));
        }
        assert_eq!(vectors.place([3, 0, 0]), None);
        let outer = &vectors.numbers()[inside / 2..];
        assert!(outer.iter().all(|&n| vectors.length(n) > 2.0 && vectors.length(n) <= 6.0));
        // Shells are half a unit wide, so there are eight, and rounding moves vectors by less than two.
        let shells: Vec<usize> = outer.iter().map(|&n| vectors.shell(n)).collect();
        assert!((4..12).all(|shell| shells.contains(&shell)) && outer.len() <= 8 * DIRECTIONS);
        // Thin boxes and long ones have no more vectors than others.
        for sides in [[6.0, 6.0, 1e-6], [6.0, 6e-6, 1e-6], [1e6, 6.0, 6.0], [1e6, 1e6, 1.0]] {
            let radius = WaveVectors::radius_of(sides, 10_000);
            let vectors = WaveVectors::new(sides, radius, 100.0 * radius);
            assert!(vectors.ball().len() <= 21_000, "{sides:?}: {}", vectors.ball().len());
            let outer = vectors.numbers().len() - vectors.ball().len();
            assert!(outer <= 2 * MOST_SHELLS * DIRECTIONS, "{sides:?}: {outer}");
        }
        let radius = WaveVectors::radius_of([30.0; 3], 10_000);
        let count = WaveVectors::new([30.0; 3], radius, 0.0).ball().len();
        assert!((9_500..10_500).contains(&count), "{count}");
    }
}
