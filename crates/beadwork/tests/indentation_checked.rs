//! What `check` says of tips and surfaces before a step is made.

use crate::common::{HELIX, Place, json_of};
use crate::indentation::{INDENT, two_stages};

/// The input with another text in place of one that it has.
fn indent_with(old: &str, new: &str) -> Place {
    assert!(INDENT.contains(old), "{old}");
    Place::with_input(&INDENT.replace(old, new))
}

/// The helix lies along z from 0 to 2.25 nm, 0.23 nm from the axis.
#[test]
fn tips_and_surfaces_that_begin_in_the_structure_are_refused() {
    let gap = "radius = \"2 nm\", gap = \"0.4 nm\"";
    let at = |z: &str| format!("radius = \"2 nm\", position = [\"0 nm\", \"0 nm\", \"{z}\"]");
    let plane = "gap = \"1 nm\"";
    let plane_at = "position = [\"0 nm\", \"0 nm\", \"0.16 nm\"]";
    for (old, new, parts) in [
        (
            gap,
            at("3 nm"),
            // The centre is 0.75 nm above the last bead, 0.23 nm beside the axis; σ is 0.2 nm, and beads within 2.4 nm of
            // the centre count: the last is to be √(24² − 2.3²) − 7.5 = 16.39 Å farther away.
            [
                "drive 2: the tip begins in the structure: bead 15 (ALA 16 of chain A) is 12.16 A",
                "back by 16.39 A or more, against [0, 0, -1]",
            ],
        ),
        (
            plane,
            plane_at.to_string(),
            // Beads 0 and 1 are at 0 and 1.5 Å; σ is 10 Å.
            [
                "drive 1: the surface begins in the structure: bead 0 (ALA 1 of chain A) is 1.6 A behind its surface, and 2 of 16",
                "back by 21.6 A or more, against [0, 0, 1]",
            ],
        ),
    ] {
        let place = indent_with(old, &new);
        for command in ["check input.toml", "run input.toml -o run --quiet"] {
            let said = place.beadwork(command).expect(2);
            said.complains(&parts);
            said.complains(&["input/bad-value", "position = [", "write `gap` in place of"]);
        }
        assert!(!place.path("run").exists());
    }
    // A tip may be so near that its force has no bound, and yet touch nothing.
    let near = indent_with(gap, &at("4.25 nm"));
    near.beadwork("check input.toml")
        .expect(2)
        .complains(&["only ", " from its surface, and 1 of"]);
    indent_with(gap, &at("4.4 nm")).beadwork("check input.toml").expect(0);
    // Points act on both sides, where they are not too near, and beads may move before a later stage.
    let points = |side: usize, spacing: &str| {
        let points = format!("{plane_at}, points = {side}, spacing = \"{spacing}\"");
        indent_with(plane, &points)
    };
    points(3, "3 nm")
        .beadwork("check input.toml")
        .expect(2)
        .complains(&["the surface begins too near the structure"]);
    let said = points(2, "6 nm").beadwork("check input.toml").expect(0).stdout;
    assert!(
        said.contains("drive 1, a surface, has 2 of 16 bead(s) inside it or behind it"),
        "{said}"
    );
    let later = INDENT.replace(gap, &at("3 nm"));
    let later = later.replace(
        "[[stage]]\nname = \"indent\"",
        "[[stage]]\nsteps = 10\n\n[[stage]]\nname = \"indent\"",
    );
    let said = Place::with_input(&later).beadwork("check input.toml").expect(0).stdout;
    assert!(said.contains("stage \"indent\": drive 2, a tip, has "), "{said}");
    assert!(said.contains("by 1.64 nm against its direction"), "{said}");
}

/// What a law does to a bead in the first step decides whether it begins too near: force × timestep / friction.
#[test]
fn tips_and_surfaces_that_throw_beads_are_refused() {
    // Beads of 12,500 kcal ps/(mol Å²) at 4, 5.5 and 7 Å from the surface, ε = 0.5 kcal/mol and σ = 10 Å: steps of 20 ps by 142.46,
    // 2.21 and 0.09 Å. Bonds break at 2 Å.
    let plane = "gap = \"1 nm\"";
    let near = indent_with(plane, "gap = \"0.4 nm\"");
    for command in ["check input.toml", "run input.toml -o run --quiet"] {
        near.beadwork(command).expect(2).complains(&[
            "input/bad-value",
            "drive 1: the surface begins too near the structure: in the first step its force alone would move bead 0 (ALA 1 of chain A) by 142.46 A, more than the 2 A at which bonds break, and 2 of 16 bead(s) too far",
            "write a larger `gap`, or a smaller `sigma`",
        ]);
    }
    // At 6.5 Å the lowest bead moves by 0.24 Å.
    indent_with(plane, "gap = \"0.65 nm\"").beadwork("check input.toml").expect(0);
    // Beads that the stage holds stay.
    let held = INDENT.replace(plane, "gap = \"0.4 nm\"");
    let held = held.replace("steps = 12_000\n", "steps = 12_000\nfixed = \"index 0-1\"\n");
    Place::with_input(&held).beadwork("check input.toml").expect(0);
    // A tip is judged by the same rule; half of its σ is 1 Å. With less friction of the beads it throws one that it may touch.
    let tip = INDENT.replace("gap = \"0.4 nm\"", "gap = \"0.9 A\"");
    Place::with_input(&tip).beadwork("check input.toml").expect(0);
    let thin = tip.replace("[dynamics]\n", "[dynamics]\nfriction = \"2e6 pN ps/nm\"\n");
    Place::with_input(&thin).beadwork("check input.toml").expect(2).complains(&[
        "drive 2: the tip begins too near the structure: in the first step its force alone would move bead 15",
        "more than the 1 A of half its sigma, and 1 of 16 bead(s) too far",
        "a smaller `radius` or `sigma`",
    ]);
}

#[test]
fn a_start_of_each_replica_is_looked_at() {
    let place = Place::with_input(
        &INDENT
            .replace(
                "structure = \"helix.pdb\"",
                "structure = \"helix.pdb\"\nstart = { file = \"start-{replica}.pdb\" }",
            )
            .replace("gap = \"0.4 nm\"", "position = [\"0 nm\", \"0 nm\", \"4.7 nm\"]"),
    );
    // The second start lies 1 nm higher.
    let up: Vec<String> = HELIX
        .lines()
        .map(|line| match line.get(46..54).map(|z| z.trim().parse::<f64>()) {
            Some(Ok(z)) => format!("{}{:8.3}{}", &line[..46], z + 10.0, &line[54..]),
            _ => line.to_string(),
        })
        .collect();
    place.write("start-0.pdb", HELIX);
    place.write("start-1.pdb", &up.join("\n"));
    let said = place.beadwork("check input.toml").expect(2);
    said.complains(&["the tip begins in the structure of replica 1: bead 15"]);
}

#[test]
fn a_tip_that_cannot_do_its_work_is_warned_of() {
    let gap = "gap = \"0.4 nm\"";
    let check = |place: &Place| place.beadwork("check input.toml").expect(0).stdout;
    // The base goes 6,000 steps of 20 ps at 10 nm/us: 1.2 nm. The tip's friction keeps it 0.87 nm behind. A bead pushes it by
    // 5 pN, 6 ε σ⁶/x⁷, at x = 3.41 Å. So beads 2.3 Å beside its way count √(23.41² − 2.3²) Å before its centre, which begins
    // 110 Å above the last bead: 86.7 Å.
    let far = indent_with(gap, "gap = \"9 nm\"");
    let said = check(&far);
    for part in [
        "the base cannot bring the tip to the structure: it travels 1.20 nm, and the first bead is 8.67 nm before",
        // ζν/κ (1 − e^(−t κ/ζ)) with 0.87 nm and 1.2 nm of travel.
        "which stays 0.651 nm behind the base by its friction; it takes 954 ns, so give a longer `turn_after`",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let beside = indent_with(gap, "position = [\"5 nm\", \"0 nm\", \"9 nm\"]");
    assert!(check(&beside).contains("the tip goes past the structure: its radius is 2.00 nm"));
    let below = indent_with(gap, "position = [\"0 nm\", \"0 nm\", \"-20 nm\"]");
    let away = "the tip moves away from the structure: of the 16 bead(s) on which it acts none lies ahead of it";
    assert!(check(&below).contains(away));
    assert!(!check(&Place::with_input(INDENT)).contains("the tip moves away"));
    let stiff = indent_with("stiffness = \"100 pN/nm\"", "stiffness = \"20 N/m\"");
    assert!(
        check(&stiff).contains("`stiffness` of drive 2 in stage \"indent\" is 20 N/m, more than")
    );
    let still = indent_with("speed = \"10_000 um/s\"", "speed = \"0 um/s\"");
    assert!(check(&still).contains("give it a `speed`"));
    let stop = indent_with("steps = 12_000\n", "steps = 12_000\nstop = \"deformation > 2 nm\"\n");
    assert!(
        check(&stop)
            .contains("\"deformation > 2 nm\" will hardly be reached: the base travels 1.20 nm")
    );
    indent_with("stiffness = \"100 pN/nm\"", "stiffness = \"0 pN/nm\"")
        .beadwork("check input.toml")
        .expect(2)
        .complains(&[
            "`stiffness` is 0: a cantilever without stiffness presses",
            "input/bad-value",
        ]);
}

/// The helix is 2.25 nm long, and the tip touches it after 0.07 nm. At which force it yields is not known.
#[test]
fn a_base_that_goes_through_the_structure_is_warned_of() {
    let check =
        |input: &str| Place::with_input(input).beadwork("check input.toml").expect(0).stdout;
    let fast = INDENT.replace("10_000 um/s", "100_000 um/s");
    let said = check(&fast);
    // 9.68 nm of 100 pN/nm.
    let warning = "the base goes 11.9 nm on after the tip has come to the beads on which it acts, which are 2.25 nm thick along its way: the tip would go through them or past them, unless the cantilever bends by 9.68 nm or more, under 968 pN";
    assert!(said.contains(warning) && said.contains("a shorter `turn_after`"), "{said}");
    let through = "the tip would go through";
    let with_rule = |rule: &str| {
        let stop = format!("steps = 12_000\nstop = \"{rule}\"\n");
        check(&fast.replace("steps = 12_000\n", &stop))
    };
    let of_rules =
        ["deformation > 1 nm", "tip_travel > 2 nm", "base_travel > 2.3 nm", "force > 500 pN"];
    for said in of_rules.map(with_rule).into_iter().chain([check(INDENT)]) {
        assert!(!said.contains(through), "{said}");
    }
    // Rules that hold too late, or never.
    for (rule, warning) in [
        ("base_travel > 2.4 nm", "the base goes 2.33 nm on"),
        (
            "deformation > 3 nm",
            "\"deformation > 3 nm\" lies beyond the structure: the beads on which the tip acts are 2.25 nm thick",
        ),
        (
            "tip_travel > 3 nm",
            "\"tip_travel > 3 nm\" lies beyond the structure: the beads on which the tip acts",
        ),
        (
            "force > 2 nN",
            "\"force > 2 nN\" will hardly be reached: the cantilever has at most 1200 pN after 12.0 nm",
        ),
        ("force > 2 nN", through),
        (
            "base_travel > 13 nm",
            "\"base_travel > 13 nm\" will hardly be reached: the base travels 12.0 nm",
        ),
    ] {
        let said = with_rule(rule);
        assert!(said.contains(warning), "{rule}: {said}");
    }
}

/// A surface that the base can reach, held beads or springs keep the molecule where the tip presses on it.
#[test]
fn a_tip_that_presses_on_what_nothing_holds_is_warned_of() {
    let warning = "stage \"indent\": nothing holds the structure against the tip, which will only push it along";
    let surface = INDENT.lines().find(|line| line.contains("surface")).unwrap();
    let restrain =
        "    { kind = \"restrain\", select = \"first\", stiffness = \"1 kcal/(mol A^2)\" },";
    let fixed = INDENT.replace("steps = 12_000\n", "steps = 12_000\nfixed = \"first\"\n");
    let force = "    { kind = \"force\", fixed = \"none\", direction = [0, 0, 1], pulled = \"last\", force = \"30 pN\" },";
    for (input, is_warned) in [
        (INDENT.replace(surface, ""), true),
        (INDENT.to_string(), false),
        (INDENT.replace(surface, restrain), false),
        (fixed.replace(surface, ""), false),
        (INDENT.replace(surface, &restrain.replace("1 kcal", "0 kcal")), true),
        (INDENT.replace(surface, force), true),
        (INDENT.replace(surface, &surface.replace("gap = \"1 nm\"", "gap = \"9 nm\"")), true),
    ] {
        let said = Place::with_input(&input).beadwork("check input.toml").expect(0).stdout;
        assert_eq!(said.contains(warning), is_warned, "{said}");
    }
    // The cantilever has 100 pN/nm over 1.2 nm. Points 5 Å apart leave no gap for beads of σ = 1 nm.
    let gap = "gap = \"1 nm\"";
    let points = |side: usize, spacing: &str| {
        surface.replace(gap, &format!("{gap}, points = {side}, spacing = \"{spacing}\""))
    };
    for (other, why) in [
        (
            surface.replace("0.5 kcal", "1e-50 kcal"),
            Some("at half of its sigma, and the cantilever presses with up to 120 pN"),
        ),
        (points(2, "60 A"), Some("has 0 bead(s) above it")),
        (surface.replace("\"all\"", "\"index 0\""), Some("has 1 bead(s) above it")),
        (points(9, "5 A"), None),
    ] {
        assert_ne!(other, surface);
        let place = Place::with_input(&INDENT.replace(surface, &other));
        let said = place.beadwork("check input.toml").expect(0).stdout;
        let line = said.lines().find(|line| line.contains(warning));
        let found = line.map(|line| line.split_once("; the surface of drive 1 ").unwrap().1);
        assert_eq!(found.is_some(), why.is_some(), "{said}");
        assert!(found.is_none_or(|found| found.contains(why.unwrap())), "{said}");
    }
}

/// Drag is said beside the largest force of the cantilever.
#[test]
fn check_says_the_drag() {
    let check = |place: Place| place.beadwork("check input.toml").expect(0).stdout;
    let said = check(Place::with_input(INDENT));
    // 16 beads of 8.6846e6 pN ps/nm and a tip of 8.7e6 at 1e-5 nm/ps, beside 100 pN/nm over 1.2 nm.
    let line = "friction at this speed: up to 1390 pN of 16 bead(s) if all move with the tip, and 87 pN of the tip, beside at most 120 pN of the cantilever after 1.2 nm";
    assert!(said.contains(line), "{said}");
    for part in [
        "of the cantilever after 1.2 nm; at which force the structure yields is not known",
        // The helix ends 22.5 Å above its first bead.
        "the surface begins at [",
        ", -1] nm\n",
        "the tip begins at [",
        ", 4.65] nm; the beads on which it acts are 2.25 nm thick along its way",
        "base at 10000 um/s: goes 1.2 nm out and back; acts on 16 bead(s)",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    for (steps, words) in
        [("9_000", ": goes 1.2 nm out, and a part of the way back;"), ("5_000", ": goes 1 nm out;")]
    {
        let short = INDENT.replace("12_000", steps);
        let said = check(Place::with_input(&short));
        assert!(said.contains(words), "{words}: {said}");
    }
    for (steps, words) in [
        ("12_000", ": goes 1.2 nm out, makes 1 of 2 cycles and ends 0 nm out;"),
        ("15_000", ": goes 1.2 nm out, makes 1 of 2 cycles and ends 0.6 nm out;"),
        ("24_000", ": goes 1.2 nm out and back, 2 times;"),
    ] {
        let twice = INDENT.replace("= 12_000", &format!("= {steps}"));
        let twice = twice.replace("turn_after_steps", "cycles = 2, turn_after_steps");
        let said = check(Place::with_input(&twice));
        assert!(said.contains(words), "{words}: {said}");
    }
    // 1,477 pN is 12.3 times 120 pN, and half of these are allowed.
    assert!(said.contains("press 25 times slower or more over the same way"), "{said}");
    let slow = INDENT.replace("10_000 um/s", "100 um/s").replace("= 6_000", "= 600_000");
    let said = check(Place::with_input(&slow.replace("= 12_000", "= 1_200_000")));
    assert!(said.contains("up to 13.9 pN of 16 bead(s)") && !said.contains("slower"), "{said}");
    let place = Place::with_input(INDENT);
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    let tip = &json["stages"][0]["tip"];
    let number = |name: &str| tip[name].as_f64().unwrap_or_else(|| panic!("{name}: {json:#}"));
    assert_eq!(tip["beads"], 16);
    for (name, expected) in [
        ("friction_of_beads_pN", 1389.5),
        ("friction_of_tip_pN", 87.0),
        ("largest_force_of_cantilever_pN", 120.0),
        ("expected_force_pN", 120.0),
        ("travel_of_base_nm", 1.2),
        ("thickness_of_beads_nm", 2.25),
    ] {
        assert!((number(name) / expected - 1.0).abs() < 1e-3, "{name}: {json:#}");
    }
    let held = INDENT.replace("steps = 12_000\n", "steps = 12_000\nfixed = \"index 0-7\"\n");
    assert!(check(Place::with_input(&held)).contains("up to 695 pN of 8 bead(s)"));
}

/// A tip that goes on is judged by the friction at its new speed; how far its cantilever is bent is not known.
#[test]
fn check_judges_stages_of_one_tip_together() {
    let place = Place::with_input(&two_stages());
    let said = place.beadwork("check input.toml").expect(0).stdout;
    let of_retraction = "stage \"retract\": at the speed";
    assert!(!said.contains(of_retraction), "{said}");
    // A rule says which force counts.
    let rule = "stop = \"base_travel < 0 nm\"";
    let with_force =
        two_stages().replace(rule, "stop = [\"base_travel < 0 nm\", \"force > 680 pN\"]");
    let said = Place::with_input(&with_force).beadwork("check input.toml").expect(0).stdout;
    let warning = said.lines().find(|line| line.contains(of_retraction));
    let warning = warning.unwrap_or_else(|| panic!("{said}"));
    // 1,477 pN is 2.2 times 680 pN, and half of these are allowed.
    for part in ["680 pN at which a rule ends the stage", "retract 5 times slower or more"] {
        assert!(warning.contains(part), "{part}: {warning}");
    }
    let json = json_of(&place.beadwork("check input.toml --json").expect(0).stdout);
    assert_eq!(json["stages"][0]["tip"]["beads"], 16);
    assert!(json["stages"][1].is_object() && json["stages"][1]["tip"].is_null(), "{json:#}");
    // A base that stands until the next stage is none that cannot reach the structure, but its own rule will not hold.
    let speed = "speed = \"10_000 um/s\"";
    let still = two_stages().replace(speed, "speed = \"0 um/s\"");
    assert_ne!(still, two_stages());
    let said = Place::with_input(&still).beadwork("check input.toml").expect(0).stdout;
    assert!(!said.contains("cannot bring the tip"), "{said}");
    assert!(said.contains("\"deformation > 0.5 nm\" will hardly be reached"), "{said}");
}

/// The first stage takes the base out by 2.4 nm at most, and the second one back by as much.
#[test]
fn rules_on_a_base_that_goes_on_are_judged_from_where_it_may_be() {
    let rule = "stop = \"base_travel < 0 nm\"";
    let [back, out] = ["-10_000 um/s", "10_000 um/s"];
    for (said, speed, expected) in [
        ("base_travel < -1 nm", back, None),
        ("base_travel > 2 nm", back, None),
        ("base_travel > 50 nm", back, Some("the base is at most 2.40 nm out")),
        ("base_travel < -3 nm", back, Some("the base is at least -2.40 nm out")),
        ("base_travel < -0.5 nm", out, Some("the base is at least 0.000 nm out")),
        ("base_travel > 4 nm", out, None),
        ("base_travel > 5 nm", out, Some("the base is at most 4.80 nm out")),
    ] {
        let ruled = two_stages().replace(rule, &format!("stop = \"{said}\""));
        let place = Place::with_input(&ruled.replace(back, speed));
        let checked = place.beadwork("check input.toml").expect(0).stdout;
        let warned = format!("stage \"retract\": \"{said}\" will hardly be reached: ");
        let warning = checked.lines().find(|line| line.contains(&warned));
        match expected {
            None => assert_eq!(warning, None, "{said}"),
            Some(expected) => assert!(warning.unwrap_or_default().contains(expected), "{checked}"),
        }
    }
}

/// Two helices, side by side, by two operators: a half turn about a line along y.
fn two_helices() -> String {
    let mut text =
        String::from("REMARK 350 BIOMOLECULE: 1\nREMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n");
    for (operator, [x, z], [to_x, to_z]) in
        [(1, [1.0, 1.0], [0.0, 0.0]), (2, [-1.0, -1.0], [9.0, 22.5])]
    {
        for (row, [a, b, c, shift]) in
            [[x, 0.0, 0.0, to_x], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, z, to_z]].into_iter().enumerate()
        {
            text += &format!(
                "REMARK 350   BIOMT{}{operator:4}{a:10.6}{b:10.6}{c:10.6}{shift:15.5}\n",
                row + 1
            );
        }
    }
    text + HELIX
}

#[test]
fn the_template_of_an_indentation_is_a_valid_input() {
    let place = Place::new();
    let said = place.beadwork("new indentation shell.toml").expect(0);
    said.complains(&["wrote shell.toml; then: beadwork check"]);
    // The shell that is built in.
    let words = place.beadwork("check shell.toml").expect(0).stdout;
    for part in ["8460 beads in 60 chain(s)", "Axis         2-fold, one of 15"] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let own = place.read("shell.toml").replace("built-in:spmv.pdb", "shell.pdb");
    place.write("shell.toml", &own);
    place.beadwork("check shell.toml").expect(2).complains(&["shell.pdb"]);
    place.write("shell.pdb", &two_helices());
    // The helices are no shell, and thinner than the rule of the template.
    let words = place.beadwork("check shell.toml").expect(0).stdout;
    assert!(words.contains("\"deformation > 12 nm\" lies beyond the structure"), "{words}");
    let shallow = ["check", "shell.toml", "--set", "indent.stop=deformation > 0.4 nm"];
    let words = place.beadwork_of(&shallow).expect(0).stdout;
    for part in [
        "32 beads in 2 chain(s)",
        "Axis         2-fold: ",
        "base at 1 um/s: travels 35 nm; acts on 32 bead(s)",
        "beside at most 1750 pN of the cantilever after 35 nm; at which force the structure yields is not known: friction must be small beside its peak",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert!(!words.contains("Warning"), "{words}");
    // What the comments offer is valid too.
    let text = place.read("shell.toml");
    let text = text
        .replace("# [", "[")
        .replace("# \"system", "\"system")
        .replace(", \"3-fold\", \"5-fold\"]", "]")
        .replace("#     {", "    {")
        .replace("# ]", "]");
    let text = ["window", "slope", "hertz", "name", "duration", "stop", "drives"]
        .iter()
        .fold(text, |text, key| text.replace(&format!("# {key} = "), &format!("{key} = ")));
    let more = "depth = \"1 kcal/mol\", sigma = \"1 A\", a = 0, b = 1, turn_after = \"25 ms\", rest = \"1 ms\", cycles = 2, moves_every = 10, fixed_sideways = false, contact_force = \"10 pN\", thermal = true, radius";
    place.write(
        "all.toml",
        &text.replace("radius", more).replacen("duration = \"35 ms\"", "duration = \"104 ms\"", 1),
    );
    let words = place.beadwork("check all.toml").expect(0).stdout;
    assert!(words.contains("goes on from the stage before"), "{words}");
}

/// The examples that come with the program can be run; what they need is beside them.
#[test]
fn examples_of_indentation_are_valid_inputs() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/07-indentation");
    let place = Place::new();
    for (name, beads) in
        [("ubiquitin", "76 beads in 1 chain(s)"), ("5cvz", "8460 beads in 60 chain(s)")]
    {
        let input = folder.join(format!("{name}.toml"));
        let said =
            place.beadwork_of(&["check", input.to_str().unwrap(), "--device", "cpu"]).expect(0);
        assert!(said.stdout.contains(beads), "{}", said.stdout);
        assert!(!said.stdout.contains("Warning"), "{}", said.stdout);
    }
    // This one names a structure that is to be fetched.
    let input = folder.join("ccmv.toml");
    let said = place.beadwork_of(&["check", input.to_str().unwrap()]).expect(2);
    said.complains(&["1cwp.pdb", "cannot be read"]);
}
