//! `[system]` of a configuration.

use std::fmt::Write as _;

use super::config::{Config, quote};
use crate::error::Error;
use crate::files::REPLICA;

/// The depth of contacts: a number, or a column of the structure file.
fn contact_energy(config: &mut Config) -> Result<String, Error> {
    let problem = "is missing. The file has `structure`, so it was taken for a configuration of sop-top, which makes a topology and needs it; one of a simulation has `topology` and `coordinates`, and no `structure`";
    let text = config.take("eh").ok_or_else(|| config.fault("eh", problem))?;
    match text.as_str() {
        "O" => Ok(quote("occupancy")),
        "B" => Ok(quote("beta")),
        number => {
            let energy = config.parsed("eh", number, "a number of kcal/mol, O or B")?;
            config.bounded("eh", energy)?;
            Ok(quote(&format!("{number} kcal/mol")))
        }
    }
}

/// Converts a configuration of `sop-top`: the structure and its contacts, with a first stage that the user can replace.
pub(super) fn write_topology_maker(
    config: &mut Config,
    has_bead_model: bool,
) -> Result<String, Error> {
    let structure = config.file("structure")?;
    let cutoff = config.with_unit("R_limit_bond", "8", "A")?;
    let side_chain = config.number("SC_limit_bond")?.filter(|cutoff| *cutoff > 0.0);
    let energy = contact_energy(config)?;
    let mut contacts = format!("cutoff = {cutoff}");
    if has_bead_model {
        // The beads of the model stand for their CA alone.
        config.take("SC_limit_bond");
    } else if side_chain.is_some() {
        let text = config.with_unit("SC_limit_bond", "5.2", "A")?;
        let _ = write!(contacts, ", side_chain_cutoff = {text}");
    }
    let _ = write!(contacts, ", energy = {energy}");
    let repulsion = write_repulsion(config)?;
    for key in ["topology", "coordinates"] {
        config.take(key);
    }
    let bonds = match config.has("Ks") {
        true => format!(
            "bonds = {{ stiffness = {} }}\n",
            config.with_unit("Ks", "20.0", "kcal/(mol A^2)")?
        ),
        false => String::new(),
    };
    if config.has("use_chains") && !config.switch("use_chains")? {
        config.note("`use_chains` was left out: beadwork tells chains by their identifiers, SOP-GPU without it by their segments.");
    }
    config.note("sop-top only makes a topology; a first stage of 20 us was added, which you will want to change.");
    Ok(format!(
        "[system]\nmodel = \"sop\"\nstructure = {}\ncontacts = {{ {contacts} }}\n{bonds}{repulsion}\n\n[[stage]]\nname = \"equilibrate\"\nduration = \"20 us\"\n",
        quote(&structure)
    ))
}

fn write_repulsion(config: &mut Config) -> Result<String, Error> {
    let strength = config.with_unit("el", "1.0", "kcal/mol")?;
    let diameter = config.with_unit("a", "3.8", "A")?;
    let cutoff = config.with_unit("pairs_cutoff", "20.0", "A")?;
    Ok(format!("repulsion = {{ strength = {strength}, diameter = {diameter}, cutoff = {cutoff} }}"))
}

/// Converts the topology, the coordinates and the parameters of a simulation.
pub(super) fn write_system(
    config: &mut Config,
    text: &mut String,
    first: &str,
) -> Result<(), Error> {
    let topology = config.file("topology")?.replace("<run>", first);
    let coordinates = config.file("coordinates")?;
    let structure = coordinates.replace("<run>", first);
    let stiffness = config.with_unit("kspring_cov", "20.0", "kcal/(mol A^2)")?;
    let limit = config.with_unit("R_limit", "2.0", "A")?;
    let repulsion = write_repulsion(config)?;
    let _ = write!(
        text,
        "[system]\nmodel = \"sop\"\nstructure = {}\ntopology = {}\nbonds = {{ stiffness = {stiffness}, limit = {limit} }}\n{repulsion}\n",
        quote(&structure),
        quote(&topology),
    );
    if coordinates.contains("<run>") && !config.has("run") {
        let _: u64 = config.parsed("firstrun", first, "a whole number")?;
        let pattern = coordinates.replace("<run>", REPLICA);
        let _ = writeln!(text, "start = {{ file = {}, first = {first} }}", quote(&pattern));
    }
    config.note("Pairs repel up to `pairs_cutoff` in every step; SOP-GPU renews its list of pairs from time to time and misses some in between.");
    Ok(())
}
