//! Runs of independent particles: their answers, and what `check` prints before them.

use crate::common::{Place, Table, json_of};
use beadwork::answer::{Answer, Choices};
use beadwork::io::RunFolder;

/// Wells with a relaxation time of 10 steps.
pub const WELLS: &str = r#"
[system]
model = "oscillators"
particles = 300
stiffness = "1 pN/nm"
start = "10 nm"

[dynamics]
diffusion = "0.4141947 nm^2/ns"
timestep = "1 ns"

[[stage]]
steps = 2_000

[ensemble]
replicas = 2

[output]
table = { every_steps = 5 }
trajectory = { every_steps = 10 }
"#;

#[test]
fn runs_of_oscillators_are_compared_with_their_law() {
    let place = Place::with_input(WELLS).with_plots();
    let words = place.beadwork("check input.toml").expect(0).stdout;
    // kT/D = 4.141947/0.4141947 pN ns/nm: a = 1/10.
    assert!(words.contains("300 particles in space, one a bead"), "{words}");
    assert!(words.contains("a = k h/friction = 0.1"), "{words}");
    assert!(!words.contains("Contacts") && !words.contains("Extension"), "{words}");
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("The run agrees with the law of its scheme."), "{said}");
    assert!(
        said.contains("the frames of the trajectory after 10 relaxation times, 1800 series"),
        "{said}"
    );
    assert!(said.starts_with(&place.read("run/summary.txt")), "{said}");
    let table = place.read("run/tables/member-0000.csv");
    let header = "step,time_ns,stage,temperature_K,mean_x_nm,mean_y_nm,mean_z_nm,mean_nm,mean_square_nm2,energy_per_particle_kcal_per_mol,spread_temperature_K";
    assert_eq!(table.lines().next().unwrap(), header);
    assert!(table.lines().nth(1).unwrap().starts_with("0,0,stage-1,,10,10,10,10,100,"), "{table}");
    for plot in ["position-time.svg", "mean-square-time.png", "correlation.svg"] {
        assert!(place.path(&format!("run/plots/{plot}")).exists(), "{plot}");
    }
    assert!(!place.path("run/plots/force-extension.svg").exists());
    let correlation = Table::parse(&place.read("run/correlation.csv"));
    let laws = correlation.column("law_nm2");
    // (kT/k)/(1 − a/2) = 4.141947/0.95 nm².
    assert!((laws[0].parse::<f64>().unwrap() - 4.359_944).abs() < 1e-4, "{laws:?}");
    let files = ["summary.txt", "correlation.csv"].map(|name| place.read(&format!("run/{name}")));
    place.beadwork("plot run").expect(0);
    assert_eq!(
        files,
        ["summary.txt", "correlation.csv"].map(|name| place.read(&format!("run/{name}")))
    );

    // Without frames the table is analysed. On lines, the last bead has free axes.
    let sets = "--set system.dimensions=1 --set system.particles=301 --set output.trajectory.every_steps=100000";
    let said = place.beadwork(&format!("run input.toml {sets} -o line --quiet")).expect(0).stdout;
    assert!(
        said.contains("no correlations: time origins begin after 10 relaxation times"),
        "{said}"
    );
    let header = "step,time_ns,stage,temperature_K,mean_nm,mean_square_nm2,energy_per_particle_kcal_per_mol,spread_temperature_K";
    assert_eq!(place.read("line/tables/member-0001.csv").lines().next().unwrap(), header);
    place.write("table.toml", &WELLS.replace("trajectory = { every_steps = 10 }", ""));
    let said = place.beadwork("run table.toml -o table --quiet").expect(0).stdout;
    assert!(said.contains("the mean position after 10 relaxation times, 2 series"), "{said}");

    let free = WELLS.replace("stiffness = \"1 pN/nm\"", "");
    place.write("free.toml", &free);
    let said = place.beadwork("run free.toml -o free --quiet").expect(0).stdout;
    assert!(said.contains("no correlations: these particles do not relax"), "{said}");
    assert!(said.contains("The run agrees with the law of its scheme."), "{said}");
    // Two replicas of 900 coordinates between 201 frames give an error of D √(2/360 000).
    assert!(said.contains("diffusion: 0.41"), "{said}");
    assert!(
        said.contains(
            " ± 0.00098 nm²/ns (standard error; law 0.4142; the frames of the trajectory, 360000 displacements)"
        ),
        "{said}"
    );
    place.write("free.toml", &free.replace("trajectory = { every_steps = 10 }", ""));
    let said = place.beadwork("run free.toml -o few --quiet").expect(0).stdout;
    assert!(said.contains("the last row of the table, 1800 displacements)"), "{said}");
}

/// One particle has some ten independent samples. Its mean square is far from normal, and the verdict allows for that.
#[test]
fn few_particles_raise_no_false_alarms() {
    let temperatures: Vec<String> = (0..100).map(|n| format!("\"{} K\"", 250 + n)).collect();
    let sweep = format!(
        "replicas = 1\nsweep = {{ \"dynamics.temperature\" = [{}] }}",
        temperatures.join(", ")
    );
    for (particles, dimensions, seed) in [(1, 1, 1), (1, 3, 2), (10, 1, 3)] {
        let input = WELLS
            .replace("diffusion = \"0.4141947 nm^2/ns\"", "friction = \"10 pN ns/nm\"")
            .replace("replicas = 2", &sweep)
            .replace(
                "particles = 300",
                &format!("particles = {particles}\ndimensions = {dimensions}"),
            )
            .replace("steps = 2_000", "steps = 1_000");
        let place = Place::with_input(&format!("{input}\n[random]\nseed = {seed}\n"));
        let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
        // By standard errors alone, 64, 43 and 11 alarms. Chance leaves at most 3 in 1000, and 4 in 100 once in 4000.
        let alarms = said.matches("DISAGREES").count();
        assert_eq!(said.matches("agrees with").count() + alarms, 100, "{said}");
        assert!(alarms < 4, "{particles} {dimensions}: {alarms} alarms");
        println!("{particles} particle(s), {dimensions} dimension(s): {alarms} of 100 alarms");
    }
}

#[test]
fn oscillators_beyond_the_limit_of_the_time_step_fail() {
    let place = Place::with_input(WELLS);
    // a = 2.5: positions grow by half at each step, first beyond the range of XTC, then beyond all numbers.
    for (folder, more) in [("xtc", ""), ("dcd", " --set output.trajectory.format=dcd")] {
        let set = format!("run input.toml -o {folder} --quiet{more}");
        let mut words: Vec<&str> = set.split(' ').collect();
        words.extend(["--set", "system.stiffness=25 pN/nm"]);
        let said = place.beadwork_of(&words).expect(3);
        assert!(said.stderr.contains("failed: replica 1, step "), "{}", said.stderr);
        let why = match folder {
            "xtc" => "A, which the trajectory cannot hold: XTC holds finite",
            _ => "is no longer a finite number",
        };
        assert!(said.stderr.contains(why), "{}", said.stderr);
        let members = Table::parse(&place.read(&format!("{folder}/members.csv")));
        assert_eq!(members.column("status"), ["failed"; 2]);
        for said in [said.stdout, place.beadwork(&format!("plot {folder}")).expect(0).stdout] {
            assert!(
                said.contains("all 2 replica(s) failed: there is nothing to compare"),
                "{said}"
            );
            assert!(said.contains("2 replica(s) failed on the way and are left out"), "{said}");
            assert!(!said.contains("standard errors"), "{said}");
        }
    }
    // Continuing finds the failed members unchanged.
    place.beadwork("resume xtc --quiet").expect(3);
}

#[test]
fn oscillators_without_noise_are_compared_with_the_decay() {
    let cold = WELLS.replace(
        "diffusion = \"0.4141947 nm^2/ns\"",
        "friction = \"10 pN ns/nm\"\ntemperature = \"0 K\"",
    );
    let place = Place::with_input(&cold);
    for precision in ["single", "double"] {
        for integrator in ["brownian", "brownian-second-order"] {
            let sets = format!(
                "--set dynamics.precision={precision} --set dynamics.integrator={integrator} --set ensemble.replicas=1"
            );
            let said = place
                .beadwork(&format!("run input.toml -o {precision}-{integrator} --quiet {sets}"))
                .expect(0)
                .stdout;
            for what in ["mean position", "mean square"] {
                assert!(said.contains(&format!("from the law of {what}: 0.")), "{said}");
            }
            assert!(
                said.contains(" of what rounding explains (at most 1 is expected; 400 time(s))"),
                "{said}"
            );
            assert!(
                said.contains("no correlations: at temperature 0 nothing fluctuates"),
                "{said}"
            );
            assert!(said.contains("The run agrees with the law of its scheme."), "{said}");
        }
    }
    // An error of a millionth in the decay is too large for rounding in double precision.
    let resolved = place.read("double-brownian/resolved.toml");
    let other = resolved.replace("\"1 pN/nm\"", "\"1.000001 pN/nm\"");
    assert_ne!(other, resolved);
    let said = answer_by(&place, "double-brownian", &other);
    assert!(
        said.contains("DISAGREES with the law of its scheme: mean position, mean square."),
        "{said}"
    );
    // An input with `diffusion` is set to 0 K by giving the friction instead.
    let place = Place::with_input(WELLS);
    let cold = ["check", "input.toml", "--set", "dynamics.temperature=0 K"];
    place.beadwork_of(&cold).expect(2).complains(&["write `friction` in its place"]);
    let sets = [&cold[..], &["--set", "dynamics.friction=10 pN ns/nm"]].concat();
    place.beadwork_of(&sets).expect(0);
}

#[test]
fn check_measures_how_long_oscillators_take() {
    let place = Place::with_input(WELLS);
    let check = "check input.toml --json --threads 1 --set stage-1.steps=200000 --set system.particles=3000";
    let json = json_of(&place.beadwork(check).expect(0).stdout);
    let number = |name: &str| json[name].as_f64().unwrap();
    let (seconds, rate) = (number("estimated_seconds"), number("estimated_steps_per_second"));
    let steps = 200_000.0 * number("members");
    assert!(seconds > 0.0 && (seconds * rate / steps - 1.0).abs() < 1e-9, "{seconds} {rate}");
    // One thread is one core.
    assert_eq!(json["points"][0]["estimated_core_seconds"].as_f64().unwrap(), seconds);
    let words = place.beadwork("check input.toml").expect(0).stdout;
    assert!(words.contains(" steps/s (measured for a moment)"), "{words}");
    // The limit is checked before anything is built.
    let many = "check input.toml --set system.particles=100_000_000";
    place.beadwork(many).expect(2).complains(&["at most 10_000_000, which take 3 GB of memory"]);
}

#[test]
fn coordinates_beyond_a_pdb_file_give_one_note() {
    let place = Place::with_input(
        &WELLS
            .replace("stiffness = \"1 pN/nm\"", "")
            .replace("start = \"10 nm\"", "start = \"-200 nm\""),
    );
    let far = "run input.toml -o run --quiet --set stage-1.steps=2_000_000 --set output.table.every_steps=1000 --set output.trajectory.every_steps=100_000 --set system.particles=9";
    let said = place.beadwork(far).expect(0);
    let notes: Vec<&str> = said.stderr.lines().filter(|line| line.contains("final/")).collect();
    assert_eq!(notes.len(), 1, "{}", said.stderr);
    assert!(
        notes[0].contains(
            "final/ has no coordinates of replica 0 and 1 other(s): beads are farther apart"
        ),
        "{notes:?}"
    );
}

/// What the files of a run say if they are taken for those of another input.
fn answer_by(place: &Place, run: &str, input: &str) -> String {
    place.write("other.toml", input);
    let request = beadwork::input::load(&place.path("other.toml"), &[]).unwrap();
    let folder =
        RunFolder::open(&place.path(run)).unwrap().with_members(request.members() as usize);
    let answer = Answer::read(&[folder], &request, "", &Choices::default()).unwrap();
    answer.summary().in_words()
}

/// The analysis finds a run whose noise is too weak for the temperature that it reads.
#[test]
fn the_comparison_finds_oscillators_off_their_law() {
    let place = Place::with_input(WELLS);
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let resolved = place.read("run/resolved.toml");
    let warmer = resolved.replace("stiffness = \"1 pN/nm\"", "stiffness = \"1.05 pN/nm\"");
    assert_ne!(warmer, resolved);
    let said = answer_by(&place, "run", &warmer);
    assert!(said.contains("The run DISAGREES with the law of its scheme"), "{said}");
}
