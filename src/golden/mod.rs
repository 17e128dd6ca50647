//! Golden traces: what an agent did as a text that two runs have in common, and the files that such texts are kept in.
//!
//! A trace flows in, the [`States`] of its turns beside it, and a text comes out that a person can review: without times,
//! with names for ids, with a mask over secrets and over every [`Volatile`] place. **Invariant:** the same conversation
//! gives the same text, and two conversations that differ in anything else give texts that differ: what is cut leaves
//! its digest behind.

mod file;
mod json;
mod names;
mod page;
mod state;
mod story;
mod volatile;

pub use file::{
    FOLDER, Golden, differs, file_name, folder, is_golden, is_named, other_format, read, test_files_of, write,
};
pub use state::States;
pub use story::{Part, Story};
pub use volatile::Volatile;
