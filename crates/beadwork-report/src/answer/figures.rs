//! All figures of an answer.

use beadwork_analysis::plot::{Figure, Style};

use super::Answer;
use crate::data;
use crate::many_points::{ManyPoints, Shows};
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
        let mut figures = bead_models::figures(&self.bead_models);
        arrange(&mut figures, &named(of_beads), 1);
        let mut add = |mut more: Vec<(String, Figure)>, points: &ManyPoints<'_>, each: usize| {
            arrange(&mut more, points, each);
            figures.extend(more);
        };
        add(with_stems(oscillations::figures(&self.oscillations)), &named(of_oscillators), 1);
        add(with_stems(replica_exchange::figures(&self.ladders)), &named(of_ladders), 1);
        let cycles = indentation::most_cycles(&self.indented);
        add(with_stems(indentation::figures(&self.indented)), &named(of_tips), cycles);
        let others = [self.oscillations.len(), self.bead_models.len(), self.ladders.len()];
        let has_others = others != [0; 3] || !self.indented.is_empty();
        if !self.molecules.is_empty() || !has_others {
            let pulled = self.pulled();
            // This figure has a series for each fit, over several points of the sweep, so it needs no arrangement.
            figures.extend(with_stems(loading_rates::figure(&pulled)));
            let points =
                pulled.iter().map(|(place, group)| (group.name.as_str(), &of_molecules[*place]));
            let points = ManyPoints::new(points);
            let pulled: Vec<&PulledGroup> = pulled.iter().map(|(_, group)| *group).collect();
            let mut of_pulled = with_stems(pulling::figures(&pulled));
            arrange(&mut of_pulled, &points, 1);
            figures.extend(of_pulled);
            let mut survival = with_stems(lifetimes::figure(&self.lifetimes()));
            arrange(&mut survival, &named(of_molecules), 1);
            figures.extend(survival);
        }
        figures.extend(data::figures(&summary));
        figures
    }
}

/// Groups whose names in figures are those of the answer.
fn named(groups: &[data::Group]) -> ManyPoints<'_> {
    ManyPoints::new(groups.iter().map(|group| (group.name.as_str(), group)))
}

fn with_stems(figures: impl IntoIterator<Item = (&'static str, Figure)>) -> Vec<(String, Figure)> {
    figures.into_iter().map(|(stem, figure)| (stem.to_string(), figure)).collect()
}

fn arrange(figures: &mut [(String, Figure)], points: &ManyPoints<'_>, each: usize) {
    for (_, figure) in figures {
        let has_bars =
            figure.series.iter().any(|series| matches!(series.style, Style::Bars { .. }));
        let shows = if has_bars { Shows::Histograms } else { Shows::Curves };
        points.arrange(figure, shows, each);
    }
}
