//! The file that `cgconfig` of `sop-top2` names: which beads a residue has.

use std::path::Path;

use beadwork_structure::with_line_feeds;

use super::config::Config;
use crate::error::Error;

/// What the file says of one bead.
#[derive(Debug, Default)]
struct ResidueBead<'a> {
    /// The atoms whose mean is its position.
    place: Vec<&'a str>,
    /// The atoms that it stands for, whose distances decide on contacts.
    atoms: Vec<&'a str>,
}

/// Reads `cgconfig`, if it is there; whether it is. Models that are not a bead at each alpha carbon are refused.
pub(super) fn read(config: &mut Config, folder: &Path) -> Result<bool, Error> {
    let Some(file) = config.take("cgconfig") else { return Ok(false) };
    let remedy =
        "beadwork has one bead at each CA: remove the key if that is the model which is wanted";
    let Ok(bytes) = beadwork_files::read(&folder.join(&file), beadwork_files::LARGEST_TEXT) else {
        let problem =
            format!("says which beads the residues have, and {file} cannot be read; {remedy}");
        return Err(config.fault("cgconfig", &problem));
    };
    let text = String::from_utf8_lossy(&bytes);
    let text = with_line_feeds(&text);
    for (residue, beads) in residues(&text) {
        let problem = match &beads[..] {
            [bead] if bead.place != ["CA"] => format!("is at {}", bead.place.join(" ")),
            [bead] if bead.atoms != ["CA"] => {
                format!("has contacts by the distances of {}", bead.atoms.join(" "))
            }
            [_] => continue,
            beads => format!("has {} beads", beads.len()),
        };
        let problem = format!(
            "in {file}, {residue} {problem}, which is another molecule than can be imported; {remedy}"
        );
        return Err(config.fault("cgconfig", &problem));
    }
    config.note("`cgconfig` was left out: its file has one bead at the CA of each residue, as beadwork has.");
    Ok(true)
}

/// The residues of the file with their beads.
fn residues(text: &str) -> Vec<(&str, Vec<ResidueBead<'_>>)> {
    let mut residues: Vec<(&str, Vec<ResidueBead<'_>>)> = Vec::new();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (key, mut rest) = (words.next().unwrap_or_default(), words);
        match (key, residues.last_mut()) {
            ("RESI", _) => residues.push((rest.next().unwrap_or_default(), Vec::new())),
            ("BEAD", Some((_, beads))) => beads.push(ResidueBead::default()),
            ("COOR", Some((_, beads))) => {
                if let Some(bead) = beads.last_mut() {
                    bead.place = rest.collect();
                }
            }
            ("REPR", Some((_, beads))) => {
                if let Some(bead) = beads.last_mut() {
                    bead.atoms = rest.collect();
                }
            }
            _ => {}
        }
    }
    residues
}
