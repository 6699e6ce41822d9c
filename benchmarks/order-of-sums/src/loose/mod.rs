//! What would be possible without the rules: sums in any order, fused multiplications, estimated
//! reciprocals.

#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
mod aarch64;
mod ensemble;
mod single;
mod vectors;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use ensemble::LooseReplicas;
pub use single::LooseTiles;
pub use vectors::{LooseReal, is_available};
