//! Sums that have no order.

/// A sum of numbers, each rounded to a multiple of one power of two, so that the sum does not depend on their order. The power is
/// the smallest one with which no sum overflows. `WholeScale` in `kernels/integrators/fire.cuh` has the same functions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WholeSum {
    /// All numbers are smaller than 2 to this power.
    exponent: i32,
    /// The number of bits of their count.
    bits: i32,
    sum: i64,
}

impl WholeSum {
    /// A sum of up to `count` numbers, of which `largest` is the largest magnitude.
    pub fn new(largest: f64, count: usize) -> WholeSum {
        let exponent = (largest.to_bits() >> 52) as i32 - 1022;
        WholeSum { exponent, bits: (usize::BITS - count.leading_zeros()) as i32, sum: 0 }
    }

    /// A sum of scalar products of vectors, whose squares have these two sums.
    pub fn of_products(a: WholeSum, b: WholeSum) -> WholeSum {
        WholeSum { exponent: (a.exponent + b.exponent + 1).div_euclid(2), ..a }
    }

    pub fn add(&mut self, value: f64) {
        self.sum += (value * power_of_two(self.places())).round_ties_even() as i64;
    }

    pub fn value(self) -> f64 {
        self.sum as f64 * power_of_two(-self.places())
    }

    /// The binary places after the point of the numbers that are added.
    fn places(self) -> i32 {
        (62 - self.bits - self.exponent).clamp(-1022, 1022)
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every order of three numbers gives the same sum. Rounding changes each number by half a unit at most.
    #[test]
    fn sums_have_no_order_and_lose_little() {
        for scale in [1e-200, 1e-3, 1.0, 7e5, 1e150] {
            let numbers = [0.1, -0.7, 0.600_000_001].map(|number| number * scale);
            let sum = |order: [usize; 3]| {
                let mut sum = WholeSum::new(0.7 * scale, 3);
                order.into_iter().for_each(|k| sum.add(numbers[k]));
                sum.value()
            };
            let found = sum([0, 1, 2]);
            assert!([[2, 1, 0], [1, 0, 2], [2, 0, 1]].into_iter().all(|order| sum(order) == found));
            // 62 − 2 places below the largest number.
            let expected: f64 = numbers.iter().sum();
            assert!((found - expected).abs() <= scale * 2.0_f64.powi(-53), "{found} {expected}");
        }
    }

    #[test]
    fn many_of_the_largest_numbers_do_not_overflow() {
        let largest = 2.0_f64.next_down();
        let mut sum = WholeSum::new(largest, 1_000);
        (0..1_000).for_each(|_| sum.add(largest));
        assert!((sum.value() - 2_000.0).abs() < 1e-9, "{}", sum.value());
    }

    #[test]
    fn products_are_bounded_by_their_squares() {
        let [a, b] = [1e-9, 3e14].map(|largest| WholeSum::new(largest, 2));
        let mut sum = WholeSum::of_products(a, b);
        let product = 3e5_f64.sqrt();
        (0..2).for_each(|_| sum.add(-product));
        assert!((sum.value() + 2.0 * product).abs() < 1e-9, "{}", sum.value());
        let nothing = WholeSum::new(0.0, 5);
        assert_eq!(WholeSum::of_products(nothing, nothing).value(), 0.0);
    }
}
