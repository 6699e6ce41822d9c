//! Measured temperatures beside the one that was set.

use beadwork_analysis::average::Average;
use beadwork_analysis::numbers::rounded;
use beadwork_model::externals::Pulling;
use beadwork_model::observables::{MeasuredColumn, Observable};
use beadwork_model::potentials::pair::{PairFormula, PairTable, PairVisitor};
use beadwork_model::{Integrator, Protocol, System, Units};

use super::columns::Column;
use crate::data::{Code, Finding, Value};
use crate::words::decimals;

/// A mean temperature that differs from that of the bath by more than this part of it is far from it.
const FAR: f64 = 0.2;
/// A mean of so many times the temperature of the bath is no chance, whatever its error: runs that blow up have errors as large.
const ABSURD: f64 = 100.0;
/// Differences up to this part of the temperature are not told. Residues with 10 fs are 0.1 % off, DPD with half of its usual step
/// 1 %. The whole step of DPD, which is usual all the same, gives 2.8 %, and readers of its answers should know that.
const MATERIAL: f64 = 0.01;
/// A difference counts from so many standard errors on: chance alone exceeds them in one of a million runs.
const FEWEST_ERRORS: f64 = 5.0;
/// A force times its distance at the cutoff up to this part of kT is no jump: it changes the configurational temperature of a
/// liquid by less than a thousandth.
const LARGEST_JUMP: f64 = 1e-3;
/// What to do about a temperature that is far from that of the bath.
const RELAX_FIRST: &str =
    "begin with a minimisation or a longer relaxation, or take a shorter time step";
/// What to do about one that the drift of each step changes: by h⟨F·F⟩/6ζ to first order.
const SHORTEN_FIRST: &str = "forces move beads too far in a time step, so take a shorter one, or begin with a minimisation or a longer relaxation";
/// Just inside a cutoff, as a part of it.
const INSIDE: f64 = 1.0 - 1e-6;

/// The temperature that was set, in the unit of tables, for each of those that tables have: with short steps they agree with it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct SetTemperature {
    /// For that of the velocities; `None` where nothing holds it.
    of_velocities: Option<f64>,
    /// For that read from displacements; `None` where beads have velocities, and where something from outside moves them.
    of_displacements: Option<f64>,
    /// For the configurational one; `None` where it is another for other reasons than the time step.
    configurational: Option<f64>,
    /// Whether something moves beads from outside, and warms them.
    is_driven: bool,
    /// Whether velocities read low at long steps where positions do not.
    velocities_read_low: bool,
    /// Whether drag and noise act between pairs, as in DPD.
    is_dpd: bool,
}

impl SetTemperature {
    /// That of a stage of a protocol.
    pub fn of(system: &System, protocol: &Protocol, stage: usize) -> SetTemperature {
        let dynamics = &protocol.dynamics;
        let has_velocities = dynamics.integrator.has_velocities();
        let set = dynamics.temperature / system.temperature_unit();
        // Without velocities friction and noise are the dynamics itself.
        let is_held = !has_velocities || system.holds_temperature(dynamics);
        let is_smooth = largest_jump(system) <= LARGEST_JUMP * dynamics.temperature;
        let externals = protocol.stages.get(stage).map(|stage| stage.externals.as_slice());
        let externals = externals.unwrap_or_default();
        let is_driven = externals
            .iter()
            .any(|external| external.moves() || external.pulling() != Pulling::None);
        SetTemperature {
            of_velocities: Some(set).filter(|_| has_velocities && is_held),
            of_displacements: Some(set).filter(|_| !has_velocities && !is_driven),
            // Forces between beads balance those from outside, which it lacks. At 0 K it is 0 only once all beads lie still.
            configurational: Some(set)
                .filter(|set| is_held && is_smooth && externals.is_empty() && *set > 0.0),
            is_driven,
            velocities_read_low: dynamics.integrator == Integrator::Langevin,
            is_dpd: system.interactions.thermostat.is_some(),
        }
    }

    /// What is to be said of measured temperatures that are not the one that was set.
    pub fn findings(&self, columns: &[Column], units: Units) -> Vec<Finding> {
        let measured = |observable: Observable| {
            let is_own = |column: &&Column| column.measured == MeasuredColumn::Whole(observable);
            columns.iter().find(is_own)
        };
        let of_velocities = self.of_velocities.zip(measured(Observable::Temperature));
        let of_velocities = of_velocities.and_then(|(set, column)| {
            far("mean temperature", set, column, units, RELAX_FIRST).or_else(|| {
                let text = self.off("the temperature of the velocities", set, column, units)?;
                let is_low = column.average()?.mean < set;
                let way = match is_low && self.velocities_read_low {
                    true => "; velocities of \"langevin\" read low where bonds are stiff, positions do not: \"langevin-middle\" reads right",
                    false => "",
                };
                Some(Finding::new(Code::OffBath, text + way))
            })
        });
        // The temperature of displacements exceeds the set one at any step, so only a large difference is told.
        let of_displacements = self.of_displacements.zip(measured(Observable::Temperature));
        let of_displacements = of_displacements.and_then(|(set, column)| {
            far("mean temperature of the displacements", set, column, units, SHORTEN_FIRST)
        });
        let configurational =
            self.configurational.zip(measured(Observable::ConfigurationalTemperature));
        let configurational = configurational.and_then(|(set, column)| {
            far("mean configurational temperature", set, column, units, RELAX_FIRST).or_else(|| {
                let text = self.off("the configurational temperature", set, column, units)?;
                Some(Finding::new(Code::OffBath, text))
            })
        });
        of_velocities.into_iter().chain(of_displacements).chain(configurational).collect()
    }

    /// A sentence if a temperature is off the set one by more than chance explains, and not by too little to be told.
    fn off(&self, what: &str, set: f64, column: &Column, units: Units) -> Option<String> {
        let average = column.average().filter(|average| average.is_known && !self.is_driven)?;
        let error = average.error?;
        let difference = average.mean - set;
        if set <= 0.0 || difference.abs() <= (MATERIAL * set).max(FEWEST_ERRORS * error) {
            return None;
        }
        let (decimals, unit) = (decimals(error), units.of_temperature());
        let side = if difference > 0.0 { "above" } else { "below" };
        let reason = match self.is_dpd {
            true => {
                "the usual steps of DPD put it some per cent off; if that matters, halve the step"
            }
            false => "usually the time step is too long, so compare with a run of half the step",
        };
        Some(format!(
            "{what} is {:.decimals$} ± {error:.decimals$}{unit}, {} % ({} standard errors) {side} the {}{unit} that was set: {reason}",
            average.mean,
            rounded(100.0 * difference.abs() / set, 2),
            rounded(difference.abs() / error, 2),
            rounded(set, 6)
        ))
    }
}

/// A finding if the mean of a temperature is far from that of the bath. A bath without noise has no law that it could contradict.
fn far(what: &str, bath: f64, column: &Column, units: Units, advice: &str) -> Option<Finding> {
    let average = column.average().filter(|_| bath > 0.0)?;
    let difference = (average.mean - bath).abs();
    let error = average.error.filter(|_| average.is_known);
    let is_sure = error.is_some_and(|error| difference > FEWEST_ERRORS * error);
    // The configurational temperature is a ratio, which is large by chance where the curvature is near zero.
    let is_ratio = column.measured == MeasuredColumn::Whole(Observable::ConfigurationalTemperature);
    let is_absurd = average.mean > ABSURD * bath && !is_ratio;
    (is_absurd || (is_sure && difference > FAR * bath)).then(|| {
        let (mean, unit) = (as_value(&average), units.of_temperature());
        let bath = rounded(bath, 6);
        let text =
            format!("the {what} is {mean}{unit} and that of the bath {bath}{unit}: {advice}");
        Finding::new(Code::FarFromBath, text)
    })
}

/// A mean with its error, as the answer has it.
fn as_value(average: &Average) -> String {
    Value::new("", "", "", average.mean).with_average(average).number_and_notes("").0
}

/// The largest force of any pair term at its cutoff times the cutoff. Where a force jumps to zero, the sum of ∇²V lacks the jump.
fn largest_jump(system: &System) -> f64 {
    struct LargestJump;

    impl PairVisitor for LargestJump {
        type Output = f64;

        fn visit<F: PairFormula>(self, term: &PairTable<F>) -> f64 {
            let acting = term.entries().iter().filter(|entry| entry.cutoff > 0.0);
            let jump = acting.map(|entry| {
                // Formulas end at their cutoff by themselves.
                let square = (INSIDE * entry.cutoff).powi(2);
                (entry.potential.force_over_distance(square) * square).abs()
            });
            jump.fold(0.0, f64::max)
        }
    }

    system.interactions.pairs.iter().map(|term| term.visit(LargestJump)).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use beadwork_model::externals::External;
    use beadwork_model::made_systems::{helix, one_stage, sop_gpu_dynamics};
    use beadwork_model::potentials::PairThermostat;
    use beadwork_model::potentials::pair::{DpdConservative, LennardJones, PairTerm};
    use beadwork_model::units::BOLTZMANN;
    use beadwork_model::{Dynamics, Generator, Interactions, ParticleType, Particles};

    use super::*;

    /// A column of 2000 values that alternate by `spread` about their mean.
    fn column(observable: Observable, mean: f64, spread: f64) -> Column {
        let value = |row: usize| mean + spread * (12.9898 * (row * row % 9973) as f64).sin();
        let series = vec![(0..2000).map(value).collect()];
        Column { series, ..Column::new(MeasuredColumn::Whole(observable)) }
    }

    fn codes(set: &SetTemperature, mean: f64, spread: f64) -> Vec<Code> {
        let columns = [column(Observable::Temperature, mean, spread)];
        set.findings(&columns, Units::Reduced).iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_difference_counts_beyond_chance_and_usual_steps() {
        let set = SetTemperature { of_velocities: Some(1.0), ..SetTemperature::default() };
        assert_eq!(codes(&set, 1.03, 0.04), [Code::OffBath]);
        assert_eq!(codes(&set, 0.97, 0.04), [Code::OffBath]);
        // Less than a hundredth, less than five errors, and far beyond.
        assert!(codes(&set, 1.008, 0.004).is_empty());
        assert!(codes(&set, 1.03, 3.0).is_empty());
        assert_eq!(codes(&set, 1.5, 0.04), [Code::FarFromBath]);
        let driven = SetTemperature { is_driven: true, ..set };
        assert!(codes(&driven, 1.03, 0.04).is_empty());
        assert!(codes(&SetTemperature::default(), 1.03, 0.04).is_empty());
    }

    #[test]
    fn configurational_temperatures_are_far_off_as_those_of_velocities() {
        let set = SetTemperature { configurational: Some(1.0), ..SetTemperature::default() };
        let codes = |set: SetTemperature, mean: f64| -> Vec<Code> {
            let columns = [column(Observable::ConfigurationalTemperature, mean, 0.04)];
            set.findings(&columns, Units::Reduced).iter().map(|finding| finding.code).collect()
        };
        assert_eq!(codes(set, 1.03), [Code::OffBath]);
        assert_eq!(codes(set, 1.25), [Code::FarFromBath]);
        assert_eq!(codes(set, 3.0), [Code::FarFromBath]);
    }

    /// Short runs of few beads are off by chance, and a bath without noise has no temperature to be far from.
    #[test]
    fn chance_and_cold_baths_are_not_far_off() {
        let set = SetTemperature { of_velocities: Some(1.0), ..SetTemperature::default() };
        assert!(codes(&set, 1.4, 8.0).is_empty());
        assert!(codes(&set, 0.7, 8.0).is_empty());
        // Few values have no error that is known.
        let few = |mean: f64| {
            let series = vec![[0.9, 1.1, 1.0, 1.05, 0.95].map(|part| part * mean).to_vec()];
            let measured = MeasuredColumn::Whole(Observable::Temperature);
            set.findings(&[Column { series, ..Column::new(measured) }], Units::Reduced)
        };
        assert!(few(1.4).is_empty());
        assert_eq!(few(400.0)[0].code, Code::FarFromBath);
        let cold = SetTemperature {
            of_velocities: Some(0.0),
            of_displacements: Some(0.0),
            ..SetTemperature::default()
        };
        for mean in [9.9e-12, 3.9e-4, 2.0] {
            assert!(codes(&cold, mean, 1e-2 * mean).is_empty(), "{mean}");
        }
    }

    /// Without velocities the drift of each step counts, so that usual steps read a little high.
    #[test]
    fn displacements_are_judged_by_large_differences_alone() {
        let set = SetTemperature { of_displacements: Some(1.0), ..SetTemperature::default() };
        assert!(codes(&set, 1.1, 0.04).is_empty());
        assert!(codes(&set, 1.4, 8.0).is_empty());
        assert_eq!(codes(&set, 1.4, 0.04), [Code::FarFromBath]);
        // Of a run that blows up the error is as large as the mean.
        assert_eq!(codes(&set, 130.0, 4_600.0), [Code::FarFromBath]);
        let found = set.findings(&[column(Observable::Temperature, 1.4, 0.04)], Units::Reduced);
        let text = &found[0].text;
        assert!(text.starts_with("the mean temperature of the displacements is 1."), "{text}");
        assert!(text.contains("too far in a time step, so take a shorter one"), "{text}");
    }

    /// Numbers have the digits of the line of the value.
    #[test]
    fn far_temperatures_are_rounded_as_values_are() {
        let set = SetTemperature { of_velocities: Some(0.01), ..SetTemperature::default() };
        let series = vec![vec![33472436078.5321]];
        let measured = MeasuredColumn::Whole(Observable::Temperature);
        let found = set.findings(&[Column { series, ..Column::new(measured) }], Units::Real);
        let begin = "the mean temperature is 3.3472e10 K and that of the bath 0.01 K: begin";
        assert!(found[0].text.starts_with(begin), "{}", found[0]);
        let average =
            Average { mean: 4.21771, error: Some(0.0523), independent: 170.0, is_known: true };
        assert_eq!(as_value(&average), "4.218 ± 0.052");
    }

    /// Nine soft beads of one type, in reduced units.
    fn soft() -> System {
        let term = PairTable::of_one_type(DpdConservative { strength: 25.0, cutoff: 1.0 }, 1.0);
        System {
            particles: Particles::of_one_type(vec![Default::default(); 9], vec![[0.0; 3]; 9]),
            types: vec![ParticleType::new("A", 1.0)],
            interactions: Interactions { pairs: vec![term.into()], ..Interactions::default() },
            units: Units::Reduced,
            ..System::default()
        }
    }

    fn protocol(integrator: Integrator, friction: f64) -> Protocol {
        let dynamics =
            Dynamics { integrator, temperature: 1.5, friction, ..sop_gpu_dynamics(0.01) };
        one_stage(dynamics, Generator::Philox4x32x10, 1, 10, 9)
    }

    #[test]
    fn what_holds_a_temperature_decides_on_what_is_compared() {
        let of = |system: &System, integrator: Integrator, friction: f64| {
            let set = SetTemperature::of(system, &protocol(integrator, friction), 0);
            (set.of_velocities, set.configurational, set.velocities_read_low, set.is_dpd)
        };
        let set = Some(1.5);
        assert_eq!(of(&soft(), Integrator::Brownian, 1.0), (None, set, false, false));
        assert_eq!(of(&soft(), Integrator::Langevin, 1.0), (set, set, true, false));
        assert_eq!(of(&soft(), Integrator::LangevinMiddle, 1.0), (set, set, false, false));
        // Without friction nothing holds the temperature, but a pair thermostat does.
        assert_eq!(of(&soft(), Integrator::VelocityVerlet, 0.0), (None, None, false, false));
        let mut dpd = soft();
        dpd.interactions.thermostat = Some(PairThermostat::of_one_type(4.5, 1.0));
        assert_eq!(of(&dpd, Integrator::VelocityVerlet, 0.0), (set, set, false, true));
        // A force that jumps at its cutoff is missing in the curvature.
        let mut hard = soft();
        let cut = PairTable::of_one_type(LennardJones::cut(1.0, 1.0, 2.5), 2.5);
        hard.interactions.pairs = vec![cut.into()];
        assert_eq!(of(&hard, Integrator::Langevin, 1.0), (set, None, true, false));
        let of_displacements = |integrator: Integrator| {
            SetTemperature::of(&soft(), &protocol(integrator, 1.0), 0).of_displacements
        };
        assert_eq!(of_displacements(Integrator::BrownianSecondOrder), set);
        assert_eq!(of_displacements(Integrator::Langevin), None);
        let kelvin = of(&helix().unwrap(), Integrator::Langevin, 1.0).0.unwrap();
        assert!((kelvin - 1.5 / BOLTZMANN).abs() < 1e-9, "{kelvin}");
    }

    #[test]
    fn drives_are_seen_in_their_stage() {
        let of = |external: External, stage: usize| {
            let mut protocol = protocol(Integrator::Brownian, 1.0);
            protocol.stages[0].externals = vec![external];
            SetTemperature::of(&soft(), &protocol, stage)
        };
        let of_kind = |kind: &str| {
            External::examples(9).into_iter().find(|external| external.kind() == kind).unwrap()
        };
        for (kind, expected) in [("spring", true), ("force", true), ("restrain", false)] {
            let [here, elsewhere] = [0, 1].map(|stage| of(of_kind(kind), stage));
            assert_eq!((here.is_driven, here.configurational), (expected, None), "{kind}");
            assert_eq!(here.of_displacements, Some(1.5).filter(|_| !expected), "{kind}");
            assert_eq!((elsewhere.is_driven, elsewhere.configurational), (false, Some(1.5)));
        }
    }

    #[test]
    fn the_sentence_says_what_dpd_usually_does() {
        let set =
            SetTemperature { of_velocities: Some(1.0), is_dpd: true, ..SetTemperature::default() };
        let found = set.findings(&[column(Observable::Temperature, 1.028, 0.04)], Units::Reduced);
        let [warm] = found.as_slice() else { panic!("{found:?}") };
        let said = "the usual steps of DPD put it some per cent off";
        assert!(warm.text.contains(" above the 1 that was set: ") && warm.text.contains(said));
        assert!(warm.text.ends_with("if that matters, halve the step"), "{warm}");
    }

    #[test]
    fn the_sentence_has_what_was_measured_and_set() {
        let set = SetTemperature {
            of_velocities: Some(1.0),
            configurational: Some(1.0),
            velocities_read_low: true,
            ..SetTemperature::default()
        };
        let columns = [
            column(Observable::Temperature, 0.97, 0.04),
            column(Observable::ConfigurationalTemperature, 1.05, 0.04),
        ];
        let found = set.findings(&columns, Units::Reduced);
        let [low, high] = found.as_slice() else { panic!("{found:?}") };
        let begin = "the temperature of the velocities is 0.9";
        assert!(low.text.starts_with(begin) && low.text.contains("below the 1 that was set"));
        assert!(low.text.contains("\"langevin-middle\" reads right"), "{low}");
        assert!(high.text.starts_with("the configurational temperature is 1.0"), "{high}");
        assert!(high.text.ends_with("compare with a run of half the step"), "{high}");
    }

    /// The force of DPD ends at its cutoff; that of Lennard-Jones jumps there.
    #[test]
    fn forces_that_jump_at_a_cutoff_are_seen() {
        let jump = |term: PairTerm| {
            let interactions = Interactions { pairs: vec![term], ..Interactions::default() };
            largest_jump(&System { interactions, ..System::default() })
        };
        let soft = DpdConservative { strength: 25.0, cutoff: 1.0 };
        assert!(jump(PairTable::of_one_type(soft, 1.0).into()) < 1e-4);
        // 24 (2/2.5¹² − 1/2.5⁶) = −0.0974.
        let hard = LennardJones::cut(1.0, 1.0, 2.5);
        let found = jump(PairTable::of_one_type(hard, 2.5).into());
        assert!((found - 0.0974).abs() < 1e-3, "{found}");
    }
}
