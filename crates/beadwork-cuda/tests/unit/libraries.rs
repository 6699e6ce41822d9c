//! Tests of `src/compile/libraries.rs`.

use super::*;
use std::collections::BTreeSet;
use std::fs;

fn texts_below(folder: &Path) -> Vec<String> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = |path: std::path::PathBuf| match path.is_dir() {
        true => texts_below(&path),
        false => vec![fs::read_to_string(path).unwrap()],
    };
    paths.flat_map(texts).collect()
}

#[test]
fn every_called_function_is_looked_up_first() {
    let mut called = BTreeSet::new();
    for text in texts_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")) {
        for rest in text.split("sys::cu").skip(1) {
            let is_name = |character: char| character.is_alphanumeric() || character == '_';
            let end = rest.find(|character| !is_name(character)).unwrap();
            if rest.starts_with(char::is_uppercase) && rest[end..].starts_with('(') {
                called.insert(format!("cu{}", &rest[..end]));
            }
        }
    }
    let listed: BTreeSet<String> = FUNCTIONS.map(String::from).into();
    assert_eq!(called, listed);
}
