//! Refused settings of sections after `[system]`: their values, columns of tables, and sweeps.

use crate::common::{SMALL, folder, parse};
use crate::refusals::{check, pulling};

/// Columns that tables have on request.
#[test]
fn refuses_columns_that_a_table_cannot_have() {
    let beads = |dynamics: &str, build: &str, columns: &str| {
        format!(
            "[system]\nmodel = \"beads\"\nunits = \"reduced\"\n{build}pairs = [{{ kind = \"wca\", depth = 1.0, diameter = 1.0 }}]\n[dynamics]\n{dynamics}\ntimestep = 0.005\n[[stage]]\nsteps = 10\n[output]\ntable = {{ every_steps = 5, columns = {columns} }}\n"
        )
    };
    let fluid = "build = { molecule = \"A\", count = 100, density = 0.5 }\n";
    let usual = "collision_rate = 1.0";
    for (columns, code, said) in [
        (
            "\"momentum\"",
            "input/wrong-type",
            "must be a list in brackets, such as columns = [\"momentum\"]",
        ),
        (
            "[\"presure_tensor\"]",
            "input/bad-value",
            "has \"presure_tensor\", but its names are from \"pressure_tensor\", \"configurational_temperature\", \"momentum\"; did you mean \"pressure_tensor\"?",
        ),
        ("[5]", "input/bad-value", "but its names are from"),
    ] {
        let error = parse(folder().path(), &beads(usual, fluid, columns)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
    let brownian = "integrator = \"brownian\"\nfriction = 1.0";
    for (dynamics, pairs, columns, said) in [
        (
            brownian,
            true,
            "momentum",
            "needs an integrator with velocities; remove it from the list",
        ),
        (usual, false, "configurational_temperature", "needs potentials of beads"),
    ] {
        let text = beads(dynamics, fluid, &format!("[\"{columns}\"]"));
        let wca = "pairs = [{ kind = \"wca\", depth = 1.0, diameter = 1.0 }]";
        let text = if pairs { text } else { text.replace(wca, "pairs = []") };
        let error = parse(folder().path(), &text).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
    }
    let protein = |columns: &str| {
        let external = "kind = \"spring\", pulled = \"last\", fixed = \"first\", stiffness = \"35 pN/nm\", speed = \"2.5 um/s\"";
        let end = format!("[output]\ntable = {{ every_steps = 5, columns = [\"{columns}\"] }}\n");
        pulling(external) + &end
    };
    check(
        &protein("pressure_tensor"),
        "[input/conflict] in.toml:8:38 <[\"pressure_tensor\"]> `columns` in `table` of [output]: \"pressure_tensor\" needs a periodic box; remove it from the list",
    );
    check(
        &protein("configurational_temperature"),
        "[input/conflict] in.toml:8:38 <[\"configurational_temperature\"]> `columns` in `table` of [output]: \"configurational_temperature\" does not work in a run with drives; remove it from the list",
    );
    let request = parse(folder().path(), &beads(usual, fluid, "[\"momentum\", \"momentum\"]"));
    assert_eq!(request.unwrap().points[0].protocol.columns.len(), 3);
}

#[test]
fn refuses_wrong_settings() {
    for (lines, expected) in [
        (
            "[dynamics]\ntemperature = \"-1 K\"",
            "[input/bad-value] in.toml:9:15 <\"-1 K\"> [dynamics]: `temperature` must not be negative, but is \"-1 K\"",
        ),
        (
            "[dynamics]\nfriction = \"0 pN ps/nm\"",
            "[input/bad-value] in.toml:9:12 <\"0 pN ps/nm\"> [dynamics]: `friction` must be more than 0",
        ),
        (
            "[dynamics]\ntimestep = \"0 ps\"",
            "[input/bad-value] in.toml:9:12 <\"0 ps\"> [dynamics]: `timestep` must be more than 0, but is \"0 ps\"",
        ),
        (
            "[dynamics]\ntimestep = 20",
            "[input/wrong-type] in.toml:9:12 <20> [dynamics]: `timestep` must be a time such as \"20 ps\" or \"4 ms\", found the number 20: write its unit, in quotes",
        ),
        (
            "[dynamics]\ntimestep = 1e99",
            "[input/wrong-type] in.toml:9:12 <1e99> [dynamics]: `timestep` must be a time such as \"20 ps\" or \"4 ms\", found the number 1e99: write",
        ),
        (
            "[dynamics]\nskin = \"-1 A\"",
            "[input/bad-value] in.toml:9:8 <\"-1 A\"> [dynamics]: `skin` must not be negative",
        ),
        (
            "[dynamics]\nprecision = \"singel\"",
            "[input/unknown-key] in.toml:9:13 <\"singel\"> [dynamics]: `precision` does not know \"singel\"; did you mean \"single\"? It may be \"single\", \"double\"",
        ),
        (
            "[dynamics]\nintegrator = \"verlet\"",
            "[input/unknown-key] in.toml:9:14 <\"verlet\"> [dynamics]: `integrator` does not know \"verlet\"; did you mean \"velocity-verlet\"? It may be \"brownian\", \"brownian-second-order\"",
        ),
        (
            "[random]\nseed = -1",
            "[input/bad-value] in.toml:9:8 <-1> [random]: `seed` must be at least 0, but is -1",
        ),
        (
            "[random]\nseed = 1.5",
            "[input/wrong-type] in.toml:9:8 <1.5> [random]: `seed` must be a whole number such as 20101, without quotes, found the number 1.5",
        ),
        (
            "[random]\nseed = \"3\"",
            "[input/wrong-type] in.toml:9:8 <\"3\"> [random]: `seed` must be a whole number such as 20101, without quotes, found the text \"3\"",
        ),
        (
            "[random]\ngenerator = \"hybrid-taus\"",
            "[input/conflict] in.toml:9:13 <\"hybrid-taus\"> [random]: `generator` \"hybrid-taus\" is for repeating published work only",
        ),
        (
            "[random]\ngenerator = \"saru\"",
            "[input/conflict] in.toml:9:13 <\"saru\"> [random]: `generator` \"saru\" is for repeating published work only: its hash",
        ),
        (
            "[random]\ngenerator = \"xorwaw\"",
            "[input/unknown-key] in.toml:9:13 <\"xorwaw\"> [random]: `generator` does not know \"xorwaw\"; did you mean \"xorwow\"?",
        ),
        (
            "[random]\ngenerator = \"lcg\"\nscheme = \"counter\"\naccept_flaws = true",
            "[input/conflict] in.toml:10:10 <\"counter\"> [random]: `scheme` is \"counter\", in which the generator \"lcg\" does not run: it runs in \"one-per-thread\"",
        ),
        (
            "[random]\nscheme = \"one-per-bead\"",
            "[input/unknown-key] in.toml:9:10 <\"one-per-bead\"> [random]: `scheme` does not know \"one-per-bead\"; did you mean \"one-per-thread\"?",
        ),
        (
            "[random]\ngenerator = \"saru-tea\"\nscheme = \"one-per-call-published\"",
            "[input/conflict] in.toml:10:10 <\"one-per-call-published\"> [random]: `scheme` \"one-per-call-published\" is for repeating published work only: step + seed shifts two seeds into the same noise",
        ),
        (
            "[random]\ngenerator = \"mt19937\"\ndistribution = \"polar\"\naccept_flaws = true",
            "[input/conflict] in.toml:10:16 <\"polar\"> [random]: `distribution` is \"polar\", which takes a varying number of words, but in the scheme \"one-for-all-threads\" each bead has a fixed number of them: take \"box-muller\" or \"uniform\"",
        ),
        (
            "[random]\ndistribution = \"uniform\"\n[dynamics]\nintegrator = \"brownian-second-order\"",
            "[input/conflict] in.toml:9:16 <\"uniform\"> [random]: `distribution` \"uniform\" has the fourth moment 9/5 where a normal number has 3",
        ),
        (
            "[output]\ntable = { every = \"0 ps\" }",
            "[input/bad-value] in.toml:9:19 <\"0 ps\"> `table` in [output]: `every` must be more than 0",
        ),
        (
            "[output]\ntable = { every_steps = 0 }",
            "[input/bad-value] in.toml:9:25 <0> `table` in [output]: `every_steps` must be at least 1",
        ),
        (
            "[output]\ntable = { every = \"1 ns\", every_steps = 3 }",
            "[input/conflict] in.toml:9:27 <every_steps> `table` in [output]: both `every` and `every_steps` are given; keep one",
        ),
        (
            "[output]\ntrajectory = { format = \"xtc\" }",
            "[input/missing-key] in.toml:9:14 <{ format = \"xtc\" }> `trajectory` in [output]: how long is missing",
        ),
        (
            "[output]\ntrajectory = { every = \"30 ps\" }",
            "[input/steps] in.toml:9:24 <\"30 ps\"> `trajectory` in [output]: `every` is \"30 ps\", which is 1.5 steps of 20 ps: write \"20 ps\" (1 step) or \"40 ps\" (2 steps)",
        ),
        ("[output]\ncheckpoint = \"0 s\"", "[input/bad-value] in.toml:9:14 <\"0 s\">"),
        (
            "[output]\nfolder = \"\"",
            "[input/bad-value] in.toml:9:10 <\"\"> [output]: `folder` is empty",
        ),
        (
            "[output]\nends = [\"first\"]",
            "[input/wrong-type] in.toml:9:8 <[\"first\"]> [output]: `ends` must be two selections",
        ),
        (
            "[output]\nends = [\"first\", \"chain Z\"]",
            "[model/empty-selection] in.toml:9:18 <\"chain Z\"> [output], second end: the selection \"chain Z\" matches no bead",
        ),
        (
            "[output]\nends = [\"first\", \"index 0\"]",
            "[input/bad-value] in.toml:9:18 <\"index 0\"> [output]: `ends`: \"first\" and \"index 0\" select the same bead, so that the extension would be 0 in all rows: choose another end",
        ),
        (
            "[output]\nends = [\"all\", \"chain A\"]",
            "[input/bad-value] in.toml:9:16 <\"chain A\"> [output]: `ends`: \"all\" and \"chain A\" select the same 12 beads",
        ),
        (
            "[analysis]\nprominence = \"0 pN\"",
            "[input/bad-value] in.toml:9:14 <\"0 pN\"> [analysis]: `prominence` must be more than 0",
        ),
        ("[analysis]\nwindow = \"auto\"", "[model/quantity] in.toml:9:10 <\"auto\">"),
        (
            "[analysis]\nstages = []",
            "[input/wrong-type] in.toml:9:10 <[]> [analysis]: `stages` must be a list of names of stages such as [\"pull\", \"refold\"], or \"automatic\", found an empty list",
        ),
        (
            "[run]\non_failure = \"halt\"",
            "[input/unknown-key] in.toml:9:14 <\"halt\"> [run]: `on_failure` does not know \"halt\"; it may be \"continue\", \"stop\"",
        ),
        (
            "[ensemble]\nreplicas = 0",
            "[input/bad-value] in.toml:9:12 <0> [ensemble]: `replicas` must be at least 1",
        ),
    ] {
        check(&format!("{SMALL}\n{lines}\n"), expected);
    }
}

#[test]
fn refuses_wrong_sweeps() {
    for (lines, expected) in [
        (
            "\"run.stepz\" = [1]",
            "[input/path] in.toml:9:1 <\"run.stepz\"> `run.stepz`: neither stage \"run\" nor one of its drives has a key `stepz`",
        ),
        (
            "\"dynamics.temprature\" = [\"300 K\"]",
            "[input/unknown-key] in.toml:9:1 <\"dynamics.temprature\"> unknown key `temprature` in [dynamics]; did you mean `temperature`?",
        ),
        (
            "\"dynamics.temperature\" = [\"300 K\", \"-3 K\"]",
            "[input/bad-value] in.toml:9:36 <\"-3 K\"> [dynamics]: `temperature` must not be negative",
        ),
        (
            "\"dynamics.timestep\" = [\"20 ps\", \"10 ps\"]\n[output]\ntable = { every = \"1 ns\" }",
            "[input/conflict] in.toml:11:19 <\"1 ns\"> [output]: because the time step varies in the sweep, the table",
        ),
        (
            "mode = \"zip\"\n\"run.steps\" = [1, 2]\n\"random.seed\" = [1]",
            "[input/sweep] in.toml:11:1 <\"random.seed\"> [ensemble.sweep]: mode = \"zip\" pairs the lists, but \"run.steps\" has 2 values and \"random.seed\" 1",
        ),
        (
            "\"run.steps\" = 3",
            "[input/sweep] in.toml:9:15 <3> [ensemble.sweep]: \"run.steps\" must be a list of values",
        ),
    ] {
        check(&format!("{SMALL}\n[ensemble.sweep]\n{lines}\n"), expected);
    }
}
