//! Displacements fitted to the moves that are accepted.

/// The share of moves that is aimed at.
const AIM: f64 = 0.4;

/// The largest displacement for the next sweeps, after as many of `attempted` moves were `accepted` with `displacement`:
/// larger where more than two fifths were, by a quarter at most, and never larger than a bond is long.
///
/// GPUs compute the same bits.
pub fn tuned(displacement: f64, accepted: u64, attempted: u64, length: f64) -> f64 {
    if attempted == 0 {
        return displacement;
    }
    let share = accepted as f64 / attempted as f64;
    let factor = ((share + 0.1) / (AIM + 0.1)).clamp(0.8, 1.25);
    (displacement * factor).clamp(1e-4 * length, length)
}
