//! JSONL case files, the other way to write tests: each case in, a test in the shape of YAML out.
//!
//! `reader` finds the cases of a file one after the other, `read_case` reads one of them, and `lower` says it in the words of
//! a YAML test, of which `plan` makes a test as of any other. **Invariant:** what a case means is said by the rules of YAML;
//! no file is in memory as a whole.

mod assertions;
mod builder;
mod lower;
mod messages;
mod parts;
mod read_case;
mod reader;
mod scanner;
mod tool_results;

pub(crate) use read_case::ReadCase;
pub use reader::FilePart;
pub use reader::is_case_file;
pub(crate) use reader::{CaseFile, CaseText};
