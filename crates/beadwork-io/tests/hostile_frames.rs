//! Trajectories that say to be longer than they are: no number in a file makes a reader ask for memory that the file could
//! not fill.
#![allow(
    clippy::unwrap_used,
    reason = "clippy.toml excuses the tests, but not the functions that they call"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use beadwork_io::{
    FrameFormat, GsdBeads, GsdTerms, GsdWriter, TrajectoryFormat, TrajectoryHeader,
    TrajectoryWriter, frames,
};

/// Keeps the largest number of bytes that was asked for at once.
struct Counting;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: all calls go on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's guarantees are passed on.
        unsafe { System.alloc_zeroed(layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// More than all readers need for the small files here, by far.
const ENOUGH: usize = 4 << 20;
const BEADS: usize = 40;
const FRAMES: usize = 3;
const TIMING: TrajectoryHeader =
    TrajectoryHeader { first_step: 0, steps_between_frames: 10, timestep_ps: 0.02, sides: None };

fn positions(frame: usize, beads: usize) -> Vec<[f64; 3]> {
    let number = |bead: usize| (bead * 7919 + frame * 613) % 1009;
    (0..beads).map(|bead| [number(bead) as f64 * 0.1, bead as f64, -1.5]).collect()
}

fn write(path: &Path, format: TrajectoryFormat, beads: usize) -> Vec<u8> {
    let mut writer = TrajectoryWriter::create(path, format, beads, TIMING).unwrap();
    for frame in 0..FRAMES {
        writer
            .write_frame(10 * frame as u64, 0.2 * frame as f64, &positions(frame, beads))
            .unwrap();
    }
    writer.sync().unwrap();
    fs::read(path).unwrap()
}

/// Reads a file; returns how many frames it had, or the error.
fn read(path: &Path, format: impl Into<FrameFormat>) -> Result<usize, String> {
    let mut count = 0;
    frames::read(path, format, |_| count += 1).map(|()| count).map_err(|error| error.to_string())
}

/// Everywhere in a file, one word after another, a great number, in turn in either order of bytes.
fn with_great_words(bytes: &[u8], mut see: impl FnMut(usize, &[u8])) {
    let great = [0x2000_0000_u32, 0x7fff_ffff, 0xffff_fffc, 0x0001_0000];
    let words = great.into_iter().flat_map(|word| [word.to_be_bytes(), word.to_le_bytes()]);
    for (at, word) in (0..bytes.len().saturating_sub(4)).step_by(4).zip(words.cycle()) {
        let mut changed = bytes.to_vec();
        changed[at..at + 4].copy_from_slice(&word);
        see(at, &changed);
    }
}

#[test]
fn a_number_of_beads_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.xtc");
    let bytes = write(&path, TrajectoryFormat::Xtc, BEADS);
    assert_eq!(read(&path, TrajectoryFormat::Xtc), Ok(FRAMES));
    let frame = bytes.len() / FRAMES;
    for number in 0..FRAMES {
        // Frames differ by a word at most, so their begin is looked for.
        let magic = &bytes[..8];
        let begin = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(magic)).nth(number);
        let begin = begin.unwrap();
        assert!(begin.abs_diff(number * frame) < 64);
        let mut changed = bytes.clone();
        for at in [begin + 4, begin + 52] {
            changed[at..at + 4].copy_from_slice(&0x2000_0000_u32.to_be_bytes());
        }
        fs::write(&path, &changed).unwrap();
        LARGEST.store(0, Ordering::Relaxed);
        let said = read(&path, TrajectoryFormat::Xtc).unwrap_err();
        assert!(said.contains("a frame has 536870912 beads"), "{said}");
        assert!(LARGEST.load(Ordering::Relaxed) < ENOUGH);
        // With one of the two numbers.
        changed[begin + 4..begin + 8].copy_from_slice(&bytes[begin + 4..begin + 8]);
        fs::write(&path, &changed).unwrap();
        let said = read(&path, TrajectoryFormat::Xtc).unwrap_err();
        assert!(said.contains("the two numbers of beads"), "{said}");
    }
    // Two frames of different beads.
    let mut two = bytes.clone();
    two.extend(write(&folder.path().join("other.xtc"), TrajectoryFormat::Xtc, BEADS + 1));
    fs::write(&path, &two).unwrap();
    let said = read(&path, TrajectoryFormat::Xtc).unwrap_err();
    assert!(said.contains("a frame has 41 beads, and those before it 40"), "{said}");
}

#[test]
fn no_word_of_a_file_asks_for_much_memory() {
    // The library panics on some damaged frames, which is caught; a report with a backtrace takes memory.
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let is_of_library = panic.location().is_some_and(|at| at.file().contains("molly"));
        if !is_of_library {
            usual(panic);
        }
    }));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    for (format, beads) in [
        (TrajectoryFormat::Xtc, BEADS),
        (TrajectoryFormat::Xtc, 5),
        (TrajectoryFormat::Dcd, 5),
        (TrajectoryFormat::Dcd, BEADS),
    ] {
        let bytes = write(&path, format, beads);
        assert_eq!(read(&path, format), Ok(FRAMES));
        with_great_words(&bytes, |at, changed| {
            fs::write(&path, changed).unwrap();
            LARGEST.store(0, Ordering::Relaxed);
            let outcome = read(&path, format);
            let largest = LARGEST.load(Ordering::Relaxed);
            assert!(largest < ENOUGH, "{format:?}, byte {at}: {largest}, {outcome:?}");
        });
    }
    let terms = || GsdTerms { type_names: Vec::new(), types: Vec::new(), beads: Vec::new() };
    let beads = GsdBeads {
        type_names: vec!["A".to_string()],
        types: vec![0; BEADS],
        masses: vec![1.0; BEADS],
        charges: vec![0.0; BEADS],
        bonds: terms(),
        angles: GsdTerms { type_names: Vec::new(), types: Vec::new(), beads: Vec::new() },
        sides: Some([200.0; 3]),
        has_velocities: false,
    };
    let mut writer = GsdWriter::create(&path, beads).unwrap();
    for frame in 0..FRAMES {
        writer.write_frame(10 * frame as u64, &positions(frame, BEADS), &[]).unwrap();
    }
    writer.sync().unwrap();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(read(&path, FrameFormat::Gsd), Ok(FRAMES));
    with_great_words(&bytes, |at, changed| {
        fs::write(&path, changed).unwrap();
        LARGEST.store(0, Ordering::Relaxed);
        let outcome = read(&path, FrameFormat::Gsd);
        let largest = LARGEST.load(Ordering::Relaxed);
        assert!(largest < ENOUGH, "byte {at}: {largest}, {outcome:?}");
    });
}
