//! `contacts` in `[system]`: their energies within and between chains.

use std::collections::BTreeMap;
use std::path::Path;

use beadwork_input::{Error, Request, contact_list};
use beadwork_model::force_fields::sop::contact_sums;
use beadwork_model::observables::MeasuredColumn;
use beadwork_model::potentials::NativeContact;
use tempfile::TempDir;

use crate::common::{assert_fixed_point, complaint, parse, parse_with, pdb, snake, write};

/// BIOMT rows of a shift by z, Å.
fn shift(number: usize, z: f64) -> String {
    let row = |axis: usize, numbers: &str| format!("REMARK 350   BIOMT{axis}{number:4}{numbers}\n");
    row(1, "  1.000000  0.000000  0.000000        0.00000")
        + &row(2, "  0.000000  1.000000  0.000000        0.00000")
        + &row(3, &format!("  0.000000  0.000000  1.000000{z:15.5}"))
}

/// A folder with `c.pdb`: chains A at height 0 and B at 12 Å, and their copies 6 Å above. So A touches touches
/// B, and B touches B-2.
fn pile() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut alphas = snake('A', 12);
    let above = snake('B', 8).into_iter();
    alphas.extend(above.map(|(chain, number, [x, y, _])| (chain, number, [x, y, 12.0])));
    let text = format!(
        "REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A, B\n{}{}{}",
        shift(1, 0.0),
        shift(2, 6.0),
        pdb(&alphas)
    );
    write(folder.path(), "c.pdb", &text);
    folder
}

fn input(assembly: &str, contacts: &str) -> String {
    format!(
        "[system]\nstructure = {{ file = \"c.pdb\"{assembly} }}\ncontacts = {{ {contacts} }}\n[[stage]]\nsteps = 10\n[output]\ntable = {{ every_steps = 5 }}\n"
    )
}

fn read(contacts: &str) -> Request {
    let request = parse(pile().path(), &input(", assembly = 1", contacts));
    let request = request.unwrap_or_else(|error| panic!("{}", complaint(&error)));
    assert_fixed_point(&request);
    request
}

fn refused(assembly: &str, contacts: &str) -> Error {
    parse(pile().path(), &input(assembly, contacts)).unwrap_err()
}

/// The energies of contacts by the chains of their beads, kcal/mol; each must be the same for all contacts of two chains.
fn depths(request: &Request) -> BTreeMap<(String, String), f64> {
    let system = &request.points[0].system;
    let mut depths = BTreeMap::new();
    for contact in system.interactions.bonded_by::<NativeContact>() {
        let chain = |bead: usize| system.particles.labels[bead].chain.to_string();
        let depth = contact.potential.depth;
        let known = depths.entry((chain(contact.i), chain(contact.j))).or_insert(depth);
        assert_eq!(*known, depth);
    }
    depths
}

fn expected(depths: &[(&str, &str, f64)]) -> BTreeMap<(String, String), f64> {
    depths.iter().map(|&(a, b, depth)| ((a.to_string(), b.to_string()), depth)).collect()
}

#[test]
fn contacts_between_chains_have_an_energy_of_their_own() {
    let request = read("energy = \"1.5 kcal/mol\", between_chains = \"1.1 kcal/mol\"");
    let all = [
        ("A", "A", 1.5),
        ("A", "A-2", 1.1),
        ("A-2", "A-2", 1.5),
        ("B", "A-2", 1.1),
        ("B", "B", 1.5),
        ("B", "B-2", 1.1),
        ("B-2", "B-2", 1.5),
    ];
    assert_eq!(depths(&request), expected(&all));
    assert!(request.resolved.contains("between_chains = \"1.1 kcal/mol\""));
    assert!(request.warnings.is_empty(), "{:?}", request.warnings);
    // Without these keys nothing is new in the resolved form.
    let plain = read("energy = \"1.5 kcal/mol\"");
    assert!(depths(&plain).values().all(|depth| *depth == 1.5));
    let resolved =
        "contacts = { cutoff = \"8 A\", side_chain_hydrogens = true, energy = \"1.5 kcal/mol\" }";
    assert!(plain.resolved.contains(resolved), "{}", plain.resolved);
}

#[test]
fn pairs_of_chains_count_for_all_copies() {
    let request = read(
        "between_chains = \"1.1 kcal/mol\", chain_pairs = { \"B A\" = \"0.9 kcal/mol\", \"A A\" = \"1.3 kcal/mol\" }",
    );
    let all = [
        ("A", "A", 1.5),
        ("A", "A-2", 1.3),
        ("A-2", "A-2", 1.5),
        ("B", "A-2", 0.9),
        ("B", "B", 1.5),
        ("B", "B-2", 1.1),
        ("B-2", "B-2", 1.5),
    ];
    assert_eq!(depths(&request), expected(&all));
    let resolved = "chain_pairs = { \"B A\" = \"0.9 kcal/mol\", \"A A\" = \"1.3 kcal/mol\" }";
    assert!(request.resolved.contains(resolved), "{}", request.resolved);
    // A sweep and an override reach them.
    let text = input(", assembly = 1", "chain_pairs = { \"A B\" = \"0.9 kcal/mol\" }");
    let swept = text.clone()
        + "[ensemble.sweep]\n\"system.contacts.between_chains\" = [\"1 kcal/mol\", \"2 kcal/mol\"]\n";
    let swept = parse(pile().path(), &swept).unwrap();
    assert_eq!(swept.points.len(), 2);
    let path = "system.contacts.chain_pairs.A B";
    let overridden = parse_with(pile().path(), &text, &[(path, "\"0.5 kcal/mol\"")]).unwrap();
    assert_eq!(depths(&overridden)[&("B".to_string(), "A-2".to_string())], 0.5);
}

/// 800 Å in place of 8: no list of all pairs of residues is made to say so.
#[test]
fn cutoffs_of_contacts_over_whole_proteins_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "long.pdb", &pdb(&snake('A', 700)));
    let with = |contacts: &str| {
        let text = format!(
            "[system]\nstructure = \"long.pdb\"\ncontacts = {{ {contacts} }}\n[[stage]]\nsteps = 10\n"
        );
        parse(folder.path(), &text)
    };
    let refused = complaint(&with("cutoff = \"800 A\"").unwrap_err());
    for words in [
        "[input/bad-value] in.toml:3:23 <\"800 A\">",
        "`cutoff` is 800 A, within which there are about 2.4e5 pairs of residues, 34",
    ] {
        assert!(refused.contains(words), "{refused}");
    }
    let begun = "[system]\nstructure = \"long.pdb\"\ncontacts = { cutoff = \"800 A\" }\n[[stage]]\nsteps = 10\n";
    assert!(beadwork_input::parse(begun, "in.toml", folder.path(), &[]).is_err());
    beadwork_input::parse_begun(begun, "in.toml", folder.path(), &[]).unwrap();
    // These residues have no side chains.
    let warned = with("cutoff = \"80 A\", side_chain_cutoff = \"90 nm\"").unwrap();
    let words = "`contacts.cutoff` of [system] is 80 A, more than 20 A";
    assert!(warned.warnings.iter().any(|warning| warning.contains(words)));
}

/// Where a list leaves an energy out, the keys give it.
#[test]
fn a_list_takes_energies_from_the_keys() {
    let folder = pile();
    let list = "chain_i,residue_i,chain_j,residue_j,energy_kcal_mol\nA,1,A,8,\nA,1,A-2,1,\nA,2,A-2,2,0.3\n";
    write(folder.path(), "list.csv", list);
    let text = input(", assembly = 1", "file = \"list.csv\", between_chains = \"1.1 kcal/mol\"");
    let request = parse(folder.path(), &text).unwrap();
    let contacts = request.points[0].system.interactions.bonded_by::<NativeContact>();
    let depths: Vec<f64> = contacts.iter().map(|contact| contact.potential.depth).collect();
    assert_eq!(depths, [1.5, 1.1, 0.3]);
}

/// Contacts hold as long as one of them has an energy, whichever key or list gives it.
#[test]
fn contacts_without_any_energy_are_warned_of() {
    let folder = pile();
    let list = "bead_i,bead_j,length_A,energy_kcal_mol\n0,12,6,1.5\n0,20,6,0\n";
    write(folder.path(), "list.csv", list);
    let is_warned = |contacts: &str| {
        let text = input(", assembly = 1", &format!("{contacts}, energy = \"0 kcal/mol\""));
        let warnings = parse(folder.path(), &text).unwrap().warnings;
        warnings.iter().any(|said| said.contains("native contacts hold nothing together"))
    };
    assert!(is_warned("cutoff = \"80 A\""));
    assert!(!is_warned("file = \"list.csv\""));
    write(folder.path(), "list.csv", &list.replace("1.5", "0"));
    assert!(is_warned("file = \"list.csv\""));
}

#[test]
fn energies_without_effect_and_strange_ones_are_warned_of() {
    let folder = pile();
    let contacts = "cutoff = \"5 A\", between_chains = \"1.1 kcal/mol\", chain_pairs = { \"A B\" = \"11 kcal/mol\" }";
    let request = parse(folder.path(), &input(", assembly = 1", contacts)).unwrap();
    let said = |part: &str| request.warnings.iter().any(|warning| warning.contains(part));
    assert!(
        said(
            "c.pdb: contacts between chain A and chain B have an energy of their own, and no contact takes it"
        ),
        "{:?}",
        request.warnings
    );
    assert!(said("contacts between chains have an energy of their own, and no contact takes it"));
    assert!(
        said("`contacts.chain_pairs.A B` of [system] is 11 kcal/mol"),
        "{:?}",
        request.warnings
    );
}

/// A list that says the energy of each contact leaves none for the energies between chains.
#[test]
fn energies_beside_a_list_of_all_energies_have_no_effect() {
    let folder = pile();
    write(
        folder.path(),
        "mut.csv",
        "bead_i,bead_j,length_A,energy_kcal_mol\n0,12,6,1.5\n0,20,6,1\n",
    );
    let said = |contacts: &str| {
        let text = input(", assembly = 1", &format!("file = \"mut.csv\"{contacts}"));
        let mut warnings = parse(folder.path(), &text).unwrap().warnings;
        warnings.retain(|one| one.contains("no effect") || one.contains("no contact takes it"));
        warnings
    };
    let pairs = ", chain_pairs = { \"A B\" = \"1 kcal/mol\" }";
    let any = ", between_chains = \"1.1 kcal/mol\"";
    let effect = "no effect: every contact in mut.csv has an energy";
    assert_eq!(said(""), Vec::<String>::new());
    assert_eq!(said(any), [format!("`between_chains` has {effect}")]);
    assert_eq!(said(pairs), [format!("`chain_pairs` has {effect}")]);
    let both = format!("{any}{pairs}");
    assert_eq!(said(&both), [format!("`between_chains` and `chain_pairs` have {effect}")]);
}

#[test]
fn pairs_that_contradict_are_refused_where_they_stand() {
    for (assembly, contacts, expected) in [
        (
            ", assembly = 1",
            "chain_pairs = { \"A B\" = \"1 kcal/mol\", \"B A\" = \"2 kcal/mol\" }",
            "[input/conflict] in.toml:3:52 <\"B A\"> `chain_pairs` of `contacts` in [system]: `B A` is the same pair as `A B`: keep one",
        ),
        (
            ", assembly = 1",
            "chain_pairs = { AB = \"1 kcal/mol\" }",
            "[input/bad-value] in.toml:3:30 <AB> `chain_pairs` of `contacts` in [system]: `AB` must be two identifiers of chains with a blank between them, such as \"A B\"",
        ),
        (
            ", assembly = 1",
            "chain_pairs = { \"A A-2\" = \"1 kcal/mol\" }",
            "[input/bad-value] in.toml:3:30 <\"A A-2\"> `contacts` in [system]: an energy is given for contacts between chain A and chain A-2, but the beads do not have both; there are chains A (12 beads), B (8 beads), A-2 (12 beads), B-2 (8 beads), and a pair has the identifiers of the file, which count for all copies",
        ),
        (
            "",
            "chain_pairs = { \"A A\" = \"1 kcal/mol\" }",
            "[input/bad-value] in.toml:3:30 <\"A A\"> `contacts` in [system]: an energy is given for contacts between two of chain A, but no two chains share this identifier: contacts within a chain have that of all others",
        ),
        (
            "",
            "chain_pairs = { \"A B\" = \"-1 kcal/mol\" }",
            "[input/bad-value] in.toml:3:38 <\"-1 kcal/mol\"> `chain_pairs` of `contacts` in [system]: `A B`",
        ),
        (
            "",
            "chain_pairs = \"1 kcal/mol\"",
            "[input/wrong-type] in.toml:3:28 <\"1 kcal/mol\"> `chain_pairs` of `contacts` in [system]: expected a table",
        ),
    ] {
        let found = complaint(&refused(assembly, contacts));
        assert!(found.starts_with(expected), "\nfound    {found}\nexpected {expected}");
    }
}

/// The warnings about a list of contacts of the chains A and B of [`pile`].
fn said_of(list: &str) -> Vec<String> {
    let folder = pile();
    write(folder.path(), "list.csv", list);
    let request = parse(folder.path(), &input("", "file = \"list.csv\"")).unwrap();
    assert_fixed_point(&request);
    let mut warnings = request.warnings;
    warnings.retain(|warning| warning.starts_with("list.csv"));
    warnings
}

/// Each slip is said once, with the first line that has it.
#[test]
fn lines_of_a_list_that_are_probably_slips_are_warned_of() {
    let header = "chain_i,residue_i,chain_j,residue_j,length_A,energy_kcal_mol\n";
    let lines = "A,1,A,8,,1.5\nA,1,B,1,,150\nA,12,B,1,,\nA,2,B,1,80,\nA,3,B,1,0.6,\nA,6,B,1,,0.01\nB,2,A,5,14,0\n";
    let said = said_of(&format!("{header}{lines}"));
    let [energy, far, pressed, loose] = said.as_slice() else { panic!("{said:?}") };
    for (found, start, end) in [
        (
            energy,
            "list.csv, line 3: the energy of the contact of bead 0 (chain A, residue 1) and bead 12 (chain B, residue 1) is 150 kcal/mol, more than 5 kcal/mol: contacts have 1 to 2 kcal/mol each",
            "; go on if it is meant; look at lines 7, 8 too",
        ),
        (
            far,
            "list.csv, line 4: bead 11 (chain A, residue 12) and bead 12 (chain B, residue 1) are 18.2 A apart in the structure, and without a length in the line",
            "; go on if it is meant",
        ),
        (
            pressed,
            "list.csv, line 5: bead 1 (chain A, residue 2) and bead 12 (chain B, residue 1) are 12.6 A apart in the structure, and the line gives their contact a length of 80.0 A: it pushes them apart from the start with an energy of more than a million kT",
            "; go on if it is meant",
        ),
        (
            loose,
            "list.csv, line 6: bead 2 (chain A, residue 3) and bead 12 (chain B, residue 1) are 14.2 A apart in the structure, and the line gives their contact a length of 0.6 A, so that it has less than a tenth of its energy at the start",
            "; go on if it is meant",
        ),
    ] {
        assert!(found.starts_with(start) && found.ends_with(end), "{found}");
    }
    let far = said_of("bead_i,bead_j\n11,12\n10,13\n11,13\n10,12\n");
    assert!(far.len() == 1 && far[0].ends_with("; look at lines 4, 5 too"), "{far:?}");
    let bonded = said_of(&format!("{header}A,1,A,8,,1\nA,1,A,2,,1\nA,3,A,2,80,150\n"));
    assert_eq!(
        bonded,
        [
            "list.csv, line 3: bead 0 (chain A, residue 1) and bead 1 (chain A, residue 2) are bonded, and a contact of bonded beads has no energy: the line has no effect; check the residues, or leave it out; look at line 4 too"
        ]
    );
}

/// Lengths about that of the structure, which is 12 Å here, are taken: what they store is less than 20 kT.
#[test]
fn lengths_of_a_list_near_those_of_the_structure_are_not_warned_of() {
    for (length, part) in [
        ("14", None),
        ("16", Some("an energy of 54 kT")),
        ("8", None),
        ("7", Some("less than a tenth of its energy")),
    ] {
        let said = said_of(&format!("bead_i,bead_j,length_A\n0,12,{length}\n"));
        let is_expected = match part {
            Some(part) => said.len() == 1 && said[0].contains(part),
            None => said.is_empty(),
        };
        assert!(is_expected, "{length}: {said:?}");
    }
}

/// Writes the contacts of a request, and reads its input with this list in place of the rule.
fn read_back(folder: &Path, request: &Request, assembly: &str) -> Request {
    let list = contact_list(&request.points[0].system).unwrap();
    write(folder, "list.csv", &list);
    let again = parse(folder, &input(assembly, "file = \"list.csv\"")).unwrap();
    assert_eq!(contact_list(&again.points[0].system).unwrap(), list);
    again
}

#[test]
fn a_list_that_is_written_reads_back_with_the_same_bits() {
    let contacts = "between_chains = \"1.1 kJ/mol\", chain_pairs = { \"A B\" = \"0.1 kcal/mol\" }";
    let folder = pile();
    // Lengths with all bits, and a residue with an insertion code.
    let text = std::fs::read_to_string(folder.path().join("c.pdb")).unwrap();
    let text = text.replace("GLY A   2 ", "GLY A   1B");
    write(folder.path(), "c.pdb", &text);
    let request = parse(folder.path(), &input(", assembly = 1", contacts)).unwrap();
    let again = read_back(folder.path(), &request, ", assembly = 1");
    let list = std::fs::read_to_string(folder.path().join("list.csv")).unwrap();
    assert!(
        list.starts_with("chain_i,residue_i,chain_j,residue_j,length_A,energy_kcal_mol\nA,1,A,")
    );
    assert!(list.contains("\nA,1B,A-2,1,"), "{list}");
    let [one, other] = [&request, &again].map(|request| &request.points[0].system);
    assert_eq!(one.interactions, other.interactions);
    let positions: Vec<[f64; 3]> =
        one.particles.positions.iter().map(|[x, y, z]| [1.01 * x, 0.97 * y, z + 0.3]).collect();
    let [one, other] = [one, other].map(|system| system.energies(&positions).total().to_bits());
    assert_eq!(one, other);
}

/// Two chains of one name cannot be told by residues.
#[test]
fn a_list_names_beads_by_number_where_residues_do_not_name_them() {
    let folder = pile();
    let text = std::fs::read_to_string(folder.path().join("c.pdb")).unwrap();
    let (before, after) = text.split_at(text.find("GLY B").unwrap() - 17);
    write(folder.path(), "c.pdb", &format!("{before}TER\n{}", after.replace("GLY B", "GLY A")));
    let request = parse(folder.path(), &input("", "cutoff = \"13 A\"")).unwrap();
    assert_eq!(request.points[0].system.counts.chains, 2);
    let again = read_back(folder.path(), &request, "");
    assert!(
        std::fs::read_to_string(folder.path().join("list.csv")).unwrap().starts_with("bead_i,")
    );
    let [one, other] = [&request, &again].map(|request| &request.points[0].system.interactions);
    assert_eq!(one, other);
    // Two chains with one identifier have contacts with each other.
    let pair = "cutoff = \"13 A\", chain_pairs = { \"A A\" = \"0.5 kcal/mol\" }";
    let request = parse(folder.path(), &input("", pair)).unwrap();
    let contacts = request.points[0].system.interactions.bonded_by::<NativeContact>();
    assert!(contacts.iter().all(|c| (c.potential.depth == 0.5) == (c.i < 12 && c.j >= 12)));
}

#[test]
fn contacts_are_summed_within_and_between_chains() {
    let request =
        read("between_chains = \"1 kcal/mol\", chain_pairs = { \"A B\" = \"0.5 kcal/mol\" }");
    let point = &request.points[0];
    assert_eq!(point.chains, ["A", "B", "A", "B"]);
    assert_eq!(point.chain_pairs, [["A", "B"]]);
    assert_eq!(point.contact_list, None);
    let sums = contact_sums(&point.system, &point.chains);
    let all = point.system.counts.native_contacts_with_energy;
    assert_eq!(sums.within.contacts + sums.between.contacts, all);
    assert_eq!(sums.within.energy, 1.5 * sums.within.contacts as f64);
    let of = |one: &str, other: &str| sums.pairs[&[one.to_string(), other.to_string()]];
    assert_eq!(sums.pairs.len(), 3);
    assert_eq!(of("A", "A").energy, of("A", "A").contacts as f64);
    assert_eq!(of("A", "B").energy, 0.5 * of("A", "B").contacts as f64);
    let between = [of("A", "A"), of("A", "B"), of("B", "B")];
    assert_eq!(between.iter().map(|sum| sum.contacts).sum::<usize>(), sums.between.contacts);
    assert_eq!(between.iter().map(|sum| sum.energy).sum::<f64>(), sums.between.energy);
    assert!(between.iter().all(|sum| sum.contacts > 0));
}

/// The list of a whole capsid.
#[test]
fn the_list_of_a_capsid_reads_back_with_the_same_bits() {
    let Some(file) = beadwork_testing::shared_data("capsids/5cvz.pdb") else { return };
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(file, folder.path().join("c.pdb")).unwrap();
    let contacts = "between_chains = \"1.1 kcal/mol\"";
    let request = parse(folder.path(), &input(", assembly = 1", contacts)).unwrap();
    let again = read_back(folder.path(), &request, ", assembly = 1");
    let [one, other] = [&request, &again].map(|request| &request.points[0].system.interactions);
    assert!(one == other);
    let sums = contact_sums(&request.points[0].system, &request.points[0].chains);
    assert_eq!(sums.within.contacts + sums.between.contacts, 31_539);
    assert_eq!(sums.pairs.len(), 1);
}

/// Runs with a tip count contacts between chains, and no other run does.
#[test]
fn runs_with_a_tip_have_a_column_of_contacts_between_chains() {
    let folder = pile();
    let text = input(", assembly = 1", "energy = \"1.5 kcal/mol\"");
    let tip = "steps = 10\ndrives = [ { kind = \"tip\", above = \"all\", radius = \"10 nm\", stiffness = \"50 pN/nm\", speed = \"10 um/s\", friction = \"8.7e7 pN ps/nm\" } ]\n";
    let columns = |text: &str| -> Vec<String> {
        let request = parse(folder.path(), text).unwrap();
        let point = &request.points[0];
        let columns = point.protocol.measured_columns(&point.system);
        columns.iter().map(MeasuredColumn::word).collect()
    };
    let with_tip = columns(&text.replace("steps = 10\n", tip));
    let at = with_tip.iter().position(|word| word == "native_contacts").unwrap();
    assert_eq!(with_tip[at + 1], "contacts_between_chains");
    assert!(!columns(&text).contains(&"contacts_between_chains".to_string()));
}
