//! Static structure factors of beads in a periodic box.
//!
//! S_ab(q) = ⟨ρ_a(q) ρ_b(−q)⟩ / √(N_a N_b) with ρ_a(q) = Σ exp(iq·r) over the N_a beads of type a: 1 for a = b in an ideal gas,
//! and 0 for two types. The sums are exact; for N beads and n wave vectors they cost N n products.

mod amplitudes;
mod peaks;
mod wave_vectors;

pub use amplitudes::amplitudes;
pub use peaks::{Peak, Plane};
pub use wave_vectors::WaveVectors;

/// Sums over frames of the products of amplitudes.
#[derive(Clone, Debug, PartialEq)]
pub struct StructureFactor {
    /// The number of beads of each type.
    beads: Vec<usize>,
    /// The sums of ρ_a ρ_b* in each shell, for pairs of types a ≤ b in the order (0, 0), (0, 1), (1, 1), (0, 2), …
    shells: Vec<Vec<f64>>,
    /// The vectors of each shell, and the sum of their lengths.
    of_shell: Vec<(usize, f64)>,
    /// The sums of |ρ_a|² of each vector in the ball, for each type.
    ball: Vec<Vec<f64>>,
    frames: u64,
}

impl StructureFactor {
    /// Without frames, for so many beads of each type.
    pub fn new(vectors: &WaveVectors, beads: Vec<usize>) -> StructureFactor {
        let mut of_shell: Vec<(usize, f64)> = Vec::new();
        for &numbers in vectors.numbers() {
            let shell = vectors.shell(numbers);
            of_shell.resize(of_shell.len().max(shell + 1), (0, 0.0));
            of_shell[shell].0 += 1;
            of_shell[shell].1 += vectors.length(numbers);
        }
        let kinds = beads.len();
        StructureFactor {
            shells: vec![vec![0.0; of_shell.len()]; kinds * (kinds + 1) / 2],
            of_shell,
            ball: vec![vec![0.0; vectors.ball().len()]; kinds],
            beads,
            frames: 0,
        }
    }

    /// Adds a frame; `types` are below the number of types.
    pub fn add(&mut self, vectors: &WaveVectors, positions: &[[f64; 3]], types: &[u16]) {
        let kinds = self.beads.len();
        let amplitudes = amplitudes(vectors, positions, types, kinds);
        for (place, (&numbers, of_types)) in
            vectors.numbers().iter().zip(amplitudes.chunks_exact(kinds)).enumerate()
        {
            let shell = vectors.shell(numbers);
            for (b, second) in of_types.iter().enumerate() {
                for (a, first) in of_types[..=b].iter().enumerate() {
                    let product = first[0] * second[0] + first[1] * second[1];
                    self.shells[b * (b + 1) / 2 + a][shell] += product;
                    if let Some(sum) = self.ball[a].get_mut(place).filter(|_| a == b) {
                        *sum += product;
                    }
                }
            }
        }
        self.frames += 1;
    }

    /// The number of frames.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Adds the frames of another one of the same vectors and beads.
    pub fn merge(&mut self, other: &StructureFactor) {
        let sums = |of: &mut Vec<Vec<f64>>, more: &[Vec<f64>]| {
            of.iter_mut().flatten().zip(more.iter().flatten()).for_each(|(sum, more)| *sum += more);
        };
        sums(&mut self.shells, &other.shells);
        sums(&mut self.ball, &other.ball);
        self.frames += other.frames;
    }

    /// The mean |q| of each shell that has vectors.
    pub fn lengths(&self) -> Vec<f64> {
        let filled = self.of_shell.iter().filter(|(vectors, _)| *vectors > 0);
        filled.map(|&(vectors, sum)| sum / vectors as f64).collect()
    }

    /// S_ab in each shell that has vectors; `None` without frames or without such beads.
    pub fn values(&self, a: usize, b: usize) -> Option<Vec<f64>> {
        let (low, high) = (a.min(b), a.max(b));
        let beads = ((self.beads[a] * self.beads[b]) as f64).sqrt();
        let sums = &self.shells[high * (high + 1) / 2 + low];
        self.normalised(sums, beads)
    }

    /// S of all beads in each shell that has vectors; `None` without frames or beads.
    pub fn total(&self) -> Option<Vec<f64>> {
        let mut sums = vec![0.0; self.of_shell.len()];
        for b in 0..self.beads.len() {
            for a in 0..=b {
                let weight = if a == b { 1.0 } else { 2.0 };
                let more = &self.shells[b * (b + 1) / 2 + a];
                sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += weight * more);
            }
        }
        self.normalised(&sums, self.beads.iter().sum::<usize>() as f64)
    }

    fn normalised(&self, sums: &[f64], beads: f64) -> Option<Vec<f64>> {
        let all = beads * self.frames as f64;
        let shells = sums.iter().zip(&self.of_shell).filter(|(_, (vectors, _))| *vectors > 0);
        (all > 0.0).then(|| shells.map(|(sum, (n, _))| sum / (all * *n as f64)).collect())
    }

    /// S_aa of each vector in the ball; `None` without frames or without such beads.
    pub fn of_ball(&self, a: usize) -> Option<Vec<f64>> {
        let all = self.beads[a] as f64 * self.frames as f64;
        (all > 0.0).then(|| self.ball[a].iter().map(|sum| sum / all).collect())
    }
}
