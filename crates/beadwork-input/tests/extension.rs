//! An extended input resolves as if the stage had been longer from the beginning.

use std::path::PathBuf;

use crate::common::{assert_fixed_point, folder, write};
use beadwork_input::{Addition, Error, Extended, extend, load};

const TEXT: &str = r#"
[system]
structure = { file = "a.pdb", chains = "A" }
[dynamics]
timestep = "20 ps"
[[stage]]
name = "relax"
minimise = { steps = 10 }
[[stage]]
name = "settle"
steps = 100
[[stage]]
name = "pull"
duration = "20 us"
drives = [{ kind = "spring", fixed = "first", pulled = "last", stiffness = "35 pN/nm", speed = "1 um/s" }]
"#;

/// A folder with this input, and its resolved form as a file beside it.
fn resolved(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = folder();
    write(folder.path(), "in.toml", text);
    let request = load(&folder.path().join("in.toml"), &[]).unwrap();
    for file in &request.files {
        write(folder.path(), &file.name, std::str::from_utf8(&file.contents).unwrap());
    }
    write(folder.path(), "resolved.toml", &request.resolved);
    let path = folder.path().join("resolved.toml");
    (folder, path)
}

fn time(text: &str) -> Addition {
    Addition::Time(text.to_string())
}

fn extended(text: &str, stage: Option<&str>, by: &Addition) -> Result<Extended, Error> {
    let (_folder, path) = resolved(text);
    extend(&path, stage, by)
}

/// The resolved form of the input in which `new` replaces `old`.
fn written_longer(old: &str, new: &str) -> String {
    assert!(TEXT.contains(old), "{old}");
    let (folder, _) = resolved(&TEXT.replace(old, new));
    std::fs::read_to_string(folder.path().join("resolved.toml")).unwrap()
}

#[test]
fn the_resolved_form_is_that_of_the_longer_input() {
    let unit = "duration = \"20 us\"";
    for (stage, by, old, new) in [
        (None, time("5 us"), unit, "duration = \"25 us\""),
        (Some("pull"), time("1 ms"), unit, "duration = \"1020 us\""),
        (None, time("0.0005 ms"), unit, "duration = \"20.5 us\""),
        (None, Addition::Steps(1), unit, "duration = \"20.00002 us\""),
        (Some("settle"), Addition::Steps(50), "steps = 100", "steps = 150"),
        (Some("settle"), time("1 ns"), "steps = 100", "steps = 150"),
    ] {
        let found = extended(TEXT, stage, &by).unwrap();
        assert_fixed_point(&found.request);
        assert_eq!(found.request.resolved, written_longer(old, new), "{by:?}");
        assert_eq!(found.stage, if stage == Some("settle") { 1 } else { 2 });
    }
    let found = extended(TEXT, None, &time("5 us")).unwrap();
    assert_eq!(found.name, "pull");
    assert_eq!(found.lengths, [("20 us".to_string(), "25 us".to_string())]);
    assert_eq!(found.request.points[0].protocol.stages[2].steps(), 1_250_000);
    let found = extended(TEXT, Some("settle"), &time("1 ns")).unwrap();
    assert_eq!(found.lengths, [("100 steps".to_string(), "150 steps".to_string())]);
}

#[test]
fn a_percentage_is_of_the_length_that_the_stage_has() {
    let percent = |text: &str| Addition::Percent(text.to_string());
    let unit = "duration = \"20 us\"";
    for (stage, by, old, new) in [
        (None, "50%", unit, "duration = \"30 us\""),
        (None, "0.1 %", unit, "duration = \"20.02 us\""),
        (Some("settle"), "7%", "steps = 100", "steps = 107"),
        (Some("settle"), "1_000%", "steps = 100", "steps = 1100"),
    ] {
        let found = extended(TEXT, stage, &percent(by)).unwrap();
        assert_fixed_point(&found.request);
        assert_eq!(found.request.resolved, written_longer(old, new), "{by}");
    }
    for (by, problem) in [
        ("0.5%", "0.5% of the 100 steps of stage \"settle\" are 0.5: give a percentage"),
        ("1e-12%", "of the 100 steps of stage \"settle\" are 1e-12: give"),
        ("0%", "give more than 0"),
        ("-5%", "give more than 0"),
        ("half%", "\"half%\" is no percentage"),
        ("nan%", "\"nan%\" is no percentage"),
        ("1e30%", "more than 2^63 steps"),
    ] {
        let error = extended(TEXT, Some("settle"), &percent(by)).unwrap_err().to_string();
        assert!(error.contains(problem), "{by}: {error}");
    }
    // Of many steps too a part of one is not rounded away, but the digits that a percentage cannot have are.
    let many = |steps: &str| TEXT.replace("steps = 100", &format!("steps = {steps}"));
    let odd = extended(&many("1_000_000_001"), Some("settle"), &percent("50%")).unwrap_err();
    assert!(odd.to_string().contains("are 500000000.5: give a percentage"), "{odd}");
    assert!(odd.to_string().ends_with("whole number of steps, or --steps 500000000"), "{odd}");
    // The time that is advised makes whole steps.
    let odd = TEXT.replace("20 us", "20.02 ns");
    let refused = extended(&odd, None, &percent("50%")).unwrap_err().to_string();
    assert_eq!(
        refused,
        "50% of the 1001 steps of stage \"pull\" (20.02 ns) are 500.5: give a percentage that makes a whole number of steps, or --by \"10 ns\""
    );
    assert_eq!(extended(&odd, None, &time("10 ns")).unwrap().lengths[0].1, "30.02 ns");
    let third = extended(&many("30_000"), Some("settle"), &percent("33.3333333333%")).unwrap();
    assert_eq!(third.request.points[0].protocol.stages[1].steps(), 40_000);
    let sweep = "[ensemble.sweep]\n\"pull.duration\" = [\"20 us\", \"0.03 ms\"]\n";
    let found = extended(&format!("{TEXT}{sweep}"), None, &percent("10%")).unwrap();
    let lengths = found.request.points.iter().map(|point| point.protocol.stages[2].steps());
    assert_eq!(lengths.collect::<Vec<_>>(), [1_100_000, 1_650_000]);
}

#[test]
fn swept_lengths_all_grow() {
    let sweep = "[ensemble.sweep]\n\"dynamics.temperature\" = [\"300 K\", \"310 K\"]\n\"pull.duration\" = [\"20 us\", \"0.03 ms\"]\n";
    let found = extended(&format!("{TEXT}{sweep}"), None, &time("5 us")).unwrap();
    assert_fixed_point(&found.request);
    let steps: Vec<u64> =
        found.request.points.iter().map(|point| point.protocol.stages[2].steps()).collect();
    assert_eq!(steps, [1_250_000, 1_750_000, 1_250_000, 1_750_000]);
    assert_eq!(found.request.points[1].settings[1].1, "0.035 ms");
    assert_eq!(found.lengths.len(), 2);
    let steps = "[ensemble.sweep]\nmode = \"zip\"\n\"pull.steps\" = [1000, 2000]\n";
    let found = extended(&format!("{TEXT}{steps}"), None, &time("2 ns")).unwrap();
    assert!(found.request.resolved.contains("\"pull.steps\" = [1100, 2100]"));
}

#[test]
fn additions_to_a_swept_time_step_have_the_unit_of_the_length() {
    let text = format!(
        "{TEXT}[output]\ntable = {{ every_steps = 10 }}\n[ensemble.sweep]\n\"dynamics.timestep\" = [\"20 ps\", \"10 ps\"]\n"
    );
    let found = extended(&text, None, &time("5 us")).unwrap();
    let steps = |index: usize| found.request.points[index].protocol.stages[2].steps();
    assert_eq!((steps(0), steps(1)), (1_250_000, 2_500_000));
    let found = extended(&text, Some("settle"), &Addition::Steps(7)).unwrap();
    assert!(found.request.resolved.contains("steps = 107"));
    for (stage, by, part) in [
        ("pull", Addition::Steps(7), "lengthen it by a time"),
        ("settle", time("1 ns"), "lengthen it by a number of steps"),
        // 10 ps are one step at one point and half a step at the other.
        ("pull", time("10 ps"), "steps of 20 ps"),
    ] {
        let error = extended(&text, Some(stage), &by).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
fn refuses_impossible_extensions() {
    for (stage, by, code, part) in [
        (Some("relax"), time("1 us"), "input/conflict", "is a minimisation, which ends by itself"),
        (
            Some("pul"),
            time("1 us"),
            "input/path",
            "no stage is called \"pul\"; did you mean \"pull\"? The stages are relax, settle, pull",
        ),
        (None, time("50 ps"), "input/steps", "which is 2.5 steps of 20 ps: write \"40 ps\""),
        (None, time("1 pN"), "model/quantity", "is a force; expected a time"),
        (None, time("-1 us"), "input/bad-value", "give more than 0"),
        (None, Addition::Steps(0), "input/bad-value", "0 steps make no stage longer"),
        (
            None,
            Addition::Sweeps(50),
            "input/conflict",
            "is made of steps and not of sweeps: give a time",
        ),
        (None, Addition::Steps(u64::MAX), "input/steps", "2^48"),
        (Some("settle"), Addition::Steps(u64::MAX), "input/steps", "more than 2^63 steps"),
    ] {
        let error = extended(TEXT, stage, &by).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
    // 10^14 steps and 10^14 + 1 steps are the same time in 12 digits.
    let long = TEXT.replace("\"20 ps\"", "\"1 fs\"").replace("\"20 us\"", "\"0.1 s\"");
    let error = extended(&long, None, &Addition::Steps(1)).unwrap_err();
    assert!(error.to_string().contains("take a rounder time"), "{error}");
}
