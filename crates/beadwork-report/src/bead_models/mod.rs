//! Runs of bead models: averages with errors; for single chains of residues the scaling exponent and contacts; for other beads
//! structure in boxes, motion and the sizes of molecules.

mod asked_pictures;
mod columns;
mod conformations;
mod drawing;
mod frame_figures;
mod in_time;
mod motion;
mod pair_distributions;
mod pictures;
mod replicas;
mod settled;
mod sizes;
mod species;
mod spread;
mod structure_factors;
mod tables;
mod temperatures;
mod views;

pub(crate) use asked_pictures::AskedPictures;
pub(crate) use drawing::figures;
pub(crate) use pictures::{radius_of_beads, unit_of};
pub(crate) use replicas::{BeadModelGroup, answers};
pub(crate) use tables::tables;
pub(crate) use views::pictures;
