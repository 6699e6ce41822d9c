//! The driver's library: it is opened at first use, and all functions are looked up before any is called.

use std::env;
use std::path::Path;
use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUresult};
use libloading::Library;

use crate::error::{Error, OLDEST_DRIVER, check, describe};

/// Folders in which containers and some distributions keep the driver without informing the loader.
const FOLDERS: [&str; 4] =
    ["/usr/local/nvidia/lib64", "/usr/lib64-nvidia", "/usr/lib/wsl/lib", "/run/opengl-driver/lib"];

/// Every function that this crate calls: cudarc looks each up at its first call, and panics if it is missing.
const FUNCTIONS: [&str; 40] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuCtxSetCurrent",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuFuncGetParamInfo",
    "cuFuncSetAttribute",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxActiveClusters",
    "cuStreamBeginCapture_v2",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamEndCapture",
    "cuStreamSynchronize",
];

/// Proof that the driver exists, is new enough and is initialised, so its functions may be called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Driver {
    /// The CUDA version that the driver supports.
    pub version: (u32, u32),
}

/// Opens and initialises the driver once in the process.
///
/// # Errors
/// [`Error::NoDriver`], [`Error::OldDriver`], [`Error::NoDevice`], [`Error::Other`].
pub(crate) fn driver() -> Result<Driver, Error> {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    match DRIVER.get() {
        Some(driver) => Ok(*driver),
        None => open().map(|driver| *DRIVER.get_or_init(|| driver)),
    }
}

fn open() -> Result<Driver, Error> {
    open_library()?;
    // SAFETY: the library was opened above.
    let library = unsafe { sys::culib() };
    // SAFETY: no function is called; the type is that of any function.
    let has = |name: &str| unsafe { library.get::<unsafe extern "C" fn()>(name) }.is_ok();

    let mut version = 0;
    if has("cuDriverGetVersion") {
        // SAFETY: the function exists, needs no initialisation, and writes one integer.
        let result = unsafe { sys::cuDriverGetVersion(&raw mut version) };
        check(result, || "ask the NVIDIA driver for its version".into())?;
    }
    // 1000 × major + 10 × minor.
    let found = (version.unsigned_abs() / 1000, version.unsigned_abs() % 1000 / 10);
    let missing = FUNCTIONS.into_iter().find(|name| !has(name));
    if found < OLDEST_DRIVER || missing.is_some() {
        return Err(Error::OldDriver { found, missing });
    }

    // SAFETY: the function exists; its only argument must be 0.
    match unsafe { sys::cuInit(0) } {
        CUresult::CUDA_SUCCESS => Ok(Driver { version: found }),
        CUresult::CUDA_ERROR_NO_DEVICE => Err(Error::NoDevice { reason: no_device() }),
        other => Err(Error::Other {
            action: "initialise the NVIDIA driver".into(),
            reason: describe(other),
        }),
    }
}

/// The message if the driver finds no card.
pub(crate) fn no_device() -> String {
    let visible = env::var("CUDA_VISIBLE_DEVICES").map_or(String::new(), |value| {
        format!(" CUDA_VISIBLE_DEVICES is \"{value}\", which may hide them.")
    });
    format!(
        "The NVIDIA driver is installed but shows no GPU.{visible} See whether `nvidia-smi` lists \
         one, or run on the CPU."
    )
}

/// Opens the driver's library so that cudarc finds it.
fn open_library() -> Result<(), Error> {
    // SAFETY: opening NVIDIA's library runs its initialisers, which have no requirements.
    if unsafe { sys::is_culib_present() } {
        return Ok(());
    }
    let mut tried = vec!["libcuda.so".to_owned(), "libcuda.so.1".to_owned()];
    for folder in FOLDERS {
        let path = Path::new(folder).join("libcuda.so.1");
        // SAFETY: as above.
        if let Ok(library) = unsafe { Library::new(&path) } {
            // Once the library is open, the loader returns it for the bare name too.
            std::mem::forget(library);
            // SAFETY: as above.
            if unsafe { sys::is_culib_present() } {
                return Ok(());
            }
        }
        tried.push(path.display().to_string());
    }
    Err(Error::NoDriver { tried })
}

#[cfg(test)]
#[path = "../../tests/unit/libraries.rs"]
mod tests;
