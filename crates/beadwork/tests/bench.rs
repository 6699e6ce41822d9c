//! `beadwork bench`: its results, its checks, and a peer that simulates another system.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SHORT: [&str; 10] = [
    "bench",
    "sop",
    "--workload",
    "helix",
    "--steps",
    "8000",
    "--repeats",
    "2",
    "--check-seconds",
    "0.4",
];

fn bench(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_beadwork"))
        .args(arguments)
        .arg("--scratch")
        .arg(folder)
        .current_dir(folder.ancestors().find(|folder| folder.is_dir()).unwrap())
        .env("BEADWORK_COMMIT", "0123abc")
        .env("CUDA_VISIBLE_DEVICES", "")
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn speeds_and_checks_of_one_and_three_trajectories() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&SHORT[..], &["--replicas", "1,3", "--json", "--save", "kept"]].concat();
    let output = bench(&arguments, folder.path());
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_eq!(report["holds"], true);
    assert_eq!(report["machine"]["commit"], "0123abc");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    for (row, replicas) in rows.iter().zip([1, 3]) {
        assert_eq!((&row["beads"], &row["replicas"]), (&Value::from(16), &Value::from(replicas)));
        let rates = row["rate"]["values"].as_array().unwrap();
        assert_eq!(rates.len(), 2);
        let median = row["rate"]["median"].as_f64().unwrap();
        assert!(median > 0.0);
        let cost = row["nanoseconds_per_bead_step"].as_f64().unwrap();
        assert!((cost * median * 16.0 / 1e9 - 1.0).abs() < 1e-9);
        let quantities: Vec<&str> = row["checks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|check| check["quantity"].as_str().unwrap())
            .collect();
        for begin in ["kT from displacements", "largest difference", "beads after", "total energy"]
        {
            let found = quantities.iter().filter(|quantity| quantity.starts_with(begin)).count();
            assert_eq!(found, 1, "{begin} in {quantities:?}");
        }
    }
    let kept = std::fs::read_to_string(folder.path().join("kept.json")).unwrap();
    assert_eq!(kept.as_bytes(), output.stdout);
    let words = std::fs::read_to_string(folder.path().join("kept.md")).unwrap();
    assert!(words.contains("| ideal helix") && words.ends_with("All checks hold.\n"), "{words}");
    // The temporary folder of the runs was removed.
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2);
}

#[test]
fn the_generator_is_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [&SHORT[..], &["--replicas", "2", "--json", "--generator", "hybrid-taus"]];
    let output = bench(&arguments.concat(), folder.path());
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_eq!(
        (&report["rows"][0]["generator"], &report["device"]),
        (&"hybrid-taus".into(), &"cpu".into())
    );
    assert_eq!(report["machine"]["gpus"], Value::Array(Vec::new()));
}

#[test]
fn growth_compares_the_costs() {
    let folder = tempfile::tempdir().unwrap();
    let arguments =
        ["bench", "growth", "--sizes", "60,240", "--steps", "400", "--check-seconds", "0"];
    let output = bench(&arguments, folder.path());
    let words = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{words}");
    assert!(words.contains("globule of 240 beads") && words.contains("times the cheapest"));
}

#[test]
fn fluids_in_boxes_have_a_subcommand_each() {
    let folder = tempfile::tempdir().unwrap();
    let short = ["--steps", "400", "--repeats", "2", "--check-seconds", "0.4", "--json"];
    for (fluid, workload) in [
        ("dpd", "dpd-melt-of-a3b7-1000"),
        ("melt", "kremer-grest-melt-1000"),
        ("fluid", "lennard-jones-liquid-1000"),
    ] {
        let output =
            bench(&[&["bench", fluid, "--beads", "1000"], &short[..]].concat(), folder.path());
        let report = json(&output);
        assert_eq!(output.status.code(), Some(0), "{report:#}");
        assert_eq!(report["holds"], true);
        assert_eq!(
            (&report["name"], &report["rows"][0]["workload"]),
            (&fluid.into(), &workload.into())
        );
        let output = bench(&["bench", fluid, "--beads", "1009"], folder.path());
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("do not fill a box"));
    }
}

/// A peer as a shell script, whose energies are not those of this system.
const OTHER_PHYSICS: &str = r#"
echo '{"program":"Other","version":"1","variant":"only","copies":1,
"trials":[{"variant":"only","steps_per_second":1000}],
"energies":{"bond":1.0,"contact":-2.0,"pair":3.0}}' | tr -d '\n'
echo
while read -r verb steps every seed; do
    echo '{"seconds":0.5,"processor_seconds":0.5,"trajectory_steps":100,"energies":[1,2,3,4]}'
done
"#;

#[cfg(unix)]
#[test]
fn a_peer_that_computes_something_else_fails_the_checks() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("peers")).unwrap();
    std::fs::write(folder.path().join("peers/openmm_peer.py"), OTHER_PHYSICS).unwrap();
    let peer = ["--replicas", "1", "--threads", "1", "--peer", "openmm", "--python", "sh"];
    let arguments = [&SHORT[..], &peer, &["--peers", "peers", "--json"]].concat();
    let output = bench(&arguments, folder.path());
    let report = json(&output);
    assert_eq!(output.status.code(), Some(4), "{report:#}");
    let peer = &report["rows"][0]["peer"];
    assert_eq!(peer["rate"]["median"], 200.0);
    let ours = report["rows"][0]["rate"]["values"][1].as_f64().unwrap();
    assert!((peer["ratio"]["values"][1].as_f64().unwrap() - ours / 200.0).abs() < 1e-9 * ours);
    let checks = peer["checks"].as_array().unwrap();
    assert_eq!(checks.len(), 4);
    assert!(checks.iter().all(|check| check["holds"] == false), "{checks:#?}");
}

#[test]
fn missing_folders_workloads_and_peers_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let output = bench(&SHORT, &nowhere);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("there is no folder") && said.contains("--scratch"), "{said}");
    assert!(!nowhere.exists());
    let output = bench(&["bench", "sop", "--workload", "spectrin"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ubiquitin"));
    let output = bench(&["bench", "sop", "--workload", "helix", "--peer", "openmm"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--peers"));
}

#[test]
fn random_numbers_of_the_processor() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &str| {
        Command::new(env!("CARGO_BIN_EXE_beadwork"))
            .args(arguments.split_whitespace())
            .current_dir(folder.path())
            .env("CUDA_VISIBLE_DEVICES", "")
            .output()
            .unwrap()
    };
    let output =
        run("bench random --generator saru,mt19937 --repeats 2 --seconds 0.005 --json --save kept");
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let rows = report["rows"].as_array().unwrap();
    let schemes: Vec<&str> = rows.iter().map(|row| row["scheme"].as_str().unwrap()).collect();
    let expected =
        ["one-per-call", "one-per-call-published", "one-per-thread", "one-for-all-threads"];
    assert_eq!(schemes, expected);
    for row in rows {
        for what in ["uniforms", "normals"] {
            assert_eq!(row[what]["values"].as_array().unwrap().len(), 2);
            assert!(row[what]["median"].as_f64().unwrap() > 0.0, "{row:#}");
        }
        assert_eq!(row["into_memory"], Value::Null);
    }
    let kept = std::fs::read_to_string(folder.path().join("kept.md")).unwrap();
    assert!(kept.contains("| mt19937 ") && kept.contains("All checks hold."), "{kept}");
    for (arguments, word) in [
        ("bench random --generator ranlux", "hybrid-taus"),
        ("bench random --peer curand", "--curand-include"),
        ("bench random --peer curand --curand-include here", "--device cuda"),
        ("bench micro-streams --device cpu", "--device cuda"),
        ("bench pair-streams --device cpu", "--device cuda"),
        ("bench pair-streams --neighbours far", "near, random"),
        ("bench pair-streams --beads 50", "51..="),
        ("bench oscillators --device auto", "cpu or cuda"),
        ("bench oscillators --generator ranlux", "hybrid-taus"),
        ("bench polymer --device auto", "cpu or cuda"),
        ("bench polymer --monomers 1", "2..="),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(word), "{arguments}: {said}");
    }
}

#[test]
fn steps_of_oscillators_and_of_free_particles() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_beadwork"))
            .args(["bench", "oscillators", "--repeats", "2", "--seconds", "0.01"])
            .args(more)
            .current_dir(folder.path())
            .env("CUDA_VISIBLE_DEVICES", "")
            .output()
            .unwrap()
    };
    let output = run(&["--particles", "100,300", "--json", "--save", "kept"]);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let rows = report["rows"].as_array().unwrap();
    // State bytes of each row: one state a particle, one for all particles, or none.
    let bytes: Vec<u64> = rows.iter().map(|row| row["state_bytes"].as_u64().unwrap()).collect();
    let of_all = |long_lag: u64| 4 * long_lag + 4;
    let expected = [400, 14_000, 1600, of_all(2281), 0, 1200, 42_000, 4800, of_all(4423), 0];
    assert_eq!(bytes, expected);
    for row in rows {
        for what in ["langevin", "without_numbers", "numbers"] {
            let times = &row[what];
            assert_eq!(times["microseconds"]["values"].as_array().unwrap().len(), 2);
            assert!(times["microseconds"]["median"].as_f64().unwrap() > 0.0, "{row:#}");
        }
        let rate = row["steps_per_second"].as_f64().unwrap();
        let time = row["langevin"]["microseconds"]["median"].as_f64().unwrap();
        assert!((rate * time / 1e6 - 1.0).abs() < 1e-9);
        let checks = row["checks"].as_array().unwrap();
        assert_eq!(checks.len(), 4);
        // The difference from the reference path is zero.
        assert_eq!((&checks[0]["found"], &checks[0]["allowed"]), (&0.0.into(), &0.0.into()));
    }
    let kept = std::fs::read_to_string(folder.path().join("kept.md")).unwrap();
    assert!(kept.contains("| lagged-fibonacci ") && kept.ends_with("All checks hold.\n"), "{kept}");

    let output = run(&["--particles", "100", "--free", "--generator", "saru", "--threads", "2"]);
    let words = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{words}");
    assert!(words.contains("Free particles") && words.contains("| saru "), "{words}");
}

#[test]
fn moves_of_elastic_chains_beside_simple_programs() {
    let folder = tempfile::tempdir().unwrap();
    let run = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_beadwork"))
            .args(["bench", "polymer", "--repeats", "2", "--seconds", "0.01"])
            .args(more)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let output = run(&["--monomers", "13,20", "--replicas", "1,18", "--json", "--save", "kept"]);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let rows = report["rows"].as_array().unwrap();
    let of_rows =
        |what: &str| -> Vec<u64> { rows.iter().map(|row| row[what].as_u64().unwrap()).collect() };
    assert_eq!(
        (of_rows("monomers"), of_rows("replicas")),
        (vec![13, 13, 20, 20], vec![1, 18, 1, 18])
    );
    for row in rows {
        let rates = row["rate"]["values"].as_array().unwrap();
        assert_eq!(rates.len(), 2);
        let accepted = row["acceptance"].as_f64().unwrap();
        assert!(accepted > 0.5 && accepted < 1.0, "{row:#}");
        let references = row["references"].as_array().unwrap();
        let names: Vec<&str> =
            references.iter().map(|reference| reference["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["whole-energy", "moved-monomer"]);
        for reference in references {
            let ratio = reference["ratio"]["values"][1].as_f64().unwrap();
            let rate = reference["rate"]["values"][1].as_f64().unwrap();
            assert!((ratio * rate / rates[1].as_f64().unwrap() - 1.0).abs() < 1e-9);
            let of_reference = reference["acceptance"].as_f64().unwrap();
            assert!(of_reference > 0.5 && of_reference < 1.0, "{row:#}");
        }
        let checks = row["checks"].as_array().unwrap();
        assert_eq!(checks.len(), if row["monomers"] == 13 { 5 } else { 4 });
        // The difference from the reference path is zero.
        assert_eq!((&checks[0]["found"], &checks[0]["allowed"]), (&0.0.into(), &0.0.into()));
    }
    let kept = std::fs::read_to_string(folder.path().join("kept.md")).unwrap();
    assert!(kept.contains("| whole-energy ") && kept.ends_with("All checks hold.\n"), "{kept}");

    let output = run(&["--monomers", "5", "--replicas", "40", "--threads", "2"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}
