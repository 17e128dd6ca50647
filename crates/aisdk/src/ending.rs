//! The end of a stream: what its chunks say of it, and what came instead of a stream.

use ananke_agents::TargetError;
use ananke_agents::http::{BodyForm, ReceivedResponse};
use ananke_trace::trace::{Interrupt, RunEnd};

/// The reason for an end after which the text may lack what a filter removed.
const FILTERED: &str = "content-filter";

/// Beginnings of lines of a data stream of AI SDK 4: text, the start of a step, a call, an error.
const DATA_STREAM: [&str; 5] = [
    "0:\"",
    "f:{\"messageId\"",
    "9:{\"toolCallId\"",
    "b:{\"toolCallId\"",
    "3:\"",
];

/// The end of a stream as far as it is known.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a chunk that came or not, in any combination"
)]
pub(super) struct StreamEnding {
    /// The first error that the backend reported.
    error: Option<String>,
    is_aborted: bool,
    is_filtered: bool,
    /// Whether the answer became too long.
    pub(super) is_truncated: bool,
    /// Whether a chunk says that a stream is over. Streams that the backend merges say so each.
    pub(super) has_finish: bool,
    /// Whether the end mark came.
    pub(super) has_mark: bool,
    /// Whether no more was waited for, although the stream was open.
    pub(super) is_given_up: bool,
}

impl StreamEnding {
    /// Takes a `finish` with this reason. An error without a chunk of its own is one, too.
    pub(super) fn finish(&mut self, reason: Option<&str>) {
        self.has_finish = true;
        match reason {
            Some("length") => self.is_truncated = true,
            Some(FILTERED) => self.is_filtered = true,
            Some("error") => {
                self.error.get_or_insert_with(|| {
                    "the stream has the `finishReason` error, and no error".to_owned()
                });
            }
            _ => {}
        }
    }

    /// Takes an error. The first one counts, since the others follow from it.
    pub(super) fn fail(&mut self, message: String) {
        self.error.get_or_insert(message);
    }

    pub(super) fn abort(&mut self) {
        self.is_aborted = true;
    }

    /// Whether the stream may end here. An error may be the last chunk of a server that gives up.
    pub(super) fn is_complete(&self) -> bool {
        self.has_mark || self.has_finish || self.is_aborted || self.error.is_some()
    }

    /// The end of the run; `interrupts` are the calls that wait for an approval.
    pub(super) fn run_end(self, interrupts: Vec<Interrupt>) -> RunEnd {
        if let Some(message) = self.error {
            RunEnd::Error {
                message,
                code: None,
            }
        } else if self.is_aborted {
            RunEnd::Cancelled
        } else if !interrupts.is_empty() {
            RunEnd::Interrupted(interrupts)
        } else if self.is_filtered {
            RunEnd::Unknown(FILTERED.to_owned())
        } else {
            RunEnd::Finished
        }
    }
}

/// The error of a response that ended although something is missing: what came instead of a stream, and how to fix it.
pub(super) fn unfinished(response: &ReceivedResponse) -> TargetError {
    // Chunks did come, so that only the end is missing.
    if response.events() > 0 {
        return response.broken_off("the stream ended without `finish` and without `[DONE]`");
    }
    let mut lines = DATA_STREAM.iter();
    let is_data_stream = lines.any(|line| response.contains(line));
    let is_text = response.head.content_type.starts_with("text/plain");
    let (message, help) = match response.form() {
        BodyForm::Empty => (
            "the response is empty",
            "does the route return the response of `toUIMessageStreamResponse()`?",
        ),
        BodyForm::WebPage => (
            "the response is a web page, not a UI message stream",
            "is `endpoint` the URL of the chat route itself, such as `/api/chat`?",
        ),
        BodyForm::JsonDocument | BodyForm::JsonLines => (
            "the response is JSON, not a UI message stream",
            "return `result.toUIMessageStreamResponse()`; an API with a format of its own is a target of `type: http`",
        ),
        BodyForm::Other if is_data_stream => (
            "the response is a data stream of AI SDK 4, not a UI message stream",
            "return `result.toUIMessageStreamResponse()`, which AI SDK has since version 5",
        ),
        BodyForm::Other if is_text => (
            "the response is a text stream, not a UI message stream",
            "a text stream shows no calls: return `result.toUIMessageStreamResponse()` instead of `toTextStreamResponse()`",
        ),
        BodyForm::Other => (
            "the response contains no chunk of a UI message stream",
            "is `endpoint` the URL of the chat route itself, such as `/api/chat`?",
        ),
    };
    response.error(message).with_help(help)
}
