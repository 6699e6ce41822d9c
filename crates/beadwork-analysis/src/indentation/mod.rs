//! Force and deformation of a body that a tip presses: peaks, slopes, the modulus of Hertz, hysteresis.
//!
//! Lengths are in one unit, forces in another, and work in their product. In nm and pN, slopes are in pN/nm and moduli in
//! MPa, which is pN/nm².

mod cycles;
mod hertz;
mod line;
mod pressed;
#[cfg(test)]
mod tests;

pub use cycles::{Cycle, cycles};
pub use hertz::{Hertz, hertz};
pub use line::{Line, line};
pub use pressed::{Criteria, HertzFit, Peak, Pressed, Slope, analyse};

/// What was recorded of a tip at successive times. All arrays have one length; what is not known is NaN.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Time.
    pub time: Vec<f64>,
    /// The way of the base of the cantilever, which began at 0.
    pub base: Vec<f64>,
    /// The way of the tip since it first came into contact, negative before it; NaN if it never did.
    pub deformation: Vec<f64>,
    /// The first sample at which it was in contact.
    pub contact: Option<usize>,
    /// Force of the cantilever.
    pub force: Vec<f64>,
    /// Force with which the body pushes the tip back.
    pub tip_force: Vec<f64>,
    /// Work that the base has done since it began.
    pub work: Vec<f64>,
    /// Energy of the body.
    pub energy: Vec<f64>,
    /// Contacts that hold in the body.
    pub contacts: Vec<f64>,
    /// Contacts that hold between different parts of the body, such as chains.
    pub contacts_between: Vec<f64>,
}

impl Curve {
    /// The way of the base and its work where a cycle began. A cycle from the first sample on began with the base,
    /// where no sample may lie.
    pub fn beginning(&self, cycle: &Cycle) -> (f64, f64) {
        match cycle.approach.start {
            0 => (0.0, 0.0),
            begin => (self.base[begin], self.work[begin]),
        }
    }
}
