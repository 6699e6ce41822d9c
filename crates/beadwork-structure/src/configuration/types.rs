//! The types of beads, collected bead by bead.

use std::collections::HashMap;

/// Types in the order of their first beads.
#[derive(Default)]
pub(super) struct Types {
    pub names: Vec<String>,
    pub masses: Vec<Option<f64>>,
    numbers: HashMap<String, u16>,
}

impl Types {
    /// The number of the type with this name.
    pub(super) fn number(&mut self, name: &str) -> Result<u16, String> {
        if let Some(&number) = self.numbers.get(name) {
            return Ok(number);
        }
        let number = checked_number(self.names.len())?;
        self.names.push(name.to_owned());
        self.masses.push(None);
        self.numbers.insert(name.to_owned(), number);
        Ok(number)
    }

    /// Says that `bead`, counted from 0, has this type and this mass.
    pub(super) fn set_mass(&mut self, number: u16, mass: f64, bead: usize) -> Result<(), String> {
        let known = &mut self.masses[usize::from(number)];
        check_mass(mass)?;
        match *known {
            Some(other) if other != mass => Err(format!(
                "bead {} of type {} has the mass {mass}, but those before it have {other}; beads of one type have one \
                 mass, so give beads of another mass a type of their own",
                bead,
                self.names[usize::from(number)]
            )),
            _ => {
                *known = Some(mass);
                Ok(())
            }
        }
    }
}

/// The index of a type as a number of 16 bits.
pub(super) fn checked_number(index: usize) -> Result<u16, String> {
    let most = usize::from(u16::MAX) + 1;
    u16::try_from(index).map_err(|_| format!("there are more than {most} types of beads"))
}

pub(super) fn check_mass(mass: f64) -> Result<(), String> {
    if mass > 0.0 { Ok(()) } else { Err(format!("the mass {mass} is not above zero")) }
}
