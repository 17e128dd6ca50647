//! A project whose agent is scripted, and everything that its run reports: no network, no waiting.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use tempfile::TempDir;

use crate::context::blank;
use crate::{EventReceiver, Options, Run, event_channel};
use ananke_agents::{ClientEvent, HttpRequest, Reply, TargetError, Transport};
use ananke_base::context::{At, Context};
use ananke_model::model::NEWEST_VERSION;
use ananke_plan::{Plan, Selection, plan};
use ananke_trace::outcome::{Outcome, RunEvent};
use ananke_trace::redact::Redactor;

/// A run of a project that is ready.
pub(crate) struct FakeProject {
    folder: TempDir,
    pub(crate) run: Run,
    pub(crate) plan: Plan,
    events: EventReceiver,
}

/// Nothing is sent by a scripted agent.
struct NoTransport;

impl Transport for NoTransport {
    fn moment(&self, _: ClientEvent) -> At {
        At::default()
    }

    fn send(&self, _: HttpRequest, _: At) -> BoxFuture<'_, Result<Option<Reply>, TargetError>> {
        unreachable!("nothing is sent")
    }
}

impl FakeProject {
    /// The `tests` of one file, whose agent answers `bad` to `bad`, and `good` to everything else.
    pub(crate) fn of(tests: &str, options: Options) -> Self {
        ananke_fakes::install();
        let folder = TempDir::new().unwrap();
        let rules = "[{ when: { user: bad }, do: [{ say: bad }] }, { do: [{ say: good }] }]";
        let config = format!(
            "version: \"{NEWEST_VERSION}\"\ntarget: {{ type: scripted, rules: {rules} }}\n"
        );
        std::fs::write(folder.path().join("ananke.config.yaml"), config).unwrap();
        let test = format!("version: \"{NEWEST_VERSION}\"\ntests:\n{tests}");
        std::fs::write(folder.path().join("all.test.yaml"), test).unwrap();
        let context = Context::isolated(folder.path());
        let planned = plan(&context, &Selection::default(), &Redactor::default());
        let plan = planned
            .plan
            .unwrap_or_else(|| panic!("{:?}", planned.problems));
        let (sender, events) = event_channel(10_000);
        let run = Run::new(
            context,
            Arc::new(NoTransport),
            plan.redactor.clone(),
            options,
            sender,
        );
        Self {
            folder,
            run,
            plan,
            events,
        }
    }

    /// A test for each word: what its user says, and what must not be answered is `bad`.
    pub(crate) fn saying(words: &[&str], options: Options) -> Self {
        let test = |(index, word): (usize, &&str)| {
            format!(
                "  - {{ name: t{index}, turns: [{{ user: {word}, assert: {{ text: {{ equals: good }} }} }}] }}\n"
            )
        };
        Self::of(
            &words.iter().enumerate().map(test).collect::<String>(),
            options,
        )
    }

    /// Its parts, with reports that have room for so many outcomes.
    pub(crate) fn with_room(mut self, room: usize) -> (TempDir, Run, Plan, EventReceiver) {
        let (sender, events) = event_channel(room);
        self.run.events = sender;
        (self.folder, self.run, self.plan, events)
    }

    /// The outcome of the first test before it starts, under another name.
    pub(crate) fn outcome(&self, name: &str) -> Outcome {
        let mut outcome = blank(&self.run, &self.plan.cases[0]);
        name.clone_into(&mut outcome.test.name);
        outcome
    }

    /// Runs every test: each event in a few words.
    pub(crate) async fn events(self) -> Vec<String> {
        let Self {
            folder: _folder,
            run,
            plan,
            mut events,
        } = self;
        crate::schedule::run(run, plan).await;
        let mut shown = Vec::new();
        while let Some(event) = events.recv().await {
            shown.extend(in_words(&event));
        }
        shown
    }
}

fn in_words(event: &RunEvent) -> Option<String> {
    let name = |id: &str| id.rsplit("::").next().unwrap_or_default().to_owned();
    Some(match event {
        RunEvent::CaseStarted { id, .. } => format!("{} starts", name(id)),
        RunEvent::Retrying { id, retry, of, .. } => format!("{} again {retry}/{of}", name(id)),
        RunEvent::NextRun {
            id,
            run,
            most,
            failed,
        } => {
            format!("{} run {run}/{most} after {failed}", name(id))
        }
        RunEvent::CaseEnded { id, .. } => format!("{} ends", name(id)),
        RunEvent::CaseFinished(outcome) => {
            let end = outcome
                .verdict
                .end()
                .skip_reason()
                .unwrap_or_else(|| outcome.status().as_str());
            format!("{}: {end}", outcome.test.name)
        }
        _ => return None,
    })
}
