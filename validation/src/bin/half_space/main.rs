//! Presses a rigid sphere into a thick elastic network at T = 0 and compares force and depth with Hertz's law and the
//! network's own modulus.
//!
//! `half_space [--keep FOLDER]`

mod network;

use std::sync::Arc;
use std::time::Instant;

use beadwork_analysis::indentation::{hertz, line};
use beadwork_cpu::Member;
use beadwork_model::externals::{
    BasePath, Cantilever, Contact, External, MoveSchedule, Tip, TipPlace,
};
use beadwork_model::made_systems::{one_stage, sop_gpu_dynamics};
use beadwork_model::observables::Observable;
use beadwork_model::units::PICONEWTONS_PER_FORCE;
use beadwork_model::{Dynamics, Generator, Precision, Protocol, StageKind};
use beadwork_validation::Failure;
use beadwork_validation::backend::Options;
use beadwork_validation::report::{Report, Table};
use clap::Parser;
use network::{Moduli, Network};

/// Spacings: half the width and the depth of the cells of each size, which doubles from one to the next.
const REGIONS: [[i32; 2]; 4] = [[24, 16], [48, 40], [96, 96], [192, 192]];
/// Spacings.
const RADIUS: f64 = 250.0;
/// Spacings: the contact radius √(R d) at the least depth and at the largest, ten times the least.
const CONTACT_RADII: [f64; 2] = [6.0, 18.973_665_961];
const DEPTHS: usize = 9;
/// Of the tip: σ is small beside all depths, so that the sphere is nearly hard.
const CONTACT: Contact = Contact { epsilon: 5e-4, sigma: 0.03, twelfth: 0.0, sixth: 1.0 };
/// kcal/(mol Å): the largest force that a minimisation leaves.
const TOLERANCE: f64 = 1e-5;
const MOST_STEPS: u64 = 20_000;

fn main() -> Result<(), Failure> {
    let Options { backend, keep, words } = Options::parse();
    if let Some(word) = words.first() {
        return Err(format!("{word}: there is nothing to choose").into());
    }
    let began = Instant::now();
    let network = Network::new(&REGIONS);
    let moduli = Network::new(&[[4, 8]]).moduli(1e-4);
    let points = press(&network)?;
    let tables = vec![own_modulus(&moduli), law(&network, &points, &moduli)?];
    let question = "Does a tip measure the modulus of a thick elastic network by Hertz's law?";
    Report::new(&backend, "half_space", question, began, tables).finish(keep.as_deref(), false)
}

/// A sphere whose lowest point is `depth` below the surface, and which stands.
fn tip(network: &Network, depth: f64) -> Tip {
    let widest = 2.0 * CONTACT_RADII[1];
    Tip {
        beads: network.surface_within(widest),
        radius: RADIUS,
        contact: CONTACT,
        cantilever: Cantilever {
            stiffness: 1.0,
            // Its friction is beyond all forces, so it stays where it is.
            friction: 1e15,
            direction: [0.0, 0.0, -1.0],
            path: BasePath { speed: 0.0, out: None, rest: 0, cycles: 1 },
            moves_every: 1,
            schedule: MoveSchedule::Earlier,
            along_only: true,
            contact_force: 0.0,
            temperature: 0.0,
            goes_on: false,
        },
        place: TipPlace::At([0.0, 0.0, RADIUS - depth]),
    }
}

fn protocol(network: &Network, tip: Tip) -> Protocol {
    let dynamics =
        Dynamics { temperature: 0.0, precision: Precision::Double, ..sop_gpu_dynamics(1.0) };
    let beads = network.system.beads();
    let mut protocol = one_stage(dynamics, Generator::Philox4x32x10, 1, 1, beads);
    let stage = &mut protocol.stages[0];
    stage.kind = StageKind::Minimise { tolerance: TOLERANCE, steps: MOST_STEPS, push_off: 0 };
    stage.fixed = network.bottom();
    stage.externals = vec![External::Tip(tip)];
    protocol
}

/// Depth and force on the tip, Å and kcal/(mol Å), by minimisations one after another.
#[allow(clippy::print_stderr, reason = "what people watch the programs for")]
fn press(network: &Network) -> Result<Vec<(f64, f64)>, Failure> {
    let system = Arc::new(network.system.clone());
    let rest = &network.system.particles.positions;
    let mut positions = rest.clone();
    let mut points: Vec<(f64, f64)> = Vec::new();
    for number in 0..DEPTHS {
        let share = number as f64 / (DEPTHS - 1) as f64;
        let contact = CONTACT_RADII[0] * (CONTACT_RADII[1] / CONTACT_RADII[0]).powf(share);
        let depth = contact * contact / RADIUS;
        // The displacements of the depth before, scaled, and the surface below the sphere.
        let scale = points.last().map_or(0.0, |last| depth / last.0);
        for (at, rest) in positions.iter_mut().zip(rest) {
            *at = [0, 1, 2].map(|axis| rest[axis] + scale * (at[axis] - rest[axis]));
        }
        let tip = tip(network, depth);
        for &bead in &tip.beads {
            let [x, y, z] = &mut positions[bead];
            let reach = RADIUS + CONTACT.sigma;
            let below = RADIUS - depth - (reach * reach - *x * *x - *y * *y).sqrt();
            *z = z.min(below);
        }
        let protocol = Arc::new(protocol(network, tip));
        let mut member = Member::new(system.clone(), protocol, 0, &positions);
        member.set_threads(std::thread::available_parallelism()?.get());
        let error = |failure| format!("{failure:?}");
        let steps = member.advance(MOST_STEPS).map_err(error)?;
        if member.remaining() > 0 && steps == MOST_STEPS {
            return Err(format!("the energy at a depth of {depth:.3} was not minimised").into());
        }
        let force = member.measure().map_err(error)?.get(Observable::TipForce);
        let force = force.ok_or("no force")? / PICONEWTONS_PER_FORCE;
        eprintln!("depth {depth:.4}: force {force:.6} after {steps} steps");
        positions = member.positions();
        points.push((depth, force));
    }
    Ok(points)
}

fn own_modulus(moduli: &Moduli) -> Table {
    let Moduli { c11, c12, c44, young, poisson } = moduli;
    let off = (c11 - c12 - 2.0 * c44).abs() / c11;
    let statements = vec![
        (
            format!(
                "C11 = {c11:.5}, C12 = {c12:.5}, C44 = {c44:.5} kcal/(mol Å³): C11 − C12 differs from 2 C44 by {off:.1e} of C11, less than 1e-3, so the network is isotropic."
            ),
            off < 1e-3,
        ),
        (
            format!(
                "Its modulus is {young:.5} kcal/(mol Å³) and its Poisson ratio {poisson:.5}; springs of one strength along the edges and the diagonals of faces of cubes have 5/2 and 1/4."
            ),
            (young - 2.5).abs() < 2.5e-3 && (poisson - 0.25).abs() < 1e-3,
        ),
    ];
    Table::of_statements(
        "The network's own modulus",
        "Energies of 8 × 8 × 8 cells at small uniform strains. Each bead is a centre of symmetry, so a strained network is at rest.",
        statements,
    )
}

/// The exponent p of F = C (d − d₀)^p that fits best with the zero free, by relative deviations of F.
fn exponent(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let least = points.first()?.0;
    let tried = (-400..400).map(|number| 0.9 * least * f64::from(number) / 400.0);
    let fits = tried.filter_map(|zero| {
        let logarithms: Vec<(f64, f64)> =
            points.iter().map(|(depth, force)| ((depth - zero).ln(), force.ln())).collect();
        Some((zero, line(&logarithms)?))
    });
    let best =
        fits.reduce(|best, next| if next.1.deviation < best.1.deviation { next } else { best })?;
    Some((best.1.slope, best.0))
}

fn law(network: &Network, points: &[(f64, f64)], moduli: &Moduli) -> Result<Table, Failure> {
    let (power, zero) = exponent(points).ok_or("no exponent")?;
    let fitted = hertz(points, RADIUS).ok_or("no modulus")?;
    let reduced = moduli.young / (1.0 - moduli.poisson.powi(2));
    let ratio = fitted.modulus / reduced;
    let [least, most] = CONTACT_RADII;
    let [half, deep] = REGIONS[REGIONS.len() - 1].map(f64::from);
    let curve: Vec<String> =
        points.iter().map(|(depth, force)| format!("{depth:.4} {force:.5}")).collect();
    let statements = vec![
        (
            format!(
                "The contact radius √(R d) is {least:.1} to {most:.1} spacings, at least 6; the block is {:.1} of the largest wide and {:.1} deep, at least 10.",
                2.0 * half / most,
                deep / most
            ),
            least >= 6.0 && 2.0 * half >= 10.0 * most && deep >= 10.0 * most,
        ),
        (
            format!(
                "The exponent over a decade of depth is {power:.4} with the zero at {zero:.4} Å, within 1.50 ± 0.05."
            ),
            (power - 1.5).abs() < 0.05,
        ),
        (
            format!(
                "Hertz's law gives a reduced modulus of {:.4} kcal/(mol Å³) with the zero at {:.4} Å and a deviation of {:.1e} of the largest force; it is {ratio:.4} of the network's own, {reduced:.4}, within 10 %.",
                fitted.modulus,
                fitted.zero,
                fitted.deviation / points.last().map_or(1.0, |last| last.1)
            ),
            (ratio - 1.0).abs() < 0.1,
        ),
    ];
    Ok(Table::of_statements(
        "A sphere on the network",
        format!(
            "{} beads, {} springs of 1 kcal/(mol Å²) times the edge of their cells, which is 1, 2, 4 and 8 Å with growing distance from the tip; sides free, bottom held. A sphere of {RADIUS:.0} Å with σ {} Å; energies minimised down to forces of {TOLERANCE:e} kcal/(mol Å). Depth in Å and force in kcal/(mol Å): {}.",
            network.system.beads(),
            network.springs(),
            CONTACT.sigma,
            curve.join("; ")
        ),
        statements,
    ))
}
