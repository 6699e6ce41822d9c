//! Random boxes on a GPU: lanes, blocks, clusters, lists and bricks have the bits of the reference path, or fail as it does.

use beadwork_cpu::{CpuPath, Member};
use beadwork_cuda::{Device, Ensemble, Job};
use beadwork_model::Precision;
use beadwork_simulation::{Failure, SamplePoint};
use beadwork_testing::few_or_many;

use crate::boxes::{Form, in_form};
use crate::random_boxes::{Kind, RandomBox};
use crate::stepping::{assert_same, device, without_squares};

/// Steps of a launch after each other.
const LAUNCHES: [u32; 3] = [1, 4, 7];

/// Steps each member in a launch, all together, and returns the failures.
fn launch(
    ensemble: &mut Ensemble,
    members: &mut [&mut Member],
    steps: u32,
) -> Vec<Option<Failure>> {
    let points = [SamplePoint { steps, row: false }];
    let jobs: Vec<Job<'_>> = members.iter().map(|member| Job { member, points: &points }).collect();
    let results = ensemble.advance(&jobs).unwrap();
    let settled = members.iter_mut().zip(&results).map(|(member, result)| {
        if result.samples() == 1 {
            result.bring(0, member).unwrap();
        }
        result.fail(member).unwrap()
    });
    settled.collect()
}

/// A box, stepped by the GPU and by the reference path.
struct Compared {
    case: RandomBox,
    on_gpu: Member,
    on_host: Member,
    failed: bool,
}

impl Compared {
    fn new(case: RandomBox) -> Compared {
        let on_gpu = case.member();
        let on_host = case.member().with_path(CpuPath::Reference);
        Compared { case, on_gpu, on_host, failed: false }
    }

    /// Steps the reference and compares.
    fn compare(&mut self, failure: Option<Failure>, steps: u32, form: Form) {
        let what = format!("{}, {form:?}", self.case);
        let expected = self.on_host.advance(u64::from(steps)).err();
        let named = |failure: &Failure| (failure.step, failure.error);
        assert_eq!(failure.as_ref().map(named), expected.as_ref().map(named), "{what}");
        let mut sound = self.on_host.state();
        if expected.is_some() {
            // A member that fails is left in its last sound state.
            let mut member = self.case.member().with_path(CpuPath::Reference);
            member.advance(self.on_host.step_number()).unwrap();
            sound = member.state();
            self.failed = true;
        }
        let found = self.on_gpu.state();
        assert_eq!(found.extra.places, sound.extra.places, "{what}");
        assert_eq!(found.extra.motion, sound.extra.motion, "{what}");
        assert_same(&without_squares(found), &without_squares(sound), &what);
    }
}

/// Steps boxes of one kind, and returns how many fail.
fn check(device: &Device, form: Form, kind: Kind, numbers: std::ops::Range<u64>) -> usize {
    let mut ensemble = in_form(device, form);
    let mut boxes: Vec<Compared> =
        numbers.map(|number| Compared::new(RandomBox::of_kind(number, kind))).collect();
    for steps in LAUNCHES {
        let mut sound: Vec<&mut Compared> = boxes.iter_mut().filter(|one| !one.failed).collect();
        let mut members: Vec<&mut Member> = sound.iter_mut().map(|one| &mut one.on_gpu).collect();
        let failures = launch(&mut ensemble, &mut members, steps);
        for (one, failure) in sound.into_iter().zip(failures) {
            one.compare(failure, steps, form);
        }
    }
    boxes.iter().filter(|one| one.failed).count()
}

/// Boxes of two and three cells a side, and between; huge ones with few beads; all beads in one place or around a corner, so
/// that lists and cells overflow; types without beads; forces beyond all limits. Boxes of one kind share launches, since each
/// kind is a program.
#[test]
fn random_boxes_have_the_bits_of_the_reference_path_on_a_gpu() {
    let Some(device) = device() else { return };
    let of_lanes = few_or_many(vec![60], vec![1, 7, 40, 60, 128]);
    let of_blocks = few_or_many(vec![140], vec![1, 30, 140, 600]);
    let of_clusters = few_or_many(vec![140], vec![30, 140, 600, 1_500]);
    let of_grids = few_or_many(vec![1, 500], vec![1, 30, 500, 5_000, 100_000]);
    let all = [
        (Form::Lanes, of_lanes),
        (Form::Block, of_blocks),
        (Form::Cluster, of_clusters),
        (Form::Grid, of_grids.clone()),
        (Form::SharedLists, of_grids.clone()),
        (Form::Bricks, of_grids),
    ];
    let (mut number, mut boxes, mut failures) = (0, 0, 0);
    for (form, sizes) in all {
        for beads in sizes {
            // Each form has both precisions, with and without the thermostat, and hard beads, most of which fail, in a third.
            for turn in 0..few_or_many(1, 2) {
                let place = number as usize + turn;
                let (hard, heated) = (place.is_multiple_of(3), place.is_multiple_of(2));
                let precision = Precision::ALL[(number as usize / 3 + turn) % 2];
                let kind = Kind { beads, hard, heated, precision };
                let count = match beads {
                    0..=1 => 4,
                    2..=600 => few_or_many(6, 24),
                    601..=9_999 => 6,
                    _ => 2,
                };
                let first = 1_000 * number + 100 * turn as u64;
                failures += check(&device, form, kind, first..first + count);
                boxes += count as usize;
            }
            number += 1;
        }
    }
    assert!((1..boxes / 2).contains(&failures), "{failures} of {boxes} boxes fail");
}
