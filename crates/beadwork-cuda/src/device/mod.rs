//! GPUs and their properties.

mod buffer;
mod graph;
mod module;
mod stream;

use std::collections::HashMap;
use std::ffi::{CStr, c_int};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute, CUresult};

pub use buffer::Buffer;
pub use graph::Graph;
pub use module::{Function, Module};
pub use stream::Stream;

use module::Loaded;

use crate::compile::cache::{self, Key};
use crate::compile::compiler::compiler;
use crate::compile::libraries::{Driver, driver, no_device};
use crate::error::{Error, OLDEST_CARD, check, describe};
use crate::plans::CLUSTERS_FROM;

/// The most blocks of a cluster on any card.
pub const MOST_BLOCKS_OF_CLUSTER: usize = 16;

/// The properties of a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Properties {
    /// The card's name.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Blocks that may share a cluster's memory, 1 if the card has no clusters.
    /// [`Function::clusters`](crate::Function::clusters) says whether so many fit.
    pub blocks_per_cluster: usize,
    /// Bytes of shared memory that a block may request with
    /// [`Function::allow_shared_memory`](crate::Function::allow_shared_memory).
    pub shared_memory_per_block: usize,
    /// Bytes of memory in all.
    pub memory: u64,
    /// The CUDA version that the driver supports.
    pub driver: (u32, u32),
}

/// Every GPU, in the driver's order.
///
/// # Errors
/// [`Error::NoDriver`], [`Error::OldDriver`], [`Error::NoDevice`], [`Error::Other`].
pub fn devices() -> Result<Vec<Properties>, Error> {
    let driver = driver()?;
    (0..count(driver)?).map(|ordinal| properties(driver, handle(driver, ordinal)?)).collect()
}

/// An open GPU. Clones are the same device; so are devices opened by the same number while another is still in use.
///
/// Each call makes its context current on the calling thread, so any thread may use it.
#[derive(Clone, Debug)]
pub struct Device(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    context: Arc<Context>,
    /// Modules by the hash of their source.
    modules: Mutex<HashMap<String, Slot>>,
}

/// A module, or `None` until it is compiled.
type Slot = Arc<Mutex<Option<Arc<Loaded>>>>;

/// The primary context of a card; everything on the card keeps it in use.
#[derive(Debug)]
pub(crate) struct Context {
    pub ordinal: usize,
    pub properties: Properties,
    device: sys::CUdevice,
    handle: sys::CUcontext,
}

// SAFETY: the driver's handles belong to the process; any thread may use them at any time.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Device {
    /// Opens the GPU of that number, from 0, in the order of [`devices`].
    ///
    /// # Errors
    /// Those of [`devices`], and [`Error::OldCard`].
    pub fn open(ordinal: usize) -> Result<Device, Error> {
        static OPEN: Mutex<Vec<(usize, Weak<Inner>)>> = Mutex::new(Vec::new());
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|(_, inner)| inner.strong_count() > 0);
        let found = open.iter().find(|(number, _)| *number == ordinal);
        if let Some(inner) = found.and_then(|(_, inner)| inner.upgrade()) {
            return Ok(Device(inner));
        }
        let context = Arc::new(Context::open(ordinal)?);
        let inner = Arc::new(Inner { context, modules: Mutex::default() });
        open.push((ordinal, Arc::downgrade(&inner)));
        Ok(Device(inner))
    }

    /// Its number in the order of [`devices`].
    pub fn ordinal(&self) -> usize {
        self.0.context.ordinal
    }

    /// Its properties.
    pub fn properties(&self) -> &Properties {
        &self.0.context.properties
    }

    /// Bytes of its memory that no program uses now.
    pub fn free_memory(&self) -> Result<u64, Error> {
        self.0.context.free_memory()
    }

    /// A new stream, which runs its work in order.
    pub fn stream(&self) -> Result<Stream, Error> {
        Stream::new(Arc::clone(&self.0.context))
    }

    /// The module of a source text, compiled for this card, or taken from memory or the cache on disk. Messages call it
    /// `name`.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], [`Error::OldCompiler`], [`Error::Compile`], [`Error::Other`].
    pub fn load(&self, name: &str, source: &str) -> Result<Module, Error> {
        let architecture = self.properties().compute_capability;
        let key = Key::new(source, architecture);
        let slot = {
            let mut modules = self.0.modules.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(modules.entry(key.text().to_owned()).or_default())
        };
        // Held while compiling: a second thread that needs the same module waits; threads that need others do not.
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = &*slot {
            return Ok(Module(Arc::clone(loaded)));
        }
        let cubin = cache::cubin(name, source, architecture)?;
        let loaded = Arc::new(Loaded::new(Arc::clone(&self.0.context), name, &cubin.bytes)?);
        *slot = Some(Arc::clone(&loaded));
        Ok(Module(loaded))
    }

    /// The module of another program's text, which includes files of a folder, compiled with the defaults of that
    /// program's compiler. It is not cached.
    ///
    /// # Errors
    /// Those of [`Device::load`].
    pub fn load_including(&self, name: &str, source: &str, folder: &Path) -> Result<Module, Error> {
        let options = ["--std=c++17".to_owned(), format!("--include-path={}", folder.display())];
        let architecture = self.properties().compute_capability;
        let cubin = compiler()?.compile_with(name, source, architecture, &options, &[])?;
        Ok(Module(Arc::new(Loaded::new(Arc::clone(&self.0.context), name, &cubin.bytes)?)))
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.0.context
    }
}

impl Context {
    fn open(ordinal: usize) -> Result<Self, Error> {
        let driver = driver()?;
        let count = count(driver)?;
        if ordinal >= count {
            let last = count - 1;
            return Err(Error::NoDevice {
                reason: format!(
                    "There is no GPU {ordinal}: the NVIDIA driver shows {count}, the last of them \
                     is number {last}. Take a number up to {last}; CUDA_VISIBLE_DEVICES may hide \
                     others."
                ),
            });
        }
        let device = handle(driver, ordinal)?;
        let properties = properties(driver, device)?;
        if properties.compute_capability < OLDEST_CARD {
            let found = properties.compute_capability;
            return Err(Error::OldCard { name: properties.name, found });
        }
        let mut handle = std::ptr::null_mut();
        // SAFETY: `device` is the driver's, `handle` is written.
        let result = unsafe { sys::cuDevicePrimaryCtxRetain(&raw mut handle, device) };
        check(result, || format!("open GPU {ordinal} ({})", properties.name))?;
        Ok(Context { ordinal, properties, device, handle })
    }

    /// Makes this card current on the calling thread.
    pub fn make_current(&self) -> Result<(), Error> {
        // SAFETY: the context lives as long as `self`.
        check(unsafe { sys::cuCtxSetCurrent(self.handle) }, || {
            format!("go to GPU {} ({})", self.ordinal, self.properties.name)
        })
    }

    pub fn free_memory(&self) -> Result<u64, Error> {
        self.make_current()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: both are written.
        let result = unsafe { sys::cuMemGetInfo_v2(&raw mut free, &raw mut total) };
        check(result, || format!("ask how much memory of {} is free", self.properties.name))?;
        Ok(free as u64)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: retained once, and everything on the card holds an `Arc` of it. At the end of the process the driver
        // may already be closed, which does no harm.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// The number of cards that the driver finds, at least one.
fn count(_: Driver) -> Result<usize, Error> {
    let mut count = 0;
    // SAFETY: the driver is initialised; `count` is written.
    match unsafe { sys::cuDeviceGetCount(&raw mut count) } {
        CUresult::CUDA_SUCCESS if count > 0 => Ok(count as usize),
        CUresult::CUDA_SUCCESS | CUresult::CUDA_ERROR_NO_DEVICE => {
            Err(Error::NoDevice { reason: no_device() })
        }
        other => Err(Error::Other { action: "count the GPUs".into(), reason: describe(other) }),
    }
}

fn handle(_: Driver, ordinal: usize) -> Result<sys::CUdevice, Error> {
    let mut device = 0;
    // SAFETY: the driver is initialised; `device` is written. A driver counts in `c_int`.
    let result = unsafe { sys::cuDeviceGet(&raw mut device, ordinal as c_int) };
    check(result, || format!("find GPU {ordinal}"))?;
    Ok(device)
}

fn properties(driver: Driver, device: sys::CUdevice) -> Result<Properties, Error> {
    let attribute = |attribute: Attribute| -> Result<u32, Error> {
        let mut value = 0;
        // SAFETY: `device` is the driver's; `value` is written.
        let result = unsafe { sys::cuDeviceGetAttribute(&raw mut value, attribute, device) };
        check(result, || format!("ask a GPU for {attribute:?}"))?;
        Ok(value.unsigned_abs())
    };
    let mut name = [0_u8; 256];
    // SAFETY: the buffer has room for as many characters as are written, with the end mark.
    let result = unsafe { sys::cuDeviceGetName(name.as_mut_ptr().cast(), 256, device) };
    check(result, || "ask a GPU for its name".into())?;
    let name = CStr::from_bytes_until_nul(&name).unwrap_or(c"GPU without a name");
    let mut memory = 0;
    // SAFETY: `memory` is written.
    let result = unsafe { sys::cuDeviceTotalMem_v2(&raw mut memory, device) };
    check(result, || "ask a GPU for its memory".into())?;
    let compute_capability = (
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    );
    Ok(Properties {
        name: name.to_string_lossy().into_owned(),
        compute_capability,
        // CUDA C++ Programming Guide, "Thread Block Clusters": 8 everywhere, 16 on large cards on request.
        blocks_per_cluster: match compute_capability {
            old if old < CLUSTERS_FROM => 1,
            (9 | 10, _) => MOST_BLOCKS_OF_CLUSTER,
            _ => 8,
        },
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_memory_per_block: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
        )? as usize,
        memory: memory as u64,
        driver: driver.version,
    })
}
