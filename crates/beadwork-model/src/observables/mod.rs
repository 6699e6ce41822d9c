//! Observables of a trajectory: the list of the table's columns, and one file for each function.

mod columns;
mod end_to_end_distance;
mod extension;
mod independent_particles;
mod kinetic_energy;
mod momentum;
mod native_contacts;
mod pressure;
mod pull_columns;
mod radius_of_gyration;
mod sample;
mod temperature;

pub use end_to_end_distance::end_to_end_distance;
pub use extension::extension;
pub use kinetic_energy::{kinetic_energy, kinetic_energy_of, kinetic_temperature};
pub use native_contacts::{
    native_contact_holds, native_contacts_between_chains, native_contacts_held,
};
pub use pull_columns::{MeasuredColumn, NamedPull, PullColumn};
pub use radius_of_gyration::{radius_of_gyration, radius_of_gyration_by_mass};
pub use sample::{EnergiesOfExternals, Measured, Pull, Sample, Sums, Velocities};
pub use temperature::{expected_temperature_reading, temperature_from_displacements};

use crate::dynamics::Dynamics;
use crate::models::Model;
use crate::particles::positions_of;
use crate::potentials::NativeContact;
use crate::sums::sum;
use crate::system::System;
use crate::units::*;
use columns::{
    bead_models, bead_models_without_velocities, chains, general_models, none_unasked,
    open_bead_models, particles, particles_in_space, particles_in_wells, sop_models,
    stepped_systems, systems_in_boxes, tables_with_angles, tables_with_bonds, tables_with_charges,
    tables_with_contacts, tables_with_velocities,
};
use independent_particles::{particle_energy, spread_temperature};
use momentum::momentum;
use pressure::pressure;

/// Defines the units of columns. Each entry has the suffix of the column's name, the symbol in words, the dimension, and
/// the conversion from internal units.
macro_rules! units {
    ($suffix_of:ident: $(
        $(#[$documentation:meta])*
        $unit:ident: $suffix:literal, $symbol:literal, $dimension:ident, $convert:expr;
    )+) => {
        /// The unit of a column.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Unit {
            $($(#[$documentation])* $unit),+
        }

        impl Unit {
            /// The symbol of the unit; empty for numbers.
            pub const fn symbol(self) -> &'static str {
                match self { $(Unit::$unit => $symbol),+ }
            }

            /// The dimension of the unit.
            pub fn dimension(self) -> Dimension {
                match self { $(Unit::$unit => Dimension::$dimension),+ }
            }

            /// Converts a value from internal units.
            pub fn convert(self, value: f64) -> f64 {
                let convert: fn(f64) -> f64 = match self { $(Unit::$unit => $convert),+ };
                convert(value)
            }
        }

        /// The suffix of a column's name, as a literal.
        macro_rules! $suffix_of { $(($unit) => { $suffix };)+ }
    };
}

units! { suffix_of:
    /// nm.
    Nanometre: "_nm", "nm", Length, |value| value / ANGSTROMS_PER_NANOMETRE;
    /// nm².
    SquareNanometre: "_nm2", "nm²", Area, |value| value / (ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE);
    /// pN.
    Piconewton: "_pN", "pN", Force, |value| value * PICONEWTONS_PER_FORCE;
    /// pN nm.
    PiconewtonNanometre: "_pN_nm", "pN nm", Energy, |value| value * PICONEWTON_NANOMETRES_PER_KCAL_MOL;
    /// kcal/mol.
    KilocaloriePerMole: "_kcal_per_mol", "(kcal/mol)", Energy, |value| value;
    /// bar, 10⁵ Pa.
    Bar: "_bar", "bar", Pressure, |value| value * BAR_PER_PRESSURE;
    /// kcal/(mol nm²).
    KilocaloriePerMoleSquareNanometre: "_kcal_per_mol_nm2", "(kcal/(mol nm²))", Stiffness, |value| value * ANGSTROMS_PER_NANOMETRE * ANGSTROMS_PER_NANOMETRE;
    /// Da nm/ps.
    DaltonNanometrePerPicosecond: "_Da_nm_per_ps", "(Da nm/ps)", Number, |value| value / ANGSTROMS_PER_NANOMETRE;
    /// K.
    Kelvin: "_K", "K", Temperature, |value| value / BOLTZMANN;
    /// A whole number.
    Count: "", "", Number, |value| value;
    /// A number in reduced units.
    Reduced: "", "", Number, |value| value;
}

/// Defines the list of observables. An entry has documentation, the word in a stop rule (the column's name is this word
/// with the unit), the unit, the tables of which it is a column, and a function. The function returns internal units, or
/// `None` if the quantity has no meaning at that step.
macro_rules! observables {
    ($(
        $(#[$documentation:meta])*
        $name:ident: $word:literal in $unit:ident, of $tables:ident, $value:expr;
    )+) => {
        /// A measured quantity: a column of the table, or the subject of a stop rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Observable {
            $($(#[$documentation])* $name),+
        }

        impl Observable {
            /// Every observable, in the order of the columns.
            pub const ALL: [Observable; [$($word),+].len()] = [$(Observable::$name),+];

            /// The word in a stop rule, which takes no column on request.
            pub const fn word(self) -> &'static str {
                match self { $(Observable::$name => $word),+ }
            }

            /// The column's header in a system with real units: the word and the unit.
            pub const fn column(self) -> &'static str {
                match self { $(Observable::$name => concat!($word, suffix_of!($unit))),+ }
            }

            /// The column's unit in a system with real units.
            pub const fn unit(self) -> Unit {
                match self { $(Observable::$name => Unit::$unit),+ }
            }

            /// Whether tables of the system with these dynamics have the column unasked.
            pub fn is_measured_in(self, system: &System, dynamics: &Dynamics) -> bool {
                match self { $(Observable::$name => $tables(system, dynamics)),+ }
            }

            /// Its value in the column's unit.
            pub fn value(self, sample: &Sample<'_>) -> Option<f64> {
                let value: fn(&Sample<'_>) -> Option<f64> =
                    match self { $(Observable::$name => $value),+ };
                let unit = self.unit_in(sample.system.units);
                value(sample).map(|value| unit.convert(value))
            }
        }
    };
}

// The order is that of the columns.
observables! {
    /// Distance between the centres of the two ends.
    Extension: "extension" in Nanometre, of open_bead_models,
        |sample| Some(extension(&sample.ends.0, &sample.ends.1, sample.positions));
    /// Force of the pulling externals along their direction, at this instant.
    Force: "force" in Piconewton, of open_bead_models, |sample| Some(sample.pull?.force);
    /// The same, averaged over the steps since the last row.
    MeanForce: "mean_force" in Piconewton, of open_bead_models, |sample| sample.sums.mean_force();
    /// Work done by the pulling externals since the stage began; by the base of a tip, since the first of the stages in which
    /// it goes on.
    Work: "work" in PiconewtonNanometre, of open_bead_models, |sample| Some(sample.pull?.work);
    /// Energy of FENE and harmonic bonds.
    BondEnergy: "bond_energy" in KilocaloriePerMole, of tables_with_bonds,
        |sample| Some(sample.energies.bonds);
    /// Energy of native contacts, and of the springs that hold folded domains.
    ContactEnergy: "contact_energy" in KilocaloriePerMole, of tables_with_contacts,
        |sample| Some(sample.energies.contacts);
    /// Energy of the repulsion.
    RepulsionEnergy: "repulsion_energy" in KilocaloriePerMole, of sop_models,
        |sample| Some(sample.energies.pairs);
    /// Energy of angles.
    AngleEnergy: "angle_energy" in KilocaloriePerMole, of tables_with_angles,
        |sample| Some(sample.energies.angles);
    /// Energy of pairs within a cutoff, except that of their charges.
    PairEnergy: "pair_energy" in KilocaloriePerMole, of general_models,
        |sample| Some(sample.energies.pairs);
    /// Energy of charges.
    ChargeEnergy: "charge_energy" in KilocaloriePerMole, of tables_with_charges,
        |sample| Some(sample.energies.charges);
    /// Energy of traps and restraints.
    TrapEnergy: "trap_energy" in KilocaloriePerMole, of open_bead_models,
        |sample| Some(sample.energies.singles);
    /// Sum of these energies, where beads have no velocities.
    TotalEnergy: "total_energy" in KilocaloriePerMole, of bead_models_without_velocities,
        |sample| Some(sample.energies.total());
    /// Sum of these energies, where beads have velocities.
    PotentialEnergy: "potential_energy" in KilocaloriePerMole, of tables_with_velocities,
        |sample| Some(sample.energies.total());
    /// Energy of the velocities.
    KineticEnergy: "kinetic_energy" in KilocaloriePerMole, of tables_with_velocities,
        |sample| sample.kinetic_energy();
    /// Temperature of the velocities at this instant; without velocities, estimated from the displacements since the last
    /// row or exchange.
    Temperature: "temperature" in Kelvin, of stepped_systems, |sample| sample.temperature();
    /// Pressure in a periodic box of volume V, (2K + virial)/3V. Without velocities 3NkT at the temperature of the bath is in
    /// place of 2K.
    Pressure: "pressure" in Bar, of systems_in_boxes, pressure;
    /// The pressure tensor, of which the pressure is the mean diagonal: its component xx.
    PressureXx: "pressure_xx" in Bar, of none_unasked, |sample| sample.pressure_component(0);
    /// Its component yy.
    PressureYy: "pressure_yy" in Bar, of none_unasked, |sample| sample.pressure_component(1);
    /// Its component zz.
    PressureZz: "pressure_zz" in Bar, of none_unasked, |sample| sample.pressure_component(2);
    /// Its component xy.
    PressureXy: "pressure_xy" in Bar, of none_unasked, |sample| sample.pressure_component(3);
    /// Its component xz.
    PressureXz: "pressure_xz" in Bar, of none_unasked, |sample| sample.pressure_component(4);
    /// Its component yz.
    PressureYz: "pressure_yz" in Bar, of none_unasked, |sample| sample.pressure_component(5);
    /// Temperature of the configuration, Σ F²/(k_B Σ ∇²V): it does not need velocities. Its mean weighs rows by the curvature.
    ConfigurationalTemperature: "configurational_temperature" in Kelvin, of none_unasked,
        |sample| sample.mechanics?.configurational_temperature;
    /// The curvature of the energy, Σ ∇²V.
    Curvature: "curvature" in KilocaloriePerMoleSquareNanometre, of none_unasked,
        |sample| Some(sample.mechanics?.curvature);
    /// The momentum along x.
    MomentumX: "momentum_x" in DaltonNanometrePerPicosecond, of none_unasked,
        |sample| momentum(sample, 0);
    /// Along y.
    MomentumY: "momentum_y" in DaltonNanometrePerPicosecond, of none_unasked,
        |sample| momentum(sample, 1);
    /// Along z.
    MomentumZ: "momentum_z" in DaltonNanometrePerPicosecond, of none_unasked,
        |sample| momentum(sample, 2);
    /// The centre of the tip: x.
    TipX: "tip_x" in Nanometre, of none_unasked, |sample| Some(sample.indentation?.tip[0]);
    /// The centre of the tip: y.
    TipY: "tip_y" in Nanometre, of none_unasked, |sample| Some(sample.indentation?.tip[1]);
    /// The centre of the tip: z.
    TipZ: "tip_z" in Nanometre, of none_unasked, |sample| Some(sample.indentation?.tip[2]);
    /// The way of the tip along its direction since it began.
    TipTravel: "tip_travel" in Nanometre, of none_unasked,
        |sample| Some(sample.indentation?.tip_travel);
    /// The way of the base of the cantilever.
    BaseTravel: "base_travel" in Nanometre, of none_unasked,
        |sample| Some(sample.indentation?.base_travel);
    /// The way of the tip since it came into contact.
    Deformation: "deformation" in Nanometre, of none_unasked,
        |sample| sample.indentation?.deformation;
    /// The force with which beads push the tip back along its direction, at this instant.
    TipForce: "tip_force" in Piconewton, of none_unasked,
        |sample| Some(sample.indentation?.tip_force);
    /// Energy between the tip and beads.
    TipEnergy: "tip_energy" in KilocaloriePerMole, of none_unasked,
        |sample| Some(sample.of_externals.tip);
    /// Energy between surfaces and beads.
    SurfaceEnergy: "surface_energy" in KilocaloriePerMole, of none_unasked,
        |sample| Some(sample.of_externals.surface);
    /// Native contacts that hold.
    NativeContacts: "native_contacts" in Count, of sop_models, |sample| {
        let count = || {
            let contacts = sample.system.interactions.bonded_by::<NativeContact>();
            native_contacts_held(contacts, sample.positions, sample.system.boundary)
        };
        Some(sample.measured.map_or_else(count, |measured| measured.native_contacts) as f64)
    };
    /// Native contacts between different chains that hold.
    ContactsBetweenChains: "contacts_between_chains" in Count, of none_unasked, |sample| {
        let contacts = sample.system.interactions.bonded_by::<NativeContact>();
        let (chains, boundary) = (&sample.system.particles.molecules, sample.system.boundary);
        Some(native_contacts_between_chains(contacts, chains, sample.positions, boundary) as f64)
    };
    /// Radius of gyration: of all beads in SOP, the mean over molecules in residue models.
    RadiusOfGyration: "radius_of_gyration" in Nanometre, of bead_models,
        |sample| match sample.measured {
            Some(measured) => measured.radius_of_gyration,
            None if sample.system.sizes_are_of_all_beads() => Some(radius_of_gyration(sample.positions)),
            None => mean_over_molecules(sample, |beads| radius_of_gyration(&positions_of(sample.positions, beads))),
        };
    /// The same with beads weighted by their mass.
    RadiusOfGyrationByMass: "radius_of_gyration_by_mass" in Nanometre, of general_models,
        |sample| match sample.measured {
            Some(measured) => measured.radius_of_gyration_by_mass,
            None => mean_over_molecules(sample, |beads| {
                let masses = beads.iter().map(|&bead| sample.system.mass(bead as usize));
                radius_of_gyration_by_mass(&positions_of(sample.positions, beads), masses)
            }),
        };
    /// Distance between the ends of a molecule, the mean over molecules. Ends are those of a linear molecule, otherwise its first
    /// bead and its last.
    EndToEnd: "end_to_end" in Nanometre, of general_models,
        |sample| match sample.measured {
            Some(measured) => measured.end_to_end,
            None => mean_over_molecules(sample, |beads| {
                let ends = sample.system.ends_of(beads).map(|ends| ends.map(|bead| sample.positions[bead]));
                end_to_end_distance(ends.as_ref().map_or(&[][..], |ends| ends))
            }),
        };
    /// Mean x of independent particles in space.
    MeanX: "mean_x" in Nanometre, of particles_in_space, |sample| Some(sample.moments?.0[0]);
    /// Mean y.
    MeanY: "mean_y" in Nanometre, of particles_in_space, |sample| Some(sample.moments?.0[1]);
    /// Mean z.
    MeanZ: "mean_z" in Nanometre, of particles_in_space, |sample| Some(sample.moments?.0[2]);
    /// Mean of all coordinates of independent particles.
    Mean: "mean" in Nanometre, of particles,
        |sample| Some(sample.moments?.0.iter().sum::<f64>() / 3.0);
    /// Mean of their squares.
    MeanSquare: "mean_square" in SquareNanometre, of particles, |sample| Some(sample.moments?.1);
    /// Mean energy of a particle in its well.
    ParticleEnergy: "energy_per_particle" in KilocaloriePerMole, of particles_in_wells,
        particle_energy;
    /// The temperature at which particles in wells are spread as widely: k⟨x²⟩/k_B.
    SpreadTemperature: "spread_temperature" in Kelvin, of particles_in_wells, spread_temperature;
    /// Energy of a chain in reduced units.
    ReducedEnergy: "energy" in Reduced, of chains, |sample| Some(sample.energies.total());
    /// Mean square distance of a chain's monomers from their centre (\[G\], equation 8).
    SquareRadiusOfGyration: "square_radius_of_gyration" in Reduced, of chains,
        |sample| Some(radius_of_gyration(sample.positions).powi(2));
    /// Distance between a chain's first monomer and its last.
    EndToEndDistance: "end_to_end_distance" in Reduced, of chains,
        |sample| Some(end_to_end_distance(sample.positions));
    /// Pairs of a chain's monomers that are not bonded and near each other.
    Contacts: "contacts" in Reduced, of chains,
        |sample| Some(sample.system.sampled_chain()?.contacts(sample.positions) as f64);
}

/// Columns that tables have on request, with the word that asks for them.
pub type OnRequest = (&'static str, &'static [Observable]);

impl Observable {
    /// What can be asked for beside the usual columns.
    pub const ON_REQUEST: [OnRequest; 3] = {
        use Observable::*;
        [
            (
                "pressure_tensor",
                &[PressureXx, PressureYy, PressureZz, PressureXy, PressureXz, PressureYz],
            ),
            ("configurational_temperature", &[ConfigurationalTemperature, Curvature]),
            ("momentum", &[MomentumX, MomentumY, MomentumZ]),
        ]
    };

    /// The column's unit in a system with these units.
    pub fn unit_in(self, units: Units) -> Unit {
        match (units, self.unit()) {
            (Units::Real, unit) | (_, unit @ Unit::Count) => unit,
            (Units::Reduced, _) => Unit::Reduced,
        }
    }

    /// The column's header in a system with these units: in reduced ones the word alone.
    pub fn column_in(self, units: Units) -> &'static str {
        match units {
            Units::Real => self.column(),
            Units::Reduced => self.word(),
        }
    }

    /// The name and the unit for people: `radius of gyration / nm`.
    pub fn in_words(self, units: Units) -> String {
        let name = match self {
            Observable::EndToEnd => "end-to-end distance".to_string(),
            _ => self.word().replace('_', " "),
        };
        match self.unit_in(units).symbol() {
            "" => name,
            symbol => format!("{name} / {symbol}"),
        }
    }

    /// The column with the sum of all energies of the beads' positions, which decides exchanges.
    pub fn of_all_interactions(dynamics: &Dynamics) -> Observable {
        match dynamics.integrator.has_velocities() {
            true => Observable::PotentialEnergy,
            false => Observable::TotalEnergy,
        }
    }

    /// Whether a system can have the column if something asks for it.
    pub fn has_meaning_in(self, system: &System) -> bool {
        self != Observable::ContactsBetweenChains || system.model == Model::Sop
    }

    /// Whether it is an average since the last row of the table, which must not decide where a stage ends.
    pub fn is_average(self) -> bool {
        matches!(self, Observable::MeanForce | Observable::Temperature)
    }
}

impl System {
    /// The observables that its tables have unasked, in the order of the columns.
    pub fn observables(&self, dynamics: &Dynamics) -> impl Iterator<Item = Observable> {
        let is_measured = |one: &Observable| one.is_measured_in(self, dynamics);
        Observable::ALL.into_iter().filter(is_measured)
    }
}

/// The mean over molecules of a function of their beads. Single beads do not count; `None` if there are no molecules of several.
fn mean_over_molecules(sample: &Sample<'_>, value: impl Fn(&[u32]) -> f64 + Sync) -> Option<f64> {
    let all = sample.system.particles.beads_of_molecules();
    let molecules: Vec<&[u32]> = all.iter().filter(|beads| beads.len() > 1).collect();
    let count = molecules.len();
    let sum = sum(sample.system.beads(), count, |number| value(molecules[number]));
    (count > 0).then(|| (0.0 + sum) / count as f64)
}
