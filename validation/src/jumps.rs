//! Advances generators with a state far ahead in their sequences.

use beadwork_random::{HybridTaus, Lcg, States, Xorwow};

/// A step that maps the bits of the words linearly, modulo 2.
type Step = fn(&mut [u32; 5]);

/// Tausworthe steps of Hybrid Taus' first three words.
const TAUSWORTHE: (usize, Step) = (3, |words| {
    let parts = [(13, 19, 12, !1), (2, 25, 4, !7), (3, 11, 17, !15_u32)];
    for (z, (first, second, third, mask)) in words.iter_mut().zip(parts) {
        *z = ((*z & mask) << third) ^ (((*z << first) ^ *z) >> second);
    }
});

const REGISTER: (usize, Step) = (5, |words| {
    let [x, y, z, w, v] = *words;
    let t = x ^ (x >> 2);
    *words = [y, z, w, v, (v ^ (v << 4)) ^ (t ^ (t << 1))];
});

/// The image of each single bit after this many steps.
fn after_steps((words, step): (usize, Step), mut steps: u64) -> Vec<[u32; 5]> {
    let unit = |bit: usize| {
        let mut words = [0; 5];
        words[bit / 32] = 1 << (bit % 32);
        words
    };
    let mut columns: Vec<[u32; 5]> = (0..32 * words).map(unit).collect();
    let mut power = columns.clone();
    power.iter_mut().for_each(step);
    while steps > 0 {
        if steps & 1 == 1 {
            columns = columns.iter().map(|words| apply(&power, words)).collect();
        }
        power = power.iter().map(|words| apply(&power, words)).collect();
        steps >>= 1;
    }
    columns
}

/// The sum of the columns whose bits are set in the words; further words are ignored.
fn apply(columns: &[[u32; 5]], words: &[u32]) -> [u32; 5] {
    let mut sum = [0; 5];
    for (bit, column) in columns.iter().enumerate() {
        if words[bit / 32] >> (bit % 32) & 1 == 1 {
            sum.iter_mut().zip(column).for_each(|(sum, word)| *sum ^= word);
        }
    }
    sum
}

/// The states after each generator has skipped this many words. `None` if that takes as long as drawing them (Ran2
/// keeps a table; Lagged Fibonacci and Mersenne Twister have large states).
pub fn ahead(states: &States, words: u64) -> Option<States> {
    match states {
        States::Lcg(all) => {
            let mut all = all.clone();
            all.iter_mut().for_each(|state| state.pass_over(words));
            Some(States::Lcg(all))
        }
        States::HybridTaus(all) => {
            let columns = after_steps(TAUSWORTHE, words);
            let of = |state: &HybridTaus| {
                let now = state.state();
                let [a, b, c, ..] = apply(&columns, &now);
                let mut linear = Lcg::from_state(now[3]);
                linear.pass_over(words);
                HybridTaus::from_state([a, b, c, linear.state()]).ok()
            };
            all.iter().map(of).collect::<Option<_>>().map(States::HybridTaus)
        }
        States::Xorwow(all) => {
            let columns = after_steps(REGISTER, words);
            let of = |state: &Xorwow| {
                let now = state.state();
                let [x, y, z, w, v] = apply(&columns, &now);
                // The sixth word grows by 362437 at each step.
                let weyl = now[5].wrapping_add(362_437_u32.wrapping_mul(words as u32));
                Xorwow::from_state([x, y, z, w, v, weyl]).ok()
            };
            all.iter().map(of).collect::<Option<_>>().map(States::Xorwow)
        }
        States::Ran2(_) | States::Saru(_) | States::LaggedFibonacci(_) | States::Mt19937(_) => None,
    }
}
