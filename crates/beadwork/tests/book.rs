//! The book agrees with the program: its commands run, its inputs parse, its lists are complete. Its commands are those
//! of a Linux shell.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use beadwork::data::{Class, Code};
use beadwork::model::System;
use beadwork::model::externals::External;
use beadwork::model::made_systems::sop_gpu_dynamics;
use beadwork::model::observables::Observable;
use beadwork::model::potentials::{AngleTerm, BondedTerm, PairTerm, SingleTerm};

const STRUCTURE: &str = "examples/01-ubiquitin/1UBQ.pdb";

fn checkout() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources() -> PathBuf {
    checkout().join("docs/src")
}

fn page(name: &str) -> String {
    fs::read_to_string(sources().join(name)).unwrap()
}

/// Names and texts of all pages.
fn pages() -> Vec<(String, String)> {
    let mut names: Vec<String> = fs::read_dir(sources())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md") && name != "SUMMARY.md")
        .collect();
    names.sort();
    names.into_iter().map(|name| (name.clone(), page(&name))).collect()
}

/// The chapter on answers lists the codes of findings with their classes, in the order of the program.
#[test]
fn answers_has_every_code_of_findings() {
    let text = page("answers.md");
    let (_, table) = text.split_once("## Findings\n").unwrap();
    let rows = table.lines().skip(2).filter(|line| line.starts_with("| `"));
    let listed: Vec<(String, String)> = rows
        .map(|row| {
            let cells: Vec<&str> =
                row.split('|').map(|cell| cell.trim().trim_matches('`')).collect();
            (cells[1].to_string(), cells[3].to_string())
        })
        .collect();
    let class = |class: Class| match class {
        Class::Failure => "failure",
        Class::Drift => "drift",
        Class::Disagreement => "disagreement",
        Class::FewValues => "few-values",
    };
    let known = Code::ALL.map(|code| {
        (code.text().to_string(), code.class().map_or(String::new(), |of| class(of).to_string()))
    });
    let mut sorted = [listed, known.to_vec()];
    sorted.iter_mut().for_each(|all| all.sort());
    assert_eq!(sorted[0], sorted[1]);
}

/// A fenced block: the words after the fence, its lines, and the number of its first line, from 1.
struct Block<'a> {
    info: &'a str,
    lines: Vec<&'a str>,
    begin: usize,
}

impl Block<'_> {
    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// The fenced blocks of a page, and the lines outside of them.
fn split(text: &str) -> (Vec<Block<'_>>, Vec<&str>) {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut prose = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        match line.strip_prefix("```") {
            Some(info) => {
                inside = !inside;
                if inside {
                    blocks.push(Block { info: info.trim(), lines: Vec::new(), begin: number + 1 });
                }
            }
            None if inside => blocks.last_mut().unwrap().lines.push(line),
            None => prose.push(line),
        }
    }
    assert!(!inside, "a block is never closed");
    (blocks, prose)
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A folder as a reader of the page has it: the examples, a structure, and the files that blocks
/// marked `file=NAME` show.
fn workplace(blocks: &[Block<'_>]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&checkout().join("examples"), &folder.path().join("examples"));
    fs::copy(checkout().join(STRUCTURE), folder.path().join("1UBQ.pdb")).unwrap();
    for block in blocks {
        if let Some(name) = block.info.split(' ').find_map(|word| word.strip_prefix("file=")) {
            fs::write(folder.path().join(name), block.text()).unwrap();
        }
    }
    folder
}

/// Whether one line of the output has all pieces of a shown line in their order; "…" separates pieces.
fn is_shown(shown: &str, output: &str) -> bool {
    output.lines().any(|line| {
        let mut rest = line;
        shown.split('…').map(str::trim).all(|piece| match rest.find(piece) {
            Some(at) => {
                rest = &rest[at + piece.len()..];
                true
            }
            None => false,
        })
    })
}

/// Runs the commands of a console block; returns what differs from the page.
fn run_console(name: &str, block: &Block<'_>, folder: &Path) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_beadwork"));
    let mut search = vec![program.parent().unwrap().to_path_buf()];
    search.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let mut faults = Vec::new();
    let mut output = String::new();
    for (offset, line) in block.lines.iter().enumerate() {
        let place = format!("{name}, line {}", block.begin + offset + 1);
        let Some(command) = line.strip_prefix("$ ") else {
            let shown = line.trim();
            if !(shown.is_empty() || is_shown(shown, &output)) {
                faults.push(format!("{place}: no line like\n{shown}\nin\n{output}"));
            }
            continue;
        };
        let expected = match command.rsplit_once("# exits with ") {
            Some((_, status)) => status.trim().parse().unwrap(),
            None => 0,
        };
        let done = Command::new("sh")
            .args(["-c", command])
            .current_dir(folder)
            .env("PATH", std::env::join_paths(&search).unwrap())
            // The book shows runs on the processor.
            .env("CUDA_VISIBLE_DEVICES", "")
            .output()
            .unwrap();
        output = String::from_utf8_lossy(&done.stdout).into_owned();
        output.push_str(&String::from_utf8_lossy(&done.stderr));
        let status = done.status.code();
        if status != Some(expected) {
            faults.push(format!("{place}: exits with {status:?}, not {expected}:\n{output}"));
        }
    }
    faults
}

/// Parses an input of a page; adds the sections that a fragment lacks.
fn parse_input(name: &str, block: &Block<'_>, folder: &Path) -> Option<String> {
    let mut text = block.text();
    if !text.starts_with("# complete input") {
        for (section, stand_in) in [
            ("[system]", "[system]\nstructure = \"1UBQ.pdb\"\n"),
            ("[[stage]]", "[[stage]]\nsteps = 1\n"),
        ] {
            if !text.lines().any(|line| line == section) {
                text.push_str(stand_in);
            }
        }
    }
    let error = beadwork::input::parse(&text, name, folder, &[]).err()?;
    Some(format!("{name}, block at line {}: {error}", block.begin))
}

#[test]
fn commands_and_inputs_of_all_pages_work() {
    let pages = pages();
    let faults: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = pages
            .iter()
            .map(|(name, text)| {
                scope.spawn(move || {
                    let (blocks, _) = split(text);
                    let folder = workplace(&blocks);
                    let mut faults = Vec::new();
                    for block in &blocks {
                        match block.info.split([' ', ',']).next().unwrap_or_default() {
                            "console" => faults.extend(run_console(name, block, folder.path())),
                            "toml" => faults.extend(parse_input(name, block, folder.path())),
                            // Blocks of Python are executed by the tests of the Python package.
                            "text" | "rust" | "python" => {}
                            other => faults.push(format!("{name}: a block of kind \"{other}\"")),
                        }
                    }
                    faults
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn shown_lines_are_matched_piece_by_piece() {
    let output = "seed 5, 3 of 4\nall done\n";
    for shown in ["seed 5, 3 of 4", "seed 5", "…", "seed … of 4", "all …"] {
        assert!(is_shown(shown, output), "{shown}");
    }
    for shown in ["seed 6", "4 … seed", "seed … done", "All"] {
        assert!(!is_shown(shown, output), "{shown}");
    }
}

/// The targets of Markdown links in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next())
}

#[test]
fn the_summary_has_every_page_once() {
    let summary = page("SUMMARY.md");
    let listed: Vec<&str> = summary.lines().flat_map(links).collect();
    let pages = pages();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, pages.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>());
}

/// The anchor that mdBook gives a heading.
fn anchor(heading: &str) -> String {
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn links_have_targets() {
    let pages = pages();
    let anchors = |name: &str| -> Option<BTreeSet<String>> {
        let (_, text) = pages.iter().find(|(page, _)| page == name)?;
        let (_, prose) = split(text);
        Some(prose.iter().filter(|line| line.starts_with('#')).map(|line| anchor(line)).collect())
    };
    for (name, text) in &pages {
        for target in split(text).1.into_iter().flat_map(links) {
            if target.starts_with("https://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            if file.ends_with(".png") {
                assert!(sources().join(file).exists(), "{name}: no picture {target}");
                continue;
            }
            let file = if file.is_empty() { name } else { file };
            let anchors = anchors(file).unwrap_or_else(|| panic!("{name}: no page {target}"));
            assert!(heading.is_empty() || anchors.contains(heading), "{name}: no place {target}");
        }
    }
}

/// The table of commands has each subcommand that the program's help lists.
#[test]
fn commands_has_every_subcommand() {
    let help = Command::new(env!("CARGO_BIN_EXE_beadwork")).arg("--help").output().unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    // Further lines of a description begin farther to the right.
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let known: BTreeSet<&str> = names.filter(|name| !name.is_empty() && *name != "help").collect();
    let text = page("commands.md");
    let listed: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `beadwork ")?.split([' ', '`']).next())
        .collect();
    assert!(known.contains("run"), "{known:?}");
    assert_eq!(listed, known);
}

/// Cells of the tables of a page, row by row, with the index of the column "default".
fn rows(text: &str) -> Vec<(Vec<String>, Option<usize>)> {
    let mut rows = Vec::new();
    let mut default = None;
    for line in split(text).1 {
        let Some(row) = line.trim().strip_prefix('|').and_then(|row| row.strip_suffix('|')) else {
            continue;
        };
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_string()).collect();
        if cells.iter().any(|cell| cell == "meaning" || cell == "means" || cell == "definition") {
            default = cells.iter().position(|cell| cell == "default");
        } else if !cells[0].starts_with("---") {
            rows.push((cells, default));
        }
    }
    rows
}

/// The text between backticks, if it is the whole cell.
fn code(cell: &str) -> Option<&str> {
    cell.strip_prefix('`')?.strip_suffix('`').filter(|inner| !inner.contains('`'))
}

#[test]
fn errors_has_exactly_the_codes_of_the_program() {
    let text = page("errors.md");
    let rows = rows(&text);
    let listed: Vec<&str> = rows
        .iter()
        .filter_map(|(cells, _)| code(&cells[0]))
        .filter(|code| code.contains('/'))
        .collect();
    let mut known: Vec<&str> = beadwork::error_codes().iter().map(|(code, _)| *code).collect();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    known.sort_unstable();
    assert_eq!(sorted, known);
    for (cells, _) in rows.iter().filter(|(cells, _)| cells[0].contains('/')) {
        assert!(cells.len() == 3 && !cells[2].is_empty(), "{cells:?} has no remedy");
    }
}

#[test]
fn units_has_every_column_in_order() {
    let rows = rows(&page("units.md"));
    let listed: Vec<&str> = rows.iter().filter_map(|(cells, _)| code(&cells[0])).collect();
    let head = ["step", "time_ns", "stage"].into_iter();
    let columns: Vec<&str> = head.chain(Observable::ALL.map(Observable::column)).collect();
    let missing: Vec<_> = columns.iter().filter(|column| !listed.contains(column)).collect();
    assert!(missing.is_empty(), "units.md has no rows of {missing:?}");
    let in_order = listed.windows(columns.len()).any(|window| window == columns);
    assert!(in_order, "units.md has the columns in another order than {columns:?}");
    let is_of_proteins =
        |cells: &[String]| cells.get(2).is_some_and(|of| of.starts_with("proteins"));
    let of_proteins = rows.iter().filter(|(cells, _)| is_of_proteins(cells));
    let of_proteins = of_proteins.filter_map(|(cells, _)| code(&cells[0])).skip(2);
    let molecules = System::default();
    assert!(
        of_proteins.eq(molecules.observables(&sop_gpu_dynamics(20.0)).map(Observable::column)),
        "tables of proteins"
    );
}

#[test]
fn theory_has_every_formula() {
    let page = page("theory.md");
    let formulas = page.split_once("### All formulas\n").unwrap().1.split("\n#").next().unwrap();
    let rows = rows(formulas);
    let listed: BTreeSet<&str> = rows.iter().filter_map(|(cells, _)| code(&cells[0])).collect();
    let names = [BondedTerm::NAMES, PairTerm::NAMES, AngleTerm::NAMES, SingleTerm::NAMES];
    assert_eq!(listed, names.into_iter().flatten().copied().collect());
}

/// Inputs that leave as much as possible to defaults, and that together use every key.
const INPUTS: [&str; 12] = [
    "[system]\nstructure = \"1UBQ.pdb\"\n[[stage]]\nsteps = 1\n[output]\ntrajectory = { every_steps = 10 }\n",
    r#"
[system]
structure = { file = "1UBQ.pdb", chains = "A", model = 1 }
contacts = { side_chain_cutoff = "5 A" }
bonds = { extra = "bonds.csv" }
start = { file = "start_{replica}.pdb" }
[[stage]]
minimise = {}
[[stage]]
name = "pull"
duration = "1 us"
stop = "extension > 5 nm"
drives = [
    { kind = "spring", name = "left", fixed = "first", pulled = "last", stiffness = "1 pN/nm", speed = "1 um/s", direction = [0, 0, 1] },
    { kind = "force", fixed = "first", pulled = "last", force = "1 pN" },
    { kind = "force-ramp", fixed = "first", pulled = "last", rate = "1 pN/us" },
    { kind = "restrain", select = "index 5", stiffness = "1 pN/nm" },
]
[ensemble.sweep]
"pull.speed" = ["1 um/s"]
[output]
table = { every = "100 ns" }
trajectory = { every = "100 ns" }
"#,
    r#"
[system]
structure = "1UBQ.pdb"
contacts = { file = "contacts.csv" }
[[stage]]
steps = 1
drives = [ { kind = "force-ramp", fixed = "first", pulled = "last", stiffness = "1 pN/nm", speed = "1 um/s" } ]
"#,
    r#"
[system]
structure = { file = "1UBQ.pdb", select = "index 0-2" }
topology = "three.top"
[[stage]]
steps = 1
"#,
    r#"
[system]
model = "oscillators"
particles = 3
[dynamics]
diffusion = "0.25 nm^2/ns"
[[stage]]
steps = 1
"#,
    r#"
[system]
model = "elastic-polymer"
monomers = 2
start = "two.pdb"
[sampling]
temperature = 0.5
[[stage]]
sweeps = 1
[output]
trajectory = { every_sweeps = 10 }
"#,
    r#"
[system]
structure = "1UBQ.pdb"
[exchange]
temperatures = { from = "280 K", to = "420 K", count = 2 }
every = "10 ns"
[[stage]]
steps = 1000
"#,
    r#"
[system]
model = "residues"
sequence = { file = "proteins.fasta", name = "linker" }
[[stage]]
steps = 1
"#,
    r#"
[system]
model = "residues"
structure = { file = "1UBQ.pdb", chains = "A" }
domains = [[1, 72]]
start = "1UBQ.pdb"
[[stage]]
steps = 1
"#,
    r#"
[system]
model = "beads"
start = { file = "three.data", frame = 0 }
box = "file"
types = [ { name = "A", mass = 10, charge = 1, friction = "0 pN ps/nm" }, { name = "B" } ]
bonds = [
    { kind = "harmonic", number = 1, stiffness = "1 pN/nm", length = "start" },
    { kind = "fene", stiffness = "1 pN/nm", limit = "9 nm" },
    { kind = "native-contact", between = "near", within = "9 nm", depth = "0 kJ/mol", length = "1 nm" },
]
angles = [ { kind = "harmonic", between = [[0, 1, 2]], stiffness = "0 kJ/mol", angle = 120 } ]
pairs = [
    { kind = "lennard-jones", depth = "0 kJ/mol", diameter = "1 nm", cutoff = "2 nm" },
    { kind = "ashbaugh-hatch", depth = "0 kJ/mol", diameter = "1 nm", stickiness = 0.5, cutoff = "2 nm" },
    { kind = "wang-frenkel", depth = "0 kJ/mol", diameter = "1 nm", cutoff = "2 nm" },
    { kind = "morse", depth = "0 kJ/mol", steepness = "1 /nm", length = "1 nm", cutoff = "2 nm" },
    { kind = "sixth-power", strength = "0 kJ/mol", diameter = "1 nm", cutoff = "2 nm" },
    { kind = "debye-huckel", permittivity = 80, screening_length = "1 nm", cutoff = "2 nm" },
    { kind = "dpd", repulsion = "0 pN", cutoff = "2 nm", friction = "0 pN ps/nm" },
]
exclude = { bonds = 0, list = [[0, 2]] }
[dynamics]
integrator = "velocity-verlet"
friction = "0 pN ps/nm"
[[stage]]
steps = 1
"#,
    r#"
[system]
model = "beads"
units = "reduced"
box = [9, 9, 9]
build = { molecule = "A" }
[dynamics]
timestep = 0.01
collision_rate = 1
[[stage]]
steps = 1
"#,
    r#"
[system]
structure = "1UBQ.pdb"
[[stage]]
steps = 1
drives = [
    { kind = "surface", below = "all" , normal = [0, 0, 1] },
    { kind = "tip", above = "all", radius = "9 nm", stiffness = "1 pN/nm", speed = "1 um/s", friction = "8.7e7 pN ps/nm", gap = "1 nm", turn_after_steps = 10, rest_steps = 10 },
]
[[stage]]
name = "again"
steps = 1
drives = [
    { kind = "surface", below = "all", position = ["0 nm", "0 nm", "-9 nm"], points = 3, spacing = "1 nm" },
    { kind = "tip", above = "all", radius = "9 nm", stiffness = "1 pN/nm", speed = "1 um/s", friction = "8.7e7 pN ps/nm", gap = "1 nm", turn_after = "1 ns", rest = "1 ns" },
]
[analysis]
slope = ["0 nm", "3 nm"]
hertz = ["0 nm", "1 nm"]
"#,
];

/// A folder with the files that [`INPUTS`] name.
fn input_files() -> tempfile::TempDir {
    let folder = workplace(&[]);
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    fs::copy(folder.path().join("1UBQ.pdb"), folder.path().join("start_0.pdb")).unwrap();
    put("bonds.csv", "bead_i,bead_j\n0,10\n");
    put("contacts.csv", "bead_i,bead_j\n0,10\n");
    put(
        "three.data",
        "three\n\n3 atoms\n2 bonds\n2 atom types\n1 bond types\n\n0 900 xlo xhi\n0 900 ylo yhi\n0 900 zlo zhi\n\n\
         Masses\n\n1 10 # A\n2 20 # B\n\nAtoms # molecular\n\n1 1 1 9 9 9\n2 1 2 19 9 9\n3 1 1 29 9 9\n\n\
         Bonds\n\n1 1 1 2\n2 1 2 3\n",
    );
    put("proteins.fasta", ">linker\nGSGS\n>longer\nGSGSGS\n");
    let monomer = "ATOM      1  M   MON A   1       0.000   0.000   0.000\n";
    put("two.pdb", &[monomer, &monomer.replacen("0.000", "0.700", 1)].concat());
    put(
        "three.top",
        "[ atoms ]\n0 CA 1 MET CA A 1.0 0.0\n1 CA 2 GLN CA A 1.0 0.0\n2 CA 3 ILE CA A 1.0 0.0\n\
         [ bonds ]\n0 1 1 3.8\n1 2 1 3.8\n[ native ]\n[ pairs ]\n0 2 1\n",
    );
    folder
}

/// The resolved forms of [`INPUTS`].
fn resolved_forms() -> String {
    let folder = input_files();
    let resolve = |text| match beadwork::input::parse(text, "NAME.toml", folder.path(), &[]) {
        Ok(request) => request.resolved,
        Err(error) => panic!("{error} in {text}"),
    };
    INPUTS.map(resolve).concat()
}

/// Keys, that is words before " = " outside of texts; paths of a sweep, which are quoted, are left out.
fn keys_of(resolved: &str) -> BTreeSet<String> {
    let outside: String = resolved.split('"').step_by(2).collect();
    outside
        .split([' ', '\n'])
        .collect::<Vec<_>>()
        .windows(2)
        .filter(|pair| pair[1] == "=" && !pair[0].is_empty())
        .map(|pair| pair[0].to_string())
        .collect()
}

/// The keys that a section allows, from the message about an unknown key.
fn known_keys(input: &str, odd: Option<&str>, folder: &Path) -> Vec<String> {
    let overrides: Vec<_> = odd.iter().map(|path| (path.to_string(), "1".to_string())).collect();
    let error = beadwork::input::parse(input, "NAME.toml", folder, &overrides).unwrap_err();
    let message = error.to_string();
    let Some((_, keys)) = message.split_once("Known keys: ") else {
        panic!("{odd:?}: {message}");
    };
    keys.split(", ").map(str::to_string).collect()
}

/// The keys of a drive of a kind.
fn keys_of_drive(kind: &str, folder: &Path) -> Vec<String> {
    let input = format!(
        "[system]\nstructure = \"1UBQ.pdb\"\n[[stage]]\nsteps = 1\ndrives = [ {{ kind = \"{kind}\", zzzz = 1 }} ]\n"
    );
    known_keys(&input, None, folder)
}

/// The table of drives names the kinds that have each key.
#[test]
fn input_has_the_kinds_of_each_key_of_drives() {
    let text = page("input.md");
    let (_, drives) = text.split_once("\n### Drives\n").unwrap();
    let (drives, _) = drives.split_once("\n## ").unwrap();
    let kinds: BTreeSet<&str> = External::examples(9).iter().map(External::kind).collect();
    let folder = input_files();
    let mut known: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for &kind in &kinds {
        for key in keys_of_drive(kind, folder.path()) {
            known.entry(key).or_default().insert(kind);
        }
    }
    let rows = rows(drives);
    let listed: BTreeMap<String, BTreeSet<&str>> = rows
        .iter()
        .map(|(cells, _)| {
            let of = match cells[1].as_str() {
                "all" => kinds.clone(),
                some => some.split(", ").collect(),
            };
            (code(&cells[0]).unwrap().to_string(), of)
        })
        .collect();
    assert_eq!(listed.len(), rows.len(), "a key has two rows");
    assert_eq!(listed, known);
}

#[test]
fn input_has_every_key() {
    let text = page("input.md");
    let rows = rows(&text);
    let listed: BTreeSet<&str> = rows.iter().filter_map(|(cells, _)| code(&cells[0])).collect();
    let mut known = keys_of(&resolved_forms());
    assert!(known.contains("update_every") && known.contains("topology"), "{known:?}");

    let folder = input_files();
    for place in [
        "system",
        "system.structure",
        "system.contacts",
        "system.bonds",
        "system.repulsion",
        "system.start",
        "dynamics",
        "stage-1.minimise",
        "ensemble",
        "random",
        "output",
        "output.table",
        "output.trajectory",
        "analysis",
        "run",
    ] {
        let odd = format!("{place}.zzzz");
        known.extend(known_keys(INPUTS[1], Some(&odd), folder.path()));
    }
    for law in External::examples(9) {
        let kind = law.kind();
        known.extend(keys_of_drive(kind, folder.path()));
        assert!(
            text.contains(&format!("\n- `{kind}`: ")),
            "input.md does not say what {kind} does"
        );
    }
    known.extend(known_keys(INPUTS[4], Some("system.zzzz"), folder.path()));
    for place in ["system", "sampling", "random", "output", "output.table", "output.trajectory"] {
        known.extend(known_keys(INPUTS[5], Some(&format!("{place}.zzzz")), folder.path()));
    }
    for place in ["exchange", "exchange.temperatures"] {
        known.extend(known_keys(INPUTS[6], Some(&format!("{place}.zzzz")), folder.path()));
    }
    for place in ["system", "system.start", "system.exclude"] {
        known.extend(known_keys(INPUTS[9], Some(&format!("{place}.zzzz")), folder.path()));
    }
    known.extend(known_keys(INPUTS[10], Some("system.build.zzzz"), folder.path()));
    for place in ["system", "system.sequence", "system.solution"] {
        known.extend(known_keys(INPUTS[7], Some(&format!("{place}.zzzz")), folder.path()));
    }
    // A path cannot name an unknown key of a stage.
    for (input, length) in [(INPUTS[0], "steps = 1\n"), (INPUTS[5], "sweeps = 1\n")] {
        let odd_stage = input.replacen(length, &format!("{length}zzzz = 1\n"), 1);
        known.extend(known_keys(&odd_stage, None, folder.path()));
    }
    let known: BTreeSet<&str> = known.iter().map(String::as_str).collect();
    assert_eq!(listed, known);
}

#[test]
fn defaults_in_the_reference_are_those_of_the_program() {
    let forms = resolved_forms();
    let mut checked = 0;
    for (cells, default) in rows(&page("input.md")) {
        let Some(default) = default.and_then(|column| code(&cells[column])) else { continue };
        let key = code(&cells[0]).unwrap();
        let written = format!("{key} = {default}");
        assert!(forms.contains(&written), "no resolved form has {written}");
        checked += 1;
    }
    assert!(checked > 25, "only {checked} defaults were found in the tables");
}
