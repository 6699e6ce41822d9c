//! Drives that are refused.

use crate::common::{complaint, folder, parse, pdb, snake, write};
use crate::refusals::{check, pulling};

#[test]
fn refuses_wrong_drives() {
    let spring = "kind = \"spring\", fixed = \"first\", pulled = \"last\"";
    for (external, expected) in [
        ("".to_string(), "[input/missing-key] in.toml:6:11 <{  }> stage \"pull\", drive 1: the key `kind` is missing; write for example kind = \"spring\""),
        ("kind = \"sprin\"".to_string(), "[input/unknown-key] in.toml:6:20 <\"sprin\"> stage \"pull\", drive 1: `kind` does not know \"sprin\"; did you mean \"spring\"?"),
        (format!("{spring}, stifness = \"35 pN/nm\""), "[input/unknown-key] in.toml:6:64 <stifness> unknown key `stifness` in stage \"pull\", drive 1; did you mean `stiffness`? Known keys: kind, name, fixed, pulled, stiffness, speed, direction, update_every"),
        (spring.to_string(), "[input/missing-key] in.toml:6:11 <{ kind = \"spring\", fixed = \"first\", pulled = \"last\" }> stage \"pull\", drive 1: the key `stiffness` is missing; write for example stiffness = \"35 pN/nm\""),
        (format!("{spring}, stiffness = \"35 pN\", speed = \"1 um/s\""), "[model/quantity] in.toml:6:76 <\"35 pN\"> stage \"pull\", drive 1: `stiffness`: \"35 pN\" is a force; expected a stiffness"),
        (format!("{spring}, stiffness = \"-35 pN/nm\", speed = \"1 um/s\""), "[input/bad-value] in.toml:6:76 <\"-35 pN/nm\"> stage \"pull\", drive 1: `stiffness` must not be negative"),
        (format!("{spring}, direction = [1e308, 1e308, 1e308]"), "[input/bad-value] in.toml:6:77 <1e308> stage \"pull\", drive 1: `direction` must be less than 1e100, but is 1e308"),
        (format!("{spring}, direction = [1, 2]"), "[input/wrong-type] in.toml:6:76 <[1, 2]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found a list of 2 numbers"),
        (format!("{spring}, direction = [1, nan, 0]"), "[input/wrong-type] in.toml:6:76 <[1, nan, 0]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found nan at place 2"),
        (format!("{spring}, direction = [1, \"x\", 0]"), "[input/wrong-type] in.toml:6:76 <[1, \"x\", 0]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found the text \"x\" at place 2"),
        (format!("{spring}, direction = []"), "[input/wrong-type] in.toml:6:76 <[]> stage \"pull\", drive 1: `direction` must be three numbers [x, y, z], found an empty list"),
        (format!("{spring}, direction = [0, 0, 0]"), "[input/bad-value] in.toml:6:76 <[0, 0, 0]> stage \"pull\", drive 1: `direction` must have a length"),
        (format!("{spring}, stiffness = \"1 pN/nm\", speed = \"1 um/s\", update_every = 0"), "[input/bad-value] in.toml:6:120 <0>"),
        ("kind = \"force\", pulled = \"last\", force = \"1 pN\"".to_string(), "[input/missing-key] in.toml:6:11"),
        ("kind = \"force\", fixed = \"none\", pulled = \"last\", force = \"1 pN\"".to_string(), "[input/bad-value] in.toml:6:37 <\"none\"> stage \"pull\", drive 1: `fixed` can be \"none\" only beside a `direction`"),
        ("kind = \"force\", fixed = \"index 0-5\", pulled = \"index 5\", force = \"1 pN\"".to_string(), "[input/conflict] in.toml:6:59 <\"index 5\"> stage \"pull\": bead 5 (chain A, residue 6 GLY) is both fixed and pulled"),
        ("kind = \"force\", fixed = \"index 0 2\", pulled = \"index 1\", force = \"1 pN\"".to_string(), "[input/bad-value] in.toml:6:59 <\"index 1\"> stage \"pull\", drive 1: the centres of its `fixed` and `pulled` beads "),
        ("kind = \"force-ramp\", fixed = \"index 0 2\", pulled = \"index 1\", rate = \"1 pN/ms\"".to_string(), "[input/bad-value] in.toml:6:64 <\"index 1\"> stage \"pull\", drive 1: the centres of its"),
        ("kind = \"force\", fixed = \"first\", pulled = \"chain Q\", force = \"1 pN\"".to_string(), "[model/empty-selection] in.toml:6:55 <\"chain Q\"> stage \"pull\", drive 1, pulled: the selection \"chain Q\" matches no bead"),
        ("kind = \"force-ramp\", fixed = \"first\", pulled = \"last\"".to_string(), "[input/missing-key] in.toml:6:11 <{ kind = \"force-ramp\", fixed = \"first\", pulled = \"last\" }> stage \"pull\", drive 1: the key `rate` is missing; write for example rate = \"87.5 pN/ms\" (or stiffness"),
        ("kind = \"force-ramp\", fixed = \"first\", pulled = \"last\", rate = \"1 pN/ms\", speed = \"1 um/s\"".to_string(), "[input/conflict] in.toml:6:86 <speed> stage \"pull\", drive 1: `speed` has no place here, because the rate says"),
        ("kind = \"restrain\", select = \"all\"".to_string(), "[input/missing-key] in.toml:6:11 <{ kind = \"restrain\", select = \"all\" }> stage \"pull\", drive 1: the key `stiffness` is missing"),
    ] {
        check(&pulling(&external), expected);
    }
}

#[test]
fn a_second_tip_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\"";
    let surface = "kind = \"surface\", below = \"all\"";
    let text = pulling(&format!("{surface} }}, {{ {tip} }}, {{ {tip}"));
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let error = parse(folder.path(), &text).unwrap_err();
    assert_eq!(error.code(), "input/conflict");
    let said = "stage \"pull\", drive 3: a second tip beside that of drive 2";
    assert!(complaint(&error).contains(said), "{}", complaint(&error));
}

/// A tip can go on only into the next stage, and as it was.
#[test]
fn a_tip_that_cannot_go_on_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e7 pN ps/nm\", speed = \"1 um/s\"";
    let surface = "{ kind = \"surface\", below = \"all\" }";
    let on = "kind = \"tip\", continue = true, speed = \"-1 um/s\"";
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let behind = |first: &str, second: &str| {
        format!(
            "{}[[stage]]\nname = \"back\"\nsteps = 10\ndrives = [{{ {second} }}]\n",
            pulling(first)
        )
    };
    for (text, code, said) in [
        (pulling(on), "input/conflict", "this is the first stage"),
        (
            behind("kind = \"surface\", below = \"all\"", on),
            "input/conflict",
            "needs tip 1 in the stage before, and stage \"pull\" has 0",
        ),
        (
            behind(tip, &format!("{on}, radius = \"3 nm\"")),
            "input/conflict",
            "`radius` has no place here, because the tip continues as it was in stage \"pull\"",
        ),
        (behind(tip, &format!("{on}, thermal = true")), "input/conflict", "`thermal` has no place"),
        (
            behind(tip, "kind = \"surface\", continue = true"),
            "input/conflict",
            "needs surface 1 in the stage before, and stage \"pull\" has 0",
        ),
        (
            behind(
                &format!("{tip} }}, {surface}, {{ kind = \"surface\", below = \"all\""),
                "kind = \"surface\", continue = true, gap = \"1 nm\"",
            ),
            "input/conflict",
            "`gap` has no place here",
        ),
        // Only a base that goes on may go back at once.
        (pulling(&tip.replace("\"1 um/s\"", "\"-1 um/s\"")), "input/bad-value", "`speed`"),
    ] {
        let error = parse(folder.path(), &text).unwrap_err();
        assert_eq!(error.code(), code, "{}", complaint(&error));
        assert!(complaint(&error).contains(said), "{}", complaint(&error));
    }
    assert!(parse(folder.path(), &behind(tip, on)).is_ok());
}

/// Noise that would throw the tip by half of σ within some trillions of moves is refused.
#[test]
fn a_tip_that_noise_would_throw_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"1 pN/nm\", friction = \"8.7e6 pN ps/nm\", speed = \"1 um/s\", moves_every = 100";
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    assert!(parse(folder.path(), &pulling(tip)).is_ok());
    let error = parse(folder.path(), &pulling(&format!("{tip}, thermal = true"))).unwrap_err();
    assert_eq!(error.code(), "input/bad-value");
    assert!(complaint(&error).contains("noise shakes the tip"), "{}", complaint(&error));
}

#[test]
fn a_tip_that_its_cantilever_would_throw_is_refused() {
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"8.7e2 pN ps/nm\", speed = \"1 um/s\"";
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let error = parse(folder.path(), &pulling(tip)).unwrap_err();
    assert_eq!(error.code(), "input/bad-value");
    assert!(complaint(&error).contains("overshoots"), "{}", complaint(&error));
}

/// Numbers of steps beyond those of a run, points without bound, directions that cannot be scaled, lengths that numbers cannot
/// resolve, and contacts that push nothing away.
#[test]
fn drives_of_absurd_numbers_are_refused() {
    let folder = folder();
    write(folder.path(), "a.pdb", &pdb(&snake('A', 20)));
    let tip = "kind = \"tip\", above = \"all\", radius = \"2 nm\", stiffness = \"50 pN/nm\", friction = \"1e30 pN ps/nm\", speed = \"1 um/s\"";
    let spring = "kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"1 pN/nm\", speed = \"1 um/s\"";
    let surface = "kind = \"surface\", below = \"all\", spacing = \"1 A\"";
    let (many, steps) = (i64::MAX, "more than the 2^48");
    for (drive, said) in [
        (format!("{tip}, moves_every = {many}"), steps),
        (format!("{tip}, update_every = {many}"), steps),
        (format!("{tip}, turn_after = \"1 us\", cycles = {many}"), steps),
        (format!("{spring}, update_every = {many}"), steps),
        (format!("{surface}, points = {many}"), "write at most 300"),
        (format!("{surface}, points = 301"), "write at most 300"),
        (
            format!("{tip}, direction = [1e300, 0, 0]"),
            "`direction` must be less than 1e100, but is 1e300",
        ),
        (format!("{tip}, gap = \"1e25 nm\""), "`gap` is too large: at 1.0e26 times `sigma`"),
        (format!("{tip}, position = [\"0 nm\", \"-1 m\", \"0 nm\"]"), "`position` is too large"),
        (tip.replace("\"2 nm\"", "\"1 m\""), "`radius` is too large: at 1.0e10 times `sigma`"),
        (
            tip.replace("1e30", "1e-50"),
            "the tip would go 1.00e54 of its way to the base, and beyond",
        ),
        (format!("{surface}, points = 2").replace("1 A", "1 m"), "`spacing` is too large"),
        (format!("{tip}, b = 0"), "`b` is 0 beside `a` = 0, so that it has no force"),
        (format!("{tip}, b = -1"), "`b` is -1 beside `a` = 0, so that it draws beads in"),
        ("kind = \"surface\", below = \"all\", a = 0".to_string(), "`b` is -2 beside `a` = 0"),
    ] {
        let error = parse(folder.path(), &pulling(&drive)).unwrap_err();
        assert!(complaint(&error).contains(said), "{drive}: {}", complaint(&error));
    }
    assert!(parse(folder.path(), &pulling(&format!("{surface}, points = 300"))).is_ok());
}
