//! Streams: launches and copies in order, and waiting for them.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{self, CUresult};

use crate::Function;
use crate::device::Context;
use crate::error::{Error, check, describe};

/// Work that runs in order; streams of one device run concurrently.
#[derive(Debug)]
pub struct Stream {
    context: Arc<Context>,
    handle: sys::CUstream,
    /// The end of the work up to a wait; threads sleep until it comes.
    end: sys::CUevent,
    /// Functions started since the last wait, for messages: failures are reported only later.
    started: Mutex<Vec<Arc<str>>>,
}

// SAFETY: the driver's handles belong to the process; any thread may use them at any time.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    pub(crate) fn new(context: Arc<Context>) -> Result<Self, Error> {
        context.make_current()?;
        let mut handle = std::ptr::null_mut();
        // The stream does not wait for the default stream, which this crate does not use.
        let flags = sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: `handle` is written.
        let result = unsafe { sys::cuStreamCreate(&raw mut handle, flags) };
        check(result, || format!("make a stream on {}", context.properties.name))?;
        let mut stream =
            Stream { context, handle, end: std::ptr::null_mut(), started: Mutex::default() };
        let flags = sys::CUevent_flags::CU_EVENT_BLOCKING_SYNC as u32
            | sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32;
        // SAFETY: `end` is written.
        let result = unsafe { sys::cuEventCreate(&raw mut stream.end, flags) };
        check(result, || format!("make an event on {}", stream.context.properties.name))?;
        Ok(stream)
    }

    /// Starts `blocks` blocks of `threads` threads with `shared` bytes of dynamic shared memory each, and returns
    /// before they are done. `parameters` is the kernel's only parameter, a `repr(C)` structure that is copied; `()` if
    /// it has none.
    ///
    /// # Errors
    /// [`Error::Launch`] if the card cannot run such blocks, or `parameters` and the kernel's parameter differ in size.
    ///
    /// # Panics
    /// If the function belongs to another device.
    ///
    /// # Safety
    /// The kernel's parameter must have the layout of `P`. Its addresses must be those of buffers that are large enough
    /// and exist until a wait for the stream. Meanwhile nothing else may write to them, or use those to which the
    /// kernel writes.
    pub unsafe fn launch<P: Copy>(
        &self,
        function: &Function,
        blocks: u32,
        threads: u32,
        shared: usize,
        parameters: &P,
    ) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.start(function, blocks, threads, shared, parameters, false) }
    }

    /// Like [`Stream::launch`], for blocks that wait for each other: they all run at a time, or the launch fails.
    ///
    /// # Errors
    /// As [`Stream::launch`], and if so many blocks do not fit on the card at a time.
    ///
    /// # Panics
    /// If the function belongs to another device.
    ///
    /// # Safety
    /// As [`Stream::launch`].
    pub unsafe fn launch_together<P: Copy>(
        &self,
        function: &Function,
        blocks: u32,
        threads: u32,
        shared: usize,
        parameters: &P,
    ) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.start(function, blocks, threads, shared, parameters, true) }
    }

    /// Starts blocks, which all run at a time if they are `together`.
    ///
    /// # Safety
    /// As [`Stream::launch`].
    unsafe fn start<P: Copy>(
        &self,
        function: &Function,
        blocks: u32,
        threads: u32,
        shared: usize,
        parameters: &P,
        together: bool,
    ) -> Result<(), Error> {
        assert_eq!(
            function.context().ordinal,
            self.context.ordinal,
            "function {} and stream belong to different devices",
            function.name()
        );
        if size_of::<P>() != function.parameter_bytes() {
            return Err(Error::Launch {
                kernel: function.name().to_string(),
                reason: format!(
                    "its parameter has {} bytes and was given {}. Please report this.",
                    function.parameter_bytes(),
                    size_of::<P>()
                ),
            });
        }
        self.context.make_current()?;
        let mut pointers: [*mut c_void; 1] = [std::ptr::from_ref(parameters).cast_mut().cast()];
        let (handle, pointers, stream) = (function.handle(), pointers.as_mut_ptr(), self.handle);
        let bytes = u32::try_from(shared).unwrap_or(u32::MAX);
        // SAFETY: the function's module is loaded; its only parameter is read from `parameters`, which has its size;
        // the caller promises the rest.
        let result = unsafe {
            match together {
                true => sys::cuLaunchCooperativeKernel(
                    handle, blocks, 1, 1, threads, 1, 1, bytes, stream, pointers,
                ),
                false => sys::cuLaunchKernel(
                    handle,
                    blocks,
                    1,
                    1,
                    threads,
                    1,
                    1,
                    bytes,
                    stream,
                    pointers,
                    std::ptr::null_mut(),
                ),
            }
        };
        if result != CUresult::CUDA_SUCCESS {
            return Err(refused(function, blocks, threads, shared, result));
        }
        self.note(function.name());
        Ok(())
    }

    /// Records that a function was started.
    pub(crate) fn note(&self, function: &Arc<str>) {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if !started.iter().any(|name| Arc::ptr_eq(name, function)) {
            started.push(Arc::clone(function));
        }
    }

    /// Waits until all work of the stream is done. The thread sleeps, since a launch takes milliseconds and others write rows
    /// meanwhile.
    ///
    /// # Errors
    /// [`Error::Watchdog`] and [`Error::Launch`] if a kernel failed since the last wait. This process cannot use the
    /// device any more then.
    pub fn wait(&self) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: stream and event exist as long as `self`.
        let result = unsafe {
            match sys::cuEventRecord(self.end, self.handle) {
                CUresult::CUDA_SUCCESS => sys::cuEventSynchronize(self.end),
                other => other,
            }
        };
        self.finish(result)
    }

    /// Waits without sleeping, for a copy: waking up would take longer.
    fn wait_for_copy(&self) -> Result<(), Error> {
        // SAFETY: the stream exists as long as `self`.
        let result = unsafe { sys::cuStreamSynchronize(self.handle) };
        self.finish(result)
    }

    /// Converts the result of a call that waited for earlier kernels.
    fn finish(&self, result: CUresult) -> Result<(), Error> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        let names = std::mem::take(&mut *started);
        match result {
            CUresult::CUDA_SUCCESS => Ok(()),
            other if names.is_empty() => Err(Error::Other {
                action: format!("wait for {}", self.context.properties.name),
                reason: describe(other),
            }),
            other => Err(Error::of_kernel(&names.join(" or "), other)),
        }
    }

    /// Copies to the card and waits.
    ///
    /// # Safety
    /// `to` is an address on the stream's device with at least as many bytes, which nothing else
    /// uses meanwhile.
    pub(crate) unsafe fn upload(&self, to: u64, from: &[u8]) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: `from` is borrowed until the wait is over; the caller promises the rest.
        let result =
            unsafe { sys::cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), self.handle) };
        self.started_copy(result, || format!("copy {} bytes to the GPU", from.len()))?;
        self.wait_for_copy()
    }

    /// Copies from the card and waits.
    ///
    /// # Safety
    /// `from` is an address on the stream's device with at least as many bytes, which nothing else
    /// writes to meanwhile.
    pub(crate) unsafe fn download(&self, to: &mut [u8], from: u64) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: `to` is borrowed until the wait is over; the caller promises the rest.
        let result = unsafe {
            sys::cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), self.handle)
        };
        self.started_copy(result, || format!("copy {} bytes from the GPU", to.len()))?;
        self.wait_for_copy()
    }

    /// Copies within the card's memory, in order, without waiting.
    ///
    /// # Safety
    /// Both are addresses on the stream's device with at least as many bytes, without overlap. Until a wait for the
    /// stream, nothing else may use `to` or write to `from`.
    pub(crate) unsafe fn copy(&self, to: u64, from: u64, bytes: usize) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: the caller's promise.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(to, from, bytes, self.handle) };
        self.started_copy(result, || format!("copy {bytes} bytes of the GPU's memory"))
    }

    /// Sets bytes to zero, in order, without waiting.
    ///
    /// # Safety
    /// `address` is an address on the stream's device with at least as many bytes, which nothing else uses until a wait
    /// for the stream.
    pub(crate) unsafe fn fill_zero(&self, address: u64, bytes: usize) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: the caller's promise.
        let result = unsafe { sys::cuMemsetD8Async(address, 0, bytes, self.handle) };
        self.started_copy(result, || format!("clear {bytes} bytes of the GPU's memory"))
    }

    /// The error of a copy that cannot be started, for its own reasons or because an earlier kernel failed.
    fn started_copy(&self, result: CUresult, action: impl FnOnce() -> String) -> Result<(), Error> {
        match result {
            CUresult::CUDA_SUCCESS => Ok(()),
            CUresult::CUDA_ERROR_INVALID_VALUE => check(result, action),
            other => match self.finish(other) {
                Err(Error::Other { reason, .. }) => Err(Error::Other { action: action(), reason }),
                outcome => outcome,
            },
        }
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(crate) fn handle(&self) -> sys::CUstream {
        self.handle
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: each was made once. The driver finishes the work under way.
            unsafe {
                if !self.end.is_null() {
                    let _ = sys::cuEventDestroy_v2(self.end);
                }
                let _ = sys::cuStreamDestroy_v2(self.handle);
            }
        }
    }
}

/// The error of a launch that was refused, or that reports the failure of an earlier one.
fn refused(
    function: &Function,
    blocks: u32,
    threads: u32,
    shared: usize,
    result: CUresult,
) -> Error {
    match Error::of_kernel(function.name(), result) {
        Error::Launch { kernel, reason } => Error::Launch {
            kernel,
            reason: format!(
                "{reason} It was started with {blocks} blocks of {threads} threads, {} registers a \
                 thread and {shared} + {} bytes of shared memory a block.",
                function.registers(),
                function.static_shared_bytes()
            ),
        },
        other => other,
    }
}
