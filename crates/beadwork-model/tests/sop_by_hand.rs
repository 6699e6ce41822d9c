//! The SOP model of helices made by formula, whose bonds and contacts can be counted on paper.
//!
//! C-alphas of an α helix (radius 2.3 Å, 100° and 1.5 Å a residue) that are d residues apart are
//! 3.83, 5.43, 5.05, 6.20, 8.66, 9.92 … Å from each other: with a cutoff of 8 Å and |i − j| > 2,
//! d = 3 and 4 are native and nothing else is.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

use beadwork_model::force_fields::sop::{
    Beads, ContactDepth, ContactRule, ListedContact, Parameters, build, build_from_topology,
};
use beadwork_model::potentials::{FeneBond, NativeContact};
use beadwork_model::{Error, System};
use beadwork_structure::{Atom, Chain, Label, Residue, Selection, SopGpuTopology, Structure};

/// Position of a residue in the helix, Å.
fn on_helix(residue: usize) -> [f64; 3] {
    let angle = (100.0 * residue as f64).to_radians();
    [2.3 * angle.cos(), 2.3 * angle.sin(), 1.5 * residue as f64]
}

fn atom(name: &str, element: &str, position: [f64; 3]) -> Atom {
    Atom { name: name.into(), element: element.into(), position, occupancy: 1.0, beta: 0.0 }
}

/// Chains of residues, each a number and a position; ids are A, B, …
fn structure(chains: &[Vec<(i32, [f64; 3])>]) -> Structure {
    let mut structure = Structure {
        source: "by hand".into(),
        atoms: vec![],
        residues: vec![],
        chains: vec![],
        disulfides: vec![],
        nucleic_chains: vec![],
        warnings: vec![],
        models: 1,
    };
    for (index, chain) in chains.iter().enumerate() {
        let first = structure.residues.len();
        for &(number, position) in chain {
            let at = structure.atoms.len();
            structure.atoms.push(atom("CA", "C", position));
            structure.residues.push(Residue {
                name: "GLY".into(),
                number,
                insertion: None,
                chain: index,
                atoms: at..at + 1,
            });
        }
        let id = char::from(b'A' + index as u8).to_string();
        structure.chains.push(Chain {
            id: id.clone(),
            id_in_file: id,
            segment: String::new(),
            residues: first..structure.residues.len(),
            caps: [false; 2],
        });
    }
    structure
}

/// Residues 1 to `count` of one helix for which `kept` is true.
fn helix(count: usize, kept: impl Fn(usize) -> bool) -> Structure {
    structure(&[(0..count).filter(|i| kept(i + 1)).map(|i| (i as i32 + 1, on_helix(i))).collect()])
}

fn built(structure: &Structure, parameters: &Parameters) -> (System, Vec<String>) {
    build(structure, Beads::from_structure(structure), parameters).unwrap()
}

fn refused(structure: &Structure, parameters: &Parameters) -> String {
    let error = build(structure, Beads::from_structure(structure), parameters).unwrap_err();
    assert_eq!(error.code(), "model/topology");
    error.to_string()
}

fn listed(i: usize, j: usize) -> ListedContact {
    ListedContact { i, j, length: None, depth: None }
}

fn with_list(list: Vec<ListedContact>) -> Parameters {
    Parameters { contacts: ContactRule::List(list), ..Parameters::default() }
}

/// Bonds, contacts, contacts with energy and repelling pairs.
fn counted(system: &System) -> [usize; 4] {
    let counts = system.counts;
    let lists = &system.interactions;
    // The counts must be those of the lists that act.
    let bonds = lists.bonded_by::<FeneBond>();
    let contacts = lists.bonded_by::<NativeContact>();
    assert_eq!(bonds.len(), counts.bonds);
    assert_eq!(contacts.len(), counts.native_contacts_with_energy);
    let excluded = &lists.excluded;
    let pairs = counts.beads * (counts.beads - 1) / 2;
    assert_eq!(pairs - excluded.len(), counts.nonnative_pairs);
    assert!(excluded.windows(2).all(|two| two[0] < two[1]) && excluded.iter().all(|(i, j)| i < j));
    assert!(contacts.windows(2).all(|two| (two[0].i, two[0].j) < (two[1].i, two[1].j)));
    assert!(bonds.windows(2).all(|two| (two[0].i, two[0].j) < (two[1].i, two[1].j)));
    [
        counts.bonds,
        counts.native_contacts,
        counts.native_contacts_with_energy,
        counts.nonnative_pairs,
    ]
}

#[test]
fn a_helix_of_twenty() {
    let (system, warnings) = built(&helix(20, |_| true), &Parameters::default());
    // 17 pairs with d = 3 and 16 with d = 4; 190 − 19 − 33 repel.
    assert_eq!(counted(&system), [19, 33, 33, 138]);
    assert_eq!(warnings, Vec::<String>::new());
    let energies = system.energies(&system.particles.positions);
    assert_eq!(energies.bonds, 0.0);
    assert!((energies.contacts + 1.5 * 33.0).abs() < 1e-12);
    // Σ over d = 2, 5, 6, … of (20 − d)(3.8/r_d)⁶ with r_d² = (4.6 sin 50°d)² + (1.5 d)² < 20².
    let on_paper: f64 = (1..20)
        .filter(|d| ![1, 3, 4].contains(d))
        .map(|d| {
            (d, (4.6 * (50.0 * d as f64).to_radians().sin()).powi(2) + (1.5 * d as f64).powi(2))
        })
        .filter(|(_, square)| *square < 400.0)
        .map(|(d, square)| (20.0 - d as f64) * (3.8_f64.powi(2) / square).powi(3))
        .sum();
    assert!((energies.pairs - on_paper).abs() < 1e-12 * on_paper, "{}", energies.pairs);
}

#[test]
fn contacts_need_more_than_two_residues_between_only_within_a_chain() {
    // Two beads a chain, 3.8 Å apart; chains 6 Å apart side by side: 4 pairs across, all within
    // 8 Å (6 and 7.1 Å), though their numbers differ by 1, 2 and 3.
    let chains = [0.0, 6.0].map(|x| vec![(1, [x, 0.0, 0.0]), (2, [x, 3.8, 0.0])]);
    let (system, _) = built(&structure(&chains), &Parameters::default());
    assert_eq!(counted(&system), [2, 4, 4, 0]);
    assert_eq!(system.counts.chains, 2);
    // The same positions in one chain: bonds 1–2 and 3–4 only, since 2–3 are 7.1 Å apart; of the pairs only 1–4 has |i
    // − j| > 2.
    let chain = [chains[0].clone(), chains[1].iter().map(|(n, p)| (n + 2, *p)).collect()].concat();
    let (system, warnings) = built(&structure(&[chain]), &Parameters::default());
    assert_eq!(counted(&system), [2, 1, 1, 3]);
    assert_eq!(system.counts.chains, 1);
    assert_eq!(warnings.len(), 1);
}

#[test]
fn two_chains_of_one_name_stay_separate() {
    let mut structure =
        structure(&[0.0, 30.0].map(|x| vec![(1, [x, 0.0, 0.0]), (2, [x, 3.8, 0.0])]));
    structure.chains[1].id = "A".into();
    assert_eq!(built(&structure, &Parameters::default()).0.counts.chains, 2);
}

#[test]
fn missing_residues_leave_a_break_that_is_named() {
    // Residues 8 and 11 are 5.05 Å apart.
    let (system, warnings) =
        built(&helix(20, |number| ![9, 10].contains(&number)), &Parameters::default());
    // Within 1–8: 5 + 4 contacts, within 11–20: 7 + 6; 7–11, 8–11 and 8–12 are one or two beads
    // apart. 18·17/2 − 16 − 22 repel.
    assert_eq!(counted(&system), [16, 22, 22, 115]);
    assert_eq!(warnings.len(), 1);
    for part in [
        "1 break(s), 2 residue(s) missing",
        "between residues 8 and 11 of chain A (5.1 A apart, 2 missing)",
    ] {
        assert!(warnings[0].contains(part), "{}", warnings[0]);
    }
}

#[test]
fn breaks_begin_where_a_distance_exceeds_its_limit() {
    // (distance, next number, bonded): 5.0 Å where numbers go on, 4.3 Å where they jump.
    for (distance, next, bonded) in [
        (3.8, 2, true),
        (4.999, 2, true),
        (5.001, 2, false),
        (4.299, 3, true),
        (4.301, 3, false),
        (4.6, -5, true),
    ] {
        let chain = vec![(1, [0.0; 3]), (next, [distance, 0.0, 0.0])];
        let (system, warnings) = built(&structure(&[chain]), &Parameters::default());
        assert_eq!(system.counts.bonds == 1, bonded, "{distance} {next}");
        assert_eq!(warnings.is_empty(), bonded, "{distance} {next}");
    }
}

#[test]
fn a_break_without_a_jump_in_numbers_leaves_no_residue_out() {
    let chain = vec![(1, [0.0; 3]), (2, [6.0, 0.0, 0.0])];
    let (_, warnings) = built(&structure(&[chain]), &Parameters::default());
    assert!(warnings[0].contains("1 break(s), 0 residue(s) missing"), "{}", warnings[0]);
    assert!(warnings[0].contains("(6.0 A apart)"), "{}", warnings[0]);
}

#[test]
fn a_disulfide_takes_the_place_of_a_contact() {
    let mut structure = helix(20, |_| true);
    // Four residues apart: native, so that 33 are counted and 32 carry energy.
    structure.disulfides = vec![(4, 8)];
    let (system, _) = built(&structure, &Parameters::default());
    assert_eq!(counted(&system), [20, 33, 32, 138]);
    assert_eq!(system.counts.extra_bonds, 1);
    let bond = system
        .interactions
        .bonded_by::<FeneBond>()
        .iter()
        .find(|bond| (bond.i, bond.j) == (4, 8))
        .unwrap();
    // r₄² = (4.6 sin 200°)² + 36.
    let length = ((4.6 * 200.0_f64.to_radians().sin()).powi(2) + 36.0).sqrt();
    assert!((bond.potential.length - length).abs() < 1e-12);
    assert_eq!((bond.potential.stiffness, bond.potential.limit), (20.0, 2.0));
    let energies = system.energies(&system.particles.positions);
    assert!((energies.contacts + 1.5 * 32.0).abs() < 1e-12);
    // Six apart: not native, so that one pair less repels.
    structure.disulfides = vec![(4, 10)];
    assert_eq!(counted(&built(&structure, &Parameters::default()).0), [20, 33, 33, 137]);
    let without = Parameters { disulfides: false, ..Parameters::default() };
    assert_eq!(counted(&built(&structure, &without).0), [19, 33, 33, 138]);
}

#[test]
fn a_disulfide_to_a_residue_left_out_makes_no_bond() {
    let mut structure = helix(20, |_| true);
    structure.disulfides = vec![(4, 8)];
    let beads = Beads::from_structure(&structure)
        .select(&Selection::parse("residue 1-8").unwrap(), "structure")
        .unwrap();
    let (system, _) = build(&structure, beads, &Parameters::default()).unwrap();
    assert_eq!(counted(&system), [7, 9, 9, 28 - 16]);
}

#[test]
fn extra_bonds_are_joined_with_disulfides() {
    let mut structure = helix(20, |_| true);
    structure.disulfides = vec![(4, 10)];
    let parameters = Parameters { extra_bonds: vec![(10, 4), (19, 0)], ..Parameters::default() };
    let (system, warnings) = built(&structure, &parameters);
    assert_eq!(counted(&system), [21, 33, 33, 136]);
    assert_eq!(system.counts.extra_bonds, 2);
    assert_eq!(warnings, Vec::<String>::new());
}

#[test]
fn an_extra_bond_of_neighbours_adds_nothing_and_is_named() {
    let parameters = Parameters { extra_bonds: vec![(3, 2)], ..Parameters::default() };
    let (system, warnings) = built(&helix(20, |_| true), &parameters);
    assert_eq!(counted(&system), [19, 33, 33, 138]);
    assert_eq!(system.counts.extra_bonds, 0);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("beads 2 and 3"), "{}", warnings[0]);
}

#[test]
fn side_chains_touch_beyond_the_cutoff_of_c_alphas() {
    // Residues 1 and 6 are 8.66 Å apart; side-chain atoms 5.1 Å from each other between them.
    let mut structure = helix(6, |_| true);
    let (a, b) = (on_helix(0), on_helix(5));
    let along = [0, 1, 2].map(|axis| (b[axis] - a[axis]) / 8.658);
    let inside = |from: [f64; 3], by: f64| [0, 1, 2].map(|axis| from[axis] + by * along[axis]);
    let mut add = |residue: usize, name: &str, element: &str, position| {
        let at = structure.residues[residue].atoms.end;
        structure.atoms.insert(at, atom(name, element, position));
        structure.residues[residue].atoms.end += 1;
        for later in &mut structure.residues[residue + 1..] {
            later.atoms = later.atoms.start + 1..later.atoms.end + 1;
        }
    };
    add(0, "CB", "C", inside(a, 1.779));
    add(5, "HB1", "H", inside(b, -1.779));
    // A backbone atom, which does not count although it is closer.
    add(0, "O", "O", inside(a, 4.0));
    add(5, "N", "N", inside(b, -4.0));
    let counts = |side_chain_cutoff, side_chain_hydrogens| {
        let contacts =
            ContactRule::Distance { cutoff: 8.0, side_chain_cutoff, side_chain_hydrogens };
        counted(&built(&structure, &Parameters { contacts, ..Parameters::default() }).0)
    };
    // 3 pairs with d = 3, 2 with d = 4; 15 − 5 − 5.
    assert_eq!(counts(None, true), [5, 5, 5, 5]);
    assert_eq!(counts(Some(5.2), true), [5, 6, 6, 4]);
    assert_eq!(counts(Some(5.0), true), [5, 5, 5, 5]);
    assert_eq!(counts(Some(5.2), false), [5, 5, 5, 5]);
}

/// The helix of five with columns 1, 4, 9, 16, 25: √ of products is (i + 1)(j + 1).
fn with_columns(column: fn(&mut Atom) -> &mut f64) -> Structure {
    let mut structure = helix(5, |_| true);
    for (index, atom) in structure.atoms.iter_mut().enumerate() {
        *column(atom) = ((index + 1) * (index + 1)) as f64;
    }
    structure
}

#[test]
fn contact_energies_from_columns() {
    for (depth, column) in [
        (ContactDepth::Occupancy, (|atom| &mut atom.occupancy) as fn(&mut Atom) -> &mut f64),
        (ContactDepth::Beta, |atom| &mut atom.beta),
    ] {
        let structure = with_columns(column);
        let parameters = Parameters { depth, ..Parameters::default() };
        let (system, _) = built(&structure, &parameters);
        // Contacts 0–3, 0–4 and 1–4: depths 1·4, 1·5 and 2·5.
        let depths: Vec<f64> = system
            .interactions
            .bonded_by::<NativeContact>()
            .iter()
            .map(|c| c.potential.depth)
            .collect();
        assert_eq!(depths, [4.0, 5.0, 10.0]);
        let energy = system.energies(&system.particles.positions).contacts;
        assert!((energy + 19.0).abs() < 1e-12, "{energy}");
    }
}

#[test]
fn negative_columns_are_refused_with_their_name() {
    for (depth, name) in
        [(ContactDepth::Occupancy, "occupancy"), (ContactDepth::Beta, "temperature-factor")]
    {
        for signs in [[-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]] {
            let mut structure = helix(4, |_| true);
            for (atom, sign) in [0, 3].into_iter().zip(signs) {
                structure.atoms[atom].occupancy = sign;
                structure.atoms[atom].beta = sign;
            }
            let parameters = Parameters { depth, ..Parameters::default() };
            let message = refused(&structure, &parameters);
            assert!(message.contains(name) && message.contains("negative"), "{message}");
        }
    }
}

#[test]
fn a_list_of_contacts_replaces_the_rule() {
    let list = vec![
        ListedContact { i: 7, j: 2, length: Some(6.5), depth: Some(2.0) },
        listed(0, 3),
        // Bonded: counted, but without energy.
        listed(10, 11),
    ];
    let (system, _) = built(&helix(20, |_| true), &with_list(list));
    assert_eq!(counted(&system), [19, 3, 2, 190 - 19 - 2]);
    let [first, second] = system.interactions.bonded_by::<NativeContact>() else { panic!() };
    assert_eq!((first.i, first.j, first.potential.depth), (0, 3, 1.5));
    // r₃² = 2.3² + 4.5².
    assert!((first.potential.length - 25.54_f64.sqrt()).abs() < 1e-12);
    assert_eq!((second.i, second.j), (2, 7));
    assert_eq!((second.potential.length, second.potential.depth), (6.5, 2.0));
}

#[test]
fn lists_that_make_no_sense_are_refused() {
    let helix = helix(20, |_| true);
    let with = |length, depth| ListedContact { length, depth, ..listed(0, 5) };
    for (parameters, part) in [
        (
            with_list(vec![listed(0, 3), listed(3, 0)]),
            "contact between beads 0 and 3 is listed twice",
        ),
        (with_list(vec![listed(4, 4)]), "joins bead 4 with itself"),
        (with_list(vec![listed(4, 20)]), "names bead 20, but beads go from 0 to 19"),
        (with_list(vec![with(Some(0.0), None)]), "length must be positive"),
        (with_list(vec![with(Some(f64::NAN), None)]), "length must be positive"),
        (with_list(vec![with(None, Some(-1.0))]), "not negative"),
    ] {
        let message = refused(&helix, &parameters);
        assert!(message.contains(part), "{message}");
    }
    for (extra_bonds, part) in [
        (vec![(0, 5), (5, 0)], "extra bond between beads 0 and 5 is listed twice"),
        (vec![(6, 6)], "joins bead 6 with itself"),
        (vec![(6, 21)], "names bead 21"),
    ] {
        let message = refused(&helix, &Parameters { extra_bonds, ..Parameters::default() });
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn residues_in_one_place_are_refused() {
    let chain = vec![(1, [1.0; 3]), (2, [1.0; 3])];
    let message = refused(&structure(&[chain]), &Parameters::default());
    assert!(message.contains("bond between beads 0 and 1 has length 0"), "{message}");
    let chains = [vec![(1, [1.0; 3])], vec![(1, [1.0; 3])]];
    let message = refused(&structure(&chains), &Parameters::default());
    assert!(message.contains("bead 1 (chain B, residue 1) are 0 A apart"), "{message}");
    let chains = [vec![(1, [1.0; 3])], vec![(1, [1.0, 1.0, 1.4])]];
    let message = refused(&structure(&chains), &Parameters::default());
    assert!(message.contains("are 0.4 A apart"), "{message}");
}

#[test]
fn one_bead_and_empty_selections_are_refused() {
    let alone = structure(&[vec![(1, [0.0; 3])]]);
    let error = build(&alone, Beads::from_structure(&alone), &Parameters::default()).unwrap_err();
    assert!(matches!(error, Error::TooFewBeads { beads: 1, .. }), "{error}");
    let beads = Beads::from_structure(&helix(20, |_| true));
    let error = beads.select(&Selection::parse("chain B").unwrap(), "structure").unwrap_err();
    assert_eq!(error.code(), "model/empty-selection");
    assert!(error.to_string().contains("chains A (20 beads)"), "{error}");
}

fn topology() -> SopGpuTopology {
    let bead = |number| Label {
        name: "CA".into(),
        residue_name: "GLY".into(),
        residue_number: number,
        insertion: None,
        chain: "A".into(),
        segment: "".into(),
    };
    SopGpuTopology {
        atoms: (1..=4).map(bead).collect(),
        bonds: vec![(0, 1, 3.8), (2, 1, 3.8), (2, 3, 3.8)],
        contacts: vec![(3, 0, 5.0, 1.25)],
        pairs: None,
    }
}

fn on_line(count: usize) -> Vec<[f64; 3]> {
    (0..count).map(|bead| [3.8 * bead as f64, 0.0, 0.0]).collect()
}

#[test]
fn a_topology_may_name_the_pairs_that_repel() {
    let parameters = Parameters::default();
    let system = build_from_topology(&topology(), on_line(4), &parameters).unwrap();
    assert_eq!(counted(&system), [3, 1, 1, 2]);
    // σ = 3.8 Å; pairs 0–2 and 1–3 at 2 σ repel with 2⁻⁶ each, up to rounding of the places.
    assert!((system.energies(&system.particles.positions).pairs - 2.0 / 64.0).abs() < 1e-15);
    let named = SopGpuTopology { pairs: Some(vec![(3, 1)]), ..topology() };
    let system = build_from_topology(&named, on_line(4), &parameters).unwrap();
    assert_eq!(counted(&system), [3, 1, 1, 1]);
    assert!((system.energies(&system.particles.positions).pairs - 1.0 / 64.0).abs() < 1e-15);
}

#[test]
fn topologies_that_do_not_fit_are_refused() {
    let twice = SopGpuTopology { bonds: vec![(0, 1, 3.8), (1, 0, 3.8)], ..topology() };
    let contacts = vec![(0, 3, 5.0, 1.0), (3, 0, 5.0, 1.0)];
    let contact_twice = SopGpuTopology { contacts, ..topology() };
    for (topology, beads, part) in [
        (topology(), 5, "4 beads and the coordinates 5"),
        (twice, 4, "bond between beads 0 and 1 is listed twice"),
        (contact_twice, 4, "contact between beads 0 and 3 is listed twice"),
    ] {
        let error =
            build_from_topology(&topology, on_line(beads), &Parameters::default()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
