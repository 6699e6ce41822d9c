//! The published program of the CPU (\[G\] in the book's list of sources) and a faster one, both written in the
//! simplest way: single precision, the platform's functions, a generator of their own.

use beadwork_cpu::monte_carlo::Rung;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;

#[derive(Clone, Debug)]
pub struct SimpleChain {
    positions: Vec<[f32; 3]>,
    /// The energy of the present positions.
    energy: f32,
    generator: Xorshift,
    temperature: f32,
    /// Largest component of a displacement.
    displacement: f32,
    depth: f32,
    diameter: f32,
    cutoff: f32,
    shift: f32,
    stiffness: f32,
    limit: f32,
    length: f32,
}

impl SimpleChain {
    /// A chain on a rung, starting from these positions.
    pub fn new(
        polymer: &ElasticPolymer,
        positions: &[[f64; 3]],
        rung: Rung,
        seed: u64,
    ) -> SimpleChain {
        let mut chain = SimpleChain {
            positions: positions.iter().map(|r| r.map(|x| x as f32)).collect(),
            energy: 0.0,
            generator: Xorshift(seed | 1),
            temperature: rung.temperature as f32,
            displacement: rung.displacement as f32,
            depth: polymer.pairs.depth as f32,
            diameter: polymer.pairs.diameter as f32,
            cutoff: polymer.pairs.cutoff as f32,
            shift: polymer.pairs.shift as f32,
            stiffness: polymer.bonds.stiffness as f32,
            limit: polymer.bonds.limit as f32,
            length: polymer.bonds.length as f32,
        };
        chain.energy = chain.whole_energy();
        chain
    }

    /// Energy, in units of ε.
    pub fn energy(&self) -> f32 {
        self.energy
    }

    /// Positions, in units of the length.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.positions.iter().map(|r| r.map(f64::from)).collect()
    }

    /// A sweep of the published program: each move computes the whole energy and compares it with the previous one.
    /// Returns the number of accepted moves.
    pub fn sweep_by_whole_energy(&mut self) -> u64 {
        let mut accepted = 0;
        for _ in 0..self.positions.len() {
            let monomer = self.generator.below(self.positions.len());
            let old = self.positions[monomer];
            self.positions[monomer] = self.displaced(old);
            let energy = self.whole_energy();
            if self.accepts(energy - self.energy) {
                self.energy = energy;
                accepted += 1;
            } else {
                self.positions[monomer] = old;
            }
        }
        accepted
    }

    /// A sweep in which each move computes only its change: the energies of the monomer at its old and its new place.
    /// Returns the number of accepted moves.
    pub fn sweep_by_change(&mut self) -> u64 {
        let mut accepted = 0;
        for _ in 0..self.positions.len() {
            let monomer = self.generator.below(self.positions.len());
            let old = self.positions[monomer];
            let new = self.displaced(old);
            let change = self.energy_of(monomer, new) - self.energy_of(monomer, old);
            if self.accepts(change) {
                self.positions[monomer] = new;
                self.energy += change;
                accepted += 1;
            }
        }
        accepted
    }

    fn displaced(&mut self, from: [f32; 3]) -> [f32; 3] {
        from.map(|x| x + self.displacement * (2.0 * self.generator.uniform() - 1.0))
    }

    fn accepts(&mut self, change: f32) -> bool {
        self.generator.uniform() < (-change / self.temperature).exp()
    }

    fn whole_energy(&self) -> f32 {
        let mut energy = 0.0;
        for (i, a) in self.positions.iter().enumerate() {
            for b in &self.positions[i + 1..] {
                energy += self.pair(square(*a, *b));
            }
        }
        for bond in self.positions.windows(2) {
            energy += self.bond(square(bond[0], bond[1]));
        }
        energy
    }

    /// The energy of a monomer's pairs and bonds if it were at `at`.
    fn energy_of(&self, monomer: usize, at: [f32; 3]) -> f32 {
        let mut energy = 0.0;
        for (partner, position) in self.positions.iter().enumerate() {
            if partner != monomer {
                energy += self.pair(square(at, *position));
            }
        }
        if monomer > 0 {
            energy += self.bond(square(at, self.positions[monomer - 1]));
        }
        if monomer + 1 < self.positions.len() {
            energy += self.bond(square(at, self.positions[monomer + 1]));
        }
        energy
    }

    /// 4ε[(σ/r)¹² − (σ/r)⁶], cut and shifted.
    fn pair(&self, r2: f32) -> f32 {
        if r2 >= self.cutoff * self.cutoff {
            return 0.0;
        }
        let s2 = self.diameter * self.diameter / r2;
        let s6 = s2 * s2 * s2;
        4.0 * self.depth * (s6 * s6 - s6) - self.shift
    }

    /// −(K/2) R² ln[1 − ((r − r₀)/R)²], infinite for a broken bond.
    fn bond(&self, r2: f32) -> f32 {
        let stretch = (r2.sqrt() - self.length) / self.limit;
        if stretch.abs() >= 1.0 {
            return f32::INFINITY;
        }
        -0.5 * self.stiffness * self.limit * self.limit * (1.0 - stretch * stretch).ln()
    }
}

fn square(a: [f32; 3], b: [f32; 3]) -> f32 {
    let (x, y, z) = (a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    x * x + y * y + z * z
}

/// Marsaglia's xorshift64* (doi:10.18637/jss.v008.i14; Vigna, doi:10.1145/2845077).
#[derive(Clone, Debug)]
struct Xorshift(u64);

impl Xorshift {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    /// A uniform number in [0, 1).
    fn uniform(&mut self) -> f32 {
        (self.word() >> 8) as f32 / (1 << 24) as f32
    }

    fn below(&mut self, number: usize) -> usize {
        ((u64::from(self.word()) * number as u64) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both programs keep the energy of the system. From the same words they accept the same moves, unless rounding
    /// decides.
    #[test]
    fn both_programs_make_the_same_moves() {
        let polymer = ElasticPolymer::new(13);
        let system = polymer.build();
        let rung = Rung { temperature: 1.0, displacement: 0.1 };
        let mut whole = SimpleChain::new(&polymer, &polymer.straight(), rung, 5);
        let mut change = whole.clone();
        let mut accepted = [0, 0];
        for _ in 0..100 {
            accepted[0] += whole.sweep_by_whole_energy();
            accepted[1] += change.sweep_by_change();
        }
        assert!(accepted[0] > 200 && accepted[0] < 1_200, "{accepted:?}");
        for chain in [&whole, &change] {
            let expected = system.energies(&chain.positions()).total();
            let error = (f64::from(chain.energy()) - expected).abs();
            assert!(error < 1e-3 * (1.0 + expected.abs()), "{} {expected}", chain.energy());
        }
        assert!(accepted[0].abs_diff(accepted[1]) < 20, "{accepted:?}");
    }
}
