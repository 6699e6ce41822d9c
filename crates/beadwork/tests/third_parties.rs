//! `THIRD-PARTY.md` names every package that the program may hold, and the fonts and scripts in it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_package_of_others_is_named_with_its_licence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let lock = read("Cargo.lock");
    let value = |line: &str| line.split('"').nth(1).unwrap_or_default().to_string();
    let of_others: BTreeSet<String> = lock
        .split("[[package]]")
        .filter(|package| package.contains("\nsource = "))
        .filter_map(|package| package.lines().find(|line| line.starts_with("name = ")))
        .map(value)
        .collect();
    let notices = read("THIRD-PARTY.md");
    let (_, table) = notices.split_once("## Libraries").unwrap();
    let listed: BTreeSet<String> = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .skip(1)
        .flat_map(|(_, packages)| packages.split(", ").map(str::to_string))
        .collect();
    let missing: Vec<&String> = of_others.difference(&listed).collect();
    let gone: Vec<&String> = listed.difference(&of_others).collect();
    assert!(missing.is_empty(), "add to THIRD-PARTY.md, behind their licences: {missing:?}");
    assert!(gone.is_empty(), "take out of THIRD-PARTY.md: {gone:?}");
    let texts = ["licenses/Ubuntu-Light.txt", "licenses/Hack-Regular.txt", "licenses/3Dmol.txt"];
    for text in texts {
        assert!(notices.contains(text) && read(text).to_lowercase().contains("licen"), "{text}");
    }
    // Reports have the licence of the script in them, so it stands beside the script too.
    let in_reports = read("crates/beadwork-report/src/page/assets/3Dmol.txt");
    assert_eq!(in_reports, read("licenses/3Dmol.txt"));
}
