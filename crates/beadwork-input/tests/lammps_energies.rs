//! LAMMPS data files whose energies are known: those that LAMMPS (22 July 2025) gives at step 0, or a hand count.

use crate::common::{assert_fixed_point, parse, write};
use beadwork_input::{Imported, import, import_lammps};
use beadwork_model::System;
use beadwork_model::potentials::{FeneBond, RepulsiveFeneBond};

/// A header with a cubic box of 20 for these numbers of atoms, bonds and types, and masses of 1.
fn header(atoms: usize, bonds: usize, atom_types: usize, bond_types: usize) -> String {
    let masses: String = (1..=atom_types).map(|kind| format!("{kind} 1\n")).collect();
    format!(
        "LAMMPS data file, units = lj\n\n{atoms} atoms\n{atom_types} atom types\n{bonds} bonds\n{bond_types} bond types\n\
         0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\nMasses\n\n{masses}\n"
    )
}

/// Two bonds of 0.97 between types 1 and 2.
const TWO_BONDS: &str = "Atoms # bond\n\n1 1 1 1 5 5\n2 1 2 1.97 5 5\n3 2 1 10 5 5\n4 2 2 10.97 5 5\n\nBonds\n\n1 1 1 2\n2 1 3 4\n";

/// What the import of a file gives, with its notes.
fn imported(name: &str, text: &str) -> (Imported, System) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), name, text);
    let imported =
        import(&folder.path().join(name), None).unwrap_or_else(|error| panic!("{error}"));
    let request = parse(folder.path(), &imported.toml);
    let request = request.unwrap_or_else(|error| panic!("{error}\n{}", imported.toml));
    if request.warnings.is_empty() {
        assert_fixed_point(&request);
    }
    let system = request.points[0].system.as_ref().clone();
    (imported, system)
}

/// The energies of bonds, of pairs and of everything.
fn energies(text: &str) -> [f64; 3] {
    let system = imported("a.data", text).1;
    let energies = system.energies(&system.particles.positions);
    [energies.bonds, energies.pairs, energies.total()]
}

#[track_caller]
fn assert_near(found: [f64; 3], expected: [f64; 3]) {
    let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
    assert!(near, "{found:?} {expected:?}");
}

/// Bonds of the style fene repel by their own depth and diameter, and pair terms leave bonded beads out.
#[test]
fn fene_bonds_have_their_own_repulsion() {
    let kinds = "1 12 1\n2 12 1\n3 12 1\n4 12 1\n5 12 1\n6 12 1\n";
    let text = format!(
        "{}Pair Coeffs # lj/cut\n\n{kinds}\nBond Coeffs # fene\n\n1 30 1.5 1 1\n2 30 2.0 1.3 1.3\n\nAtoms # angle\n\n\
         1 1 1 2 5 5\n2 1 2 2.97 5 5\n3 1 3 3.94 5 5\n4 2 4 2 12 12\n5 2 5 3.25 12 12\n6 2 6 4.5 12 12\n\n\
         Bonds\n\n1 1 1 2\n2 1 2 3\n3 2 4 5\n4 2 5 6\n",
        header(6, 4, 6, 2)
    );
    // LAMMPS with pair_style lj/cut 2.5 and special_bonds lj 0 1 1.
    assert_near(
        energies(&text),
        [106.013_169_764_242_55, -0.883_500_760_629_950_5, 105.129_669_003_612_59],
    );
    let (read, system) = imported("nuc.data", &text);
    let bonds = system.interactions.bonded_by::<RepulsiveFeneBond>();
    assert_eq!(bonds.len(), 4);
    let expected = RepulsiveFeneBond { stiffness: 30.0, limit: 2.0, depth: 1.3, diameter: 1.3 };
    assert_eq!(bonds[3].potential, expected);
    assert_eq!(system.interactions.excluded, [(0, 1), (1, 2), (3, 4), (4, 5)]);
    assert!(read.notes.iter().any(|note| {
        note.contains("exclude = 1 is written, as LAMMPS asks for special_bonds fene")
    }));

    // The pair term between the bonded types has no depth: without a repulsion of their own, bonds would collapse.
    let text = |fene: &str| {
        format!(
            "{}PairIJ Coeffs # lj/cut\n\n1 1 1.0 1.0 2.5\n1 2 0.0 1.0 2.5\n2 2 1.0 1.0 1.12246\n\nBond Coeffs # {fene}\n\n{TWO_BONDS}",
            header(4, 2, 2, 1)
        )
    };
    let of_lammps = [40.483_180_015_894_01, 0.0, 40.483_180_015_894_01];
    for fene in [
        "fene\n\n1 30 1.5 1.0 1.0",
        "fene/expand\n\n1 30 1.5 1.0 1.0 0",
        "hybrid\n\n1 fene 30 1.5 1 1",
    ] {
        assert_near(energies(&text(fene)), of_lammps);
    }
    // No repulsion: two springs of 0.97, −(k/2) R² ln(1 − (r/R)²).
    let spring = |stretch: f64| -30.0 * 2.25 * (1.0 - (stretch / 1.5_f64).powi(2)).ln();
    for (fene, stretch) in [
        ("fene\n\n1 30 1.5 0.0 1.0", 0.97),
        ("fene\n\n1 30 1.5 1 0", 0.97),
        ("fene/expand\n\n1 30 1.5 0 0 0.2", 0.77),
    ] {
        assert_near(energies(&text(fene)), [spring(stretch), 0.0, spring(stretch)]);
        assert_eq!(imported("a.data", &text(fene)).1.interactions.bonded_by::<FeneBond>().len(), 2);
    }
    // What has no counterpart is asked for.
    for fene in ["fene/expand\n\n1 30 1.5 1 1 0.2", "fene\n\n1 30 1.5", "morse\n\n1 1 2 1"] {
        let notes = imported("a.data", &text(fene)).0.notes;
        assert!(
            notes.iter().any(|note| note.starts_with("bonds of type 1 have no coefficients")),
            "{notes:?}"
        );
    }
}

/// Suffixes choose a faster code for the same formula.
#[test]
fn accelerated_styles_are_the_styles() {
    let text = |suffix: &str| {
        format!(
            "{}PairIJ Coeffs # lj/cut{suffix}\n\n1 1 1.0 1.0 1.122462048309373\n1 2 1.0 1.5 1.68369307246406\n2 2 1.0 2.0 2.244924096618746\n\n\
             Bond Coeffs # fene{suffix}\n\n1 30 1.5 1.0 1.0\n\n{}",
            header(4, 2, 2, 1),
            TWO_BONDS.replace("Atoms # bond", &format!("Atoms # bond{suffix}"))
        )
    };
    for suffix in ["", "/omp", "/gpu", "/kk", "/kk/device", "/kk/host", "/opt", "/intel"] {
        assert_near(energies(&text(suffix)), [40.483_180_015_894_01, 0.0, 40.483_180_015_894_01]);
    }
}

#[test]
fn types_without_lennard_jones_do_not_act() {
    for coefficients in [
        "Pair Coeffs # lj/cut\n\n1 1.0 1.0\n2 0 0\n",
        "Pair Coeffs # lj/cut\n\n1 1.0 1.0\n2 1.0 0\n",
        "Pair Coeffs # lj/cut\n\n1 1.0 1.0\n2 0.0 1.5\n",
        "PairIJ Coeffs # lj/cut\n\n1 1 1 1 2.5\n1 2 0 0 0\n2 2 1 1 0\n",
        "PairIJ Coeffs # lj/smooth/linear\n\n1 1 1 1 2.5\n1 2 0 0 0\n2 2 1 1 0\n",
        "Pair Coeffs # lj/cut\n\n* 1 1 2.5\n2 0 0 0\n",
    ] {
        let text = format!(
            "{}{coefficients}\nBond Coeffs # harmonic\n\n1 10 0.97\n\nAtoms # bond\n\n1 1 1 1 5 5\n2 1 2 1.97 5 5\n3 2 1 1 6.2 5\n4 2 2 1.97 6.2 5\n\n\
             Bonds\n\n1 1 1 2\n2 1 3 4\n",
            header(4, 2, 2, 1)
        );
        // Beads 0 and 2 alone act, 1.2 apart: 4 (1.2⁻¹² − 1.2⁻⁶).
        let sixth = 1.2_f64.powi(-6);
        let mut pair = 4.0 * sixth * (sixth - 1.0);
        if coefficients.contains("smooth") {
            // Without the value and the slope at the cutoff.
            let (end, slope) =
                (2.5_f64.powi(-6), |r: f64| (-48.0 * r.powi(-12) + 24.0 * r.powi(-6)) / r);
            pair -= 4.0 * end * (end - 1.0) + (1.2 - 2.5) * slope(2.5);
        }
        assert_near(energies(&text), [0.0, pair, pair]);
    }
    // A file in which nothing acts.
    let text = format!("{}Pair Coeffs # lj/cut\n\n1 0 0\n2 0 0\n\n{TWO_BONDS}", header(4, 2, 2, 1));
    assert_near(energies(&text), [0.0; 3]);
    // A negative depth has no counterpart.
    let text =
        format!("{}Pair Coeffs # lj/cut\n\n1 -1 1\n2 1 1\n\n{TWO_BONDS}", header(4, 2, 2, 1));
    let notes = imported("a.data", &text).0.notes;
    assert!(
        notes
            .iter()
            .any(|note| note
                .contains("the style lj/cut, with coefficients that cannot be carried over")),
        "{notes:?}"
    );
}

/// Cutoffs that the file has stay, whatever other pairs lack.
#[test]
fn cutoffs_are_kept_pair_by_pair() {
    let text = format!(
        "{}PairIJ Coeffs # lj/cut\n\n1 1 1 1 1.5\n1 2 1 1\n2 2 1 2 4\n\n{TWO_BONDS}",
        header(4, 2, 2, 1)
    );
    let (read, system) = imported("a.data", &text);
    let cutoffs = system.interactions.pair_cutoffs();
    assert_eq!([(0, 0), (0, 1), (1, 1)].map(|(a, b)| cutoffs.between(a, b)), [1.5, 2.5, 4.0]);
    assert!(read.notes.iter().any(|note| note.starts_with("cutoffs stand in pair_style")));
}

/// Labels stand for types in every section, and may have hyphens.
#[test]
fn labels_stand_for_types_of_bonds_and_angles() {
    for (label, bonds, angle) in [
        ("A", ["A-A", "A-B"], "A-A-B"),
        ("C3-x", ["C3-x-C3-x", "C3-x-B"], "C3-x-C3-x-B"),
        ("A", ["1", "2"], "1"),
    ] {
        let labels = match bonds {
            ["1", _] => String::new(),
            [one, other] => format!(
                "Bond Type Labels\n\n1 {one}\n2 {other}\n\nAngle Type Labels\n\n1 {angle}\n\n"
            ),
        };
        let [one, other] = bonds;
        let text = format!(
            "units = lj\n\n4 atoms\n2 atom types\n3 bonds\n2 bond types\n2 angles\n1 angle types\n\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\n\
             Atom Type Labels\n\n1 {label}\n2 B\n\n{labels}Masses\n\n{label} 1\nB 1\n\nPair Coeffs # lj/cut\n\n{label} 1 1\nB 4 1\n\n\
             Bond Coeffs # harmonic\n\n{one} 50 1\n{other} 40 1.1\n\nAngle Coeffs # harmonic\n\n{angle} 10 120\n\n\
             Atoms # angle\n\n1 1 {label} 1 5 5 0 0 0\n2 1 {label} 2 5 5 0 0 0\n3 1 {label} 3 5 5 0 0 0\n4 1 B 4.2 5 5 0 0 0\n\n\
             Bonds\n\n1 {one} 1 2\n2 {one} 2 3\n3 {other} 3 4\n\nAngles\n\n1 {angle} 1 2 3\n2 {angle} 2 3 4\n"
        );
        // The last bond is 0.1 too long; two straight angles are 60 degrees off.
        let bond = 40.0 * 0.01;
        let angle = 20.0 * (std::f64::consts::PI / 3.0).powi(2);
        assert_near(energies(&text), [bond, 0.0, bond + angle]);
        let (read, system) = imported("labels.data", &text);
        assert_eq!(system.types[0].name, label);
        assert!(read.toml.contains(&format!("name = \"{label}\"")), "{}", read.toml);
    }
}

/// As in a file without molecule numbers: the beads that bonds connect are one molecule.
#[test]
fn molecule_0_is_no_molecule() {
    let chain = |molecule: u32| {
        let atoms: String =
            (1..=10).map(|id| format!("{id} {molecule} 1 {} 5 5\n", id + 4)).collect();
        let bonds: String = (1..=9).map(|id| format!("{id} 1 {id} {}\n", id + 1)).collect();
        format!(
            "{}Bond Coeffs # harmonic\n\n1 50 1.0\n\nAtoms # molecular\n\n{atoms}\nBonds\n\n{bonds}",
            header(10, 9, 1, 1)
        )
    };
    for molecule in [0, 1] {
        let (_, system) = imported("chain.data", &chain(molecule));
        assert_eq!(system.counts.chains, 1);
        assert_eq!(system.particles.molecules, [0; 10]);
    }
    // Ten beads of solvent without a number stay single.
    let text = chain(4)
        .replace("10 atoms", "12 atoms")
        .replace("\nBonds", "11 0 1 1 1 1\n12 0 1 3 1 1\n\nBonds");
    let (_, system) = imported("chain.data", &text);
    assert_eq!(system.counts.chains, 3);
    assert_eq!(system.particles.molecules[9..], [0, 1, 2]);
}

/// Files as `chain.f` and people write them, and files whose names tell nothing.
#[test]
fn files_are_imported_whatever_their_names_and_titles() {
    let chain = |title: &str, heading: &str| {
        format!(
            "{title}\n\n4 atoms\n3 bonds\n1 atom types\n1 bond types\n\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\n Masses\n\n1 1.0\n\n\
             Bond Coeffs # harmonic\n\n1 100 0.9\n\n {heading}\n\n1 1 1 19.5 5 5 0 0 0\n2 1 1 0.47 5 5 1 0 0\n7 1 1 1.44 5 5 1 0 0\n9 1 1 2.41 5 5 1 0 0\n\n\
             Bonds\n\n1 1 1 2\n2 1 2 7\n3 1 7 9\n"
        )
    };
    let energy = 3.0 * 100.0 * 0.07_f64.powi(2);
    for (name, title, heading, note) in [
        ("chain.data", "Bead-spring chain, LJ units, 1 chain of 4", "Atoms", "taken as lj"),
        ("chain.lmpdat", "chain of 4 monomer units made by chain.f", "Atoms", "taken as lj"),
        (
            "data.chain",
            "Lengths in units of sigma",
            "Atoms # I like comments",
            "names no atom style",
        ),
        ("chain", "units = lj", "Atoms # id mol type x y z ix iy iz", "with gaps"),
    ] {
        let (read, system) = imported(name, &chain(title, heading));
        let found = system.energies(&system.particles.positions).bonds;
        assert!((found - energy).abs() < 1e-9, "{found}");
        assert!(read.notes.iter().any(|text| text.contains(note)), "{:?}", read.notes);
    }
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "beads.dat", "1\n\nA 0 0 0\n");
    write(
        folder.path(),
        "in.melt",
        "units lj\npair_style lj/cut 2.5\nread_data melt.data\nrun 1\n",
    );
    let refused = |name: &str| import(&folder.path().join(name), None).unwrap_err();
    assert_eq!(refused("beads.dat").code(), "input/no-import");
    assert!(refused("in.melt").to_string().contains("no scripts or dumps of LAMMPS"));
    let error = import_lammps(&folder.path().join("in.melt"), None).unwrap_err().to_string();
    assert!(error.contains("this is a script of LAMMPS, which is not read"), "{error}");
}

/// What a file has and no term takes is told, type by type.
#[test]
fn bonds_and_angles_without_terms_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = "units = lj\n\n4 atoms\n3 bonds\n2 angles\n1 atom types\n1 bond types\n2 angle types\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\n\
                Masses\n\n1 1\n\nBond Coeffs # harmonic\n\n1 10 1\n\nAngle Coeffs # hybrid\n\n1 cosine 3\n2 charmm 1 2 3 4\n\n\
                Atoms # angle\n\n1 1 1 1 5 5\n2 1 1 2 5 5\n3 1 1 3 5 5\n4 1 1 4 5 5\n\nBonds\n\n1 1 1 2\n2 1 2 3\n3 1 3 4\n\nAngles\n\n1 1 1 2 3\n2 2 2 3 4\n";
    let warnings = |text: &str| {
        write(folder.path(), "a.data", text);
        let imported = import(&folder.path().join("a.data"), None).unwrap();
        (imported.notes, parse(folder.path(), &imported.toml).unwrap().warnings)
    };
    let (notes, said) = warnings(text);
    let part = "angles of type 2 have no coefficients that can be carried over (charmm)";
    assert!(notes.iter().any(|note| note.starts_with(part)), "{notes:?}");
    let part = "no term of `angles` acts on 1 of the 2 angles of";
    assert!(said.iter().any(|warning| warning.starts_with(part)), "{said:?}");
    let (notes, said) = warnings(&text.replace("1 cosine 3", "1 charmm 1 2 3 4"));
    let part = "angles of the types 1, 2 have no coefficients that can be carried over (charmm)";
    assert!(notes.iter().any(|note| note.starts_with(part)), "{notes:?}");
    let part = "no term acts on the 2 angles of";
    assert!(said.iter().any(|warning| warning.starts_with(part)), "{said:?}");
    // LAMMPS counts the energy of such a bond twice.
    let (_, said) =
        warnings(&text.replace("3 bonds", "4 bonds").replace("3 1 3 4\n", "3 1 3 4\n4 1 2 1\n"));
    let part = "has the bond of the beads 0 and 1 more than once: each acts once";
    assert!(said.iter().any(|warning| warning.contains(part)), "{said:?}");
}

/// The first line of a file and the input name the same units, or a warning says so.
#[test]
fn units_that_differ_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let data = header(4, 2, 2, 1) + TWO_BONDS;
    let said = |title: &str, units: &str| -> Vec<String> {
        write(folder.path(), "a.data", &data.replace("LAMMPS data file, units = lj", title));
        let dynamics = match units {
            "real" => "collision_rate = \"1 /ps\"\ntimestep = \"1 fs\"",
            _ => "collision_rate = 1\ntimestep = 0.001",
        };
        let text = format!(
            "[system]\nmodel = \"beads\"\nunits = \"{units}\"\nstart = {{ file = \"a.data\" }}\nbox = \"file\"\n\n[dynamics]\n{dynamics}\n\n[[stage]]\nsteps = 1\n"
        );
        let request = parse(folder.path(), &text).unwrap_or_else(|error| panic!("{error}"));
        request.warnings.into_iter().filter(|warning| warning.contains("names the units")).collect()
    };
    for (title, units) in [
        ("units = lj", "reduced"),
        ("units = real", "real"),
        ("units = metal", "real"),
        ("a melt", "real"),
    ] {
        assert_eq!(said(title, units), [""; 0]);
    }
    for (title, units, part) in [
        (
            "units = real",
            "reduced",
            "the units real, but its numbers are taken as reduced ones, since [system] has units = \"reduced\"",
        ),
        ("units = lj", "real", "the units lj, but its lengths are taken as Å"),
        ("in nano units", "real", "the units nano, but its lengths are taken as Å"),
    ] {
        let said = said(title, units);
        assert!(said.len() == 1 && said[0].contains(part), "{said:?}");
    }
}

#[test]
fn charges_that_nothing_acts_on_are_told() {
    let atoms = TWO_BONDS.replace("# bond", "# full").replace(" 1 1 1 5 5", " 1 1 0.5 1 5 5");
    let atoms = atoms
        .replace("2 1 2 1.97", "2 1 2 -0.5 1.97")
        .replace("3 2 1 10", "3 2 1 0 10")
        .replace("4 2 2 10", "4 2 2 0 10");
    let (read, _) = imported("a.data", &format!("{}{atoms}", header(4, 2, 2, 1)));
    assert!(
        read.notes.iter().any(|note| note.starts_with("atoms have charges")),
        "{:?}",
        read.notes
    );
}
