//! Sweeps over the loading of molecules at which several drives pull.
//!
//! The law of Bell and Evans needs the rate at which the force on the molecule grows. Where two springs pull at its ends, this rate
//! depends on the speeds and the stiffnesses of both, and κν of one is not it.

use super::loading_rates::NO_LAW;
use super::replicas::PulledGroup;
use crate::data::{self, Code};

/// Points that differ in how some drives load a molecule together.
struct SharedSeries<'a> {
    about: data::Group,
    together: &'a [String],
    /// Each spring with its κν at each point, pN/s.
    rates: Vec<(&'a str, f64)>,
}

/// A group for each series of points at which springs pull with several κν: why no law fits.
pub(super) fn answers(groups: &[(usize, &PulledGroup)]) -> Vec<data::Group> {
    let mut found: Vec<SharedSeries<'_>> = Vec::new();
    for (_, group) in groups {
        let Some(loading) = &group.loading else { continue };
        let together = loading.together.as_slice();
        if together.is_empty() {
            continue;
        }
        let about = loading.begin_series(drives_in_words(together));
        let place = found.iter().position(|one| one.about.name == about.name);
        let place = place.unwrap_or_else(|| {
            found.push(SharedSeries { about, together, rates: Vec::new() });
            found.len() - 1
        });
        let one = &mut found[place];
        // Each point has a group for each of its springs.
        if !one.about.points.contains(&loading.point) {
            one.about.points.push(loading.point);
            one.about.replicas += group.members.len();
            one.about.failed += loading.failed;
        }
        one.rates.push((group.drive.as_str(), loading.rate));
    }
    found.into_iter().filter(SharedSeries::is_swept).map(SharedSeries::answer).collect()
}

impl SharedSeries<'_> {
    /// Whether a spring has two rates or more.
    fn is_swept(&self) -> bool {
        let first = |drive: &str| self.rates.iter().find(|(other, _)| *other == drive);
        self.rates.iter().any(|(drive, rate)| first(drive).is_some_and(|(_, one)| one != rate))
    }

    fn answer(self) -> data::Group {
        let mut answer = self.about;
        let drives = drives_in_words(self.together);
        answer.find(
            Code::NotMeasured,
            format!(
                "{NO_LAW} {drives} load the same molecule, so κν of one is not its loading rate: hold one end, and sweep the speed of a spring at the other"
            ),
        );
        answer
    }
}

/// `drives left and right`.
fn drives_in_words(names: &[String]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => {
            format!("drives {} and {last}", others.join(", "))
        }
        _ => format!("drive {}", names.concat()),
    }
}
