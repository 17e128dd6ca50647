//! The JSON Schemas of files, and loading a file against them.
//!
//! `generate` makes the schemas from the model, `prune` cuts them to an older version; the committed ones in `schema/`
//! are what the program uses. [`load()`] is the one way from a text to a value of the model: `check` walks the tree once
//! together with its schema, and every problem of a file is reported at once, in words of our own; `recover` reads what is left
//! of a broken file, so that the rest of it can be checked at the same time.

mod check;
mod demands;
mod embedded;
mod foreign_words;
mod forms;
mod generate;
mod here;
#[cfg(feature = "json-schema")]
mod interruptible;
mod key_docs;
mod lazy_schema;
mod load;
mod messages;
mod oddities;
mod problems;
mod prune;
mod recover;
mod remedy;
mod repairs;
mod schema_level;
mod snippets;
mod tidy;
mod titles;
mod union;
mod value;
mod version;
mod written;

pub use embedded::{CommittedSchemas, FileKind, embedded, install};
pub use generate::{generate_of, generate_since, text};
pub use key_docs::KeyDocs;
pub use load::{LoadedDocument, load};
pub use oddities::oddities;
pub use prune::pruned;
pub use recover::{Recovered, recover, recover_tree};
pub use value::{NO_VALIDATOR, SchemaError, SchemaMismatch, ValueSchema};
pub use version::Version;
