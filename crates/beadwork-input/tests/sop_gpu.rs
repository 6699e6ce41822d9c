//! Imported SOP-GPU inputs, and published systems built from them.

use std::path::{Path, PathBuf};

use crate::common::{assert_fixed_point, parse, pdb, snake, write};
use beadwork_input::{Imported, TrajectoryKind, import_sop_gpu};
use beadwork_model::StageKind;
use beadwork_model::externals::{
    Contact, External, Law, MoveSchedule, SurfacePlace, SurfacePoints, TipPlace,
};
use beadwork_testing::shared_data;

/// Imports a file and reads the result beside it.
fn import(path: &Path) -> (Imported, beadwork_input::Request) {
    let imported = import_sop_gpu(path).unwrap();
    let folder = path.parent().unwrap();
    let request = beadwork_input::parse(&imported.toml, "imported.toml", folder, &[])
        .unwrap_or_else(|error| panic!("{}\n{}", crate::common::complaint(&error), imported.toml));
    assert_fixed_point(&request);
    (imported, request)
}

fn copy(folder: &Path, data: &str, to: &str) -> Option<PathBuf> {
    let from = shared_data(data)?;
    let to = folder.join(to);
    std::fs::create_dir_all(to.parent()?).ok()?;
    // The test data are read-only, and a copy of the file itself would be read-only too.
    std::fs::write(&to, std::fs::read(from).ok()?).ok()?;
    Some(to)
}

#[test]
fn ww_in_equilibrium() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = copy(folder.path(), "sop-gpu/ww/ww_1-100_equil.sop", "e.sop") else { return };
    copy(folder.path(), "sop-gpu/ww/ww.top", "topologies/ww.top").unwrap();
    copy(folder.path(), "sop-gpu/ww/ww_ca.pdb", "structures/ww.pdb").unwrap();
    let (imported, request) = import(&path);
    let point = &request.points[0];
    assert_eq!(point.system.beads(), 34);
    assert_eq!(point.system.counts.bonds, 33);
    assert_eq!(point.system.counts.native_contacts, 75);
    let dynamics = &point.protocol.dynamics;
    assert_eq!(dynamics.temperature, 0.6);
    assert_eq!(dynamics.timestep, 20.0);
    // h/zeta of the program: 0.08/50.
    assert_eq!(dynamics.timestep / dynamics.friction, 0.0016);
    assert_eq!(point.protocol.stages[0].kind, StageKind::Dynamics { steps: 1_000_000 });
    assert_eq!((request.replicas, point.protocol.seed), (100, 1_119_726));
    assert_eq!(request.output.table_every, 10_000);
    assert_eq!(request.output.trajectory, Some((10_000, TrajectoryKind::Dcd)));
    assert!(point.starts.is_none());
    // The energies of SOP-GPU's topology: each of the 75 contacts is at its minimum with depth 1.5.
    let energies = point.system.energies(&point.system.particles.positions);
    assert!((energies.contacts + 112.5).abs() < 0.01, "{energies:?}");
    assert!((energies.pairs - 2.340_96).abs() < 1e-3, "{energies:?}");
    assert!(imported.notes.iter().any(|note| note.starts_with("Left out: `device`, `block_size`")));
    assert!(imported.notes.iter().all(|note| note.ends_with('.')));
    assert!(
        !imported.notes.iter().any(|note| note.contains("no counterpart")),
        "{:?}",
        imported.notes
    );
}

#[test]
fn ww_pulled_from_equilibrated_starts() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = copy(folder.path(), "sop-gpu/ww/ww_1-100_pull.sop", "p.sop") else { return };
    copy(folder.path(), "sop-gpu/ww/ww.top", "topologies/ww.top").unwrap();
    for run in 1..=100 {
        copy(
            folder.path(),
            "sop-gpu/ww/ww_ca.pdb",
            &format!("structures/ww_{run}_equil_final.pdb"),
        )
        .unwrap();
    }
    let (imported, request) = import(&path);
    let point = &request.points[0];
    assert_eq!(point.starts.as_ref().unwrap().len(), 100);
    assert_eq!(request.files[request.files.len() - 1].name, "inputs/ww_100_equil_final.pdb");
    let stage = &point.protocol.stages[0];
    assert_eq!((stage.name.as_str(), stage.fixed.as_slice()), ("pull", &[0][..]));
    let External::Spring(spring) = &stage.externals[0] else { panic!("{stage:?}") };
    assert_eq!((spring.ends.pulled.as_slice(), spring.ends.direction), (&[33][..], None));
    assert_eq!((spring.stiffness, spring.update_every), (0.05, 1000));
    // 0.0005 Å in 1,000 steps of 20 ps: the 2.5 µm/s of [A].
    assert!((spring.speed / 2.5e-8 - 1.0).abs() < 1e-12);
    assert!(imported.toml.contains("speed = \"2.5 um/s\""), "{}", imported.toml);
    assert_eq!(point.protocol.ends, (vec![0], vec![33]));
    assert!(imported.notes.iter().any(|note| note.contains("remove `update_every`")));
}

#[test]
fn topology_makers() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = copy(folder.path(), "sop-gpu/ww/ww_top.sop", "ww_top.sop") else { return };
    copy(folder.path(), "proteins/ww.pdb", "ww.pdb").unwrap();
    let (_, request) = import(&path);
    assert_eq!(request.points[0].system.counts.native_contacts, 75);

    // The example names a model of two beads a residue.
    let path = copy(folder.path(), "sop-gpu/titin/1TIT_top.sop", "1TIT_top.sop").unwrap();
    copy(folder.path(), "proteins/1TIT.pdb", "1TIT.pdb").unwrap();
    let error = import_sop_gpu(&path).unwrap_err().to_string();
    assert!(error.contains("line 6: `cgconfig`: says which beads the residues have, and ../aa_to_cg.inp cannot be read"), "{error}");
    let text = std::fs::read_to_string(&path).unwrap().replace("cgconfig ../aa_to_cg.inp", "");
    std::fs::write(&path, text).unwrap();
    let (imported, request) = import(&path);
    assert!(imported.toml.contains("energy = \"beta\""));
    assert_eq!(request.points[0].system.counts.native_contacts, 255);
}

/// Configurations of `sop-top` and `sop-top2`, each with one key that changes the molecule or the physics.
#[test]
fn keys_that_change_the_molecule_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 6)));
    let bead = |name: &str, atoms: &str, place: &str| {
        format!("BEAD {name} {name}\nREPR {atoms}\nCOOR {place}\nCHAR 0.0\nCONN +CA\nENDBEAD\n")
    };
    let residue = |beads: &str| format!("MASS 1 C 12.011\n\nRESI GLY\n\n{beads}\nENDRESI\n");
    write(folder.path(), "ca.inp", &residue(&bead("CA", "CA", "CA")));
    write(folder.path(), "all.inp", &residue(&bead("CA", "N CA C O", "CA")));
    write(folder.path(), "mean.inp", &residue(&bead("CA", "CA", "N CA C")));
    write(folder.path(), "two.inp", &residue(&(bead("CA", "CA", "CA") + &bead("CB", "CB", "CB"))));
    let base =
        "name x\nstructure a.pdb\ntopology x.top\ncoordinates x_ca.pdb\nR_limit_bond 8.0\neh 1.5\n";
    let said = |more: &str| {
        write(folder.path(), "x.sop", &format!("{base}{more}\n"));
        let error = import_sop_gpu(&folder.path().join("x.sop")).unwrap_err();
        assert_eq!(
            (error.code(), error.location().unwrap().line_column()),
            ("input/sop-gpu", (7, 1))
        );
        error.to_string()
    };
    for (more, part) in [
        (
            "createTandem yes\nlinkerLength 4\nmonomerCount 6",
            "`createTandem`: a tandem of copies with linkers, another molecule",
        ),
        (
            "covalentRepulsion on",
            "`covalentRepulsion`: repulsion between bonded residues is switched on",
        ),
        (
            "covLinkersCount 1\ncovLinker1 LYS48-GLY76",
            "`covLinkersCount`: makes bonds between chains",
        ),
        ("additional_bonds ss.txt", "`additional_bonds`: names a file of bonds"),
        ("SS_cutoff 4.0", "`SS_cutoff`: changes which residues are bonded"),
        ("covalent_cutoff 4.5", "`covalent_cutoff`: changes which residues are bonded"),
        ("cgconfig two.inp", "in two.inp, GLY has 2 beads, which is another molecule"),
        ("cgconfig mean.inp", "in mean.inp, GLY is at N CA C, which is another molecule"),
        ("cgconfig all.inp", "in all.inp, GLY has contacts by the distances of N CA C O"),
        (
            "cgconfig two_beads.inp",
            "two_beads.inp cannot be read; beadwork has one bead at each CA",
        ),
        ("heating on\ninitialT 0.1", "`heating`: heating is switched on"),
        ("pullingPlane on", "`pullingPlane`: pulling by a plane is switched on"),
    ] {
        let said = said(more);
        assert!(said.contains(part), "{said}");
    }
    // Switched off, at their defaults, or naming the model that beadwork has.
    write(
        folder.path(),
        "x.sop",
        &format!(
            "{base}cgconfig ca.inp\nuse_chains no\nKs 15\ncreateTandem no\nlinkerLength 4\ntandemDirection endToEnd\ncovLinkersCount 0\nadditional_bonds NONE\nSS_cutoff 10\ncovalentRepulsion off\nheating no\ninitialT 0.1\ncomputeRg yes\nmonomers 4\nhi_onn yes\nindentationn on\n"
        ),
    );
    let (imported, request) = import(&folder.path().join("x.sop"));
    assert_eq!(request.points[0].system.beads(), 6);
    assert!(
        imported.toml.contains("bonds = { stiffness = \"15 kcal/(mol A^2)\" }"),
        "{}",
        imported.toml
    );
    for part in [
        "`cgconfig` was left out: its file has one bead",
        "Left out: `computeRg`; they set what is written alone.",
        "Left out: `linkerLength`, `tandemDirection`, `initialT`; they belong to what is switched off.",
        "`monomers` (line 20: 4) has no counterpart and was left out",
        "`hi_onn` (line 21: yes) was left out: did you mean `hi_on`?",
        "`indentationn` (line 22: on) was left out: did you mean `indentation`?",
        "`use_chains` was left out: beadwork tells chains by their identifiers",
    ] {
        assert!(
            imported.notes.iter().any(|note| note.starts_with(part)),
            "{part} {:?}",
            imported.notes
        );
    }
}

#[test]
fn refuses_features_that_beadwork_lacks() {
    let Some(path) = shared_data("sop-gpu/protofilament/PF8_vf_3.0_R_100_HI.sop") else { return };
    let error = import_sop_gpu(&path).unwrap_err();
    assert_eq!(error.code(), "input/sop-gpu");
    assert_eq!(error.location().unwrap().line_column(), (71, 1));
    assert!(error.to_string().contains("`hi_on`: hydrodynamic interactions"), "{error}");
}

/// The published example: a microtubule's protofilament under a tip, on points of mica.
#[test]
fn a_protofilament_under_its_tip() {
    let Some(path) = shared_data("sop-gpu/protofilament/PF8_vf_3.0_R_100.sop") else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "pf.sop", &std::fs::read_to_string(path).unwrap());
    copy(folder.path(), "sop-gpu/protofilament/PF8.top", "topologies/PF8.top").unwrap();
    copy(folder.path(), "proteins/PF8_sop.pdb", "structures/PF8_sop.pdb").unwrap();
    let (imported, request) = import(&folder.path().join("pf.sop"));
    let point = &request.points[0];
    assert_eq!((point.system.beads(), request.replicas), (6928, 1));
    let stage = &point.protocol.stages[0];
    assert_eq!((stage.name.as_str(), stage.fixed.len()), ("indent", 27));
    let [External::Force(_), External::Surface(surface), External::Tip(tip)] =
        stage.externals.as_slice()
    else {
        panic!("{stage:?}")
    };
    assert_eq!(surface.points, Some(SurfacePoints { side: 35, spacing: 12.0 }));
    assert_eq!(surface.place, SurfacePlace::At([0.0, 500.0, 0.0]));
    assert_eq!(
        (tip.radius, tip.cantilever.stiffness, tip.cantilever.friction),
        (100.0, 0.07, 125_000.0)
    );
    assert_eq!(tip.place, TipPlace::At([0.0, -110.0, -27.68]));
    // 1.2e-4 Å in 100 steps of 40 ps: 3 µm/s.
    assert!((tip.cantilever.path.speed / 3e-8 - 1.0).abs() < 1e-12, "{tip:?}");
    assert!(imported.toml.contains("speed = \"3 um/s\""), "{}", imported.toml);
    assert_eq!(
        (tip.cantilever.moves_every, tip.cantilever.schedule, tip.cantilever.along_only),
        (100, MoveSchedule::Present, true)
    );
    let notes = &imported.notes;
    for part in ["Beside the tip, `pulling` is on", "Left out: `indentationOutput`"] {
        assert!(notes.iter().any(|note| note.starts_with(part)), "{part}: {notes:?}");
    }
    assert!(!notes.iter().any(|note| note.contains("no counterpart")), "{notes:?}");
}

/// A configuration of a tip over a short chain. Each test changes some of its lines.
const INDENT: &str = "name snake
topology snake.top
coordinates snake.pdb
temperature 0.6
zeta 50
numsteps 2000
timestep 0.16
nav 50
pulling on
fixed 0 to 2
pulled none
fconst 10
indentation on
indentationChip 1 2 -30
indentationDirection 0 0 2
indentationSurfaceR0 0 0 25
indentationSurfaceN 0 0 -1
indentationTipR 20
indentationTipZeta 100
indentationKs 0.1
indentationDeltaX 0.002
indentationSigma 2
indentationTipEl 0.5
indentationSurfEl 0.2
indentationSurfA 1
indentationSurfB -2
indentationRetractionStep 1000
indentationOutputFreq 100
outputtiming 500
";

/// The same keys after some lines were replaced; an empty replacement removes a line.
fn indent(changes: &[(&str, &str)]) -> String {
    let mut text = INDENT.to_string();
    for (line, new) in changes {
        assert!(text.contains(&format!("{line}\n")), "{line}");
        let new = if new.is_empty() { String::new() } else { format!("{new}\n") };
        text = text.replace(&format!("{line}\n"), &new);
    }
    text
}

/// A topology of SOP-GPU of a straight chain of six glycines.
fn snake_topology() -> String {
    let mut text = "[ atoms ]\n".to_string();
    for bead in 0..6 {
        let residue = bead + 1;
        text += &format!("{bead:6} CA {residue:6} GLY CA A 1.00 0.000\n");
    }
    text += "\n[ bonds ]\n";
    for bead in 0..5 {
        text += &format!("{bead:6} {:6} 1 3.80000\n", bead + 1);
    }
    text + "\n[ native ]\n\n[ pairs ]\n"
}

fn folder_of_a_snake() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "snake.pdb", &pdb(&snake('A', 6)));
    write(folder.path(), "snake.top", &snake_topology());
    folder
}

#[test]
fn a_tip_and_a_plane_are_imported() {
    let folder = folder_of_a_snake();
    write(folder.path(), "i.sop", INDENT);
    let (imported, request) = import(&folder.path().join("i.sop"));
    let stage = &request.points[0].protocol.stages[0];
    assert_eq!(stage.fixed, [0, 1, 2]);
    let [External::Surface(surface), External::Tip(tip)] = stage.externals.as_slice() else {
        panic!("{stage:?}")
    };
    let contact = |epsilon, sigma, twelfth, sixth| Contact { epsilon, sigma, twelfth, sixth };
    assert_eq!(
        (tip.contact, tip.cantilever.direction),
        (contact(0.5, 2.0, 0.0, 1.0), [0.0, 0.0, 1.0])
    );
    // ζ 100 and steps of 40 ps: n h/ζ is 50 · 0.16/100 in either program.
    assert!((50.0 * 40.0 / tip.cantilever.friction - 0.08).abs() < 1e-15, "{tip:?}");
    // 0.002 Å in 50 steps of 40 ps.
    assert!((tip.cantilever.path.speed / 1e-6 - 1.0).abs() < 1e-12, "{tip:?}");
    assert_eq!(
        (tip.cantilever.path.out, tip.cantilever.path.cycles, tip.cantilever.moves_every),
        (Some(1000), 1, 50)
    );
    assert!(!tip.cantilever.along_only && tip.cantilever.schedule == MoveSchedule::Present);
    assert_eq!(surface.contact, contact(0.2, 2.0, 1.0, -2.0));
    assert_eq!((surface.normal, surface.points), ([0.0, 0.0, -1.0], None));
    assert_eq!(surface.place, SurfacePlace::At([0.0, 0.0, 25.0]));
    assert_eq!(request.output.table_every, 100);
    for part in [
        "`pulled` names no beads",
        "SOP-GPU's force of a plane falls with one power of the distance more",
        "The base turns at step 1000 where it stands",
        "The tip moves every 50 steps (`nav`)",
        "There is one table, with a row every 100 steps",
        "Left out: `indentationSurfaceSize`",
    ] {
        let is_there = imported.notes.iter().any(|note| note.starts_with(part));
        // A plane has no points to speak of.
        assert_eq!(is_there, !part.starts_with("Left out"), "{part}: {:?}", imported.notes);
    }
    assert!(imported.notes.iter().all(|note| note.ends_with('.')), "{:?}", imported.notes);
}

/// Signs, defaults, points, and what SOP-GPU does not read.
#[test]
fn odd_tips_and_surfaces_are_imported() {
    let folder = folder_of_a_snake();
    let read = |text: &str| {
        write(folder.path(), "i.sop", text);
        import(&folder.path().join("i.sop"))
    };
    let (imported, request) = read(&indent(&[
        ("indentationDeltaX 0.002", "indentationDeltaX -0.002"),
        ("indentationTipZeta 100", "indentationFixTrans yes"),
        ("nav 50", "indentationFreq 50"),
        ("indentationKs 0.1", "indentationTipKs 0.1"),
        ("indentationRetractionStep 1000", "indentationRetractionStep -1"),
        (
            "indentationSurfB -2",
            "indentationDiscreteSurf yes\nindentationSurfaceSize 4\nindentationSurfaceStep 6",
        ),
    ]));
    let stage = &request.points[0].protocol.stages[0];
    let [External::Surface(surface), External::Tip(tip)] = stage.externals.as_slice() else {
        panic!("{stage:?}")
    };
    assert_eq!((tip.cantilever.direction, tip.cantilever.path.out), ([0.0, 0.0, -1.0], None));
    // 0.002 Å in 1,000 steps, SOP-GPU's `nav`, of 40 ps; ζ 5,000.
    assert!((tip.cantilever.path.speed / 5e-8 - 1.0).abs() < 1e-12, "{tip:?}");
    assert_eq!(
        (tip.cantilever.friction, tip.cantilever.stiffness, tip.cantilever.along_only),
        (1_250_000.0, 0.1, true)
    );
    // SOP-GPU's four points along x are at −12, −6, 0 and 6; its second axis is n × x, along −y.
    assert_eq!(surface.points, Some(SurfacePoints { side: 4, spacing: 6.0 }));
    assert_eq!(surface.place, SurfacePlace::At([-3.0, 3.0, 25.0]));
    let points = surface.begin(&[[0.0; 3]; 6]).anchors;
    for point in [[-12.0, 12.0, 25.0], [6.0, -6.0, 25.0], [0.0, 0.0, 25.0]] {
        assert!(points.contains(&point), "{points:?}");
    }
    for part in [
        "`indentationDeltaX` is negative",
        "`indentationRetractionStep` was left out: it is negative",
        "`indentationFreq` (line 8) was left out: SOP-GPU 2.0 does not read it",
        "`indentationTipKs` was taken for `indentationKs`: it is the manual's name",
        "Not in the configuration, so that SOP-GPU's defaults were taken: `indentationSurfB 1`, `indentationTipZeta 5000`, `nav 1000`, `indentationTipA 0`",
        "`indentationSurfaceR0` was moved by half a spacing",
        "All points of the surface act on a bead",
    ] {
        let is_there = imported.notes.iter().any(|note| note.starts_with(part));
        assert!(is_there, "{part}: {:?}", imported.notes);
    }
    assert!(!imported.notes.iter().any(|note| note.contains("falls with one power")));
    let sizes = "indentationSurfB -2\nindentationSurfaceSize 51\nindentationPairsCutoff 40";
    let (imported, _) = read(&indent(&[("indentationSurfB -2", sizes)]));
    let note = "Left out: `indentationSurfaceSize`, `indentationPairsCutoff`; they are of the points of a surface, and this one has none.";
    assert!(imported.notes.iter().any(|one| one == note), "{:?}", imported.notes);
    // A surface without an energy is none; without `pulling` no bead is held.
    let (_, request) = read(&indent(&[
        ("indentationSurfEl 0.2", "indentationSurfEl 0"),
        ("pulling on", "pulling off"),
    ]));
    let stage = &request.points[0].protocol.stages[0];
    assert!(stage.fixed.is_empty() && stage.externals.len() == 1, "{stage:?}");
}

/// Old systems end lines by a carriage return alone, and others by two characters.
#[test]
fn line_ends_of_a_configuration_mean_the_same() {
    let folder = folder_of_a_snake();
    let imported = |text: &str| {
        write(folder.path(), "i.sop", text);
        import(&folder.path().join("i.sop")).0.toml
    };
    let text = indent(&[]);
    let expected = imported(&text);
    let mixed = text.replacen('\n', "\r", 3);
    for other in [text.replace('\n', "\r"), text.replace('\n', "\r\n"), mixed] {
        assert_eq!(imported(&other), expected);
    }
}

/// Misspelt keys, a key under both of its names, and the defaults of keys that are not there.
#[test]
fn odd_keys_and_defaults_of_a_tip_are_noted() {
    let folder = folder_of_a_snake();
    let notes = |changes: &[(&str, &str)]| {
        write(folder.path(), "i.sop", &indent(changes));
        import(&folder.path().join("i.sop")).0.notes
    };
    let odd = "indentationTipZetta 100\nindentationtipa 0\nindentationSurfaceSizeX 9\nindentationMystery 1";
    let said = notes(&[
        ("zeta 50", "zetta 50"),
        ("indentationTipZeta 100", odd),
        ("indentationKs 0.1", "indentationKs 0.1\nindentationTipKs 0.2"),
    ]);
    for part in [
        "`zetta` (line 5: 50) was left out: did you mean `zeta`?",
        "`indentationTipZetta` (line 19) was left out: did you mean `indentationTipZeta`?",
        "`indentationtipa` (line 20) was left out: did you mean `indentationTipA`?",
        "`indentationSurfaceSizeX` (line 21) was left out: SOP-GPU 2.0 does not read it",
        "`indentationMystery` (line 22) was left out: SOP-GPU 2.0 does not read it",
        "`indentationTipKs` was left out: it is the manual's name of `indentationKs`",
        "Not in the configuration, so that SOP-GPU's defaults were taken: `indentationDiscreteSurf off`, `indentationTipZeta 5000`, `indentationTipA 0`, `indentationTipB 1`, `indentationFixTrans off`.",
    ] {
        assert!(said.iter().any(|note| note.starts_with(part)), "{part}: {said:?}");
    }
    assert!(said.iter().all(|note| note.ends_with('.')), "{said:?}");
    // The key of both counts for each without its own.
    let said = notes(&[
        ("indentationSigma 2", ""),
        ("indentationTipEl 0.5", "indentationEl 0.5"),
        ("indentationRetractionStep 1000", ""),
    ]);
    let defaults = "defaults were taken: `indentationSigma 1`, `indentationDiscreteSurf off`, `indentationTipA 0`, `indentationTipB 1`, `indentationFixTrans off`.";
    assert!(said.iter().any(|note| note.ends_with(defaults)), "{said:?}");
    let turn =
        "`indentationRetractionStep` is not in the configuration, so that the base never turns.";
    assert!(said.iter().any(|note| note == turn), "{said:?}");
}

#[test]
fn tips_that_cannot_be_imported_are_refused() {
    let folder = folder_of_a_snake();
    let chip = "indentationChip 1 2 -30";
    let normal = "indentationSurfaceN 0 0 -1";
    for (changes, part) in [
        (&[(chip, "")][..], "`indentationChip` is missing, and indentation needs it"),
        (
            &[(chip, "indentationChp 1 2 -30")][..],
            "indentation needs it; did you mean it by `indentationChp` in line 14?",
        ),
        (
            &[("indentationDeltaX 0.002", "indentationDeltax 0.002")][..],
            "`indentationDeltaX` is missing, and indentation needs it; did you mean it by `indentationDeltax` in line 21?",
        ),
        (&[(chip, "indentationChip 1 2")], "line 14: `indentationChip`: must have three numbers"),
        (
            &[(chip, "indentationChip 1 2 -30\nindentationTip 1 2 -29")],
            "`indentationTip`: is not the position of `indentationChip`",
        ),
        (
            &[("indentationDirection 0 0 2", "indentationDirection 0 0 0")],
            "`indentationDirection`: must have a length",
        ),
        (&[("indentationKs 0.1", "")], "`indentationKs` is missing"),
        (&[("indentationKs 0.1", "indentationKs 0")], "`indentationKs`: is 0: nothing would press"),
        (
            &[("indentationRetractionStep 1000", "indentationRetractionStep 0")],
            "`indentationRetractionStep`: is 0: the base would go backwards",
        ),
        (&[(normal, "indentationMoveSurface yes")], "`indentationMoveSurface`: moves the surface"),
        (
            &[(normal, "indentationSurfaceN 0 0 -2\nindentationDiscreteSurf on")],
            "`indentationSurfaceN`: is no unit vector",
        ),
        (&[("indentationTipEl 0.5", "indentationTipEl 0")], "the tip has no potential"),
        (&[("indentationTipEl 0.5", "indentationTipA -1")], "`indentationTipA`: is negative"),
        (
            &[("indentationSigma 2", "indentationSigma -2")],
            "`indentationSigma`: must not be negative, but is -2",
        ),
        (
            &[("indentationTipEl 0.5", "indentationTipB -2")],
            "`indentationTipB`: is negative, and `indentationTipA` is 0: beads would be drawn",
        ),
        (
            &[("indentationSurfA 1", "indentationSurfA 0")],
            "`indentationSurfB`: is negative, and `indentationSurfA` is 0",
        ),
        (
            &[("indentationTipR 20", "indentationTipR 0")],
            "`indentationTipR`: must be more than 0, but is 0",
        ),
        (&[("indentationTipR 20", "indentationTipR -5")], "`indentationTipR`: must be more than 0"),
        (&[("indentationKs 0.1", "indentationKs -1")], "`indentationKs`: must not be negative"),
        (
            &[("indentationTipZeta 100", "indentationTipZeta 0")],
            "`indentationTipZeta`: must be more than 0",
        ),
        (&[(chip, "indentationChip 1 2 1e300")], "`indentationChip`: must be less than 1e100"),
        (
            &[(
                normal,
                "indentationSurfaceN 0 0 -1\nindentationDiscreteSurf on\nindentationSurfaceSize 0",
            )],
            "`indentationSurfaceSize`: is 0, but counts the points along a side of the surface",
        ),
        (
            &[(
                normal,
                "indentationSurfaceN 0 0 -1\nindentationDiscreteSurf on\nindentationSurfaceSize -3",
            )],
            "`indentationSurfaceSize`: \"-3\" is not a whole number",
        ),
        (
            &[(
                normal,
                "indentationSurfaceN 0 0 -1\nindentationDiscreteSurf on\nindentationSurfaceSize 301",
            )],
            "`indentationSurfaceSize`: is 301: the surface has as many points",
        ),
    ] {
        write(folder.path(), "i.sop", &indent(changes));
        let error = import_sop_gpu(&folder.path().join("i.sop")).unwrap_err();
        assert!(error.to_string().contains(part), "{part}: {error}");
        assert!(error.code() == "input/sop-gpu" && error.location().is_some());
    }
}

#[test]
fn a_protofilament_without_its_tip() {
    let Some(path) = shared_data("sop-gpu/protofilament/PF8_vf_3.0_R_100_HI.sop") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let text = text
        .replace("indentation\t\ton", "indentation\t\toff")
        .replace("hi_on\t\t\tyes", "hi_on\t\t\tno");
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "pf.sop", &text);
    copy(folder.path(), "sop-gpu/protofilament/PF8.top", "topologies/PF8.top").unwrap();
    copy(folder.path(), "proteins/PF8_sop.pdb", "structures/PF8_sop.pdb").unwrap();
    let (imported, request) = import(&folder.path().join("pf.sop"));
    let point = &request.points[0];
    assert_eq!((point.system.beads(), request.replicas), (6928, 1));
    let dynamics = &point.protocol.dynamics;
    // 0.16 is SOP-GPU's 40 ps.
    assert_eq!((dynamics.timestep, dynamics.friction), (40.0, 12500.0));
    let stage = &point.protocol.stages[0];
    assert_eq!(stage.fixed.len(), 27);
    let External::Force(force) = &stage.externals[0] else { panic!("{stage:?}") };
    assert_eq!((force.force, force.ends.direction), (10.0, Some([1.0, 0.0, 0.0])));
    assert_eq!(point.protocol.ends, (vec![1], vec![2]));
    assert!(imported.notes.iter().any(|note| note.contains("they belong to what is switched off")));
}

#[test]
fn refuses_inputs_that_cannot_be_imported() {
    let folder = tempfile::tempdir().unwrap();
    let base =
        "topology a.top\ncoordinates a.pdb\nnumsteps 10\ntimestep 0.08\nrunnum 1\nfirstrun 1\n";
    for (text, part) in [
        (base.replace("numsteps 10\n", ""), "`numsteps` is missing, and a run needs it"),
        (base.replace("0.08", "small"), "line 4: `timestep`: \"small\" is not a number"),
        (format!("{base}pulling maybe\n"), "line 7: `pulling`: \"maybe\" is neither on nor off"),
        (format!("{base}pulling on\n"), "`fixed` is missing: pulling needs beads to hold"),
        (
            format!("{base}pulling on\nfixed 0\npulled x\n"),
            "line 9: `pulled`: \"x\" is not the number of a bead",
        ),
        (
            format!("{base}pulling on\nfixed 9 to 0\npulled 1\n"),
            "line 8: `fixed`: 9 to 0: the second number is smaller; write the lower one first",
        ),
        (
            format!("{base}pulling on\nfixed 18446744073709551615 to 5\npulled 1\n"),
            "line 8: `fixed`: \"18446744073709551615\" is not the number of a bead",
        ),
        (
            format!("{base}pulling on\nfixed 0\npulled 1\n"),
            "line 7: `pulling`: is on, but neither `deltax`",
        ),
        (
            format!("{base}pulling on\nfixed 0\npulled 1\ndeltax 0\n"),
            "line 7: `pulling`: is on, but `deltax` is 0, so that nothing pulls",
        ),
        (
            format!("{base}pulling on\nfixed 0\npulled 1\ndeltaxx 0.001\n"),
            "(a constant force) is given; did you mean `deltax` by `deltaxx` in line 10?",
        ),
        (
            format!("{base}pulling on\nfixed 0\npulled 1\nfconst 1\npullDirection vector\n"),
            "`pullVector` is missing beside",
        ),
        (format!("{base}outputtiming 0\n"), "line 7: `outputtiming`: is 0"),
        (base.replace("0.08", "0"), "line 4: `timestep`: must be more than 0, but is 0"),
        (base.replace("0.08", "-0.08"), "line 4: `timestep`: must be more than 0, but is -0.08"),
        (base.replace("numsteps 10", "numsteps 0"), "line 3: `numsteps`: must be more than 0"),
        (base.replace("runnum 1", "runnum 0"), "line 5: `runnum`: must be more than 0"),
        (
            base.replace("runnum 1", "runnum 2000000"),
            "line 5: `runnum`: is 2000000: each run becomes a replica, and an input has at most 1000000",
        ),
        (
            format!("{base}pulling on\nfixed 0 to 2\npulled 5 2\nfconst 10\n"),
            "line 9: `pulled`: bead 2 is in `fixed` too",
        ),
        (format!("{base}zeta 0\n"), "line 7: `zeta`: must be more than 0"),
        (format!("{base}temperature -1\n"), "line 7: `temperature`: must not be negative"),
        (format!("{base}kspring_cov -1\n"), "line 7: `kspring_cov`: must not be negative"),
        (format!("{base}run -1\n"), "line 7: `run`: \"-1\" is not a whole number"),
        ("structure a.pdb\n".to_string(), "`eh` is missing"),
        (
            format!("{base}structure a.pdb\n"),
            "`eh` is missing. The file has `structure`, so it was taken for a configuration of sop-top",
        ),
        (
            base.replace("numsteps", "NumSteps"),
            "`numsteps` is missing, and a run needs it; did you mean it by `NumSteps` in line 3?",
        ),
        (
            base.replace("timestep", "tiemstep"),
            "`timestep` is missing, and a run needs it; did you mean it by `tiemstep` in line 4?",
        ),
        (
            "structure a.pdb\neh C\n".to_string(),
            "line 2: `eh`: \"C\" is not a number of kcal/mol, O or B",
        ),
    ] {
        write(folder.path(), "x.sop", &text);
        let error = import_sop_gpu(&folder.path().join("x.sop")).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.location().is_some());
    }
    // A file of another kind is not shown. Lines that begin with a blank do not count.
    for text in ["device 0\n", "device 0\n coordinates a.pdb\n"] {
        write(folder.path(), "x.sop", text);
        let error = import_sop_gpu(&folder.path().join("x.sop")).unwrap_err();
        assert!(error.to_string().contains("is neither a configuration of SOP-GPU"), "{error}");
        assert!(error.code() == "input/sop-gpu" && error.location().is_none());
    }
    assert_eq!(
        import_sop_gpu(&folder.path().join("none")).unwrap_err().code(),
        "input/unreadable-file"
    );
}

#[test]
fn forces_on_several_beads_and_long_vectors_keep_their_strength() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 6)));
    let top = "structure a.pdb\neh 1.5\nSC_limit_bond 0\n";
    write(folder.path(), "t.sop", top);
    let (imported, _) = import(&folder.path().join("t.sop"));
    assert!(!imported.toml.contains("side_chain_cutoff"));
    let run = "topology a.top\ncoordinates a.pdb\nnumsteps 10\ntimestep 0.08\nrun 03\npulling on\nfixed 0\npulled 4 5\nfconst 1.5\npullDirection vector\npullVector 0 3 4\nnumsteps 11\n";
    write(folder.path(), "f.sop", run);
    let imported = import_sop_gpu(&folder.path().join("f.sop")).unwrap();
    // 1.5 on each of two beads, along a vector of length 5.
    assert!(
        imported.toml.contains("direction = [0.0, 3.0, 4.0], force = \"15 kcal/(mol A)\""),
        "{}",
        imported.toml
    );
    assert!(imported.toml.contains("steps = 11\n"));
    for part in [
        "`numsteps` is there twice; line 3 was left out",
        "multiplied by 2",
        "the length 5",
        "Run 03 alone",
    ] {
        assert!(
            imported.notes.iter().any(|note| note.contains(part)),
            "{part}: {:?}",
            imported.notes
        );
    }
    let spring = run.replace("fconst 1.5", "deltax 0.001\nnav 100");
    write(folder.path(), "s.sop", &spring);
    let imported = import_sop_gpu(&folder.path().join("s.sop")).unwrap();
    // 0.001 Å × 5 in 100 steps of 20 ps is 2.5e-6 Å/ps.
    assert!(
        imported.toml.contains(
            "stiffness = \"0.05 kcal/(mol A^2)\", speed = \"250 um/s\", update_every = 100"
        ),
        "{}",
        imported.toml
    );
}

#[test]
fn fibrinogen_with_its_listed_disulfides() {
    let Some(structure) = shared_data("proteins/3ghg_ca_AF.pdb") else { return };
    let folder = structure.parent().unwrap();
    let text = "[system]\nstructure = \"3ghg_ca_AF.pdb\"\nbonds = { extra = \"3ghg_disulfides.csv\" }\n[[stage]]\nsteps = 1\n";
    let request = parse(folder, text).unwrap();
    let counts = &request.points[0].system.counts;
    // Table I of [A]. Its repelling pairs count the 25 disulfides among both bonds and contacts.
    assert_eq!((counts.beads, counts.bonds, counts.extra_bonds), (1913, 1932, 25));
    assert_eq!((counts.native_contacts, counts.native_contacts_with_energy), (5709, 5684));
    assert_fixed_point(&request);
}
