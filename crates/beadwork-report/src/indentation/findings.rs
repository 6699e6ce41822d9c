//! What is to be known of the answer of a tip.

use beadwork_analysis::indentation::{Criteria, HertzFit, Pressed};
use beadwork_analysis::statistics::mean;
use beadwork_model::Units;

use super::quantities::QuantityUnit;
use super::replicas::{IndentedCycle, IndentedGroup};
use super::summary::cycle_name;
use crate::data::{Code, Finding};
use crate::words::{FEWEST_VALUES, known_at_best};

/// Averages of fewer rows keep much of the noise of single ones, so that the largest of them is too large.
const FEWEST_ROWS: usize = 5;
/// Friction that may be more than this share of the largest force is named as a part of it.
const LARGEST_FRICTION: f64 = 1.0 / 3.0;
/// The largest averaged force on a tip at rows may be so many times that by its way, and a prominence more.
const LARGEST_RATIO_OF_PEAKS: f64 = 2.0;

impl IndentedGroup {
    /// The findings of the group, what matters most first.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut find = |code: Code, text: Option<String>| {
            findings.extend(text.map(|text| Finding::new(code, text)));
        };
        find(Code::NoValues, self.nothing_to_say());
        find(Code::NoContact, self.without_contact());
        find(Code::NotMeasured, self.too_short());
        find(Code::UnstableTip, self.unstable());
        find(Code::NoPeak, self.at_the_end());
        find(Code::NotMeasured, self.without_slope());
        self.ranges_beyond().into_iter().for_each(|text| find(Code::BeyondData, Some(text)));
        find(Code::NotMeasured, self.without_modulus());
        for cycle in 0..self.cycles() {
            find(Code::NotMeasured, self.disagreeing(cycle));
            find(Code::NotMeasured, self.modulus_of_few(cycle));
        }
        find(Code::NotMeasured, self.not_back());
        find(Code::NotMeasured, self.added());
        find(Code::HalfSpace, self.half_space());
        self.short_ranges().into_iter().for_each(|text| find(Code::ShortRange, Some(text)));
        self.slopes_apart().into_iter().for_each(|text| find(Code::SlopesDiffer, Some(text)));
        find(Code::Drag, self.drag());
        find(Code::ColdTip, self.cold_tip());
        find(Code::NotMeasured, self.without_pictures.clone());
        find(Code::FewValues, self.few_replicas());
        find(Code::FewValues, self.few_rows());
        find(Code::OtherStages, self.other_stages());
        find(Code::LeftOut, self.left_out.note("time, or way of base or tip,"));
        findings
    }

    fn all(&self) -> impl Iterator<Item = &IndentedCycle> {
        self.members.iter().flat_map(|member| &member.cycles)
    }

    /// The cycles whose forces are averaged, of all replicas.
    pub(super) fn pressed(&self) -> impl Iterator<Item = &Pressed> {
        let all = self.all().map(|cycle| &cycle.pressed);
        all.filter(|pressed| pressed.is_averaged())
    }

    /// `3 of 8 approaches`.
    pub(super) fn of_approaches(&self, count: usize, all: usize) -> String {
        let what = if self.cycles() > 1 { "approach(es)" } else { "replica(s)" };
        format!("{count} of {all} {what}")
    }

    fn nothing_to_say(&self) -> Option<String> {
        let stages = self.setup.stages_in_words();
        let failed = (self.about.failed == self.about.replicas && self.about.failed > 0)
            .then(|| format!("; all {} replica(s) failed", self.about.failed));
        self.all().next().is_none().then(|| {
            format!(
                "no curve of force and deformation, since the base of the tip has not moved in the rows of {stages}{}",
                failed.unwrap_or_default()
            )
        })
    }

    fn without_contact(&self) -> Option<String> {
        let all = self.all().count();
        let missed: Vec<&IndentedCycle> =
            self.all().filter(|cycle| !cycle.pressed.has_contact()).collect();
        if missed.is_empty() {
            return None;
        }
        let turned = missed.iter().filter(|cycle| cycle.has_turned).count();
        let farthest = missed.iter().map(|cycle| cycle.base).fold(0.0, f64::max);
        let count = self.of_approaches(missed.len(), all);
        let (way, threshold) =
            (self.length(farthest), self.force(self.setup.criteria.contact_force));
        let how = match turned {
            0 => {
                format!("the tip of {count} never came into contact on a way of the base of {way}")
            }
            _ => format!("the base of {count} turned after {way} before the tip came into contact"),
        };
        Some(format!(
            "{how}, that is, before the beads pushed it back by more than {threshold} (contact_force), so it has no peak, slope and modulus: let the base go farther, or begin nearer"
        ))
    }

    fn too_short(&self) -> Option<String> {
        let short = self.all().filter(|cycle| cycle.pressed.is_short).count();
        (short > 0).then(|| {
            format!(
                "the approach of {} has fewer than three whole windows ({}), so that no force of it is averaged: take a shorter window, or more rows",
                self.of_approaches(short, self.all().count()),
                self.setup.window_in_words()
            )
        })
    }

    /// A tip that moves too far at once beside beads that stick to it goes to and fro, which single rows show and its way does not.
    fn unstable(&self) -> Option<String> {
        let criteria = &self.setup.criteria;
        // Other drives have a part in the force of the cantilever, and few rows scatter.
        if self.setup.added > 0 || criteria.window_points < FEWEST_ROWS {
            return None;
        }
        let forces = |one: &Pressed| Some((one.tip_peak?, one.tip_peak_by_way?));
        let peaks: Vec<(f64, f64)> = self.pressed().filter_map(forces).collect();
        let is_beyond = |(rows, way): &&(f64, f64)| {
            *rows > LARGEST_RATIO_OF_PEAKS * way.abs() + criteria.prominence
        };
        let beyond: Vec<(f64, f64)> = peaks.iter().filter(is_beyond).copied().collect();
        let worst = beyond.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
        Some(format!(
            "the averaged force on the tip of {} is up to {} at the rows, while cantilever and drag say at most {}: the tip moves too far at once and goes to and fro, so forces on it are wrong; take a smaller `moves_every`, a shorter time step or more friction of the tip",
            self.of_approaches(beyond.len(), peaks.len()),
            self.force(worst.0),
            self.force(worst.1)
        ))
    }

    fn at_the_end(&self) -> Option<String> {
        let peaks: Vec<_> = self.pressed().filter_map(|pressed| pressed.peak).collect();
        let rising = peaks.iter().filter(|peak| !peak.is_passed).count();
        (rising > 0).then(|| {
            format!(
                "the force of {} does not fall by {} (prominence) after its largest value: the curve ends before such a peak is passed, and a larger force may lie beyond it. The initial slope goes to half of this rise, so it depends on how deep the tip went: name a range by `slope`, and a smaller `prominence` if smaller falls are peaks",
                self.of_approaches(rising, peaks.len()),
                self.force(self.setup.criteria.prominence)
            )
        })
    }

    fn without_slope(&self) -> Option<String> {
        let lacks = |asks: bool, has: fn(&Pressed) -> bool| {
            self.pressed().filter(|pressed| asks && !has(pressed)).count()
        };
        let asked = self.setup.criteria.slope;
        let initial = lacks(true, |pressed| pressed.initial.is_some());
        let of_range = lacks(asked.is_some(), |pressed| pressed.slope.is_some());
        let all = self.pressed().count();
        let of_range = asked.filter(|_| of_range > 0).map(|(from, to)| {
            let range = self.range_in_words(from, to);
            format!("no slope at {range} of {}", self.of_approaches(of_range, all))
        });
        let initial = (initial > 0)
            .then(|| format!("no initial slope of {}", self.of_approaches(initial, all)));
        let missing: Vec<String> = initial.into_iter().chain(of_range).collect();
        (!missing.is_empty())
            .then(|| format!("{}: fewer than five averaged forces lie there", missing.join(", ")))
    }

    fn without_modulus(&self) -> Option<String> {
        let missing: Vec<&Pressed> =
            self.pressed().filter(|pressed| pressed.hertz.is_none()).collect();
        let refused: Vec<HertzFit> = missing.iter().filter_map(|pressed| pressed.refused).collect();
        let count = |is: fn(&HertzFit) -> bool| refused.iter().filter(|fit| is(fit)).count();
        let percent = [Criteria::LARGEST_DEVIATION, Criteria::EARLIEST_ZERO].map(|x| 100.0 * x);
        let reasons = [
            (
                missing.len() - refused.len(),
                "without a fit (fewer than five averaged forces on the tip, or forces that do not grow as the law does)"
                    .to_string(),
            ),
            (
                count(|fit| fit.is_far),
                format!(
                    "with an r.m.s. distance from the law beyond {:.0} % of its force at the end of the range",
                    percent[0]
                ),
            ),
            (count(|fit| fit.is_late), "with d₀ behind the middle of the range".to_string()),
            (
                count(|fit| fit.is_early),
                format!("with d₀ before contact by more than {:.0} % of the depth", percent[1]),
            ),
        ];
        let reasons = reasons.iter().filter(|(count, _)| *count > 0);
        let reasons: Vec<String> =
            reasons.map(|(count, reason)| format!("{count} {reason}")).collect();
        (!missing.is_empty()).then(|| {
            format!(
                "no modulus by Hertz of {}: {}",
                self.of_approaches(missing.len(), self.pressed().count()),
                reasons.join(", ")
            )
        })
    }

    fn disagreeing(&self, cycle: usize) -> Option<String> {
        let (mean, error, count) = self.scattered_modulus(cycle)?;
        let of =
            if self.cycles() > 1 { format!(" of {}", cycle_name(cycle)) } else { String::new() };
        Some(format!(
            "no modulus by Hertz{of}: {count} replicas do not agree on one (mean {}, standard error {}); indentation.csv has that of each",
            self.with_unit(mean, QuantityUnit::Modulus),
            self.with_unit(error, QuantityUnit::Modulus)
        ))
    }

    fn modulus_of_few(&self, cycle: usize) -> Option<String> {
        let (followed, pressed) = self.moduli(cycle);
        let of =
            if self.cycles() > 1 { format!(" of {}", cycle_name(cycle)) } else { String::new() };
        (followed > 0 && self.is_modulus_of_few(cycle)).then(|| {
            format!(
                "no modulus by Hertz{of} is given for all: {followed} of {pressed} replica(s) follow the law; indentation.csv has theirs"
            )
        })
    }

    fn not_back(&self) -> Option<String> {
        let all = self.all().count();
        let is_out = |cycle: &&IndentedCycle| cycle.pressed.work_back.is_none();
        let out = self.all().filter(is_out).count();
        (self.setup.turns && out > 0).then(|| {
            format!(
                "the base of {} has not come back to where it began, so the work given back is not known",
                self.of_approaches(out, all)
            )
        })
    }

    fn added(&self) -> Option<String> {
        let count = self.setup.added;
        (count > 0).then(|| {
            format!(
                "tables add the forces and the work of {count} other drive(s) of {} to those of the cantilever, and so does this answer",
                self.setup.stages_in_words()
            )
        })
    }

    fn half_space(&self) -> Option<String> {
        let agreeing = (0..self.cycles()).filter(|cycle| self.has_modulus(*cycle));
        let behind_contact =
            |one: &IndentedCycle| Some(one.pressed.hertz?.1.1 - one.pressed.contact?);
        let depths = agreeing.flat_map(|cycle| self.cycle(cycle)).filter_map(behind_contact);
        let deepest = depths.reduce(f64::max)?;
        let radius = self.setup.criteria.radius;
        Some(format!(
            "the reduced modulus rests on Hertz's law: a smooth sphere on an elastic half space, and depths much smaller than its radius (here up to {:.0} % of it); a thin shell bends instead, and then the number is no modulus of its wall",
            100.0 * deepest / radius
        ))
    }

    fn drag(&self) -> Option<String> {
        let (drag, beads) = self.setup.drag_of_beads;
        let tip = self.setup.drag_of_tip;
        let has_cycles = self.cycles() > 1;
        let of = |cycle: usize| {
            if has_cycles { format!(" in {}", cycle_name(cycle)) } else { String::new() }
        };
        let largest = |cycle: usize| {
            let forces = self.cycle(cycle).filter_map(|one| Some(one.pressed.peak?.force));
            Some((cycle, mean(&forces.collect::<Vec<f64>>())?))
        };
        let largest: Vec<(usize, f64)> = (0..self.cycles()).filter_map(largest).collect();
        let forces: Vec<String> = largest
            .iter()
            .map(|&(cycle, force)| format!("{}{}", self.force(force), of(cycle)))
            .collect();
        let beside = match forces.is_empty() {
            true => String::new(),
            false => format!(", beside a largest force of {}", forces.join(" and ")),
        };
        let shares: Vec<String> = largest
            .iter()
            .map(|&(cycle, force)| (cycle, (drag + tip) / force.abs()))
            .filter(|(_, share)| *share > LARGEST_FRICTION)
            .map(|(cycle, share)| match share < 1.0 {
                true => format!("{:.0} % of it{}", 100.0 * share, of(cycle)),
                false => format!("all of it{}", of(cycle)),
            })
            .collect();
        let part = match shares.is_empty() {
            true => String::new(),
            false => format!(": it may be up to {}; press more slowly", shares.join(" and ")),
        };
        (drag.max(tip) > 0.0).then(|| {
            format!(
                "friction takes up to {} at the speed of the base if all {beads} beads move with it, and {} more of the cantilever's force if the tip does{beside}{part}; nothing is subtracted",
                self.force(drag),
                self.force(tip)
            )
        })
    }

    fn cold_tip(&self) -> Option<String> {
        let touched = self.all().any(|cycle| cycle.pressed.has_contact());
        (touched && self.setup.temperature > 0.0 && !self.setup.is_shaken).then(|| {
            let cold = match self.setup.units {
                Units::Real => "0 K",
                Units::Reduced => "temperature 0",
            };
            format!(
                "nothing shakes the tip: it is a bath of {cold} for the beads that it touches (thermal = true gives it noise)"
            )
        })
    }

    fn few_replicas(&self) -> Option<String> {
        let count = self.members.len();
        let has_values = self.pressed().next().is_some();
        let setup = &self.setup;
        let is_random = setup.temperature > 0.0 || setup.is_shaken || setup.has_starts;
        if has_values && count > 1 && !is_random {
            return Some(
                "nothing is random at temperature 0 and from one start: all replicas are the same, their errors say nothing, and more of them do not help".to_string(),
            );
        }
        (has_values && count < FEWEST_VALUES).then(|| match count {
            1 => "one replica: values have no errors; add replicas".to_string(),
            _ => format!(
                "errors rest on {count} replicas, and are themselves known to {} at best: add replicas",
                known_at_best(count)
            ),
        })
    }

    fn few_rows(&self) -> Option<String> {
        let rows = self.setup.criteria.window_points.max(1);
        let has_values = self.pressed().next().is_some();
        (has_values && rows < FEWEST_ROWS).then(|| {
            format!(
                "averages of forces have fewer than {FEWEST_ROWS} rows ({}): noise of single rows makes the largest force too large, and moves peaks and slopes; write rows more often, or take a longer window",
                self.setup.window_in_words()
            )
        })
    }

    fn other_stages(&self) -> Option<String> {
        let others = &self.setup.others;
        (!others.is_empty()).then(|| {
            format!(
                "the answer is of {} alone; later stages have no part in it: {}; ask for these by --stage",
                self.setup.stages_in_words(),
                others.join(", ")
            )
        })
    }
}
