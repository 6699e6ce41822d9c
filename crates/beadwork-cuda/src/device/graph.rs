//! Launches that are recorded once and then started together many times: a separate launch costs the host more time
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
    /// The name in messages.
    name: Arc<str>,
}

// SAFETY: the driver's handles belong to the process; a graph is only changed and started through `&mut self` or by
// the owner of its stream.
unsafe impl Send for Graph {}

impl Graph {
    /// Records the launches that `launches` gives to the stream, without running them. Messages use `name`.
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
        // Only launches are called meanwhile; other threads use other streams without restriction.
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        // SAFETY: the stream exists; nothing else is given to it before the recording ends.
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
        // SAFETY: the executable graph does not need the recorded one any more.
        let _ = unsafe { sys::cuGraphDestroy(graph) };
        check(made, action)?;
        Ok(Graph { context, handle, name: Arc::clone(name) })
    }

    /// Starts all launches and returns before they are done.
    ///
    /// # Errors
    /// [`Error::Launch`].
    ///
    /// # Safety
    /// As for each recorded launch, with its parameters at that time.
    pub unsafe fn replay(&self, stream: &Stream) -> Result<(), Error> {
        self.context.make_current()?;
        // SAFETY: graph and stream exist; the caller promises the rest.
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
            // SAFETY: made once. The driver finishes the work under way.
            let _ = unsafe { sys::cuGraphExecDestroy(self.handle) };
        }
    }
}
