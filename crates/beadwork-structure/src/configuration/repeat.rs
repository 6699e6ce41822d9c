//! Copies of a box side by side.

use std::collections::HashMap;

use super::Configuration;
use crate::label::Name;

impl Configuration {
    /// This many copies along each axis of the box and its beads, as one configuration in a larger box; `None` if the file has no
    /// box. The beads of a copy follow those of the one before, first along x, then y, then z. Bonds and angles join beads of
    /// one copy. Positions are those that [`Configuration::images`] say, and the result has no images.
    pub fn repeated(&self, copies: [usize; 3]) -> Option<Configuration> {
        let bounds = self.bounds?;
        let sides = bounds.map(|[low, high]| high - low);
        let (beads, count) = (self.len(), copies.iter().product::<usize>());
        let shifts: Vec<[f64; 3]> = (0..count)
            .map(|copy| {
                let [x, y] = [copies[0], copies[1]];
                let at = [copy % x, copy / x % y, copy / (x * y)];
                [0, 1, 2].map(|axis| at[axis] as f64 * sides[axis])
            })
            .collect();
        let mut all = Configuration {
            positions: shifts
                .iter()
                .flat_map(|shift| {
                    self.positions.iter().map(move |at| [0, 1, 2].map(|k| at[k] + shift[k]))
                })
                .collect(),
            velocities: self.velocities.as_ref().map(|one| one.repeat(count)),
            images: None,
            types: self.types.repeat(count),
            charges: self.charges.as_ref().map(|one| one.repeat(count)),
            labels: self.labels.repeat(count),
            bounds: Some(
                [0, 1, 2].map(|k| [bounds[k][0], bounds[k][0] + copies[k] as f64 * sides[k]]),
            ),
            bonds: (0..count)
                .flat_map(|copy| {
                    self.bonds
                        .iter()
                        .map(move |&(pair, kind)| (pair.map(|bead| bead + copy * beads), kind))
                })
                .collect(),
            angles: (0..count)
                .flat_map(|copy| {
                    self.angles
                        .iter()
                        .map(move |&(triple, kind)| (triple.map(|bead| bead + copy * beads), kind))
                })
                .collect(),
            dihedrals: self.dihedrals * count,
            impropers: self.impropers * count,
            ..self.clone()
        };
        all.positions.iter_mut().enumerate().for_each(|(bead, position)| {
            let image = self.images.as_ref().map_or([0; 3], |images| images[bead % beads]);
            (0..3).for_each(|k| position[k] += f64::from(image[k]) * sides[k]);
        });
        all.number_molecules(self.molecules.as_deref(), count);
        Some(all)
    }

    /// Gives the molecules of each copy numbers of their own, and their chains where these are named by the number. 0 stays none.
    fn number_molecules(&mut self, of_one: Option<&[u32]>, count: usize) {
        let Some(of_one) = of_one else { return };
        let most = of_one.iter().copied().max().unwrap_or(0);
        let mut names: HashMap<u32, [Name; 2]> = HashMap::new();
        let mut numbers = Vec::with_capacity(of_one.len() * count);
        for copy in 0..count as u32 {
            let number =
                |molecule: &u32| if *molecule == 0 { 0 } else { molecule + copy * (most + 1) };
            numbers.extend(of_one.iter().map(number));
        }
        for ((label, &new), &old) in self.labels.iter_mut().zip(&numbers).zip(of_one.iter().cycle())
        {
            let named = |number: u32| Name::from(&*number.to_string());
            let [old, new] = *names.entry(new).or_insert_with(|| [named(old), named(new)]);
            if label.chain == old {
                label.chain = new;
            }
        }
        self.molecules = Some(numbers);
    }
}
