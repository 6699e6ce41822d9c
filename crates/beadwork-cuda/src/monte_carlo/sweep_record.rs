//! The output of Monte Carlo schedules for the host.

use crate::batch::records::Number;
use crate::monte_carlo::ladder_batch::Stop;
use crate::monte_carlo::sweep_schedule::{ENERGY, EXCHANGE, SAMPLE, Segment};

/// The output of a schedule as it came from the card: the host can read it while the card continues.
#[derive(Clone, Debug)]
pub struct SweepRecord<T> {
    replicas: usize,
    monomers: usize,
    /// The number of sweeps before the schedule.
    sweep: u64,
    /// The output of each launch.
    pub(crate) parts: Vec<Part<T>>,
    /// [replica][monomer]: positions at the end of the schedule.
    pub(crate) last: Vec<[T; 4]>,
}

/// The output of a launch.
#[derive(Clone, Debug)]
pub struct Part<T> {
    pub segments: Vec<Segment>,
    /// [segment][replica].
    pub accepted: Vec<u32>,
    /// [segment][replica].
    pub energies: Vec<f64>,
    /// [exchange][replica]: rungs.
    pub passed: Vec<u32>,
    /// [sample][replica][monomer][axis].
    pub samples: Vec<T>,
    /// The rungs after the exchange that the host decided at the end of the launch.
    pub decided: Option<Vec<u32>>,
}

impl<T: Number> SweepRecord<T> {
    pub(crate) fn new(replicas: usize, monomers: usize, sweep: u64) -> Self {
        SweepRecord { replicas, monomers, sweep, parts: Vec::new(), last: Vec::new() }
    }

    /// The stops of the schedule, in order.
    pub fn stops(&self) -> Vec<Stop> {
        let mut stops: Vec<Stop> = Vec::new();
        let mut goes_on = false;
        let numbers =
            self.parts.iter().flat_map(|part| (0..part.segments.len()).map(move |n| (part, n)));
        let mut sweep = self.sweep;
        for (part, number) in numbers {
            sweep += u64::from(part.segments[number].sweeps);
            let stop = self.stop(part, number, sweep);
            match stops.last_mut().filter(|_| goes_on) {
                // The stop before exists only because counts or memory ran out.
                Some(before) => {
                    let accepted = before.accepted.iter().zip(&stop.accepted);
                    let accepted = accepted.map(|(a, b)| a + b).collect();
                    *before = Stop { accepted, ..stop };
                }
                None => stops.push(stop),
            }
            goes_on = part.segments[number].what == 0;
        }
        stops
    }

    /// The final positions of each replica, in units of the length.
    pub fn positions(&self) -> Vec<Vec<[f64; 3]>> {
        let row = |[x, y, z, _]: &[T; 4]| [x, y, z].map(|component| component.to_f64());
        let replicas = self.last.chunks_exact(self.monomers);
        replicas.map(|rows| rows.iter().map(row).collect()).collect()
    }

    fn stop(&self, part: &Part<T>, number: usize, sweep: u64) -> Stop {
        let (segment, all) = (part.segments[number], self.replicas);
        let here = number * all..(number + 1) * all;
        let exchange = segment.exchange as usize * all;
        let passed = || part.passed[exchange..exchange + all].to_vec();
        let ends = number + 1 == part.segments.len();
        Stop {
            sweep,
            accepted: part.accepted[here.clone()].iter().map(|count| u64::from(*count)).collect(),
            energies: segment.is(SAMPLE | EXCHANGE | ENERGY).then(|| part.energies[here].to_vec()),
            positions: segment.is(SAMPLE).then(|| self.sample(part, segment.sample)),
            rungs: match segment.is(EXCHANGE) {
                true => Some(passed()),
                false if ends => part.decided.clone(),
                false => None,
            },
        }
    }

    fn sample(&self, part: &Part<T>, number: u32) -> Vec<Vec<[f64; 3]>> {
        let each = 3 * self.monomers;
        let replica = |numbers: &[T]| {
            numbers.chunks_exact(3).map(|r| [0, 1, 2].map(|axis| r[axis].to_f64())).collect()
        };
        let all = part.samples.chunks_exact(each * self.replicas).nth(number as usize);
        all.map_or_else(Vec::new, |all| all.chunks_exact(each).map(replica).collect())
    }
}
