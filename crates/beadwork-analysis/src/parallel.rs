//! Work that falls into independent parts.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    /// Whether this thread has a part of a larger work: it then does parts of its part by itself.
    static WITHIN: Cell<bool> = const { Cell::new(false) };
}

/// What `each` makes of 0, 1, … `count` − 1, in this order, by as many threads as there are cores.
///
/// ```
/// assert_eq!(beadwork_analysis::parallel::map(4, |number| number * number), [0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(count: usize, each: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if WITHIN.get() { 1 } else { cores.min(count) };
    if threads <= 1 {
        return (0..count).map(each).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        WITHIN.set(true);
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return own;
            }
            own.push((number, each(number)));
        }
    };
    let mut made: Vec<(usize, T)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let made = workers.into_iter().map(|worker| worker.join());
        made.flat_map(|made| made.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(number, _)| *number);
    made.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::map;

    #[test]
    fn parts_are_in_order_within_parts_too() {
        assert!(map(0, |number| number).is_empty());
        let squares = |rows: usize| map(rows, |row| map(100, |column| row * column));
        for (row, columns) in squares(50).iter().enumerate() {
            assert!(columns.iter().enumerate().all(|(column, found)| *found == row * column));
        }
    }

    #[test]
    #[should_panic(expected = "part 3")]
    fn a_panic_is_the_callers() {
        map(5, |number| assert!(number != 3, "part {number}"));
    }
}
