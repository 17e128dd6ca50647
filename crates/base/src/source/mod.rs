//! Bytes as a tree in which every key and value has its place, and trees as typed values.
//!
//! `read` brings the bytes, `yaml` or `json` makes the tree, [`Node`] is the tree, `typed` turns a tree into a value of the
//! model, and `yaml_writer` writes one. `received_json` reads what agents, servers and traces send: nothing else does.
//! Nothing here knows which keys mean what.
//!
//! **Invariant:** only `yaml` and `yaml_error` know the YAML crate; loading never stops at the first problem;
//! depth, size and repetition are bounded.

mod duplicate_keys;
mod free_map;
mod json;
mod node;
mod node_serde;
mod number;
mod read;
pub mod received_json;
mod typed;
mod typed_error;
mod unclosed;
mod written_scalar;
mod yaml;
mod yaml_error;
mod yaml_writer;

#[cfg(test)]
mod tests;

pub use duplicate_keys::same_key;
pub use free_map::FreeMap;
pub use json::parse_json;
pub use node::{Entry, Node, NodeValue, printable};
pub use number::{
    all_numbers, change_numbers, compare_numbers, is_same_number, number_key, rounded, shortest,
    spelled, without_added_sign,
};
pub use read::{MAX_BYTES, is_case_file, read, reason, remedy};
pub use typed::{FLATTENED, ONE_OR_MANY, SWITCH, TagDefault, from_mapping, from_node};
pub use typed_error::TypeMismatch;
pub use written_scalar::{ScalarStyle, WrittenCharacter, WrittenScalar};
pub use yaml::{parse, tree};
pub use yaml_writer::to_yaml;
