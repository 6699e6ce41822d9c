//! What is checked, in words.

use std::fmt::Write as _;

use crate::input::{Point, Request};
use crate::model::Model;
use crate::model::advice::with_decimals;
use crate::model::observables::{Observable, OnRequest, extension};

use super::beads;
use super::chains::{self, steps_of};
use super::dynamics::describe_dynamics;
use super::memory::{OF_SYSTEM, estimated_memory};
use super::pace::{Estimate, Unmeasured};
use super::size::estimated_bytes;
use super::stages::describe_stages;
use super::stepping::Stepping;
use super::systems::{describe_molecules, describe_oscillators, describe_residues};
use super::warnings::{in_one_line, warnings};
use crate::analysis::numbers::{grouped, grouped_whole};
use crate::times::duration;

/// The systems, dynamics, stages and members of a request, a line each of a word and what it is.
pub fn of_request(request: &Request) -> String {
    let mut text = String::new();
    let mut first = String::new();
    describe_point(&mut first, request, &request.points[0]);
    for (number, point) in request.points.iter().enumerate() {
        if request.points.len() > 1 {
            let _ = writeln!(text, "Point {number}: {}", point.settings_in_words());
        }
        let mut described = String::new();
        describe_point(&mut described, request, point);
        // Later points print only the lines that differ from those of the first.
        let known = |line: &str| number > 0 && first.lines().any(|other| other == line);
        for line in described.lines().filter(|line| !known(line)) {
            let _ = writeln!(text, "{line}");
        }
    }
    let (members, ensemble) = (request.members(), chains::describe_ensemble(request));
    let _ = writeln!(text, "Ensemble     {members} member(s): {ensemble}");
    text
}

pub fn in_words(
    request: &Request,
    stepping: &Stepping,
    estimate: &Result<Estimate, Unmeasured>,
) -> String {
    let mut text = of_request(request);
    let at_once = stepping.at_once;
    let _ = writeln!(text, "Stepping     {}", stepping.words);
    let _ = writeln!(
        text,
        "Output       {}, about {} MB",
        request.output.folder.display(),
        with_decimals((estimated_bytes(request) / 1e6).max(1.0), 0)
    );
    let memory = request.points.iter().map(estimated_memory).fold(0.0, f64::max);
    let systems = request.points.iter().map(|point| OF_SYSTEM * point.system.beads() as f64);
    let systems = systems.fold(0.0, f64::max);
    let _ = writeln!(
        text,
        "Memory       about {} MB with {at_once} running member(s)",
        with_decimals(((memory * at_once as f64 + systems) / 1e6).max(1.0), 0)
    );
    let duration = match estimate {
        Ok(estimate) => describe_duration(estimate, steps_of(&request.points[0])),
        Err(Unmeasured::RunFails(_)) => "not estimated: the run fails".to_string(),
        Err(Unmeasured::StageFails(_)) => "not estimated".to_string(),
        Err(Unmeasured::Other(reason)) => format!("not estimated: {}", in_one_line(reason)),
    };
    let _ = writeln!(text, "Duration     {duration}");
    for note in &request.notes {
        let _ = writeln!(text, "Note         {note}");
    }
    for warning in warnings(request, estimate.as_ref().err()) {
        let _ = writeln!(text, "Warning      {warning}");
    }
    text
}

/// The duration in words; `counted` is the plural name of a step.
fn describe_duration(estimate: &Estimate, counted: &str) -> String {
    let seconds = std::time::Duration::from_secs(estimate.seconds.ceil() as u64);
    // Two digits of a rough number.
    let digits = 10_f64.powf(estimate.steps_per_second.max(10.0).log10().floor() - 1.0);
    let rate = (estimate.steps_per_second / digits).round() * digits;
    format!(
        "about {} on {} of this machine, {} {counted}/s (measured for a moment)",
        duration(seconds),
        estimate.on,
        grouped_whole(rate)
    )
}

fn describe_point(text: &mut String, request: &Request, point: &Point) {
    match &point.system.model {
        Model::Sop => describe_molecules(text, point),
        Model::Oscillators(particles) => {
            describe_oscillators(text, particles, &point.protocol.dynamics);
        }
        Model::ElasticPolymer(polymer) => chains::describe(text, point, polymer),
        Model::Residues(residues) => describe_residues(text, &point.system, residues),
        Model::Beads => beads::describe(text, &point.system, point.start.as_ref()),
    }
    if !point.system.is_sampled() {
        describe_dynamics(text, point);
    }
    chains::describe_exchange(text, point);
    describe_stages(text, point);
    if Observable::Extension.is_measured_in(&point.system, &point.protocol.dynamics) {
        let (from, to) = &point.protocol.ends;
        let ends = extension(from, to, &point.system.particles.positions);
        let unit = Observable::Extension.unit_in(point.system.units);
        let _ = writeln!(
            text,
            "Extension    {}{} at the start, between the ends that the table measures",
            with_decimals(unit.convert(ends), 3),
            behind(unit.symbol())
        );
    }
    for (role, selection, beads) in &point.selections {
        let shown: Vec<String> =
            beads.iter().take(3).map(|&bead| point.system.bead_label(bead)).collect();
        let more =
            if beads.len() > 3 { format!(" and {} more", beads.len() - 3) } else { String::new() };
        let _ = writeln!(text, "Selection    {role}, \"{selection}\": {}{more}", shown.join(", "));
    }
    let output = |every: u64, what: &str| {
        let (interval, count) = (chains::counted(point, every), point.protocol.steps() / every);
        format!("a {what} every {interval} ({} {what}s a member)", grouped(count))
    };
    let asked = |(_, columns): &&OnRequest| {
        columns.iter().all(|column| point.protocol.columns.contains(column))
    };
    let asked: Vec<&str> = Observable::ON_REQUEST.iter().filter(asked).map(|one| one.0).collect();
    let more =
        if asked.is_empty() { String::new() } else { format!(", also with {}", asked.join(", ")) };
    let _ = writeln!(text, "Table        {}{more}", output(request.output.table_every, "row"));
    let frames = request.output.trajectory.map(|(every, _)| output(every, "frame"));
    let _ = writeln!(text, "Trajectory   {}", frames.as_deref().unwrap_or("none"));
}

/// A unit behind a number.
fn behind(symbol: &str) -> String {
    if symbol.is_empty() { String::new() } else { format!(" {symbol}") }
}
