//! Stages that are refused.

use crate::refusals::check;

#[test]
fn refuses_wrong_stages() {
    let stage = |lines: &str| {
        format!("[system]\nstructure = \"a.pdb\"\n[[stage]]\nsteps = 1\n[[stage]]\n{lines}\n")
    };
    for (lines, expected) in [
        (
            "",
            "[input/missing-key] in.toml:5:1 <[[stage]]> stage \"stage-2\": how long is missing; write for example duration = \"20 us\" or steps = 1000",
        ),
        (
            "name = \"pull\"\nduration = \"1 ns\"\nsteps = 4",
            "[input/conflict] in.toml:8:1 <steps> stage \"pull\": both `duration` and `steps` are given; keep one",
        ),
        (
            "duration = \"50 ps\"",
            "[input/steps] in.toml:6:12 <\"50 ps\"> stage \"stage-2\": `duration` is \"50 ps\", which is 2.5 steps of 20 ps: write \"40 ps\" (2 steps) or \"60 ps\" (3 steps)",
        ),
        ("duration = \"20 ns/s\"", "[model/quantity] in.toml:6:12"),
        (
            "duration = \"0.0301 ns\"",
            "[input/steps] in.toml:6:12 <\"0.0301 ns\"> stage \"stage-2\": `duration` is \"0.0301 ns\", which is 1.505 steps of 20 ps: write \"0.02 ns\" (1 step) or \"0.04 ns\" (2 steps)",
        ),
        (
            "duration = \"5 ps\"",
            "[input/steps] in.toml:6:12 <\"5 ps\"> stage \"stage-2\": `duration` is \"5 ps\", which is 0.25 steps of 20 ps: write \"20 ps\" (1 step)",
        ),
        (
            "duration = \"1e30 s\"",
            "[input/steps] in.toml:6:12 <\"1e30 s\"> stage \"stage-2\": `duration` is 5e40 steps, more than the 2^48",
        ),
        (
            "duration = \"1000 s\"\nminimise = {}",
            "[input/conflict] in.toml:6:1 <duration> stage \"stage-2\": `duration` has no place here, because a minimisation ends by itself",
        ),
        (
            "duration = \"10000 s\"",
            "[input/steps] in.toml:6:12 <\"10000 s\"> stage \"stage-2\": `duration` is 500000000000000 steps, more than the 2^48 = 281474976710656",
        ),
        (
            "steps = 281474976710656",
            "[input/steps] in.toml:5:1 <[[stage]]> stage \"stage-2\": the run has more than 2^48 = 281474976710656 steps with this stage",
        ),
        (
            "steps = 0",
            "[input/bad-value] in.toml:6:9 <0> stage \"stage-2\": `steps` must be at least 1",
        ),
        (
            "steps = 5\nname = \"stage-1\"",
            "[input/conflict] in.toml:7:8 <\"stage-1\"> stage \"stage-1\": `name` is that of an earlier stage",
        ),
        (
            "steps = 5\nname = \"a.b\"",
            "[input/bad-value] in.toml:7:8 <\"a.b\"> stage \"a.b\": `name` may only have letters",
        ),
        (
            "steps = 5\nname = \"output\"",
            "[input/bad-value] in.toml:7:8 <\"output\"> stage \"output\": `name` cannot be \"output\"",
        ),
        (
            "steps = 5\nfixd = \"first\"",
            "[input/unknown-key] in.toml:7:1 <fixd> unknown key `fixd` in stage \"stage-2\"; did you mean `fixed`?",
        ),
        (
            "steps = 5\nfixed = 3",
            "[input/wrong-type] in.toml:7:9 <3> stage \"stage-2\": `fixed` must be a text such as \"none\", found the number 3",
        ),
        (
            "steps = 5\nfixed = \"chain C\"",
            "[model/empty-selection] in.toml:7:9 <\"chain C\"> stage \"stage-2\", fixed: the selection \"chain C\" matches no bead; there are chains A (12 beads), B (8 beads)",
        ),
        (
            "steps = 5\nstop = \"extention > 25 nm\"",
            "[input/unknown-key] in.toml:7:8 <\"extention > 25 nm\"> stage \"stage-2\": `stop`: nothing is called \"extention\"; did you mean \"extension\"?",
        ),
        (
            "steps = 5\nstop = [\"extension > 25 nm\", \"force > 3 nm\"]",
            "[model/quantity] in.toml:7:30 <\"force > 3 nm\"> stage \"stage-2\": `stop`: \"3 nm\" is a length; expected a force",
        ),
        (
            "steps = 5\nstop = \"extension\"",
            "[input/bad-value] in.toml:7:8 <\"extension\"> stage \"stage-2\": `stop`: \"extension\" has neither < nor >; write for example",
        ),
        (
            "steps = 5\nstop = \"extension >= 25 nm\"",
            "[input/bad-value] in.toml:7:8 <\"extension >= 25 nm\"> stage \"stage-2\": `stop`: \"extension >= 25 nm\" has an = that is not needed: write < or > alone",
        ),
        (
            "steps = 5\nstop = \"mean_force > 25 pN\"",
            "[input/bad-value] in.toml:7:8 <\"mean_force > 25 pN\"> stage \"stage-2\": `stop`: mean_force is an average between rows",
        ),
        (
            "steps = 5\nstop = \"extension > 25\"",
            "[model/quantity] in.toml:7:8 <\"extension > 25\"> stage \"stage-2\": `stop`: \"25\" has no unit",
        ),
        (
            "steps = 5\nstop = \"extension > 1e300 nm\"",
            "[input/bad-value] in.toml:7:8 <\"extension > 1e300 nm\"> stage \"stage-2\": `stop`: the number in \"extension > 1e300 nm\" must be less than 1e100",
        ),
        (
            "steps = 5\nstop = 25",
            "[input/wrong-type] in.toml:7:8 <25> stage \"stage-2\": `stop` must be a text",
        ),
        (
            "steps = 5\ndrives = {}",
            "[input/wrong-type] in.toml:7:10 <{}> stage \"stage-2\": `drives` must be a list of tables",
        ),
        (
            "minimise = { tol = 1 }",
            "[input/unknown-key] in.toml:6:14 <tol> unknown key `tol` in stage \"stage-2\", minimise. Known keys: tolerance, steps",
        ),
        (
            "minimise = {}\nstop = \"extension > 2 nm\"",
            "[input/conflict] in.toml:7:1 <stop> stage \"stage-2\": `stop` has no place here, because a minimisation has no time",
        ),
    ] {
        check(&stage(lines), expected);
    }
}
