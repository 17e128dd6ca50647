//! Replays a recording: ids, times and bytes come from the file, and nothing leaves the program.
//!
//! Flows in: what was recorded of one attempt. Flows out: the same answers to the same requests; another request is a
//! [`Problem`] that shows the difference.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::diff;
use super::exchange::{ProgramRun, Recorded, RecordedExchange, ScriptAnswer, TypedInput, ids_of};
use super::marked_secrets::MarkedSecrets;
use super::recorded_models::{ModelPlace, RecordedModels};
use super::request_match::RequestMatch;
use ananke_agents::{ClientEvent, Method, Received, TargetError};
use ananke_base::context::{At, Clock, Ids, ManualClock, digest, fingerprint, lock};
use ananke_base::message::Lane;
use ananke_base::text::duration;
use ananke_model::variables::Secret;
use ananke_trace::outcome::{ErrorKind, Problem};
use ananke_trace::redact::Redactor;
use ananke_trace::trace::ModelUse;

/// The remedy if a request differs from the recorded one.
const LOOSE: &str = "the test or its target changed since then: record it again with `--record`, or play it all the same with `--replay-loose`";

/// Clock, ids and transport of an attempt that is replayed. Clones share what is left.
#[derive(Clone)]
pub(super) struct Replay(Arc<SharedReplay>);

/// One lane of a replay, as a protocol speaks to it: over HTTP, or to a program.
#[derive(Clone)]
pub(super) struct ReplayedLane {
    pub(super) replay: Replay,
    pub(super) lane: Lane,
    /// The helper whose lane it is, if it is one.
    pub(super) helper: Option<String>,
}

struct SharedReplay {
    /// The file, as shown in messages.
    shown: String,
    requests: RequestMatch,
    /// Whether the file is not as it was written.
    is_edited: bool,
    clock: Arc<ManualClock>,
    /// The moment at which the test began.
    started: At,
    secrets: Vec<String>,
    setup: Map<String, Value>,
    ended_unix_ms: u64,
    redactor: Redactor,
    left: Mutex<Unreplayed>,
}

/// The part of a recording that has not been replayed yet.
struct Unreplayed {
    ids: BTreeMap<String, VecDeque<String>>,
    /// Every recorded id, and those that had to be made up.
    known_ids: BTreeSet<String>,
    hooks: VecDeque<Result<Map<String, Value>, Problem>>,
    exchanges: VecDeque<RecordedExchange>,
    typed: VecDeque<TypedInput>,
    programs: Vec<ProgramRun>,
    scripts: Vec<ScriptAnswer>,
    /// The happenings with the models of the agent; `None` if its requests to them were not seen.
    models: Option<RecordedModels>,
    model_place: ModelPlace,
    turn: u32,
    /// The moment at which the exchange that is replayed was over, lane by lane.
    closed: BTreeMap<Lane, At>,
    marked: MarkedSecrets,
    /// The reason that it could not be replayed any further.
    error: Option<Problem>,
}

impl Replay {
    pub(super) fn new(
        recorded: Recorded,
        shown: String,
        requests: RequestMatch,
        redactor: Redactor,
    ) -> Self {
        let Recorded {
            started_unix_us,
            ended_unix_ms,
            ids,
            secrets,
            actions: _,
            setup,
            hooks,
            exchanges,
            typed,
            programs,
            scripts,
            models,
            is_edited,
        } = recorded;
        let clock = ManualClock::new(started_unix_us / 1000);
        clock.advance(Duration::from_micros(started_unix_us % 1000));
        let started = clock.now();
        let left = Unreplayed {
            known_ids: ids.values().flatten().cloned().collect(),
            ids: ids
                .into_iter()
                .map(|(kind, ids)| (kind, ids.into()))
                .collect(),
            hooks: hooks.into(),
            exchanges: exchanges.into(),
            typed: typed.into(),
            programs,
            scripts,
            models,
            model_place: ModelPlace::default(),
            turn: 0,
            closed: BTreeMap::new(),
            marked: MarkedSecrets::default(),
            error: None,
        };
        let left = Mutex::new(left);
        let clock = Arc::new(clock);
        Self(Arc::new(SharedReplay {
            shown,
            requests,
            is_edited,
            clock,
            started,
            secrets,
            setup,
            ended_unix_ms,
            redactor,
            left,
        }))
    }

    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.0.clock) as Arc<dyn Clock>
    }

    /// The `lane`, which is that of `helper`, if it is one.
    pub(super) fn lane(&self, lane: &Lane, helper: Option<&str>) -> Arc<ReplayedLane> {
        Arc::new(ReplayedLane {
            replay: self.clone(),
            lane: lane.clone(),
            helper: helper.map(str::to_owned),
        })
    }

    /// The ids that `lane` draws.
    pub(super) fn ids(&self, lane: &Lane) -> Arc<dyn Ids> {
        Arc::new(ReplayedIds {
            replay: self.clone(),
            lane: lane.clone(),
        })
    }

    /// The exchange of `lane`, which is that of `helper`, if it is one, that answers a request with this body.
    ///
    /// # Errors
    /// If there is none, or the request was another.
    pub(super) fn exchange(
        &self,
        lane: &Lane,
        helper: Option<&str>,
        method: Method,
        body: &str,
    ) -> Result<RecordedExchange, Problem> {
        let whom = helper
            .map(|helper| format!(" to {helper}"))
            .unwrap_or_default();
        let mut left = self.0.left();
        let turn = left.turn;
        // What an earlier turn no longer sends.
        while left
            .exchanges
            .front()
            .is_some_and(|exchange| exchange.key.turn < turn)
        {
            left.exchanges.pop_front();
        }
        let next = left
            .exchanges
            .iter()
            .position(|exchange| exchange.key.is_of(turn, lane))
            .and_then(|next| left.exchanges.remove(next));
        let Some(exchange) = next else {
            return Err(self
                .0
                .stale(&format!("holds no further request{whom} of turn {turn}")));
        };
        let body = left.marked.markers.text(body);
        let of_body = || match &exchange.hash {
            Some(hash) => (fingerprint(body.as_bytes()) != *hash)
                .then(|| vec!["it has another body".to_owned()]),
            None => diff::difference(&exchange.body, &body, &left.known_ids),
        };
        let difference = if exchange.method == method {
            of_body()
        } else {
            Some(vec![format!(
                "recorded `{}`, now `{}`",
                exchange.method.as_str(),
                method.as_str()
            )])
        };
        self.0.same(
            lane,
            difference,
            &format!("another request{whom} in turn {turn}"),
        )?;
        Ok(exchange)
    }

    /// The moment at which `lane` sends its next request, or closes its exchange.
    pub(super) fn moment(&self, lane: &Lane, event: ClientEvent) -> At {
        let left = self.0.left();
        let known = match event {
            ClientEvent::Sends => {
                let is_next = |exchange: &&RecordedExchange| {
                    exchange.key.turn >= left.turn && exchange.key.lane == *lane
                };
                let next = left.exchanges.iter().find(is_next);
                next.map(|exchange| self.at(exchange.sent))
            }
            ClientEvent::Closes(at) => left.closed.get(lane).copied().or(at),
        };
        known.unwrap_or_else(|| self.0.clock.now())
    }

    /// The exchange of `lane` is over then, or when its client says so.
    pub(super) fn close(&self, lane: &Lane, at: Option<At>) {
        let closed = &mut self.0.left().closed;
        match at {
            Some(at) => closed.insert(lane.clone(), at),
            None => closed.remove(lane),
        };
    }

    /// Nothing came until then, if the recording was made that long.
    pub(super) fn wait_until(&self, until: At, closed: Option<At>) {
        let Some(closed) = closed.filter(|closed| *closed < until) else {
            return;
        };
        let waited = duration::chosen(closed.since(self.0.started));
        let what = format!(
            "ends {waited} into the test, where the client stopped listening, and more may come"
        );
        self.0.left().error = Some(self.0.stale(&what));
    }

    /// The program that `lane`, which is that of `helper`, if it is one, starts next in this turn.
    ///
    /// # Errors
    /// If there is none, or it had other arguments. What the program itself is called may differ, as an address may.
    pub(super) fn program(
        &self,
        lane: &Lane,
        helper: Option<&str>,
        argv: &[String],
    ) -> Result<ProgramRun, Problem> {
        let mut left = self.0.left();
        let turn = left.turn;
        let whose = helper
            .map(|helper| format!(" of {helper}"))
            .unwrap_or_default();
        let next = left
            .programs
            .iter()
            .position(|run| run.key.is_of(turn, lane));
        let Some(run) = next.map(|next| left.programs.remove(next)) else {
            return Err(self
                .0
                .stale(&format!("holds no further program{whose} in turn {turn}")));
        };
        let arguments = |argv: &[String]| json!(argv.get(1..).unwrap_or_default()).to_string();
        let now = arguments(argv);
        let now = left.marked.markers.text(&now);
        let difference = diff::difference(&arguments(&run.argv), &now, &left.known_ids);
        self.0.same(
            lane,
            difference,
            &format!("a program{whose} with other arguments in turn {turn}"),
        )?;
        Ok(run)
    }

    /// Whether the line that a program, which is that of `helper`, if it is one, gets now is the one that it got then, in
    /// that turn.
    ///
    /// # Errors
    /// If it is another, or there was none.
    pub(super) fn check_line(
        &self,
        lane: &Lane,
        helper: Option<&str>,
        then: Option<(u32, &str)>,
        now: &str,
    ) -> Result<(), Problem> {
        let whom = helper.unwrap_or("the program");
        let left = self.0.left();
        let turn = left.turn;
        match then {
            Some((then, recorded)) if then == turn => {
                let difference =
                    diff::difference(recorded, &left.marked.markers.text(now), &left.known_ids);
                self.0.same(
                    lane,
                    difference,
                    &format!("another line to {whom} in turn {turn}"),
                )
            }
            _ => Err(self
                .0
                .stale(&format!("holds no further line to {whom} in turn {turn}"))),
        }
    }

    /// The reason that a replay cannot go on in which a program, which is that of `helper`, if it is one, does not get
    /// a line that it got.
    pub(super) fn not_sent(&self, helper: Option<&str>) -> Problem {
        let whom = helper.unwrap_or("the program");
        self.0.stale(&format!(
            "holds a line to {whom} that the test no longer sends"
        ))
    }

    /// Notes why the rest cannot be replayed, and returns the error for the protocol. The first reason stays: what is asked after it
    /// may follow from it.
    pub(super) fn refuse(&self, problem: Problem) -> TargetError {
        let Problem { message, help, .. } = problem.clone();
        self.0.left().error.get_or_insert(problem);
        TargetError {
            message,
            received: Received::default(),
            help,
        }
    }

    /// A moment of the recording.
    pub(super) fn at(&self, micros: u64) -> At {
        self.0.at(micros)
    }

    pub(super) fn begin_turn(&self, turn: u32) {
        let mut left = self.0.left();
        left.turn = turn;
        left.model_place = ModelPlace::of_turn(turn);
    }

    /// The exchanges of `turn` are not asked for.
    pub(super) fn pass_over_turn(&self, turn: u32) {
        let mut left = self.0.left();
        left.exchanges.retain(|exchange| exchange.key.turn != turn);
        if let Some(models) = &mut left.models {
            models.pass_over_turn(turn);
        }
    }

    /// Whether the requests of the agent to its models were seen.
    pub(super) fn sees_models(&self) -> bool {
        self.0.left().models.is_some()
    }

    /// Begins the next exchange of the turn, in which models may have been asked.
    pub(super) fn begin_model_exchange(&self) {
        self.0.left().model_place.begin_exchange();
    }

    /// The happenings with models after so many steps of the exchange, and before.
    pub(super) fn model_use(&self, step: u32) -> ModelUse {
        let mut left = self.0.left();
        let place = left.model_place.at(step);
        match &mut left.models {
            Some(models) => models.take_until(place),
            None => ModelUse::default(),
        }
    }

    /// Whether the exchange ended because a model had no answer.
    pub(super) fn has_model_failed(&self) -> bool {
        let left = self.0.left();
        match &left.models {
            Some(models) => models.failed == Some(left.model_place),
            None => false,
        }
    }

    /// The problem of a model that ended the attempt; `None` if there is none.
    pub(super) fn model_problem(&self) -> Option<Problem> {
        self.0.left().models.as_ref()?.problem.clone()
    }

    /// These values are markers in the file.
    pub(super) fn add_secrets(&self, secrets: &[Secret]) {
        self.0.left().marked.add(secrets, &self.0.redactor);
    }

    /// The moment at which the test was over, in milliseconds since the Unix epoch.
    pub(super) fn ended_unix_ms(&self) -> u64 {
        self.0.ended_unix_ms
    }

    /// The names of the secrets that markers replace.
    pub(super) fn secrets(&self) -> &[String] {
        &self.0.secrets
    }

    /// The result of the config's `setup` when the test was recorded.
    pub(super) fn setup(&self) -> &Map<String, Value> {
        &self.0.setup
    }

    /// The result of the hook `number`, counted from 1.
    ///
    /// # Errors
    /// If it failed, or there was no such hook.
    pub(super) fn hook(&self, number: usize) -> Result<Map<String, Value>, Problem> {
        let stale = || {
            self.0.stale(&format!(
                "holds nothing of hook {number}, which the test has now"
            ))
        };
        let gave = self.0.left().hooks.pop_front();
        gave.ok_or_else(stale)?
    }

    /// The answer of the script `name` to `request` in this turn.
    ///
    /// # Errors
    /// If it failed, or did not get this request.
    pub(super) fn script(&self, name: &str, request: &Value) -> Result<Value, Problem> {
        let SharedReplay {
            requests, redactor, ..
        } = &*self.0;
        let mut left = self.0.left();
        let turn = left.turn;
        let (named, asked) = (
            left.marked.markers.text(name),
            digest(&redactor.text(&request.to_string())),
        );
        let is_of = |answer: &ScriptAnswer| answer.turn == turn && answer.name == named;
        let same = left
            .scripts
            .iter()
            .position(|answer| is_of(answer) && answer.request == asked);
        let found = match (same, left.scripts.iter().position(is_of)) {
            (Some(same), _) => same,
            (None, Some(any)) if *requests != RequestMatch::Exact => any,
            (None, Some(_)) => {
                let what = format!(
                    "holds an answer of the script `{name}` to another request in turn {turn}"
                );
                return Err(Problem {
                    help: Some(LOOSE.to_owned()),
                    ..self.0.stale(&what)
                });
            }
            (None, None) => {
                return Err(self.0.stale(&format!(
                    "holds no answer of the script `{name}` in turn {turn}"
                )));
            }
        };
        left.scripts.remove(found).gave
    }

    /// The text that a person typed in this turn, or in words the reason that there is none; `None` if no person was
    /// asked.
    pub(super) fn typed(&self) -> Option<Result<String, String>> {
        let mut left = self.0.left();
        let turn = left.turn;
        while left.typed.front().is_some_and(|typed| typed.turn < turn) {
            left.typed.pop_front();
        }
        let is_of_turn = left.typed.front().is_some_and(|typed| typed.turn == turn);
        is_of_turn
            .then(|| left.typed.pop_front())
            .flatten()
            .map(|typed| typed.gave)
    }

    /// Whether a person was asked to type something.
    pub(super) fn has_typed(&self) -> bool {
        !self.0.left().typed.is_empty()
    }

    /// The reason that it could not be replayed any further.
    pub(super) fn error(&self) -> Option<Problem> {
        self.0.left().error.clone()
    }

    /// The file of the recording, as shown in messages.
    pub(super) fn file(&self) -> &str {
        &self.0.shown
    }

    /// A warning if the recording is not as it was written.
    pub(super) fn edited(&self) -> Option<String> {
        let SharedReplay {
            shown, is_edited, ..
        } = &*self.0;
        is_edited.then(|| {
            format!(
                "the recording `{shown}` was changed after it was recorded: its hash does not match"
            )
        })
    }

    /// A warning if a complete replay used less than was recorded.
    pub(super) fn unused(&self) -> Option<String> {
        let left = self.0.left();
        let requests = match left.exchanges.len() + left.programs.len() {
            0 => return None,
            1 => "1 request".to_owned(),
            count => format!("{count} requests"),
        };
        Some(format!(
            "the recording `{}` holds {requests} that the test no longer sends",
            self.0.shown
        ))
    }
}

impl SharedReplay {
    fn left(&self) -> MutexGuard<'_, Unreplayed> {
        lock(&self.left)
    }

    /// A moment of the recording.
    fn at(&self, micros: u64) -> At {
        At(self.started.0.saturating_add(micros))
    }

    fn stale(&self, what: &str) -> Problem {
        let help = "the test changed since it was recorded: record it again with `--record`";
        problem(format!("the recording `{}` {what}", self.shown), Some(help))
    }

    /// Fails if there is a `difference`, unless that is allowed in this lane.
    fn same(
        &self,
        lane: &Lane,
        difference: Option<Vec<String>>,
        what: &str,
    ) -> Result<(), Problem> {
        match difference.filter(|_| self.requests.is_exact(lane)) {
            None => Ok(()),
            Some(lines) => {
                let stale = self.stale(&format!("is of {what}: {}", lines.join("; ")));
                Err(Problem {
                    help: Some(LOOSE.to_owned()),
                    ..stale
                })
            }
        }
    }
}

/// The ids of one lane.
struct ReplayedIds {
    replay: Replay,
    lane: Lane,
}

impl Ids for ReplayedIds {
    fn next(&self, kind: &str) -> String {
        let mut left = self.replay.0.left();
        // Recordings made earlier keep the ids of all lanes together.
        let own = Some(ids_of(&self.lane, kind)).filter(|own| left.ids.contains_key(own));
        let kept = own.as_deref().unwrap_or(kind);
        if let Some(id) = left.ids.get_mut(kept).and_then(VecDeque::pop_front) {
            return id;
        }
        let id = format!("{kind}-not-recorded-{}", left.known_ids.len());
        left.known_ids.insert(id.clone());
        id
    }
}

/// A recording that cannot be written, read, or replayed any further; `message` in lower case, without a full stop.
pub(super) fn problem(message: String, help: Option<&str>) -> Problem {
    Problem {
        kind: ErrorKind::Recording,
        message,
        help: help.map(str::to_owned),
    }
}
