//! Files that gzip or bzip2 packed.
//!
//! A small file may unpack to more than any disk has, so what it unpacks to is counted before any of it is kept, and the largest
//! length of its kind holds for that count.

use std::borrow::Cow;
use std::io::{self, Error, ErrorKind, Read, Result};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;

use crate::{in_words, read};

/// How a file is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Gzip,
    Bzip2,
}

impl Packing {
    const ALL: [Packing; 2] = [Packing::Gzip, Packing::Bzip2];

    fn ending(self) -> &'static str {
        match self {
            Packing::Gzip => ".gz",
            Packing::Bzip2 => ".bz2",
        }
    }

    fn program(self) -> &'static str {
        match self {
            Packing::Gzip => "gzip",
            Packing::Bzip2 => "bzip2",
        }
    }

    /// Whether a file begins as those of this program do: a number (RFC 1952), or letters with the size of blocks and then the
    /// number of the first block, or of the end of a file without blocks.
    fn begins(self, bytes: &[u8]) -> bool {
        match self {
            Packing::Gzip => bytes.starts_with(&[0x1f, 0x8b]),
            Packing::Bzip2 => {
                let block = [0x31, 0x41, 0x59, 0x26, 0x53, 0x59];
                let end = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90];
                bytes.starts_with(b"BZh")
                    && bytes.get(3).is_some_and(|size| (b'1'..=b'9').contains(size))
                    && bytes.get(4..10).is_some_and(|number| number == block || number == end)
            }
        }
    }

    fn of_name(name: &str) -> Option<Packing> {
        Packing::ALL.into_iter().find(|packing| without(name, packing.ending()).is_some())
    }

    /// What unpacks all parts of a file, which may be several packed ones behind each other.
    fn reader(self, bytes: &[u8]) -> Box<dyn Read + '_> {
        match self {
            Packing::Gzip => Box::new(MultiGzDecoder::new(bytes)),
            Packing::Bzip2 => Box::new(MultiBzDecoder::new(bytes)),
        }
    }
}

/// A name without an ending, whose letters may be capitals. `None` for other names, and for the ending alone.
fn without<'a>(name: &'a str, ending: &str) -> Option<&'a str> {
    let (stem, found) = name.split_at_checked(name.len().checked_sub(ending.len())?)?;
    let is_name = !stem.is_empty() && !stem.ends_with(['/', '\\']);
    (is_name && found.eq_ignore_ascii_case(ending)).then_some(stem)
}

/// The name of a file without `.gz` or `.bz2`: it tells the kind of what was packed.
///
/// ```
/// use beadwork_files::unpacked_name;
/// assert_eq!(unpacked_name("melts/a.xyz.gz"), "melts/a.xyz");
/// assert_eq!(unpacked_name("a.xyz"), "a.xyz");
/// ```
pub fn unpacked_name(name: &str) -> &str {
    Packing::ALL.into_iter().find_map(|packing| without(name, packing.ending())).unwrap_or(name)
}

/// What a file unpacks to, at most `most` bytes, or its bytes as they are if it is not packed. `name` is its name or path.
///
/// # Errors
/// A file that is damaged or cut off, that unpacks to more, or whose name says that it is packed but which is not; too little
/// memory.
pub fn unpacked<'a>(bytes: &'a [u8], name: &str, most: u64) -> Result<Cow<'a, [u8]>> {
    let Some(packing) = Packing::ALL.into_iter().find(|packing| packing.begins(bytes)) else {
        return match Packing::of_name(name) {
            None => Ok(Cow::Borrowed(bytes)),
            Some(packing) => {
                let (ending, program) = (packing.ending(), packing.program());
                let problem = format!(
                    "its name ends in {ending}, and it does not begin as files of {program} do: get it again, or take {ending} from its name if it is not packed"
                );
                Err(Error::new(ErrorKind::InvalidData, problem))
            }
        };
    };
    let broken = |error: Error| {
        let program = packing.program();
        let problem = format!(
            "it was packed by {program} and cannot be unpacked ({error}): it is damaged or cut off, so get it again"
        );
        Error::new(ErrorKind::InvalidData, problem)
    };
    let mut counted = packing.reader(bytes).take(most.saturating_add(1));
    let length = io::copy(&mut counted, &mut io::sink()).map_err(broken)?;
    if length > most {
        let problem = format!(
            "it has {}, and unpacked it has more than the {} that such a file may have",
            in_words(bytes.len() as u64),
            in_words(most)
        );
        return Err(Error::new(ErrorKind::FileTooLarge, problem));
    }
    let mut content = Vec::new();
    content.try_reserve_exact(usize::try_from(length).unwrap_or(usize::MAX)).map_err(|_| {
        let problem = format!("unpacked, its {} do not fit into the memory", in_words(length));
        Error::new(ErrorKind::OutOfMemory, problem)
    })?;
    packing.reader(bytes).take(length).read_to_end(&mut content).map_err(broken)?;
    Ok(Cow::Owned(content))
}

/// Reads an ordinary file of at most `most` bytes, and unpacks it if gzip or bzip2 packed it, to as many bytes at most.
///
/// # Errors
/// Errors of [`read`] and of [`unpacked`].
pub fn read_unpacked(path: &Path, most: u64) -> Result<Vec<u8>> {
    let bytes = read(path, most)?;
    match unpacked(&bytes, &path.to_string_lossy(), most)? {
        Cow::Owned(content) => Ok(content),
        Cow::Borrowed(_) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn bzip2(bytes: &[u8]) -> Vec<u8> {
        let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    fn said(bytes: &[u8], name: &str, most: u64) -> (ErrorKind, String) {
        let error = unpacked(bytes, name, most).unwrap_err();
        (error.kind(), error.to_string())
    }

    const TEXT: &[u8] = b"2\n\nA 0 0 0\nB 1 0 0\n";

    #[test]
    fn packed_files_are_unpacked_whatever_their_name() {
        let folder = tempfile::tempdir().unwrap();
        for (packed, ending) in [(gzip(TEXT), ".gz"), (bzip2(TEXT), ".bz2")] {
            for name in [format!("a.xyz{ending}"), "a.xyz".to_string()] {
                let path = folder.path().join(name);
                fs::write(&path, &packed).unwrap();
                assert_eq!(read_unpacked(&path, 100).unwrap(), TEXT);
                // The file as it lies there has other bytes.
                assert_eq!(read(&path, 100).unwrap(), packed);
            }
            // Parts that were packed one by one, as block-wise packers write them.
            let twice = [&packed[..], &packed[..]].concat();
            assert_eq!(*unpacked(&twice, "a", 100).unwrap(), [TEXT, TEXT].concat());
        }
        assert_eq!(*unpacked(&gzip(b""), "a.gz", 0).unwrap(), []);
        assert_eq!(*unpacked(&bzip2(b""), "a.bz2", 0).unwrap(), []);
        for plain in [TEXT, b"BZh9 is a sequence", b""] {
            assert!(
                matches!(unpacked(plain, "a.xyz", 0).unwrap(), Cow::Borrowed(same) if same == plain)
            );
        }
    }

    #[test]
    fn the_largest_length_is_that_of_what_is_unpacked() {
        let long = vec![b'A'; 1 << 20];
        for packed in [gzip(&long), bzip2(&long)] {
            assert!(packed.len() < 2000, "{}", packed.len());
            assert_eq!(*unpacked(&packed, "a", 1 << 20).unwrap(), long);
            let (kind, problem) = said(&packed, "a", (1 << 20) - 1);
            assert_eq!(kind, ErrorKind::FileTooLarge);
            let end = "unpacked it has more than the 1.0 MB that such a file may have";
            assert!(problem.ends_with(end), "{problem}");
        }
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let text = (0..2000).map(|k| format!("A {k} 0 0\n")).collect::<String>();
        for (packed, name) in [(gzip(text.as_bytes()), "gzip"), (bzip2(text.as_bytes()), "bzip2")] {
            let start = format!("it was packed by {name} and cannot be unpacked (");
            for length in [12, packed.len() / 2, packed.len() - 1] {
                let (kind, problem) = said(&packed[..length], "a", 1 << 20);
                assert_eq!(kind, ErrorKind::InvalidData);
                assert!(
                    problem.starts_with(&start) && problem.ends_with("get it again"),
                    "{problem}"
                );
            }
            let mut changed = packed.clone();
            let middle = changed.len() / 2;
            changed[middle] ^= 0x10;
            assert!(said(&changed, "a", 1 << 20).1.starts_with(&start));
            let behind = [&packed[..], b"more"].concat();
            assert!(said(&behind, "a", 1 << 20).1.starts_with(&start));
        }
        let problem = said(TEXT, "a.xyz.BZ2", 100).1;
        assert!(problem.starts_with("its name ends in .bz2, and"), "{problem}");
        assert!(said(&[], "a.gz", 100).1.starts_with("its name ends in .gz, and"));
    }

    #[test]
    fn endings_of_packers_are_taken_off_once() {
        for (name, expected) in [
            ("a.pdb.gz", "a.pdb"),
            ("A.PDB.GZ", "A.PDB"),
            ("a.pdb.bz2", "a.pdb"),
            ("a.gz.gz", "a.gz"),
            ("f.gz/a.pdb", "f.gz/a.pdb"),
            ("f/.gz", "f/.gz"),
            (".gz", ".gz"),
            ("ä", "ä"),
            ("", ""),
        ] {
            assert_eq!(unpacked_name(name), expected);
        }
    }
}
