//! Systems and stages as tables in device memory.

mod cache;
mod formulas;
mod stage;
mod system;
mod terms;

pub use cache::TableCache;
pub use formulas::{MOST_TERMS, TermNames, pair_types, struct_name};
pub use stage::{external_numbers, external_record};
pub use system::{Skins, SystemTables, is_wide};
pub use terms::record;
