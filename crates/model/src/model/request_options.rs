//! The options of a request to an agent, and its user. Each protocol has places of its own for them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Since, Text};
use ananke_base::diagnostic::Spanned;
use ananke_base::source::Node;

/// On whose behalf an agent is asked. AG-UI agents get it as `context`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct Caller {
    /// The id or name of the user.
    #[schemars(example = &"test-user")]
    pub user: Option<Text>,
    /// The team of that user.
    #[schemars(example = &"test-team")]
    pub team: Option<Text>,
    /// The language of that user.
    #[schemars(example = &"en-us")]
    pub locale: Option<Text>,
    /// The kind of client that the user has.
    #[schemars(example = &"web")]
    pub client_type: Option<Text>,
    /// The IP address of that client.
    #[schemars(example = &"127.0.0.1")]
    pub ip: Option<Text>,
    /// The page or program that the request comes from.
    #[schemars(example = &"agent-test")]
    pub referer: Option<Text>,
}

impl Caller {
    /// Each of the texts with its key, in the order of the keys above.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &Text)> {
        let Self {
            user,
            team,
            locale,
            client_type,
            ip,
            referer,
        } = self;
        let all = [
            ("user", user),
            ("team", team),
            ("locale", locale),
            ("client_type", client_type),
            ("ip", ip),
            ("referer", referer),
        ];
        all.into_iter()
            .filter_map(|(key, text)| Some((key, text.as_ref()?)))
    }
}

/// How an agent is asked.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"))]
pub struct RequestOptions {
    /// The model, under the name that the agent's system knows.
    #[schemars(example = &"deepseek.v3")]
    pub connector: Option<Text>,
    /// The mode of the agent.
    #[schemars(example = &"chat")]
    pub mode: Option<Text>,
    /// Whether the agent may search.
    pub search: Option<Spanned<bool>>,
    /// Whether the prompts that all agents share are omitted.
    pub disable_global_prompts: Option<Spanned<bool>>,
    /// What the agent's system omits: `history`, `trace`, `output`, `keyword`, `search`.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"trace": true}))]
    pub skip: Option<Node>,
    /// Data for the agent.
    #[serde(default, deserialize_with = "super::scalars::optional_mapping")]
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>", example = serde_json::json!({"scenario": "join"}))]
    pub metadata: Option<Node>,
}
