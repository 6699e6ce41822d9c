//! Tips and surfaces among the `drives` of a stage.

use beadwork_model::advice::{plain, with_decimals};
use beadwork_model::externals::{
    BasePath, Cantilever, Contact, External, MoveSchedule, Plane, Surface, SurfacePlace,
    SurfacePoints, Tip, TipPlace, unit,
};
use beadwork_model::units::{ANGSTROMS_PER_NANOMETRE, Dimension, PICONEWTONS_PER_FORCE, Units};

use super::context::{StageContext, read_selection};
use crate::error::{BAD_VALUE, CONFLICT, Error};
use crate::numbers::Bound;
use crate::section::{Section, UsualQuantity};
use crate::steps::{self, TimeStep};

/// The keys of a tip, in groups.
pub(super) const TIP_KEYS: &[&[&str]] = &[&["above", "radius", "shape"], PRESSED_KEYS];

/// The keys of what a cantilever presses on beads, beside its shape: its place, its contact with beads, and the cantilever.
pub(super) const PRESSED_KEYS: &[&str] = &[
    "position",
    "gap",
    "direction",
    "stiffness",
    "friction",
    "speed",
    "turn_after",
    "turn_after_steps",
    "rest",
    "rest_steps",
    "cycles",
    "depth",
    "sigma",
    "a",
    "b",
    "moves_every",
    "update_every",
    "fixed_sideways",
    "contact_force",
    "thermal",
    "continue",
];

/// The keys of the way of a tip's base, which a tip that continues has of its own.
pub(super) const PATH_KEYS: &[&str] =
    &["speed", "turn_after", "turn_after_steps", "rest", "rest_steps", "cycles"];

/// The keys that [`read_plane`] reads.
pub(super) const PLANE_KEYS: &[&str] = &["position", "gap", "normal", "depth", "sigma", "a", "b"];

/// The keys of a surface, in groups.
pub(super) const SURFACE_KEYS: &[&[&str]] =
    &[&["below"], PLANE_KEYS, &["points", "spacing", "continue"]];

/// The most points along a side of a surface. SOP-GPU's example has 35.
pub(crate) const MOST_POINTS: u64 = 300;
/// Steps after which a tip moves.
const USUAL_MOVES: u32 = 10;
/// So many σ from the origin doubles are 2e-10 σ apart, less than a thousandth of a tip's usual moves. Farther away moves would be
/// lost in rounding, and with them the force of the cantilever.
const FARTHEST: f64 = 1e6;
/// Noise alone may move a tip by this share of σ along an axis. A move of half of σ, an error, is then as rare as one in 10¹¹.
const SHAKEN: f64 = 1.0 / 15.0;

pub(super) fn read_tip(
    section: &mut Section<'_>,
    context: &mut StageContext<'_>,
    before: &[External],
) -> Result<External, Error> {
    if section.boolean_or("continue", false)? {
        let tip = continued(section, context, before, ("tip", as_tip), (TIP_KEYS, PATH_KEYS))?;
        let cantilever = read_going_on(section, context, &tip.cantilever)?;
        return Ok(External::Tip(Tip { cantilever, ..tip }));
    }
    section.choice("shape", &["sphere"], Some("sphere"))?;
    let beads = read_selection(section, context, "above", "all")?;
    let direction = read_direction(section, "direction", [0.0, 0.0, -1.0])?;
    let radius =
        section.required_quantity("radius", Dimension::Length, Bound::Positive, "20 nm")?;
    let contact = read_contact(section, [0.0, 1.0])?;
    refuse_far(section, "radius", radius, contact.sigma)?;
    let place = read_begin(section, contact.sigma, TipPlace::At, TipPlace::Above)?;
    let cantilever = read_cantilever(section, context, direction, contact.sigma)?;
    Ok(External::Tip(Tip { beads, radius, contact, cantilever, place }))
}

/// The cantilever of what goes on from the stage before, which has a path of its own.
pub(super) fn read_going_on(
    section: &mut Section<'_>,
    context: &StageContext<'_>,
    before: &Cantilever,
) -> Result<Cantilever, Error> {
    let path = read_path(section, context, Bound::Any)?;
    Ok(Cantilever { path, goes_on: true, ..*before })
}

/// The cantilever that presses along a direction what has a contact of this σ with beads. Refuses one that would throw it about.
pub(super) fn read_cantilever(
    section: &mut Section<'_>,
    context: &StageContext<'_>,
    direction: [f64; 3],
    sigma: f64,
) -> Result<Cantilever, Error> {
    let stiffness = read_stiffness_of_cantilever(section)?;
    let friction = section.required_quantity(
        "friction",
        Dimension::Friction,
        Bound::Positive,
        "8.7e7 pN ps/nm",
    )?;
    let path = read_path(section, context, Bound::NotNegative)?;
    section.one_of("moves_every", "update_every")?;
    let (key, schedule) = match section.node("update_every") {
        Some(_) => ("update_every", MoveSchedule::Present),
        None => ("moves_every", MoveSchedule::Earlier),
    };
    let moves_every = steps::number_or(section, key, USUAL_MOVES, "steps")?;
    let along_only = section.boolean_or("fixed_sideways", false)?;
    let usual = UsualQuantity::new("10 pN", 0.1);
    let contact_force =
        section.quantity_or("contact_force", Dimension::Force, Bound::NotNegative, usual)?.value;
    let temperature = if section.boolean_or("thermal", false)? { context.temperature } else { 0.0 };
    let cantilever = Cantilever {
        stiffness,
        friction,
        direction,
        path,
        moves_every,
        schedule,
        along_only,
        contact_force,
        temperature,
        goes_on: false,
    };
    refuse_unstable(section, &cantilever, sigma, context.timestep)?;
    Ok(cantilever)
}

/// The stiffness of the cantilever, without which nothing would press.
fn read_stiffness_of_cantilever(section: &mut Section<'_>) -> Result<f64, Error> {
    let (dimension, example) = (Dimension::Stiffness, "50 pN/nm");
    let stiffness =
        section.required_quantity("stiffness", dimension, Bound::NotNegative, example)?;
    if stiffness > 0.0 {
        return Ok(stiffness);
    }
    let problem = "is 0: a cantilever without stiffness presses the tip on nothing; write that of the instrument, which is 10 to 1000 pN/nm for soft levers";
    Err(section.fault(BAD_VALUE, "stiffness", problem))
}

fn as_tip(external: &External) -> Option<&Tip> {
    match external {
        External::Tip(tip) => Some(tip),
        _ => None,
    }
}

fn as_surface(external: &External) -> Option<&Surface> {
    match external {
        External::Surface(surface) => Some(surface),
        _ => None,
    }
}

/// What a drive continues: the one of its kind in the stage before that has as many of its kind before it. `as_kind` takes an
/// external of the kind, `keys` are all keys of the kind, and `kept` those that the drive has of its own.
pub(super) fn continued<T: Clone>(
    section: &Section<'_>,
    context: &StageContext<'_>,
    before: &[External],
    (kind, as_kind): (&str, fn(&External) -> Option<&T>),
    (keys, kept): (&[&[&str]], &[&str]),
) -> Result<T, Error> {
    let Some((name, externals)) = &context.before else {
        let problem = format!(
            "needs a stage before with a {kind}, and this is the first stage: leave it out and describe the {kind}"
        );
        return Err(section.fault(CONFLICT, "continue", &problem));
    };
    let number = before.iter().filter_map(as_kind).count();
    let Some(found) = externals.iter().filter_map(as_kind).nth(number) else {
        let there = externals.iter().filter_map(as_kind).count();
        let problem = format!(
            "needs {kind} {} in the stage before, and stage \"{name}\" has {there}: leave it out and describe the {kind}, or put the stages behind each other",
            number + 1
        );
        return Err(section.fault(CONFLICT, "continue", &problem));
    };
    let is_other = |key: &&str| !kept.contains(key) && *key != "continue";
    let others: Vec<&str> = keys.concat().into_iter().filter(is_other).collect();
    let because = format!("the {kind} continues as it was in stage \"{name}\": leave it out");
    section.exclude(&others, &because)?;
    Ok(found.clone())
}

/// Refuses a tip that its cantilever alone would throw about: n h κ/ζ must be well below 1.
fn refuse_unstable(
    section: &Section<'_>,
    cantilever: &Cantilever,
    sigma: f64,
    clock: &TimeStep,
) -> Result<(), Error> {
    let (timestep, units) = (clock.quantity.value, clock.units);
    let Cantilever { moves_every, friction, .. } = *cantilever;
    let share = moves_every as f64 * timestep * cantilever.stiffness / friction;
    let shaken = cantilever.amplitude(moves_every as f64 * timestep) / sigma;
    if share < 0.5 && shaken > SHAKEN {
        let problem = format!(
            "is too low: in the {} step(s) between its moves noise shakes the tip by {} σ along each axis, and a move of 0.5 σ is an error; give it a friction of at least {}, or let it move more often",
            moves_every,
            with_decimals(shaken, 2),
            friction_in_words((shaken / SHAKEN).powi(2) * friction, units)
        );
        return Err(section.fault(BAD_VALUE, "friction", &problem));
    }
    if share < 0.5 {
        return Ok(());
    }
    let problem = format!(
        "is too low: in the {} step(s) between its moves the tip would go {} of its way to the base, and beyond 0.5 it overshoots; give it a friction of at least {}, or let it move more often",
        moves_every,
        with_decimals(share, 2),
        friction_in_words(2.0 * share * friction, units)
    );
    Err(section.fault(BAD_VALUE, "friction", &problem))
}

/// A friction in the units of an input, rounded up to two digits.
fn friction_in_words(friction: f64, units: Units) -> String {
    let (value, unit) = match units {
        Units::Real => {
            let unit = PICONEWTONS_PER_FORCE * ANGSTROMS_PER_NANOMETRE;
            (friction * unit, " pN ps/nm")
        }
        Units::Reduced => (friction, ""),
    };
    let digit = 10_f64.powf(value.log10().floor() - 1.0);
    // A thousandth more, since the bound itself is refused.
    format!("{:.1e}{unit}", (1.001 * value / digit).ceil() * digit)
}

fn read_path(
    section: &mut Section<'_>,
    context: &StageContext<'_>,
    bound: Bound,
) -> Result<BasePath, Error> {
    let speed = section.required_quantity("speed", Dimension::Speed, bound, "1 um/s")?;
    let out = steps::read(section, "turn_after", "turn_after_steps", context.timestep)?;
    if out.is_none() {
        let keys = ["rest", "rest_steps", "cycles"];
        section.exclude(&keys, "the base never turns: write turn_after")?;
        return Ok(BasePath { speed, out: None, rest: 0, cycles: 1 });
    }
    let rest = steps::read(section, "rest", "rest_steps", context.timestep)?;
    let cycles = steps::number_or(section, "cycles", 1, "cycles")?;
    let steps = |read: Option<crate::section::Read<u64>>| read.map_or(0, |steps| steps.value);
    Ok(BasePath { speed, out: out.map(|steps| steps.value), rest: steps(rest), cycles })
}

pub(super) fn read_surface(
    section: &mut Section<'_>,
    context: &mut StageContext<'_>,
    before: &[External],
) -> Result<External, Error> {
    if section.boolean_or("continue", false)? {
        let surface =
            continued(section, context, before, ("surface", as_surface), (SURFACE_KEYS, &[]))?;
        return Ok(External::Surface(Surface { goes_on: true, ..surface }));
    }
    let beads = read_selection(section, context, "below", "all")?;
    let Plane { contact, normal, place } = read_plane(section)?;
    let points = match section.integer("points", 1, "35")? {
        None => {
            section.exclude(&["spacing"], "a plane has no points: write points too")?;
            None
        }
        Some(side) if side.value > MOST_POINTS => {
            let problem = format!(
                "is {}: the surface has as many points along each side, and each acts on each bead in each step; write at most {MOST_POINTS}, or leave it out for a plane",
                side.value
            );
            return Err(section.fault(BAD_VALUE, "points", &problem));
        }
        Some(side) => {
            let spacing = section.required_quantity(
                "spacing",
                Dimension::Length,
                Bound::Positive,
                "1.2 nm",
            )?;
            let whole = spacing * side.value as f64;
            refuse_far(section, "spacing", whole, contact.sigma)?;
            Some(SurfacePoints { side: side.value as usize, spacing })
        }
    };
    Ok(External::Surface(Surface { beads, contact, normal, place, points, goes_on: false }))
}

/// The plane of a drive: its contact with beads, its normal and its place.
pub(super) fn read_plane(section: &mut Section<'_>) -> Result<Plane, Error> {
    let normal = read_direction(section, "normal", [0.0, 0.0, 1.0])?;
    let contact = read_contact(section, [1.0, -2.0])?;
    let place = read_begin(section, contact.sigma, SurfacePlace::At, SurfacePlace::Below)?;
    Ok(Plane { contact, normal, place })
}

pub(super) fn read_direction(
    section: &mut Section<'_>,
    key: &str,
    usual: [f64; 3],
) -> Result<[f64; 3], Error> {
    let Some(vector) = section.vector(key)? else { return Ok(usual) };
    unit(vector).ok_or_else(|| section.fault(BAD_VALUE, key, "must have a length: it is [0, 0, 0]"))
}

/// ε, σ, A and B; without the last two, those of `usual`. Refuses those that push nothing away, at whatever distance.
pub(super) fn read_contact(section: &mut Section<'_>, usual: [f64; 2]) -> Result<Contact, Error> {
    let energy = UsualQuantity::new("1 kcal/mol", 1.0);
    let length = UsualQuantity::new("1 A", 1.0);
    let positive = Bound::Positive;
    let contact = Contact {
        epsilon: section.quantity_or("depth", Dimension::Energy, positive, energy)?.value,
        sigma: section.quantity_or("sigma", Dimension::Length, positive, length)?.value,
        twelfth: section.number_or("a", Bound::NotNegative, usual[0])?,
        sixth: section.number_or("b", Bound::Any, usual[1])?,
    };
    if contact.twelfth > 0.0 || contact.sixth > 0.0 {
        return Ok(contact);
    }
    let what = if contact.sixth < 0.0 { "draws beads in without bound" } else { "has no force" };
    let problem = format!(
        "is {} beside `a` = 0, so that it {what}: write an `a` above 0 for a surface that attracts and keeps beads out, or a `b` above 0 for one that repels",
        plain(contact.sixth)
    );
    Err(section.fault(BAD_VALUE, "b", &problem))
}

/// Where a tip or a surface begins: at `position`, or else with a `gap` between it and the nearest bead.
pub(super) fn read_begin<P>(
    section: &mut Section<'_>,
    sigma: f64,
    at: fn([f64; 3]) -> P,
    apart: fn(f64) -> P,
) -> Result<P, Error> {
    let Some(position) = read_place(section)? else { return Ok(apart(read_gap(section, sigma)?)) };
    refuse_far(section, "position", largest(position), sigma)?;
    Ok(at(position))
}

/// The largest component.
fn largest(position: [f64; 3]) -> f64 {
    position.into_iter().fold(0.0, |largest, component| component.abs().max(largest))
}

/// Refuses a length so far beyond the reach of the contact that double precision cannot resolve what happens there.
fn refuse_far(section: &Section<'_>, key: &str, length: f64, sigma: f64) -> Result<(), Error> {
    let ratio = length / sigma;
    if ratio <= FARTHEST {
        return Ok(());
    }
    let problem = format!(
        "is too large: at {ratio:.1e} times `sigma` numbers do not resolve moves and forces any more; write less than {FARTHEST:e} times"
    );
    Err(section.fault(BAD_VALUE, key, &problem))
}

pub(super) fn read_place(section: &mut Section<'_>) -> Result<Option<[f64; 3]>, Error> {
    section.one_of("position", "gap")?;
    section.lengths("position")
}

/// The gap between a surface and the nearest bead: 2 σ without the key.
pub(super) fn read_gap(section: &mut Section<'_>, sigma: f64) -> Result<f64, Error> {
    let gap = section.quantity("gap", Dimension::Length, Bound::Positive)?;
    let gap = gap.map_or(2.0 * sigma, |gap| gap.value);
    refuse_far(section, "gap", gap, sigma)?;
    Ok(gap)
}
