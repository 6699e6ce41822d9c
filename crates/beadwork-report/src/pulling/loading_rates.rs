//! Unfolding forces at several loading rates: the law of Bell and Evans over the points of a sweep.

use beadwork_analysis::bell_evans::{
    BellEvans, Estimator, FEWEST_RATES, Fit, MeasuredRate, Unfit, fit, most_probable,
};
use beadwork_analysis::numbers::fixed;
use beadwork_analysis::plot::{Axis, Colour, Emphasis, Figure, Series, Style};
use beadwork_analysis::statistics::{mean, standard_deviation, standard_error};

use super::replicas::{Points, PulledGroup};
use super::shared_molecules;
use super::summary::not_unfolded_in_words;
use crate::data::{self, Cell, Code, Setting, Table, TableColumn, Value};
use crate::many_points::{keep_labels, notes_on_points};
use crate::words::{drive_in_words, figure as number, group_name, plain};

const NANOSECONDS_PER_SECOND: f64 = 1e9;
/// Rates that span less than this say little about others.
const WIDE: f64 = 10.0;
/// With fewer forces a rate has no most probable one.
const FEWEST_FOR_DENSITY: usize = 20;
/// The end of the name of a series.
const ALL_RATES: &str = "all loading rates";
/// Points of a line that is drawn.
const DRAWN: usize = 64;
/// The beginning of a sentence on why there is no law.
pub(super) const NO_LAW: &str = "no distance and rate of a barrier (law of Bell and Evans), since";

/// How fast the spring of a point is loaded.
#[derive(Clone, Debug)]
pub(crate) struct Loading {
    /// κν, pN/s.
    pub rate: f64,
    /// kT, pN nm.
    pub thermal_energy: f64,
    /// The run, if several are compared.
    pub run: String,
    /// The stage that a person asked for.
    pub stage: String,
    /// The settings of the point but those of the loading.
    pub settings: Vec<Setting>,
    /// The number of the point.
    pub point: u64,
    /// The replicas of the point that failed.
    pub failed: usize,
    /// The drives that load its molecule together, this one among them, in the order of the stage; empty if it does so alone.
    pub together: Vec<String>,
}

impl Loading {
    /// A series of points that are alike but for their loading, of these drives in words; it begins with this point.
    pub(super) fn begin_series(&self, of: String) -> data::Group {
        let stage = Some(self.stage.as_str()).filter(|stage| !stage.is_empty());
        let shared = group_name(&self.run, &self.settings, stage);
        let parts = [shared, of, ALL_RATES.to_string()];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        data::Group {
            name: parts.join(", "),
            stage: self.stage.clone(),
            point: self.point,
            settings: self.settings.clone(),
            ..data::Group::default()
        }
    }
}

/// Points that differ in how they are loaded alone.
struct RateSeries<'a> {
    about: data::Group,
    drive: String,
    thermal_energy: f64,
    /// In the order of their rates.
    groups: Vec<(&'a PulledGroup, f64)>,
}

/// The series with two rates or more, of springs that load their molecules alone.
fn series<'a>(groups: &[(usize, &'a PulledGroup)]) -> Vec<RateSeries<'a>> {
    let mut found: Vec<RateSeries<'a>> = Vec::new();
    for (_, group) in groups {
        let Some(loading) = &group.loading else { continue };
        if !loading.together.is_empty() {
            continue;
        }
        let about = loading.begin_series(group.of());
        let place = found.iter().position(|one| one.about.name == about.name);
        let place = place.unwrap_or_else(|| {
            let (drive, thermal_energy) = (group.drive.clone(), loading.thermal_energy);
            found.push(RateSeries { about, drive, thermal_energy, groups: Vec::new() });
            found.len() - 1
        });
        let one = &mut found[place];
        one.about.points.push(loading.point);
        one.about.replicas += group.members.len();
        one.about.failed += loading.failed;
        one.groups.push((group, loading.rate));
    }
    found.iter_mut().for_each(|one| one.groups.sort_by(|a, b| a.1.total_cmp(&b.1)));
    found.retain(|one| one.span().is_some_and(|(least, most)| most > least));
    found
}

impl RateSeries<'_> {
    /// The least rate and the largest, pN/s.
    fn span(&self) -> Option<(f64, f64)> {
        Some((self.groups.first()?.1, self.groups.last()?.1))
    }

    /// The forces at the rates κν.
    fn nominal(&self) -> Vec<MeasuredRate> {
        let rate = |(group, rate): &(&PulledGroup, f64)| MeasuredRate {
            loading_rate: *rate,
            forces: forces(group),
        };
        self.groups.iter().map(rate).collect()
    }

    /// The forces at the rates that were measured; `None` if one of the rates was not. Rates with fewer than two forces have no
    /// part in a fit, and need none.
    fn measured(&self) -> Option<Vec<MeasuredRate>> {
        let rate = |(group, _): &(&PulledGroup, f64)| {
            Some(MeasuredRate { loading_rate: measured_rate(group)?, forces: forces(group) })
        };
        let has_two = |(group, _): &&(&PulledGroup, f64)| forces(group).len() > 1;
        self.groups.iter().filter(has_two).map(rate).collect()
    }

    fn fit(&self) -> Result<Fit, Unfit> {
        fit(&self.nominal(), Estimator::Mean)
    }

    fn answer(&self) -> data::Group {
        let mut answer = self.about.clone();
        match self.fit() {
            Ok(found) => {
                self.describe(&mut answer, &found, "", "κν");
                self.describe_others(&mut answer);
                self.note_range(&mut answer);
            }
            Err(unfit) => answer.find(Code::NotMeasured, in_words(unfit)),
        }
        self.note_left_out(&mut answer);
        answer
    }

    /// Adds the values of a fit, which are `of` something.
    fn describe(&self, answer: &mut data::Group, found: &Fit, of: &str, rate: &str) {
        let of = [self.of(), of.to_string()].into_iter().filter(|part| !part.is_empty());
        let of = of.collect::<Vec<_>>().join(", ");
        let Fit { law, relative_error_of_distance, error_of_log_rate, lack_of_fit, .. } = *found;
        let (least, most) = self.span().unwrap_or_default();
        let basis = format!(
            "law of Bell and Evans; {} forces at {} loading rates {rate}, κν from {} to {} pN/s; errors from 1,000 resampled sets",
            found.forces,
            found.rates,
            plain(least),
            plain(most)
        );
        let independent_values = Some(found.forces as f64);
        let mut add = |value: Value, error: f64, basis: String| {
            let value = value.of(of.clone()).with_error(Some(error)).from(basis);
            answer.values.push(Value { independent_values, ..value });
        };
        let distance = law.distance(self.thermal_energy);
        let words = "distance x‡ of the barrier";
        let value = Value::new("barrier_distance", words, "nm", distance);
        add(value, distance * relative_error_of_distance, basis.clone());
        let value = Value::new("intrinsic_rate", "rate k₀ without a force", "1/s", law.rate);
        let factor = format!("a standard error is a factor of {}", plain(error_of_log_rate.exp()));
        add(value, law.rate * error_of_log_rate, factor);
        let [logarithm, error] = [law.rate.ln(), error_of_log_rate].map(|of| of / 10_f64.ln());
        let words = "log₁₀ of k₀ in 1/s";
        add(Value::new("log10_intrinsic_rate", words, "", logarithm), error, basis);
        if let Some(probability) = lack_of_fit {
            let words = "probability of such a lack of fit by chance";
            answer.values.push(Value::new("lack_of_fit", words, "", probability).of(of.clone()));
        }
    }

    /// The fits to rates that were measured, and to most probable forces.
    fn describe_others(&self, answer: &mut data::Group) {
        let measured = "measured dF/dt";
        match self.measured().map(|rates| fit(&rates, Estimator::Mean)) {
            Some(Ok(found)) => self.describe(answer, &found, measured, measured),
            Some(Err(unfit)) => {
                answer.find(Code::NotMeasured, format!("by {measured}: {}", in_words(unfit)));
            }
            None => answer.find(
                Code::NotMeasured,
                "no fit to the measured dF/dt: at one rate no force rises over three windows or more before it falls; write more rows",
            ),
        }
        let nominal = self.nominal();
        let has_density = |rate: &MeasuredRate| rate.forces.len() >= FEWEST_FOR_DENSITY;
        if nominal.iter().all(has_density) {
            match fit(&nominal, Estimator::MostProbable) {
                Ok(found) => self.describe(answer, &found, "most probable forces", "κν"),
                Err(unfit) => {
                    let text = format!("by most probable forces: {}", in_words(unfit));
                    answer.find(Code::NotMeasured, text);
                }
            }
        }
    }

    /// A note if the rates of a fit lie close together.
    fn note_range(&self, answer: &mut data::Group) {
        let (least, most) = self.span().unwrap_or_default();
        if most < WIDE * least {
            let text = format!(
                "the loading rates span a factor of {}, less than ten: x‡ and k₀ say little about other rates",
                plain(most / least)
            );
            answer.find(Code::NarrowRates, text);
        }
    }

    /// Notes on replicas and rates that have no part in the law.
    fn note_left_out(&self, answer: &mut data::Group) {
        // Replicas that still run may unfold.
        let (mut left, mut unfolded) = (0, 0);
        for summary in self.groups.iter().map(|(group, _)| group.summary()) {
            left += summary.not_unfolded();
            unfolded += summary.forces_pn.len();
        }
        if left > 0 {
            let law = "the law of Bell and Evans";
            answer.find(Code::LeftOut, not_unfolded_in_words(left, left + unfolded, law));
        }
        let few = self.groups.iter().filter(|(group, _)| forces(group).len() < 2).count();
        if few > 0 {
            let text = format!("{few} loading rate(s) with fewer than two forces are left out");
            answer.find(Code::LeftOut, text);
        }
    }

    /// The name without the words on rates.
    fn shared(&self) -> &str {
        self.about.name.trim_end_matches(ALL_RATES).trim_end_matches(", ")
    }

    fn of(&self) -> String {
        drive_in_words(&self.drive)
    }
}

fn in_words(unfit: Unfit) -> String {
    match unfit {
        Unfit::FewRates { rates } => format!(
            "{NO_LAW} {rates} loading rate(s) have two unfolding forces or more, of {FEWEST_RATES} that are needed: sweep the speed or the stiffness over more values, or add replicas"
        ),
        Unfit::NarrowRange { span } => format!(
            "{NO_LAW} the loading rates span a factor of {} only: sweep the speed over a wider range",
            plain(span)
        ),
        Unfit::NotRising => format!(
            "{NO_LAW} unfolding forces do not grow with the loading rate by more than chance explains: add replicas, or rates farther apart"
        ),
        Unfit::NotTheLaw { probability } => format!(
            "{NO_LAW} forces do not follow it: by chance they would deviate so much with a probability of {}; one barrier does not explain them, or friction has a part at the highest rates",
            number(probability, probability)
        ),
    }
}

fn forces(group: &PulledGroup) -> Vec<f64> {
    group.unfolding().filter_map(|unfolding| Some(unfolding.rupture?.force_pn)).collect()
}

/// The geometric mean of the slopes before the unfolding forces, pN/s.
fn measured_rate(group: &PulledGroup) -> Option<f64> {
    let slopes = group.unfolding().filter_map(|unfolding| unfolding.loading_rate);
    let logarithms: Vec<f64> = slopes.filter(|slope| *slope > 0.0).map(f64::ln).collect();
    Some(mean(&logarithms)?.exp() * NANOSECONDS_PER_SECOND)
}

/// A group for each series of points that differ in the loading rate alone: x‡ and k₀, or why there are none.
pub(crate) fn answers(groups: &[(usize, &PulledGroup)]) -> Vec<data::Group> {
    let mut answers: Vec<data::Group> = series(groups).iter().map(RateSeries::answer).collect();
    answers.extend(shared_molecules::answers(groups));
    answers
}

/// `loading-rates.csv`, a line for each loading rate of a molecule that one spring loads; none without a sweep over them.
pub(crate) fn table(groups: &[(usize, &PulledGroup)]) -> Option<Table> {
    let columns = [
        "loading_rate_pN_per_s",
        "measured_rate_pN_per_s",
        "replicas",
        "unfolded",
        "mean_force_pN",
        "standard_error_pN",
        "standard_deviation_pN",
        "most_probable_force_pN",
        "law_mean_pN",
        "law_most_probable_pN",
    ];
    let mut table = Table::new("loading-rates.csv", &columns);
    let has_drives = groups.iter().any(|(_, group)| !group.drive.is_empty());
    table.columns.extend(has_drives.then(|| TableColumn::new("drive")));
    for one in series(groups) {
        let law = one.fit().ok().map(|fit| fit.law);
        for (group, rate) in &one.groups {
            let forces = forces(group);
            let density = (forces.len() >= FEWEST_FOR_DENSITY).then(|| most_probable(&forces));
            let by_law = |force: fn(&BellEvans, f64) -> f64| law.map(|law| force(&law, *rate));
            let mut cells = vec![
                Cell::from(*rate),
                Cell::from(measured_rate(group)),
                Cell::from(group.members.len()),
                Cell::from(forces.len()),
                Cell::from(mean(&forces)),
                Cell::from(standard_error(&forces)),
                Cell::from(standard_deviation(&forces)),
                Cell::from(density.flatten()),
                Cell::from(by_law(BellEvans::mean)),
                Cell::from(by_law(BellEvans::most_probable)),
            ];
            cells.extend(has_drives.then(|| Cell::from(group.drive.as_str())));
            let same = |(_, other): &&(usize, &PulledGroup)| std::ptr::eq(*other, *group);
            let place = groups.iter().find(same).map_or(0, |(place, _)| *place);
            table.push(place, cells);
        }
    }
    (!table.is_empty()).then_some(table)
}

/// The points of [`figure`], named by what their rates share; names stand before labels.
pub(crate) fn points(groups: &[(usize, &PulledGroup)]) -> Vec<data::Group> {
    let point =
        |one: &RateSeries<'_>| data::Group { name: one.shared().to_string(), ..one.about.clone() };
    series(groups).iter().map(point).collect()
}

/// The unfolding force against the logarithm of the loading rate, with the law where it fits; `None` without a sweep over rates.
pub(crate) fn figure(groups: &[(usize, &PulledGroup)]) -> Option<(&'static str, Figure)> {
    let all = series(groups);
    let (mut drawn, mut laws) = (Vec::new(), Vec::new());
    for (place, one) in all.iter().enumerate() {
        let colour = Colour::Palette(place);
        let (mut points, mut bars) = (Points::new(), Points::new());
        for (group, rate) in &one.groups {
            let forces = forces(group);
            let Some(middle) = mean(&forces) else { continue };
            points.push((*rate, middle));
            if let Some(error) = standard_error(&forces) {
                bars.extend([(*rate, middle - error), (*rate, middle + error), (*rate, f64::NAN)]);
            }
        }
        let named = |what: String| match one.shared() {
            "" => what,
            name => format!("{name}: {what}"),
        };
        let series = |label, points, style| Series { colour, style, ..Series::line(label, points) };
        drawn.push(series(named("means".to_string()), points, Style::Points));
        drawn.push(series(String::new(), bars, Style::ErrorBars));
        let (Ok(found), Some((least, most))) = (one.fit(), one.span()) else { continue };
        let distance = found.law.distance(one.thermal_energy);
        let law = named(format!(
            "x‡ = {distance:.3} ± {:.3} nm, log₁₀(k₀ s) = {} ± {:.1}",
            distance * found.relative_error_of_distance,
            fixed(found.law.rate.log10(), 1),
            found.error_of_log_rate / 10_f64.ln()
        ));
        let label = if keep_labels(all.len()) { law.clone() } else { String::new() };
        laws.push(law);
        let at = |place: usize| {
            let rate = least * (most / least).powf(place as f64 / (DRAWN - 1) as f64);
            (rate, found.law.mean(rate))
        };
        let emphasis = Emphasis::Strong;
        let line = Series::line(label, (0..DRAWN).map(at).collect());
        drawn.push(Series { colour, emphasis, ..line });
    }
    let mut figure = Figure {
        title: "Unfolding force and loading rate".to_string(),
        x: Axis { logarithmic: true, ..Axis::new("loading rate κν / (pN/s)") },
        y: Axis::new("unfolding force / pN"),
        series: drawn,
        notes: vec![
            "Points: means of the replicas that unfolded; vertical bars: ± one standard error. Lines: the mean by the law of Bell and Evans, where it fits."
                .to_string(),
        ],
        ..Figure::default()
    };
    if !keep_labels(all.len()) {
        figure.notes.extend(notes_on_points(&laws, "answers.csv"));
    }
    (!all.is_empty()).then_some(("loading-rates", figure))
}
