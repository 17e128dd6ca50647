//! An answer as a stream of events, or as one document.

use std::time::Duration;

use serde_json::{Value, json};

use super::answer_blocks::{AnswerBlocks, event_frame};
use ananke_agents::{Round, ServedFrame, ServedResponse};
use ananke_trace::trace::{FinishReason, RunEnd, Tokens, Usage};

/// The type of an error of a server, and of one that an agent reports without a code.
pub(super) const ERROR_TYPE: &str = "api_error";

/// The fields that every answer to a request has.
#[derive(Clone, Copy)]
pub(super) struct MessagesAnswer<'r> {
    pub(super) id: &'r str,
    pub(super) model: &'r str,
}

impl<'r> MessagesAnswer<'r> {
    /// The answer in `round` as a stream of events, with the times at which the agent produced its parts.
    pub(super) fn events(self, round: &'r Round) -> ServedResponse {
        // A failure before the first part is a response with an error status, since the stream has not begun.
        if round.parts.is_empty()
            && let Some((message, code)) = round.error()
        {
            return error_response(round.ended, message, code);
        }
        let first = match round.parts.first() {
            Some((after, _)) => *after,
            None => round.ended,
        };
        let begun = self.message(&[], None, round.usage);
        let mut frames = vec![event_frame(
            first,
            "message_start",
            json!({ "message": begun }),
        )];
        frames.extend(AnswerBlocks::of(self.id, round).into_frames());
        // A failure after the first part is an error within the stream, which has no other end then.
        if let Some((message, code)) = round.error() {
            frames.push(ServedFrame::named_event(
                round.ended,
                "error",
                error_document(code.unwrap_or(ERROR_TYPE), message),
            ));
            return ServedResponse::events(frames);
        }
        let delta = json!({ "stop_reason": stop_reason(round), "stop_sequence": null });
        let usage = json!({ "output_tokens": count(round.usage.unwrap_or(Usage::UNKNOWN).output) });
        frames.push(event_frame(
            round.ended,
            "message_delta",
            json!({ "delta": delta, "usage": usage }),
        ));
        frames.push(event_frame(round.ended, "message_stop", json!({})));
        ServedResponse::events(frames)
    }

    /// The answer in `round` as one JSON document, at the time at which it is complete.
    pub(super) fn document(self, round: &'r Round) -> ServedResponse {
        // Nothing has been sent before a document, so that every failure is a response with an error status.
        if let Some((message, code)) = round.error() {
            return error_response(round.ended, message, code);
        }
        let blocks = AnswerBlocks::of(self.id, round);
        let document = self.message(&blocks.content, Some(stop_reason(round)), round.usage);
        ServedResponse::document(200, round.ended, &document)
    }

    /// A response of the API, or its beginning as long as there is no reason for its stop.
    fn message(self, content: &[Value], stop_reason: Option<&str>, usage: Option<Usage>) -> Value {
        let usage = usage.unwrap_or(Usage::UNKNOWN);
        // Tokens from the cache are not part of the input here, since the API counts them apart.
        let cached = count(usage.cached);
        let mut counts = json!({ "input_tokens": count(usage.input).saturating_sub(cached) });
        if cached > 0 {
            counts["cache_read_input_tokens"] = cached.into();
        }
        // A message that has only begun has no tokens of its answer.
        counts["output_tokens"] = match stop_reason {
            Some(_) => count(usage.output).into(),
            None => 0.into(),
        };
        json!({
            "id": format!("msg_{}", self.id),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": stop_reason,
            "stop_sequence": null,
            "usage": counts,
        })
    }
}

/// The number of tokens. One that the agent did not report is 0, because the API has no message without one.
fn count(tokens: Tokens) -> u64 {
    tokens.whole().unwrap_or_default()
}

/// The reason for the stop of an answer. An end that the API does not have is its own word.
fn stop_reason(round: &Round) -> &str {
    match round.finish {
        FinishReason::Length => return "max_tokens",
        // The filters of the API are classifiers, whose stops are refusals as well:
        // https://docs.claude.com/en/docs/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals
        FinishReason::Filter | FinishReason::Refusal => return "refusal",
        FinishReason::Complete => {}
    }
    match &round.end {
        _ if round.calls > 0 => "tool_use",
        Some(RunEnd::Unknown(reason)) => reason.split(':').next().unwrap_or(reason),
        _ => "end_turn",
    }
}

/// An error as a server reports it.
pub(super) fn error_document(error_type: &str, message: &str) -> Value {
    json!({ "type": "error", "error": { "type": error_type, "message": message } })
}

/// The response of an agent that fails before it says anything.
fn error_response(after: Duration, message: &str, code: Option<&str>) -> ServedResponse {
    let document = error_document(code.unwrap_or(ERROR_TYPE), message);
    ServedResponse::document(500, after, &document)
}
