//! What came of changes to recordings, as files: for people, for comments of pull requests and for CI servers.

#[cfg(feature = "html")]
mod html;
#[cfg(feature = "junit")]
mod junit;
mod markdown;
mod words;

#[cfg(feature = "html")]
pub use html::mutation_page;
#[cfg(feature = "junit")]
pub use junit::mutation_junit;
pub use markdown::mutation_markdown;
