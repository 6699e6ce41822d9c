//! Reweighted averages of systems whose partition functions are known.

use beadwork_analysis::reweighting::{Binning, Point, Reweighting, State};
use beadwork_analysis::thermodynamics::at_temperature;
use beadwork_analysis::{Estimate, Samples};

use crate::noise::Noise;

/// 12 quadratic degrees of freedom with kT/2 each: the density of states is E⁵, C = 6 everywhere, f = 6 ln β.
const DEGREES: usize = 12;

/// Energies at one temperature and the square of the first coordinate, whose mean is T/2, for each group.
type Groups = Vec<(Vec<f64>, Vec<f64>)>;

fn oscillators(noise: &mut Noise, temperature: f64, groups: usize, samples: usize) -> Groups {
    let sample = |noise: &mut Noise| {
        let mut square = || 0.5 * temperature * noise.normal().powi(2);
        let first = square();
        (first + (1..DEGREES).map(|_| square()).sum::<f64>(), first)
    };
    (0..groups).map(|_| (0..samples).map(|_| sample(noise)).unzip()).collect()
}

fn states<'a>(temperatures: &[f64], data: &'a [Groups]) -> Vec<State<'a>> {
    let groups = |groups: &'a Groups| {
        let samples = |(energies, values): &'a (Vec<f64>, Vec<f64>)| Samples {
            energies,
            observables: vec![values],
        };
        groups.iter().map(samples).collect()
    };
    let state =
        |(&temperature, data)| State { temperature, inefficiency: 1.0, groups: groups(data) };
    temperatures.iter().zip(data).map(state).collect()
}

const TEMPERATURES: [f64; 6] = [0.5, 0.65, 0.85, 1.1, 1.45, 1.9];

fn ladder(noise: &mut Noise, groups: usize, samples: usize) -> Vec<Groups> {
    TEMPERATURES.iter().map(|&t| oscillators(noise, t, groups, samples)).collect()
}

#[test]
fn oscillators_have_their_heat_capacity_and_free_energies() {
    let data = ladder(&mut Noise(1), 16, 600);
    let found = Reweighting::new(&states(&TEMPERATURES, &data), Binning::Automatic).unwrap();
    let free_energies = found.free_energies();
    assert_eq!((free_energies[0].value, free_energies[0].error), (0.0, Some(0.0)));
    for (f, temperature) in free_energies.iter().zip(TEMPERATURES).skip(1) {
        let z = f.deviation(6.0 * (0.5_f64 / temperature).ln()).unwrap();
        assert!(z.abs() < 4.0, "{temperature}: {f:?}");
        assert!(f.error.unwrap() < 0.05, "{f:?}");
    }
    for temperature in [0.5, 0.57, 0.7, 0.95, 1.2, 1.6, 1.9] {
        let point = found.at(temperature, 4);
        let observable = point.observables[0];
        let deviations = [
            point.energy.deviation(6.0 * temperature),
            point.heat_capacity_per_bead.deviation(1.5),
            observable.mean.deviation(0.5 * temperature),
            observable.temperature_derivative.deviation(0.5),
        ];
        assert!(deviations.iter().all(|z| z.unwrap().abs() < 4.0), "{point:?}");
        assert!(point.heat_capacity_per_bead.error.unwrap() < 0.03, "{point:?}");
        assert!(point.effective_samples > 5000.0, "{point:?}");
    }
    // Far from all sampled temperatures, few samples carry weight.
    assert!(found.at(0.1, 4).effective_samples < 100.0);
}

/// Each ladder has temperatures of its own: the jackknife then leaves them out with their ladder.
#[test]
fn each_ladder_may_have_temperatures_of_its_own() {
    let (mut noise, ladders) = (Noise(5), 8);
    let mut squares = [0.0; 2];
    for _ in 0..30 {
        let mut temperatures = Vec::new();
        let mut data = Vec::new();
        for ladder in 0..ladders {
            for temperature in TEMPERATURES {
                // Inner temperatures differ between ladders; the ends are shared.
                let inner = temperature > 0.5 && temperature < 1.9;
                let shift = if inner { 1.0 + 0.02 * ladder as f64 } else { 1.0 };
                temperatures.push(temperature * shift);
                let mut groups = vec![(Vec::new(), Vec::new()); ladders];
                groups[ladder] = oscillators(&mut noise, temperature * shift, 1, 100).remove(0);
                data.push(groups);
            }
        }
        let found = Reweighting::new(&states(&temperatures, &data), Binning::Automatic).unwrap();
        let point = found.at(1.0, 1);
        let off = [point.energy.deviation(6.0), point.heat_capacity_per_bead.deviation(6.0)];
        squares.iter_mut().zip(off).for_each(|(sum, z)| *sum += z.unwrap().powi(2) / 30.0);
    }
    // z² with an error from eight groups is distributed as F(1, 7): mean 7/5, variance 7.84, thus 0.51² for a mean of
    // 30. χ² of 30 degrees of freedom is below 9 once in ten thousand times.
    assert!(squares.iter().all(|square| (0.3..1.4 + 4.0 * 0.51).contains(square)), "{squares:?}");
}

/// Over repeated samples, squared deviations in units of the stated error average to one.
#[test]
fn errors_of_reweighted_averages_are_their_scatter() {
    let mut noise = Noise(77);
    let mut squares = [0.0; 4];
    for _ in 0..50 {
        let data = ladder(&mut noise, 24, 40);
        let found = Reweighting::new(&states(&TEMPERATURES, &data), Binning::Automatic).unwrap();
        let point = found.at(1.0, 1);
        let deviations = [
            point.energy.deviation(6.0),
            point.heat_capacity_per_bead.deviation(6.0),
            point.observables[0].temperature_derivative.deviation(0.5),
            found.free_energies()[5].deviation(6.0 * (0.5_f64 / 1.9).ln()),
        ];
        squares.iter_mut().zip(deviations).for_each(|(sum, z)| *sum += z.unwrap().powi(2) / 50.0);
    }
    // Student's t of 23 degrees has the variance 23/21; χ²/50 scatters by √(2/50) = 0.2, this mean a little more.
    let expected = 23.0 / 21.0;
    assert!(squares.iter().all(|square| (square - expected).abs() < 0.9), "{squares:?}");
}

/// On the same samples, bins of a tenth of σ change heat capacities by less than (W/σ)²/12; bins sixteen times as wide
/// change them visibly.
#[test]
fn bins_agree_with_the_exact_equations() {
    let data = ladder(&mut Noise(5), 1, 500);
    let states = states(&TEMPERATURES, &data);
    let exact = Reweighting::new(&states, Binning::Exact).unwrap();
    let fine = Reweighting::new(&states, Binning::Automatic).unwrap();
    let width = fine.bin_width();
    assert!(width > 0.0 && exact.bin_width() == 0.0);
    let wide = Reweighting::new(&states, Binning::Width(16.0 * width)).unwrap();
    let compare = |binned: &Reweighting| {
        let mut largest: [f64; 3] = [0.0; 3];
        for (one, other) in binned.free_energies().iter().zip(exact.free_energies()) {
            largest[0] = largest[0].max((one.value - other.value).abs());
        }
        for temperature in [0.5, 0.6, 0.8, 1.0, 1.3, 1.9] {
            let (one, other) = (binned.at(temperature, 1), exact.at(temperature, 1));
            let heat = |point: &Point| point.heat_capacity_per_bead.value;
            let slope = |point: &Point| point.observables[0].temperature_derivative.value;
            largest[1] = largest[1].max((heat(&one) / heat(&other) - 1.0).abs());
            largest[2] = largest[2].max((slope(&one) / slope(&other) - 1.0).abs());
        }
        largest
    };
    let (fine, wide) = (compare(&fine), compare(&wide));
    // Slopes also vary by the noise within bins, here a 40th of their error.
    assert!(fine[0] < 1e-3 && fine[1] < 1e-3 && fine[2] < 1e-2, "{fine:?}");
    // The bias is of second order: 16² = 256 times as large, within a factor of two.
    let ratio = wide[1] / fine[1];
    assert!((128.0..512.0).contains(&ratio), "{fine:?} {wide:?}");
}

/// Reweighting to the only temperature sampled gives equal weights, so even the widest bins lose nothing.
#[test]
fn bins_keep_the_moments_within_them() {
    let data = [oscillators(&mut Noise(12), 1.3, 8, 50)];
    let states = states(&[1.3], &data);
    let found = Reweighting::new(&states, Binning::Width(20.0)).unwrap().at(1.3, 3);
    let plain = at_temperature(1.3, 3, &states[0].groups, &[]).unwrap();
    let close = |one: Estimate, other: Estimate| {
        (one.value - other.value).abs() < 1e-12
            && (one.error.unwrap() - other.error.unwrap()).abs() < 1e-12
    };
    assert!(close(found.energy, plain.energy));
    assert!(close(found.heat_capacity_per_bead, plain.heat_capacity_per_bead));
    let (one, other) = (found.observables[0], plain.observables[0]);
    assert!(close(one.mean, other.mean));
    assert!(close(one.temperature_derivative, other.temperature_derivative));
}

/// Compares with a plain iteration of the published equations.
#[test]
fn free_energies_are_those_of_the_published_iteration() {
    let data = ladder(&mut Noise(6), 1, 60);
    let states = states(&TEMPERATURES, &data);
    let found = Reweighting::new(&states, Binning::Exact).unwrap().free_energies();
    let energies: Vec<f64> =
        data.iter().flatten().flat_map(|(energies, _)| energies.clone()).collect();
    let mut f = [0.0_f64; 6];
    for _ in 0..5000 {
        let weight = |beta: f64, energy: f64| {
            let all = f.iter().zip(TEMPERATURES).map(|(f, t)| 60.0 * (f - energy / t).exp());
            (-beta * energy).exp() / all.sum::<f64>()
        };
        let next =
            TEMPERATURES.map(|t| -energies.iter().map(|&e| weight(1.0 / t, e)).sum::<f64>().ln());
        f = next.map(|value| value - next[0]);
    }
    for (found, f) in found.iter().zip(f) {
        assert!((found.value - f).abs() < 1e-8, "{found:?} {f}");
        assert_eq!(found.error, None);
    }
}

/// Levels 0 and 1, the upper one tenfold degenerate: C = β² x/(1 + x)² with x = 10 e^{−β}.
fn levels(noise: &mut Noise, temperature: f64, samples: usize) -> Vec<f64> {
    let upper = 10.0 * (-1.0 / temperature).exp();
    let upper = upper / (1.0 + upper);
    (0..samples).map(|_| f64::from(u8::from(noise.uniform() < upper))).collect()
}

#[test]
fn two_levels_have_schottkys_peak() {
    let mut noise = Noise(9);
    let temperatures = [0.2, 0.27, 0.36, 0.5, 0.8];
    let data: Vec<Vec<Vec<f64>>> = temperatures
        .iter()
        .map(|&t| (0..16).map(|_| levels(&mut noise, t, 1000)).collect())
        .collect();
    let samples = |energies| Samples { energies, observables: vec![] };
    let states: Vec<State> = std::iter::zip(temperatures, &data)
        .map(|(temperature, groups)| State {
            temperature,
            inefficiency: 1.0,
            groups: groups.iter().map(|energies| samples(energies)).collect(),
        })
        .collect();
    let found = Reweighting::new(&states, Binning::Automatic).unwrap();
    let peak = found.heat_capacity_peak(0.2, 0.8, 1).unwrap();
    // The closed form on a grid of 10⁻⁶.
    let heat_capacity = |temperature: f64| {
        let upper = 10.0 * (-1.0 / temperature).exp();
        upper / ((1.0 + upper) * temperature).powi(2)
    };
    let (mut place, mut height) = (0.0, 0.0);
    for step in 0..600_000 {
        let temperature = 0.2 + 1e-6 * f64::from(step);
        if heat_capacity(temperature) > height {
            (place, height) = (temperature, heat_capacity(temperature));
        }
    }
    assert!(peak.temperature.deviation(place).unwrap().abs() < 4.0, "{peak:?} {place}");
    assert!(peak.height.deviation(height).unwrap().abs() < 4.0, "{peak:?} {height}");
    assert!(
        peak.temperature.error.unwrap() < 0.01 && peak.height.error.unwrap() < 0.03,
        "{peak:?}"
    );
    assert_eq!(found.heat_capacity_peak(0.4, 0.8, 1), None);
    // If each bin holds one level, binning changes nothing.
    let exact = Reweighting::new(&states, Binning::Exact).unwrap();
    let difference = exact.at(0.4, 1).energy.value - found.at(0.4, 1).energy.value;
    assert!(difference.abs() < 1e-9);
}

/// Levels 0, 1 and 4 with degeneracies 1, 10 and 300; the observable is 1 above the lowest level. It grows fastest
/// where the first two are equally frequent; the heat capacity peaks where the third sets in. Errors equal the scatter.
#[test]
fn growth_has_its_own_peak() {
    let mut noise = Noise(21);
    let levels: [(f64, f64); 3] = [(0.0, 1.0), (1.0, 10.0), (4.0, 300.0)];
    let temperatures = [0.2, 0.3, 0.4, 0.52, 0.68, 0.88, 1.2];
    let weights = |t: f64| levels.map(|(energy, count)| count * (-energy / t).exp());
    // The closed form β² (⟨E A⟩ − ⟨E⟩⟨A⟩) on a grid of 10⁻⁶.
    let growth = |t: f64| {
        let [zero, one, four] = weights(t);
        let all = zero + one + four;
        let energy = (one + 4.0 * four) / all;
        (energy - energy * (one + four) / all) / (t * t)
    };
    let grid = (0..1_000_000).map(|step| 0.2 + 1e-6 * f64::from(step));
    let place = grid.max_by(|a, b| growth(*a).total_cmp(&growth(*b))).unwrap();
    let mut squares = [0.0; 2];
    for _ in 0..40 {
        let mut draw = |t: f64| {
            let [zero, one, four] = weights(t);
            let drawn = noise.uniform() * (zero + one + four);
            let energy = if drawn < zero + one { 1.0 } else { 4.0 };
            if drawn < zero { (0.0, 0.0) } else { (energy, 1.0) }
        };
        let groups =
            |t: f64| -> Groups { (0..16).map(|_| (0..200).map(|_| draw(t)).unzip()).collect() };
        let data = temperatures.map(groups);
        let found = Reweighting::new(&states(&temperatures, &data), Binning::Automatic).unwrap();
        let peak = found.growth_peak(0.2, 1.2, 0).unwrap();
        assert!(peak.temperature.error.unwrap() < 0.01, "{peak:?}");
        assert!(found.heat_capacity_peak(0.2, 1.2, 1).unwrap().temperature.value > place + 0.2);
        assert_eq!(found.growth_peak(place + 0.1, 1.2, 0), None);
        let off = [peak.temperature.deviation(place), peak.height.deviation(growth(place))];
        squares.iter_mut().zip(off).for_each(|(sum, z)| *sum += z.unwrap().powi(2) / 40.0);
    }
    // Student's t of 15 degrees has the variance 15/13; χ²/40 scatters by √(2/40) = 0.22, this mean a little more.
    let expected = 15.0 / 13.0;
    assert!(squares.iter().all(|square| (square - expected).abs() < 0.9), "{squares:?}");
}

/// An inefficiency of 2 at all states changes nothing; at one state alone it does.
#[test]
fn inefficiency_weighs_states_against_each_other() {
    let data = ladder(&mut Noise(14), 2, 100);
    let energy = |inefficiencies: [f64; 6]| {
        let mut states = states(&TEMPERATURES, &data);
        states.iter_mut().zip(inefficiencies).for_each(|(state, g)| state.inefficiency = g);
        Reweighting::new(&states, Binning::Exact).unwrap().at(0.9, 1).energy.value
    };
    assert!((energy([2.0; 6]) - energy([1.0; 6])).abs() < 1e-8);
    let mut others = states(&TEMPERATURES, &data);
    others.remove(2);
    let without = Reweighting::new(&others, Binning::Exact).unwrap().at(0.9, 1).energy.value;
    let (all, few) = (energy([1.0; 6]), energy([1.0, 1.0, 100.0, 1.0, 1.0, 1.0]));
    // A state weighted by a hundredth is almost absent.
    assert!((all - without).abs() > 1e-3, "{all} {without}");
    assert!((few - without).abs() < 0.1 * (all - without).abs(), "{few} {without}");
}

#[test]
fn samples_that_cannot_be_reweighted_are_refused() {
    let far = [vec![1.0, 1.1, 1.2], vec![900.0, 901.0, 902.0]];
    let state = |temperature, energies| State {
        temperature,
        inefficiency: 1.0,
        groups: vec![Samples { energies, observables: vec![] }],
    };
    let code = |states: &[State], binning| Reweighting::new(states, binning).unwrap_err().code();
    let apart = [state(0.1, &far[0]), state(10.0, &far[1])];
    assert_eq!(code(&apart, Binning::Exact), "analysis/free-energies");
    assert_eq!(code(&[], Binning::Exact), "analysis/samples");
    assert_eq!(code(&[state(1.0, &[])], Binning::Exact), "analysis/samples");
    assert_eq!(code(&apart[..1], Binning::Width(0.0)), "analysis/samples");
    let mut uneven = apart.clone();
    uneven[1].groups.clear();
    assert_eq!(code(&uneven, Binning::Exact), "analysis/samples");
    uneven = apart.clone();
    uneven[1].inefficiency = 0.5;
    assert_eq!(code(&uneven, Binning::Exact), "analysis/samples");
    // An energy far outside the others costs one more bin.
    let outlier = [1.0, 1.5, 2.0, 1e12];
    let found = Reweighting::new(&[state(1.0, &outlier)], Binning::Width(0.1)).unwrap();
    assert!(found.at(1.0, 1).energy.value > 1e11);
}
