//! Tips on GPUs: what beads push has no order, so every form of block moves a tip as the CPU does.

use std::sync::Arc;

use beadwork_cpu::Member;
use beadwork_cuda::{Device, Ensemble, LaunchOverrides, Plan, Rounding};
use beadwork_model::externals::{External, Tip, TipPlace};
use beadwork_model::{Dynamics, Generator, Integrator, Precision, Protocol, System};
use beadwork_simulation::{Failure, MemberState, StepError};

use crate::everything::{crowd, crowd_and_types, everything};
use crate::stepping::{
    assert_same, by_reference, device, new_member, step_once, stepped, without_squares,
};
use crate::support::{
    CASES, WITH_VELOCITIES, choices, going_on, helix, protocol, sop_dynamics, stage,
    tip_and_surface, with_noise,
};

/// Forms of blocks: lanes, several members of a block, many slots of a thread, and the grid plan.
const FORMS: [(Plan, bool, Option<usize>, Option<usize>); 5] = [
    (Plan::Block, true, Some(8), None),
    (Plan::Block, false, Some(3), None),
    (Plan::Block, false, None, Some(64)),
    (Plan::Grid, false, None, None),
    (Plan::Grid, false, None, Some(96)),
];

fn in_form(device: &Device, form: usize, rounding: Rounding) -> Ensemble {
    let (plan, lanes, members, threads) = FORMS[form];
    // The last form leaves what presses to the lanes of the beads.
    let (lanes, helpers) = (Some(lanes), Some(form + 1 < FORMS.len()));
    let overrides =
        LaunchOverrides { lanes, members, threads, helpers, ..LaunchOverrides::default() };
    let ensemble = Ensemble::new(device).unwrap().with_plan(plan);
    ensemble.with_rounding(rounding).with_overrides(overrides)
}

/// Two stages with a tip that moves every `moves_every` steps and surfaces, the second one without fixed beads.
fn pressed(
    system: &System,
    precision: Precision,
    generator: Generator,
    moves_every: u64,
    steps: u64,
) -> Arc<Protocol> {
    let externals = || {
        let mut externals = tip_and_surface(system.beads());
        for own in externals.iter_mut().filter_map(|one| one.cantilever_mut()) {
            own.moves_every = moves_every;
        }
        externals
    };
    let dynamics = Dynamics { skin: 0.7, ..sop_dynamics((Integrator::Brownian, precision)) };
    let fixed = beadwork_model::Stage { fixed: vec![0, 3], ..stage(steps / 2, externals()) };
    let stages = vec![fixed, stage(steps, externals())];
    Arc::new(Protocol { randomness: generator.into(), ..protocol(dynamics, stages) })
}

fn systems() -> Vec<(&'static str, Arc<System>)> {
    vec![
        ("31 beads", Arc::new(everything())),
        ("203 beads", Arc::new(helix(203))),
        ("1240 beads", Arc::new(crowd())),
        ("1240 beads of several types", Arc::new(crowd_and_types())),
    ]
}

/// Asserts that member 3 has this state at its end, in launches of two lengths.
#[track_caller]
fn assert_ends(
    ensemble: &mut Ensemble,
    system: &Arc<System>,
    protocol: &Arc<Protocol>,
    expected: MemberState,
    what: &str,
) {
    let expected = without_squares(expected);
    for chunk in [17, 1000] {
        let member = new_member(system, protocol, 3);
        let found = stepped(ensemble, vec![member], std::iter::repeat(chunk)).remove(0);
        assert_same(&without_squares(found), &expected, what);
    }
}

#[test]
fn a_pressed_member_as_written_is_the_reference_path() {
    let Some(device) = device() else { return };
    for (form, &(_, lanes, ..)) in FORMS.iter().enumerate() {
        for precision in Precision::ALL {
            let mut ensemble = in_form(&device, form, Rounding::AsWritten);
            for (number, (name, system)) in systems().into_iter().enumerate() {
                if lanes && system.beads() > 128 {
                    continue;
                }
                let generator = Generator::IN_LANES[number % 2];
                let every = [1, 7, 10, 3][(form + number) % 4];
                let protocol = pressed(&system, precision, generator, every, 44);
                let expected = by_reference(&system, &protocol, 3);
                let moved = expected.externals[0].moving.unwrap();
                assert_ne!(moved.position, expected.externals[0].origin, "{name}");
                let what = format!("{name} {precision:?} {generator:?}, form {form}");
                assert_ends(&mut ensemble, &system, &protocol, expected, &what);
            }
        }
    }
}

/// In production rounding all forms, launches and companies give the same bits, of a tip with noise and of one without.
#[test]
fn a_pressed_member_has_the_same_bits_in_every_form() {
    let Some(device) = device() else { return };
    for (number, (name, system)) in systems().into_iter().enumerate() {
        let precision = Precision::ALL[number % 2];
        let steps = if system.beads() > 1000 { 30 } else { 120 };
        let still = pressed(&system, precision, Generator::Philox4x32x10, 7, steps);
        let protocol = if number < 2 { still } else { shaken(&still) };
        let member = |number| new_member(&system, &protocol, number);
        let forms = (0..FORMS.len()).filter(|&form| !FORMS[form].1 || system.beads() <= 128);
        let mut expected = None;
        for form in forms {
            let mut ensemble = in_form(&device, form, Rounding::Fused);
            let whole = std::iter::repeat(1000);
            let alone = stepped(&mut ensemble, vec![member(3)], whole).remove(0);
            let expected = expected.get_or_insert_with(|| alone.clone());
            assert_same(&alone, expected, &format!("{name}, form {form}"));
            let members = (0..5).map(member).collect();
            let found = stepped(&mut ensemble, members, choices(form as u64, 30));
            assert_same(&found[3], expected, &format!("{name}, form {form}, among five"));
        }
    }
}

/// As [`pressed`], with noise of the tip; tip and surfaces of the second stage go on from the first, and the base comes back.
fn shaken(protocol: &Protocol) -> Arc<Protocol> {
    let mut protocol = protocol.clone();
    let [first, second] = protocol.stages.as_mut_slice() else { panic!("two stages") };
    let externals = with_noise(first.externals.clone(), 0.6);
    second.externals = going_on(externals.clone());
    first.externals = externals;
    Arc::new(protocol)
}

#[test]
fn a_shaken_tip_goes_on_into_the_next_stage_on_both() {
    let Some(device) = device() else { return };
    for (form, &(_, lanes, ..)) in FORMS.iter().enumerate() {
        for precision in Precision::ALL {
            let mut ensemble = in_form(&device, form, Rounding::AsWritten);
            for (number, (name, system)) in systems().into_iter().take(3).enumerate() {
                if lanes && system.beads() > 128 {
                    continue;
                }
                let generator = Generator::IN_LANES[number % 2];
                let still = pressed(&system, precision, generator, [3, 7, 1][number], 44);
                let shaken = shaken(&still);
                let expected = by_reference(&system, &shaken, 3);
                let moving = expected.externals[0].moving.unwrap();
                assert!(moving.base > 0.0);
                let other = by_reference(&system, &still, 3).externals[0].moving.unwrap();
                assert_ne!(moving.position, other.position, "{name}");
                let what = format!("{name} {precision:?} {generator:?}, form {form}");
                assert_ends(&mut ensemble, &system, &shaken, expected, &what);
            }
        }
    }
}

/// The noise of a tip is that of Philox with ten rounds, also where the beads have fewer.
#[test]
fn a_tip_has_noise_of_its_own_with_every_generator() {
    let Some(device) = device() else { return };
    let system = Arc::new(helix(203));
    for generator in [Generator::Philox4x32x7, Generator::Saru, Generator::SaruTea] {
        let mut ensemble = in_form(&device, 1, Rounding::AsWritten);
        let protocol = shaken(&pressed(&system, Precision::Single, generator, 7, 44));
        let expected = without_squares(by_reference(&system, &protocol, 3));
        let members = vec![new_member(&system, &protocol, 3)];
        let found = stepped(&mut ensemble, members, std::iter::repeat(17)).remove(0);
        assert_same(&without_squares(found), &expected, generator.name());
    }
}

/// Surfaces alone act with every scheme, and in clusters too, which have no tips.
#[test]
fn surfaces_without_a_tip_as_written_are_the_reference_path() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    let forms = [(Plan::Block, true, 1), (Plan::Block, false, 2), (Plan::Grid, false, 3)];
    for case in CASES.into_iter().chain(WITH_VELOCITIES) {
        let of = |externals: Vec<External>| {
            Arc::new(protocol(sop_dynamics(case), vec![stage(40, externals)]))
        };
        let on_surfaces = of(tip_and_surface(system.beads()).split_off(1));
        let expected = without_squares(by_reference(&system, &on_surfaces, 3));
        let free = by_reference(&system, &of(vec![]), 3);
        assert_ne!(free.positions, expected.positions, "{case:?}");
        for (plan, lanes, blocks) in forms {
            let (lanes, cluster) = (Some(lanes), Some(blocks));
            let overrides = LaunchOverrides { lanes, cluster, ..LaunchOverrides::default() };
            let ensemble = Ensemble::new(&device).unwrap().with_plan(plan);
            let ensemble = ensemble.with_rounding(Rounding::AsWritten);
            let mut ensemble = ensemble.with_overrides(overrides);
            let members = vec![new_member(&system, &on_surfaces, 3)];
            let found = stepped(&mut ensemble, members, std::iter::repeat(17)).remove(0);
            let what = format!("{case:?}, {plan:?} of {blocks}");
            assert_same(&without_squares(found), &expected, &what);
        }
    }
}

/// A tip that begins in the structure, and one that its cantilever throws.
#[test]
fn a_tip_that_cannot_act_is_found_on_both() {
    let Some(device) = device() else { return };
    let system = Arc::new(everything());
    let of = |change: &dyn Fn(&mut Tip)| {
        let mut externals = tip_and_surface(system.beads());
        if let External::Tip(tip) = &mut externals[0] {
            change(tip);
        }
        let dynamics = sop_dynamics((Integrator::Brownian, Precision::Double));
        Arc::new(protocol(dynamics, vec![stage(400, externals)]))
    };
    let centre = system.particles.positions[0];
    let inside = of(&|tip| tip.place = TipPlace::At(centre));
    let thrown = of(&|tip| {
        (tip.cantilever.friction, tip.cantilever.path.speed, tip.cantilever.path.out) =
            (200.0, 0.02, None);
    });
    for protocol in [inside, thrown] {
        let mut alone = new_member(&system, &protocol, 3);
        let expected = alone.advance(400).unwrap_err();
        assert!(matches!(expected.error, StepError::External { number: 0, .. }), "{expected:?}");
        for form in 0..FORMS.len() {
            let mut ensemble = in_form(&device, form, Rounding::AsWritten);
            let mut members: Vec<Member> = vec![new_member(&system, &protocol, 3)];
            let failure = loop {
                match step_once(&mut ensemble, &mut members, &mut std::iter::repeat(57)) {
                    Ok(true) => {}
                    Ok(false) => panic!("form {form}: it went on"),
                    Err(failure) => break failure,
                }
            };
            assert_eq!(in_single(failure), in_single(expected), "form {form}");
            assert_eq!(members[0].state().positions, alone.state().positions, "form {form}");
        }
    }
}

/// A failure with the length of a jump as a card reports it.
fn in_single(failure: Failure) -> String {
    let text = format!("{failure:?}");
    let Some((head, tail)) = text.split_once("distance: ") else { return text };
    let (number, rest) = tail.split_once(' ').unwrap_or((tail, ""));
    let number: f64 = number.parse().unwrap();
    format!("{head}distance: {} {rest}", number as f32)
}
