//! Faults that the bounds of rounding must find.

use std::sync::Arc;

use beadwork::cpu::Member;
use beadwork::cuda::{Case, cases};
use beadwork::model::externals::{External, MovingState, Surface, Tip};
use beadwork::model::potentials::pair::{PairEntry, PairTable};
use beadwork::model::potentials::{HarmonicTrap, NativeContact, SixthPowerRepulsion};
use beadwork::model::{Precision, Protocol, System};
use beadwork::simulation::MemberState;

use super::agreement::{compare, compare_bits, growth};
use super::generated;

fn stepped(system: &System, protocol: &Arc<Protocol>, start: &[[f64; 3]]) -> MemberState {
    let mut member = Member::new(Arc::new(system.clone()), protocol.clone(), 0, start);
    let steps = member.remaining();
    member.advance(steps).unwrap();
    member.state()
}

/// Bounds refuse small faults and allow differences by rounding.
#[test]
fn small_faults_are_found() {
    let all = cases();
    let pulled = |case: &&Case| !case.typed && case.beads == 34 && case.pulled && case.members == 1;
    for case in all.iter().filter(pulled) {
        let single = case.precision == Precision::Single;
        let protocol = generated::protocol(case, 80);
        let larger = Case { beads: 89, terms: [true; 4], repels: true, typed: false, ..*case };
        let system = generated::system(&larger).unwrap();
        let start = generated::moved(&system.particles.positions, 0.15);
        let nearby = generated::moved(&start, 1e-3);
        let expected = stepped(&system, &protocol, &start);
        let twin = stepped(&system, &protocol, &nearby);
        let growth = growth([&start, &nearby], [&expected, &twin]);
        assert!((1.0..5.0).contains(&growth), "{growth}");
        let judge = |found: &MemberState| compare(&protocol, found, &expected, growth);
        assert_eq!(judge(&expected).unwrap(), 0.0);

        // Coordinates moved by one unit in the last place, up and down in turn.
        let rounded = |(place, x): (usize, f64)| match (single, place % 2) {
            (true, 0) => f64::from((x as f32).next_up()),
            (true, _) => f64::from((x as f32).next_down()),
            (false, 0) => x.next_up(),
            (false, _) => x.next_down(),
        };
        let round = |(bead, p): (usize, &[f64; 3])| {
            [0, 1, 2].map(|axis| rounded((3 * bead + axis, p[axis])))
        };
        let start_rounded: Vec<[f64; 3]> = start.iter().enumerate().map(round).collect();
        let mut found = stepped(&system, &protocol, &start_rounded);
        // Anchors are the positions at the beginning of the stage.
        found.externals[1].anchors.clone_from(&expected.externals[1].anchors);
        let of_bound = judge(&found).unwrap();
        assert!(of_bound > 0.0, "{of_bound}");

        let refused = |system: &System, protocol: &Arc<Protocol>, what: &str| {
            let outcome = judge(&stepped(system, protocol, &start));
            assert!(outcome.is_err(), "{what} passes in {}: {outcome:?}", case.name());
        };
        let mut other = system.clone();
        other.interactions.bonded_by_mut::<NativeContact>()[7].potential.depth *= 0.95;
        refused(&other, &protocol, "a contact that is too weak");
        let mut other = system.clone();
        let mut traps = other.interactions.singles_by::<HarmonicTrap>().to_vec();
        traps.remove(3);
        other.interactions.singles = vec![traps.into()];
        refused(&other, &protocol, "a trap that is missing");
        let mut other = system.clone();
        if let Some(table) = other.interactions.pairs_by::<SixthPowerRepulsion>() {
            let PairEntry { mut potential, cutoff } = table.entries()[0];
            potential.strength *= 0.97;
            other.interactions.pairs = vec![PairTable::of_one_type(potential, cutoff).into()];
        }
        refused(&other, &protocol, "repulsion that is too weak");
        if expected.extra.motion.is_some() {
            let mut faster = expected.clone();
            faster.extra.motion.as_mut().unwrap().velocities[7][1] += 2.0;
            assert!(judge(&faster).is_err(), "a wrong velocity passes in {}", case.name());
            let mut stronger = expected.clone();
            stronger.extra.motion.as_mut().unwrap().forces.as_mut().unwrap()[7][2] += 2.0;
            assert!(judge(&stronger).is_err(), "a wrong force passes in {}", case.name());
            let mut other = system.clone();
            other.types[0].mass *= 1.05;
            refused(&other, &protocol, "a mass that is too large");
        }
        let mut hot = Protocol::clone(&protocol);
        hot.dynamics.temperature *= 1.01;
        refused(&system, &Arc::new(hot), "noise that is too strong");
        let mut loose = Protocol::clone(&protocol);
        if let External::Spring(spring) = &mut loose.stages[0].externals[0] {
            spring.stiffness *= 1.1;
        }
        refused(&system, &Arc::new(loose), "a spring that is too stiff");
        assert!(compare_bits(&expected, &expected).is_ok());
        assert!(compare_bits(&twin, &expected).is_err());
    }
}

/// The same of members between a tip and surfaces.
#[test]
fn small_faults_of_what_presses_are_found() {
    let pressed = cases().into_iter().find(Case::has_tip).unwrap();
    for precision in Precision::ALL {
        let case = Case { precision, beads: 89, ..pressed };
        let protocol = generated::protocol(&case, 80);
        let system = generated::system(&case).unwrap();
        let start = generated::moved(&system.particles.positions, 0.15);
        let nearby = generated::moved(&start, 1e-3);
        let expected = stepped(&system, &protocol, &start);
        let twin = stepped(&system, &protocol, &nearby);
        let growth = growth([&start, &nearby], [&expected, &twin]);
        let judge = |found: &MemberState| compare(&protocol, found, &expected, growth);
        assert_eq!(judge(&expected).unwrap(), 0.0);
        assert!(compare_bits(&expected, &expected).is_ok());
        assert!(compare_bits(&twin, &expected).is_err());

        let refused = |what: &str, number: usize, change: &dyn Fn(&mut External)| {
            let mut other = Protocol::clone(&protocol);
            change(&mut other.stages[0].externals[number]);
            let outcome = judge(&stepped(&system, &Arc::new(other), &start));
            assert!(outcome.is_err(), "{what} passes in {}: {outcome:?}", precision.name());
        };
        let of_surface = |change: fn(&mut Surface)| {
            move |external: &mut External| match external {
                External::Surface(surface) => change(surface),
                other => panic!("a {} is no surface", other.kind()),
            }
        };
        let of_tip = |change: fn(&mut Tip)| {
            move |external: &mut External| match external {
                External::Tip(tip) => change(tip),
                other => panic!("a {} is no tip", other.kind()),
            }
        };
        let weak = of_surface(|surface| surface.contact.epsilon *= 0.5);
        refused("a plane that is too weak", 0, &weak);
        let absent = of_surface(|surface| surface.contact.epsilon = 0.0);
        refused("points that do not act", 1, &absent);
        refused("a tip that is too weak", 2, &of_tip(|tip| tip.contact.epsilon *= 0.9));
        refused("a tip that moves too slowly", 2, &of_tip(|tip| tip.cantilever.friction *= 1.1));
        refused(
            "a cantilever that is too stiff",
            2,
            &of_tip(|tip| tip.cantilever.stiffness *= 1.1),
        );
        refused("a base that is too fast", 2, &of_tip(|tip| tip.cantilever.path.speed *= 1.1));
        refused("a tip that is too hot", 2, &of_tip(|tip| tip.cantilever.temperature *= 1.1));
        refused("a tip that moves too late", 2, &of_tip(|tip| tip.cantilever.moves_every += 1));

        let of_state = |what: &str, change: fn(&mut MovingState)| {
            let mut other = expected.clone();
            change(other.externals[2].moving.as_mut().unwrap());
            assert!(judge(&other).is_err(), "{what} passes in {}", precision.name());
            assert!(compare_bits(&other, &expected).is_err(), "{what}");
        };
        of_state("a reaction that is missing", |moving| moving.reaction = [0; 3]);
        of_state("a contact that is missing", |moving| moving.contact = None);
        of_state("a tip elsewhere", |moving| moving.position[0] += 0.01);
        of_state("a tip at another step", |moving| moving.step = None);
    }
}
