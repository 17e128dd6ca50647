//! The end of a response: its status, its error, and its tokens.

use serde_json::Value;

use super::event::text_of;
use ananke_trace::trace::{Change, RunEnd, Usage};

/// The reason for an incomplete response whose text was filtered out.
const FILTERED: &str = "content_filter";

/// The end of a response, as its last event has it.
pub(super) struct Ending {
    pub(super) end: RunEnd,
    /// Whether the answer became too long.
    pub(super) is_truncated: bool,
}

impl Ending {
    /// The end in an event of the type `event_type` with this response. The status of the response counts, since servers send
    /// `response.completed` with the status `failed`.
    pub(super) fn of(event_type: &str, response: &Value) -> Self {
        let of_event = event_type.trim_start_matches("response.");
        let status = text_of(response, "status").unwrap_or(of_event);
        let is_failed = status == "failed" || !response["error"].is_null();
        let mut is_truncated = false;
        let end = match status {
            _ if is_failed => error_of(response, status),
            "completed" => RunEnd::Finished,
            "cancelled" => RunEnd::Cancelled,
            "incomplete" => {
                let reason = text_of(&response["incomplete_details"], "reason");
                // A filter takes away what the model says; any other reason leaves what it has said so far.
                if reason == Some(FILTERED) {
                    RunEnd::Unknown(format!("incomplete: {FILTERED}"))
                } else {
                    is_truncated = true;
                    RunEnd::Finished
                }
            }
            other => RunEnd::Unknown(other.to_owned()),
        };
        Self { end, is_truncated }
    }
}

/// The error of a response that failed, or of an error event: its keys may be in the object itself or under `error`.
pub(super) fn error_of(value: &Value, status: &str) -> RunEnd {
    let nested = &value["error"];
    let message = match text_of_either(nested, value, "message").or_else(|| nested.as_str()) {
        Some(message) => message.to_owned(),
        None if nested.is_object() => nested.to_string(),
        None => format!("the response has the status `{status}`, and no error"),
    };
    // An error event has its own name as its `type`, which says nothing.
    let code = text_of_either(nested, value, "code").or_else(|| text_of(nested, "type"));
    RunEnd::Error {
        message,
        code: code.map(str::to_owned),
    }
}

/// The text under a key of the first object that has one.
fn text_of_either<'v>(one: &'v Value, other: &'v Value, key: &str) -> Option<&'v str> {
    text_of(one, key).or_else(|| text_of(other, key))
}

/// The tokens of a response; `None` if it reports none. Cached tokens and those of reasoning are part of the sums.
pub(super) fn usage_of(response: &Value, report: &mut dyn FnMut(Change<'_>)) -> Option<Usage> {
    let reported = response.get("usage").filter(|usage| usage.is_object())?;
    // Without the details, all of the input costs what input costs.
    let cached = match reported.get("input_tokens_details") {
        Some(details) => tokens(details, "cached_tokens", report),
        None => None,
    };
    let usage = Usage::reported(
        tokens(reported, "input_tokens", report),
        tokens(reported, "output_tokens", report),
        tokens(reported, "total_tokens", report),
    );
    Some(usage.with_cached(cached))
}

/// The number under a key; `None` if it is not reported, or is no count.
fn tokens(reported: &Value, key: &str, report: &mut dyn FnMut(Change<'_>)) -> Option<u64> {
    let value = reported.get(key)?;
    if !value.is_null() && value.as_u64().is_none() {
        let words = format!("`{key}` of `usage` is not a count: it is taken as unknown");
        report(Change::Warning(words.into()));
    }
    value.as_u64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(message: &str, code: Option<&str>) -> RunEnd {
        RunEnd::Error {
            message: message.to_owned(),
            code: code.map(str::to_owned),
        }
    }

    #[test]
    fn the_status_of_the_response_counts() {
        let no_error = "the response has the status `failed`, and no error";
        for (event, response, end, is_truncated) in [
            (
                "response.completed",
                json!({ "status": "completed" }),
                RunEnd::Finished,
                false,
            ),
            ("response.completed", json!({}), RunEnd::Finished, false),
            (
                "response.completed",
                json!({ "status": "failed" }),
                error(no_error, None),
                false,
            ),
            (
                "response.completed",
                json!({ "status": "incomplete" }),
                RunEnd::Finished,
                true,
            ),
            (
                "response.incomplete",
                json!({ "incomplete_details": { "reason": "max_output_tokens" } }),
                RunEnd::Finished,
                true,
            ),
            (
                "response.incomplete",
                json!({ "incomplete_details": { "reason": "content_filter" } }),
                RunEnd::Unknown("incomplete: content_filter".to_owned()),
                false,
            ),
            (
                "response.failed",
                json!({ "error": { "code": "server_error", "message": "no" } }),
                error("no", Some("server_error")),
                false,
            ),
            (
                "response.cancelled",
                json!({ "status": "cancelled" }),
                RunEnd::Cancelled,
                false,
            ),
        ] {
            let ending = Ending::of(event, &response);
            assert_eq!(ending.end, end, "{response}");
            assert_eq!(ending.is_truncated, is_truncated, "{response}");
        }
    }

    #[test]
    fn an_error_is_flat_or_nested() {
        for (event, expected) in [
            (
                json!({ "type": "error", "code": "c", "message": "m", "param": null }),
                error("m", Some("c")),
            ),
            (
                json!({ "type": "error", "error": { "type": "t", "code": "c", "message": "m" } }),
                error("m", Some("c")),
            ),
            (
                json!({ "error": { "type": "t", "message": "m", "code": null } }),
                error("m", Some("t")),
            ),
            (json!({ "error": "m" }), error("m", None)),
        ] {
            assert_eq!(error_of(&event, "failed"), expected, "{event}");
        }
    }
}
