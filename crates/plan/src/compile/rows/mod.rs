//! The rows that a test runs with.
//!
//! Rows of a CSV or JSONL file are never in memory together: the plan keeps where each begins. Those of YAML are, since
//! YAML can only be read whole, and is bounded in size.

mod cell_blanks;
mod data_file;
mod delimited;
mod lines;
mod loaded_rows;
mod row;
mod rows;

pub use delimited::{NumberedRow, read_csv};
pub(crate) use row::Row;
pub use row::RowEntry;
pub(crate) use rows::Rows;
