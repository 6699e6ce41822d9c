//! Columns of single pulling externals, and any column that is measured.

use super::{Observable, Sample, Unit};
use crate::externals::{External, Pulling};
use crate::units::Units;

/// A column of one pulling external that has a name: its `quantity` alone. The word is `force_NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullColumn {
    /// The name of the external.
    pub pull: String,
    /// One of [`PullColumn::QUANTITIES`].
    pub quantity: Observable,
}

/// A pulling external that has a name, at the step of a row.
#[derive(Clone, Copy, Debug)]
pub struct NamedPull<'a> {
    /// The name.
    pub name: &'a str,
    /// Å: the distance between the centres of the beads that it holds and pulls. If it holds none, the way of the pulled centre
    /// along its direction since the stage began.
    pub extension: f64,
    /// Along its direction at this instant, kcal/(mol Å).
    pub force: Option<f64>,
    /// The mean over the steps since the last row or the beginning of the stage, kcal/(mol Å).
    pub mean_force: Option<f64>,
    /// Å: the way of its base along its direction since the stage began.
    pub base_travel: Option<f64>,
    /// kcal/mol since the stage began.
    pub work: f64,
}

impl PullColumn {
    /// What is measured of each, in the order of the columns.
    pub const QUANTITIES: [Observable; 5] = [
        Observable::Extension,
        Observable::Force,
        Observable::MeanForce,
        Observable::BaseTravel,
        Observable::Work,
    ];

    /// The columns of the named ones among some externals, in the order in which names first appear. Only springs have a base.
    pub fn of_externals<'a>(
        externals: impl IntoIterator<Item = &'a External, IntoIter: Clone>,
    ) -> Vec<PullColumn> {
        let externals = externals.into_iter();
        let mut names: Vec<&str> = Vec::new();
        for name in externals.clone().filter_map(External::name) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let columns = |name: &str| {
            let mut of_name = externals.clone().filter(|external| external.name() == Some(name));
            let has_base = of_name.any(|external| external.pulling() == Pulling::Spring);
            let quantities = PullColumn::QUANTITIES.into_iter();
            let measured = quantities.filter(|one| has_base || *one != Observable::BaseTravel);
            let column = |quantity| PullColumn { pull: name.to_string(), quantity };
            measured.map(column).collect::<Vec<_>>()
        };
        names.into_iter().flat_map(columns).collect()
    }

    /// The word in a stop rule.
    pub fn word(&self) -> String {
        format!("{}_{}", self.quantity.word(), self.pull)
    }

    /// The column's header in a system with these units: the word and, in real units, the unit.
    pub fn column_in(&self, units: Units) -> String {
        let of_all = self.quantity.column_in(units);
        let suffix = of_all.strip_prefix(self.quantity.word()).unwrap_or_default();
        self.word() + suffix
    }

    /// Its value in the column's unit; `None` where the external does not act.
    pub fn value(&self, sample: &Sample<'_>) -> Option<f64> {
        let pull = sample.pulls.iter().find(|pull| pull.name == self.pull)?;
        let value = match self.quantity {
            Observable::Extension => Some(pull.extension),
            Observable::Force => pull.force,
            Observable::MeanForce => pull.mean_force,
            Observable::BaseTravel => pull.base_travel,
            Observable::Work => Some(pull.work),
            _ => None,
        };
        value.map(|value| self.quantity.unit_in(sample.system.units).convert(value))
    }
}

/// A column that is measured: of the whole system, or of one pulling external.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeasuredColumn {
    /// Of the whole system, or of all externals together.
    Whole(Observable),
    /// Of one external.
    OfPull(PullColumn),
}

impl From<Observable> for MeasuredColumn {
    fn from(observable: Observable) -> MeasuredColumn {
        MeasuredColumn::Whole(observable)
    }
}

impl MeasuredColumn {
    /// What is measured.
    pub fn quantity(&self) -> Observable {
        match self {
            MeasuredColumn::Whole(observable) => *observable,
            MeasuredColumn::OfPull(column) => column.quantity,
        }
    }

    /// The name of the external, if it is of one.
    pub fn pull(&self) -> Option<&str> {
        match self {
            MeasuredColumn::Whole(_) => None,
            MeasuredColumn::OfPull(column) => Some(&column.pull),
        }
    }

    /// The name and the unit for people: `force of drive left / pN`.
    pub fn in_words(&self, units: Units) -> String {
        let name = self.quantity().in_words(Units::Reduced);
        let of = self.pull().map(|pull| format!(" of drive {pull}")).unwrap_or_default();
        match self.unit_in(units).symbol() {
            "" => name + &of,
            symbol => format!("{name}{of} / {symbol}"),
        }
    }

    /// The word in a stop rule.
    pub fn word(&self) -> String {
        match self {
            MeasuredColumn::Whole(observable) => observable.word().to_string(),
            MeasuredColumn::OfPull(column) => column.word(),
        }
    }

    /// The column's header in a system with these units.
    pub fn column_in(&self, units: Units) -> String {
        match self {
            MeasuredColumn::Whole(observable) => observable.column_in(units).to_string(),
            MeasuredColumn::OfPull(column) => column.column_in(units),
        }
    }

    /// The column's unit in a system with these units.
    pub fn unit_in(&self, units: Units) -> Unit {
        self.quantity().unit_in(units)
    }

    /// Its value in the column's unit.
    pub fn value(&self, sample: &Sample<'_>) -> Option<f64> {
        match self {
            MeasuredColumn::Whole(observable) => observable.value(sample),
            MeasuredColumn::OfPull(column) => column.value(sample),
        }
    }
}
