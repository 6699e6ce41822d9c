//! `beadwork random`: the generators, their raw words, and the results of test batteries.

mod battery;
mod certify;
mod info;
mod outside;
mod results;
mod stream;

use beadwork::random::orders::Request;
use beadwork::random::{Generator, Order, Scheme};
use beadwork_benchmarks::{generator_of, one_of};
use clap::{Args, Subcommand};

use super::failure::Failure;

pub const EXAMPLES: &str = "\
Examples:
  beadwork random info
  beadwork random stream --generator saru --order neighbors | dieharder -g 200 -d 0
  beadwork random certify certificates --generator philox4x32-10 --battery small-crush
  beadwork random certify certificates --command './mygen --seed 3'
  ./mygen | beadwork random certify - --test 7";

#[derive(Debug, Subcommand)]
pub enum Random {
    Info(info::Info),
    Stream(stream::Stream),
    Certify(certify::Certify),
}

impl Random {
    pub fn run(self) -> Result<u8, Failure> {
        match self {
            Random::Info(command) => command.run(),
            Random::Stream(command) => command.run(),
            Random::Certify(command) => command.run(),
        }
    }
}

/// The options that choose a stream of words.
#[derive(Debug, Args)]
struct Choices {
    /// The scheme: how many generators there are, and which states are stored. One of counter, one-per-thread,
    /// one-for-all-threads, one-per-call, or one-per-call-published. By default that of simulations.
    #[arg(long, value_parser = scheme_of)]
    scheme: Option<Scheme>,
    /// The seed, or the first of them in the order of the seeds. By default 20101.
    #[arg(long)]
    seed: Option<u64>,
    /// Particles of the system, by default 16000. In orders other than system, it matters only to generators that all
    /// particles share.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    particles: Option<u32>,
}

impl Choices {
    fn request(&self, generator: Generator, order: Order) -> Request {
        let scheme = self.scheme.unwrap_or(generator.schemes()[0]);
        let seed = self.seed.unwrap_or(20_101);
        let particles = self.particles.unwrap_or(16_000);
        Request { generator, scheme, order, seed, particles }
    }

    fn are_given(&self) -> bool {
        self.scheme.is_some() || self.seed.is_some() || self.particles.is_some()
    }
}

fn scheme_of(text: &str) -> Result<Scheme, String> {
    one_of(Scheme::ALL, Scheme::name, text)
}

fn order_of(text: &str) -> Result<Order, String> {
    one_of(Order::ALL, Order::name, text)
}

/// A request that the library refuses is an error in the arguments.
fn refused(error: beadwork::random::Error) -> Failure {
    Failure::input(error.to_string())
}
