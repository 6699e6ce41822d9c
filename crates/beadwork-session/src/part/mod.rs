//! Parts of an ensemble: some of its members, in a folder of their own.
//!
//! A member's number counts over ensemble and sweep: point × replicas + replica. It is part of the key of the noise and of the
//! names of the member's files. So a part writes the same files as the whole run, and parts can be analysed together.

mod member_range;
mod view;

pub use member_range::Part;
pub use view::View;
