//! Errors of GPUs, drivers and the compiler.

use std::path::PathBuf;

use cudarc::driver::sys::CUresult;

/// The oldest CUDA version that a driver must support.
pub const OLDEST_DRIVER: (u32, u32) = (12, 8);

/// The lowest compute capability of a card: the oldest that compilers of CUDA 13 support.
pub const OLDEST_CARD: (u32, u32) = (7, 5);

/// The reason why a GPU cannot be used, or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The driver's library cannot be opened.
    #[error(
        "Could not open the NVIDIA driver's library, tried as {}. Where there is a GPU, install \
         NVIDIA's driver; in a container, start it with access to the GPU (for example \
         `--gpus all`, `--nv`). Without a GPU, run on the CPU.", tried.join(", ")
    )]
    NoDriver {
        /// Names and paths tried.
        tried: Vec<String>,
    },

    /// There is a driver, but no card of that number, or none at all.
    #[error("{reason}")]
    NoDevice {
        /// The driver's reason, and what to do, in sentences.
        reason: String,
    },

    /// The driver is too old.
    #[error(
        "The NVIDIA driver speaks CUDA {}.{} and beadwork needs {}.{} or newer{}. Update the \
         driver (570 or newer), or run on the CPU.",
        found.0, found.1, OLDEST_DRIVER.0, OLDEST_DRIVER.1, because(missing)
    )]
    OldDriver {
        /// The CUDA version that it supports.
        found: (u32, u32),
        /// A function that it lacks.
        missing: Option<&'static str>,
    },

    /// The card is too old.
    #[error(
        "The GPU {name} has compute capability {}.{}, and beadwork needs {}.{} (Turing, 2018) or \
         newer. Take another card, or run on the CPU.",
        found.0, found.1, OLDEST_CARD.0, OLDEST_CARD.1
    )]
    OldCard {
        /// The card's name.
        name: String,
        /// Its compute capability.
        found: (u32, u32),
    },

    /// There is no compiler for kernels, and the kernel is not in the cache.
    #[error(
        "Could not find NVRTC, the library that compiles kernels for this GPU. {} Install \
         it with `pip install nvidia-cuda-nvrtc` or with the CUDA toolkit, or name its file in \
         BEADWORK_NVRTC.",
        looked_at(looked)
    )]
    NoCompiler {
        /// Places searched, and what was wrong with the files there.
        looked: Vec<String>,
    },

    /// The compiler does not know the card's architecture.
    #[error(
        "NVRTC {}.{} ({}) cannot compile for compute capability {}.{}. Install a newer one with \
         `pip install --upgrade nvidia-cuda-nvrtc`; where several are installed, name the newest \
         file in BEADWORK_NVRTC.",
        version.0, version.1, place.display(), architecture.0, architecture.1
    )]
    OldCompiler {
        /// Its version.
        version: (i32, i32),
        /// Its file.
        place: PathBuf,
        /// The requested compute capability.
        architecture: (u32, u32),
    },

    /// A kernel does not compile.
    #[error(
        "Could not compile the kernel {kernel} for compute capability {}.{}: {reason}. Please \
         report this with the lines that follow.\n{log}", architecture.0, architecture.1
    )]
    Compile {
        /// The kernel.
        kernel: String,
        /// The compute capability.
        architecture: (u32, u32),
        /// The result of the compiler's function.
        reason: String,
        /// The compiler's output.
        log: String,
    },

    /// There is not enough memory on the card.
    #[error(
        "Could not get {} of memory on the GPU {device}: {} free. Run a part of the members \
         (`--replicas`), end other programs on this card (`nvidia-smi` lists them), or take a card \
         with more memory.", size(*asked), free.map_or("an unknown amount is".into(), |free| format!("{} are", size(free)))
    )]
    Memory {
        /// Requested bytes.
        asked: u64,
        /// Free bytes, if the driver reported them.
        free: Option<u64>,
        /// The card's name.
        device: String,
    },

    /// A kernel could not be started, or failed while it ran.
    #[error("The kernel {kernel} failed on the GPU: {reason}")]
    Launch {
        /// The kernel, or all kernels that may have been running.
        kernel: String,
        /// What happened and what to do, in sentences.
        reason: String,
    },

    /// The operating system killed a kernel that ran for too long.
    #[error(
        "The kernel {kernel} was killed by the watchdog of the display (CUDA_ERROR_LAUNCH_TIMEOUT): \
         a card that drives a screen must not compute for more than a few seconds on end. Take a \
         card without a screen, or log out of the desktop, and resume the run."
    )]
    Watchdog {
        /// The kernel, or all kernels that may have been running.
        kernel: String,
    },

    /// Anything else that the driver reported.
    #[error("Could not {action}: {reason}")]
    Other {
        /// The action that failed.
        action: String,
        /// What happened and what to do, in sentences.
        reason: String,
    },

    /// The data from the card are invalid.
    #[error(
        "The GPU returned impossible values: {what}. Run `beadwork doctor`, then resume the run, \
         which cuts the files back to the last checkpoint."
    )]
    Corrupt {
        /// The invalid data.
        what: String,
    },
}

impl Error {
    /// A stable code, explained in the book's page on errors.
    pub fn code(&self) -> &'static str {
        match self {
            Error::NoDriver { .. } => "cuda/no-driver",
            Error::NoDevice { .. } => "cuda/no-device",
            Error::OldDriver { .. } => "cuda/old-driver",
            Error::OldCard { .. } => "cuda/old-card",
            Error::NoCompiler { .. } | Error::OldCompiler { .. } => "cuda/no-compiler",
            Error::Compile { .. } => "cuda/compile",
            Error::Memory { .. } => "cuda/memory",
            Error::Launch { .. } => "cuda/launch",
            Error::Watchdog { .. } => "cuda/watchdog",
            Error::Other { .. } => "cuda/other",
            Error::Corrupt { .. } => "cuda/corrupt",
        }
    }

    /// The error of a kernel that failed at its start or while it ran.
    pub(crate) fn of_kernel(kernel: &str, result: CUresult) -> Self {
        let kernel = kernel.to_owned();
        match result {
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => Error::Watchdog { kernel },
            other => Error::Launch { kernel, reason: describe(other) },
        }
    }
}

/// Every code of this crate with its meaning.
pub const ERROR_CODES: &[(&str, &str)] = &[
    ("cuda/no-driver", "the NVIDIA driver's library could not be opened"),
    ("cuda/no-device", "the driver shows no such GPU, or none at all"),
    ("cuda/old-driver", "the NVIDIA driver is too old"),
    ("cuda/old-card", "the GPU is too old"),
    ("cuda/no-compiler", "NVRTC was not found, or does not know the GPU"),
    ("cuda/compile", "a kernel does not compile"),
    ("cuda/memory", "the GPU has not enough free memory"),
    ("cuda/launch", "a kernel could not be started, or failed"),
    ("cuda/watchdog", "a kernel was killed because its card drives a screen"),
    ("cuda/corrupt", "the GPU returned impossible values"),
    ("cuda/other", "the driver reported something else"),
];

/// Converts the result of a driver's function to an error that names the failed action.
pub(crate) fn check(result: CUresult, action: impl FnOnce() -> String) -> Result<(), Error> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(Error::Other { action: action(), reason: describe(other) }),
    }
}

/// The driver's name for a result and its meaning for a user, in sentences.
pub(crate) fn describe(result: CUresult) -> String {
    use CUresult::*;
    const LOST: &str = "Nothing more can be done on this card by this process. Resume the run, and \
                        if it happens again, report it with the input";
    const HARDWARE: &str = "The card or its connection failed. Look at `nvidia-smi` and the \
                            system's log, and resume the run on another card";
    let meaning = match result {
        CUDA_ERROR_NO_DEVICE => "there is no GPU that may be used",
        CUDA_ERROR_OUT_OF_MEMORY => "memory has run out on the card",
        CUDA_ERROR_INVALID_VALUE => "a number is outside of what the card can do",
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
            "the blocks need more registers or shared memory than the card has"
        }
        CUDA_ERROR_ILLEGAL_ADDRESS => &format!("it used memory that is not its own. {LOST}"),
        CUDA_ERROR_MISALIGNED_ADDRESS => &format!("it used an address that is not aligned. {LOST}"),
        CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUDA_ERROR_INVALID_PC
        | CUDA_ERROR_ILLEGAL_INSTRUCTION => &format!("it went astray. {LOST}"),
        CUDA_ERROR_HARDWARE_STACK_ERROR => &format!("its stack ran over. {LOST}"),
        CUDA_ERROR_ASSERT => &format!("an assertion in it failed. {LOST}"),
        CUDA_ERROR_LAUNCH_FAILED => &format!("it crashed. {LOST}"),
        CUDA_ERROR_ECC_UNCORRECTABLE | CUDA_ERROR_NVLINK_UNCORRECTABLE => HARDWARE,
        CUDA_ERROR_DEVICE_UNAVAILABLE => {
            "another process uses this card exclusively, or its compute mode forbids computing \
             (`nvidia-smi -q -d COMPUTE` shows it)"
        }
        CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUDA_ERROR_INVALID_IMAGE
        | CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
            "the driver does not understand what NVRTC made: update the driver, or use an NVRTC \
             whose version is not newer than the driver's CUDA"
        }
        CUDA_ERROR_STUB_LIBRARY => {
            "the library that was found is the CUDA toolkit's stub for linking. Take its folder \
             (`stubs`) out of LD_LIBRARY_PATH"
        }
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => {
            "the driver's library and its kernel module have different versions. Restart the \
             machine after an update of the driver"
        }
        CUDA_ERROR_SYSTEM_NOT_READY => {
            "the machine is not ready. On machines with NVSwitch, see that the service \
             nvidia-fabricmanager runs"
        }
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => {
            "the driver's library is of CUDA's forward compatibility packages, which do not work \
             with this card. Update the driver itself"
        }
        CUDA_ERROR_OPERATING_SYSTEM => {
            "the operating system refused. See that /dev/nvidia* exist and may be read and written"
        }
        _ => "see the CUDA driver's manual, and report it if the card is sound",
    };
    format!("{meaning} ({result:?}, {}).", result as u32)
}

fn because(missing: &Option<&'static str>) -> String {
    missing.map_or(String::new(), |name| format!(" (its library lacks the function {name})"))
}

fn looked_at(looked: &[String]) -> String {
    let lines: String = looked.iter().map(|line| format!("\n  {line}")).collect();
    format!("Looked at:{lines}\n")
}

/// A number of bytes in words, in the unit in which cards are sold.
fn size(bytes: u64) -> String {
    const STEP: f64 = 1024.0;
    let bytes_here = bytes as f64;
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{:.1} KiB", bytes_here / STEP),
        0x10_0000..0x4000_0000 => format!("{:.1} MiB", bytes_here / STEP / STEP),
        _ => format!("{:.2} GiB", bytes_here / STEP / STEP / STEP),
    }
}
