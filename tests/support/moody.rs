//! An agent that says something else each time it is asked, and runs of tests against it: retries and repeated runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ananke::agents::{
    Chunks, ClientEvent, HttpRequest, Next, Reply, ResponseHead, TargetError, Transport,
};
use ananke::context::{At, Clock, RandomIds};
use ananke::outcome::{Outcome, RunEvent, Verdict};
use ananke::recording::Recordings;
use ananke::run::{Reason, Run, RunAnswers, Stopper, event_channel, run};
use ananke::settings::RunSettings;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::project::Project;

/// An agent that says something else each time it is asked: the next of its lines, at last always the last one.
pub(crate) struct Moody {
    clock: Arc<dyn Clock>,
    says: Vec<&'static str>,
    pub(crate) asked: AtomicUsize,
    pub(crate) threads: Mutex<Vec<String>>,
    /// Stops the run while it answers this request, counted from 1.
    pub(crate) stops: Mutex<Option<(usize, Stopper)>>,
}

impl Moody {
    pub(crate) fn new(project: &Project, says: &[&'static str]) -> Arc<Self> {
        Arc::new(Self {
            clock: project.context().clock,
            says: says.to_vec(),
            asked: AtomicUsize::new(0),
            threads: Mutex::default(),
            stops: Mutex::default(),
        })
    }

    fn answer(&self, request: &HttpRequest) -> Reply {
        let sent: Value = serde_json::from_slice(&request.body).unwrap();
        let thread = sent["threadId"].as_str().unwrap();
        self.threads.lock().unwrap().push(thread.to_owned());
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        if let Some((at, stopper)) = &*self.stops.lock().unwrap()
            && number + 1 == *at
        {
            stopper.stop(Reason::Interrupted);
        }
        let says = self.says.get(number).or(self.says.last()).unwrap();
        let events = [
            json!({ "type": "RUN_STARTED", "threadId": thread, "runId": "r" }),
            json!({ "type": "TEXT_MESSAGE_START", "messageId": "m", "role": "assistant" }),
            json!({ "type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": says }),
            json!({ "type": "TEXT_MESSAGE_END", "messageId": "m" }),
            json!({ "type": "RUN_FINISHED", "threadId": thread, "runId": "r" }),
        ];
        let body: String = events.map(|event| format!("data: {event}\n\n")).concat();
        let (sender, receiver) = mpsc::channel(1);
        let at = self.clock.now();
        sender.try_send(Next::Bytes(at, body.into())).unwrap();
        let body = Box::new(Chunks::new(receiver, Arc::clone(&self.clock)));
        Reply {
            at,
            head: ResponseHead {
                status: 200,
                ..ResponseHead::default()
            },
            body,
        }
    }
}

impl Transport for Moody {
    fn moment(&self, _event: ClientEvent) -> At {
        self.clock.now()
    }

    fn send(
        &self,
        request: HttpRequest,
        _until: At,
    ) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        Box::pin(async move { Ok(Some(self.answer(&request))) })
    }
}

pub(crate) const CONFIG: &str =
    "version: \"1.0\"\ntarget: { type: agui, endpoint: \"http://127.0.0.1/\", agentId: moody }\n";

/// A test that wants to hear `yes`.
pub(crate) fn wants_yes(name: &str, hooks: &str) -> (String, String) {
    let text = format!(
        "version: \"1.0\"\nname: {name}\n{hooks}turns: [{{ user: well?, assert: {{ text: {{ must_match: \"yes\" }} }} }}]\n"
    );
    (format!("{name}.test.yaml"), text)
}

pub(crate) fn project(tests: &[(String, String)]) -> Project {
    let mut files = vec![("ananke.config.yaml", CONFIG)];
    files.extend(
        tests
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str())),
    );
    Project::new(&files).with_environment("PATH", "/usr/bin:/bin")
}

pub(crate) struct Ran {
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) events: Vec<String>,
    pub(crate) verdict: Verdict,
}

pub(crate) async fn carried_out(
    project: &Project,
    agent: &Arc<Moody>,
    settings: RunSettings,
) -> Ran {
    recorded(project, agent, settings, None).await
}

/// Runs the tests of `project` with recordings, if there are any.
pub(crate) async fn recorded(
    project: &Project,
    agent: &Arc<Moody>,
    settings: RunSettings,
    recordings: Option<Recordings>,
) -> Ran {
    let (sender, mut receiver) = event_channel(1000);
    let plan = project.plan().plan.unwrap();
    let mut shared: Run = project.shared(settings.into(), sender);
    shared.transport = Arc::<Moody>::clone(agent);
    if let Some(recordings) = recordings {
        shared.answers = RunAnswers::Recordings(recordings);
    }
    // Ids that are counted would be those that a recording already has.
    shared.context.ids = Arc::new(RandomIds);
    if let Some((_, stopper)) = &mut *agent.stops.lock().unwrap() {
        *stopper = shared.stopper.clone();
    }
    let verdict = run(shared, plan).await;
    let (mut outcomes, mut events) = (Vec::new(), Vec::new());
    while let Some(event) = receiver.recv().await {
        match &*event {
            RunEvent::CaseStarted { .. } => events.push("started".to_owned()),
            RunEvent::Retrying {
                retry,
                of,
                status,
                why,
                ..
            } => {
                events.push(format!(
                    "retry {retry} of {of} ({}: {why})",
                    status.as_str()
                ));
            }
            RunEvent::NextRun {
                run, most, failed, ..
            } => {
                events.push(format!("run {run} of {most} after {failed} failed"));
            }
            RunEvent::CaseEnded { .. } => events.push("ended".to_owned()),
            RunEvent::CaseFinished(outcome) => outcomes.push((**outcome).clone()),
            _ => {}
        }
    }
    Ran {
        outcomes,
        events,
        verdict,
    }
}

/// `name status` of a test, with the statuses of the attempts before.
pub(crate) fn shown(outcomes: &[Outcome]) -> Vec<String> {
    let line = |outcome: &Outcome| {
        let statuses = outcome
            .earlier_attempts
            .iter()
            .chain([outcome])
            .map(|one| one.status().as_str());
        format!(
            "{} {}",
            outcome.test.name,
            statuses.collect::<Vec<_>>().join(", ")
        )
    };
    outcomes.iter().map(line).collect()
}
