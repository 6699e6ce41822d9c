//! Vectors with operations that round differently from machine to machine.

use std::fmt::Debug;

use beadwork_arithmetic::{Instructions, Real};

use crate::systems::REPULSION;

/// Numbers in the lanes of a register, or one number.
///
/// The wider ones are for use within [`dispatch`] alone, which asks the machine first.
pub trait Loose: Copy + Debug {
    /// One lane's number.
    type Scalar: Real;
    /// Lanes.
    const WIDTH: usize;
    /// Newton steps from the estimate of a reciprocal to the precision; 0 where there is none.
    const NEWTON_STEPS: usize;

    /// The number in every lane.
    fn splat(number: f64) -> Self;

    /// # Safety
    /// As many numbers can be read.
    unsafe fn load(pointer: *const Self::Scalar) -> Self;

    /// The first `columns` numbers, again and again if there are more lanes; the first ones if there
    /// are fewer. `columns` is 4 or 8.
    ///
    /// # Safety
    /// As many numbers can be read as there are lanes or columns.
    unsafe fn load_columns(pointer: *const Self::Scalar, columns: usize) -> Self;

    /// # Safety
    /// There is room for as many numbers.
    unsafe fn store(self, pointer: *mut Self::Scalar);

    /// Difference.
    fn minus(self, other: Self) -> Self;

    /// Product.
    fn times(self, other: Self) -> Self;

    /// Quotient.
    fn over(self, other: Self) -> Self;

    /// `self` · `factor` + `term`, rounded once where the machine can.
    fn times_plus(self, factor: Self, term: Self) -> Self;

    /// `term` − `self` · `factor`, rounded once where the machine can.
    fn times_from(self, factor: Self, term: Self) -> Self;

    /// 1/`self` to 11 bits or more.
    fn estimate(self) -> Self;

    /// `self` where `measure` < `limit`, zero elsewhere.
    fn where_less(self, measure: Self, limit: Self) -> Self;

    /// `self` in the lanes whose bit is set, zero elsewhere.
    fn where_bits(self, bits: u32) -> Self;

    /// 1/`self`: the estimate y made better by y (2 − x y), or a division.
    #[inline(always)]
    fn reciprocal(self, estimated: bool) -> Self {
        let one = Self::splat(1.0);
        if !estimated || Self::NEWTON_STEPS == 0 {
            return one.over(self);
        }
        let mut reciprocal = self.estimate();
        for _ in 0..Self::NEWTON_STEPS {
            let error = self.times_from(reciprocal, one);
            reciprocal = reciprocal.times_plus(error, reciprocal);
        }
        reciprocal
    }
}

/// The vectors of one instruction set.
pub trait LooseFamily {
    /// Of single precision.
    type Single: Loose<Scalar = f32>;
    /// Of double precision.
    type Double: Loose<Scalar = f64>;
}

/// A precision that has such vectors.
pub trait LooseReal: Real {
    /// Those of a family.
    type Loose<F: LooseFamily>: Loose<Scalar = Self>;
    /// The distance from 1 to the next number.
    const EPSILON: f64;
}

impl LooseReal for f32 {
    type Loose<F: LooseFamily> = F::Single;
    const EPSILON: f64 = f32::EPSILON as f64;
}

impl LooseReal for f64 {
    type Loose<F: LooseFamily> = F::Double;
    const EPSILON: f64 = f64::EPSILON;
}

/// Work for the vectors of every family; inlined as that of [`beadwork_arithmetic::Kernel`].
pub trait LooseKernel {
    /// Does it.
    fn run<F: LooseFamily>(self);
}

/// Whether [`dispatch`] runs these instructions.
pub fn is_available(instructions: Instructions) -> bool {
    #[cfg(target_arch = "x86_64")]
    let fused = instructions < Instructions::Avx2 || is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    let fused = true;
    instructions.is_available() && fused
}

/// Runs work compiled for instructions that [`is_available`] knows to be there, else with plain
/// numbers.
#[inline]
pub fn dispatch<K: LooseKernel>(instructions: Instructions, kernel: K) {
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Baseline => kernel.run::<super::x86::Sse2>(),
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 if is_available(instructions) => {
            // SAFETY: the machine has the instructions.
            unsafe { super::x86::run_avx2(kernel) }
        }
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 if is_available(instructions) => {
            // SAFETY: the machine has the instructions.
            unsafe { super::x86::run_avx512(kernel) }
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
        Instructions::Baseline => kernel.run::<super::aarch64::Neon>(),
        _ => kernel.run::<Plain>(),
    }
}

/// Plain numbers.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl LooseFamily for Plain {
    type Single = f32;
    type Double = f64;
}

macro_rules! plain {
    ($number:ty) => {
        impl Loose for $number {
            type Scalar = $number;
            const WIDTH: usize = 1;
            const NEWTON_STEPS: usize = 0;

            #[inline(always)]
            fn splat(number: f64) -> Self {
                number as $number
            }

            #[inline(always)]
            unsafe fn load(pointer: *const $number) -> Self {
                // SAFETY: the caller's.
                unsafe { *pointer }
            }

            #[inline(always)]
            unsafe fn load_columns(pointer: *const $number, _columns: usize) -> Self {
                // SAFETY: the caller's.
                unsafe { *pointer }
            }

            #[inline(always)]
            unsafe fn store(self, pointer: *mut $number) {
                // SAFETY: the caller's.
                unsafe { *pointer = self }
            }

            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }

            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }

            #[inline(always)]
            fn over(self, other: Self) -> Self {
                self / other
            }

            #[inline(always)]
            fn times_plus(self, factor: Self, term: Self) -> Self {
                // Elsewhere `mul_add` is a function of the C library, and slow.
                if cfg!(target_arch = "aarch64") {
                    self.mul_add(factor, term)
                } else {
                    self * factor + term
                }
            }

            #[inline(always)]
            fn times_from(self, factor: Self, term: Self) -> Self {
                (-self).times_plus(factor, term)
            }

            #[inline(always)]
            fn estimate(self) -> Self {
                1.0 / self
            }

            #[inline(always)]
            fn where_less(self, measure: Self, limit: Self) -> Self {
                std::hint::select_unpredictable(measure < limit, self, 0.0)
            }

            #[inline(always)]
            fn where_bits(self, bits: u32) -> Self {
                if bits & 1 == 1 { self } else { 0.0 }
            }
        }
    };
}

plain!(f32);
plain!(f64);

/// The repulsion with its constants in lanes, in the engine's form.
#[derive(Clone, Copy, Debug)]
pub struct Repulsion<V> {
    square_diameter: V,
    six_strengths: V,
    square_cutoff: V,
}

impl<V: Loose> Repulsion<V> {
    #[inline(always)]
    pub fn new(cutoff: f64) -> Self {
        Repulsion {
            square_diameter: V::splat(REPULSION.diameter * REPULSION.diameter),
            six_strengths: V::splat(6.0 * REPULSION.strength),
            square_cutoff: V::splat(cutoff * cutoff),
        }
    }

    /// r_i − r_j and the force over the distance, zero beyond the cutoff.
    #[inline(always)]
    pub fn between(&self, here: [V; 3], there: [V; 3], estimated: bool) -> ([V; 3], V) {
        let apart = [here[0].minus(there[0]), here[1].minus(there[1]), here[2].minus(there[2])];
        let r2 = apart[0].times(apart[0]);
        let r2 = apart[2].times_plus(apart[2], apart[1].times_plus(apart[1], r2));
        let inverse = r2.reciprocal(estimated);
        let square = self.square_diameter.times(inverse);
        let cube = square.times(square).times(square);
        let factor = self.six_strengths.times(inverse).times(cube);
        (apart, factor.where_less(r2, self.square_cutoff))
    }
}
