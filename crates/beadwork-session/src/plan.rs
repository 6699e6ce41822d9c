//! The engine's plan of a request.

use std::sync::Arc;

use beadwork_engine::{MemberPlan, Plan};
use beadwork_input::{OnFailure, Point, Request, TrajectoryKind};
use beadwork_io::{FrameFormat, TrajectoryFormat};
use beadwork_model::System;

use crate::fingerprint::fingerprint;
use crate::part::Part;

/// The engine's plan for a part of a request.
pub fn plan(request: &Request, part: &Part) -> Plan {
    // Points with equal systems share one, so that their members can be stepped together.
    let mut shared: Vec<Arc<System>> = Vec::new();
    for point in &request.points {
        let equal = shared.iter().find(|system| **system == point.system);
        shared.push(equal.unwrap_or(&point.system).clone());
    }
    // The replicas of a point share one start, unless the input gives one for each.
    let start = |point: &Point| Arc::new(point.system.particles.positions.clone());
    let starts: Vec<_> = request.points.iter().map(start).collect();
    let member = |number: u64| {
        let (point, replica) = request.member(number);
        let place = (number / request.replicas.max(1)) as usize;
        let own = point
            .starts
            .as_ref()
            .and_then(|starts| starts.get((replica as usize).min(starts.len().saturating_sub(1))));
        MemberPlan {
            system: shared[place].clone(),
            protocol: point.protocol.clone(),
            replica: number,
            start: own.map_or_else(|| starts[place].clone(), |start| Arc::new(start.clone())),
            velocities: point.velocities_of(replica),
            exchange: point.exchange.clone(),
        }
    };
    Plan {
        members: part.range().map(member).collect(),
        table_every: request.output.table_every,
        trajectory: request.output.trajectory.map(|(every, kind)| (every, frame_format(kind))),
        checkpoint_seconds: request.output.checkpoint_seconds,
        stop_on_failure: request.run.on_failure == OnFailure::Stop,
        fingerprint: fingerprint(request),
    }
}

/// The format of the files of a kind of trajectory.
pub fn frame_format(kind: TrajectoryKind) -> FrameFormat {
    match kind {
        TrajectoryKind::Xtc => TrajectoryFormat::Xtc.into(),
        TrajectoryKind::Dcd => TrajectoryFormat::Dcd.into(),
        TrajectoryKind::Gsd => FrameFormat::Gsd,
    }
}
