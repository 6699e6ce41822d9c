//! Forces and work of externals.

use beadwork_model::externals::{
    BasePath, Cantilever, Contact, Ends, External, ExternalState, FirstStep, Force, ForceRamp,
    Moment, MoveSchedule, Spring, Surface, SurfacePlace, SurfacePoints, Tip, TipPlace, centre,
    nearest_bead, way_back,
};

fn ends() -> Ends {
    Ends { fixed: vec![0], pulled: vec![1, 2], direction: None, ..Ends::default() }
}

/// The force on the centre of the pulled beads at a step.
fn force_at(
    external: &External,
    state: &mut ExternalState,
    step: u64,
    timestep: f64,
    centre: [f64; 3],
) -> [f64; 3] {
    external.renew(state, Moment { step, timestep }, centre, &|| [0.0; 3]).unwrap();
    state.last.unwrap().force
}

#[test]
fn a_line_that_rounding_turns_has_no_direction() {
    let of = |direction| Ends { fixed: vec![0, 2], pulled: vec![1], direction, ..Ends::default() };
    let at = |z: f64| [[-1.0, 0.0, 0.0], [0.0, 0.0, z], [1.0, 0.0, 0.0]];
    let tiny = 0.5_f64.powi(20);
    let short = [0.0, tiny, 1e-4].map(|z| of(None).short_line(&at(z)));
    assert_eq!(short, [Some(0.0), Some(tiny), None]);
    assert_eq!(of(Some([0.0, 0.0, 1.0])).short_line(&at(0.0)), None);
    // One bead at the place of another, at the origin.
    assert_eq!(Ends { fixed: vec![0], ..of(None) }.short_line(&[[0.0; 3]; 3]), Some(0.0));
}

#[test]
fn the_direction_runs_from_the_fixed_to_the_pulled_centre() {
    let external = External::Force(Force { ends: ends(), force: 2.0 });
    let mut state = external.begin(&[[0.0; 3], [3.0, 5.0, 0.0], [3.0, 3.0, 0.0]]);
    assert_eq!(state.origin, [3.0, 4.0, 0.0]);
    assert_eq!(state.direction, [0.6, 0.8, 0.0]);
    let force = force_at(&external, &mut state, 0, 1.0, [0.0; 3]);
    assert_eq!(force, [1.2, 1.6, 0.0]);
}

#[test]
fn work_of_a_constant_force_is_force_times_displacement() {
    let external = External::Force(Force { ends: ends(), force: 2.0 });
    let positions = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let mut state = external.begin(&positions);
    for step in 0..=10 {
        let at = [1.0 + 0.5 * step as f64, 0.0, 0.0];
        force_at(&external, &mut state, step, 1.0, at);
        // A second call at the same step must not add to the work.
        force_at(&external, &mut state, step, 1.0, at);
    }
    assert_eq!(state.work, 2.0 * 5.0);
}

#[test]
fn work_of_a_held_force_uses_the_force_that_acted() {
    let spring = Spring { ends: ends(), stiffness: 2.0, speed: 1.0, update_every: 2 };
    let external = External::Spring(spring);
    let mut state = external.begin(&[[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]);
    // The base is at 1 + step; the beads follow by half an Å a step. The held force is 0 at steps 0 and 1, and 2 (3 −
    // 2) = 2 at steps 2 and 3.
    for step in 0..=4 {
        force_at(&external, &mut state, step, 1.0, [1.0 + 0.5 * step as f64, 0.0, 0.0]);
    }
    assert_eq!(state.work, 2.0 * (0.5 + 0.5));
}

#[test]
fn coinciding_ends_pull_along_x() {
    let external = External::Force(Force { ends: ends(), force: 1.0 });
    assert_eq!(external.begin(&[[1.0; 3]; 3]).direction, [1.0, 0.0, 0.0]);
}

fn spring(update_every: u64, stiffness: f64, speed: f64) -> (External, ExternalState) {
    let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None, ..Ends::default() };
    let state = ExternalState {
        origin: [10.0, 0.0, 0.0],
        direction: [1.0, 0.0, 0.0],
        ..ExternalState::default()
    };
    (External::Spring(Spring { ends, stiffness, speed, update_every }), state)
}

#[test]
fn a_spring_follows_a_base_that_moves_with_the_step() {
    let (spring, mut state) = spring(1, 0.5, 0.25);
    // Base at 10 + 8 · 2 · 0.25 = 14; the bead at (11, 1, 0).
    assert_eq!(force_at(&spring, &mut state, 8, 2.0, [11.0, 1.0, 0.0]), [1.5, -0.5, 0.0]);
}

#[test]
fn a_held_force_is_constant_between_renewals() {
    let (spring, mut state) = spring(10, 0.5, 0.25);
    let at = [10.0, 0.0, 0.0];
    assert_eq!(force_at(&spring, &mut state, 0, 1.0, at), [0.0; 3]);
    assert_eq!(force_at(&spring, &mut state, 9, 1.0, at), [0.0; 3]);
    // The base has travelled 2.5 Å at step 10.
    assert_eq!(force_at(&spring, &mut state, 10, 1.0, at), [1.25, 0.0, 0.0]);
    assert_eq!(force_at(&spring, &mut state, 19, 1.0, [0.0; 3]), [1.25, 0.0, 0.0]);
    assert_eq!(force_at(&spring, &mut state, 20, 1.0, at), [2.5, 0.0, 0.0]);
}

#[test]
fn the_base_does_not_drift_over_a_long_run() {
    // 2.5 µm/s at 20 ps: 5e-7 Å a step; after 10⁹ steps exactly 500 Å up to one rounding.
    let (spring, mut state) = spring(1, 1.0, 2.5e-8);
    let force = force_at(&spring, &mut state, 1_000_000_000, 20.0, [10.0, 0.0, 0.0]);
    assert!((force[0] - 500.0).abs() < 1e-10, "{}", force[0]);
}

#[test]
fn a_ramp_grows_from_nothing_in_proportion_to_time() {
    let ends = Ends { fixed: vec![0], pulled: vec![1], direction: None, ..Ends::default() };
    let ramp = External::ForceRamp(ForceRamp { ends, rate: 0.25 });
    let mut state = ExternalState { direction: [0.0, 0.0, 1.0], ..ExternalState::default() };
    assert_eq!(force_at(&ramp, &mut state, 0, 2.0, [0.0; 3]), [0.0; 3]);
    assert_eq!(force_at(&ramp, &mut state, 4, 2.0, [0.0; 3]), [0.0, 0.0, 2.0]);
}

/// A tip above some beads, and a tilted surface below them.
fn tip_and_surface(beads: usize) -> [External; 2] {
    let contact = Contact { epsilon: 0.7, sigma: 2.5, twelfth: 0.0, sixth: 1.0 };
    let tip = Tip {
        beads: (0..beads).collect(),
        radius: 12.0,
        contact,
        cantilever: Cantilever {
            stiffness: 0.1,
            friction: 1e5,
            direction: [0.0, 0.6, -0.8],
            path: BasePath { speed: 1e-6, out: None, rest: 0, cycles: 1 },
            moves_every: 10,
            schedule: MoveSchedule::Earlier,
            along_only: false,
            contact_force: 0.1,
            temperature: 0.0,
            goes_on: false,
        },
        place: TipPlace::At([1.0, -2.0, 3.0]),
    };
    let surface = Surface {
        beads: (0..beads).collect(),
        contact,
        normal: [0.6, 0.0, 0.8],
        place: SurfacePlace::At([0.0, 1.0, 2.0]),
        points: None,
        goes_on: false,
    };
    [External::Tip(tip), External::Surface(surface)]
}

/// A step in which no bead moves.
fn standing(beads: usize) -> FirstStep {
    FirstStep { mobilities: vec![0.0; beads], rooms: vec![f64::INFINITY; beads] }
}

/// Gone back by its way, an external has just the room that was asked for, and farther back no bead comes nearer.
#[test]
fn the_way_back_leaves_the_room_that_was_asked_for() {
    let positions: Vec<[f64; 3]> = (0..200)
        .map(|bead| [7, 11, 13].map(|factor| f64::from(bead * factor % 31) - 15.0))
        .collect();
    let still = standing(positions.len());
    for external in tip_and_surface(positions.len()) {
        let state = external.begin(&positions);
        let nearest = nearest_bead(&*external, &state, &positions, &still).unwrap();
        assert!(nearest.clearance < 0.0 && nearest.behind > 10, "{nearest:?}");
        assert!(nearest.refused >= nearest.behind, "{nearest:?}");
        assert_eq!(external.clearance(&state, positions[nearest.bead]), Some(nearest.clearance));
        let way = way_back(&*external, &state, &positions, 2.0);
        for (farther, most) in [(0.0, 5.0), (0.5, 5.5), (9.0, 14.0)] {
            // Beads move along the direction in place of the external, which goes against it.
            let moved: Vec<[f64; 3]> = positions
                .iter()
                .map(|at| [0, 1, 2].map(|k| at[k] + (way + farther) * state.direction[k]))
                .collect();
            let nearest = nearest_bead(&*external, &state, &moved, &still).unwrap();
            let room = 5.0 - 1e-9..most + 1e-9;
            assert!(room.contains(&nearest.clearance), "{nearest:?}");
            assert_eq!(nearest.behind + nearest.refused, 0);
        }
    }
    // A tip never meets a bead beside its way.
    let [tip, _] = tip_and_surface(1);
    let beside = [[40.0, 0.0, 0.0]];
    assert_eq!(way_back(&*tip, &tip.begin(&beside), &beside, 2.0), f64::NEG_INFINITY);
}

/// A bead is thrown where force times mobility is more than half of σ, or than bonds allow.
#[test]
fn beads_are_thrown_by_forces_beyond_what_a_step_may_move() {
    let contact = Contact { epsilon: 0.7, sigma: 2.5, twelfth: 0.0, sixth: 1.0 };
    let [_, surface] = tip_and_surface(2);
    let External::Surface(surface) = surface else { panic!("the second is a surface") };
    let (normal, place) = ([0.0, 0.0, 1.0], SurfacePlace::At([0.0; 3]));
    let surface = External::Surface(Surface { normal, place, ..surface });
    let cases = [(0.01, f64::INFINITY), (0.01, 0.3), (1e-4, 0.3), (1.0, f64::INFINITY), (5.0, 0.3)];
    for (mobility, most) in cases {
        let reach = contact.distance_of(most.min(1.25) / mobility);
        // The last two throw beads that are farther away than σ.
        assert_eq!(reach > 2.5, mobility >= 1.0);
        for (height, is_thrown) in [(0.999 * reach, true), (1.001 * reach, false)] {
            let positions = [[0.0, 0.0, 240.0], [3.0, 0.0, height]];
            // The bonds of the other bead, which is far away, say nothing about this one.
            let rooms = vec![0.1, most];
            let first = FirstStep { mobilities: vec![mobility; 2], rooms: rooms.clone() };
            let nearest =
                nearest_bead(&*surface, &surface.begin(&positions), &positions, &first).unwrap();
            let thrown = nearest.thrown.map(|thrown| (thrown.bead, thrown.beads, thrown.breaks));
            assert_eq!(thrown, is_thrown.then_some((1, 1, most < 1.25)), "{nearest:?}");
            let held = FirstStep { mobilities: vec![mobility, 0.0], rooms };
            let nearest =
                nearest_bead(&*surface, &surface.begin(&positions), &positions, &held).unwrap();
            assert_eq!((nearest.thrown, nearest.refused), (None, 0));
        }
    }
}

/// Points that throw a bead together, of which none would alone, and the room in which they no longer do.
#[test]
fn points_of_a_surface_throw_beads_together() {
    let contact = Contact { epsilon: 0.7, sigma: 2.5, twelfth: 0.0, sixth: 1.0 };
    let [_, surface] = tip_and_surface(1);
    let External::Surface(surface) = surface else { panic!("the second is a surface") };
    let surface = External::Surface(Surface {
        normal: [0.0, 0.0, 1.0],
        place: SurfacePlace::At([0.0; 3]),
        points: Some(SurfacePoints { side: 30, spacing: 0.5 }),
        ..surface
    });
    let first = FirstStep { mobilities: vec![1.0], rooms: vec![f64::INFINITY] };
    let nearest_at = |height: f64| {
        let positions = [[0.0, 0.0, height]];
        nearest_bead(&*surface, &surface.begin(&positions), &positions, &first).unwrap()
    };
    assert!(contact.force(3.0) < 0.5 * 1.25);
    let near = nearest_at(3.0);
    assert_eq!(near.thrown.map(|thrown| thrown.beads), Some(1), "{near:?}");
    let enough = nearest_at(1.001 * near.room * contact.sigma);
    assert_eq!((enough.thrown, enough.refused), (None, 0), "{enough:?}");
}

/// What begins near beads is looked at by all of the clearance, the contact and the way back.
#[test]
fn laws_with_a_clearance_have_a_contact_and_a_way_back() {
    let positions: Vec<[f64; 3]> = (0..20).map(|bead| [0.0, 0.0, 3.0 * f64::from(bead)]).collect();
    let mut with_surface = 0;
    for external in External::examples(positions.len()) {
        let state = external.begin(&positions);
        let has_clearance = external
            .beads()
            .iter()
            .any(|&bead| external.clearance(&state, positions[bead]).is_some());
        let has_way = way_back(&*external, &state, &positions, 2.0) > f64::NEG_INFINITY;
        let kind = external.kind();
        assert_eq!(has_clearance, external.contact().is_some(), "{kind}");
        assert_eq!(has_clearance, has_way, "{kind}");
        with_surface += usize::from(has_clearance);
    }
    assert!(with_surface >= 3, "{with_surface}");
}

#[test]
fn the_distance_of_a_force_is_where_it_acts() {
    let repulsive = Contact { epsilon: 0.7, sigma: 2.5, twelfth: 0.0, sixth: 1.0 };
    let sticky = Contact { epsilon: 0.2, sigma: 10.0, twelfth: 1.0, sixth: -2.0 };
    for contact in [repulsive, sticky] {
        for force in [0.01, 1.0, 50.0] {
            let distance = contact.distance_of(force);
            assert!((contact.force(distance) / force - 1.0).abs() < 1e-9, "{distance}");
        }
    }
    assert!(sticky.distance_of(0.01) < 10.0 && repulsive.distance_of(0.01) > 2.5);
}

/// Of each law that does not pull, the force on a bead is the slope of its energy, also where it has moved. A law whose forces on
/// beads that rest change with the step says that it moves, and no other does.
#[test]
fn forces_are_slopes_and_laws_that_move_say_so() {
    let helix = |bead: u32| {
        let turn = f64::from(bead);
        [4.0 * turn.sin(), 4.0 * turn.cos(), 1.5 * turn]
    };
    let start: Vec<[f64; 3]> = (0..20).map(helix).collect();
    // Away from where they began.
    let positions: Vec<_> = start.iter().map(|[x, y, z]| [x + 0.3, y - 0.2, z + 0.4]).collect();
    for external in External::examples(start.len()) {
        let mut state = external.begin(&start);
        let mut forces_of = |step: u64| -> Vec<[f64; 3]> {
            let moment = Moment { step, timestep: 50.0 };
            let centre = centre(external.beads(), |bead| positions[bead]);
            external.renew(&mut state, moment, centre, &|| [0.0; 3]).unwrap();
            let of_bead = |(entry, &bead): (usize, &usize)| {
                let at = positions[bead];
                let force = external.force(&state, moment, entry, at);
                for axis in (0..3).filter(|_| external.ends().is_none()) {
                    let energy = |way: f64| {
                        let mut moved = at;
                        moved[axis] += way;
                        external.energy(&state, moment, entry, moved)
                    };
                    let slope = (energy(1e-4) - energy(-1e-4)) / 2e-4;
                    let bound = 1e-6 * force[axis].abs() + 1e-8;
                    let what = format!("{} {bead} {force:?} {axis} {slope}", external.kind());
                    assert!((force[axis] + slope).abs() < bound, "{what}");
                }
                force
            };
            external.beads().iter().enumerate().map(of_bead).collect()
        };
        let first = forces_of(0);
        let later: Vec<_> = (1..=30).map(&mut forces_of).collect();
        assert!(later.iter().flatten().flatten().any(|&force| force != 0.0), "{external:?}");
        let depend = later.iter().any(|forces| *forces != first);
        let what = "`moves` says whether forces depend on the step";
        assert_eq!(depend, external.moves(), "{what}: {external:?}");
    }
}
