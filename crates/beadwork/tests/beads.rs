//! Runs of bead models: from input to answer, in boxes and in open space, continued, swept and exchanging.

use std::collections::BTreeMap;

use beadwork::data::Summary;

use crate::common::{Place, Table, assert_same, json_of, only};

/// Short polymers in a solvent, with the thermostat of DPD.
const SOLUTION: &str = r#"
[system]
model = "beads"
units = "reduced"
box = [5, 5, 5]
build = [ { molecule = "A5", count = 9 }, { molecule = "W", count = 330 } ]
bonds = [ { kind = "harmonic", stiffness = 4.0, length = 0.0 } ]
pairs = [ { kind = "dpd", repulsion = { AA = 25.0, WW = 25.0, AW = 30.0 }, cutoff = 1.0, friction = 4.5 } ]
exclude = 0

[dynamics]
integrator = "velocity-verlet"
temperature = 1.0
timestep = 0.04

[[stage]]
name = "relax"
steps = 200

[[stage]]
name = "sample"
duration = 16

[ensemble]
replicas = 2

[output]
table = { every_steps = 20 }
trajectory = { every_steps = 100 }
"#;

/// A chain of Kremer and Grest in open space.
const CHAIN: &str = r#"
[system]
model = "beads"
units = "reduced"
start = "chain.csv"
bonds = [ { kind = "fene", stiffness = 30.0, limit = 1.5 } ]
angles = [ { kind = "cosine", stiffness = 1.0 } ]
pairs = [ { kind = "wca", depth = 1.0, diameter = 1.0 } ]
exclude = 0

[dynamics]
collision_rate = 0.5
timestep = 0.005

[[stage]]
steps = 2_000

[output]
table = { every_steps = 50 }
"#;

fn with_chain(input: &str) -> Place {
    let place = Place::with_input(input);
    let beads = (0..12)
        .map(|bead| format!("{},0,{},1\n", 0.9 * f64::from(bead), 0.1 * f64::from(bead % 2)));
    place.write("chain.csv", &format!("x,y,z,molecule\n{}", beads.collect::<String>()));
    place
}

#[test]
fn a_box_of_polymers_is_simulated_and_averaged() {
    let place = Place::with_input(SOLUTION).with_plots();
    let words = place.beadwork("check input.toml").expect(0).stdout;
    for part in [
        "375 beads of 2 type(s) in 339 molecule(s), 36 bonds, 0 excluded pairs (reduced units)",
        "5 x 5 x 5, 3 beads per unit volume; forces rounded to multiples of 2^",
        "dpd-conservative up to 1, dpd-thermostat up to 1",
        "sample: 400 steps = 16",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let every = "table = { every_steps = 20";
    place.write(
        "more.toml",
        &SOLUTION.replace(every, &format!("{every}, columns = [\"momentum\"]")),
    );
    let words = place.beadwork("check more.toml").expect(0).stdout;
    assert!(words.contains(" rows a member), also with momentum\n"), "{words}");
    // A frame of the start alone says nothing: no step has made it.
    let start = "run input.toml -o start --quiet --set output.trajectory.every_steps=5000";
    let said = place.beadwork(start).expect(0).stdout;
    assert!(said.contains("no mean squared displacements and diffusion, since the replicas have at most 0 frame(s)"), "{said}");
    assert!(!place.path("start/structure-factors.csv").exists());
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    let columns = place.read("run/tables/member-0001.csv");
    assert_eq!(
        columns.lines().next().unwrap(),
        "step,time,stage,bond_energy,pair_energy,potential_energy,kinetic_energy,temperature,pressure,radius_of_gyration,radius_of_gyration_by_mass,end_to_end"
    );
    let table = Table::parse(&columns);
    assert_eq!(table.numbers("time")[3], 0.04 * 60.0);
    // Momentum is conserved, so 3N − 3 velocities carry the kinetic energy.
    let temperature = table.numbers("kinetic_energy")[9] / (1.5 * 374.0);
    assert!((temperature - table.numbers("temperature")[9]).abs() < 1e-12);
    for part in ["pressure: ", "temperature: ", "end-to-end distance: "] {
        assert!(said.contains(part), "{said}");
    }
    // The fluid of Groot and Warren has a pressure of 23.7; polymers and a stronger repulsion change it by some percent.
    let averages = Table::parse(&place.read("run/answers.csv"));
    let row = averages.column("quantity").iter().position(|name| *name == "pressure").unwrap();
    let pressure = averages.numbers("value")[row];
    assert!((22.0..26.0).contains(&pressure), "{pressure}");
    // At 0.3 two beads repel each other with 25/2 · 0.7² = 6 kT, and far beads know nothing of each other. Some 10⁵ pairs are 2
    // to 2.5 apart, so that chance is 0.3 %; the allowed 2 % leaves room for the structure of the fluid.
    let pairs = Table::parse(&place.read("run/pair-distributions.csv"));
    let [first, second] = ["type", "other_type"].map(|column| pairs.column(column));
    let (distances, values) = (pairs.numbers("distance"), pairs.numbers("g"));
    let mean = |low: f64, high: f64| {
        let of_water = |row: &usize| first[*row] == "W" && second[*row] == "W";
        let rows = (0..values.len()).filter(of_water);
        let rows: Vec<usize> = rows.filter(|&row| (low..high).contains(&distances[row])).collect();
        rows.iter().map(|&row| values[row]).sum::<f64>() / rows.len() as f64
    };
    assert!((mean(2.0, 2.5) - 1.0).abs() < 0.02, "{}", mean(2.0, 2.5));
    assert!(mean(0.0, 0.3) < 0.1, "{}", mean(0.0, 0.3));
    assert!(mean(0.75, 0.95) > 1.05, "{}", mean(0.75, 0.95));
    for part in
        ["root mean square end-to-end distance of A5: ", "diffusion coefficient of centres of A5: "]
    {
        assert!(said.contains(part), "{said}");
    }
    // Of the only kind of chains the table has the means.
    assert!(said.contains("frames of stage \"sample\""), "{said}");
    assert!(!said.contains("mean end-to-end distance of A5"), "{said}");
    // Structure factors of like beads are near 1 at several times 2π over the distance of neighbours: eight shells with errors
    // of 0.03 to 0.08 each have a mean with an error of 0.02.
    let factors = Table::parse(&place.read("run/structure-factors.csv"));
    let (kinds, others) = (factors.column("type"), factors.column("other_type"));
    let (lengths, values) = (factors.numbers("q"), factors.numbers("s"));
    let is_far = |&row: &usize| {
        kinds[row] == "W" && others[row] == "W" && (12.5..22.0).contains(&lengths[row])
    };
    let far: Vec<f64> = (0..values.len()).filter(is_far).map(|row| values[row]).collect();
    let mean_far = far.iter().sum::<f64>() / far.len() as f64;
    assert!((mean_far - 1.0).abs() < 0.1, "{mean_far}");
    for table in ["structure-peaks.csv", "displacements.csv", "size-distributions.csv"] {
        assert!(place.path(&format!("run/{table}")).exists(), "{table}");
    }
    let plots = [
        "pressure-time.svg",
        "temperature-time.png",
        "pair-distributions.svg",
        "structure-map.png",
        "displacements.svg",
        "end-to-end-distribution.svg",
        "picture.png",
    ];
    for plot in plots {
        assert!(place.path(&format!("run/plots/{plot}")).exists(), "{plot}");
    }
}

/// At this step a fluid of DPD is 6 % warmer than its bath, which is some twenty standard errors of 400 rows.
#[test]
fn a_fluid_that_its_time_step_warms_says_so() {
    let input = SOLUTION
        .replace("timestep = 0.04", "timestep = 0.06")
        .replace("duration = 16", "steps = 2_000")
        .replace("every_steps = 20", "every_steps = 10")
        .replace("trajectory = { every_steps = 100 }", "");
    let place = Place::with_input(&input);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    let warm = "above the 1 that was set: the usual steps of DPD put it some per cent off; if that matters";
    assert!(said.contains("note: the temperature of the velocities is 1.0"), "{said}");
    assert!(said.contains(warm), "{said}");
    assert!(place.read("run/summary.json").contains("\"off-bath\""));
}

/// The density of a box says nothing of one chain in it.
#[test]
fn one_chain_in_a_box_has_no_structure_of_a_fluid() {
    let input = CHAIN
        .replace("start = \"chain.csv\"", "start = \"chain.csv\"\nbox = [40, 40, 40]")
        .replace("table = {", "trajectory = { every_steps = 100 }\ntable = {");
    let place = with_chain(&input);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(
        said.contains("since there is one chain, which leaves much of it free; beadwork.analysis"),
        "{said}"
    );
    assert!(said.contains("computes them of frames"), "{said}");
    for table in ["pair-distributions.csv", "structure-factors.csv", "structure-peaks.csv"] {
        assert!(!place.path(&format!("run/{table}")).exists(), "{table}");
    }
    assert!(said.contains("root mean square end-to-end distance of "), "{said}");
}

/// A melt of one molecule is as even as one of many.
#[test]
fn one_chain_that_fills_its_box_has_the_structure_of_a_fluid() {
    let melt = SOLUTION
        .replace(
            "{ molecule = \"A5\", count = 9 }, { molecule = \"W\", count = 330 }",
            "{ molecule = \"A375\", count = 1 }",
        )
        .replace("repulsion = { AA = 25.0, WW = 25.0, AW = 30.0 }", "repulsion = 25.0")
        .replace("duration = 16", "steps = 400");
    let place = Place::with_input(&melt);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(!said.contains("no pair distributions"), "{said}");
    for table in ["pair-distributions.csv", "structure-factors.csv"] {
        assert!(place.path(&format!("run/{table}")).exists(), "{table}");
    }
}

/// The columns of sizes are means over all molecules, with frames and without.
#[test]
fn sizes_of_a_mixture_are_said_to_be_of_all_kinds() {
    let mixture = SOLUTION
        .replace("count = 9 }", "count = 9 }, { molecule = \"A3\", count = 15 }")
        .replace("count = 330", "count = 285")
        .replace("trajectory = { every_steps = 100 }\n", "")
        .replace("duration = 16", "steps = 200");
    let place = Place::with_input(&mixture);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let summary = Summary::from_json(&place.read("run/summary.json")).unwrap();
    let basis = &summary.groups[0].value("end_to_end").unwrap().basis;
    assert_eq!(basis, "stage \"sample\"; all kinds of molecules");
}

/// A picture shows the frame that is asked for, and refuses numbers that are not there with those that are.
#[test]
fn pictures_are_of_the_replica_and_frame_that_are_asked_for() {
    let short = SOLUTION.replace("duration = 16", "steps = 200");
    let place = Place::with_input(&short);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let picture = |options: &str| {
        place.beadwork(&format!("plot run --figures picture {options}")).expect(0);
        std::fs::read(place.path("run/plots/picture.png")).unwrap()
    };
    // The caption has both numbers, so it is left out where beads are compared.
    let beads = |options: &str| picture(&format!("{options} --no-caption"));
    let usual = beads("");
    let last = Table::parse(&place.read("run/tables/member-0000-frames.csv")).rows.len() - 1;
    assert_eq!(usual, beads(&format!("--member 0 --frame {last}")));
    assert_ne!(usual, picture(""));
    let others = ["--member 1", "--frame 1", "--member 1 --frame 1", "--no-box"].map(beads);
    for (number, other) in others.iter().enumerate() {
        assert!(*other != usual && !others[..number].contains(other), "picture {number}");
    }
    for (options, parts) in [
        ("--member 2", ["analysis/no-picture", "replicas 0 to 1 have begun"]),
        ("--member 1 --frame 500", ["analysis/no-picture", "it has frames 0 to "]),
        ("--frame 500", ["analysis/no-picture", "replica 0 has the most, frames 0 to "]),
    ] {
        place.beadwork(&format!("plot run {options}")).expect(2).complains(&parts);
    }
    // Without a picture nothing is asked of it.
    let said = place.beadwork("plot run --figures pressure-time --member 2").expect(0);
    assert!(!said.stderr.contains("picture"), "{}", said.stderr);
}

/// A replica, a point of a sweep or a run that lacks what is asked for gives way to one that has it.
#[test]
fn a_picture_is_of_any_point_or_run_that_has_the_frame() {
    let short = SOLUTION.replace("duration = 16", "steps = 200");
    let place = Place::with_input(&short);
    let sweep = "\n[ensemble.sweep]\n\"sample.steps\" = [100, 400]\n\n[output]";
    place.write("sweep.toml", &short.replace("\n[output]", sweep));
    place.beadwork("run sweep.toml -o sweep --quiet --set ensemble.replicas=1").expect(0);
    let picture = "plot sweep --figures picture-1 -o one";
    place.beadwork(&format!("{picture} --frame 5")).expect(0);
    assert!(place.path("one/picture-1.png").exists());
    let said = place.beadwork(&format!("{picture} --frame 50")).expect(2);
    said.complains(&["analysis/no-picture", "replica 1 has the most, frames 0 to "]);
    // Parts with a gap between them have ranges of numbers.
    place
        .beadwork("run input.toml -o first --quiet --set ensemble.replicas=4 --replicas 0..2")
        .expect(0);
    place
        .beadwork("run input.toml -o last --quiet --set ensemble.replicas=4 --replicas 3..4")
        .expect(0);
    let said = place.beadwork("plot first last --member 2").expect(2);
    said.complains(&["analysis/no-picture", "replicas 0 to 1, 3 have begun"]);
    // Of two runs one has a replica of this number.
    place.beadwork("run input.toml -o own --quiet --set random.seed=7").expect(0);
    let both = "plot own last --figures picture-1 -o both --member";
    place.beadwork(&format!("{both} 3")).expect(0);
    let said = place.beadwork(&format!("{both} 2")).expect(2);
    said.complains(&["own: replicas 0 to 1 have begun", "last: replica 3 has begun"]);
}

/// Without bonds tables have no energy of bonds, and without a thermostat `check` says that nothing holds the temperature.
#[test]
fn a_fluid_without_bonds_and_bath_says_so() {
    let fluid = SOLUTION
        .replace("{ molecule = \"A5\", count = 9 }, ", "")
        .replace("bonds = [ { kind = \"harmonic\", stiffness = 4.0, length = 0.0 } ]\n", "")
        .replace("repulsion = { AA = 25.0, WW = 25.0, AW = 30.0 }", "repulsion = 25.0")
        .replace(", friction = 4.5", "")
        .replace("exclude = 0\n", "")
        .replace("duration = 16", "steps = 40");
    let place = Place::with_input(&fluid);
    let words = place.beadwork("check input.toml").expect(0).stdout;
    assert!(words.contains("kT = 1.0000 at the start; nothing holds the temperature"), "{words}");
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let table = place.read("run/tables/member-0000.csv");
    assert_eq!(
        table.lines().next().unwrap(),
        "step,time,stage,pair_energy,potential_energy,kinetic_energy,temperature,pressure,radius_of_gyration,radius_of_gyration_by_mass,end_to_end"
    );
}

/// Velocities, places in the box and the thermostat's forces are part of checkpoints: a run that is interrupted and
/// resumed, or made longer, has the bytes of one that was never stopped.
#[test]
fn a_box_that_is_stopped_and_resumed_has_the_same_bytes() {
    for precision in ["single", "double"] {
        let line = format!("precision = \"{precision}\"\ntimestep");
        let input = SOLUTION.replace("timestep", &line) + "checkpoint = \"0.01 s\"\n";
        let place = Place::with_input(&input);
        place.beadwork("run input.toml -o whole --quiet").expect(0);
        place.interrupt("part", "--quiet");
        place.beadwork("resume part --quiet").expect(0);
        assert_same(&trajectories(&place, "whole"), &trajectories(&place, "part"));
        place.write("input.toml", &input.replace("duration = 16", "duration = 8"));
        place.beadwork("run input.toml -o extended --quiet").expect(0);
        place.beadwork("extend extended --by 8").expect(0);
        place.beadwork("resume extended --quiet").expect(0);
        assert_same(&trajectories(&place, "whole"), &trajectories(&place, "extended"));
    }
}

fn trajectories(place: &Place, run: &str) -> BTreeMap<String, Vec<u8>> {
    only(&place.results(run), &["tables/", "trajectories/", "final/"])
}

/// Threads and other members change no byte.
#[test]
fn a_box_has_the_same_bytes_on_any_number_of_threads() {
    let place = Place::with_input(SOLUTION);
    place.beadwork("run input.toml -o one --quiet --threads 1").expect(0);
    place.beadwork("run input.toml -o two --quiet --threads 2").expect(0);
    assert_same(&trajectories(&place, "one"), &trajectories(&place, "two"));
    place.write("input.toml", &SOLUTION.replace("replicas = 2", "replicas = 9"));
    place.beadwork("run input.toml -o many --quiet --threads 1").expect(0);
    let first = |run: &str| only(&place.results(run), &["tables/member-0000", "final/replica-0."]);
    assert_same(&first("one"), &first("many"));
}

#[test]
fn the_end_of_a_run_is_the_start_of_another() {
    let place = Place::with_input(SOLUTION);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let from = |file: &str| {
        SOLUTION.replace(
            "build = [ { molecule = \"A5\", count = 9 }, { molecule = \"W\", count = 330 } ]\n",
            &format!("start = {{ file = \"run/final/replica-{{replica}}.xyz\"{file} }}\n"),
        )
    };
    let said = |run: &str, file: &str| {
        place.write(&format!("{run}.toml"), &from(file));
        let said = place.beadwork(&format!("run {run}.toml -o {run} --quiet")).expect(0);
        said.stderr + &said.stdout
    };
    assert!(said("drawn", "").contains("the velocities of"));
    assert!(!said("next", ", velocities = \"file\"").contains("the velocities of"));
    for member in 0..2 {
        let energies = |run: &str, column: &str, row: fn(&[f64]) -> f64| {
            row(&place.table(run, member).numbers(column))
        };
        let last = |column| energies("run", column, |all| *all.last().unwrap());
        // Positions are the same, up to the rounding of a fraction of the box; so is the potential energy.
        for run in ["drawn", "next"] {
            let first = energies(run, "potential_energy", |all| all[0]);
            let last = last("potential_energy");
            assert!((last - first).abs() < 1e-4 * last.abs(), "{last} {first}");
        }
        // A file has all digits of a velocity.
        let kinetic = |run| energies(run, "kinetic_energy", |all| all[0]);
        assert_eq!(kinetic("next"), last("kinetic_energy"));
        assert_ne!(kinetic("drawn"), last("kinetic_energy"));
    }
    // Members of one run have velocities of their own, and a run that goes on is to the bit as one that never stopped.
    let first = |member| place.table("next", member).numbers("kinetic_energy")[0];
    assert_ne!(first(0), first(1));
    place.write("next.toml", &(from(", velocities = \"file\"") + "checkpoint = \"0.01 s\"\n"));
    place.beadwork("run next.toml -o whole --quiet").expect(0);
    place.beadwork("run next.toml -o part --quiet --set sample.duration=8").expect(0);
    place.beadwork("extend part --by 8").expect(0);
    place.beadwork("resume part --quiet").expect(0);
    assert_same(&trajectories(&place, "whole"), &trajectories(&place, "part"));
}

/// Every frame of a GSD file is a start; and the file of a run that was stopped or made longer has the bytes of one that
/// never was.
#[test]
fn trajectories_as_gsd_are_continued_and_start_other_runs() {
    let every = "trajectory = { every_steps = 20, format = \"gsd\" }";
    let input = SOLUTION.replace("trajectory = { every_steps = 100 }", every);
    let place = Place::with_input(&(input.clone() + "checkpoint = \"0.01 s\"\n"));
    place.beadwork("run input.toml -o whole --quiet").expect(0);
    place.interrupt("part", "--quiet");
    place.beadwork("resume part --quiet").expect(0);
    assert_same(&trajectories(&place, "whole"), &trajectories(&place, "part"));
    place.beadwork("run input.toml -o extended --quiet --set sample.duration=8").expect(0);
    place.beadwork("extend extended --by 8").expect(0);
    place.beadwork("resume extended --quiet").expect(0);
    assert_same(&trajectories(&place, "whole"), &trajectories(&place, "extended"));
    let next = input.replace(
        "build = [ { molecule = \"A5\", count = 9 }, { molecule = \"W\", count = 330 } ]\n",
        "start = { file = \"whole/trajectories/member-000{replica}.gsd\", frame = 15, velocities = \"file\" }\n",
    );
    place.write("next.toml", &next);
    let words = place.beadwork("check next.toml").expect(0).stdout;
    assert!(words.contains("375 beads of 2 type(s) in 339 molecule(s), 36 bonds"), "{words}");
    place.beadwork("run next.toml -o next --quiet").expect(0);
    for member in 0..2 {
        let row =
            |run: &str, column: &str, row: usize| place.table(run, member).numbers(column)[row];
        // Rows and frames are at the same steps. Single precision holds all digits of velocities.
        let kinetic = row("whole", "kinetic_energy", 15);
        assert!((row("next", "kinetic_energy", 0) - kinetic).abs() < 1e-12 * kinetic);
        // A coordinate is off by 2⁻²⁴ of half a box at most, which changes the forces of pairs as little.
        let potential = row("whole", "potential_energy", 15);
        assert!((row("next", "potential_energy", 0) - potential).abs() < 1e-4 * potential);
    }
}

#[test]
fn a_chain_in_open_space_is_pulled_swept_and_exchanged() {
    let pulled = CHAIN.replace(
        "steps = 2_000",
        "steps = 2_000\ndrives = [ { kind = \"force\", fixed = \"first\", pulled = \"last\", force = 5.0 } ]",
    );
    let place =
        with_chain(&format!("{pulled}\n[ensemble.sweep]\n\"dynamics.temperature\" = [0.5, 1.0]\n"));
    let words = place.beadwork("check input.toml").expect(0).stdout;
    assert!(words.contains("constant force of 5"), "{words}");
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("temperature = 0.5:\n") && said.contains("extension: "), "{said}");
    let table = place.table("run", 1);
    assert!((table.numbers("force")[5] - 5.0).abs() < 1e-12);
    // With a second drive each has columns and averages of its own; the force between is that of both.
    let spring = "{ kind = \"spring\", name = \"tweezers\", fixed = \"first\", pulled = \"index 5\", stiffness = 20.0, speed = 0.1 }, { kind = \"force\"";
    place.write("two.toml", &pulled.replace("{ kind = \"force\"", spring));
    place.beadwork("run two.toml -o two --quiet").expect(0);
    let table = place.table("two", 0);
    let [all, tweezers, second] =
        ["work", "work_tweezers", "work_2"].map(|column| table.numbers(column));
    assert!((all[9] - tweezers[9] - second[9]).abs() < 1e-9 && tweezers[9] != 0.0);
    let answers = Table::parse(&place.read("two/answers.csv"));
    let rows = answers.column("quantity").into_iter().zip(answers.column("of"));
    let forces: Vec<&str> = rows.filter(|row| row.0 == "force").map(|row| row.1).collect();
    assert_eq!(forces, ["", "drive tweezers", "drive 2"]);
    let ladder =
        format!("{CHAIN}\n[exchange]\ntemperatures = [0.8, 1.0]\nevery = 0.5\nladders = 2\n");
    place.write("ladder.toml", &ladder);
    let said = place.beadwork("run ladder.toml -o ladder --quiet").expect(0).stdout;
    assert!(said.contains("least acceptance of exchanges: "), "{said}");
    assert!(place.read("ladder/thermodynamics.csv").contains("radius_of_gyration"));
    let text = place.read("ladder/tables/member-0000.csv");
    assert!(text.starts_with("step,time,stage,rung,bath_temperature,extension,"), "{text}");
}

/// One thing of its kind is not several.
#[test]
fn a_single_bead_is_counted_as_one() {
    let input = "[system]\nmodel = \"beads\"\nunits = \"reduced\"\nbox = [7, 7, 7]\nbuild = { molecule = \"A\", count = 1 }\n[dynamics]\ncollision_rate = 1.0\ntimestep = 0.01\n[[stage]]\nsteps = 10\n";
    let words = Place::with_input(input).beadwork("check input.toml").expect(0).stdout;
    let line = "1 bead of 1 type(s) in 1 molecule(s), 0 bonds, 0 excluded pairs (reduced units)";
    assert!(words.contains(line), "{words}");
}

/// Beads that form no molecules have no size, and rows of exchange count all the same.
#[test]
fn a_fluid_of_single_beads_exchanges_temperatures() {
    let input = r#"
[system]
model = "beads"
units = "reduced"
box = [7, 7, 7]
build = { molecule = "A", count = 64 }
pairs = [ { kind = "lennard-jones", depth = 1.0, diameter = 1.0, cutoff = 2.5 } ]

[dynamics]
collision_rate = 1.0
timestep = 0.004

[[stage]]
name = "relax"
steps = 200

[[stage]]
name = "sample"
steps = 2_000

[exchange]
temperatures = [1.5, 1.7]
every_steps = 20

[output]
table = { every_steps = 20 }
"#;
    let place = Place::with_input(input);
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("rows of the last stage: 200 ("), "{said}");
    let curve = Table::parse(&place.read("run/thermodynamics.csv"));
    assert_eq!(curve.rows.len(), 2);
}

/// A run that is far from the temperature of its bath says so.
#[test]
fn a_temperature_far_from_the_bath_is_noted() {
    let short = CHAIN.replace("steps = 2_000", "steps = 100").replace("0.5\n", "0.001\n");
    let place = with_chain(&short.replace("stiffness = 30.0", "stiffness = 300.0"));
    let said =
        place.beadwork("run input.toml -o run --quiet --set dynamics.temperature=0.01").expect(0);
    assert!(
        said.stdout.contains(" and that of the bath 0.01: begin with a minimisation"),
        "{}",
        said.stdout
    );
}

/// A bond that breaks is named, and the run ends with the code of a failure.
#[test]
fn a_failure_names_the_beads() {
    let hot = CHAIN.replace("collision_rate = 0.5", "collision_rate = 0.5\ntemperature = 4000.0");
    let place = with_chain(&hot);
    let outcome = place.beadwork("run input.toml -o run --quiet").expect(3);
    let said = outcome.stderr + &place.read("run/members.csv");
    assert!(said.contains("bond"), "{said}");
}

const FAR: &str = r#"[system]
model = "beads"
units = "reduced"
box = [10, 10, 10]
start = "far.xyz"
pairs = [ { kind = "wca", depth = 1.0, diameter = 1.0 } ]

[dynamics]
collision_rate = 1.0
timestep = 0.005

[[stage]]
steps = 20

[output]
table = { every_steps = 10 }
"#;

/// A bead thousands of sides away is where its image is, and topology.pdb cannot hold where it was.
#[test]
fn beads_far_outside_the_box_go_into_it() {
    let place = Place::with_input(FAR);
    let run = |x: &str, folder: &str| {
        place.write("far.xyz", &format!("3\nbeads\nA 1 1 1\nA 3 3 3\nA {x} 5 5\n"));
        let said = place.beadwork(&format!("run input.toml -o {folder} --quiet")).expect(0);
        (said.stderr, Table::parse(&place.read(&format!("{folder}/tables/member-0000.csv"))).rows)
    };
    let (calm, near) = run("5", "near");
    let (warned, far) = run("1_000_005".replace('_', "").as_str(), "far");
    assert!(!calm.contains("sides of the box"), "{calm}");
    assert!(warned.contains("100000.4 sides of the box apart along x"), "{warned}");
    assert_eq!(near.len(), far.len());
    assert!(place.read("far/topology.pdb").contains("9999.000"));
}

/// A start whose first steps fail stands at the top, and `check` ends with the code with which `run` ends.
#[test]
fn check_says_first_that_a_run_fails_at_once() {
    let place = Place::with_input(&FAR.replace("far.xyz", "near.xyz"));
    place.write("near.xyz", "2\nbeads\nA 1 1 1\nA 1.3 1 1\n");
    let said = place.beadwork("check input.toml").expect(3).stdout;
    let first = said.lines().next().unwrap();
    assert!(first.starts_with("Fails        replica 0, step "), "{said}");
    assert!(first.contains("stage \"stage-1\": "), "{said}");
    assert!(first.contains("minimise = { push_off = 1_000 }"), "{said}");
    assert!(
        said.contains("Duration     not estimated: the run fails in its first steps\n"),
        "{said}"
    );
    assert!(!said.contains("Warning      the longest stage fails"), "{said}");
    let json = json_of(&place.beadwork("check input.toml --json").expect(3).stdout);
    assert!(first.ends_with(json["fails"].as_str().unwrap()), "{json}");
    let failed = place.beadwork("run input.toml -o run --quiet").expect(3).stderr;
    assert!(failed.contains("failed: replica 0, step "), "{failed}");
    // With a push-off the run is sound.
    let pushed = FAR.replace("far.xyz", "near.xyz").replace(
        "[[stage]]\nsteps = 20",
        "[[stage]]\nminimise = { push_off = 100, steps = 200 }\n\n[[stage]]\nsteps = 20",
    );
    place.write("pushed.toml", &pushed);
    let json = json_of(&place.beadwork("check pushed.toml --json").expect(0).stdout);
    assert!(json["fails"].is_null(), "{json}");
    place.beadwork("run pushed.toml -o pushed --quiet").expect(0);
}
