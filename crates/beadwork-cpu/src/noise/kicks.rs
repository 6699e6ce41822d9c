//! The random displacements of a step.

use std::ops::Range;

use beadwork_arithmetic::{Family, Instructions, Kernel, Pair, Vector, Words};
use beadwork_random::{
    HybridTaus, LaneCounter, NoiseKey, Normal, normals_from_states, normals_from_words,
    normals_in_lanes, step_words,
};

use crate::arrays::aligned::Aligned;
use crate::arrays::coordinates::Coordinates;
use crate::arrays::free::Free;
use crate::arrays::lanes::{Triple, spread};

/// Beads whose displacements are drawn together. They stay in the nearest cache until the beads move.
const CHUNK: usize = 256;

/// Displacements of a chunk of beads along each axis.
#[derive(Clone, Debug)]
pub(crate) struct KicksChunk<T>([Aligned<T>; 3]);

impl<T: Normal> Default for KicksChunk<T> {
    fn default() -> Self {
        KicksChunk([(); 3].map(|()| Aligned::new(T::zero(), CHUNK)))
    }
}

/// The numbers of a step that each bead's noise depends on, and how it is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KicksScale<T> {
    pub step: u64,
    pub amplitude: T,
    pub instructions: Instructions,
}

/// Noise of one step for some beads, which are asked for in ascending order. It is drawn in a kernel of its own: the kernels that
/// move beads, one for each integrator and boundary, would otherwise each have the code of all generators.
#[derive(Debug)]
pub(crate) struct Kicks<'a, T> {
    source: KicksSource<'a, T>,
    scale: KicksScale<T>,
    /// The end of the beads.
    end: usize,
    /// The beads of the chunk.
    drawn: Range<usize>,
    chunk: &'a mut KicksChunk<T>,
}

#[derive(Debug)]
pub(crate) enum KicksSource<'a, T> {
    Keyed(NoiseKey),
    /// The generators of the range's beads.
    Stateful {
        states: &'a mut [HybridTaus],
        first: usize,
    },
    /// The words of all beads.
    Drawn(&'a [u32]),
    /// The numbers of all beads.
    Made(&'a Coordinates<T>),
}

impl<'a, T: Normal> Kicks<'a, T> {
    pub fn new(
        source: KicksSource<'a, T>,
        scale: KicksScale<T>,
        end: usize,
        chunk: &'a mut KicksChunk<T>,
    ) -> Self {
        Kicks { source, scale, end, drawn: 0..0, chunk }
    }

    /// The random displacements, Å, of the beads from `first` on, one in each lane. Nothing is drawn at T = 0.
    ///
    /// A generator with a state draws once a step for every free bead. The states of beads that are not free do not change.
    #[inline(always)]
    pub fn of<V: Vector<Scalar = T>>(&mut self, first: usize, free: &Free) -> Triple<V> {
        if self.scale.amplitude == T::zero() {
            return Triple::zero();
        }
        if first >= self.drawn.end {
            self.draw(first, free);
        }
        let place = first - self.drawn.start;
        let KicksChunk([x, y, z]) = &*self.chunk;
        Triple([V::load(&x[place..]), V::load(&y[place..]), V::load(&z[place..])])
    }

    /// Draws the numbers of the next chunk.
    #[inline(never)]
    fn draw(&mut self, first: usize, free: &Free) {
        self.drawn = first..first + CHUNK;
        let instructions = self.scale.instructions;
        instructions.dispatch(Draw { kicks: self, free });
    }

    #[inline(always)]
    fn draw_vector<V: Vector<Scalar = T>>(&mut self, first: usize, free: &Free) {
        let normals = match &mut self.source {
            KicksSource::Keyed(key) => {
                let [a, b] = key.key_words();
                let [c, d] = step_words(self.scale.step);
                normals_in_lanes::<V>(LaneCounter {
                    key: [V::Words::splat(a), V::Words::splat(b)],
                    step: [V::Words::splat(c), V::Words::splat(d)],
                    bead: V::words_from_lanes(|lane| (first + lane) as u32),
                })
            }
            KicksSource::Stateful { states, first: offset } => {
                draw(states, first - *offset, free.lanes::<V>(first))
            }
            KicksSource::Drawn(words) => {
                let words: &[u32] = words;
                // Lanes beyond the last bead have arbitrary words.
                normals_from_words::<V>(|lane, place| {
                    words.get((first + lane) * T::WORDS + place).copied().unwrap_or(0)
                })
            }
            KicksSource::Made(numbers) => numbers.load::<V>(first).0,
        };
        let Triple([x, y, z]) = Triple(normals) * spread::<V>(self.scale.amplitude);
        let place = first - self.drawn.start;
        let KicksChunk(axes) = &mut *self.chunk;
        x.store(&mut axes[0][place..]);
        y.store(&mut axes[1][place..]);
        z.store(&mut axes[2][place..]);
    }
}

/// Draws the numbers of a chunk.
struct Draw<'k, 'a, T> {
    kicks: &'k mut Kicks<'a, T>,
    free: &'k Free,
}

impl<T: Normal> Kernel for Draw<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<F: Family>(self) {
        let Draw { kicks, free } = self;
        let Range { start: mut first, end } = kicks.drawn.clone();
        let end = end.min(kicks.end);
        // Two vectors at a time hide each other's latency.
        while first + T::Vector::<F>::WIDTH < end {
            kicks.draw_vector::<Pair<T::Vector<F>>>(first, free);
            first += 2 * T::Vector::<F>::WIDTH;
        }
        while first < end {
            kicks.draw_vector::<T::Vector<F>>(first, free);
            first += T::Vector::<F>::WIDTH;
        }
    }
}

/// The next normal numbers from the generators of some beads.
#[inline(always)]
fn draw<V: Vector>(states: &mut [HybridTaus], first: usize, free: u32) -> [V; 3] {
    // Lanes beyond the last bead have arbitrary states.
    let mut words = [[u32::MAX; 4]; 32];
    for (words, generator) in words.iter_mut().zip(states.iter().skip(first).take(V::WIDTH)) {
        *words = generator.state();
    }
    let mut lanes = [
        V::words_from_lanes(|lane| words[lane][0]),
        V::words_from_lanes(|lane| words[lane][1]),
        V::words_from_lanes(|lane| words[lane][2]),
        V::words_from_lanes(|lane| words[lane][3]),
    ];
    let normals = normals_from_states::<V>(&mut lanes);
    for (lane, generator) in states.iter_mut().skip(first).take(V::WIDTH).enumerate() {
        if free & (1 << lane) != 0 {
            *generator = HybridTaus::from_lanes::<V>(&lanes, lane);
        }
    }
    normals
}
