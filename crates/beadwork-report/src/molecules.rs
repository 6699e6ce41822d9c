//! A point whose molecules may unfold: how they are pulled, averages, lifetimes.

use beadwork_analysis::unfolding::Criteria;
use beadwork_model::units::PICOSECONDS_PER_NANOSECOND;
use beadwork_session::Error;

use crate::averages::{self, Averages};
use crate::choices::Choices;
use crate::data::{self, Code, Finding};
use crate::notes;
use crate::pulling::lifetimes::{HeldStage, Lifetimes};
use crate::pulling::{self, DriveColumns, PulledGroup, Pulling};
use crate::rows::{LeftOut, PointMembers};

/// The replicas of a point as molecules that may unfold.
#[derive(Clone, Debug)]
pub(crate) struct MoleculeGroup {
    /// For all drives together, or one for each drive of the stage that has a name and pulls as the stage does.
    pub pulled: Vec<PulledGroup>,
    averages: Averages,
    /// Where a stop rule may end the stage that is analysed.
    pub lifetimes: Option<Lifetimes>,
}

impl MoleculeGroup {
    /// Reads the replicas of a point, and adds what is to be said of them to `findings`.
    pub fn read(
        of_point: &PointMembers<'_>,
        choices: &Choices,
        findings: &mut Vec<Finding>,
    ) -> Result<MoleculeGroup, Error> {
        let (request, point) = (of_point.request, of_point.point);
        let (pulling, stage) = pulling::analysed_stage(of_point);
        let interval = request.output.table_every as f64 * point.protocol.dynamics.timestep;
        let interval_ns = interval / PICOSECONDS_PER_NANOSECOND;
        let drives = pulling::drives(of_point, pulling, stage);
        let group = |drive: &DriveColumns| {
            let criteria: Criteria = pulling::criteria(of_point, choices, &drive.name);
            PulledGroup::new(of_point.name.clone(), pulling, criteria, interval_ns)
                .of_drive(&drive.name)
                .loaded(pulling::loading(of_point, stage, &drive.name))
                .pushing(pulling::pushes(of_point, stage, &drive.name))
                .expecting(notes::of_temperature(point))
                .with_not_begun(of_point.not_begun)
                .of_stage(stage.is_some())
        };
        let mut pulled: Vec<PulledGroup> = drives.iter().map(group).collect();
        let mut averages = Averages::new(of_point);
        let averaged = of_point.averaged_stage();
        let timed = stage.unwrap_or(averaged);
        let held = HeldStage::read(of_point, timed)?;
        // Of a spring or a ramp the answer is its force, and a lifetime only if a person asks for the stage.
        let has_lifetime = pulling <= Pulling::Force || of_point.asked.is_some();
        let held_by_rules = held.as_ref().filter(|held| has_lifetime && held.has_rules());
        let mut lifetimes = held_by_rules.map(|held| Lifetimes::new(of_point, held));
        let (mut too_short, mut left_out) = (0, LeftOut::default());
        let empty = pulled.clone();
        let of_all: Vec<&str> = pulling::COLUMNS.into_iter().chain(averages::columns()).collect();
        let of_drives: Vec<&str> = drives.iter().flat_map(DriveColumns::all).collect();
        let columns = [of_all, of_drives].concat();
        of_point.read(
            &columns,
            |member, rows| {
                let has_stopped = member.failed
                    || held.as_ref().is_some_and(|held| held.has_stopped(member, stage.is_none()));
                let has_ended =
                    member.has_ended || stage.is_some_and(|stage| rows.have_left(stage));
                // Drives share their rows.
                let mut incomplete = 0_usize;
                let mut analysed = Vec::new();
                for (empty, drive) in empty.iter().zip(&drives) {
                    let pulled = pulling::rows_of(&rows, point, stage, drive)?;
                    let curve = &pulled.curve;
                    if pulling > Pulling::None {
                        incomplete = incomplete.max(curve.incomplete());
                    }
                    let of_drive =
                        empty.analyse(member.number, curve, &pulled.temperature_k, has_stopped);
                    analysed.push(empty.with_clamp(of_drive.running(!has_ended), &pulled));
                }
                let last = pulling::time_in_stage(&rows, point, timed)?;
                Ok((analysed, incomplete, averages::of_member(&rows, averaged)?, last))
            },
            |member, (analysed, incomplete, means, last)| {
                if let Some((lifetimes, listed)) = lifetimes.as_mut().zip(held.as_ref()) {
                    lifetimes.add(listed, member, last);
                }
                too_short += usize::from(analysed.iter().any(|one| one.is_short));
                left_out.add(incomplete);
                averages.add(means);
                pulled.iter_mut().zip(analysed).for_each(|(group, analysed)| group.add(analysed));
                Ok(())
            },
        )?;
        if too_short > 0 {
            let text = format!(
                "the pulling of {too_short} replica(s) has fewer than three whole windows, so that no peak can be seen in it: pull longer, or take a shorter window"
            );
            findings.push(Finding::new(Code::NotMeasured, text));
        }
        let left_out = left_out.note("time, extension or force");
        findings.extend(left_out.map(|note| Finding::new(Code::LeftOut, note)));
        let survivors = pulled.first().and_then(PulledGroup::survivors);
        findings.extend(survivors.map(|text| Finding::new(Code::Survivors, text)));
        Ok(MoleculeGroup { pulled, averages, lifetimes })
    }

    /// The answer: unfolding forces where a spring pulls, work and temperature of clamps, lifetimes, averages.
    pub fn answer(&self) -> data::Group {
        let mut answer = self.averages.about().clone();
        let is_asked = !answer.stage.is_empty();
        let is_of_spring = self.pulled.iter().any(PulledGroup::is_of_spring);
        if is_of_spring {
            self.pulled.iter().for_each(|group| pulling::describe(group, &mut answer));
            if let Some(all) = self.averages.all_failed() {
                answer.find(Code::Failed, format!("all {all} replica(s) failed"));
            }
        }
        if let Some(lifetimes) = &self.lifetimes {
            lifetimes.describe(&mut answer);
        }
        pulling::describe_clamps(&self.pulled, &mut answer);
        if is_asked || !is_of_spring {
            self.averages.describe(&mut answer);
        }
        answer
    }
}
