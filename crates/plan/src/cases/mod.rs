//! JSONL case files, the other way to write tests: each case in, a test in the shape of YAML out.
//!
//! `reader` finds the cases of a file one after the other, `read_case` reads one of them into the types of the model, and
//! `lower` says it in the words of a YAML test, as a tree whose parts keep their places. From there on a case is a test like
//! any other. `convert` writes it as YAML.
//!
//! **Invariant:** what a case means is said by the rules of YAML alone; no case file is in memory as a whole.

mod assertions;
mod builder;
mod convert;
mod generated;
mod lower;
mod lowered_assertion;
mod messages;
mod options;
mod parts;
mod read_case;
mod reader;
#[cfg(test)]
mod round_trip;
mod scanner;
mod simulation;
mod tool_assertions;
mod tool_results;

pub use ananke_base::source::is_case_file;
pub use convert::Conversion;
pub use generated::{AllowedReach, CaseMaker, unallowed};
pub(crate) use read_case::ReadCase;
pub use reader::FilePart;
pub(crate) use reader::{CaseFile, CaseText};
