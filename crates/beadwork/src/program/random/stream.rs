//! `beadwork random stream`: raw words on standard output.

use std::io::{ErrorKind, IsTerminal, Write, stdout};

use beadwork::random::{Generator, Order, OrderedWords};
use clap::Args;

use super::{Choices, generator_of, order_of, refused};
use crate::program::failure::Failure;

/// Bytes that are written at once, about.
const PIECE: usize = 1 << 16;

/// Write the words of a generator to standard output, for any battery of tests: 32 bits each,
/// little-endian, without end unless --words is given.
#[derive(Debug, Args)]
pub struct Stream {
    /// The generator, by its name in an input.
    #[arg(long, value_parser = generator_of)]
    generator: Generator,
    /// The order of the words: system (all particles step by step), particle (one over steps),
    /// neighbors (pairs of one particle with the same 50 over steps) or seeds (one particle's first
    /// words, seed after seed).
    #[arg(long, value_parser = order_of, default_value = "system")]
    order: Order,
    #[command(flatten)]
    choices: Choices,
    /// Ends after as many words.
    #[arg(long)]
    words: Option<u64>,
}

impl Stream {
    pub fn run(self) -> Result<u8, Failure> {
        let request = self.choices.request(self.generator, self.order);
        let words = OrderedWords::new(request).map_err(refused)?;
        let out = stdout().lock();
        if out.is_terminal() {
            let problem = "standard output is a terminal, and raw words are not text: send them to a file or a program";
            return Err(Failure::input(problem.to_string()));
        }
        match write(words, self.words, out) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::machine(format!("standard output cannot be written: {error}")))
            }
            // A battery closes the pipe when it has read enough.
            _ => Ok(0),
        }
    }
}

/// Writes `limit` words, or without end until the reader closes the pipe.
pub fn write(
    mut words: OrderedWords,
    limit: Option<u64>,
    mut to: impl Write,
) -> std::io::Result<()> {
    let mut left = limit.unwrap_or(u64::MAX);
    let mut bytes = Vec::with_capacity(2 * PIECE);
    while left > 0 {
        bytes.clear();
        while bytes.len() < PIECE && left > 0 {
            for word in words.next_block() {
                if left == 0 {
                    break;
                }
                bytes.extend(word.to_le_bytes());
                left -= u64::from(limit.is_some());
            }
        }
        to.write_all(&bytes)?;
    }
    to.flush()
}
