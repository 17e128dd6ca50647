//! A project in a folder of its own, run through the library.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use ananke::agents::http::HttpTransport;
use ananke::context::{Context, Environment, Files, SequentialIds, SystemClock};
use ananke::outcome::{Outcome, RunEvent};
use ananke::plan::{Plan, Planned, Selection, plan};
use ananke::redact::Redactor;
use ananke::run::{EventSender, Options, Run, event_channel, run};
use tempfile::TempDir;

/// Files in a temporary folder, with an environment.
pub(crate) struct Project {
    folder: TempDir,
    environment: Environment,
    pub(crate) redactor: Redactor,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        ananke::install();
        let folder = TempDir::new().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Self {
            folder,
            environment: Environment::default(),
            redactor: Redactor::default(),
        }
    }

    pub(crate) fn with_environment(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.environment.set(name, value);
        self
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn context(&self) -> Context {
        Context {
            environment: Arc::new(self.environment.clone()),
            working_directory: self.folder.path().to_path_buf(),
            home: None,
            clock: Arc::new(SystemClock::start()),
            ids: Arc::new(SequentialIds::default()),
            stdin_is_terminal: false,
            stdout_is_terminal: false,
            stderr_is_terminal: false,
            terminal_size: || None,
            parallelism: NonZeroUsize::MIN,
            files: Files::default(),
        }
    }

    /// Loads everything, as before a run.
    pub(crate) fn plan(&self) -> Planned {
        plan(
            &self.context(),
            &Selection {
                sends: true,
                ..Selection::default()
            },
            &self.redactor,
        )
    }

    /// Loads what is named.
    pub(crate) fn plan_of(&self, paths: &[&str]) -> Planned {
        let selection = Selection {
            sends: true,
            paths: paths.iter().map(Into::into).collect(),
            ..Selection::default()
        };
        plan(&self.context(), &selection, &self.redactor)
    }

    /// What a run of this project shares.
    pub(crate) fn shared(&self, options: Options, events: EventSender) -> Run {
        let context = self.context();
        let transport = Arc::new(HttpTransport::new(context.clock.clone()));
        Run::new(context, transport, self.redactor.clone(), options, events)
    }

    /// Runs every test; the outcomes in order, as they are before they are sealed.
    pub(crate) async fn run(&self) -> Vec<Outcome> {
        let planned = self.plan();
        let problems: Vec<String> = planned.problems.iter().map(ToString::to_string).collect();
        let plan = planned
            .plan
            .unwrap_or_else(|| panic!("no plan: {problems:#?}"));
        self.run_plan(plan).await
    }

    /// Runs what was planned before.
    pub(crate) async fn run_plan(&self, plan: Plan) -> Vec<Outcome> {
        let (sender, mut receiver) = event_channel(1000);
        // Received while it runs: many tests have more events than the channel can contain.
        let running = tokio::spawn(run(self.shared(Options::default(), sender), plan));
        let mut outcomes = Vec::new();
        while let Some(event) = receiver.recv().await {
            if let RunEvent::CaseFinished(outcome) = &*event {
                outcomes.push((**outcome).clone());
            }
        }
        running.await.expect("a run never panics");
        outcomes
    }
}
