//! A curve beside its law, and whether chance or rounding explains the difference.

use beadwork_analysis::oscillators::joint_bound;

/// By what points may differ from the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Noise: one run in a thousand may be beyond the bound.
    Chance,
    /// At T = 0 the rounding of each step.
    Rounding,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Compared {
    /// ns.
    pub time: f64,
    pub value: f64,
    pub law: f64,
    /// The standard error of the law, or what rounding may do.
    pub error: f64,
    /// The difference from the law: that of a normal number as rare, in its standard errors, or in what rounding may do.
    pub off: f64,
}

/// Points of a curve.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    pub what: &'static str,
    pub scale: Scale,
    pub points: Vec<Compared>,
}

impl Comparison {
    /// The largest difference; what is no number is beyond all.
    fn worst(&self) -> f64 {
        let off =
            |point: &Compared| if point.off.is_nan() { f64::INFINITY } else { point.off.abs() };
        self.points.iter().map(off).fold(0.0, f64::max)
    }

    fn bound(&self) -> f64 {
        match self.scale {
            Scale::Chance => joint_bound(self.points.len()),
            Scale::Rounding => 1.0,
        }
    }

    pub fn agrees(&self) -> bool {
        self.worst() <= self.bound()
    }

    pub fn in_words(&self) -> String {
        let (what, count, worst) = (self.what, self.points.len(), self.worst());
        match self.scale {
            Scale::Chance => format!(
                "{what}: at most {worst:.2} normal standard errors from the law at {count} time(s); one in a thousand would be beyond {:.2}",
                self.bound()
            ),
            Scale::Rounding => format!(
                "{what}: at most {worst:.2} of what rounding explains from the law without noise at {count} time(s)"
            ),
        }
    }
}
