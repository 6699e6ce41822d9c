//! What is checked, as JSON.

use crate::input::{AssemblyUsed, Point, Request, Turned};
use crate::model::force_fields::sop::{ContactSum, contact_sums};
use crate::model::units::ANGSTROMS_PER_NANOMETRE;
use crate::model::{Model, Units, advice};
use serde_json::json;

use super::beads;
use super::chains::{self, steps_of};
use super::dynamics::temperature_factor;
use super::memory::estimated_memory;
use super::pace::{Estimate, Unmeasured};
use super::size::estimated_bytes;
use super::stepping::Stepping;
use super::warnings::warnings;

pub fn as_json(
    request: &Request,
    stepping: &Stepping,
    estimate: &Result<Estimate, Unmeasured>,
) -> serde_json::Value {
    let (estimate, problem) = (estimate.as_ref().ok(), estimate.as_ref().err());
    let point = &request.points[0];
    let dynamics = &point.protocol.dynamics;
    let mut all = json!({
        "counts": point.system.counts,
        "start": point.start.as_ref().map(beads::start_as_json),
        "points": request.points.iter().enumerate().map(|(number, point)| json!({
            "settings": point.settings,
            "counts": point.system.counts,
            "contacts": contacts_as_json(point),
            "assembly": point.assembly.as_ref().map(assembly_as_json),
            "turned": point.turned.as_ref().map(turned_as_json),
            steps_of(point): point.protocol.steps(),
            "estimated_core_seconds": estimate.and_then(|estimate| estimate.core_seconds.get(number)),
            "estimated_memory_bytes_per_running_member": estimated_memory(point),
        })).collect::<Vec<_>>(),
        "replicas": request.replicas,
        "members": request.members(),
        "stepping": stepping.json,
        "estimated_seconds": estimate.map(|estimate| estimate.seconds),
        format!("estimated_{}_per_second", steps_of(point)): estimate.map(|estimate| estimate.steps_per_second),
        "exchange": chains::exchange_as_json(request),
        "selections": point.selections.iter().map(|(role, text, beads)| json!({
            "role": role, "selection": text, "beads": beads,
        })).collect::<Vec<_>>(),
        "stages": chains::stages_as_json(point),
        "output": {
            "folder": request.output.folder,
            format!("table_every_{}", steps_of(point)): request.output.table_every,
            "estimated_bytes": estimated_bytes(request),
            "free_bytes": crate::io::free_space(&request.output.folder),
        },
        "warnings": warnings(request, problem),
        "notes": request.notes,
        "seed": point.protocol.seed,
    });
    if !point.system.is_sampled() {
        let timestep = match point.system.units {
            Units::Real => "timestep_ps",
            Units::Reduced => "timestep",
        };
        all[timestep] = json!(dynamics.timestep);
        if dynamics.integrator.has_velocities() {
            all["bond_phase"] = json!(advice::bond_phase(&point.system, dynamics));
            all["advised_bond_phase"] = json!(advice::ADVISED_BOND_PHASE);
        } else {
            all["bond_step"] = json!(advice::bond_step(&point.system, dynamics));
            all["advised_bond_step"] = json!(advice::ADVISED_BOND_STEP);
        }
        all["temperature_read_over_bath"] = json!(temperature_factor(point));
    }
    all
}

/// Native contacts within chains and between them; null for systems that have none.
fn contacts_as_json(point: &Point) -> serde_json::Value {
    if point.system.model != Model::Sop {
        return serde_json::Value::Null;
    }
    let sum =
        |sum: &ContactSum| json!({ "contacts": sum.contacts, "energy_kcal_per_mol": sum.energy });
    let sums = contact_sums(&point.system, &point.chains);
    let pairs = sums.pairs.iter().map(|(chains, of_pair)| {
        json!({ "chains": chains, "contacts": of_pair.contacts, "energy_kcal_per_mol": of_pair.energy })
    });
    json!({
        "within_chains": sum(&sums.within),
        "between_chains": sum(&sums.between),
        "pairs_of_chains": pairs.collect::<Vec<_>>(),
    })
}

fn turned_as_json(turned: &Turned) -> serde_json::Value {
    let quasi = turned.axis.quasi.as_ref().map(|quasi| {
        json!({
            "chains": quasi.chains, "angle_degrees": quasi.angle, "tilt_degrees": quasi.tilt,
            "deviation_nm": quasi.deviation / ANGSTROMS_PER_NANOMETRE, "residues": quasi.residues,
        })
    });
    json!({
        "axis": turned.name, "direction": turned.axis.direction,
        "equivalent": turned.axis.equivalent, "superposition": quasi,
    })
}

fn assembly_as_json(assembly: &AssemblyUsed) -> serde_json::Value {
    let generators = assembly.generators.iter();
    let generators =
        generators.map(|one| json!({ "operators": one.operators, "chains": one.chains }));
    json!({ "id": assembly.id, "generators": generators.collect::<Vec<_>>() })
}
