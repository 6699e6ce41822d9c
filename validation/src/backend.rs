//! Where a program of this package steps its members, and where it keeps what it found.

use std::fmt::Display;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

use beadwork_benchmarks::Stepper;
use beadwork_cuda::{Device, Ensemble};
use clap::Parser;
use rayon::prelude::*;

use crate::Failure;

/// What was asked for on the command line.
#[derive(Debug, Parser)]
pub struct Options {
    /// What steps members: cpu or cuda.
    #[arg(long = "device", default_value = "cpu", value_parser = Backend::named)]
    pub backend: Backend,
    /// The folder for the results.
    #[arg(long)]
    pub keep: Option<PathBuf>,
    /// What the program is asked for.
    pub words: Vec<String>,
}

impl Options {
    /// The word at this index as a number, or another number where there are fewer words.
    pub fn number<T: FromStr<Err: Display>>(
        &self,
        index: usize,
        otherwise: T,
    ) -> Result<T, String> {
        let Some(word) = self.words.get(index) else { return Ok(otherwise) };
        word.parse().map_err(|error| format!("{word}: {error}"))
    }
}

/// What steps members.
#[derive(Clone, Debug)]
pub enum Backend {
    /// All cores, each member alone.
    Cpu,
    /// One GPU, all members together.
    Cuda(Device),
}

impl Backend {
    fn named(name: &str) -> Result<Backend, String> {
        match name {
            "cpu" => Ok(Backend::Cpu),
            "cuda" => Device::open(0).map(Backend::Cuda).map_err(|error| error.to_string()),
            _ => Err("write cpu or cuda".to_string()),
        }
    }

    /// What a result says of it.
    pub fn name(&self) -> String {
        match self {
            Backend::Cpu => {
                let cores = thread::available_parallelism().map_or(1, usize::from);
                format!("{cores} threads")
            }
            Backend::Cuda(device) => device.properties().name.clone(),
        }
    }

    /// The name of a program's result from here.
    pub fn result(&self, program: &str) -> String {
        match self {
            Backend::Cpu => program.to_string(),
            Backend::Cuda(_) => format!("{program}-cuda"),
        }
    }

    /// The results of 0, 1, … `count` − 1 in that order, from `work` on numbers that are stepped together.
    pub fn map<R: Send>(
        &self,
        count: usize,
        work: impl Fn(Range<u64>, &mut Stepper) -> Result<Vec<R>, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        if let Backend::Cuda(_) = self {
            return work(0..count as u64, &mut self.stepper(count)?);
        }
        let results = self.map_each(count, |number, stepper| work(number..number + 1, stepper))?;
        Ok(results.into_iter().flatten().collect())
    }

    /// The same, where each number is stepped by itself: on a GPU through a stream of its own.
    pub fn map_each<R: Send>(
        &self,
        count: usize,
        work: impl Fn(u64, &mut Stepper) -> Result<R, Failure> + Sync,
    ) -> Result<Vec<R>, Failure> {
        let one = |number: usize| work(number as u64, &mut self.stepper(count)?);
        if let Backend::Cpu = self {
            return (0..count).into_par_iter().map(one).collect();
        }
        thread::scope(|scope| {
            let one = &one;
            let spawn = |number| scope.spawn(move || one(number));
            let threads: Vec<_> = (0..count).map(spawn).collect();
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|result| result.map_err(|_| "a thread gave up")?).collect()
        })
    }

    /// What steps one of so many at a time.
    fn stepper(&self, count: usize) -> Result<Stepper, Failure> {
        Ok(match self {
            Backend::Cpu => Stepper::Cpu,
            Backend::Cuda(device) => {
                Stepper::Card(Ensemble::new(device)?.with_members_on_device(count).into())
            }
        })
    }
}
