//! The smallest part of a list that is still good enough: delta debugging.
//!
//! Flows in: a list, and for each candidate whether it is good enough. Flows out: a list from which no single item can be
//! omitted. It knows neither what the items are nor how candidates are tried, so a caller can try them as it likes, also
//! asynchronously.
//!
//! **Invariant:** every candidate is shorter than what is left, and none is given twice; the same answers give the same
//! candidates.

mod ddmin;

pub use ddmin::Reduction;
