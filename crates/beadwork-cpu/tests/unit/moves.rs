//! Tests of `src/pair_simd/moves.rs`.

use super::*;

#[test]
fn free_beads_are_those_not_fixed() {
    let free = Free::new(35, &[0, 17, 34]);
    assert_eq!(free.beads.len(), 32);
    assert_eq!(
        [0, 1, 17, 33, 34].map(|bead| free.is_free(bead)),
        [false, true, false, true, false]
    );
    assert_eq!(free.lanes::<f32>(0), 0);
    assert_eq!(free.lanes::<f32>(1), 1);
    assert_eq!(free.lanes::<Pair<f32>>(16), 0b01);
    // The last bead is fixed, and lanes beyond it have no bead.
    assert_eq!(free.lanes::<Pair<f32>>(32), 0b11);
    assert_eq!(free.lanes::<Pair<f32>>(34), 0);
}

/// Moves whose output encodes the number of each bead as its square.
struct Numbers(Range<usize>);

impl Move<f32> for Numbers {
    fn beads(&self) -> Range<usize> {
        self.0.clone()
    }

    fn step<V: Vector<Scalar = f32>>(&mut self, first: usize) -> V {
        V::from_lanes(|lane| if first + lane < self.0.end { 0.1 } else { 0.0 })
    }
}

struct Sum<'a>(Range<usize>, &'a mut [f64]);

impl Kernel for Sum<'_> {
    type Output = ();

    fn run<F: Family>(self) {
        move_all::<F, f32>(Numbers(self.0), self.1);
    }
}

#[test]
fn squares_are_summed_run_by_run_whatever_the_width() {
    let run = |beads: usize| (0..beads).fold(0.0, |sum, _| sum + f64::from(0.1_f32));
    let expected = [run(RUN), run(RUN), run(RUN), run(1000 - 3 * RUN)];
    for instructions in beadwork_arithmetic::Instructions::ALL {
        let mut runs = [0.0; 4];
        instructions.dispatch(Sum(0..1000, &mut runs));
        assert_eq!(runs, expected, "{instructions:?}");
        let mut runs = [0.0; 2];
        instructions.dispatch(Sum(2 * RUN..1000, &mut runs));
        assert_eq!(runs, expected[2..], "{instructions:?}");
    }
}
