//! What came out of replica exchange, or of sampling at one temperature: averages, curves over the temperature, and whether
//! replicas were exchanged as they should be.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use beadwork_analysis::autocorrelation::integrated_time;
use beadwork_analysis::overlap::{energy_ratio, overlap_fraction};
use beadwork_analysis::plot::{Axis, Figure, Series, Style};
use beadwork_analysis::reweighting::{Binning, Point as Curve, Reweighting, State};
use beadwork_analysis::table::{Table, read_csv};
use beadwork_analysis::thermodynamics::{Basis, Thermodynamics, at_temperature};
use beadwork_analysis::{Estimate, Samples};
use beadwork_input::Point;
use beadwork_io::{RunFolder, atomic};
use beadwork_model::units::{BOLTZMANN, PICOSECONDS_PER_NANOSECOND};
use beadwork_model::{Model, Stage, StageKind};

use crate::Error;
use crate::session::quoted;

/// Temperatures at which curves are drawn.
const GRID: usize = 240;
/// Slopes of neighbouring energies further off than this many standard errors are wrong: one in ten thousand of a ladder's
/// pairs together, at most some hundred pairs.
const WRONG_BEYOND: f64 = 5.0;
/// Replicas that swap more rarely than this do not mix.
const FEWEST_SWAPS: f64 = 0.01;

/// What is averaged over temperatures, by model.
struct Quantity {
    column: &'static str,
    name: &'static str,
    label: &'static str,
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
pub(crate) struct Tempering(Vec<OfGroup>);

#[derive(Clone, Debug)]
struct OfGroup {
    group: String,
    sampled: bool,
    beads: usize,
    /// kB T of each rung, in the unit of the energy.
    temperatures: Vec<f64>,
    /// Series of each ladder, by its number among those of the point.
    ladders: BTreeMap<u64, Ladder>,
    /// Attempts and successes by lower rung, from `exchange.csv`.
    swaps: Vec<(f64, f64)>,
    round_trips: f64,
}

/// Samples of one ladder by rung, in the order of time.
#[derive(Clone, Debug)]
struct Ladder {
    /// By rung and step: energy, then the quantities.
    rows: Vec<BTreeMap<u64, [f64; 4]>>,
}

impl Ladder {
    fn column(&self, rung: usize, which: usize) -> Vec<f64> {
        self.rows[rung].values().map(|row| row[which]).collect()
    }
}

/// What is said of a group.
struct Findings {
    at: Vec<Thermodynamics>,
    curve: Result<(Vec<Curve>, Reweighting), String>,
    /// Of each pair of neighbours: standard errors that the slope of their energies is off, and the overlap.
    neighbours: Vec<(Option<f64>, f64)>,
}

impl Tempering {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Puts those of another run behind these.
    pub fn extend(&mut self, other: Tempering) {
        self.0.extend(other.0);
    }

    /// Adds a member by its table: the rows of its last stage that is no minimisation. `replica` is its number among those of the point.
    pub fn add(&mut self, group: &str, point: &Point, replica: u64, table: &Table) {
        let sampled = matches!(point.system.model, Model::ElasticPolymer(_));
        let temperatures = match &point.exchange {
            Some(exchange) => exchange.temperatures.clone(),
            None => vec![point.protocol.dynamics.temperature],
        };
        let rungs = temperatures.len();
        let of_group = match self.0.iter_mut().position(|one| one.group == group) {
            Some(number) => &mut self.0[number],
            None => {
                self.0.push(OfGroup {
                    group: group.to_string(),
                    sampled,
                    beads: point.system.beads.len(),
                    temperatures,
                    ladders: BTreeMap::new(),
                    swaps: vec![(0.0, 0.0); rungs - 1],
                    round_trips: 0.0,
                });
                let last = self.0.len() - 1;
                &mut self.0[last]
            }
        };
        let ladder = of_group
            .ladders
            .entry(replica / rungs as u64)
            .or_insert_with(|| Ladder { rows: vec![BTreeMap::new(); rungs] });
        let (energy, quantities) = of_group_columns(sampled);
        let column = |name: &str| table.column(name).unwrap_or_default();
        // Minimisation has steps of its own, of which replicas may need different numbers.
        let unit = match sampled {
            true => 1.0,
            false => point.protocol.dynamics.timestep / PICOSECONDS_PER_NANOSECOND,
        };
        let times = column(if sampled { "sweep" } else { "time_ns" });
        let steps: Vec<u64> = times.iter().map(|time| (time / unit).round() as u64).collect();
        let places = table.column("rung");
        let columns =
            [energy, quantities[0].column, quantities[1].column, quantities[2].column].map(column);
        let stages = table.text_column("stage").unwrap_or_default();
        let samples = |stage: &&Stage| !matches!(stage.kind, StageKind::Minimise { .. });
        let last = point.protocol.stages.iter().rfind(samples).map(|stage| stage.name.as_str());
        for (row, stage) in stages.iter().enumerate() {
            let values = columns.map(|column| column.get(row).copied().unwrap_or(f64::NAN));
            let place = places.map_or(0.0, |places| places[row]);
            // The start is nobody's sample.
            let counts = Some(*stage) == last && steps[row] > 0 && place < rungs as f64;
            if counts && values.iter().all(|value| value.is_finite()) {
                ladder.rows[place as usize].insert(steps[row], values);
            }
        }
    }

    /// Adds what `exchange.csv` of a folder counts, for ladders of a group: `first` are the numbers of its members.
    pub fn add_exchanges(
        &mut self,
        group: &str,
        folder: &RunFolder,
        first: std::ops::Range<u64>,
    ) -> Result<(), Error> {
        let path = folder.root().join("exchange.csv");
        let Some(of_group) = self.0.iter_mut().find(|one| one.group == group) else {
            return Ok(());
        };
        if !path.exists() {
            return Ok(());
        }
        let table = read_csv(&path)?;
        let column = |name: &str| table.column(name).unwrap_or_default();
        let (rungs, tried, made) = (column("rung"), column("attempted"), column("accepted"));
        for (row, replica) in column("first_replica").iter().enumerate() {
            if !first.contains(&(*replica as u64)) {
                continue;
            }
            of_group.round_trips += column("round_trips")[row];
            if let Some(swaps) = of_group.swaps.get_mut(rungs[row] as usize) {
                *swaps = (swaps.0 + tried[row], swaps.1 + made[row]);
            }
        }
        Ok(())
    }

    /// In words.
    pub fn in_words(&self) -> String {
        let mut text = String::new();
        for group in &self.0 {
            group.describe(&mut text);
        }
        text
    }

    /// Writes `thermodynamics.csv`, `curves.csv` and `neighbours.csv`.
    pub fn write(&self, folder: &Path) -> Result<(), Error> {
        let (mut averages, mut curves, mut neighbours) =
            (String::new(), String::new(), String::new());
        for group in &self.0 {
            group.write(&mut averages, &mut curves, &mut neighbours);
        }
        for (name, text) in [
            ("thermodynamics.csv", averages),
            ("curves.csv", curves),
            ("neighbours.csv", neighbours),
        ] {
            if !text.is_empty() {
                atomic::write(&folder.join(name), text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Draws the specific heat, the fluctuation and derivative of the size, energies and swaps.
    pub fn draw(&self, plots: &Path) -> Result<Vec<PathBuf>, Error> {
        let mut written = Vec::new();
        let Some(first) = self.0.first() else { return Ok(written) };
        let (_, quantities) = of_group_columns(first.sampled);
        let temperature = first.temperature_label();
        let figure = |title: &str, y: &str| Figure {
            title: title.to_string(),
            x: Axis::new(temperature),
            y: Axis::new(y),
            ..Figure::default()
        };
        let mut heat = figure("Specific heat", "C/(N k_B)");
        let mut size = figure("Size", quantities[0].label);
        let mut growth = figure("Growth with temperature", "d/dT of the size");
        let mut swaps = figure("Exchanges with the next temperature", "accepted");
        let mut energies = Figure {
            title: "Energies at each temperature".to_string(),
            x: Axis::new(if first.sampled {
                "energy a monomer"
            } else {
                "energy a bead, kcal/mol"
            }),
            y: Axis::new("share"),
            ..Figure::default()
        };
        for group in &self.0 {
            let findings = group.findings();
            let unit = group.unit();
            let label = |what: &str| match group.group.as_str() {
                "" => what.to_string(),
                name => format!("{name}, {what}"),
            };
            let points = |pick: &dyn Fn(&Thermodynamics) -> f64| -> Vec<(f64, f64)> {
                findings.at.iter().map(|at| (at.temperature / unit, pick(at))).collect()
            };
            let dots = |figure: &mut Figure, pick: &dyn Fn(&Thermodynamics) -> f64| {
                let style = Style::Points;
                figure
                    .series
                    .push(Series { style, ..Series::line(label("samples"), points(pick)) });
            };
            dots(&mut heat, &|at| at.heat_capacity_per_bead.value);
            dots(&mut size, &|at| at.observables[0].mean.value);
            dots(&mut growth, &|at| at.observables[0].temperature_derivative.value * unit);
            if let Ok((curve, _)) = &findings.curve {
                let line = |pick: &dyn Fn(&Curve) -> f64| -> Vec<(f64, f64)> {
                    curve.iter().map(|point| (point.temperature / unit, pick(point))).collect()
                };
                let name = label("reweighted");
                heat.series
                    .push(Series::line(name.clone(), line(&|p| p.heat_capacity_per_bead.value)));
                size.series
                    .push(Series::line(name.clone(), line(&|p| p.observables[0].mean.value)));
                growth.series.push(Series::line(
                    name,
                    line(&|p| p.observables[0].temperature_derivative.value * unit),
                ));
            }
            let rates = group.swaps.iter().zip(&group.temperatures);
            let rates = rates.filter(|((tried, _), _)| *tried > 0.0);
            let rates: Vec<(f64, f64)> =
                rates.map(|((tried, made), t)| (t / unit, made / tried)).collect();
            if !rates.is_empty() {
                swaps.series.push(Series::line(label("measured"), rates));
            }
            for (rung, histogram) in group.histograms() {
                let name = format!("T = {:.4}", group.temperatures[rung] / unit);
                energies.series.push(Series::line(label(&name), histogram));
            }
        }
        for (stem, figure) in [
            ("specific-heat", heat),
            ("size", size),
            ("size-growth", growth),
            ("exchanges", swaps),
            ("energies", energies),
        ] {
            if !figure.series.is_empty() {
                written.extend(figure.write(plots.join(stem))?);
            }
        }
        Ok(written)
    }
}

/// The energy's column and the quantities.
fn of_group_columns(sampled: bool) -> (&'static str, &'static [Quantity; 3]) {
    if sampled { ("energy", &OF_CHAINS) } else { ("total_energy_kcal_per_mol", &OF_MOLECULES) }
}

/// The columns of a ladder at one temperature.
fn samples_of([energies, observables @ ..]: &[Vec<f64>; 4]) -> Samples<'_> {
    Samples { energies, observables: observables.iter().map(Vec::as_slice).collect() }
}

/// Cells of an estimate: its value and its error, empty without one.
fn cells(estimate: &Estimate, unit: f64) -> String {
    let error = estimate.error.map(|error| (error * unit).to_string()).unwrap_or_default();
    format!("{},{error}", estimate.value * unit)
}

/// `5.25 ± 0.08`.
fn in_words(estimate: &Estimate, unit: f64) -> String {
    match estimate.error {
        Some(error) => format!("{:.4} ± {:.4}", estimate.value * unit, error * unit),
        None => format!("{:.4}", estimate.value * unit),
    }
}

impl OfGroup {
    /// Of temperatures as a person reads them.
    fn unit(&self) -> f64 {
        if self.sampled { 1.0 } else { BOLTZMANN }
    }

    fn temperature_label(&self) -> &'static str {
        if self.sampled { "temperature" } else { "temperature, K" }
    }

    /// Energies and quantities by rung and ladder, in the order of time.
    fn series(&self) -> Vec<Vec<[Vec<f64>; 4]>> {
        let of_rung = |rung: usize| {
            let ladders = self.ladders.values();
            ladders.map(|ladder| [0, 1, 2, 3].map(|which| ladder.column(rung, which))).collect()
        };
        (0..self.temperatures.len()).map(of_rung).collect()
    }

    fn findings(&self) -> Findings {
        let series = self.series();
        let samples: Vec<Vec<Samples<'_>>> = series
            .iter()
            .map(|ladders| {
                ladders.iter().map(samples_of).filter(|of| !of.energies.is_empty()).collect()
            })
            .collect();
        let at = samples.iter().zip(&self.temperatures);
        let at = at.filter_map(|(of, t)| at_temperature(*t, self.beads, of).ok()).collect();
        let chains =
            |rung: usize| -> Vec<&[f64]> { samples[rung].iter().map(|of| of.energies).collect() };
        let neighbours = (1..self.temperatures.len())
            .map(|above| {
                let temperatures = [self.temperatures[above - 1], self.temperatures[above]];
                let (cold, warm) = (chains(above - 1), chains(above));
                let ratio = energy_ratio(temperatures, [&cold, &warm]).ok();
                let all = |chains: &[&[f64]]| chains.concat();
                let overlap = overlap_fraction([&all(&cold), &all(&warm)]);
                (ratio.and_then(|ratio| ratio.deviation()), overlap)
            })
            .collect();
        Findings { at, curve: self.curve(&samples), neighbours }
    }

    /// Curves over all temperatures, by reweighting.
    fn curve(&self, samples: &[Vec<Samples<'_>>]) -> Result<(Vec<Curve>, Reweighting), String> {
        if self.temperatures.len() < 2 {
            return Err("one temperature has no curve".to_string());
        }
        let blocks = match self.ladders.len() {
            many if many >= 8 => 1,
            few => 16_usize.div_ceil(few.max(1)),
        };
        let states: Vec<State<'_>> = samples
            .iter()
            .zip(&self.temperatures)
            .map(|(ladders, &temperature)| {
                let chains: Vec<&[f64]> = ladders.iter().map(|of| of.energies).collect();
                let inefficiency =
                    integrated_time(&chains).map_or(1.0, |time| time.inefficiency().max(1.0));
                let groups = ladders.iter().flat_map(|ladder| ladder.blocks(blocks)).collect();
                State { temperature, inefficiency, groups }
            })
            .collect();
        let found =
            Reweighting::new(&states, Binning::Automatic).map_err(|error| error.to_string())?;
        let (from, to) = (self.temperatures[0], self.temperatures[self.temperatures.len() - 1]);
        let step = (to / from).ln() / (GRID - 1) as f64;
        let grid: Vec<f64> = (0..GRID).map(|place| from * (step * place as f64).exp()).collect();
        Ok((found.curve(&grid, self.beads), found))
    }

    fn describe(&self, text: &mut String) {
        let head = if self.group.is_empty() { String::new() } else { format!("{}: ", self.group) };
        let findings = self.findings();
        let unit = self.unit();
        let kelvin = if self.sampled { "" } else { " K" };
        let (lowest, highest) =
            (self.temperatures[0] / unit, self.temperatures[self.temperatures.len() - 1] / unit);
        let rows: usize = self.ladders.values().flat_map(|l| &l.rows).map(BTreeMap::len).sum();
        if findings.at.is_empty() {
            let _ = writeln!(text, "{head}no rows of the last stage: nothing can be said");
            return;
        }
        let _ = match self.temperatures.len() {
            1 => writeln!(
                text,
                "{head}T = {lowest}{kelvin}, {} chain(s), {rows} rows",
                self.ladders.len()
            ),
            rungs => writeln!(
                text,
                "{head}{rungs} temperatures from {lowest:.4} to {highest:.4}{kelvin}, {} ladder(s), {rows} rows of the last stage",
                self.ladders.len()
            ),
        };
        if let [at] = findings.at.as_slice() {
            let _ = writeln!(
                text,
                "{head}energy a bead {}, C/N {}",
                in_words(&at.energy, 1.0 / self.beads as f64),
                in_words(&at.heat_capacity_per_bead, 1.0)
            );
        }
        self.describe_exchanges(text, &head, &findings);
        match &findings.curve {
            Ok((_, found)) => {
                let (from, to) =
                    (self.temperatures[0], self.temperatures[self.temperatures.len() - 1]);
                let _ = match found.heat_capacity_peak(from, to, self.beads) {
                    Some(peak) => writeln!(
                        text,
                        "{head}highest specific heat C/N = {} at T = {}{kelvin}",
                        in_words(&peak.height, 1.0),
                        in_words(&peak.temperature, 1.0 / unit)
                    ),
                    None => writeln!(
                        text,
                        "{head}the specific heat has no peak between these temperatures"
                    ),
                };
            }
            Err(_) if self.temperatures.len() == 1 => {}
            Err(reason) => {
                let _ = writeln!(text, "{head}no curves over the temperature: {reason}");
            }
        }
        let short =
            findings.at.iter().filter(|at| matches!(at.basis, Basis::TooShort { .. })).count();
        if short > 0 {
            let _ = writeln!(
                text,
                "note: {head}at {short} temperature(s) there are too few rows for an error: eight blocks of ten autocorrelation times are needed; run longer, or eight ladders"
            );
        }
    }

    fn describe_exchanges(&self, text: &mut String, head: &str, findings: &Findings) {
        let unit = self.unit();
        let between = |lower: usize| {
            format!(
                "{:.4} and {:.4}{}",
                self.temperatures[lower] / unit,
                self.temperatures[lower + 1] / unit,
                if self.sampled { "" } else { " K" }
            )
        };
        let rates: Vec<(usize, f64)> = self
            .swaps
            .iter()
            .enumerate()
            .filter(|(_, (tried, _))| *tried > 0.0)
            .map(|(lower, (tried, made))| (lower, made / tried))
            .collect();
        let least = rates.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let most = rates.iter().max_by(|a, b| a.1.total_cmp(&b.1));
        if let (Some(least), Some(most)) = (least, most) {
            let _ = writeln!(
                text,
                "{head}exchanges accepted: {:.1} % (between {}) to {:.1} % (between {}); {} round trip(s)",
                100.0 * least.1,
                between(least.0),
                100.0 * most.1,
                between(most.0),
                self.round_trips
            );
            if least.1 < FEWEST_SWAPS {
                let _ = writeln!(
                    text,
                    "note: {head}replicas do not mix between {}: put more temperatures there",
                    between(least.0)
                );
            }
        }
        let worst = findings
            .neighbours
            .iter()
            .enumerate()
            .filter_map(|(lower, (off, _))| Some((lower, off.as_ref()?.abs())));
        if let Some((lower, off)) = worst.max_by(|a, b| a.1.total_cmp(&b.1)) {
            let verdict = if off > WRONG_BEYOND {
                "NOT those of one system at two temperatures: the run is too short, or something is wrong"
            } else {
                "those of one system at two temperatures"
            };
            let _ = writeln!(
                text,
                "{head}energies of neighbours are {verdict} (ln P1/P2 against E: at most {off:.2} standard errors off, between {})",
                between(lower)
            );
        }
    }

    fn write(&self, averages: &mut String, curves: &mut String, neighbours: &mut String) {
        let findings = self.findings();
        let (_, quantities) = of_group_columns(self.sampled);
        let (unit, beads) = (self.unit(), self.beads as f64);
        let temperature = if self.sampled { "temperature" } else { "temperature_K" };
        let energy = if self.sampled { "energy_per_bead" } else { "energy_per_bead_kcal_per_mol" };
        let group = quoted(&self.group);
        if averages.is_empty() {
            let _ = write!(
                averages,
                "group,{temperature},{energy},{energy}_error,heat_capacity_per_bead,heat_capacity_per_bead_error"
            );
            let _ = write!(
                curves,
                "group,{temperature},{energy},{energy}_error,heat_capacity_per_bead,heat_capacity_per_bead_error"
            );
            for Quantity { name, .. } in quantities {
                let _ = write!(
                    averages,
                    ",{name},{name}_error,{name}_fluctuation,{name}_fluctuation_error,{name}_derivative,{name}_derivative_error"
                );
                let _ = write!(
                    curves,
                    ",{name},{name}_error,{name}_derivative,{name}_derivative_error"
                );
            }
            averages.push_str(",errors_from\n");
            curves.push_str(",effective_samples\n");
            let _ = writeln!(
                neighbours,
                "group,{temperature},next_{temperature},attempted,accepted,overlap,slope_standard_errors_off"
            );
        }
        for at in &findings.at {
            let _ = write!(
                averages,
                "{group},{},{},{}",
                at.temperature / unit,
                cells(&at.energy, 1.0 / beads),
                cells(&at.heat_capacity_per_bead, 1.0)
            );
            for response in &at.observables {
                let _ = write!(
                    averages,
                    ",{},{},{}",
                    cells(&response.mean, 1.0),
                    cells(&response.fluctuation, 1.0),
                    cells(&response.temperature_derivative, unit)
                );
            }
            let basis = match at.basis {
                Basis::Ladders(count) => format!("{count} ladders"),
                Basis::Blocks { count, length } => format!("{count} blocks of {length} rows"),
                Basis::TooShort { .. } => "too few rows".to_string(),
            };
            let _ = writeln!(averages, ",{basis}");
        }
        for point in findings.curve.iter().flat_map(|(curve, _)| curve) {
            let _ = write!(
                curves,
                "{group},{},{},{}",
                point.temperature / unit,
                cells(&point.energy, 1.0 / beads),
                cells(&point.heat_capacity_per_bead, 1.0)
            );
            for observable in &point.observables {
                let _ = write!(
                    curves,
                    ",{},{}",
                    cells(&observable.mean, 1.0),
                    cells(&observable.temperature_derivative, unit)
                );
            }
            let _ = writeln!(curves, ",{}", point.effective_samples);
        }
        for (lower, ((off, overlap), (tried, made))) in
            findings.neighbours.iter().zip(&self.swaps).enumerate()
        {
            let off = off.map(|off| off.to_string()).unwrap_or_default();
            let _ = writeln!(
                neighbours,
                "{group},{},{},{tried},{made},{overlap},{off}",
                self.temperatures[lower] / unit,
                self.temperatures[lower + 1] / unit
            );
        }
    }

    /// Shares of energies a bead, of at most nine rungs.
    fn histograms(&self) -> Vec<(usize, Vec<(f64, f64)>)> {
        const BINS: usize = 120;
        const MOST: usize = 9;
        let all = self.series();
        let energies: Vec<Vec<f64>> = all
            .iter()
            .map(|ladders| {
                ladders.iter().flat_map(|of| of[0].iter().map(|e| e / self.beads as f64)).collect()
            })
            .collect();
        let every = energies.iter().flatten().copied();
        let (low, high) =
            (every.clone().fold(f64::INFINITY, f64::min), every.fold(f64::NEG_INFINITY, f64::max));
        let width = (high - low) / BINS as f64;
        let step = self.temperatures.len().div_ceil(MOST);
        let shown = (0..energies.len())
            .step_by(step)
            .filter(|&rung| !energies[rung].is_empty() && width > 0.0);
        shown
            .map(|rung| {
                let mut counts = [0.0; BINS];
                for energy in &energies[rung] {
                    counts[(((energy - low) / width) as usize).min(BINS - 1)] += 1.0;
                }
                let share = |(bin, count): (usize, &f64)| {
                    (low + (bin as f64 + 0.5) * width, count / energies[rung].len() as f64)
                };
                (rung, counts.iter().enumerate().map(share).collect())
            })
            .collect()
    }
}
