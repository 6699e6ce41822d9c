//! What came out of replica exchange, or of sampling at one temperature: averages, curves over the temperature, and whether
//! replicas were exchanged as they should be.
//!
//! Where stages place temperatures anew each ladder ends with its own: ladders are averaged over only as far as they have
//! the same, and curves are reweighted from all of them.

mod batches;
mod curves;
mod equilibrium;
mod exchanges;
mod figures;
mod findings;
mod replica_times;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use beadwork_analysis::Samples;
use beadwork_analysis::table::read_csv;
use beadwork_io::RunFolder;
use beadwork_model::observables::Observable;
use beadwork_model::units::{BOLTZMANN, PICOSECONDS_PER_NANOSECOND};
use beadwork_model::{Placement, Stage, StageKind};
use beadwork_session::Error;

use crate::rows::{LeftOut, Member, PointMembers, Rows, last_stage};
use findings::{Findings, is_same};

pub(crate) use figures::figures;
pub(crate) use tables::tables;
pub(crate) use words::in_words;

/// Ladders with temperatures of their own of which each is told or drawn.
const SHOWN_FAMILIES: usize = 8;

/// How a model's tables are called and in what units they are.
#[derive(Debug)]
struct Kind {
    time: &'static str,
    /// The temperature in the tables of replicas, and in tables by temperature.
    bath: &'static str,
    temperature: &'static str,
    /// What stands after a temperature, and how much energy one of it is.
    kelvin: &'static str,
    unit: f64,
    energy: &'static str,
    /// The energy of a bead in tables by temperature, and what stands after one.
    energy_per_bead: &'static str,
    energy_unit: &'static str,
    /// Columns of the quantities, the first of which is the size.
    quantities: [&'static str; 3],
    /// The size in words, its unit, and labels of axes.
    size: &'static str,
    size_label: &'static str,
    growth_label: &'static str,
    temperature_label: &'static str,
    energy_label: &'static str,
    /// Of the growth with the temperature, in the unit that the label names.
    growth_unit: f64,
}

/// Elastic polymers, in reduced units.
const CHAINS: Kind = Kind {
    time: "sweep",
    bath: "temperature",
    temperature: "temperature",
    kelvin: "",
    unit: 1.0,
    energy: Observable::ReducedEnergy.column(),
    energy_per_bead: "energy_per_bead",
    energy_unit: "",
    quantities: [
        Observable::SquareRadiusOfGyration.column(),
        Observable::EndToEndDistance.column(),
        Observable::Contacts.column(),
    ],
    size: "square radius of gyration",
    size_label: "square radius of gyration, reduced units",
    growth_label: "d/dT of square radius of gyration, reduced units",
    temperature_label: "temperature, reduced units (k_B = 1)",
    energy_label: "energy a monomer, reduced units (k_B = 1)",
    growth_unit: 1.0,
};

const PICOMETRES_PER_NANOMETRE: f64 = 1e3;

const MOLECULES: Kind = Kind {
    time: "time_ns",
    bath: "bath_temperature_K",
    temperature: "temperature_K",
    kelvin: " K",
    unit: BOLTZMANN,
    energy: Observable::TotalEnergy.column(),
    energy_per_bead: "energy_per_bead_kcal_per_mol",
    energy_unit: " kcal/mol",
    quantities: [
        Observable::RadiusOfGyration.column(),
        Observable::Extension.column(),
        Observable::NativeContacts.column(),
    ],
    size: "radius of gyration",
    size_label: "radius of gyration, nm",
    growth_label: "d/dT of radius of gyration, pm/K",
    temperature_label: "temperature, K",
    energy_label: "energy a bead, kcal/mol",
    growth_unit: BOLTZMANN * PICOMETRES_PER_NANOMETRE,
};

/// The ladders of one point of a run.
#[derive(Clone, Debug)]
pub(crate) struct Ladders {
    group: String,
    kind: &'static Kind,
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
type RungHistory = Vec<(usize, [f64; 4])>;

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
    fn walks(&self) -> Vec<RungHistory> {
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

/// What is read of a replica: its samples by rung, and the temperatures, kB T, of rungs that it was on.
struct OfReplica {
    rows: Vec<(usize, Row)>,
    baths: Vec<(usize, f64)>,
    incomplete: usize,
}

impl Ladders {
    /// Reads the tables of a point, the rows of the last stage that is no minimisation, and what `exchange.csv` counts.
    pub fn read(of_point: &PointMembers<'_>, folders: &[RunFolder]) -> Result<Ladders, Error> {
        let point = of_point.point;
        let (temperatures, placed_by) = match &point.exchange {
            Some(exchange) => {
                let last = exchange.tunings.last();
                (exchange.temperatures.clone(), last.map(|tuning| tuning.by))
            }
            None => (vec![point.protocol.dynamics.temperature], None),
        };
        let samples = |stage: &&Stage| !matches!(stage.kind, StageKind::Minimise { .. });
        let rungs = temperatures.len() as u64;
        let mut found = Ladders {
            group: of_point.name.clone(),
            kind: if point.system.is_sampled() { &CHAINS } else { &MOLECULES },
            beads: point.system.beads(),
            temperatures,
            placed_by,
            one_stage: point.protocol.stages.iter().filter(samples).count() == 1,
            asked: of_point.request.replicas / rungs,
            ladders: BTreeMap::new(),
            left_out: LeftOut::default(),
            findings: OnceLock::new(),
        };
        let Kind { time, bath, energy, quantities, .. } = found.kind;
        let columns = [&[*time, "rung", *bath, *energy][..], quantities].concat();
        let empty = found.clone();
        let make = |member: &Member<'_>, rows: Rows| empty.of_replica(of_point, member, &rows);
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
        for folder in folders {
            found.add_exchanges(
                folder,
                of_point.first..of_point.first + of_point.request.replicas,
            )?;
        }
        Ok(found)
    }

    /// The samples in the table of a replica.
    fn of_replica(
        &self,
        of_point: &PointMembers<'_>,
        member: &Member<'_>,
        rows: &Rows,
    ) -> Result<OfReplica, Error> {
        let (point, table, kind) = (of_point.point, &rows.table, self.kind);
        let rungs = self.temperatures.len();
        let mut found = OfReplica { rows: Vec::new(), baths: Vec::new(), incomplete: 0 };
        // Minimisation has steps of its own, of which replicas may need different numbers.
        let unit = match point.system.is_sampled() {
            true => 1.0,
            false => point.protocol.dynamics.timestep / PICOSECONDS_PER_NANOSECOND,
        };
        let times = table.known_numbers(kind.time)?;
        let (places, baths) = match point.exchange {
            Some(_) => (table.counts("rung")?, table.known_numbers(kind.bath)?),
            None => (vec![0; table.rows()], Vec::new()),
        };
        let [size, second, third] = kind.quantities;
        let columns = [kind.energy, size, second, third].map(|name| table.numbers(name));
        let [energies, sizes, seconds, thirds] = columns;
        let columns = [energies?, sizes?, seconds?, thirds?];
        let replica = (member.number - of_point.first) as usize % rungs;
        for row in rows.of_stage(last_stage(&point.protocol)) {
            let step = (times[row] / unit).round() as u64;
            // The start is no sample.
            if step == 0 {
                continue;
            }
            let rung = rung_of(places[row], rungs).map_err(|reason| table.damaged(row, reason))?;
            let values = columns.each_ref().map(|column| column[row]);
            if values.iter().any(|value| !value.is_finite()) {
                found.incomplete += 1;
                continue;
            }
            found.rows.push((rung, Row { step, replica, values }));
            // The ends stay what was given, to the last bit.
            if self.is_placed() && self.is_inner(rung) {
                found.baths.push((rung, baths[row] * kind.unit));
            }
        }
        Ok(found)
    }

    /// Adds what `exchange.csv` of a folder counts: `members` are the numbers of the point's replicas. Of ladders whose rows
    /// of the last stage are at other temperatures nothing, since the run has gone on from there and placed them anew.
    fn add_exchanges(
        &mut self,
        folder: &RunFolder,
        members: std::ops::Range<u64>,
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
        // Rows of the file and their rungs, by ladder.
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

    /// Whether temperatures are placed anew before the last stage.
    fn is_placed(&self) -> bool {
        self.placed_by.is_some()
    }

    /// Whether a rung is at neither end.
    fn is_inner(&self, rung: usize) -> bool {
        rung > 0 && rung + 1 < self.temperatures.len()
    }

    /// Temperatures as a person reads them.
    fn in_unit(&self, temperatures: &[f64]) -> Vec<f64> {
        temperatures.iter().map(|temperature| temperature / self.kind.unit).collect()
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

/// The rung of a cell, if a ladder of so many has it.
fn rung_of(cell: u64, rungs: usize) -> Result<usize, String> {
    let rung = usize::try_from(cell).ok().filter(|rung| *rung < rungs);
    rung.ok_or_else(|| format!("its rung is {cell}, and the ladder has {rungs}, from 0"))
}

/// The columns of a ladder at one temperature.
fn samples_of([energies, observables @ ..]: &Series) -> Samples<'_> {
    Samples { energies, observables: observables.iter().map(Vec::as_slice).collect() }
}
