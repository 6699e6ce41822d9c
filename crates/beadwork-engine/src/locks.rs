//! Mutexes of a run, which stay usable after a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The value of a mutex, even if a thread panicked while it held it.
pub(crate) fn unpoisoned<T>(value: Result<T, PoisonError<T>>) -> T {
    value.unwrap_or_else(PoisonError::into_inner)
}

/// Locks a mutex, even if a thread panicked while it held it.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    unpoisoned(mutex.lock())
}
