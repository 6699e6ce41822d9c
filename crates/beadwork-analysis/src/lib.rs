//! Analysis of runs: unfolding forces, thermodynamics of replica exchange, statistics, plots.
//!
//! All functions work on plain arrays and files of comma-separated values, whichever program wrote
//! them.
//!
//! ```
//! use beadwork_analysis::unfolding::{Criteria, Curve, analyse};
//!
//! // A spring is stretched to 40 pN, the protein gives way, the chain is pulled taut.
//! let force_pn: Vec<f64> = [0., 20., 40., 10., 5., 80.].into();
//! let curve = Curve {
//!     time_ns: vec![0., 1., 2., 3., 4., 5.],
//!     extension_nm: vec![0., 1., 2., 5., 8., 9.],
//!     contacts: vec![50., 50., 48., 10., 2., 0.],
//!     force_pn,
//! };
//! let criteria = Criteria { window_points: 1, prominence_pn: 10.0, taut_extension_nm: None };
//! let rupture = analyse(&curve, &criteria).rupture.ok_or("not unfolded")?;
//! assert_eq!((rupture.force_pn, rupture.fall_pn), (40.0, 35.0));
//! # Ok::<(), &str>(())
//! ```

pub mod autocorrelation;
pub mod average;
pub mod bell_evans;
pub mod conformations;
pub mod deviates;
pub mod displacements;
pub mod drift;
mod error;
pub mod indentation;
pub mod interruption;
pub mod jackknife;
pub mod numbers;
pub mod oscillators;
pub mod overlap;
pub mod pair_distribution;
pub mod picture;
pub mod plot;
pub mod replicas;
pub mod reweighting;
pub mod round_trips;
pub mod samples;
pub mod statistics;
pub mod structure_factor;
pub mod survival;
pub mod table;
pub mod thermodynamics;
pub mod unfolding;

pub use error::{ERROR_CODES, Error};
pub use jackknife::Estimate;
pub use samples::Samples;

// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
