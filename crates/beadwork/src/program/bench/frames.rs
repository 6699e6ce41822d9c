//! The frames of a DCD file that a run has written.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::program::Failure;

/// A DCD file, frame by frame. The format is described in `beadwork-io`.
pub struct Frames {
    path: PathBuf,
    file: BufReader<File>,
    beads: usize,
}

impl Frames {
    /// The file of a trajectory of so many beads.
    pub fn open(path: &Path, beads: usize) -> Result<Frames, Failure> {
        let file = File::open(path).map_err(|error| {
            Failure::machine(format!("{} cannot be read: {error}", path.display()))
        })?;
        let mut frames = Frames { path: path.to_path_buf(), file: BufReader::new(file), beads };
        // Control numbers, titles, number of beads.
        for _ in 0..3 {
            if frames.record()?.is_none() {
                return Err(frames.damaged());
            }
        }
        Ok(frames)
    }

    /// Positions, Å, of the next frame; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Vec<[f64; 3]>>, Failure> {
        let mut positions = vec![[0.0; 3]; self.beads];
        for axis in 0..3 {
            let Some(record) = self.record()? else {
                return if axis == 0 { Ok(None) } else { Err(self.damaged()) };
            };
            if record.len() != 4 * self.beads {
                return Err(self.damaged());
            }
            for (position, bytes) in positions.iter_mut().zip(record.chunks_exact(4)) {
                let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
                position[axis] = f64::from(f32::from_le_bytes(bytes));
            }
        }
        Ok(Some(positions))
    }

    /// One Fortran record; `None` at the end of the file.
    fn record(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        let mut length = [0; 4];
        match self.file.read_exact(&mut length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            other => other.map_err(|_| self.damaged())?,
        }
        let expected = length;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        self.file.read_exact(&mut bytes).map_err(|_| self.damaged())?;
        self.file.read_exact(&mut length).map_err(|_| self.damaged())?;
        if length == expected { Ok(Some(bytes)) } else { Err(self.damaged()) }
    }

    fn damaged(&self) -> Failure {
        Failure::machine(format!(
            "{} is not the trajectory that was just written: check the disk, or name another folder by --scratch",
            self.path.display()
        ))
    }
}
