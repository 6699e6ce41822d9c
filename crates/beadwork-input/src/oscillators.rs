//! `[system]` of independent particles.

use std::sync::Arc;

use beadwork_model::force_fields::oscillators::{Dimensions, Oscillators};
use beadwork_model::units::Dimension;
use beadwork_model::{Model, Stage, StageKind, System};

use crate::built::{Built, BuiltSystems, FromElsewhere};
use crate::document::{Node, Table};
use crate::error::{BAD_VALUE, CONFLICT, Error, Location};
use crate::models::{MODELS, OSCILLATORS};
use crate::numbers::Bound;
use crate::section::Section;

const KEYS: [&str; 5] = ["model", "particles", "dimensions", "stiffness", "start"];
/// Each particle takes some 300 bytes before the first step, and a million take some seconds to build.
const MOST_PARTICLES: u64 = 10_000_000;

/// Reads `[system]`; returns its resolved form and what it describes.
pub(crate) fn read(node: &Node, built: &mut BuiltSystems) -> Result<(Table, Arc<Built>), Error> {
    let mut section = Section::open(node, "[system]", &KEYS)?;
    section.choice("model", &MODELS, None)?;
    let particles = section.required_integer("particles", 1, "10_000")?;
    if particles > MOST_PARTICLES {
        let problem = format!(
            "must be at most 10_000_000, which take 3 GB of memory to set up, but is {}: take fewer, or several replicas",
            particles
        );
        return Err(section.fault(BAD_VALUE, "particles", &problem));
    }
    let dimensions = match section.integer_or("dimensions", 1, 3)?.value {
        1 => Dimensions::One,
        3 => Dimensions::Three,
        other => {
            let problem = format!("must be 1 or 3, but is {other}");
            return Err(section.fault(BAD_VALUE, "dimensions", &problem));
        }
    };
    let stiffness =
        section.quantity_or("stiffness", Dimension::Stiffness, Bound::NotNegative, "0 pN/nm")?;
    let start = section.quantity_or("start", Dimension::Length, Bound::Any, "0 nm")?;
    built.get_or_build(section.resolved, FromElsewhere::default(), || {
        let particles = particles as usize;
        let (stiffness, start) = (stiffness.value, start.value);
        Ok(Oscillators { particles, dimensions, stiffness, start }.build().into())
    })
}

/// Refuses drives, held beads, stop rules and minimisations, which change the law of the particles.
pub(crate) fn leave_alone(
    system: &System,
    stages: &[Stage],
    place: &Location,
) -> Result<(), Error> {
    let Model::Oscillators(_) = system.model else { return Ok(()) };
    for stage in stages {
        let given = [
            ("drives", !stage.externals.is_empty()),
            ("fixed", !stage.fixed.is_empty()),
            ("stop", !stage.stops.is_empty()),
            ("minimise", matches!(stage.kind, StageKind::Minimise { .. })),
        ];
        let Some((key, _)) = given.into_iter().find(|(_, given)| *given) else { continue };
        let problem = format!(
            "stage \"{}\": `{key}` has no place in a run of {OSCILLATORS}, whose particles follow a law of their own: leave it out",
            stage.name
        );
        return Err(place.error(CONFLICT, problem));
    }
    Ok(())
}
