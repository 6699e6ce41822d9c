//! Fits of displacements to the share of accepted moves.

/// The share of accepted moves that fits aim at.
const AIM: f64 = 0.4;

/// The largest displacement for the next sweeps, after `accepted` of `attempted` moves with `displacement`. It grows,
/// by a quarter at most, if more than two fifths were accepted, and never exceeds the length of a bond.
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
