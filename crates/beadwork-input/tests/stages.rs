//! Stages: their steps, drives and stop rules, and warnings of what in them has no effect.

use crate::common::{
    SMALL, assert_fixed_point, complaint, folder, parse, parse_with, pdb, snake, write,
};
use beadwork_model::observables::Observable;
use beadwork_model::potentials::NativeContact;

#[test]
fn stop_rules_are_in_the_units_of_the_table() {
    let stops =
        "steps = 10\nstop = [\"extension > 25 nm\", \" native_contacts<30\", \"force > 100 pN\"]";
    let request = parse(folder().path(), &SMALL.replace("steps = 10", stops)).unwrap();
    let stops = &request.points[0].protocol.stages[0].stops;
    let expected = [
        (Observable::Extension, true, 25.0),
        (Observable::NativeContacts, false, 30.0),
        (Observable::Force, true, 100.0),
    ];
    assert_eq!(stops.len(), 3);
    for (stop, (observable, above, threshold)) in stops.iter().zip(expected) {
        assert_eq!((stop.column.clone(), stop.above), (observable.into(), above));
        assert!((stop.threshold - threshold).abs() < 1e-12, "{}", stop.text);
    }
}

/// The input of [`SMALL`] with these drives and a rule.
fn pulled_by(drives: &str, stop: &str) -> String {
    SMALL.replace("steps = 10", &format!("steps = 10\ndrives = [ {drives} ]\n{stop}"))
}

const LEFT: &str = r#"{ kind = "spring", name = "left", fixed = "first", pulled = "last", stiffness = "35 pN/nm", speed = "1 um/s" }"#;
const CLAMP: &str = r#"{ kind = "force", fixed = "none", pulled = "last", force = "10 pN", direction = [0, 0, 1] }"#;
const HOLD: &str = r#"{ kind = "restrain", select = "first", stiffness = "1 pN/nm" }"#;

/// A direction that is written needs no line between the centres, wherever they are.
#[test]
fn a_bead_in_the_middle_of_others_is_pulled_along_a_direction() {
    let folder = folder();
    let drive = |keys: &str| {
        let drive = format!(
            "{{ kind = \"spring\", fixed = \"index 0 2\", pulled = \"index 1\", stiffness = \"35 pN/nm\", speed = \"1 um/s\"{keys} }}"
        );
        parse(folder.path(), &pulled_by(&drive, ""))
    };
    let error = drive("").unwrap_err().to_string();
    let written = "so no line between them says in which direction to pull: write one";
    assert!(error.contains(written), "{error}");
    assert!(drive(", direction = [0, 0, 1]").is_ok());
}

#[test]
fn parts_of_selections_that_match_nothing_are_said() {
    let folder = folder();
    let warnings = |text: &str| parse(folder.path(), text).unwrap().warnings.join("\n");
    let drive = LEFT.replace("\"first\"", "\"index 0 200\"");
    for (text, said) in [
        (pulled_by(&drive, ""), "stage \"run\", drive 1, fixed: `index 200` selects no bead"),
        (
            SMALL.replace("chains = \"A\"", "select = \"residue 1-5, 80-90\""),
            "`select` of `structure` in [system]: `residue 80-90` selects no bead",
        ),
        (
            format!("{SMALL}[output]\nends = [\"chain A C D\", \"last\"]\n"),
            "[output], first end: `chain C`, `chain D` select no bead",
        ),
    ] {
        let found = warnings(&text);
        assert!(found.contains(said), "{found}");
    }
    assert!(!warnings(&pulled_by(LEFT, "")).contains("no bead"));
}

#[test]
fn rules_below_zero_and_beyond_all_forces_are_said() {
    let folder = folder();
    for (rule, why) in [
        ("extension < 0 nm", "extension is never below 0"),
        ("radius_of_gyration < 0 nm", "radius_of_gyration is never below 0"),
        ("native_contacts < 0", "native_contacts is never below 0"),
        ("force > 1e90 pN", "bonds break at some thousand pN; mind pN and N"),
    ] {
        let text = pulled_by(LEFT, &format!("stop = \"{rule}\""));
        let warnings = parse(folder.path(), &text).unwrap().warnings;
        let expected = format!("stage \"run\": \"{rule}\" will never hold: {why}");
        assert!(warnings.contains(&expected), "{expected}: {warnings:?}");
    }
    let text = pulled_by(LEFT, "stop = [\"extension < 1 nm\", \"force > 900 pN\"]");
    let warnings = parse(folder.path(), &text).unwrap().warnings.join("\n");
    assert!(!warnings.contains("will never hold"), "{warnings}");
}

/// Beads of a chain A and, 30 Å away, a chain B: each has native contacts of its own, and nothing is between them.
#[test]
fn rules_on_contacts_that_hold_at_once_or_never_are_said() {
    let folder = folder();
    let tip = "{ kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\" }";
    let text = |drives: &str, rule: &str| {
        format!(
            "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"s\"\nsteps = 1000\ndrives = [{drives}]\nstop = \"{rule}\"\n"
        )
    };
    let warnings = |text: &str| -> Vec<String> {
        let request = parse(folder.path(), text);
        let request = request.unwrap_or_else(|error| panic!("{text}: {}", complaint(&error)));
        let all = request.warnings.into_iter();
        all.filter(|warning| warning.contains("native contact(s)")).collect()
    };
    let request = parse(folder.path(), &text("", "native_contacts < 1")).unwrap();
    let system = &request.points[0].system;
    let all = system.interactions.bonded_by::<NativeContact>().len();
    assert!(all > 1, "{all}");
    for (drives, rule, said) in [
        ("", "native_contacts > 0", format!("holds from the start, where {all} native contact(s) hold")),
        ("", "native_contacts > 999", format!("will never hold: there are {all} native contact(s) in all")),
        (tip, "contacts_between_chains < 1", "holds from the start, where 0 native contact(s) between chains hold: the stage may end at once".to_string()),
        (tip, "contacts_between_chains > 0", "will never hold: there are 0 native contact(s) between chains in all".to_string()),
    ] {
        let warnings = warnings(&text(drives, rule));
        let expected = format!("stage \"s\": \"{rule}\" {said}");
        assert!(warnings.len() == 1 && warnings[0].starts_with(&expected), "{expected}: {warnings:?}");
    }
    assert!(warnings(&text("", "native_contacts < 1")).is_empty());
    let at_contact = |rule: &str| {
        let request = parse(folder.path(), &text(tip, rule)).unwrap();
        let said = format!("\"{rule}\" holds as soon as the tip comes into contact");
        request.warnings.iter().any(|warning| warning.contains(&said))
    };
    assert!(at_contact("deformation < 1 nm"));
    assert!(!at_contact("deformation > 1 nm") && !at_contact("deformation < -1 nm"));
    // Pulling may have broken contacts, so that they come back in the second stage.
    let refold = "[[stage]]\nname = \"refold\"\nsteps = 1000\nstop = \"native_contacts > 1\"\n";
    let pulled = text(LEFT, "native_contacts < 1") + refold;
    assert!(warnings(&pulled).is_empty(), "{:?}", warnings(&pulled));
}

/// Drives that pull have columns of their own where there are several, or where one has a name.
#[test]
fn several_drives_have_columns_of_their_own() {
    let folder = folder();
    let columns = |drives: &str| -> Vec<String> {
        let request = parse(folder.path(), &pulled_by(drives, "")).unwrap();
        let point = &request.points[0];
        point.protocol.pull_columns().iter().map(|one| one.column_in(point.system.units)).collect()
    };
    assert!(columns(CLAMP).is_empty());
    let of_left = [
        "extension_left_nm",
        "force_left_pN",
        "mean_force_left_pN",
        "base_travel_left_nm",
        "work_left_pN_nm",
    ];
    assert_eq!(columns(LEFT), of_left);
    // Only springs have a base; drives are counted from 1, those that do not pull too.
    let of_third = ["extension_3_nm", "force_3_pN", "mean_force_3_pN", "work_3_pN_nm"];
    let expected = [of_left.as_slice(), of_third.as_slice()].concat();
    assert_eq!(columns(&format!("{LEFT}, {HOLD}, {CLAMP}")), expected);
}

#[test]
fn rules_watch_drives_by_their_names() {
    let folder = folder();
    let stop = "stop = [\"extension_left > 25 nm\", \"work_2 > 3 pN nm\"]";
    let request = parse(folder.path(), &pulled_by(&format!("{LEFT}, {CLAMP}"), stop)).unwrap();
    let stops = &request.points[0].protocol.stages[0].stops;
    let words: Vec<String> = stops.iter().map(|rule| rule.column.word()).collect();
    assert_eq!(words, ["extension_left", "work_2"]);
    assert!((stops[0].threshold - 25.0).abs() < 1e-12);
    for (stop, problem) in [
        ("extension_right > 1 nm", "nothing is called \"extension_right\""),
        ("base_travel_2 > 1 nm", "nothing is called \"base_travel_2\""),
        ("mean_force_left > 1 pN", "mean_force_left is an average between rows"),
    ] {
        let text = pulled_by(&format!("{LEFT}, {CLAMP}"), &format!("stop = \"{stop}\""));
        let found = parse(folder.path(), &text).unwrap_err().to_string();
        assert!(found.contains(problem), "{found}");
    }
}

#[test]
fn names_of_drives_are_refused_where_columns_would_clash() {
    let folder = folder();
    for (drives, problem) in [
        (format!("{LEFT}, {LEFT}"), "another drive of the stage is called \"left\" too"),
        (LEFT.replace("left", "2"), "must begin with a letter"),
        (LEFT.replace("left", &"l".repeat(41)), "has 41 letters, and is part of the names"),
        (LEFT.replace("left", "a b"), "letters, digits, - and _"),
        (HOLD.replace("select", "name = \"a\", select"), "`name`"),
    ] {
        let found = parse(folder.path(), &pulled_by(&drives, "")).unwrap_err().to_string();
        assert!(found.contains(problem), "{found}");
    }
}

#[test]
fn times_in_any_unit_are_whole_steps() {
    for (time, timestep, steps) in
        [("20 us", "20 ps", 1_000_000), ("4 ms", "20 ps", 200_000_000), ("0.3 ns", "0.1 ps", 3000)]
    {
        let overrides = [("run.duration", time), ("dynamics.timestep", timestep)];
        let request = parse_with(folder().path(), SMALL, &overrides).unwrap();
        assert_eq!(request.points[0].protocol.steps(), steps, "{time}");
    }
}

/// Stages of 1,000 steps of 20 ps with drives and keys that do nothing in them.
#[test]
fn values_without_effect_are_said() {
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let warnings = |keys: &str, drives: &str, rest: &str| {
        let text = format!(
            "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"s\"\nsteps = 1000\n{keys}\ndrives = [{drives}]\n{rest}"
        );
        let request = parse(folder.path(), &text);
        let request = request.unwrap_or_else(|error| panic!("{drives}: {}", complaint(&error)));
        assert_fixed_point(&request);
        request.warnings.join("\n")
    };
    let spring = "{ kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"50 pN/nm\", speed = \"1 um/s\" }";
    let ramp =
        "{ kind = \"force-ramp\", fixed = \"first\", pulled = \"last\", rate = \"0 pN/us\" }";
    let restrain = "{ kind = \"restrain\", select = \"first\", stiffness = \"1 pN/nm\" }";
    let surface = "{ kind = \"surface\", below = \"all\" }";
    let tip = "{ kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\" }";
    let with = |drive: &str, keys: &str| drive.replace(" }", &format!(", {keys} }}"));
    let of_drive = |drive: String, said: &str| {
        let warnings = warnings("", &drive, "");
        let expected = format!("stage \"s\": drive 1: {said}");
        assert!(warnings.contains(&expected), "{expected}: {warnings}");
    };
    of_drive(spring.replace("50 pN", "0 pN"), "it has no force, since its `stiffness` is 0");
    of_drive(restrain.replace("1 pN", "0 pN"), "it has no force, since its `stiffness` is 0");
    of_drive(ramp.to_string(), "it has no force, since its rate is 0");
    let force = "{ kind = \"force\", fixed = \"first\", pulled = \"last\", force = \"0 pN\" }";
    of_drive(force.to_string(), "it has no force, since its `force` is 0");
    of_drive(with(spring, "update_every = 2000"), "its base never moves: `update_every` is 2000");
    of_drive(with(tip, "turn_after_steps = 1000"), "its base never turns: it would after 1000");
    let cycles = "turn_after_steps = 100, cycles = 9";
    of_drive(with(tip, cycles), "the stage ends in cycle 5 of 9 (`cycles`): one takes 200 steps");
    // 1 nm/us for 600 steps of 20 ps out, and 400 of 600 steps back.
    let back = "its base does not come back: 1 cycle(s) take 24.0 ns (1200 steps), and at the end of the stage, after 20.0 ns (1000 steps), it is 4.0e-6 nm out";
    of_drive(with(tip, "turn_after_steps = 600"), back);
    let rest = "turn_after_steps = 200, rest_steps = 800";
    of_drive(with(tip, rest), "its base does not come back: 1 cycle(s) take 24.0 ns");
    let cycles = "turn_after_steps = 300, cycles = 2";
    of_drive(with(tip, cycles), "its base does not come back: 2 cycle(s) take 24.0 ns");
    for keys in ["turn_after_steps = 500", "turn_after_steps = 100, cycles = 5"] {
        let said = warnings("", &with(tip, keys), "");
        assert!(!said.contains("come back"), "{keys}: {said}");
    }
    of_drive(with(tip, "moves_every = 2000"), "the tip never moves: it would after 2000 steps");
    // 50 pN/nm over 20 ns at 1 nm/ns.
    let fast = tip.replace("8.7e7", "8.7e4").replace("1 um/s", "1_000_000 um/s");
    let contact = "the tip can hardly come into contact: `contact_force` is 2000.00 pN, and its cantilever has at most 1000.00 pN after 20.00 nm; give a longer `duration`, or";
    of_drive(with(&fast, "contact_force = \"2000 pN\""), contact);
    // A base that does not come to the structure needs time first.
    let said = warnings("", tip, "");
    assert!(said.contains("the base cannot bring the tip"), "{said}");
    assert!(!said.contains("can hardly come into contact"), "{said}");
    // 10 steps of 20 ps at 50 pN/nm take a tip of 1e4 pN ps/nm all the way to its base.
    let loose = tip.replace("8.7e7", "1e4");
    let text = format!(
        "[system]\nstructure = \"a.pdb\"\n[[stage]]\nname = \"s\"\nsteps = 1000\ndrives = [{loose}]\n"
    );
    let refused = complaint(&parse(folder.path(), &text).unwrap_err());
    assert!(refused.contains("give it a friction of at least 2.1e4 pN ps/nm, or"), "{refused}");
    parse(folder.path(), &text.replace("1e4", "2.1e4")).unwrap();
    let twice = format!("{surface}, {surface}");
    let rule = "stop = \"extension > 90 nm\"\nstop_every = 2000";
    let cold = "[dynamics]\ntemperature = \"0 K\"\n";
    let thermal = with(tip, "thermal = true");
    for (keys, drives, rest, said) in [
        ("", twice.as_str(), "", "stage \"s\": drive 2: it equals drive 1, so that both"),
        (
            "stop_every = 500",
            spring,
            "",
            "stage \"s\": `stop_every` has no effect without a `stop`",
        ),
        (rule, spring, "", "its rules are never checked: `stop_every` is 2000 steps, and the"),
        ("fixed = \"first\"", restrain, "", "since the stage holds all of its beads"),
        ("", thermal.as_str(), cold, "`thermal` has no effect at a temperature of 0"),
        (
            "",
            spring,
            "[analysis]\nwindow = \"1 us\"\n",
            "`window` of [analysis] is longer than any",
        ),
        (
            "",
            tip,
            "[analysis]\nslope = [\"0 nm\", \"1 nm\"]\n",
            "`slope` of [analysis] ends at 1.00 nm, which no deformation reaches: the base travels 2.0e-5 nm at most",
        ),
    ] {
        let warnings = warnings(keys, drives, rest);
        assert!(warnings.contains(said), "{said}: {warnings}");
    }
    // What acts is not said.
    let sound = warnings("stop = \"extension > 90 nm\"", spring, "");
    for part in ["effect", "never", "drive 1"] {
        assert!(!sound.contains(part), "{sound}");
    }
}
