//! Whole runs on a GPU. Without one each test says "skipped: no CUDA device".
#![cfg(unix)]

use crate::common::gpu::{has_gpu, in_pieces, rows, survives_kills};
use crate::common::{PULL, Place, Table, assert_same, json_of, only, time_of};
use serde_json::Value;

/// Stages with a minimisation, two externals, a stop rule with its own interval, and a sweep. It takes some seconds on a
/// GPU, so that it can be interrupted.
const INPUT: &str = r#"
[system]
structure = "helix.pdb"

[dynamics]
timestep = "20 ps"

[[stage]]
name = "minimise"
minimise = { tolerance = "0.0001 kcal/(mol A)", steps = 5000 }

[[stage]]
name = "equilibrate"
steps = 30_500
drives = [ { kind = "restrain", select = "residue 2-5", stiffness = "50 pN/nm" } ]

[[stage]]
name = "pull"
steps = 2_000_000
stop = "extension > 3.5 nm"
stop_every = 7_000
drives = [
    { kind = "spring", fixed = "first", pulled = "last", stiffness = "100 pN/nm", speed = "50 um/s" },
]

[ensemble]
replicas = 5
sweep = { "pull.speed" = ["40 um/s", "80 um/s"] }

[output]
table = { every_steps = 5_000 }
trajectory = { every_steps = 20_000, format = "xtc" }
checkpoint = "0.05 s"
"#;

#[test]
fn interrupted_runs_equal_whole_ones() {
    if !has_gpu() {
        return;
    }
    for settings in
        ["", "--set dynamics.precision=double", "--set dynamics.integrator=brownian-second-order"]
    {
        let place = Place::with_input(INPUT);
        let command = format!("run input.toml --device cuda {settings}");
        let time = time_of(|| {
            place.beadwork_with_gpus(&format!("{command} -o whole --quiet")).expect(0);
        });
        let whole = place.results("whole");
        let members = Table::parse(&place.read("whole/members.csv"));
        assert_eq!(members.column("status"), ["finished"; 10]);
        let record = json_of(&place.read("whole/run.json"));
        assert_eq!(record["device"], "cuda");
        assert!(record["gpus"][0].is_string() && record["cuda_driver"].is_string(), "{record}");

        let pieces = in_pieces(&place, |_| command.clone(), 0);
        assert_same(&whole, &place.results(&pieces));
        survives_kills(&place, &command, &whole, time);
    }
}

#[test]
fn other_members_change_no_trajectory() {
    if !has_gpu() {
        return;
    }
    let short = INPUT
        .replace("2_000_000", "60_000")
        .replace("sweep = { \"pull.speed\" = [\"40 um/s\", \"80 um/s\"] }\n", "");
    for generator in ["philox4x32-10", "hybrid-taus"] {
        let settings = match generator {
            "hybrid-taus" => "--set random.generator=hybrid-taus --set random.accept_flaws=true",
            _ => "",
        };
        let place = Place::with_input(&short);
        for replicas in [1, 50, 300] {
            let replicas = format!("-o r{replicas} --set ensemble.replicas={replicas}");
            place
                .beadwork_with_gpus(&format!(
                    "run input.toml --device cuda --quiet {replicas} {settings}"
                ))
                .expect(0);
        }
        let alone = rows(&place, "r1");
        for folder in ["r50", "r300"] {
            let all = rows(&place, folder);
            let first = only(&all, &["tables/member-0000", "trajectories/member-0000"]);
            assert_same(&alone, &first);
            assert_ne!(all["tables/member-0000.csv"], all["tables/member-0001.csv"]);
        }
    }
}

#[test]
fn a_failing_member_is_named_and_the_others_continue() {
    if !has_gpu() {
        return;
    }
    let sweep = "[ensemble]\nreplicas = 2\nsweep = { mode = \"zip\", \"dynamics.timestep\" = [\"20 ps\", \"400 ps\", \"20 ps\"], \"pull.speed\" = [\"1000 um/s\", \"1000 um/s\", \"2000 um/s\"] }";
    let input = PULL.replace("[ensemble]\nreplicas = 3", sweep).replace("80_000", "4_000");
    let place = Place::with_input(&input);
    let said = place.beadwork_with_gpus("run input.toml -o run --quiet --device cuda").expect(3);
    for replica in [2, 3] {
        let line = format!(
            "failed: dynamics.timestep = 400 ps, pull.speed = 1000 um/s: replica {replica}, step "
        );
        said.complains(&[&line]);
    }
    let members = Table::parse(&place.read("run/members.csv").replace(", ", ";"));
    let expected = ["finished", "finished", "failed", "failed", "finished", "finished"];
    assert_eq!(members.column("status"), expected);
    // The sound members have the same files in a run without failing members.
    place.write("sound.toml", &input.replace("\"400 ps\"", "\"10 ps\""));
    place.beadwork_with_gpus("run sound.toml -o sound --quiet --device cuda").expect(0);
    let [run, sound] = ["run", "sound"].map(|run| rows(&place, run));
    for (name, bytes) in sound.iter().filter(|(name, _)| {
        ["0000", "0001", "0004", "0005"].iter().any(|number| name.contains(number))
    }) {
        assert!(run[name] == *bytes, "{name}");
    }
}

/// Bonds are pulled until they break, after some hundred thousand steps.
#[test]
fn members_fail_in_the_same_state_wherever_launches_begin() {
    if !has_gpu() {
        return;
    }
    let input = INPUT
        .replace("stop = \"extension > 3.5 nm\"\nstop_every = 7_000\n", "")
        .replace("\"100 pN/nm\", speed = \"50 um/s\"", "\"1000 pN/nm\", speed = \"50 um/s\"")
        .replace("[\"40 um/s\", \"80 um/s\"]", "[\"1500 um/s\", \"3000 um/s\"]");
    let place = Place::with_input(&input);
    let command = "run input.toml --device cuda";
    place.beadwork_with_gpus(&format!("{command} -o whole --quiet")).expect(3);
    let whole = place.results("whole");
    let members = Table::parse(&place.read("whole/members.csv").replace(", ", ";"));
    assert_eq!(members.column("status"), ["failed"; 10]);
    for again in ["again", "once-more"] {
        place.beadwork_with_gpus(&format!("{command} -o {again} --quiet")).expect(3);
        assert_same(&whole, &place.results(again));
    }
    let pieces = in_pieces(&place, |_| command.to_string(), 3);
    assert_same(&whole, &place.results(&pieces));
}

#[test]
fn rows_and_frames_are_at_the_steps_of_the_processor() {
    if !has_gpu() {
        return;
    }
    let input = INPUT
        .replace("stop = \"extension > 3.5 nm\"\nstop_every = 7_000\n", "")
        .replace("2_000_000", "104_000")
        // Both make as many steps, since neither reaches the tolerance.
        .replace("steps = 5000", "steps = 40");
    let place = Place::with_input(&input);
    for device in ["cpu", "cuda"] {
        place
            .beadwork_with_gpus(&format!("run input.toml -o {device} --quiet --device {device}"))
            .expect(0);
    }
    for member in 0..10 {
        let [cpu, cuda] = ["cpu", "cuda"].map(|run| place.table(run, member));
        assert_eq!(cpu.columns, cuda.columns);
        for column in ["step", "time_ns", "stage"] {
            assert_eq!(cpu.column(column), cuda.column(column));
        }
        // The first row is that of the start.
        assert_eq!(cpu.rows[0], cuda.rows[0]);
        assert_ne!(cpu.rows, cuda.rows, "the bits of a GPU are its own");
        // The same cells are empty in both.
        for (cpu, cuda) in cpu.rows.iter().zip(&cuda.rows) {
            let empty = |row: &[String]| row.iter().map(String::is_empty).collect::<Vec<_>>();
            assert_eq!(empty(cpu), empty(cuda));
        }
        let frames = |run| place.read(&format!("{run}/tables/member-{member:04}-frames.csv"));
        assert_eq!(frames("cpu"), frames("cuda"));
    }
}

#[test]
fn a_form_given_by_hand_is_taken_and_recorded() {
    if !has_gpu() {
        return;
    }
    let place = Place::with_input(&INPUT.replace("2_000_000", "20_000"));
    for (folder, form) in [("usual", "usual"), ("asked", "lanes=no,threads=64")] {
        let command = format!("run input.toml -o {folder} --quiet --device cuda --gpu-form {form}");
        place.beadwork_with_gpus(&command).expect(0);
    }
    assert_same(&place.results("usual"), &place.results("asked"));
    let form = |folder: &str| {
        let run: Value = serde_json::from_str(&place.read(&format!("{folder}/run.json"))).unwrap();
        run["gpu_form"].clone()
    };
    assert_eq!(form("usual"), Value::Null);
    assert_eq!(form("asked"), "lanes=no threads=64 (as asked for, in the block plan)");
}

#[test]
fn auto_takes_the_gpu_if_it_is_faster_and_runs_stay_there() {
    if !has_gpu() {
        return;
    }
    let place = Place::with_input(&PULL.replace("80_000", "4_000"));
    for (replicas, device) in [(3, "cpu"), (20, "cuda")] {
        let check = format!("check input.toml --json --set ensemble.replicas={replicas}");
        assert_eq!(
            json_of(&place.beadwork_with_gpus(&check).expect(0).stdout)["stepping"]["device"],
            device
        );
    }
    let words = place.beadwork_with_gpus("check input.toml --device cuda:0").expect(0).stdout;
    let line = words.lines().find(|line| line.starts_with("Stepping ")).unwrap();
    assert!(
        line.contains("up to 3 members at a time on ") && line.contains("block plan"),
        "{line}"
    );
    let line = words.lines().find(|line| line.starts_with("Duration ")).unwrap();
    assert!(line.starts_with("Duration     about "), "{line}");
    assert!(line.contains(" on 1 GPU(s) of this machine, ") && line.contains(" steps/s"), "{line}");
    place
        .beadwork_with_gpus(
            "run input.toml -o run --quiet --set ensemble.replicas=20 --max-time 0s",
        )
        .expect(5);
    assert_eq!(json_of(&place.read("run/run.json"))["device"], "cuda");
    place
        .beadwork_with_gpus("resume run --device cpu")
        .expect(2)
        .complains(&["run/device", "began on cuda ("]);
    place.beadwork("resume run").expect(4).complains(&["began on a GPU"]);
    place.beadwork_with_gpus("resume run --quiet").expect(0);
    // No card has this number.
    place
        .beadwork_with_gpus("run input.toml -o other --device cuda:4095")
        .expect(4)
        .complains(&["cuda/no-device"]);
    // A run that GPUs cannot step uses the processor, with a note.
    let externals =
        "{ kind = \"force\", fixed = \"first\", pulled = \"last\", force = \"1 pN\" },".repeat(32);
    let input = PULL.replace("drives = [\n", &format!("drives = [\n{externals}\n"));
    place.write("many.toml", &input.replace("replicas = 3", "replicas = 20"));
    let said = place.beadwork_with_gpus("check many.toml --json").expect(0);
    assert_eq!(json_of(&said.stdout)["stepping"]["device"], "cpu");
    said.complains(&["note: the CPU is used and not the GPU, since: stage \"pull\" has 33 drives"]);
    place
        .beadwork_with_gpus("run many.toml -o many --device cuda")
        .expect(2)
        .complains(&["run/device", "33 drives"]);
}

#[test]
fn doctor_and_bench_pass_on_the_gpu() {
    if !has_gpu() {
        return;
    }
    let place = Place::new();
    let said = place.beadwork_with_gpus("doctor --json").expect(0);
    let report = json_of(&said.stdout);
    let cards = report["gpus"]["cards"].as_array().unwrap().len();
    assert!(cards > 0, "{report:#}");
    let checks = report["checks"].as_array().unwrap();
    let of_cards = |check: &&Value| check["check"].as_str().unwrap().starts_with("GPU ");
    assert_eq!(checks.iter().filter(of_cards).count(), 5 * cards, "{report:#}");
    for generator in ["philox4x32-10", "hybrid-taus"] {
        let bench = format!(
            "bench sop --device cuda --workload helix --steps 8000 --repeats 2 --check-seconds 0.4 --replicas 1,40 --json --generator {generator}"
        );
        let report = json_of(&place.beadwork_with_gpus(&bench).expect(0).stdout);
        assert_eq!((&report["device"], &report["holds"]), (&"cuda".into(), &true.into()));
        assert!(report["machine"]["gpus"][0].as_str().unwrap().contains("driver for CUDA"));
        assert_eq!(report["rows"][1]["generator"], generator);
    }
    let bench = "bench polymer --device cuda --monomers 13,20 --replicas 1,300 --repeats 2 --seconds 0.05 --json";
    let report = json_of(&place.beadwork_with_gpus(bench).expect(0).stdout);
    assert_eq!((&report["device"], &report["holds"]), (&"cuda".into(), &true.into()));
    assert_eq!(report["cores"].as_array().unwrap().len(), 4);
    let rows = report["rows"].as_array().unwrap();
    for (row, checks) in rows.iter().zip([7, 7, 6, 6]) {
        assert_eq!(row["checks"].as_array().unwrap().len(), checks, "{row:#}");
        let references = row["references"].as_array().unwrap();
        assert_eq!(
            (&references[0]["name"], &references[1]["name"]),
            (&"naive".into(), &"improved".into())
        );
    }
}

/// Compiles hundreds of programs if they are not in the cache.
#[test]
fn the_thorough_doctor_passes() {
    if !has_gpu() {
        return;
    }
    let said =
        Place::new().beadwork_with_gpus("doctor --device cuda:0 --thorough --json").expect(0);
    let report = json_of(&said.stdout);
    let checks = report["checks"].as_array().unwrap();
    let name = |check: &&Value| check["check"] == "GPU 0, every program";
    let all = checks.iter().find(name).unwrap()["detail"].as_str().unwrap();
    // More than a hundred programs, all of them sound.
    let (sound, rest) = all.split_once(" of ").unwrap();
    assert!(rest.starts_with(&format!("{sound} programs do as the reference path does")), "{all}");
    assert!(sound.parse::<usize>().unwrap() > 100, "{all}");
}
