//! Whether a melt of A3B7 is ordered in hexagonally placed cylinders of A, as in Fig. 3 of \[K\] in the book's list of sources: its
//! structure factor has the peaks of a hexagonal lattice, and sections across have as many cylinders as that lattice.
//!
//! `cylinders [--keep FOLDER] RUN [FRAMES]`: the folder of a run of `validation/p2/lattice.toml`, and how many of its last frames
//! are used, 10 by default.

use std::path::Path;
use std::time::Instant;

use beadwork_analysis::structure_factor::{Peak, StructureFactor, WaveVectors};
use beadwork_structure::{Configuration, read_configuration};
use beadwork_validation::Failure;
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use clap::Parser;

/// Wave vectors up to this length, in inverse cutoffs: beyond √7 times the first peak.
const LONGEST: f64 = 2.7;
/// Peaks of the first order have the same length and are 60 degrees apart, within the step of wave vectors in the box.
const LENGTHS_APART: f64 = 0.05;
const DEGREES_APART: f64 = 4.0;
/// Peaks stand this far above the mean of other wave vectors that are as long.
const ABOVE: f64 = 5.0;
/// Numbers h and k of the peaks of a hexagonal lattice, of q and not of −q, by h² + hk + k².
const ORDERS: [(i32, &[[i32; 2]]); 4] = [
    (1, &[[1, 0], [0, 1], [1, -1]]),
    (3, &[[1, 1], [2, -1], [1, -2]]),
    (4, &[[2, 0], [0, 2], [2, -2]]),
    (7, &[[2, 1], [1, 2], [3, -1], [1, -3], [3, -2], [2, -3]]),
];
/// Sections, their thickness, and the width of the cells of their maps, in cutoffs: a cylinder covers some twenty cells.
const SECTIONS: usize = 4;
const THICKNESS: f64 = 2.0;
const CELL: f64 = 0.8;

fn main() -> Result<(), Failure> {
    let options = Options::parse();
    let run = options.words.first().ok_or("name the folder of a run")?;
    let frames = options.number(1, 10_i64)?;
    let began = Instant::now();
    let path = Path::new(run).join("trajectories/member-0000.gsd");
    let frames: Vec<Configuration> =
        (-frames..0).map(|frame| read_configuration(&path, frame)).collect::<Result<_, _>>()?;
    let lattice = Lattice::find(&frames)?;
    let last = frames.last().ok_or("there are no frames")?;
    let tables = vec![lattice.directions(), lattice.orders(), lattice.sections(last)];
    let question = "Are cylinders of A in a melt of A3B7 placed hexagonally?";
    let report = Report::new(&options.backend, "cylinders", question, began, tables);
    report.finish(options.keep.as_deref(), true)
}

/// The hexagonal lattice of the structure factor of A.
struct Lattice {
    vectors: WaveVectors,
    /// S of A at each wave vector.
    heights: Vec<f64>,
    /// Neighbouring peaks of the first order, by the numbers of their wave vectors.
    basis: [[i32; 3]; 2],
    of_a: u16,
    conditions: String,
}

impl Lattice {
    fn find(frames: &[Configuration]) -> Result<Lattice, Failure> {
        let first = frames.first().ok_or("there are no frames")?;
        let bounds = first.bounds.ok_or("the frames have no box")?;
        let sides = bounds.map(|[low, high]| high - low);
        let vectors = WaveVectors::new(sides, LONGEST, LONGEST);
        let mut beads = vec![0; first.type_names.len()];
        first.types.iter().for_each(|&of| beads[usize::from(of)] += 1);
        let mut factor = StructureFactor::new(&vectors, beads);
        frames.iter().for_each(|frame| factor.add(&vectors, &frame.positions, &frame.types));
        let of_a = first.type_names.iter().position(|name| name == "A").ok_or("no type is A")?;
        let heights = factor.of_ball(of_a).ok_or("no bead is of type A")?;
        let peaks = Peak::find(&vectors, &heights);
        let (strongest, others) = peaks.split_first().ok_or("there is no peak")?;
        let neighbour = others
            .iter()
            .filter(|peak| (0.85..1.15).contains(&(peak.length / strongest.length)))
            .map(|peak| match angle(strongest.vector, peak.vector) > 90.0 {
                true => peak.numbers.map(|n| -n),
                false => peak.numbers,
            })
            .min_by(|&a, &b| {
                let apart = |n| (angle(strongest.vector, vectors.vector(n)) - 60.0).abs();
                apart(a).total_cmp(&apart(b))
            })
            .ok_or("the peaks of the first order have one direction")?;
        let conditions = format!(
            "{} beads in a box of {:.2} × {:.2} × {:.2}; the last {} frames.",
            first.positions.len(),
            sides[0],
            sides[1],
            sides[2],
            frames.len()
        );
        let basis = [strongest.numbers, neighbour];
        Ok(Lattice { vectors, heights, basis, of_a: of_a as u16, conditions })
    }

    /// The numbers of the wave vector of a peak.
    fn numbers(&self, [h, k]: [i32; 2]) -> [i32; 3] {
        [0, 1, 2].map(|axis| h * self.basis[0][axis] + k * self.basis[1][axis])
    }

    /// S at a peak over its mean at other wave vectors of the same shell.
    fn above_others(&self, peak: [i32; 2]) -> Option<f64> {
        let numbers = self.numbers(peak);
        let height = self.heights[self.vectors.place(numbers)?];
        let of_lattice: Vec<_> = ORDERS
            .iter()
            .flat_map(|(_, peaks)| *peaks)
            .filter_map(|&peak| self.vectors.place(self.numbers(peak)))
            .collect();
        let shell = self.vectors.shell(numbers);
        let others: Vec<f64> = (self.vectors.ball().iter().zip(&self.heights).enumerate())
            .filter(|&(place, (&n, _))| {
                self.vectors.shell(n) == shell && !of_lattice.contains(&place)
            })
            .map(|(_, (_, &height))| height)
            .collect();
        Some(height * others.len() as f64 / others.iter().sum::<f64>())
    }

    /// The six peaks of the first order.
    fn directions(&self) -> Table {
        let peaks = ORDERS[0].1.iter().map(|&peak| self.vectors.vector(self.numbers(peak)));
        let [a, b, c] = [0, 1, 2].map(|k| peaks.clone().nth(k).unwrap_or_default());
        let lengths = [a, b, c].map(length);
        let mean = lengths.iter().sum::<f64>() / 3.0;
        // From a to b, and from a to a − b on the other side.
        let angles = [angle(a, b), angle(a, c), 180.0 - angle(b, c)];
        let statement = format!(
            "The six peaks have |q| = {:.3}, {:.3} and {:.3}, in the directions q and −q, and are {:.1}, {:.1} and {:.1} degrees apart: lengths within {:.0} % of each other, angles within {DEGREES_APART} degrees of 60.",
            lengths[0],
            lengths[1],
            lengths[2],
            angles[0],
            angles[1],
            angles[2],
            100.0 * LENGTHS_APART
        );
        let holds = lengths.iter().all(|one| (one / mean - 1.0).abs() < LENGTHS_APART)
            && angles.iter().all(|one| (one - 60.0).abs() < DEGREES_APART);
        Table::of_statements(
            "Peaks of the first order",
            self.conditions.clone(),
            vec![(statement, holds)],
        )
    }

    /// The peaks of all orders against other wave vectors.
    fn orders(&self) -> Table {
        let mut statements = Vec::new();
        for (order, peaks) in ORDERS {
            let found: Vec<String> = peaks
                .iter()
                .map(|&peak| {
                    let place = self.vectors.place(self.numbers(peak));
                    let height = place.map_or(f64::NAN, |place| self.heights[place]);
                    let [h, k] = peak;
                    format!("({h} {k}) {height:.1}")
                })
                .collect();
            let above = peaks.iter().map(|&peak| self.above_others(peak).unwrap_or(0.0));
            // Peaks of higher orders are weak, since cylinders are nearly as wide as their waves are long.
            let (word, above) = match order {
                1 => ("at least", above.fold(f64::INFINITY, f64::min)),
                _ => ("on average", above.sum::<f64>() / peaks.len() as f64),
            };
            let statement = format!(
                "At √{order} times the first length S of A is {}, {word} {above:.1} times that of other wave vectors of the same lengths; {ABOVE} times is asked for.",
                found.join(", ")
            );
            statements.push((statement, above >= ABOVE));
        }
        let conditions = format!("{} Peaks by their numbers (h k).", self.conditions);
        Table::of_statements("Orders of the lattice", conditions, statements)
    }

    /// The cylinders in sections of the last frame, across the side of the box that is nearest to their direction. Cylinders cross
    /// such a section as often as the determinant says of the numbers of two peaks along the other sides.
    fn sections(&self, frame: &Configuration) -> Table {
        let title = "Cylinders in sections of the last frame";
        let [a, b] = self.basis;
        let crossings = |axis: usize| {
            let [x, y] = [(axis + 1) % 3, (axis + 2) % 3];
            (a[x] * b[y] - a[y] * b[x]).unsigned_abs() as usize
        };
        // The direction is that of the product of two wave vectors, whose component is the determinant over the other sides.
        let sides = self.vectors.sides();
        let along = |axis: &usize| crossings(*axis) as f64 * sides[*axis];
        let axis = (0..3).max_by(|one, other| along(one).total_cmp(&along(other))).unwrap_or(0);
        let across = [(axis + 1) % 3, (axis + 2) % 3];
        let counts: Vec<usize> =
            (0..SECTIONS).map(|part| self.cylinders(frame, axis, across, part)).collect();
        let expected = crossings(axis);
        let statement = format!(
            "By the peaks {expected} cylinders cross a section at right angles to {}; {SECTIONS} sections at equal distances, {THICKNESS} thick, have {counts:?} regions in which A has more than half of the beads",
            ["x", "y", "z"][axis]
        );
        let holds = counts.iter().all(|&count| count == expected);
        Table::of_statements(title, self.conditions.clone(), vec![(statement, holds)])
    }

    /// The number of regions of A in a section of the box.
    fn cylinders(
        &self,
        frame: &Configuration,
        axis: usize,
        across: [usize; 2],
        part: usize,
    ) -> usize {
        let sides = self.vectors.sides();
        let cells = across.map(|axis| (sides[axis] / CELL) as usize);
        let cell_of = |at: f64, axis: usize, cells: usize| {
            ((at / sides[axis]).rem_euclid(1.0) * cells as f64) as usize % cells
        };
        let mut counts = vec![[0_i64; 2]; cells[0] * cells[1]];
        for (at, &of) in frame.positions.iter().zip(&frame.types) {
            let depth = (at[axis] / sides[axis]).rem_euclid(1.0) - part as f64 / SECTIONS as f64;
            if (0.0..THICKNESS).contains(&(depth * sides[axis])) {
                let [x, y] = [0, 1].map(|k| cell_of(at[across[k]], across[k], cells[k]));
                counts[y * cells[0] + x][usize::from(of != self.of_a)] += 1;
            }
        }
        let neighbours = |cell: usize| {
            let (x, y) = (cell % cells[0], cell / cells[0]);
            (0..9).map(move |step| {
                let x = (x + cells[0] + step % 3 - 1) % cells[0];
                let y = (y + cells[1] + step / 3 - 1) % cells[1];
                y * cells[0] + x
            })
        };
        // Each cell with those around it, against the noise of few beads.
        let is_rich: Vec<bool> = (0..counts.len())
            .map(|cell| {
                neighbours(cell).map(|near| counts[near][0] - counts[near][1]).sum::<i64>() > 0
            })
            .collect();
        let mut seen = vec![false; counts.len()];
        let mut regions = 0;
        for first in 0..counts.len() {
            if !is_rich[first] || seen[first] {
                continue;
            }
            regions += 1;
            let mut open = vec![first];
            seen[first] = true;
            while let Some(cell) = open.pop() {
                for near in neighbours(cell) {
                    if is_rich[near] && !seen[near] {
                        seen[near] = true;
                        open.push(near);
                    }
                }
            }
        }
        regions
    }
}

fn length(vector: [f64; 3]) -> f64 {
    vector.iter().map(|q| q * q).sum::<f64>().sqrt()
}

/// The angle between two vectors, degrees.
fn angle(one: [f64; 3], other: [f64; 3]) -> f64 {
    let product: f64 = (0..3).map(|axis| one[axis] * other[axis]).sum();
    (product / (length(one) * length(other))).clamp(-1.0, 1.0).acos().to_degrees()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Straight cylinders with the peaks (3 2 0) and (0 2 2), which are not along a side of the box.
    #[test]
    fn tilted_cylinders_are_counted() {
        let sides = [20.0, 30.0, 15.0];
        let basis = [[3, 2, 0], [0, 2, 2]];
        let mut frame = Configuration {
            bounds: Some(sides.map(|side| [0.0, side])),
            type_names: vec!["B".to_string(), "A".to_string()],
            ..Configuration::default()
        };
        // Three waves whose sum is large near the axes of cylinders.
        let is_in = |at: [f64; 3]| {
            let phase = |n: [i32; 3]| {
                std::f64::consts::TAU
                    * (0..3).map(|k| f64::from(n[k]) * at[k] / sides[k]).sum::<f64>()
            };
            let [a, b] = basis.map(phase);
            a.cos() + b.cos() + (a - b).cos() > 0.6
        };
        let steps = sides.map(|side: f64| (side / 0.5) as usize);
        for place in 0..steps.iter().product::<usize>() {
            let at = [place % steps[0], place / steps[0] % steps[1], place / steps[0] / steps[1]];
            let at = [0, 1, 2].map(|axis| 0.5 * at[axis] as f64 + 0.25);
            frame.positions.push(at);
            frame.types.push(u16::from(is_in(at)));
        }
        let vectors = WaveVectors::new(sides, LONGEST, LONGEST);
        let heights = vec![0.0; vectors.ball().len()];
        let lattice = Lattice { vectors, heights, basis, of_a: 1, conditions: String::new() };
        // Determinants of the numbers along y and z, z and x, x and y: 4, 6 and 6.
        for (axis, expected) in [(0, 4), (1, 6), (2, 6)] {
            let across = [(axis + 1) % 3, (axis + 2) % 3];
            let counts = [0, 1, 2, 3].map(|part| lattice.cylinders(&frame, axis, across, part));
            assert_eq!(counts, [expected; 4], "axis {axis}");
        }
        assert!(lattice.sections(&frame).agrees());
    }
}
