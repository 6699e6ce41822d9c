//! Molecule numbers of LAMMPS data files, where 0 means that an atom has none.

/// Gives atoms without a number one: those that bonds connect are a molecule, which is that of an atom with a number if
/// such an atom is among them. `None` if no atom has a number, as in a file without them.
pub(super) fn without_zeros(
    mut molecules: Vec<u32>,
    bonds: &[([usize; 2], u32)],
) -> Option<Vec<u32>> {
    if molecules.iter().all(|number| *number == 0) {
        return None;
    }
    if !molecules.contains(&0) {
        return Some(molecules);
    }
    let mut neighbours = vec![Vec::new(); molecules.len()];
    for &([one, other], _) in bonds {
        neighbours[one].push(other);
        neighbours[other].push(one);
    }
    let mut used = molecules.clone();
    used.sort_unstable();
    used.dedup();
    let last = used.last().copied().unwrap_or_default();
    let above = last.saturating_add(1)..=u32::MAX;
    let mut free = above.chain(1..last).filter(|number| used.binary_search(number).is_err());
    for first in 0..molecules.len() {
        if molecules[first] != 0 {
            continue;
        }
        let new = free.next()?;
        molecules[first] = new;
        let mut group = vec![first];
        let mut of_file: Option<u32> = None;
        let mut place = 0;
        while let Some(&atom) = group.get(place) {
            for &other in &neighbours[atom] {
                if molecules[other] == 0 {
                    molecules[other] = new;
                    group.push(other);
                } else if molecules[other] != new {
                    let least =
                        of_file.map_or(molecules[other], |known| known.min(molecules[other]));
                    of_file = Some(least);
                }
            }
            place += 1;
        }
        if let Some(number) = of_file {
            group.into_iter().for_each(|atom| molecules[atom] = number);
        }
    }
    Some(molecules)
}
