//! The words of noise of a launch, filled before its steps: for generators whose states the kernels of steps do not keep.

use std::collections::HashMap;

use beadwork_model::{Generator, Precision};
use bytemuck::{Pod, Zeroable};

use crate::batch::records::Number;
use crate::compile::program::{Program, definitions_of, including};
use crate::device::{MOST_BLOCKS_OF_CLUSTER, Properties};
use crate::error::OLDEST_CARD;
use crate::plans::CLUSTERS_FROM;
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
    /// With the blocks of their clusters; by generator, precision and the blocks that are wanted.
    functions: HashMap<(Generator, Precision, u32), (Function, u32)>,
}

impl Fills {
    /// Starts to fill the words of members with up to `beads` beads. Their records are at `members`, and `segments` are theirs.
    ///
    /// # Safety
    /// The addresses are those of arrays on the device which are long enough, and live until the stream was waited for.
    pub unsafe fn start<T: Number>(
        &mut self,
        (device, stream): (&Device, &Stream),
        generator: Generator,
        [members, segments]: [u64; 2],
        [member_count, beads]: [usize; 2],
    ) -> Result<(), Error> {
        let threads = threads(generator);
        let wanted = match generator {
            Generator::LaggedFibonacci => {
                blocks_of_a_sequence(beads * T::WORDS, member_count, device.properties())
            }
            _ => 1,
        };
        let (function, cluster) = self.function(device, (generator, T::PRECISION, wanted))?;
        let blocks_per_member = match draws_for_all(generator) {
            true => cluster,
            false => beads.div_ceil(threads as usize) as u32,
        };
        let filling = Filling { members, segments, blocks_per_member, padding: 0 };
        let blocks = member_count as u32 * blocks_per_member;
        // SAFETY: the parameter is the kernel's; the caller promises the rest.
        unsafe { stream.launch(&function, blocks, threads, 0, &filling) }
    }

    fn function(
        &mut self,
        device: &Device,
        key @ (generator, precision, wanted): (Generator, Precision, u32),
    ) -> Result<(Function, u32), Error> {
        if let Some(function) = self.functions.get(&key) {
            return Ok(function.clone());
        }
        let mut cluster = wanted;
        let function = loop {
            let program = program(generator, precision, cluster);
            let function = device.load(&program.name, &program.source)?.function(KERNEL)?;
            // A large cluster does not fit where a part of the card belongs to others.
            if cluster == 1 || function.clusters(cluster, threads(generator), 0)? > 0 {
                break function;
            }
            cluster /= 2;
        };
        let found = (function, cluster);
        self.functions.insert(key, found.clone());
        Ok(found)
    }
}

/// The blocks that make a member's numbers together, a power of two: their threads have two numbers a step or more, and the blocks
/// of all members a multiprocessor each.
fn blocks_of_a_sequence(numbers: usize, members: usize, card: &Properties) -> u32 {
    let most = card.blocks_per_cluster.min(card.multiprocessors as usize / members.max(1));
    let blocks = numbers / (2 * threads(Generator::LaggedFibonacci) as usize);
    1 << blocks.min(most).max(1).ilog2()
}

/// Threads of a block. Where one sequence serves all beads, a block or a cluster makes all words of a member.
fn threads(generator: Generator) -> u32 {
    if generator == Generator::LaggedFibonacci { 1_024 } else { 256 }
}

/// The programs for all generators that need one.
pub fn fill_programs() -> Vec<Program> {
    let filled = Generator::ALL.into_iter().filter(|&generator| is_filled(generator));
    filled
        .flat_map(|generator| Precision::ALL.map(|precision| program(generator, precision, 1)))
        .chain(Precision::ALL.map(|precision| {
            program(Generator::LaggedFibonacci, precision, MOST_BLOCKS_OF_CLUSTER as u32)
        }))
        .collect()
}

fn program(generator: Generator, precision: Precision, cluster: u32) -> Program {
    let of = match cluster {
        1 => String::new(),
        many => format!(" by clusters of {many}"),
    };
    let own = [
        ("DOUBLE", u32::from(precision == Precision::Double)),
        ("FUSED", 1),
        ("BOXED", 0),
        ("TYPED", 0),
        ("CLUSTER", cluster),
        ("THREADS", threads(generator)),
    ];
    let definitions =
        definitions_of(&own) + &definitions_of(&definitions(generator, generator.schemes()[0]));
    Program {
        name: format!("fill {} {}{of}", generator.name(), precision.name()),
        source: definitions + &including(&["random/fill.cuh"]),
        functions: vec![KERNEL.into()],
        oldest: if cluster > 1 { CLUSTERS_FROM } else { OLDEST_CARD },
        registers: 64,
        local_bytes: 0,
    }
}
