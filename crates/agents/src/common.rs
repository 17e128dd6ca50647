//! The keys that targets of every protocol have; among them the limit of requests, the clock that the rules about time go by,
//! and the program that executes the tools that a model calls.

use schemars::JsonSchema;
use serde::Deserialize;

use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::source::printable;
use ananke_derive::Bounds;
use ananke_model::model::{AssertBlock, ClientTool, Number, Since, Text, TimeoutMs};
use ananke_model::variables::Interpolation;
use ananke_trace::trace::KnownName;

/// The keys that targets of every protocol have.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.0"))]
pub struct TargetCommon {
    /// What the target is, for people: shown by `explain`, by `list --json` and in JSON reports.
    #[schemars(extend("x-since" = "1.3"), example = "The agent of the shop on the staging server")]
    pub description: Option<Text>,
    /// The thread of the conversation (default: a new one for each test). `${THREAD_ID}` is its id.
    #[serde(rename = "threadId")]
    #[schemars(example = "${THREAD_ID}")]
    pub thread_id: Option<Text>,
    /// Timeout for one turn, in milliseconds (default 120000, or the `max_duration_ms` that applies to the turn if that is
    /// longer). A slower turn has the status timeout.
    pub timeout_ms: Option<TimeoutMs>,
    /// Client-side (frontend) tools: declared to the agent and answered by their mocks.
    #[schemars(
        extend("x-since" = "1.3"),
        example = serde_json::json!([{ "name": "get_location", "mock": { "result": { "city": "Berlin" } } }])
    )]
    pub client_tools: Option<Vec<ClientTool>>,
    /// The most requests that all tests together may send in a time. Waiting does not count as time of the agent or the test.
    #[schemars(extend("x-since" = "1.3"), example = serde_json::json!({"requests": 60, "per_ms": 60_000}))]
    pub rate_limit: Option<Spanned<RateLimitConfig>>,
    /// How many tests may talk to the agent at once (default: as many as run). Waiting does not count as time of the test.
    #[schemars(extend("x-since" = "1.3"), example = 2)]
    pub concurrency: Option<Number>,
    /// Names of things that the agent sends, that are not understood, and that no rule is about: `event:SUGGESTIONS`,
    /// `key:choices[].x_groq`. `*` is any text. Reports print the names, and list what is silenced.
    #[schemars(extend("x-since" = "1.4"), length(min = 1), example = KNOWN_NAMES)]
    pub known: Option<Vec<Text>>,
    /// Assertions that every test of this target inherits.
    pub assert: Option<AssertBlock>,
}

/// An example of what is known.
const KNOWN_NAMES: [&str; 2] = ["event:SUGGESTIONS", "key:choices[].x_groq"];

impl TargetCommon {
    /// The names in the key `known` with their variables replaced: the user knows that the agent sends these things and that
    /// ananke does not read them. `None` if a name is wrong, which is reported to `interpolation`, or if one of its variables has
    /// no value until the test runs.
    pub fn known_names(&self, interpolation: &mut Interpolation<'_>) -> Option<Vec<KnownName>> {
        let mut names = Vec::new();
        let mut is_complete = true;
        // The loop goes on after a wrong name, so that every problem is reported.
        for written in self.known.iter().flatten() {
            // A text without a value was reported by `interpolation` itself, or is known later.
            let Ok(name) = interpolation.text(written) else {
                is_complete = false;
                continue;
            };
            // Reports print such a name as a kind, a colon and what it is, so a name without a colon matches nothing.
            if !name.contains(':') {
                let message = format!("`{}` is not the name of something unread", printable(&name));
                let help = "write it as reports print it: what it is, a colon, and which, as in `event:SUGGESTIONS`";
                interpolation.report(Code::BadValue, written.span, message, Some(help.to_owned()));
                is_complete = false;
                continue;
            }
            names.push(KnownName::new(name));
        }
        if is_complete { Some(names) } else { None }
    }

    /// The names of the targets whose tools are declared, as they are written.
    pub fn tool_servers(&self) -> impl Iterator<Item = &Text> {
        let tools = self.client_tools.iter().flatten();
        tools.filter_map(|tool| tool.from.as_ref())
    }

    /// The keys as written in a config, which a protocol must not use for its own.
    pub const KEYS: [&'static str; 8] = [
        "description",
        "threadId",
        "timeout_ms",
        "client_tools",
        "rate_limit",
        "concurrency",
        "known",
        "assert",
    ];
}

/// A limit of requests over time.
#[derive(Clone, Debug, Deserialize, JsonSchema, Bounds)]
#[serde(deny_unknown_fields)]
#[schemars(transform = Since("1.3"), transform = RateLimitConfig::bounds)]
pub struct RateLimitConfig {
    /// How many requests may be sent in the time of `per_ms`: 1 to 1000000.
    #[schemars(example = 60)]
    #[bounds(within = 1..=1_000_000)]
    pub requests: Number,
    /// The time in milliseconds: 1 to 4294967295.
    #[schemars(example = 60_000)]
    #[bounds(within = 1..=4_294_967_295)]
    pub per_ms: Number,
}

/// Whose clock the rules about time go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EventClock {
    /// The time at which the bytes arrive, on this machine's clock.
    Arrival,
    /// Event timestamps, if every event of the turn has a valid one.
    Event,
}

/// Who executes the tools that a model calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ToolExecution {
    /// The runner: the mocks of the `client_tools` answer the calls.
    #[default]
    Run,
    /// The server: its calls are observed, and nothing answers them.
    Observed,
}
