//! Structure factors of arrangements with a known one.

use std::f64::consts::{PI, TAU};

use beadwork_analysis::structure_factor::{Peak, Plane, StructureFactor, WaveVectors};
use beadwork_testing::chi_square_p_value;

use crate::noise::Noise;

fn of_frame(vectors: &WaveVectors, positions: &[[f64; 3]], types: &[u16]) -> StructureFactor {
    let kinds = usize::from(*types.iter().max().unwrap()) + 1;
    let beads = (0..kinds).map(|kind| types.iter().filter(|&&t| usize::from(t) == kind).count());
    let mut found = StructureFactor::new(vectors, beads.collect());
    found.add(vectors, positions, types);
    found
}

/// N at vectors of the reciprocal lattice, zero elsewhere: four peaks at right angles in a plane.
#[test]
fn peaks_of_a_lattice() {
    let side = 8_usize;
    let position = |n: usize| [n % side, n / side % side, n / (side * side)].map(|n| n as f64);
    let positions: Vec<[f64; 3]> = (0..side.pow(3)).map(position).collect();
    let vectors = WaveVectors::new([side as f64; 3], 1.2 * TAU, 2.0 * TAU);
    let found = of_frame(&vectors, &positions, &vec![0; positions.len()]);
    let heights = found.of_ball(0).unwrap();
    for (numbers, height) in vectors.ball().iter().zip(&heights) {
        let is_peak = numbers.iter().all(|n| n % side as i32 == 0);
        let expected = if is_peak { positions.len() as f64 } else { 0.0 };
        assert!((height - expected).abs() < 1e-9, "{numbers:?} {height}");
    }
    let peaks = Peak::find(&vectors, &heights);
    assert_eq!(peaks.len(), 3);
    assert!(peaks.iter().all(|peak| (peak.length - TAU).abs() < 1e-12));
    let angles = Plane::through(&peaks).star(&peaks);
    assert_eq!(angles.len(), 4);
    assert!(angles.iter().zip([0.0, 90.0, 180.0, 270.0]).all(|(a, b)| (a - b).abs() < 1e-9));
    // A shell has the mean of its vectors: here 3 of them have N.
    let values = found.values(0, 0).unwrap();
    let shell = values.iter().position(|value| *value > 1e-9).unwrap();
    let of_shell = vectors.ball().iter().filter(|n| vectors.shell(**n) == side).count();
    assert!((found.lengths()[shell] / TAU - 1.0).abs() < 1.0 / side as f64);
    assert!((values[shell] - 3.0 * 512.0 / of_shell as f64).abs() < 1e-9);
}

/// The mean of |ρ|²/N over M independent vectors, whose values are exponentially distributed, is 1 with the variance 1/M; that of
/// two types is 0 with the variance 1/(2M).
#[test]
fn an_ideal_gas_has_one() {
    let sides = [9.0, 10.0, 11.0];
    let vectors = WaveVectors::new(sides, 5.0, 20.0);
    let mut noise = Noise(5);
    let (beads, frames) = (3_000, 12);
    let types: Vec<u16> = (0..beads).map(|bead| u16::from(bead % 3 == 0)).collect();
    let mut all: Option<StructureFactor> = None;
    for _ in 0..frames {
        let gas: Vec<[f64; 3]> =
            (0..beads).map(|_| sides.map(|side| 3.0 * side * noise.uniform())).collect();
        let found = of_frame(&vectors, &gas, &types);
        match &mut all {
            Some(all) => all.merge(&found),
            None => all = Some(found),
        }
    }
    let all = all.unwrap();
    assert_eq!(all.frames(), frames);
    let mut counts = vec![0; 100];
    vectors.numbers().iter().for_each(|n| counts[vectors.shell(*n)] += 1);
    counts.retain(|count| *count > 0);
    for (values, expected, variance) in [
        (all.values(0, 0).unwrap(), 1.0, 1.0),
        (all.values(1, 1).unwrap(), 1.0, 1.0),
        (all.values(0, 1).unwrap(), 0.0, 0.5),
        (all.total().unwrap(), 1.0, 1.0),
    ] {
        let square = |(value, count): (&f64, &i32)| {
            (value - expected).powi(2) * f64::from(*count) * frames as f64 / variance
        };
        let sum: f64 = values.iter().zip(&counts).map(square).sum();
        let probability = chi_square_p_value(sum, counts.len() as f64);
        assert!((1e-4..1.0 - 1e-4).contains(&probability), "{sum} of {}", counts.len());
    }
    assert!(Peak::find(&vectors, &all.of_ball(1).unwrap()).is_empty());
}

/// The first-order Bessel function J₁(x)/x by its series, for small x.
fn bessel(x: f64) -> f64 {
    let mut term = 0.5;
    (1..30).fold(0.0, |sum, k| {
        let with = sum + term;
        term *= -x * x / 4.0 / (f64::from(k) * f64::from(k + 1));
        with
    })
}

/// Cylinders on a hexagonal lattice: six peaks 60° apart whose height is the form factor of a disc.
#[test]
fn cylinders_have_six_peaks() {
    let spacing = 4.0;
    // Along y. The cell with two cylinders is a by √3 a.
    let sides = [4.0 * spacing, 12.0, 2.0 * 3_f64.sqrt() * spacing];
    let radius = 0.25 * spacing;
    let mut noise = Noise(11);
    let (mut positions, mut types) = (Vec::new(), Vec::new());
    for cylinder in 0..16 {
        let (column, row) = (f64::from(cylinder % 4), f64::from(cylinder / 4));
        let centre = [(column + 0.5 * (row % 2.0)) * spacing, row * 0.5 * 3_f64.sqrt() * spacing];
        for _ in 0..200 {
            let (r, angle) = (radius * noise.uniform().sqrt(), TAU * noise.uniform());
            let along = sides[1] * noise.uniform();
            positions.push([centre[0] + r * angle.cos(), along, centre[1] + r * angle.sin()]);
            types.push(1);
        }
    }
    for _ in 0..2_000 {
        positions.push(sides.map(|side| side * noise.uniform()));
        types.push(0);
    }
    let vectors = WaveVectors::new(sides, 6.0, 6.0);
    let found = of_frame(&vectors, &positions, &types);
    let heights = found.of_ball(1).unwrap();
    let peaks = Peak::find(&vectors, &heights);
    let plane = Plane::through(&peaks);
    let angles = plane.star(&peaks);
    assert_eq!(angles.len(), 6, "{peaks:?}");
    for (number, angle) in angles.iter().enumerate() {
        assert!((angle - 60.0 * number as f64).abs() < 1e-9, "{angles:?}");
    }
    assert!((plane.normal()[1].abs() - 1.0).abs() < 1e-12);
    let q = 4.0 * PI / (3_f64.sqrt() * spacing);
    let form = 2.0 * bessel(q * radius);
    for peak in &peaks[..3] {
        assert!((peak.length / q - 1.0).abs() < 1e-12);
        // ρ/N is a mean of 3200 values, the variance of whose real part is below 1.
        let bound = 4.0 * 2.0 * form / 3200_f64.sqrt() + 16.0 / 3200.0;
        assert!((peak.height / 3200.0 - form * form).abs() < bound, "{peak:?} {form}");
    }
    // The map has the same peaks, at the same places.
    let width = vectors.shell_width();
    let map = plane.map(&vectors, &heights, 8);
    let (row, column) = (8, 8 + (q / width).round() as usize);
    assert!(map[8][8].is_nan() && map[row][column] == peaks[0].height);
    assert!(found.of_ball(0).is_some_and(|others| Peak::find(&vectors, &others).is_empty()));
}

/// Layers across a diagonal of the box: two peaks.
#[test]
fn layers_have_two_peaks() {
    let sides = [10.0; 3];
    let mut noise = Noise(2);
    let mut positions = Vec::new();
    while positions.len() < 2_000 {
        let position = sides.map(|side| side * noise.uniform());
        let phase = TAU * (2.0 * position[0] + 2.0 * position[1]) / 10.0;
        if phase.cos() > 0.3 {
            positions.push(position);
        }
    }
    let vectors = WaveVectors::new(sides, 4.0, 4.0);
    let found = of_frame(&vectors, &positions, &vec![0; positions.len()]);
    let peaks = Peak::find(&vectors, &found.of_ball(0).unwrap());
    let plane = Plane::through(&peaks);
    assert_eq!((peaks[0].numbers, plane.star(&peaks)), ([2, 2, 0], vec![0.0, 180.0]));
    assert_eq!(plane.axes[1], [0.0, 0.0, 1.0]);
}
