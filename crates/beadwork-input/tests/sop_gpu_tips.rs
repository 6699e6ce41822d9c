//! Imported SOP-GPU inputs in which a tip presses on a molecule on a surface.

use crate::common::{pdb, snake, write};
use crate::sop_gpu::{copy, import};
use beadwork_input::import_sop_gpu;
use beadwork_model::externals::{
    Contact, External, Law, MoveSchedule, SurfacePlace, SurfacePoints, TipPlace,
};
use beadwork_testing::shared_data;

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

/// The text of a configuration with a tip and a plane, in which some lines are replaced; an empty replacement removes a line.
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
