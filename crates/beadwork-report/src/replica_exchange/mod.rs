//! What came out of replica exchange, or of sampling at one temperature: averages, curves over the temperature, and whether
//! replicas were exchanged as they should be.
//!
//! Where stages place temperatures anew each ladder ends with its own: ladders are averaged over only as far as they have
//! the same, and curves are reweighted from all of them.

mod curves;
mod equilibrium;
mod figures;
mod findings;
mod memory;
#[cfg(test)]
mod tests;
mod words;
mod written;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use beadwork_analysis::Samples;
use beadwork_analysis::table::read_csv;
use beadwork_input::Request;
use beadwork_io::RunFolder;
use beadwork_model::units::{BOLTZMANN, PICOSECONDS_PER_NANOSECOND};
use beadwork_model::{Model, Placement, Stage, StageKind};
use beadwork_session::Error;

use crate::rows::{LeftOut, Rows, last_stage};
use findings::{Findings, is_same};

/// Ladders with temperatures of their own of which each is told or drawn.
const SHOWN_FAMILIES: usize = 8;

/// What is averaged over temperatures, by model.
struct Quantity {
    column: &'static str,
    name: &'static str,
    label: &'static str,
}

impl Quantity {
    /// The label without its unit.
    fn what(&self) -> &'static str {
        self.label.split_once(", ").map_or(self.label, |(what, _)| what)
    }
}

const OF_CHAINS: [Quantity; 3] = [
    Quantity {
        column: "square_radius_of_gyration",
        name: "square_radius_of_gyration",
        label: "square radius of gyration",
    },
    Quantity {
        column: "end_to_end_distance",
        name: "end_to_end_distance",
        label: "end-to-end distance",
    },
    Quantity { column: "contacts", name: "contacts", label: "contacts" },
];

const OF_MOLECULES: [Quantity; 3] = [
    Quantity {
        column: "radius_of_gyration_nm",
        name: "radius_of_gyration_nm",
        label: "radius of gyration, nm",
    },
    Quantity { column: "extension_nm", name: "extension_nm", label: "extension, nm" },
    Quantity { column: "native_contacts", name: "native_contacts", label: "native contacts" },
];

/// All groups, in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReplicaExchange(Vec<OfGroup>);

#[derive(Clone, Debug)]
struct OfGroup {
    group: String,
    sampled: bool,
    beads: usize,
    /// kB T of each rung as it was given, in the unit of the energy.
    temperatures: Vec<f64>,
    /// By what stages place temperatures anew before the last one, the last time, if they do.
    placed_by: Option<Placement>,
    /// Whether no stage is before the last one.
    one_stage: bool,
    /// Ladders that the run is to have.
    asked: u64,
    /// Those that have begun, by number among those of the point.
    ladders: BTreeMap<u64, Ladder>,
    left_out: LeftOut,
    /// What follows, once somebody has asked.
    findings: OnceLock<Findings>,
}

/// Energies of a rung and its quantities, in the order of time.
type Series = [Vec<f64>; 4];

/// Where a replica was, in the order of time: the rung, and energy and quantities there.
type Walk = Vec<(usize, [f64; 4])>;

/// A sample.
#[derive(Clone, Debug)]
struct Row {
    step: u64,
    /// The number of its replica in the ladder.
    replica: usize,
    /// Energy and quantities.
    values: [f64; 4],
}

/// A ladder in the last stage.
#[derive(Clone, Debug)]
struct Ladder {
    /// kB T of each rung.
    temperatures: Vec<f64>,
    /// Samples by rung, in any order.
    rows: Vec<Vec<Row>>,
    /// Attempts and successes by lower rung, from `exchange.csv`.
    swaps: Vec<(f64, f64)>,
    /// How often a replica was on each rung that came from the lowest one, and from the highest, from `exchange.csv`.
    flow: Vec<(f64, f64)>,
    round_trips: f64,
    /// By what its temperatures were placed last, as `exchange.csv` says.
    placed_by: String,
    /// Whether a replica failed before it had a row of the last stage.
    failed_early: bool,
}

impl Ladder {
    /// One without samples.
    fn new(temperatures: &[f64]) -> Ladder {
        let rungs = temperatures.len();
        Ladder {
            temperatures: temperatures.to_vec(),
            rows: vec![Vec::new(); rungs],
            swaps: vec![(0.0, 0.0); rungs - 1],
            flow: vec![(0.0, 0.0); rungs],
            round_trips: 0.0,
            placed_by: String::new(),
            failed_early: false,
        }
    }

    /// Whether there is a row of the last stage.
    fn has_rows(&self) -> bool {
        self.rows.iter().any(|rows| !rows.is_empty())
    }

    /// Energies and quantities by rung, in the order of time.
    fn series(&self) -> Vec<Series> {
        let in_order = |rows: &Vec<Row>| {
            let mut rows: Vec<&Row> = rows.iter().collect();
            rows.sort_by_key(|row| row.step);
            [0, 1, 2, 3].map(|which| rows.iter().map(|row| row.values[which]).collect())
        };
        self.rows.iter().map(in_order).collect()
    }

    /// By replica.
    fn walks(&self) -> Vec<Walk> {
        let mut walks = vec![Vec::new(); self.rows.len()];
        for (rung, rows) in self.rows.iter().enumerate() {
            for row in rows {
                walks[row.replica].push((row.step, rung, row.values));
            }
        }
        let in_order = |mut walk: Vec<(u64, usize, [f64; 4])>| {
            walk.sort_by_key(|(step, ..)| *step);
            walk.into_iter().map(|(_, rung, values)| (rung, values)).collect()
        };
        walks.into_iter().map(in_order).collect()
    }
}

impl ReplicaExchange {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts those of another run behind these.
    pub fn extend(&mut self, other: ReplicaExchange) {
        self.0.extend(other.0);
    }

    /// Adds a member of a run by its table: the rows of its last stage that is no minimisation.
    ///
    /// # Errors
    /// Such a row without a time, or without a rung and a temperature of its ladder.
    pub fn add(
        &mut self,
        group: &str,
        request: &Request,
        (member, failed): (u64, bool),
        rows: &Rows,
    ) -> Result<(), Error> {
        let (point, replica) = request.member(member);
        let sampled = matches!(point.system.model, Model::ElasticPolymer(_));
        let (temperatures, placed_by) = match &point.exchange {
            Some(exchange) => {
                let last = exchange.tunings.last();
                (exchange.temperatures.clone(), last.map(|tuning| tuning.by))
            }
            None => (vec![point.protocol.dynamics.temperature], None),
        };
        let samples = |stage: &&Stage| !matches!(stage.kind, StageKind::Minimise { .. });
        let rungs = temperatures.len();
        let of_group = match self.0.iter_mut().position(|one| one.group == group) {
            Some(number) => &mut self.0[number],
            None => {
                self.0.push(OfGroup {
                    group: group.to_string(),
                    sampled,
                    beads: point.system.beads(),
                    temperatures,
                    placed_by,
                    one_stage: point.protocol.stages.iter().filter(samples).count() == 1,
                    asked: request.replicas / rungs as u64,
                    ladders: BTreeMap::new(),
                    left_out: LeftOut::default(),
                    findings: OnceLock::new(),
                });
                let last = self.0.len() - 1;
                &mut self.0[last]
            }
        };
        let (placed, unit_of_temperature) = (of_group.is_placed(), of_group.unit());
        let ladder = of_group.ladder(replica / rungs as u64);
        let table = &rows.table;
        let (energy, quantities) = of_group_columns(sampled);
        let [time, rung, bath] = own_columns(sampled);
        // Minimisation has steps of its own, of which replicas may need different numbers.
        let unit = match sampled {
            true => 1.0,
            false => point.protocol.dynamics.timestep / PICOSECONDS_PER_NANOSECOND,
        };
        let times = table.numbers(time)?;
        let (places, baths) = match point.exchange {
            Some(_) => (table.counts(rung)?, table.numbers(bath)?),
            None => (vec![0; table.rows()], Vec::new()),
        };
        let names = [energy, quantities[0].column, quantities[1].column, quantities[2].column];
        let columns: Vec<Vec<f64>> =
            names.into_iter().map(|name| table.numbers(name)).collect::<Result<_, _>>()?;
        let (mut any, mut incomplete) = (false, 0);
        let Some(last) = last_stage(&point.protocol) else { return Ok(()) };
        for row in rows.of_stage(Some(last)) {
            let step = (times[row] / unit).round() as u64;
            // The start is nobody's sample.
            if step == 0 {
                continue;
            }
            let values = [0, 1, 2, 3].map(|which: usize| columns[which][row]);
            if values.iter().any(|value| !value.is_finite()) {
                incomplete += 1;
                continue;
            }
            let rung = places[row] as usize;
            if rung >= rungs {
                let reason = format!("its rung is {rung}, and the ladder has {rungs}, from 0");
                return Err(table.damaged(row, reason).into());
            }
            let replica = replica as usize % rungs;
            ladder.rows[rung].push(Row { step, replica, values });
            any = true;
            // The ends stay what was given, to the last bit.
            if placed && rung > 0 && rung + 1 < rungs {
                ladder.temperatures[rung] = baths[row] * unit_of_temperature;
            }
        }
        ladder.failed_early |= failed && !any;
        of_group.left_out.add(incomplete);
        Ok(())
    }

    /// Adds what `exchange.csv` of a folder counts, for ladders of a group: `members` are the numbers of its replicas. Of
    /// ladders whose rows of the last stage are at other temperatures nothing, since the run has gone on from there and
    /// placed them anew.
    pub fn add_exchanges(
        &mut self,
        group: &str,
        folder: &RunFolder,
        members: std::ops::Range<u64>,
    ) -> Result<(), Error> {
        let path = folder.root().join("exchange.csv");
        let Some(of_group) = self.0.iter_mut().find(|one| one.group == group) else {
            return Ok(());
        };
        if !path.exists() {
            return Ok(());
        }
        let table = read_csv(&path)?;
        let (placed, unit) = (of_group.is_placed(), of_group.unit());
        let rungs_each = of_group.temperatures.len();
        let [.., bath] = own_columns(of_group.sampled);
        let baths = table.numbers(if of_group.sampled { bath } else { "temperature_K" })?;
        let rungs = table.counts("rung")?;
        let (tried, made) = (table.numbers("attempted")?, table.numbers("accepted")?);
        let (upward, downward) = (table.numbers("upward")?, table.numbers("downward")?);
        let round_trips = table.numbers("round_trips")?;
        let placed_by = match table.has("placed_by") {
            true => table.texts("placed_by")?,
            false => Vec::new(),
        };
        // Rows of the file and their rungs, by ladder.
        let mut lines: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
        for (row, replica) in table.counts("first_replica")?.into_iter().enumerate() {
            if members.contains(&replica) {
                let rung = rungs[row] as usize;
                if rung >= rungs_each {
                    let reason =
                        format!("its rung is {rung}, and the ladder has {rungs_each}, from 0");
                    return Err(table.damaged(row, reason).into());
                }
                let ladder = (replica - members.start) / rungs_each as u64;
                lines.entry(ladder).or_default().push((row, rung));
            }
        }
        for (number, lines) in lines {
            let ladder = of_group.ladder(number);
            let is_elsewhere = |&(row, rung): &(usize, usize)| {
                !ladder.rows[rung].is_empty()
                    && !is_same(baths[row] * unit, ladder.temperatures[rung])
            };
            if lines.iter().any(is_elsewhere) {
                continue;
            }
            for (row, rung) in lines {
                ladder.round_trips += round_trips[row];
                if let Some(by) = placed_by.get(row) {
                    ladder.placed_by = by.to_string();
                }
                if placed && ladder.rows[rung].is_empty() && rung > 0 && rung + 1 < rungs_each {
                    ladder.temperatures[rung] = baths[row] * unit;
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

/// The columns of time, rung and the rung's temperature.
fn own_columns(sampled: bool) -> [&'static str; 3] {
    if sampled {
        ["sweep", "rung", "temperature"]
    } else {
        ["time_ns", "rung", "bath_temperature_K"]
    }
}

/// All columns that are read.
pub(crate) fn columns(sampled: bool) -> Vec<&'static str> {
    let (energy, quantities) = of_group_columns(sampled);
    let quantities = quantities.iter().map(|quantity| quantity.column);
    own_columns(sampled).into_iter().chain([energy]).chain(quantities).collect()
}

/// The energy's column and the quantities.
fn of_group_columns(sampled: bool) -> (&'static str, &'static [Quantity; 3]) {
    if sampled { ("energy", &OF_CHAINS) } else { ("total_energy_kcal_per_mol", &OF_MOLECULES) }
}

/// The columns of a ladder at one temperature.
fn samples_of([energies, observables @ ..]: &Series) -> Samples<'_> {
    Samples { energies, observables: observables.iter().map(Vec::as_slice).collect() }
}

impl OfGroup {
    /// Whether temperatures are placed anew before the last stage.
    fn is_placed(&self) -> bool {
        self.placed_by.is_some()
    }

    /// Of temperatures as a person reads them.
    fn unit(&self) -> f64 {
        if self.sampled { 1.0 } else { BOLTZMANN }
    }

    /// What follows from the samples.
    fn findings(&self) -> &Findings {
        self.findings.get_or_init(|| self.find())
    }

    /// A ladder by its number, to change it.
    fn ladder(&mut self, number: u64) -> &mut Ladder {
        self.findings.take();
        self.ladders.entry(number).or_insert_with(|| Ladder::new(&self.temperatures))
    }
}
