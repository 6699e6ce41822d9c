//! The words of noise of a launch, filled before its steps: for generators whose states the kernels of steps do not keep.

use std::collections::HashMap;

use beadwork_model::{Generator, Precision};
use bytemuck::{Pod, Zeroable};

use crate::batch::records::{Member, Number};
use crate::compile::program::{Program, definitions_of, including};
use crate::error::OLDEST_CARD;
use crate::random::generators::{definitions, draws_for_all, is_filled, kernels_of};
use crate::random::rounds::rounds;
use crate::{Device, Error, Function, Stream};

/// The parameter of the kernels in `kernels/random/fill.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Filling {
    pub members: u64,
    pub segments: u64,
    pub blocks_per_member: u32,
    pub first: u32,
    pub depth: u32,
    pub padding: u32,
}

/// Threads of a block.
const THREADS: u32 = 256;

/// The kernels that fill words.
#[derive(Debug, Default)]
pub struct Fills {
    functions: HashMap<(Generator, Precision), Vec<Function>>,
}

impl Fills {
    /// Starts to fill the words of `members` with up to `beads` beads. Their records are at `members_at`, and `segments` are theirs.
    ///
    /// # Safety
    /// The addresses are those of arrays on the device which are long enough, and live until the stream was waited for.
    pub unsafe fn start<T: Number>(
        &mut self,
        (device, stream): (&Device, &Stream),
        generator: Generator,
        [members_at, segments]: [u64; 2],
        (members, beads): (&[Member<T>], usize),
    ) -> Result<(), Error> {
        let functions = self.functions(device, (generator, T::PRECISION))?;
        let launch = |function: &Function, threads: u32, [first, depth]: [u32; 2]| {
            let blocks_per_member = threads.div_ceil(THREADS);
            let filling = Filling {
                members: members_at,
                segments,
                blocks_per_member,
                first,
                depth,
                padding: 0,
            };
            let blocks = members.len() as u32 * blocks_per_member;
            // SAFETY: the parameter is the kernel's; the caller promises the rest.
            unsafe { stream.launch(function, blocks, THREADS, 0, &filling) }
        };
        if generator == Generator::LaggedFibonacci {
            let longest = |k: usize| members.iter().map(|member| member.lags[k]).max().unwrap_or(0);
            let [short, long] = [0, 1].map(longest);
            // As many as those of the largest member, so that last rounds may be empty.
            let each = (beads * T::WORDS) as u64;
            let numbers = |member: &Member<T>| match member.amplitude == T::default() {
                true => 0,
                false => u64::from(member.steps) * each,
            };
            let sequences = members.iter().map(|member| (member.lags, numbers(member)));
            for round in rounds(sequences) {
                launch(&functions[0], round.threads(short), [round.first, round.depth])?;
            }
            return launch(&functions[1], long + 1, [0; 2]);
        }
        let threads = if draws_for_all(generator) { THREADS } else { beads as u32 };
        launch(&functions[0], threads, [0; 2])
    }

    fn functions(
        &mut self,
        device: &Device,
        key @ (generator, precision): (Generator, Precision),
    ) -> Result<Vec<Function>, Error> {
        if let Some(functions) = self.functions.get(&key) {
            return Ok(functions.clone());
        }
        let program = program(generator, precision);
        let module = device.load(&program.name, &program.source)?;
        let functions: Vec<Function> =
            program.functions.iter().map(|name| module.function(name)).collect::<Result<_, _>>()?;
        self.functions.insert(key, functions.clone());
        Ok(functions)
    }
}

/// The programs for all generators that need one.
pub fn fill_programs() -> Vec<Program> {
    let filled = Generator::ALL.into_iter().filter(|&generator| is_filled(generator));
    filled
        .flat_map(|generator| Precision::ALL.map(|precision| program(generator, precision)))
        .collect()
}

fn program(generator: Generator, precision: Precision) -> Program {
    let own = [
        ("DOUBLE", u32::from(precision == Precision::Double)),
        ("FUSED", 1),
        ("BOXED", 0),
        ("TYPED", 0),
        ("THREADS", THREADS),
    ];
    let definitions =
        definitions_of(&own) + &definitions_of(&definitions(generator, generator.schemes()[0]));
    Program {
        name: format!("fill {} {}", generator.name(), precision.name()),
        source: definitions + &including(&["random/fill.cuh"]),
        functions: kernels_of(generator, "beadwork_fill"),
        oldest: OLDEST_CARD,
        registers: 64,
        local_bytes: 0,
    }
}
