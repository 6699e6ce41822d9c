//! The bounds of the numbers of a configuration. They are those of the input that is made of it.

use crate::numbers::Bound;

/// Numbers that must be more than 0.
const POSITIVE: [&str; 11] = [
    "timestep",
    "zeta",
    "numsteps",
    "runnum",
    "R_limit",
    "R_limit_bond",
    "a",
    "pairs_cutoff",
    "indentationTipR",
    "indentationTipZeta",
    "indentationSurfaceStep",
];
/// Numbers that must not be negative.
const NOT_NEGATIVE: [&str; 14] = [
    "temperature",
    "eh",
    "el",
    "Ks",
    "kspring_cov",
    "k_trans",
    "indentationKs",
    "indentationTipKs",
    "indentationEl",
    "indentationTipEl",
    "indentationSurfEl",
    "indentationSigma",
    "indentationTipSigma",
    "indentationSurfSigma",
];

/// What the number of a key must be.
pub(super) fn of(key: &str) -> Bound {
    match key {
        _ if POSITIVE.contains(&key) => Bound::Positive,
        _ if NOT_NEGATIVE.contains(&key) => Bound::NotNegative,
        _ => Bound::Any,
    }
}
