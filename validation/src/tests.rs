//! Tests of the code shared by the programs of this package.

use std::path::Path;
use std::sync::Arc;

use crate::agreement::{Comparison, joint_probability, joint_probability_of_correlated};
use crate::backend::{Backend, Options};
use crate::dpd::{Fluid, STANDARD, Sums, member};
use crate::icosahedron::{Build, picture, read};
use crate::jumps::ahead;
use crate::report::Table;
use crate::sampling::Sampling;
use beadwork_cpu::Member;
use beadwork_cpu::monte_carlo::quench;
use beadwork_model::force_fields::elastic_polymer::ElasticPolymer;
use beadwork_random::{Generator, Owner, Streams};
use beadwork_testing::{chi_square_p_value, mean_and_standard_error};
use clap::Parser;

#[test]
fn options_may_come_in_any_order() {
    let read = |words: &str| Options::try_parse_from(words.split(' '));
    let options = read("study ww --keep here --device cpu 20").unwrap();
    assert_eq!(
        (options.words.len(), options.number(1, 5), options.number(2, 5)),
        (2, Ok(20), Ok(5))
    );
    assert!(options.number(0, 5.0).unwrap_err().starts_with("ww: "));
    assert_eq!(options.keep, Some("here".into()));
    assert_eq!(options.backend.result("study"), "study");
    assert!(read("study --device gpu").unwrap_err().to_string().contains("cpu or cuda"));
}

/// Two members of a small fluid with different time steps, at the same times.
#[test]
fn samples_lie_apart_in_time() {
    let fluid = Fluid { side: 3.0, ..STANDARD };
    let system = Arc::new(fluid.system());
    let sampling = Sampling::over(1.0, 0.4, 0.2);
    let begin = |number| {
        let timestep = [0.02, 0.04][number as usize];
        Ok(member(&system, beadwork_model::Generator::Philox4x32x10, timestep, number))
    };
    let visit = |found: &mut (Vec<u64>, Sums), member: &mut Member| {
        found.0.push(member.step_number());
        found.1.add(member)
    };
    let found = Backend::Cpu.sample(2, sampling, begin, visit).unwrap();
    assert_eq!(found[0].0, [30, 40, 50, 60, 70]);
    assert_eq!(found[1].0, [15, 20, 25, 30, 35]);
    let means = found[0].1.means(fluid.density, fluid.beads());
    let ideal = fluid.density * means.temperature;
    assert!((means.pressure - ideal - means.excess_pressure).abs() < 1e-12);
    // 81 beads at random repel each other: about 23.6 in equilibrium.
    assert!(means.pressure > 10.0 && means.energy > 1.0, "{means:?}");
}

#[test]
fn errors_of_both_sides_combine() {
    let comparison = Comparison::of_mean("x", (2.0, 0.3), (1.0, 0.4));
    assert_eq!(comparison.deviation, 2.0);
    assert!(comparison.agrees());
    assert!(!Comparison::of_mean("x", (3.1, 0.3), (1.0, 0.4)).agrees());
}

#[test]
fn uncorrelated_quantities_give_the_plain_sum() {
    // Deviations of one and of two standard errors; the samples are uncorrelated.
    let samples = [vec![1.0, 2.0, 3.0, 4.0], vec![1.0, -1.0, -1.0, 1.0]];
    let comparisons = [1.0, 2.0].iter().zip(&samples).map(|(errors, samples)| {
        let (mean, error) = mean_and_standard_error(samples);
        Comparison::new("x", samples, mean - errors * error, 0.0)
    });
    let comparisons: Vec<_> = comparisons.collect();
    let expected = chi_square_p_value(5.0, 2.0);
    assert!((joint_probability(&comparisons) - expected).abs() < 1e-12);
    assert!((joint_probability_of_correlated(&comparisons, &samples) - expected).abs() < 1e-12);
}

#[test]
fn one_row_beyond_the_bound_fails_the_table() {
    let row = |deviation: f64| Comparison::of_mean("x", (deviation, 1.0), (0.0, 0.0));
    let table = |rows| Table { joint_probability: 0.5, ..Table::of_rows("", "", 2, rows) };
    assert!(table(vec![row(3.9), row(-3.9)]).agrees());
    assert!(!table(vec![row(0.0), row(4.1)]).agrees());
    assert!(!table(vec![row(f64::NAN)]).agrees());
}

#[test]
fn a_jump_gives_the_same_states_as_drawing() {
    for generator in [Generator::Lcg, Generator::HybridTaus, Generator::Xorwow] {
        let owner = Owner { seed: 5, replica: 0 };
        let mut streams = Streams::in_simulations(generator.into(), owner, 7, 1);
        let first = streams.states().cloned().unwrap();
        let mut drawn = 0;
        for words in [0, 1, 2, 3, 1000, 4097] {
            while drawn < words {
                streams.draw(drawn, |_| true, &mut [0; 7]);
                drawn += 1;
            }
            assert_eq!(ahead(&first, words).as_ref(), streams.states(), "{generator:?} {words}");
        }
        // A long jump, in one part and in two.
        let whole = ahead(&first, 1 << 40).unwrap();
        let parts = ahead(&first, (1 << 40) - 12_345).unwrap();
        assert_eq!(ahead(&parts, 12_345).unwrap(), whole, "{generator:?}");
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

/// The Mackay icosahedron with one or two shells around its centre; neighbours on an edge are `spacing` apart.
fn mackay(shells: usize, spacing: f64) -> Vec<[f64; 3]> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut corners = Vec::new();
    for (a, b) in [(1.0, golden), (1.0, -golden), (-1.0, golden), (-1.0, -golden)] {
        let rotated = [[0.0, a, b], [a, b, 0.0], [b, 0.0, a]];
        corners.extend(rotated.map(|at| at.map(|x| x * spacing / 2.0)));
    }
    let mut sites = vec![[0.0; 3]];
    sites.extend(&corners);
    if shells == 2 {
        sites.extend(corners.iter().map(|at| at.map(|x| 2.0 * x)));
        for (number, a) in corners.iter().enumerate() {
            let near = corners[..number].iter().filter(|b| distance(*a, **b) < 1.01 * spacing);
            sites.extend(near.map(|b| [0, 1, 2].map(|axis| a[axis] + b[axis])));
        }
    }
    sites
}

#[test]
fn shells_and_pairs_of_mackay_icosahedra() {
    let positions = mackay(1, 0.7);
    let build = Build::of(&positions, 0.7);
    assert_eq!((build.counts, build.pairs), ([1, 12, 0, 0], 42));
    assert!(build.is_icosahedron());
    // Monomers adjacent in this order are bonded, whether or not they touch.
    let bonds = positions.windows(2).filter(|pair| distance(pair[0], pair[1]) < 0.875);
    assert_eq!(build.contacts, 42 - bonds.count());
    let mut broken = positions.clone();
    broken[12] = [2.0, 0.0, 0.0];
    assert!(!Build::of(&broken, 0.7).is_icosahedron());
    let two = Build::of(&mackay(2, 0.7), 0.7);
    assert_eq!((two.counts, two.pairs), ([1, 12, 30, 12], 234));
}

#[test]
fn corners_lie_around_the_axis() {
    let positions = mackay(1, 0.7);
    let svg = picture(&positions, &Build::of(&positions, 0.7), "13 monomers");
    assert_eq!(svg.matches("<line").count(), 24);
    // The centre, the front corner and the back corner are in the middle: 150 pixels a unit, and a margin of 40.
    let middle = format!("cx=\"{:.1}\"", 0.35 * 1.902_113 * 150.0 + 40.0);
    assert!(svg.matches(&middle).count() >= 6, "{svg}");
}

/// The deepest known configuration of 55 monomers (`polymers/results`, found by a search over paths through the
/// icosahedron) is a minimum of the energy of the model.
#[test]
fn the_deepest_known_configuration_is_a_minimum() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("polymers/results");
    let positions = read(&folder.join("ground-path-55.csv")).unwrap();
    let polymer = ElasticPolymer::new(55);
    let energy = polymer.build().energies(&positions).total();
    assert!((energy + 262.036_81).abs() < 1e-5, "{energy}");
    let minimum = quench(&polymer, &positions);
    assert!(minimum.converged && (minimum.energy - energy).abs() < 1e-9, "{}", minimum.energy);
    assert!(Build::of(&positions, polymer.bonds.length).is_icosahedron());
}
