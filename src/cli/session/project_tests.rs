//! The tests of projects: listed and run for a client.
//!
//! **Invariant:** what a config starts is started once for all tests of the client, and ends with it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ananke::context::{Colouring, Context};
use ananke::diagnostic::render::{RenderStyle, human};
use ananke::diagnostic::{Diagnostic, Severity};
use ananke::outcome::RunEvent;
use ananke::plan::{Filter, KEPT_TEXT, Plan, Planned, Selection, plan};
use ananke::process::tests_within_open_files_limit;
use ananke::project::Variables;
use ananke::recording::{RecordingMode, Recordings};
use ananke::redact::Redactor;
use ananke::report::Reporter as _;
use ananke::report::file::json::JsonLinesReport;
use ananke::report::terminal::{ConsoleOptions, ConsoleReport};
use ananke::run::{
    EventReceiver, Options, Reason, Run, RunAnswers, Stopper, event_channel, run as run_plan,
};
use ananke::settings::GivenSettings;
use serde_json::Value;
use tokio::sync::RwLock;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::client_turns::ClientTurns;
use super::project_services::ProjectServices;
use super::request_keys::{ClientConfig, named_recordings};
use super::session_client::SessionClient;
use super::session_error::{SessionError, SessionErrorCode};
use super::test_messages::{
    FoundTest, ListTests, ListedTests, ProjectName, RunTests, RunTestsResult, TestProblem,
    TestResult,
};
use super::test_turns::TestTurns;
use crate::cli::contact::is_live;
use crate::cli::options::check_writable;
use crate::cli::options::snapshots::writing;
use crate::cli::reporting::run_facts;
use crate::cli::select::ListedTest;

/// The number of outcomes that may wait for the client.
const OUTCOMES_AHEAD: usize = 64;

/// The columns that source lines are drawn in.
const WIDTH: usize = 120;

/// The tests of projects.
pub(super) struct ProjectTests {
    client: SessionClient,
    context: Context,
    config: ClientConfig,
    /// The turns of the client's own agents.
    turns: ClientTurns,
    /// The stoppers of the tests that run.
    running: Mutex<Vec<Stopper>>,
    services: ProjectServices,
    /// Is read while tests run.
    activity: RwLock<()>,
    /// Is cancelled when the client has gone.
    ending: CancellationToken,
}

impl ProjectTests {
    /// No tests so far; requests that name no config are about `config`.
    pub(super) fn new(
        client: SessionClient,
        context: Context,
        config: ClientConfig,
        turns: ClientTurns,
    ) -> Self {
        Self {
            client,
            turns,
            services: ProjectServices::default(),
            context,
            config,
            running: Mutex::default(),
            activity: RwLock::default(),
            ending: CancellationToken::new(),
        }
    }

    /// Lists tests.
    pub(super) async fn list(&self, params: ListTests) -> Result<ListedTests, SessionError> {
        let selection = self.selection(params)?;
        let context = self.context.clone();
        let listed = spawn_blocking(move || list(&selection, &context)).await;
        listed.map_err(SessionError::project)
    }

    /// Runs tests; the client gets a notification of each. `request` is the id of the request.
    pub(super) async fn run(
        &self,
        request: &Value,
        params: RunTests,
    ) -> Result<RunTestsResult, SessionError> {
        let _running = self.activity.read().await;
        if params.parallel == Some(0) {
            return Err(SessionError::params("`parallel` must be at least 1"));
        }
        let recordings = named_recordings(params.record, params.replay, &self.context)?;
        // Nothing is sent in a replay, so variables of addresses may be missing.
        let mode = recordings.as_ref().map(|recordings| recordings.mode);
        let selection = Selection {
            sends: mode != Some(RecordingMode::Replay),
            kept_text: KEPT_TEXT,
            settings: GivenSettings {
                parallel: params.parallel,
                fail_fast: params.fail_fast.then_some(true),
                ..GivenSettings::default()
            },
            ..self.selection(params.tests)?
        };
        let context = self.context.clone();
        let planned = spawn_blocking(move || plan(&context, &selection, &Redactor::default()));
        let Planned {
            plan,
            problems,
            redactor,
            ..
        } = planned.await.map_err(SessionError::project)?;
        let Some(plan) = plan else {
            let text: String = shown(&problems, &redactor)
                .into_iter()
                .filter(|(problem, _)| problem.severity == Severity::Error)
                .map(|(_, text)| text)
                .collect();
            return Err(SessionError::params(text.trim_end()));
        };
        let problems = test_problems(&problems, &redactor);
        let summary = self.run_plan(request, plan, recordings, &redactor).await?;
        Ok(RunTestsResult { summary, problems })
    }

    async fn run_plan(
        &self,
        request: &Value,
        mut plan: Plan,
        recordings: Option<Recordings>,
        redactor: &Redactor,
    ) -> Result<Value, SessionError> {
        if let Some(recordings) = &recordings {
            check_writable(recordings, &plan).map_err(SessionError::project)?;
        }
        let writing = writing(None, &self.context).map_err(SessionError::params)?;
        let mut options = Options {
            settings: plan.settings,
            writing,
            ..Options::default()
        };
        let at_once = plan.settings.parallel.min(plan.cases.len());
        if let Some(lowered) = tests_within_open_files_limit(at_once) {
            options.settings.parallel = lowered.most;
        }
        let context = Context {
            environment: Arc::clone(&plan.environment),
            ..self.context.clone()
        };
        let turns = TestTurns::new(self.client.clone(), self.turns.clone());
        let transport = turns.transport(&context.clock);
        let (sender, receiver) = event_channel(OUTCOMES_AHEAD);
        let of_plan = plan.redactor.clone();
        let mut shared = Run::new(context.clone(), transport, of_plan, options, sender);
        shared.facts = run_facts(std::env::args_os(), &plan, &self.context);
        let stopper = shared.stopper.clone();
        self.running().push(stopper.clone());
        if self.ending.is_cancelled() {
            stopper.stop(Reason::Interrupted);
        }
        let is_live = is_live(&plan, recordings.as_ref());
        if let Some(recordings) = recordings {
            shared.answers = RunAnswers::Recordings(recordings);
        }
        if is_live {
            let started = self
                .services
                .start(&mut plan, &context, stopper.token(), redactor);
            shared.servers = started.await?;
        }
        let reported = self.report(request, &turns, receiver);
        let (_, summary) = tokio::join!(run_plan(shared, plan), reported);
        turns.end_all();
        let is_it = |other: &Stopper| other.token() == stopper.token();
        self.running().retain(|other| !is_it(other));
        if stopper.reason() == Some(Reason::Interrupted) {
            let message = "the tests were cancelled: those that ended have their results";
            return Err(SessionError::new(SessionErrorCode::Cancelled, message));
        }
        summary.map_err(SessionError::project)
    }

    /// Sends the results, and gives the summary.
    async fn report(
        &self,
        request: &Value,
        turns: &TestTurns,
        mut events: EventReceiver,
    ) -> io::Result<Value> {
        let buffer = ReportBuffer::default();
        let mut report = JsonLinesReport::stream(Box::new(buffer.clone()));
        while let Some(event) = events.recv().await {
            report.event(&event)?;
            let line = buffer.take();
            if line.is_empty() {
                continue;
            }
            let mut console =
                ConsoleReport::new(Box::new(buffer.clone()), ConsoleOptions::default());
            console.event(&event)?;
            let warnings = match &*event {
                RunEvent::CaseFinished(outcome) => turns.end(&outcome.transcript.thread_id),
                _ => Vec::new(),
            };
            let notice = TestResult {
                request: request.clone(),
                result: serde_json::from_slice(&line)?,
                text: String::from_utf8_lossy(&buffer.take())
                    .trim_end()
                    .to_owned(),
                warnings,
            };
            self.client
                .notify("test/result", serde_json::to_value(notice)?)
                .await;
        }
        Box::new(report).finish()?;
        serde_json::from_slice(&buffer.take()).map_err(io::Error::other)
    }

    /// Aborts the tests that run, and those that would begin from now on.
    pub(super) fn cancel_all(&self) {
        self.ending.cancel();
        self.cancel();
    }

    /// Aborts the tests that run.
    pub(super) fn cancel(&self) {
        for stopper in &*self.running() {
            stopper.stop(Reason::Interrupted);
        }
    }

    /// Ends what a config has started.
    pub(super) async fn end_project(&self, params: ProjectName) -> Result<(), SessionError> {
        let located = |named: String| self.config.located(Some(named.into()), &[], &self.context);
        let config = params.config.map(located).transpose()?;
        let _no_tests = self.activity.write().await;
        self.services.stop(config.as_deref()).await
    }

    /// Ends what all configs have started, after [`Self::cancel_all`].
    pub(super) async fn end(&self) {
        let _no_tests = self.activity.write().await;
        // Nothing is there any more that could be sent the error.
        let _gone = self.services.stop(None).await;
    }

    fn selection(&self, params: ListTests) -> Result<Selection, SessionError> {
        let ListTests {
            config,
            tests,
            target,
            filter,
            tags,
            ids,
            variables,
        } = params;
        let paths: Vec<PathBuf> = tests.into_iter().map(PathBuf::from).collect();
        let named = config.map(PathBuf::from);
        let filter = filter.map(|filter| Filter::parse(&filter)).transpose();
        let filter = filter.map_err(|error| SessionError::params(format!("`filter`: {error}")))?;
        Ok(Selection {
            config: Some(self.config.located(named, &paths, &self.context)?),
            paths,
            target: target.into(),
            filter,
            tags,
            ids,
            allow_empty: true,
            variables: Variables {
                given: variables,
                ..Variables::default()
            },
            ..Selection::default()
        })
    }

    fn running(&self) -> std::sync::MutexGuard<'_, Vec<Stopper>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tests that are selected, and every problem.
fn list(selection: &Selection, context: &Context) -> ListedTests {
    let Planned {
        plan,
        incomplete,
        problems,
        redactor,
    } = plan(context, selection, &Redactor::default());
    let plan = plan.or(incomplete);
    let config = selection.config.clone().unwrap_or_default();
    let found = |plan: &Plan| {
        let found = plan.cases.iter().map(|case| FoundTest {
            test: ListedTest::of(case, plan, context, &redactor),
            path: case.test.path.clone(),
        });
        found.collect()
    };
    ListedTests {
        config: config.display().to_string(),
        tests: plan.as_ref().map(found).unwrap_or_default(),
        problems: test_problems(&problems, &redactor),
    }
}

/// Each problem, masked, with what is printed of it.
fn shown(problems: &[Diagnostic], redactor: &Redactor) -> Vec<(Diagnostic, String)> {
    let masked = redactor.problems(problems, WIDTH);
    let style = RenderStyle {
        colour: Colouring::Plain,
        width: None,
    };
    let printed = |problem: &Diagnostic| {
        let text = human(std::slice::from_ref(problem), style);
        redactor.text(&text).into_owned()
    };
    let printed: Vec<String> = masked.iter().map(printed).collect();
    masked.into_iter().zip(printed).collect()
}

/// The problems as messages have them.
fn test_problems(problems: &[Diagnostic], redactor: &Redactor) -> Vec<TestProblem> {
    let shown = shown(problems, redactor);
    let message = |(problem, text): &(Diagnostic, String)| {
        TestProblem::new(problem, text.trim_end().to_owned())
    };
    shown.iter().map(message).collect()
}

/// The bytes that a report writes. Clones share it.
#[derive(Clone, Default)]
struct ReportBuffer(Arc<Mutex<Vec<u8>>>);

impl ReportBuffer {
    /// The bytes that were written since this was called last.
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for ReportBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
