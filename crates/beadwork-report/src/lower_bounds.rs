//! Quantities whose errors are lower bounds, and why.

use beadwork_analysis::average::Average;

use crate::data::{Code, Finding};

/// The names of quantities whose errors are lower bounds.
#[derive(Debug, Default)]
pub(crate) struct LowerBounds {
    /// There are too few values for their autocorrelation time.
    too_few: Vec<String>,
    /// Values are many enough, but correlations last longer than half of a replica.
    cut_short: Vec<String>,
}

impl LowerBounds {
    /// Adds a quantity, unless its error is known.
    pub fn add(&mut self, average: &Average, quantity: String) {
        match (average.is_known, average.is_cut_short()) {
            (true, _) => {}
            (false, true) => self.cut_short.push(quantity),
            (false, false) => self.too_few.push(quantity),
        }
    }

    /// A finding for each of the two reasons. `basis` names the rows: `stage "run"`.
    pub fn findings(&self, basis: &str) -> Vec<Finding> {
        let names = |quantities: &[String]| quantities.join(", ");
        let too_few = (!self.too_few.is_empty()).then(|| {
            format!(
                "{basis} is shorter than 100 autocorrelation times of {}: errors may be larger; make it longer, or add replicas",
                names(&self.too_few)
            )
        });
        let cut_short = (!self.cut_short.is_empty()).then(|| {
            format!(
                "in {basis} each replica is too short to show how long correlations of {} last: there are many values, but errors may be larger; make it longer, or take 16 replicas or more",
                names(&self.cut_short)
            )
        });
        let texts = too_few.into_iter().chain(cut_short);
        texts.map(|text| Finding::new(Code::FewValues, text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A note of too few values never stands beside a large number of independent values.
    #[test]
    fn the_reason_is_the_one_that_holds() {
        let average = |independent: f64, is_known: bool| Average {
            mean: 1.0,
            error: Some(0.1),
            independent,
            is_known,
        };
        let mut bounds = LowerBounds::default();
        bounds.add(&average(3163.0, true), "energy".into());
        assert!(bounds.findings("stage \"run\"").is_empty());
        bounds.add(&average(3163.0, false), "radius of gyration".into());
        bounds.add(&average(12.0, false), "end-to-end distance".into());
        let texts: Vec<String> =
            bounds.findings("stage \"run\"").into_iter().map(|finding| finding.text).collect();
        assert_eq!(texts.len(), 2);
        let few = "stage \"run\" is shorter than 100 autocorrelation times of end-to-end distance:";
        assert!(texts[0].starts_with(few), "{texts:?}");
        let cut = "in stage \"run\" each replica is too short to show how long correlations of radius of gyration last";
        assert!(texts[1].starts_with(cut), "{texts:?}");
    }
}
