//! The trajectory of a member in one of the formats.

use std::path::Path;

use beadwork_cpu::Member;
use beadwork_io::{
    Error, FrameFormat, GsdBeads, GsdTerms, GsdWriter, Rewritten, TrajectoryPosition,
    TrajectoryTiming, TrajectoryWriter,
};
use beadwork_model::potentials::angle::AngleTerm;
use beadwork_model::potentials::bonded::BondedTerm;
use beadwork_model::{Boundary, System};

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
                TrajectoryFile::Gsd(Box::new(GsdWriter::create(path, gsd_beads(member))?))
            }
            FrameFormat::Positions(format) => TrajectoryFile::Positions(TrajectoryWriter::create(
                path,
                format,
                member.system.beads(),
                timing(member, output.0),
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
                let writer = GsdWriter::reopen(path, gsd_beads(member), position)?;
                TrajectoryFile::Gsd(Box::new(writer))
            }
            FrameFormat::Positions(format) => TrajectoryFile::Positions(TrajectoryWriter::reopen(
                path,
                format,
                member.system.beads(),
                timing(member, output.0),
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
            FrameFormat::Gsd => GsdWriter::rewritten(path, &gsd_beads(member), position),
            FrameFormat::Positions(format) => TrajectoryWriter::rewritten(
                path,
                format,
                member.system.beads(),
                &timing(member, output.0),
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

fn timing(member: &MemberPlan, every: u64) -> TrajectoryTiming {
    TrajectoryTiming {
        first_step: 0,
        steps_between_frames: every,
        timestep_ps: member.protocol.dynamics.timestep,
    }
}

fn gsd_beads(member: &MemberPlan) -> GsdBeads {
    let system: &System = &member.system;
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
    let (bonded, angles) = (&system.interactions.bonded, &system.interactions.angles);
    let pairs = |term: &BondedTerm| {
        let pairs = term.pairs().into_iter().map(|(i, j)| [i, j]);
        (BondedTerm::NAMES[term.rank()], pairs.collect::<Vec<_>>())
    };
    let triples = |term: &AngleTerm| (AngleTerm::NAMES[term.rank()], term.triples());
    GsdBeads {
        types: particles.types.iter().map(|&kind| numbers[usize::from(kind)]).collect(),
        type_names,
        masses: system.masses(0..system.beads()).map(|mass| mass as f32).collect(),
        charges: (0..system.beads()).map(|bead| particles.charge(bead)).collect(),
        bonds: gsd_terms(bonded.iter().map(pairs)),
        angles: gsd_terms(angles.iter().map(triples)),
        sides: match system.boundary {
            Boundary::Open => None,
            Boundary::Periodic { lengths } => Some(lengths),
        },
        has_velocities: member.protocol.dynamics.integrator.has_velocities(),
    }
}

/// Terms with the names of their formulas; each term of the system is a type.
fn gsd_terms<const N: usize>(
    terms: impl Iterator<Item = (&'static str, Vec<[usize; N]>)>,
) -> GsdTerms<N> {
    let mut all = GsdTerms { type_names: Vec::new(), types: Vec::new(), beads: Vec::new() };
    for (kind, (name, beads)) in terms.enumerate() {
        let same = all.type_names.iter().filter(|known| known.starts_with(name)).count();
        all.type_names.push(match same {
            0 => name.to_string(),
            _ => format!("{name}_{}", same + 1),
        });
        all.types.extend(beads.iter().map(|_| kind as u32));
        all.beads.extend(beads.into_iter().map(|beads| beads.map(|bead| bead as u32)));
    }
    all
}
