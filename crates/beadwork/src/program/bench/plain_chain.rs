//! P3's program of the CPU and a fairer one, as one writes them without further thought: what `bench polymer` compares
//! speeds with. Single precision, the platform's functions, a generator of their own.

use beadwork::model::force_fields::elastic_polymer::ElasticPolymer;

/// An elastic chain that moves monomer by monomer.
#[derive(Clone, Debug)]
pub struct PlainChain {
    positions: Vec<[f32; 3]>,
    /// The energy of the present positions.
    energy: f32,
    generator: Xorshift,
    depth: f32,
    diameter: f32,
    cutoff: f32,
    shift: f32,
    stiffness: f32,
    limit: f32,
    length: f32,
}

/// Where a chain is, and how it moves there.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// In units of the energy.
    pub temperature: f32,
    /// Largest component of a displacement, in units of the length.
    pub displacement: f32,
}

impl PlainChain {
    pub fn new(polymer: &ElasticPolymer, positions: &[[f64; 3]], seed: u64) -> PlainChain {
        let mut chain = PlainChain {
            positions: positions.iter().map(|r| r.map(|x| x as f32)).collect(),
            energy: 0.0,
            generator: Xorshift(seed | 1),
            depth: polymer.pairs.depth as f32,
            diameter: polymer.pairs.diameter as f32,
            cutoff: polymer.pairs.cutoff as f32,
            shift: polymer.pairs.energy_at_cutoff() as f32,
            stiffness: polymer.bonds.stiffness as f32,
            limit: polymer.bonds.limit as f32,
            length: polymer.bonds.length as f32,
        };
        chain.energy = chain.whole_energy();
        chain
    }

    /// In units of ε.
    pub fn energy(&self) -> f32 {
        self.energy
    }

    /// In units of the length.
    pub fn positions(&self) -> Vec<[f64; 3]> {
        self.positions.iter().map(|r| r.map(f64::from)).collect()
    }

    /// A sweep in which each move computes the whole energy, the old one being kept: P3's program. Returns how many
    /// moves were accepted.
    pub fn sweep_by_whole_energy(&mut self, place: Place) -> u64 {
        let mut accepted = 0;
        for _ in 0..self.positions.len() {
            let monomer = self.generator.below(self.positions.len());
            let old = self.positions[monomer];
            self.positions[monomer] = self.displaced(old, place);
            let energy = self.whole_energy();
            if self.generator.uniform() < (-(energy - self.energy) / place.temperature).exp() {
                self.energy = energy;
                accepted += 1;
            } else {
                self.positions[monomer] = old;
            }
        }
        accepted
    }

    /// A sweep in which each move computes what it changes, the energies of the monomer at its old and its new place.
    /// Returns how many moves were accepted.
    pub fn sweep_by_change(&mut self, place: Place) -> u64 {
        let mut accepted = 0;
        for _ in 0..self.positions.len() {
            let monomer = self.generator.below(self.positions.len());
            let old = self.positions[monomer];
            let new = self.displaced(old, place);
            let change = self.energy_of(monomer, new) - self.energy_of(monomer, old);
            if self.generator.uniform() < (-change / place.temperature).exp() {
                self.positions[monomer] = new;
                self.energy += change;
                accepted += 1;
            }
        }
        accepted
    }

    fn displaced(&mut self, from: [f32; 3], place: Place) -> [f32; 3] {
        from.map(|x| x + place.displacement * (2.0 * self.generator.uniform() - 1.0))
    }

    /// The energy of all pairs and bonds.
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

    /// The energy of a monomer's pairs and bonds if it were somewhere.
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

    /// −(K/2) R² ln[1 − ((r − r₀)/R)²], infinite where the bond does not hold.
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

    /// In [0, 1).
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

    /// Both keep the energy of the system, and decide alike: from the same words the same moves, but where rounding
    /// decides.
    #[test]
    fn both_programs_walk_the_same_way() {
        let polymer = ElasticPolymer::new(13);
        let system = polymer.build();
        let place = Place { temperature: 1.0, displacement: 0.1 };
        let mut whole = PlainChain::new(&polymer, &polymer.straight(), 5);
        let mut change = whole.clone();
        let mut accepted = [0, 0];
        for _ in 0..100 {
            accepted[0] += whole.sweep_by_whole_energy(place);
            accepted[1] += change.sweep_by_change(place);
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
