//! The tip and the surface of a configuration that indents.
//!
//! Meanings and defaults of the keys are those of SOP-GPU 2.0.

use beadwork_model::externals::{dot, unit};

use super::PICOSECONDS;
use super::config::{Config, quantity};
use super::drive::DEFAULT_NAV;
use super::keys;
use crate::document::{Value, inline};
use crate::error::Error;
use crate::stages::MOST_POINTS;

/// Keys that set what is written or drawn.
const WRITTEN: [&str; 4] = [
    "indentationOutput",
    "indentationShowTipSurf",
    "indentationSurfConnectFile",
    "indentationCantLength",
];
/// Keys of points, which a plane has only where it is drawn.
const OF_POINTS: [&str; 3] =
    ["indentationSurfaceSize", "indentationSurfaceStep", "indentationPairsCutoff"];
/// Points along a side of the surface, and Å between them, where the configuration does not say them.
const DEFAULT_SIDE: u64 = 51;
const DEFAULT_SPACING: f64 = 1.4;
/// ζ of a tip for which the configuration gives none.
const DEFAULT_TIP_ZETA: f64 = 5000.0;
/// A vector whose length is so near 1 was written as a unit vector with rounded components.
const ROUNDED: f64 = 1e-3;

/// Writes the drives, a surface and a tip, of a stage of `steps`, each of `picoseconds`.
pub(super) fn write_indentation(
    config: &mut Config,
    picoseconds: f64,
    steps: u64,
) -> Result<Vec<String>, Error> {
    if config.switch("indentationMoveSurface")? {
        let problem = "moves the surface against a tip at rest, and beadwork moves the base of the tip: switch it off, and turn `indentationDirection` around if the tip is to press on the molecule; the molecule then stays where it is, and no friction drags at all of it";
        return Err(config.fault("indentationMoveSurface", problem));
    }
    let surface = write_surface(config)?;
    let tip = write_tip(config, picoseconds, steps)?;
    config.note_defaults();
    note_what_is_left(config);
    config.note("Each row of the tables has positions and forces of its own step; SOP-GPU's rows of `indentationOutput` have averages since the last row, of the sizes of the forces too.");
    config.note("`deformation` counts from the step at which the beads push the tip back by 10 pN: `contact_force` of the tip changes that.");
    Ok(surface.into_iter().chain([tip]).collect())
}

fn write_tip(config: &mut Config, picoseconds: f64, steps: u64) -> Result<String, Error> {
    let base = required_vector(config, "indentationChip")?;
    if vector(config, "indentationTip")?.is_some_and(|tip| tip != base) {
        let problem = "is not the position of `indentationChip`: the cantilever would be bent from the start, and in beadwork tip and base begin at one place; leave it out, and put `indentationChip` where the tip is to begin";
        return Err(config.fault("indentationTip", problem));
    }
    let direction = required_vector(config, "indentationDirection")?;
    if unit(direction).is_none() {
        return Err(config.fault("indentationDirection", "must have a length"));
    }
    required(config, "indentationTipR")?;
    let radius = config.with_unit("indentationTipR", "", "A")?;
    let stiffness = stiffness(config)?;
    let zeta = config.number_or("indentationTipZeta", DEFAULT_TIP_ZETA)?;
    let every = config.interval_or("nav", DEFAULT_NAV)?;
    required(config, "indentationDeltaX")?;
    let step = config.number("indentationDeltaX")?.unwrap_or_default();
    let mut direction = direction;
    if step < 0.0 {
        direction = direction.map(|component| 0.0 - component);
        config.note("`indentationDeltaX` is negative: the direction of the tip was turned around, and its speed is positive.");
    }
    // 1 Å/ps is 10⁸ µm/s.
    let speed = step.abs() / (every as f64 * picoseconds) * 1e8;
    let contact = contact(config, "Tip")?.ok_or_else(|| {
        let problem = "is on, and the tip has no potential: `indentationTipEl`, `indentationTipSigma`, or both `indentationTipA` and `indentationTipB` are 0; give it one";
        config.fault("indentation", problem)
    })?;
    let turn = turn(config, every, steps)?;
    let sideways = match switch_or_off(config, "indentationFixTrans")? {
        true => ", fixed_sideways = true",
        false => "",
    };
    config.note(format!(
        "The tip moves every {every} steps (`nav`), by SOP-GPU's order; write `moves_every = 10` in place of `update_every = {every}` for a tip that moves more often."
    ));
    Ok(format!(
        "{{ kind = \"tip\", above = \"all\", position = {}, direction = {}, radius = {radius}, stiffness = {stiffness}, friction = {}, speed = {}{turn}{contact}, update_every = {every}{sideways} }}",
        position(base),
        in_toml(direction),
        quantity(zeta * PICOSECONDS, "kcal ps/(mol A^2)"),
        quantity(speed, "um/s"),
    ))
}

/// κ: the program reads `indentationKs`, its manual calls it `indentationTipKs`.
fn stiffness(config: &mut Config) -> Result<String, Error> {
    let (read, of_manual) = ("indentationKs", "indentationTipKs");
    let key = match (config.has(read), config.has(of_manual)) {
        (false, true) => {
            config.note(format!(
                "`{of_manual}` was taken for `{read}`: it is the manual's name of the key, and SOP-GPU 2.0 itself reads `{read}` alone."
            ));
            of_manual
        }
        (true, true) => {
            config.take_written(of_manual);
            config.note(format!(
                "`{of_manual}` was left out: it is the manual's name of `{read}`, which is there too, and SOP-GPU 2.0 itself reads `{read}` alone."
            ));
            read
        }
        _ => read,
    };
    required(config, key)?;
    if config.number(key)? == Some(0.0) {
        let problem = "is 0: nothing would press the tip on the molecule; give the cantilever a stiffness, such as 0.07 for 48.6 pN/nm";
        return Err(config.fault(key, problem));
    }
    config.with_unit(key, "", "kcal/(mol A^2)")
}

/// The key that turns the base, or nothing.
fn turn(config: &mut Config, every: u64, steps: u64) -> Result<String, Error> {
    let key = "indentationRetractionStep";
    let Some(text) = config.take(key) else {
        config.note(format!("`{key}` is not in the configuration, so that the base never turns."));
        return Ok(String::new());
    };
    let at: i64 = config.parsed(key, &text, "a whole number")?;
    let Ok(at) = u64::try_from(at) else {
        config.note(format!(
            "`{key}` was left out: it is negative, so that the base never turns, as in SOP-GPU."
        ));
        return Ok(String::new());
    };
    if at == 0 {
        let problem = "is 0: the base would go backwards from the start; leave it out, and turn `indentationDirection` around if that is meant";
        return Err(config.fault(key, problem));
    }
    if at >= steps {
        config.note(format!("`{key}` was left out: the run ends before."));
        return Ok(String::new());
    }
    config.note(format!(
        "The base turns at step {at} where it stands, and stops where it began; SOP-GPU's base jumps there to the other side of its beginning and goes on, because its way is the number of all steps times a speed that changes its sign."
    ));
    if at % every != 0 {
        config.note(format!(
            "`{key}` is no multiple of `nav` ({every}): SOP-GPU never turns unless another of its intervals meets this step."
        ));
    }
    Ok(format!(", turn_after_steps = {at}"))
}

/// The surface; `None` if it does not act.
fn write_surface(config: &mut Config) -> Result<Option<String>, Error> {
    let at = required_vector(config, "indentationSurfaceR0")?;
    let normal = required_vector(config, "indentationSurfaceN")?;
    let Some(direction) = unit(normal) else {
        return Err(config.fault("indentationSurfaceN", "must have a length"));
    };
    let contact = contact(config, "Surf")?;
    let is_discrete = switch_or_off(config, "indentationDiscreteSurf")?;
    let Some(contact) = contact else {
        config.note("The surface was left out, since its potential is zero.");
        take_points(config);
        return Ok(None);
    };
    let (at, points) = match is_discrete {
        true => write_points(config, at, normal, direction)?,
        false => {
            config.note("SOP-GPU's force of a plane falls with one power of the distance more than its energy asks for (an error of its kernel): at a height of z A it is z times too weak. beadwork's force is the slope of the energy, so that the surface holds more strongly; beads rest at the same height.");
            take_points(config);
            (at, String::new())
        }
    };
    Ok(Some(format!(
        "{{ kind = \"surface\", below = \"all\", position = {}, normal = {}{contact}{points} }}",
        position(at),
        in_toml(normal)
    )))
}

/// Leaves out the keys of points, which a surface without any has for pictures.
fn take_points(config: &mut Config) {
    let given = OF_POINTS.into_iter().filter(|key| config.take(key).is_some());
    let given: Vec<String> = given.map(|key| format!("`{key}`")).collect();
    if !given.is_empty() {
        config.note(format!(
            "Left out: {}; they are of the points of a surface, and this one has none.",
            given.join(", ")
        ));
    }
}

/// The centre of the points, and their keys.
fn write_points(
    config: &mut Config,
    at: [f64; 3],
    normal: [f64; 3],
    direction: [f64; 3],
) -> Result<([f64; 3], String), Error> {
    if (dot(normal, normal).sqrt() - 1.0).abs() > ROUNDED {
        let problem = "is no unit vector: SOP-GPU stretches one side of its square of points by the length of this vector, and beadwork's points are a square; write it with length 1";
        return Err(config.fault("indentationSurfaceN", problem));
    }
    if config.count("indentationSurfaceSize")? == Some(0) {
        let problem = "is 0, but counts the points along a side of the surface: write at least 1, or switch `indentationDiscreteSurf` off for a plane";
        return Err(config.fault("indentationSurfaceSize", problem));
    }
    let side = config.interval_or("indentationSurfaceSize", DEFAULT_SIDE)?;
    if side > MOST_POINTS {
        let problem = format!(
            "is {side}: the surface has as many points along each side, and a surface of an input has at most {MOST_POINTS}; write fewer, with a larger `indentationSurfaceStep`, or switch `indentationDiscreteSurf` off for a plane"
        );
        return Err(config.fault("indentationSurfaceSize", &problem));
    }
    let spacing = config.number_or("indentationSurfaceStep", DEFAULT_SPACING)?;
    config.take("indentationPairsCutoff");
    config.note("All points of the surface act on a bead; SOP-GPU leaves out those beyond `indentationPairsCutoff` when it renews their list. They take more time than all else in a step; without `points` the surface is a plane, which holds nothing against sliding.");
    let has_own_axes = normal.iter().all(|component| *component != 0.0);
    if has_own_axes {
        config.note("The sides of the square of points lie along other directions in the surface than in SOP-GPU, because its normal is along no plane of the axes.");
    }
    let mut centre = at;
    if side % 2 == 0 {
        // SOP-GPU counts from −S/2 to S/2 − 1, so that its point of an even square lies half a spacing beyond the centre.
        let first = match normal.iter().position(|component| *component == 0.0) {
            Some(axis) => [0, 1, 2].map(|k| f64::from(u8::from(k == axis))),
            None => unit([0.0, 1.0, -normal[1] / normal[2]]).unwrap_or([0.0, 1.0, 0.0]),
        };
        let [x, y, z] = direction;
        let second =
            [y * first[2] - z * first[1], z * first[0] - x * first[2], x * first[1] - y * first[0]];
        centre = [0, 1, 2].map(|k| at[k] - 0.5 * spacing * (first[k] + second[k]));
        config.note("`indentationSurfaceR0` was moved by half a spacing along both sides, to where the centre of SOP-GPU's points lies, of which there are an even number along a side.");
    }
    Ok((centre, format!(", points = {side}, spacing = {}", quantity(spacing, "A"))))
}

/// ε, σ, A and B of the tip or the surface as TOML; `None` if their potential is zero everywhere.
fn contact(config: &mut Config, part: &str) -> Result<Option<String>, Error> {
    let energy = own_or_shared(config, &format!("indentation{part}El"), "indentationEl")?;
    let sigma = own_or_shared(config, &format!("indentation{part}Sigma"), "indentationSigma")?;
    let a_key = format!("indentation{part}A");
    let a = config.number_or(&a_key, 0.0)?;
    let b_key = format!("indentation{part}B");
    let b = config.number_or(&b_key, 1.0)?;
    if a < 0.0 {
        let problem = "is negative: beads would be drawn into it without bound; write 0 or more";
        return Err(config.fault(&a_key, problem));
    }
    if a == 0.0 && b < 0.0 {
        let problem = format!(
            "is negative, and `{a_key}` is 0: beads would be drawn into it without bound; write an `{a_key}` above 0 or a `{b_key}` of 0 or more"
        );
        return Err(config.fault(&b_key, &problem));
    }
    if energy == 0.0 || sigma == 0.0 || (a == 0.0 && b == 0.0) {
        return Ok(None);
    }
    Ok(Some(format!(
        ", depth = {}, sigma = {}, a = {}, b = {}",
        quantity(energy, "kcal/mol"),
        quantity(sigma, "A"),
        inline(&Value::Float(a)),
        inline(&Value::Float(b))
    )))
}

/// The number of a key of the tip or the surface; without it that of the key for both, which is 1 by default.
fn own_or_shared(config: &mut Config, own: &str, shared: &str) -> Result<f64, Error> {
    let of_both = config.number(shared)?;
    match config.number(own)?.or(of_both) {
        Some(number) => Ok(number),
        None => config.number_or(shared, 1.0),
    }
}

fn switch_or_off(config: &mut Config, key: &str) -> Result<bool, Error> {
    config.keep_default(key, "off");
    config.switch(key)
}

/// Notes the keys that nothing above reads: those of files and pictures, and those that SOP-GPU does not read either.
fn note_what_is_left(config: &mut Config) {
    let unread = |config: &Config, is_written: bool| -> Vec<(String, usize)> {
        let entries = config.entries.iter().filter(|entry| {
            !entry.is_used
                && entry.key.starts_with("indentation")
                && entry.key != "indentationOutputFreq"
                && WRITTEN.contains(&entry.key.as_str()) == is_written
        });
        entries.map(|entry| (entry.key.clone(), entry.line)).collect()
    };
    let written = unread(config, true);
    for (key, _) in &written {
        config.take(key);
    }
    if !written.is_empty() {
        let keys: Vec<String> = written.iter().map(|(key, _)| format!("`{key}`")).collect();
        config.note(format!(
            "Left out: {}; they set what is written or drawn alone: tables have columns for tip and base, and frames hold the molecule alone.",
            keys.join(", ")
        ));
    }
    for (key, line) in unread(config, false) {
        config.take_written(&key);
        let why = match keys::meant(config, &key) {
            Some(near) => format!("did you mean `{near}`? SOP-GPU 2.0 does not read this key."),
            None => "SOP-GPU 2.0 does not read it, though its manual may name it.".to_string(),
        };
        config.note(format!("`{key}` (line {line}) was left out: {why}"));
    }
}

fn required(config: &Config, key: &str) -> Result<(), Error> {
    match config.has(key) {
        true => Ok(()),
        false => Err(config.fault(key, "is missing, and indentation needs it")),
    }
}

fn required_vector(config: &mut Config, key: &str) -> Result<[f64; 3], Error> {
    required(config, key)?;
    Ok(vector(config, key)?.unwrap_or_default())
}

fn vector(config: &mut Config, key: &str) -> Result<Option<[f64; 3]>, Error> {
    let Some(text) = config.take(key) else { return Ok(None) };
    let numbers: Vec<f64> = config.list(key, &text, "a number")?;
    match <[f64; 3]>::try_from(numbers) {
        Ok(vector) => {
            vector.iter().try_for_each(|number| config.bounded(key, *number).map(|_| ()))?;
            Ok(Some(vector))
        }
        Err(_) => Err(config.fault(key, "must have three numbers")),
    }
}

fn position(at: [f64; 3]) -> String {
    let lengths = at.map(|component| quantity(component, "A"));
    format!("[{}]", lengths.join(", "))
}

fn in_toml(vector: [f64; 3]) -> String {
    format!("[{}]", vector.map(|component| inline(&Value::Float(component))).join(", "))
}
