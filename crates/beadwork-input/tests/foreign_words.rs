//! Words of other programs, misplaced keys, foreign files and improbable values: the words that each message must have.

use crate::common::{complaint, folder, parse, pdb, snake, write};
use beadwork_input::Error;

const RESIDUES: &str = "[system]\nmodel = \"residues\"\nsequence = \"MASGKDEEASGKDE\"\n[dynamics]\ntemperature = \"300 K\"\n[[stage]]\nname = \"run\"\nsteps = 1000\n";

const BEADS: &str = "[system]\nmodel = \"beads\"\nunits = \"reduced\"\nbuild = { molecule = \"A3B2\", count = 20, density = 0.3 }\ntypes = [{ name = \"A\" }, { name = \"B\" }]\npairs = [{ kind = \"lennard-jones\", depth = 1.0, diameter = 1.0, cutoff = 2.5 }]\nbonds = [{ kind = \"harmonic\", stiffness = 100.0, length = 1.0 }]\nexclude = 1\n[dynamics]\ntemperature = 1.0\ntimestep = 0.005\ncollision_rate = 1.0\n[[stage]]\nname = \"run\"\nsteps = 1000\n";

/// Beads in real units.
const REAL: &str = "[system]\nmodel = \"beads\"\nbox = [\"50 A\", \"50 A\", \"50 A\"]\nbuild = { molecule = \"W\", count = 20 }\ntypes = [{ name = \"W\", mass = 57 }]\npairs = [{ kind = \"wca\", depth = \"0.2 kcal/mol\", diameter = \"4.7 A\" }]\n[dynamics]\ncollision_rate = \"1 /ps\"\ntimestep = \"10 fs\"\n[[stage]]\nsteps = 10\n";

const SOP: &str = "[system]\nstructure = \"a.pdb\"\ncontacts = { cutoff = \"8 A\", energy = \"1.5 kcal/mol\" }\n[dynamics]\ntemperature = \"300 K\"\n[[stage]]\nname = \"pull\"\nsteps = 1000\ndrives = [{ kind = \"spring\", fixed = \"first\", pulled = \"index 11\", stiffness = \"35 pN/nm\", speed = \"2.5 um/s\" }]\n";

/// An input in which one text is replaced by another.
fn with(input: &str, from: &str, to: &str) -> String {
    assert!(input.contains(from), "{from}");
    input.replacen(from, to, 1)
}

fn refused(text: &str) -> String {
    match parse(folder().path(), text) {
        Ok(_) => panic!("is accepted:\n{text}"),
        Err(error) => complaint(&error),
    }
}

fn warnings(text: &str) -> Vec<String> {
    let parsed = parse(folder().path(), text);
    parsed.unwrap_or_else(|error| panic!("{}", complaint(&error))).warnings
}

/// Each input lacks what it names, and the message has these words.
#[test]
fn refusals_say_what_is_meant_and_where_it_lives() {
    let cases = [
        (RESIDUES, "sequence", "nmol = 10\nsequence", "a run of this model has one chain"),
        (RESIDUES, "sequence", "count = 10\nsequence", "a run of this model has one chain"),
        (RESIDUES, "sequence", "box = [9, 9, 9]\nsequence", "in open space and have no box"),
        (SOP, "contacts", "box = [9, 9, 9]\ncontacts", "only model = \"beads\" has one"),
        (RESIDUES, "sequence", "ph = 7.0\nsequence", "`ph` stands in `solution` of a [system]"),
        (BEADS, "exclude", "sequence = \"AA\"\nexclude", "only runs of model = \"residues\" have"),
        (BEADS, "timestep", "pressure = 1.0\ntimestep", "there is no barostat"),
        (BEADS, "timestep", "barostat = 1.0\ntimestep", "there is no barostat"),
        (BEADS, "timestep", "shear_rate = 1.0\ntimestep", "there is no shear"),
        (BEADS, "timestep", "tau_t = 1.0\ntimestep", "`collision_rate` is 1 divided by"),
        (BEADS, "exclude", "walls = []\nexclude", "there are no walls"),
        (BEADS, "exclude", "dihedrals = []\nexclude", "there are no dihedrals"),
        (BEADS, "timestep", "integrator = \"npt\"\ntimestep", "there is no barostat"),
        (BEADS, "timestep", "integrator = \"nvt\"\ntimestep", "did you mean \"langevin\"?"),
        (BEADS, "lennard-jones", "table", "there are no tabulated energies"),
        (BEADS, "lennard-jones", "lj", "did you mean \"lennard-jones\"?"),
        (BEADS, "lennard-jones", "LJ/cut", "did you mean \"lennard-jones\"?"),
        (BEADS, "lennard-jones", "yukawa", "did you mean \"debye-huckel\"?"),
        (BEADS, "depth", "epsilon", "did you mean `depth`?"),
        (BEADS, "diameter", "sigma", "did you mean `diameter`?"),
        (BEADS, "cutoff", "r_cut", "did you mean `cutoff`?"),
        (BEADS, "reduced", "lj", "did you mean \"reduced\"?"),
        (BEADS, "timestep", "dt", "did you mean `timestep`?"),
        (BEADS, "steps", "temperature = 2.0\nsteps", "[dynamics], and all stages share it"),
        (BEADS, "steps", "temp = 2.0\nsteps", "`temperature` stands in [dynamics]"),
        (BEADS, "steps", "replicas = 2\nsteps", "`replicas` stands in [ensemble]"),
        (BEADS, "[system]", "temperature = 2.0\n[system]", "`temperature` stands in [dynamics]"),
        (BEADS, "[dynamics]", "[ensemble]\nseed = 4\n[dynamics]", "`seed` stands in [random]"),
        (
            RESIDUES,
            "temperature",
            "pH = 7.0\ntemperature",
            "`ph` stands in `solution` of a [system]",
        ),
        (
            BEADS,
            "[dynamics]",
            "[ensemble.sweep]\n\"dynamics.temp\" = [1.0, 2.0]\n[dynamics]",
            "did you mean `temperature`?",
        ),
        (
            BEADS,
            "depth = 1.0",
            "depth = { A = 1.0, C = 2.0 }",
            "`C` is no type of the beads and no pair of their types, which are A, B. Known",
        ),
        (SOP, "\"index 11\"", "\"residue 100\"", "residues 1 to 12 of A, 1 to 8 of B"),
        (SOP, "\"index 11\"", "\"name CA\"", "perhaps type was meant, as in \"type CA\""),
        (SOP, "\"index 11\"", "\"resi 5\"", "perhaps residue was meant, as in \"residue 5-20\""),
        (RESIDUES, "steps = 1000", "duration = \"0,02 ns\"", "write a point, \"0.02 ns\""),
        (SOP, "\"8 A\"", "\"-1,5e1 A\"", "has a decimal comma"),
        (
            RESIDUES,
            "[[stage]]",
            "[output]\ntable = \"20 ns\"\n[[stage]]",
            "write { every = \"20 ns\" }",
        ),
        (
            RESIDUES,
            "[[stage]]",
            "[output]\ntrajectory = 500\n[[stage]]",
            "write { every_steps = 500 }",
        ),
        (
            BEADS,
            "steps = 1000",
            "steps = 1000\ndrives = [{ kind = \"force\", fixed = \"first\", pulled = \"last\", force = 1.0 }]",
            "in.toml:16:10 <[{",
        ),
        (
            BEADS,
            "kind = \"lennard-jones\", depth = 1.0, diameter = 1.0, cutoff = 2.5 }]\n",
            "kind = \"dpd\", repulsion = 25.0, friction = 4.5, cutoff = 1.0 }]\n",
            "in.toml:9:1 <[dynamics]> [system]: a pair thermostat needs",
        ),
        (
            BEADS,
            ", density = 0.3 }",
            " }\nbox = [6.0, 1.0, 3.0]",
            "in.toml:5:13 <1.0> [system]: the side of the box along y is 1, less than twice the largest cutoff, 2.5: take a larger box, with sides of at least 5",
        ),
        (RESIDUES, "300 K", "3e5 K", "the temperature, 300000 K"),
        (REAL, "mass = 57", "mass = \"57 kDa\"", "\"1.0 Da\""),
        (
            BEADS,
            "name = \"A\"",
            "name = \"A\", mass = \"57 Da\"",
            "must be a number without a unit",
        ),
    ];
    for (input, from, to, words) in cases {
        let found = refused(&with(input, from, to));
        assert!(found.contains(words), "{to}\nfound {found}\nlacks {words}");
    }
}

/// Masses and charges in real units may have their unit behind them, and mean the same.
#[test]
fn masses_and_charges_take_their_units() {
    let plain = with(REAL, "mass = 57", "mass = 57, charge = -1.5");
    let units = with(REAL, "mass = 57", "mass = \"57 Da\", charge = \"-1.5 e\"");
    let [plain, units] = [plain, units].map(|text| parse(folder().path(), &text).unwrap());
    let types = |request: &beadwork_input::Request| request.points[0].system.types.clone();
    assert_eq!(types(&plain)[0].mass.to_bits(), 57f64.to_bits());
    assert_eq!(types(&plain), types(&units));
    assert!(units.resolved.contains("mass = 57.0, charge = -1.5"), "{}", units.resolved);
}

/// Values that are read and are probably slips: each warning has these words, and the usual value has none.
#[test]
fn improbable_values_are_warned_of() {
    let solution = |value: &str| {
        with(RESIDUES, "[dynamics]", &format!("solution = {{ {value} }}\n[dynamics]"))
    };
    let spring = "kind = \"spring\", fixed = \"first\", pulled = \"index 11\", stiffness = \"35 pN/nm\", speed = \"2.5 um/s\"";
    let tip = |radius: &str, friction: &str, sigma: &str| {
        let drive = format!(
            "kind = \"tip\", above = \"all\", stiffness = \"35 pN/nm\", speed = \"2.5 um/s\", radius = \"{radius}\", friction = \"{friction} pN ps/nm\", sigma = \"{sigma}\""
        );
        with(SOP, spring, &drive)
    };
    let surface = |depth: &str, spacing: &str| {
        let drive = format!(
            "kind = \"surface\", below = \"all\", points = 2, depth = \"{depth} kcal/mol\", spacing = \"{spacing}\""
        );
        with(SOP, spring, &drive)
    };
    let repulsion =
        |value: &str| with(SOP, "contacts", &format!("repulsion = {{ {value} }}\ncontacts"));
    let exchange = |low: &str| {
        let table = format!(
            "solution = {{ temperature = \"298 K\" }}\n[exchange]\ntemperatures = {{ from = \"{low} K\", to = \"420 K\", count = 3 }}\nevery_steps = 10\n"
        );
        with(RESIDUES, "[dynamics]\ntemperature = \"300 K\"\n", &table)
    };
    let usual = [tip("5 nm", "8.7e7", "2 A"), surface("1", "1.2 nm"), exchange("280")];
    let cases = [
        (
            tip("90 um", "8.7e7", "2 A"),
            "`radius` of drive 1 in stage \"pull\" is 90 um, more than 20 um",
        ),
        (tip("1e-90 nm", "8.7e7", "2 A"), "1e-90 nm, less than 1 A"),
        (tip("5 nm", "8.7e13", "2 A"), "8.7e13 pN ps/nm, more than 1e12 pN ps/nm"),
        (tip("5 nm", "8.7e7", "20 nm"), "20 nm, more than 10 nm"),
        (surface("50", "1.2 nm"), "50 kcal/mol, more than 20 kcal/mol"),
        (surface("1e-50", "1.2 nm"), "1e-50 kcal/mol, less than 0.001 kcal/mol"),
        (surface("1", "20 nm"), "`spacing` of drive 1 in stage \"pull\" is 20 nm, more than 10 nm"),
        (solution("ionic_strength = \"150 M\""), "150 M, more than 5 M"),
        (solution("ph = 70"), "70, more than 14"),
        (solution("ph = 1e90"), "1e90, more than 14"),
        (with(SOP, "8 A", "80 A"), "80 A, more than 20 A"),
        (with(SOP, "8 A", "3 A"), "3 A, less than 4 A"),
        (with(SOP, "1.5 kcal", "15 kcal"), "15 kcal/mol, more than 5 kcal/mol"),
        (with(SOP, "35 pN/nm", "35 N/m"), "35 N/m, more than 10000 pN/nm"),
        (with(SOP, "300 K", "37 K"), "37 K, less than 200 K"),
        (with(SOP, "300 K", "3e5 K"), "3e5 K, more than 1000 K"),
        (with(BEADS, "temperature = 1.0", "temperature = 300.0"), "300, more than 50"),
        (exchange("37"), "`temperatures.from` of [exchange] is 37 K, less than 200 K"),
        (repulsion("cutoff = \"2e13 A\""), "`repulsion.cutoff` of [system] is 2e13 A, more than"),
        (repulsion("cutoff = \"1 A\""), "1 A, less than 3.8 A"),
        (repulsion("strength = \"1000 kcal/mol\""), "1000 kcal/mol, more than 100 kcal/mol"),
        (repulsion("strength = \"0 kcal/mol\""), "is 0: beads pass through each other"),
        (with(SOP, "1.5 kcal", "0 kcal"), "are 0: native contacts hold nothing together"),
        (
            with(SOP, "contacts", "bonds = { limit = \"20 A\" }\ncontacts"),
            "`bonds.limit` of [system] is 20 A, more than 10 A",
        ),
        (
            with(SOP, "[[stage]]", "[analysis]\nprominence = \"1e9 pN\"\n[[stage]]"),
            "`prominence` of [analysis] is 1e9 pN, more than 1e5 pN",
        ),
        (
            with(SOP, "[[stage]]", "[output]\ncheckpoint = \"1 ps\"\n[[stage]]"),
            "`checkpoint` of [output] is 1 ps, less than 1 ms: it is time on the clock",
        ),
        (
            with(BEADS, "[[stage]]", "[output]\ncheckpoint = \"1 ps\"\n[[stage]]"),
            "`checkpoint` of [output] is 1 ps, less than 1 ms",
        ),
        (
            with(RESIDUES, "[[stage]]", "collision_rate = \"1e6 /ps\"\n[[stage]]"),
            "`collision_rate` of [dynamics] is 1e6 /ps, more than 1000 /ps",
        ),
        (
            with(RESIDUES, "[[stage]]", "collision_rate = \"0 /ps\"\n[[stage]]"),
            "integrator = \"langevin\" without friction has no bath",
        ),
        (with(BEADS, "stiffness = 100.0", "stiffness = 0.0"), "`bonds.stiffness` of [system] is 0"),
        (with(BEADS, "cutoff = 2.5", "cutoff = 0.9"), "of the types A and A is within their"),
        (
            with(SOP, "[[stage]]", "[output]\ntrajectory = { every_steps = 2000 }\n[[stage]]"),
            "the trajectory's interval is longer than the run",
        ),
        (with(SOP, "\"index 11\"", "\"last\""), "they part without resistance"),
        (
            with(BEADS, "length = 1.0 }", "length = 1.0, between = [[0, 1], [1, 0]] }"),
            "has the beads [1, 0] more than once",
        ),
    ];
    for (text, words) in cases {
        let found = warnings(&text).join("\n");
        assert!(found.contains(words), "found {found}\nlacks {words}");
    }
    for text in [SOP, BEADS, RESIDUES].into_iter().chain(usual.iter().map(String::as_str)) {
        let found = warnings(text).join("\n");
        assert!(!found.contains("go on if it is meant"), "{found}");
        assert!(!found.contains("part without resistance"), "{found}");
    }
}

/// A type that no bead has acts on nothing, and pairs without depth neither.
#[test]
fn short_cutoffs_of_pairs_that_do_not_act_are_no_slip() {
    let about = |diameters: &str, depths: &str| {
        let more = with(BEADS, "{ name = \"B\" }", "{ name = \"B\" }, { name = \"C\" }");
        let more = with(&more, "diameter = 1.0", &format!("diameter = {{ {diameters} }}"));
        let found = warnings(&with(&more, "depth = 1.0", &format!("depth = {{ {depths} }}")));
        let short = found.into_iter().find(|said| said.contains("is within their diameter"));
        short.map(|said| said[said.find("the types").unwrap()..][..17].to_string())
    };
    let all = "A = 1.0, B = 1.0, C = 1.0";
    assert_eq!(about("A = 1.0, B = 1.0, C = 9.0", all), None);
    assert_eq!(about("A = 1.0, B = 4.5, C = 9.0", all).unwrap(), "the types A and B");
    let depths = "A = 1.0, B = 1.0, C = 1.0, AB = 0.0";
    assert_eq!(about("A = 1.0, B = 4.5, C = 9.0", depths).unwrap(), "the types B and B");
}

/// Temperature factors of crystals are no energies.
#[test]
fn factors_that_are_no_energies_are_warned_of() {
    let beta = with(SOP, "\"1.5 kcal/mol\"", "\"beta\"");
    for (factor, is_warned) in [("12.31", true), (" 0.00", true), (" 1.25", false)] {
        let folder = folder();
        let text = pdb(&snake('A', 12)).replace("  1.00  0.00", &format!("  1.00 {factor}"));
        write(folder.path(), "a.pdb", &text);
        let found = parse(folder.path(), &beta).unwrap().warnings.join("\n");
        assert_eq!(
            found.contains("takes the temperature factors as energies"),
            is_warned,
            "{found}"
        );
    }
}

/// Files that are no inputs, and inputs that need no import.
#[test]
fn files_of_other_kinds_are_named() {
    let folder = folder();
    let in_folder = |name: &str| folder.path().join(name);
    let said = |error: Error| format!("[{}] {error}", error.code());
    let loaded = |name: &str| said(beadwork_input::load(&in_folder(name), &[]).unwrap_err());
    let imported = |name: &str| said(beadwork_input::import(&in_folder(name), None).unwrap_err());
    write(folder.path(), "x.toml", RESIDUES);
    write(folder.path(), "x.txt", RESIDUES);
    write(folder.path(), "chain.fasta", ">one\nMASGK\n");
    write(folder.path(), "p.sop", "name p\nstructure p.pdb\n");
    write(folder.path(), "w.xyz", "1\n\nA 0 0 0\n");
    write(folder.path(), "melt.data", "title\n\n1 atoms\n1 atom types\n\nAtoms\n\n1 1 1 0 0 0\n");
    for (name, words) in [
        ("a.pdb", "a.pdb is no input in TOML but a structure: write structure = \"a.pdb\""),
        ("chain.fasta", "but a FASTA file: write sequence = { file = \"chain.fasta\" }"),
        ("p.sop", "but a configuration of SOP-GPU: `beadwork import"),
        ("melt.data", "but a data file of LAMMPS: `beadwork import"),
        ("w.xyz", "but a file of beads: write start = \"w.xyz\""),
    ] {
        let found = loaded(name);
        assert!(found.starts_with("[input/syntax]") && found.contains(words), "{found}");
    }
    for (name, words) in [
        ("x.toml", "is an input of beadwork and needs no import: `beadwork check"),
        ("x.txt", "is an input of beadwork and needs no import: `beadwork check"),
        ("a.pdb", "is a structure, no input of another program: structure = \"a.pdb\""),
    ] {
        let found = imported(name);
        assert!(found.starts_with("[input/no-import]") && found.contains(words), "{found}");
    }
    let utf16 = |text: &str| -> Vec<u8> {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    };
    std::fs::write(in_folder("u.toml"), utf16(RESIDUES)).unwrap();
    std::fs::write(in_folder("u.pdb"), utf16(&pdb(&snake('A', 5)))).unwrap();
    for found in [loaded("u.toml"), imported("u.toml")] {
        assert!(found.contains("[input/unreadable-file]"), "{found}");
        assert!(found.contains("is a text in UTF-16"), "{found}");
    }
    let error = parse(folder.path(), &with(SOP, "a.pdb", "u.pdb")).unwrap_err();
    assert!(complaint(&error).contains("in.toml:2:13 <\"u.pdb\">"), "{}", complaint(&error));
    assert!(error.to_string().contains("is a text in UTF-16"), "{error}");
}
