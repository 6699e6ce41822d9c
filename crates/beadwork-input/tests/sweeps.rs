//! Sweeps over what decides which other keys there are, values that mean the same, points that are alike, and errors of one point.

use beadwork_model::{Integrator, Model};

use crate::common::{SMALL, complaint, folder, parse, pdb, read, snake, write};

const PULLED: &str = "[system]\nstructure = { file = \"a.pdb\", chains = \"A\" }\n[[stage]]\nname = \"pull\"\nsteps = 10\ndrives = [{ kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"35 pN/nm\", speed = \"2 um/s\" }]\n";
const FLAWED: &str = "[random]\ngenerator = \"hybrid-taus\"\n";

fn swept(text: &str, list: &str) -> String {
    format!("{text}[ensemble.sweep]\n{list}\n")
}

/// A default of one kind alone is left out of the resolved form, which `read` reads again.
#[test]
fn kinds_of_drives_can_be_swept() {
    for kinds in [["spring", "force-ramp"], ["force-ramp", "spring"]] {
        let [one, other] = kinds;
        let list = format!("\"pull.drives.1.kind\" = [\"{one}\", \"{other}\"]");
        let request = read(&swept(PULLED, &list));
        let kind =
            |point: usize| request.points[point].protocol.stages[0].externals[0].kind().to_string();
        assert_eq!([kind(0), kind(1)], kinds);
        let resolved = &request.resolved;
        assert!(!resolved.contains("update_every"), "{resolved}");
        // What the points share is spelled out.
        assert!(resolved.contains("skin = \"4 A\""), "{resolved}");
    }
    let written = PULLED.replace("kind", "update_every = 5, kind");
    let request = read(&swept(&written, "\"pull.speed\" = [\"1 um/s\", \"2 um/s\"]"));
    assert!(request.resolved.contains("update_every = 5"), "{}", request.resolved);
}

/// Integrators and generators have defaults of their own for other keys.
#[test]
fn integrators_and_generators_can_be_swept() {
    let text = format!("{SMALL}[dynamics]\ntimestep = \"10 fs\"\n");
    let request = read(&swept(&text, "\"dynamics.integrator\" = [\"brownian\", \"langevin\"]"));
    let dynamics = [0, 1].map(|point: usize| &request.points[point].protocol.dynamics);
    let integrators = dynamics.map(|dynamics| dynamics.integrator);
    assert_eq!(integrators, [Integrator::Brownian, Integrator::Langevin]);
    assert!(dynamics[0].friction > 0.0 && dynamics[1].friction == 0.0);
    assert!(!request.resolved.contains("friction"), "{}", request.resolved);
    let text = format!("{SMALL}{FLAWED}accept_flaws = true\n");
    let list = "\"random.generator\" = [\"philox4x32-10\", \"hybrid-taus\"]";
    let request = read(&swept(&text, list));
    let [one, other] = [0, 1].map(|point: usize| request.points[point].protocol.randomness);
    assert_ne!(one, other);
}

/// Each model has its own integrator and keys. A key that one of them lacks is an error of that point.
#[test]
fn models_can_be_swept() {
    let text = format!("{SMALL}[dynamics]\ntimestep = \"10 fs\"\n");
    let request = read(&swept(&text, "\"system.model\" = [\"sop\", \"residues\"]"));
    let points = [0, 1].map(|point: usize| &request.points[point]);
    assert_eq!(points[0].system.model, Model::Sop);
    assert!(matches!(points[1].system.model, Model::Residues(_)), "{:?}", points[1].system.model);
    let integrators = points.map(|point| point.protocol.dynamics.integrator);
    assert_eq!(integrators, [Integrator::Brownian, Integrator::Langevin]);
    let folder = folder();
    let list = "\"system.model\" = [\"sop\", \"oscillators\"]";
    let problem = parse(folder.path(), &swept(&text, list)).unwrap_err().to_string();
    let named = "system.model = oscillators: unknown key `structure`";
    assert!(problem.starts_with(named), "{problem}");
}

#[test]
fn values_that_mean_the_same_are_refused() {
    let folder = folder();
    let said = |text: &str, list: &str| {
        let read = parse(folder.path(), &swept(text, list));
        read.map(|request| request.points.len()).map_err(|error| error.to_string())
    };
    for (path, values, same) in [
        ("pull.speed", "\"1000 um/s\", \"2 um/s\", \"1 mm/s\"", "1000 um/s and 1 mm/s"),
        ("pull.stiffness", "\"35 pN/nm\", \"0.035 N/m\"", "35 pN/nm and 0.035 N/m"),
        ("a.b", "1, 2, 1.0", "1 and 1.0"),
    ] {
        let problem = said(PULLED, &format!("\"{path}\" = [{values}]")).unwrap_err();
        let expected = format!("\"{path}\" has the values {same}, which mean the same");
        assert!(problem.contains(&expected), "{problem}");
    }
    assert_eq!(said(PULLED, "\"pull.speed\" = [\"1 um/s\", \"1.000001 um/s\"]"), Ok(2));
    // Neighbouring integers beyond those that floating-point numbers tell apart.
    let seeds = "\"random.seed\" = [9_007_199_254_740_992, 9_007_199_254_740_993]";
    assert_eq!(said(SMALL, seeds), Ok(2));
    // Texts without a unit are names.
    let chains = said(SMALL, "\"system.structure.chains\" = [\"1\", \"01\"]").unwrap_err();
    assert!(!chains.contains("mean the same"), "{chains}");
    let zip = "mode = \"zip\"\n\"pull.speed\" = [\"1 mm/s\", \"1000 um/s\"]\n\"pull.drives.1.stiffness\" = [\"1 pN/nm\", \"2 pN/nm\"]";
    assert_eq!(said(PULLED, zip), Ok(2));
}

/// Earlier versions allowed it in runs that have begun.
#[test]
fn what_is_refused_now_is_read_of_begun_runs() {
    let folder = folder();
    let begun = |text: &str| {
        let read = beadwork_input::parse_begun(text, "resolved.toml", folder.path(), &[]);
        read.map(|request| request.points.len()).map_err(|error| error.to_string())
    };
    let of_friction = "\"dynamics.friction\" = [\"8e6 pN ps/nm\", \"9e6 pN ps/nm\"]";
    let of_diffusion = "\"dynamics.diffusion\" = [\"0.5 nm^2/us\", \"0.6 nm^2/us\"]";
    for (lists, points) in [
        ("\"pull.speed\" = [\"1000 um/s\", \"1 mm/s\"]".to_string(), 2),
        (format!("{of_friction}\n{of_diffusion}"), 4),
    ] {
        let text = swept(PULLED, &lists);
        assert_eq!(parse(folder.path(), &text).unwrap_err().code(), "input/sweep");
        assert_eq!(begun(&text), Ok(points));
    }
    let text = format!("{SMALL}[analysis]\nslope = [\"-5 nm\", \"-1 nm\"]\n");
    let problem = parse(folder.path(), &text).unwrap_err().to_string();
    assert!(problem.contains("ends before contact"), "{problem}");
    let problem = begun(&text).unwrap_err();
    assert!(problem.contains("no stage has a tip"), "{problem}");
}

/// What the values of two points mean is compared, not how they are written.
#[test]
fn equal_points_are_warned_of() {
    const SAME: &str = "have the same system, start and stages";
    let folder = folder();
    ["c.pdb", "d.pdb"].iter().for_each(|name| write(folder.path(), name, &pdb(&snake('A', 12))));
    let said = |list: &str| {
        let warnings = parse(folder.path(), &swept(PULLED, list)).unwrap().warnings;
        let mut same = warnings.into_iter().filter(|warning| warning.contains(SAME));
        let first = same.next();
        assert!(same.next().is_none(), "{list}");
        first
    };
    for (path, [one, other]) in [
        ("pull.stop", ["\"extension > 20 nm\"", "\"extension > 200 A\""]),
        ("pull.direction", ["[0, 0, 1]", "[0, 0, 2]"]),
        ("pull.drives.1.fixed", ["\"first\"", "\"index 0\""]),
        ("system.structure.chains", ["\"A\"", "[\"A\"]"]),
        ("system.bonds.disulfides", ["true", "false"]),
        ("system.contacts.cutoff", ["\"8 A\"", "\"8.0001 A\""]),
        ("system.contacts.between_chains", ["\"1 kcal/mol\"", "\"2 kcal/mol\""]),
    ] {
        let found = said(&format!("\"{path}\" = [{one}, {other}]")).unwrap();
        let [one, other] = [one, other].map(|value| value.trim_matches('"'));
        let expected = format!(
            "[ensemble.sweep]: the points {path} = {one} and {path} = {other} {SAME}: such points differ in their noise alone"
        );
        assert!(found.starts_with(&expected), "{found}");
    }
    // One warning for the whole sweep.
    let lists = "\"pull.speed\" = [\"1 um/s\", \"2 um/s\", \"3 um/s\"]\n\"system.bonds.disulfides\" = [true, false]";
    let found = said(lists).unwrap();
    let expected = "the points pull.speed = 1 um/s, system.bonds.disulfides = true and pull.speed = 1 um/s, system.bonds.disulfides = false have";
    assert!(found.contains(expected) && found.contains(", and so do 2 more pairs: "), "{found}");
    let zip = |other: &str| {
        said(&format!(
            "mode = \"zip\"\n\"pull.speed\" = [\"1 um/s\", \"1 um/s\"]\n\"pull.stiffness\" = [\"1 pN/nm\", \"{other}\"]"
        ))
    };
    assert!(zip("1 pN/nm").is_some());
    assert_eq!(zip("2 pN/nm"), None);
    // Files and names may hold the same, however the input says them.
    for path in ["system.structure", "system.structure.file", "system.start"] {
        assert_eq!(said(&format!("\"{path}\" = [\"c.pdb\", \"d.pdb\"]")), None, "{path}");
    }
    assert_eq!(said("\"random.seed\" = [1, 2]"), None);
    assert_eq!(said("\"pull.speed\" = [\"1 um/s\", \"2 um/s\"]"), None);
}

/// The value that each point replaces is judged too, by itself.
#[test]
fn replaced_values_are_read() {
    let folder = folder();
    let speeds = "\"pull.speed\" = [\"1 um/s\", \"2 um/s\"]";
    let read = |base: &str| {
        let text = PULLED.replace("\"2 um/s\"", base);
        parse(folder.path(), &swept(&text, speeds)).map_err(|error| complaint(&error))
    };
    for (base, expected) in [
        ("\"25 umm/z\"", "[model/quantity] in.toml:6:96 <\"25 umm/z\">"),
        ("25", "[input/wrong-type] in.toml:6:96 <25>"),
    ] {
        let found = read(base).unwrap_err();
        assert!(found.starts_with(expected), "{found}");
    }
    assert_eq!(read("\"7 um/s\"").unwrap().points.len(), 2);
    // A stage may be too short for the time step that stands beside no point of the sweep.
    let text = format!("{SMALL}[dynamics]\ntimestep = \"7 ps\"\n")
        .replace("steps = 10", "duration = \"70 ps\"");
    let lists = "mode = \"zip\"\n\"dynamics.timestep\" = [\"20 ps\", \"10 ps\"]\n\"run.duration\" = [\"200 ps\", \"100 ps\"]";
    assert_eq!(parse(folder.path(), &swept(&text, lists)).unwrap().points.len(), 2);
    // Nothing is built of it, and it stands beside no value of another list.
    let beads = |system: &str, timestep: &str, lists: &str| {
        let text = format!(
            "[system]\nmodel = \"beads\"\nunits = \"reduced\"\nbox = [12, 12, 12]\npairs = [{{ kind = \"wca\", depth = 1.0, diameter = 1.0 }}]\n{system}\n[dynamics]\ncollision_rate = 0.5\ntimestep = {timestep}\n[[stage]]\nname = \"go\"\nsteps = 10\n"
        );
        parse(folder.path(), &swept(&text, lists)).unwrap().points.len()
    };
    let counts = "\"system.build.count\" = [10, 20]";
    assert_eq!(beads("build = { molecule = \"A\", count = 4_000_000_000 }", "0.005", counts), 2);
    let chains = "build = { molecule = \"A20\", count = 2 }\nexclude = 1\nbonds = [{ kind = \"harmonic\", length = 1.0 }]";
    let stiff = "mode = \"zip\"\n\"system.bonds.1.stiffness\" = [30000.0, 10000.0]\n\"dynamics.timestep\" = [0.001, 0.002]";
    assert_eq!(beads(chains, "0.05", stiff), 2);
}

/// A caret under the value of a sweep says which point it is; elsewhere the message does.
#[test]
fn errors_of_a_point_name_its_values() {
    let folder = folder();
    let said =
        |text: &str, list: &str| parse(folder.path(), &swept(text, list)).unwrap_err().to_string();
    let flawed = format!("{SMALL}{FLAWED}");
    let first = said(&flawed, "\"random.accept_flaws\" = [false, true]");
    assert!(first.starts_with("random.accept_flaws = false: [random]: `generator` "), "{first}");
    let lists = "\"run.steps\" = [10, 20]\n\"random.accept_flaws\" = [true, false]";
    let second = said(&flawed, lists);
    let named = "run.steps = 10, random.accept_flaws = false: [random]: `generator` ";
    assert!(second.starts_with(named), "{second}");
    // The mistake is that of all points.
    let shared = said(&flawed, "\"run.steps\" = [10, 20]");
    assert!(shared.starts_with("[random]: `generator` "), "{shared}");
    let pointed = said(SMALL, "\"dynamics.temperature\" = [\"300 K\", \"-3 K\"]");
    assert!(pointed.starts_with("[dynamics]: `temperature` "), "{pointed}");
}
