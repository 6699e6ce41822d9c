//! Where everything lies in a GSD file: a function of the number of frames alone.
//!
//! A header, the names of chunks, an index, then the chunks of each frame. An index block has room for a number of
//! frames. Before the first frame beyond it, a block of twice the room is appended that repeats its entries, and the
//! header points there. So a file is cut back exactly by its length, its last index block and its header
//! (<https://gsd.readthedocs.io/en/stable/file-layer.html>).

use std::ops::Range;

use crate::written::Rewritten;

pub(crate) const HEADER_BYTES: usize = 256;
/// The place of the index in the header: its offset and its number of entries.
pub(crate) const INDEX_FIELDS: Range<usize> = 8..24;
pub(crate) const MAGIC: u64 = 0x65DF_65DF_65DF_65DF;
/// Major version in the upper 16 bits, minor version in the lower ones.
const FILE_VERSION: u32 = 2 << 16;
const SCHEMA_VERSION: u32 = (1 << 16) | 4;
pub(crate) const ENTRY_BYTES: u64 = 32;
/// The unit in which the header counts the bytes of names.
pub(crate) const NAME_UNIT: usize = 64;
/// Frames in the first index block.
const FIRST_ROOM: u64 = 16;

/// The type of the numbers in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    U32,
    U64,
    I8,
    I32,
    F32,
}

impl Kind {
    fn code(self) -> u8 {
        match self {
            Kind::U32 => 3,
            Kind::U64 => 4,
            Kind::I8 => 5,
            Kind::I32 => 7,
            Kind::F32 => 9,
        }
    }

    fn bytes(self) -> u64 {
        match self {
            Kind::I8 => 1,
            Kind::U32 | Kind::I32 | Kind::F32 => 4,
            Kind::U64 => 8,
        }
    }
}

/// The name and shape of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub name: &'static str,
    pub kind: Kind,
    pub rows: u64,
    pub columns: u32,
    /// Whether all frames have it, or the first one for all.
    pub in_each_frame: bool,
}

impl Chunk {
    fn bytes(&self) -> u64 {
        self.rows * u64::from(self.columns) * self.kind.bytes()
    }
}

/// The layout of a file with these chunks, in the order of their names.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    chunks: Vec<Chunk>,
    names: Vec<u8>,
}

impl Layout {
    pub(crate) fn new(chunks: Vec<Chunk>) -> Self {
        let mut names: Vec<u8> = Vec::new();
        for chunk in &chunks {
            names.extend(chunk.name.as_bytes());
            names.push(0);
        }
        // An empty name ends the list.
        names.resize((names.len() + 1).next_multiple_of(NAME_UNIT), 0);
        Layout { chunks, names }
    }

    /// The chunks of a frame with their numbers in the list of names.
    pub(crate) fn chunks_of(&self, frame: u64) -> impl Iterator<Item = (usize, &Chunk)> {
        self.chunks.iter().enumerate().filter(move |(_, chunk)| frame == 0 || chunk.in_each_frame)
    }

    fn frame_bytes(&self, frame: u64) -> u64 {
        self.chunks_of(frame).map(|(_, chunk)| chunk.bytes()).sum()
    }

    fn entries_before(&self, frame: u64) -> u64 {
        let later = self.chunks_of(1).count() as u64;
        match frame {
            0 => 0,
            _ => self.chunks.len() as u64 + (frame - 1) * later,
        }
    }

    /// The bytes of an index block for so many frames. An entry without a place ends each block.
    fn block_bytes(&self, room: u64) -> u64 {
        (self.entries_before(room) + 1) * ENTRY_BYTES
    }

    /// The room, in frames, of the index block of a file with so many frames.
    pub(crate) fn room(&self, frames: u64) -> u64 {
        let mut room = FIRST_ROOM;
        while room < frames {
            room *= 2;
        }
        room
    }

    /// Where the first chunk of a frame is.
    fn frame_at(&self, frame: u64) -> u64 {
        let mut at = self.block_at(FIRST_ROOM) + self.block_bytes(FIRST_ROOM);
        let mut room = FIRST_ROOM;
        while room <= frame {
            room *= 2;
            at += self.block_bytes(room);
        }
        match frame {
            0 => at,
            _ => at + self.frame_bytes(0) + (frame - 1) * self.frame_bytes(1),
        }
    }

    /// Where the index block with this room is: before the first frame that the block before has no room for.
    pub(crate) fn block_at(&self, room: u64) -> u64 {
        match room {
            FIRST_ROOM => (HEADER_BYTES + self.names.len()) as u64,
            _ => self.frame_at(room / 2) - self.block_bytes(room),
        }
    }

    /// The length of a file with so many frames.
    pub(crate) fn length(&self, frames: u64) -> u64 {
        match frames {
            0 => self.frame_at(0),
            _ => self.frame_at(frames - 1) + self.frame_bytes(frames - 1),
        }
    }

    /// The index entries of frames, and where they are in the block with this room.
    pub(crate) fn entries(&self, frames: Range<u64>, room: u64) -> (u64, Vec<u8>) {
        let place = self.block_at(room) + self.entries_before(frames.start) * ENTRY_BYTES;
        let mut bytes = Vec::new();
        for frame in frames {
            let mut at = self.frame_at(frame);
            for (number, chunk) in self.chunks_of(frame) {
                bytes.extend(frame.to_le_bytes());
                bytes.extend(chunk.rows.to_le_bytes());
                bytes.extend(at.to_le_bytes());
                bytes.extend(chunk.columns.to_le_bytes());
                bytes.extend((number as u16).to_le_bytes());
                bytes.extend([chunk.kind.code(), 0]);
                at += chunk.bytes();
            }
        }
        (place, bytes)
    }

    /// The index block with this room in a file of so many frames.
    pub(crate) fn block(&self, room: u64, frames: u64) -> Vec<u8> {
        let (_, mut bytes) = self.entries(0..frames, room);
        bytes.resize(self.block_bytes(room) as usize, 0);
        bytes
    }

    /// The header and all index blocks of a file of so many frames. A block is appended with the entries of the block
    /// before it, then filled; one that is full stays as it is.
    pub(crate) fn rewritten(&self, frames: u64) -> Vec<Rewritten> {
        let last = self.room(frames);
        let (appended, now) = (self.header(FIRST_ROOM), self.header(last));
        let mut parts = vec![Rewritten { at: 0, appended, now }];
        let mut room = FIRST_ROOM;
        while room <= last {
            let before = if room == FIRST_ROOM { 0 } else { room / 2 };
            parts.push(Rewritten {
                at: self.block_at(room),
                appended: self.block(room, before),
                now: self.block(room, frames.min(room)),
            });
            room *= 2;
        }
        parts
    }

    /// The header of a file whose index block has this room.
    pub(crate) fn header(&self, room: u64) -> Vec<u8> {
        let mut header = Vec::with_capacity(HEADER_BYTES);
        let entries = self.block_bytes(room) / ENTRY_BYTES;
        let name_units = (self.names.len() / NAME_UNIT) as u64;
        for number in [MAGIC, self.block_at(room), entries, HEADER_BYTES as u64, name_units] {
            header.extend(number.to_le_bytes());
        }
        header.extend(SCHEMA_VERSION.to_le_bytes());
        header.extend(FILE_VERSION.to_le_bytes());
        for text in ["beadwork", "hoomd"] {
            let mut field = [0; 64];
            field[..text.len()].copy_from_slice(text.as_bytes());
            header.extend(field);
        }
        header.resize(HEADER_BYTES, 0);
        header
    }

    /// Header, names and index of a file without frames.
    pub(crate) fn beginning(&self) -> Vec<u8> {
        [self.header(FIRST_ROOM), self.names.clone(), self.block(FIRST_ROOM, 0)].concat()
    }

    /// Header and names, which tell one file from another.
    pub(crate) fn head(&self) -> Vec<u8> {
        [self.header(FIRST_ROOM), self.names.clone()].concat()
    }
}
