//! [`tea`].

/// The key that Zafar, Olano and Curtis use.
pub const TEA_KEY: [u32; 4] = [0xa341_316c, 0xc801_3ea4, 0xad90_777d, 0x7e95_761e];

/// The Tiny Encryption Algorithm: encrypts two words under a key of four words, in `ROUNDS` rounds.
///
/// sum += 0x9E3779B9; v₀ += ((v₁ ≪ 4) + k₁) ⊕ (v₁ + sum) ⊕ ((v₁ ≫ 5) + k₂); v₁ += ((v₀ ≪ 4) + k₃) ⊕ (v₀ + sum) ⊕
/// ((v₀ ≫ 5) + k₄).
///
/// * State: none. For a given key it is a bijection of its 64 bits.
/// * Known failures: keys that differ in the top bits of k₁ and k₂, or of k₃ and k₄, are equivalent. Eight rounds pass
///   NIST's tests and DIEHARD, fewer do not (Zafar, Olano and Curtis); micro-streams take eight.
///
/// # Reference
/// Wheeler and Needham, Fast Software Encryption (1994), doi:10.1007/3-540-60590-8_29; Zafar, Olano and Curtis, High
/// Performance Graphics (2010), doi:10.2312/EGGH/HPG10/133-141.
///
/// ```
/// use beadwork_random::tea;
///
/// assert_eq!(tea::<32>([0, 0], [0; 4]), [0x41ea3a0a, 0x94baa940]);
/// ```
#[inline(always)]
pub const fn tea<const ROUNDS: usize>([mut a, mut b]: [u32; 2], key: [u32; 4]) -> [u32; 2] {
    let [k1, k2, k3, k4] = key;
    let mut sum = 0_u32;
    let mut round = 0;
    while round < ROUNDS {
        sum = sum.wrapping_add(0x9e37_79b9);
        a = a.wrapping_add(
            (b << 4).wrapping_add(k1) ^ b.wrapping_add(sum) ^ (b >> 5).wrapping_add(k2),
        );
        b = b.wrapping_add(
            (a << 4).wrapping_add(k3) ^ a.wrapping_add(sum) ^ (a >> 5).wrapping_add(k4),
        );
        round += 1;
    }
    [a, b]
}
