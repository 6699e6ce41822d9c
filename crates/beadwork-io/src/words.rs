//! Names of folders, and words of a shell.

use std::borrow::Cow;
use std::path::Path;

/// The last name of a folder, also of one that is written as a place on the way, such as `.` or `..`; `/` has itself.
pub fn folder_name(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    whole.file_name().unwrap_or(whole.as_os_str()).to_string_lossy().into_owned()
}

/// A word as a shell of Unix reads it: in quotes, unless all its letters mean themselves.
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+=:@%".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_mean_themselves() {
        assert_eq!(shell_word("/opt/bin/beadwork-1"), "/opt/bin/beadwork-1");
        assert_eq!(shell_word("my runs/it's"), r"'my runs/it'\''s'");
        assert_eq!(shell_word("a;b"), "'a;b'");
        assert_eq!(shell_word(""), "''");
    }

    #[test]
    fn a_folder_on_the_way_has_its_own_name() {
        let place = tempfile::tempdir().unwrap();
        let inner = place.path().join("melt");
        std::fs::create_dir_all(inner.join("a")).unwrap();
        assert_eq!(folder_name(&inner.join("a/..")), "melt");
        assert_eq!(folder_name(&inner.join(".")), "melt");
        assert_eq!(folder_name(Path::new("not/there")), "there");
    }
}
