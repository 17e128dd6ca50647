//! The keys of a conversation in AG-UI, as a config writes them, and how they are filled. Targets of every transport have
//! them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use super::conversation_settings::{ContextItem, ConversationSettings, ProtocolVersion};
use ananke_agents::EventClock;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Spanned};
use ananke_base::source::Node;
use ananke_derive::Fill;
use ananke_model::model::{SentByTurn, Since, Text, Turn};
use ananke_model::variables::{Fill, Interpolation, Leaf};

/// The keys of a conversation in AG-UI.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(transform = Since("1.0"))]
pub struct ConversationConfig {
    /// Passed to the agent unchanged with every run.
    #[serde(default, deserialize_with = "ananke_model::model::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub forwarded_props: Option<Node>,
    /// The state sent with the first turn; later turns send the state as the agent left it.
    #[schemars(with = "Option<serde_json::Value>")]
    pub state: Option<Node>,
    /// The AG-UI version of the requests (default `"1.0"`): `"0.x"` for an older agent.
    #[schemars(extend("x-since" = "1.3"))]
    pub protocol_version: Option<Spanned<ProtocolVersion>>,
    /// Which messages each run contains (default `full`).
    pub history: Option<HistorySent>,
    /// Declares that this agent replays its thread in response to a run without messages, so that turns with
    /// `agui:connect` are intended.
    #[schemars(extend("x-since" = "1.3"))]
    pub connect: Option<Connect>,
    /// Descriptions and values that are sent with every run, such as the page that the user sees.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!([{ "description": "The page that the user sees", "value": "/cart" }])
    )]
    pub context: Option<Vec<ContextEntry>>,
    /// Which clock timing rules use (default `arrival`).
    #[schemars(extend("x-since" = "1.3"))]
    pub clock: Option<EventClock>,
}

/// A description and a value for the agent.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
#[fill(into = ContextItem)]
pub struct ContextEntry {
    /// What the value is.
    #[schemars(example = "The page that the user sees")]
    pub description: Text,
    /// The value.
    #[schemars(example = "/cart")]
    pub value: Text,
}

/// Which messages a run is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum HistorySent {
    /// Every message so far, with the ids the agent gave them.
    #[default]
    Full,
    /// Only new messages, for an agent that keeps the conversation itself.
    Last,
}

/// How to connect to a thread without a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Connect {
    /// With a run without messages.
    EmptyRun,
}

impl ConversationConfig {
    /// The version of AG-UI that the requests are written in.
    pub(super) fn version(&self) -> ProtocolVersion {
        self.protocol_version
            .as_ref()
            .map(|version| version.value)
            .unwrap_or_default()
    }

    /// A warning if a turn connects without the key that says that the agent replays its thread then: some agents take a run
    /// without messages for a run like any other (SPEC 4). `connecting` names the transport, `or_else` what else would help.
    pub(super) fn check_connect(
        &self,
        turns: &[Spanned<Turn>],
        source: &Arc<SourceFile>,
        connecting: &str,
        or_else: &str,
    ) -> Option<Diagnostic> {
        let turn = turns
            .iter()
            .find(|turn| matches!(turn.value.sent, SentByTurn::Connect))?;
        if self.connect.is_some() {
            return None;
        }
        let message = format!(
            "{connecting} sends a run without messages, which some agents answer by running"
        );
        let warning = Diagnostic::warning(Code::ConnectOverHttp, message).at(source, turn.span, "");
        let help = "set `connect: empty_run` on the target if this agent replays its thread then";
        Some(warning.help(format!("{help}{or_else}")))
    }
}

impl Fill<ConversationSettings> for ConversationConfig {
    fn fill(&self, interpolation: &mut Interpolation<'_>) -> Leaf<ConversationSettings> {
        let forwarded_props: Leaf<Option<_>> = self.forwarded_props.fill(interpolation);
        let state: Leaf<Option<_>> = self.state.fill(interpolation);
        let context: Leaf<Option<_>> = self.context.fill(interpolation);
        Ok(ConversationSettings {
            context: context?.unwrap_or_default(),
            forwarded_props: forwarded_props?.unwrap_or_else(|| Map::new().into()),
            state: state?.unwrap_or_else(|| Map::new().into()),
            version: self.version(),
            last_only: self.history.unwrap_or_default() == HistorySent::Last,
            event_clock: self.clock == Some(EventClock::Event),
        })
    }
}
