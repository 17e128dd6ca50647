//! An agent that answers as it did when it was recorded.

use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use indexmap::IndexMap;

use super::{EmbeddedAgent, MockAgent, recorded_bytes::RecordedBytes};
use crate::freeze::{planned_alone, run_test};
use crate::lab_error::LabError;
use ananke_agents::{
    AgentStepReader, ServedProtocol, ServedRequest, served_protocols_at, written_agent,
    written_steps,
};
use ananke_base::context::Context;
use ananke_model::variables::literal_value;
use ananke_plan::Selection;
use ananke_recording::{AgentAnswer, KeptRecording};

/// The number of threads that are remembered; the one that began first is forgotten first.
const MOST_THREADS: usize = 1000;

/// An agent that answers as it did when it was recorded. Requests of the recorded protocol get the recorded bytes; those of
/// another one get what the agent did, said in their protocol.
pub struct RecordedAgent {
    /// The file, as shown in messages.
    shown: String,
    recorded: Option<RecordedProtocol>,
    /// The same exchanges for an API of its own; `None` if a protocol reads them.
    bytes: Option<RecordedBytes>,
    /// The same agent in words of no protocol, or why there is none.
    converted: Result<EmbeddedAgent, String>,
    /// The number of requests of each thread.
    threads: Mutex<IndexMap<String, usize>>,
}

/// The requests of a recording, read by their protocol.
struct RecordedProtocol {
    protocol: &'static dyn ServedProtocol,
    exchanges: Vec<(Box<dyn ServedRequest>, AgentAnswer)>,
}

impl RecordedProtocol {
    fn of(recording: &KeptRecording) -> Option<Self> {
        let exchanges: Vec<_> = recording.agent_exchanges().collect();
        let reads = |protocol: &&dyn ServedProtocol| {
            exchanges
                .iter()
                .any(|exchange| protocol.read(exchange.body.as_bytes()).is_ok())
        };
        let path = exchanges.first()?.path.as_str();
        let protocol = served_protocols_at(path).into_iter().find(reads)?;
        let mut read = Vec::new();
        // Their order matters: a request may name a response to an earlier one.
        for exchange in exchanges {
            let Ok(request) = protocol.read(exchange.body.as_bytes()) else {
                continue;
            };
            if let AgentAnswer::Response(response) = &exchange.answer {
                request.answered_by(response);
            }
            read.push((request, exchange.answer));
        }
        Some(Self {
            protocol,
            exchanges: read,
        })
    }
}

impl RecordedProtocol {
    /// Whether its responses come as `request` asks for them: as a stream, or at once.
    fn has_form_of(&self, request: &dyn ServedRequest) -> bool {
        self.exchanges
            .iter()
            .any(|(known, _)| known.asks_for_stream() == request.asks_for_stream())
    }
}

impl RecordedAgent {
    /// The agent of a recording. `selection` is the config, the target and the variables that it was recorded with.
    ///
    /// # Errors
    /// If the recording contains nothing that can be served.
    pub async fn of(
        context: &Context,
        recording: &Arc<KeptRecording>,
        shown: &str,
        selection: &Selection,
    ) -> Result<Self, LabError> {
        let recorded = RecordedProtocol::of(recording);
        let converted = convert(context, recording, selection).await;
        // A recording of an agent without requests over HTTP, such as a program, has nothing to answer with but what it means.
        let bytes = if recorded.is_none() && recording.agent_exchanges().next().is_some() {
            Some(RecordedBytes::of(recording))
        } else {
            None
        };
        if let (None, None, Err(error)) = (&recorded, &bytes, &converted) {
            let message = format!("the recording `{shown}` cannot be served: {error}");
            return Err(LabError::refused(
                message,
                "is it of a test of this project?",
            ));
        }
        let converted = converted.map_err(|error| error.to_string());
        Ok(Self {
            shown: shown.to_owned(),
            recorded,
            bytes,
            converted,
            threads: Mutex::default(),
        })
    }

    /// Forgets a thread, which begins again.
    fn forget(&self, thread: &str) {
        self.threads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .shift_remove(thread);
    }

    /// The number of the request among those of its thread, counted from 0.
    fn number(&self, thread: &str) -> usize {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        if threads.len() >= MOST_THREADS && !threads.contains_key(thread) {
            threads.shift_remove_index(0);
        }
        let next = threads.entry(thread.to_owned()).or_default();
        *next += 1;
        *next - 1
    }

    /// The recorded answer to a request, adopted for it.
    fn recorded_answer(
        &self,
        recorded: &RecordedProtocol,
        request: &dyn ServedRequest,
    ) -> Result<AgentAnswer, String> {
        let exchanges = &recorded.exchanges;
        let (found, number) = if let Some(thread) = request.thread() {
            if request.begins() {
                self.forget(thread);
            }
            let number = self.number(thread);
            (exchanges.get(number), number)
        } else {
            // The conversation so far says which one it is; several are retries of one.
            let length = request.actions().len();
            let same: Vec<_> = exchanges
                .iter()
                .filter(|(known, _)| known.actions().len() == length)
                .collect();
            let number = self.number(&format!("after {length}"));
            (same.get(number).or(same.last()).copied(), length - 1)
        };
        let Some((known, answer)) = found else {
            let count = exchanges.len();
            return Err(format!(
                "the recording has {count} request{} and this is request {} of its conversation",
                if count == 1 { "," } else { "s," },
                number + 1
            ));
        };
        let mut answer = answer.clone();
        if let AgentAnswer::Response(response) = &mut answer {
            for frame in &mut response.frames {
                frame.bytes = request.adopted(&**known, &frame.bytes);
            }
        }
        Ok(answer)
    }
}

/// The agent of a recording in words of no protocol: what it did in each turn of the test that was recorded.
async fn convert(
    context: &Context,
    recording: &Arc<KeptRecording>,
    selection: &Selection,
) -> Result<EmbeddedAgent, LabError> {
    let plan = planned_alone(context, selection, &recording.key().test)?;
    let held = run_test(context, &plan, Some(recording)).await?;
    let mut reader = AgentStepReader::default();
    let turns = held.conversation.turns.iter().map(|turn| {
        let steps = reader.turn(
            turn.changes
                .iter()
                .map(|logged| (logged.after_us, &logged.change)),
        );
        written_steps(&steps)
            .into_iter()
            .map(literal_value)
            .collect()
    });
    let rules: Vec<_> = (1..).zip(turns).collect();
    EmbeddedAgent::of_target(context, &written_agent(&held.outcome.test.agent, rules))
}

impl MockAgent for RecordedAgent {
    fn describe(&self) -> String {
        format!("the recording `{}`", self.shown)
    }

    fn answer_any(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Option<Result<AgentAnswer, String>> {
        Some(self.bytes.as_ref()?.answer(method, path, body))
    }

    fn answer<'a>(
        &'a self,
        protocol: &'static dyn ServedProtocol,
        request: &'a dyn ServedRequest,
    ) -> BoxFuture<'a, Result<AgentAnswer, String>> {
        Box::pin(async move {
            if let Some(recorded) = &self.recorded
                && recorded.protocol.name() == protocol.name()
                && recorded.has_form_of(request)
            {
                return self.recorded_answer(recorded, request);
            }
            match &self.converted {
                Ok(agent) => agent.answer(protocol, request).await,
                Err(why) => Err(format!(
                    "the recording is of another protocol or form, and cannot be replayed: {why}"
                )),
            }
        })
    }
}
