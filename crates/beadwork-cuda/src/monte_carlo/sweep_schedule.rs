//! Schedules of Monte Carlo: samples, exchanges, and fits of displacements.

/// The actions after a segment, with the kernel's values.
pub const SAMPLE: u32 = 1;
pub const EXCHANGE: u32 = 2;
pub const TUNE: u32 = 4;
pub const ENERGY: u32 = 8;

/// The most sweeps without a stop: their moves are counted in 32 bits.
const MOST_SWEEPS: u64 = 1 << 20;

/// Sweeps of all replicas. An action is due if its interval divides the number of sweeps since the run began. Samples
/// come first, then fits of displacements, then exchanges of temperatures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepSchedule {
    /// The number of sweeps.
    pub sweeps: u64,
    /// Sweeps between samples.
    pub sample_every: Option<u64>,
    /// Sweeps between samples of a second kind.
    pub also_sample_every: Option<u64>,
    /// Sweeps between attempts to exchange; ladders of one rung ignore it.
    pub exchange_every: Option<u64>,
    /// Sweeps between fits of displacements (`beadwork_cpu::monte_carlo::tuned`).
    pub tune_every: Option<u64>,
}

/// A segment of the kernel in `sweep.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Segment {
    pub sweeps: u32,
    pub what: u32,
    pub sample: u32,
    pub exchange: u32,
}

impl Segment {
    pub fn is(&self, what: u32) -> bool {
        self.what & what != 0
    }
}

impl SweepSchedule {
    /// The segments of a schedule that begins after `sweep` sweeps, samples and exchanges numbered from 0.
    pub fn segments(&self, sweep: u64) -> Vec<Segment> {
        let due = [
            (self.sample_every, SAMPLE),
            (self.also_sample_every, SAMPLE),
            (self.exchange_every, EXCHANGE),
            (self.tune_every, TUNE),
        ];
        let (mut now, end) = (sweep, sweep + self.sweeps);
        let mut segments = Vec::new();
        while now < end {
            let next = |every: u64| (now / every + 1) * every;
            let first = due.iter().filter_map(|(every, _)| every.map(next)).min();
            let stop = first.unwrap_or(end).min(end).min(now + MOST_SWEEPS);
            let is_due =
                |every: &Option<u64>| every.is_some_and(|every| stop.is_multiple_of(every));
            let what =
                due.iter().filter(|(every, _)| is_due(every)).fold(0, |all, (_, what)| all | what);
            segments.push(Segment { sweeps: (stop - now) as u32, what, sample: 0, exchange: 0 });
            now = stop;
        }
        number(&mut segments);
        segments
    }
}

/// Numbers samples and exchanges from 0.
pub fn number(segments: &mut [Segment]) {
    let (mut sample, mut exchange) = (0, 0);
    for segment in segments {
        (segment.sample, segment.exchange) = (sample, exchange);
        sample += u32::from(segment.is(SAMPLE));
        exchange += u32::from(segment.is(EXCHANGE));
    }
}

#[cfg(test)]
#[path = "../../tests/unit/sweep_schedule.rs"]
mod tests;
