//! The wish of a caller to stop, which the long loops of this crate look at.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Gives this thread a flag in place of the one that it had. Once the flag is set, long loops that the thread works on end early. What
/// functions of this crate return then says nothing, and the caller throws it away.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// use beadwork_analysis::interruption;
///
/// let flag = Arc::new(AtomicBool::new(false));
/// interruption::follow(flag.clone());
/// assert!(!interruption::is_wished());
/// flag.store(true, Ordering::Relaxed);
/// assert!(interruption::is_wished());
/// ```
pub fn follow(flag: Arc<AtomicBool>) {
    FLAG.set(Some(flag));
}

/// Whether the flag of this thread is set; `false` in a thread without one.
pub fn is_wished() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}
