//! Macros for the vectors of all instruction sets. The file of an instruction set lists functions on its registers;
//! these macros make the types of lanes from them.
//!
//! The macros call these functions in `unsafe` blocks; the file of each instruction set states why this is sound. A
//! register lies in memory as an array of its lanes, so that registers and arrays of as many bytes can be transmuted.

/// Implements the operators of a type of lanes, each by a function on two registers.
macro_rules! operators {
    ($name:ident: $($trait:ident::$method:ident $function:path;)*) => {
        $(
            impl std::ops::$trait for $name {
                type Output = Self;

                #[inline(always)]
                fn $method(self, other: Self) -> Self {
                    // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                    Self(unsafe { $function(self.0, other.0) })
                }
            }
        )*
    };
}

/// Implements assigning operators (`+=`) of a type of lanes by the plain operators.
macro_rules! operators_in_place {
    ($name:ident: $($trait:ident::$method:ident $operator:tt)*) => {
        $(
            impl std::ops::$trait for $name {
                #[inline(always)]
                fn $method(&mut self, other: Self) {
                    *self = *self $operator other;
                }
            }
        )*
    };
}

/// Defines a type of integer lanes with [`Bits`](super::Bits).
macro_rules! integer_lanes {
    (
        $(#[$doc:meta])*
        $name:ident($register:ty): $integer:ty;
        splat $splat:path;
        add $add:path;
        subtract $subtract:path;
        and $and:path;
        or $or:path;
        xor $xor:path;
        shift_left($left:ident, $left_by:ident) => $shift_left:expr;
        shift_right($right:ident, $right_by:ident) => $shift_right:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name($register);

        operators! { $name: BitAnd::bitand $and; BitOr::bitor $or; BitXor::bitxor $xor; }

        impl std::ops::Shl<u32> for $name {
            type Output = Self;

            #[inline(always)]
            fn shl(self, bits: u32) -> Self {
                let ($left, $left_by) = (self.0, bits);
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $shift_left })
            }
        }

        impl std::ops::Shr<u32> for $name {
            type Output = Self;

            #[inline(always)]
            fn shr(self, bits: u32) -> Self {
                let ($right, $right_by) = (self.0, bits);
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $shift_right })
            }
        }

        impl Bits for $name {
            #[inline(always)]
            fn from_u64(bits: u64) -> Self {
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $splat(bits as $integer) })
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $add(self.0, other.0) })
            }

            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $subtract(self.0, other.0) })
            }
        }
    };
}

/// Defines a type of number lanes with its operators, [`Lane`](crate::Lane), [`Elementary`](crate::Elementary) and
/// [`Vector`](super::Vector).
macro_rules! number_lanes {
    (
        $(#[$doc:meta])*
        $name:ident($register:ty): $number:ty, $width:literal lanes;
        bits $bits:ident of $integer:ty;
        splat $splat:path;
        add $add:path;
        subtract $subtract:path;
        multiply $multiply:path;
        divide $divide:path;
        sqrt $sqrt:path;
        mask $mask:ty;
        less_than($less_a:ident, $less_b:ident) => $less_than:expr;
        select($choice:ident, $if_true:ident, $if_false:ident) => $select:expr;
        both($both_a:ident, $both_b:ident) => $both:expr;
        mask_to_bits($mask_value:ident) => $mask_to_bits:expr;
        mask_from_bits($mask_bits:ident) => $mask_from_bits:expr;
        // `four` is a reference to four numbers, `part` below 16/WIDTH.
        columns($four_columns:ident, $column_part:ident) => $columns:expr;
        rows($four_rows:ident, $row_part:ident) => $rows:expr;
        // The lanes as doubles, in a register or in an array of registers.
        to_f64($lanes:ident) => $to_f64:expr;
        // Whole numbers as wide as the lanes.
        $(from_signed($signed:ident) => $from_signed:expr;)?
        // `from` and `to` are pointers to as many numbers as there are lanes.
        $(store_chosen($chosen:ident, $from:ident, $to:ident) => $store_chosen:expr;)?
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        #[repr(transparent)]
        pub struct $name($register);

        operators! {
            $name:
            Add::add $add;
            Sub::sub $subtract;
            Mul::mul $multiply;
            Div::div $divide;
        }

        impl std::ops::Neg for $name {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                Self::from_bits(self.to_bits() ^ Self::from_f64(-0.0).to_bits())
            }
        }

        operators_in_place! { $name: AddAssign::add_assign + SubAssign::sub_assign - MulAssign::mul_assign * }

        impl Lane for $name {
            type Mask = $mask;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $splat(value as $number) })
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $sqrt(self.0) })
            }

            #[inline(always)]
            fn abs(self) -> Self {
                let sign = Self::from_f64(-0.0).to_bits();
                Self::from_bits(self.to_bits() & sign.wrapping_sub($bits::from_u64(1)))
            }

            #[inline(always)]
            fn less_than(self, other: Self) -> $mask {
                let ($less_a, $less_b) = (self.0, other.0);
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                unsafe { $less_than }
            }

            #[inline(always)]
            fn select(mask: $mask, if_true: Self, if_false: Self) -> Self {
                let ($choice, $if_true, $if_false) = (mask, if_true.0, if_false.0);
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $select })
            }
        }

        impl Elementary for $name {
            type Number = $number;
            type Bits = $bits;

            #[inline(always)]
            fn to_bits(self) -> $bits {
                // SAFETY: a register lies in memory as an array of its lanes, of the same size.
                unsafe { std::mem::transmute::<Self, $bits>(self) }
            }

            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                // SAFETY: a register lies in memory as an array of its lanes, of the same size.
                unsafe { std::mem::transmute::<$bits, Self>(bits) }
            }

            $(
                #[inline(always)]
                fn from_signed(bits: $bits) -> Self {
                    let $signed = bits.0;
                    // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                    Self(unsafe { $from_signed })
                }
            )?
        }

        impl Vector for $name {
            type Scalar = $number;
            type Words = Words32;
            const WIDTH: usize = $width;

            #[inline(always)]
            unsafe fn load_unchecked(pointer: *const $number) -> Self {
                // SAFETY: the caller guarantees that as many numbers can be read.
                Self(unsafe { pointer.cast::<$register>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn store_unchecked(self, pointer: *mut $number) {
                // SAFETY: the caller guarantees room for as many numbers.
                unsafe { pointer.cast::<$register>().write_unaligned(self.0) }
            }

            #[inline(always)]
            fn from_lanes(mut lane: impl FnMut(usize) -> $number) -> Self {
                let mut numbers = [0.0; $width];
                for (n, number) in numbers.iter_mut().enumerate() {
                    *number = lane(n);
                }
                Self::load(&numbers)
            }

            #[inline(always)]
            fn lane(self, lane: usize) -> $number {
                let mut numbers = [0.0; $width];
                self.store(&mut numbers);
                numbers[lane]
            }

            #[inline(always)]
            fn mask_to_bits(mask: $mask) -> u32 {
                let $mask_value = mask;
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                unsafe { $mask_to_bits }
            }

            #[inline(always)]
            fn mask_from_bits(bits: u32) -> $mask {
                let $mask_bits = bits;
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                unsafe { $mask_from_bits }
            }

            #[inline(always)]
            fn both(a: $mask, b: $mask) -> $mask {
                let ($both_a, $both_b) = (a, b);
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                unsafe { $both }
            }

            #[inline(always)]
            fn columns(four: &[$number; 4], part: usize) -> Self {
                let ($four_columns, $column_part) = (four, part % (16 / $width));
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $columns })
            }

            #[inline(always)]
            fn rows(four: &[$number; 4], part: usize) -> Self {
                let ($four_rows, $row_part) = (four, part % (16 / $width));
                // SAFETY: the machine has the instructions, as the head of the instruction set's file says.
                Self(unsafe { $rows })
            }

            #[inline(always)]
            fn to_f64_lanes(self, lanes: &mut [f64]) {
                let $lanes = self.0;
                // SAFETY: a register lies in memory as an array of its lanes, of the same size.
                let doubles: [f64; $width] = unsafe { std::mem::transmute($to_f64) };
                lanes[..$width].copy_from_slice(&doubles);
            }

            $(
                #[inline(always)]
                fn store_chosen(bits: u32, from: &[u32], to: &mut [u32]) -> usize {
                    let $chosen = bits & (u32::MAX >> (32 - $width));
                    let $from = from[..$width].as_ptr();
                    let $to = to[..$width].as_mut_ptr();
                    // SAFETY: the machine has the instructions, and both slices were cut to as many numbers as a vector has.
                    unsafe { $store_chosen };
                    $chosen.count_ones() as usize
                }
            )?

            #[inline(always)]
            fn words_from_lanes(mut lane: impl FnMut(usize) -> u32) -> Words32 {
                let mut words: [$integer; $width] = [0; $width];
                for (n, places) in words.iter_mut().enumerate() {
                    let word = u64::from(lane(n));
                    *places = (word << 32 | word) as $integer;
                }
                // SAFETY: a register lies in memory as an array of its lanes, of the same size.
                unsafe { std::mem::transmute::<[$integer; $width], Words32>(words) }
            }

            #[inline(always)]
            fn word(words: Words32, lane: usize) -> u32 {
                // SAFETY: a register lies in memory as an array of its lanes, of the same size.
                unsafe { std::mem::transmute::<Words32, [$integer; $width]>(words)[lane] as u32 }
            }

            #[inline(always)]
            fn words_to_bits(words: Words32) -> $bits {
                // SAFETY: a register lies in memory as an array of its lanes, of the same size.
                unsafe { std::mem::transmute::<Words32, $bits>(words) }
            }

            #[inline(always)]
            fn words_from_bits(bits: $bits) -> Words32 {
                // SAFETY: a register lies in memory as an array of its lanes, of the same size.
                unsafe { std::mem::transmute::<$bits, Words32>(bits) }
            }
        }
    };
}
