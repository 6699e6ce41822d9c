//! Independent runs on a few threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads that a validation takes.
pub const THREADS: usize = 2;

/// `work` of 0, 1, … `count` − 1, in that order, computed on [`THREADS`] threads.
///
/// # Errors
/// The failure of the lowest number that failed.
pub fn map<R: Send, E: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    map_on(THREADS, count, work)
}

/// The same on so many threads.
///
/// # Errors
/// As [`map`].
pub fn map_on<R: Send, E: Send>(
    threads: usize,
    count: usize,
    work: impl Fn(usize) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(count));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    let result = work(number);
                    let mut results =
                        results.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    results.push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_in_the_order_of_their_numbers() {
        let squares = map(50, |number| Ok::<_, ()>(number * number)).unwrap();
        assert_eq!(squares, (0..50).map(|number| number * number).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_failure_is_returned() {
        assert_eq!(map(9, |number| if number < 4 { Ok(()) } else { Err(number) }), Err(4));
    }
}
