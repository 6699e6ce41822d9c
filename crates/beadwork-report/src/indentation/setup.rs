//! The stages in which a tip presses, and how its tables are read.

use std::ops::Range;

use beadwork_analysis::indentation::Criteria;
use beadwork_analysis::numbers::rounded;
use beadwork_input::Point;
use beadwork_model::advice::TipDrag;
use beadwork_model::externals::{External, Tip};
use beadwork_model::observables::Observable;
use beadwork_model::potentials::NativeContact;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Stage, System, Units};

use crate::choices::Choices;
use crate::pulling::window_travel;
use crate::rows::{PointMembers, samples};
use crate::words::time_in_words;

/// Without a prominence, as in reduced units, a peak is passed once the force falls by so many times the force of a contact. In real
/// units this is the ratio of their defaults, 40 pN and 10 pN.
const PROMINENCE_IN_CONTACTS: f64 = 4.0;

/// No table has more rows.
const MOST_ROWS: f64 = 1e15;

/// What is known of an indentation before its tables are read. Numbers are in the units of tables.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub units: Units,
    /// The numbers of the stages: one, and those after it into which its tip goes on.
    pub stages: Range<usize>,
    /// Their names.
    pub stage_names: Vec<String>,
    pub criteria: Criteria,
    /// Between rows.
    pub interval: f64,
    /// Whether the base turns back.
    pub turns: bool,
    /// The direction from which the tip comes is against this.
    pub direction: [f64; 3],
    /// The force that beads take which move as fast as the base, and their number.
    pub drag_of_beads: (f64, usize),
    /// The force that the tip takes if it moves as fast as the base.
    pub drag_of_tip: f64,
    /// Temperature of the bath in the unit of tables; 0 without noise.
    pub temperature: f64,
    /// Whether replicas have starts of their own.
    pub has_starts: bool,
    /// Whether the tip has noise of its own.
    pub is_shaken: bool,
    /// Native contacts of the structure, in all and between chains.
    pub native_contacts: [usize; 2],
    /// The energies of all positions.
    pub energy: Observable,
    /// Other externals whose forces and work tables add to those of the cantilever, in the stage that has most of them.
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

/// The stages that the answer is of, and the tip of the first: the stage that a person asked for, or the first with a tip, with
/// those around it into which the tip goes on.
pub(crate) fn tip_stages(point: &Point, asked: Option<usize>) -> Option<(Range<usize>, &Tip)> {
    let stages = &point.protocol.stages;
    let goes_on =
        |stage: usize| stages.get(stage).and_then(tip_of).is_some_and(|tip| tip.cantilever.goes_on);
    let is_wanted = |stage: &usize| asked.is_none_or(|asked| asked == *stage);
    let mut wanted = (0..stages.len()).filter(is_wanted);
    let mut first = wanted.find(|stage| tip_of(&stages[*stage]).is_some())?;
    let mut end = first + 1;
    while first > 0 && goes_on(first) {
        first -= 1;
    }
    while goes_on(end) {
        end += 1;
    }
    Some((first..end, tip_of(&stages[first])?))
}

/// The native contacts of a system, in all and between chains.
fn native_contacts(system: &System) -> [usize; 2] {
    let contacts = system.interactions.bonded_by::<NativeContact>();
    let chains = &system.particles.molecules;
    let between = contacts.iter().filter(|contact| chains[contact.i] != chains[contact.j]);
    [contacts.len(), between.count()]
}

impl Setup {
    /// That of a point; `None` without a tip.
    pub fn of(of_point: &PointMembers<'_>, choices: &Choices) -> Option<Setup> {
        let (point, request) = (of_point.point, of_point.request);
        let (own_stages, tip) = tip_stages(point, of_point.asked)?;
        let stage = own_stages.start;
        let (system, dynamics) = (&point.system, &point.protocol.dynamics);
        let units = system.units;
        let length = |length: f64| Observable::Deformation.unit_in(units).convert(length);
        let force = |force: f64| Observable::Force.unit_in(units).convert(force);
        let range = |range: Option<(f64, f64)>| range.map(|(from, to)| (length(from), length(to)));
        let steps_between = request.output.table_every as f64;
        let between_rows = steps_between * dynamics.timestep;
        let stages = &point.protocol.stages;
        let own = &stages[stage];
        let tips: Vec<&Tip> = stages[own_stages.clone()].iter().filter_map(tip_of).collect();
        let speed_of = |tip: &&&Tip| tip.cantilever.path.speed.abs();
        let fastest = tips.iter().max_by(|a, b| speed_of(a).total_cmp(&speed_of(b)));
        let fastest = fastest.unwrap_or(&tip);
        let speed = fastest.cantilever.path.speed.abs();
        let travel = (speed > 0.0).then(|| window_travel(units) / speed);
        let window = choices.window.or(request.analysis.window).or(travel);
        let points = |window: f64| (window / between_rows).round().clamp(1.0, MOST_ROWS) as usize;
        let prominence = choices.prominence.or(request.analysis.prominence);
        let prominence =
            prominence.unwrap_or(PROMINENCE_IN_CONTACTS * tip.cantilever.contact_force);
        let counts = stages[own_stages.clone()].iter().map(|stage| {
            // The tip of the answer is one of them.
            stage.externals.iter().filter(|one| one.has_force()).count() - 1
        });
        let added = counts.max().unwrap_or(0);
        let drag = TipDrag::of(system, dynamics, own, &fastest.cantilever);
        let turns = tips
            .iter()
            .any(|tip| tip.cantilever.path.out.is_some() || tip.cantilever.path.speed < 0.0);
        let others = stages[own_stages.end..].iter().filter(|_| of_point.asked.is_none());
        let others = others.filter(|stage| samples(stage));
        Some(Setup {
            units,
            stage_names: stages[own_stages.clone()].iter().map(|one| one.name.clone()).collect(),
            stages: own_stages,
            criteria: Criteria {
                window_points: window.map_or(1, points),
                prominence: force(prominence),
                contact_force: force(tip.cantilever.contact_force),
                radius: length(tip.radius),
                // A force over a speed, which is a length over a time.
                tip_friction: force(tip.cantilever.friction) * units.time_in_tables(1.0)
                    / length(1.0),
                slope: range(choices.slope.or(request.analysis.slope)),
                hertz: range(choices.hertz.or(request.analysis.hertz)),
            },
            interval: units.time_in_tables(between_rows),
            turns,
            direction: tip.cantilever.direction,
            drag_of_beads: (force(drag.of_beads), drag.beads),
            drag_of_tip: force(drag.of_tip),
            has_starts: point.starts.is_some(),
            is_shaken: tip.cantilever.temperature > 0.0,
            temperature: match units {
                Units::Real => dynamics.temperature / BOLTZMANN,
                Units::Reduced => dynamics.temperature,
            },
            native_contacts: native_contacts(system),
            energy: Observable::of_all_interactions(dynamics),
            added,
            others: others.map(|stage| format!("\"{}\"", stage.name)).collect(),
        })
    }

    /// `stage "indent"`.
    pub fn stages_in_words(&self) -> String {
        let names: Vec<String> =
            self.stage_names.iter().map(|name| format!("\"{name}\"")).collect();
        let plural = if names.len() > 1 { "s" } else { "" };
        format!("stage{plural} {}", names.join(", "))
    }

    /// The columns that are read.
    pub fn columns(&self) -> Vec<String> {
        let observables = [
            self.energy,
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
            Observable::ContactsBetweenChains,
        ];
        let columns = observables.map(|observable| observable.column_in(self.units).to_string());
        let time = self.units.time_column().to_string();
        [time].into_iter().chain(columns).collect()
    }

    /// The running average in words: `window 500 points = 10 µs`.
    pub fn window_in_words(&self) -> String {
        let points = self.criteria.window_points.max(1);
        let plural = if points == 1 { "point" } else { "points" };
        let time = self.interval * points as f64;
        match self.units {
            Units::Real => format!("window {points} {plural} = {}", time_in_words(time)),
            Units::Reduced => format!("window {points} {plural}, a time of {}", rounded(time, 3)),
        }
    }
}
