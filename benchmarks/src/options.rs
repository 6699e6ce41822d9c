//! Options that several benchmarks have.

use std::path::PathBuf;

use beadwork_cuda::Device;
use beadwork_model::{Generator, Precision};
use beadwork_session::device::Choice;
use clap::Args;

use crate::Error;

/// The number of repeats, and where the result goes.
#[derive(Debug, Args)]
pub struct Options {
    /// Timed repeats; their median and extremes are printed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    pub repeats: u16,
    /// Keep the result as STEM.json and STEM.md too.
    #[arg(long, value_name = "STEM")]
    pub save: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct OneDevice {
    /// The device: cpu, or cuda, or cuda with the number of a GPU such as cuda:1.
    #[arg(long, default_value_t = Choice::Cpu, value_name = "cpu|cuda[:i]")]
    device: Choice,
}

impl OneDevice {
    /// The GPU, where one is named.
    pub fn card(&self) -> Result<Option<Device>, Error> {
        Ok(named_cards(&self.device)?.into_iter().next())
    }
}

/// The GPUs that are named, none for the CPU.
pub fn named_cards(choice: &Choice) -> Result<Vec<Device>, Error> {
    if *choice == Choice::Auto {
        let problem = "--device auto: name what is to be measured, cpu or cuda";
        return Err(Error::Arguments(problem.to_string()));
    }
    Ok(choice.cards()?)
}

/// The first of the GPUs that are named; an error that names the benchmark if there is none.
pub fn one_card(choice: &Choice, benchmark: &str) -> Result<Device, Error> {
    let cards = match choice {
        Choice::Cuda(_) => named_cards(choice)?,
        Choice::Auto | Choice::Cpu => Vec::new(),
    };
    cards.into_iter().next().ok_or_else(|| {
        Error::Arguments(format!("bench {benchmark} times kernels: write --device cuda"))
    })
}

/// The generator of this name.
pub fn generator_of(name: &str) -> Result<Generator, String> {
    one_of(Generator::ALL, Generator::name, name)
}

/// The precision of this name.
pub fn precision_of(name: &str) -> Result<Precision, String> {
    one_of(Precision::ALL, Precision::name, name)
}

/// The value with this name.
///
/// # Errors
/// For an unknown name, a list of the known ones.
pub fn one_of<T: Copy, const N: usize>(
    all: [T; N],
    name_of: fn(T) -> &'static str,
    name: &str,
) -> Result<T, String> {
    let found = all.into_iter().find(|one| name_of(*one) == name);
    found.ok_or_else(|| format!("it may be {}", all.map(name_of).join(", ")))
}

/// A time that may be zero, s.
pub fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("write a number, such as 2.5".to_string()),
    }
}

/// A number above zero.
pub fn positive(text: &str) -> Result<f64, String> {
    let value = not_negative(text)?;
    if value > 0.0 { Ok(value) } else { Err("must be more than 0".to_string()) }
}
