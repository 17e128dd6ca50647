//! The results of changes to recordings, for people, for comments of pull requests, for CI servers and for programs.

mod console;
#[cfg(feature = "html")]
mod html;
#[cfg(feature = "junit")]
mod junit;
mod markdown;
mod words;

pub use console::{MutationDocument, MutationGates, mutation_conclusion};
