//! NVRTC, NVIDIA's library that compiles kernels while the program runs.
//!
//! This module opens it by path. cudarc knows only bare names, but wheels are in folders that no loader searches, and
//! of several installed versions exactly the one found must be used.

use std::env;
use std::ffi::{CStr, CString, OsString, c_char, c_int};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use crate::compile::headers::HEADERS;
use crate::error::Error;

/// Options besides the architecture. A trajectory must have the bits of the CPU's definition, so nothing is contracted
/// or approximated; the defaults are given explicitly because the bits depend on them too.
pub(crate) const OPTIONS: [&str; 6] = [
    "--std=c++17",
    "--fmad=false",
    "--ftz=false",
    "--prec-div=true",
    "--prec-sqrt=true",
    // Writes registers and spills of each function to the log.
    "--ptxas-options=-v",
];

/// File names of NVRTC, best first.
const NAMES: [&str; 3] = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"];

/// Returns the value of an environment variable; empty ones count as not set.
type Variables<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// `nvrtcProgram`.
type Program = *mut std::ffi::c_void;

/// `nvrtcResult`; 0 is success.
type Status = c_int;

/// NVRTC, opened.
#[derive(Debug)]
pub struct Compiler {
    functions: Functions,
    version: (i32, i32),
    /// Architectures as two digits and more: 90 is compute capability 9.0.
    architectures: Vec<u32>,
    place: PathBuf,
    // Keeps the libraries open as long as their functions are in use.
    _library: Library,
    _builtins: Option<Library>,
}

/// A kernel compiled for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cubin {
    /// An ELF file that the driver loads.
    pub bytes: Vec<u8>,
    /// The compiler's output: warnings, and registers, stack and spills of each function. Empty if the kernel came from
    /// the cache.
    pub log: String,
}

#[derive(Clone, Copy, Debug)]
struct Functions {
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    architecture_count: unsafe extern "C" fn(*mut c_int) -> Status,
    architectures: unsafe extern "C" fn(*mut c_int) -> Status,
    error: unsafe extern "C" fn(Status) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    cubin_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    cubin: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    log_size: unsafe extern "C" fn(Program, *mut usize) -> Status,
    log: unsafe extern "C" fn(Program, *mut c_char) -> Status,
}

impl Functions {
    fn of(library: &Library) -> Result<Self, libloading::Error> {
        // SAFETY: the names and types are those of nvrtc.h, unchanged since CUDA 11.2.
        unsafe {
            Ok(Functions {
                version: *library.get("nvrtcVersion")?,
                architecture_count: *library.get("nvrtcGetNumSupportedArchs")?,
                architectures: *library.get("nvrtcGetSupportedArchs")?,
                error: *library.get("nvrtcGetErrorString")?,
                create: *library.get("nvrtcCreateProgram")?,
                destroy: *library.get("nvrtcDestroyProgram")?,
                compile: *library.get("nvrtcCompileProgram")?,
                cubin_size: *library.get("nvrtcGetCUBINSize")?,
                cubin: *library.get("nvrtcGetCUBIN")?,
                log_size: *library.get("nvrtcGetProgramLogSize")?,
                log: *library.get("nvrtcGetProgramLog")?,
            })
        }
    }
}

impl Compiler {
    /// Finds and opens NVRTC: only the file that `BEADWORK_NVRTC` names, if it is set; otherwise the first found among
    /// the loader's libraries, the CUDA toolkit (`CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda*`), and Python packages of
    /// the active environment, of the Python on `PATH`, of the user and of the system.
    ///
    /// # Errors
    /// [`Error::NoCompiler`] with the files and folders tried.
    pub fn find() -> Result<Compiler, Error> {
        Self::find_with(&|name| env::var_os(name).filter(|value| !value.is_empty()))
    }

    fn find_with(variables: Variables) -> Result<Compiler, Error> {
        let mut looked = Vec::new();
        if let Some(file) = variables("BEADWORK_NVRTC") {
            return Self::open(Path::new(&file)).map_err(|problem| {
                looked.push(format!("{} (named by BEADWORK_NVRTC): {problem}", file.display()));
                Error::NoCompiler { looked }
            });
        }
        for name in NAMES {
            match Self::open(Path::new(name)) {
                Ok(compiler) => return Ok(compiler),
                // The loader reports only that the library is missing.
                Err(_) => looked.push(format!("{name}, where the system looks for libraries")),
            }
        }
        for folder in folders(variables) {
            let mut files = NAMES.iter().map(|name| folder.join(name)).filter(|file| file.exists());
            match files.next().map(|file| (Self::open(&file), file)) {
                None => looked.push(folder.display().to_string()),
                Some((Ok(compiler), _)) => return Ok(compiler),
                Some((Err(problem), file)) => looked.push(format!("{}: {problem}", file.display())),
            }
        }
        Err(Error::NoCompiler { looked })
    }

    /// Opens one file, or a name that the loader knows; otherwise returns the reason.
    fn open(file: &Path) -> Result<Self, String> {
        // SAFETY: opening NVIDIA's library runs its initialisers, which have no requirements.
        let library = unsafe { Library::new(file) }.map_err(|error| chain(&error))?;
        let functions = Functions::of(&library).map_err(|error| chain(&error))?;
        let (mut major, mut minor, mut count) = (0, 0, 0);
        // SAFETY: each integer is written, and the array has room for all architectures.
        let architectures = unsafe {
            functions.ok((functions.version)(&raw mut major, &raw mut minor))?;
            functions.ok((functions.architecture_count)(&raw mut count))?;
            let mut architectures = vec![0; count.unsigned_abs() as usize];
            functions.ok((functions.architectures)(architectures.as_mut_ptr()))?;
            architectures.into_iter().map(c_int::unsigned_abs).collect()
        };
        let place = if file.is_absolute() { file.into() } else { mapped(file) };
        // NVRTC opens this library by its bare name, which succeeds if it is already open.
        let name = format!("libnvrtc-builtins.so.{major}.{minor}");
        let real = fs::canonicalize(&place).unwrap_or_else(|_| place.clone());
        let builtins = [&place, &real]
            .into_iter()
            .filter_map(|file| file.parent())
            // SAFETY: as above; it holds data only.
            .find_map(|folder| unsafe { Library::new(folder.join(&name)) }.ok());
        Ok(Compiler {
            functions,
            version: (major, minor),
            architectures,
            place,
            _library: library,
            _builtins: builtins,
        })
    }

    /// NVRTC's version, that of the CUDA toolkit it came with.
    pub fn version(&self) -> (i32, i32) {
        self.version
    }

    /// The path of its file.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Compiles a source text for a compute capability. Messages call the kernel `name`. The text may include the files of
    /// this crate's `kernels/`.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's log, [`Error::OldCompiler`].
    pub fn compile(
        &self,
        name: &str,
        source: &str,
        architecture: (u32, u32),
    ) -> Result<Cubin, Error> {
        self.compile_with(name, source, architecture, &OPTIONS.map(String::from), HEADERS)
    }

    /// Compiles a source text with the caller's options, and with headers by their names in `#include`.
    pub(crate) fn compile_with(
        &self,
        name: &str,
        source: &str,
        architecture: (u32, u32),
        options: &[String],
        headers: &[(&str, &str)],
    ) -> Result<Cubin, Error> {
        let fail = |reason: String, log: String| Error::Compile {
            kernel: name.to_owned(),
            architecture,
            reason,
            log,
        };
        let target = target(&self.architectures, architecture).ok_or(Error::OldCompiler {
            version: self.version,
            place: self.place.clone(),
            architecture,
        })?;
        let options = options.iter().cloned();
        let options = options.chain([format!("--gpu-architecture=sm_{target}")]);
        // From this version on NVRTC has its own cache, which stores the kernel without the log.
        let own_cache = (self.version >= (12, 9)).then(|| "--no-cache".to_owned());
        let options = options.chain(own_cache);
        let text = |text: String| {
            CString::new(text).map_err(|_| fail("its text holds a zero".into(), String::new()))
        };
        let options: Vec<CString> = options.map(text).collect::<Result<_, Error>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let source = text(source.to_owned())?;
        let file = text(format!("{name}.cu"))?;
        let headers = headers
            .iter()
            .map(|(name, content)| Ok((text(name.to_string())?, text(content.to_string())?)));
        let headers = headers.collect::<Result<Vec<_>, Error>>()?;
        let names: Vec<*const c_char> = headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let contents: Vec<*const c_char> = headers.iter().map(|(_, text)| text.as_ptr()).collect();

        let functions = &self.functions;
        let mut program = std::ptr::null_mut();
        // SAFETY: the texts end with a zero and outlive the program; there are as many names of headers as texts.
        let status = unsafe {
            (functions.create)(
                &raw mut program,
                source.as_ptr(),
                file.as_ptr(),
                headers.len() as c_int,
                contents.as_ptr(),
                names.as_ptr(),
            )
        };
        functions.ok(status).map_err(|reason| fail(reason, String::new()))?;
        let program = Destroyed { program, functions };
        // SAFETY: the program was made above, and the number of options is right.
        let status = unsafe {
            (functions.compile)(program.program, pointers.len() as c_int, pointers.as_ptr())
        };
        // SAFETY: both functions are of the same program.
        let log = unsafe { program.read(functions.log_size, functions.log) };
        let log = String::from_utf8_lossy(&log.unwrap_or_default())
            .trim_matches(|character: char| character == '\0' || character.is_whitespace())
            .to_owned();
        functions.ok(status).map_err(|reason| fail(reason, log.clone()))?;
        // SAFETY: both functions are of the same program.
        let bytes = unsafe { program.read(functions.cubin_size, functions.cubin) };
        let bytes = bytes.map_err(|reason| fail(reason, log.clone()))?;
        Ok(Cubin { bytes, log })
    }
}

impl Functions {
    fn ok(&self, status: Status) -> Result<(), String> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: NVRTC returns a text for any number, and never frees it.
        let text = unsafe { CStr::from_ptr((self.error)(status)) };
        Err(text.to_string_lossy().into_owned())
    }
}

/// A program of NVRTC that is destroyed when it is dropped.
struct Destroyed<'a> {
    program: Program,
    functions: &'a Functions,
}

impl Destroyed<'_> {
    /// # Safety
    /// `size` must return the number of bytes that `content` writes.
    unsafe fn read(
        &self,
        size: unsafe extern "C" fn(Program, *mut usize) -> Status,
        content: unsafe extern "C" fn(Program, *mut c_char) -> Status,
    ) -> Result<Vec<u8>, String> {
        let mut length = 0;
        // SAFETY: the program exists; the buffer has as many bytes as are written.
        unsafe {
            self.functions.ok(size(self.program, &raw mut length))?;
            let mut bytes = vec![0_u8; length];
            self.functions.ok(content(self.program, bytes.as_mut_ptr().cast()))?;
            Ok(bytes)
        }
    }
}

impl Drop for Destroyed<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was made once, and only `self` has it.
        let _ = unsafe { (self.functions.destroy)(&raw mut self.program) };
    }
}

/// The compiler of this process, opened once.
///
/// # Errors
/// [`Error::NoCompiler`]; the next call searches again.
pub(crate) fn compiler() -> Result<&'static Compiler, Error> {
    static COMPILER: OnceLock<Compiler> = OnceLock::new();
    match COMPILER.get() {
        Some(compiler) => Ok(compiler),
        None => Compiler::find().map(|compiler| COMPILER.get_or_init(|| compiler)),
    }
}

/// The architecture to compile for: the card's, or the nearest older one of the same generation, whose code the card
/// also runs.
fn target(known: &[u32], (major, minor): (u32, u32)) -> Option<u32> {
    known.iter().copied().filter(|one| one / 10 == major && one % 10 <= minor).max()
}

/// Folders to search, in order; those with unknown version numbers only if they exist.
fn folders(variables: Variables) -> Vec<PathBuf> {
    let set = |name: &str| variables(name).map(PathBuf::from);
    let mut folders = Vec::new();
    for toolkit in ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(set) {
        folders.extend(["lib64", "lib"].map(|at| toolkit.join(at)));
    }
    // Python environments, nearest first.
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(set).collect();
    folders.extend(set("CONDA_PREFIX").map(|prefix| prefix.join("lib")));
    folders.push("/usr/local/cuda/lib64".into());
    let mut toolkits = entries(Path::new("/usr/local"), "cuda-");
    toolkits.reverse();
    folders.extend(toolkits.into_iter().map(|toolkit| toolkit.join("lib64")));

    let path = variables("PATH").unwrap_or_default();
    let pythons = env::split_paths(&path).filter(|folder| folder.join("python3").exists());
    prefixes.extend(pythons.filter_map(|folder| folder.parent().map(Path::to_path_buf)));
    prefixes.extend(set("HOME").map(|home| home.join(".local")));
    prefixes.extend(["/usr/local", "/usr"].map(PathBuf::from));
    for prefix in prefixes {
        for python in entries(&prefix.join("lib"), "python3").into_iter().rev() {
            let packages = ["site-packages", "dist-packages"].map(|name| python.join(name));
            for packages in packages.into_iter().filter(|folder| folder.exists()) {
                let nvidia = packages.join("nvidia");
                folders.extend(["cu13/lib", "cuda_nvrtc/lib"].map(|at| nvidia.join(at)));
            }
        }
    }
    let mut seen = Vec::new();
    folders.retain(|folder| {
        !seen.contains(folder) && {
            seen.push(folder.clone());
            true
        }
    });
    folders
}

/// The entries of a folder whose names have a prefix, sorted.
fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths
}

/// The file that the loader chose for a bare name, if the system reports it.
fn mapped(name: &Path) -> PathBuf {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let is_nvrtc = |path: &&Path| {
        path.file_name().is_some_and(|file| file.to_string_lossy().starts_with("libnvrtc.so"))
    };
    paths.into_iter().find(is_nvrtc).unwrap_or(name).to_path_buf()
}

/// An error with its causes: libloading keeps the loader's message in the last one.
fn chain(error: &dyn std::error::Error) -> String {
    let mut texts = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        texts.push(error.to_string());
        source = error.source();
    }
    texts.dedup();
    texts.join(": ")
}

#[cfg(test)]
#[path = "../../tests/unit/compiler.rs"]
mod tests;
