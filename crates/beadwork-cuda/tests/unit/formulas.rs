//! Tests of `src/tables/formulas.rs`.

use super::*;

#[test]
fn a_declaration_names_structs_in_order() {
    let bond = BondedName { name: "fene_bond", formula: "fene_bond", is_bond: true };
    let name = "native_contact";
    let contact = BondedName { name, formula: name, is_bond: false };
    let terms = TermNames {
        bonded: vec![bond, contact],
        pairs: vec!["sixth_power_repulsion"],
        ..TermNames::default()
    };
    assert_eq!(
        terms.declaration(4),
        "#define CHOSEN_TERMS TermsOf<Bonded<BondedTerm<FeneBond, 0, 1>, BondedTerm<NativeContact, 1, 4>>, Pairs<SixthPowerRepulsion>, Angles<>, Singles<>>\n#define CHOSEN_THERMOSTAT NoThermostat\n"
    );
    assert_eq!(terms.obstacle(), None);
}

/// The springs of elastic networks are harmonic bonds that count as contacts.
#[test]
fn a_term_says_what_its_formula_does_not() {
    let every = TermNames::every().bonded;
    let of = |name: &str| every.iter().find(|term| term.name == name).unwrap();
    let [bond, spring] = [of("harmonic_bond"), of("elastic_network_spring")];
    assert_eq!((bond.formula, bond.is_bond), ("harmonic_bond", true));
    assert_eq!((spring.formula, spring.is_bond), ("harmonic_bond", false));
}

/// `add-a-potential.md` of the book lists what a formula needs for GPUs.
#[test]
fn kernels_have_every_formula_and_no_other() {
    let terms = TermNames::every();
    for name in terms.names() {
        assert!(is_known(name), "potentials.cuh has no line for {name}");
    }
    for line in POTENTIALS.lines().filter(|line| line.starts_with("#include")) {
        let known = |name: &str| line.ends_with(&format!("/{name}.cuh\""));
        let known = terms.names().chain(["dpd_thermostat"]).any(known);
        assert!(known, "no list of formulas has {line}");
    }
}
