//! Reads a request again with a longer last stage: the same text with other lengths.

use std::path::Path;

use beadwork_model::units::{self, Dimension, Quantity, Units};

use crate::document::{self, Node, Value, inline};
use crate::error::{BAD_VALUE, CONFLICT, Error, PATH, STEPS};
use crate::exchange::TUNE_TEMPERATURES;
use crate::input_text::read_text;
use crate::load::load_begun;
use crate::models;
use crate::paths::stage_names;
use crate::request::Request;
use crate::steps::{rounded, scaled, whole, written};
use crate::words::meant;

/// What a stage is lengthened by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Addition {
    /// A time with its unit.
    Time(String),
    /// Steps, or sweeps of a stage that samples.
    Steps(u64),
    /// Sweeps of a stage that samples.
    Sweeps(u64),
    /// A share of the length that the stage has, such as `50%`.
    Percent(String),
}

/// A request with a longer stage.
#[derive(Clone, Debug)]
pub struct Extended {
    /// The request.
    pub request: Request,
    /// The number of the stage, from 0.
    pub stage: usize,
    /// Its name.
    pub name: String,
    /// Its length before and now, as the input writes them: one pair, or one for each swept length.
    pub lengths: Vec<(String, String)>,
}

/// Reads a resolved input with one stage longer: the named one, or the last.
///
/// The length keeps its unit, so the new resolved form equals that of an input with the longer length: 20 us and 5000
/// ns make 25 us. If a sweep sets the length, each of its values grows.
///
/// # Errors
/// A stage that is not there or minimises; an addition that is no time or percentage, not a whole number of
/// steps, or cannot be added to a length written the other way while the time step is swept; and
/// all errors of [`crate::load`].
pub fn extend(path: &Path, stage: Option<&str>, by: &Addition) -> Result<Extended, Error> {
    let before = load_begun(path, &[])?;
    let root = document::parse(&read_text(path)?, &path.display().to_string())?;
    let names = stage_names(&root);
    let index = stage_index(&names, stage)?;
    let name = names[index].clone();
    let lengths = lengths(&root, index, &name)?;
    let addition = addition(&root, lengths.counted(), by)?;
    if let Some(share) = addition.share {
        refuse_broken_steps(&before, index, share, &name, &lengths)?;
    }
    let longer = |node| match lengths.key {
        "duration" => longer_time(node, time_in(&root), &addition, &name),
        _ => more_steps(node, &addition, &name),
    };
    let changed: Vec<Value> = lengths.nodes.iter().map(longer).collect::<Result<_, _>>()?;
    let texts: Vec<String> = changed.iter().map(inline).collect();
    let (path_of_length, value) = match &lengths.axis {
        None => (format!("{name}.{}", lengths.key), texts.join(", ")),
        Some(axis) => (format!("ensemble.sweep.{axis}"), format!("[{}]", texts.join(", "))),
    };
    let request = load_begun(path, &[(path_of_length, value)])?;
    check(&before, &request, index, &addition, &name)?;
    let said = |value: &Value| match value {
        Value::Text(text) => text.clone(),
        other if lengths.key == "duration" => inline(other),
        other => format!("{} {}", inline(other), lengths.counted()),
    };
    let lengths =
        lengths.nodes.iter().zip(&changed).map(|(old, new)| (said(&old.value), said(new)));
    Ok(Extended { request, stage: index, name, lengths: lengths.collect() })
}

fn stage_index(names: &[String], stage: Option<&str>) -> Result<usize, Error> {
    let Some(stage) = stage else { return Ok(names.len().saturating_sub(1)) };
    names.iter().position(|name| name == stage).ok_or_else(|| {
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        let meant = meant(stage, &known, '"');
        let problem =
            format!("no stage is called \"{stage}\"{meant} The stages are {}", known.join(", "));
        Error::new(PATH, problem)
    })
}

/// Where the length of a stage is written.
struct StageLengths {
    /// `duration`, `steps` or `sweeps`.
    key: &'static str,
    /// The path of the sweep that sets the length.
    axis: Option<String>,
    nodes: Vec<Node>,
}

impl StageLengths {
    fn counted(&self) -> &'static str {
        if self.key == "sweeps" { "sweeps" } else { "steps" }
    }
}

fn lengths(root: &Node, index: usize, name: &str) -> Result<StageLengths, Error> {
    let conflict = |problem: &str| Error::new(CONFLICT, format!("stage \"{name}\" {problem}"));
    let stage = root.get("stage").and_then(Node::list).and_then(|list| list.get(index));
    let key = |key| stage.and_then(|stage| stage.get(key));
    if key("minimise").is_some() {
        return Err(conflict(
            "is a minimisation, which ends by itself: only a stage with a duration or steps can be lengthened",
        ));
    }
    if key(TUNE_TEMPERATURES).is_some() {
        return Err(conflict(
            "places temperatures after a sixteenth, an eighth … of its length, and those that it placed cannot be changed: lengthen another stage, or make a new run",
        ));
    }
    let mut found = Vec::new();
    for key in ["duration", "steps", "sweeps"] {
        let path = format!("{name}.{key}");
        if let Some(values) = axis(root, &path).and_then(Node::list) {
            found.push(StageLengths { key, axis: Some(path), nodes: values.to_vec() });
        }
    }
    if found.len() > 1 {
        return Err(conflict(
            "has its duration and its steps in the sweep, so that it is not clear which to lengthen: make a new run",
        ));
    }
    let written = ["duration", "steps", "sweeps"].into_iter().find_map(|name| {
        Some(StageLengths { key: name, axis: None, nodes: vec![key(name)?.clone()] })
    });
    found.pop().or(written).ok_or_else(|| conflict("has no length that could be changed"))
}

fn axis<'a>(root: &'a Node, path: &str) -> Option<&'a Node> {
    root.get("ensemble")?.get("sweep")?.get(path)
}

/// The dimension of times: a number in reduced units.
fn time_in(root: &Node) -> Dimension {
    match root.get("system").map(models::units) {
        Some(Units::Reduced) => Dimension::Number,
        _ => Dimension::Time,
    }
}

/// An addition, as far as it is known without a length.
struct Amount {
    time: Option<Quantity>,
    /// The number of steps; `None` if the time step is swept.
    steps: Option<u64>,
    timestep: Option<Quantity>,
    /// The share of each length, in place of all others.
    share: Option<f64>,
}

/// `50%` as 0.5.
fn share(text: &str) -> Result<f64, Error> {
    let number = text.trim().strip_suffix('%').map(|number| number.trim().replace('_', ""));
    let number = number.and_then(|number| number.parse::<f64>().ok());
    let problem = match number.filter(|number| number.is_finite()) {
        Some(percent) if percent > 0.0 => return Ok(percent / 100.0),
        Some(_) => format!("a stage cannot be lengthened by \"{text}\": give more than 0"),
        None => format!("\"{text}\" is no percentage: write a number and %, such as 50%"),
    };
    Err(Error::new(BAD_VALUE, problem))
}

fn addition(root: &Node, counted: &str, by: &Addition) -> Result<Amount, Error> {
    let conflict = |problem: String| Err(Error::new(CONFLICT, problem));
    if let Addition::Percent(text) = by {
        return Ok(Amount { time: None, steps: None, timestep: None, share: Some(share(text)?) });
    }
    match (counted, by) {
        (_, Addition::Steps(0) | Addition::Sweeps(0)) => {
            return Err(Error::new(BAD_VALUE, format!("0 {counted} make no stage longer")));
        }
        ("sweeps", Addition::Time(text)) => {
            return conflict(format!(
                "a stage of sweeps takes no time and cannot be lengthened by \"{text}\": give a number of sweeps, by --sweeps"
            ));
        }
        ("steps", Addition::Sweeps(_)) => {
            let problem = "the stage is made of steps and not of sweeps: give a time, by --by, or a number of steps, by --steps";
            return conflict(problem.to_string());
        }
        _ => {}
    }
    let timestep = if counted == "sweeps" || axis(root, "dynamics.timestep").is_some() {
        None
    } else {
        let node = root.get("dynamics").and_then(|dynamics| dynamics.get("timestep"));
        Some(units::parse(&node.map(Node::plain).unwrap_or_default(), time_in(root))?)
    };
    let text = match by {
        Addition::Steps(number) | Addition::Sweeps(number) => {
            return Ok(Amount { time: None, steps: Some(*number), timestep, share: None });
        }
        Addition::Time(text) | Addition::Percent(text) => text,
    };
    let time = units::parse(text, time_in(root))?;
    if time.value <= 0.0 {
        let problem = format!("a stage cannot be lengthened by \"{text}\": give more than 0");
        return Err(Error::new(BAD_VALUE, problem));
    }
    let steps = timestep.as_ref().map(|timestep| whole(&time, timestep)).transpose();
    let steps = steps.map_err(|problem| {
        Error::new(STEPS, format!("the time by which a stage is lengthened {problem}"))
    })?;
    Ok(Amount { time: Some(time), steps, timestep, share: None })
}

/// The error if the time step is swept, and a time would be added to a number of steps.
fn no_common_measure(node: &Node, name: &str, instead: &str) -> Error {
    let problem = format!(
        "the time step is swept, so a time and a number of steps cannot be added: the length of stage \"{name}\" is {}; lengthen it by {instead}",
        node.plain()
    );
    Error::new(CONFLICT, problem)
}

/// A number of steps or sweeps and an addition.
fn more_steps(node: &Node, addition: &Amount, name: &str) -> Result<Value, Error> {
    let steps = match node.value {
        Value::Integer(steps) => steps,
        _ => 0,
    };
    let more = match addition.share {
        Some(share) => Some((steps as f64 * share).round() as u64),
        None => addition.steps,
    };
    let more = more.ok_or_else(|| no_common_measure(node, name, "a number of steps"))?;
    let sum = i64::try_from(more).ok().and_then(|more| steps.checked_add(more));
    let too_many =
        || Error::new(STEPS, format!("stage \"{name}\" would have more than 2^63 steps"));
    sum.map(Value::Integer).ok_or_else(too_many)
}

/// A duration and an addition, in the unit of the duration.
fn longer_time(
    node: &Node,
    dimension: Dimension,
    addition: &Amount,
    name: &str,
) -> Result<Value, Error> {
    let text = node.plain();
    let old = units::parse(&text, dimension)?.value;
    let more = match (addition.share, &addition.time, addition.steps, &addition.timestep) {
        (Some(share), ..) => share * old,
        (None, Some(time), ..) => time.value,
        (None, None, Some(steps), Some(timestep)) => steps as f64 * timestep.value,
        _ => return Err(no_common_measure(node, name, "a time")),
    };
    let longer = scaled(&text, (old + more) / old);
    Ok(match longer.parse() {
        Ok(number) => Value::Float(number),
        Err(_) => Value::Text(longer),
    })
}

/// Checks that every point has become longer by the right number of steps.
fn check(
    before: &Request,
    after: &Request,
    stage: usize,
    addition: &Amount,
    name: &str,
) -> Result<(), Error> {
    for (old, new) in before.points.iter().zip(&after.points) {
        let [old_steps, new_steps] = [old, new].map(|point| point.protocol.stages[stage].steps());
        let more = match (addition.share, &addition.time, addition.steps) {
            (Some(share), ..) => (old_steps as f64 * share).round(),
            (None, _, Some(steps)) => steps as f64,
            (None, Some(time), None) => time.value / old.protocol.dynamics.timestep,
            (None, None, None) => 0.0,
        };
        // Both sides are whole numbers, so they agree or differ by at least one.
        if (new_steps as f64 - old_steps as f64 - more).abs() > 0.5 {
            let problem = format!(
                "stage \"{name}\" would have {new_steps} steps instead of {old_steps} + {}, since its length is written with 12 digits: take a rounder time",
                rounded(more)
            );
            return Err(Error::new(STEPS, problem));
        }
    }
    Ok(())
}

/// The part of a step that a percentage may miss a whole number of steps by.
const LARGEST_ROUNDING: f64 = 0.01;

/// Refuses a percentage that makes no whole number of steps, and says what would.
fn refuse_broken_steps(
    before: &Request,
    stage: usize,
    share: f64,
    name: &str,
    lengths: &StageLengths,
) -> Result<(), Error> {
    let of_points = before.points.iter().map(|point| point.protocol.stages[stage].steps());
    let of_points: Vec<u64> = of_points.collect();
    // A percentage may be rounded, such as 33.3333333333% for a third, but never by as much as could be meant.
    let is_broken = |steps: &&u64| {
        let more = **steps as f64 * share;
        more.round() < 1.0 || (more - more.round()).abs() > (1e-9 * more).min(LARGEST_ROUNDING)
    };
    let Some(&steps) = of_points.iter().find(is_broken) else { return Ok(()) };
    let (more, counted) = (steps as f64 * share, lengths.counted());
    let fewer = more.floor().max(1.0);
    let (length, instead) = match lengths.nodes.as_slice() {
        [node] if of_points.iter().all(|other| *other == steps) => match lengths.key {
            "duration" => {
                let text = node.plain();
                let time = written(&scaled(&text, fewer / steps as f64));
                (format!(" ({text})"), format!("--by {time}"))
            }
            key => (String::new(), format!("--{key} {fewer}")),
        },
        _ => (String::new(), "that number".to_string()),
    };
    let problem = format!(
        "{}% of the {steps} {counted} of stage \"{name}\"{length} are {}: give a percentage that makes a whole number of {counted}, or {instead}",
        rounded(100.0 * share),
        rounded(more)
    );
    Err(Error::new(STEPS, problem))
}
