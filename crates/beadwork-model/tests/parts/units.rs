//! Quantities with units.

use beadwork_model::units::{
    BOLTZMANN, Dimension, PICONEWTON_NANOMETRES_PER_KCAL_MOL, PICONEWTONS_PER_FORCE, parse,
};

fn value(text: &str, dimension: Dimension) -> f64 {
    parse(text, dimension).unwrap().value
}

fn close(left: f64, right: f64) {
    assert!((left - right).abs() <= 1e-12 * right.abs(), "{left} is not {right}");
}

#[test]
fn constants_have_their_published_values() {
    assert!((PICONEWTON_NANOMETRES_PER_KCAL_MOL - 6.9477).abs() < 5e-5);
    assert!((PICONEWTONS_PER_FORCE - 69.477).abs() < 5e-4);
    assert!((BOLTZMANN - 0.001_987_204_259).abs() < 1e-12);
    assert!((value("300 K", Dimension::Temperature) - 0.5962).abs() < 5e-5);
}

#[test]
fn units_of_the_input_language() {
    close(value("8 A", Dimension::Length), 8.0);
    close(value("-1.5 nm", Dimension::Length), -15.0);
    close(value("1.5 kcal/mol", Dimension::Energy), 1.5);
    close(value("4.184 kJ/mol", Dimension::Energy), 1.0);
    close(value("6.947695457 pN nm", Dimension::Energy), 6.947695457 / (4184.0 / 602.214076));
    close(value("0.6 kcal/mol", Dimension::Temperature), 0.6);
    close(value("20 ps", Dimension::Time), 20.0);
    close(value("4 ms", Dimension::Time), 4e9);
    close(value("2.5 um/s", Dimension::Speed), 2.5e4 / 1e12);
    close(value("2.5 µm/s", Dimension::Speed), 2.5e4 / 1e12);
    close(
        value("694.7695457 pN/nm", Dimension::Stiffness),
        694.7695457 / (10.0 * PICONEWTONS_PER_FORCE),
    );
    close(value("20 kcal/(mol A^2)", Dimension::Stiffness), 20.0);
    close(value("20 kcal/mol/A^2", Dimension::Stiffness), 20.0);
    close(value("20 kcal mol^-1 A^-2", Dimension::Stiffness), 20.0);
    close(value("12500 kcal ps/(mol A^2)", Dimension::Friction), 12500.0);
    close(value("0.25 nm^2/ns", Dimension::Diffusion), 0.025);
    close(value("1.5e-11 cm^2/s", Dimension::Diffusion), 1.5e-7);
    close(value("87.5 pN/ms", Dimension::LoadingRate), 87.5 / PICONEWTONS_PER_FORCE / 1e9);
    close(value("1_000", Dimension::Number), 1000.0);
    close(value("1 N/m", Dimension::Stiffness), value("1000 pN/nm", Dimension::Stiffness));
    close(value("1 J", Dimension::Energy), value("1e21 pN nm", Dimension::Energy));
}

#[test]
fn friction_of_sop_gpu_gives_its_mobility() {
    // h/zeta = 0.0016 Å²/(kcal/mol) at 20 ps.
    let friction = value("8.685e6 pN ps/nm", Dimension::Friction);
    assert!((20.0 / friction / 0.0016 - 1.0).abs() < 1e-4, "{friction}");
}

#[test]
fn wrong_dimensions_name_the_expected_one() {
    for (text, dimension, part) in [
        ("35 pN", Dimension::Stiffness, "is a force; expected a stiffness such as"),
        ("35", Dimension::Stiffness, "has no unit"),
        ("20 K", Dimension::Time, "is a temperature"),
        ("1.5 kcal", Dimension::Energy, "lacks a \"/mol\""),
        ("20 furlongs", Dimension::Length, "unknown unit \"furlongs\""),
        ("fast", Dimension::Speed, "does not begin with a number"),
        ("1 pN/", Dimension::Stiffness, "incomplete unit"),
        ("1 pN/(nm", Dimension::Stiffness, "closing parenthesis"),
        ("1e999 A", Dimension::Length, "not a finite number"),
        ("3 A)", Dimension::Length, "unexpected ')'"),
        (&format!("3 {}A", "(".repeat(100)), Dimension::Length, "more than 16 parentheses"),
        (&format!("3 {}A", "(".repeat(100_000)), Dimension::Length, "is too long"),
    ] {
        let message = parse(text, dimension).unwrap_err().to_string();
        assert!(message.contains(part), "{text}: {message}");
    }
}

/// Each dimension reads the example that it gives.
#[test]
fn dimensions_read_their_examples() {
    use Dimension::*;
    for dimension in [
        Length,
        Area,
        Energy,
        Temperature,
        Time,
        Force,
        Stiffness,
        Speed,
        Friction,
        Diffusion,
        LoadingRate,
    ] {
        let example = dimension.expectation().split('"').nth(1).unwrap();
        assert!(parse(example, dimension).is_ok(), "{example}");
    }
}

#[test]
fn quantities_keep_their_text() {
    assert_eq!(parse(" 35  pN/nm ", Dimension::Stiffness).unwrap().text, "35  pN/nm");
}
