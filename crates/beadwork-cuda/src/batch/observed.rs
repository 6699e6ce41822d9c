//! The part of a launch that measures its samples (`crate::observables`).

use crate::batch::records::Number;
use crate::batch::{Batch, BatchMember, Entry};
use crate::observables::{Arrays, ObservedMember};
use crate::tables::TableCache;
use crate::{Device, Error, Stream};

/// Bytes of a bead's position without wrap-around.
const UNWRAPPED: usize = size_of::<[f64; 3]>();

impl<T: Number> Batch<T> {
    /// Adds what kernels need to measure all samples. Call it before [`Batch::locate`].
    pub fn observe(
        &mut self,
        device: &Device,
        stream: &Stream,
        cache: &mut TableCache<T>,
        entries: &[Entry],
        members: &[BatchMember<'_, T>],
    ) -> Result<(), Error> {
        for (entry, member) in entries.iter().zip(&self.members) {
            let tables = cache.observed_of(device, stream, entry.table)?;
            self.observed_counts = self.observed_counts.max(tables.counts());
            // An offset until the batch is located.
            let workspace = self.workspace_bytes as u64;
            self.workspace_bytes += member.segments as usize * tables.sample_bytes();
            self.observed.push(ObservedMember {
                system: tables.address(),
                positions: 0,
                velocities: 0,
                images: self.arena.add(members[entry.member].view.images),
                crossings: 0,
                unwrapped: 0,
                workspace,
                first_sample: member.first_sample,
                samples: member.segments,
            });
        }
        Ok(())
    }

    /// The bytes that measuring needs beyond the output.
    pub(super) fn observing_bytes(&self) -> usize {
        self.unwrapped_bytes() + self.workspace_bytes
    }

    fn unwrapped_bytes(&self) -> usize {
        let unwraps = self.boxed && !self.observed.is_empty();
        if unwraps { self.sampled.beads * UNWRAPPED } else { 0 }
    }

    /// Converts the offsets of what kernels measure to device addresses: those of `locate`, and of memory at `more`.
    pub(super) fn locate_observed(&mut self, base: u64, more: u64) {
        let workspaces = more + self.unwrapped_bytes() as u64;
        let members = self.members.iter().zip(&self.sampled_before);
        for (observed, (member, before)) in self.observed.iter_mut().zip(members) {
            observed.positions = member.sample_positions;
            observed.velocities = member.sample_velocities;
            observed.crossings = member.sample_crossings;
            observed.images += base;
            observed.unwrapped = more + (before.beads * UNWRAPPED) as u64;
            observed.workspace += workspaces;
        }
    }

    /// The arrays of measurements, after [`Batch::locate`] returned `base`; their members are at `members`.
    pub fn observed_arrays(&self, base: u64, members: u64) -> Arrays {
        let back = base + self.output.begin as u64;
        Arrays {
            members,
            observed: back + self.output.observed as u64,
            outcomes: back + self.output.outcomes as u64,
        }
    }
}
