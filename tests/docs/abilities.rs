//! What each protocol shows, in docs/connect.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ananke::agents::{Capability, types_with};

/// The abilities in the words of the table, in the order of what people ask for first.
const ABILITIES: [(&str, Capability); 12] = [
    ("turns of a user", Capability::UserTurns),
    ("calls of tools", Capability::ToolCalls),
    ("schemas of the agent's tools", Capability::ToolSchemas),
    ("tokens", Capability::Usage),
    ("a state", Capability::State),
    ("interrupts", Capability::Interrupts),
    ("`client_tools`", Capability::ClientTools),
    ("`messages` before the first turn", Capability::History),
    ("files that are no images", Capability::FilesBesideImages),
    ("`request` of a turn", Capability::OwnRequests),
    (
        "requests of other clients, for [`record --proxy`](record.md#what-a-front-end-says)",
        Capability::PassingRequests,
    ),
    ("a thread that is replayed", Capability::Connect),
];

const BEGIN: &str = "| what | targets |\n|---|---|\n";

#[test]
fn the_table_of_abilities_is_that_of_the_protocols() {
    ananke::install();
    let mut table = BEGIN.to_owned();
    for (words, capability) in ABILITIES {
        let mut types = Vec::new();
        for name in types_with(capability) {
            types.push(format!("`{name}`"));
        }
        let _infallible = writeln!(table, "| {words} | {} |", types.join(", "));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/connect.md");
    let text = fs::read_to_string(&file).expect("the document");
    assert!(
        text.contains(&table),
        "docs/connect.md has another table; this is the true one:\n{table}"
    );
}
