//! The replicas of a point with a tip, with their curves.

use std::ops::Range;

use beadwork_analysis::indentation::{Curve, Cycle, Pressed, analyse, cycles};
use beadwork_analysis::plot::thin;
use beadwork_analysis::statistics::running_average;
use beadwork_model::observables::Observable;
use beadwork_session::Error;

use super::pictures::{self, Pictures};
use super::setup::Setup;
use crate::choices::Choices;
use crate::data;
use crate::pulling::{MeanLine, Points, began};
use crate::rows::{LeftOut, MemberRows, PointMembers};

/// The most points of a line, so that a thousand replicas fit into memory.
const MOST_POINTS: usize = 2_000;

/// The replicas of one point of a run, in the order of their numbers.
#[derive(Clone, Debug)]
pub(crate) struct IndentedGroup {
    pub(super) about: data::Group,
    pub(super) setup: Setup,
    pub(super) members: Vec<IndentedMember>,
    /// The mean of the replicas for each of [`AgainstTime`].
    pub(super) means: Vec<MeanLine>,
    pub(super) longest: f64,
    pub(super) left_out: LeftOut,
    /// Of one replica.
    pub(super) pictures: Pictures,
    /// Why there are none.
    pub(super) without_pictures: Option<String>,
}

/// The lines against deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgainstDeformation {
    Force,
    TipForce,
    Contacts,
    ContactsBetweenChains,
}

/// The lines against time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgainstTime {
    Force,
    TipForce,
    Deformation,
}

/// A way of the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    Approach,
    Retraction,
}

/// Deformation, and the values of [`AgainstDeformation`], each the mean of some rows that follow each other.
pub(super) type Point = [f64; 5];

/// The results of a replica.
#[derive(Clone, Debug, Default)]
pub(super) struct IndentedMember {
    pub number: u64,
    /// When the stages began, in the unit of tables.
    pub began: f64,
    pub cycles: Vec<IndentedCycle>,
    /// One for each of [`AgainstTime`], averaged over the window, with fewer points.
    pub against_time: [Points; 3],
    /// Whether it may get more rows of these stages.
    pub is_running: bool,
}

/// A cycle of a replica.
#[derive(Clone, Debug, Default)]
pub(super) struct IndentedCycle {
    pub pressed: Pressed,
    /// How far the base went.
    pub base: f64,
    /// Whether the base has begun to go back.
    pub has_turned: bool,
    /// For approach and retraction, all rows in at most [`MOST_POINTS`] points.
    pub points: [Vec<Point>; 2],
    /// For approach and retraction, one for each of [`AgainstDeformation`], averaged over the window, with fewer points.
    pub lines: [[Points; 4]; 2],
}

/// A replica that was read and is not in its group yet.
pub(super) struct Read {
    member: IndentedMember,
    /// One for each of [`AgainstTime`], with all points.
    whole: [Points; 3],
    incomplete: usize,
}

impl IndentedGroup {
    /// Reads the tables of a point that has a tip, and the frames of its pictures if it `may_have_pictures`; `None` if it has
    /// no tip.
    pub fn read(
        of_point: &PointMembers<'_>,
        choices: &Choices,
        may_have_pictures: bool,
    ) -> Result<Option<IndentedGroup>, Error> {
        let Some(setup) = Setup::of(of_point, choices) else { return Ok(None) };
        let mut group = IndentedGroup::new(of_point.about(), setup.clone());
        let columns = setup.columns();
        of_point.read(
            &columns.iter().map(String::as_str).collect::<Vec<_>>(),
            |member, rows| {
                let (curve, began, incomplete) = curve(&rows, of_point, &setup)?;
                let mut read = Read { incomplete, ..read(member.number, &curve, &setup) };
                read.member.began = began;
                let last = setup.stages.end.saturating_sub(1);
                read.member.is_running = !member.has_ended && !rows.have_left(last);
                Ok(read)
            },
            |_, read| {
                group.add(read);
                Ok(())
            },
        )?;
        if may_have_pictures {
            let draws = !choices.without_pictures;
            (group.pictures, group.without_pictures) = pictures::read(of_point, &group, draws)?;
        }
        Ok(Some(group))
    }

    /// A group without replicas.
    pub(super) fn new(about: data::Group, setup: Setup) -> IndentedGroup {
        let means = vec![MeanLine::new(); 3];
        IndentedGroup {
            about,
            setup,
            members: Vec::new(),
            means,
            longest: 0.0,
            left_out: LeftOut::default(),
            pictures: Pictures::new(),
            without_pictures: None,
        }
    }

    /// Adds the next replica.
    pub(super) fn add(&mut self, read: Read) {
        for (mean, line) in self.means.iter_mut().zip(&read.whole) {
            mean.add(line, false);
            self.longest = line.last().map_or(self.longest, |last| self.longest.max(last.0));
        }
        self.left_out.add(read.incomplete);
        self.members.push(read.member);
    }

    /// The largest number of cycles of a replica.
    pub(super) fn cycles(&self) -> usize {
        self.members.iter().map(|member| member.cycles.len()).max().unwrap_or(0)
    }

    /// This cycle, from 0, of each replica that has begun it.
    pub(super) fn cycle(&self, number: usize) -> impl Iterator<Item = &IndentedCycle> {
        self.members.iter().filter_map(move |member| member.cycles.get(number))
    }
}

/// The rows of the stages as a curve, the time at which they began, and the number of rows that lack a time or the way of base or
/// tip.
fn curve(
    rows: &MemberRows,
    of_point: &PointMembers<'_>,
    setup: &Setup,
) -> Result<(Curve, f64, usize), Error> {
    let own: Vec<usize> = rows.of_stages(&setup.stages).collect();
    let length = own.len();
    let column = |name: &str| -> Result<Vec<f64>, Error> {
        let numbers = rows.table.numbers(name)?;
        Ok(own.iter().map(|&row| numbers[row]).collect())
    };
    // A table that lacks a column of its run is an error.
    let point = of_point.point;
    let measures = |observable| point.protocol.measures(observable, &point.system);
    let observed = |observable: Observable| match measures(observable) {
        true => column(observable.column_in(setup.units)),
        false => Ok(vec![f64::NAN; length]),
    };
    let (mut time, base) = (column(setup.units.time_column())?, observed(Observable::BaseTravel)?);
    let travel = observed(Observable::TipTravel)?;
    let shift = began(rows, point, setup.stages.start)?;
    time.iter_mut().for_each(|time| *time -= shift);
    // The table has the deformation from contact on. The place of the contact gives it for the rows before.
    let deformation = observed(Observable::Deformation)?;
    let contact = travel.iter().zip(&deformation).map(|(travel, depth)| travel - depth);
    let contact = contact.into_iter().find(|contact| contact.is_finite()).unwrap_or(f64::NAN);
    let mut force = observed(Observable::MeanForce)?;
    for (mean, force) in force.iter_mut().zip(observed(Observable::Force)?) {
        if !mean.is_finite() {
            *mean = force;
        }
    }
    let mut energy = observed(setup.energy)?;
    for outside in [Observable::TipEnergy, Observable::SurfaceEnergy] {
        if measures(outside) {
            let outside = observed(outside)?;
            energy.iter_mut().zip(outside).for_each(|(energy, outside)| *energy -= outside);
        }
    }
    let known = |row: &usize| [time[*row], base[*row], travel[*row]].iter().all(|x| x.is_finite());
    let rows: Vec<usize> = (0..length).filter(known).collect();
    let of = |values: &[f64]| -> Vec<f64> { rows.iter().map(|&row| values[row]).collect() };
    let curve = Curve {
        time: of(&time),
        base: of(&base),
        deformation: rows.iter().map(|&row| travel[row] - contact).collect(),
        force: of(&force),
        tip_force: of(&observed(Observable::TipForce)?),
        work: of(&observed(Observable::Work)?),
        energy: of(&energy),
        contacts: of(&observed(Observable::NativeContacts)?),
        contacts_between: of(&observed(Observable::ContactsBetweenChains)?),
        contact: rows.iter().position(|&row| deformation[row].is_finite()),
    };
    Ok((curve, shift, length - rows.len()))
}

/// The results of a curve.
pub(super) fn read(number: u64, curve: &Curve, setup: &Setup) -> Read {
    let window = setup.criteria.window_points.max(1);
    let found = cycles(&curve.base);
    let most = MOST_POINTS / found.len().max(1);
    let cycles = found.iter().map(|cycle| of_cycle(curve, cycle, setup, most)).collect();
    let times = || curve.time.iter().skip(window / 2).copied();
    let whole = [&curve.force, &curve.tip_force, &curve.deformation]
        .map(|values| -> Points { times().zip(running_average(values, window)).collect() });
    let against_time = whole.each_ref().map(|line| thin(line, MOST_POINTS));
    let member = IndentedMember { number, cycles, against_time, ..IndentedMember::default() };
    Read { member, whole, incomplete: 0 }
}

fn of_cycle(curve: &Curve, cycle: &Cycle, setup: &Setup, most: usize) -> IndentedCycle {
    let window = setup.criteria.window_points.max(1);
    let ways = [Some(cycle.approach.clone()), cycle.retraction.clone()];
    let line = |way: &Option<Range<usize>>, values: &[f64]| -> Points {
        let Some(way) = way else { return Points::new() };
        let average = |values: &[f64]| running_average(&values[way.clone()], window);
        let line = average(&curve.deformation).into_iter().zip(average(values));
        thin(&line.collect::<Points>(), most)
    };
    let points = |way: &Option<Range<usize>>| {
        way.clone().map_or_else(Vec::new, |way| points(curve, way, most))
    };
    let values = [&curve.force, &curve.tip_force, &curve.contacts, &curve.contacts_between];
    let turn = cycle.approach.end - 1;
    IndentedCycle {
        pressed: analyse(curve, cycle, &setup.criteria),
        base: curve.base[turn] - curve.beginning(cycle).0,
        has_turned: cycle.retraction.is_some(),
        points: ways.each_ref().map(points),
        lines: ways.each_ref().map(|way| values.map(|values| line(way, values))),
    }
}

/// Some rows in at most `most` points, each the mean of equally many rows; none for rows that never come into contact.
fn points(curve: &Curve, rows: Range<usize>, most: usize) -> Vec<Point> {
    let rows: Vec<Point> = rows
        .map(|row| {
            let (depth, force, tip_force) =
                (curve.deformation[row], curve.force[row], curve.tip_force[row]);
            [depth, force, tip_force, curve.contacts[row], curve.contacts_between[row]]
        })
        .filter(|point| point[..3].iter().all(|number| number.is_finite()))
        .collect();
    let together = rows.len().div_ceil(most.max(1)).max(1);
    let mean = |rows: &[Point]| {
        [0, 1, 2, 3, 4].map(|k| rows.iter().map(|point| point[k]).sum::<f64>() / rows.len() as f64)
    };
    rows.chunks(together).map(mean).collect()
}
