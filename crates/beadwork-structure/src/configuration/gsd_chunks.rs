//! The chunks of data in GSD files: <https://gsd.readthedocs.io/en/stable/file-layer.html>.

use crate::error::Error;
use crate::visible_text::visible;

pub(super) const MAGIC: u64 = 0x65DF_65DF_65DF_65DF;
const HEADER_BYTES: usize = 256;
const ENTRY_BYTES: usize = 32;
const NAME_BYTES: usize = 64;
/// Types of numbers by their codes.
const U8: u8 = 1;
const U32: u8 = 3;
const I8: u8 = 5;
const I32: u8 = 7;
const F32: u8 = 9;
const F64: u8 = 10;
const CHARACTER: u8 = 11;

/// An array of a frame.
#[derive(Clone, Debug)]
pub(super) struct Chunk<'a> {
    pub name: &'a str,
    /// Its first byte in the file.
    pub place: u64,
    pub rows: u64,
    columns: u32,
    kind: u8,
    bytes: &'a [u8],
}

impl Chunk<'_> {
    /// Numbers of 4 bytes without a sign.
    pub(super) fn whole_numbers(&self) -> Result<Vec<u32>, String> {
        Ok(self.indices::<1>()?.into_iter().map(|[number]| number).collect())
    }

    /// Numbers of one byte without a sign.
    pub(super) fn bytes_as_numbers(&self) -> Result<Vec<u8>, String> {
        self.expect(1, &[U8, I8], "whole numbers of 8 bits")?;
        Ok(self.bytes.to_vec())
    }

    /// Rows of N numbers of 4 bytes that are not negative.
    pub(super) fn indices<const N: usize>(&self) -> Result<Vec<[u32; N]>, String> {
        // The schema has numbers without a sign, and the Python package `gsd` writes beads of bonds with one.
        self.expect(N, &[U32, I32], "whole numbers of 32 bits")?;
        let is_negative = |row: &[i32; N]| row.iter().any(|number| *number < 0);
        if self.kind == I32
            && let Some(row) = self.rows_of(i32::from_le_bytes).iter().position(is_negative)
        {
            return Err(format!("row {row}, counted from 0, has a number below zero"));
        }
        Ok(self.rows_of(u32::from_le_bytes))
    }

    /// Rows of N signed numbers.
    pub(super) fn integers<const N: usize>(&self) -> Result<Vec<[i32; N]>, String> {
        self.expect(N, &[I32], "whole numbers of 32 bits with a sign")?;
        Ok(self.rows_of(i32::from_le_bytes))
    }

    /// Rows of N finite numbers.
    pub(super) fn vectors<const N: usize>(&self) -> Result<Vec<[f64; N]>, String> {
        self.expect(N, &[F32, F64], "numbers in single or double precision")?;
        let rows: Vec<[f64; N]> = match self.kind {
            F32 => self.rows_of(|bytes| f64::from(f32::from_le_bytes(bytes))),
            _ => self.rows_of(f64::from_le_bytes),
        };
        match rows.iter().position(|row| row.iter().any(|number| !number.is_finite())) {
            Some(row) => Err(format!("row {row}, counted from 0, has a number that is not finite")),
            None => Ok(rows),
        }
    }

    /// A text in each row, which a zero ends.
    pub(super) fn texts(&self) -> Result<Vec<String>, String> {
        let columns = self.columns as usize;
        self.expect(columns, &[I8, U8, CHARACTER], "characters")?;
        let text = |row: &[u8]| {
            let end = row.iter().position(|byte| *byte == 0).unwrap_or(row.len());
            let text = str::from_utf8(&row[..end]).map_err(|_| "a name is not UTF-8".to_owned())?;
            Ok(visible(text).into_owned())
        };
        self.bytes.chunks(columns.max(1)).map(text).collect()
    }

    fn expect(&self, columns: usize, kinds: &[u8], words: &str) -> Result<(), String> {
        if !kinds.contains(&self.kind) {
            return Err(format!("the type of its numbers has the code {}, not {words}", self.kind));
        }
        if self.columns as usize != columns {
            return Err(format!("there are {} columns instead of {columns}", self.columns));
        }
        Ok(())
    }

    fn rows_of<T, const N: usize, const BYTES: usize>(
        &self,
        number: impl Fn([u8; BYTES]) -> T,
    ) -> Vec<[T; N]> {
        let numbers = self.bytes.as_chunks::<BYTES>().0;
        let rows = numbers.as_chunks::<N>().0;
        rows.iter().map(|row| row.map(&number)).collect()
    }
}

/// The bytes of a number of this type.
fn bytes_of(kind: u8) -> Option<u64> {
    match kind {
        1 | 5 | CHARACTER => Some(1),
        2 | 6 => Some(2),
        U32 | I32 | F32 => Some(4),
        4 | 8 | F64 => Some(8),
        _ => None,
    }
}

struct Entry {
    frame: u64,
    name: usize,
    place: u64,
    rows: u64,
    columns: u32,
    kind: u8,
    end: u64,
}

/// All chunks of a file.
pub(super) struct Chunks<'a> {
    file: &'a str,
    bytes: &'a [u8],
    names: Vec<&'a str>,
    /// Sorted by frame and name.
    entries: Vec<Entry>,
    index: u64,
}

impl<'a> Chunks<'a> {
    pub(super) fn read(bytes: &'a [u8], file: &'a str) -> Result<Chunks<'a>, Error> {
        let mut chunks = Chunks { file, bytes, names: Vec::new(), entries: Vec::new(), index: 0 };
        if bytes.len() < HEADER_BYTES {
            let problem = format!("the file ends after {} bytes, within its header", bytes.len());
            return Err(chunks.damaged(bytes.len() as u64, problem));
        }
        let number = |at: usize| u64_at(bytes, at);
        let version = u32_at(bytes, 44) >> 16;
        let schema = text_of(&bytes[112..176]);
        let problem = match () {
            () if number(0) != MAGIC => Some((0, "this is no GSD file".to_owned())),
            () if !matches!(version, 1 | 2) => {
                Some((44, format!("the version {version} of GSD is not known; known are 1 and 2")))
            }
            () if schema != Some("hoomd") => {
                Some((112, "the schema of the file is not that of HOOMD-blue".to_owned()))
            }
            () => None,
        };
        if let Some((place, problem)) = problem {
            return Err(chunks.damaged(place, problem));
        }
        chunks.index = number(8);
        chunks.names = chunks.read_names(number(24), number(32), version)?;
        chunks.entries = chunks.read_entries(number(16))?;
        Ok(chunks)
    }

    /// Number of frames.
    pub(super) fn frames(&self) -> usize {
        let last = self.entries.last().and_then(|entry| usize::try_from(entry.frame).ok());
        last.map_or(0, |last| last.saturating_add(1))
    }

    /// Where the index begins.
    pub(super) fn index_place(&self) -> u64 {
        self.index
    }

    pub(super) fn damaged(&self, place: u64, problem: String) -> Error {
        Error::damaged_at(self.file, place, problem)
    }

    /// The chunk of this name that a frame has.
    pub(super) fn find(&self, frame: u64, name: &str) -> Option<Chunk<'a>> {
        let number = self.names.iter().position(|known| *known == name)?;
        let at =
            self.entries.binary_search_by_key(&(frame, number), |entry| (entry.frame, entry.name));
        let &Entry { place, rows, columns, kind, end, .. } = &self.entries[at.ok()?];
        let bytes = self.bytes.get(place as usize..end as usize)?;
        Some(Chunk { name: self.names[number], place, rows, columns, kind, bytes })
    }

    /// The rest of all names that begin in this way.
    pub(super) fn names_below(&self, beginning: &str) -> Vec<&'a str> {
        self.names.iter().filter_map(|name| name.strip_prefix(beginning)).collect()
    }

    /// A part of the file.
    fn part(&self, place: u64, length: Option<u64>, what: &str) -> Result<&'a [u8], Error> {
        let end = length.and_then(|length| place.checked_add(length));
        let range = usize::try_from(place).ok().zip(end.and_then(|end| usize::try_from(end).ok()));
        range.and_then(|(from, to)| self.bytes.get(from..to)).ok_or_else(|| {
            let problem = format!(
                "{what} would end beyond the file, which has {} bytes; it may be cut off",
                self.bytes.len()
            );
            self.damaged(place, problem)
        })
    }

    fn read_names(&self, place: u64, units: u64, version: u32) -> Result<Vec<&'a str>, Error> {
        let block = self.part(place, units.checked_mul(NAME_BYTES as u64), "the list of names")?;
        let names: Vec<&[u8]> = match version {
            1 => block
                .chunks(NAME_BYTES)
                .map(|name| name.split(|b| *b == 0).next().unwrap_or(name))
                .collect(),
            _ => block.split(|byte| *byte == 0).collect(),
        };
        let names = names.into_iter().take_while(|name| !name.is_empty());
        names
            .map(|name| {
                std::str::from_utf8(name)
                    .map_err(|_| self.damaged(place, "a name of a chunk is not UTF-8".to_owned()))
            })
            .collect()
    }

    fn read_entries(&self, count: u64) -> Result<Vec<Entry>, Error> {
        let length = count.checked_mul(ENTRY_BYTES as u64);
        let block = self.part(self.index, length, "the index")?;
        let mut entries: Vec<Entry> = Vec::new();
        for (row, bytes) in block.as_chunks::<ENTRY_BYTES>().0.iter().enumerate() {
            let place = u64_at(bytes, 16);
            if place == 0 {
                break;
            }
            let damaged =
                |problem: String| self.damaged(self.index + (row * ENTRY_BYTES) as u64, problem);
            let (frame, rows, columns) = (u64_at(bytes, 0), u64_at(bytes, 8), u32_at(bytes, 24));
            let (name, kind) = (usize::from(u16::from_le_bytes([bytes[28], bytes[29]])), bytes[30]);
            let Some(text) = self.names.get(name) else {
                let problem = format!(
                    "a chunk has the name number {name}, but there are {}",
                    self.names.len()
                );
                return Err(damaged(problem));
            };
            let Some(size) = bytes_of(kind) else {
                return Err(damaged(format!(
                    "the chunk {text} has numbers of the unknown type {kind}"
                )));
            };
            if let Some(last) = entries.last().filter(|last| frame < last.frame) {
                return Err(damaged(format!(
                    "a chunk of frame {frame} follows one of frame {}",
                    last.frame
                )));
            }
            let length =
                rows.checked_mul(u64::from(columns)).and_then(|count| count.checked_mul(size));
            let part = self.part(place, length, &format!("the chunk {text} of frame {frame}"))?;
            let end = place + part.len() as u64;
            entries.push(Entry { frame, name, place, rows, columns, kind, end });
        }
        if entries.is_empty() {
            return Err(self.damaged(self.index, "the file has no frames".to_owned()));
        }
        // Files of version 1 have the chunks of a frame in any order.
        entries.sort_by_key(|entry| (entry.frame, entry.name));
        Ok(entries)
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The text before the first zero.
fn text_of(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes.split(|byte| *byte == 0).next()?).ok()
}
