//! The meaning of the end of a stream of AG-UI's events.

use crate::event_reader::AguiEvents;
use crate::warnings::shown;
use ananke_agents::TargetError;
use ananke_agents::http::{BodyForm, ReceivedResponse, StreamReader};

/// The content type of AG-UI's binary encoding.
const BINARY: &str = "application/vnd.ag-ui.event+proto";

impl StreamReader for AguiEvents<'_> {
    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        if response.events() > 0 {
            return response.broken_off(
                "the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`)",
            );
        }
        let form = response.form();
        if self.decoder.is_replay() && form == BodyForm::Empty {
            let thread = shown(&self.conversation.thread_id);
            let message = format!(
                "the response is empty: the agent replayed nothing of the thread `{thread}`"
            );
            return response.error(message).with_help(
                "is there a thread of this id? A runtime that keeps threads in memory forgets them when it restarts",
            );
        }
        let (message, help) = match form {
            _ if response.head.content_type.starts_with(BINARY) => (
                "the response is in the binary form of AG-UI, which is not supported",
                "remove `accept` from the `headers` of the target, so that server-sent events are requested",
            ),
            BodyForm::Empty => (
                "the response is empty",
                "some servers respond like this while the thread is busy with another run",
            ),
            BodyForm::WebPage => (
                "the response is an HTML page, not an event stream",
                "is `endpoint` the URL of the agent itself?",
            ),
            BodyForm::JsonLines => (
                "the response is JSON Lines, not server-sent events",
                "an AG-UI server sends each event as `data: {…}` and a blank line",
            ),
            BodyForm::JsonDocument => (
                "the response is a JSON document, not an event stream",
                "is `endpoint` the URL that runs the agent?",
            ),
            BodyForm::Other => (
                "the response contains no event",
                "is `endpoint` the URL of an AG-UI agent?",
            ),
        };
        response.error(message).with_help(help)
    }
}
