//! The keys that say how a response is read.

use schemars::JsonSchema;
use serde::Deserialize;

use super::mapping::{
    CallMapping, CompiledPick, InterruptMapping, ResponseMapping, ResultMapping, TextMapping,
    UsageMapping, compiled_paths, copied, group_pattern,
};
use super::modes::{CallMode, StreamForm, TextMode};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_derive::Fill;
use ananke_model::model::{Flag, OneOrMany, Short, ShortForm, Since, Text};
use ananke_model::variables::{Interpolation, Leaf};

/// How a response is read: where text, calls and everything else are in its events.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = ResponseMapping, check = needs_calls)]
pub struct ResponseConfig {
    /// The form of the response (default `auto`).
    #[schemars(example = &"sse")]
    #[fill(default, with = copied, name = form)]
    pub stream: Option<StreamForm>,
    /// Where the agent's text is: a path, a list of paths of which the first that finds something counts, or a mapping.
    #[schemars(example = &"reply")]
    pub text: Spanned<Short<TextPick>>,
    /// Where tool calls are. Without it, rules about tools are an error when the test is loaded.
    #[schemars(example = serde_json::json!({"at": "tool_calls[*]", "name": "tool", "args": "input"}))]
    pub calls: Option<Spanned<CallPicks>>,
    /// Where results of calls are, if they are not in the items of `calls`.
    #[schemars(example = serde_json::json!({"at": "[?type=tool_end]", "id": "id", "result": "output"}))]
    pub results: Option<Spanned<ResultPicks>>,
    /// Where an error of the agent is. If it finds something, the turn has failed.
    #[schemars(example = &"error.message")]
    pub error: Option<Short<Pick>>,
    /// What ends a stream. If it is missing at the end of a response, the response was cut.
    #[schemars(example = &"[?type=done]")]
    pub done: Option<Short<Pick>>,
    /// Where the things are that the agent waits for.
    #[schemars(example = serde_json::json!({"at": "[?type=approval]", "id": "id", "message": "question"}))]
    pub interrupts: Option<Spanned<InterruptPicks>>,
    /// Where the numbers of tokens are.
    #[schemars(example = serde_json::json!({"input": "usage.prompt_tokens", "output": "usage.completion_tokens"}))]
    pub usage: Option<UsagePicks>,
    /// Where reasoning is. It is no part of the text.
    #[schemars(example = &"[?type=thinking].content")]
    pub reasoning: Option<Short<Pick>>,
    /// Where the state is: the last value counts.
    #[schemars(example = &"state")]
    pub state: Option<Short<Pick>>,
    /// Whether everything that may be text and is found by no path is unread too (default false).
    #[schemars(example = true)]
    #[fill(default, name = is_strict)]
    pub strict: Option<Flag>,
}

/// Paths of which the first that finds something counts.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = CompiledPick)]
pub struct Pick {
    /// A path, or a list of paths: the first that finds something in an event counts.
    #[schemars(example = &"error.message")]
    #[fill(with = compiled_paths, name = paths)]
    pub path: OneOrMany<Text>,
    /// Regular expression with one group, which is what counts of a text that was found.
    #[schemars(example = &"^Error: (.*)")]
    #[fill(with = group_pattern, name = pattern)]
    pub r#match: Option<Text>,
}

impl ShortForm for Pick {
    const KEY: &'static str = "path";
    const SINCE: &'static str = "1.4";
    type Value = OneOrMany<String>;
}

/// Where the agent's text is.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = TextMapping)]
pub struct TextPick {
    /// The paths.
    #[serde(rename = "$ananke::flattened")]
    #[schemars(flatten)]
    pub pick: Pick,
    /// What several texts are (default `whole` for JSON, else `delta`).
    #[schemars(example = &"cumulative")]
    #[fill(with = copied)]
    pub mode: Option<TextMode>,
    /// Whether a turn that ends well may have no text (default false).
    #[schemars(example = true)]
    #[fill(default, name = is_optional)]
    pub optional: Option<Flag>,
}

impl ShortForm for TextPick {
    const KEY: &'static str = "path";
    const SINCE: &'static str = "1.4";
    type Value = OneOrMany<String>;
}

/// Where tool calls are.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = CallMapping)]
pub struct CallPicks {
    /// The items that are calls; the other paths are inside an item.
    #[schemars(example = &"tool_calls[*]")]
    pub at: Short<Pick>,
    /// The name of the tool.
    #[schemars(example = &"name")]
    pub name: Short<Pick>,
    /// The id of the call. Items of one id are one call; without it each item is a call.
    #[schemars(example = &"id")]
    pub id: Option<Short<Pick>>,
    /// The number of the call, by which pieces of its arguments are joined.
    #[schemars(example = &"index")]
    pub index: Option<Short<Pick>>,
    /// The arguments: an object, or a text that holds JSON.
    #[schemars(example = &"args")]
    pub args: Option<Short<Pick>>,
    /// The result, if the call is answered in the same item.
    #[schemars(example = &"result")]
    pub result: Option<Short<Pick>>,
    /// The call has failed if this finds something that is not false or empty.
    #[schemars(example = &"error")]
    pub error: Option<Short<Pick>>,
    /// What several items of one call are (default `whole`).
    #[schemars(example = &"delta")]
    #[fill(default, with = copied)]
    pub mode: Option<CallMode>,
}

/// Where results of calls are.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = ResultMapping)]
pub struct ResultPicks {
    /// The items that are results; the other paths are inside an item.
    #[schemars(example = &"[?type=tool_end]")]
    pub at: Short<Pick>,
    /// The id of the call. Without it, a result answers the oldest open call.
    #[schemars(example = &"tool_call_id")]
    pub id: Option<Short<Pick>>,
    /// The name of the tool. Without an id, a result answers the oldest open call to it.
    #[schemars(example = &"name")]
    pub name: Option<Short<Pick>>,
    /// The result (default: the whole item).
    #[schemars(example = &"content")]
    pub result: Option<Short<Pick>>,
    /// The call has failed if this finds something that is not false or empty.
    #[schemars(example = &"[?status=error]")]
    pub error: Option<Short<Pick>>,
}

/// Where the things are that the agent waits for.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = InterruptMapping)]
pub struct InterruptPicks {
    /// The items that are interrupts; the other paths are inside an item.
    #[schemars(example = &"[?type=approval]")]
    pub at: Short<Pick>,
    /// The id by which it is answered.
    #[schemars(example = &"id")]
    pub id: Option<Short<Pick>>,
    /// The id of the call that waits.
    #[schemars(example = &"tool_call_id")]
    pub call: Option<Short<Pick>>,
    /// The question, for people.
    #[schemars(example = &"question")]
    pub message: Option<Short<Pick>>,
}

/// Where the numbers of tokens are.
#[derive(Clone, Debug, Deserialize, Fill, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.4"))]
#[fill(into = UsageMapping)]
pub struct UsagePicks {
    /// The tokens that models read.
    #[schemars(example = &"usage.prompt_tokens")]
    pub input: Option<Short<Pick>>,
    /// Input tokens that the server had in a cache.
    #[schemars(example = &"usage.prompt_tokens_details.cached_tokens")]
    pub cached: Option<Short<Pick>>,
    /// The tokens that models wrote.
    #[schemars(example = &"usage.completion_tokens")]
    pub output: Option<Short<Pick>>,
    /// The sum of both.
    #[schemars(example = &"usage.total_tokens")]
    pub total: Option<Short<Pick>>,
    /// The model that they are of, as in the `prices` of the config.
    #[schemars(example = &"model")]
    pub model: Option<Short<Pick>>,
    /// Whether the numbers of several events are added up (default false: the last ones count).
    #[schemars(example = true)]
    #[fill(default, name = adds)]
    pub add: Option<Flag>,
}

/// Reports results without calls: a result answers a call.
fn needs_calls(config: &ResponseConfig, interpolation: &mut Interpolation<'_>) -> Leaf<()> {
    let Some(results) = &config.results else {
        return Ok(());
    };
    if config.calls.is_some() {
        return Ok(());
    }
    let message = "`results` need `calls`: a result answers a call";
    let help = "say where the calls are: `calls: { at: \"tool_calls[*]\", name: name }`";
    Err(interpolation.report(
        Code::MissingKey,
        results.span,
        message,
        Some(help.to_owned()),
    ))
}
