//! `beadwork report`: writes a page of HTML about runs.

use std::path::PathBuf;

use beadwork::answer::{Answer, Choices};
use beadwork::page::{self, Page};
use beadwork::part::View;
use beadwork::running::run_of_page;
use clap::Args;

use super::failure::Failure;
use super::output::say;
use super::plot::{joined_views, kind, name};
use super::progress;
use super::threads::{threads_or_cores, use_threads};

const EXAMPLES: &str = "\
Examples:
  beadwork report runs/protein
  beadwork report runs/slow runs/fast --output comparison.html
  beadwork report runs/part-1 runs/part-2 --output whole.html";

/// Write a page about runs: the answer, what to trust, figures, beads that move, input, members, provenance.
///
/// The page is one file that loads nothing from anywhere, so it can be kept and sent as it is. A run that ends with plots has
/// written the page already, as report.html in its folder. Runs that still go on have one too, and several runs have one page;
/// folders with different replicas of one input count as one run.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Report {
    /// Run folders.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Where to write the page; by default report.html, in the folder of the run if it is one.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Threads; by default as many as the machine has cores. Results do not depend on it.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Report {
    pub fn run(self) -> Result<u8, Failure> {
        use_threads(threads_or_cores(self.threads))?;
        let views = joined_views(&self.folders)?;
        views.iter().try_for_each(View::refuse_damaged)?;
        let output = self.output();
        if output.exists() && !page::is_report(&output) {
            return Err(Failure::input(format!(
                "{} is there and no report of beadwork, and would be written over: give --output another file",
                output.display()
            )));
        }
        let doing = progress::doing(false, "reading tables and frames");
        let answers = self.answers(&views)?;
        doing.set_message("writing the report");
        let mut runs = Vec::new();
        for view in &views {
            let mut run = run_of_page(&view.folders, &view.request);
            if views.len() > 1 {
                run.name = name(view, &self.folders);
            }
            runs.push(run);
        }
        let page = Page { runs, answers: answers.iter().collect(), plots: &[] };
        let bytes = page.write(&output)?;
        drop(doing);
        say(&format!("{} ({:.1} MB)\n", output.display(), bytes as f64 / 1e6))?;
        Ok(0)
    }

    fn output(&self) -> PathBuf {
        match (&self.output, self.folders.as_slice()) {
            (Some(output), _) => output.clone(),
            (None, [folder]) => folder.join(page::FILE),
            (None, _) => PathBuf::from(page::FILE),
        }
    }

    /// The answers: runs of one kind are compared in one.
    fn answers(&self, views: &[View]) -> Result<Vec<Answer>, Failure> {
        let mut answers: Vec<(&str, Answer)> = Vec::new();
        for view in views {
            let prefix = if views.len() == 1 { String::new() } else { name(view, &self.folders) };
            let answer = Answer::of_view(view, &prefix, &Choices::default())?;
            match answers.iter_mut().find(|(kind_of, _)| *kind_of == kind(view)) {
                Some((_, all)) => all.extend(answer),
                None => answers.push((kind(view), answer)),
            }
        }
        Ok(answers.into_iter().map(|(_, answer)| answer).collect())
    }
}
