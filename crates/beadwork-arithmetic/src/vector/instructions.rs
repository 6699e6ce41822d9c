//! [`Instructions`]: finds the vector instructions of a machine and runs work with them.

use std::sync::OnceLock;

use super::scalar::Scalar;
use super::{Baseline, Family, Vector};
use crate::lane::Real;

/// The environment variable that names the instructions to use instead of the widest.
const VARIABLE: &str = "BEADWORK_INSTRUCTIONS";

/// Vector instructions that this program can use, in ascending order of width.
///
/// They differ in speed only: every result has the same bits with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Instructions {
    /// One number at a time.
    Scalar,
    /// The instructions that every machine of an architecture has: SSE2, NEON, or arrays that the compiler vectorises.
    Baseline,
    /// AVX2 of x86-64: 8 numbers of single precision.
    Avx2,
    /// AVX-512 of x86-64 (its parts F, VL, BW and DQ): 16 numbers of single precision.
    Avx512,
}

/// Code that is written once for the vectors of every family.
///
/// Mark `run` and all functions it calls `#[inline(always)]`: only code inlined into [`Instructions::dispatch`] is
/// compiled for the instructions. The compiler may not inline closures on vectors (those of `map`, for instance); write
/// loops instead. A long chain of operations is faster with a [`Pair`](super::Pair) of the family's vectors.
pub trait Kernel {
    /// The result.
    type Output;

    /// Does the work with the vectors of family `F`.
    fn run<F: Family>(self) -> Self::Output;
}

impl Instructions {
    /// All instructions, in ascending order, whether or not the machine has them.
    pub const ALL: [Self; 4] = [Self::Scalar, Self::Baseline, Self::Avx2, Self::Avx512];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Baseline if cfg!(target_arch = "x86_64") => "sse2",
            Self::Baseline if cfg!(all(target_arch = "aarch64", target_endian = "little")) => {
                "neon"
            }
            Self::Baseline => "portable",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx-512",
        }
    }

    /// Whether this machine has them.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar | Self::Baseline => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The widest that this machine has, or those that the environment variable `BEADWORK_INSTRUCTIONS` names:
    /// `scalar`, `baseline`, `avx2` or `avx-512`. Determined once for each process.
    ///
    /// A request that [`Instructions::requested`] refuses is ignored here.
    pub fn best() -> Self {
        static BEST: OnceLock<Instructions> = OnceLock::new();
        *BEST.get_or_init(|| Self::requested().ok().flatten().unwrap_or_else(Self::widest))
    }

    /// The instructions that the environment variable `BEADWORK_INSTRUCTIONS` asks for; `None` if it is not set.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the variable: an unknown name, or instructions that this machine does
    /// not have.
    pub fn requested() -> Result<Option<Self>, String> {
        let value = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
        value.map(|value| Self::read(&value.to_string_lossy())).transpose()
    }

    fn widest() -> Self {
        let widest = Self::ALL.into_iter().rev().find(|instructions| instructions.is_available());
        widest.unwrap_or(Self::Scalar)
    }

    /// The value of the environment variable that selects these instructions.
    fn word(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            other => other.name(),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        let choice = "Set it to scalar, baseline, avx2 or avx-512, or unset it to use the best.";
        let named = |instructions: &Self| {
            [instructions.word(), instructions.name()].iter().any(|n| n.eq_ignore_ascii_case(text))
        };
        match Self::ALL.into_iter().find(named) {
            None => Err(format!(
                "The environment variable {VARIABLE} names instructions \"{text}\", which are not known. {choice}"
            )),
            Some(instructions) if !instructions.is_available() => Err(format!(
                "The environment variable {VARIABLE} asks for {text} instructions, which this machine does not have; \
                 its widest are {}. {choice}",
                Self::widest().word()
            )),
            Some(instructions) => Ok(instructions),
        }
    }

    /// How many numbers of type `T` a vector holds. Instructions that the machine lacks count as [`Self::Baseline`].
    pub fn width<T: Real>(self) -> usize {
        struct Width<T>(std::marker::PhantomData<T>);

        impl<T: Real> Kernel for Width<T> {
            type Output = usize;

            #[inline(always)]
            fn run<F: Family>(self) -> usize {
                T::Vector::<F>::WIDTH
            }
        }

        self.dispatch(Width::<T>(std::marker::PhantomData))
    }

    /// Runs the work compiled for these instructions, or for [`Self::Baseline`] if the machine lacks them.
    ///
    /// ```
    /// use beadwork_arithmetic::{Family, Instructions, Kernel, Lane, Real, Vector};
    ///
    /// /// Doubles all numbers, whose count is a multiple of 16.
    /// struct Double<'numbers>(&'numbers mut [f32]);
    ///
    /// impl Kernel for Double<'_> {
    ///     type Output = ();
    ///
    ///     #[inline(always)]
    ///     fn run<F: Family>(self) {
    ///         for numbers in self.0.chunks_exact_mut(F::Single::WIDTH) {
    ///             let vector = F::Single::load(numbers);
    ///             (vector + vector).store(numbers);
    ///         }
    ///     }
    /// }
    ///
    /// let mut numbers = [1.5; 16];
    /// Instructions::best().dispatch(Double(&mut numbers));
    /// assert_eq!(numbers, [3.0; 16]);
    /// ```
    #[inline]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Scalar => kernel.run::<Scalar>(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 if self.is_available() => {
                // SAFETY: the machine has the instructions.
                unsafe { run_avx2(kernel) }
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if self.is_available() => {
                // SAFETY: the machine has the instructions.
                unsafe { run_avx512(kernel) }
            }
            _ => kernel.run::<Baseline>(),
        }
    }
}

// `fma` is not enabled, although AVX-512 has it. Rust never fuses operations anyway; results keep their bits.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<super::avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq")]
fn run_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<super::avx512::Avx512>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_widths() {
        let names = Instructions::ALL.map(Instructions::name);
        let baseline = if cfg!(target_arch = "x86_64") { "sse2" } else { names[1] };
        assert_eq!(names, ["scalar", baseline, "avx2", "avx-512"]);
        let widths = [[1, 1], [4, 2], [8, 4], [16, 8]];
        for (instructions, widths) in Instructions::ALL.into_iter().zip(widths) {
            let [single, double] = if instructions.is_available() { widths } else { [4, 2] };
            assert_eq!(instructions.width::<f32>(), single, "{instructions:?}");
            assert_eq!(instructions.width::<f64>(), double, "{instructions:?}");
        }
    }

    #[test]
    fn the_widest_is_available() {
        let widest = Instructions::widest();
        assert!(widest.is_available() && widest >= Instructions::Baseline);
        let wider = Instructions::ALL.into_iter().filter(|some| *some > widest);
        assert_eq!(wider.filter(|some| some.is_available()).count(), 0);
    }

    #[test]
    fn a_request_is_a_known_word_for_what_the_machine_has() {
        for instructions in Instructions::ALL {
            let read = Instructions::read(instructions.word());
            if instructions.is_available() {
                assert_eq!(read, Ok(instructions));
            } else {
                let message = read.unwrap_err();
                assert!(message.contains("which this machine does not have"), "{message}");
            }
        }
        assert_eq!(Instructions::read("baseline"), Ok(Instructions::Baseline));
        assert_eq!(Instructions::read(Instructions::Baseline.name()), Ok(Instructions::Baseline));
        for unknown in ["", "avx512", "fast"] {
            let message = Instructions::read(unknown).unwrap_err();
            assert!(message.contains(&format!("\"{unknown}\"")), "{message}");
            assert!(message.contains("scalar, baseline, avx2 or avx-512"), "{message}");
        }
    }
}
