//! The integration tests: one binary, one module a subject.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails where it stands")]

mod agree;
mod attachments;
mod bad_files;
mod bounds;
mod config;
mod corpus;
mod data;
mod docs;
mod examples;
mod explained;
mod fixes;
mod hangs;
mod history;
mod hooks;
mod inheritance;
mod last_run;
mod lints;
mod load;
mod masking;
mod mistakes;
mod normalising;
mod open_files;
mod outputs;
mod project_hooks;
mod quarantine;
mod replay;
mod report;
mod retries;
mod rules;
mod running;
mod schema;
mod scripts;
mod secrets;
mod servers;
mod signals;
mod snapshots;
mod soak;
mod strict;
mod support;
mod terminal;
mod trace;
mod variables;
mod wire;
mod workspace;
