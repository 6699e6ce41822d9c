//! Trajectories: positions of all beads, frame after frame.

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::append::AppendFile;
use crate::written::{FileEnd, Rewritten};
use crate::{Error, dcd, xtc};

/// The file formats of trajectories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrajectoryFormat {
    /// GROMACS's compressed format: nm, rounded to 0.001 nm (frames of up to 9 beads are stored
    /// in single precision). Each frame has its own time.
    Xtc,
    /// The format of CHARMM and NAMD: Å in single precision, frames at equal intervals.
    Dcd,
}

impl TrajectoryFormat {
    /// The ending of file names, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Xtc => "xtc",
            Self::Dcd => "dcd",
        }
    }
}

/// What frames are written as: positions alone, or everything that a run can start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameFormat {
    /// Written by a [`TrajectoryWriter`].
    Positions(TrajectoryFormat),
    /// The format of HOOMD-blue, written by a [`GsdWriter`](crate::GsdWriter).
    Gsd,
}

impl FrameFormat {
    /// The ending of file names, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Positions(format) => format.extension(),
            Self::Gsd => "gsd",
        }
    }
}

impl From<TrajectoryFormat> for FrameFormat {
    fn from(format: TrajectoryFormat) -> Self {
        Self::Positions(format)
    }
}

/// What all frames of a trajectory share: their times and the box. DCD stores the times once in its header; XTC ignores
/// them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrajectoryHeader {
    /// Step of the first frame.
    pub first_step: u64,
    /// Steps from one frame to the next; at least 1.
    pub steps_between_frames: u64,
    /// Length of a step, ps.
    pub timestep_ps: f64,
    /// The sides of a periodic box, Å; every frame has them. Nothing in open space.
    pub sides: Option<[f64; 3]>,
}

/// The length of a trajectory so far, which a checkpoint stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrajectoryPosition {
    /// Length of the file in bytes.
    pub bytes: u64,
    /// Number of frames.
    pub frames: u64,
    /// Checksum of the bytes as they were appended.
    pub checksum: u32,
}

impl TrajectoryPosition {
    pub(crate) fn new(end: FileEnd, frames: u64) -> Self {
        Self { bytes: end.bytes, frames, checksum: end.checksum }
    }

    /// The end of the file.
    pub fn end(&self) -> FileEnd {
        FileEnd { bytes: self.bytes, checksum: self.checksum }
    }
}

/// Writes one trajectory.
///
/// Frames are appended whole, and other programs see them when [`write_frame`](Self::write_frame)
/// returns; [`sync`](Self::sync) makes them durable.
#[derive(Debug)]
pub struct TrajectoryWriter {
    file: AppendFile,
    format: TrajectoryFormat,
    beads: usize,
    shared: TrajectoryHeader,
    frames: u64,
}

impl TrajectoryWriter {
    /// Creates a trajectory without frames at `path`; an existing file is emptied. It is an error if the format cannot
    /// express the number of beads or, for DCD, the times.
    pub fn create(
        path: &Path,
        format: TrajectoryFormat,
        beads: usize,
        shared: TrajectoryHeader,
    ) -> Result<Self, Error> {
        let header = header(path, format, beads, &shared)?;
        let mut file = AppendFile::create(path)?;
        file.write_all(&header)?;
        file.flush()?;
        Ok(Self { file, format, beads, shared, frames: 0 })
    }

    /// Whether a trajectory can be made, and hold a frame of these positions; writes nothing.
    ///
    /// # Errors
    /// Those that [`create`](Self::create) and [`write_frame`](Self::write_frame) would return.
    pub fn check(
        path: &Path,
        format: TrajectoryFormat,
        shared: TrajectoryHeader,
        positions: &[[f64; 3]],
    ) -> Result<(), Error> {
        header(path, format, positions.len(), &shared)?;
        encode(path, format, 0, 0.0, shared.sides, positions).map(|_| ())
    }

    /// Continues the trajectory at `path` after `position`; later bytes are cut off. It is an error if the file does
    /// not begin as a trajectory of these beads, times and box; the file then stays unchanged.
    ///
    /// Frames of earlier versions have no box. Such a trajectory goes on without one, so that all its frames are alike.
    pub fn reopen(
        path: &Path,
        format: TrajectoryFormat,
        beads: usize,
        shared: TrajectoryHeader,
        position: TrajectoryPosition,
    ) -> Result<Self, Error> {
        let shared = TrajectoryHeader {
            sides: compare_beginning(path, format, beads, &shared, position)?,
            ..shared
        };
        let file = AppendFile::reopen(path, position.end())?;
        let mut writer = Self { file, format, beads, shared, frames: position.frames };
        writer.store_frame_count()?;
        Ok(writer)
    }

    /// Appends the positions (Å) at `step` and `time_ps` (ps).
    ///
    /// XTC stores `step` modulo 2³²; DCD stores neither step nor time. After [`Error::Coordinate`] the frame is not
    /// part of the trajectory; after a failed write it stays in memory for the next attempt.
    pub fn write_frame(
        &mut self,
        step: u64,
        time_ps: f64,
        positions: &[[f64; 3]],
    ) -> Result<(), Error> {
        if positions.len() != self.beads {
            return Err(Error::bead_count(self.file.path(), self.beads, positions.len()));
        }
        let sides = self.shared.sides;
        let frame = encode(self.file.path(), self.format, step, time_ps, sides, positions)?;
        self.frames += 1;
        self.file.write_all(&frame)?;
        self.file.flush()?;
        self.store_frame_count()
    }

    /// The length of the trajectory so far.
    pub fn position(&self) -> TrajectoryPosition {
        TrajectoryPosition::new(self.file.end(), self.frames)
    }

    /// Makes everything up to [`position`](Self::position) survive a power cut.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.store_frame_count()?;
        self.file.sync()
    }

    /// The parts that are overwritten in a file of `frames` frames.
    ///
    /// # Errors
    /// A number of beads or a timing that the format cannot express.
    pub fn rewritten(
        path: &Path,
        format: TrajectoryFormat,
        beads: usize,
        shared: &TrajectoryHeader,
        frames: u64,
    ) -> Result<Vec<Rewritten>, Error> {
        if format == TrajectoryFormat::Xtc {
            return Ok(Vec::new());
        }
        let counters = |frames| {
            let header = dcd::header(path, beads, shared, frames)?;
            Ok(header[dcd::COUNTERS].to_vec())
        };
        let (appended, now) = (counters(0)?, counters(frames)?);
        Ok(vec![Rewritten { at: dcd::COUNTERS.start as u64, appended, now }])
    }

    /// Updates the number of frames in the header of a DCD file.
    fn store_frame_count(&mut self) -> Result<(), Error> {
        if self.format == TrajectoryFormat::Xtc {
            return Ok(());
        }
        let header = dcd::header(self.file.path(), self.beads, &self.shared, self.frames)?;
        self.file.overwrite(dcd::COUNTERS.start as u64, &header[dcd::COUNTERS])
    }
}

fn encode(
    path: &Path,
    format: TrajectoryFormat,
    step: u64,
    time_ps: f64,
    sides: Option<[f64; 3]>,
    positions: &[[f64; 3]],
) -> Result<Vec<u8>, Error> {
    match format {
        TrajectoryFormat::Xtc => xtc::encode(path, step, time_ps, sides, positions),
        TrajectoryFormat::Dcd => dcd::encode(path, sides, positions),
    }
}

fn header(
    path: &Path,
    format: TrajectoryFormat,
    beads: usize,
    shared: &TrajectoryHeader,
) -> Result<Vec<u8>, Error> {
    let (limit, header) = match format {
        TrajectoryFormat::Xtc => (xtc::LARGEST_BEAD_COUNT, Ok(Vec::new())),
        TrajectoryFormat::Dcd => (dcd::LARGEST_BEAD_COUNT, dcd::header(path, beads, shared, 0)),
    };
    if beads > limit { Err(Error::too_many_beads(path, beads, limit)) } else { header }
}

/// Compares the beginning of a file with that of a trajectory of these beads, times and box. Returns the box of its
/// frames: nothing too if an earlier version began the file, whose frames have none.
fn compare_beginning(
    path: &Path,
    format: TrajectoryFormat,
    beads: usize,
    shared: &TrajectoryHeader,
    position: TrajectoryPosition,
) -> Result<Option<[f64; 3]>, Error> {
    let refuse = |reason: String| {
        let message = format!(
            "The trajectory {} cannot be continued: {reason}. Put back the trajectory of this run, \
             or start the run anew in another folder.",
            path.display()
        );
        Err(Error::other("io/other-trajectory", message))
    };
    let mut expected = beginning(path, format, beads, shared, position.frames)?;
    let Ok(mut file) = beadwork_files::open(path, beadwork_files::ANY_LENGTH) else {
        // AppendFile::reopen will report the error.
        return Ok(shared.sides);
    };
    let bytes = position.bytes;
    if bytes < expected.len() as u64 {
        return refuse(format!("its checkpoint ends at byte {bytes}, inside its header"));
    }
    if file.metadata().map_err(Error::read(path))?.len() < bytes {
        // AppendFile::reopen will report this.
        return Ok(shared.sides);
    }
    let mut found = vec![0; expected.len()];
    file.read_exact(&mut found).map_err(Error::read(path))?;
    let mut sides = shared.sides;
    if sides.is_some() && !found.is_empty() && !has_box(format, &found) {
        sides = None;
        expected = beginning(
            path,
            format,
            beads,
            &TrajectoryHeader { sides, ..*shared },
            position.frames,
        )?;
    }
    // What differs from frame to frame is not compared, and counters in the file may be ahead of the checkpoint.
    let varying = match format {
        TrajectoryFormat::Xtc if position.frames == 0 => &[],
        TrajectoryFormat::Xtc => [xtc::STEP_AND_TIME].as_slice(),
        TrajectoryFormat::Dcd => dcd::GROWING_COUNTERS.as_slice(),
    };
    for range in varying {
        found[range.clone()].copy_from_slice(&expected[range.clone()]);
    }
    if found != expected {
        return refuse(format!(
            "its header is not that of a {} trajectory of {beads} beads with these times and this box",
            format.extension().to_uppercase()
        ));
    }
    Ok(sides)
}

/// The first bytes of a trajectory of so many frames.
fn beginning(
    path: &Path,
    format: TrajectoryFormat,
    beads: usize,
    shared: &TrajectoryHeader,
    frames: u64,
) -> Result<Vec<u8>, Error> {
    let header = header(path, format, beads, shared)?;
    Ok(match format {
        TrajectoryFormat::Xtc if frames > 0 => xtc::head(beads, shared.sides),
        _ => header,
    })
}

/// Whether the frames of a trajectory that begins so have a box.
fn has_box(format: TrajectoryFormat, beginning: &[u8]) -> bool {
    let place = match format {
        TrajectoryFormat::Xtc => xtc::BOX,
        TrajectoryFormat::Dcd => dcd::HAS_UNIT_CELL,
    };
    beginning[place].iter().any(|&byte| byte != 0)
}
