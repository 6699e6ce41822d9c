//! A panel for each point.

use std::collections::BTreeSet;

use beadwork_analysis::plot::{Colour, Figure};

use super::{ManyPoints, Shows};

/// More labels of lines in each panel are left to the notes.
const MOST_REMARKS: usize = 4;

impl ManyPoints<'_> {
    /// A panel for each point. Its title is the name of the point, of a histogram the whole label.
    pub(super) fn apart(&self, figure: &mut Figure, shows: Shows, each: usize) {
        let mut titles: Vec<String> = self.groups.iter().map(|named| named.short.clone()).collect();
        let panel_of = |colour: Colour| match colour {
            Colour::Palette(number) => Some((number / each, Colour::Palette(number % each))),
            _ => None,
        };
        // What labels say beside the name is true of many panels, and said once.
        let mut said = BTreeSet::new();
        for series in &mut figure.series {
            let Some((panel, colour)) = panel_of(series.colour) else { continue };
            (series.colour, series.panel) = (colour, Some(panel));
            if shows == Shows::Histograms {
                let label = std::mem::take(&mut series.label);
                if let Some(title) = titles.get_mut(panel).filter(|_| !label.is_empty()) {
                    *title = label;
                }
                continue;
            }
            let rest = series.label.strip_prefix(&self.groups[panel].short);
            let rest = rest.unwrap_or(&series.label).trim_matches([' ', ',', ':', '(', ')']);
            series.label = rest.to_string();
            if !said.insert(series.label.clone()) {
                series.label.clear();
            }
        }
        for mark in &mut figure.marks {
            let Some((panel, colour)) = panel_of(mark.colour) else { continue };
            (mark.colour, mark.panel) = (colour, Some(panel));
            if shows == Shows::Histograms {
                mark.label.clear();
            }
        }
        if said.len() > MOST_REMARKS * each {
            let of_points = |colour: Colour| matches!(colour, Colour::Palette(_));
            let of_groups = figure.series.iter_mut().filter(|series| of_points(series.colour));
            of_groups.for_each(|series| series.label.clear());
        }
        figure.panels = titles;
        self.keep_panels(figure);
    }
}
