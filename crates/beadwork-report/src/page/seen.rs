//! Which beads of a system are seen, where, and in which colours.

use beadwork_analysis::numbers::grouped;
use beadwork_model::{Boundary, Model, System};

use crate::drawn_beads::{BOND, are_small};

/// The most beads that a page shows. A browser draws so many in a second or less.
const MOST_BEADS: usize = 40_000;
/// With so many molecules or more, some of them are left out whole; with fewer, some beads of each.
const MANY_MOLECULES: usize = 1_000;
/// The colours of plots in their order, which people with any colour vision can tell apart (Okabe and Ito, *Color Universal Design*,
/// 2008), with grey for black, which is not seen on dark pages.
const COLOURS: [&str; 8] =
    ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999", "#F0E442"];
/// The colours along a chain: the first, the middle and the last.
const ALONG: [[f64; 3]; 3] = [[33.0, 102.0, 172.0], [200.0, 200.0, 200.0], [178.0, 24.0, 43.0]];
/// How many colours a chain has.
const STEPS_ALONG: usize = 24;
/// The names of types in a legend.
const MOST_NAMES: usize = 12;

/// The beads that are seen.
pub(super) struct Seen {
    /// Their numbers in the system, ascending.
    pub beads: Vec<usize>,
    /// The colours, each with what it means if that is said.
    pub colours: Vec<(String, String)>,
    /// The place of each bead's colour.
    pub colour: Vec<usize>,
    /// The places, among the beads seen, of those that are molecules of their own beside larger ones.
    pub small: Vec<usize>,
    /// Whether beads inside molecules are left out, so that successive ones are joined in place of bonds.
    is_trace: bool,
    /// Whether beads are drawn as a tube.
    is_tube: bool,
}

impl Seen {
    /// Those of a system: all, or evenly many.
    pub(super) fn of(system: &System) -> Seen {
        let molecules = system.particles.beads_of_molecules();
        let count = molecules.iter().count();
        let stride = system.beads().div_ceil(MOST_BEADS).max(1);
        let is_tube = system.model != Model::Beads;
        let is_trace = stride > 1 && (is_tube || count < MANY_MOLECULES);
        let mut beads: Vec<usize> = match (stride, is_trace) {
            (1, _) => (0..system.beads()).collect(),
            (_, false) => {
                molecules.iter().step_by(stride).flatten().map(|bead| *bead as usize).collect()
            }
            (_, true) => {
                let some = molecules.iter().flat_map(|molecule| molecule.iter().step_by(stride));
                some.map(|bead| *bead as usize).collect()
            }
        };
        beads.sort_unstable();
        let are_small = are_small(&system.particles);
        let small = (0..beads.len()).filter(|place| are_small[beads[*place]]).collect();
        let (colours, colour) = colours(system, &beads, count);
        Seen { beads, colours, colour, small, is_trace, is_tube }
    }

    /// What is left out.
    pub(super) fn note(&self, system: &System) -> Option<String> {
        let [shown, all] = [self.beads.len(), system.beads()].map(|count| grouped(count as u64));
        let how = match self.is_trace {
            true => "evenly along each molecule, and joined",
            false => "whole molecules",
        };
        (shown != all).then(|| format!("{shown} of {all} beads, {how}"))
    }

    /// The radius of a bead, of which beads that nearly touch have `radius`.
    pub(super) fn radius(&self, radius: f64) -> f64 {
        if self.is_tube { 0.55 * radius } else { radius }
    }

    /// The radius of a bond.
    pub(super) fn stick(&self, radius: f64) -> f64 {
        if self.is_tube { 0.55 * radius } else { BOND * radius }
    }

    /// Where the beads are drawn. In a box each molecule is moved by whole sides so that its centre lies inside; in open space the
    /// centre of all beads is moved to the origin if they are `centred`.
    pub(super) fn placed(
        &self,
        system: &System,
        positions: &[[f64; 3]],
        centred: bool,
    ) -> Vec<[f64; 3]> {
        let shifts = match system.boundary {
            Boundary::Periodic { lengths } => into_box(system, positions, lengths),
            Boundary::Open if centred => {
                let count = positions.len().max(1) as f64;
                let centre =
                    [0, 1, 2].map(|axis| positions.iter().map(|at| at[axis]).sum::<f64>() / count);
                vec![centre.map(|x| -x)]
            }
            Boundary::Open => vec![[0.0; 3]],
        };
        let shift = |bead: usize| match shifts.as_slice() {
            [one] => *one,
            all => system
                .particles
                .molecules
                .get(bead)
                .map_or([0.0; 3], |molecule| all[*molecule as usize]),
        };
        let placed = |&bead: &usize| {
            let by = shift(bead);
            [0, 1, 2].map(|axis| positions[bead][axis] + by[axis])
        };
        self.beads.iter().map(placed).collect()
    }

    /// The bonds between beads that are seen, by their places, and the number of those that would cross the whole box.
    pub(super) fn bonds(
        &self,
        system: &System,
        placed: &[[f64; 3]],
    ) -> (Vec<(usize, usize)>, usize) {
        let longest = match system.boundary {
            Boundary::Periodic { lengths } => {
                0.5 * lengths.into_iter().fold(f64::INFINITY, f64::min)
            }
            Boundary::Open => f64::INFINITY,
        };
        let bonds: Vec<(usize, usize)> = match self.is_trace {
            true => {
                let molecule = |place: usize| system.particles.molecules.get(self.beads[place]);
                let pairs = (1..self.beads.len()).map(|place| (place - 1, place));
                pairs.filter(|(one, other)| molecule(*one) == molecule(*other)).collect()
            }
            false => {
                let place = |bead: usize| self.beads.binary_search(&bead).ok();
                let both = |(i, j)| Some((place(i)?, place(j)?));
                system.bonds().into_iter().filter_map(both).collect()
            }
        };
        let all = bonds.len();
        let is_short = |(one, other): &(usize, usize)| {
            let square = |axis: usize| (placed[*one][axis] - placed[*other][axis]).powi(2);
            (square(0) + square(1) + square(2)).sqrt() <= longest
        };
        let short: Vec<(usize, usize)> = bonds.into_iter().filter(is_short).collect();
        let across = all - short.len();
        (short, across)
    }
}

/// For each molecule, the shift by whole sides that moves its centre into the box.
fn into_box(system: &System, positions: &[[f64; 3]], lengths: [f64; 3]) -> Vec<[f64; 3]> {
    let molecules = &system.particles.molecules;
    let count = molecules.iter().max().map_or(1, |most| *most as usize + 1);
    let mut sums = vec![([0.0; 3], 0_usize); count];
    for (molecule, at) in molecules.iter().zip(positions) {
        let (sum, beads) = &mut sums[*molecule as usize];
        (0..3).for_each(|axis| sum[axis] += at[axis]);
        *beads += 1;
    }
    let shift = |(sum, beads): ([f64; 3], usize)| {
        [0, 1, 2]
            .map(|axis| -(sum[axis] / beads.max(1) as f64 / lengths[axis]).floor() * lengths[axis])
    };
    sums.into_iter().map(shift).collect()
}

/// Beads of a model that lists its types have the colours of these, beads of several chains those of their chains, and a chain alone
/// changes its colour along its beads.
fn colours(
    system: &System,
    beads: &[usize],
    molecules: usize,
) -> (Vec<(String, String)>, Vec<usize>) {
    let particles = &system.particles;
    let of_palette = |place: usize| COLOURS[place % COLOURS.len()].to_string();
    if system.model == Model::Beads && system.types.len() > 1 {
        let names = system.type_labels().into_iter().take(MOST_NAMES).enumerate();
        let mut colours: Vec<_> = names.map(|(place, name)| (of_palette(place), name)).collect();
        // Types beyond those of the legend share the colours without a name.
        colours.extend(
            (colours.len()..system.types.len()).map(|place| (of_palette(place), String::new())),
        );
        let colour = |bead: &usize| usize::from(particles.types[*bead]);
        return (colours, beads.iter().map(colour).collect());
    }
    if molecules > 1 {
        let colours = (0..COLOURS.len()).map(|place| (of_palette(place), String::new()));
        let colour = |bead: &usize| {
            particles.molecules.get(*bead).map_or(0, |one| *one as usize % COLOURS.len())
        };
        return (colours.collect(), beads.iter().map(colour).collect());
    }
    let name = |step: usize| match step {
        0 => "first bead",
        _ if step + 1 == STEPS_ALONG => "last bead",
        _ => "",
    };
    let colours = (0..STEPS_ALONG).map(|step| (along(step), name(step).to_string()));
    let colour = |bead: &usize| (bead * STEPS_ALONG / system.beads().max(1)).min(STEPS_ALONG - 1);
    (colours.collect(), beads.iter().map(colour).collect())
}

fn along(step: usize) -> String {
    let place = 2.0 * step as f64 / (STEPS_ALONG - 1) as f64;
    let (from, to, part) = match place < 1.0 {
        true => (ALONG[0], ALONG[1], place),
        false => (ALONG[1], ALONG[2], place - 1.0),
    };
    let mixed =
        [0, 1, 2].map(|channel| (from[channel] + part * (to[channel] - from[channel])) as u8);
    let [red, green, blue] = mixed;
    format!("#{red:02X}{green:02X}{blue:02X}")
}

#[cfg(test)]
mod tests {
    use beadwork_model::Particles;

    use super::*;

    fn system(molecules: &[u32], boundary: Boundary, model: Model) -> System {
        let mut particles = Particles::of_one_type(
            vec![Default::default(); molecules.len()],
            vec![[0.0; 3]; molecules.len()],
        );
        particles.molecules = molecules.to_vec();
        System { particles, boundary, model, ..System::default() }
    }

    #[test]
    fn molecules_stay_whole_in_a_box() {
        let lengths = [10.0; 3];
        let system = system(&[0, 0, 1], Boundary::Periodic { lengths }, Model::Beads);
        let positions = [[19.0, -1.0, 5.0], [23.0, -3.0, 5.0], [-0.5, 0.0, 31.0]];
        let seen = Seen::of(&system);
        let placed = seen.placed(&system, &positions, true);
        assert_eq!(placed, [[-1.0, 9.0, 5.0], [3.0, 7.0, 5.0], [9.5, 0.0, 1.0]]);
        assert_eq!(seen.small, [2]);
    }

    #[test]
    fn large_chains_are_thinned_along_themselves() {
        let molecules: Vec<u32> = (0..100_000).map(|bead| bead / 50_000).collect();
        let system = system(&molecules, Boundary::Open, Model::Sop);
        let seen = Seen::of(&system);
        assert!(seen.beads.len() <= MOST_BEADS && seen.beads.contains(&50_000));
        let placed = vec![[0.0; 3]; seen.beads.len()];
        let (bonds, across) = seen.bonds(&system, &placed);
        // One less than beads in each of two chains.
        assert_eq!((bonds.len(), across), (seen.beads.len() - 2, 0));
        assert!(
            seen.note(&system).unwrap().contains("of 100 000 beads, evenly along each molecule")
        );
    }

    #[test]
    fn many_molecules_are_shown_whole_or_not_at_all() {
        let molecules: Vec<u32> = (0..100_000).map(|bead| bead / 10).collect();
        let system = system(&molecules, Boundary::Open, Model::Beads);
        let seen = Seen::of(&system);
        assert_eq!(seen.beads[..12], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 30, 31]);
        assert!(seen.note(&system).unwrap().contains("whole molecules"));
    }

    #[test]
    fn a_chain_changes_its_colour_from_end_to_end() {
        let system = system(&[0; 48], Boundary::Open, Model::Sop);
        let seen = Seen::of(&system);
        assert_eq!((seen.colour[0], seen.colour[47]), (0, STEPS_ALONG - 1));
        assert_eq!(seen.colours[0], ("#2166AC".to_string(), "first bead".to_string()));
        assert!(seen.note(&system).is_none());
    }
}
