//! An agent that runs inside this program: a session for each thread of its clients. What it does about one request is
//! collected.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use indexmap::IndexMap;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use super::MockAgent;
use super::planned_target::{PlannedTarget, ThreadTarget};
use crate::lab_error::LabError;
use ananke_agents::http::HttpTransport;
use ananke_agents::pipe::ProgramLauncher;
use ananke_agents::{
    Action, Limits, Request, ServedProtocol, ServedRequest, Session, SessionOptions, Sink, Stop,
    TimedChange, UndeclaredCalls, Wire,
};
use ananke_base::context::{At, CaseKey, Context};
use ananke_model::model::NEWEST_VERSION;
use ananke_plan::Selection;
use ananke_recording::AgentAnswer;
use ananke_trace::trace::{Change, RunEnd};

/// The number of threads that are remembered; the one that was used the longest ago is forgotten first.
const MOST_THREADS: usize = 1000;

/// An agent in virtual time is never too late.
const NO_TIMEOUT: Duration = Duration::from_hours(24 * 365);

/// The thread of a request that has all of its conversation.
const WHOLE_CONVERSATION: &str = "mock";

type SharedSession = Arc<Mutex<Box<dyn Session>>>;

/// An agent that runs inside this program.
pub struct EmbeddedAgent {
    planned: PlannedTarget,
    context: Context,
    threads: Mutex<IndexMap<String, SharedSession>>,
}

impl EmbeddedAgent {
    /// The target that `selection` names, in the config that it names.
    ///
    /// # Errors
    /// If there is no such target, or it is no agent that runs inside this program.
    pub fn of_project(context: &Context, selection: &Selection) -> Result<Self, LabError> {
        Ok(Self::new(PlannedTarget::of(context, selection)?, context))
    }

    /// The agent of a target, as a config has it.
    pub(super) fn of_target(context: &Context, target: &Value) -> Result<Self, LabError> {
        let config = serde_json::json!({ "version": NEWEST_VERSION, "target": target }).to_string();
        Ok(Self::new(
            PlannedTarget::of_config(context, &config)?,
            context,
        ))
    }

    fn new(planned: PlannedTarget, context: &Context) -> Self {
        Self {
            planned,
            context: context.clone(),
            threads: Mutex::default(),
        }
    }

    /// The actions for a request: the changes of each action.
    pub(super) async fn runs(
        &self,
        request: &dyn ServedRequest,
    ) -> Result<Vec<Vec<TimedChange>>, String> {
        let Some(thread) = request.thread() else {
            let mut session = self.open(WHOLE_CONVERSATION, request).await?;
            return run(&mut *session, request.actions()).await;
        };
        let session = match self.known(thread, request).await {
            Some(session) => session,
            None if matches!(request.actions(), [Action::Connect]) => return Ok(vec![nothing()]),
            None => self.begin(thread, request).await?,
        };
        // Two requests of one thread come one after the other.
        let mut session = session.lock().await;
        run(&mut **session, request.actions()).await
    }

    /// The session of a thread that goes on.
    async fn known(&self, thread: &str, request: &dyn ServedRequest) -> Option<SharedSession> {
        if request.begins() {
            return None;
        }
        let mut threads = self.threads.lock().await;
        let (place, _, session) = threads.get_full(thread)?;
        let session = Arc::clone(session);
        let newest = threads.len() - 1;
        threads.move_index(place, newest);
        Some(session)
    }

    /// A new session of a thread.
    async fn begin(
        &self,
        thread: &str,
        request: &dyn ServedRequest,
    ) -> Result<SharedSession, String> {
        let session: SharedSession = Arc::new(Mutex::new(self.open(thread, request).await?));
        let mut threads = self.threads.lock().await;
        threads.shift_remove(thread);
        if threads.len() == MOST_THREADS {
            threads.shift_remove_index(0);
        }
        threads.insert(thread.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    async fn open(
        &self,
        thread: &str,
        request: &dyn ServedRequest,
    ) -> Result<Box<dyn Session>, String> {
        let planned = self.planned.of_thread(thread);
        let ThreadTarget {
            target,
            client_tools,
        } = planned.map_err(|error| error.to_string())?;
        // Some protocols have no declarations, so that only the config says which calls wait for the client.
        let client_tools = match request.tools() {
            [] => client_tools.into(),
            declared => declared.into(),
        };
        let options = SessionOptions {
            key: CaseKey::first(self.planned.target_name()),
            thread_id: thread.to_owned(),
            history: Vec::new(),
            client_tools,
            declares_tools: false,
            undeclared: UndeclaredCalls::Rejected,
            clock: Arc::clone(&self.context.clock),
            ids: Arc::clone(&self.context.ids),
            transport: Arc::new(HttpTransport::new(Arc::clone(&self.context.clock))),
            programs: Arc::new(ProgramLauncher::new(&self.context)),
            offered: Arc::default(),
        };
        target.open(options).await.map_err(|error| error.message)
    }
}

/// The replay of a thread that is not known.
fn nothing() -> Vec<TimedChange> {
    let started = Change::RunStarted {
        run_id: None,
        thread_id: None,
        is_replay: false,
    };
    let changes = [started, Change::RunEnded(RunEnd::Finished)];
    changes
        .into_iter()
        .map(|change| TimedChange {
            after: Duration::ZERO,
            change,
        })
        .collect()
}

async fn run(
    session: &mut dyn Session,
    actions: &[Action],
) -> Result<Vec<Vec<TimedChange>>, String> {
    let limits = Limits::new(NO_TIMEOUT, CancellationToken::new());
    let mut runs = Vec::new();
    for action in actions {
        let mut changes = CollectedRun::default();
        let exchange = session.exchange(Request::from(action.clone()), &limits, &mut changes);
        exchange.await.map_err(|error| error.message)?;
        runs.push(changes.into_timed());
    }
    Ok(runs)
}

impl MockAgent for EmbeddedAgent {
    fn describe(&self) -> String {
        format!("the target `{}`", self.planned.target_name())
    }

    fn answer<'a>(
        &'a self,
        _protocol: &'static dyn ServedProtocol,
        request: &'a dyn ServedRequest,
    ) -> BoxFuture<'a, Result<AgentAnswer, String>> {
        Box::pin(async {
            Ok(AgentAnswer::Response(
                request.response(&self.runs(request).await?),
            ))
        })
    }
}

/// The actions of an agent for one request.
#[derive(Default)]
pub(super) struct CollectedRun {
    sent: Option<At>,
    changes: Vec<TimedChange>,
}

impl CollectedRun {
    pub(super) fn into_timed(self) -> Vec<TimedChange> {
        self.changes
    }
}

impl Sink for CollectedRun {
    fn wire(&mut self, at: At, wire: Wire<'_>) {
        if matches!(wire, Wire::Sent { .. }) {
            self.sent.get_or_insert(at);
        }
    }

    fn change(&mut self, at: At, change: Change<'_>) -> ControlFlow<Stop> {
        let after = at.since(*self.sent.get_or_insert(at));
        self.changes.push(TimedChange {
            after,
            change: change.into_owned(),
        });
        ControlFlow::Continue(())
    }
}
