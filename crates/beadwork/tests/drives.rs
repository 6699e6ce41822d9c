//! Several drives in a stage, forces at several loading rates, and clamps: columns, tables and answers.

use beadwork::data::{Code, Summary};

use crate::common::{PULL, Place, Table, assert_same};

/// The spring of [`PULL`].
fn spring() -> &'static str {
    PULL.lines().find(|line| line.contains("kind = \"spring\"")).unwrap()
}

/// The helix pulled at both ends, away from the bead in its middle, and pushed by a constant force without a name.
fn two_springs() -> String {
    let one = |name: &str, pulled: &str, speed: u32| {
        format!(
            "{{ kind = \"spring\", name = \"{name}\", fixed = \"index 7\", pulled = \"{pulled}\", stiffness = \"100 pN/nm\", speed = \"{speed} um/s\" }},\n"
        )
    };
    let force = "{ kind = \"force\", fixed = \"none\", pulled = \"index 3\", force = \"5 pN\", direction = [1, 0, 0] },";
    let drives = [one("left", "first", 1000), one("right", "last", 2000), force.to_string()];
    PULL.replace(spring(), &drives.concat())
        .replace("extension > 3.5 nm", "extension_right > 2.1 nm")
        .replace("80_000", "40_000")
        + "\n[analysis]\nwindow = \"20 ns\"\nprominence = \"1 pN\"\n"
}

fn summary(place: &Place, run: &str) -> Summary {
    Summary::from_json(&place.read(&format!("{run}/summary.json"))).unwrap()
}

#[test]
fn each_drive_has_columns_and_an_answer_of_its_own() {
    let place = Place::with_input(&two_springs());
    let said = place.beadwork("run input.toml -o run --quiet").expect(0);
    // Each has its own columns, so no warning says that forces are sums.
    assert!(!said.stderr.contains("drives pull"), "{}", said.stderr);
    let mut stopped = 0;
    for member in 0..3 {
        let table = place.table("run", member);
        let of = |column: &str| table.numbers(column);
        let stages = table.column("stage");
        let pulled = || (0..stages.len()).filter(|row| stages[*row] == "pull");
        // Cells of other stages are empty.
        assert!(of("force_left_pN")[..10].iter().all(|cell| cell.is_nan()));
        assert!(table.columns.iter().all(|column| column != "base_travel_3_nm"));
        for quantity in ["force#_pN", "mean_force#_pN", "work#_pN_nm"] {
            let own = |name: &str| of(&quantity.replace('#', name));
            let [all, left, right, third] = ["", "_left", "_right", "_3"].map(own);
            for row in pulled().skip(1) {
                let sum = left[row] + right[row] + third[row];
                assert!((all[row] - sum).abs() < 1e-6, "{quantity} {row}: {} {sum}", all[row]);
            }
        }
        let (travel, time) = (of("base_travel_right_nm"), of("time_ns"));
        let first = pulled().next().unwrap();
        for row in pulled() {
            // Rows are 200 steps of 20 ps apart, and 2000 um/s are 2e-3 nm/ns.
            let since = time[row] - time[first] + 4.0;
            assert!((travel[row] - 2e-3 * since).abs() < 1e-9, "{} {since}", travel[row]);
        }
        let last = of("extension_right_nm").pop().unwrap();
        stopped += usize::from(last > 2.1);
        assert!(pulled().rev().skip(1).all(|row| of("extension_right_nm")[row] <= 2.1));
    }
    assert!(stopped > 0);
    let found = summary(&place, "run");
    let [group] = found.groups.as_slice() else { panic!("{found:?}") };
    for drive in ["drive left", "drive right"] {
        let of_drive = |name: &str| {
            let mut values = group.values.iter();
            values.find(|value| value.name == name && value.of == drive)
        };
        assert!(of_drive("unfolded_share").is_some(), "{drive}: {group:?}");
        assert!(of_drive("unfolding_force").or(of_drive("highest_force")).is_some(), "{drive}");
    }
    let unfolding = Table::parse(&place.read("run/unfolding.csv"));
    assert_eq!(unfolding.column("drive"), ["left", "left", "left", "right", "right", "right"]);
    assert_eq!(unfolding.column("replica"), ["0", "1", "2", "0", "1", "2"]);
}

/// The mean forces of named drives are part of what a checkpoint holds.
#[test]
fn interrupted_runs_have_the_same_columns_of_drives() {
    let place = Place::with_input(&two_springs());
    place.beadwork("run input.toml -o whole --quiet --no-plots").expect(0);
    for threads in [1, 2] {
        let run = format!("cut{threads}");
        place.interrupt(&run, &format!("--quiet --no-plots --threads {threads}"));
        place.beadwork(&format!("resume {run} --quiet --no-plots")).expect(0);
        assert_same(&place.results("whole"), &place.results(&run));
    }
}

/// A sweep over speeds and lengths of a stage is one series of loading rates for each setting of other keys.
#[test]
fn sweeps_over_speeds_have_an_answer_over_all_loading_rates() {
    let sweep = r#"replicas = 3

[ensemble.sweep]
mode = "zip"
"pull.speed" = ["2000 um/s", "4000 um/s", "8000 um/s", "2000 um/s"]
"pull.steps" = [20_000, 10_000, 5_000, 20_000]
"dynamics.temperature" = ["300 K", "300 K", "300 K", "310 K"]
"#;
    let input =
        PULL.replace("replicas = 3\n", sweep).replace("extension > 3.5 nm", "extension > 9 nm")
            + "\n[analysis]\nwindow = \"8 ns\"\nprominence = \"0.5 pN\"\n";
    let place = Place::with_input(&input).with_plots();
    place.beadwork("run input.toml -o run --quiet").expect(0);
    // Names of groups have commas, so cells are counted from the end.
    let last = |file: &str, count: usize| -> Vec<Vec<f64>> {
        let text = place.read(&format!("run/{file}"));
        let cells = |line: &str| {
            let mut cells: Vec<&str> = line.rsplitn(count + 1, ',').take(count).collect();
            cells.reverse();
            cells.into_iter().map(|cell| cell.parse().unwrap_or(f64::NAN)).collect()
        };
        text.lines().skip(1).map(cells).collect()
    };
    let rates = last("loading-rates.csv", 10);
    // 100 pN/nm times 2000 um/s; the point at 310 K has no other rate beside it.
    assert_eq!(rates.len(), 3);
    for (row, expected) in rates.iter().zip([2e8, 4e8, 8e8]) {
        assert!((row[0] / expected - 1.0).abs() < 1e-12, "{row:?}");
    }
    let forces = last("unfolding.csv", 6).into_iter().take(3).map(|row| row[1]);
    let forces: Vec<f64> = forces.filter(|force| force.is_finite()).collect();
    assert_eq!(rates[0][2..4], [3.0, forces.len() as f64]);
    let mean = forces.iter().sum::<f64>() / forces.len() as f64;
    assert!((rates[0][4] - mean).abs() < 1e-9, "{rates:?} {mean}");
    let found = summary(&place, "run");
    assert_eq!(found.groups.len(), 5);
    let fit = &found.groups[4];
    assert_eq!(fit.points, [0, 1, 2]);
    assert!(fit.name.ends_with("all loading rates") && fit.name.contains("300 K"), "{}", fit.name);
    let settings: Vec<&str> = fit.settings.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(settings, ["dynamics.temperature"]);
    // Three replicas a rate give a law, or a reason why not.
    let is_said = fit.findings.iter().any(|finding| finding.code == Code::NotMeasured);
    assert!(fit.value("barrier_distance").is_some() || is_said, "{fit:?}");
    assert!(found.plots.iter().any(|plot| plot == "plots/loading-rates.svg"));
}

/// The force of a base that moves towards the held end runs below zero, which is no unfolding.
#[test]
fn springs_that_push_have_neither_unfolding_forces_nor_loading_rates() {
    let sweep = r#"replicas = 2

[ensemble.sweep]
"pull.speed" = ["-2000 um/s", "-4000 um/s"]
"#;
    let input = PULL.replace("replicas = 3\n", sweep).replace("80_000", "5_000");
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o run --quiet --no-plots").expect(0);
    for table in ["unfolding.csv", "peaks.csv", "loading-rates.csv"] {
        assert!(!place.path(&format!("run/{table}")).exists(), "{table}");
    }
    let found = summary(&place, "run");
    assert_eq!(found.groups.len(), 2);
    for group in &found.groups {
        let has = |code: Code, text: &str| {
            let mut findings = group.findings.iter();
            findings.any(|finding| finding.code == code && finding.text.contains(text))
        };
        let why = "no unfolding force, since its `speed` is below 0";
        assert!(
            has(Code::NotMeasured, why) && has(Code::Drag, "the spring pushes at"),
            "{group:?}"
        );
        assert!(!has(Code::NoisePeaks, "") && group.values.is_empty(), "{group:?}");
    }
}

/// The speed of one of two springs is not the loading rate of the chain that both pull, so there is no law, and a finding says so.
#[test]
fn a_sweep_over_the_speed_of_one_of_two_springs_says_why_no_law_fits() {
    let sweep = r#"replicas = 3

[ensemble.sweep]
"pull.drives.2.speed" = ["2000 um/s", "4000 um/s"]
"#;
    let input = two_springs().replace("replicas = 3\n", sweep).replace("40_000", "5_000");
    let place = Place::with_input(&input);
    place.beadwork("run input.toml -o run --quiet --no-plots").expect(0);
    assert!(!place.path("run/loading-rates.csv").exists());
    let found = summary(&place, "run");
    let [point, _, series] = found.groups.as_slice() else { panic!("{found:?}") };
    assert_eq!(point.name, "speed of drive right = 2000 um/s");
    assert_eq!((series.points.as_slice(), series.replicas), (&[0, 1][..], 6));
    assert!(series.settings.is_empty() && series.values.is_empty());
    assert_eq!(series.name, "drives left and right, all loading rates");
    let [finding] = series.findings.as_slice() else { panic!("{series:?}") };
    assert_eq!(finding.code, Code::NotMeasured);
    assert!(finding.text.contains("load the same molecule"), "{finding}");
}

/// A clamp: its work is its force times the way along it, and the slope of the temperature that of the table.
#[test]
fn clamps_have_work_and_the_slope_of_the_temperature() {
    let force = "{ kind = \"force\", fixed = \"first\", pulled = \"last\", force = \"25 pN\" },";
    let clamp = PULL.replace(spring(), force).replace("80_000", "20_000");
    let place = Place::with_input(&clamp).with_plots();
    let said = place.beadwork("run input.toml -o run --quiet").expect(0).stdout;
    assert!(said.contains("work of the clamp: "), "{said}");
    let found = summary(&place, "run");
    let value = |name: &str| found.groups[0].value(name).and_then(|value| value.value).unwrap();
    let clamps = Table::parse(&place.read("run/clamps.csv"));
    let mut work = 0.0;
    for member in 0..3 {
        let table = place.table("run", member);
        let stages = table.column("stage");
        let pulled: Vec<usize> = (0..stages.len()).filter(|row| stages[*row] == "pull").collect();
        let last = table.numbers("work_pN_nm")[*pulled.last().unwrap()];
        work += last / 3.0;
        assert_eq!(clamps.numbers("work_pN_nm")[member], last);
        assert!((clamps.numbers("way_nm")[member] - last / 25.0).abs() < 1e-9);
        let (time, temperature) = (table.numbers("time_ns"), table.numbers("temperature_K"));
        let rows = pulled.iter().filter(|row| temperature[**row].is_finite());
        let points: Vec<(f64, f64)> = rows.map(|row| (time[*row], temperature[*row])).collect();
        let slope = beadwork::analysis::statistics::slope(&points).unwrap();
        let said = clamps.numbers("temperature_slope_K_per_us")[member];
        assert!((said - 1e3 * slope).abs() < 1e-6 * slope.abs().max(1.0), "{said} {slope}");
        // 100 rows of 4 ns have windows of ten: √(12/990)/4 ns.
        let values: Vec<f64> = points.iter().map(|point| point.1).collect();
        let scatter = beadwork::analysis::statistics::standard_deviation(&values).unwrap();
        let noise = 1e3 * scatter * (12.0_f64 / 990.0).sqrt() / 4.0;
        let said = clamps.numbers("slope_noise_K_per_us")[member];
        assert!((said / noise - 1.0).abs() < 1e-6, "{said} {noise}");
        // The first window, around 20 ns, is that in which the force is switched on.
        let fastest = clamps.numbers("fastest_work_time_ns")[member];
        assert!(fastest > 24.0 && fastest < 400.0, "{fastest}");
    }
    assert!((value("clamp_work") - work).abs() < 1e-9);
    assert!((value("clamp_way") - work / 25.0).abs() < 1e-9);
    for plot in ["work-time", "temperature-slope-time"] {
        assert!(found.plots.iter().any(|one| *one == format!("plots/{plot}.png")), "{plot}");
    }
}

/// Two forces have a work each, and one temperature.
#[test]
fn forces_share_the_slope_of_the_temperature() {
    let force = |name: &str, bead: &str| {
        format!(
            "{{ kind = \"force\", name = \"{name}\", fixed = \"first\", pulled = \"{bead}\", force = \"25 pN\" }},"
        )
    };
    let two = force("left", "index 4") + &force("right", "last");
    let clamp = PULL.replace(spring(), &two).replace("80_000", "2_000");
    let place = Place::with_input(&clamp.replace("extension > 3.5 nm", "extension_right > 30 nm"));
    place.beadwork("run input.toml -o run --quiet").expect(0);
    let found = summary(&place, "run");
    let of = |name: &str| -> Vec<String> {
        let values = found.groups[0].values.iter().filter(|value| value.name == name);
        values.map(|value| value.of.clone()).collect()
    };
    assert_eq!(of("clamp_work"), ["drive left", "drive right"]);
    assert_eq!(of("temperature_slope"), [""]);
}
