//! Where a program of this package steps its members, and where it keeps what it found.

use std::ops::Range;
use std::path::PathBuf;
use std::thread;

use beadwork_cpu::Member;
use beadwork_cuda::{Device, Ensemble, Job};
use beadwork_simulation::SamplePoint;

use crate::parallel;

/// What was asked for on the command line.
#[derive(Debug)]
pub struct Options {
    /// What steps members.
    pub place: Place,
    /// The folder for the results, where one was named by `--keep`.
    pub keep: Option<PathBuf>,
    /// The rest.
    pub words: Vec<String>,
}

impl Options {
    /// Reads `[--device cpu|cuda] [--keep FOLDER] [WORD …]`.
    ///
    /// # Errors
    /// A sentence: an unknown device or option, a value that is missing, a GPU that cannot be used.
    pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { place: Place::Cpu, keep: None, words: Vec::new() };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
            match argument.as_str() {
                "--device" => options.place = Place::named(&value()?)?,
                "--keep" => options.keep = Some(value()?.into()),
                other if other.starts_with('-') => {
                    return Err(format!("{other} is not known: there are --device and --keep"));
                }
                _ => options.words.push(argument),
            }
        }
        Ok(options)
    }
}

/// What steps members.
#[derive(Clone, Debug)]
pub enum Place {
    /// A few threads, each member alone.
    Cpu,
    /// One GPU, all members together.
    Cuda(Device),
}

impl Place {
    fn named(name: &str) -> Result<Place, String> {
        match name {
            "cpu" => Ok(Place::Cpu),
            "cuda" => Device::open(0).map(Place::Cuda).map_err(|error| error.to_string()),
            _ => Err(format!("--device {name} is not known: write cpu or cuda")),
        }
    }

    /// What a result says of it.
    pub fn name(&self) -> String {
        match self {
            Place::Cpu => format!("{} threads", parallel::THREADS),
            Place::Cuda(device) => device.properties().name.clone(),
        }
    }

    /// The name of a program's result from here.
    pub fn result(&self, program: &str) -> String {
        match self {
            Place::Cpu => program.to_string(),
            Place::Cuda(_) => format!("{program}-cuda"),
        }
    }

    /// The results of 0, 1, … `count` − 1 in that order, from `work` on numbers that are stepped together.
    ///
    /// # Errors
    /// A failure of `work`; a GPU that has no stream.
    pub fn map<R: Send>(
        &self,
        count: usize,
        work: impl Fn(Range<u64>, &mut Steps) -> Result<Vec<R>, String> + Sync,
    ) -> Result<Vec<R>, String> {
        match self {
            Place::Cpu => {
                let one = |number: usize| work(number as u64..number as u64 + 1, &mut Steps(None));
                parallel::map(count, one).map(|results| results.into_iter().flatten().collect())
            }
            Place::Cuda(device) => {
                let ensemble = Ensemble::new(device).map_err(|error| error.to_string())?;
                let company = ensemble.with_members_on_device(count);
                work(0..count as u64, &mut Steps(Some(company)))
            }
        }
    }

    /// The same, where each number is stepped by itself: on a GPU through a stream of its own.
    ///
    /// # Errors
    /// As [`Place::map`].
    pub fn map_each<R: Send>(
        &self,
        count: usize,
        work: impl Fn(u64, &mut Steps) -> Result<R, String> + Sync,
    ) -> Result<Vec<R>, String> {
        let Place::Cuda(device) = self else {
            return parallel::map(count, |number| work(number as u64, &mut Steps(None)));
        };
        let one = |number: usize| {
            let ensemble = Ensemble::new(device).map_err(|error| error.to_string())?;
            work(number as u64, &mut Steps(Some(ensemble.with_members_on_device(count))))
        };
        thread::scope(|scope| {
            let one = &one;
            let spawn = |number| scope.spawn(move || one(number));
            let threads: Vec<_> = (0..count).map(spawn).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().map_err(|_| "a thread gave up".to_string())?)
                .collect()
        })
    }
}

/// What brings members forward.
#[derive(Debug)]
pub struct Steps(Option<Ensemble>);

impl Steps {
    /// Brings each member so many steps forward, to where a row is measured.
    ///
    /// # Errors
    /// A sentence: how a member failed, or the GPU.
    pub fn advance(&mut self, members: &mut [Member], steps: u64) -> Result<(), String> {
        let Some(ensemble) = &mut self.0 else {
            for member in members {
                member.advance(steps).map_err(|failure| format!("{failure:?}"))?;
            }
            return Ok(());
        };
        if steps == 0 {
            return Ok(());
        }
        let words = |error: beadwork_cuda::Error| error.to_string();
        let steps = u32::try_from(steps).map_err(|error| error.to_string())?;
        let points = [SamplePoint { steps, row: true }];
        let jobs: Vec<Job<'_>> =
            members.iter().map(|member| Job { member, points: &points }).collect();
        let results = ensemble.advance(&jobs).map_err(words)?;
        for (member, result) in members.iter_mut().zip(&results) {
            if result.samples() == 1 {
                result.bring(0, member).map_err(words)?;
            } else {
                return Err(format!("{:?}", result.fail(member).map_err(words)?));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &str) -> Result<Options, String> {
        Options::read(words.split_whitespace().map(String::from))
    }

    #[test]
    fn options_stand_anywhere() {
        let options = read("ww --keep here --device cpu 20").unwrap();
        assert_eq!(options.words, ["ww", "20"]);
        assert_eq!(options.keep, Some("here".into()));
        assert!(matches!(options.place, Place::Cpu));
        assert_eq!(options.place.result("study"), "study");
    }

    #[test]
    fn slips_are_refused() {
        assert!(read("--device").unwrap_err().contains("needs a value"));
        assert!(read("--device gpu").unwrap_err().contains("cpu or cuda"));
        assert!(read("--keeep here").unwrap_err().contains("--keep"));
    }
}
