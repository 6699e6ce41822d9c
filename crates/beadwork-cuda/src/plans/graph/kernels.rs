//! The kernels of a step, and the numbers of threads with which they start.

use std::sync::Arc;

use beadwork_model::Generator;

use crate::batch::layout::{self, Number, PARTIAL_SUMS};
use crate::plans::graph::Kind;
use crate::plans::key::Search;
use crate::{Device, Error, Function, Module};

/// Threads of a block if a member needs several blocks.
const THREADS: usize = 128;
/// The most threads of a block.
const MOST_THREADS: usize = 256;
const WARP: usize = 32;

/// A kernel with its numbers of blocks and threads.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub function: Function,
    pub blocks: u32,
    pub threads: u32,
}

#[derive(Debug)]
pub struct Kernels {
    /// The name of their program.
    pub name: Arc<str>,
    pub begin: Kernel,
    /// The kernels that compute forces, externals included.
    pub forces: Vec<Kernel>,
    /// For generators whose sequence all beads share: the kernel for the words of a step, and its number of rounds.
    pub words: Option<(Kernel, u32)>,
    pub advance: Kernel,
    pub finish: Option<Kernel>,
    pub lists: Vec<Kernel>,
    pub count: Kernel,
    pub samples: [Kernel; 3],
}

impl Kernels {
    pub fn new<T: Number>(
        device: &Device,
        kind: &Kind,
        record: &layout::GraphBatch<T>,
        buckets: usize,
    ) -> Result<Kernels, Error> {
        let Kind { key, form, .. } = kind;
        let program = key.graph(*form);
        let module: Module = device.load(&program.name, &program.source)?;
        let room = record.members as usize;
        // Blocks with one member each, and a thread for each of its `count` items.
        let of_things = |name: &str, count: usize| -> Result<Kernel, Error> {
            let one = count.next_multiple_of(WARP);
            let threads = if one <= MOST_THREADS { one } else { THREADS };
            let blocks = room * count.div_ceil(threads);
            let function = module.function(name)?;
            Ok(Kernel { function, blocks: blocks as u32, threads: threads as u32 })
        };
        let of_members = |name: &str| -> Result<Kernel, Error> {
            let blocks = room.div_ceil(WARP) as u32;
            Ok(Kernel { function: module.function(name)?, blocks, threads: WARP as u32 })
        };
        let beads = record.system.beads as usize;
        let slots = PARTIAL_SUMS * beads;
        let mut forces = vec![of_things("beadwork_forces", slots)?];
        if key.pulled {
            forces.push(of_members("beadwork_externals")?);
        }
        let finish = match key.has_second_part() {
            true => Some(of_things("beadwork_finish", beads)?),
            false => None,
        };
        let mut lists = Vec::new();
        if key.search != Search::None {
            if form.cells {
                lists.push(of_things("beadwork_clear_cells", buckets)?);
                lists.push(of_things("beadwork_fill_cells", beads)?);
            }
            lists.push(of_things("beadwork_neighbours", slots)?);
        }
        let numbers = beads * T::WORDS;
        let words = match key.generator {
            Generator::LaggedFibonacci => {
                let side_by_side = record.side_by_side as usize;
                let kernel = of_things("beadwork_words", numbers.min(side_by_side))?;
                Some((kernel, numbers.div_ceil(side_by_side) as u32))
            }
            Generator::Mt19937 => {
                let function = module.function("beadwork_words")?;
                let (blocks, threads) = (room as u32, MOST_THREADS as u32);
                Some((Kernel { function, blocks, threads }, 1))
            }
            _ => None,
        };
        let count = module.function("beadwork_count")?;
        Ok(Kernels {
            name: program.name.into(),
            begin: of_things("beadwork_begin", beads)?,
            forces,
            words,
            advance: of_things("beadwork_move", beads)?,
            finish,
            lists,
            count: Kernel { function: count, blocks: 1, threads: 1 },
            samples: [
                of_things("beadwork_verify", slots)?,
                of_things("beadwork_sample", beads)?,
                of_members("beadwork_settle")?,
            ],
        })
    }
}
