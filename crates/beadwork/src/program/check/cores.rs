//! How fast a core steps independent particles or samples chains, by a short measurement: what particles cost is nearly
//! all noise, whose price depends on generator, scheme and distribution.

use std::time::{Duration, Instant};

use beadwork::cpu::{Group, Member};
use beadwork::engine::CpuAssignment;
use beadwork::input::{Point, Request};

use super::super::run::threads_or_cores;

/// Steps that take as long say enough.
const LONG_ENOUGH: Duration = Duration::from_millis(150);
/// Steps between two looks at the clock.
const MOST_AT_ONCE: u64 = 1 << 10;
/// Points of a sweep that are measured; those beyond are taken for as fast as the last, by what they have to compute.
const MOST_POINTS: usize = 8;

/// Seconds of one core for a bead of a frame, packed and written, and for writing a row: measured on this kind of work.
const SECONDS_PER_BEAD_OF_FRAME: f64 = 8e-8;
const SECONDS_PER_ROW: f64 = 4e-6;

/// Core seconds of a whole run of each point, in turn; `None` where a point cannot be measured.
pub fn measure(request: &Request, cpu_assignment: &CpuAssignment) -> Option<Vec<f64>> {
    let mut found = Vec::new();
    let mut last = 0.0;
    for (number, point) in request.points.iter().enumerate() {
        let beads = point.system.beads() as f64;
        // Of a chain each move looks at all other monomers.
        let size = match point.system.is_sampled() {
            true => beads * beads,
            false => beads,
        };
        if number < MOST_POINTS {
            last = seconds_per_step(point, cpu_assignment, request.output.table_every)? / size;
        }
        let steps = point.protocol.steps() as f64;
        let rows = steps / request.output.table_every as f64;
        let frames = request.output.trajectory.map_or(0.0, |(every, _)| steps / every as f64);
        let outputs = rows * SECONDS_PER_ROW + frames * beads * SECONDS_PER_BEAD_OF_FRAME;
        found.push((steps * last * size + outputs) * request.replicas as f64);
    }
    Some(found)
}

/// Core seconds of a step of one member, rows measured on the way, but not written.
fn seconds_per_step(
    point: &Point,
    cpu_assignment: &CpuAssignment,
    table_every: u64,
) -> Option<f64> {
    let start = &point.system.particles.positions;
    let mut members: Vec<Member> = (0..cpu_assignment.together as u64)
        .map(|replica| Member::new(point.system.clone(), point.protocol.clone(), replica, start))
        .collect();
    for member in &mut members {
        member.set_threads(cpu_assignment.threads_each);
    }
    let mut group = Group::new(cpu_assignment.instructions);
    let mut advance = |members: &mut [Member], steps: u64| -> Option<()> {
        if let [member] = members {
            return member.advance(steps).ok().map(|_| ());
        }
        let mut all: Vec<&mut Member> = members.iter_mut().collect();
        let outcomes = group.advance(&mut all, steps);
        outcomes.into_iter().all(|outcome| outcome.is_ok()).then_some(())
    };
    // The first one makes room.
    advance(&mut members, 1)?;
    let began = Instant::now();
    let (mut made, mut batch) = (0, 1);
    while began.elapsed() < LONG_ENOUGH && members[0].remaining() > 0 {
        let to_row = table_every - made % table_every;
        let steps = batch.min(to_row).min(members[0].remaining());
        advance(&mut members, steps)?;
        made += steps;
        batch = (2 * batch).min(MOST_AT_ONCE);
        if steps == to_row {
            for member in &mut members {
                member.measure().ok()?;
            }
        }
    }
    // More threads than cores are no faster.
    let cores = cpu_assignment.threads_each.min(threads_or_cores(None)) as f64;
    let seconds = began.elapsed().as_secs_f64() * cores;
    (made > 0).then(|| seconds / (made * members.len() as u64) as f64)
}
