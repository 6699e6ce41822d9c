//! `beadwork completions`: scripts by which shells complete subcommands and options.

use clap::{Args, CommandFactory};
use clap_complete::Shell;
use clap_complete::aot::generate;

use super::output::say;
use super::{Arguments, Failure};

const EXAMPLES: &str = "\
Examples:
  beadwork completions bash > ~/.local/share/bash-completion/completions/beadwork
  beadwork completions zsh > ~/.zfunc/_beadwork
  beadwork completions fish > ~/.config/fish/completions/beadwork.fish";

/// Print a script by which a shell completes subcommands and options.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<u8, Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "beadwork", &mut script);
        say(&String::from_utf8_lossy(&script))?;
        Ok(0)
    }
}
