//! How many molecules there are: as many as the input says, or as a density and a box have room for.

use super::molecule::Molecule;
use crate::error::{BAD_VALUE, Error};
use crate::numbers::Bound;
use crate::section::Section;

/// Fractions add up to 1 within this.
const ROUNDING: f64 = 1e-6;

/// A molecule, and how many of it there are.
pub(super) struct MoleculeAmount {
    pub molecule: Molecule,
    amount: Amount,
}

#[derive(Clone, Copy)]
enum Amount {
    Count(u64),
    /// The share of its beads in all beads.
    Fraction(f64),
}

impl MoleculeAmount {
    /// Reads the amount: a count, or a fraction where density and box say how many beads there are.
    pub fn read(
        section: &mut Section<'_>,
        molecule: Molecule,
        is_filled: bool,
        is_only: bool,
    ) -> Result<MoleculeAmount, Error> {
        let amount = if is_filled {
            let because = "density and `box` say how many beads there are: leave out one of the three, or write the `fraction` of beads of each molecule";
            section.exclude(&["count"], because)?;
            match section.number("fraction", Bound::Positive)? {
                Some(fraction) => Amount::Fraction(fraction),
                None if is_only => Amount::Fraction(1.0),
                None => return Err(section.missing("fraction", "0.1")),
            }
        } else {
            let because = "it is a share of the beads that `density` and three sides of `box` have room for: give both, or a `count`";
            section.exclude(&["fraction"], because)?;
            Amount::Count(section.integer_or("count", 1, 1)?.value)
        };
        Ok(MoleculeAmount { molecule, amount })
    }

    /// The number of molecules, if it is given.
    pub fn count(&self) -> Option<u64> {
        match self.amount {
            Amount::Count(count) => Some(count),
            Amount::Fraction(_) => None,
        }
    }

    fn fraction(&self) -> f64 {
        match self.amount {
            Amount::Count(_) => 0.0,
            Amount::Fraction(fraction) => fraction,
        }
    }
}

/// The beads of all molecules.
pub(super) fn beads(parts: &[MoleculeAmount], counts: &[u64]) -> u64 {
    let beads = |(part, count): (&MoleculeAmount, &u64)| {
        count.saturating_mul(part.molecule.types.len() as u64)
    };
    parts.iter().zip(counts).map(beads).fold(0, u64::saturating_add)
}

/// The numbers of molecules that come nearest to a density, with the fractions of their beads.
pub(super) fn of_density(
    section: &Section<'_>,
    parts: &[MoleculeAmount],
    density: f64,
    sides: [f64; 3],
) -> Result<Vec<u64>, Error> {
    let sum: f64 = parts.iter().map(MoleculeAmount::fraction).sum();
    if (sum - 1.0).abs() > ROUNDING {
        let problem = format!("the fractions add up to {sum}, and must add up to 1");
        return Err(section.place.error(BAD_VALUE, format!("{}: {problem}", section.name)));
    }
    let room = density * sides.iter().product::<f64>();
    let count = |part: &MoleculeAmount| {
        let molecules = part.fraction() * room / part.molecule.types.len() as f64;
        let count = molecules.round();
        if count < 1.0 {
            let [share, remedy] = match parts {
                [_] => [String::new(), " or a higher density".to_string()],
                _ => [
                    format!(" with the fraction {}", part.fraction()),
                    ", a higher density or a larger `fraction`".to_string(),
                ],
            };
            let problem = format!(
                "cannot be built: in this box there is room for {molecules:.2} of a molecule of {} beads{share}; take a larger box{remedy}",
                part.molecule.types.len()
            );
            return Err(section.fault(BAD_VALUE, "density", &problem));
        }
        // Beyond the range of integers the cast saturates, and there is no memory for so many.
        Ok(count as u64)
    };
    parts.iter().map(count).collect()
}
