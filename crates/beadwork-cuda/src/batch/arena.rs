//! Many arrays in one piece of device memory.

use bytemuck::Pod;

use crate::{Buffer, Device, Error, Stream};

/// Arrays stored one after another, each at a multiple of 16 bytes.
#[derive(Debug, Default)]
pub struct Arena {
    bytes: Vec<u8>,
}

impl Arena {
    /// Adds an array; returns its offset in bytes.
    pub fn add<E: Pod>(&mut self, array: &[E]) -> u64 {
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        let begin = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytemuck::cast_slice(array));
        begin
    }

    /// The bytes of all arrays so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Uploads all arrays into a new buffer.
    pub fn upload(&self, device: &Device, stream: &Stream) -> Result<Buffer<u8>, Error> {
        let mut buffer = Buffer::new(device, self.bytes.len().max(16))?;
        buffer.upload(stream, 0, &self.bytes)?;
        Ok(buffer)
    }
}
