//! Beads that move: frames of some members, as small numbers that a script of the page unpacks.

use beadwork_analysis::table::read_csv;
use beadwork_io::RunFolder;
use beadwork_io::frames::read_chosen;
use beadwork_model::{Boundary, Model, System, Units};
use beadwork_session::Error;
use beadwork_session::session::frame_format;
use beadwork_session::tables::begun;
use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::Run;
use super::packed::{base64, gzip_base64};
use super::places::Places;
use super::seen::Seen;
use super::still;
use crate::bead_models::radius_of_beads;
use crate::drawn_beads::SMALL;

/// The most members that can be looked at in a page.
const MOST_MEMBERS: usize = 4;
/// The most frames of a member.
const MOST_FRAMES: usize = 60;
/// Beads times frames of all members together; each takes some four bytes of the page.
const MOST_PLACES: usize = 240_000;
/// The steps of coordinates, Å and reduced units: too small to see.
const STEP: f64 = 0.1;
const REDUCED_STEP: f64 = 0.01;

/// A member that can be looked at.
pub(super) struct Moving {
    /// The run, the point and the replica.
    pub name: String,
    /// What is shown, and what is left out.
    pub notes: Vec<String>,
    /// Colours and what they mean.
    pub legend: Vec<(String, String)>,
    /// What the script unpacks.
    pub data: String,
    /// The last frame as PNG in base64.
    pub still: String,
}

/// A member whose frames are shown.
struct Chosen<'a> {
    run: &'a Run<'a>,
    folder: &'a RunFolder,
    place: usize,
    number: u64,
}

impl Chosen<'_> {
    fn point(&self) -> &beadwork_input::Point {
        self.run.request.member(self.number).0
    }

    fn system(&self) -> &System {
        &self.point().system
    }
}

/// The members that can be looked at, and why others cannot.
pub(super) struct Found {
    pub moving: Vec<Moving>,
    pub problems: Vec<String>,
}

/// The first member with frames of some points, evenly chosen among the points of all runs. Frames that cannot be read are no reason
/// to have no page: it says so.
pub(super) fn read(runs: &[Run<'_>]) -> Result<Found, Error> {
    let mut candidates = Vec::new();
    for run in runs.iter().filter(|run| run.request.output.trajectory.is_some()) {
        let mut last_point = None;
        for (folder, place, number) in begun(run.folders, run.request)? {
            let point = number / run.request.replicas.max(1);
            let chosen = Chosen { run, folder, place, number };
            // What a bead of independent particles holds are coordinates of several of them.
            let is_seen = !matches!(chosen.system().model, Model::Oscillators(_));
            if is_seen && last_point != Some(point) && has_frames(&chosen) {
                last_point = Some(point);
                candidates.push(chosen);
            }
        }
    }
    let count = candidates.len().min(MOST_MEMBERS);
    let mut found = Found { moving: Vec::new(), problems: Vec::new() };
    for place in 0..count {
        let chosen = &candidates[place * candidates.len() / count];
        match of_member(chosen, count, runs.len() > 1) {
            Ok(moving) => found.moving.extend(moving),
            Err(error) => found.problems.push(format!("replica {}: {error}", chosen.number)),
        }
    }
    Ok(found)
}

fn has_frames(chosen: &Chosen<'_>) -> bool {
    let (folder, place) = (chosen.folder, chosen.place);
    let trajectory = chosen.run.request.output.trajectory;
    let path = trajectory.map(|(_, kind)| folder.trajectory(place, frame_format(kind)));
    folder.frames(place).exists() && path.is_some_and(|path| path.exists())
}

/// When a frame was written.
#[derive(Clone, Debug, PartialEq)]
struct Written {
    stage: String,
    time: f64,
}

/// The frames of a member that are shown.
struct Frames {
    /// Their numbers, ascending.
    numbers: Vec<usize>,
    /// The beads that are seen, in each.
    placed: Vec<Vec<[f64; 3]>>,
    /// When each frame of the trajectory was written, shown or not.
    written: Vec<Written>,
    /// The unit of these times; empty in reduced units.
    unit: &'static str,
    /// Whether something acts from outside.
    is_driven: bool,
}

impl Frames {
    fn read(chosen: &Chosen<'_>, seen: &Seen, members: usize) -> Result<Frames, Error> {
        let system = chosen.system();
        let list = read_csv(chosen.folder.frames(chosen.place))?;
        let clocks = [("time_ns", "ns"), ("time", ""), ("sweep", "sweeps"), ("step", "steps")];
        let clock = clocks.into_iter().find(|(column, _)| list.has(column)).unwrap_or(clocks[3]);
        let moments = list.texts("stage")?.into_iter().zip(list.numbers(clock.0)?);
        let written: Vec<Written> =
            moments.map(|(stage, time)| Written { stage: stage.to_string(), time }).collect();
        let driven = first_driven(chosen, &written);
        let most = MOST_PLACES / (seen.beads.len().max(1) * members);
        let wanted = choose(written.len(), driven, most.clamp(1, MOST_FRAMES));
        let is_driven = driven.is_some();
        let (numbers, placed) = (Vec::new(), Vec::new());
        let mut frames = Frames { numbers, placed, written, unit: clock.1, is_driven };
        let Some((_, kind)) = chosen.run.request.output.trajectory else { return Ok(frames) };
        let path = chosen.folder.trajectory(chosen.place, frame_format(kind));
        let is_wanted = |number: usize| wanted.binary_search(&number).is_ok();
        read_chosen(&path, frame_format(kind), is_wanted, |number, positions| {
            if positions.len() == 3 * system.beads() {
                let positions = positions.as_chunks::<3>().0.iter().map(|at| at.map(f64::from));
                let positions: Vec<[f64; 3]> = positions.collect();
                frames.placed.push(seen.placed(system, &positions, !is_driven));
                frames.numbers.push(number);
            }
        })?;
        Ok(frames)
    }

    fn shown(&self) -> impl Iterator<Item = &Written> {
        self.numbers.iter().map(|number| &self.written[*number])
    }
}

fn of_member(
    chosen: &Chosen<'_>,
    members: usize,
    has_names: bool,
) -> Result<Option<Moving>, Error> {
    let system = chosen.system();
    let seen = Seen::of(system);
    let frames = Frames::read(chosen, &seen, members)?;
    let Some(first) = frames.placed.first() else { return Ok(None) };
    let (bonds, across) = seen.bonds(system, first);
    let notes = notes(chosen, &seen, &frames, across);
    let point = chosen.point().settings_in_words();
    let names = [if has_names { chosen.run.name.as_str() } else { "" }, point.as_str()];
    let mut name: String =
        names.into_iter().filter(|name| !name.is_empty()).map(|name| format!("{name}: ")).collect();
    name.push_str(&format!("replica {}", chosen.number));
    let step = if system.units == Units::Real { STEP } else { REDUCED_STEP };
    let places = Places::of(&frames.placed, step);
    // Usual distances are those of the start.
    let radius = radius_of_beads(system, &system.particles.positions, &system.bonds());
    let described = json!({
        "beads": seen.beads.len(),
        "frames": frames.placed.len(),
        "origin": places.origin,
        "step": places.step,
        "radius": seen.radius(radius),
        "radiusOfSmall": SMALL * seen.radius(radius),
        "stick": seen.stick(radius),
        "colours": seen.colours.iter().map(|(colour, _)| colour).collect::<Vec<_>>(),
        "colour": seen.colour,
        "small": seen.small,
        "bonds": bonds.iter().flat_map(|bond| [bond.0, bond.1]).collect::<Vec<_>>(),
        "sides": system.boundary.sides(),
        "times": frames.shown().map(|one| one.time).collect::<Vec<_>>(),
        "unit": frames.unit,
        "stages": frames.shown().map(|one| one.stage.as_str()).collect::<Vec<_>>(),
    });
    let last = frames.placed.last().unwrap_or(first);
    let still = base64(&still::png(system, &seen, last, &bonds, radius)?);
    let data = gzip_base64(&places.bytes(&described.to_string()))?;
    let legend = seen.colours.into_iter().filter(|(_, name)| !name.is_empty()).collect();
    Ok(Some(Moving { name, notes, legend, data, still }))
}

/// What is shown of a member, and what is not.
fn notes(chosen: &Chosen<'_>, seen: &Seen, frames: &Frames, across: usize) -> Vec<String> {
    let mut notes = vec![in_words(&frames.numbers, frames.written.len())];
    notes.extend(seen.note(chosen.system()));
    if across > 0 {
        notes.push(format!("{across} bonds across faces of the box are not drawn"));
    }
    let placed = match (chosen.system().boundary, frames.is_driven) {
        (Boundary::Periodic { .. }, _) => "molecules are whole, each with its centre in the box",
        (Boundary::Open, true) => "what pulls or presses is not drawn",
        (Boundary::Open, false) => "the centre of the beads is kept in place",
    };
    notes.push(placed.to_string());
    if chosen.point().exchange.is_some() {
        notes.push("the replica goes through the temperatures of its ladder".to_string());
    }
    notes
}

/// The first frame of the first stage in which something acts from outside: from there on the way counts, else the end alone.
fn first_driven(chosen: &Chosen<'_>, written: &[Written]) -> Option<usize> {
    let stages = &chosen.point().protocol.stages;
    let driven = stages.iter().find(|stage| !stage.externals.is_empty())?;
    written.iter().position(|one| one.stage == driven.name)
}

/// The numbers of the frames that are shown, of `all`: the last ones, or evenly many from one on to the last.
fn choose(all: usize, from: Option<usize>, most: usize) -> Vec<usize> {
    let first = from.unwrap_or_else(|| all.saturating_sub(most));
    let count = all - first;
    match count <= most {
        true => (first..all).collect(),
        // The last one is among them.
        false if most == 1 => vec![all - 1],
        false => (0..most).map(|place| first + place * (count - 1) / (most - 1)).collect(),
    }
}

/// `all 60 frames`, `frames 40 to 99 of 100`, `60 of 1000 frames, from 0 to 999`.
fn in_words(shown: &[usize], all: usize) -> String {
    let (first, last) = (shown.first().copied().unwrap_or(0), shown.last().copied().unwrap_or(0));
    match shown.len() {
        count if count == all => format!("all {all} frames"),
        1 => format!("frame {last} of {all}, counted from 0: this page has no room for more"),
        count if last - first + 1 == count => {
            format!("frames {first} to {last} of {all}, counted from 0")
        }
        count => format!("{count} of {all} frames, evenly from {first} to {last}, counted from 0"),
    }
}

/// The section of the page.
pub(super) fn section(found: &Found, runs: &[Run<'_>]) -> Markup {
    let Found { moving, problems } = found;
    let has_trajectories = runs.iter().any(|run| run.request.output.trajectory.is_some());
    html! {
        section id="moving" {
            h2 { "Beads" }
            @for problem in problems { p.thinned { "Frames cannot be read of " (problem) } }
            @if moving.is_empty() && problems.is_empty() {
                p { @if has_trajectories { "No frames can be looked at: none are written yet, or they are of independent particles." } @else { "The input asks for no trajectory, so there are no frames." } }
            }
            @for (number, one) in moving.iter().enumerate() {
                figure.moving id={ "moving-" (number) } {
                    // Shown by the script that moves the beads.
                    div.stage hidden {}
                    img.print alt={ "beads of " (one.name) } src={ "data:image/png;base64," (one.still) };
                    p.controls hidden {
                        button.play type="button" { "Play" } " "
                        input.frame type="range" min="0" value="0" aria-label="frame"; " "
                        output.time {} " "
                        button.all type="button" { "Show all" }
                    }
                    p.note.waiting { "This is the last frame. Scripts and WebGL move beads here." }
                    figcaption { strong { (one.name) } " – " (one.notes.join("; ")) "."
                        @if !one.legend.is_empty() { ul.legend { @for (colour, name) in &one.legend { li { (swatch(colour)) " " (name) } } } }
                    }
                    script type="application/gzip" { (PreEscaped(&one.data)) }
                }
            }
            @if !moving.is_empty() { p.small.screen { "Dragging turns, the wheel zooms, dragging with Ctrl moves." } }
        }
    }
}

/// A spot of a colour.
fn swatch(colour: &str) -> Markup {
    html! { svg width="12" height="12" aria-hidden="true" { circle cx="6" cy="6" r="5" fill=(colour) {} } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_is_always_among_those_shown() {
        assert_eq!(choose(5, None, 60), [0, 1, 2, 3, 4]);
        assert_eq!(choose(100, None, 3), [97, 98, 99]);
        assert_eq!(choose(101, Some(0), 3), [0, 50, 100]);
        assert_eq!(choose(100, Some(90), 1), [99]);
        assert_eq!(choose(0, None, 60), [0; 0]);
        assert_eq!(in_words(&[97, 98, 99], 100), "frames 97 to 99 of 100, counted from 0");
        assert!(in_words(&[0, 50, 100], 101).starts_with("3 of 101 frames, evenly from 0 to 100"));
    }
}
