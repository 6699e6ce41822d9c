//! Conformations from the frames of a stage.

use beadwork_analysis::average::Average;
use beadwork_analysis::conformations::{ContactMap, InternalDistances, Scaling};
use beadwork_input::TrajectoryKind;
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_session::Error;
use rayon::prelude::*;

use crate::frames;
use crate::rows::{BegunMember, PointMembers};

/// Residues nearer than this, nm, are in contact: the first shell around a residue of 0.5 to 0.65 nm.
pub(super) const CONTACT_REACH: f64 = 0.8;
/// The most pairs of beads that are measured, over all frames of a point.
const MOST_PAIRS: usize = 2_000_000_000;
/// Larger systems have no contact map.
const MOST_BEADS: usize = 2_000;

/// The conformations of one chain.
#[derive(Clone, Debug)]
pub(super) struct Conformations {
    /// Distances of the blocks of successive frames of each replica.
    pub blocks: Vec<Vec<InternalDistances>>,
    /// `None` for points beyond those that have a map.
    pub contacts: Option<ContactMap>,
}

impl Conformations {
    /// ν and R₀ of the chain with their errors, by leaving out each block of frames in turn.
    pub fn scaling(&self) -> Option<[Average; 2]> {
        let all = self.distances()?;
        let found = all.scaling()?;
        let without = |block: &InternalDistances| {
            let mut others = all.clone();
            others.remove(block);
            others.scaling()
        };
        let of_replica = |blocks: &Vec<InternalDistances>| blocks.iter().map(without).collect();
        let left_out: Option<Vec<Vec<Scaling>>> = self.blocks.iter().map(of_replica).collect();
        let estimate = |value: f64, of: fn(&Scaling) -> f64| {
            let left_out =
                left_out.as_ref().filter(|_| self.blocks.iter().map(Vec::len).sum::<usize>() > 1);
            let of_replica = |replica: &Vec<Scaling>| replica.iter().map(of).collect();
            let left_out: Option<Vec<Vec<f64>>> =
                left_out.map(|replicas| replicas.iter().map(of_replica).collect());
            let alone = Average { mean: value, error: None, independent: 1.0, is_known: false };
            left_out.and_then(|left_out| Average::jackknife(value, &left_out)).unwrap_or(alone)
        };
        Some([
            estimate(found.exponent, |scaling| scaling.exponent),
            estimate(found.prefactor, |scaling| scaling.prefactor),
        ])
    }

    /// The distances of all frames.
    pub fn distances(&self) -> Option<InternalDistances> {
        let mut blocks = self.blocks.iter().flatten();
        let mut all = blocks.next()?.clone();
        blocks.for_each(|block| all.merge(block));
        Some(all)
    }
}

/// Reads the frames of a stage, and says why conformations are missing or incomplete. A map of contacts has a number for each two
/// residues, so contacts are counted only `with_contacts`.
pub(super) fn read(
    of_point: &PointMembers<'_>,
    stage: usize,
    with_contacts: bool,
) -> Result<(Option<Conformations>, Vec<String>), Error> {
    let system = &of_point.point.system;
    let beads = system.beads();
    let Some((_, kind)) = of_point.request.output.trajectory else {
        let note = "there is no trajectory, so that scaling exponent and contacts are unknown: write trajectory = { every_steps = … } in [output]";
        return Ok((None, vec![note.to_string()]));
    };
    if system.particles.molecule_starts().count() != 1 || beads > MOST_BEADS {
        let note = format!(
            "scaling exponent and contacts are computed only for a single chain of at most {MOST_BEADS} residues"
        );
        return Ok((None, vec![note]));
    }
    let one = |member: &BegunMember<'_>| -> Result<Option<Conformations>, Error> {
        let Some(chosen) = frames::of_stage(of_point, member, stage)? else { return Ok(None) };
        let replicas = of_point.members.len();
        let pairs = beads * beads * chosen.len() * replicas / 2;
        let stride = pairs.div_ceil(MOST_PAIRS).max(1);
        let chosen: Vec<usize> = chosen.into_iter().step_by(stride).collect();
        let contacts = with_contacts.then(|| ContactMap::new(beads, CONTACT_REACH));
        let blocks = frames::BLOCKS.div_ceil(replicas).min(chosen.len());
        let blocks = vec![vec![InternalDistances::new(beads); blocks]];
        of_frames(member, kind, beads, &chosen, Conformations { blocks, contacts }).map(Some)
    };
    // Joined while they are read, so that few contact maps are in memory. The order of the blocks is that of the members.
    let joined = |all: Option<Conformations>, more: Option<Conformations>| match (all, more) {
        (Some(mut all), Some(more)) => {
            all.blocks.extend(more.blocks);
            if let (Some(all), Some(more)) = (&mut all.contacts, &more.contacts) {
                all.merge(more);
            }
            Ok(Some(all))
        }
        (all, more) => Ok(all.or(more)),
    };
    let all = of_point.members.par_iter().map(one).try_reduce(|| None, joined)?;
    let all = all.filter(|all| all.blocks.iter().any(|blocks| !blocks.is_empty()));
    let note = || {
        format!(
            "no replica has frames of {}, so that scaling exponent and contacts are unknown",
            of_point.stage_in_words()
        )
    };
    let notes = if all.is_none() { vec![note()] } else { Vec::new() };
    Ok((all, notes))
}

/// Adds the chosen frames of a member to `found`, which has its blocks without frames.
fn of_frames(
    member: &BegunMember<'_>,
    kind: TrajectoryKind,
    beads: usize,
    chosen: &[usize],
    mut found: Conformations,
) -> Result<Conformations, Error> {
    let blocks = found.blocks[0].len();
    frames::read(member, kind, chosen, |place, positions| {
        if positions.len() == beads {
            let nanometres = |position: &[f64; 3]| position.map(|x| x / ANGSTROMS_PER_NANOMETRE);
            let positions: Vec<[f64; 3]> = positions.iter().map(nanometres).collect();
            found.blocks[0][place * blocks / chosen.len()].add(&positions);
            if let Some(contacts) = &mut found.contacts {
                contacts.add(&positions);
            }
        }
    })?;
    found.blocks[0].retain(|block| block.frames() > 0);
    Ok(found)
}
