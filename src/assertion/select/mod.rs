//! Which calls a rule is about: by name, arguments and result.

mod argument_patterns;
mod arguments;
mod count;
mod json_subset;
mod mismatch;
mod result;
mod selector;
mod tool_name;

pub use argument_patterns::{ArgumentPatterns, Matching};
pub use arguments::ArgumentConditions;
pub use count::Counted;
pub use json_subset::Partial;
pub(crate) use mismatch::Misfits;
pub use result::ResultConditions;
pub use selector::Selector;
pub(crate) use selector::{Selecting, Written};
pub use tool_name::ToolName;
pub(crate) use tool_name::{Naming, tool_name};
