//! The end of a message: the reason for its stop, its error, and its tokens.

use serde_json::Value;

use super::block_changes::BlockChanges;
use super::message_event::text_of;
use ananke_trace::trace::{Change, RunEnd, Usage};

/// The tokens of a message so far: each number is the last one that was reported.
#[derive(Debug, Default)]
pub(super) struct MessageTokens {
    input: Option<u64>,
    cache_read: Option<u64>,
    cache_creation: Option<u64>,
    output: Option<u64>,
    is_reported: bool,
}

/// The reason for the stop of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StopReason {
    /// The model has said everything, or calls tools.
    Done,
    /// The answer became too long.
    TooLong,
    /// The server has stopped for now, and goes on once it is asked again.
    Paused,
    /// Another reason, in the server's words.
    Other(String),
}

impl StopReason {
    /// The reason in a message or a delta; `None` if it has none yet.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let reason = text_of(value, "stop_reason")?;
        Some(match reason {
            "end_turn" | "stop_sequence" | "tool_use" => Self::Done,
            "max_tokens" | "model_context_window_exceeded" => Self::TooLong,
            // The server has shortened the conversation, and has not answered yet.
            "pause_turn" | "compaction" => Self::Paused,
            // A refusal may have a category, and what the model said before it stays.
            _ => match text_of(&value["stop_details"], "category") {
                Some(category) => Self::Other(format!("{reason}: {category}")),
                None => Self::Other(reason.to_owned()),
            },
        })
    }

    pub(super) fn run_end(self) -> RunEnd {
        match self {
            Self::Other(reason) => RunEnd::Unknown(reason),
            Self::Done | Self::TooLong | Self::Paused => RunEnd::Finished,
        }
    }
}

impl MessageTokens {
    /// Takes the tokens of a message or of an event, which replace those before.
    pub(super) fn take(&mut self, value: &Value, changes: &mut BlockChanges<'_>) {
        let Some(reported) = value.get("usage").filter(|usage| usage.is_object()) else {
            return;
        };
        self.is_reported = true;
        for (key, tokens) in [
            ("input_tokens", &mut self.input),
            ("cache_read_input_tokens", &mut self.cache_read),
            ("cache_creation_input_tokens", &mut self.cache_creation),
            ("output_tokens", &mut self.output),
        ] {
            match reported.get(key) {
                None | Some(Value::Null) => {}
                Some(count) => {
                    if count.as_u64().is_none() {
                        let words =
                            format!("`{key}` of `usage` is not a count: it is taken as unknown");
                        changes.report(Change::Warning(words.into()));
                    }
                    *tokens = count.as_u64();
                }
            }
        }
    }

    /// All tokens of the message; `None` if it reports none. Those of the cache are input that the API counts apart.
    pub(super) fn usage(&self) -> Option<Usage> {
        if !self.is_reported {
            return None;
        }
        let cached = self
            .cache_read
            .unwrap_or_default()
            .saturating_add(self.cache_creation.unwrap_or_default());
        let input = self.input.map(|input| input.saturating_add(cached));
        let usage = Usage::reported(input, self.output, None);
        Some(usage.with_cached(self.cache_read))
    }
}

/// The error of an event: its keys are under `error`, or in the event itself.
pub(super) fn error_of(event: &Value) -> RunEnd {
    let nested = &event["error"];
    let message = text_of(nested, "message")
        .or_else(|| nested.as_str())
        .or_else(|| text_of(event, "message"));
    let message = match message {
        Some(message) => message.to_owned(),
        None if nested.is_object() => nested.to_string(),
        None => "the server reports an error without a message".to_owned(),
    };
    // An event has its own name as its `type`, which says nothing.
    let code = text_of(nested, "type").or_else(|| text_of(nested, "status"));
    RunEnd::Error {
        message,
        code: code.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use ananke_agents::{Sink, Stop, Wire};
    use ananke_base::context::At;
    use serde_json::json;

    use super::*;

    struct Silent;

    impl Sink for Silent {
        fn wire(&mut self, _: At, _: Wire<'_>) {}

        fn change(&mut self, _: At, _: Change<'_>) -> ControlFlow<Stop> {
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn every_reason_has_its_end() {
        let other = |reason: &str| StopReason::Other(reason.to_owned());
        for (word, category, reason) in [
            ("end_turn", None, StopReason::Done),
            ("tool_use", None, StopReason::Done),
            ("max_tokens", None, StopReason::TooLong),
            ("model_context_window_exceeded", None, StopReason::TooLong),
            ("pause_turn", None, StopReason::Paused),
            ("compaction", None, StopReason::Paused),
            ("refusal", None, other("refusal")),
            ("refusal", Some("cyber"), other("refusal: cyber")),
            ("content_filter", None, other("content_filter")),
        ] {
            let delta = json!({ "stop_reason": word, "stop_details": { "category": category } });
            assert_eq!(StopReason::of(&delta), Some(reason), "{delta}");
        }
        assert_eq!(StopReason::of(&json!({ "stop_reason": null })), None);
    }

    #[test]
    fn tokens_replace_those_before_and_the_cache_is_input() {
        let report = |keys: &Value| json!({ "usage": keys });
        let corrected = vec![
            report(&json!({ "input_tokens": 0, "output_tokens": 1 })),
            report(&json!({ "input_tokens": 9, "output_tokens": 5 })),
        ];
        let cached = vec![
            report(
                &json!({ "input_tokens": 2, "cache_read_input_tokens": 30, "cache_creation_input_tokens": 4 }),
            ),
            report(&json!({ "input_tokens": null, "output_tokens": 7 })),
        ];
        let known = |input, output| Usage::reported(input, Some(output), None);
        for (reports, usage) in [
            (vec![json!({})], None),
            (corrected, Some(known(Some(9), 5))),
            (cached, Some(known(Some(36), 7).with_cached(Some(30)))),
            (
                vec![report(&json!({ "output_tokens": 0 }))],
                Some(known(None, 0)),
            ),
        ] {
            let mut tokens = MessageTokens::default();
            for report in &reports {
                tokens.take(report, &mut BlockChanges::new(&mut Silent, At(0)));
            }
            assert_eq!(tokens.usage(), usage, "{reports:?}");
        }
    }

    #[test]
    fn an_error_is_nested_or_flat() {
        for (event, message, code) in [
            (
                json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } }),
                "busy",
                Some("overloaded_error"),
            ),
            (json!({ "error": "gone" }), "gone", None),
            (json!({ "type": "error", "message": "flat" }), "flat", None),
        ] {
            let expected = RunEnd::Error {
                message: message.to_owned(),
                code: code.map(str::to_owned),
            };
            assert_eq!(error_of(&event), expected, "{event}");
        }
    }
}
