//! The words of noise of a launch, filled before its steps: for generators whose states the kernels of steps do not keep.

use std::collections::HashMap;

use beadwork_model::{Generator, Precision};
use bytemuck::{Pod, Zeroable};

use crate::compile::program::{Program, definitions_of, including};
use crate::error::OLDEST_CARD;
use crate::random::generators::{definitions, draws_for_all, is_filled};
use crate::{Device, Error, Function, Stream};

const KERNEL: &str = "beadwork_fill";

/// The parameter of the kernels in `kernels/random/fill.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Filling {
    pub members: u64,
    pub segments: u64,
    pub blocks_per_member: u32,
    pub padding: u32,
}

/// The kernels that fill words.
#[derive(Debug, Default)]
pub struct Fills {
    functions: HashMap<(Generator, Precision), Function>,
}

impl Fills {
    /// Starts to fill the words of members with up to `beads` beads. Their records are at `members`, and `segments` are theirs.
    ///
    /// # Safety
    /// The addresses are those of arrays on the device which are long enough, and live until the stream was waited for.
    pub unsafe fn start(
        &mut self,
        (device, stream): (&Device, &Stream),
        (generator, precision): (Generator, Precision),
        [members, segments]: [u64; 2],
        [member_count, beads]: [usize; 2],
    ) -> Result<(), Error> {
        let function = match self.functions.get(&(generator, precision)) {
            Some(function) => function.clone(),
            None => {
                let program = program(generator, precision);
                let function = device.load(&program.name, &program.source)?.function(KERNEL)?;
                self.functions.insert((generator, precision), function.clone());
                function
            }
        };
        let threads = threads(generator);
        let blocks_per_member = match draws_for_all(generator) {
            true => 1,
            false => beads.div_ceil(threads as usize) as u32,
        };
        let filling = Filling { members, segments, blocks_per_member, padding: 0 };
        let blocks = member_count as u32 * blocks_per_member;
        // SAFETY: the parameter is the kernel's; the caller promises the rest.
        unsafe { stream.launch(&function, blocks, threads, 0, &filling) }
    }
}

/// Threads of a block. Where one sequence serves all beads, a block makes all words of a member.
fn threads(generator: Generator) -> u32 {
    if generator == Generator::LaggedFibonacci { 1_024 } else { 256 }
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
        ("THREADS", threads(generator)),
    ];
    let definitions =
        definitions_of(&own) + &definitions_of(&definitions(generator, generator.schemes()[0]));
    Program {
        name: format!("fill {} {}", generator.name(), precision.name()),
        source: definitions + &including(&["random/fill.cuh"]),
        functions: vec![KERNEL.into()],
        oldest: OLDEST_CARD,
        registers: 64,
        // Memory for the table of Ran2.
        local_bytes: if generator == Generator::Ran2 { 144 } else { 0 },
    }
}
