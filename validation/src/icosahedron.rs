//! Describes folded chains: shells, contacts, and a picture along a fivefold axis.

use std::fmt::Write as _;
use std::path::Path;

use beadwork_analysis::table::read_csv;
use beadwork_model::externals::dot;

use crate::Failure;

/// Monomers closer than this many bond lengths touch, as in the column `contacts` of a run.
const TOUCH: f64 = 1.25;
/// Monomers of a chain, the energy of its deepest known minimum, and the tolerance, ε. The minima were found by
/// relaxing Hamiltonian paths through the icosahedra.
const DEEPEST_KNOWN: [(usize, f64, f64); 2] = [(13, -43.0272, 1e-4), (55, -262.0352, 0.0352)];
/// Limits between the shells of two-shelled Mackay icosahedra, as distances from the centre in units of the first
/// shell: corners of the first are at 1, edges of the second at 1.70, its corners at 2.
const PARTED_AT: [f64; 3] = [0.5, 1.35, 1.85];
/// Pixels of a unit of length, and of the margin.
const SCALE: f64 = 150.0;
const MARGIN: f64 = 40.0;
/// Colours of the centre, the first shell, edges and corners of the second (Okabe and Ito, 2008).
const COLOURS: [&str; 4] = ["#d55e00", "#0072b2", "#56b4e9", "#009e73"];

/// The shells and contacts of a configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Build {
    /// The shell of each monomer.
    pub shells: Vec<usize>,
    /// Monomers of each shell: the centre, the first, edges and corners of the second.
    pub counts: [usize; 4],
    /// Touching pairs, bonded ones included.
    pub pairs: usize,
    /// Touching pairs that are not bonded.
    pub contacts: usize,
}

impl Build {
    /// Describes a configuration of a chain with this bond length at rest.
    pub fn of(positions: &[[f64; 3]], bond_length: f64) -> Build {
        let middle = central(positions);
        let distances: Vec<f64> =
            positions.iter().map(|at| distance(*at, positions[middle])).collect();
        let mut sorted = distances.clone();
        sorted.sort_by(f64::total_cmp);
        // The mean distance of the twelve nearest monomers, which are the first shell if it is complete.
        let near = &sorted[1..sorted.len().min(13)];
        let first = near.iter().sum::<f64>() / near.len() as f64;
        let shell = |d: &f64| PARTED_AT.iter().filter(|limit| *d > **limit * first).count();
        let shells: Vec<usize> = distances.iter().map(shell).collect();
        let mut counts = [0; 4];
        shells.iter().for_each(|shell| counts[*shell] += 1);
        let (mut pairs, mut contacts) = (0, 0);
        for j in 0..positions.len() {
            for i in 0..j {
                if distance(positions[i], positions[j]) < TOUCH * bond_length {
                    pairs += 1;
                    contacts += usize::from(j - i > 1);
                }
            }
        }
        Build { shells, counts, pairs, contacts }
    }

    /// Statements on the deepest of `minima` minima, which has this build, and whether they hold.
    pub fn statements(&self, minima: usize, energy: f64) -> Vec<(String, bool)> {
        let mut statements = Vec::new();
        let monomers = self.shells.len();
        if let Some((_, known, within)) = DEEPEST_KNOWN.iter().find(|known| known.0 == monomers) {
            let sentence = format!(
                "The deepest of {minima} minima has energy {energy:.5}, which is {:+.5} from the deepest known, {known}. At most {within} above it is allowed.",
                energy - known
            );
            statements.push((sentence, energy <= known + within));
        }
        let sentence = format!(
            "It has shells of {:?} monomers, {} pairs that touch and {} contacts without the bonds: a Mackay icosahedron.",
            self.counts, self.pairs, self.contacts
        );
        statements.push((sentence, self.is_icosahedron()));
        statements
    }

    /// Whether shells and touching pairs are those of a Mackay icosahedron: 42 pairs for 13, 234 for 55 monomers.
    pub fn is_icosahedron(&self) -> bool {
        matches!((self.counts, self.pairs), ([1, 12, 0, 0], 42) | ([1, 12, 30, 12], 234))
    }
}

/// A configuration as a table: x, y and z of each monomer.
pub fn table(positions: &[[f64; 3]]) -> String {
    let rows = positions.iter().map(|[x, y, z]| format!("{x},{y},{z}\n"));
    format!("x,y,z\n{}", rows.collect::<String>())
}

/// Reads a file written by [`table`].
pub fn read(path: &Path) -> Result<Vec<[f64; 3]>, Failure> {
    let table = read_csv(path)?;
    let [x, y, z] = ["x", "y", "z"].map(|axis| table.numbers(axis));
    let (x, y, z) = (x?, y?, z?);
    Ok((0..table.rows()).map(|row| [x[row], y[row], z[row]]).collect())
}

/// The chain as SVG, viewed along the axis from its centre through an outermost monomer; bonds are lines.
pub fn picture(positions: &[[f64; 3]], build: &Build, title: &str) -> String {
    let centre = positions[central(positions)];
    let from_centre = |at: &[f64; 3]| [0, 1, 2].map(|axis| at[axis] - centre[axis]);
    let placed: Vec<[f64; 3]> = positions.iter().map(from_centre).collect();
    let length = |v: &[f64; 3]| dot(*v, *v).sqrt();
    let farthest = placed.iter().max_by(|a, b| length(a).total_cmp(&length(b)));
    let towards = unit(*farthest.unwrap_or(&[0.0, 0.0, 1.0]));
    // Any direction that is not parallel to the axis.
    let other = if towards[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let right = unit(cross(other, towards));
    let up = cross(towards, right);
    let seen: Vec<[f64; 3]> =
        placed.iter().map(|at| [dot(*at, right), dot(*at, up), dot(*at, towards)]).collect();
    let reach = placed.iter().map(length).fold(0.0, f64::max);
    let half = reach * SCALE + MARGIN;
    let (width, height) = (2.0 * half, 2.0 * half + 24.0);
    let pixel = |at: &[f64; 3]| (half + SCALE * at[0], half - SCALE * at[1]);
    // Monomers farther from the viewer are paler.
    let strength = |depth: f64| 0.35 + 0.65 * (depth / reach + 1.0) / 2.0;

    let mut items: Vec<(f64, String)> = Vec::new();
    // Draws half a bond at each of its ends, behind the disc of that end.
    for (from, to) in seen.windows(2).flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]) {
        let middle = [0, 1, 2].map(|axis| (from[axis] + to[axis]) / 2.0);
        let ((x1, y1), (x2, y2)) = (pixel(&from), pixel(&middle));
        items.push((from[2], format!(
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#444444\" stroke-width=\"8\" stroke-opacity=\"{:.2}\"/>",
            strength(from[2])
        )));
    }
    for (at, shell) in seen.iter().zip(&build.shells) {
        let (x, y) = pixel(at);
        let radius = 0.17 * SCALE;
        items.push((at[2] + 1e-6, format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"white\"/><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{}\" fill-opacity=\"{:.2}\" stroke=\"#222222\"/>",
            COLOURS[*shell],
            strength(at[2])
        )));
    }
    items.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.1} {height:.1}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    text.extend(items.into_iter().map(|(_, item)| item + "\n"));
    let _ = writeln!(
        text,
        "<text x=\"{half:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"16\" text-anchor=\"middle\">{title}</text>\n</svg>",
        height - 12.0
    );
    text
}

/// The monomer nearest to the mean position.
fn central(positions: &[[f64; 3]]) -> usize {
    let count = positions.len() as f64;
    let mean = [0, 1, 2].map(|axis| positions.iter().map(|at| at[axis]).sum::<f64>() / count);
    let nearer = |a: &usize, b: &usize| {
        distance(positions[*a], mean).total_cmp(&distance(positions[*b], mean))
    };
    (0..positions.len()).min_by(nearer).unwrap_or(0)
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = dot(v, v).sqrt();
    v.map(|x| x / length)
}
