//! Data of a page, packed by gzip and written in base64.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use beadwork_session::Error;
use flate2::{Compression, GzBuilder};

/// Bytes in base64.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Bytes packed by gzip, in base64. Packed data say no time, so that equal bytes are packed alike.
pub(super) fn gzip_base64(bytes: &[u8]) -> Result<String, Error> {
    // A vector takes all that is written into it.
    let failed = |source| {
        let path = std::path::PathBuf::from(super::FILE);
        Error::from(beadwork_io::Error::Write { path, source })
    };
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    packed.write_all(bytes).map_err(failed)?;
    Ok(base64(&packed.finish().map_err(failed)?))
}
