//! Records an attempt: ids as they are drawn, what hooks and scripts gave, every request, and every byte of its
//! response.
//!
//! Flows in: one attempt at a test. Flows out: its recording. Nothing that goes through is changed or held up.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Map, Value};

use super::exchange::{
    ExchangeKey, ProgramLine, ProgramRun, ProgramRunEnd, Recorded, RecordedExchange,
    RecordedResponse, ScriptAnswer, TypedInput, ids_of,
};
use super::frames::Frames;
use super::marked_secrets::{MarkedSecrets, SecretSplitter};
use super::recorded_models::ModelPlace;
use super::recordings::{RecordingMode, Recordings};
use super::replay::{Replay, problem};
use super::{file, name};
use ananke_agents::HttpRequest;
use ananke_base::context::{At, CaseKey, Clock, Ids, digest, fingerprint, lock};
use ananke_base::message::Lane;
use ananke_model::variables::Secret;
use ananke_trace::outcome::Problem;
use ananke_trace::redact::Redactor;
use ananke_trace::trace::{Change, ModelUse};

/// Ids and transport of an attempt that is recorded. Clones share what was recorded.
#[derive(Clone)]
pub struct Recorder(Arc<SharedRecorder>);

/// The extent of the recording of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RecordingExtent {
    /// Everything, for a file that people read and compare.
    Whole,
    /// At most so many bytes of responses, and of each request its hash: it repeats all that was said before.
    Responses(u64),
}

struct SharedRecorder {
    key: CaseKey,
    extent: RecordingExtent,
    started: At,
    /// The time for which the attempt was held up, in microseconds; it is not part of its time.
    waited: AtomicU64,
    redactor: Redactor,
    state: Mutex<RecorderState>,
}

#[derive(Default)]
struct RecorderState {
    recorded: Recorded,
    turn: u32,
    /// The requests to scripts: only a hash of each is kept, once all secrets are known.
    requests: Vec<String>,
    /// The place of what is asked of models.
    models: ModelPlace,
    /// The moment at which the next request of each lane leaves, if it has been announced.
    sends: BTreeMap<Lane, u64>,
    marked: MarkedSecrets,
    split: SecretSplitter,
    /// The number of bytes that were received.
    received: u64,
    /// Whether they are more than are recorded: then nothing is.
    is_too_large: bool,
}

impl Recorder {
    /// Records the `extent` of the attempt `key`, which began at the moment `started` of `clock`.
    pub(super) fn new(
        key: CaseKey,
        extent: RecordingExtent,
        clock: &dyn Clock,
        started: At,
        redactor: Redactor,
    ) -> Self {
        let started_unix_us = clock.unix_ms(At::default()) * 1000 + started.0;
        let recorded = Recorded {
            started_unix_us,
            ..Recorded::default()
        };
        let state = Mutex::new(RecorderState {
            recorded,
            ..RecorderState::default()
        });
        Self(Arc::new(SharedRecorder {
            key,
            extent,
            started,
            waited: AtomicU64::default(),
            redactor,
            state,
        }))
    }

    /// The attempt was held up for so long.
    pub fn wait(&self, waited: Duration) {
        let micros = u64::try_from(waited.as_micros()).unwrap_or(u64::MAX);
        self.0.waited.fetch_add(micros, Ordering::Relaxed);
    }

    /// The ids that `lane` draws from `ids`.
    pub(super) fn ids(&self, lane: &Lane, ids: Arc<dyn Ids>) -> Arc<dyn Ids> {
        Arc::new(RecordedIds {
            recorder: self.clone(),
            lane: lane.clone(),
            ids,
        })
    }

    /// Notes a request of `lane`, and returns the index of its exchange.
    pub(super) fn add_exchange(&self, lane: &Lane, request: &HttpRequest) -> usize {
        let mut state = self.0.state();
        let body = String::from_utf8_lossy(&request.body);
        let (body, hash) = match self.0.extent {
            RecordingExtent::Whole => (body.into_owned(), None),
            RecordingExtent::Responses(_) => {
                // As a replay marks what it sends.
                let hash = if state.marked.markers.is_empty() {
                    fingerprint(body.as_bytes())
                } else {
                    fingerprint(state.marked.markers.text(&body).as_bytes())
                };
                (String::new(), Some(hash))
            }
        };
        let exchanges = &state.recorded.exchanges;
        let exchange = RecordedExchange {
            key: ExchangeKey::after(exchanges.iter().map(|before| &before.key), state.turn, lane),
            sent: state.sends.get(lane).copied().unwrap_or_default(),
            method: request.method,
            path: request.url.path().to_owned(),
            body,
            hash,
            answer: RecordedResponse::Late(None),
            closed: None,
        };
        state.recorded.exchanges.push(exchange);
        state.recorded.exchanges.len() - 1
    }

    /// Notes more of the exchange with this index, for which `bytes` were received.
    pub(super) fn change_exchange(
        &self,
        index: usize,
        bytes: usize,
        change: impl FnOnce(&mut RecordedExchange),
    ) {
        let mut state = self.0.state();
        change(&mut state.recorded.exchanges[index]);
        self.0.receive(&mut state, bytes);
    }

    /// The next request of `lane` leaves at the moment `at`.
    pub(super) fn announce(&self, lane: &Lane, at: At) {
        let at = self.since(at);
        self.0.state().sends.insert(lane.clone(), at);
    }

    /// The client of `lane` closes its last exchange at the moment `at`.
    pub(super) fn close(&self, lane: &Lane, at: At) {
        let at = self.since(at);
        let exchanges = &mut self.0.state().recorded.exchanges;
        let mut last = exchanges.iter_mut().rev();
        if let Some(exchange) = last.find(|exchange| exchange.key.lane == *lane) {
            exchange.closed = Some(at);
        }
    }

    /// The splitter of the bytes of a response.
    pub(super) fn frames(&self) -> Frames {
        match self.0.extent {
            RecordingExtent::Whole => Frames::new(),
            RecordingExtent::Responses(_) => Frames::of_several_events(),
        }
    }

    /// Notes a program of `lane` that is started, and returns its index.
    pub(super) fn add_program(&self, lane: &Lane, argv: &[String]) -> usize {
        let mut state = self.0.state();
        let programs = &state.recorded.programs;
        let run = ProgramRun {
            key: ExchangeKey::after(programs.iter().map(|before| &before.key), state.turn, lane),
            argv: argv.to_vec(),
            lines: Vec::new(),
            end: ProgramRunEnd::Left,
            stderr: None,
            note: None,
            closed: 0,
        };
        state.recorded.programs.push(run);
        state.recorded.programs.len() - 1
    }

    /// Notes more of the program with this index.
    pub(super) fn change_program(&self, index: usize, change: impl FnOnce(&mut ProgramRun)) {
        let mut state = self.0.state();
        let run = &mut state.recorded.programs[index];
        let before = run.lines.len();
        change(run);
        let added = run.lines[before.min(run.lines.len())..].iter();
        let bytes = added.map(ProgramLine::size).sum();
        self.0.receive(&mut state, bytes);
    }

    /// The attempt that it records.
    pub(super) fn key(&self) -> &CaseKey {
        &self.0.key
    }

    /// The number of bytes that were received.
    pub(super) fn received(&self) -> u64 {
        self.0.state().received
    }

    /// The current turn, counted from 1.
    pub(super) fn turn(&self) -> u32 {
        self.0.state().turn
    }

    /// Microseconds since the test began.
    pub(super) fn since(&self, at: At) -> u64 {
        self.0.since(at)
    }

    /// Begins `turn`, counted from 1, to which all that follows belongs.
    pub(super) fn begin_turn(&self, turn: u32) {
        let mut state = self.0.state();
        state.turn = turn;
        state.models = ModelPlace::of_turn(turn);
    }

    /// These values must not get into the file.
    pub(super) fn add_secrets(&self, secrets: &[Secret]) {
        self.0.state().marked.add(secrets, &self.0.redactor);
    }

    /// A walk takes the action `name`.
    pub fn add_action(&self, name: &str) {
        self.0.state().recorded.actions.push(name.to_owned());
    }

    /// Records the result of the config's `setup`.
    pub(super) fn setup(&self, gave: &Map<String, Value>) {
        self.0.state().recorded.setup.clone_from(gave);
    }

    /// Records the result of the next hook.
    pub(super) fn hook(&self, gave: Result<Map<String, Value>, Problem>) {
        self.0.state().recorded.hooks.push(gave);
    }

    /// Records the answer of a script to `request`.
    pub(super) fn script(&self, name: &str, request: &Value, gave: Result<Value, Problem>) {
        let mut state = self.0.state();
        let (after, turn) = (state.recorded.exchanges.len(), state.turn);
        let answer = ScriptAnswer {
            after,
            turn,
            name: name.to_owned(),
            request: String::new(),
            gave,
        };
        state.recorded.scripts.push(answer);
        state.requests.push(request.to_string());
    }

    /// Records the text that a person typed in this turn, or in words the reason that there is none.
    pub(super) fn typed(&self, gave: Result<String, String>) {
        let mut state = self.0.state();
        let turn = state.turn;
        state.recorded.typed.push(TypedInput { turn, gave });
    }

    /// Notes that the requests of the agent to its models are seen.
    pub fn see_models(&self) {
        self.0.state().recorded.models.get_or_insert_default();
    }

    /// Begins the next exchange of the turn, in which models may be asked.
    pub fn begin_model_exchange(&self) {
        self.0.state().models.begin_exchange();
    }

    /// Notes the happenings with models after so many steps of the exchange.
    pub fn add_model_use(&self, step: u32, used: &ModelUse) {
        // Most steps of an agent have none.
        if used.is_empty() {
            return;
        }
        let mut state = self.0.state();
        let place = state.models.at(step);
        let models = state.recorded.models.get_or_insert_default();
        models.used.push_back((place, used.clone()));
        self.0.receive(&mut state, used.size());
    }

    /// Notes that the exchange ended because a model had no answer.
    pub fn add_model_failure(&self) {
        let mut state = self.0.state();
        let place = state.models;
        state.recorded.models.get_or_insert_default().failed = Some(place);
    }

    /// Notes the problem of a model that ended the attempt.
    pub fn add_model_problem(&self, problem: &Problem) {
        let mut state = self.0.state();
        let models = state.recorded.models.get_or_insert_default();
        models.problem = Some(problem.clone());
    }

    /// Follows what a lane does, to notice a secret that it sends in pieces.
    pub fn observe(&self, lane: &Lane, change: &Change<'_>) {
        self.0.state().split.add(lane, change);
    }

    /// Writes the recording, over an older one of the same test and run, and says where, as shown in messages.
    pub(super) fn keep(
        &self,
        recordings: &Recordings,
        ended_unix_ms: u64,
    ) -> Result<String, Problem> {
        let folder = &recordings.folder;
        let shown = recordings.write(&self.0.key, &self.text(ended_unix_ms)?)?;
        // An earlier recording may have more attempts or runs, whose files are deleted. A run that was missing leaves the others.
        remove_attempts(
            folder,
            CaseKey {
                attempt: self.0.key.attempt + 1,
                ..self.0.key.clone()
            },
        );
        let mut next = CaseKey {
            run: self.0.key.run + 1,
            attempt: 1,
            ..self.0.key.clone()
        };
        while recordings.mode == RecordingMode::Record && remove_attempts(folder, next.clone()) {
            next.run += 1;
        }
        Ok(shown)
    }

    /// The recording as it is kept.
    pub(super) fn text(&self, ended_unix_ms: u64) -> Result<String, Problem> {
        let redactor = &self.0.redactor;
        let mut state = self.0.state();
        if redactor.text(&self.0.key.test) != self.0.key.test {
            let message = "it was not recorded: its name holds a secret, and a recording is named after its test";
            return Err(problem(
                message.to_owned(),
                Some("give it a name without a secret"),
            ));
        }
        if state.is_too_large {
            let message = "it was not recorded: it is too large".to_owned();
            return Err(problem(message, None));
        }
        let RecorderState {
            recorded,
            marked: MarkedSecrets { markers, .. },
            split,
            requests,
            ..
        } = &mut *state;
        if let Some(secret) = split.found(markers) {
            let message = format!(
                "it was not recorded: the agent sent `{secret}` in pieces, which cannot be masked"
            );
            return Err(problem(message, Some("the agent must not say its secrets")));
        }
        recorded.ended_unix_ms = ended_unix_ms;
        recorded.secrets = markers.names().to_vec();
        for (answer, request) in recorded.scripts.iter_mut().zip(requests) {
            answer.request = digest(&redactor.text(request));
        }
        Ok(file::write(&self.0.key, recorded, &|text: &str| {
            markers.text_without_others(text, redactor)
        }))
    }

    /// `text` with markers instead of secrets.
    pub(super) fn marked(&self, text: &str) -> String {
        self.0
            .state()
            .marked
            .markers
            .text_without_others(text, &self.0.redactor)
    }

    /// A replay of the recording, if there are secrets: then something in it may not be as it was.
    pub(super) fn verification(
        &self,
        recordings: &Recordings,
        ended_unix_ms: u64,
    ) -> Result<Option<Replay>, Problem> {
        if self.0.state().marked.markers.is_empty() {
            return Ok(None);
        }
        let text = self.text(ended_unix_ms)?;
        recordings
            .replay(&self.0.key, &text, &self.0.redactor)
            .map(Some)
    }
}

impl SharedRecorder {
    /// So many more bytes were received. If they are too many, what was received is forgotten.
    fn receive(&self, state: &mut RecorderState, bytes: usize) {
        state.received += bytes as u64;
        let RecordingExtent::Responses(most) = self.extent else {
            return;
        };
        state.is_too_large |= state.received > most;
        if !state.is_too_large {
            return;
        }
        for exchange in &mut state.recorded.exchanges {
            if let RecordedResponse::Received { pieces, .. } = &mut exchange.answer {
                *pieces = Vec::new();
            }
        }
        for program in &mut state.recorded.programs {
            program.lines = Vec::new();
        }
        if let Some(models) = &mut state.recorded.models {
            models.used.clear();
        }
    }

    fn state(&self) -> MutexGuard<'_, RecorderState> {
        lock(&self.state)
    }

    /// Microseconds since the test began.
    fn since(&self, at: At) -> u64 {
        at.0.saturating_sub(self.started.0)
            .saturating_sub(self.waited.load(Ordering::Relaxed))
    }
}

/// The ids of one lane.
struct RecordedIds {
    recorder: Recorder,
    lane: Lane,
    ids: Arc<dyn Ids>,
}

impl Ids for RecordedIds {
    fn next(&self, kind: &str) -> String {
        let id = self.ids.next(kind);
        let mut state = self.recorder.0.state();
        state
            .recorded
            .ids
            .entry(ids_of(&self.lane, kind))
            .or_default()
            .push(id.clone());
        id
    }
}

/// Removes the recordings of a run from the attempt `key` on; returns whether there was one of that attempt.
fn remove_attempts(folder: &Path, mut key: CaseKey) -> bool {
    let first = key.attempt;
    while fs::remove_file(name::path(folder, &key)).is_ok() {
        key.attempt += 1;
    }
    key.attempt > first
}
