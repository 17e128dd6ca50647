//! The rules that can never fail and those that can never pass (SPEC 7.1): mistakes that no run shows.
//!
//! The blocks of the levels flow in, warnings come out. **Invariant:** a warning is true whatever the agent does, so
//! that `--deny-warnings` refuses no test that has a meaning.

mod calls;
mod exclusions;
mod limits;
mod lint;
mod lint_context;
mod rules;
mod texts;

pub use lint::{Lint, lint, lint_checkpoint};
pub use lint_context::{LintContext, Timeout};
