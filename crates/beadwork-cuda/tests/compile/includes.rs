//! Each file of `kernels/` includes what it uses: it compiles alone, with the definitions of a program that reaches it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use beadwork_cuda::{Compiler, Program};

use crate::registers::{MAIN, compiler_or_skip};

/// The files that a text includes, in its own lines.
fn included(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter_map(|line| {
        let name = line.strip_prefix("#include \"")?.strip_suffix('"')?;
        Some(name.to_owned())
    })
}

/// All files that a program may include, by way of others too.
fn reached(program: &Program, kernels: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next: Vec<String> = included(&program.source).collect();
    while let Some(file) = next.pop() {
        if found.insert(file.clone()) {
            let text = fs::read_to_string(kernels.join(&file)).unwrap();
            next.extend(included(&text));
        }
    }
    found
}

/// Compiles one file with the definitions of a program in place of the files that this includes.
fn compile_alone(compiler: &Compiler, program: &Program, file: &str) -> Result<(), String> {
    let definitions: Vec<&str> =
        program.source.lines().filter(|line| !line.starts_with("#include")).collect();
    let source = definitions.join("\n") + &format!("\n#include \"{file}\"\n");
    compiler.compile(file, &source, MAIN).map(drop).map_err(|error| error.to_string())
}

/// Every file below a folder, by its name in `#include`.
fn files(folder: &Path, prefix: &str, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), all);
        } else {
            all.push(name);
        }
    }
}

/// Checks all files of kernels against programs that together reach each of them.
pub fn check(programs: &[&Program]) {
    let Some(compiler) = compiler_or_skip() else { return };
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    // Files are alternatives of each other in some programs, so a file counts as complete if one of its programs compiles it.
    let mut programs_of: BTreeMap<String, Vec<&Program>> = BTreeMap::new();
    for program in programs {
        for file in reached(program, &kernels) {
            programs_of.entry(file).or_default().push(program);
        }
    }
    let mut all = Vec::new();
    files(&kernels, "", &mut all);
    let mut wrong = Vec::new();
    for file in &all {
        let Some(programs) = programs_of.get(file) else {
            wrong.push(format!("no program includes {file}"));
            continue;
        };
        let mut problems = Vec::new();
        for program in programs {
            match compile_alone(&compiler, program, file) {
                Ok(()) => break,
                Err(problem) => problems.push(problem),
            }
        }
        if problems.len() == programs.len() {
            wrong.push(format!("{file} does not compile alone: {}", problems.concat()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
