//! Notes on the limits of an answer.

use std::ops::Range;

use beadwork_analysis::numbers::rounded;
use beadwork_analysis::unfolding::{Criteria, noise_fall, noise_floor};
use beadwork_input::{Point, Request};
use beadwork_io::RunFolder;
use beadwork_model::advice::{ChainDrag, with_decimals};
use beadwork_model::externals::{External, Spring};
use beadwork_model::observables::expected_temperature_reading;
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, BOLTZMANN, PICONEWTONS_PER_FORCE};
use beadwork_model::{Model, Stage, StageKind, Units};

use crate::data::{Code, Finding};
use crate::pulling::{Pulling, analysed_stage, drives, pulling_stage, pushes, stiffest_spring};
use crate::rows::{PointMembers, samples};
use crate::words::{drive_in_words, head};

/// 1 Å/ps.
const MICROMETRES_PER_SECOND: f64 = 1e8;

/// The most points that a note names.
const MOST_NAMES: usize = 8;

/// Findings on a point that are known before its tables are read.
pub(crate) fn of_point(of_point: &PointMembers<'_>, criteria: &Criteria) -> Vec<Finding> {
    let (point, is_own) = (of_point.point, of_point.asked.is_none());
    // Unfolding forces are found of proteins alone.
    let is_unfolded = point.system.model != Model::Beads;
    let (pulling, stage) = analysed_stage(of_point);
    let has_spring = pulling == Pulling::Spring;
    let all_push =
        drives(of_point, pulling, stage).iter().all(|drive| pushes(of_point, stage, &drive.name));
    let of_noise = (has_spring && !all_push).then(|| of_noise(of_point, criteria)).flatten();
    let of_forces = [
        of_noise.map(|text| Finding::new(Code::NoisePeaks, text)),
        of_other_stages(point).filter(|_| is_own).map(|text| Finding::new(Code::OtherStages, text)),
    ];
    let of_forces = of_forces.into_iter().flatten().filter(|_| is_unfolded);
    let of_drag = of_drag(of_point).into_iter().filter(|_| has_spring);
    let of_drag = of_drag.map(|text| Finding::new(Code::Drag, text));
    let of_start = of_start(of_point).map(|text| Finding::new(Code::FromStart, text));
    let stage = point.protocol.stages.get(of_point.averaged_stage());
    let of_moves = stage.and_then(of_moves).map(|text| Finding::new(Code::AdaptiveMoves, text));
    let has_lifetimes = match point.system.model {
        Model::Beads => false,
        Model::Residues(_) => pulling_stage(point).0 != Pulling::None,
        _ => true,
    };
    let of_rules = stage.filter(|_| !has_lifetimes && point.exchange.is_none());
    let of_rules = of_rules.and_then(of_rules_of_beads);
    let of_rules = of_rules.map(|text| Finding::new(Code::Survivors, text));
    of_forces.chain(of_drag).chain(of_start).chain(of_moves).chain(of_rules).collect()
}

fn of_moves(stage: &Stage) -> Option<String> {
    let is_fitted = matches!(stage.kind, StageKind::Sample { tune_every: Some(_), .. });
    is_fitted.then(|| {
        format!(
            "stage \"{}\" fits its moves, which breaks detailed balance: averages over it are biased; take a stage without tune",
            stage.name
        )
    })
}

/// Lifetimes are found of proteins.
fn of_rules_of_beads(stage: &Stage) -> Option<String> {
    (!stage.stops.is_empty()).then(|| {
        format!(
            "rules end stage \"{}\" of each replica at a time of its own, so averages have more rows of replicas that stop late",
            stage.name
        )
    })
}

/// A note if thermal noise alone can fall by more than the prominence. The bound is low, because successive rows are
/// correlated.
fn of_noise(of_point: &PointMembers<'_>, criteria: &Criteria) -> Option<String> {
    let stages = of_point.stages();
    let rows = stages.iter().map(Stage::steps).sum::<u64>() / of_point.request.output.table_every;
    let per_nanometre = stiffest_spring(stages)? * PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
    let temperature = of_point.point.protocol.dynamics.temperature / BOLTZMANN;
    let floor = noise_floor(per_nanometre, temperature, criteria.window_points);
    let fall = noise_fall(floor, rows as usize);
    (fall > criteria.prominence_pn).then(|| {
        format!(
            "with a window of {} row(s) noise alone can fall by {} pN, more than the prominence of {} pN, and pass for an unfolding: take a longer window, more rows, or a larger prominence",
            criteria.window_points,
            with_decimals(fall, 0),
            rounded(criteria.prominence_pn, 3)
        )
    })
}

/// For each spring of the stage that is analysed its speed, and the drag of the solvent that it means.
fn of_drag(of_point: &PointMembers<'_>) -> Vec<String> {
    let Point { system, protocol, .. } = of_point.point;
    let stage = analysed_stage(of_point).1.and_then(|stage| protocol.stages.get(stage));
    let springs =
        stage.into_iter().flat_map(|stage| &stage.externals).filter_map(|one| match one {
            External::Spring(spring) if spring.speed != 0.0 => Some((one, spring)),
            _ => None,
        });
    // With velocities types may have friction of their own, and inertia is beside the drag.
    let is_overdamped =
        !protocol.dynamics.integrator.has_velocities() && system.units == Units::Real;
    let chain = ChainDrag::of_what(system);
    let in_words = |(external, spring): (&External, &Spring)| {
        let drag = ChainDrag::of(system, &protocol.dynamics, spring);
        let name = external.name().map_or_else(|| "the spring".to_string(), drive_in_words);
        let does = if spring.speed < 0.0 { "pushes" } else { "pulls" };
        format!(
            "{name} {does} at {} µm/s: drag of the solvent on {chain} takes up to {} pN of its force ({} beads x friction x speed / 2), which is not subtracted",
            rounded(spring.speed.abs() * MICROMETRES_PER_SECOND, 4),
            rounded(drag.force * PICONEWTONS_PER_FORCE, 2),
            drag.beads
        )
    };
    springs.filter(|_| is_overdamped).map(in_words).collect()
}

/// The temperature that tables should read, and that of the bath: `309 K in a bath of 300 K`.
pub(crate) fn of_temperature(point: &Point) -> Option<String> {
    let dynamics = &point.protocol.dynamics;
    let bath = dynamics.temperature / BOLTZMANN;
    let factor = expected_temperature_reading(&point.system, dynamics)?;
    let is_read = point.system.model == Model::Sop && bath > 0.0;
    is_read.then(|| format!("{:.0} K in a bath of {bath:.0} K", factor * bath))
}

fn of_other_stages(point: &Point) -> Option<String> {
    let (pulling, Some(analysed)) = pulling_stage(point) else { return None };
    let stages = &point.protocol.stages;
    let others = stages[analysed + 1..].iter().filter(|stage| samples(stage));
    let names: Vec<String> = others.map(|stage| format!("\"{}\"", stage.name)).collect();
    (!names.is_empty()).then(|| {
        let (own, names) = (&stages[analysed].name, names.join(", "));
        match pulling {
            Pulling::Spring => format!(
                "the answer is of stage \"{own}\" alone; later stages have no part in it: {names}; ask for these by --stage"
            ),
            _ => format!(
                "curves and lifetimes are of stage \"{own}\" and averages of the last stage; later stages are {names}; ask for an answer of one stage by --stage"
            ),
        }
    })
}

fn of_start(of_point: &PointMembers<'_>) -> Option<String> {
    of_point.point.averages_from_start(of_point.asked).then(|| {
        "averages have the rows from the start on, equilibration included: a stage before this one would be left out".to_owned()
    })
}

/// A note on points of a sweep of which no replica has begun, by their names.
pub(crate) fn of_waiting(prefix: &str, names: &[String]) -> Option<String> {
    let which = match names.len() {
        1 => "1 point has no rows yet, since none of its replicas has begun".to_string(),
        all => format!("{all} points have no rows yet, since none of their replicas has begun"),
    };
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let first: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("{}{which}: {}{more}", head(prefix), first.join("; ")))
}

/// A note if members of the run are in none of the folders, which are in the order of their members.
pub(crate) fn of_missing(prefix: &str, folders: &[RunFolder], request: &Request) -> Option<String> {
    let here = folders.iter().map(RunFolder::members);
    let end = request.members() as usize;
    let ends = std::iter::once(0).chain(here.clone().map(|members| members.end));
    let starts = here.map(|members| members.start).chain(std::iter::once(end));
    let gaps = ends.zip(starts).map(|(from, to)| from..to);
    let missing: Vec<Range<usize>> = gaps.filter(|gap| !gap.is_empty()).collect();
    let ranges: Vec<String> = missing.iter().map(|range| format!("{range:?}")).collect();
    let place = if folders.len() == 1 { "not in this folder" } else { "in none of these folders" };
    (!missing.is_empty()).then(|| {
        format!(
            "{}{} of the run's {} replica(s) are {place}: {}",
            head(prefix),
            missing.iter().map(ExactSizeIterator::len).sum::<usize>(),
            request.members(),
            ranges.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_wait_are_named() {
        let names = |count: usize| -> Vec<String> {
            (0..count).map(|number| format!("speed = {number} um/s")).collect()
        };
        assert_eq!(of_waiting("", &[]), None);
        assert_eq!(
            of_waiting("run", &names(1)).unwrap(),
            "run: 1 point has no rows yet, since none of its replicas has begun: speed = 0 um/s"
        );
        let many = of_waiting("", &names(10)).unwrap();
        assert!(many.starts_with("10 points have no rows yet"), "{many}");
        assert!(many.ends_with("; speed = 7 um/s; and 2 more"), "{many}");
    }
}
