//! Replica exchange, or sampling at one temperature: averages, curves over the temperature, and whether replicas were exchanged
//! as expected.
//!
//! If stages place temperatures anew, each ladder ends with temperatures of its own. Averages are over ladders with the same
//! temperatures; curves are reweighted from all ladders.

mod answer;
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

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

use beadwork_analysis::Samples;
use beadwork_analysis::table::read_csv;
use beadwork_input::Point;
use beadwork_io::RunFolder;
use beadwork_model::observables::Observable;
use beadwork_model::units::BOLTZMANN;
use beadwork_model::{Model, Placement, Tuning, Units};
use beadwork_session::Error;

use crate::data;
use crate::rows::{LeftOut, Member, PointMembers, Rows, samples};
use findings::{Findings, is_same};

pub(crate) use answer::answers;
pub(crate) use figures::figures;
pub(crate) use tables::tables;

/// The most families of ladders that are described or drawn one by one.
const SHOWN_FAMILIES: usize = 8;

/// The names and units of a model's columns.
#[derive(Debug)]
struct Kind {
    time: &'static str,
    /// The temperature in the tables of replicas, and in tables by temperature.
    bath: &'static str,
    temperature: &'static str,
    /// The unit after a temperature, and k_B times that unit in the unit of energy.
    kelvin: &'static str,
    unit: f64,
    energy: &'static str,
    /// The energy of a bead in tables by temperature, and its unit in words.
    energy_per_bead: &'static str,
    energy_unit: &'static str,
    /// The columns of the quantities; the first is the size.
    quantities: [&'static str; 3],
    /// The size in words, its unit, and labels of axes.
    size: &'static str,
    size_label: &'static str,
    growth_label: &'static str,
    temperature_label: &'static str,
    energy_label: &'static str,
    /// Factor of the derivative with respect to temperature, to the unit of its label.
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

const MOLECULES_WITH_VELOCITIES: Kind = with_velocities(MOLECULES);

const RESIDUES: Kind = Kind {
    quantities: [
        Observable::RadiusOfGyration.column(),
        Observable::RadiusOfGyrationByMass.column(),
        Observable::EndToEnd.column(),
    ],
    ..MOLECULES
};

const REDUCED_BEADS: Kind = Kind {
    time: "time",
    bath: "bath_temperature",
    temperature: "temperature",
    kelvin: "",
    unit: 1.0,
    energy: Observable::TotalEnergy.word(),
    energy_per_bead: "energy_per_bead",
    energy_unit: "",
    quantities: [
        Observable::RadiusOfGyration.word(),
        Observable::RadiusOfGyrationByMass.word(),
        Observable::EndToEnd.word(),
    ],
    size: "radius of gyration",
    size_label: "radius of gyration, reduced units",
    growth_label: "d/dT of radius of gyration, reduced units",
    temperature_label: "temperature, reduced units (k_B = 1)",
    energy_label: "energy a bead, reduced units",
    growth_unit: 1.0,
};

const REDUCED_BEADS_WITH_VELOCITIES: Kind =
    Kind { energy: Observable::PotentialEnergy.word(), ..REDUCED_BEADS };

const RESIDUES_WITH_VELOCITIES: Kind = with_velocities(RESIDUES);

const fn with_velocities(kind: Kind) -> Kind {
    Kind { energy: Observable::PotentialEnergy.column(), ..kind }
}

/// The kind of a point's tables.
fn kind_of(point: &Point) -> &'static Kind {
    let reduced = point.system.units == Units::Reduced;
    match (point.system.model, point.protocol.dynamics.integrator.has_velocities()) {
        (Model::ElasticPolymer(_), _) => &CHAINS,
        (Model::Beads, false) if reduced => &REDUCED_BEADS,
        (Model::Beads, true) if reduced => &REDUCED_BEADS_WITH_VELOCITIES,
        (Model::Residues(_) | Model::Beads, false) => &RESIDUES,
        (Model::Residues(_) | Model::Beads, true) => &RESIDUES_WITH_VELOCITIES,
        (_, false) => &MOLECULES,
        (_, true) => &MOLECULES_WITH_VELOCITIES,
    }
}

/// The ladders of one point of a run.
#[derive(Clone, Debug)]
pub(crate) struct Ladders {
    group: String,
    about: data::Group,
    kind: &'static Kind,
    beads: usize,
    /// k_B T of each rung in the input, in the unit of energy.
    temperatures: Vec<f64>,
    /// How a stage before the last one places temperatures anew, if one does.
    placed_by: Option<Placement>,
    /// The stage of the rows in sentences.
    stage: String,
    /// Whether the answer has the counts of `exchange.csv`, which are not of one stage.
    has_counts: bool,
    one_stage: bool,
    /// The number of ladders in the input.
    asked: u64,
    /// The ladders that have begun, by their number at the point.
    ladders: BTreeMap<u64, Ladder>,
    left_out: LeftOut,
    /// The results, computed when they are first needed.
    findings: OnceLock<Findings>,
}

/// The energies of a rung and its three quantities, in the order of time.
type Series = [Vec<f64>; 4];

/// A replica in the order of time: its rung, with energy and quantities there.
type RungHistory = Vec<(usize, [f64; 4])>;

#[derive(Clone, Debug)]
struct Row {
    step: u64,
    /// The number of its replica in the ladder.
    replica: usize,
    /// Energy and quantities.
    values: [f64; 4],
}

/// A ladder in one stage.
#[derive(Clone, Debug)]
struct Ladder {
    temperatures: Vec<f64>,
    /// Samples by rung, in any order.
    rows: Vec<Vec<Row>>,
    /// Attempted and accepted exchanges of each lower rung, from `exchange.csv`.
    swaps: Vec<(f64, f64)>,
    /// For each rung, visits of replicas that came from the lowest rung and from the highest, from `exchange.csv`.
    flow: Vec<(f64, f64)>,
    round_trips: f64,
    /// The rule that placed its temperatures last, from `exchange.csv`.
    placed_by: String,
    /// Whether a replica failed before it had a row of the stage.
    failed_early: bool,
}

impl Ladder {
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

    fn has_rows(&self) -> bool {
        self.rows.iter().any(|rows| !rows.is_empty())
    }

    fn series(&self) -> Vec<Series> {
        let in_order = |rows: &Vec<Row>| {
            let mut rows: Vec<&Row> = rows.iter().collect();
            rows.sort_by_key(|row| row.step);
            [0, 1, 2, 3].map(|which| rows.iter().map(|row| row.values[which]).collect())
        };
        self.rows.iter().map(in_order).collect()
    }

    fn histories(&self) -> Vec<RungHistory> {
        let mut histories = vec![Vec::new(); self.rows.len()];
        for (rung, rows) in self.rows.iter().enumerate() {
            for row in rows {
                histories[row.replica].push((row.step, rung, row.values));
            }
        }
        let in_order = |mut history: Vec<(u64, usize, [f64; 4])>| {
            history.sort_by_key(|(step, ..)| *step);
            history.into_iter().map(|(_, rung, values)| (rung, values)).collect()
        };
        histories.into_iter().map(in_order).collect()
    }
}

/// The table of a replica: its samples with their rungs, and the k_B T of rungs that it was on.
struct OfReplica {
    rows: Vec<(usize, Row)>,
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
            kind: kind_of(point),
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
        member: &Member<'_>,
        rows: &Rows,
    ) -> Result<OfReplica, Error> {
        let (point, table, kind) = (of_point.point, &rows.table, self.kind);
        let rungs = self.temperatures.len();
        let mut found = OfReplica { rows: Vec::new(), baths: Vec::new(), incomplete: 0 };
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
            found.rows.push((rung, Row { step, replica, values }));
            // The ends keep the bits of the input.
            if self.is_placed() && self.is_inner(rung) {
                found.baths.push((rung, baths[row] * kind.unit));
            }
        }
        Ok(found)
    }

    /// Adds the counts of `exchange.csv` in a folder; `members` are the numbers of the point's replicas. If the rows of a ladder
    /// are at other temperatures, the run has placed them anew since, and the counts of the ladder are skipped.
    fn add_exchanges(&mut self, folder: &RunFolder, members: &Range<u64>) -> Result<(), Error> {
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

    /// Whether temperatures are placed anew before the last stage.
    fn is_placed(&self) -> bool {
        self.placed_by.is_some()
    }

    fn is_inner(&self, rung: usize) -> bool {
        rung > 0 && rung + 1 < self.temperatures.len()
    }

    fn in_unit(&self, temperatures: &[f64]) -> Vec<f64> {
        temperatures.iter().map(|temperature| temperature / self.kind.unit).collect()
    }

    fn findings(&self) -> &Findings {
        self.findings.get_or_init(|| self.find())
    }

    /// The ladder with a number, to be changed; it is added if it is missing.
    fn ladder(&mut self, number: u64) -> &mut Ladder {
        self.findings.take();
        self.ladders.entry(number).or_insert_with(|| Ladder::new(&self.temperatures))
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

/// The columns of a ladder at one temperature.
fn samples_of([energies, observables @ ..]: &Series) -> Samples<'_> {
    Samples { energies, observables: observables.iter().map(Vec::as_slice).collect() }
}
