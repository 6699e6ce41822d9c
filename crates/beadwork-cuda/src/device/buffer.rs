//! Memory on a card.

use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::sys::{self, CUresult};

use crate::Device;
use crate::device::Context;
use crate::device::stream::Stream;
use crate::error::{Error, check};

/// A fixed number of elements in the memory of one device.
///
/// The driver's plain allocator provides it. Freeing waits for the card: make buffers once, not at every step.
#[derive(Debug)]
pub struct Buffer<T> {
    context: Arc<Context>,
    address: u64,
    length: usize,
    element: PhantomData<T>,
}

impl<T: Pod> Buffer<T> {
    /// A buffer of `length` elements with arbitrary content.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is not enough free memory, [`Error::Other`].
    pub fn new(device: &Device, length: usize) -> Result<Self, Error> {
        let context = Arc::clone(device.context());
        context.make_current()?;
        let mut address = 0;
        // A size that overflows exceeds any card's memory.
        let bytes = length.saturating_mul(size_of::<T>());
        if bytes > 0 {
            // SAFETY: `address` is written.
            match unsafe { sys::cuMemAlloc_v2(&raw mut address, bytes) } {
                CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                    return Err(Error::Memory {
                        asked: bytes as u64,
                        free: context.free_memory().ok(),
                        device: context.properties.name.clone(),
                    });
                }
                other => check(other, || {
                    format!("get {bytes} bytes of memory on {}", context.properties.name)
                })?,
            }
        }
        Ok(Buffer { context, address, length, element: PhantomData })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The device address of its first element, a multiple of 256; 0 if it is empty.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Copies `from` to the device, its first element to index `first`. It waits for earlier work of the stream, and returns when the
    /// copy is done.
    ///
    /// # Errors
    /// Those of [`Stream::wait`], and [`Error::Other`].
    ///
    /// # Panics
    /// If the elements lie outside of the buffer, or the stream belongs to another device.
    pub fn upload(&mut self, stream: &Stream, first: usize, from: &[T]) -> Result<(), Error> {
        let address = self.part(stream, first, from.len());
        if from.is_empty() {
            return Ok(());
        }
        // SAFETY: the part lies inside of the buffer, which is borrowed; launchers promise that no kernel uses it
        // meanwhile.
        unsafe { stream.upload(address, bytemuck::cast_slice(from)) }
    }

    /// Copies as many elements as `to` has, the first with index `first`, from the device. It waits for earlier work of the stream,
    /// and returns when the copy is done.
    ///
    /// # Errors
    /// Those of [`Stream::wait`], and [`Error::Other`].
    ///
    /// # Panics
    /// If the elements lie outside of the buffer, or the stream belongs to another device.
    pub fn download(&self, stream: &Stream, first: usize, to: &mut [T]) -> Result<(), Error> {
        let address = self.part(stream, first, to.len());
        if to.is_empty() {
            return Ok(());
        }
        // SAFETY: as for `upload`; any bytes are a `T`.
        unsafe { stream.download(bytemuck::cast_slice_mut(to), address) }
    }

    /// Copies all elements of another buffer of the same length on the card, after earlier work of the stream, without
    /// waiting.
    ///
    /// # Panics
    /// If the lengths differ, or the stream belongs to another device.
    pub fn copy_from(&mut self, stream: &Stream, from: &Buffer<T>) -> Result<(), Error> {
        assert_eq!(self.length, from.length, "elements of both buffers");
        let (to, from) = (self.part(stream, 0, self.length), from.part(stream, 0, from.length));
        if self.is_empty() {
            return Ok(());
        }
        // SAFETY: as for `upload`, for both buffers. If a buffer is dropped early, the driver waits.
        unsafe { stream.copy(to, from, self.length * size_of::<T>()) }
    }

    /// Sets all bytes to zero, after earlier work of the stream, without waiting.
    ///
    /// # Panics
    /// If the stream belongs to another device.
    pub fn fill_zero(&mut self, stream: &Stream) -> Result<(), Error> {
        let address = self.part(stream, 0, self.length);
        if self.is_empty() {
            return Ok(());
        }
        // SAFETY: as for `upload`. If the buffer is dropped early, the driver waits.
        unsafe { stream.fill_zero(address, self.length * size_of::<T>()) }
    }

    /// The address of `count` elements from `first` on.
    fn part(&self, stream: &Stream, first: usize, count: usize) -> u64 {
        assert_eq!(
            stream.context().ordinal,
            self.context.ordinal,
            "buffer and stream belong to different devices"
        );
        assert!(
            first <= self.length && count <= self.length - first,
            "elements {first} to {first} + {count} of a buffer of {}",
            self.length
        );
        self.address + (first * size_of::<T>()) as u64
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        if self.address != 0 && self.context.make_current().is_ok() {
            // SAFETY: allocated once; the driver waits for unfinished work.
            let _ = unsafe { sys::cuMemFree_v2(self.address) };
        }
    }
}
