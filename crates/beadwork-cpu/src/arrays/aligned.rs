//! Buffers that begin at a cache line, so that no vector crosses a boundary between cache lines.

use std::ops::{Deref, DerefMut};

const LINE_BYTES: usize = 64;

/// An array of numbers that begins at a cache line.
#[derive(Debug)]
pub(crate) struct Aligned<T> {
    storage: Vec<T>,
    offset: usize,
    length: usize,
}

impl<T: Clone> Aligned<T> {
    pub fn new(value: T, length: usize) -> Self {
        let spare = LINE_BYTES / size_of::<T>();
        let storage = vec![value; length + spare];
        // The storage does not move as long as its vector keeps its length.
        let offset = storage.as_ptr().align_offset(LINE_BYTES);
        let offset = if offset <= spare { offset } else { 0 };
        Aligned { storage, offset, length }
    }
}

impl<T: Clone> Clone for Aligned<T> {
    fn clone(&self) -> Self {
        let Some(first) = self.storage.first() else { return Self::default() };
        let mut copy = Aligned::new(first.clone(), self.length);
        copy.clone_from_slice(self);
        copy
    }
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Aligned { storage: Vec::new(), offset: 0, length: 0 }
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.storage[self.offset..self.offset + self.length]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.storage[self.offset..self.offset + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_at_a_line_and_keeps_its_numbers_when_copied() {
        for length in [0, 1, 17, 1000] {
            let mut numbers = Aligned::new(0.0_f32, length);
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = index as f32;
            }
            let copy = numbers.clone();
            assert_eq!(copy.len(), length);
            assert_eq!(*copy, *numbers);
            assert!(length == 0 || copy.as_ptr().addr() % LINE_BYTES == 0);
        }
    }
}
