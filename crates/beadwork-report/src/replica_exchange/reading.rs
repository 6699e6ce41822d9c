//! Reads ladders from the tables and counts of a run.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use beadwork_analysis::table::read_csv;
use beadwork_input::Point;
use beadwork_io::RunFolder;
use beadwork_model::Tuning;
use beadwork_session::Error;

use super::columns::{LadderColumns, columns_of};
use super::findings::is_same;
use super::ladder::LadderSample;
use super::ladders::Ladders;
use crate::rows::{BegunMember, LeftOut, MemberRows, PointMembers, samples};

/// The table of a replica: its samples with their rungs, and the k_B T of rungs that it was on.
struct ReplicaSamples {
    rows: Vec<(usize, LadderSample)>,
    baths: Vec<(usize, f64)>,
    incomplete: usize,
}

impl Ladders {
    /// Reads the rows of a point in the last stage that is not a minimisation, with the counts of `exchange.csv`, or in the stage
    /// that a person asked for.
    pub fn read(of_point: &PointMembers<'_>, folders: &[RunFolder]) -> Result<Ladders, Error> {
        let point = of_point.point;
        let stage = of_point.asked.or(last_sampled(point));
        let (temperatures, placed_by) = match &point.exchange {
            Some(exchange) => {
                let before = |tuning: &&Tuning| stage.is_none_or(|stage| tuning.stage < stage);
                let last = exchange.tunings.iter().rfind(before);
                (exchange.temperatures.clone(), last.map(|tuning| tuning.by))
            }
            None => (vec![point.protocol.dynamics.temperature], None),
        };
        let rungs = temperatures.len() as u64;
        let mut found = Ladders {
            group: of_point.name.clone(),
            about: of_point.about(),
            kind: columns_of(point),
            beads: point.system.beads(),
            temperatures,
            placed_by,
            stage: of_point.stage_in_words(),
            has_counts: of_point.asked.is_none(),
            one_stage: point.protocol.stages.iter().filter(|stage| samples(stage)).count() == 1,
            asked: of_point.request.replicas / rungs,
            ladders: BTreeMap::new(),
            left_out: LeftOut::default(),
            findings: OnceLock::new(),
        };
        let LadderColumns { time, bath, energy, quantities, .. } = found.kind;
        let columns = [&[*time, "rung", *bath, *energy][..], quantities].concat();
        let empty = found.clone();
        let make =
            |member: &BegunMember<'_>, rows: MemberRows| empty.of_replica(of_point, member, &rows);
        of_point.read(&columns, make, |member, of_replica| {
            found.left_out.add(of_replica.incomplete);
            let ladder = found.ladder((member.number - of_point.first) / rungs);
            ladder.failed_early |= member.failed && of_replica.rows.is_empty();
            for (rung, row) in of_replica.rows {
                ladder.rows[rung].push(row);
            }
            for (rung, temperature) in of_replica.baths {
                ladder.temperatures[rung] = temperature;
            }
            Ok(())
        })?;
        let members = of_point.first..of_point.first + of_point.request.replicas;
        let with_counts = if found.has_counts { folders } else { &[] };
        for folder in with_counts {
            found.add_exchanges(folder, &members)?;
        }
        Ok(found)
    }

    fn of_replica(
        &self,
        of_point: &PointMembers<'_>,
        member: &BegunMember<'_>,
        rows: &MemberRows,
    ) -> Result<ReplicaSamples, Error> {
        let (point, table, kind) = (of_point.point, &rows.table, self.kind);
        let rungs = self.temperatures.len();
        let mut found = ReplicaSamples { rows: Vec::new(), baths: Vec::new(), incomplete: 0 };
        // The step of a row is computed from its time: replicas may need different numbers of steps to minimise, but minimising takes no time.
        let unit = match point.system.is_sampled() {
            true => 1.0,
            false => point.system.units.time_in_tables(point.protocol.dynamics.timestep),
        };
        let times = table.known_numbers(kind.time)?;
        let (places, baths) = match point.exchange {
            Some(_) => (table.counts("rung")?, table.known_numbers(kind.bath)?),
            None => (vec![0; table.rows()], Vec::new()),
        };
        // Single beads have no size, so their columns are empty; zeros keep the rows.
        let or_zeros = |name: &str| -> Result<Vec<f64>, Error> {
            let values = table.numbers(name)?;
            let is_empty = values.iter().all(|value| value.is_nan());
            Ok(if is_empty { vec![0.0; values.len()] } else { values })
        };
        let [size, second, third] = kind.quantities.map(or_zeros);
        let columns = [table.numbers(kind.energy)?, size?, second?, third?];
        let replica = (member.number - of_point.first) as usize % rungs;
        for row in rows.of_stage(of_point.asked.or(last_sampled(point))) {
            let step = (times[row] / unit).round() as u64;
            // The start is not a sample.
            if step == 0 {
                continue;
            }
            let rung = rung_of(places[row], rungs).map_err(|reason| table.damaged(row, reason))?;
            let values = columns.each_ref().map(|column| column[row]);
            if values.iter().any(|value| !value.is_finite()) {
                found.incomplete += 1;
                continue;
            }
            found.rows.push((rung, LadderSample { step, replica, values }));
            // The ends keep the bits of the input.
            if self.is_placed() && self.is_inner(rung) {
                found.baths.push((rung, baths[row] * kind.unit));
            }
        }
        Ok(found)
    }

    /// Adds the counts of `exchange.csv` in a folder; `members` are the numbers of the point's replicas. If the rows of a ladder
    /// are at other temperatures, the run has placed them anew since, and the counts of the ladder are skipped.
    pub(super) fn add_exchanges(
        &mut self,
        folder: &RunFolder,
        members: &Range<u64>,
    ) -> Result<(), Error> {
        let path = folder.root().join("exchange.csv");
        if !path.exists() {
            return Ok(());
        }
        let table = read_csv(&path)?;
        let (placed, kind, rungs) = (self.is_placed(), self.kind, self.temperatures.len());
        let baths = table.known_numbers(kind.temperature)?;
        let (places, firsts) = (table.counts("rung")?, table.counts("first_replica")?);
        let (tried, made) = (table.numbers("attempted")?, table.numbers("accepted")?);
        let (upward, downward) = (table.known_numbers("upward")?, table.known_numbers("downward")?);
        let round_trips = table.known_numbers("round_trips")?;
        let placed_by = match table.has("placed_by") {
            true => table.texts("placed_by")?,
            false => Vec::new(),
        };
        // For each ladder, the rows of the file and their rungs.
        let mut lines: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
        for (row, replica) in firsts.into_iter().enumerate() {
            if members.contains(&replica) {
                let rung =
                    rung_of(places[row], rungs).map_err(|reason| table.damaged(row, reason))?;
                let ladder = (replica - members.start) / rungs as u64;
                lines.entry(ladder).or_default().push((row, rung));
            }
        }
        for (number, lines) in lines {
            let ladder = self.ladder(number);
            let is_elsewhere = |&(row, rung): &(usize, usize)| {
                !ladder.rows[rung].is_empty()
                    && !is_same(baths[row] * kind.unit, ladder.temperatures[rung])
            };
            if lines.iter().any(is_elsewhere) {
                continue;
            }
            for (row, rung) in lines {
                ladder.round_trips += round_trips[row];
                if let Some(by) = placed_by.get(row) {
                    ladder.placed_by = by.to_string();
                }
                let is_inner = rung > 0 && rung + 1 < rungs;
                if placed && ladder.rows[rung].is_empty() && is_inner {
                    ladder.temperatures[rung] = baths[row] * kind.unit;
                }
                let flow = &mut ladder.flow[rung];
                *flow = (flow.0 + upward[row], flow.1 + downward[row]);
                if let Some(swaps) = ladder.swaps.get_mut(rung) {
                    *swaps = (swaps.0 + tried[row], swaps.1 + made[row]);
                }
            }
        }
        Ok(())
    }
}

/// The last stage that is not a minimisation.
fn last_sampled(point: &Point) -> Option<usize> {
    point.protocol.stages.iter().rposition(samples)
}

/// The rung in a cell, if the ladder has it.
fn rung_of(cell: u64, rungs: usize) -> Result<usize, String> {
    let rung = usize::try_from(cell).ok().filter(|rung| *rung < rungs);
    rung.ok_or_else(|| format!("its rung is {cell}, and the ladder has {rungs}, from 0"))
}
