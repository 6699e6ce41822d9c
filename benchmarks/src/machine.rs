//! The machine, the program and the day of a measurement.

use std::time::SystemTime;

use beadwork_cpu::Instructions;
use beadwork_cuda::Device;
use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// Day in UTC, `2026-11-21`.
    pub date: String,
    pub version: &'static str,
    /// Versions with the same number give the same bits.
    pub value_version: u32,
    /// From `BEADWORK_COMMIT`, which scripts set if they know the commit.
    pub commit: Option<String>,
    /// Whether the program was built with optimisations.
    pub optimised: bool,
    pub processor: String,
    /// Logical cores that this process may use.
    pub cores: usize,
    /// Instructions that beadwork could use here.
    pub vectors: Vec<&'static str>,
    /// Instructions that this run uses.
    pub instructions: &'static str,
    /// GPUs that are measured, with the CUDA version of their driver.
    pub gpus: Vec<String>,
    /// Operating system and architecture.
    pub system: String,
    /// Mean number of processes that wanted a core in the last minute, if the system reports it.
    pub load: Option<f64>,
}

impl Machine {
    /// Describes this machine now, with the GPUs that are measured.
    pub fn here(cards: &[Device]) -> Machine {
        let available = Instructions::ALL.into_iter().filter(|vectors| vectors.is_available());
        Machine {
            date: today(),
            version: env!("CARGO_PKG_VERSION"),
            value_version: beadwork_engine::VALUE_VERSION,
            commit: std::env::var("BEADWORK_COMMIT").ok().filter(|commit| !commit.is_empty()),
            optimised: !cfg!(debug_assertions),
            processor: beadwork_io::processor_name()
                .unwrap_or_else(|| "unknown processor".to_string()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            vectors: available.map(Instructions::name).collect(),
            instructions: Instructions::best().name(),
            gpus: cards.iter().map(gpu_in_words).collect(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            load: load(),
        }
    }

    /// Three lines for people, and one for each GPU.
    pub fn in_words(&self) -> String {
        let commit = self.commit.as_deref().unwrap_or("unknown");
        let load = self.load.map_or(String::new(), |load| format!("; load before: {load:.2}"));
        let build =
            if self.optimised { "" } else { "; NOT a release build, its speeds mean nothing" };
        format!(
            "{}, beadwork {} (value version {}), commit {commit}{build}\n{}, {} core(s) with {}, {} used; {}{load}\n",
            self.date,
            self.version,
            self.value_version,
            self.processor,
            self.cores,
            self.vectors.join(" "),
            self.instructions,
            self.system
        ) + &self.gpus.iter().map(|gpu| format!("{gpu}\n")).collect::<String>()
    }
}

/// The day in UTC, `2026-11-21`.
pub fn today() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string().chars().take(10).collect()
}

/// `NVIDIA H200, 132 multiprocessors, driver for CUDA 13.0`.
fn gpu_in_words(card: &Device) -> String {
    let properties = card.properties();
    let (major, minor) = properties.driver;
    format!(
        "{}, {} multiprocessors, driver for CUDA {major}.{minor}",
        properties.name, properties.multiprocessors
    )
}

/// Processor seconds that this process and its threads have taken, in Linux's ticks of 10 ms; `None` elsewhere. Unlike
/// wall time, they do not grow if other processes use the same cores.
pub fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold spaces. After it the state is field 3, and times are fields 14 and 15
    // (proc_pid_stat(5)).
    let (_, fields) = text.rsplit_once(')')?;
    let ticks: f64 = fields
        .split_whitespace()
        .skip(11)
        .take(2)
        .map(|field| field.parse::<f64>().unwrap_or(f64::NAN))
        .sum();
    ticks.is_finite().then_some(ticks / 100.0)
}

fn load() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn processor_time_grows_with_work() {
        let before = processor_seconds().unwrap();
        let mut number = 1.0_f64;
        while processor_seconds().unwrap() < before + 0.02 {
            for _ in 0..100_000 {
                number = (number + 1.0).sqrt();
            }
        }
        assert!((number - 1.618).abs() < 1e-3);
    }
}
