//! Tables by types: keys of two types, whatever the names of types are.

use crate::common::{assert_fixed_point, complaint, parse, write};
use beadwork_input::{Error, Request};
use beadwork_model::potentials::HarmonicBond;
use beadwork_model::potentials::pair::{DpdConservative, LennardJones, PairTable};

/// Reads an input of bonded beads with these types and tables.
fn with(types: &[&str], pairs: &str, bonds: &str) -> Result<Request, Error> {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<String> =
        types.iter().enumerate().map(|(index, name)| format!("{name} {index} 0 0\n")).collect();
    write(folder.path(), "beads.xyz", &format!("{}\n\n{}", rows.len(), rows.concat()));
    let bonds = if bonds.is_empty() { String::new() } else { format!("bonds = [ {bonds} ]\n") };
    let text = format!(
        "[system]\nmodel = \"beads\"\nunits = \"reduced\"\nstart = {{ file = \"beads.xyz\" }}\npairs = [ {pairs} ]\n{bonds}exclude = 0\n\n[dynamics]\ncollision_rate = 1\ntimestep = 0.001\n\n[[stage]]\nsteps = 10\n"
    );
    parse(folder.path(), &text)
}

/// Depths of all pairs of types, row after row.
fn depths(types: &[&str], table: &str) -> Vec<f64> {
    let pairs =
        format!("{{ kind = \"lennard-jones\", depth = {table}, diameter = 0.5, cutoff = 1.2 }}");
    let request = with(types, &pairs, "").unwrap_or_else(|error| panic!("{}", complaint(&error)));
    assert_fixed_point(&request);
    let system = request.points[0].system.clone();
    let table: &PairTable<LennardJones> = system.interactions.pairs_by().unwrap();
    let count = types.len() as u16;
    let pairs = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
    pairs.map(|(a, b)| table.between(a, b).potential.depth).collect()
}

fn refusal(types: &[&str], pairs: &str, bonds: &str) -> String {
    complaint(&with(types, pairs, bonds).unwrap_err())
}

#[test]
fn a_key_that_can_be_read_in_two_ways_is_refused() {
    let lennard_jones = |depth: &str| {
        format!("{{ kind = \"lennard-jones\", depth = {depth}, diameter = 1.0, cutoff = 1.2 }}")
    };
    let said = refusal(
        &["A", "AA", "B", "AB"],
        &lennard_jones("{ A = 1, AA = 2, B = 3, AB = 4, AAB = 9 }"),
        "",
    );
    assert!(said.starts_with("[input/bad-value]"), "{said}");
    assert!(
        said.ends_with("`depth` of `pairs` 1 in [system]: `AAB` can mean A with AB or AA with B: write `A-AB` or `AA-B`"),
        "{said}"
    );
    // Types of LAMMPS have numbers.
    let types = ["1", "2", "11", "12"];
    let said = refusal(&types, &lennard_jones("{ 1 = 1, 2 = 1, 11 = 1, 12 = 1, 112 = 9 }"), "");
    assert!(
        said.contains("`112` can mean 1 with 12 or 11 with 2: write `1-12` or `11-2`"),
        "{said}"
    );

    // In every table by types.
    let names = ["A", "AA", "B", "AB"];
    let all = |value: &str| {
        format!("{{ {} }}", pairs_of(&names).map(|key| format!("\"{key}\" = {value}")).join(", "))
    };
    let ambiguous = |value: &str| all(value).replace("\"AA-B\"", "AAB");
    for (pairs, bonds, key) in [
        (
            format!("{{ kind = \"dpd\", repulsion = {}, cutoff = 1 }}", ambiguous("25")),
            String::new(),
            "repulsion",
        ),
        (
            format!("{{ kind = \"dpd\", repulsion = 25, cutoff = {} }}", ambiguous("1")),
            String::new(),
            "cutoff",
        ),
        (
            format!("{{ kind = \"dpd-thermostat\", friction = {}, cutoff = 1 }}", ambiguous("1")),
            String::new(),
            "friction",
        ),
        (
            lennard_jones("1"),
            format!("{{ kind = \"harmonic\", stiffness = {}, length = 1 }}", ambiguous("4")),
            "stiffness",
        ),
        (
            lennard_jones("1"),
            format!("{{ kind = \"fene\", stiffness = 30, limit = {} }}", ambiguous("1.5")),
            "limit",
        ),
        (
            lennard_jones("1"),
            format!("{{ kind = \"harmonic\", stiffness = 4, length = {} }}", ambiguous("1")),
            "length",
        ),
    ] {
        let said = refusal(&names, &pairs, &bonds);
        assert!(
            said.contains(&format!("`{key}` of `")) && said.contains("`AAB` can mean"),
            "{said}"
        );
    }
}

/// Keys of all pairs of types, with `-`.
fn pairs_of<const N: usize>(names: &[&str; N]) -> [String; 10] {
    let pairs = (0..N).flat_map(|a| (a..N).map(move |b| (a, b)));
    let keys: Vec<String> = pairs.map(|(a, b)| format!("{}-{}", names[a], names[b])).collect();
    keys.try_into().unwrap()
}

#[test]
fn separators_make_keys_clear() {
    let types = ["A", "AA", "B", "AB"];
    let of_types = "A = 1, AA = 4, B = 9, AB = 16";
    let mixed = [1.0, 2.0, 3.0, 4.0, 4.0, 6.0, 8.0, 9.0, 12.0, 16.0];
    // A name that is that of two others together stands for the type.
    assert_eq!(depths(&types, &format!("{{ {of_types} }}")), mixed);
    for (key, place) in
        [("A-AB", 3), ("AB-A", 3), ("A AB", 3), ("AA-B", 5), ("AA B", 5), ("A-B", 2), ("BA", 2)]
    {
        let mut expected = mixed;
        expected[place] = 7.0;
        assert_eq!(depths(&types, &format!("{{ {of_types}, \"{key}\" = 7 }}")), expected, "{key}");
    }
    // If the type has values of its own, the key is not clear any more.
    let said = refusal(
        &types,
        &format!("{{ kind = \"wca\", diameter = 1.0, depth = {{ {of_types}, \"AA-AA\" = 3 }} }}"),
        "",
    );
    assert!(said.contains("`AA` can mean the type AA or A with A: write for the type each of its pairs, such as `AA-AA` or `A-A`"), "{said}");
    // What is missing is asked for by a key that can be understood.
    let said = refusal(
        &["1", "11"],
        "{ kind = \"dpd\", repulsion = { 11 = 25, \"1-11\" = 25 }, cutoff = 1 }",
        "",
    );
    assert!(said.contains("has no value for the types 1 and 1: write `1-1`"), "{said}");
}

/// LAMMPS allows `-` in labels of types.
#[test]
fn names_of_types_may_have_hyphens() {
    let types = ["C3-x", "B", "x", "C3"];
    let of_types = "C3-x = 1, B = 4, x = 9, C3 = 16";
    let mixed = [1.0, 2.0, 3.0, 4.0, 4.0, 6.0, 8.0, 9.0, 12.0, 16.0];
    assert_eq!(depths(&types, &format!("{{ {of_types} }}")), mixed);
    let mut expected = mixed;
    expected[1] = 5.0;
    for key in ["C3-x-B", "C3-xB", "C3-x B", "B-C3-x"] {
        assert_eq!(depths(&types, &format!("{{ {of_types}, \"{key}\" = 5 }}")), expected, "{key}");
    }
    let said = refusal(
        &types,
        &format!(
            "{{ kind = \"wca\", diameter = 1.0, depth = {{ {of_types}, \"C3-x-x\" = 3, C3-x-C3-x = 1 }} }}"
        ),
        "",
    );
    assert!(said.contains("`C3-x` can mean the type C3-x or C3 with x"), "{said}");

    let table = "{ \"C3-x B\" = 3.0, \"B x\" = 4.0, \"x C3\" = 5.0 }";
    let pairs = "{ kind = \"dpd\", repulsion = 25, cutoff = 1 }";
    let request =
        with(&types, pairs, &format!("{{ kind = \"harmonic\", stiffness = {table}, length = 1 }}"))
            .unwrap();
    let system = request.points[0].system.clone();
    let stiffness: Vec<f64> = system
        .interactions
        .bonded_by::<HarmonicBond>()
        .iter()
        .map(|bond| bond.potential.stiffness)
        .collect();
    assert_eq!(stiffness, [3.0, 4.0, 5.0]);
    let _: &PairTable<DpdConservative> = system.interactions.pairs_by().unwrap();
}
