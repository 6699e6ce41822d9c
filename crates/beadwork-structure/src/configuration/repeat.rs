//! Copies of a box side by side.

use std::collections::HashMap;

use super::Configuration;
use crate::label::Name;

impl Configuration {
    /// This many copies along each axis of the box and its beads, as one configuration in a larger box; `None` if the file has no
    /// box. The beads of a copy follow those of the one before, first along x, then y, then z. Bonds and angles join beads of one
    /// copy. Positions are [`Configuration::unwrapped`], and the result has no images. Molecules are numbered anew from 1, in the
    /// order of their first beads.
    pub fn repeated(&self, copies: [usize; 3]) -> Option<Configuration> {
        let bounds = self.bounds?;
        let sides = bounds.map(|[low, high]| high - low);
        let (beads, count) = (self.len(), copies.iter().product::<usize>());
        let [along_x, along_y, _] = copies;
        let place =
            |copy: usize| [copy % along_x, copy / along_x % along_y, copy / (along_x * along_y)];
        let one = self.unwrapped();
        let positions = (0..count).flat_map(|copy| {
            let shift = [0, 1, 2].map(|axis| place(copy)[axis] as f64 * sides[axis]);
            one.iter().map(move |at| [0, 1, 2].map(|axis| at[axis] + shift[axis]))
        });
        let mut all = Configuration {
            positions: positions.collect(),
            velocities: self.velocities.as_ref().map(|one| one.repeat(count)),
            images: None,
            types: self.types.repeat(count),
            charges: self.charges.as_ref().map(|one| one.repeat(count)),
            labels: self.labels.repeat(count),
            bounds: Some(
                [0, 1, 2].map(|k| [bounds[k][0], bounds[k][0] + copies[k] as f64 * sides[k]]),
            ),
            bonds: repeated(&self.bonds, beads, count),
            angles: repeated(&self.angles, beads, count),
            dihedrals: self.dihedrals * count,
            impropers: self.impropers * count,
            ..self.clone()
        };
        if let Some(molecules) = &self.molecules {
            all.number_molecules(molecules, count);
        }
        Some(all)
    }

    /// Gives the molecules of each copy numbers of their own, and new names to chains that are named by the numbers `of_one`. No
    /// molecule stays none.
    fn number_molecules(&mut self, of_one: &[u32], count: usize) {
        let mut ranks = HashMap::new();
        for &molecule in of_one.iter().filter(|&&molecule| Some(molecule) != self.no_molecule) {
            let next = ranks.len() as u32 + 1;
            ranks.entry(molecule).or_insert(next);
        }
        let each = ranks.len() as u32;
        let none = self.no_molecule.unwrap_or_default();
        let number =
            |copy: u32, molecule: &u32| ranks.get(molecule).map_or(none, |rank| copy * each + rank);
        let numbers: Vec<u32> = (0..count as u32)
            .flat_map(|copy| of_one.iter().map(move |molecule| (copy, molecule)))
            .map(|(copy, molecule)| number(copy, molecule))
            .collect();
        let named = |number: u32| Name::from(&*number.to_string());
        for ((label, &new), &old) in self.labels.iter_mut().zip(&numbers).zip(of_one.iter().cycle())
        {
            if label.chain == named(old) {
                label.chain = named(new);
            }
        }
        self.molecules = Some(numbers);
    }
}

/// Bonds or angles of each copy of so many beads.
fn repeated<const N: usize>(
    one: &[([usize; N], u32)],
    beads: usize,
    count: usize,
) -> Vec<([usize; N], u32)> {
    let of_copy = |copy: usize| {
        one.iter().map(move |&(group, kind)| (group.map(|bead| bead + copy * beads), kind))
    };
    (0..count).flat_map(of_copy).collect()
}
