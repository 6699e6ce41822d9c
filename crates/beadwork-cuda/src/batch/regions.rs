//! Arrays in device memory that kernels alone write.

/// Consecutive regions of memory, beginning at an address.
pub struct Regions {
    /// The address after the last one.
    pub end: u64,
}

impl Regions {
    /// Takes a region for `length` elements; returns its address, a multiple of 256.
    pub fn take<E>(&mut self, length: usize) -> u64 {
        let begin = self.end;
        self.end = (begin + (length * size_of::<E>()) as u64).next_multiple_of(256);
        begin
    }
}
