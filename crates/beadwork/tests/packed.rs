//! Structures, beads, sequences and lists that gzip or bzip2 packed.

use std::io::Write;
use std::path::Path;

use crate::common::{HELIX, PULL, Place};

/// Contacts of a few pairs of the helix.
const CONTACTS: &str = "bead_i,bead_j\n0,4\n1,5\n2,6\n";

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

fn bzip2(text: &str) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

fn put(place: &Place, name: &str, bytes: &[u8]) {
    if let Some(folder) = Path::new(name).parent() {
        std::fs::create_dir_all(place.path(&folder.display().to_string())).unwrap();
    }
    std::fs::write(place.path(name), bytes).unwrap();
}

/// An input with a structure and a list of contacts, with few steps.
fn pull(structure: &str, contacts: &str) -> String {
    PULL.replace("80_000", "2_000").replace("10_000", "1_000").replace(
        "structure = \"helix.pdb\"",
        &format!("structure = \"{structure}\"\ncontacts = {{ file = \"{contacts}\" }}"),
    )
}

/// Packed files give the bits of those that are not; the run folder has them as they were given, and goes on with them.
#[test]
fn a_run_has_the_same_bits_with_packed_files() {
    let place = Place::new();
    put(&place, "helix.pdb", HELIX.as_bytes());
    put(&place, "contacts.csv", CONTACTS.as_bytes());
    place.write("plain.toml", &pull("helix.pdb", "contacts.csv"));
    place.beadwork("run plain.toml -o plain --quiet").expect(0);
    let (structure, list) = (gzip(HELIX), bzip2(CONTACTS));
    put(&place, "helix.pdb.gz", &structure);
    put(&place, "contacts.csv.bz2", &list);
    place.write("packed.toml", &pull("helix.pdb.gz", "contacts.csv.bz2"));
    place.beadwork("run packed.toml -o packed --quiet").expect(0);
    let bytes = |file: &str| std::fs::read(place.path(file)).unwrap();
    for file in ["tables/member-0002.csv", "trajectories/member-0002.xtc", "final/replica-2.pdb"] {
        assert_eq!(bytes(&format!("plain/{file}")), bytes(&format!("packed/{file}")), "{file}");
    }
    assert_eq!(bytes("packed/inputs/helix.pdb.gz"), structure);
    assert_eq!(bytes("packed/inputs/contacts.csv.bz2"), list);
    place.beadwork("verify packed").expect(0);
    // The resolved form names the packed copies.
    place.beadwork("run packed/resolved.toml -o again --quiet").expect(0);
    assert_eq!(bytes("plain/tables/member-0001.csv"), bytes("again/tables/member-0001.csv"));
    place.beadwork("resume packed --quiet").expect(0);
    put(&place, "packed/inputs/helix.pdb.gz", &gzip(&HELIX.replace("ALA", "GLY")));
    let said = place.beadwork("verify packed").expect(2);
    assert!(said.stdout.contains("inputs/helix.pdb.gz"), "{}", said.stdout);
}

/// Two files of one name keep the ending that tells their kind.
#[test]
fn copies_of_one_name_keep_their_kind() {
    let place = Place::new();
    let xyz = |x: f64| format!("2\n\nA 0 0 0\nA {x} 0 0\n");
    put(&place, "a/start.xyz.gz", &gzip(&xyz(2.0)));
    put(&place, "b/start.xyz.gz", &gzip(&xyz(3.0)));
    place.write(
        "input.toml",
        "[system]\nmodel = \"beads\"\nunits = \"reduced\"\nstart = \"a/start.xyz.gz\"\n[dynamics]\ncollision_rate = 1\ntimestep = 0.01\n[[stage]]\nsteps = 10\n[ensemble.sweep]\n\"system.start\" = [\"a/start.xyz.gz\", \"b/start.xyz.gz\"]\n",
    );
    place.beadwork("run input.toml -o run --quiet").expect(0);
    assert_eq!(std::fs::read(place.path("run/inputs/start-2.xyz.gz")).unwrap(), gzip(&xyz(3.0)));
    place.beadwork("check run/resolved.toml").expect(0);
}

#[test]
fn sequences_and_files_of_other_programs_may_be_packed() {
    let place = Place::new();
    put(&place, "proteins.fasta.bz2", &bzip2(">linker\nGSGSGSGS\n"));
    place.write(
        "input.toml",
        "[system]\nmodel = \"residues\"\nsequence = { file = \"proteins.fasta.bz2\" }\n[[stage]]\nsteps = 1\n",
    );
    place.beadwork("check input.toml").expect(0);
    let data = "LAMMPS data file, units = lj\n\n2 atoms\n1 atom types\n0 20 xlo xhi\n0 20 ylo yhi\n0 20 zlo zhi\n\nMasses\n\n1 1.0\n\nAtoms # atomic\n\n1 1 1 5 5\n2 1 3 5 5\n";
    put(&place, "two.data.gz", &gzip(data));
    place.beadwork("import two.data.gz --output imported.toml").expect(0);
    assert!(place.read("imported.toml").contains("start = { file = \"two.data.gz\" }"));
    place.beadwork("check imported.toml").expect(0);
    // Given in place of an input, they are told by what they hold.
    put(&place, "1ABC.pdb.gz", &gzip(HELIX));
    place.beadwork("check 1ABC.pdb.gz").expect(2).complains(&["a structure: write structure ="]);
    put(&place, "input.toml.gz", &gzip("[system]\n"));
    place.beadwork("check input.toml.gz").expect(2).complains(&["is packed", "unpack it first"]);
}

#[test]
fn damaged_packed_files_are_named() {
    let place = Place::new();
    put(&place, "contacts.csv", CONTACTS.as_bytes());
    for (name, packed) in [("cut.pdb.gz", gzip(HELIX)), ("cut.pdb.bz2", bzip2(HELIX))] {
        put(&place, name, &packed[..packed.len() / 2]);
        place.write("input.toml", &pull(name, "contacts.csv"));
        place.beadwork("run input.toml -o run").expect(2).complains(&[
            "input/unreadable-file",
            name,
            "damaged or cut off",
        ]);
        put(&place, name, HELIX.as_bytes());
        place.beadwork("run input.toml -o run").expect(2).complains(&[name, "its name ends in ."]);
        assert!(!place.path("run").exists());
    }
}
