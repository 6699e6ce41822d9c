//! `run.json`: a record of how a run was made.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use beadwork_engine::{Devices, Ending, VALUE_VERSION};
use beadwork_input::Request;
use beadwork_io::{RunFolder, atomic, host_name, processor_name};
use beadwork_model::Protocol;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::device::Backend;
use crate::fingerprint::fingerprint_of;
use crate::held_files::{self, Digests, digest};
use crate::part::Part;

/// A build may name its source: `BEADWORK_COMMIT=$(git rev-parse HEAD) cargo build`.
const COMMIT: Option<&str> = option_env!("BEADWORK_COMMIT");

/// The time of day in UTC, as `2026-11-21T09:30:00Z`.
fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The contents of `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub beadwork: String,
    pub value_version: u32,
    pub device: Backend,
    /// The names of the GPUs on which the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<String>,
    /// The form of blocks that the last process had there and why; absent where the usual one was taken without timing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu_form: Option<String>,
    /// The CUDA version of their driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuda_driver: Option<String>,
    /// The fingerprint of the input with all extensions.
    pub fingerprint: String,
    /// The number of members in the folder.
    pub members: u64,
    /// The first member and the one after the last, if the folder holds a part of the ensemble.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<[u64; 2]>,
    pub seed: u64,
    /// For a sweep this and later texts may hold several names, separated by commas.
    pub precision: String,
    /// `None` for chains that are sampled; earlier versions named an integrator for them too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrator: Option<String>,
    /// How chains are sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler: Option<String>,
    pub generator: String,
    pub scheme: String,
    /// `None` for chains that are sampled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<String>,
    /// The extensions, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extensions: Vec<Extension>,
    /// The machine on which the run was stepped last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The name of its processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// The threads of the last process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// The time that processes have stepped the run, s, without those that were killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The commit of the source that the program was built from, if the build was told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How many processes have stepped the run.
    #[serde(default)]
    pub sessions: u64,
    /// When the run began and when its last process stopped; UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ended>,
    /// Members that became unphysical.
    #[serde(default)]
    pub failed_members: u64,
    /// The files that the run began with, and the SHA-256 of each.
    #[serde(default, skip_serializing_if = "Digests::is_empty")]
    pub files: Digests,
}

/// How the last process in the folder ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Ended {
    /// It runs, or it was killed.
    Running,
    /// No member has steps left.
    Finished,
    TimeLimit,
    /// Its members came to a step at which they were to be read.
    Paused,
    Interrupted,
    /// A member failed, and the input says to stop then.
    Failure,
    /// Something else went wrong: a full disk, a damaged file.
    Error,
    /// The run was made longer since.
    Extended,
}

impl From<Ending> for Ended {
    fn from(ending: Ending) -> Ended {
        match ending {
            Ending::Finished => Ended::Finished,
            Ending::Interrupted => Ended::Interrupted,
            Ending::TimeLimit => Ended::TimeLimit,
            Ending::Paused => Ended::Paused,
            Ending::Failure => Ended::Failure,
        }
    }
}

/// The last line of the file but one: the digest of all before it. So a change of the file is noticed at any byte.
const CHECKSUM: &str = "\n  \"checksum\": \"";
const END: &str = "\"\n}\n";

/// What stands in the place of an added length where a run was made to end at the step to which it had come.
pub(crate) const CUT: &str = "end here";

/// One extension of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extension {
    pub stage: String,
    /// The added length, as the user wrote it; [`CUT`] if the run became shorter.
    pub by: String,
    /// The lengths before and after as the input writes them; one pair, or one for each swept length.
    pub lengths: Vec<(String, String)>,
    /// The fingerprint of the run's input before this extension.
    pub fingerprint_before: String,
}

impl Record {
    pub fn new(request: &Request, part: &Part, fingerprint: &str, devices: &Devices) -> Record {
        let cards = match devices {
            Devices::Cpu => &[],
            Devices::Cuda(cards) => cards.as_slice(),
        };
        let all = |name: fn(&Protocol) -> &'static str| {
            let mut names: Vec<&str> = Vec::new();
            for name in request.points.iter().map(|point| name(&point.protocol)) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            names.join(", ")
        };
        let sampled = request.points.iter().all(|point| point.system.is_sampled());
        Record {
            beadwork: env!("CARGO_PKG_VERSION").to_string(),
            value_version: VALUE_VERSION,
            device: Backend::of(devices),
            gpus: cards.iter().map(|card| card.properties().name.clone()).collect(),
            gpu_form: None,
            cuda_driver: cards.first().map(|card| {
                let (major, minor) = card.properties().driver;
                format!("{major}.{minor}")
            }),
            fingerprint: fingerprint.to_string(),
            members: part.members(),
            replicas: (!part.is_whole(request)).then(|| [part.range().start, part.range().end]),
            seed: request.points[0].protocol.seed,
            precision: all(|protocol| protocol.dynamics.precision.name()),
            integrator: (!sampled).then(|| all(|protocol| protocol.dynamics.integrator.name())),
            sampler: sampled.then(|| "metropolis".to_string()),
            generator: all(|protocol| protocol.randomness.generator().name()),
            scheme: all(|protocol| protocol.randomness.scheme().name()),
            distribution: (!sampled)
                .then(|| all(|protocol| protocol.randomness.distribution().name())),
            extensions: Vec::new(),
            host: host_name(),
            processor: processor_name(),
            threads: None,
            seconds: None,
            commit: COMMIT.map(String::from),
            sessions: 1,
            started: Some(now()),
            ended: None,
            ending: Some(Ended::Running),
            failed_members: 0,
            files: Digests::new(),
        }
    }

    /// Reads `run.json`. Records of earlier versions have no checksum.
    ///
    /// # Errors
    /// A file that is damaged or was changed.
    pub fn read(folder: &RunFolder) -> Result<Record, Error> {
        let path = folder.run_json();
        let bytes = beadwork_files::read(&path, beadwork_files::LARGEST_TEXT)
            .map_err(|source| beadwork_io::Error::Read { path: path.clone(), source })?;
        let damaged = |reason: String| Error::Record { path: path.clone(), reason };
        let record: Record =
            serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes);
        let is_whole = match text.rsplit_once(CHECKSUM) {
            Some((before, rest)) => rest.strip_suffix(END) == Some(&digest(before.as_bytes())),
            None => record.files.is_empty() && !text.contains("\"files\""),
        };
        if !is_whole {
            return Err(damaged("it was changed: its checksum does not match".to_string()));
        }
        Ok(record)
    }

    pub fn write(&self, folder: &RunFolder) -> Result<(), Error> {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.truncate(text.strip_suffix("\n}").map_or(0, str::len));
        text.push(',');
        let checksum = digest(text.as_bytes());
        let _ = write!(text, "{CHECKSUM}{checksum}{END}");
        Ok(atomic::write(&folder.run_json(), text.as_bytes())?)
    }

    /// Notes that a process begins to step the run.
    pub fn begin(&mut self) {
        self.host = host_name();
        self.processor = processor_name();
        self.commit = COMMIT.map(String::from);
        self.sessions += 1;
        self.started.get_or_insert_with(now);
        self.ended = None;
        self.ending = Some(Ended::Running);
    }

    /// Notes that it ended, and the time that it took.
    pub fn end(&mut self, ending: Ended, failed: u64, took: Duration) {
        // Milliseconds are exact enough.
        let seconds = self.seconds.unwrap_or(0.0) + took.as_secs_f64();
        self.seconds = Some((1e3 * seconds).round() / 1e3);
        self.ended = Some(now());
        self.ending = Some(ending);
        self.failed_members = failed;
    }

    /// Refuses a folder whose record and input do not belong together.
    ///
    /// # Errors
    /// A file that was changed or is gone, by name.
    pub fn refuse_changed(&self, folder: &RunFolder, longer: Option<&str>) -> Result<(), Error> {
        held_files::refuse_changed(folder, &self.files, longer)
    }

    /// Refuses a record whose numbers are not those of the input, and an input of an earlier version that was changed.
    pub fn refuse_other(&self, folder: &RunFolder, request: &Request) -> Result<(), Error> {
        let part = self.part(request)?;
        let seed = request.points[0].protocol.seed;
        let reason = if self.seed != seed {
            format!("its seed is {}, and that of resolved.toml {seed}", self.seed)
        } else if self.members != part.members() {
            let found = part.members();
            format!("it has {} member(s), and resolved.toml {found}", self.members)
        } else if self.files.is_empty() && !self.is_of_text(folder, request)? {
            "resolved.toml or a file in inputs/ is not what the run began with: their fingerprints differ".to_string()
        } else {
            return Ok(());
        };
        Err(Error::Record { path: folder.run_json(), reason })
    }

    /// Whether the resolved input in the folder, as it stands there, and the files of the request have the fingerprint.
    fn is_of_text(&self, folder: &RunFolder, request: &Request) -> Result<bool, Error> {
        let path = folder.resolved();
        let text = beadwork_files::read_text(&path, beadwork_files::LARGEST_TEXT)
            .map_err(|source| beadwork_io::Error::Read { path, source })?;
        let found = fingerprint_of(&text, &request.files);
        Ok(self.was_of(&found))
    }

    pub fn part(&self, request: &Request) -> Result<Part, Error> {
        match self.replicas {
            None => Ok(Part::whole(request)),
            Some([first, end]) => Part::new(first..end, request),
        }
    }

    /// The fingerprints of the inputs that the run has had: the present one, and those from before its extensions.
    pub fn fingerprints(&self) -> BTreeSet<String> {
        let earlier = self.extensions.iter().map(|made| made.fingerprint_before.clone());
        earlier.chain([self.fingerprint.clone()]).collect()
    }

    /// Whether an input is the present one of the run, or one from before an extension.
    pub fn was_of(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint
            || self.extensions.iter().any(|made| made.fingerprint_before == fingerprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_has_the_same_name_in_the_record() {
        let all = [
            Ending::Finished,
            Ending::Interrupted,
            Ending::TimeLimit,
            Ending::Paused,
            Ending::Failure,
        ];
        for (place, ending) in all.into_iter().enumerate() {
            // The compiler asks for a new ending here, and for its place in the list.
            let own = match ending {
                Ending::Finished => 0,
                Ending::Interrupted => 1,
                Ending::TimeLimit => 2,
                Ending::Paused => 3,
                Ending::Failure => 4,
            };
            assert_eq!(own, place);
            assert_eq!(serde_json::to_value(Ended::from(ending)).unwrap(), ending.name());
        }
    }
}
