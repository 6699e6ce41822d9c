//! SOP-GPU inputs that cannot be imported.

use crate::common::{pdb, snake, write};
use crate::sop_gpu::import;
use beadwork_input::import_sop_gpu;
use beadwork_testing::shared_data;

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
