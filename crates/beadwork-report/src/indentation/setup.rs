//! The stage in which a tip presses, and how its tables are read.

use beadwork_analysis::indentation::Criteria;
use beadwork_model::advice::TipDrag;
use beadwork_model::externals::{External, Tip};
use beadwork_model::observables::Observable;
use beadwork_model::units::{BOLTZMANN, PICONEWTONS_PER_FORCE};
use beadwork_model::{Stage, Units};

use crate::choices::Choices;
use crate::pulling::{Pulling, WINDOW_TRAVEL};
use crate::rows::{PointMembers, samples};
use crate::words::time_in_words;

/// No table has more rows.
const MOST_ROWS: f64 = 1e15;

/// What is known of an indentation before its tables are read. Numbers are in the units of tables.
#[derive(Clone, Debug, Default)]
pub(super) struct Setup {
    pub units: Units,
    /// The number of the stage.
    pub stage: usize,
    /// Its name.
    pub stage_name: String,
    pub criteria: Criteria,
    /// Between rows.
    pub interval: f64,
    /// Whether the base turns back.
    pub turns: bool,
    /// The least force of the beads that counts as contact.
    pub contact_force: f64,
    /// The force that beads take which move as fast as the base, and their number.
    pub drag_of_beads: (f64, usize),
    /// The force that the tip takes if it moves as fast as the base.
    pub drag_of_tip: f64,
    /// Temperature of the bath in the unit of tables; 0 without noise.
    pub temperature: f64,
    /// The column of the energies of all positions.
    pub energy: &'static str,
    /// Other externals of the stage whose forces and work tables add to those of the cantilever.
    pub added: usize,
    /// The later stages that sample, if the stage is not one that a person asked for.
    pub others: Vec<String>,
}

/// The tip of a stage.
fn tip_of(stage: &Stage) -> Option<&Tip> {
    stage.externals.iter().find_map(|external| match external {
        External::Tip(tip) => Some(tip),
        _ => None,
    })
}

/// The stage with a tip that the answer is of: the one that a person asked for, or the first.
pub(crate) fn tip_stage<'a>(of_point: &PointMembers<'a>) -> Option<(usize, &'a Tip)> {
    let stages = of_point.point.protocol.stages.iter().enumerate();
    let mut wanted = stages.filter(|(number, _)| of_point.asked.is_none_or(|one| one == *number));
    wanted.find_map(|(number, stage)| Some((number, tip_of(stage)?)))
}

impl Setup {
    /// That of a point; `None` without a tip.
    pub fn of(of_point: &PointMembers<'_>, choices: &Choices) -> Option<Setup> {
        let (stage, tip) = tip_stage(of_point)?;
        let (point, request) = (of_point.point, of_point.request);
        let (system, dynamics) = (&point.system, &point.protocol.dynamics);
        let units = system.units;
        let length = |length: f64| Observable::Deformation.unit_in(units).convert(length);
        let force = |force: f64| Observable::Force.unit_in(units).convert(force);
        let range = |range: Option<(f64, f64)>| range.map(|(from, to)| (length(from), length(to)));
        let steps_between = request.output.table_every as f64;
        let between_rows = steps_between * dynamics.timestep;
        let travel = (tip.path.speed > 0.0 && units == Units::Real)
            .then_some(WINDOW_TRAVEL / tip.path.speed);
        let window = choices.window.or(request.analysis.window).or(travel);
        let points = |window: f64| (window / between_rows).round().clamp(1.0, MOST_ROWS) as usize;
        let prominence_pn = choices.prominence.unwrap_or(request.analysis.prominence);
        let stages = &point.protocol.stages;
        let own = &stages[stage];
        let drag = TipDrag::of(system, dynamics, own, tip);
        let is_added =
            |one: &&External| one.pulling() != Pulling::None || matches!(one, External::Tip(_));
        let added = own.externals.iter().filter(is_added).count() - 1;
        let others = stages[stage + 1..].iter().filter(|_| of_point.asked.is_none());
        let others = others.filter(|stage| samples(stage));
        Some(Setup {
            units,
            stage,
            stage_name: own.name.clone(),
            criteria: Criteria {
                window_points: window.map_or(1, points),
                prominence: match units {
                    Units::Real => prominence_pn,
                    Units::Reduced => prominence_pn / PICONEWTONS_PER_FORCE,
                },
                radius: length(tip.radius),
                slope: range(choices.slope.or(request.analysis.slope)),
                hertz: range(choices.hertz.or(request.analysis.hertz)),
            },
            interval: units.time_in_tables(between_rows),
            turns: tip.path.out.is_some(),
            contact_force: force(tip.contact_force),
            drag_of_beads: (force(drag.of_beads), drag.beads),
            drag_of_tip: force(drag.of_tip),
            temperature: match units {
                Units::Real => dynamics.temperature / BOLTZMANN,
                Units::Reduced => dynamics.temperature,
            },
            energy: Observable::of_all_interactions(dynamics).column_in(units),
            added,
            others: others.map(|stage| format!("\"{}\"", stage.name)).collect(),
        })
    }

    /// The columns that are read.
    pub fn columns(&self) -> Vec<&'static str> {
        let observables = [
            Observable::BaseTravel,
            Observable::TipTravel,
            Observable::Deformation,
            Observable::Force,
            Observable::MeanForce,
            Observable::TipForce,
            Observable::Work,
            Observable::TipEnergy,
            Observable::SurfaceEnergy,
            Observable::NativeContacts,
        ];
        let columns = observables.map(|observable| observable.column_in(self.units));
        [self.units.time_column(), self.energy].into_iter().chain(columns).collect()
    }

    /// The running average in words: `window 500 points = 10 µs`.
    pub fn window_in_words(&self) -> String {
        let points = self.criteria.window_points.max(1);
        let plural = if points == 1 { "point" } else { "points" };
        let time = self.interval * points as f64;
        match self.units {
            Units::Real => format!("window {points} {plural} = {}", time_in_words(time)),
            Units::Reduced => format!("window {points} {plural}"),
        }
    }
}
