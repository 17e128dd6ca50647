//! The protocols of the program: one line each.

use ananke_a2a::A2aConfig;
use ananke_agents::Registration;
use ananke_agents::scripted::ScriptedConfig;
use ananke_agui::{AguiConfig, CommandConfig};
use ananke_mcp::McpConfig;
use ananke_model::schema::CommittedSchemas;
use ananke_openai::OpenaiConfig;

/// The protocols, in the order of messages and schemas.
const PROTOCOLS: &[Registration] = &[
    Registration::of::<AguiConfig>().with_rules(include_str!("../docs/sequence.md")),
    Registration::of::<CommandConfig>(),
    Registration::of::<A2aConfig>(),
    Registration::of::<McpConfig>(),
    Registration::of::<OpenaiConfig>(),
    Registration::of::<ScriptedConfig>(),
];

/// The schemas that the tests of this package write: see `ANANKE_UPDATE`.
const SCHEMAS: CommittedSchemas = CommittedSchemas {
    config: include_str!("../schema/config.schema.json"),
    test: include_str!("../schema/test.schema.json"),
    case: include_str!("../schema/case.schema.json"),
};

/// Installs the protocols and the schemas. Whatever reads a config or a test does so first; more than once is no different.
pub fn install() {
    ananke_agents::install(PROTOCOLS, SCHEMAS);
}
