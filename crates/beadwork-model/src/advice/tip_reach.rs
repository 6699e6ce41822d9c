//! How far a tip comes: to the beads on which it acts, into them, and to the rules that end its stage.

use super::tip_drag::{TipDrag, Yardstick, force_of_rule};
use super::words::{force, length, time_in_words};
use crate::dynamics::Dynamics;
use crate::externals::{BasePath, External, Moment, Tip, way_back};
use crate::observables::{MeasuredColumn, Observable};
use crate::protocol::{Protocol, Stage, StopRule};
use crate::system::System;

/// Warns of a base that cannot bring its tip to the beads or would bring it through them, and of rules that would not hold.
pub(super) fn warnings_of_reach(
    system: &System,
    protocol: &Protocol,
    number: usize,
    tip: &Tip,
) -> Vec<String> {
    let stage = &protocol.stages[number];
    let positions = &system.particles.positions;
    let external = External::Tip(tip.clone());
    let contact = contact_of(tip);
    let state = external.begin(positions);
    let way = way_to_contact(system, tip);
    if way == f64::INFINITY {
        return vec![format!(
            "stage \"{}\": the tip goes past the structure: its radius is {}, and none of the {} bead(s) on which it acts comes so near to its way; change its `position` or its `direction`",
            stage.name,
            length(system, tip.radius),
            tip.beads.len()
        )];
    }
    let is_behind = |&bead: &usize| {
        let at = positions[bead];
        // It never meets the bead, or it is past the place where it did.
        let back = external.way_back(&state, at, contact);
        let is_apart = |clearance: f64| clearance > contact * tip.contact.sigma;
        back == f64::NEG_INFINITY
            || back > 0.0 && external.clearance(&state, at).is_some_and(is_apart)
    };
    if tip.beads.iter().all(is_behind) {
        return vec![format!(
            "stage \"{}\": the tip moves away from the structure: of the {} bead(s) on which it acts none lies ahead of it along its direction; turn its `direction` round, or change its `position`",
            stage.name,
            tip.beads.len()
        )];
    }
    let drag = TipDrag::of(system, &protocol.dynamics, stage, &tip.cantilever);
    let is_one_that_goes_on =
        |external: &External| matches!(external, External::Tip(tip) if tip.cantilever.goes_on);
    // The next stage may bring the tip there.
    let next = protocol.stages.get(number + 1);
    let goes_on = next.is_some_and(|next| next.externals.iter().any(is_one_that_goes_on));
    if !goes_on && let Some(warning) = warning_of_short_way(system, stage, tip, &drag, way) {
        return vec![warning];
    }
    let ends_of_base = stage.stops.iter().filter_map(|rule| match rule.column {
        MeasuredColumn::Whole(Observable::BaseTravel) if rule.above => {
            Some(threshold_of(rule, Observable::BaseTravel, system))
        }
        _ => None,
    });
    let travel = ends_of_base.fold(drag.travel, f64::min);
    let thickness = tip.cantilever.thickness(&tip.beads, positions);
    Reach { system, stage, tip, drag, way: way.max(0.0), travel, thickness }.warnings()
}

/// Where a tip comes into contact, in σ: where one bead pushes it back as hard as is asked.
fn contact_of(tip: &Tip) -> f64 {
    tip.contact.distance_of(tip.cantilever.contact_force) / tip.contact.sigma
}

/// Å: the way of a tip from where it begins to contact; infinite if it meets no bead.
fn way_to_contact(system: &System, tip: &Tip) -> f64 {
    let positions = &system.particles.positions;
    let external = External::Tip(tip.clone());
    let state = external.begin(positions);
    -way_back(&*external, &state, positions, contact_of(tip))
}

/// Whether the base of a tip that begins in a stage goes far enough to bring it into contact.
pub fn base_reaches_beads(system: &System, dynamics: &Dynamics, stage: &Stage, tip: &Tip) -> bool {
    let drag = TipDrag::of(system, dynamics, stage, &tip.cantilever);
    warning_of_short_way(system, stage, tip, &drag, way_to_contact(system, tip)).is_none()
}

/// Warns of rules on the base of a tip that goes on which it cannot meet, wherever the stages before may leave it.
pub(super) fn warnings_of_base(
    system: &System,
    protocol: &Protocol,
    number: usize,
    tip: &Tip,
) -> Vec<String> {
    let (stage, timestep) = (&protocol.stages[number], protocol.dynamics.timestep);
    let [low, high] = base_before(protocol, number);
    let [back, out] = ways_of_base(stage, &tip.cantilever.path, timestep);
    let (low, high) = (low + back, high + out);
    let rounding = 1e-9 * (high - low);
    let warning = |rule: &StopRule| {
        if !matches!(rule.column, MeasuredColumn::Whole(Observable::BaseTravel)) {
            return None;
        }
        let threshold = threshold_of(rule, Observable::BaseTravel, system);
        let farthest = match rule.above {
            true if threshold > high + rounding => format!("at most {}", length(system, high)),
            false if threshold < low - rounding => format!("at least {}", length(system, low)),
            _ => return None,
        };
        Some(format!(
            "stage \"{}\": \"{}\" will hardly be reached: with its way in the stages before the base is {farthest} out; look at the number, the sign of `speed` and the `duration`",
            stage.name, rule.text
        ))
    };
    stage.stops.iter().filter_map(warning).collect()
}

/// Å: between which ways the base of a tip that goes on may begin a stage. A rule may end a stage anywhere.
fn base_before(protocol: &Protocol, number: usize) -> [f64; 2] {
    let timestep = protocol.dynamics.timestep;
    let [mut low, mut high] = [0.0; 2];
    for stage in protocol.stages[..number].iter().rev() {
        let Some(tip) = stage.externals.iter().find_map(|one| one.cantilever()) else { break };
        let end = tip.path.travelled(Moment { step: stage.steps(), timestep });
        let [back, out] = match stage.stops.as_slice() {
            [] => [end; 2],
            _ => ways_of_base(stage, &tip.path, timestep),
        };
        (low, high) = (low + back, high + out);
        if !tip.goes_on {
            break;
        }
    }
    [low, high]
}

/// Å: the least and the most that a base travels up to any step of a stage, from where it begins it.
fn ways_of_base(stage: &Stage, path: &BasePath, timestep: f64) -> [f64; 2] {
    let steps = stage.steps();
    let step = path.out.map_or(steps, |out| out.min(steps));
    let farthest = path.travelled(Moment { step, timestep });
    [farthest.min(0.0), farthest.max(0.0)]
}

/// The number of a rule, in the units inside.
fn threshold_of(rule: &StopRule, column: Observable, system: &System) -> f64 {
    rule.threshold / column.unit_in(system.units).convert(1.0)
}

/// The key that says how far the base goes.
fn key_of_travel(tip: &Tip) -> &'static str {
    if tip.cantilever.path.out.is_some() { "turn_after" } else { "duration" }
}

/// Warns of a base that does not bring its tip to the first bead, which is `way`, Å, before it.
fn warning_of_short_way(
    system: &System,
    stage: &Stage,
    tip: &Tip,
    drag: &TipDrag,
    way: f64,
) -> Option<String> {
    let needed = travel_to(tip, way.max(0.0));
    if way <= 0.0 || drag.travel >= needed {
        return None;
    }
    let advice = match tip.cantilever.path.speed > 0.0 {
        false => "give it a `speed`".to_string(),
        true => format!(
            "it takes {}, so give a longer `{}`, or begin nearer by `gap`",
            time_in_words(system, needed / tip.cantilever.path.speed),
            key_of_travel(tip)
        ),
    };
    Some(format!(
        "stage \"{}\": the base cannot bring the tip to the structure: it travels {}, and the first bead is {} before the tip, which stays {} behind the base by its friction; {advice}",
        stage.name,
        length(system, drag.travel),
        length(system, way),
        length(system, lag_after(tip, drag.travel))
    ))
}

/// Å: how far a tip without noise, which nothing pushes, is behind its base after so much travel from rest: ζν/κ (1 − e^(−κt/ζ)),
/// from ζ dx/dt = κ (νt − x).
fn lag_after(tip: &Tip, travel: f64) -> f64 {
    let steady = tip.cantilever.friction * tip.cantilever.path.speed / tip.cantilever.stiffness;
    if steady > 0.0 { -steady * (-travel / steady).exp_m1() } else { 0.0 }
}

/// Å: the travel of the base that brings the tip so far, found by halving, since tip and base go forward only.
fn travel_to(tip: &Tip, way: f64) -> f64 {
    let (mut least, mut most) =
        (way, way + tip.cantilever.friction * tip.cantilever.path.speed / tip.cantilever.stiffness);
    for _ in 0..60 {
        let middle = 0.5 * (least + most);
        if middle - lag_after(tip, middle) < way {
            least = middle;
        } else {
            most = middle;
        }
    }
    most
}

/// Whether a rule ends its stage before the tip has gone through the beads.
enum Verdict {
    /// The rule ends the stage, or may.
    InTime,
    /// The rule is one on the way of the base, which is judged as a shorter stage is.
    OfBase,
    /// The rule is hardly reached in the stage, for this reason.
    Unreached(String),
    /// The tip has gone through the beads where the rule is reached; the text says how far.
    TooLate(String),
}

/// A tip in a stage that begins with it; lengths in Å.
struct Reach<'a> {
    system: &'a System,
    stage: &'a Stage,
    tip: &'a Tip,
    drag: TipDrag,
    /// From the tip to contact.
    way: f64,
    /// Of the base at most.
    travel: f64,
    /// Of the beads on which it acts.
    thickness: f64,
}

impl Reach<'_> {
    fn warnings(&self) -> Vec<String> {
        let (mut warnings, mut is_judged) = (Vec::new(), false);
        for rule in &self.stage.stops {
            let (said, what) = match self.judge(rule) {
                Verdict::InTime => {
                    is_judged = true;
                    continue;
                }
                Verdict::OfBase => continue,
                Verdict::Unreached(why) => ("will hardly be reached", why),
                Verdict::TooLate(why) => {
                    is_judged = true;
                    ("lies beyond the structure", why)
                }
            };
            let (name, text) = (&self.stage.name, &rule.text);
            warnings.push(format!("stage \"{name}\": \"{text}\" {said}: {what}"));
        }
        if !is_judged {
            warnings.extend(self.warning_of_depth());
        }
        warnings
    }

    fn length(&self, value: f64) -> String {
        length(self.system, value)
    }

    /// The way of the base once its tip has come to the beads. The deformation is this less the bend of the cantilever.
    fn depth(&self) -> f64 {
        self.travel - self.way
    }

    /// How far the cantilever bends at the peak, where this is known.
    fn bend(&self) -> Option<f64> {
        let is_known = self.drag.yardstick == Some(Yardstick::Shell);
        is_known.then(|| self.drag.expected_force / self.tip.cantilever.stiffness)
    }

    fn judge(&self, rule: &StopRule) -> Verdict {
        let MeasuredColumn::Whole(column) = rule.column else { return Verdict::InTime };
        if !rule.above {
            return Verdict::InTime;
        }
        let threshold = threshold_of(rule, column, self.system);
        match column {
            Observable::Deformation => self.judge_depth(threshold),
            Observable::TipTravel => self.judge_depth(threshold - self.way),
            Observable::BaseTravel if threshold > self.drag.travel => {
                Verdict::Unreached(format!("the base travels {}", self.length(self.drag.travel)))
            }
            Observable::BaseTravel => Verdict::OfBase,
            _ => match force_of_rule(rule, self.system.units) {
                Some(least) if least > self.drag.largest_force => Verdict::Unreached(format!(
                    "the cantilever has at most {} after {}",
                    force(self.system, self.drag.largest_force),
                    self.length(self.drag.travel)
                )),
                _ => Verdict::InTime,
            },
        }
    }

    /// A rule that ends the stage at a deformation.
    fn judge_depth(&self, deformation: f64) -> Verdict {
        // A cantilever that is too soft for the peak bends by less.
        let bend = self.bend().filter(|bend| *bend < self.travel);
        if deformation > self.depth() - bend.unwrap_or(0.0) {
            let bends = bend.map(|bend| {
                let force = force(self.system, self.drag.expected_force);
                format!(", and the cantilever bends by some {} at {force}", self.length(bend))
            });
            return Verdict::Unreached(format!(
                "the base travels {}, and the tip comes to the structure after {}{}",
                self.length(self.travel),
                self.length(self.way),
                bends.unwrap_or_default()
            ));
        }
        if deformation > self.thickness {
            return Verdict::TooLate(format!(
                "the beads on which the tip acts are {} thick along its way, and it would go through them or past them before; give a smaller one",
                self.length(self.thickness)
            ));
        }
        Verdict::InTime
    }

    /// Warns of a base that goes farther than the beads are thick and the cantilever bends, in a stage that no rule ends before.
    fn warning_of_depth(&self) -> Option<String> {
        let bend = self.bend();
        let beyond = self.depth() - self.thickness;
        if self.tip.cantilever.path.speed <= 0.0 || beyond <= bend.unwrap_or(0.0) {
            return None;
        }
        let bends = match bend {
            Some(bend) => format!(
                ", and the cantilever bends by some {}: the tip would go through them or past them",
                self.length(bend)
            ),
            None => format!(
                ": the tip would go through them or past them, unless the cantilever bends by {} or more, under {}",
                self.length(beyond),
                force(self.system, beyond * self.tip.cantilever.stiffness)
            ),
        };
        Some(format!(
            "stage \"{}\": the base goes {} on after the tip has come to the beads on which it acts, which are {} thick along its way{bends}; end the stage by a rule such as stop = \"deformation > …\", or give a shorter `{}`",
            self.stage.name,
            self.length(self.depth()),
            self.length(self.thickness),
            key_of_travel(self.tip)
        ))
    }
}
