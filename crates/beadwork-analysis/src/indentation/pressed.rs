//! What a cycle of indentation says: peak, slopes, modulus, work.

use std::ops::Range;

use super::{Curve, Cycle, Hertz, Line, hertz, line};
use crate::statistics::{mean, running_average};

/// The initial slope ends where the force has risen by this share of its rise from contact to its peak.
const INITIAL_SHARE: f64 = 0.5;
/// Without a range of its own, a fit of Hertz ends at this share of the radius at the latest.
const SHALLOW: f64 = 0.25;
/// A line or a law through fewer points says nothing.
const FEWEST_POINTS: usize = 5;
/// Forces that are farther from a law, in the root mean square, than this share of its force at the end of their range follow
/// another one.
const LARGEST_DEVIATION: f64 = 0.25;
/// The zero of Hertz's law may lie before contact by this share of the depth of the fit. Beyond it the law has about 1.4 times the
/// force, or more, at the end that it has with its zero at contact. A straight line from contact on has its best zero nearer, at 0.21 of its
/// length: forces with one farther away grow ever more slowly.
const EARLIEST_ZERO: f64 = 0.25;
/// Contact is noticed by a force beyond that of a contact, so a law may have begun earlier that has at most so many times this force
/// there.
const LATE_CONTACT: f64 = 2.0;

/// How a cycle is read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Criteria {
    /// Samples of the running average; 0 counts as 1.
    pub window_points: usize,
    /// The least fall of the averaged force after which its peak counts as passed.
    pub prominence: f64,
    /// The force on the tip beyond which it is in contact, in cycles after that of the first contact.
    pub contact_force: f64,
    /// Radius of the tip.
    pub radius: f64,
    /// Friction of the tip: its drag is this times its speed, in the units of the curve.
    pub tip_friction: f64,
    /// The deformations between which a slope is asked for, beside the initial one.
    pub slope: Option<(f64, f64)>,
    /// The deformations between which Hertz's law is fitted; `None` for the range of the initial slope, up to a quarter of the
    /// radius behind contact.
    pub hertz: Option<(f64, f64)>,
}

impl Criteria {
    /// The share of the rise of the force at which the initial slope ends.
    pub const INITIAL_SHARE: f64 = INITIAL_SHARE;
    /// The share of the radius at which a fit of Hertz ends at the latest.
    pub const SHALLOW: f64 = SHALLOW;
    /// The share of a law's force at the end of a fit that the distance of the forces from it may be at most.
    pub const LARGEST_DEVIATION: f64 = LARGEST_DEVIATION;
    /// The share of the depth of a fit by which the zero of Hertz's law may lie before contact, where the law has more than twice the
    /// contact force at contact.
    pub const EARLIEST_ZERO: f64 = EARLIEST_ZERO;
}

/// The largest averaged force of the cantilever after contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peak {
    /// Averaged force of the cantilever.
    pub force: f64,
    /// Averaged force on the tip there.
    pub tip_force: f64,
    /// Averaged deformation.
    pub deformation: f64,
    /// Time in the middle of the window.
    pub time: f64,
    /// Averaged number of contacts; NaN if unknown.
    pub contacts: f64,
    /// That of contacts between different parts.
    pub contacts_between: f64,
    /// Whether the averaged force falls by the prominence before the approach ends.
    pub is_passed: bool,
}

/// Slopes of both averaged forces between two deformations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// From this deformation on.
    pub from: f64,
    /// To this one.
    pub to: f64,
    /// Of the cantilever's force.
    pub cantilever: Line,
    /// Of the force on the tip.
    pub tip: Line,
    /// Of the drag of the tip, by its way between samples: what is left of the cantilever's slope without it is that of the mean
    /// force on the tip.
    pub drag: f64,
}

/// A fit of Hertz's law to the averaged forces on the tip, which may go another way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HertzFit {
    /// The law that fits best.
    pub law: Hertz,
    /// The deformations between which it was fitted.
    pub range: (f64, f64),
    /// Whether forces are farther from it than [`Criteria::LARGEST_DEVIATION`] of its force at the end of the range.
    pub is_far: bool,
    /// Whether it begins behind the middle of the range.
    pub is_late: bool,
    /// Whether it begins before contact by more than [`Criteria::EARLIEST_ZERO`] of the depth.
    pub is_early: bool,
}

impl HertzFit {
    /// Whether the forces follow the law.
    fn is_followed(&self) -> bool {
        !self.is_far && !self.is_late && !self.is_early
    }
}

/// What a cycle says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pressed {
    /// The deformation at which the tip came into contact in this approach: 0 in that of the first contact. `None` if it did not.
    pub contact: Option<f64>,
    /// Whether the approach has fewer samples than three windows, so that its forces are not averaged.
    pub is_short: bool,
    /// The largest averaged deformation of the approach, where its forces end.
    pub deepest: Option<f64>,
    /// The peak of the approach.
    pub peak: Option<Peak>,
    /// The largest averaged force on the tip of the approach.
    pub tip_peak: Option<f64>,
    /// The largest averaged force on the tip of the approach by its way: the force of the cantilever less the drag. A tip without
    /// inertia has no other mean force on it, but for its noise.
    pub tip_peak_by_way: Option<f64>,
    /// The slope from the contact of the cycle on.
    pub initial: Option<Slope>,
    /// The slope that was asked for, behind the contact of the cycle.
    pub slope: Option<Slope>,
    /// Hertz's law, if the averaged forces on the tip follow it, and the deformations between which it was fitted.
    pub hertz: Option<(Hertz, (f64, f64))>,
    /// The fit of Hertz's law, if these forces do not follow it.
    pub refused: Option<HertzFit>,
    /// Work of the base on its way out.
    pub work_out: Option<f64>,
    /// Work given back to the base on its way back to where it began, if it has come there.
    pub work_back: Option<f64>,
    /// Change of the energy from the first window of the approach to the last.
    pub energy_change: Option<f64>,
    /// Contacts of the first window.
    pub at_start: Option<f64>,
    /// Contacts between different parts in the first window; `None` if it has none.
    pub between_at_start: Option<f64>,
    /// Contacts of the first window less those at the peak.
    pub lost_at_peak: Option<f64>,
    /// Contacts of the first window less those of the last window of the cycle.
    pub lost_at_end: Option<f64>,
    /// Contacts between different parts in the first window less those at the peak; `None` if the first window has none.
    pub between_lost_at_peak: Option<f64>,
    /// Contacts between different parts in the first window less those of the last window of the cycle.
    pub between_lost_at_end: Option<f64>,
}

impl Pressed {
    /// Whether the tip has come into contact before the approach ended.
    pub fn has_contact(&self) -> bool {
        self.contact.is_some()
    }

    /// Whether its forces are averaged: it has a contact, and three windows.
    pub fn is_averaged(&self) -> bool {
        self.has_contact() && !self.is_short
    }

    /// Work that was not given back.
    pub fn dissipated(&self) -> Option<f64> {
        Some(self.work_out? - self.work_back?)
    }
}

/// Reads a cycle of a curve.
pub fn analyse(curve: &Curve, cycle: &Cycle, criteria: &Criteria) -> Pressed {
    let approach = cycle.approach.clone();
    let window = criteria.window_points.max(1);
    let contact = contact(curve, &approach, criteria.contact_force);
    let (work_out, work_back) = work(curve, cycle);
    let is_short = approach.len() < window + 2;
    let pressed = Pressed { contact, is_short, work_out, work_back, ..Pressed::default() };
    let Some(begin) = contact.filter(|_| !is_short) else { return pressed };
    let averages = Averages::of(curve, &approach, criteria, begin);
    let peak = averages.peak(criteria.prominence);
    let half = averages.half_way();
    let behind = |(from, to): (f64, f64)| (from.max(begin), to);
    let usual = half.map(|end| (begin, end.min(begin + SHALLOW * criteria.radius)));
    let fit = criteria.hertz.map(behind).or(usual);
    let fit = fit.and_then(|range| averages.law(range, criteria));
    let first = |values: &[f64]| mean(&values[approach.start..approach.start + window]);
    let last_before = |values: &[f64], end: usize| mean(&values[end.saturating_sub(window)..end]);
    let known = |number: Option<f64>| number.filter(|number| number.is_finite());
    let contacts = known(first(&curve.contacts));
    let between = known(first(&curve.contacts_between)).filter(|number| *number > 0.0);
    let end = cycle.retraction.as_ref().map_or(approach.end, |back| back.end);
    let lost = |first: Option<f64>, later: Option<f64>| known(Some(first? - later?));
    let change = last_before(&curve.energy, approach.end).zip(first(&curve.energy));
    let deepest = averages.after_contact().map(|place| averages.deformation[place]);
    Pressed {
        deepest: deepest.reduce(f64::max),
        tip_peak: averages.after_contact().map(|place| averages.tip_force[place]).reduce(f64::max),
        tip_peak_by_way: averages
            .after_contact()
            .map(|place| averages.force[place] - averages.drag[place])
            .reduce(f64::max),
        initial: half.and_then(|end| averages.slope((begin, end))),
        slope: criteria.slope.and_then(|range| averages.slope(behind(range))),
        hertz: fit.filter(HertzFit::is_followed).map(|fit| (fit.law, fit.range)),
        refused: fit.filter(|fit| !fit.is_followed()),
        energy_change: known(change.map(|(last, first)| last - first)),
        at_start: contacts,
        between_at_start: between,
        lost_at_peak: lost(contacts, peak.map(|peak| peak.contacts)),
        lost_at_end: lost(contacts, last_before(&curve.contacts, end)),
        between_lost_at_peak: lost(between, peak.map(|peak| peak.contacts_between)),
        between_lost_at_end: lost(between, last_before(&curve.contacts_between, end)),
        peak,
        ..pressed
    }
}

/// The deformation at which the tip comes into contact in an approach. Deformations count from the first contact, which may have left
/// a dent: in later cycles the tip goes through the solvent until the force on it exceeds that of a contact again.
fn contact(curve: &Curve, approach: &Range<usize>, contact_force: f64) -> Option<f64> {
    let first = curve.contact?;
    if approach.contains(&first) {
        return Some(0.0);
    }
    let mut later = approach.clone().skip_while(|sample| *sample < first);
    let place = later.find(|sample| curve.tip_force[*sample] > contact_force)?;
    Some(curve.deformation[place])
}

/// The work of the base on its way out, and what it got back until it came to where it began. Between samples the work is taken as
/// linear in the way of the base. A way back that ends within one sample of its beginning has the work until its end.
fn work(curve: &Curve, cycle: &Cycle) -> (Option<f64>, Option<f64>) {
    let (begin, before) = curve.beginning(cycle);
    let turned = curve.work[cycle.approach.end - 1];
    let (out, back) = (turned - before, work_at_return(curve, cycle, begin).map(|at| turned - at));
    (Some(out).filter(|out| out.is_finite()), back.filter(|back| back.is_finite()))
}

/// The work that the base has done when it comes back to a place.
fn work_at_return(curve: &Curve, cycle: &Cycle, place: f64) -> Option<f64> {
    let back = cycle.retraction.clone()?;
    if let Some(after) = back.clone().skip(1).find(|&sample| curve.base[sample] <= place) {
        let (from, to) = (curve.base[after - 1], curve.base[after]);
        let share = (from - place) / (from - to);
        return Some(curve.work[after - 1] + share * (curve.work[after] - curve.work[after - 1]));
    }
    let base = &curve.base[back.clone()];
    let longest = base.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
    let end = back.end - 1;
    // Ways between rows that are equal differ by rounding.
    let is_back = curve.base[end] - place <= longest * (1.0 + 1e-9);
    is_back.then(|| curve.work[end])
}

/// An approach averaged over whole windows.
struct Averages {
    time: Vec<f64>,
    deformation: Vec<f64>,
    force: Vec<f64>,
    tip_force: Vec<f64>,
    /// Of the tip.
    drag: Vec<f64>,
    contacts: Vec<f64>,
    contacts_between: Vec<f64>,
    /// The deformation at contact.
    begin: f64,
}

impl Averages {
    fn of(curve: &Curve, approach: &Range<usize>, criteria: &Criteria, begin: f64) -> Averages {
        let window = criteria.window_points.max(1);
        let average = |values: &[f64]| running_average(&values[approach.clone()], window);
        let drag = |sample: usize| criteria.tip_friction * speed(curve, sample);
        let drag: Vec<f64> = approach.clone().map(drag).collect();
        Averages {
            time: average(&curve.time),
            deformation: average(&curve.deformation),
            force: average(&curve.force),
            tip_force: average(&curve.tip_force),
            drag: running_average(&drag, window),
            contacts: average(&curve.contacts),
            contacts_between: average(&curve.contacts_between),
            begin,
        }
    }

    /// The windows after contact with a force, in their order.
    fn after_contact(&self) -> impl Iterator<Item = usize> {
        let first = self.deformation.iter().position(|depth| *depth >= self.begin);
        let places = first.unwrap_or(self.force.len())..self.force.len();
        places.filter(|place| self.force[*place].is_finite())
    }

    fn highest(&self) -> Option<usize> {
        self.after_contact()
            .reduce(|best, next| if self.force[next] > self.force[best] { next } else { best })
    }

    fn peak(&self, prominence: f64) -> Option<Peak> {
        let place = self.highest()?;
        let force = self.force[place];
        let lowest = self.force[place..].iter().copied().fold(force, f64::min);
        let fall = force - lowest;
        Some(Peak {
            force,
            tip_force: self.tip_force[place],
            deformation: self.deformation[place],
            time: self.time[place],
            contacts: self.contacts[place],
            contacts_between: self.contacts_between[place],
            is_passed: fall > 0.0 && fall >= prominence,
        })
    }

    /// The deformation at which the force has first risen by [`INITIAL_SHARE`] of its rise.
    fn half_way(&self) -> Option<f64> {
        let (first, highest) = (self.after_contact().next()?, self.highest()?);
        let begin = self.force[first];
        let reached = begin + INITIAL_SHARE * (self.force[highest] - begin);
        let place = self.after_contact().find(|place| self.force[*place] >= reached)?;
        Some(self.deformation[place]).filter(|depth| *depth > self.begin)
    }

    /// The windows between two deformations, with a force.
    fn points(&self, forces: &[f64], (from, to): (f64, f64)) -> Vec<(f64, f64)> {
        let all = self.deformation.iter().copied().zip(forces.iter().copied());
        all.filter(|(depth, force)| (from..=to).contains(depth) && force.is_finite()).collect()
    }

    fn slope(&self, (from, to): (f64, f64)) -> Option<Slope> {
        let fitted = |forces: &[f64]| {
            line(&self.points(forces, (from, to))).filter(|line| line.points >= FEWEST_POINTS)
        };
        Some(Slope {
            from,
            to,
            cantilever: fitted(&self.force)?,
            tip: fitted(&self.tip_force)?,
            drag: fitted(&self.drag).map_or(0.0, |line| line.slope),
        })
    }

    /// Hertz's law of the force on the tip, and whether that goes another way: far from the law, for most of the range before it
    /// would begin, or as if it had begun far before contact.
    fn law(&self, range: (f64, f64), criteria: &Criteria) -> Option<HertzFit> {
        let radius = criteria.radius;
        let law = hertz(&self.points(&self.tip_force, range), radius)?;
        Some(HertzFit {
            law,
            range,
            is_far: law.deviation > LARGEST_DEVIATION * law.force(range.1, radius),
            is_late: law.zero >= 0.5 * (range.0 + range.1),
            is_early: law.zero < self.begin - EARLIEST_ZERO * (range.1 - self.begin)
                && law.force(self.begin, radius) > LATE_CONTACT * criteria.contact_force,
        })
    }
}

/// The speed of the tip between a sample and the one before it; that of the second sample for the first.
fn speed(curve: &Curve, sample: usize) -> f64 {
    let (before, after) = (sample.max(1) - 1, sample.max(1));
    let way = curve.deformation[after] - curve.deformation[before];
    way / (curve.time[after] - curve.time[before])
}
