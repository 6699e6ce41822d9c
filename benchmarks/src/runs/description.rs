//! A system and its dynamics as JSON that other programs read: terms by the names of their formulas, with all
//! parameters.

use beadwork_model::potentials::bonded::BondedVisitor;
use beadwork_model::potentials::pair::{PairTable, PairVisitor};
use beadwork_model::potentials::{EnergyKind, MOST_PARAMETERS, PairFormula, Parameters};
use beadwork_model::{Boundary, Energies, Integrator, Pair, System};
use serde_json::{Value, json};

use super::job::Job;
use crate::Error;

/// A kind of energy that peers compute.
pub struct PeerEnergy {
    kind: EnergyKind,
    pub name: &'static str,
    /// kcal/mol.
    pub of: fn(&Energies) -> f64,
}

const ENERGIES_OF_PEERS: [PeerEnergy; 4] = [
    PeerEnergy { kind: EnergyKind::Bond, name: "bond", of: |energies| energies.bonds },
    PeerEnergy { kind: EnergyKind::Contact, name: "contact", of: |energies| energies.contacts },
    PeerEnergy { kind: EnergyKind::Pair, name: "pair", of: |energies| energies.pairs },
    PeerEnergy { kind: EnergyKind::Charge, name: "charge", of: |energies| energies.charges },
];

/// The kinds of energy that the system has and peers compute.
pub fn energies_of_peers(system: &System) -> impl Iterator<Item = &'static PeerEnergy> {
    ENERGIES_OF_PEERS.iter().filter(|kind| system.has_energy(kind.kind))
}

fn name_of(kind: EnergyKind) -> Option<&'static str> {
    ENERGIES_OF_PEERS.iter().find(|known| known.kind == kind).map(|known| known.name)
}

/// Beads, terms and dynamics of a job, in Å, kcal/mol, ps and Da. Parameters are in the order of the formula's fields.
///
/// # Errors
/// A system in a box, with angles, fields or a pair thermostat, or systems that differ; an integrator that peers do not
/// have.
pub fn description(job: &Job, configuration: &[[f64; 3]]) -> Result<Value, Error> {
    let (system, dynamics) = (&job.system, &job.dynamics);
    let interactions = &system.interactions;
    let described = system.boundary == Boundary::Open
        && interactions.angles.is_empty()
        && interactions.singles.is_empty()
        && interactions.thermostat.is_none()
        && job.systems.is_empty();
    let known = [Integrator::Brownian, Integrator::Langevin, Integrator::LangevinMiddle];
    if !described || !known.contains(&dynamics.integrator) {
        return Err(Error::Arguments(format!(
            "peers step one system of bonds, contacts and pairs in open space, by {}: leave --peer out, or take such a system",
            known.map(Integrator::name).join(", ")
        )));
    }
    let types = system.types.iter().map(
        |kind| json!({ "mass": kind.mass, "friction": kind.friction.unwrap_or(dynamics.friction) }),
    );
    let bonded = interactions.bonded.iter();
    let bonded = bonded.map(|term| term.visit(DescribeBonded(term.energy_kind())));
    Ok(json!({
        "format": "beadwork-peer-system 2",
        "units": { "length": "A", "energy": "kcal/mol", "time": "ps", "mass": "Da" },
        "start": system.particles.positions,
        "configuration": configuration,
        "types_of_beads": system.particles.types,
        "types": types.collect::<Vec<_>>(),
        "bonded": bonded.collect::<Vec<_>>(),
        "pairs": interactions.pairs.iter().map(|term| term.visit(Describe)).collect::<Vec<_>>(),
        "excluded": interactions.excluded,
        "integrator": dynamics.integrator.name(),
        "temperature": dynamics.temperature,
        "timestep": dynamics.timestep,
    }))
}

struct Describe;

/// A bonded term whose energy counts as this.
struct DescribeBonded(EnergyKind);

fn parameters<F: PairFormula>(potential: F) -> Vec<f64> {
    let numbers: [f64; MOST_PARAMETERS] = potential.to_array();
    numbers[..<F as Parameters<f64>>::COUNT].to_vec()
}

impl BondedVisitor for DescribeBonded {
    type Output = Value;

    fn visit<F: PairFormula>(self, term: &Vec<Pair<F>>) -> Value {
        json!({
            "formula": F::NAME,
            "energy": name_of(self.0),
            "beads": term.iter().map(|pair| (pair.i, pair.j)).collect::<Vec<_>>(),
            "parameters": term.iter().map(|pair| parameters(pair.potential)).collect::<Vec<_>>(),
        })
    }
}

impl PairVisitor for Describe {
    type Output = Value;

    /// Tables by types, row after row.
    fn visit<F: PairFormula>(self, term: &PairTable<F>) -> Value {
        let entries = term.entries();
        json!({
            "formula": F::NAME,
            "energy": name_of(F::ENERGY),
            "types": term.types(),
            "parameters": entries.iter().map(|entry| parameters(entry.potential)).collect::<Vec<_>>(),
            "cutoffs": entries.iter().map(|entry| entry.cutoff).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use beadwork_model::Generator;
    use beadwork_model::potentials::{DebyeHuckel, FeneBond};

    use super::*;
    use crate::runs::Workload;

    fn job(workload: &Workload) -> Job {
        Job::new(workload, Generator::Philox4x32x10, 1, 1)
    }

    fn read_back(job: &Job) -> Value {
        let text = description(job, &job.system.particles.positions).unwrap().to_string();
        serde_json::from_str(&text).unwrap()
    }

    fn count(value: &Value) -> usize {
        value.as_array().unwrap().len()
    }

    #[test]
    fn proteins_are_described_with_all_terms() {
        let job = job(&Workload::named("ubiquitin").unwrap());
        let read = read_back(&job);
        assert_eq!((count(&read["start"]), count(&read["excluded"])), (76, 75 + 177));
        let terms: Vec<(&str, &str, usize)> = read["bonded"]
            .as_array()
            .unwrap()
            .iter()
            .map(|term| {
                let word = |key: &str| term[key].as_str().unwrap();
                (word("formula"), word("energy"), count(&term["parameters"]))
            })
            .collect();
        assert_eq!(terms, [("fene_bond", "bond", 75), ("native_contact", "contact", 177)]);
        // A number that was written as text is read as the same number.
        let bond = job.system.interactions.bonded_by::<FeneBond>()[7].potential;
        let numbers: Vec<f64> =
            serde_json::from_value(read["bonded"][0]["parameters"][7].clone()).unwrap();
        assert_eq!(numbers, [bond.stiffness, bond.limit, bond.length]);
        assert_eq!((&read["pairs"][0]["cutoffs"], count(&read["pairs"])), (&json!([20.0]), 1));
    }

    #[test]
    fn residues_are_described_by_types() {
        let job = job(&Workload::residues(20).unwrap());
        let read = read_back(&job);
        let charges = &read["pairs"][1];
        assert_eq!(
            (&charges["formula"], &charges["energy"]),
            (&"debye_huckel".into(), &"charge".into())
        );
        let types = job.system.types.len();
        assert_eq!((count(&read["types"]), count(&charges["cutoffs"])), (types, types * types));
        let table = job.system.interactions.pairs_by::<DebyeHuckel>().unwrap();
        let (row, column) = (job.system.particles.types[0], job.system.particles.types[10]);
        let expected = table.between(row, column).potential.strength;
        let entry = usize::from(row) * types + usize::from(column);
        // The first and the eleventh residue, an arginine, are charged.
        assert!(expected > 0.0);
        assert_eq!(charges["parameters"][entry][0].as_f64(), Some(expected));
        let mass = read["types"][0]["mass"].as_f64().unwrap();
        let rate = read["types"][0]["friction"].as_f64().unwrap() * 418.4 / mass;
        assert!((rate - 0.01).abs() < 1e-12, "{rate} /ps");
    }

    #[test]
    fn systems_that_peers_do_not_know_are_refused() {
        let is_refused = |change: fn(&mut Job)| {
            let mut job = job(&Workload::named("helix").unwrap());
            assert!(description(&job, &job.system.particles.positions).is_ok());
            change(&mut job);
            let refused = description(&job, &job.system.particles.positions);
            matches!(refused, Err(Error::Arguments(_)))
        };
        assert!(is_refused(|job| job.dynamics.integrator = Integrator::VelocityVerlet));
        assert!(is_refused(|job| job.systems = vec![job.system.clone()]));
        assert!(is_refused(|job| {
            let lengths = [300.0; 3];
            let boundary = Boundary::Periodic { lengths };
            job.system = Arc::new(System { boundary, ..(*job.system).clone() });
        }));
    }
}
