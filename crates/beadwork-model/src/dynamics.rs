//! The dynamics of a run: integrator, temperature, friction, time step, precision.

/// The scheme that moves beads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integrator {
    /// Overdamped Langevin dynamics to first order in the step: r += f h/ξ + g √(2 kT h/ξ) (\[A\], Algorithm 7; Ermak
    /// and McCammon).
    Brownian,
    /// Overdamped Langevin dynamics to second order (weak, for noise of constant strength): the drift is the mean of
    /// the forces at the step's start and at its first-order end (stochastic Heun). For a harmonic force its mean is
    /// equation 5 of \[A\] with the missing r_f h²/(2ξ).
    BrownianSecondOrder,
    /// Langevin dynamics with velocities, in the order BAOAB: half a kick by the force, half a drift, friction and noise,
    /// half a drift, half a kick (Leimkuhler and Matthews, Appl. Math. Res. Express 2013, 34).
    Langevin,
    /// The same with a whole kick, in the order BAOA, which gives the same positions but for the start. Velocities are
    /// those of the half step (Zhang et al., J. Phys. Chem. A 123, 6056, 2019; OpenMM's LangevinMiddle).
    LangevinMiddle,
    /// Velocity Verlet. With friction, drag on the velocity of the half step and noise join the force of the step's end
    /// (\[K\], equation 1). Without friction the energy is conserved.
    VelocityVerlet,
}

impl Integrator {
    /// Every integrator.
    pub const ALL: [Integrator; 5] = [
        Integrator::Brownian,
        Integrator::BrownianSecondOrder,
        Integrator::Langevin,
        Integrator::LangevinMiddle,
        Integrator::VelocityVerlet,
    ];

    /// The integrators without velocities.
    pub const OVERDAMPED: [Integrator; 2] = [Integrator::Brownian, Integrator::BrownianSecondOrder];

    /// Those with velocities.
    pub const WITH_VELOCITIES: [Integrator; 3] =
        [Integrator::Langevin, Integrator::LangevinMiddle, Integrator::VelocityVerlet];

    /// The name in an input.
    pub fn name(self) -> &'static str {
        match self {
            Integrator::Brownian => "brownian",
            Integrator::BrownianSecondOrder => "brownian-second-order",
            Integrator::Langevin => "langevin",
            Integrator::LangevinMiddle => "langevin-middle",
            Integrator::VelocityVerlet => "velocity-verlet",
        }
    }

    /// Whether beads have velocities; without them, friction is much stronger than inertia.
    pub fn has_velocities(self) -> bool {
        match self {
            Integrator::Brownian | Integrator::BrownianSecondOrder => false,
            Integrator::Langevin | Integrator::LangevinMiddle | Integrator::VelocityVerlet => true,
        }
    }
}

/// The arithmetic of a trajectory. Externals, time and sums over a run are f64 in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// f32: relative error of a force about 1e-6.
    Single,
    /// f64.
    Double,
}

impl Precision {
    /// Every precision.
    pub const ALL: [Precision; 2] = [Precision::Single, Precision::Double];

    /// The name in an input.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Single => "single",
            Precision::Double => "double",
        }
    }
}

/// The dynamics of all stages. Monte Carlo uses only temperature and precision, and counts a sweep as a time step.
#[derive(Clone, Debug, PartialEq)]
pub struct Dynamics {
    /// The scheme.
    pub integrator: Integrator,
    /// kB T, kcal/mol.
    pub temperature: f64,
    /// ξ, kcal ps/(mol Å²), of the types that have no friction of their own. Zero conserves the energy, with an
    /// integrator that has velocities.
    pub friction: f64,
    /// h, ps.
    pub timestep: f64,
    /// Number type of positions and forces.
    pub precision: Precision,
    /// Å by which a neighbour list reaches beyond the cutoff; it changes the speed, never the trajectory.
    pub skin: f64,
}
