//! What a file may hold: the JSON Schemas, and loading a file against them.
//!
//! `generate` makes the schemas from the model, `prune` cuts them to an older version; the committed ones in `schema/`
//! are what the program uses. [`load`] is the one way from a text to a value of the model: the good path reads the
//! types and walks the tree once, and only a file that is wrong costs a compiled schema (`validate`, `narrow`). Every
//! problem of a file is reported at once, in words of our own; `salvage` reads what is left of a broken file, so that
//! the rest of it can be checked in the same go.

mod branch;
mod embedded;
mod generate;
mod load;
mod misshapen;
mod narrow;
mod prune;
mod raise;
mod salvage;
mod tidy;
mod validate;
mod value;
mod version;
mod walk;
mod words;

pub use embedded::{FileKind, embedded};
pub use generate::{generate, generate_of};
pub use load::{Loaded, load};
pub use prune::pruned;
pub use raise::raised;
pub use salvage::{Salvaged, salvage};
pub use value::{Mismatch, SchemaError, ValueSchema};
pub use version::Version;

use serde_json::Value;

/// A schema as it is committed and printed.
pub fn text(schema: &Value) -> String {
    format!("{schema:#}\n")
}
