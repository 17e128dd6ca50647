//! What the codes mean, for people: one table that `ananke explain CODE` prints and the tests hold to.

mod code_docs;
mod project;
mod table;
mod values;
mod warnings;

pub use code_docs::{CodeDocs, Example, ExampleFile};
