//! Trajectories in the GSD format of HOOMD-blue: every frame has all that a run can start from
//! (<https://gsd.readthedocs.io/en/stable/schema-hoomd.html>).

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use crate::append::AppendFile;
use crate::gsd_layout::{Chunk, INDEX_FIELDS, Kind, Layout};
use crate::written::Rewritten;
use crate::{Error, TrajectoryPosition};

/// The largest coordinate of a file, so that a box in single precision has room for it.
const LARGEST: f64 = 1e37;

/// The bytes of a file of one frame, as [`GsdWriter`] would write it; `path` stands in errors.
///
/// # Errors
/// Those of [`GsdWriter::write_frame`] that do not come from writing.
pub fn file_of_one_frame(
    path: &Path,
    beads: &GsdBeads,
    step: u64,
    positions: &[[f64; 3]],
    velocities: &[[f64; 3]],
) -> Result<Vec<u8>, Error> {
    let layout = Layout::new(chunks(beads));
    let mut bytes = layout.beginning();
    bytes.extend(frame(path, &layout, beads, 0, step, positions, velocities)?);
    for part in layout.rewritten(1) {
        let at = part.at as usize;
        bytes[at..at + part.now.len()].copy_from_slice(&part.now);
    }
    Ok(bytes)
}

/// What frame `number` appends to a file.
fn frame(
    path: &Path,
    layout: &Layout,
    beads: &GsdBeads,
    number: u64,
    step: u64,
    positions: &[[f64; 3]],
    velocities: &[[f64; 3]],
) -> Result<Vec<u8>, Error> {
    let count = beads.types.len();
    let expected = if beads.has_velocities { count } else { 0 };
    for (expected, found) in [(count, positions.len()), (expected, velocities.len())] {
        if expected != found {
            return Err(Error::bead_count(path, expected, found));
        }
    }
    let places = Places::new(path, positions, beads.sides)?;
    let mut bytes = Vec::new();
    let room = layout.room(number + 1);
    if room != layout.room(number) {
        bytes.extend(layout.block(room, number));
    }
    for (_, chunk) in layout.chunks_of(number) {
        bytes.extend(data(chunk.name, beads, step, &places, velocities));
    }
    Ok(bytes)
}

/// What all frames of a file share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GsdBeads {
    /// Names of the types of beads.
    pub type_names: Vec<String>,
    /// The type of each bead.
    pub types: Vec<u32>,
    /// The mass of each bead.
    pub masses: Vec<f32>,
    /// The charge of each bead, elementary charges.
    pub charges: Vec<f32>,
    /// Bonds.
    pub bonds: GsdTerms<2>,
    /// Angles.
    pub angles: GsdTerms<3>,
    /// The sides of a periodic box. In open space each frame has a cube whose side is a power of two and at least four
    /// times the largest coordinate, so that beads are far from their images.
    pub sides: Option<[f64; 3]>,
    /// Whether frames have velocities.
    pub has_velocities: bool,
}

/// Terms that act on N beads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GsdTerms<const N: usize> {
    /// Names of the types of terms.
    pub type_names: Vec<String>,
    /// The type of each term.
    pub types: Vec<u32>,
    /// The beads of each term, counted from 0.
    pub beads: Vec<[u32; N]>,
}

/// Writes a trajectory as GSD, in single precision: lengths and velocities in the units of the system.
///
/// Frames are appended whole, and other programs see them when [`write_frame`](Self::write_frame) returns;
/// [`sync`](Self::sync) makes them durable.
#[derive(Debug)]
pub struct GsdWriter {
    file: AppendFile,
    layout: Layout,
    beads: GsdBeads,
    frames: u64,
    /// Frames whose entries are in the index of the file.
    indexed: u64,
}

impl GsdWriter {
    /// Creates a trajectory without frames at `path`; an existing file is emptied.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, beads: GsdBeads) -> Result<Self, Error> {
        let layout = Layout::new(chunks(&beads));
        let mut file = AppendFile::create(path)?;
        file.write_all(&layout.beginning())?;
        file.flush()?;
        Ok(Self { file, layout, beads, frames: 0, indexed: 0 })
    }

    /// Whether a frame can hold these positions; writes nothing.
    ///
    /// # Errors
    /// Those that [`write_frame`](Self::write_frame) would return.
    pub fn check(
        path: &Path,
        sides: Option<[f64; 3]>,
        positions: &[[f64; 3]],
    ) -> Result<(), Error> {
        Places::new(path, positions, sides).map(|_| ())
    }

    /// Continues the trajectory at `path` after `position`; later frames are cut off.
    ///
    /// # Errors
    /// If the file does not begin as a trajectory of these beads; it then stays unchanged.
    pub fn reopen(
        path: &Path,
        beads: GsdBeads,
        position: TrajectoryPosition,
    ) -> Result<Self, Error> {
        let layout = Layout::new(chunks(&beads));
        compare_beginning(path, &layout, position)?;
        let frames = position.frames;
        let mut file = AppendFile::reopen(path, position.end())?;
        // Entries of later frames may be in the index, and the header may point to a later index.
        for part in layout.rewritten(frames) {
            file.overwrite(part.at, &part.now)?;
        }
        Ok(Self { file, layout, beads, frames, indexed: frames })
    }

    /// The parts that are overwritten in the file at `path`, which ends at `position`.
    ///
    /// # Errors
    /// A position at which no frame of these beads ends.
    pub fn rewritten(
        path: &Path,
        beads: &GsdBeads,
        position: TrajectoryPosition,
    ) -> Result<Vec<Rewritten>, Error> {
        let layout = Layout::new(chunks(beads));
        match position.bytes == layout.length(position.frames) {
            true => Ok(layout.rewritten(position.frames)),
            false => Err(other_trajectory(path, "its checkpoint is of other beads")),
        }
    }

    /// Appends positions, in a box those of the images that beads have reached, and velocities if frames have them.
    ///
    /// After an error other than a failed write the frame is not part of the trajectory; after a failed write it stays in
    /// memory for the next attempt.
    ///
    /// # Errors
    /// Another number of beads than the file has, coordinates that it cannot hold, or a failed write.
    pub fn write_frame(
        &mut self,
        step: u64,
        positions: &[[f64; 3]],
        velocities: &[[f64; 3]],
    ) -> Result<(), Error> {
        let (path, layout, frames) = (self.file.path(), &self.layout, self.frames);
        let bytes = frame(path, layout, &self.beads, frames, step, positions, velocities)?;
        self.frames += 1;
        self.file.write_all(&bytes)?;
        self.file.flush()?;
        self.store_index()
    }

    /// The length of the trajectory so far.
    pub fn position(&self) -> TrajectoryPosition {
        TrajectoryPosition::new(self.file.end(), self.frames)
    }

    /// Makes everything up to [`position`](Self::position) survive a power cut.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn sync(&mut self) -> Result<(), Error> {
        self.store_index()?;
        self.file.sync()
    }

    /// Enters the last frames in the index, then points the header to it if it is a new one.
    fn store_index(&mut self) -> Result<(), Error> {
        if self.indexed == self.frames {
            return Ok(());
        }
        let room = self.layout.room(self.frames);
        let (at, entries) = self.layout.entries(self.indexed..self.frames, room);
        self.file.overwrite(at, &entries)?;
        if room != self.layout.room(self.indexed) {
            let header = self.layout.header(room);
            self.file.overwrite(INDEX_FIELDS.start as u64, &header[INDEX_FIELDS])?;
        }
        self.indexed = self.frames;
        Ok(())
    }
}

/// The chunks of a file; those without rows are left out.
fn chunks(beads: &GsdBeads) -> Vec<Chunk> {
    let count = beads.types.len() as u64;
    let names = |names: &[String]| (names.len() as u64, name_width(names) as u32);
    let (bonds, angles) = (beads.bonds.types.len() as u64, beads.angles.types.len() as u64);
    let rows_if = |is: bool| if is { count } else { 0 };
    let one_if = |terms: u64| terms.min(1);
    let with_names = |terms: u64, (rows, columns): (u64, u32)| (one_if(terms) * rows, columns);
    let all = [
        ("configuration/step", Kind::U64, (1, 1), true),
        ("configuration/box", Kind::F32, (6, 1), true),
        ("particles/N", Kind::U32, (1, 1), false),
        ("particles/types", Kind::I8, names(&beads.type_names), false),
        ("particles/typeid", Kind::U32, (count, 1), false),
        ("particles/mass", Kind::F32, (count, 1), false),
        ("particles/charge", Kind::F32, (count, 1), false),
        ("particles/position", Kind::F32, (count, 3), true),
        ("particles/velocity", Kind::F32, (rows_if(beads.has_velocities), 3), true),
        ("particles/image", Kind::I32, (rows_if(beads.sides.is_some()), 3), true),
        ("bonds/N", Kind::U32, (one_if(bonds), 1), false),
        ("bonds/types", Kind::I8, with_names(bonds, names(&beads.bonds.type_names)), false),
        ("bonds/typeid", Kind::U32, (bonds, 1), false),
        ("bonds/group", Kind::U32, (bonds, 2), false),
        ("angles/N", Kind::U32, (one_if(angles), 1), false),
        ("angles/types", Kind::I8, with_names(angles, names(&beads.angles.type_names)), false),
        ("angles/typeid", Kind::U32, (angles, 1), false),
        ("angles/group", Kind::U32, (angles, 3), false),
    ];
    all.into_iter()
        .map(|(name, kind, (rows, columns), in_each_frame)| Chunk {
            name,
            kind,
            rows,
            columns,
            in_each_frame,
        })
        .filter(|chunk| chunk.rows > 0)
        .collect()
}

/// The bytes of one of the [`chunks`].
fn data(
    name: &str,
    beads: &GsdBeads,
    step: u64,
    places: &Places,
    velocities: &[[f64; 3]],
) -> Vec<u8> {
    let GsdBeads { bonds, angles, .. } = beads;
    match name {
        "configuration/step" => step.to_le_bytes().to_vec(),
        "configuration/box" => floats([places.sides, [0.0; 3]].as_flattened()),
        "particles/N" => words(&[beads.types.len() as u32]),
        "particles/types" => padded(&beads.type_names),
        "particles/typeid" => words(&beads.types),
        "particles/mass" => floats(&beads.masses),
        "particles/charge" => floats(&beads.charges),
        "particles/position" => floats(places.positions.as_flattened()),
        "particles/velocity" => {
            velocities.as_flattened().iter().flat_map(|v| (*v as f32).to_le_bytes()).collect()
        }
        "particles/image" => {
            places.images.as_flattened().iter().flat_map(|image| image.to_le_bytes()).collect()
        }
        "bonds/N" => words(&[bonds.types.len() as u32]),
        "bonds/types" => padded(&bonds.type_names),
        "bonds/typeid" => words(&bonds.types),
        "bonds/group" => words(bonds.beads.as_flattened()),
        "angles/N" => words(&[angles.types.len() as u32]),
        "angles/types" => padded(&angles.type_names),
        "angles/typeid" => words(&angles.types),
        "angles/group" => words(angles.beads.as_flattened()),
        other => unreachable!("{other} is no chunk"),
    }
}

fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The longest name with the zero that ends it.
fn name_width(names: &[String]) -> usize {
    names.iter().map(String::len).max().unwrap_or(0) + 1
}

/// Names in rows of one length, filled with zeros.
fn padded(names: &[String]) -> Vec<u8> {
    let width = name_width(names);
    let mut bytes = Vec::with_capacity(names.len() * width);
    for name in names {
        bytes.extend(name.as_bytes());
        bytes.resize(bytes.len() + width - name.len(), 0);
    }
    bytes
}

/// Where the beads of a frame are: in a box around the origin, and its images.
struct Places {
    sides: [f32; 3],
    positions: Vec<[f32; 3]>,
    images: Vec<[i32; 3]>,
}

impl Places {
    fn new(path: &Path, positions: &[[f64; 3]], sides: Option<[f64; 3]>) -> Result<Places, Error> {
        let mut largest: f64 = 0.0;
        for (bead, position) in positions.iter().enumerate() {
            for (axis, &value) in ['x', 'y', 'z'].into_iter().zip(position) {
                let fits_image = |sides: [f64; 3]| {
                    sides.iter().all(|side| (value / side).abs() < f64::from(i32::MAX))
                };
                if !(value.abs() <= LARGEST && sides.is_none_or(fits_image)) {
                    let limit =
                        "GSD holds finite numbers up to 1e37, and 2147483647 images of a box";
                    let path = path.to_path_buf();
                    return Err(Error::Coordinate { path, bead, axis, value, limit });
                }
                largest = largest.max(value.abs());
            }
        }
        let Some(sides) = sides else {
            let mut side = 1.0;
            while f64::from(side) < 4.0 * largest {
                side *= 2.0_f32;
            }
            let positions = positions.iter().map(|position| position.map(|x| x as f32)).collect();
            return Ok(Places { sides: [side; 3], positions, images: Vec::new() });
        };
        let mut places = Places {
            sides: sides.map(|side| side as f32),
            positions: Vec::new(),
            images: Vec::new(),
        };
        for position in positions {
            let wrapped = [0, 1, 2].map(|axis| wrapped(position[axis], sides[axis]));
            places.positions.push(wrapped.map(|(position, _)| position));
            places.images.push(wrapped.map(|(_, image)| image));
        }
        Ok(places)
    }
}

/// A coordinate from −½ of the side up to, but not including, ½, and its image.
fn wrapped(x: f64, side: f64) -> (f32, i32) {
    let image = (x / side + 0.5).floor();
    let half = side as f32 / 2.0;
    let inside = ((x - image * side) as f32).max(-half);
    // Rounding may reach the upper face.
    if inside >= half { (-half, image as i32 + 1) } else { (inside, image as i32) }
}

fn compare_beginning(
    path: &Path,
    layout: &Layout,
    position: TrajectoryPosition,
) -> Result<(), Error> {
    let refuse = |reason: &str| Err(other_trajectory(path, reason));
    if position.bytes != layout.length(position.frames) {
        return refuse("its checkpoint is of other beads");
    }
    let Ok(mut file) = beadwork_files::open(path, beadwork_files::ANY_LENGTH) else {
        // AppendFile::reopen will report the error.
        return Ok(());
    };
    if file.metadata().map_err(Error::read(path))?.len() < position.bytes {
        // AppendFile::reopen will report this.
        return Ok(());
    }
    let mut head = vec![0; layout.head().len()];
    file.read_exact(&mut head).map_err(Error::read(path))?;
    let mut expected = layout.head();
    // The index in the file may be ahead of the checkpoint.
    expected[INDEX_FIELDS].copy_from_slice(&head[INDEX_FIELDS]);
    let (at, entries) = layout.entries(0..position.frames.min(1), layout.room(position.frames));
    let mut found = vec![0; entries.len()];
    file.seek(SeekFrom::Start(at))
        .and_then(|_| file.read_exact(&mut found))
        .map_err(Error::read(path))?;
    if head != expected || found != entries {
        return refuse("its header is not that of a GSD trajectory of these beads");
    }
    Ok(())
}

fn other_trajectory(path: &Path, reason: &str) -> Error {
    let message = format!(
        "The trajectory {} cannot be continued: {reason}. Put back the trajectory of this run, or \
         start the run anew in another folder.",
        path.display()
    );
    Error::other("io/other-trajectory", message)
}
