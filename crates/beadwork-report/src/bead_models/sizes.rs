//! Sizes of molecules from the frames of a stage: end-to-end distances and radii of gyration.

use beadwork_analysis::average::Average;
use beadwork_analysis::statistics::{Histogram, automatic_width, mean};
use beadwork_model::observables::{end_to_end_distance, radius_of_gyration};
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{Units, positions_of};
use beadwork_session::Error;

use super::species::{self, Species};
use crate::data::Value;
use crate::frames::{self, Threads};
use crate::rows::PointMembers;

/// The most sizes of a kind of molecule that are kept, over all frames of a point.
const MOST: usize = 2_000_000;
/// Where molecules are many, some of them are left out, so that there is room for so many frames of a replica.
const FRAMES: usize = 20;

/// The two sizes that are measured, in words and as the columns of tables have them.
pub(super) const SIZES: [(&str, &str); 2] =
    [("end-to-end distance", "end_to_end"), ("radius of gyration", "radius_of_gyration")];

/// The sizes of a kind of molecule.
#[derive(Clone, Debug)]
pub(super) struct Sizes {
    pub(super) species: String,
    /// For each of [`SIZES`] the values in each block of frames of each replica, in the unit of tables.
    pub(super) values: [Vec<Vec<Vec<f64>>>; 2],
}

/// Reads end-to-end distances and radii of gyration of the kinds of molecules with the most beads; none without frames.
pub(super) fn read(of_point: &PointMembers<'_>, stage: usize) -> Result<Vec<Sizes>, Error> {
    let system = &of_point.point.system;
    let length = match system.units {
        Units::Real => ANGSTROMS_PER_NANOMETRE,
        Units::Reduced => 1.0,
    };
    let mut all = Vec::new();
    for Species { name, beads, molecules } in species::of_system(system) {
        let replicas = of_point.members.len();
        let stride = (molecules.len() * replicas * FRAMES).div_ceil(MOST);
        let of_frame = molecules.len().div_ceil(stride) * replicas;
        let most_frames = MOST as f64 / of_frame as f64;
        let empty = [Vec::new(), Vec::new()];
        let blocks = frames::in_blocks(
            of_point,
            stage,
            most_frames,
            Threads::ForReplicas,
            &empty,
            |block, positions| {
                for molecule in molecules.iter().step_by(stride) {
                    let beads = &beads[molecule.clone()];
                    let ends = system.ends_of(beads).map(|ends| ends.map(|bead| positions[bead]));
                    let ends = ends.as_ref().map_or(&[][..], |ends| ends);
                    block[0].push(end_to_end_distance(ends) / length);
                    block[1].push(radius_of_gyration(&positions_of(positions, beads)) / length);
                }
            },
        )?;
        if blocks.iter().any(|blocks| !blocks.is_empty()) {
            let of_replica = |blocks: &Vec<[Vec<f64>; 2]>, size: usize| {
                blocks.iter().map(|block| block[size].clone()).collect()
            };
            let of_size = |size: usize| blocks.iter().map(|of| of_replica(of, size)).collect();
            all.push(Sizes { species: name, values: [of_size(0), of_size(1)] });
        }
    }
    Ok(all)
}

impl Sizes {
    /// The root mean square of a size.
    fn root_mean_square(&self, size: usize) -> Option<Average> {
        let square = |block: &Vec<f64>| {
            block.iter().map(|value| value * value).sum::<f64>() / block.len() as f64
        };
        let squares = frames::average(&self.values[size], square)?;
        let root = squares.mean.sqrt();
        // d√s = ds/(2√s).
        Some(squares.through(root, 0.5 / root))
    }

    /// The mean of a size.
    fn mean(&self, size: usize) -> Option<Average> {
        frames::average(&self.values[size], |block| mean(block).unwrap_or(f64::NAN))
    }

    /// The middle of each bin and the probability density there.
    pub(super) fn distribution(&self, size: usize) -> Vec<(f64, f64)> {
        let values = self.values[size].concat().concat();
        let Some(width) = automatic_width(&values) else { return Vec::new() };
        let histogram = Histogram::with_bin_width(&values, width, 0.0).unwrap_or_default();
        let total = values.len() as f64 * width;
        let centres = histogram.edges.iter().map(|edge| edge + 0.5 * width);
        centres.zip(&histogram.counts).map(|(x, &count)| (x, count as f64 / total)).collect()
    }
}

/// Root mean squares of the sizes of each kind of molecule, and means where there are several kinds: of one kind the table's
/// columns are the means, of more rows than there are frames.
pub(super) fn values(all: &[Sizes], units: Units) -> Vec<(Value, Average)> {
    let unit = if units == Units::Real { "nm" } else { "" };
    let mut values = Vec::new();
    for sizes in all {
        for (number, (words, column)) in SIZES.iter().enumerate() {
            let mean = || sizes.mean(number).filter(|_| all.len() > 1);
            let found = [
                (column.to_string(), format!("mean {words}"), mean()),
                (
                    format!("rms_{column}"),
                    format!("root mean square {words}"),
                    sizes.root_mean_square(number),
                ),
            ];
            for (name, words, average) in found {
                let Some(average) = average else { continue };
                let value = Value::new(name, words, unit, average.mean).with_average(&average);
                values.push((value.of(sizes.species.as_str()), average));
            }
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of tables are means over all molecules, which are those of the only kind.
    #[test]
    fn means_from_frames_stand_where_there_are_several_kinds() {
        let sizes = |species: &str| {
            let blocks = vec![vec![vec![1.0, 2.0], vec![1.5, 2.5]]];
            Sizes { species: species.into(), values: [blocks.clone(), blocks] }
        };
        let names = |all: &[Sizes]| -> Vec<String> {
            values(all, Units::Reduced)
                .into_iter()
                .map(|(value, _)| format!("{} of {}", value.name, value.of))
                .collect()
        };
        assert_eq!(names(&[sizes("A5")]), ["rms_end_to_end of A5", "rms_radius_of_gyration of A5"]);
        let both = names(&[sizes("A5"), sizes("B5")]);
        assert_eq!(both.len(), 8);
        assert!(both.contains(&"end_to_end of B5".to_string()), "{both:?}");
    }
}
