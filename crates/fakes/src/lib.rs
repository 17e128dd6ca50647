//! A program for unit tests: its agent is scripted, and its schemas are those that are committed.
//!
//! It is a crate for tests alone and not a feature of `agents`: with the feature, `cargo test` would build that crate and all
//! that use it a second time.
//!
//! **Invariant:** no crate of the program uses it but for its tests.

use std::path::Path;

use ananke_agents::Registration;
use ananke_agents::scripted::ScriptedConfig;
use ananke_model::schema::CommittedSchemas;

/// Installs what a program installs before it reads anything; more than once is no different.
///
/// # Panics
/// If the schemas are not where they are committed.
pub fn install() {
    const PROTOCOLS: &[Registration] = &[Registration::of::<ScriptedConfig>()];
    let committed = |kind: &str| -> &'static str {
        let file = format!("../../schema/program/{kind}.json");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        std::fs::read_to_string(path)
            .expect("the schemas are committed")
            .leak()
    };
    let schemas = CommittedSchemas {
        config: committed("config"),
        test: committed("test"),
        case: committed("case"),
        script: committed("script"),
    };
    ananke_agents::install(PROTOCOLS, schemas);
}
