//! One renderer per file: each turns diagnostics into text, wherever it is printed.

mod human;
mod json;
mod summary;

pub use human::{RenderStyle, human};
pub use json::json;
pub use summary::summary;
