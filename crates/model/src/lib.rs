//! The types of the YAML that people write, the JSON Schemas made from them, and variables.
//!
//! It does no input or output. The program installs what it adds: the turn types of its protocols
//! ([`model::install_turn_types`]) and the schemas of its files ([`schema::install`]).

pub mod model;
pub mod schema;
pub mod variables;
