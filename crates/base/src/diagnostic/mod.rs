//! Everything a user can fix, as a value: what is wrong, where, what was expected, what to do.
//!
//! A [`Diagnostic`] has a code, a message, labels with spans, help and fixes. Renderers (one per file in `render/`) turn it
//! into text, and [`apply`] applies its fixes. What `ananke explain CODE` prints is the page of the code in `docs/`. Wording:
//! lowercase, no full stop, backticks around text of the user's.
//!
//! **Invariant:** a diagnostic is inert; the name of a code never changes its meaning; the examples of a code are true.

mod code;
mod code_docs;
#[expect(clippy::module_inception, reason = "the file of the type `Diagnostic`")]
mod diagnostic;
mod difference;
mod edit;
mod excerpt;
mod folded;
pub mod render;
mod source_file;
mod span;

pub use code::Code;
pub use code_docs::{CodeDocs, Example, ExampleFile};
pub use diagnostic::{Diagnostic, Label, Severity, sort};
pub use difference::{Difference, DifferenceLine, Hunk, Side};
pub use edit::{Edit, apply};
pub use excerpt::{Excerpt, ExcerptLine};
pub use folded::folded;
pub use source_file::{Place, SourceFile};
pub use span::{Span, Spanned};
