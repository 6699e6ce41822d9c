//! Seeds, states and checkpoints of generators that keep a state.

use beadwork_random::{Error, HybridTaus, StatefulNoise};

#[test]
fn seeds_below_128_are_refused() {
    assert!(HybridTaus::from_seeds([128; 4]).is_ok());
    for component in 0..4 {
        let mut seeds = [u32::MAX; 4];
        seeds[component] = 127;
        assert_eq!(
            HybridTaus::from_seeds(seeds),
            Err(Error::SeedTooSmall { component, value: 127 })
        );
    }
}

#[test]
fn random_words_below_128_are_moved() {
    let generator = HybridTaus::from_random_words([0, 127, 128, u32::MAX]);
    assert_eq!(generator.state(), [128, 255, 128, u32::MAX]);
}

#[test]
fn dead_states_are_refused() {
    // The largest words that the masks of 31, 29 and 28 bits make zero.
    for (component, value) in [(0, 1), (1, 7), (2, 15)] {
        let mut state = [u32::MAX; 4];
        state[component] = value;
        assert_eq!(HybridTaus::from_state(state), Err(Error::DeadState { component, value }));
        state[component] = value + 1;
        assert!(HybridTaus::from_state(state).is_ok());
    }
    assert!(HybridTaus::from_state([u32::MAX, u32::MAX, u32::MAX, 0]).is_ok());
}

#[test]
fn low_bits_are_linear_as_documented() {
    // Each bit of the three Tausworthe components obeys recurrences of lengths 31, 29 and 28, together 88; bit k of the
    // congruential generator has period 2ᵏ⁺¹ and negates after half of it, which takes a recurrence of length 2ᵏ + 1.
    let mut generator = HybridTaus::from_seeds([128, 129, 130, 131]).unwrap();
    let words: Vec<u32> = (0..1000).map(|_| generator.next_u32()).collect();
    for (bit, length) in [(0, 90), (1, 91), (2, 93), (3, 97), (4, 105), (6, 153)] {
        let bits: Vec<bool> = words.iter().map(|word| word >> bit & 1 == 1).collect();
        assert_eq!(linear_complexity(&bits), length, "bit {bit}");
    }
}

/// The length of the shortest linear recurrence over GF(2) that makes these bits (Berlekamp and Massey).
fn linear_complexity(bits: &[bool]) -> usize {
    let mut connection = vec![true];
    let mut previous = vec![true];
    let (mut length, mut gap) = (0, 1);
    for n in 0..bits.len() {
        let discrepancy = connection
            .iter()
            .enumerate()
            .filter(|(k, c)| **c && *k <= length && bits[n - k])
            .count()
            % 2
            == 1;
        if !discrepancy {
            gap += 1;
            continue;
        }
        let before = connection.clone();
        connection.resize(connection.len().max(previous.len() + gap), false);
        for (k, c) in previous.iter().enumerate() {
            connection[k + gap] ^= c;
        }
        if 2 * length <= n {
            length = n + 1 - length;
            previous = before;
            gap = 1;
        } else {
            gap += 1;
        }
    }
    length
}

#[test]
fn noise_resumes_from_its_checkpoint() {
    let mut noise = StatefulNoise::new(20101, 7, 5);
    let _: Vec<[f64; 3]> = noise.normals().collect();
    let checkpoint = serde_json::to_string(&noise).unwrap();
    let mut resumed: StatefulNoise = serde_json::from_str(&checkpoint).unwrap();
    for _ in 0..10 {
        let expected: Vec<[f64; 3]> = noise.normals().collect();
        let found: Vec<[f64; 3]> = resumed.normals().collect();
        assert_eq!(found, expected);
    }
    assert_eq!(StatefulNoise::from_states(noise.states().to_vec()), noise);
}

#[test]
fn a_damaged_checkpoint_is_refused_with_a_sentence() {
    let message = serde_json::from_str::<StatefulNoise>(r#"{"states":[[1,500,500,500]]}"#)
        .unwrap_err()
        .to_string();
    assert!(message.contains("0x00000001 of component 0"), "{message}");
}

#[test]
fn a_bead_has_its_state_whatever_the_number_of_beads() {
    let few = StatefulNoise::new(20101, 7, 3);
    let many = StatefulNoise::new(20101, 7, 100);
    assert_eq!(few.states(), &many.states()[..3]);
}
