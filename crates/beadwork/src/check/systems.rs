//! Molecules, residues and independent particles in words.

use std::fmt::Write as _;

use crate::input::{AssemblyUsed, GeneratorUsed, Point, Turned};
use crate::model::force_fields::oscillators::{Dimensions, Oscillators};
use crate::model::force_fields::residues::Residues;
use crate::model::force_fields::sop::{ContactSum, ContactSums, contact_sums};
use crate::model::potentials::NativeContact;
use crate::model::units::{ANGSTROMS_PER_NANOMETRE, PICOSECONDS_PER_NANOSECOND};
use crate::model::{Dynamics, System};

use crate::analysis::numbers::{grouped, grouped_whole, significant};
use crate::times::simulated;

/// The beads, bonds and contacts of a molecule.
pub fn describe_molecules(text: &mut String, point: &Point) {
    let counts = point.system.counts;
    let _ = writeln!(
        text,
        "System       {} beads in {} chain(s) by sop, {} bonds ({} not of the backbone)",
        counts.beads, counts.chains, counts.bonds, counts.extra_bonds
    );
    if let Some(assembly) = &point.assembly {
        let _ = writeln!(text, "Assembly     {}", describe_assembly(assembly));
    }
    if let Some(turned) = &point.turned {
        let _ = writeln!(text, "Axis         {}", describe_axis(turned));
    }
    let note = match counts.native_contacts - counts.native_contacts_with_energy {
        0 => String::new(),
        bonded => format!(" ({bonded} of them bonded, without energy)"),
    };
    let _ = writeln!(
        text,
        "Contacts     {} native{note}, {} non-native pairs",
        grouped(counts.native_contacts as u64),
        grouped(counts.nonnative_pairs as u64)
    );
    describe_contacts(text, point, &contact_sums(&point.system, &point.chains));
    describe_energies(text, point);
}

/// The file that lists contacts, and the range of their energies where these differ.
fn describe_energies(text: &mut String, point: &Point) {
    let contacts = point.system.interactions.bonded_by::<NativeContact>();
    let energies = contacts.iter().map(|contact| contact.potential.depth);
    let (low, high) = energies
        .fold((f64::INFINITY, 0.0_f64), |(low, high), energy| (low.min(energy), high.max(energy)));
    let from = point.contact_list.as_ref().map(|file| format!("from {file}"));
    let range = (low < high)
        .then(|| format!("energies {} to {} kcal/mol", significant(low), significant(high)));
    let said: Vec<String> = [from, range].into_iter().flatten().collect();
    if !said.is_empty() {
        let _ = writeln!(text, "             {}", said.join(", "));
    }
}

/// The energies of native contacts within chains and between them, and by pair of chains where these are few or have an energy of
/// their own.
fn describe_contacts(text: &mut String, point: &Point, sums: &ContactSums) {
    const SHOWN: usize = 6;
    let in_words = |sum: &ContactSum, which: &str| {
        let energy = match sum.energy < 1000.0 {
            true => significant(sum.energy),
            false => grouped_whole(sum.energy),
        };
        format!("{} {which}, {energy} kcal/mol", grouped(sum.contacts as u64))
    };
    if sums.between.contacts == 0 {
        if sums.within.contacts > 0 {
            let _ = writeln!(text, "             {}", in_words(&sums.within, "within chains"));
        }
        return;
    }
    let _ = writeln!(
        text,
        "             {}; {}",
        in_words(&sums.within, "within chains"),
        in_words(&sums.between, "between chains")
    );
    let are_few = sums.pairs.len() <= SHOWN;
    let named = |id: &String| if id.is_empty() { "without id".to_string() } else { id.clone() };
    let shown = sums.pairs.iter().filter(|(pair, _)| are_few || point.chain_pairs.contains(pair));
    let pairs: Vec<String> = shown
        .map(|([one, other], sum)| {
            in_words(sum, &format!("between {} and {}", named(one), named(other)))
        })
        .collect();
    if !pairs.is_empty() {
        let more = if pairs.len() < sums.pairs.len() { "; …" } else { "" };
        let _ = writeln!(text, "             {}{more}", pairs.join("; "));
    }
}

/// The charge of all beads, elementary charges, rounded to hundredths, so that a sum of no charge has no minus.
pub(super) fn charge_of(system: &System) -> f64 {
    let charge: f64 = system.particles.charges.iter().map(|&charge| f64::from(charge)).sum();
    (100.0 * charge).round() / 100.0 + 0.0
}

/// Proteins of residues, their charge, and the water around them.
pub fn describe_residues(text: &mut String, system: &System, residues: &Residues) {
    let counts = system.counts;
    let charge = charge_of(system);
    let _ = writeln!(
        text,
        "System       {} residues in {} chain(s) by {}, {} bonds, {} restraint(s), charge {charge:+.2} e, {:.1} kDa",
        counts.beads,
        counts.chains,
        residues.model.name(),
        counts.bonds,
        counts.native_contacts,
        system.masses(0..system.beads()).sum::<f64>() / 1e3
    );
    if residues.model.depends_on_solution() {
        let solution = &residues.solution;
        let _ = writeln!(
            text,
            "Solution     water of {} K: relative permittivity {:.2}, Bjerrum length {:.4} nm, screening length {:.4} nm; histidine {:+.3} e",
            (100.0 * solution.temperature).round() / 100.0,
            solution.permittivity(),
            solution.bjerrum_length(),
            1.0 / solution.inverse_screening_length(),
            solution.histidine_charge()
        );
    }
}

/// Independent particles and the law of their motion.
pub fn describe_oscillators(text: &mut String, particles: &Oscillators, dynamics: &Dynamics) {
    let number = grouped(particles.particles as u64);
    let _ = match particles.dimensions {
        Dimensions::One => writeln!(
            text,
            "System       {number} particles on lines, three a bead, {} beads",
            grouped(particles.particles.div_ceil(3) as u64)
        ),
        Dimensions::Three => writeln!(text, "System       {number} particles in space, one a bead"),
    };
    let law = particles.law(dynamics);
    let diffusion = dynamics.temperature / dynamics.friction * PICOSECONDS_PER_NANOSECOND
        / (ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE);
    let spread = match (law.relaxation(), law.stationary()) {
        (Some(steps), Some(variance)) => format!(
            "relaxation time {}, variance {} nm^2 of each coordinate",
            simulated(steps * dynamics.timestep),
            significant(variance / (ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE))
        ),
        _ if particles.stiffness > 0.0 => "with this time step no well holds them".to_string(),
        _ => "free, no well holds them".to_string(),
    };
    let _ = writeln!(text, "Law          diffusion {} nm^2/ns; {spread}", significant(diffusion));
}

/// `2-fold, one of 15 equivalent ones: (0.123, 0.456, 0.881) of the file lies along +z`.
fn describe_axis(turned: &Turned) -> String {
    let Turned { name, axis } = turned;
    let mut text = name.clone();
    if axis.equivalent > 1 {
        let _ = write!(text, ", one of {} equivalent ones", axis.equivalent);
    }
    // Adding 0.0 turns minus zero into zero.
    let [x, y, z] = axis.direction.map(|component| (1e4 * component).round() / 1e4 + 0.0);
    let _ = write!(text, ": ({x}, {y}, {z}) of the file lies along +z");
    if let Some(quasi) = &axis.quasi {
        let [one, other] = &quasi.chains;
        let _ = write!(
            text,
            "; chains {one} and {other} are superposed by {:.1} degrees, {:.1} degrees off this axis, with {} A r.m.s. of {} residues",
            quasi.angle,
            quasi.tilt,
            significant(quasi.deviation),
            quasi.residues
        );
    }
    text
}

/// `1: 60 operator(s) on chain(s) A, B, C; 1 operator(s) on chain(s) D`.
fn describe_assembly(assembly: &AssemblyUsed) -> String {
    const SHOWN: usize = 4;
    let named = |id: &String| if id.is_empty() { "without id".to_string() } else { id.clone() };
    let described = |generator: &GeneratorUsed| {
        let chains: Vec<String> = generator.chains.iter().map(named).collect();
        format!("{} operator(s) on chain(s) {}", generator.operators, chains.join(", "))
    };
    let generators: Vec<String> = assembly.generators.iter().take(SHOWN).map(described).collect();
    let more = if assembly.generators.len() > SHOWN { "; …" } else { "" };
    format!("{}: {}{more}", assembly.id, generators.join("; "))
}
