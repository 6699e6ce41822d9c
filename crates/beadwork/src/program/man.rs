//! `beadwork man`: pages for the manual of a Unix system.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man as Page;

use super::output::remark;
use super::{Arguments, Failure};

const EXAMPLES: &str = "\
Examples:
  beadwork man --output ~/.local/share/man/man1
  man beadwork-run
  beadwork man --output pages && man pages/beadwork.1";

/// Write manual pages, one for the program and one for each subcommand.
///
/// Pages of an earlier version in the folder are replaced.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Man {
    /// The folder of the pages, which is made if it is not there.
    #[arg(short, long)]
    output: PathBuf,
}

impl Man {
    pub fn run(self) -> Result<u8, Failure> {
        let folder = self.output;
        beadwork::io::refuse_tilde(&folder)?;
        fs::create_dir_all(&folder).map_err(|error| {
            let folder = folder.display();
            Failure::input(format!("the folder {folder} cannot be made ({error}): name another"))
        })?;
        // The subcommand `help` would bring a page of each subcommand again.
        let mut program = Arguments::command().disable_help_subcommand(true);
        program.build();
        let count = write_pages(&program, &folder)?;
        remark(&format!("wrote {count} pages into {}", folder.display()));
        Ok(0)
    }
}

/// Writes the page of a command and those of its subcommands; returns how many.
fn write_pages(command: &Command, folder: &Path) -> Result<usize, Failure> {
    let version = concat!("beadwork ", env!("CARGO_PKG_VERSION"));
    // The date is an empty text, so that the version keeps its place behind it.
    let page = Page::new(command.clone()).date("\"\"").source(version);
    let mut text = Vec::new();
    page.render(&mut text).map_err(|error| Failure::machine(error.to_string()))?;
    beadwork::io::atomic::write(&folder.join(page.get_filename()), &text)?;
    let mut count = 1;
    for subcommand in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        count += write_pages(subcommand, folder)?;
    }
    Ok(count)
}
