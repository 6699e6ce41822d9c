//! A system's interactions pair by pair, and where each half of a pair is written for its bead.

use beadwork_model::potentials::{FeneBond, HarmonicBond, NativeContact, convert};
use beadwork_model::{Pair, System};

use crate::arena::Arena;
use crate::layout::{self, LANES, Number, PairSeat, Pairs};
use crate::{Buffer, Device, Error, Stream};

/// Pairs of the terms that have tables. Row k of a place is the half at k · places + place; the rows of a term follow
/// those of the term before, and at each place they ascend by partner, as the pairs do.
#[derive(Debug)]
pub struct PairTables {
    pub fene: (Pairs, u32),
    pub harmonic: (Pairs, u32),
    pub contacts: (Pairs, u32),
    /// Rows before those of harmonic bonds, of contacts and of the repulsion.
    pub rows: [u32; 3],
    _data: Buffer<u8>,
}

impl PairTables {
    pub fn new<T: Number>(
        device: &Device,
        stream: &Stream,
        system: &System,
    ) -> Result<PairTables, Error> {
        let beads = system.beads();
        let all = &system.interactions;
        let fene_bonds = all.bonded_by::<FeneBond>();
        let harmonic_bonds = all.bonded_by::<HarmonicBond>();
        let native_contacts = all.bonded_by::<NativeContact>();
        let mut arena = Arena::default();
        let zero = T::from_f64(0.0);
        let (seats, harmonic_row) = seats(beads, 0, fene_bonds);
        let parameters: Vec<_> = fene_bonds
            .iter()
            .enumerate()
            .map(|(number, pair)| {
                let FeneBond { stiffness, limit, length } =
                    convert::<T, FeneBond<T>>(pair.potential);
                let (partner, number) = (pair.j as u32, number as u32);
                layout::FeneBond { partner, number, stiffness, limit, length, padding: [zero; 3] }
            })
            .collect();
        let mut fene = place(&mut arena, &seats, &parameters);
        let (seats, contact_row) = self::seats(beads, harmonic_row, harmonic_bonds);
        let parameters: Vec<_> = harmonic_bonds
            .iter()
            .map(|pair| {
                let HarmonicBond { stiffness, length } =
                    convert::<T, HarmonicBond<T>>(pair.potential);
                layout::HarmonicBond { partner: pair.j as u32, padding: 0, stiffness, length }
            })
            .collect();
        let mut harmonic = place(&mut arena, &seats, &parameters);
        let (seats, repulsion_row) = self::seats(beads, contact_row, native_contacts);
        let parameters: Vec<_> = native_contacts
            .iter()
            .map(|pair| {
                let NativeContact { depth, length } =
                    convert::<T, NativeContact<T>>(pair.potential);
                layout::NativeContact {
                    partner: pair.j as u32,
                    padding: 0,
                    scale: T::from_f64(12.0) * depth,
                    square_length: length * length,
                }
            })
            .collect();
        let mut contacts = place(&mut arena, &seats, &parameters);
        let data = arena.upload(device, stream)?;
        for (pairs, _) in [&mut fene, &mut harmonic, &mut contacts] {
            pairs.seats += data.address();
            pairs.parameters += data.address();
        }
        let rows = [harmonic_row, contact_row, repulsion_row];
        Ok(PairTables { fene, harmonic, contacts, rows, _data: data })
    }
}

/// Where the halves of each pair go, from row `first` on; and the row after the last one.
fn seats<P>(beads: usize, first: u32, pairs: &[Pair<P>]) -> (Vec<PairSeat>, u32) {
    let places = LANES * beads;
    let mut counts = vec![0_u32; places];
    let mut slot = |bead: usize, partner: usize| {
        let place = LANES * bead + partner % LANES;
        let row = first + counts[place];
        counts[place] += 1;
        row * places as u32 + place as u32
    };
    let seats = pairs
        .iter()
        .map(|pair| PairSeat {
            i: pair.i as u32,
            j: pair.j as u32,
            slot_i: slot(pair.i, pair.j),
            slot_j: slot(pair.j, pair.i),
        })
        .collect();
    (seats, first + counts.iter().max().copied().unwrap_or(0))
}

fn place<E: bytemuck::Pod>(
    arena: &mut Arena,
    seats: &[PairSeat],
    parameters: &[E],
) -> (Pairs, u32) {
    let count = seats.len() as u32;
    (Pairs { seats: arena.place(seats), parameters: arena.place(parameters) }, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_ascend_by_partner_at_each_place() {
        let pair = |i, j| Pair { i, j, potential: () };
        // Bead 0 has partners 1 and 5 in one partial sum, bead 5 has 0 and 4 in another.
        let (seats, next) = seats(6, 2, &[pair(0, 1), pair(0, 5), pair(4, 5)]);
        let slots: Vec<_> = seats.iter().map(|seat| (seat.slot_i, seat.slot_j)).collect();
        let (row, places) = (|k: u32| k * 24, 24);
        assert_eq!(places, LANES * 6);
        assert_eq!(
            slots,
            [(row(2) + 1, row(2) + 4), (row(3) + 1, row(2) + 20), (row(2) + 17, row(3) + 20)]
        );
        assert_eq!(next, 4);
    }
}
