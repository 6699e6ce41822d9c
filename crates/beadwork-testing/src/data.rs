//! Where tests find structures that are not part of the project.

use std::path::{Path, PathBuf};

/// The path of the file `relative` in the folder of test data, or `None` after printing `skipped: no data`.
///
/// The folder is `$BEADWORK_DATA`, or `../shared/data` beside the checkout.
#[allow(clippy::print_stderr, reason = "the reader of a test log must see what was skipped")]
pub fn shared_data(relative: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("BEADWORK_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
    };
    let file = folder.join(relative);
    if file.exists() {
        Some(file)
    } else {
        eprintln!("skipped: no data ({relative})");
        None
    }
}
