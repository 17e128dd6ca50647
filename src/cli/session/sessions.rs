//! The sessions of a client, and the runs that rules can be applied to.

use std::iter;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ananke::program_target;
use ananke::recording::RecordingMode;
use ananke::testing::{AgentTarget, CheckedRun, SessionAgent, SessionRecording, SessionSetup};
use ananke::{
    agents::UndeclaredCalls,
    context::Context,
    run_document::rule_results,
    text::{escape, nearest},
};
use indexmap::IndexMap;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::callbacks::{AGENT_LANE, Callbacks, JUDGE_LANE};
use super::client_turns::ClientTurns;
use super::held_session::{HeldInput, HeldSession, open_interrupts, pending_answers};
use super::made_turns::made_turns;
use super::request_keys::{ClientConfig, named_recordings};
use super::session_client::SessionClient;
use super::session_error::{SessionError, SessionErrorCode};
use super::session_event::SessionEvent;
use super::session_messages::{
    CheckResult, CheckRun, ClientAgent, ClosedSession, EarlierTurn, EventNotice, HistoryResult,
    JudgeResult, JudgeRun, MockName, MockTools, OpenSession, ResumeSession, RunChoice, RunSession,
    SessionName, StateResult, TargetChoice, TurnResult, UnmockTools,
};

/// The number of runs that are kept for rules; the oldest are forgotten.
const KEPT_RUNS: usize = 10_000;

/// The time that the client may take for an answer, by default.
const CALLBACK_TIMEOUT: Duration = Duration::from_mins(10);

/// The name of an agent of the client that has none.
const EXTERNAL_NAME: &str = "agent";

/// The sessions of a client.
pub(super) struct Sessions {
    client: SessionClient,
    context: Context,
    config: ClientConfig,
    open: Mutex<IndexMap<String, Arc<HeldSession>>>,
    runs: Mutex<IndexMap<String, CheckedRun>>,
    /// The turns of the client's own agents.
    turns: ClientTurns,
    next_id: AtomicU64,
    /// Is cancelled when the client has gone.
    ending: CancellationToken,
}

impl Sessions {
    /// No sessions; they name targets of `config`.
    pub(super) fn new(
        client: SessionClient,
        context: Context,
        config: ClientConfig,
        turns: ClientTurns,
    ) -> Self {
        Self {
            client,
            context,
            config,
            open: Mutex::default(),
            runs: Mutex::default(),
            turns,
            next_id: AtomicU64::new(1),
            ending: CancellationToken::new(),
        }
    }

    /// Makes a session.
    pub(super) fn open(&self, params: OpenSession) -> Result<SessionName, SessionError> {
        let OpenSession {
            target,
            agent,
            name: agent_name,
            instructions,
            tools,
            callback_timeout_ms,
            record,
            replay,
            id,
        } = params;
        let is_external = matches!(agent, Some(ClientAgent::External));
        if agent_name.is_some() && !is_external {
            let message = "`name` goes with `agent: external`: a target has a name of its own";
            return Err(SessionError::params(message));
        }
        if is_external && (instructions.is_some() || !tools.is_empty()) {
            let message = "an `external` agent has its own instructions and tools: leave out `instructions` and `tools`";
            return Err(SessionError::params(message));
        }
        let name = self.next_name('s');
        let limit = match callback_timeout_ms {
            Some(0) => {
                let message = "`callback_timeout_ms` must be at least 1";
                return Err(SessionError::params(message));
            }
            Some(limit) => Duration::from_millis(limit),
            None => CALLBACK_TIMEOUT,
        };
        let callbacks = self.callbacks(&name, limit);
        let agent = match (target, agent) {
            (Some(_), Some(_)) => {
                let message = "a session has a `target` or the `agent` of the client, not both";
                return Err(SessionError::params(message));
            }
            (None, Some(ClientAgent::Caller)) => SessionAgent::Written(caller(AGENT_LANE)),
            (None, Some(ClientAgent::External)) => {
                let name = agent_name.as_deref().unwrap_or(EXTERNAL_NAME);
                SessionAgent::Written(external(name, limit))
            }
            (Some(TargetChoice::Keys(keys)), None) => SessionAgent::Written(written(keys)?),
            (Some(TargetChoice::Name(target)), None) => {
                SessionAgent::OfConfig(self.config()?, Some(target))
            }
            (None, None) => SessionAgent::OfConfig(self.config()?, None),
        };
        let mut setup = self.setup(agent, instructions, &callbacks);
        setup.recording = self.recording(record, replay, id)?;
        if is_external {
            // Such an agent executes its own tools: a call without a result is one that it has not ended.
            setup.undeclared = UndeclaredCalls::Rejected;
        }
        let session = HeldSession::open(setup, callbacks, tools)?;
        let session = Arc::new(session);
        self.sessions().insert(name.clone(), Arc::clone(&session));
        if self.ending.is_cancelled() {
            session.cancel();
        }
        Ok(SessionName { session: name })
    }

    /// A turn of the user.
    pub(super) async fn run(&self, params: RunSession) -> Result<TurnResult, SessionError> {
        let RunSession { session, input } = params;
        self.turn(&session, HeldInput::Text(input)).await
    }

    /// Answers to what the agent waits for.
    pub(super) async fn resume(&self, params: ResumeSession) -> Result<TurnResult, SessionError> {
        let ResumeSession { session, answers } = params;
        let answers = pending_answers(answers)?;
        self.turn(&session, HeldInput::Answers(answers)).await
    }

    async fn turn(&self, session: &str, input: HeldInput) -> Result<TurnResult, SessionError> {
        let held = self.held(session)?;
        // A session that was never used is not recorded, so this is an error of its first turn alone.
        if let Some(recording) = &held.setup.recording
            && recording.is_missing()
        {
            let message = format!(
                "there is no recording of `{}` in `{}`: record the session first, to the end of a turn at least",
                escape::line(&recording.id),
                recording.recordings.shown
            );
            return Err(SessionError::params(message));
        }
        let keep = |run: &_| self.keep(CheckedRun::of(run));
        let (run, done) = held.turn(input, keep).await?;
        let events: Vec<SessionEvent> = done.events().iter().map(SessionEvent::from).collect();
        for event in &events {
            let notice = EventNotice { session, event };
            let notice = serde_json::to_value(notice).unwrap_or_default();
            self.client.notify("event", notice).await;
        }
        let interrupts = open_interrupts(done.interrupts());
        Ok(TurnResult {
            run,
            events,
            interrupts,
            warnings: self.turns.warnings(session),
        })
    }

    /// Sends the calls to some tools to the client.
    pub(super) async fn mock(&self, params: MockTools) -> Result<MockName, SessionError> {
        let MockTools { session, tools } = params;
        let held = self.held(&session)?;
        let mock = self.next_name('m');
        held.mock(&mock, tools).await?;
        Ok(MockName { mock })
    }

    /// Ends a mock.
    pub(super) fn unmock(&self, params: &UnmockTools) -> Result<(), SessionError> {
        self.held(&params.session)?.unmock(&params.mock)
    }

    /// Everything that was said and done in a session.
    pub(super) async fn history(
        &self,
        params: &SessionName,
    ) -> Result<HistoryResult, SessionError> {
        let history = self.held(&params.session)?.history().await;
        let events = history.iter().map(SessionEvent::from).collect();
        Ok(HistoryResult { events })
    }

    /// The agent's state after the last run of a session.
    pub(super) async fn state(&self, params: &SessionName) -> Result<StateResult, SessionError> {
        let state = self.held(&params.session)?.state().await;
        Ok(StateResult { state })
    }

    /// Aborts what a session does.
    pub(super) fn cancel(&self, params: &SessionName) -> Result<(), SessionError> {
        self.held(&params.session)?.cancel();
        Ok(())
    }

    /// Ends a session.
    pub(super) async fn close(&self, params: &SessionName) -> Result<ClosedSession, SessionError> {
        let held = self.held(&params.session)?;
        let closed = held.close().await;
        self.sessions().shift_remove(&params.session);
        let mut warnings = self.turns.close(&params.session);
        warnings.extend(closed?);
        Ok(ClosedSession { warnings })
    }

    /// Takes what an agent of the client does in a turn.
    pub(super) fn agent_event(&self, params: Map<String, Value>) {
        self.turns.take(params);
    }

    /// Applies rules to a run.
    pub(super) async fn check(&self, params: CheckRun) -> Result<CheckResult, SessionError> {
        let CheckRun { run, yaml, block } = params;
        let block = match (yaml, block) {
            (Some(yaml), None) => yaml,
            (None, Some(block)) => Value::Object(block).to_string(),
            _ => {
                let message = "name the rules as `yaml` or as `assert`, one of the two";
                return Err(SessionError::params(message));
            }
        };
        let run = self.chosen(run).await?;
        let results = run.results(&block).await?;
        let findings = rule_results(&results);
        Ok(CheckResult { findings })
    }

    /// Asks a judge about the last message of a run.
    pub(super) async fn judge(&self, params: JudgeRun) -> Result<JudgeResult, SessionError> {
        let JudgeRun {
            run,
            judge,
            agent,
            intent,
        } = params;
        if judge.is_some() == agent.is_some() {
            let message =
                "name the judge as `judge`, or as the `agent` of the client, one of the two";
            return Err(SessionError::params(message));
        }
        let run = self.chosen(run).await?;
        let verdict = match judge {
            None => run.judged_by(&caller(JUDGE_LANE), &intent).await?,
            Some(TargetChoice::Keys(keys)) => run.judged_by(&written(keys)?, &intent).await?,
            Some(TargetChoice::Name(name)) => {
                let of_config = self.of_config(&run)?;
                of_config.judged_by_name(&name, &intent).await?
            }
        };
        Ok(JudgeResult {
            passed: verdict.is_passed,
            reason: verdict.reason,
        })
    }

    /// Forgets a run.
    pub(super) fn release(&self, run: &str) {
        self.runs().shift_remove(run);
    }

    /// Aborts what all sessions do, and those that are opened from now on.
    pub(super) fn cancel_all(&self) {
        self.ending.cancel();
        for session in self.sessions().values() {
            session.cancel();
        }
    }

    /// Waits until all sessions are over, after [`Self::cancel_all`].
    pub(super) async fn end(&self) {
        let sessions: Vec<_> = self.sessions().drain(..).map(|(_, held)| held).collect();
        for session in sessions {
            // Nothing is there any more that could be sent the error.
            let _gone = session.close().await;
        }
    }

    /// The run that is named, or that is made of events.
    async fn chosen(&self, choice: RunChoice) -> Result<CheckedRun, SessionError> {
        let RunChoice {
            session,
            run,
            events,
            input,
            before,
        } = choice;
        if input.is_some() && events.is_none() {
            let message = "`input` goes with `events`: a run of a session has an input of its own";
            return Err(SessionError::params(message));
        }
        if before.is_some() && events.is_none() {
            let message =
                "`before` goes with `events`: a run of a session has its own turns before it";
            return Err(SessionError::params(message));
        }
        if let Some(events) = events {
            if run.is_some() {
                let message = "name a `run` or give `events`, not both";
                return Err(SessionError::params(message));
            }
            let mut turns = before.unwrap_or_default();
            turns.push(EarlierTurn { input, events });
            return self.made_run(session, turns);
        }
        let name = match (session, run) {
            (Some(session), None) => {
                let last = self.held(&session)?.last_run().await;
                last.ok_or_else(|| {
                    let message =
                        format!("the session `{session}` has no run yet: send `session/run` first");
                    SessionError::params(message)
                })?
            }
            (None, Some(run)) => run,
            (Some(_), Some(_)) => {
                return Err(SessionError::params(
                    "name a `session` or a `run`, not both",
                ));
            }
            (None, None) => {
                return Err(SessionError::params(
                    "name a `session` or a `run`, or give `events`",
                ));
            }
        };
        let run = self.runs().get(&name).cloned();
        run.ok_or_else(|| {
            let message = format!(
                "there is no run `{name}`: the last {KEPT_RUNS} are kept, without those of `run/release`"
            );
            SessionError::params(message)
        })
    }

    /// The last of these turns, whose events the client made; of `session` are the scripts and judges.
    fn made_run(
        &self,
        session: Option<String>,
        turns: Vec<EarlierTurn>,
    ) -> Result<CheckedRun, SessionError> {
        let setup = if let Some(session) = session {
            self.held(&session)?.setup.clone()
        } else {
            let callbacks = self.callbacks("", CALLBACK_TIMEOUT);
            let silent = SessionAgent::Written(AgentTarget::silent());
            self.setup(silent, None, &callbacks)
        };
        Ok(CheckedRun::by_hand(&setup, &made_turns(turns)))
    }

    /// The run in the project of the config, whose targets can be named as judges.
    fn of_config(&self, run: &CheckedRun) -> Result<CheckedRun, SessionError> {
        if run.is_of_config() {
            return Ok(run.clone());
        }
        let callbacks = self.callbacks("", CALLBACK_TIMEOUT);
        let agent = SessionAgent::OfConfig(self.config()?, None);
        Ok(run.in_project(&self.setup(agent, None, &callbacks)))
    }

    /// The recording that a session writes or is replayed from.
    ///
    /// # Errors
    /// If the keys do not go together, the recording cannot be written, or there is none to be replayed.
    fn recording(
        &self,
        record: Option<PathBuf>,
        replay: Option<PathBuf>,
        id: Option<String>,
    ) -> Result<Option<SessionRecording>, SessionError> {
        let Some(recordings) = named_recordings(record, replay, &self.context)? else {
            if id.is_some() {
                let message = "`id` goes with `record` or `replay`: it is the name of a recording";
                return Err(SessionError::params(message));
            }
            return Ok(None);
        };
        let id = match id {
            Some(id) if !id.is_empty() => id,
            Some(_) | None => {
                let message = "`record` and `replay` need the `id` of the recording";
                return Err(SessionError::params(message));
            }
        };
        // What is wrong with the folder is said here, because the caller of the first run is not the one that named it.
        match recordings.mode {
            RecordingMode::Replay | RecordingMode::RecordMissing => {}
            RecordingMode::Record => {
                let writable = recordings.check_writable(iter::once(id.as_str().into()));
                writable.map_err(SessionError::params)?;
            }
        }
        let redact = self.config.redact(&self.context)?;
        Ok(Some(SessionRecording {
            recordings,
            id,
            redact,
        }))
    }

    fn callbacks(&self, session: &str, limit: Duration) -> Callbacks {
        Callbacks {
            client: self.client.clone(),
            session: session.to_owned(),
            limit,
            turns: self.turns.clone(),
        }
    }

    fn setup(
        &self,
        agent: SessionAgent,
        instructions: Option<String>,
        callbacks: &Callbacks,
    ) -> SessionSetup {
        SessionSetup {
            context: self.context.clone(),
            agent,
            instructions,
            transport: Some(callbacks.transport(&self.context)),
            undeclared: UndeclaredCalls::Answered,
            recording: None,
        }
    }

    /// The config: the one that `initialize` names, or the nearest above the working directory.
    fn config(&self) -> Result<PathBuf, SessionError> {
        self.config.located(None, &[], &self.context)
    }

    fn keep(&self, run: CheckedRun) -> String {
        let name = self.next_name('r');
        let mut runs = self.runs();
        if runs.len() >= KEPT_RUNS {
            runs.shift_remove_index(0);
        }
        runs.insert(name.clone(), run);
        name
    }

    fn next_name(&self, kind: char) -> String {
        format!("{kind}{}", self.next_id.fetch_add(1, Ordering::Relaxed))
    }

    fn held(&self, name: &str) -> Result<Arc<HeldSession>, SessionError> {
        let sessions = self.sessions();
        sessions.get(name).cloned().ok_or_else(|| {
            let open = match nearest(name, sessions.keys()) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => "; `session/open` makes one".to_owned(),
            };
            SessionError::new(
                SessionErrorCode::InvalidParams,
                format!("`session`: there is no session `{name}`, or it was closed{open}"),
            )
        })
    }

    fn sessions(&self) -> MutexGuard<'_, IndexMap<String, Arc<HeldSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn runs(&self) -> MutexGuard<'_, IndexMap<String, CheckedRun>> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The target that is a model of the client.
fn caller(lane: &str) -> AgentTarget {
    AgentTarget::yaml(program_target(lane).to_string())
}

/// The target that is an agent of the client, each of whose turns may take `limit`.
fn external(name: &str, limit: Duration) -> AgentTarget {
    let timeout = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
    AgentTarget::new("external", json!({ "agent": name, "timeout_ms": timeout }))
}

/// A target in place, in which nothing refers to a variable.
fn written(mut keys: Map<String, Value>) -> Result<AgentTarget, SessionError> {
    let Some(Value::String(target_type)) = keys.shift_remove("type") else {
        let message = "a target in place needs its `type` (a text), as in a config";
        return Err(SessionError::params(message));
    };
    Ok(AgentTarget::new(&target_type, json!(keys)))
}
