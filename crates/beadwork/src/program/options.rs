//! Options that several commands have: settings of the input, devices, threads and time.

use std::time::Duration;

use beadwork::device::Choice;
use beadwork::engine::Forms;
use beadwork::model::units::beginning_of_long;
use clap::Args;
use clap::builder::FalseyValueParser;

use super::failure::Failure;
use super::reporting::Reporting;
use super::threads::{threads_or_cores, use_threads};

/// Settings that replace those of the input.
#[derive(Clone, Debug, Args)]
pub struct Overrides {
    /// Replace a setting: --set pull.speed="1 um/s", --set dynamics.temperature="310 K".
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<String>,
}

impl Overrides {
    /// Paths and values.
    pub fn parse(&self) -> Result<Vec<(String, String)>, Failure> {
        self.settings
            .iter()
            .map(|setting| match setting.split_once('=') {
                Some((path, value)) => Ok((path.trim().to_string(), value.trim().to_string())),
                None => Err(Failure::input(format!(
                    "--set {} has no \"=\": write --set PATH=VALUE, such as --set pull.speed=\"1 um/s\"",
                    beginning_of_long(setting).unwrap_or_else(|| setting.clone())
                ))),
            })
            .collect()
    }
}

/// The devices that compute steps.
#[derive(Clone, Debug, Args)]
pub struct DeviceChoice {
    /// Where members are stepped: auto, cpu, cuda, or cuda with numbers of GPUs such as cuda:0,1. By default all usable
    /// GPUs step a run that they can step faster than the CPU; a run that continues stays on its kind of device.
    #[arg(long, default_value_t, value_name = "auto|cpu|cuda[:i,j]")]
    pub device: Choice,
}

/// The threads and the time that a run may take.
#[derive(Clone, Debug, Args)]
pub struct Limits {
    #[command(flatten)]
    pub choice: DeviceChoice,
    /// Threads; by default as many as the machine has cores. A thread steps several small members at once, or several
    /// threads one large member; each GPU is fed by up to eight. Results do not depend on the number.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// How GPUs deal members out to blocks, which changes no bit: learnt (as timed before on such a card; timed now if the run takes
    /// more than five minutes), usual, timed, or a form such as "lanes=no cluster=4".
    #[arg(long, default_value = "learnt", value_name = "learnt|usual|timed|FORM")]
    pub gpu_form: Forms,
    /// Stop with a checkpoint after this time: 90s, 45m, 23h 50m.
    #[arg(long, value_parser = time_limit, allow_hyphen_values = true)]
    pub max_time: Option<Duration>,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
    /// Draw no plots and write no report when the run has finished; `beadwork plot` and `beadwork report` do.
    #[arg(long, env = "BEADWORK_NO_PLOTS", hide_env = true, value_parser = FalseyValueParser::new())]
    pub no_plots: bool,
    #[command(flatten)]
    pub reporting: Reporting,
}

/// A time with its unit.
pub fn time_limit(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text);
    time.map_err(|_| "write a time with its unit, such as 90s, 45m or \"23h 50m\"".to_string())
}

impl Limits {
    /// Starts the threads that analyse, as many as the run may have; returns their number.
    pub fn start_threads(&self) -> Result<usize, Failure> {
        let threads = threads_or_cores(self.threads);
        use_threads(threads).map(|()| threads)
    }
}
