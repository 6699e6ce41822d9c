//! Plots over the temperature.

use std::path::{Path, PathBuf};

use beadwork_analysis::Estimate;
use beadwork_analysis::parallel;
use beadwork_analysis::plot::{Axis, Colour, Figure, Series, Style};
use beadwork_analysis::reweighting::Point;
use beadwork_analysis::thermodynamics::Thermodynamics;
use beadwork_session::Error;

use super::curves::Curves;
use super::findings::Family;
use super::words::{of_errors, plain};
use super::{OfGroup, ReplicaExchange, SHOWN_FAMILIES, of_group_columns};

const SIZE_OF_CHAINS: &str = "square radius of gyration, reduced units";
const GROWTH_OF_CHAINS: &str = "d/dT of square radius of gyration, reduced units";
/// Temperatures whose energies are drawn, of all groups together: as many as legends have lines.
const MOST_SHOWN: usize = 16;
/// Of each group at least so many, since it is the overlap of neighbours that counts.
const FEWEST_SHOWN: usize = 2;
const PICOMETRES_PER_NANOMETRE: f64 = 1e3;

impl ReplicaExchange {
    /// Draws the specific heat, the size and its derivative, energies, swaps and the flow of replicas.
    pub fn draw(&self, plots: &Path) -> Result<Vec<PathBuf>, Error> {
        let Some(first) = self.0.first() else { return Ok(Vec::new()) };
        let (_, quantities) = of_group_columns(first.sampled);
        let temperature = first.temperature_label();
        let figure = |title: &str, y: &str| Figure {
            title: title.to_string(),
            x: Axis::new(temperature),
            y: Axis::new(y),
            ..Figure::default()
        };
        let mut heat = figure("Specific heat", "C/(N k_B)");
        let [size_label, growth_label] = match first.sampled {
            true => [SIZE_OF_CHAINS, GROWTH_OF_CHAINS],
            false => [quantities[0].label, "d/dT of radius of gyration, pm/K"],
        };
        let mut size = figure("Size", size_label);
        let mut growth = figure("Growth with temperature", growth_label);
        let mut swaps = figure("Exchanges with the next temperature", "accepted");
        let mut flow =
            figure("Flow of replicas", "from the lowest temperature, of those from either end");
        for shares in [&mut swaps, &mut flow] {
            shares.y.range = Some((0.0, 1.0));
        }
        let mut energies = Figure {
            title: "Energies at each temperature".to_string(),
            x: Axis::new(if first.sampled {
                "energy a monomer, reduced units (k_B = 1)"
            } else {
                "energy a bead, kcal/mol"
            }),
            y: Axis::new("share"),
            ..Figure::default()
        };
        let sampled_groups =
            self.0.iter().filter(|group| group.findings().sampled_family().is_some()).count();
        let shown = (MOST_SHOWN / sampled_groups.max(1)).max(FEWEST_SHOWN);
        for (number, group) in self.0.iter().enumerate() {
            // Samples, their errors and the curve through them.
            let colour = Colour::Palette(number);
            let findings = group.findings();
            let unit = group.unit();
            let label = |what: &str| match group.group.as_str() {
                "" => what.to_string(),
                name => format!("{name}, {what}"),
            };
            let dots = |figure: &mut Figure,
                        per: f64,
                        pick: &dyn Fn(&Thermodynamics) -> Estimate| {
                let (mut points, mut errors) = (Vec::new(), Vec::new());
                for at in findings.families.iter().flat_map(|family| &family.at) {
                    let (x, estimate) = (at.temperature / unit, pick(at));
                    points.push((x, estimate.value * per));
                    if let Some(error) = estimate.error {
                        let ends = [-1.0, 1.0].map(|sign| (estimate.value + sign * error) * per);
                        errors.extend([(x, ends[0]), (x, ends[1]), (x, f64::NAN)]);
                    }
                }
                let series =
                    |label, points, style| Series { style, colour, ..Series::line(label, points) };
                figure.series.push(series(String::new(), errors, Style::Line));
                figure.series.push(series(label("samples"), points, Style::Points));
            };
            let errors =
                of_errors(findings.families.iter().flat_map(|family| &family.at).flat_map(|at| {
                    std::iter::once(&at.heat_capacity_per_bead)
                        .chain(at.observables.first().map(|size| &size.mean))
                }));
            if !errors.is_empty() {
                let note = format!("{}Vertical bars: ± one of the errors{errors}.", group.head());
                for figure in [&mut heat, &mut size, &mut growth] {
                    figure.notes.push(note.clone());
                }
            }
            dots(&mut heat, 1.0, &|at| at.heat_capacity_per_bead);
            dots(&mut size, 1.0, &|at| at.observables[0].mean);
            let growth_unit = if group.sampled { 1.0 } else { unit * PICOMETRES_PER_NANOMETRE };
            dots(&mut growth, growth_unit, &|at| at.observables[0].temperature_derivative);
            if let Ok(Curves { points: curve, .. }) = &findings.curves {
                let line = |pick: &dyn Fn(&Point) -> f64| -> Vec<(f64, f64)> {
                    curve.iter().map(|point| (point.temperature / unit, pick(point))).collect()
                };
                let add = |figure: &mut Figure, points| {
                    let line = Series::line(label("reweighted"), points);
                    figure.series.push(Series { colour, ..line });
                };
                add(&mut heat, line(&|p| p.heat_capacity_per_bead.value));
                add(&mut size, line(&|p| p.observables[0].mean.value));
                let derivative =
                    |p: &Point| p.observables[0].temperature_derivative.value * growth_unit;
                add(&mut growth, line(&derivative));
            }
            for family in findings.families.iter().take(SHOWN_FAMILIES) {
                let name = match family.name.as_str() {
                    "" => "measured".to_string(),
                    name => format!("ladder {name}"),
                };
                let upward = family.flow.iter().map(|(up, down)| (up + down, *up));
                let shares = [(&mut swaps, family.swaps.clone()), (&mut flow, upward.collect())];
                for (figure, counts) in shares {
                    let counts = counts.iter().zip(&family.temperatures);
                    let counted = counts.filter(|((all, _), _)| *all > 0.0);
                    let line: Vec<(f64, f64)> =
                        counted.map(|((all, part), t)| (t / unit, part / all)).collect();
                    if !line.is_empty() {
                        figure.series.push(Series::line(label(&name), line));
                    }
                }
            }
            if let Some(family) = findings.sampled_family() {
                if family.temperatures.len() > shown {
                    energies.notes.push(format!(
                        "{}{shown} neighbours in the middle of {} temperatures.",
                        group.head(),
                        family.temperatures.len()
                    ));
                }
                for (rung, histogram) in group.histograms(family, shown) {
                    let kelvin = if group.sampled { "" } else { " K" };
                    let name = format!("T = {}{kelvin}", plain(family.temperatures[rung] / unit));
                    energies.series.push(Series::line(label(&name), histogram));
                }
            }
        }
        let figures = [
            ("specific-heat", heat),
            ("size", size),
            ("size-growth", growth),
            ("exchanges", swaps),
            ("flow", flow),
            ("energies", energies),
        ];
        let written = parallel::map(figures.len(), |number| {
            let (stem, figure) = &figures[number];
            match figure.series.is_empty() {
                true => Ok(Vec::new()),
                false => figure.write(plots.join(stem)).map(Vec::from_iter),
            }
        });
        Ok(written.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }
}

impl OfGroup {
    fn temperature_label(&self) -> &'static str {
        if self.sampled { "temperature, reduced units (k_B = 1)" } else { "temperature, K" }
    }

    /// Energies a bead of the ladders of a family, by rung.
    fn energies(&self, family: &Family) -> Vec<Vec<f64>> {
        let ladders = || family.ladders.iter().filter_map(|number| self.ladders.get(number));
        let of_rung = |rung: usize| {
            let rows = ladders().flat_map(|ladder| &ladder.rows[rung]);
            rows.map(|row| row.values[0] / self.beads as f64).collect()
        };
        (0..family.temperatures.len()).map(of_rung).collect()
    }

    /// Shares of energies a bead: of all rungs, or of so many neighbours in the middle of more.
    fn histograms(&self, family: &Family, most: usize) -> Vec<(usize, Vec<(f64, f64)>)> {
        const BINS: usize = 120;
        let energies = self.energies(family);
        let every = energies.iter().flatten().copied();
        let (low, high) =
            (every.clone().fold(f64::INFINITY, f64::min), every.fold(f64::NEG_INFINITY, f64::max));
        let width = (high - low) / BINS as f64;
        let first = energies.len().saturating_sub(most) / 2;
        let shown = (first..energies.len().min(first + most))
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
