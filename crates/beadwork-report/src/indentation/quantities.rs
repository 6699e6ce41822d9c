//! What a cycle of a replica is asked: the values of the answer and the columns of `indentation.csv`.

use beadwork_analysis::indentation::Pressed;
use beadwork_model::Units;

/// The dimension of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QuantityUnit {
    Force,
    Length,
    Stiffness,
    Modulus,
    Work,
    Energy,
    Count,
}

impl QuantityUnit {
    /// The symbol, and the end of a column's name.
    fn symbols(self) -> [&'static str; 2] {
        match self {
            QuantityUnit::Force => ["pN", "_pN"],
            QuantityUnit::Length => ["nm", "_nm"],
            QuantityUnit::Stiffness => ["pN/nm", "_pN_per_nm"],
            QuantityUnit::Modulus => ["MPa", "_MPa"],
            QuantityUnit::Work => ["pN nm", "_pN_nm"],
            QuantityUnit::Energy => ["kcal/mol", "_kcal_per_mol"],
            QuantityUnit::Count => ["", ""],
        }
    }

    pub fn symbol(self, units: Units) -> &'static str {
        if units == Units::Real { self.symbols()[0] } else { "" }
    }

    pub fn suffix(self, units: Units) -> &'static str {
        if units == Units::Real { self.symbols()[1] } else { "" }
    }
}

/// On what a quantity rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Basis {
    Peak,
    Initial,
    Asked,
    Hertz,
    Work,
    Energy,
    AtStart,
    BetweenAtStart,
    Contacts,
    Contact,
}

/// A quantity of a cycle.
pub(super) struct Quantity {
    /// The stable name, without the unit.
    pub name: &'static str,
    /// The name in words; empty if words leave it out.
    pub words: &'static str,
    pub unit: QuantityUnit,
    pub basis: Basis,
    pub value: fn(&Pressed) -> Option<f64>,
}

/// Defines the list of quantities.
macro_rules! quantities {
    ($($name:literal, $words:literal, $unit:ident, $basis:ident, $value:expr;)+) => {
        /// The quantities in the order of words and columns.
        pub(super) const QUANTITIES: [Quantity; [$($name),+].len()] = [$(Quantity {
            name: $name,
            words: $words,
            unit: QuantityUnit::$unit,
            basis: Basis::$basis,
            value: $value,
        }),+];
    };
}

quantities! {
    "peak_force", "peak force", Force, Peak, |of| Some(of.peak?.force);
    "peak_deformation", "deformation at the peak", Length, Peak, |of| Some(of.peak?.deformation);
    "tip_force_at_peak", "", Force, Peak, |of| Some(of.peak?.tip_force);
    "peak_force_on_tip", "peak force on the tip", Force, Peak, |of| of.tip_peak;
    "initial_slope", "initial slope", Stiffness, Initial, |of| Some(of.initial?.cantilever.slope);
    "initial_slope_on_tip", "initial slope of the force on the tip", Stiffness, Initial,
        |of| Some(of.initial?.tip.slope);
    "initial_slope_of_drag", "", Stiffness, Initial, |of| Some(of.initial?.drag);
    "initial_slope_end", "", Length, Initial, |of| Some(of.initial?.to);
    "slope", "slope", Stiffness, Asked, |of| Some(of.slope?.cantilever.slope);
    "slope_on_tip", "slope of the force on the tip", Stiffness, Asked,
        |of| Some(of.slope?.tip.slope);
    "slope_of_drag", "", Stiffness, Asked, |of| Some(of.slope?.drag);
    "reduced_modulus", "reduced modulus by Hertz", Modulus, Hertz, |of| Some(of.hertz?.0.modulus);
    "hertz_zero", "", Length, Hertz, |of| Some(of.hertz?.0.zero);
    "hertz_deviation", "", Force, Hertz, |of| Some(of.hertz?.0.deviation);
    "hertz_end", "", Length, Hertz, |of| Some(of.hertz?.1.1);
    "work_out", "work of the base on its way out", Work, Work, |of| of.work_out;
    "work_back", "work given back", Work, Work, |of| of.work_back;
    "dissipated_work", "dissipated work", Work, Work, Pressed::dissipated;
    "energy_change", "change of the energy in the approach", Energy, Energy,
        |of| of.energy_change;
    "contacts_at_start", "contacts at the start of the approach", Count, AtStart,
        |of| of.at_start;
    "contacts_lost_at_peak", "contacts lost at the peak", Count, Contacts, |of| of.lost_at_peak;
    "contacts_lost_at_end", "contacts lost at the end", Count, Contacts, |of| of.lost_at_end;
    "contacts_between_chains_at_start", "contacts between chains at the start of the approach",
        Count, BetweenAtStart, |of| of.between_at_start;
    "contacts_between_chains_lost_at_peak", "contacts between chains lost at the peak", Count,
        Contacts, |of| of.between_lost_at_peak;
    "contacts_between_chains_lost_at_end", "contacts between chains lost at the end", Count,
        Contacts, |of| of.between_lost_at_end;
    "contact_deformation", "", Length, Contact, |of| of.contact;
}
