//! Events of AG-UI out of the data of a stream.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Duration;

use super::decoder::Decoder;
use super::event::{DecodeError, WireEvent};
use super::surrogates::without_lone_surrogates;
use super::thread_state::ThreadState;
use super::warnings::shown;
use crate::context::At;
use crate::target::error::TargetError;
use crate::target::http::{BodyForm, EventReader, ReceivedResponse, Rest};
use crate::target::sink::{Sink, Stop};
use crate::trace::Change;

/// How long a stream is read after its run has ended (SPEC 5).
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// How long a replay is read after its last event while no run is open (SPEC 5).
const AFTER_THE_LAST_EVENT: Duration = Duration::from_secs(1);

/// The content type of AG-UI's binary encoding.
const BINARY: &str = "application/vnd.ag-ui.event+proto";

/// Reads the events of one response.
pub(super) struct AguiEvents<'a> {
    pub(super) decoder: &'a mut Decoder,
    pub(super) conversation: &'a mut ThreadState,
}

impl EventReader for AguiEvents<'_> {
    fn event(&mut self, at: At, data: &[u8], sink: &mut dyn Sink) -> Result<ControlFlow<Stop>, String> {
        self.decode(at, data, sink).map_err(|error| error.0)
    }

    fn rest(&self) -> Option<Rest> {
        if self.decoder.is_replay() {
            return self.decoder.is_between_runs().then_some(Rest::AfterLastEvent(AFTER_THE_LAST_EVENT));
        }
        self.decoder.is_ended().then_some(Rest::AfterEnd(AFTER_THE_END))
    }

    fn unfinished(&self, response: &ReceivedResponse) -> TargetError {
        if response.events() > 0 {
            return response
                .broken_off("the stream ended without a terminal event (`RUN_FINISHED` or `RUN_ERROR`)");
        }
        let form = response.form();
        if self.decoder.is_replay() && form == BodyForm::Empty {
            let thread = shown(&self.conversation.thread_id);
            let message =
                format!("the response is empty: the agent replayed nothing of the thread `{thread}`");
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
            BodyForm::Other => ("the response contains no event", "is `endpoint` the URL of an AG-UI agent?"),
        };
        response.error(message).with_help(help)
    }
}

impl AguiEvents<'_> {
    fn decode(&mut self, at: At, data: &[u8], sink: &mut dyn Sink) -> Result<ControlFlow<Stop>, DecodeError> {
        let text = String::from_utf8_lossy(data);
        if matches!(text, Cow::Owned(_)) {
            self.decoder.warnings.add("an event holds bytes that are not UTF-8: U+FFFD is taken for them");
        }
        let repaired;
        let event = match WireEvent::parse(&text, &mut self.decoder.warnings) {
            Ok(event) => event,
            Err(error) => {
                repaired = without_lone_surrogates(&text).ok_or_else(|| error.clone())?;
                WireEvent::parse(&repaired, &mut self.decoder.warnings).map_err(|_| error)?
            }
        };
        let mut flow = ControlFlow::Continue(());
        let mut tell = |change: Change<'_>| {
            if flow.is_continue() {
                flow = sink.change(at, change);
            }
        };
        let decoded = self.decoder.decode(&event, self.conversation, &mut tell);
        for warning in self.decoder.warnings.take() {
            tell(Change::Warning(warning));
        }
        decoded.map(|()| flow)
    }
}
