//! Options of the programs of this package: the device that steps members, and the folder of the results.

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

/// The options of the command line.
#[derive(Debug, Parser)]
pub struct Options {
    /// The device that steps members: cpu or cuda.
    #[arg(long = "device", default_value = "cpu", value_parser = Backend::named)]
    pub backend: Backend,
    /// The folder for the results.
    #[arg(long)]
    pub keep: Option<PathBuf>,
    /// Parts to run, or numbers that make the run shorter: validation/README.md lists them.
    pub words: Vec<String>,
}

impl Options {
    /// The argument at this index as a number, or `otherwise` if there are fewer arguments.
    pub fn number<T: FromStr<Err: Display>>(
        &self,
        index: usize,
        otherwise: T,
    ) -> Result<T, String> {
        let Some(word) = self.words.get(index) else { return Ok(otherwise) };
        word.parse().map_err(|error| format!("{word}: {error}"))
    }
}

/// The device that steps members.
#[derive(Clone, Debug)]
pub enum Backend {
    /// All cores; each core steps one member at a time.
    Cpu,
    /// One GPU, which steps all members together.
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

    /// The name of the device in results.
    pub fn name(&self) -> String {
        match self {
            Backend::Cpu => match rayon::current_num_threads() {
                1 => "1 thread".to_string(),
                threads => format!("{threads} threads"),
            },
            Backend::Cuda(device) => device.properties().name.clone(),
        }
    }

    /// The number of runs on this device, if no argument tells.
    pub fn runs(&self, on_cpus: usize, on_gpu: usize) -> usize {
        match self {
            Backend::Cpu => on_cpus,
            Backend::Cuda(_) => on_gpu,
        }
    }

    /// The name of a program's result on this device.
    pub fn result(&self, program: &str) -> String {
        match self {
            Backend::Cpu => program.to_string(),
            Backend::Cuda(_) => format!("{program}-cuda"),
        }
    }

    /// Calls `work` on ranges of 0, 1, … `count` − 1 whose members are stepped together; returns the results in order.
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

    /// The same, but each number is stepped alone: on a GPU, each has its own stream.
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
            let spawn = |number| thread::Builder::new().spawn_scoped(scope, move || one(number));
            let threads: Vec<_> = (0..count).map(spawn).collect::<Result<_, _>>()?;
            let joined = threads.into_iter().map(|thread| thread.join());
            joined.map(|result| result.map_err(|_| "a thread gave up")?).collect()
        })
    }

    /// A stepper for one of `count` members.
    fn stepper(&self, count: usize) -> Result<Stepper, Failure> {
        Ok(match self {
            Backend::Cpu => Stepper::Cpu,
            Backend::Cuda(device) => {
                Stepper::Card(Ensemble::new(device)?.with_members_on_device(count).into())
            }
        })
    }
}
