//! Conversion of units: the input has units such as `"35 pN/nm"`; the engine uses Å, kcal/mol and ps.
//!
//! A quantity keeps the text it was written as, because a value that was converted there and back may differ in its
//! last bit, and so may the whole trajectory.

mod constants;
mod dimension;
mod expression;
mod quantity;

pub use constants::{
    ANGSTROMS_PER_NANOMETRE, BAR_PER_PRESSURE, BEADS_PER_MOLARITY, BOLTZMANN, COULOMB,
    PICONEWTON_NANOMETRES_PER_KCAL_MOL, PICONEWTONS_PER_FORCE, PICOSECONDS_PER_NANOSECOND,
};
pub use dimension::Dimension;
pub use quantity::{Quantity, beginning_of_long, parse, ratio};

/// The units of a system's numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Units {
    /// Å, kcal/mol, ps and K.
    #[default]
    Real,
    /// The lengths and energies of the model's own parameters, with k_B = 1.
    Reduced,
}

impl Units {
    /// The column of times in tables.
    pub fn time_column(self) -> &'static str {
        match self {
            Units::Real => "time_ns",
            Units::Reduced => "time",
        }
    }

    /// A time as tables have it: in ns, or in units of the system.
    pub fn time_in_tables(self, time: f64) -> f64 {
        match self {
            Units::Real => time / PICOSECONDS_PER_NANOSECOND,
            Units::Reduced => time,
        }
    }

    /// The unit of times behind a number in messages, with a space: ` ps`, or nothing.
    pub fn of_time(self) -> &'static str {
        self.behind(" ps")
    }

    /// The unit of lengths behind a number in messages, with a space: ` A`, or nothing.
    pub fn of_length(self) -> &'static str {
        self.behind(" A")
    }

    /// The unit of energies behind a number in messages, with a space: ` kcal/mol`, or nothing.
    pub fn of_energy(self) -> &'static str {
        self.behind(" kcal/mol")
    }

    /// The unit of forces behind a number in messages, with a space: ` kcal/(mol A)`, or nothing.
    pub fn of_force(self) -> &'static str {
        self.behind(" kcal/(mol A)")
    }

    /// The unit of stiffnesses behind a number in messages, with a space: ` kcal/(mol A^2)`, or nothing.
    pub fn of_stiffness(self) -> &'static str {
        self.behind(" kcal/(mol A^2)")
    }

    /// The unit of temperatures behind a number in messages, with a space: ` K`, or nothing.
    pub fn of_temperature(self) -> &'static str {
        self.behind(" K")
    }

    fn behind(self, real: &'static str) -> &'static str {
        match self {
            Units::Real => real,
            Units::Reduced => "",
        }
    }

    /// The acceleration, Å/ps², of one Da by 1 kcal/(mol Å): 4184 J/mol = 418.4 Da Å²/ps². One in reduced units.
    pub fn acceleration(self) -> f64 {
        match self {
            Units::Real => 418.4,
            Units::Reduced => 1.0,
        }
    }
}
