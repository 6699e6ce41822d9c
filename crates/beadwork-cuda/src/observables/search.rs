//! How the near pairs of large systems are found on the card, and the memory that their measurements take.

use beadwork_model::potentials::angle::{AngleFormula, AngleVisitor};
use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::PairFormula;
use beadwork_model::potentials::single::{SingleFormula, SingleVisitor};
use beadwork_model::sums::{RUN, have_runs};
use beadwork_model::{Angles, Boundary, Pairs, Singles, System};
use bytemuck::{Pod, Zeroable};

use super::tables::molecules;

/// Three numbers that are added side by side.
type Vector = [f64; 3];

/// As the kernels read it (`kernels/observables/records.cuh`); zeros for small systems.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Search {
    cells: [u32; 3],
    runs: u32,
    inverse_edge: f64,
    square_edge: f64,
    inverse_sides: Vector,
    pub excluded_starts: u64,
    pub excluded: u64,
    heads: u64,
    nexts: u64,
    rows: u64,
    molecules: u64,
    sums: u64,
    bytes: u64,
}

/// What a launch of measurements has one of for each sample of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Beads.
    pub beads: usize,
    /// Molecules and beads, which have a warp each.
    pub things: usize,
    /// Cells.
    pub cells: usize,
    /// Runs of all lists.
    pub runs: usize,
}

impl Counts {
    /// Those of a system.
    pub fn of(system: &System) -> Counts {
        let beads = system.beads();
        if !have_runs(beads) {
            return Counts { beads, ..Counts::default() };
        }
        let sizes = if system.sizes_are_of_all_beads() { 1 } else { molecules(system).len() };
        let cells = cells(system, edge(system)).map(|cells| cells as usize).iter().product();
        Counts { beads, things: beads + sizes, cells, runs: runs(system, sizes) }
    }

    /// The larger ones of two systems.
    pub fn max(self, other: Counts) -> Counts {
        Counts {
            beads: self.beads.max(other.beads),
            things: self.things.max(other.things),
            cells: self.cells.max(other.cells),
            runs: self.runs.max(other.runs),
        }
    }
}

impl Search {
    /// The search in a system of these counts, without its excluded partners.
    pub fn new(system: &System, counts: Counts) -> Search {
        let Counts { beads, things, cells: cell_count, runs } = counts;
        if !have_runs(beads) {
            return Search::default();
        }
        let edge = edge(system);
        let inverse_sides = match system.boundary {
            Boundary::Open => [0.0; 3],
            Boundary::Periodic { lengths } => lengths.map(|length| 1.0 / length),
        };
        // Two flags come first.
        let mut end = 8;
        let mut region = |bytes: usize| {
            let begin = end;
            end = (end + bytes).next_multiple_of(8);
            begin as u64
        };
        Search {
            cells: cells(system, edge),
            runs: runs as u32,
            inverse_edge: 1.0 / edge,
            square_edge: edge * edge,
            inverse_sides,
            heads: region(cell_count * size_of::<u32>()),
            nexts: region(beads * size_of::<u32>()),
            rows: region(beads * size_of::<Vector>()),
            molecules: region((things - beads) * size_of::<Vector>()),
            sums: region(runs * size_of::<Vector>()),
            bytes: region(0),
            ..Search::default()
        }
    }

    /// The bytes that measurements of a sample take.
    pub fn bytes(&self) -> usize {
        self.bytes as usize
    }
}

/// The runs of bonded terms, angles, fields, rows of pairs, sizes of molecules and velocities.
fn runs(system: &System, sizes: usize) -> usize {
    let (all, beads) = (&system.interactions, system.beads());
    let bonded = all.bonded.iter().map(|term| term.visit(Length));
    let angles = all.angles.iter().map(|term| term.visit(Length));
    let singles = all.singles.iter().map(|term| term.visit(Length));
    let lists = bonded.chain(angles).chain(singles).chain([beads, sizes, beads]);
    lists.map(|count| count.div_ceil(RUN)).sum()
}

/// Slightly more than the largest cutoff, so that rounding loses no pair.
fn edge(system: &System) -> f64 {
    system.interactions.pair_cutoff().max(1e-3) * 1.000_001
}

/// The cells along each axis, at most as many as beads in all: of a box; in open space a power of two, and space repeats
/// beyond them.
fn cells(system: &System, edge: f64) -> [u32; 3] {
    let beads = system.beads() as f64;
    let Boundary::Periodic { lengths } = system.boundary else {
        let bits = beads.log2() as u32;
        return [0, 1, 2].map(|axis| 1 << ((bits + axis) / 3));
    };
    let mut cells = lengths.map(|length| (length / edge).floor().clamp(1.0, 1e15));
    while cells.iter().product::<f64>() > beads {
        let largest = cells.iter().copied().fold(1.0, f64::max);
        cells = cells.map(|count| if count == largest { (count / 2.0).ceil() } else { count });
    }
    cells.map(|cells| cells as u32)
}

/// Excluded partners j > i of each bead i, ascending, bead after bead, and the first of each bead.
pub fn excluded_partners(system: &System) -> (Vec<u32>, Vec<u32>) {
    let excluded = &system.interactions.excluded;
    let mut starts = vec![0_u32; system.beads() + 1];
    excluded.iter().for_each(|&(i, _)| starts[i + 1] += 1);
    for bead in 0..system.beads() {
        starts[bead + 1] += starts[bead];
    }
    // Exclusions ascend.
    (starts, excluded.iter().map(|&(_, j)| j as u32).collect())
}

/// The number of entries of a term.
struct Length;

impl BondedVisitor for Length {
    type Output = usize;

    fn visit<F: PairFormula>(self, term: &Pairs<F>) -> usize {
        term.len()
    }
}

impl AngleVisitor for Length {
    type Output = usize;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> usize {
        term.len()
    }
}

impl SingleVisitor for Length {
    type Output = usize;

    fn visit<F: SingleFormula>(self, term: &Singles<F>) -> usize {
        term.len()
    }
}

#[cfg(test)]
#[path = "../../tests/unit/search.rs"]
mod tests;
