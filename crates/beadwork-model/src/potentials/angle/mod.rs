//! Potentials of the angle between two neighbouring bonds.

mod cosine_angle;
mod cosine_squared_angle;
mod harmonic_angle;

use std::fmt::Debug;

use beadwork_arithmetic::{Elementary, Lane};

pub use cosine_angle::CosineAngle;
pub use cosine_squared_angle::CosineSquaredAngle;
pub use harmonic_angle::{HarmonicAngle, SMALLEST_SINE};

use super::Parameters;
use super::listed::Angles;
use super::terms::terms;

/// A potential of the angle θ at the middle one of three beads, written in cos θ.
pub trait AnglePotential<T: Lane>: Parameters<T> {
    /// Energy, kcal/mol.
    fn energy(&self, cosine: T) -> T;

    /// dV/d(cos θ), kcal/mol.
    fn slope(&self, cosine: T) -> T;
}

/// A formula of an angle: the [`AnglePotential`] in f64, with its form in other number types.
pub trait AngleFormula: AnglePotential<f64> + Debug + PartialEq + Send + Sync + 'static {
    /// Its name in messages, and the name of its file for GPUs.
    const NAME: &'static str;
    /// Parameters for residues, with which tests and `beadwork doctor` step the formula
    /// ([`System::add_every_formula`](crate::System::add_every_formula)).
    const EXAMPLE: Self;

    /// The same formula in another number type.
    type In<T: Elementary>: AnglePotential<T> + Debug + Send + Sync;

    /// d²V/dθ² at rest, kcal/mol (per rad²).
    fn stiffness(&self) -> f64;
}

terms! {
    /// An angle term of a system: a formula with its list of triples.
    AngleTerm of Angles, AngleFormula, visited by AngleVisitor, made by AngleMaker:
    CosineSquaredAngle,
    CosineAngle,
    HarmonicAngle,
}

struct TriplesOfTerm;

impl AngleVisitor for TriplesOfTerm {
    type Output = Vec<[usize; 3]>;

    fn visit<F: AngleFormula>(self, term: &Angles<F>) -> Self::Output {
        term.iter().map(|angle| angle.beads).collect()
    }
}

impl AngleTerm {
    /// The beads of each angle, the middle one second.
    pub fn triples(&self) -> Vec<[usize; 3]> {
        self.visit(TriplesOfTerm)
    }
}

/// cos θ between the separations `a` = r_i − r_j and `b` = r_k − r_j from the middle bead j.
#[inline(always)]
pub fn cosine<T: Lane>(a: [T; 3], b: [T; 3]) -> T {
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

/// The forces on the outer beads i and k; the force on the middle bead is the opposite of their sum.
///
/// With c = cos θ, ∂c/∂r_i = (b/(|a||b|) − c a/|a|²), and likewise for k.
#[inline(always)]
pub fn outer_forces<T: Lane>(
    potential: &impl AnglePotential<T>,
    a: [T; 3],
    b: [T; 3],
) -> ([T; 3], [T; 3]) {
    let (square_a, square_b) = (dot(a, a), dot(b, b));
    let inverse = T::from_f64(1.0) / (square_a * square_b).sqrt();
    let cosine = dot(a, b) * inverse;
    let minus_slope = -potential.slope(cosine);
    let across = minus_slope * inverse;
    let along_a = minus_slope * cosine / square_a;
    let along_b = minus_slope * cosine / square_b;
    let ([x, y, z], [u, v, w]) = (a, b);
    let on_i = [across * u - along_a * x, across * v - along_a * y, across * w - along_a * z];
    let on_k = [across * x - along_b * u, across * y - along_b * v, across * z - along_b * w];
    (on_i, on_k)
}

#[inline(always)]
fn dot<T: Lane>([x, y, z]: [T; 3], [u, v, w]: [T; 3]) -> T {
    x * u + y * v + z * w
}
