//! What the agent does in a turn, as its program reports it. The doc comments are the descriptions of the schema.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use ananke_trace::trace::{Fact, Facts, Usage};

/// Something that the agent does in a turn. `at_ms` is when: milliseconds since the turn began, on the monotonic clock of the
/// program.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ExternalEvent {
    /// Text of the agent: a piece of a message, or a whole one.
    #[schemars(title = "text")]
    Text(TextEvent),
    /// A call to a tool begins.
    #[schemars(title = "call")]
    Call(CallEvent),
    /// A call has its result.
    #[schemars(title = "result")]
    Result(ResultEvent),
    /// Reasoning of the agent, which is no part of what it says.
    #[schemars(title = "reasoning")]
    Reasoning(ReasoningEvent),
    /// Tokens of a request to a model. They are added up.
    #[schemars(title = "usage")]
    Usage(UsageEvent),
    /// Something that the program cannot see, although the agent may do it: rules that rest on it neither pass nor fail.
    #[schemars(title = "unread")]
    Unread(UnreadEvent),
}

/// Text of the agent.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextEvent {
    /// When, in milliseconds since the turn began.
    pub at_ms: f64,
    /// More text of the message `message_id`. Exclusive with `content`.
    #[serde(default)]
    pub delta: Option<String>,
    /// The whole text of a message. Exclusive with `delta`.
    #[serde(default)]
    pub content: Option<String>,
    /// The message within the turn; a `delta` needs it.
    #[serde(default)]
    pub message_id: Option<String>,
    /// The subagent that says it, if it is not the agent itself.
    #[serde(default)]
    pub agent: Option<String>,
}

/// The begin of a call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallEvent {
    /// When, in milliseconds since the turn began.
    pub at_ms: f64,
    /// The id of the call in the conversation.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments: an object, or a text that is not JSON.
    pub arguments: Value,
    /// The call inside which it is made: it is one of a subagent.
    #[serde(default)]
    pub parent: Option<String>,
    /// The subagent that makes it (default with `parent`: the tool of that call).
    #[serde(default)]
    pub agent: Option<String>,
}

/// The end of a call.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResultEvent {
    /// When, in milliseconds since the turn began.
    pub at_ms: f64,
    /// The id of the call.
    pub id: String,
    /// The value that the tool gave, or an error.
    pub output: Value,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: Option<bool>,
}

/// A piece of reasoning.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasoningEvent {
    /// When, in milliseconds since the turn began.
    pub at_ms: f64,
    /// More text of the reasoning.
    pub delta: String,
    /// The reasoning that it is a part of (default: one for the turn).
    #[serde(default)]
    pub message_id: Option<String>,
    /// The subagent that reasons, if it is not the agent itself.
    #[serde(default)]
    pub agent: Option<String>,
}

/// Tokens of a request to a model.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageEvent {
    /// When, in milliseconds since the turn began.
    pub at_ms: f64,
    /// The tokens that the model read.
    #[serde(default)]
    pub input_tokens: Option<u64>,
    /// Input tokens that its server had in a cache.
    #[serde(default)]
    pub cached_tokens: Option<u64>,
    /// The tokens that the model wrote.
    #[serde(default)]
    pub output_tokens: Option<u64>,
    /// The sum of both (default: their sum).
    #[serde(default)]
    pub total_tokens: Option<u64>,
    /// The name of the model.
    #[serde(default)]
    pub model: Option<String>,
}

impl UsageEvent {
    /// The tokens, as the trace has them.
    pub(crate) fn usage(&self) -> Usage {
        Usage::reported(self.input_tokens, self.output_tokens, self.total_tokens)
            .with_cached(self.cached_tokens)
    }
}

/// Something that the program cannot see.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnreadEvent {
    /// When, in milliseconds since the turn began.
    pub at_ms: f64,
    /// The name: what it is, a colon, and which: `tool:web_search`.
    pub name: String,
    /// The facts that are not seen.
    pub facts: Vec<FactName>,
    /// The reason why they are not seen.
    pub reason: String,
    /// The tool that it is about, if it is about one: rules about other tools do not rest on it.
    #[serde(default)]
    pub tool: Option<String>,
}

/// A fact that rules rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactName {
    /// The tools that are called.
    Calls,
    /// The arguments of calls.
    Arguments,
    /// The results of calls.
    Results,
    /// Whether calls failed.
    CallEnds,
    /// The moments at which calls begin and end.
    CallTimes,
    /// The text of the agent.
    Text,
    /// The time of the first text.
    FirstText,
    /// The tokens.
    Usage,
    /// The value that rules about `state` read.
    State,
}

impl FactName {
    fn fact(self) -> Fact {
        match self {
            Self::Calls => Fact::Calls,
            Self::Arguments => Fact::Arguments,
            Self::Results => Fact::Results,
            Self::CallEnds => Fact::CallEnds,
            Self::CallTimes => Fact::CallTimes,
            Self::Text => Fact::Text,
            Self::FirstText => Fact::FirstText,
            Self::Usage => Fact::Usage,
            Self::State => Fact::State,
        }
    }

    /// The set that the ledger of what was not read takes.
    pub(crate) fn facts(names: &[Self]) -> Facts {
        let mut facts = Facts::NONE;
        for name in names {
            facts = facts.with(Some(name.fact()));
        }
        facts
    }
}

impl ExternalEvent {
    /// The moment of the event, in milliseconds since the turn began.
    pub(crate) fn at_ms(&self) -> f64 {
        match self {
            Self::Text(event) => event.at_ms,
            Self::Call(event) => event.at_ms,
            Self::Result(event) => event.at_ms,
            Self::Reasoning(event) => event.at_ms,
            Self::Usage(event) => event.at_ms,
            Self::Unread(event) => event.at_ms,
        }
    }
}
