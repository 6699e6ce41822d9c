//! What a person meant by a key or a word that the language does not have: a name from another program, a key that has its
//! place elsewhere, or something that beadwork does not do.
//!
//! One list for each of the three, so that a new answer is one line here.

/// Names in other programs (HOOMD, LAMMPS, OpenMM, GROMACS, CALVADOS, SOP-GPU) and in formulas, with the keys and words of
/// beadwork that say the same. The first that is known where the name stands is meant.
const SAME: &[(&[&str], &[&str])] = &[
    (
        &["epsilon", "eps", "well_depth", "d0", "eh"],
        &["depth", "permittivity", "energy", "strength"],
    ),
    (&["sigma", "size"], &["diameter"]),
    (&["r_cut", "rcut", "r_c", "rc", "cut", "cut_off"], &["cutoff"]),
    (&["temp", "kt", "t_ref", "ref_t", "t"], &["temperature"]),
    (&["dt", "time_step", "delta_t", "step_size"], &["timestep"]),
    (&["gamma", "friction_coeff", "friction_coefficient"], &["collision_rate", "friction"]),
    (
        &["k", "ks", "k_spring", "spring_constant", "force_constant", "kspring_cov"],
        &["stiffness", "bond_stiffness"],
    ),
    (&["r0", "l0", "rest_length", "equilibrium_length", "bond_length"], &["length"]),
    (&["theta0", "theta_0", "t0"], &["angle"]),
    (&["r_max", "rmax", "max_extension", "r_lim"], &["limit", "bond_limit"]),
    (&["lambda", "hydropathy"], &["stickiness"]),
    (&["a", "a_ij", "aij"], &["repulsion"]),
    (&["alpha"], &["steepness"]),
    (&["dielectric", "dielectric_constant", "epsilon_r", "eps_r"], &["permittivity"]),
    (&["debye_length", "lambda_d", "lambda_debye"], &["screening_length"]),
    (&["salt", "ionic", "salt_concentration"], &["ionic_strength"]),
    (&["m"], &["mass"]),
    (&["q"], &["charge"]),
    (&["velocity", "deltax", "pulling_speed"], &["speed"]),
    (&["nsteps", "n_steps", "num_steps", "numsteps", "run_steps"], &["steps"]),
    (&["time", "run_time", "simtime"], &["duration"]),
    (&["pdb", "pdb_file", "structure_file"], &["structure"]),
    (&["seq", "fasta"], &["sequence"]),
    (
        &["n_replicas", "nreplicas", "repeats", "copies", "runnum", "trajectories"],
        &["replicas", "repeat"],
    ),
    (&["nmol", "n_mol", "n_chains", "nchains", "number_of_molecules"], &["count"]),
    (&["exclusions", "special_bonds"], &["exclude"]),
    (&["minimization", "minimise_energy", "energy_minimization", "em"], &["minimise"]),
    (&["random_seed", "rng_seed"], &["seed"]),
    (&["freq", "period", "interval", "stride", "outputtiming", "dcdfreq"], &["every"]),
    (&["platform", "device_index"], &["precision"]),
    (&["lj", "lj/cut", "lj_cut", "lj126", "12-6"], &["lennard-jones", "reduced", "beads"]),
    (
        &["yukawa", "debye", "debye_huckel", "dh", "coul/debye", "screened-coulomb", "coulomb"],
        &["debye-huckel"],
    ),
    (&["ah", "ashbaugh_hatch", "hps"], &["ashbaugh-hatch", "hps-urry"]),
    (&["calvados"], &["calvados3", "residues"]),
    (&["spring"], &["harmonic"]),
    (&["nvt", "ld"], &["langevin"]),
    (&["bd", "overdamped", "sd_overdamped"], &["brownian"]),
    (&["baoab", "langevinmiddle"], &["langevin-middle"]),
    (&["nve", "verlet", "leapfrog", "leap-frog", "md"], &["velocity-verlet"]),
    (&["kremer-grest", "kg", "mpcd"], &["beads"]),
    (&["go", "sop-gpu", "calpha"], &["sop"]),
];

/// Sections, their keys as they are often sought elsewhere, and a sentence about them.
const HOMES: &[(&str, &[&str], &str)] = &[
    (
        "[dynamics]",
        &["temperature"],
        "stands in [dynamics], and all stages share it; several temperatures are a sweep: \"dynamics.temperature\" in [ensemble.sweep]",
    ),
    (
        "[dynamics]",
        &["timestep", "integrator", "friction", "collision_rate", "diffusion", "precision", "skin"],
        "stands in [dynamics], and all stages share it",
    ),
    ("[ensemble]", &["replicas"], "stands in [ensemble], and all stages have the same replicas"),
    ("[ensemble]", &["sweep"], "stands below [ensemble]: [ensemble.sweep]"),
    ("[random]", &["seed", "generator", "scheme", "distribution"], "stands in [random]"),
    (
        "`solution` in [system]",
        &["ph", "ionic_strength"],
        "stands in `solution` of a [system] with model = \"residues\": solution = { ionic_strength = \"0.15 M\", ph = 7.0 }",
    ),
    (
        "[output]",
        &["table", "trajectory", "checkpoint", "parquet", "ends", "folder"],
        "stands in [output]",
    ),
    ("[analysis]", &["window", "prominence"], "stands in [analysis]"),
    ("[run]", &["on_failure"], "stands in [run]"),
    ("[exchange]", &["temperatures", "ladders"], "stands in [exchange]"),
    (
        "stage \"",
        &["duration", "steps", "sweeps", "drives", "fixed", "stop", "stop_every", "minimise"],
        "stands in a [[stage]]",
    ),
    (
        "drive ",
        &["speed", "pulled", "rate", "force"],
        "stands in a drive of a [[stage]]: drives = [{ kind = \"spring\", fixed = \"first\", pulled = \"last\", stiffness = \"35 pN/nm\", speed = \"2.5 um/s\" }]",
    ),
    (
        "[system]",
        &[
            "structure",
            "model",
            "sequence",
            "force_field",
            "contacts",
            "bonds",
            "angles",
            "pairs",
            "types",
            "units",
            "start",
            "build",
            "topology",
            "exclude",
            "solution",
            "monomers",
            "particles",
            "box",
        ],
        "stands in [system]",
    ),
];

/// The models that have a key of `[system]` which others lack.
const KEYS_OF_MODELS: &[(&[&str], &str)] = &[
    (
        &["sequence", "force_field", "polymer", "domains", "solution", "charged_ends"],
        "\"residues\"",
    ),
    (&["build", "types", "pairs", "angles", "exclude", "units"], "\"beads\""),
    (&["topology", "contacts", "repulsion"], "\"sop\""),
    (&["structure"], "\"sop\" and \"residues\""),
    (&["particles", "dimensions"], "\"oscillators\""),
    (&["monomers", "bond_stiffness", "bond_limit"], "\"elastic-polymer\""),
];

/// What beadwork does not have, and what to do without it.
const ABSENT: &[(&[&str], &str)] = &[
    (
        &["pressure", "p", "barostat", "tau_p", "ref_p", "npt", "nph", "pcoupl", "mc-barostat"],
        "there is no barostat: a box keeps its sides. Give its `density` in `build` or its sides in `box`; tables have the pressure as a column",
    ),
    (
        &["shear_rate", "shear", "deform", "flow"],
        "there is no shear and no flow: a box keeps its shape",
    ),
    (
        &["walls", "wall", "confinement", "slit", "cylinder"],
        "there are no walls and no confinement: beads are in open space or in a periodic box",
    ),
    (
        &["dihedrals", "dihedral", "torsions", "impropers", "improper"],
        "there are no dihedrals: only `bonds` and `angles` join beads",
    ),
    (
        &["constraints", "constraint", "shake", "lincs", "rigid", "rigid_bodies"],
        "there are no rigid bonds and bodies: take stiff `bonds`",
    ),
    (
        &["table", "tabulated", "tables", "spline"],
        "there are no tabulated energies: take one of the formulas",
    ),
    (
        &["ewald", "pppm", "pme", "kspace", "kspace_style", "coul/long"],
        "there are no sums over images of charges: take kind = \"debye-huckel\", whose charges are screened",
    ),
    (
        &["damp", "tau_t", "tau"],
        "damping times are not read: `collision_rate` is 1 divided by this time",
    ),
    (&["kappa"], "`screening_length` is 1 divided by this number"),
    (
        &["external_field", "electric_field", "efield", "gravity"],
        "there are no external fields: a drive of kind \"force\" pulls beads",
    ),
    (
        &["bias", "metadynamics", "umbrella", "plumed", "colvars"],
        "there are no biases: a drive of kind \"spring\" with speed 0 holds two groups at a distance",
    ),
];

/// Keys that models in open space lack.
const COPIES: &[&str] =
    &["nmol", "n_mol", "n_chains", "nchains", "count", "copies", "number_of_molecules"];

/// As lists here have it: in lower case, with `_` between words.
fn plain(word: &str) -> String {
    word.trim().to_lowercase()
}

/// The known word that says the same as a word of another program.
pub(crate) fn own<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let word = plain(word);
    let (_, ours) = SAME.iter().find(|(foreign, _)| foreign.contains(&word.as_str()))?;
    ours.iter().find_map(|ours| known.iter().find(|known| *known == ours)).copied()
}

/// What a word that is not known stands for, if beadwork does not have it: a sentence without a full stop.
pub(crate) fn absent(word: &str) -> Option<&'static str> {
    let word = plain(word).replace(' ', "_");
    let (_, answer) = ABSENT.iter().find(|(words, _)| words.contains(&word.as_str()))?;
    Some(answer)
}

/// What a key stands for that a section does not have: where its place is, or that there is nothing like it. `name` is
/// the section as messages have it; a sentence without a full stop.
pub(crate) fn elsewhere(key: &str, name: &str, known: &[&str]) -> Option<String> {
    let word = plain(key).replace('-', "_");
    let word = word.as_str();
    if name == "[system]" {
        let is_residues = known.contains(&"force_field");
        let is_open = !known.contains(&"box");
        if is_open && word == "box" {
            return Some("runs of this model are in open space and have no box: only model = \"beads\" has one".to_string());
        }
        if is_residues && COPIES.contains(&word) {
            return Some("a run of this model has one chain, or those of its `structure`: it has no copies and no box; repetitions are `replicas` in [ensemble]".to_string());
        }
        if let Some((_, models)) = KEYS_OF_MODELS.iter().find(|(keys, _)| keys.contains(&word)) {
            return Some(format!("only runs of model = {models} have `{word}`"));
        }
    }
    let home = |key: &str| {
        let (home, _, sentence) = HOMES.iter().find(|(_, keys, _)| keys.contains(&key))?;
        // Where the section is the key's own place, its model or its kind lacks it.
        (!name.contains(home)).then(|| format!("`{key}` {sentence}"))
    };
    if let Some(answer) = home(word) {
        return Some(answer);
    }
    if let Some(answer) = absent(word) {
        return Some(answer.to_string());
    }
    let (_, ours) = SAME.iter().find(|(foreign, _)| foreign.contains(&word))?;
    ours.iter().find_map(|ours| home(ours))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word in two lines would get the answer of the first alone.
    #[test]
    fn each_foreign_word_has_one_answer() {
        let same = SAME.iter().flat_map(|(words, _)| words.iter());
        let absent = ABSENT.iter().flat_map(|(words, _)| words.iter());
        let mut words: Vec<&str> = same.chain(absent).copied().collect();
        words.sort_unstable();
        let twice: Vec<&[&str]> = words.windows(2).filter(|two| two[0] == two[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
        assert!(words.iter().all(|word| *word == plain(word)));
    }
}
