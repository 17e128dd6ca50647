//! Events of AG-UI out of the data of a response.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::time::Duration;

use super::decoder::Decoder;
use super::event::{DecodeError, WireEvent};
use super::thread_state::ThreadState;
use ananke_agents::{EventReader, Rest, Sink, Stop};
use ananke_base::context::At;
use ananke_base::source::received_json::{self, Oddities};
use ananke_trace::trace::Change;

/// The time for which a stream is read after its run has ended (SPEC 5).
const AFTER_THE_END: Duration = Duration::from_millis(100);

/// The time for which a replay is read after its last event while no run is open (SPEC 5).
const AFTER_THE_LAST_EVENT: Duration = Duration::from_secs(1);

/// The time for which a stream is read whose run is open after an error of a run in it: as long as it goes on.
const AS_LONG_AS_IT_GOES_ON: Duration = Duration::from_secs(u32::MAX as u64);

/// Reads the events of one response.
pub(super) struct AguiEvents<'a> {
    pub(super) decoder: &'a mut Decoder,
    pub(super) conversation: &'a mut ThreadState,
}

impl EventReader for AguiEvents<'_> {
    fn event(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, String> {
        self.decode(at, data, sink).map_err(|error| error.0)
    }

    fn rest(&self) -> Option<Rest> {
        if self.decoder.is_replay() {
            return self
                .decoder
                .is_between_runs()
                .then_some(Rest::AfterLastEvent(AFTER_THE_LAST_EVENT));
        }
        if self.decoder.is_ended() {
            return Some(Rest::AfterEnd(AFTER_THE_END));
        }
        self.decoder
            .has_failed_within()
            .then_some(Rest::AfterLastEvent(AS_LONG_AS_IT_GOES_ON))
    }
}

impl AguiEvents<'_> {
    fn decode(
        &mut self,
        at: At,
        data: &[u8],
        sink: &mut dyn Sink,
    ) -> Result<ControlFlow<Stop>, DecodeError> {
        let text = received_json::decoded(data).map_err(|error| DecodeError(error.0))?;
        if matches!(text, Cow::Owned(_)) {
            self.decoder
                .warnings
                .add("an event holds bytes that are not UTF-8: U+FFFD is taken for them");
        }
        let strict;
        let event = match WireEvent::parse(&text, &mut self.decoder.warnings) {
            Ok(event) => event,
            Err(error) => {
                let (text, oddities) = received_json::strict(&text).map_err(|_| error)?;
                self.decoder.warnings.add_oddities(Oddities {
                    // The next event may complete it.
                    has_half: false,
                    ..oddities
                });
                strict = text;
                WireEvent::parse(&strict, &mut self.decoder.warnings)?
            }
        };
        self.decoder.last = at;
        let mut flow = ControlFlow::Continue(());
        if self.decoder.ends_run(&event) {
            self.decoder
                .give_shared_results(self.conversation, &mut |at, change| {
                    if flow.is_continue() {
                        flow = sink.change(at, change);
                    }
                });
        }
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
