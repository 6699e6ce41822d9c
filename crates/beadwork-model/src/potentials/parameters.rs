//! The parameters of a formula as an array of numbers, which paths store and load.

use beadwork_arithmetic::Lane;

/// The largest number of parameters of any formula.
pub const MOST_PARAMETERS: usize = 8;

/// A formula's parameters, in the order of its fields.
pub trait Parameters<T>: Copy {
    /// The number of parameters.
    const COUNT: usize;

    /// The first [`Parameters::COUNT`] numbers are the parameters, the rest are zero.
    fn to_array(self) -> [T; MOST_PARAMETERS];

    /// The inverse of [`Parameters::to_array`]; numbers beyond the parameters are ignored.
    fn from_array(numbers: [T; MOST_PARAMETERS]) -> Self;
}

/// The given numbers, followed by zeros.
#[inline(always)]
pub fn padded<T: Lane, const N: usize>(numbers: [T; N]) -> [T; MOST_PARAMETERS] {
    let mut all = [T::zero(); MOST_PARAMETERS];
    all[..N].copy_from_slice(&numbers);
    all
}

/// The same formula in another number type, each parameter rounded once.
///
/// ```
/// use beadwork_model::potentials::{FeneBond, convert};
/// let bond = FeneBond { stiffness: 20.0, limit: 2.0, length: 0.1 };
/// let single: FeneBond<f32> = convert(bond);
/// assert_eq!(single.length, 0.1_f32);
/// ```
#[inline(always)]
pub fn convert<T: Lane, Q: Parameters<T>>(formula: impl Parameters<f64>) -> Q {
    Q::from_array(formula.to_array().map(T::from_f64))
}

/// Implements [`Parameters`] for a struct whose fields are all numbers.
macro_rules! parameters {
    ($formula:ident { $($field:ident),+ }) => {
        impl<T: beadwork_arithmetic::Lane> $crate::potentials::Parameters<T> for $formula<T> {
            const COUNT: usize = [$(stringify!($field)),+].len();

            #[inline(always)]
            fn to_array(self) -> [T; $crate::potentials::MOST_PARAMETERS] {
                let mut numbers = [T::zero(); $crate::potentials::MOST_PARAMETERS];
                let mut next = 0;
                $(
                    numbers[next] = self.$field;
                    next += 1;
                )+
                let _ = next;
                numbers
            }

            #[inline(always)]
            fn from_array(numbers: [T; $crate::potentials::MOST_PARAMETERS]) -> Self {
                let [$($field),+, ..] = numbers;
                $formula { $($field),+ }
            }
        }
    };
}

pub(crate) use parameters;
