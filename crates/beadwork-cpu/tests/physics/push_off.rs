//! Random walks that overlap become melts of chains that exclude each other.

use std::path::Path;
use std::sync::Arc;

use beadwork_cpu::{CpuPath, Member};
use beadwork_model::observables::Observable;
use beadwork_model::{Boundary, Precision, Protocol, System};

const CHAINS: usize = 20;
const BEADS: usize = 30;
/// Steps of the push-off.
const PUSH_OFF: u64 = 600;

/// Flexible chains of Kremer and Grest (J. Chem. Phys. 92, 5057, 1990), as an input builds them.
fn melt(precision: Precision, placement: &str) -> (Arc<System>, Arc<Protocol>) {
    let text = format!(
        r#"[system]
model = "beads"
units = "reduced"
build = {{ molecule = "A{BEADS}", count = {CHAINS}, density = 0.85, {placement} }}
bonds = [ {{ kind = "fene", stiffness = 30.0, limit = 1.5 }} ]
pairs = [ {{ kind = "wca", depth = 1.0, diameter = 1.0 }} ]
exclude = 0

[dynamics]
collision_rate = 0.5
timestep = 0.01
precision = "{}"

[[stage]]
name = "push-off"
minimise = {{ push_off = {PUSH_OFF}, steps = 900, tolerance = 10.0 }}

[[stage]]
name = "run"
steps = 500
"#,
        precision.name()
    );
    let request = beadwork_input::parse(&text, "melt.toml", Path::new("."), &[]).unwrap();
    let point = &request.points[0];
    (point.system.clone(), point.protocol.clone())
}

const WALKS: &str = "placement = \"random\", bond_length = 0.97, characteristic_ratio = 1.88";

fn begin(system: &Arc<System>, protocol: &Arc<Protocol>) -> Member {
    Member::new(system.clone(), protocol.clone(), 0, &system.particles.positions)
}

#[test]
fn a_push_off_makes_a_melt_of_random_walks() {
    for precision in Precision::ALL {
        let (system, protocol) = melt(precision, WALKS);
        assert!(system.overlapping_beads().is_some(), "walks that do not overlap test nothing");
        let mut member = begin(&system, &protocol);
        member.advance(u64::MAX).unwrap();
        assert_eq!(member.remaining(), 0);
        let positions = member.positions();
        for i in 0..positions.len() {
            for j in i + 1..positions.len() {
                let apart = system.boundary.squared_distance(positions[i], positions[j]).sqrt();
                // Two beads at 0.8 have 58 ε, which no bead of a melt has.
                assert!(apart > 0.8, "{i} and {j} are {apart} apart");
            }
        }
        for chain in positions.chunks_exact(BEADS) {
            for bond in chain.windows(2) {
                let length = Boundary::Open.squared_distance(bond[0], bond[1]).sqrt();
                // Beyond 1.2 a bond has 8 ε more than at rest.
                assert!(length < 1.2, "{length}");
            }
        }
        member.begin_stage(1);
        assert_eq!(member.advance(u64::MAX).unwrap(), 500);
        member.verify().unwrap();
    }
}

/// Interrupted after each part of the push-off and within the parts, on the reference path, and with two threads.
#[test]
fn a_push_off_has_the_same_bits_on_every_path_and_after_every_interruption() {
    let (system, protocol) = melt(Precision::Single, WALKS);
    let mut whole = begin(&system, &protocol).with_path(CpuPath::Reference);
    let mut threaded = begin(&system, &protocol);
    threaded.set_threads(2);
    let mut parts = begin(&system, &protocol);
    for steps in [1, 98, 1, 1, 149, 350, 20] {
        for member in [&mut whole, &mut threaded, &mut parts] {
            member.advance(steps).unwrap();
        }
        assert_eq!(whole.state(), parts.state());
        assert_eq!(whole.state(), threaded.state());
        parts = Member::restore(system.clone(), protocol.clone(), 0, parts.state());
    }
}

/// A member that another backend will step keeps its soft repulsions when its threads change.
#[test]
fn a_prepared_push_off_stays_prepared() {
    let (system, protocol) = melt(Precision::Single, WALKS);
    let mut member = begin(&system, &protocol);
    assert!(!member.is_prepared());
    for (steps, alike) in [(1, 99), (98, 1), (1, 100), (500, 300)] {
        member.advance(steps).unwrap();
        member.prepare();
        member.set_threads(2);
        member.set_threads(1);
        assert!(member.is_prepared());
        assert_eq!(member.steps_alike(), alike);
    }
}

/// The forces of a start that overlaps cannot be added up. Its row has no configurational temperature, and the run goes on.
#[test]
fn a_row_of_an_overlapping_start_leaves_one_column_empty() {
    let (system, protocol) = melt(Precision::Single, WALKS);
    let columns = vec![
        Observable::PressureXx,
        Observable::ConfigurationalTemperature,
        Observable::Curvature,
        Observable::MomentumX,
    ];
    let mut member = begin(&system, &Arc::new(Protocol { columns, ..(*protocol).clone() }));
    let row = member.measure().unwrap();
    assert_eq!(row.get(Observable::ConfigurationalTemperature), None);
    let velocities = member.velocities().unwrap();
    let momentum: f64 = velocities.iter().map(|velocity| velocity[0]).sum();
    let found = row.get(Observable::MomentumX).unwrap();
    assert!((found - momentum).abs() < 1e-9, "{found} {momentum}");
    assert!(row.get(Observable::PressureXx).is_some());
    member.advance(u64::MAX).unwrap();
    let row = member.measure().unwrap();
    assert!(row.get(Observable::ConfigurationalTemperature).is_some_and(|value| value > 0.0));
}

/// Where nothing overlaps, soft repulsions change little, and forces may all be zero.
#[test]
fn a_push_off_of_a_lattice_is_harmless() {
    let (system, protocol) = melt(Precision::Single, "placement = \"lattice\"");
    let mut member = begin(&system, &protocol);
    member.advance(u64::MAX).unwrap();
    member.begin_stage(1);
    assert_eq!(member.advance(u64::MAX).unwrap(), 500);
}

/// No force has a direction between beads at one point, in the box or a side apart.
#[test]
fn a_push_off_parts_beads_at_one_point() {
    for precision in Precision::ALL {
        let text = format!(
            r#"[system]
model = "beads"
units = "reduced"
build = {{ molecule = "A", count = 60, density = 0.5 }}
pairs = [ {{ kind = "wca", depth = 1.0, diameter = 1.0 }} ]

[dynamics]
collision_rate = 0.5
timestep = 0.005
precision = "{}"

[[stage]]
minimise = {{ push_off = {PUSH_OFF}, steps = 900, tolerance = 10.0 }}

[[stage]]
steps = 200
"#,
            precision.name()
        );
        let request = beadwork_input::parse(&text, "fluid.toml", Path::new("."), &[]).unwrap();
        let (system, protocol) = (&request.points[0].system, &request.points[0].protocol);
        let Boundary::Periodic { lengths } = system.boundary else { panic!("no box") };
        let mut start = system.particles.positions.clone();
        start[17] = start[3];
        start[41] = [start[3][0] + lengths[0], start[3][1], start[3][2]];
        let mut member = Member::new(system.clone(), protocol.clone(), 0, &start);
        member.advance(u64::MAX).unwrap();
        let positions = member.positions();
        for [i, j] in [[3, 17], [3, 41], [17, 41]] {
            let apart = system.boundary.squared_distance(positions[i], positions[j]).sqrt();
            assert!(apart > 0.8, "{i} and {j} are {apart} apart");
        }
        member.begin_stage(1);
        assert_eq!(member.advance(u64::MAX).unwrap(), 200);
    }
}
