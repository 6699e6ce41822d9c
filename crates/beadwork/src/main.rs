//! The program `beadwork`: a thin layer over the library, one file a subcommand.

use std::process::ExitCode;

mod program;

fn main() -> ExitCode {
    program::main()
}
