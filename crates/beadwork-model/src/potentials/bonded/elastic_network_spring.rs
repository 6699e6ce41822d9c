//! The spring that keeps two beads of a folded domain at their distance.

use beadwork_arithmetic::{Elementary, Lane};

use super::HarmonicBond;
use crate::potentials::EnergyKind;
use crate::potentials::pair::{PairFormula, PairPotential};
use crate::potentials::parameters::parameters;

/// V(r) = (k/2)(r − r₀)² (Tirion, Phys. Rev. Lett. 77, 1905, 1996), the formula of [`HarmonicBond`]. The beads are not
/// bonded: a spring counts among contacts, viewers do not draw it, and beads have many of them.
///
/// ```
/// use beadwork_model::potentials::{ElasticNetworkSpring, PairPotential};
/// let spring = ElasticNetworkSpring { stiffness: 2.0, length: 3.0 };
/// assert_eq!(spring.energy(16.0), 1.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticNetworkSpring<T = f64> {
    /// k, kcal/(mol Å²).
    pub stiffness: T,
    /// r₀, Å.
    pub length: T,
}

parameters!(ElasticNetworkSpring { stiffness, length });

impl PairFormula for ElasticNetworkSpring {
    const NAME: &'static str = "elastic_network_spring";
    const EXAMPLE: Self = ElasticNetworkSpring { stiffness: 0.6, length: 8.0 };
    const ENERGY: EnergyKind = EnergyKind::Contact;
    type In<T: Elementary> = ElasticNetworkSpring<T>;

    fn stiffness(&self) -> f64 {
        self.stiffness
    }

    fn rest_length(&self) -> f64 {
        self.length
    }
}

impl<T: Lane> ElasticNetworkSpring<T> {
    #[inline(always)]
    fn spring(&self) -> HarmonicBond<T> {
        HarmonicBond { stiffness: self.stiffness, length: self.length }
    }
}

impl<T: Lane> PairPotential<T> for ElasticNetworkSpring<T> {
    fn energy(&self, r2: T) -> T {
        self.spring().energy(r2)
    }

    #[inline(always)]
    fn force_over_distance(&self, r2: T) -> T {
        self.spring().force_over_distance(r2)
    }
}
