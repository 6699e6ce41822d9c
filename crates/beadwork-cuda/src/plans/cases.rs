//! Systems and protocols that use all programs of the table ([`cover`](crate::cover())), for `beadwork doctor
//! --thorough`.

use beadwork_model::{Generator, Integrator, Precision};

use crate::compile::program::Rounding;
use crate::plans::Plan;

/// Beads and members for each form of block: few and many small ones, and large ones; one alone has several blocks.
const FORMS: [(usize, usize); 7] =
    [(34, 1), (34, 300), (34, 20_000), (89, 20_000), (200, 300), (1_913, 1), (3_500, 300)];

/// Beads of a member with several blocks, whose threads have several slots.
const LARGE: usize = 3_500;

/// Beads of members in the grid plan: few, several of them to a thread, and more than 16 bits can count.
const GRIDS: [usize; 3] = [600, 40_000, 250_000];

/// Members whose steps need one program of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Case {
    /// The number type.
    pub precision: Precision,
    /// How sums of products are rounded.
    pub rounding: Rounding,
    /// FENE bonds, harmonic bonds, native contacts, traps.
    pub terms: [bool; 4],
    /// Whether beads repel each other.
    pub repels: bool,
    /// Whether beads have types, with a second pair term and angles.
    pub typed: bool,
    /// Whether there are externals that pull at beads or hold them.
    pub pulled: bool,
    /// Whether a surface presses on beads, and a tip where the scheme can have one ([`Case::has_tip`]).
    pub pressed: bool,
    /// The generator of noise.
    pub generator: Generator,
    /// The scheme.
    pub integrator: Integrator,
    /// Beads of a member.
    pub beads: usize,
    /// Members on the card at a time, by [`Ensemble::with_members_on_device`](crate::Ensemble::with_members_on_device);
    /// the form of blocks depends on it.
    pub members: usize,
    /// The plan of a step's work.
    pub plan: Plan,
}

impl Case {
    /// `block single fene+contacts pulled philox4x32-10 brownian, 34 beads, 20000 members`.
    pub fn name(&self) -> String {
        let members = if self.members == 1 { "member" } else { "members" };
        let words = self.words().join(" ");
        format!("{words}, {} beads, {} {members}", self.beads, self.members)
    }

    /// Whether beads push a tip, which only one scheme has on a card.
    pub fn has_tip(&self) -> bool {
        self.pressed && self.integrator == Integrator::Brownian
    }

    /// Words of the case that are also in its program's name, in this order.
    fn words(&self) -> Vec<String> {
        let plan = self.plan.name().to_string();
        let names = ["fene", "harmonic", "contacts", "traps"].iter().zip(self.terms);
        let terms: Vec<&str> = names.filter(|(_, has)| *has).map(|(name, _)| *name).collect();
        let mut words = vec![plan, self.precision.name().to_string(), terms.join("+")];
        words.extend(self.typed.then(|| "typed".to_string()));
        words.extend((self.rounding == Rounding::AsWritten).then(|| "as-written".to_string()));
        words.extend(self.pulled.then(|| "pulled".to_string()));
        words.extend(self.pressed.then(|| "pressed".to_string()));
        words.extend([self.generator.name().to_string(), self.integrator.name().to_string()]);
        words
    }
}

/// The SOP model of a protein.
const PLAIN: Case = Case {
    precision: Precision::Single,
    rounding: Rounding::Fused,
    terms: [true, false, true, false],
    repels: true,
    typed: false,
    pulled: false,
    pressed: false,
    generator: Generator::Philox4x32x10,
    integrator: Integrator::Brownian,
    beads: 0,
    members: 1,
    plan: Plan::Block,
};

/// Every form of block in every precision and integrator, with and without externals; some of them with every generator,
/// term and rounding; members that are pressed; and independent beads.
pub fn cases() -> Vec<Case> {
    let mut cases = overdamped();
    cases.extend(with_velocities());
    cases.extend(pressed());
    cases
}

fn overdamped() -> Vec<Case> {
    let plain = PLAIN;
    let mut cases = Vec::new();
    for (beads, members) in FORMS {
        let plain = Case { beads, members, ..plain };
        for precision in Precision::ALL {
            for integrator in Integrator::OVERDAMPED {
                for generator in Generator::IN_LANES {
                    for pulled in [false, true] {
                        // Members of many beads have one generator in each combination, in turn.
                        let first = (integrator == Integrator::Brownian) == pulled;
                        if beads > 100 && first != (generator == Generator::Philox4x32x10) {
                            continue;
                        }
                        cases.push(Case { precision, integrator, generator, pulled, ..plain });
                    }
                }
            }
        }
        cases.push(Case { terms: [true; 4], pulled: true, ..plain });
        cases.push(Case { rounding: Rounding::AsWritten, ..plain });
    }
    let (precision, generator) = (Precision::Double, Generator::HybridTaus);
    let alone = Case { precision, generator, repels: false, beads: 64, ..plain };
    cases.push(Case { terms: [false, true, false, true], ..alone });
    cases.push(Case { terms: [false, false, false, true], members: 20_000, ..alone });
    // Generators that are computed from a key, as the first one is.
    for generator in [Generator::Philox4x32x7, Generator::SaruTea, Generator::Saru] {
        for (members, precision) in [(1, Precision::Double), (20_000, Precision::Single)] {
            cases.push(Case { generator, precision, members, beads: 34, ..plain });
        }
    }
    // Generators whose words are filled before the steps.
    for (generator, integrator, precision, (beads, members)) in [
        (Generator::Lcg, Integrator::Brownian, Precision::Single, (34, 1)),
        (Generator::Ran2, Integrator::BrownianSecondOrder, Precision::Double, (34, 20_000)),
        (Generator::Xorwow, Integrator::Brownian, Precision::Double, (1_913, 1)),
        (Generator::LaggedFibonacci, Integrator::BrownianSecondOrder, Precision::Single, (34, 300)),
        (Generator::Mt19937, Integrator::Brownian, Precision::Double, (LARGE, 1)),
    ] {
        cases.push(Case { generator, integrator, precision, beads, members, ..plain });
    }
    let bonded = [false, true, false, true];
    cases.push(Case { generator: Generator::Lcg, terms: bonded, ..alone });
    cases.push(Case { generator: Generator::Xorwow, plan: Plan::Grid, beads: GRIDS[0], ..plain });
    let large = Case { beads: LARGE, ..plain };
    cases.push(Case { pulled: true, ..large });
    let integrator = Integrator::BrownianSecondOrder;
    cases.push(Case { precision, integrator, ..large });
    // Other numbers of blocks.
    cases.extend([89, 300].map(|beads| Case { pulled: true, beads, ..plain }));
    for precision in Precision::ALL {
        for integrator in Integrator::OVERDAMPED {
            let generator = match integrator {
                Integrator::Brownian => Generator::Philox4x32x10,
                _ => Generator::HybridTaus,
            };
            let all = Case { precision, integrator, generator, pulled: true, ..plain };
            let all = Case { terms: [true; 4], ..all };
            let typed = Case { typed: true, ..all };
            for (beads, members) in FORMS {
                cases.push(Case { beads, members, ..typed });
            }
        }
    }
    // Members of whose slots two lanes each share the neighbours; of the smallest ones below four do.
    let shared = Case { plan: Plan::Grid, beads: LARGE, pulled: true, ..plain };
    let second_order = Integrator::BrownianSecondOrder;
    cases.push(Case { precision: Precision::Double, integrator: second_order, ..shared });
    cases.push(shared);
    for (number, beads) in GRIDS.into_iter().enumerate() {
        let (plan, terms) = (Plan::Grid, [true; 4]);
        let grid = Case { beads, plan, ..plain };
        cases.push(Case { pulled: true, ..grid });
        let generator = Generator::IN_LANES[number % Generator::IN_LANES.len()];
        let precision = Precision::ALL[number % 2];
        let integrator = Integrator::BrownianSecondOrder;
        cases.push(Case { terms, generator, precision, integrator, pulled: number == 0, ..grid });
        cases.push(Case { terms, typed: true, ..grid });
    }
    let independent = Case { plan: Plan::Independent, repels: false, beads: 200, ..plain };
    let trapped = [false, false, false, true];
    for precision in Precision::ALL {
        for integrator in Integrator::OVERDAMPED {
            cases.push(Case { precision, integrator, terms: trapped, ..independent });
        }
    }
    let others = Generator::ALL.into_iter().filter(|&other| other != independent.generator);
    for (number, generator) in others.enumerate() {
        let (precision, terms) = match number % 2 {
            0 => (Precision::Single, trapped),
            _ => (Precision::Double, [false; 4]),
        };
        cases.push(Case { generator, precision, terms, ..independent });
    }
    cases
}

/// Every form of block with each integrator, lanes in both precisions; the rest in turn.
fn with_velocities() -> Vec<Case> {
    let mut cases = Vec::new();
    for (row, (beads, members)) in FORMS.into_iter().enumerate() {
        let plain = Case { beads, members, ..PLAIN };
        for (column, integrator) in Integrator::WITH_VELOCITIES.into_iter().enumerate() {
            let turn = row + column;
            let generator = Generator::IN_LANES[(row + 1) % Generator::IN_LANES.len()];
            let case = Case { integrator, generator, pulled: turn % 4 < 2, ..plain };
            let is_in_turn = |number: usize| members > 1_000 || number % 2 == turn % 2;
            let precisions = Precision::ALL.into_iter().enumerate();
            for (_, precision) in precisions.filter(|(number, _)| is_in_turn(*number)) {
                cases.push(Case { precision, ..case });
            }
            if column == row % 3 {
                cases.push(Case { typed: true, terms: [true; 4], ..case });
            }
        }
    }
    for (beads, integrator) in GRIDS.into_iter().zip(Integrator::WITH_VELOCITIES) {
        let (plan, precision) = (Plan::Grid, Precision::Double);
        let grid = Case { beads, integrator, plan, ..PLAIN };
        cases.extend([Case { pulled: true, ..grid }, Case { precision, ..grid }]);
    }
    // Generators whose words are filled before the steps.
    for (generator, integrator, (beads, members, plan)) in [
        (Generator::Xorwow, Integrator::LangevinMiddle, (34, 1, Plan::Block)),
        (Generator::LaggedFibonacci, Integrator::VelocityVerlet, (34, 20_000, Plan::Block)),
        (Generator::Mt19937, Integrator::Langevin, (GRIDS[0], 1, Plan::Grid)),
    ] {
        cases.push(Case { generator, integrator, beads, members, plan, ..PLAIN });
    }
    cases
}

/// Members between a tip and surfaces, in each layout with each search that the planner may choose for them; and on surfaces
/// alone, where schemes without tips and clusters take part. Some are small and rounded as written, in a lane, a block and a
/// grid each: these are quick to compare with the processor.
fn pressed() -> Vec<Case> {
    use Precision::{Double, Single};
    use Rounding::{AsWritten, Fused};
    let (philox, taus, saru) = (Generator::Philox4x32x10, Generator::HybridTaus, Generator::Saru);
    let plain = Case { pressed: true, ..PLAIN };
    let mut cases = Vec::new();
    for (plan, (beads, members), precision, generator, rounding) in [
        // A lane a member, by all pairs and by bits; blocks by masks, and by lists in few and in many slots of a thread.
        (Plan::Block, (34, 20_000), Single, philox, AsWritten),
        (Plan::Block, (64, 20_000), Single, philox, Fused),
        (Plan::Block, (64, 1), Single, philox, Fused),
        (Plan::Block, (89, 1), Double, taus, AsWritten),
        (Plan::Block, (200, 300), Double, philox, Fused),
        (Plan::Block, (400, 300), Single, saru, Fused),
        // As the blocks above, as large as shells of viruses, and with more beads than 16 bits can count.
        (Plan::Grid, (89, 1), Double, taus, AsWritten),
        (Plan::Grid, (400, 1), Single, saru, Fused),
        (Plan::Grid, (6_928, 1), Single, philox, Fused),
        (Plan::Grid, (28_620, 1), Single, philox, Fused),
        (Plan::Grid, (70_000, 1), Double, taus, Fused),
    ] {
        cases.push(Case { plan, beads, members, precision, generator, rounding, ..plain });
    }
    cases.push(Case { typed: true, terms: [true; 4], beads: 200, members: 300, ..plain });
    // Without pair terms.
    let terms = [false, true, false, true];
    let bonded = Case { precision: Double, generator: taus, repels: false, terms, ..plain };
    for (plan, members) in [(Plan::Block, 1), (Plan::Block, 20_000), (Plan::Grid, 1)] {
        cases.push(Case { plan, beads: 64, members, ..bonded });
    }
    // Without a tip.
    let second_order = Integrator::BrownianSecondOrder;
    cases.push(Case { integrator: second_order, beads: 1_913, ..plain });
    for members in [1, 20_000] {
        cases.push(Case { integrator: Integrator::Langevin, beads: 34, members, ..plain });
    }
    let (integrator, generator) = (Integrator::LangevinMiddle, Generator::Xorwow);
    let grid = Case { plan: Plan::Grid, beads: GRIDS[0], precision: Double, ..plain };
    cases.push(Case { integrator, generator, ..grid });
    cases
}
