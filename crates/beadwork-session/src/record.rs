//! `run.json`: a record of how a run was made.

use beadwork_engine::{Devices, VALUE_VERSION};
use beadwork_input::Request;
use beadwork_io::{RunFolder, atomic};
use beadwork_model::Protocol;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::device::Backend;
use crate::part::Part;

/// The contents of `run.json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub beadwork: String,
    pub value_version: u32,
    pub device: Backend,
    /// The names of the GPUs on which the run began.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gpus: Vec<String>,
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
}

/// One extension of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extension {
    pub stage: String,
    /// The added length, as the user wrote it.
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
        }
    }

    pub fn read(folder: &RunFolder) -> Result<Record, Error> {
        let path = folder.run_json();
        let bytes = beadwork_files::read(&path, beadwork_files::LARGEST_TEXT)
            .map_err(|source| beadwork_io::Error::Read { path: path.clone(), source })?;
        serde_json::from_slice(&bytes)
            .map_err(|error| Error::Record { path, reason: error.to_string() })
    }

    pub fn write(&self, folder: &RunFolder) -> Result<(), Error> {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        Ok(atomic::write(&folder.run_json(), text.as_bytes())?)
    }

    pub fn part(&self, request: &Request) -> Result<Part, Error> {
        match self.replicas {
            None => Ok(Part::whole(request)),
            Some([first, end]) => Part::new(first..end, request),
        }
    }

    /// Whether an input is the present one of the run, or one from before an extension.
    pub fn was_of(&self, fingerprint: &str) -> bool {
        self.fingerprint == fingerprint
            || self.extensions.iter().any(|made| made.fingerprint_before == fingerprint)
    }
}
