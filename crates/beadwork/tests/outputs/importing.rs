//! Inputs of other programs.

use std::fs;

use crate::common::Place;

#[test]
fn an_input_of_sop_gpu_is_imported() {
    let place = Place::new();
    let sop = "topology helix.top\ncoordinates helix.pdb\nnumsteps 2000\ntimestep 0.08\nrunnum 2\nfirstrun 0\npulling on\nfixed 0\npulled 15\ndeltax 0.001\nk_trans 0.05\nnav 100\ndevice 0\nmystery 7\n";
    place.write("pull.sop", sop);
    let said = place.beadwork("import pull.sop").expect(0);
    said.complains(&["note: `mystery` (line 14: 7) has no counterpart", "`device`"]);
    let toml = said.stdout;
    // 0.08 is 20 ps; 0.001 Å in 100 steps are 5e-7 Å/ps.
    for part in [
        "timestep = \"20 ps\"",
        "steps = 2000",
        "replicas = 2",
        "update_every = 100",
        "pulled = \"index 15\"",
    ] {
        assert!(toml.contains(part), "no {part} in\n{toml}");
    }
    place.beadwork("import pull.sop -o pull.toml").expect(0).complains(&["wrote pull.toml"]);
    assert_eq!(place.read("pull.toml"), toml);
    place
        .beadwork("import pull.sop -o pull.toml")
        .expect(2)
        .complains(&["exists and is left as it is"]);
    // Other programs print where they are given this name.
    for command in ["import pull.sop -o -", "new sop -", "schema --output -"] {
        let said = place.beadwork(command).expect(2);
        said.complains(&["a file named -", "leave the name out to print"]);
    }
    place.beadwork("import none.sop").expect(2).complains(&["none.sop", "No such file"]);
    place.write("bad.sop", &sop.replace("0.08", "small"));
    let parts = ["bad.sop, line 4: `timestep`: \"small\" is not a number", "[bad.sop:4:1]"];
    place.beadwork("import bad.sop").expect(2).complains(&parts);
}

/// A file of neither kind is refused in a sentence, not shown.
#[test]
fn files_that_import_does_not_read_are_named() {
    let place = Place::new();
    let beads = "2\nmystery\nA 0 0 0\nA 1 0 0\n";
    for (name, text, parts) in [
        ("w.xyz", beads, ["w.xyz is no input of another", "start = \"w.xyz\" in [system] reads"]),
        // The content tells what the ending does not.
        ("in.melt", beads, ["in.melt is no input of another", "start = \"in.melt\" in [system]"]),
        (
            "in.text",
            "mystery\n",
            ["is neither a configuration of", "section Atoms: import reads these two"],
        ),
    ] {
        place.write(name, text);
        let said = place.beadwork(&format!("import {name}")).expect(2);
        said.complains(&parts);
        assert!(!said.stderr.contains("mystery"), "{}", said.stderr);
    }
    place.beadwork("import none.xyz").expect(2).complains(&["none.xyz", "No such file"]);
}

#[test]
fn an_imported_data_file_is_found_from_the_folder_of_the_input() {
    let place = Place::new();
    let data = "two units = lj\n\n2 atoms\n1 atom types\n\n0 9 xlo xhi\n0 9 ylo yhi\n0 9 zlo zhi\n\nMasses\n\n1 1 # A\n\nAtoms # atomic\n\n1 1 1 1 1\n2 1 3 3 3\n\nPair Coeffs # lj/cut\n\n1 1 1 2.5\n";
    place.write("two.data", data);
    fs::create_dir(place.path("sub")).unwrap();
    place.beadwork("import two.data --output sub/two.toml").expect(0);
    assert!(place.read("sub/two.toml").contains("start = { file = \"../two.data\" }"));
    place.beadwork("check sub/two.toml").expect(0);
    place.beadwork("import two.data --output two.toml").expect(0);
    assert!(place.read("two.toml").contains("two.data, which must lie beside this input"));
}

/// A configuration of a tip becomes an input that runs, with the tip where SOP-GPU's is.
#[test]
fn an_imported_indentation_runs() {
    let place = Place::new();
    let mut topology = "[ atoms ]\n".to_string();
    for bead in 0..16 {
        topology += &format!("{bead:6} CA {:6} ALA CA A 1.00 0.000\n", bead + 1);
    }
    topology += "\n[ bonds ]\n";
    for bead in 0..15 {
        topology += &format!("{bead:6} {:6} 1 3.82000\n", bead + 1);
    }
    place.write("helix.top", &(topology + "\n[ native ]\n\n[ pairs ]\n"));
    place.write("helix.pdb", crate::common::HELIX);
    let sop = "topology helix.top\ncoordinates helix.pdb\nnumsteps 400\ntimestep 0.08\nnav 50\noutputtiming 100\nindentation on\nindentationChip 0 0 44.5\nindentationDirection 0 0 -1\nindentationTipR 20\nindentationTipZeta 100\nindentationKs 0.1\nindentationDeltaX 0.05\nindentationSurfaceR0 0 0 -8\nindentationSurfaceN 0 0 1\nindentationSurfSigma 8\nindentationSurfEl 0.2\nindentationSurfA 1\nindentationSurfB -2\nindentationRetractionStep 200\n";
    place.write("indent.sop", sop);
    let said = place.beadwork("import indent.sop -o indent.toml").expect(0);
    said.complains(&["at a height of z A it is z times too weak", "The base turns at step 200"]);
    place.beadwork("run indent.toml -o run --quiet").expect(0);
    let table = place.table("run", 0);
    assert_eq!(table.column("step"), ["0", "100", "200", "300", "400"]);
    // 0.05 Å every 50 steps, and back.
    let base = table.numbers("base_travel_nm");
    for (found, expected) in base.iter().zip([0.0, 0.01, 0.02, 0.01, 0.0]) {
        assert!((found - expected).abs() < 1e-12, "{base:?}");
    }
    // 2.12 Å from the sphere, the last bead pushes with 6 ε σ⁶/x⁷ = 2.17 pN, the next ones with 0.06 pN in all.
    let (tip, force) = (table.numbers("tip_z_nm"), table.numbers("tip_force_pN"));
    assert!(tip[0] == 4.45 && (force[0] - 2.21).abs() < 0.03, "{tip:?} {force:?}");
}
