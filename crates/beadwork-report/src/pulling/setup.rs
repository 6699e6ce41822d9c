//! How a point of a run pulls, and the curves of its tables.

use beadwork_analysis::unfolding::{Criteria, Curve};
use beadwork_input::Point;
use beadwork_model::externals::Pulling;
use beadwork_model::externals::{External, Spring};
use beadwork_model::observables::Observable;
use beadwork_model::units::ANGSTROMS_PER_NANOMETRE;
use beadwork_model::{Stage, StageKind};
use beadwork_session::Error;

use crate::choices::Choices;
use crate::rows::{MemberRows, PointMembers};

/// Without a window in the input, forces are averaged over the time in which the base of a spring or a tip moves this far, Å.
/// The window of 500 points in \[A\] has this length.
pub(crate) const WINDOW_TRAVEL: f64 = 2.5;
/// No table has more rows.
const MOST_ROWS: f64 = 1e15;
/// A chain is taut beyond this fraction of the contour between its ends.
const TAUT_FRACTION: f64 = 0.9;
const TIME: &str = "time_ns";
const EXTENSION: &str = Observable::Extension.column();
const FORCE: &str = Observable::Force.column();
const MEAN_FORCE: &str = Observable::MeanForce.column();
const CONTACTS: &str = Observable::NativeContacts.column();
const TEMPERATURE: &str = Observable::Temperature.column();

pub(crate) const COLUMNS: [&str; 6] = [TIME, EXTENSION, FORCE, MEAN_FORCE, CONTACTS, TEMPERATURE];

/// How a point pulls, and the stage that is analysed: the first that pulls in this way.
pub(crate) fn pulling_stage(point: &Point) -> (Pulling, Option<usize>) {
    let stages = point.protocol.stages.iter().map(pulling_of).enumerate();
    stages.fold((Pulling::None, None), |best, (number, pulling)| match pulling > best.0 {
        true => (pulling, Some(number)),
        false => best,
    })
}

/// How the stage pulls that a person asked for, and its number; else that of [`pulling_stage`].
pub(crate) fn analysed_stage(of_point: &PointMembers<'_>) -> (Pulling, Option<usize>) {
    let stages = &of_point.point.protocol.stages;
    let own = || pulling_stage(of_point.point);
    of_point.asked.map_or_else(own, |stage| (pulling_of(&stages[stage]), Some(stage)))
}

pub(crate) fn pulling_of(stage: &Stage) -> Pulling {
    stage.externals.iter().map(|external| external.pulling()).max().unwrap_or_default()
}

fn springs(stages: &[Stage]) -> impl Iterator<Item = &Spring> {
    stages.iter().flat_map(|stage| &stage.externals).filter_map(|external| match external {
        External::Spring(spring) => Some(spring),
        _ => None,
    })
}

/// The stiffness of the stiffest spring of some stages, kcal/(mol Å²).
pub(crate) fn stiffest_spring(stages: &[Stage]) -> Option<f64> {
    springs(stages).map(|spring| spring.stiffness).reduce(f64::max)
}

/// What counts as a peak at a point.
pub(crate) fn criteria(of_point: &PointMembers<'_>, choices: &Choices) -> Criteria {
    let PointMembers { request, point, .. } = of_point;
    let between_rows = request.output.table_every as f64 * point.protocol.dynamics.timestep;
    let speed = springs(of_point.stages()).map(|spring| spring.speed.abs()).fold(0.0, f64::max);
    let travel_time = (speed > 0.0).then(|| WINDOW_TRAVEL / speed);
    let window = choices.window.or(request.analysis.window).or(travel_time);
    let (from, to) = &point.protocol.ends;
    let ends = from.first().zip(to.last());
    let contour = ends.and_then(|(from, to)| point.system.contour(*from, *to));
    Criteria {
        window_points: window
            .map_or(1, |window| (window / between_rows).round().clamp(1.0, MOST_ROWS) as usize),
        prominence_pn: choices.prominence.unwrap_or(request.analysis.prominence),
        taut_extension_nm: contour.map(|length| TAUT_FRACTION * length / ANGSTROMS_PER_NANOMETRE),
    }
}

/// The time at which a stage began, as tables have it. If earlier stages have stop rules it is that of the last row before, which
/// is early by less than an interval of the table.
pub(crate) fn began(rows: &MemberRows, point: &Point, stage: usize) -> Result<f64, Error> {
    let before = &point.protocol.stages[..stage];
    let units = point.system.units;
    if before.iter().all(|stage| stage.stops.is_empty()) {
        let steps: u64 = before
            .iter()
            .filter(|stage| matches!(stage.kind, StageKind::Dynamics { .. }))
            .map(Stage::steps)
            .sum();
        return Ok(units.time_in_tables(steps as f64 * point.protocol.dynamics.timestep));
    }
    let first = rows.of_stage(Some(stage)).next();
    let times = rows.numbers(units.time_column(), None)?;
    Ok(first.and_then(|row| times.get(row.checked_sub(1)?)).copied().unwrap_or(0.0))
}

/// The time of a member's last row in a stage since the stage began, ns; `None` before its first row there.
pub(crate) fn time_in_stage(
    rows: &MemberRows,
    point: &Point,
    stage: usize,
) -> Result<Option<f64>, Error> {
    let last = rows.numbers(TIME, Some(stage))?.last().copied();
    last.map(|last| Ok(last - began(rows, point, stage)?)).transpose()
}

/// Force, extension and contacts of the pulling stage, or of all stages if none pulls, and the temperature of the same rows, K.
pub(crate) fn curve(
    rows: &MemberRows,
    point: &Point,
    stage: Option<usize>,
) -> Result<(Curve, Vec<f64>), Error> {
    let time_ns = rows.numbers(TIME, stage)?;
    let mut force_pn = rows.numbers(MEAN_FORCE, stage)?;
    let instantaneous = rows.numbers(FORCE, stage)?;
    for (mean, force) in force_pn.iter_mut().zip(instantaneous) {
        if !mean.is_finite() {
            *mean = force;
        }
    }
    let shift = stage.map_or(Ok(0.0), |stage| began(rows, point, stage))?;
    let curve = Curve {
        time_ns: time_ns.iter().map(|time| time - shift).collect(),
        extension_nm: rows.numbers(EXTENSION, stage)?,
        force_pn,
        contacts: match rows.table.has(CONTACTS) {
            true => rows.numbers(CONTACTS, stage)?,
            false => vec![f64::NAN; time_ns.len()],
        },
    };
    Ok((curve, rows.numbers(TEMPERATURE, stage)?))
}
