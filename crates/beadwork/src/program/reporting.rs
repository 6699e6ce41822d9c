//! How an answer is printed, and which of its findings count as a failure.

use beadwork::data::{Class, Summary};
use clap::{Args, ValueEnum};

use super::failure::UNPHYSICAL;
use super::output::remark;

/// How the answer is printed.
#[derive(Clone, Debug, Args)]
pub struct Reporting {
    /// Print one JSON object on standard output: the answer, as in summary.json, or the error.
    #[arg(long)]
    pub json: bool,
    /// End with exit code 3 if the answer has a finding of such a class; several are separated by commas.
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    fail_on: Vec<Asked>,
}

/// The classes of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Asked {
    /// Replicas failed
    Failure,
    /// Values still change from the first half of the stage to the second
    Drift,
    /// The run contradicts a law that it must follow
    Disagreement,
    /// Errors are missing or lower bounds, since there are too few independent values
    FewValues,
}

impl Asked {
    fn class(self) -> Class {
        match self {
            Asked::Failure => Class::Failure,
            Asked::Drift => Class::Drift,
            Asked::Disagreement => Class::Disagreement,
            Asked::FewValues => Class::FewValues,
        }
    }
}

impl Reporting {
    /// The exit code of an answer: 3 if it has findings that were asked for, which are said, else 0.
    pub fn exit_code(&self, summary: &Summary) -> u8 {
        let classes: Vec<Class> = self.fail_on.iter().map(|asked| asked.class()).collect();
        let is_asked = |class: Option<Class>| class.is_some_and(|class| classes.contains(&class));
        let mut code = 0;
        let of_groups = summary.groups.iter().flat_map(|group| {
            let name = group.name.as_str();
            group.findings.iter().map(move |finding| (name, finding))
        });
        let of_runs = summary.findings.iter().map(|finding| ("", finding));
        for (group, finding) in of_groups.chain(of_runs) {
            if is_asked(finding.code.class()) {
                let colon = if group.is_empty() { "" } else { ": " };
                remark(&format!("--fail-on: {}: {group}{colon}{finding}", finding.code.text()));
                code = UNPHYSICAL;
            }
        }
        code
    }
}
