//! Memory that a call asks for at once.

use beadwork::input::free_memory;

use crate::failure::Failure;

const GIGABYTE: f64 = 1e9;

/// Refuses a call that takes more memory than is free, since an allocation that fails ends Python. `advice` says what to ask for
/// instead, without a full stop.
///
/// # Errors
/// Too little memory.
pub fn check_room(bytes: f64, advice: &str) -> Result<(), Failure> {
    let free = free_memory().map_or(f64::INFINITY, |free| free as f64);
    // Systems that do not say how much is free, and limits of a process, are asked for it.
    let is_refused = || Vec::<u8>::new().try_reserve_exact(bytes as usize).is_err();
    match bytes > free || is_refused() {
        false => Ok(()),
        true => Err(Failure::machine(format!(
            "this takes {:.1} GB of memory, which is more than is free: {advice}, or take a machine with more memory",
            bytes / GIGABYTE
        ))),
    }
}
