//! What the vectors of all instruction sets have in common. A file of an instruction set is a table of its operations
//! on registers, which these macros turn into the traits.
//!
//! Expressions of the table may call intrinsics: the macros put them into `unsafe` blocks, for the reason that each
//! file of an instruction set states.

/// A type of integer lanes with [`Bits`](super::Bits).
macro_rules! integer_lanes {
    (
        $(#[$doc:meta])*
        $name:ident($register:ty): $integer:ty;
        splat($word:ident) => $splat:expr;
        add($add_a:ident, $add_b:ident) => $add:expr;
        subtract($sub_a:ident, $sub_b:ident) => $subtract:expr;
        and($and_a:ident, $and_b:ident) => $and:expr;
        or($or_a:ident, $or_b:ident) => $or:expr;
        xor($xor_a:ident, $xor_b:ident) => $xor:expr;
        shift_left($left:ident, $left_by:ident) => $shift_left:expr;
        shift_right($right:ident, $right_by:ident) => $shift_right:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register);

        impl Bits for $name {
            #[inline(always)]
            fn splat(bits: u64) -> Self {
                let $word = bits as $integer;
                Self(unsafe { $splat })
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                let ($add_a, $add_b) = (self.0, other.0);
                Self(unsafe { $add })
            }

            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                let ($sub_a, $sub_b) = (self.0, other.0);
                Self(unsafe { $subtract })
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                let ($and_a, $and_b) = (self.0, other.0);
                Self(unsafe { $and })
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                let ($or_a, $or_b) = (self.0, other.0);
                Self(unsafe { $or })
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                let ($xor_a, $xor_b) = (self.0, other.0);
                Self(unsafe { $xor })
            }

            #[inline(always)]
            fn shift_left(self, bits: u32) -> Self {
                let ($left, $left_by) = (self.0, bits);
                Self(unsafe { $shift_left })
            }

            #[inline(always)]
            fn shift_right(self, bits: u32) -> Self {
                let ($right, $right_by) = (self.0, bits);
                Self(unsafe { $shift_right })
            }
        }
    };
}

/// [`Words`](super::Words) of 32-bit integer lanes that have [`Bits`](super::Bits).
macro_rules! words {
    (
        $name:ident;
        multiply($low:ident, $low_constant:ident) => $multiply:expr;
        spread $spread:ty;
        spread($packed:ident) => $spread_of:expr;
        join($apart:ident) => $join:expr;
    ) => {
        impl Words for $name {
            #[inline(always)]
            fn splat(word: u32) -> Self {
                Bits::splat(u64::from(word))
            }

            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                Bits::wrapping_add(self, other)
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                Bits::xor(self, other)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                Bits::and(self, other)
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                Bits::or(self, other)
            }

            #[inline(always)]
            fn shift_left(self, bits: u32) -> Self {
                Bits::shift_left(self, bits)
            }

            #[inline(always)]
            fn shift_right(self, bits: u32) -> Self {
                Bits::shift_right(self, bits)
            }

            #[inline(always)]
            fn wrapping_mul(self, constant: u32) -> Self {
                let $low_constant = <Self as Words>::splat(constant).0;
                let $low = self.0;
                Self(unsafe { $multiply })
            }

            type Spread = $spread;

            #[inline(always)]
            fn spread(self) -> $spread {
                let $packed = self;
                unsafe { $spread_of }
            }

            #[inline(always)]
            fn join(spread: $spread) -> Self {
                let $apart = spread;
                unsafe { $join }
            }
        }
    };
}

/// A type of number lanes with its operators, [`Lane`](crate::Lane) and [`Elementary`](crate::Elementary).
macro_rules! number_lanes {
    (
        $(#[$doc:meta])*
        $name:ident($register:ty): $number:ty;
        bits $bits:ident;
        mask $mask:ty;
        splat($value:ident) => $splat:expr;
        to_bits($number_bits:ident) => $to_bits:expr;
        from_bits($bits_number:ident) => $from_bits:expr;
        add($add_a:ident, $add_b:ident) => $add:expr;
        subtract($sub_a:ident, $sub_b:ident) => $subtract:expr;
        multiply($mul_a:ident, $mul_b:ident) => $multiply:expr;
        divide($div_a:ident, $div_b:ident) => $divide:expr;
        sqrt($square:ident) => $sqrt:expr;
        less_than($less_a:ident, $less_b:ident) => $less_than:expr;
        select($choice:ident, $if_true:ident, $if_false:ident) => $select:expr;
        // `a` where a < b, `b` elsewhere, also where either is NaN; likewise with a > b.
        smaller($min_a:ident, $min_b:ident) => $smaller:expr;
        larger($max_a:ident, $max_b:ident) => $larger:expr;
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name($register);

        impl Add for $name {
            type Output = Self;

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                let ($add_a, $add_b) = (self.0, other.0);
                Self(unsafe { $add })
            }
        }

        impl Sub for $name {
            type Output = Self;

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                let ($sub_a, $sub_b) = (self.0, other.0);
                Self(unsafe { $subtract })
            }
        }

        impl Mul for $name {
            type Output = Self;

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                let ($mul_a, $mul_b) = (self.0, other.0);
                Self(unsafe { $multiply })
            }
        }

        impl Div for $name {
            type Output = Self;

            #[inline(always)]
            fn div(self, other: Self) -> Self {
                let ($div_a, $div_b) = (self.0, other.0);
                Self(unsafe { $divide })
            }
        }

        impl Neg for $name {
            type Output = Self;

            #[inline(always)]
            fn neg(self) -> Self {
                let sign = Self::from_f64(-0.0).to_bits();
                Self::from_bits(Bits::xor(self.to_bits(), sign))
            }
        }

        impl AddAssign for $name {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl SubAssign for $name {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl MulAssign for $name {
            #[inline(always)]
            fn mul_assign(&mut self, other: Self) {
                *self = *self * other;
            }
        }

        impl Lane for $name {
            type Mask = $mask;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                let $value = value as $number;
                Self(unsafe { $splat })
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                let $square = self.0;
                Self(unsafe { $sqrt })
            }

            #[inline(always)]
            fn abs(self) -> Self {
                let all_but_sign = Bits::wrapping_sub(
                    Self::from_f64(-0.0).to_bits(),
                    <$bits as Bits>::splat(1),
                );
                Self::from_bits(Bits::and(self.to_bits(), all_but_sign))
            }

            #[inline(always)]
            fn less_than(self, other: Self) -> $mask {
                let ($less_a, $less_b) = (self.0, other.0);
                unsafe { $less_than }
            }

            #[inline(always)]
            fn select(mask: $mask, if_true: Self, if_false: Self) -> Self {
                let ($choice, $if_true, $if_false) = (mask, if_true.0, if_false.0);
                Self(unsafe { $select })
            }

            #[inline(always)]
            fn min(self, other: Self) -> Self {
                let ($min_a, $min_b) = (other.0, self.0);
                Self(unsafe { $smaller })
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                let ($max_a, $max_b) = (other.0, self.0);
                Self(unsafe { $larger })
            }
        }

        impl Elementary for $name {
            type Bits = $bits;

            const FRACTION_BITS: u32 = <$number>::FRACTION_BITS;
            const EXPONENT_BITS: u32 = <$number>::EXPONENT_BITS;
            const LOGARITHM_TERMS: usize = <$number>::LOGARITHM_TERMS;
            const SINE_TERMS: usize = <$number>::SINE_TERMS;
            const COSINE_TERMS: usize = <$number>::COSINE_TERMS;
            const LOGARITHM_OF_TWO: [f64; 2] = <$number>::LOGARITHM_OF_TWO;
            const TWO_PI: [f64; 2] = <$number>::TWO_PI;
            const ROUNDING: f64 = <$number>::ROUNDING;

            #[inline(always)]
            fn to_bits(self) -> $bits {
                let $number_bits = self.0;
                $bits(unsafe { $to_bits })
            }

            #[inline(always)]
            fn from_bits(bits: $bits) -> Self {
                let $bits_number = bits.0;
                Self(unsafe { $from_bits })
            }
        }
    };
}

/// [`Vector`](super::Vector) of number lanes; the methods about words are those of `single_words` or `double_words`.
macro_rules! vector {
    (
        $name:ident($register:ty): $number:ty, $width:literal lanes;
        $words:ident! $words_of:tt;
        any($any:ident) => $any_of:expr;
        mask_to_bits($mask:ident) => $mask_to_bits:expr;
        mask_from_bits($bits:ident) => $mask_from_bits:expr;
        both($both_a:ident, $both_b:ident) => $both:expr;
        either($either_a:ident, $either_b:ident) => $either:expr;
        // `four` is a reference to four numbers, `part` below 16/WIDTH.
        columns($four_columns:ident, $column_part:ident) => $columns:expr;
        rows($four_rows:ident, $row_part:ident) => $rows:expr;
        // The lanes as doubles, in an array or in registers that lie in memory as one.
        to_f64($lanes:ident) => $to_f64:expr;
    ) => {
        impl Vector for $name {
            type Scalar = $number;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn load(numbers: &[$number]) -> Self {
                let numbers = &numbers[..$width];
                // SAFETY: the slice has as many numbers.
                unsafe { Self::load_unchecked(numbers.as_ptr()) }
            }

            #[inline(always)]
            fn store(self, numbers: &mut [$number]) {
                let numbers = &mut numbers[..$width];
                // SAFETY: the slice has as many numbers.
                unsafe { self.store_unchecked(numbers.as_mut_ptr()) }
            }

            #[inline(always)]
            unsafe fn load_unchecked(pointer: *const $number) -> Self {
                // SAFETY: a register lies in memory as an array of its lanes, and the caller has as many.
                Self(unsafe { pointer.cast::<$register>().read_unaligned() })
            }

            #[inline(always)]
            unsafe fn store_unchecked(self, pointer: *mut $number) {
                // SAFETY: a register lies in memory as an array of its lanes, and the caller has as many.
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
            fn any(mask: Self::Mask) -> bool {
                let $any = mask;
                unsafe { $any_of }
            }

            #[inline(always)]
            fn mask_to_bits(mask: Self::Mask) -> u32 {
                let $mask = mask;
                unsafe { $mask_to_bits }
            }

            #[inline(always)]
            fn mask_from_bits(bits: u32) -> Self::Mask {
                let $bits = bits;
                unsafe { $mask_from_bits }
            }

            #[inline(always)]
            fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
                let ($both_a, $both_b) = (a, b);
                unsafe { $both }
            }

            #[inline(always)]
            fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
                let ($either_a, $either_b) = (a, b);
                unsafe { $either }
            }

            #[inline(always)]
            fn columns(four: &[$number; 4], part: usize) -> Self {
                let ($four_columns, $column_part) = (four, crate::vector::part_of_tile(part, $width));
                Self(unsafe { $columns })
            }

            #[inline(always)]
            fn rows(four: &[$number; 4], part: usize) -> Self {
                let ($four_rows, $row_part) = (four, crate::vector::part_of_tile(part, $width));
                Self(unsafe { $rows })
            }

            #[inline(always)]
            fn to_f64_lanes(self, lanes: &mut [f64]) {
                let lanes = &mut lanes[..$width];
                let $lanes = self.0;
                crate::vector::write_doubles(lanes, unsafe { $to_f64 });
            }

            $words! $words_of;
        }
    };
}

/// The methods of [`Vector`](super::Vector) about words, one a lane: those of single precision.
macro_rules! single_words {
    ($words:ident($register:ty), $width:literal lanes) => {
        type Words = $words;
        const WORDS_A_LANE: usize = 1;

        #[inline(always)]
        fn words_from_lanes(mut lane: impl FnMut(usize) -> u32) -> $words {
            let mut words = [0_u32; $width];
            for (n, word) in words.iter_mut().enumerate() {
                *word = lane(n);
            }
            // SAFETY: a register lies in memory as an array of its lanes.
            $words(unsafe { words.as_ptr().cast::<$register>().read_unaligned() })
        }

        #[inline(always)]
        fn word(words: $words, lane: usize) -> u32 {
            // SAFETY: a register lies in memory as an array of its lanes.
            let words: [u32; $width] = unsafe { std::mem::transmute(words.0) };
            words[lane]
        }

        #[inline(always)]
        fn uniform(high: $words, _low: $words) -> Self {
            crate::vector::middle_of_cell(Bits::shift_right(high, 9))
        }

        #[inline(always)]
        fn odd_words(words: $words) -> $words {
            words
        }

        #[inline(always)]
        fn splat_odd(_word: u32) -> $words {
            Bits::splat(0)
        }
    };
}

/// The methods of [`Vector`](super::Vector) about words, two a lane: those of double precision. The even word is the
/// low half of the lane's 64 bits.
macro_rules! double_words {
    (
        $words:ident, $bits:ident($register:ty), $width:literal lanes;
        to_bits($to:ident) => $to_bits:expr;
        from_bits($from:ident) => $from_bits:expr;
    ) => {
        type Words = $words;
        const WORDS_A_LANE: usize = 2;

        #[inline(always)]
        fn words_from_lanes(mut lane: impl FnMut(usize) -> u32) -> $words {
            let mut pairs = [0_u64; $width];
            for (n, pair) in pairs.iter_mut().enumerate() {
                *pair = u64::from(lane(n)) * 0x1_0000_0001;
            }
            // SAFETY: a register lies in memory as an array of its lanes.
            let $from: $register = unsafe { pairs.as_ptr().cast::<$register>().read_unaligned() };
            $words($from_bits)
        }

        #[inline(always)]
        fn word(words: $words, lane: usize) -> u32 {
            let $to = words.0;
            // SAFETY: a register lies in memory as an array of its lanes.
            let pairs: [u64; $width] = unsafe { std::mem::transmute($to_bits) };
            pairs[lane] as u32
        }

        #[inline(always)]
        fn uniform(high: $words, low: $words) -> Self {
            let $to = high.0;
            let high = Bits::shift_left($bits($to_bits), 32);
            let $to = low.0;
            let low = Bits::and($bits($to_bits), Bits::splat(0xffff_ffff));
            crate::vector::middle_of_cell(Bits::shift_right(Bits::or(high, low), 12))
        }

        #[inline(always)]
        fn odd_words(words: $words) -> $words {
            let $to = words.0;
            let $from = Bits::shift_right($bits($to_bits), 32).0;
            $words($from_bits)
        }

        #[inline(always)]
        fn splat_odd(word: u32) -> $words {
            let $from = <$bits as Bits>::splat(u64::from(word) << 32).0;
            $words($from_bits)
        }
    };
}
