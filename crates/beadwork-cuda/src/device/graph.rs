//! Launches that are recorded once and then started together, again and again: a launch of its own costs the host more
//! than a small kernel takes.

use std::sync::Arc;

use cudarc::driver::sys::{self, CUresult};

use crate::Stream;
use crate::device::Context;
use crate::error::{Error, check};

/// Kernels in their order, with their parameters.
#[derive(Debug)]
pub struct Graph {
    context: Arc<Context>,
    handle: sys::CUgraphExec,
    /// For messages.
    name: Arc<str>,
}

// SAFETY: the driver's handles belong to the process; a graph is only changed and started through `&mut self` or by
// the owner of its stream.
unsafe impl Send for Graph {}

impl Graph {
    /// Records what `launches` gives to the stream; nothing of it runs. `name` is for messages.
    ///
    /// # Errors
    /// Those of `launches`, and [`Error::Other`].
    pub fn record(
        stream: &Stream,
        name: &Arc<str>,
        launches: impl FnOnce() -> Result<(), Error>,
    ) -> Result<Graph, Error> {
        let context = Arc::clone(stream.context());
        context.make_current()?;
        let action = || format!("record launches on {}", context.properties.name);
        // Only launches are called meanwhile; other threads use other streams and are not restricted.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream lives; nothing else is given to it before the end of the recording.
        check(unsafe { sys::cuStreamBeginCapture_v2(stream.handle(), mode) }, action)?;
        let launched = launches();
        let mut graph = std::ptr::null_mut();
        // SAFETY: the recording was begun above; `graph` is written.
        let ended = unsafe { sys::cuStreamEndCapture(stream.handle(), &raw mut graph) };
        launched?;
        check(ended, action)?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the graph was just recorded; `handle` is written.
        let made = unsafe { sys::cuGraphInstantiateWithFlags(&raw mut handle, graph, 0) };
        // SAFETY: what was made of it does not need it any more.
        let _ = unsafe { sys::cuGraphDestroy(graph) };
        check(made, action)?;
        Ok(Graph { context, handle, name: Arc::clone(name) })
    }

    /// Starts all of it and returns before it is done.
    ///
    /// # Errors
    /// [`Error::Launch`].
    ///
    /// # Safety
    /// As for each launch that was recorded, with the parameters that it had then.
    pub unsafe fn replay(&self, stream: &Stream) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: graph and stream live; the rest is the caller's promise.
        match unsafe { sys::cuGraphLaunch(self.handle, stream.handle()) } {
            CUresult::CUDA_SUCCESS => {
                stream.note(&self.name);
                Ok(())
            }
            other => Err(Error::of_kernel(&self.name, other)),
        }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: made once. Work that is under way is finished by the driver.
            let _ = unsafe { sys::cuGraphExecDestroy(self.handle) };
        }
    }
}
