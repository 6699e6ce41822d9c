//! All figures of an answer.

use beadwork_analysis::plot::Figure;

use super::Answer;
use crate::data;
use crate::many_points::{ManyPoints, PointFigure, Shows};
use crate::pulling::lifetimes;
use crate::pulling::{self, PulledGroup, loading_rates};
use crate::{bead_models, indentation, oscillations, replica_exchange};

impl Answer {
    /// The figures, each with the name of its file without the ending.
    pub(crate) fn figures(&self) -> Vec<(String, Figure)> {
        let summary = self.summary();
        // Groups of kinds follow each other in this order.
        let mut rest = summary.groups.as_slice();
        let mut next = |count: usize| {
            let (of_kind, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            of_kind
        };
        let of_molecules = next(self.molecules.len());
        let of_tips = next(self.indented.len());
        let of_oscillators = next(self.oscillations.len());
        let of_beads = next(self.bead_models.len());
        let of_ladders = next(self.ladders.len());
        let mut figures = Vec::new();
        let mut add = |points: &ManyPoints<'_>, more: Vec<PointFigure>| {
            figures.extend(more.into_iter().map(|figure| points.arrange(figure)));
        };
        for (numbers, more) in bead_models::figures(&self.bead_models) {
            add(&named(numbers.iter().map(|&number| &of_beads[number])), more);
        }
        let mut of_oscillations = with_stems(oscillations::figures(&self.oscillations));
        of_oscillations.iter_mut().for_each(|figure| figure.shows = Shows::Laws);
        add(&named(of_oscillators), of_oscillations);
        add(&named(of_ladders), replica_exchange::figures(&self.ladders));
        add(&named(of_tips), indentation::figures(&self.indented));
        let others = [self.oscillations.len(), self.bead_models.len(), self.ladders.len()];
        let has_others = others != [0; 3] || !self.indented.is_empty();
        if !self.molecules.is_empty() || !has_others {
            let pulled = self.pulled();
            let rates = loading_rates::points(&pulled);
            add(&named(&rates), with_stems(loading_rates::figure(&pulled)));
            let points =
                pulled.iter().map(|(place, group)| (group.name.as_str(), &of_molecules[*place]));
            let points = ManyPoints::new(points);
            let pulled: Vec<&PulledGroup> = pulled.iter().map(|(_, group)| *group).collect();
            add(&points, with_stems(pulling::figures(&pulled)));
            add(&named(of_molecules), with_stems(lifetimes::figure(&self.lifetimes())));
        }
        figures.extend(data::figures(&summary));
        with_names_of_their_own(figures)
    }
}

/// Groups whose names in figures are those of the answer.
fn named<'a>(groups: impl IntoIterator<Item = &'a data::Group>) -> ManyPoints<'a> {
    ManyPoints::new(groups.into_iter().map(|group| (group.name.as_str(), group)))
}

fn with_stems(figures: impl IntoIterator<Item = (&'static str, Figure)>) -> Vec<PointFigure> {
    figures.into_iter().map(|(stem, figure)| PointFigure::new(stem, figure)).collect()
}

/// Numbers figures whose names others have: runs of several models may have figures of one quantity, and names of types may differ in
/// signs alone, which file names lack.
fn with_names_of_their_own(figures: Vec<(String, Figure)>) -> Vec<(String, Figure)> {
    let mut named: Vec<(String, Figure)> = Vec::new();
    for (stem, figure) in figures {
        let is_free = |stem: &String| named.iter().all(|(other, _)| other != stem);
        let numbered = (2..).map(|number| format!("{stem}-{number}"));
        let stem = std::iter::once(stem.clone()).chain(numbered).find(is_free);
        named.extend(stem.map(|stem| (stem, figure)));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_figure_has_the_name_of_another_one() {
        let figures = ["size", "heat", "size", "size"].map(|stem| (stem.into(), Figure::default()));
        let named = with_names_of_their_own(figures.into());
        let stems: Vec<&str> = named.iter().map(|(stem, _)| stem.as_str()).collect();
        assert_eq!(stems, ["size", "heat", "size-2", "size-3"]);
    }
}
