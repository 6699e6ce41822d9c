//! Refuses more beads, and more pairs of near beads, than a machine has memory for, before any is made.

use std::fs;

use crate::error::{BAD_VALUE, Error};
use crate::request::{Point, Request};
use crate::section::Section;
use crate::words::underscored;

/// Files of trajectories count beads with signed numbers of 32 bits.
const MOST_BEADS: u64 = i32::MAX as u64;
/// Bytes of a bead that `check` takes at least at its peak. Read with 1 and 3 million beads: 650 for chains of a DPD fluid, 970 for
/// a Lennard-Jones fluid with a cutoff of 3 diameters, whose neighbours are more.
const BYTES_A_BEAD: u64 = 600;
/// Bytes of a pair of near beads: two numbers of 32 bits, in arrays that grow to powers of two. Read with a DPD fluid: 12 at density
/// 30, 17 at density 100.
const BYTES_A_PAIR: f64 = 16.0;
const GIGABYTE: f64 = 1e9;

/// Refuses more beads than there is memory for, which the value of `key` makes.
pub(super) fn refuse_too_many(section: &Section<'_>, key: &str, beads: u64) -> Result<(), Error> {
    match problem(beads, free_memory()) {
        Some(problem) => Err(section.fault(BAD_VALUE, key, &problem)),
        None => Ok(()),
    }
}

fn problem(beads: u64, available: Option<u64>) -> Option<String> {
    let needed = beads.saturating_mul(BYTES_A_BEAD);
    if beads > MOST_BEADS {
        return Some(format!(
            "makes {} beads, and a system has at most {}: take fewer molecules or copies",
            underscored(beads),
            underscored(MOST_BEADS)
        ));
    }
    let available = available.filter(|&available| needed > available)?;
    Some(format!(
        "makes {} beads, which take at least {:.1} GB of memory, and {:.1} GB are free: take fewer molecules or copies, or a machine with more memory",
        underscored(beads),
        needed as f64 / GIGABYTE,
        available as f64 / GIGABYTE
    ))
}

/// Bytes of the list of near pairs of a member, from the density of its beads.
pub fn estimated_list(point: &Point) -> f64 {
    BYTES_A_PAIR * point.system.expected_near_pairs(point.protocol.dynamics.skin)
}

/// Refuses a request whose list of near pairs does not fit into memory.
///
/// # Errors
/// `input/bad-value`.
pub fn refuse_long_lists(request: &Request) -> Result<(), Error> {
    let free = free_memory();
    let problem = |of: &Point| problem_of_list(of.system.beads(), estimated_list(of), free);
    match request.points.iter().find_map(problem) {
        Some(problem) => Err(Error::new(BAD_VALUE, problem)),
        None => Ok(()),
    }
}

/// The problem with so many near pairs of beads, if their list does not fit into memory.
pub(super) fn problem_of_pairs(beads: u64, pairs: f64) -> Option<String> {
    problem_of_list(beads as usize, BYTES_A_PAIR * pairs, free_memory())
}

fn problem_of_list(beads: usize, needed: f64, available: Option<u64>) -> Option<String> {
    let available = available.map(|bytes| bytes as f64).filter(|&available| needed > available)?;
    Some(format!(
        "[system]: {} beads as dense as these have about {:.1e} pairs within their cutoffs and `skin`, whose list takes some {:.0} GB of memory, and {:.1} GB are free: look for a density, a count or a box that is mistyped, or take a smaller cutoff or a machine with more memory",
        underscored(beads as u64),
        needed / BYTES_A_PAIR,
        needed / GIGABYTE,
        available / GIGABYTE
    ))
}

/// Bytes of memory that a process can still take; `None` if the system does not say.
pub fn free_memory() -> Option<u64> {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let of_machine = || {
        let text = fs::read_to_string("/proc/meminfo").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(1024 * kibibytes)
    };
    // The limit of a container, which `/proc/meminfo` does not know. What it holds of files is given back when memory is asked for.
    let of_group = || {
        let limit = number("/sys/fs/cgroup/memory.max")?;
        let taken = number("/sys/fs/cgroup/memory.current")?;
        let files =
            fs::read_to_string("/sys/fs/cgroup/memory.stat").map_or(0, |text| file_bytes(&text));
        Some(limit.saturating_sub(taken.saturating_sub(files)))
    };
    [of_machine(), of_group()].into_iter().flatten().min()
}

/// Bytes of files in memory, in the `memory.stat` of a container.
fn file_bytes(stat: &str) -> u64 {
    let of_line = |line: &str| {
        let (name, bytes) = line.split_once(' ')?;
        matches!(name, "active_file" | "inactive_file").then(|| bytes.parse::<u64>().ok())?
    };
    stat.lines().filter_map(of_line).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_count_as_free() {
        let stat = "anon 5\nfile 1000\ninactive_file 300\nactive_file 40\nslab 7\n";
        assert_eq!(file_bytes(stat), 340);
    }

    #[test]
    fn a_start_must_fit_into_memory() {
        let million = 1_000_000;
        assert_eq!(problem(million, None), None);
        assert_eq!(problem(million, Some(BYTES_A_BEAD * million)), None);
        let refused = problem(million, Some(BYTES_A_BEAD * million - 1)).unwrap();
        assert!(refused.contains("1_000_000 beads") && refused.contains("0.6 GB"), "{refused}");
        assert!(problem(MOST_BEADS + 1, None).unwrap().contains("at most 2_147_483_647"));
    }

    #[test]
    fn a_list_of_pairs_must_fit_into_memory() {
        assert_eq!(problem_of_list(375_000, 86.4e9, None), None);
        assert_eq!(problem_of_list(375_000, 1e9, Some(2_000_000_000)), None);
        let refused = problem_of_list(375_000, 86.4e9, Some(32_000_000_000)).unwrap();
        let expected =
            "375_000 beads as dense as these have about 5.4e9 pairs within their cutoffs";
        assert!(refused.contains(expected) && refused.contains("some 86 GB"), "{refused}");
    }
}
