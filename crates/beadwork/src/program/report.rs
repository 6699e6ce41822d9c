//! `beadwork report`: writes a page of HTML about runs.

use std::path::{Path, PathBuf};

use beadwork::answer::{Answer, Choices};
use beadwork::io::RunFolder;
use beadwork::page::{self, Page};
use beadwork::part::View;
use beadwork::running::run_of_page;
use clap::Args;

use super::failure::Failure;
use super::output::{refuse_place, remark, say};
use super::plot::{joined_views, kind, name};
use super::progress;
use super::signals::{leave_no_half_files, say_interrupted};
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
        let last_word = leave_no_half_files(say_interrupted)?;
        let output = self.output();
        refuse_place(&output)?;
        let views = joined_views(&self.folders)?;
        self.refuse_other_runs(&output)?;
        page::refuse_foreign(&output)?;
        for view in &views {
            view.refuse_damaged()?;
            // The page has these notes too.
            view.not_compared()?.iter().for_each(|note| remark(&format!("note: {note}")));
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
        last_word.take();
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

    /// Refuses to replace the report of a run by one of others.
    fn refuse_other_runs(&self, output: &Path) -> Result<(), Failure> {
        let Some(folder) = output.parent().filter(|_| output.exists()) else { return Ok(()) };
        let is_own = matches!(self.folders.as_slice(), [own] if is_same(own, folder));
        match RunFolder::open(folder) {
            Ok(_) if output.ends_with(page::FILE) && !is_own => Err(Failure::input(format!(
                "{} is the report of another run: give --output another file",
                output.display()
            ))),
            _ => Ok(()),
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

/// Whether two paths lead to one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| match path.as_os_str().is_empty() {
        true => Path::new(".").canonicalize(),
        false => path.canonicalize(),
    };
    matches!((place(one), place(other)), (Ok(one), Ok(other)) if one == other)
}
