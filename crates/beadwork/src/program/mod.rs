//! Reads the arguments, runs a subcommand and returns its exit code.
//!
//! Exit codes: 0 done, 2 bad input, 3 the simulation became unphysical, 4 an error of the machine, 5 stopped by a time
//! limit with a checkpoint, 130 interrupted with a checkpoint.

mod bench;
mod carrying_out;
mod check;
mod complaint;
mod completions;
mod doctor;
mod drawing;
mod export;
mod extend;
mod failure;
mod import;
mod man;
mod new;
mod options;
mod output;
mod plot;
mod progress;
mod random;
mod reference;
mod report;
mod reporting;
mod resume;
mod run;
mod schema;
mod signals;
mod submit;
mod threads;
mod verify;

use std::process::ExitCode;

use beadwork::structure;
use clap::{Parser, Subcommand};

use complaint::asks_for_json;
use failure::Failure;

/// Stochastic dynamics of bead models: coarse-grained proteins, polymers, soft matter.
///
/// A run is a folder: `beadwork run input.toml` makes it, and it holds the input, tables, trajectories, checkpoints and
/// plots. A run that was stopped continues with `beadwork resume`, with the same bits as if it had not been stopped.
#[derive(Debug, Parser)]
#[command(version, about, long_about, max_term_width = 100, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Begin with:
  beadwork new sop protein.toml        write a commented input, of ubiquitin until you put your structure's name in
  beadwork check protein.toml          explain it without running it
  beadwork run protein.toml            run it; the answer is printed and drawn in runs/protein/plots

Exit codes: 0 done, 2 bad input, 3 the simulation became unphysical, or has a finding that --fail-on names,
4 an error of the machine, 5 stopped by a time limit with a checkpoint, 130 interrupted with a checkpoint.";

#[derive(Debug, Subcommand)]
enum Command {
    New(new::New),
    Check(check::Check),
    Run(run::Run),
    Resume(resume::Resume),
    Submit(submit::Submit),
    Extend(extend::Extend),
    Plot(plot::Plot),
    Export(export::Export),
    Report(report::Report),
    Verify(verify::Verify),
    Import(import::Import),
    Doctor(doctor::Doctor),
    Bench(bench::Bench),
    /// The generators of random numbers: list, raw words, and test batteries.
    #[command(subcommand, after_help = random::EXAMPLES)]
    Random(random::Random),
    Completions(completions::Completions),
    Man(man::Man),
    Schema(schema::Schema),
}

impl Command {
    /// What is said if a signal ends the command before it takes signals over, or because it never does.
    fn when_interrupted(&self) -> &'static str {
        match self {
            Command::Run(_) => {
                "interrupted before the first step; no half of a run stays, and the same command can be given again"
            }
            Command::Resume(_) => {
                "interrupted before the next step; the run stays as it was, and the same command goes on with it"
            }
            Command::Extend(_) => {
                "interrupted before any run was made longer; the same command can be given again"
            }
            _ => "interrupted; no file is half written, and the same command can be given again",
        }
    }
}

/// Prints what is wrong with the arguments, or the help that was asked for.
fn refuse(error: &clap::Error) -> ExitCode {
    // The message quotes arguments as they are.
    let plain = error.render().to_string();
    if asks_for_json() && error.use_stderr() {
        // Below the first paragraph are advice and usage.
        let what = plain.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
        let words: Vec<&str> = what.split_whitespace().collect();
        let failure = Failure::input(words.join(" "));
        failure.print_json();
        return ExitCode::from(failure.exit_code());
    }
    if structure::visible(&plain) == plain {
        error.exit();
    }
    output::remark(plain.trim_end());
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}

/// Parses the arguments, runs the subcommand, and prints errors; returns the exit code.
pub fn main() -> ExitCode {
    if let Err(failure) = signals::end_at_once() {
        failure.print();
        return ExitCode::from(failure.exit_code());
    }
    beadwork::io::frames::keep_quiet_of_damaged_frames();
    let command = match Arguments::try_parse() {
        Ok(arguments) => arguments.command,
        Err(error) => return refuse(&error),
    };
    let is_json = asks_for_json();
    let makes_run = matches!(command, Command::Run(_));
    signals::would_interrupt(command.when_interrupted(), is_json, makes_run);
    // An unknown setting is reported first, before any work.
    let requested = beadwork::cpu::Instructions::requested().map_err(Failure::environment);
    let ready = requested.and_then(|_| signals::outlive_file_limits());
    let outcome = ready.and_then(|()| match command {
        Command::New(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Run(command) => command.run(),
        Command::Resume(command) => command.run(),
        Command::Submit(command) => command.run(),
        Command::Extend(command) => command.run(),
        Command::Plot(command) => command.run(),
        Command::Export(command) => command.run(),
        Command::Report(command) => command.run(),
        Command::Verify(command) => command.run(),
        Command::Import(command) => command.run(),
        Command::Doctor(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Random(command) => command.run(),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(),
        Command::Schema(command) => command.run(),
    });
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            if is_json {
                failure.print_json()
            } else {
                failure.print()
            }
            ExitCode::from(failure.exit_code())
        }
    }
}
