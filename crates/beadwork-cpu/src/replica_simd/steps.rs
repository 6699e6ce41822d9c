//! The steps of a group.
#![allow(
    clippy::needless_range_loop,
    reason = "beads and lanes are numbers of several arrays at once"
)]

use std::sync::Arc;

use beadwork_arithmetic::{Family, Instructions, Kernel, Pair, Vector, Words};
use beadwork_model::Protocol;
use beadwork_random::{LaneCounter, Normal, normals_from_states, normals_in_lanes, step_words};

use crate::arrays::coordinates::to_f64;
use crate::arrays::lanes::{Triple, WIDEST};
use crate::integrators::{Acting, InertialScheme, Scheme, WithScheme, dispatch};
use crate::noise::member_noise::Noise;
use crate::pair_simd::moves::displace;
use crate::replica_simd::arrays::Arrays;
use crate::replica_simd::buffers::Buffers;
use crate::replica_simd::forces::evaluate;
use crate::replica_simd::inertial_steps;
use crate::replica_simd::terms::Terms;
use crate::space::{Geometry, Space, in_space};
use crate::stepping::Stepper;
use crate::teams::sharing::RUN;
use crate::terms::externals::{Pull, apply};
use beadwork_model::externals::{Moment, MovingState};

/// Makes up to a number of steps of packed members. The output is the steps made, and the bits of the lanes that cannot
/// make another one.
pub(crate) struct StepsOfReplicas<'a, 'b, T> {
    pub buffers: &'a mut Buffers<T>,
    pub members: &'a mut [&'b mut Stepper<T>],
    pub steps: u64,
    pub instructions: Instructions,
}

impl<T: Normal> Kernel for StepsOfReplicas<'_, '_, T> {
    type Output = (u64, u32);

    #[inline(always)]
    fn run<F: Family>(self) -> (u64, u32) {
        run::<T::Vector<F>>(self)
    }
}

/// Data that differ between lanes.
struct MemberLanes<V: Vector> {
    /// Bits of the lanes with a member.
    members: u32,
    mobility: V,
    amplitude: V,
    /// Whether there is noise.
    warm: bool,
    key: Option<[V::Words; 2]>,
}

impl<V: Vector> MemberLanes<V>
where
    V::Scalar: Normal,
{
    #[inline(always)]
    fn new(members: &[&mut Stepper<V::Scalar>]) -> Self {
        let key = |word: usize| {
            V::words_from_lanes(|lane| match members.get(lane).map(|m| m.noise()) {
                Some(Noise::Keyed(key)) => key.key_words()[word],
                _ => 0,
            })
        };
        let keyed = matches!(members[0].noise(), Noise::Keyed(_));
        // Lanes without a member do not move.
        let value = |of: fn(&Stepper<V::Scalar>) -> V::Scalar| {
            V::from_lanes(|lane| members.get(lane).map_or(V::Scalar::default(), |m| of(m)))
        };
        MemberLanes {
            members: (1 << members.len()) - 1,
            mobility: value(|member| member.mobility()),
            amplitude: value(|member| member.amplitude()),
            warm: members[0].amplitude() != V::Scalar::default(),
            key: keyed.then(|| [key(0), key(1)]),
        }
    }
}

#[inline(always)]
fn run<V: Vector>(steps: StepsOfReplicas<'_, '_, V::Scalar>) -> (u64, u32)
where
    V::Scalar: Normal,
{
    let StepsOfReplicas { buffers, members, steps, instructions } = steps;
    let Some((system, terms)) = buffers.terms.take() else { return (0, 0) };
    let integrator = members[0].protocol().dynamics.integrator;
    let lanes = &MemberLanes::<V>::new(members);
    let protocols: Vec<_> = members.iter().map(|member| member.protocol().clone()).collect();
    let (protocols, mut made, mut lost) = (protocols.as_slice(), 0, 0);
    while made < steps {
        let terms = &terms;
        // Here, and not in each integrator's code, where it would be compiled once for each.
        draw(lanes, members, made, buffers);
        lost = dispatch(
            integrator,
            StepOfReplicas { buffers, members, protocols, terms, instructions, lanes, made },
        );
        if lost != 0 {
            break;
        }
        made += 1;
    }
    buffers.terms = Some((system, terms));
    (made, lost)
}

/// Adds the forces of the externals at a step of each member's stage to `forces`. Returns the pull on each member, and the
/// bits of the lanes in which an external cannot act.
#[inline(always)]
fn add_externals<V: Vector>(
    members: &mut [&mut Stepper<V::Scalar>],
    protocols: &[Arc<Protocol>],
    positions: &[V::Scalar],
    forces: &mut [V::Scalar],
    made: u64,
    ahead: bool,
) -> ([Pull; WIDEST], u32)
where
    V::Scalar: Normal,
{
    let (mut pulls, mut lost) = ([Pull::default(); WIDEST], 0);
    let place = |bead: usize, axis: usize, lane: usize| (bead * 3 + axis) * V::WIDTH + lane;
    for (lane, member) in members.iter_mut().enumerate() {
        let stage = &protocols[lane].stages[member.stage_number()];
        if stage.externals.is_empty() {
            continue;
        }
        let step = member.stage_step() + made + u64::from(ahead);
        let moment = Moment { step, timestep: protocols[lane].dynamics.timestep };
        let noise = member.noise_of_externals(made + u64::from(ahead));
        let position =
            |bead: usize| to_f64([0, 1, 2].map(|axis| positions[place(bead, axis, lane)]));
        let mut add = |bead: usize, force: [f64; 3]| {
            for axis in 0..3 {
                forces[place(bead, axis, lane)] +=
                    <V::Scalar as beadwork_arithmetic::Lane>::from_f64(force[axis]);
            }
        };
        let externals = stage.externals.iter().zip(member.externals_mut());
        for (number, (external, state)) in externals.enumerate() {
            let noise = || noise.normals::<V::Scalar>(number);
            let result = if ahead {
                // Works on a copy: the state of the external must follow only positions of the trajectory.
                let mut state = state.clone();
                let pull = &mut Pull::default();
                apply(external, &mut state, moment, position, &mut add, (pull, &noise))
            } else {
                apply(external, state, moment, position, &mut add, (&mut pulls[lane], &noise))
            };
            lost |= u32::from(result.is_err()) << lane;
        }
    }
    (pulls, lost)
}

/// What beads push in each member, before a step.
fn pushed<T: Normal>(members: &mut [&mut Stepper<T>]) -> Vec<MovingState> {
    let states = members.iter_mut().flat_map(|member| member.externals_mut().iter());
    states.filter_map(|state| state.moving).collect()
}

/// Forgets how beads pushed in a step that no member makes.
fn forget_push<T: Normal>(members: &mut [&mut Stepper<T>], before: Vec<MovingState>) {
    let states = members.iter_mut().flat_map(|member| member.externals_mut().iter_mut());
    let moving = states.filter_map(|state| state.moving.as_mut());
    moving.zip(before).for_each(|(moving, before)| *moving = before);
}

/// Writes the random displacements of all beads at a step into `kicks`.
#[inline(always)]
fn draw<V: Vector>(
    lanes: &MemberLanes<V>,
    members: &[&mut Stepper<V::Scalar>],
    made: u64,
    buffers: &mut Buffers<V::Scalar>,
) where
    V::Scalar: Normal,
{
    let Buffers { beads, kicks, free, states, next_states, .. } = buffers;
    if !lanes.warm {
        kicks.fill(V::Scalar::default());
        return;
    }
    let Some(key) = lanes.key else {
        for bead in 0..*beads {
            let first = bead * 4 * V::WIDTH;
            let old = &states[first..first + 4 * V::WIDTH];
            let mut words = [
                V::words_from_lanes(|lane| old[lane]),
                V::words_from_lanes(|lane| old[V::WIDTH + lane]),
                V::words_from_lanes(|lane| old[2 * V::WIDTH + lane]),
                V::words_from_lanes(|lane| old[3 * V::WIDTH + lane]),
            ];
            let normals = Triple(normals_from_states::<V>(&mut words));
            (normals * lanes.amplitude).store(kicks, bead * 3);
            // Members with such generators have the same free beads as the first one.
            if free[bead] & 1 != 0 {
                let new = &mut next_states[first..first + 4 * V::WIDTH];
                for (word, words) in words.into_iter().enumerate() {
                    for lane in 0..V::WIDTH {
                        new[word * V::WIDTH + lane] = V::word(words, lane);
                    }
                }
            }
        }
        return;
    };
    let step_of = |lane: usize| members.get(lane).map_or(0, |member| member.step_number() + made);
    let low = V::words_from_lanes(|lane| step_words(step_of(lane))[0]);
    let high = V::words_from_lanes(|lane| step_words(step_of(lane))[1]);
    // Two beads at a time hide each other's latency.
    for bead in (0..*beads - *beads % 2).step_by(2) {
        let number = |bead: usize| V::Words::splat(bead as u32);
        let normals = normals_in_lanes::<Pair<V>>(LaneCounter {
            key: [Pair(key[0], key[0]), Pair(key[1], key[1])],
            step: [Pair(low, low), Pair(high, high)],
            bead: Pair(number(bead), number(bead + 1)),
        });
        let [Pair(a, d), Pair(b, e), Pair(c, f)] = normals;
        (Triple([a, b, c]) * lanes.amplitude).store(kicks, bead * 3);
        (Triple([d, e, f]) * lanes.amplitude).store(kicks, bead * 3 + 3);
    }
    if *beads % 2 == 1 {
        let bead = *beads - 1;
        let number = V::Words::splat(bead as u32);
        let counter = LaneCounter { key, step: [low, high], bead: number };
        (Triple(normals_in_lanes::<V>(counter)) * lanes.amplitude).store(kicks, bead * 3);
    }
}

/// Σ|Δr|² of one step in each lane, Å², in f64 and in the order of the beads; see [`RUN`].
struct MoveSquares {
    total: [f64; WIDEST],
    run: [f64; WIDEST],
}

impl MoveSquares {
    fn new() -> Self {
        MoveSquares { total: [0.0; WIDEST], run: [0.0; WIDEST] }
    }

    #[inline(always)]
    fn add<V: Vector>(&mut self, bead: usize, squares: V) {
        if bead.is_multiple_of(RUN) {
            self.end_run();
        }
        let mut lanes = [0.0; WIDEST];
        squares.to_f64_lanes(&mut lanes[..V::WIDTH]);
        for lane in 0..V::WIDTH {
            self.run[lane] += lanes[lane];
        }
    }

    #[inline(always)]
    fn end_run(&mut self) {
        for lane in 0..WIDEST {
            self.total[lane] += self.run[lane];
        }
        self.run = [0.0; WIDEST];
    }
}

/// Adds a successful step to the averages.
#[inline(always)]
fn count<T: Normal>(
    members: &mut [&mut Stepper<T>],
    pulls: &[Pull; WIDEST],
    mut squares: MoveSquares,
) {
    squares.end_run();
    for (lane, member) in members.iter_mut().enumerate() {
        member.count_pull(pulls[lane]);
        member.count_moves(squares.total[lane]);
    }
}

/// Makes a step of all members; returns the bits of the lanes that cannot make it.
struct StepOfReplicas<'a, 'b, V: Vector> {
    buffers: &'a mut Buffers<V::Scalar>,
    members: &'a mut [&'b mut Stepper<V::Scalar>],
    protocols: &'a [Arc<Protocol>],
    terms: &'a Terms<V::Scalar>,
    instructions: Instructions,
    lanes: &'a MemberLanes<V>,
    /// Steps made before.
    made: u64,
}

impl<V: Vector> WithScheme for StepOfReplicas<'_, '_, V>
where
    V::Scalar: Normal,
{
    type Output = u32;

    #[inline(always)]
    fn with<S: Scheme>(self) -> u32 {
        let Some(geometry) = self.buffers.geometry else { return 0 };
        in_space!(geometry, space => step::<S, V, _>(space, geometry, self))
    }

    #[inline(always)]
    fn with_velocities<S: InertialScheme>(self) -> u32 {
        let Some(geometry) = self.buffers.geometry else { return 0 };
        let StepOfReplicas { buffers, members, protocols, terms, instructions, lanes, made } = self;
        let too_far =
            in_space!(geometry, space => inertial_steps::begin::<S, V, _>(space, buffers));
        let lost = match too_far & lanes.members {
            0 => {
                let mut steps = [[0; 2]; WIDEST];
                for (step, member) in steps.iter_mut().zip(members.iter()) {
                    *step = step_words(member.step_number() + made);
                }
                let on = lanes.members;
                inertial_steps::evaluate_next(buffers, terms, geometry, instructions, on, &steps)
            }
            lost => lost,
        };
        if lost != 0 {
            inertial_steps::exchange(buffers);
            return lost;
        }
        buffers.count_crossings();
        let Buffers { positions, motion, states, next_states, .. } = buffers;
        let forces = &mut motion.next_forces;
        let before = pushed(members);
        let (pulls, lost) =
            add_externals::<V>(members, protocols, positions, forces, made + 1, false);
        if lost != 0 {
            forget_push(members, before);
            inertial_steps::exchange(buffers);
            return lost;
        }
        std::mem::swap(states, next_states);
        inertial_steps::end::<S, V>(buffers);
        for (member, pull) in members.iter_mut().zip(pulls) {
            member.count_pull(pull);
        }
        0
    }
}

/// The displacement of a bead, by forces, forces ahead and kicks.
#[inline(always)]
fn shift<S: Scheme, V: Vector>(
    bead: usize,
    [forces, forces_ahead, kicks]: [&[V::Scalar]; 3],
    mobility: V,
) -> Triple<V> {
    let force_ahead = match S::LOOKS_AHEAD {
        true => Triple::<V>::load(forces_ahead, bead * 3),
        false => Triple::zero(),
    };
    S::after(Acting {
        force: Triple::load(forces, bead * 3),
        force_ahead,
        kick: Triple::load(kicks, bead * 3),
        mobility,
    })
}

/// A step without velocities.
#[inline(always)]
fn step<S: Scheme, V: Vector, G: Space<V::Scalar>>(
    space: G,
    geometry: Geometry<V::Scalar>,
    step: StepOfReplicas<'_, '_, V>,
) -> u32
where
    V::Scalar: Normal,
{
    let StepOfReplicas { buffers, members, protocols, terms, instructions, lanes, made } = step;
    let Buffers {
        beads,
        positions,
        previous,
        forces,
        sums,
        whole,
        kicks,
        ahead,
        forces_ahead,
        list,
        free,
        states,
        next_states,
        ..
    } = buffers;
    let counted = u32::MAX;
    let arrays = Arrays { geometry, positions, sums, whole, counted, total: forces };
    let lost = evaluate(terms, instructions, list, lanes.members, None, arrays);
    if lost != 0 {
        return lost;
    }
    let before = pushed(members);
    let (pulls, lost) = add_externals::<V>(members, protocols, positions, forces, made, false);
    if lost != 0 {
        forget_push(members, before);
        return lost;
    }
    if S::LOOKS_AHEAD {
        let mut lost = 0;
        for bead in 0..*beads {
            let acting = Acting {
                force: Triple::<V>::load(forces, bead * 3),
                force_ahead: Triple::zero(),
                kick: Triple::load(kicks, bead * 3),
                mobility: lanes.mobility,
            };
            let (from, shift) = (Triple::<V>::load(positions, bead * 3), S::before(acting));
            let (to, _) = displace(space, from, shift, free[bead]);
            if G::WRAPS {
                lost |= free[bead] & !V::mask_to_bits(space.fits(shift));
            }
            to.store(ahead, bead * 3);
        }
        if lost & lanes.members != 0 {
            return lost & lanes.members;
        }
        let arrays =
            Arrays { geometry, positions: ahead, sums, whole, counted, total: forces_ahead };
        let lost = evaluate(terms, instructions, list, lanes.members, None, arrays);
        let lost = match lost {
            0 => add_externals::<V>(members, protocols, ahead, forces_ahead, made, true).1,
            lost => lost,
        };
        if lost != 0 {
            // Generators keep their states, so the sound members draw the same numbers again.
            forget_push(members, before);
            return lost;
        }
    }
    let acting = [&**forces, &**forces_ahead, &**kicks];
    if G::WRAPS {
        let mut lost = 0;
        for bead in 0..*beads {
            lost |= free[bead]
                & !V::mask_to_bits(space.fits(shift::<S, V>(bead, acting, lanes.mobility)));
        }
        if lost & lanes.members != 0 {
            return lost & lanes.members;
        }
    }
    std::mem::swap(positions, previous);
    let mut squares = MoveSquares::new();
    for bead in 0..*beads {
        let from = Triple::<V>::load(previous, bead * 3);
        let shift = shift::<S, V>(bead, acting, lanes.mobility);
        let (to, square) = displace(space, from, shift, free[bead]);
        to.store(positions, bead * 3);
        squares.add(bead, square);
    }
    std::mem::swap(states, next_states);
    buffers.count_crossings();
    count(members, &pulls, squares);
    0
}
