//! The potential of a surface at a distance.

/// U(x) = ε \[A (σ/x)¹² + B (σ/x)⁶\] at a distance x > 0 from a surface: repulsive with A = 0, B = 1; of Lennard-Jones
/// with A = 1, B = −2, whose minimum −ε is at σ (SOP-GPU 2.0 has the same).
///
/// ```
/// use beadwork_model::externals::Contact;
/// let sticky = Contact { epsilon: 0.5, sigma: 2.0, twelfth: 1.0, sixth: -2.0 };
/// assert_eq!((sticky.energy(2.0), sticky.force(2.0)), (-0.5, 0.0));
/// // The curvature of the minimum is 72 ε/σ².
/// assert_eq!(sticky.curvature_at(0.0), 9.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// ε, kcal/mol.
    pub epsilon: f64,
    /// σ, Å.
    pub sigma: f64,
    /// A.
    pub twelfth: f64,
    /// B.
    pub sixth: f64,
}

impl Contact {
    /// Energy at a distance, Å, in kcal/mol.
    pub fn energy(&self, distance: f64) -> f64 {
        let ratio = self.sigma / distance;
        let square = ratio * ratio;
        let sixth = square * square * square;
        self.epsilon * (self.twelfth * sixth * sixth + self.sixth * sixth)
    }

    /// Force away from the surface at a distance, Å, in kcal/(mol Å); not a number at the surface and behind it.
    pub fn force(&self, distance: f64) -> f64 {
        if distance <= 0.0 {
            return f64::NAN;
        }
        let ratio = self.sigma / distance;
        let square = ratio * ratio;
        let sixth = square * square * square;
        let slope = 12.0 * self.twelfth * sixth * sixth + 6.0 * self.sixth * sixth;
        // One division on the way from the distance to the force.
        (self.epsilon / self.sigma) * slope * ratio
    }

    /// What a path computes once of the force: ε/σ, σ, 12 A and 6 B.
    pub fn factors(&self) -> [f64; 4] {
        [self.epsilon / self.sigma, self.sigma, 12.0 * self.twelfth, 6.0 * self.sixth]
    }

    /// Å: no force at this distance or beyond reaches `least`, kcal/(mol Å).
    pub fn reach(&self, least: f64) -> f64 {
        // The bound falls with the distance, from above at 0.
        let bound = |distance: f64| {
            let ratio = self.sigma / distance;
            let sixth = ratio.powi(6);
            let slope = 12.0 * self.twelfth.abs() * sixth * sixth + 6.0 * self.sixth.abs() * sixth;
            self.epsilon.abs() * slope / distance
        };
        let mut reach = self.sigma;
        while bound(reach) >= least && reach < 1e6 * self.sigma {
            reach *= 1.25;
        }
        reach
    }

    /// Å: nearer than this the force away from the surface is `least` or more, kcal/(mol Å); it falls with the distance up to
    /// there.
    pub fn distance_of(&self, least: f64) -> f64 {
        let (mut near, mut far) = (0.0, self.reach(least));
        for _ in 0..60 {
            let middle = 0.5 * (near + far);
            match self.force(middle) >= least {
                true => near = middle,
                false => far = middle,
            }
        }
        near
    }

    /// kcal/(mol Å²): the curvature on the repulsive side, where the energy is `above`, kcal/mol, more than the least one. It is
    /// larger than at all places of lower energy, for ε > 0 and a contact that repels near the surface.
    pub fn curvature_at(&self, above: f64) -> f64 {
        let (twelfth, sixth) = (self.twelfth, self.sixth);
        let above = above / self.epsilon;
        // u = (σ/x)⁶ solves A u² + B u = least + above; the least is −B²/(4 A) with B < 0, and else 0.
        let inverse_sixth = if sixth > 0.0 {
            2.0 * above / (sixth + (sixth * sixth + 4.0 * twelfth * above).sqrt())
        } else {
            ((4.0 * twelfth * above).sqrt() - sixth) / (2.0 * twelfth)
        };
        let curvature = (156.0 * twelfth * inverse_sixth + 42.0 * sixth) * inverse_sixth;
        self.epsilon / (self.sigma * self.sigma) * inverse_sixth.cbrt() * curvature
    }

    /// No force at a distance of σ/2 or more is larger, kcal/(mol Å).
    pub fn largest_force(&self) -> f64 {
        let slope = 12.0 * self.twelfth.abs() * 4096.0 + 6.0 * self.sixth.abs() * 64.0;
        self.epsilon.abs() * slope / (0.5 * self.sigma)
    }
}
