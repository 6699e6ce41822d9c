//! How a point of a run pulls, and the curves of its tables.

use std::collections::BTreeSet;

use beadwork_analysis::unfolding::{Criteria, Curve};
use beadwork_input::Point;
use beadwork_model::externals::Pulling;
use beadwork_model::externals::{External, Spring};
use beadwork_model::observables::{Observable, PullColumn};
use beadwork_model::potentials::BondedTerm;
use beadwork_model::units::{
    ANGSTROMS_PER_NANOMETRE, PICONEWTON_NANOMETRES_PER_KCAL_MOL, PICONEWTONS_PER_FORCE,
};
use beadwork_model::{JoinedBeads, Stage, StageKind, System, Units};
use beadwork_session::Error;

use super::loading_rates::Loading;
use crate::choices::Choices;
use crate::rows::{MemberRows, PointMembers};

/// Without a window in the input, forces are averaged over the time in which the base of a spring or a tip moves this far: 2.5 Å,
/// which is the length of the window of 500 points in \[A\], and in reduced units a quarter of the unit of length, which is mostly
/// the size of a bead.
pub(crate) fn window_travel(units: Units) -> f64 {
    match units {
        Units::Real => 2.5,
        Units::Reduced => 0.25,
    }
}

const PICOSECONDS_PER_SECOND: f64 = 1e12;
/// No table has more rows.
const MOST_ROWS: f64 = 1e15;
/// A chain is taut beyond this fraction of the contour between its ends.
const TAUT_FRACTION: f64 = 0.9;
const TIME: &str = "time_ns";
const CONTACTS: &str = Observable::NativeContacts.column();
const TEMPERATURE: &str = Observable::Temperature.column();

/// Columns beside those of drives.
pub(crate) const COLUMNS: [&str; 3] = [TIME, CONTACTS, TEMPERATURE];

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

fn pulling_of(stage: &Stage) -> Pulling {
    stage.externals.iter().map(|external| external.pulling()).max().unwrap_or_default()
}

/// The springs of some stages, or those of a name.
fn springs<'a>(stages: &'a [Stage], name: &str) -> impl Iterator<Item = &'a Spring> {
    let externals = stages.iter().flat_map(|stage| &stage.externals);
    externals.filter_map(move |external| match external {
        External::Spring(spring) if name.is_empty() || spring.ends.name == name => Some(spring),
        _ => None,
    })
}

/// The stiffness of the stiffest spring of some stages, kcal/(mol Å²).
pub(crate) fn stiffest_spring(stages: &[Stage]) -> Option<f64> {
    springs(stages, "").map(|spring| spring.stiffness).reduce(f64::max)
}

/// What counts as a peak at a point, of all drives together or of one that has a name.
pub(crate) fn criteria(of_point: &PointMembers<'_>, choices: &Choices, drive: &str) -> Criteria {
    let PointMembers { request, point, .. } = of_point;
    let between_rows = request.output.table_every as f64 * point.protocol.dynamics.timestep;
    let own = || springs(of_point.stages(), drive);
    let speed = own().map(|spring| spring.speed.abs()).fold(0.0, f64::max);
    let travel_time = (speed > 0.0).then(|| window_travel(point.system.units) / speed);
    let window = choices.window.or(request.analysis.window).or(travel_time);
    let of_table = &point.protocol.ends;
    let (from, to) = match own().next().filter(|_| !drive.is_empty()) {
        Some(Spring { ends, .. }) => (&ends.fixed, &ends.pulled),
        None => (&of_table.0, &of_table.1),
    };
    let ends = from.first().zip(to.last());
    let contour = ends.and_then(|(from, to)| point.system.contour(*from, *to));
    // Without one units are reduced, in which no unfolding is looked for.
    let prominence = choices.prominence.or(request.analysis.prominence).unwrap_or(0.0);
    Criteria {
        window_points: window
            .map_or(1, |window| (window / between_rows).round().clamp(1.0, MOST_ROWS) as usize),
        prominence_pn: prominence * PICONEWTONS_PER_FORCE,
        taut_extension_nm: contour.map(|length| TAUT_FRACTION * length / ANGSTROMS_PER_NANOMETRE),
    }
}

/// Keys of a drive or a stage that say how fast a force grows, or how long.
const OF_LOADING: [&str; 6] = ["speed", "stiffness", "rate", "duration", "steps", "stop_every"];

/// How fast the spring of a stage is loaded, alone or by its name; `None` if there is not one spring that pulls.
pub(crate) fn loading(
    of_point: &PointMembers<'_>,
    stage: Option<usize>,
    drive: &str,
) -> Option<Loading> {
    let point = of_point.point;
    let stage = &point.protocol.stages[stage?];
    let mut own =
        stage.externals.iter().enumerate().filter_map(|(place, external)| match external {
            External::Spring(spring) if drive.is_empty() || spring.ends.name == drive => {
                Some((spring, place))
            }
            _ => None,
        });
    let (spring, place) = own.next().filter(|_| own.next().is_none())?;
    // Below zero of a spring that pushes, which has no unfolding force at this rate.
    let rate = spring.stiffness * spring.speed * PICONEWTONS_PER_FORCE;
    let temperature = point.protocol.dynamics.temperature;
    let others = other_loads(&point.system, stage, place);
    // Keys of the stage, of this drive and of others: points that differ in another one belong to different series. A spring at
    // rest holds the molecule, and its stiffness counts.
    let name = &stage.name;
    let of_drive = |place: usize| format!("{name}.drives.{}.", place + 1);
    let mut own_paths = vec![format!("{name}."), format!("{name}.stage."), of_drive(place)];
    let grow = others.iter().filter(|other| other.grows || !other.is_joined);
    own_paths.extend(grow.map(|other| of_drive(other.place)));
    let is_of_loading = |key: &str| {
        let mut own = own_paths.iter().filter_map(|path| key.strip_prefix(path.as_str()));
        own.any(|key| OF_LOADING.contains(&key))
    };
    let about = of_point.about();
    let settings = about.settings.into_iter().filter(|one| !is_of_loading(&one.key));
    let asked = of_point.asked.map(|_| stage.name.clone());
    (rate > 0.0 && temperature > 0.0).then(|| Loading {
        rate: rate * PICOSECONDS_PER_SECOND,
        thermal_energy: temperature * PICONEWTON_NANOMETRES_PER_KCAL_MOL,
        run: of_point.run.clone(),
        stage: asked.unwrap_or_default(),
        settings: settings.collect(),
        point: about.point,
        failed: about.failed,
        together: together(&stage.externals, place, &others),
    })
}

/// Whether drives of a stage push, those of a name or any: they move, or their force grows, against their direction.
pub(crate) fn pushes(of_point: &PointMembers<'_>, stage: Option<usize>, drive: &str) -> bool {
    let stage = stage.map(|stage| &of_point.point.protocol.stages[stage]);
    let externals = stage.into_iter().flat_map(|stage| &stage.externals);
    let mut own = externals.filter(|one| drive.is_empty() || one.name() == Some(drive));
    own.any(|external| match external {
        External::Spring(spring) => spring.speed < 0.0,
        External::ForceRamp(ramp) => ramp.rate < 0.0,
        _ => false,
    })
}

/// A spring or a ramp of a stage beside one of its springs.
struct OtherLoad {
    place: usize,
    /// Whether bonds or contacts of beads that are not held join the beads that it pulls to those of the spring.
    is_joined: bool,
    /// Whether its force grows.
    grows: bool,
}

/// The springs and ramps of a stage beside the spring at a place. A bead that is held passes no load on.
fn other_loads(system: &System, stage: &Stage, spring: usize) -> Vec<OtherLoad> {
    let externals = &stage.externals;
    let loads = |(place, external): &(usize, &External)| {
        *place != spring && external.pulling() >= Pulling::Ramp
    };
    let others: Vec<(usize, &External)> = externals.iter().enumerate().filter(loads).collect();
    if others.is_empty() {
        return Vec::new();
    }
    let pulled = |external: &'_ External| external.ends().map(|ends| ends.pulled.clone());
    let held: BTreeSet<usize> = stage.fixed.iter().copied().collect();
    let passes = |(i, j): &(usize, usize)| !held.contains(i) && !held.contains(j);
    let terms = system.interactions.bonded.iter();
    let pairs: Vec<(usize, usize)> = terms.flat_map(BondedTerm::pairs).filter(passes).collect();
    let mut joined = JoinedBeads::new(system.particles.positions.len(), &pairs);
    let reached = joined.within(usize::MAX, &pulled(&externals[spring]).unwrap_or_default());
    let molecule: BTreeSet<usize> = reached.into_iter().map(|(bead, _)| bead).collect();
    let other = |(place, external): (usize, &External)| OtherLoad {
        place,
        is_joined: pulled(external).iter().flatten().any(|bead| molecule.contains(bead)),
        grows: !matches!(external, External::Spring(spring) if spring.speed == 0.0),
    };
    others.into_iter().map(other).collect()
}

/// The names of the drives that load the molecule of a spring together; empty if the spring does so alone.
fn together(externals: &[External], spring: usize, others: &[OtherLoad]) -> Vec<String> {
    let joined = others.iter().filter(|other| other.is_joined && other.grows);
    let mut places: Vec<usize> = joined.map(|other| other.place).collect();
    if places.is_empty() {
        return Vec::new();
    }
    places.push(spring);
    places.sort_unstable();
    let name = |place: usize| match externals[place].name() {
        Some(name) => name.to_string(),
        None => (place + 1).to_string(),
    };
    places.into_iter().map(name).collect()
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

/// The columns of what pulls: of all drives together, or of one that has a name.
#[derive(Clone, Debug)]
pub(crate) struct DriveColumns {
    /// Empty for all together.
    pub name: String,
    extension: String,
    force: String,
    mean_force: String,
    work: String,
}

impl DriveColumns {
    fn of(name: &str) -> DriveColumns {
        let column = |quantity: Observable| match name {
            "" => quantity.column().to_string(),
            name => PullColumn { pull: name.to_string(), quantity }.column_in(Units::Real),
        };
        DriveColumns {
            name: name.to_string(),
            extension: column(Observable::Extension),
            force: column(Observable::Force),
            mean_force: column(Observable::MeanForce),
            work: column(Observable::Work),
        }
    }

    pub fn all(&self) -> [&str; 4] {
        [&self.extension, &self.force, &self.mean_force, &self.work].map(String::as_str)
    }
}

/// The drives that are answered for: those of the stage that have a name and pull as the stage does, or all together.
pub(crate) fn drives(
    of_point: &PointMembers<'_>,
    pulling: Pulling,
    stage: Option<usize>,
) -> Vec<DriveColumns> {
    let externals = stage.map(|stage| &of_point.point.protocol.stages[stage].externals);
    let pulls = |external: &&External| external.pulling() == pulling;
    let externals = externals.into_iter().flatten().filter(pulls);
    let named: Vec<DriveColumns> =
        externals.filter_map(|external| external.name()).map(DriveColumns::of).collect();
    if named.is_empty() { vec![DriveColumns::of("")] } else { named }
}

/// Rows of what pulls a replica.
#[derive(Debug)]
pub(crate) struct PulledRows {
    pub curve: Curve,
    /// The temperature of the same rows, K.
    pub temperature_k: Vec<f64>,
    /// The work of the same rows, pN nm.
    pub work_pn_nm: Vec<f64>,
}

/// Force, extension and contacts of the pulling stage, or of all stages if none pulls, with work and temperature.
pub(crate) fn rows_of(
    rows: &MemberRows,
    point: &Point,
    stage: Option<usize>,
    drive: &DriveColumns,
) -> Result<PulledRows, Error> {
    let time_ns = rows.numbers(TIME, stage)?;
    let mut force_pn = rows.numbers(&drive.mean_force, stage)?;
    let instantaneous = rows.numbers(&drive.force, stage)?;
    for (mean, force) in force_pn.iter_mut().zip(instantaneous) {
        if !mean.is_finite() {
            *mean = force;
        }
    }
    let shift = stage.map_or(Ok(0.0), |stage| began(rows, point, stage))?;
    let curve = Curve {
        time_ns: time_ns.iter().map(|time| time - shift).collect(),
        extension_nm: rows.numbers(&drive.extension, stage)?,
        force_pn,
        contacts: match rows.table.has(CONTACTS) {
            true => rows.numbers(CONTACTS, stage)?,
            false => vec![f64::NAN; time_ns.len()],
        },
    };
    Ok(PulledRows {
        curve,
        temperature_k: rows.numbers(TEMPERATURE, stage)?,
        work_pn_nm: rows.numbers(&drive.work, stage)?,
    })
}
