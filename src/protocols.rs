//! The protocols of the program: one line each.
//!
//! **Why:** A list that is written by hand needs no linker and no `unsafe`, and shows in which order people see the protocols.

use ananke_a2a::A2aConfig;
use ananke_agents::{Registration, external::ExternalConfig, scripted::ScriptedConfig};
use ananke_agui::{AguiConfig, CommandConfig};
use ananke_aisdk::AiSdkConfig;
use ananke_anthropic::AnthropicConfig;
use ananke_http::HttpAgentConfig;
use ananke_mcp::McpConfig;
use ananke_model::schema::CommittedSchemas;
use ananke_openai::OpenaiConfig;
use ananke_responses::ResponsesConfig;

/// The protocols, in the order of messages and schemas.
const PROTOCOLS: &[Registration] = &[
    Registration::of::<AguiConfig>().with_rules(include_str!("../docs/sequence.md")),
    Registration::of::<CommandConfig>(),
    Registration::of::<A2aConfig>(),
    Registration::of::<McpConfig>(),
    Registration::of::<AiSdkConfig>(),
    Registration::of::<OpenaiConfig>(),
    Registration::of::<ResponsesConfig>(),
    Registration::of::<AnthropicConfig>(),
    Registration::of::<HttpAgentConfig>(),
    Registration::of::<ExternalConfig>(),
    Registration::of::<ScriptedConfig>(),
];

/// The schemas that the tests of this package write: see `ANANKE_UPDATE`.
const SCHEMAS: CommittedSchemas = CommittedSchemas {
    config: include_str!("../schema/program/config.json"),
    test: include_str!("../schema/program/test.json"),
    case: include_str!("../schema/program/case.json"),
    script: include_str!("../schema/program/script.json"),
};

/// Installs the protocols and the schemas. Whatever reads a config or a test does so first; more than once is no different.
pub fn install() {
    ananke_agents::install(PROTOCOLS, SCHEMAS);
}

#[cfg(test)]
mod tests {
    use ananke_agents::{Received, TargetError, recognized};
    use ananke_model::model::{connect_type_name, resume_type_name};

    use super::*;

    fn help(own: &Registration, start: &str) -> Option<String> {
        install();
        let mut error = TargetError::new("no event");
        error.received.first_bytes = Received::quote(start.as_bytes());
        recognized(error, own).help
    }

    #[test]
    fn every_sign_names_its_protocol_to_all_others() {
        for of in PROTOCOLS {
            for sign in of.signs() {
                assert!(
                    !sign.contains(char::is_whitespace),
                    "`{sign}`: an answer is compared without spaces"
                );
                for asked in PROTOCOLS {
                    let expected = !asked.signs().contains(sign);
                    let help = help(asked, &format!("data: {{ {sign} }}"));
                    assert_eq!(help.is_some(), expected, "{}: {sign}", asked.name());
                    let first = PROTOCOLS
                        .iter()
                        .find(|protocol| protocol.signs().contains(sign))
                        .unwrap();
                    let named = help
                        .is_none_or(|help| help.contains(&format!("`type: {}`,", first.name())));
                    assert!(named, "{}: {sign}", asked.name());
                }
            }
        }
    }

    #[test]
    fn an_answer_of_an_unknown_kind_changes_nothing() {
        for protocol in PROTOCOLS {
            for start in [
                "",
                "<html><body>Not Found</body></html>",
                "{\"detail\": \"Not Found\"}",
                "nothing here",
            ] {
                assert_eq!(help(protocol, start), None, "{}: {start}", protocol.name());
            }
        }
    }

    #[test]
    fn turns_that_several_protocols_may_have_have_a_type() {
        install();
        assert_eq!(connect_type_name(), "agui:connect");
        assert_eq!(resume_type_name(), "resume");
    }
}
