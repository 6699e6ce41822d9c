//! The memory that reading an input takes grows with its length, and not with its square.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes that were asked for in all.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        CALLS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The tests count what the whole process asks for.
static ALONE: Mutex<()> = Mutex::new(());

const BEGIN: &str = r#"
[system]
model = "beads"
units = "reduced"
box = [8, 8, 8]
build = { molecule = "A", count = 10 }
pairs = [ { kind = "lennard-jones", depth = 1.0, diameter = 1.0, cutoff = 2.5 } ]
[dynamics]
integrator = "langevin"
collision_rate = 0.5
timestep = 0.01
"#;

fn sweep(points: usize) -> String {
    let values: Vec<String> = (0..points).map(|n| format!("{}", 1.0 + n as f64 * 1e-7)).collect();
    let values = values.join(",");
    format!(
        "{BEGIN}[[stage]]\nname = \"a\"\nsteps = 10\n[ensemble.sweep]\n\"dynamics.temperature\" = [{values}]\n"
    )
}

fn stages(count: usize) -> String {
    let mut text = format!("{BEGIN}temperature = 1.0\n");
    for stage in 0..count {
        let _ = write!(text, "[[stage]]\nname = \"s{stage}\"\nsteps = 10\n");
    }
    text
}

/// Bytes and calls while an input is read.
fn work(text: &str) -> [f64; 2] {
    let before = [&BYTES, &CALLS].map(|count| count.load(Ordering::Relaxed));
    let request = beadwork_input::parse(text, "in.toml", Path::new("."), &[]).unwrap();
    let after = [&BYTES, &CALLS].map(|count| count.load(Ordering::Relaxed));
    drop(request);
    [0, 1].map(|kind| (after[kind] - before[kind]) as f64)
}

/// Four times as much of something takes about four times the work, and not sixteen.
fn assert_linear(what: &str, input: impl Fn(usize) -> String) {
    let _alone = ALONE.lock().unwrap();
    let (small, large) = (work(&input(250)), work(&input(1_000)));
    for (kind, name) in ["bytes", "calls"].into_iter().enumerate() {
        let ratio = large[kind] / small[kind];
        assert!(ratio < 5.0, "{what}: {name} grow by {ratio:.1}, {small:?} to {large:?}");
    }
}

#[test]
fn sweeps_are_linear_in_their_points() {
    assert_linear("points of a sweep", sweep);
}

#[test]
fn inputs_are_linear_in_their_stages() {
    assert_linear("stages", stages);
}

#[test]
fn sweeps_of_pairs_are_linear_too() {
    assert_linear("points of a zip", |points| {
        let list = |from: f64| {
            let values: Vec<String> =
                (0..points).map(|n| format!("{}", from + n as f64 * 1e-7)).collect();
            values.join(",")
        };
        format!(
            "{BEGIN}[[stage]]\nname = \"a\"\nsteps = 10\n[ensemble.sweep]\nmode = \"zip\"\n\"dynamics.temperature\" = [{}]\n\"dynamics.collision_rate\" = [{}]\n",
            list(1.0),
            list(0.5)
        )
    });
}

#[test]
fn a_value_that_is_there_twice_is_found() {
    let _alone = ALONE.lock().unwrap();
    let text = sweep(3).replace("1.0000001", "1");
    let said = beadwork_input::parse(&text, "in.toml", Path::new("."), &[]).unwrap_err();
    assert!(said.to_string().contains("has the value 1 twice: leave one out"), "{said}");
}
