//! What an answer rests on, and what is wrong with it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Defines the codes. An entry has documentation, the variant, its text in files, and the class by which `--fail-on` asks.
macro_rules! codes {
    ($($(#[$documentation:meta])* $code:ident: $text:literal, $class:expr;)+) => {
        /// The kind of a finding. The texts are stable: programs may decide by them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum Code {
            $($(#[$documentation])* #[serde(rename = $text)] $code),+
        }

        impl Code {
            /// All codes.
            pub const ALL: [Code; [$($text),+].len()] = [$(Code::$code),+];

            /// The text in files.
            pub const fn text(self) -> &'static str {
                match self { $(Code::$code => $text),+ }
            }

            /// The class by which `--fail-on` asks for it.
            pub const fn class(self) -> Option<Class> {
                match self { $(Code::$code => $class),+ }
            }
        }
    };
}

codes! {
    /// The run agrees with the law of its scheme.
    Agreement: "agreement", None;
    /// The run contradicts the law of its scheme, or energies of neighbours are not those of one system.
    Disagreement: "disagreement", Some(Class::Disagreement);
    /// A mean temperature is more than a fifth off that of the bath, by more than chance explains, or a hundred times that one.
    FarFromBath: "far-from-bath", Some(Class::Disagreement);
    /// A mean temperature is more than 1 % off the set one, by more than chance explains. Usual time steps of DPD do that.
    OffBath: "off-bath", None;
    /// Values still change within the rows that are averaged.
    Drift: "drift", Some(Class::Drift);
    /// There are too few independent values: an error is missing, or a lower bound. Or averages of a tip have few rows.
    FewValues: "few-values", Some(Class::FewValues);
    /// Replicas made too few round trips through the temperatures.
    FewRoundTrips: "few-round-trips", Some(Class::FewValues);
    /// Replicas do not mix between two temperatures.
    NoMixing: "no-mixing", Some(Class::FewValues);
    /// Replicas failed.
    Failed: "failed", Some(Class::Failure);
    /// There are no values, and why.
    NoValues: "no-values", Some(Class::FewValues);
    /// Replicas have steps left.
    Unfinished: "unfinished", None;
    /// Files could not be compared with what was written, or are gone.
    NotCompared: "not-compared", None;
    /// Replicas of the run are in none of the folders.
    Missing: "missing-replicas", None;
    /// Rows have an empty cell that an answer needs.
    LeftOut: "rows-left-out", None;
    /// Averages have rows from the start on, equilibration included.
    FromStart: "from-start", None;
    /// Moves were fitted in the stage that is averaged.
    AdaptiveMoves: "adaptive-moves", None;
    /// Means of curves are over those replicas alone that have not stopped.
    Survivors: "survivors", None;
    /// A peak of the force may be noise.
    NoisePeaks: "noise-peaks", None;
    /// Later stages have no part in the answer.
    OtherStages: "other-stages", None;
    /// Squared displacements do not grow as time.
    NotDiffusive: "not-diffusive", None;
    /// A diffusion coefficient rests on too few times for a slope.
    FewTimes: "few-times", None;
    /// A quantity is missing, and why.
    NotMeasured: "not-measured", None;
    /// Temperatures were placed by another rule than asked for.
    PlacedOtherwise: "placed-otherwise", None;
    /// A maximum may be none, or lies where its curve ends.
    NoPeak: "no-peak", None;
    /// A stage ended by its duration, and none of its stop rules did.
    UnmetRule: "unmet-rule", None;
    /// A range that was asked for ends beyond the data.
    BeyondData: "beyond-data", None;
    /// The force on a tip is not the one that its way shows.
    UnstableTip: "unstable-tip", Some(Class::Disagreement);
    /// A slope rests on fewer rows than an averaging window has.
    ShortRange: "short-range", None;
    /// The slopes of two forces over the same range differ, by friction or by scatter.
    SlopesDiffer: "slopes-differ", None;
    /// Runs that are compared have the same noise.
    SameNoise: "same-noise", None;
    /// Loading rates lie close together.
    NarrowRates: "narrow-rates", None;
    /// A rule ended a stage at its first check.
    FirstCheck: "first-check", None;
    /// A tip never came into contact.
    NoContact: "no-contact", Some(Class::FewValues);
    /// Friction has a part in the force of a tip or a spring.
    Drag: "drag", None;
    /// Nothing shakes a tip, which is cold for the beads that it touches.
    ColdTip: "cold-tip", None;
    /// A modulus rests on the law of an elastic half space.
    HalfSpace: "half-space", None;
}

/// What `--fail-on` can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Replicas failed.
    Failure,
    /// Values still change.
    Drift,
    /// Theory and run differ.
    Disagreement,
    /// Errors are missing, or lower bounds.
    FewValues,
}

/// Something to know about an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Its kind.
    pub code: Code,
    /// A sentence.
    pub text: String,
}

impl Finding {
    /// A finding of this kind.
    pub fn new(code: Code, text: impl Into<String>) -> Finding {
        Finding { code, text: text.into() }
    }

    /// Whether it is the verdict of a comparison, which is no note.
    pub(super) fn is_verdict(&self) -> bool {
        matches!(self.code, Code::Agreement | Code::Disagreement | Code::NoValues)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_texts_in_json() {
        for code in Code::ALL {
            let text = serde_json::to_string(&code).unwrap();
            assert_eq!(text, format!("\"{}\"", code.text()));
            assert_eq!(serde_json::from_str::<Code>(&text).unwrap(), code);
        }
    }
}
