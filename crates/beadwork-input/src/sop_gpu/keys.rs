//! The keys of SOP-GPU that are not carried over, and why.

use super::config::{Config, ConfigEntry};
use crate::error::Error;

/// Keys that set how the program uses its GPU, or the lengths of its lists.
const MACHINE: [&str; 11] = [
    "device",
    "block_size",
    "max_covalent",
    "max_native",
    "max_pairs",
    "max_possiblePairs",
    "pairs_freq",
    "pairs_threshold",
    "pairlist_cutoff",
    "possiblepairs_freq",
    "restartfreq",
];
/// Keys of output files that a run folder replaces.
const WRITTEN_FILES: [&str; 8] = [
    "reffilename",
    "outputname",
    "DCDfile",
    "restartname",
    "finalcoord",
    "pullOutput",
    "topology_psf",
    "topology_natpsf",
];
/// Keys that set what is written, not what is simulated. `R_limit_bond` of a simulation counts contacts alone.
const OUTPUT: [&str; 4] = ["computeRg", "outputcolwidth", "printruns", "R_limit_bond"];
/// Keys that switch on features which beadwork lacks.
const SWITCHES: [(&str, &str); 6] = [
    ("hi_on", "hydrodynamic interactions"),
    ("heating", "heating"),
    ("pullingPlane", "pulling by a plane"),
    ("minimization", "minimisation by SOP-GPU's own scheme"),
    ("createTandem", "a tandem of copies with linkers, another molecule than the structure,"),
    ("covalentRepulsion", "repulsion between bonded residues"),
];
/// Keys that belong to a switch, beside those of indentation. A beginning alone would take a misspelt switch for one of them.
const OF_SWITCHES: [&str; 38] = [
    "initialT",
    "deltaT",
    "tempFreq",
    "hi_a",
    "hi_capricious",
    "hi_epsilon_freq",
    "hi_epsmax",
    "hi_exact",
    "hi_unlisted",
    "plane_fixed",
    "plane_fixed_beads",
    "plane_pulled",
    "plane_pulled_beads",
    "pullingPlaneDeltax",
    "pullingPlaneDir",
    "pullingPlaneFreq",
    "pullingPlaneKs",
    "pullingPlaneOutput",
    "pullingPlanePos",
    "covLinkersCutoff",
    "linkerLength",
    "monomerCount",
    "tandemDirection",
    "tandemVector",
    "tandemVectorX",
    "tandemVectorY",
    "tandemVectorZ",
    "fixed",
    "pulled",
    "fixedEnd",
    "pulledEnd",
    "deltax",
    "k_trans",
    "fconst",
    "pullDirection",
    "pullVector",
    "pullFreq",
    "nav",
];
/// Keys that the import reads, beside those of the other lists.
const READ: [&str; 60] = [
    "a",
    "additional_bonds",
    "cgconfig",
    "coordinates",
    "covLinkersCount",
    "dcdfreq",
    "eh",
    "el",
    "firstrun",
    "indentation",
    "indentationCantLength",
    "indentationChip",
    "indentationDeltaX",
    "indentationDirection",
    "indentationDiscreteSurf",
    "indentationEl",
    "indentationFixTrans",
    "indentationKs",
    "indentationMoveSurface",
    "indentationOutput",
    "indentationOutputFreq",
    "indentationPairsCutoff",
    "indentationRetractionStep",
    "indentationShowTipSurf",
    "indentationSigma",
    "indentationSurfA",
    "indentationSurfaceN",
    "indentationSurfaceR0",
    "indentationSurfaceSize",
    "indentationSurfaceStep",
    "indentationSurfB",
    "indentationSurfConnectFile",
    "indentationSurfEl",
    "indentationSurfSigma",
    "indentationTip",
    "indentationTipA",
    "indentationTipB",
    "indentationTipEl",
    "indentationTipKs",
    "indentationTipR",
    "indentationTipSigma",
    "indentationTipZeta",
    "Ks",
    "kspring_cov",
    "name",
    "numsteps",
    "outputtiming",
    "pairs_cutoff",
    "pulling",
    "R_limit",
    "run",
    "runnum",
    "SC_limit_bond",
    "seed",
    "structure",
    "temperature",
    "timestep",
    "topology",
    "use_chains",
    "zeta",
];
/// Keys of the manual that SOP-GPU 2.0 does not read.
const OF_THE_MANUAL: [&str; 3] =
    ["indentationFreq", "indentationSurfaceSizeX", "indentationSurfaceSizeY"];
/// The most letters that are wrong in a misspelt key.
const MOST_WRONG_LETTERS: usize = 2;
/// Distances up to which `sop-top` makes bonds, which have this default. Other values change the molecule.
const BOND_CUTOFFS: [&str; 2] = ["covalent_cutoff", "SS_cutoff"];
const BOND_CUTOFF: f64 = 10.0;

const MACHINE_REASON: &str = "beadwork plans its own use of the machine, keeps exact lists of neighbours and writes checkpoints by the clock";
const FILES_REASON: &str = "everything a run writes lies in its folder";
const OUTPUT_REASON: &str = "they set what is written alone";
const OFF_REASON: &str = "they belong to what is switched off";
/// All reasons, in the order of notes.
const REASONS: [&str; 4] = [MACHINE_REASON, FILES_REASON, OUTPUT_REASON, OFF_REASON];

/// Why a key of one of these groups is dropped.
fn reason(key: &str) -> Option<&'static str> {
    let is_of_indentation = || key.starts_with("indentation") && is_known(key);
    let is_linker =
        || key.strip_prefix("covLinker").is_some_and(|number| number.parse::<u64>().is_ok());
    let is_off = || OF_SWITCHES.contains(&key) || is_of_indentation() || is_linker();
    match key {
        _ if MACHINE.contains(&key) => Some(MACHINE_REASON),
        _ if WRITTEN_FILES.contains(&key) => Some(FILES_REASON),
        _ if OUTPUT.contains(&key) => Some(OUTPUT_REASON),
        _ if is_off() => Some(OFF_REASON),
        _ => None,
    }
}

/// Refuses what changes the molecule or the physics and has no counterpart.
pub(super) fn refuse(config: &mut Config) -> Result<(), Error> {
    for (key, what) in SWITCHES {
        if config.switch(key)? {
            let problem = format!(
                "{what} is switched on, which beadwork does not have yet: switch it off to import the rest"
            );
            return Err(config.fault(key, &problem));
        }
    }
    if config.count("covLinkersCount")?.is_some_and(|count| count > 0) {
        let problem = "makes bonds between chains, which are not carried over: remove it, and list these bonds in `bonds.extra` of the input";
        return Err(config.fault("covLinkersCount", problem));
    }
    if config.take("additional_bonds").is_some_and(|file| !file.starts_with("NONE")) {
        let problem = "names a file of bonds, which is not carried over: remove it, and list these bonds in `bonds.extra` of the input";
        return Err(config.fault("additional_bonds", problem));
    }
    for key in BOND_CUTOFFS {
        if config.number(key)?.is_some_and(|cutoff| cutoff != BOND_CUTOFF) {
            let problem = format!(
                "changes which residues are bonded, and beadwork bonds neighbours of a chain and the disulfides that the structure names: remove it (its default is {BOND_CUTOFF}), and list other bonds in `bonds.extra` of the input"
            );
            return Err(config.fault(key, &problem));
        }
    }
    Ok(())
}

/// All keys that have a meaning here.
fn known() -> impl Iterator<Item = &'static &'static str> {
    let switches = SWITCHES.iter().map(|(switch, _)| switch);
    let read = READ.iter().chain(&OF_SWITCHES).chain(switches).chain(&BOND_CUTOFFS);
    read.chain(&WRITTEN_FILES).chain(&OUTPUT).chain(&MACHINE)
}

/// Whether a key is in one of the lists, as each must be that the import reads.
pub(super) fn is_known(key: &str) -> bool {
    known().chain(&OF_THE_MANUAL).any(|known| *known == key)
}

/// The key that was probably meant by one that is none, whose capitals may differ too; of equally near ones one that is not in the
/// configuration.
pub(super) fn meant(config: &Config, key: &str) -> Option<&'static str> {
    if OF_THE_MANUAL.contains(&key) {
        return None;
    }
    let written = key.to_lowercase();
    let distance = |known: &str| strsim::damerau_levenshtein(&written, &known.to_lowercase());
    let near = known().map(|known| (distance(known), config.has(known), *known)).min()?;
    let (letters, _, known) = near;
    // Short keys differ in few letters from many others.
    let is_near = letters <= MOST_WRONG_LETTERS && letters * 3 <= known.len();
    (is_near && known != key).then_some(known)
}

/// The end of a sentence on missing keys: which unread key was probably meant as one of them; empty if none was.
pub(super) fn misspelt_in_words(config: &Config, missing: &[&str]) -> String {
    let unread = config.entries.iter().filter(|entry| !entry.is_used);
    let mut near = unread.filter_map(|entry| Some((entry, meant(config, &entry.key)?)));
    near.find(|(_, key)| missing.contains(key)).map_or_else(String::new, |(entry, key)| {
        format!("; did you mean `{key}` by `{}` in line {}?", entry.key, entry.line)
    })
}

/// Notes the keys that were dropped: one note for each group, and one for each other key.
pub(super) fn note_the_rest(config: &mut Config) {
    for because in REASONS {
        let is_left = |entry: &&ConfigEntry| !entry.is_used && reason(&entry.key) == Some(because);
        let keys = config.entries.iter().filter(is_left);
        let keys: Vec<String> = keys.map(|entry| format!("`{}`", entry.key)).collect();
        if !keys.is_empty() {
            config.notes.push(format!("Left out: {}; {because}.", keys.join(", ")));
        }
    }
    let ignored = ["name", "author", "stage", "mode"];
    let mut notes = Vec::new();
    for ConfigEntry { key, value, line, is_used, .. } in &config.entries {
        if *is_used || reason(key).is_some() || ignored.contains(&key.as_str()) {
            continue;
        }
        let entry = format!("`{key}` (line {line}: {value})");
        notes.push(match meant(config, key) {
            Some(near) => {
                format!("{entry} was left out: did you mean `{near}`? No key is called `{key}`.")
            }
            None => format!("{entry} has no counterpart and was left out."),
        });
    }
    config.notes.extend(notes);
}
