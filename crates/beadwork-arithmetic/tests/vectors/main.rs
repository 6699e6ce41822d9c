//! Compares the vectors of each instruction set that this machine has, and functions on their lanes, with scalars.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, too")]

mod functions;
mod operations;

/// Reproducible pseudo-random numbers.
fn scattered(n: u64) -> u64 {
    let n = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    n ^ (n >> 32)
}
