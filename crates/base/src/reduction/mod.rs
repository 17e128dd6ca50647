//! The smallest part of a list that is still good enough: delta debugging.
//!
//! Flows in: a list, and for each candidate whether it is good enough. Flows out: a list from which no single item can be
//! omitted. It knows neither what the items are nor how candidates are tried, so a caller can try them as it likes, also
//! asynchronously.

mod ddmin;

pub use ddmin::Reduction;
