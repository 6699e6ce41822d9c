//! What stands beside the code of a release agrees with it.

use std::fs;
use std::path::{Path, PathBuf};

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_citation_has_the_version_of_the_program() {
    let citation = fs::read_to_string(checkout().join("CITATION.cff")).unwrap();
    let version = concat!("version: ", env!("CARGO_PKG_VERSION"));
    assert!(citation.lines().any(|line| line == version), "write into CITATION.cff: {version}");
}

/// The targets of links in a text, without places on a page.
fn targets(text: &str) -> Vec<&str> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(target, _)| target.split('#').next().unwrap_or_default()).collect()
}

#[test]
fn the_page_of_each_crate_leads_to_what_exists() {
    let crates = fs::read_dir(checkout().join("crates")).unwrap();
    let mut folders: Vec<PathBuf> = crates.map(|entry| entry.unwrap().path()).collect();
    folders.push(checkout().join("benchmarks/src"));
    for folder in folders {
        let page = folder.join("README.md");
        let text = fs::read_to_string(&page).unwrap_or_else(|error| panic!("{page:?}: {error}"));
        let beside: Vec<&str> =
            targets(&text).into_iter().filter(|target| !target.starts_with("https://")).collect();
        assert!(!beside.is_empty(), "{page:?} leads nowhere");
        for target in beside {
            assert!(folder.join(target).exists(), "{page:?}: there is no {target}");
        }
    }
}

#[test]
fn targets_of_links_are_found() {
    assert_eq!(targets("a [b](c.md) d [e](../f.md#g)."), ["c.md", "../f.md"]);
    assert!(targets("a (b) [c]").is_empty());
}
