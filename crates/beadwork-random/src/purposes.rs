//! [`Purpose`], the list of all uses of random numbers.

/// What a random number is for; part of the key of all noise.
///
/// Two purposes never share numbers, whatever their steps, beads and draws. New code that draws random numbers adds a
/// purpose here. The values are frozen, because they enter the keys of all existing runs.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// The random force of a Brownian or Langevin integrator. i: bead.
    ThermalForce = 0x0001_0000,
    /// Velocities at the start, from the Maxwell–Boltzmann distribution. i: bead.
    InitialVelocity = 0x0002_0000,
    /// Choice, size and acceptance of Monte Carlo moves.
    MonteCarloMove = 0x0003_0000,
    /// Choice and acceptance of swaps between replicas.
    ReplicaExchange = 0x0004_0000,
    /// First states of generators that keep a state. i: bead.
    GeneratorState = 0x0005_0000,
    /// The random force of a pairwise thermostat. i < j: beads.
    PairThermostat = 0x0006_0000,
    /// Configurations made by a builder. i: bead.
    StartConfiguration = 0x0007_0000,
    /// The random force on an external that moves, such as a tip. i: its place among those of the stage.
    ExternalForce = 0x0008_0000,
    /// Tests and benchmarks, never simulations.
    Test = 0x00ff_0000,
}

impl Purpose {
    /// Every purpose, in ascending order of its value.
    pub const ALL: &[Self] = &[
        Self::ThermalForce,
        Self::InitialVelocity,
        Self::MonteCarloMove,
        Self::ReplicaExchange,
        Self::GeneratorState,
        Self::PairThermostat,
        Self::StartConfiguration,
        Self::ExternalForce,
        Self::Test,
    ];

    /// The number that enters the key.
    pub const fn value(self) -> u32 {
        self as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_frozen() {
        let values: Vec<u32> = Purpose::ALL.iter().map(|purpose| purpose.value()).collect();
        assert_eq!(
            values,
            [0x10000, 0x20000, 0x30000, 0x40000, 0x50000, 0x60000, 0x70000, 0x80000, 0xff0000]
        );
    }

    #[test]
    fn values_are_distinct_and_all_are_listed() {
        assert!(Purpose::ALL.windows(2).all(|pair| pair[0].value() < pair[1].value()));
        // A new purpose does not compile until it is added here, to the count below and to the list.
        let listed = |purpose: &Purpose| match purpose {
            Purpose::ThermalForce
            | Purpose::InitialVelocity
            | Purpose::MonteCarloMove
            | Purpose::ReplicaExchange
            | Purpose::GeneratorState
            | Purpose::PairThermostat
            | Purpose::StartConfiguration
            | Purpose::ExternalForce
            | Purpose::Test => 1,
        };
        assert_eq!(Purpose::ALL.iter().map(listed).sum::<usize>(), 9);
    }
}
