//! Compiled kernels on a card.

use std::ffi::CString;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUresult};

use crate::device::Context;
use crate::error::{Error, check, describe};

/// The kernels of one source text on one card. Clones are the same module.
#[derive(Clone, Debug)]
pub struct Module(pub(crate) Arc<Loaded>);

#[derive(Debug)]
pub(crate) struct Loaded {
    context: Arc<Context>,
    name: String,
    handle: sys::CUmodule,
}

// SAFETY: the driver's handles belong to the process; any thread may use them at any time.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Loaded {
    /// Loads `cubin`, which is for the card of that context.
    pub fn new(context: Arc<Context>, name: &str, cubin: &[u8]) -> Result<Self, Error> {
        context.make_current()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: a complete ELF file made by NVRTC, which contains its own length; `handle` is written.
        let result = unsafe { sys::cuModuleLoadData(&raw mut handle, cubin.as_ptr().cast()) };
        check(result, || {
            let (major, minor) = context.properties.driver;
            format!(
                "load the kernel {name} into {} (driver of CUDA {major}.{minor})",
                context.properties.name
            )
        })?;
        Ok(Loaded { context, name: name.to_owned(), handle })
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: loaded once, and every function of it holds an `Arc` of it.
            let _ = unsafe { sys::cuModuleUnload(self.handle) };
        }
    }
}

impl Module {
    /// The kernel of that name in the source (`extern "C"`).
    ///
    /// # Errors
    /// [`Error::Other`] if there is no such kernel, or if it has more than one parameter.
    pub fn function(&self, name: &str) -> Result<Function, Error> {
        let loaded = &self.0;
        loaded.context.make_current()?;
        let action = || format!("find the function {name} of the kernel {}", loaded.name);
        let plain = CString::new(name)
            .map_err(|error| Error::Other { action: action(), reason: error.to_string() })?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the module is loaded, the name ends with a zero, `handle` is written.
        let result =
            unsafe { sys::cuModuleGetFunction(&raw mut handle, loaded.handle, plain.as_ptr()) };
        check(result, action)?;

        let attribute = |attribute: Attribute| -> Result<u32, Error> {
            let mut value = 0;
            // SAFETY: `handle` is a function of a loaded module; `value` is written.
            let result = unsafe { sys::cuFuncGetAttribute(&raw mut value, attribute, handle) };
            check(result, || format!("ask the function {name} for {attribute:?}"))?;
            Ok(value.unsigned_abs())
        };
        let parameter = |index: usize| -> Result<Option<usize>, Error> {
            let (mut offset, mut bytes) = (0, 0);
            // SAFETY: as above; both are written.
            let result =
                unsafe { sys::cuFuncGetParamInfo(handle, index, &raw mut offset, &raw mut bytes) };
            match result {
                CUresult::CUDA_SUCCESS => Ok(Some(bytes)),
                // The kernel has no parameter of that number.
                CUresult::CUDA_ERROR_INVALID_VALUE => Ok(None),
                other => Err(Error::Other { action: action(), reason: describe(other) }),
            }
        };
        if parameter(1)?.is_some() {
            let reason = "it takes more than one parameter".into();
            return Err(Error::Other { action: action(), reason });
        }
        Ok(Function {
            name: name.into(),
            registers: attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            local_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)? as usize,
            static_shared_bytes: attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?
                as usize,
            parameter_bytes: parameter(0)?.unwrap_or(0),
            handle,
            loaded: Arc::clone(loaded),
        })
    }
}

/// A kernel that can be started.
#[derive(Clone, Debug)]
pub struct Function {
    name: Arc<str>,
    registers: u32,
    local_bytes: usize,
    static_shared_bytes: usize,
    parameter_bytes: usize,
    handle: sys::CUfunction,
    loaded: Arc<Loaded>,
}

// SAFETY: as for the module, which the function keeps loaded.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// Registers of 32 bits that a thread uses.
    pub fn registers(&self) -> u32 {
        self.registers
    }

    /// Bytes of local memory that a thread uses, in the card's slow memory.
    pub fn local_bytes(&self) -> usize {
        self.local_bytes
    }

    /// Bytes of shared memory that the source declares for a block.
    pub fn static_shared_bytes(&self) -> usize {
        self.static_shared_bytes
    }

    /// Bytes of its parameter, 0 if it has none.
    pub fn parameter_bytes(&self) -> usize {
        self.parameter_bytes
    }

    /// Lets a launch request that many bytes of shared memory besides the static ones; without this call the limit is
    /// 48 KiB in all.
    ///
    /// # Errors
    /// [`Error::Other`] if a block of this card has less.
    pub fn allow_shared_memory(&self, bytes: usize) -> Result<(), Error> {
        self.loaded.context.make_current()?;
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        let value = i32::try_from(bytes).unwrap_or(i32::MAX);
        // SAFETY: the function's module is loaded.
        let result = unsafe { sys::cuFuncSetAttribute(self.handle, attribute, value) };
        check(result, || {
            format!(
                "give blocks of the function {} {bytes} bytes of shared memory beside {} static \
                 ones ({} has {} in all)",
                self.name,
                self.static_shared_bytes,
                self.loaded.context.properties.name,
                self.loaded.context.properties.shared_memory_per_block
            )
        })
    }

    /// The number of clusters of `cluster` blocks, each with `threads` threads and `shared` bytes of dynamic shared
    /// memory, that the card runs at a time; 0 if none fits. The kernel must be compiled for such clusters. Allows more
    /// than 8 blocks, which not every card supports.
    pub fn clusters(&self, cluster: u32, threads: u32, shared: usize) -> Result<u32, Error> {
        let context = &self.loaded.context;
        context.make_current()?;
        let action = || {
            format!("ask how many clusters of {cluster} blocks of the function {} fit", self.name)
        };
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        // SAFETY: the function's module is loaded.
        check(unsafe { sys::cuFuncSetAttribute(self.handle, attribute, 1) }, action)?;
        let mut dimension = sys::CUlaunchAttribute_st {
            id: sys::CUlaunchAttributeID_enum::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
            pad: [0; 4],
            value: sys::CUlaunchAttributeValue_union { pad: [0; 64] },
        };
        dimension.value.clusterDim.x = cluster;
        dimension.value.clusterDim.y = 1;
        dimension.value.clusterDim.z = 1;
        let configuration = sys::CUlaunchConfig_st {
            gridDimX: cluster,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: u32::try_from(shared).unwrap_or(u32::MAX),
            hStream: std::ptr::null_mut(),
            attrs: &raw mut dimension,
            numAttrs: 1,
        };
        let mut clusters = 0;
        // SAFETY: the function's module is loaded; the configuration and its attribute exist until the call returns,
        // and `clusters` is written.
        let result = unsafe {
            sys::cuOccupancyMaxActiveClusters(
                &raw mut clusters,
                self.handle,
                &raw const configuration,
            )
        };
        match result {
            // This card does not support such clusters.
            CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE => Ok(0),
            other => check(other, action).map(|()| clusters.unsigned_abs()),
        }
    }

    /// The number of blocks of `threads` threads and `shared` bytes of dynamic shared memory that a multiprocessor runs
    /// at a time; 0 if none fits.
    pub fn blocks_per_multiprocessor(&self, threads: u32, shared: usize) -> Result<u32, Error> {
        self.loaded.context.make_current()?;
        let mut blocks = 0;
        // SAFETY: the function's module is loaded; `blocks` is written.
        let result = unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.handle,
                i32::try_from(threads).unwrap_or(i32::MAX),
                shared,
            )
        };
        check(result, || {
            format!(
                "ask how many blocks of {threads} threads and {shared} bytes of shared memory of \
                 the function {} fit",
                self.name
            )
        })?;
        Ok(blocks.unsigned_abs())
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub(crate) fn handle(&self) -> sys::CUfunction {
        self.handle
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.loaded.context
    }
}
