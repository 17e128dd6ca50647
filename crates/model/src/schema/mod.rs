//! The JSON Schemas of the files, and loading a file against them.
//!
//! `generate` makes the schemas from the model, and `prune` cuts them to an older version. The program carries the committed
//! ones in `schema/program/`, of which `lazy_schema` reads a definition only if a file needs it: a new key is known only after
//! `ANANKE_UPDATE=1 cargo test` has written them and the program is built again. `editor` makes of them what editors and
//! validators read, which is committed in `schema/` and printed by `ananke schema`.
//!
//! [`load()`] is the one way from a text to a value of the model: `check` walks the tree once together with its schema,
//! reports every problem of a file at once, in words of our own, and notes what has to change (`repairs`) so that `recover`
//! can read the rest of a broken file, which is checked at the same time.
//!
//! A file of another runner (`promptfoo`) has one problem, and is not checked key by key.
//!
//! The branch of a union is picked by the check (`union`), which reports one problem per mistake, and again by the typed
//! reader, which also reads trees that were not checked as they are: merged targets, and tests made from cases. A test
//! changes documents at random, and expects both to agree.
//!
//! **Invariant:** what the typed reader accepts, the schema accepts, and the other way round; `schema/` at the top level is
//! never edited by hand.

mod check;
mod demands;
mod editor;
mod embedded;
mod foreign_words;
mod forms;
mod generate;
mod here;
mod key_docs;
mod lazy_schema;
mod load;
mod messages;
mod oddities;
mod problems;
mod promptfoo;
mod prune;
mod recover;
mod remedy;
mod repairs;
mod schema_level;
mod tidy;
mod titles;
mod union;
mod value_schema;
mod version;
mod written;

pub use editor::for_editors;
pub use embedded::{CommittedSchemas, FileKind, embedded, install};
pub use foreign_words::condition_key;
pub use generate::{generate_of, generate_since, generate_written, text};
pub use key_docs::KeyDocs;
pub use load::{LoadedDocument, load};
pub use oddities::oddities;
pub use promptfoo::{is_promptfoo, promptfoo_problem};
pub use prune::pruned;
pub use recover::{Recovered, recover, recover_tree};
pub use value_schema::{
    IdleWord, NO_VALIDATOR, SchemaError, SchemaMismatch, Undecided, ValueSchema, idle_words,
};
pub use version::Version;
