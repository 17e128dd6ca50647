//! The language that people write: the types of the YAML, the JSON Schemas made from them, variables, and the settings of a run.
//!
//! The program installs what it adds: the turn types of its protocols ([`model::install_turn_types`]) and the schemas of its
//! files ([`schema::install`]).
//!
//! **Invariant:** it does no input or output; a file is read by types that know nothing of protocols.

// Derived code names this crate, also in it.
extern crate self as ananke_model;

pub mod model;
pub mod schema;
pub mod settings;
pub mod variables;
