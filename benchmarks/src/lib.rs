//! What `beadwork bench` measures, with the programs and published schemes that it compares with.

pub mod kernels;
