//! The trajectory of a member in one of the formats.

use std::path::Path;

use beadwork_cpu::Member;
use beadwork_io::{
    Error, FrameFormat, GsdBeads, GsdTerms, GsdWriter, Rewritten, TrajectoryHeader,
    TrajectoryPosition, TrajectoryWriter,
};
use beadwork_model::System;
use beadwork_model::potentials::angle::AngleTerm;
use beadwork_model::potentials::bonded::BondedTerm;

use crate::plan::MemberPlan;

#[derive(Debug)]
pub enum TrajectoryFile {
    Positions(TrajectoryWriter),
    Gsd(Box<GsdWriter>),
}

impl TrajectoryFile {
    /// Creates a trajectory; `output` is the interval between frames and their format.
    pub fn create(
        path: &Path,
        member: &MemberPlan,
        output: (u64, FrameFormat),
    ) -> Result<TrajectoryFile, Error> {
        Ok(match output.1 {
            FrameFormat::Gsd => {
                TrajectoryFile::Gsd(Box::new(GsdWriter::create(path, beads_of(member))?))
            }
            FrameFormat::Positions(format) => TrajectoryFile::Positions(TrajectoryWriter::create(
                path,
                format,
                member.system.beads(),
                header(member, output.0),
            )?),
        })
    }

    /// Continues a trajectory after `position`; later frames are cut off.
    pub fn reopen(
        path: &Path,
        member: &MemberPlan,
        output: (u64, FrameFormat),
        position: TrajectoryPosition,
    ) -> Result<TrajectoryFile, Error> {
        Ok(match output.1 {
            FrameFormat::Gsd => {
                let writer = GsdWriter::reopen(path, beads_of(member), position)?;
                TrajectoryFile::Gsd(Box::new(writer))
            }
            FrameFormat::Positions(format) => TrajectoryFile::Positions(TrajectoryWriter::reopen(
                path,
                format,
                member.system.beads(),
                header(member, output.0),
                position,
            )?),
        })
    }

    /// The parts that are overwritten in a trajectory that ends at `position`.
    pub fn rewritten(
        path: &Path,
        member: &MemberPlan,
        output: (u64, FrameFormat),
        position: TrajectoryPosition,
    ) -> Result<Vec<Rewritten>, Error> {
        match output.1 {
            FrameFormat::Gsd => GsdWriter::rewritten(path, &beads_of(member), position),
            FrameFormat::Positions(format) => TrajectoryWriter::rewritten(
                path,
                format,
                member.system.beads(),
                &header(member, output.0),
                position.frames,
            ),
        }
    }

    pub fn write_frame(&mut self, member: &Member) -> Result<(), Error> {
        let (step, positions) = (member.step_number(), member.positions());
        match self {
            TrajectoryFile::Positions(file) => file.write_frame(step, member.time(), &positions),
            TrajectoryFile::Gsd(file) => {
                file.write_frame(step, &positions, &member.velocities().unwrap_or_default())
            }
        }
    }

    pub fn position(&self) -> TrajectoryPosition {
        match self {
            TrajectoryFile::Positions(file) => file.position(),
            TrajectoryFile::Gsd(file) => file.position(),
        }
    }

    pub fn sync(&mut self) -> Result<(), Error> {
        match self {
            TrajectoryFile::Positions(file) => file.sync(),
            TrajectoryFile::Gsd(file) => file.sync(),
        }
    }
}

fn beads_of(member: &MemberPlan) -> GsdBeads {
    gsd_beads(&member.system, member.protocol.dynamics.integrator.has_velocities())
}

fn header(member: &MemberPlan, every: u64) -> TrajectoryHeader {
    TrajectoryHeader {
        first_step: 0,
        steps_between_frames: every,
        timestep_ps: member.protocol.dynamics.timestep,
        sides: member.system.boundary.sides(),
    }
}

/// Whether the trajectory of a member can hold its start; `output` is the interval between frames and their format.
///
/// # Errors
/// A number of beads, a step or a coordinate that the format cannot express.
pub fn check_trajectory(
    path: &Path,
    member: &MemberPlan,
    output: (u64, FrameFormat),
) -> Result<(), Error> {
    match output.1 {
        FrameFormat::Gsd => GsdWriter::check(path, member.system.boundary.sides(), &member.start),
        FrameFormat::Positions(format) => {
            TrajectoryWriter::check(path, format, header(member, output.0), &member.start)
        }
    }
}

/// The beads of a system as frames of GSD files have them.
pub fn gsd_beads(system: &System, has_velocities: bool) -> GsdBeads {
    let particles = &system.particles;
    // Types that differ in their charge alone may share a name, and are one type of the file.
    let mut type_names: Vec<String> = Vec::new();
    let numbers: Vec<u32> = system
        .types
        .iter()
        .map(|kind| {
            let known = type_names.iter().position(|name| *name == kind.name);
            known.unwrap_or_else(|| {
                type_names.push(kind.name.clone());
                type_names.len() - 1
            }) as u32
        })
        .collect();
    type_names.extend(system.types_without_beads.iter().cloned());
    let all = &system.interactions;
    let pairs = |term: &BondedTerm| {
        let pairs = term.pairs().into_iter().map(|(i, j)| [i, j]);
        (term.name(), pairs.collect::<Vec<_>>())
    };
    let triples = |term: &AngleTerm| (term.name(), term.triples());
    let angles: Vec<_> = all.angles.iter().map(triples).collect();
    let of_term = |((_, triples), kind): (&(_, Vec<_>), &u32)| vec![*kind; triples.len()];
    let angle_types: Vec<u32> = angles.iter().zip(&all.angle_types).flat_map(of_term).collect();
    GsdBeads {
        types: particles.types.iter().map(|&kind| numbers[usize::from(kind)]).collect(),
        type_names,
        masses: system.masses(0..system.beads()).map(|mass| mass as f32).collect(),
        charges: (0..system.beads()).map(|bead| particles.charge(bead)).collect(),
        bonds: gsd_terms(all.bonded.iter().map(pairs), &all.bond_types),
        angles: gsd_terms(angles.into_iter(), &angle_types),
        sides: system.boundary.sides(),
        has_velocities,
    }
}

/// Terms with the type of each of their groups of beads, or each term as a type if there are no types. A type is named after the
/// formula of its first group; types that have none are named by their numbers, from 1.
fn gsd_terms<const N: usize>(
    terms: impl Iterator<Item = (&'static str, Vec<[usize; N]>)>,
    given: &[u32],
) -> GsdTerms<N> {
    let mut all = GsdTerms::default();
    let mut formulas: Vec<Option<&'static str>> = Vec::new();
    for (term, (name, beads)) in terms.enumerate() {
        for group in beads {
            let kind = given.get(all.types.len()).copied().unwrap_or(term as u32);
            let place = kind as usize;
            formulas.resize(formulas.len().max(place + 1), None);
            formulas[place].get_or_insert(name);
            all.types.push(kind);
            all.beads.push(group.map(|bead| bead as u32));
        }
    }
    for (number, formula) in formulas.iter().enumerate() {
        let before = formulas[..number].iter().filter(|other| *other == formula).count();
        all.type_names.push(match (formula, before) {
            (None, _) => (number + 1).to_string(),
            (Some(name), 0) => (*name).to_string(),
            (Some(name), _) => format!("{name}_{}", before + 1),
        });
    }
    all
}
