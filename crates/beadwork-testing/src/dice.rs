//! Numbers from a seed, for tests.

use std::time::Duration;

/// SplitMix64 (Steele, Lea, Flood 2014) with this state.
#[derive(Debug)]
pub struct Dice(pub u64);

impl Dice {
    /// The next word.
    #[allow(clippy::should_implement_trait, reason = "there always is a next word")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A uniform number above 0 and at most 1.
    pub fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// A standard normal number, by a Box–Muller transformation.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A time below this one, which is at least 1 ns.
    pub fn below(&mut self, longest: Duration) -> Duration {
        Duration::from_nanos(self.next() % longest.as_nanos() as u64)
    }
}
