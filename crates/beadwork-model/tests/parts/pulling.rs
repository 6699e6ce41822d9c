//! Forces and work of the laws that pull.
//!
//! `Law::energy` is 0 for these, since tables tell of their work. Still each force is a slope while step and base stand. The tests
//! write these potentials from the documented formulas, and hold the forces on beads, the force of tables and the work to them.

use beadwork_model::externals::{
    Ends, External, ExternalState, Force, ForceRamp, Moment, Spring, centre, dot, unit,
};

const BEADS: usize = 20;

/// The examples of all laws that pull, and others: they push, go back, lie along a line of their own, or hold their force.
fn laws() -> Vec<External> {
    let mut laws = External::examples(BEADS);
    laws.retain(|external| external.ends().is_some());
    let between = Ends { fixed: vec![2, 7], pulled: vec![3, 11, 19], ..Ends::default() };
    let along = Some([0.36, -0.48, 0.8]);
    let own_line = Ends { fixed: Vec::new(), direction: along, ..between.clone() };
    for ends in [between, own_line] {
        let spring = Spring { ends: ends.clone(), stiffness: 1.4, speed: -2e-3, update_every: 1 };
        let held = Spring { speed: 1e-3, update_every: 10, ..spring.clone() };
        laws.extend([External::Spring(spring), External::Spring(held)]);
        laws.push(External::Force(Force { ends: ends.clone(), force: -1.7 }));
        laws.push(External::ForceRamp(ForceRamp { ends, rate: -3e-4 }));
    }
    laws
}

/// Positions when a stage begins, Å.
fn helix() -> Vec<[f64; 3]> {
    let turns = (0..BEADS).map(|bead| bead as f64);
    turns.map(|turn| [4.0 * turn.sin(), 4.0 * turn.cos(), 1.5 * turn]).collect()
}

/// Å: a vector for each bead, with components between −1 and 1 and no symmetry.
fn displacement(number: usize) -> Vec<[f64; 3]> {
    let component = |n: usize| (n * n * 2_654_435_761 % 3001) as f64 / 1500.0 - 1.0;
    let of_bead = |bead: usize| [1, 2, 3].map(|axis| component(3 * (BEADS * number + bead) + axis));
    (0..BEADS).map(of_bead).collect()
}

fn moved(positions: &[[f64; 3]], by: &[[f64; 3]], way: f64) -> Vec<[f64; 3]> {
    let both = positions.iter().zip(by);
    both.map(|(at, by)| [0, 1, 2].map(|axis| at[axis] + way * by[axis])).collect()
}

/// x₀ and n of a law whose stage begins with beads at `start`: the centre of the pulled beads, and the line to it from that of the
/// fixed ones unless the law has its own.
fn line(ends: &Ends, start: &[[f64; 3]]) -> ([f64; 3], [f64; 3]) {
    let [fixed, pulled] = [&ends.fixed, &ends.pulled].map(|of| centre(of, |bead| start[bead]));
    let between = [0, 1, 2].map(|axis| pulled[axis] - fixed[axis]);
    (pulled, ends.direction.unwrap_or_else(|| unit(between).unwrap()))
}

/// kcal/mol, with x the centre of the pulled beads and t the time since the stage began: κ/2 |x₀ + νt n − x|² of a spring, −f n·x
/// of a constant force, −r t n·x of a ramp.
fn potential(
    external: &External,
    start: &[[f64; 3]],
    Moment { step, timestep }: Moment,
    positions: &[[f64; 3]],
) -> f64 {
    let ends = external.ends().unwrap();
    let (origin, along) = line(ends, start);
    let at = centre(&ends.pulled, |bead| positions[bead]);
    let time = step as f64 * timestep;
    match external {
        External::Spring(Spring { stiffness, speed, .. }) => {
            let way = speed * time;
            let bent = [0, 1, 2].map(|axis| origin[axis] + way * along[axis] - at[axis]);
            0.5 * stiffness * dot(bent, bent)
        }
        External::Force(Force { force, .. }) => -force * dot(along, at),
        External::ForceRamp(ForceRamp { rate, .. }) => -rate * time * dot(along, at),
        other => unreachable!("write here the potential of \"{}\", which pulls too", other.kind()),
    }
}

fn renew(external: &External, state: &mut ExternalState, moment: Moment, positions: &[[f64; 3]]) {
    let centre = centre(external.beads(), |bead| positions[bead]);
    external.renew(state, moment, centre, &|| [0.0; 3]).unwrap();
}

/// kcal/mol: what rounding may change of a potential near `positions`, or of a work. Both are products of forces and lengths, made
/// by fewer than 64 operations, each of which is wrong by half an ε of at most the largest force times the largest length. Beads
/// that move by less than 3 Å from there are allowed for.
fn rounding(
    external: &External,
    state: &ExternalState,
    moment: Moment,
    positions: &[[f64; 3]],
) -> f64 {
    let length = |vector: [f64; 3]| dot(vector, vector).sqrt();
    let farthest = positions.iter().map(|&at| length(at)).fold(length(state.origin), f64::max);
    let way = external.base_travel(moment).unwrap_or(0.0).abs() + 3.0;
    let stiffness = external.stiffness() * external.beads().len() as f64;
    let force = length(state.last.unwrap().force) + 3.0 * stiffness;
    64.0 * f64::EPSILON * force * (farthest + way)
}

/// All beads move at random, the fixed ones too: no force acts on these, and no potential depends on where they are once its stage
/// has begun. The potentials are at most quadratic, so the difference over 2 Å is the slope but for rounding.
#[test]
fn forces_that_pull_are_slopes_of_their_potentials() {
    let start = helix();
    for external in laws() {
        let (_, along) = line(external.ends().unwrap(), &start);
        let mut strongest = 0.0_f64;
        for (number, stretch) in [0.3, 1.0, 1.7, 6.0].into_iter().enumerate() {
            let stretched: Vec<_> = start.iter().map(|at| at.map(|x| stretch * x)).collect();
            let positions = moved(&stretched, &displacement(10 + number), 1.0);
            // Forces that are held are renewed at these steps.
            let moments = [0, 10, 70, 123_450]
                .map(|step| [0.5, 20.0].map(|timestep| Moment { step, timestep }));
            for moment in moments.concat() {
                let mut state = external.begin(&start);
                renew(&external, &mut state, moment, &positions);
                let bound = rounding(&external, &state, moment, &positions);
                let slope_along = |by: &[[f64; 3]]| {
                    let [up, down] = [1.0, -1.0].map(|way| {
                        potential(&external, &start, moment, &moved(&positions, by, way))
                    });
                    0.5 * (up - down)
                };
                for by in (0..5).map(displacement) {
                    let force_on = |(entry, &bead): (usize, &usize)| {
                        dot(external.force(&state, moment, entry, positions[bead]), by[bead])
                    };
                    let force: f64 = external.beads().iter().enumerate().map(force_on).sum();
                    let slope = slope_along(&by);
                    let what = format!("{force} {slope} {bound:e}, {moment:?} {external:?}");
                    assert!((force + slope).abs() <= bound, "{what}");
                    strongest = strongest.max(force.abs() / bound);
                }
                let (force, slope) =
                    (external.along(&state, moment).unwrap(), slope_along(&[along; BEADS]));
                let what = format!("{force} {slope} {bound:e}, {moment:?} {external:?}");
                assert!((force + slope).abs() <= bound, "along its direction: {what}");
            }
        }
        // A wrong sign or factor is far beyond rounding.
        assert!(strongest > 1e6, "{strongest:e}: {external:?}");
    }
}

/// The work of a step is what the potential loses as beads move, by the mean of the potentials at both ends of the step: the
/// trapezoid rule, which is exact for these laws. The work of the base, or of a growing strength, has no part in it. Forces that
/// are held do work by another rule.
#[test]
fn work_on_beads_is_what_the_potentials_lose() {
    let start = helix();
    let is_held =
        |law: &External| matches!(law, External::Spring(spring) if spring.update_every > 1);
    for external in laws().into_iter().filter(|law| !is_held(law)) {
        let moment_of = |step: usize| Moment { step: step as u64, timestep: 20.0 };
        let (mut state, mut positions) = (external.begin(&start), start.clone());
        renew(&external, &mut state, moment_of(0), &positions);
        let (mut expected, mut bound, mut largest) = (0.0_f64, 0.0_f64, 0.0_f64);
        for step in 1..=20 {
            let next = moved(&positions, &displacement(step), 0.5);
            let lost_at = |moment: Moment| {
                let [from, to] =
                    [&positions, &next].map(|at| potential(&external, &start, moment, at));
                from - to
            };
            expected += 0.5 * (lost_at(moment_of(step - 1)) + lost_at(moment_of(step)));
            renew(&external, &mut state, moment_of(step), &next);
            bound += rounding(&external, &state, moment_of(step), &next);
            let work = external.work(&state, moment_of(step));
            let what = format!("step {step}: {work} {expected} {bound:e}, {external:?}");
            assert!((work - expected).abs() <= bound, "{what}");
            largest = largest.max(work.abs() / bound);
            positions = next;
        }
        assert!(largest > 1e6, "{largest:e}: {external:?}");
    }
}
