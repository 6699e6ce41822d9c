//! The drive of a configuration that pulls.

use std::collections::HashSet;

use super::config::{Config, quantity, quote};
use super::keys;
use crate::document::{Value, inline};
use crate::error::Error;
use crate::steps::rounded;

/// Steps between moves of a cantilever where `nav` is not given.
pub(super) const DEFAULT_NAV: u64 = 1000;

/// Keys of the force on pulled beads.
const OF_A_FORCE: [&str; 6] =
    ["deltax", "k_trans", "fconst", "pullDirection", "pullVector", "pullFreq"];

/// What a configuration does that pulls.
#[derive(Default)]
pub(super) struct Pulling {
    /// The drive; none if it only holds beads.
    pub drive: Option<String>,
    /// The selection of the beads that are held beside the drive.
    pub fixed: Option<String>,
    /// Selections of the two ends if the configuration names them.
    pub ends: Option<(String, String)>,
}

/// Writes the drive of a configuration that pulls.
pub(super) fn write_pulling(config: &mut Config, picoseconds: f64) -> Result<Pulling, Error> {
    let (fixed, fixed_beads) = config
        .beads("fixed")?
        .ok_or_else(|| config.fault("fixed", "is missing: pulling needs beads to hold"))?;
    let (pulled, pulled_beads) = config
        .beads("pulled")?
        .ok_or_else(|| config.fault("pulled", "is missing: pulling needs beads to pull"))?;
    let ends = config.beads("fixedEnd")?.zip(config.beads("pulledEnd")?);
    let ends = ends.filter(|((_, from), (_, to))| !from.is_empty() && !to.is_empty());
    if pulled_beads.is_empty() {
        for key in OF_A_FORCE {
            config.take(key);
        }
        config.note("`pulled` names no beads, so that beads are held and none is pulled.");
        let ends = ends.map(|((from, _), (to, _))| (from, to));
        return Ok(Pulling { drive: None, fixed: Some(fixed), ends });
    }
    let held: HashSet<usize> = fixed_beads.iter().copied().collect();
    if let Some(bead) = pulled_beads.iter().find(|bead| held.contains(bead)) {
        let problem = format!(
            "bead {bead} is in `fixed` too, so that pulling cannot move it: take it out of one of the two"
        );
        return Err(config.fault("pulled", &problem));
    }
    let (direction, length) = direction(config)?;
    if direction.is_empty()
        && let Some(((_, from), (_, to))) = &ends
        && (*from != fixed_beads || *to != pulled_beads)
    {
        config.note("The direction runs from the centre of the fixed to that of the pulled beads as the stage begins; SOP-GPU takes the line from `fixedEnd` to `pulledEnd`.");
    }
    let (pulls, averages) = (config.interval("pullFreq")?, config.interval("nav"));
    let every = match pulls {
        Some(every) => every,
        None => averages?.unwrap_or(DEFAULT_NAV),
    };
    let common = format!("fixed = {}, pulled = {}{direction}", quote(&fixed), quote(&pulled));
    let deltax = config.number("deltax")?.unwrap_or(0.0);
    let force = config.number("fconst")?.unwrap_or(0.0);
    let ends = ends.map(|((from, _), (to, _))| (from, to));
    let count = pulled_beads.len();
    if deltax != 0.0 {
        let stiffness = config.with_unit("k_trans", "0.05", "kcal/(mol A^2)")?;
        // 1 Å/ps is 10⁸ µm/s.
        let speed = deltax * length / (every as f64 * picoseconds) * 1e8;
        if every > 1 {
            config.note(format!(
                "The spring's force is renewed every {every} steps and held between, as in SOP-GPU; remove `update_every` to move the spring's base at every step."
            ));
        }
        if count > 1 {
            config.note(format!(
                "The spring's force is shared by the {count} pulled beads and follows their centre; SOP-GPU follows `pulledEnd` and gives each bead the whole force."
            ));
        }
        if force != 0.0 {
            config.note("`fconst` was left out, because `deltax` makes it a spring.");
        }
        let drive = format!(
            "{{ kind = \"spring\", {common}, stiffness = {stiffness}, speed = {}, update_every = {every} }}",
            quantity(speed, "um/s")
        );
        return Ok(Pulling { drive: Some(drive), fixed: None, ends });
    }
    config.take("k_trans");
    if force == 0.0 {
        let meant = keys::misspelt_in_words(config, &["deltax", "fconst"]);
        let zero = ["deltax", "fconst"].into_iter().find(|key| config.has(key));
        let problem = match zero {
            Some(key) => format!(
                "is on, but `{key}` is 0, so that nothing pulls: give `deltax` (a spring) or `fconst` (a constant force) another value{meant}"
            ),
            None => format!(
                "is on, but neither `deltax` (a spring) nor `fconst` (a constant force) is given{meant}"
            ),
        };
        return Err(config.fault("pulling", &problem));
    }
    if count > 1 {
        config.note(format!(
            "`fconst` acts on each of the {count} pulled beads in SOP-GPU; beadwork shares a force among them, so that it was multiplied by {count}."
        ));
    }
    let force = quantity(force * length * count as f64, "kcal/(mol A)");
    let drive = format!("{{ kind = \"force\", {common}, force = {force} }}");
    Ok(Pulling { drive: Some(drive), fixed: None, ends })
}

/// The direction as TOML, and the length of the vector, by which SOP-GPU multiplies forces and speeds.
fn direction(config: &mut Config) -> Result<(String, f64), Error> {
    let kind = config.take("pullDirection").unwrap_or_else(|| "endToEnd".to_string());
    let vector = config.take("pullVector");
    match kind.as_str() {
        "endToEnd" => Ok((String::new(), 1.0)),
        "vector" => {
            let text = vector.ok_or_else(|| {
                config.fault("pullVector", "is missing beside `pullDirection vector`")
            })?;
            let numbers: Vec<f64> = config.list("pullVector", &text, "a number")?;
            let [x, y, z] = numbers.as_slice() else {
                return Err(config.fault("pullVector", "must have three numbers"));
            };
            let length = (x * x + y * y + z * z).sqrt();
            if !(length > 0.0 && length.is_finite()) {
                return Err(config.fault("pullVector", "must have a length"));
            }
            if length != 1.0 {
                config.note(format!(
                    "`pullVector` has the length {}, by which SOP-GPU multiplies; the strength of the drive was multiplied by it.",
                    rounded(length)
                ));
            }
            let [x, y, z] = [x, y, z].map(|component| inline(&Value::Float(*component)));
            Ok((format!(", direction = [{x}, {y}, {z}]"), length))
        }
        other => {
            let problem = format!("\"{other}\" is neither endToEnd nor vector");
            Err(config.fault("pullDirection", &problem))
        }
    }
}
