//! `beadwork plot`: draw again, with other choices or side by side.

use std::path::PathBuf;

use beadwork::answer::{Answer, Choices};
use beadwork::io::RunFolder;
use beadwork::model::units::{Dimension, parse};
use clap::Args;

use super::Failure;
use super::output::say;

const EXAMPLES: &str = "\
Examples:
  beadwork plot runs/protein --window \"10 us\" --prominence \"40 pN\"
  beadwork plot runs/slow runs/fast --output comparison";

/// Draw the plots of runs again, or compare runs in one set of plots.
///
/// A run that is still going can be looked at too.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Plot {
    /// Run folders; with several, each is a colour in the same plots.
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Time over which the force is averaged, such as "10 us"; by default what the input says, or
    /// the time in which the spring's base moves 0.25 nm.
    #[arg(long)]
    window: Option<String>,
    /// Least fall of the averaged force that counts as a peak, such as "40 pN".
    #[arg(long)]
    prominence: Option<String>,
    /// Where to write the plots; by default the run's folder plots/, or comparison/ for several.
    #[arg(long, short)]
    output: Option<PathBuf>,
}

impl Plot {
    pub fn run(self) -> Result<u8, Failure> {
        let quantity = |option: &str, text: &Option<String>, dimension| match text {
            None => Ok(None),
            Some(text) => match parse(text, dimension) {
                Ok(quantity) if quantity.value > 0.0 => Ok(Some(quantity.value)),
                Ok(_) => Err(Failure::input(format!("{option} {text} must be above zero"))),
                Err(error) => Err(Failure::input(format!("{option}: {error}"))),
            },
        };
        let choices = Choices {
            window: quantity("--window", &self.window, Dimension::Time)?,
            prominence: quantity("--prominence", &self.prominence, Dimension::Force)?
                .map(|force| force * beadwork::model::units::PICONEWTONS_PER_FORCE),
        };
        let mut all: Option<Answer> = None;
        for path in &self.folders {
            let folder = RunFolder::open(path)?;
            let request = beadwork::input::load(&folder.resolved(), &[])?;
            let folder = folder.with_members(request.members() as usize);
            let name = |path: &PathBuf| {
                path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
            };
            let prefix = match self.folders.len() {
                1 => String::new(),
                // Folders of one name are told apart by their paths.
                _ if self.folders.iter().filter(|other| name(other) == name(path)).count() > 1 => {
                    path.display().to_string()
                }
                _ => name(path),
            };
            if self.folders.iter().filter(|other| *other == path).count() > 1 {
                return Err(Failure::input(format!(
                    "{} is there twice: name each folder once",
                    path.display()
                )));
            }
            let answer = Answer::read(&folder, &request, &prefix, &choices)?;
            match &mut all {
                Some(all) => all.extend(answer),
                None => all = Some(answer),
            }
        }
        let Some(answer) = all else { return Ok(0) };
        let own_plots = self.output.is_none();
        let output = self.output.unwrap_or_else(|| match self.folders.as_slice() {
            [folder] => folder.join("plots"),
            _ => PathBuf::from("comparison"),
        });
        std::fs::create_dir_all(&output).map_err(|error| {
            Failure::machine(format!("{} cannot be made: {error}", output.display()))
        })?;
        let written = answer.draw(&output)?;
        // What stands in the run's folder goes together with the plots in it.
        if let ([folder], true) = (self.folders.as_slice(), own_plots) {
            answer.write(folder)?;
        }
        let mut text = answer.summary();
        for path in &written {
            text.push_str(&format!("{}\n", path.display()));
        }
        say(&text)?;
        Ok(0)
    }
}
