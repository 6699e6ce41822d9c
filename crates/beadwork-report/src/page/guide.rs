//! How to go on with a run, repeat it and cite it.

use beadwork_io::RunFolder;
use beadwork_io::words::shell_word;
use beadwork_model::Model;
use beadwork_model::force_fields::residues::ResidueModel;
use beadwork_session::part::submission_of;
use maud::{Markup, html};

use super::Run;
use super::folder::Texts;

/// Commands for a run, and what a paper says of it.
pub(super) fn section(run: &Run<'_>, texts: &Texts, has_names: bool) -> Markup {
    let quoted = |folder: &RunFolder| shell_word(&folder.root().to_string_lossy()).into_owned();
    let folders: Vec<String> = run.folders.iter().map(quoted).collect();
    let way_on = |folder: &RunFolder| match submission_of(folder.root()) {
        Some(command) => format!("{command} # when all jobs have ended"),
        None => format!("beadwork resume {}", quoted(folder)),
    };
    let mut ways_on: Vec<String> = run.folders.iter().map(way_on).collect();
    // The parts of jobs have one.
    ways_on.dedup();
    let all = folders.join(" ");
    let first = folders.first().map_or("", String::as_str);
    let of = |key| texts.of_records(key);
    let device = of("device").unwrap_or_default();
    html! {
        @if has_names { h3 { (run.name) } }
        dl.commands {
            @if !texts.is_finished() {
                dt { "Go on from the last checkpoints, with the same bits" }
                @for way in &ways_on { dd { pre { code { (way) } } } }
            }
            dt { "Repeat it from nothing" }
            dd {
                pre { code { "beadwork run " (first_file(first)) " --output again --device " (device) } }
                p.small {
                    "The folder holds all that it needs. beadwork " (of("beadwork").unwrap_or_default())
                    @if let Some(version) = of("value_version") { ", or any with version " (version) " of values," }
                    " gives the same bits on a " @if device == "cuda" { "GPU" } @else { "CPU" } ", on any number of threads."
                }
            }
            dt { "See that no file was changed since" } dd { pre { code { "beadwork verify " (all) } } }
            dt { "Make it longer, draw it otherwise, write this page anew" }
            dd { pre { code { "beadwork extend " (all) " --help\nbeadwork plot " (all) " --help\nbeadwork report " (all) } } }
            dt { "Cite it" }
            dd {
                p { (citation(texts)) }
                @let papers = papers(run);
                @if !papers.is_empty() { p { "The model is that of " (papers) "." } }
            }
        }
    }
}

/// The input that a folder holds, in quotes if the folder is.
fn first_file(folder: &str) -> String {
    match folder.strip_suffix('\'') {
        Some(open) => format!("{open}/resolved.toml'"),
        None => format!("{folder}/resolved.toml"),
    }
}

/// A sentence for a paper.
fn citation(texts: &Texts) -> String {
    let of = |key| texts.of_records(key);
    let mut parts = vec![format!("beadwork {}", of("beadwork").unwrap_or_default())];
    parts.extend(of("commit").map(|commit| format!("commit {commit}")));
    parts.extend(of("value_version").map(|version| format!("version {version} of values")));
    parts.extend(of("integrator").map(|name| format!("integrator {name}")));
    parts.extend(of("sampler").map(|name| format!("sampler {name}")));
    parts.extend(of("precision").map(|name| format!("{name} precision")));
    parts.extend(of("generator").map(|name| format!("random numbers of {name}")));
    parts.extend(of("seed").map(|seed| format!("seed {seed}")));
    parts.extend(of("fingerprint").map(|text| format!("fingerprint of the input {text}")));
    format!("Simulated with {}.", parts.join(", "))
}

/// The papers of the models of a run.
fn papers(run: &Run<'_>) -> String {
    let mut papers: Vec<&str> = Vec::new();
    for point in &run.request.points {
        let paper = match &point.system.model {
            Model::Sop => "Hyeon, Dima and Thirumalai, Structure 14, 1633 (2006)",
            Model::Residues(residues) => match residues.model {
                ResidueModel::Calvados2 => {
                    "Tesei and Lindorff-Larsen, Open Res. Europe 2, 94 (2022)"
                }
                ResidueModel::Calvados3 => "Cao et al., Protein Sci. 33, e5172 (2024)",
                ResidueModel::HpsUrry => {
                    "Dignon et al., PLoS Comput. Biol. 14, e1005941 (2018), and Regy et al., Protein Sci. 30, 1371 (2021)"
                }
                ResidueModel::Mpipi => "Joseph et al., Nat. Comput. Sci. 1, 732 (2021)",
            },
            Model::ElasticPolymer(_) => {
                "Gross, Janke and Bachmann, Comput. Phys. Commun. 182, 1638 (2011)"
            }
            Model::Oscillators(_) | Model::Beads => continue,
        };
        if !papers.contains(&paper) {
            papers.push(paper);
        }
    }
    papers.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_are_words_of_a_shell() {
        assert_eq!(first_file(&shell_word("my runs")), "'my runs/resolved.toml'");
        assert_eq!(first_file("runs/a"), "runs/a/resolved.toml");
    }
}
