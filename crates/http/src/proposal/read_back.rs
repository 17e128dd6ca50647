//! Reads responses that were seen with the reader of turns, as a proposal would have them read.
//!
//! **Invariant:** it is the reader that runs use, so that a proposal that reads nothing here would read nothing there.

use std::ops::ControlFlow;

use serde_json::Value;

use super::super::calls::KnownCalls;
use super::super::framing::BodyFraming;
use super::super::mapped_reader::MappedReader;
use super::super::mapping::ResponseMapping;
use super::seen_response::SeenResponse;
use ananke_agents::http::{Framing as _, StreamReader as _};
use ananke_agents::{EventReader as _, Limits, ProposedTurn, Sink, Stop, Wire};
use ananke_base::context::{At, SequentialIds};
use ananke_trace::trace::{Change, RunEnd};

/// The turns that `mapping` makes of the responses of one conversation.
///
/// # Errors
/// The reason why one of them is no good turn.
pub(super) fn read_back(
    mapping: &ResponseMapping,
    responses: &[SeenResponse],
) -> Result<Vec<ProposedTurn>, String> {
    let mut known = KnownCalls::default();
    let ids = SequentialIds::default();
    let mut turns = Vec::new();
    // The calls of one turn are known in the next, because a result may come later than its call.
    for response in responses {
        let (mut framing, form) = BodyFraming::new(mapping.form, Limits::MAX_EVENT_BYTES);
        let mut reader = MappedReader::new(mapping, &mut known, &ids);
        reader.begin_response(form);
        let mut sink = TurnSink::default();
        let mut rest = response.body.as_slice();
        loop {
            match framing.next_event(&mut rest) {
                Ok(Some(event)) => {
                    if !reader.is_nothing(event) {
                        let _flow = reader.event(At::default(), event, &mut sink)?;
                    }
                }
                Ok(None) => break,
                Err(error) => return Err(error.to_string()),
            }
        }
        if let Some((event, is_whole)) = framing.finish()
            && is_whole
            && !reader.is_nothing(event)
        {
            let _flow = reader.event(At::default(), event, &mut sink)?;
        }
        if !reader.may_end() {
            return Err("the response ended before its end was found".to_owned());
        }
        reader.finish(&mut sink).map_err(|error| error.message)?;
        if let Some(error) = sink.error {
            return Err(format!("the agent reported an error: {error}"));
        }
        turns.push(sink.turn(&response.input));
    }
    Ok(turns)
}

/// Keeps what a turn says and calls.
#[derive(Default)]
struct TurnSink {
    texts: Vec<String>,
    /// The id of each call, its tool, and its arguments as text.
    calls: Vec<(String, String, String)>,
    unread: usize,
    error: Option<String>,
}

impl TurnSink {
    fn turn(self, input: &str) -> ProposedTurn {
        let calls = self.calls.into_iter().map(|(_, name, args)| {
            let args = serde_json::from_str(&args).unwrap_or(Value::String(args));
            (name, args)
        });
        ProposedTurn {
            user: input.to_owned(),
            texts: self.texts,
            calls: calls.collect(),
            unread: self.unread,
        }
    }
}

impl Sink for TurnSink {
    fn wire(&mut self, _: At, _: Wire<'_>) {}

    fn change(&mut self, _: At, change: Change<'_>) -> ControlFlow<Stop> {
        match change {
            Change::MessageOpened { .. } => self.texts.push(String::new()),
            Change::MessageText { delta, .. } => {
                if let Some(text) = self.texts.last_mut() {
                    text.push_str(&delta);
                }
            }
            Change::CallOpened { id, name, .. } => {
                let call = (id.into_owned(), name.into_owned(), String::new());
                self.calls.push(call);
            }
            Change::CallArgs { id, delta } => {
                if let Some((.., args)) = self.calls.iter_mut().find(|(known, ..)| *known == id) {
                    args.push_str(&delta);
                }
            }
            Change::Unread(_) => self.unread += 1,
            Change::RunEnded(RunEnd::Error { message, .. }) => self.error = Some(message),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
