//! Sizes of molecules from the frames of the last stage: end-to-end distances and radii of gyration.

use std::fmt::Write as _;

use beadwork_analysis::plot::{Axis, Colour, Figure, Series};
use beadwork_analysis::statistics::{Histogram, automatic_width, mean, standard_error};
use beadwork_io::table::quoted;
use beadwork_model::Units;
use beadwork_model::observables::{end_to_end_distance, radius_of_gyration};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_session::Error;

use super::species::{self, Species};
use super::{Group, named};
use crate::frames::{self, Threads};
use crate::rows::PointMembers;
use crate::words::decimals;

/// The most sizes of a kind of molecule that are kept, over all frames of a point.
const MOST: usize = 2_000_000;
/// Where molecules are many, some of them are left out, so that there is room for so many frames of a replica.
const FRAMES: usize = 20;

/// The two sizes that are measured, in words and as the columns of tables have them.
const SIZES: [(&str, &str); 2] =
    [("end-to-end distance", "end_to_end"), ("radius of gyration", "radius_of_gyration")];

/// The sizes of a kind of molecule.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    species: String,
    /// For each of [`SIZES`] the values in each block of frames, in the unit of tables.
    values: [Vec<Vec<f64>>; 2],
}

/// Reads end-to-end distances and radii of gyration of the kinds of molecules with the most beads; none without frames.
pub(super) fn read(of_point: &PointMembers<'_>, last: usize) -> Result<Vec<Sizes>, Error> {
    let system = &of_point.point.system;
    let length = match system.units {
        Units::Real => ANGSTROMS_PER_NANOMETRE,
        Units::Reduced => 1.0,
    };
    let mut all = Vec::new();
    for Species { name, molecules } in species::of_system(system) {
        let replicas = of_point.members.len();
        let stride = (molecules.len() * replicas * FRAMES).div_ceil(MOST);
        let of_frame = molecules.len().div_ceil(stride) * replicas;
        let most_frames = MOST as f64 / of_frame as f64;
        let empty = [Vec::new(), Vec::new()];
        let blocks = frames::in_blocks(
            of_point,
            last,
            most_frames,
            Threads::ForReplicas,
            &empty,
            |block, positions| {
                for molecule in molecules.iter().step_by(stride) {
                    let beads = &positions[molecule.clone()];
                    block[0].push(end_to_end_distance(beads) / length);
                    block[1].push(radius_of_gyration(beads) / length);
                }
            },
        )?;
        if !blocks.is_empty() {
            let of_size = |size: usize| blocks.iter().map(|block| block[size].clone()).collect();
            all.push(Sizes { species: name, values: [of_size(0), of_size(1)] });
        }
    }
    Ok(all)
}

impl Sizes {
    /// The root mean square of a size and its error from blocks.
    fn root_mean_square(&self, size: usize) -> (f64, Option<f64>) {
        let square = |block: &Vec<f64>| {
            block.iter().map(|value| value * value).sum::<f64>() / block.len() as f64
        };
        let squares: Vec<f64> = self.values[size].iter().map(square).collect();
        let root = mean(&squares).unwrap_or(f64::NAN).sqrt();
        // d√s = ds/(2√s).
        (root, standard_error(&squares).map(|error| error / (2.0 * root)))
    }

    /// The mean of a size and its error from blocks.
    fn mean(&self, size: usize) -> (f64, Option<f64>) {
        let means: Vec<f64> = self.values[size].iter().filter_map(|block| mean(block)).collect();
        (mean(&means).unwrap_or(f64::NAN), standard_error(&means))
    }

    /// The middle of each bin and the probability density there.
    fn distribution(&self, size: usize) -> Vec<(f64, f64)> {
        let values = self.values[size].concat();
        let Some(width) = automatic_width(&values) else { return Vec::new() };
        let histogram = Histogram::with_bin_width(&values, width, 0.0).unwrap_or_default();
        let total = values.len() as f64 * width;
        let centres = histogram.edges.iter().map(|edge| edge + 0.5 * width);
        centres.zip(&histogram.counts).map(|(x, &count)| (x, count as f64 / total)).collect()
    }
}

impl Group {
    /// A line for each kind of molecule.
    pub(super) fn sizes_in_words(&self) -> String {
        let mut text = String::new();
        let unit = if self.units == Units::Real { " nm" } else { "" };
        for sizes in &self.sizes {
            let _ = write!(text, "root mean squares of {}: ", sizes.species);
            for (number, (words, _)) in SIZES.iter().enumerate() {
                let separator = if number == 0 { "" } else { ", " };
                let (value, error) = sizes.root_mean_square(number);
                let _ = match error {
                    Some(error) => {
                        let decimals = decimals(error);
                        write!(
                            text,
                            "{separator}{words} {value:.decimals$} ± {error:.decimals$}{unit}"
                        )
                    }
                    None => write!(text, "{separator}{words} {value:.4}{unit}"),
                };
            }
            text.push('\n');
        }
        text
    }

    /// Rows of `averages.csv`: quantity, value, error.
    pub(super) fn sizes_in_averages(&self) -> Vec<(String, f64, Option<f64>)> {
        let unit = if self.units == Units::Real { "_nm" } else { "" };
        let mut rows = Vec::new();
        for sizes in &self.sizes {
            for (number, (_, column)) in SIZES.iter().enumerate() {
                for (before, (value, error)) in
                    [("", sizes.mean(number)), ("rms_", sizes.root_mean_square(number))]
                {
                    let quantity = format!("{before}{column}{unit} of {}", sizes.species);
                    rows.push((quantity, value, error));
                }
            }
        }
        rows
    }
}

/// The distributions of each size.
pub(super) fn figures(groups: &[&Group]) -> Vec<(String, Figure)> {
    let Some(units) = groups.first().map(|group| group.units) else { return Vec::new() };
    let of_size = |(number, (words, column)): (usize, &(&str, &str))| {
        let mut series = Vec::new();
        for group in groups {
            for sizes in &group.sizes {
                let label = match groups.len() {
                    1 => sizes.species.clone(),
                    _ => format!("{}: {}", named(group), sizes.species),
                };
                let colour = Colour::Palette(series.len());
                let points = sizes.distribution(number);
                series.push(Series { colour, ..Series::line(label, points) });
            }
        }
        let (of_length, of_density) = match units {
            Units::Real => (" / nm", " / nm⁻¹"),
            Units::Reduced => ("", ""),
        };
        let figure = Figure {
            title: format!("Distribution of the {words} in the last stage"),
            x: Axis::new(format!("{words}{of_length}")),
            y: Axis::new(format!("probability density{of_density}")),
            series,
            ..Figure::default()
        };
        let stem = format!("{}-distribution", column.replace('_', "-"));
        (!figure.series.is_empty()).then_some((stem, figure))
    };
    SIZES.iter().enumerate().filter_map(of_size).collect()
}

/// `size-distributions.csv`; `None` without frames and molecules.
pub(super) fn table(groups: &[Group]) -> Option<(&'static str, String)> {
    let units = groups.iter().find(|group| !group.sizes.is_empty())?.units;
    let (length, density) = match units {
        Units::Real => ("_nm", "_per_nm"),
        Units::Reduced => ("", ""),
    };
    let mut text = format!("group,molecule,size,value{length},density{density}\n");
    for group in groups {
        let name = quoted(&group.name);
        for sizes in &group.sizes {
            for (number, (_, column)) in SIZES.iter().enumerate() {
                for (value, density) in sizes.distribution(number) {
                    let species = quoted(&sizes.species);
                    let _ = writeln!(text, "{name},{species},{column},{value},{density}");
                }
            }
        }
    }
    Some(("size-distributions.csv", text))
}
