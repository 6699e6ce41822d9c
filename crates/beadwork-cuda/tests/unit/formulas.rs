//! Tests of `src/tables/formulas.rs`.

use super::*;

#[test]
fn a_declaration_names_structs_in_order() {
    let bond = BondedName { formula: "fene_bond", is_bond: true };
    let contact = BondedName { formula: "native_contact", is_bond: false };
    let terms = TermNames {
        bonded: vec![bond, contact],
        pairs: vec!["sixth_power_repulsion"],
        ..TermNames::default()
    };
    assert_eq!(
        terms.declaration(4),
        "typedef TermsOf<Bonded<BondedTerm<FeneBond, 0, 1>, BondedTerm<NativeContact, 1, 4>>, Pairs<SixthPowerRepulsion>, Angles<>, Singles<>> Terms;\ntypedef NoThermostat Thermostat;\n"
    );
    assert_eq!(terms.texts().len(), 3);
    assert_eq!(terms.obstacle(), None);
}

/// `add-a-potential.md` of the book lists what a formula needs for GPUs.
#[test]
fn formulas_and_texts_are_the_same() {
    let terms = TermNames::every();
    for name in terms.names() {
        assert!(TEXTS.iter().any(|(known, _)| *known == name), "TEXTS has no line for {name}");
    }
    for (name, _) in TEXTS {
        assert!(terms.names().any(|known| known == *name), "no list of formulas has {name}");
    }
}
