//! The project that a session is in: a config on disk or in memory, and one test in memory; and the setup of a session that
//! another program than a Rust test holds.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{AgentTarget, TestingError, agent_target::indented};
use crate::plan::{LoadedFile, Plan, Planned, Preparation, Prepared, Selection, plan};
use ananke_agents::{Transport, UndeclaredCalls, http::HttpTransport};
use ananke_base::context::{Context, Files, RandomIds, SystemClock};
use ananke_base::diagnostic::{Diagnostic, Place};
use ananke_model::model::NEWEST_VERSION;
use ananke_model::variables::Mode;
use ananke_recording::{RecordingMode, Recordings};
use ananke_rules::TurnRules;
use ananke_trace::redact::Redactor;

/// The file of a test in memory.
const TEST_FILE: &str = "session-of-ananke-testing.test.yaml";

/// The file of a config in memory.
const CONFIG_FILE: &str = "session-of-ananke-testing.config.yaml";

/// The number of columns by which an assert block is indented in the test that it is read in.
const BLOCK_COLUMNS: usize = 6;

/// A project.
#[derive(Clone)]
pub(super) struct SessionProject {
    pub(super) context: Context,
    config: PathBuf,
    /// The target of the session; the default one without.
    target: Option<String>,
    /// The target as the test has written it, if it is not one of a config.
    written: Option<AgentTarget>,
    /// The way to its agents, if it is not the network.
    transport: Option<Arc<dyn Transport>>,
}

/// The text of the test in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TestText {
    /// An assert block that the caller has given, under a head.
    Block,
    /// Keys that were made of what the caller has given.
    Made,
}

/// The scopes whose rules apply to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuleScopes {
    /// Those of the target too.
    WithTarget,
    /// Only the rules that are given.
    OwnAlone,
}

impl fmt::Debug for SessionProject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SessionProject")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// The outside world of this process.
#[expect(
    clippy::disallowed_methods,
    reason = "a test that calls this has no other context"
)]
pub(super) fn context_of_process() -> Context {
    Context {
        environment: Arc::new(std::env::vars_os().collect()),
        clock: Arc::new(SystemClock::start()),
        ids: Arc::new(RandomIds),
        home: std::env::home_dir(),
        files: Files::default(),
        ..Context::isolated(std::env::current_dir().unwrap_or_default())
    }
}

impl SessionProject {
    /// A config in memory.
    pub(super) fn of_text(context: Context, config: &str) -> Self {
        let path = context.working_directory.join(CONFIG_FILE);
        let files = context.files.with_unsaved(path.clone(), config);
        Self {
            context: Context { files, ..context },
            config: path,
            target: None,
            written: None,
            transport: None,
        }
    }

    /// A config with this target.
    pub(super) fn of_target(context: Context, target: AgentTarget) -> Self {
        let project = Self::of_text(context, &target.config());
        Self {
            written: Some(target),
            ..project
        }
    }

    /// The same with this list of secrets, if its target is in place.
    #[must_use]
    fn redacting(self, redact: &Value) -> Self {
        let Some(target) = &self.written else {
            return self;
        };
        let text = target.config_with(redact);
        let files = self.context.files.with_unsaved(self.config.clone(), text);
        let context = Context {
            files,
            ..self.context
        };
        Self { context, ..self }
    }

    /// The target `name` of the config at `path`, or its default target.
    pub(super) fn of_config(context: Context, path: &Path, name: Option<&str>) -> Self {
        let config = context.working_directory.join(path);
        Self {
            context,
            config,
            target: name.map(str::to_owned),
            written: None,
            transport: None,
        }
    }

    /// The same, whose agents are reached in this way.
    #[must_use]
    pub(super) fn with_transport(self, transport: Option<Arc<dyn Transport>>) -> Self {
        Self { transport, ..self }
    }

    /// Whether it is that of a config, and not of a target in place.
    pub(super) fn is_of_config(&self) -> bool {
        self.written.is_none()
    }

    /// The way to its agents.
    pub(super) fn transport(&self) -> Arc<dyn Transport> {
        let network = || Arc::new(HttpTransport::new(Arc::clone(&self.context.clock))) as Arc<_>;
        self.transport.clone().unwrap_or_else(network)
    }

    /// The plan of a test with these keys, and the context in which it is read.
    pub(super) fn plan(&self, keys: Map<String, Value>) -> Result<(Plan, Context), TestingError> {
        let mut test = Map::from_iter([
            ("version".to_owned(), json!(NEWEST_VERSION)),
            ("name".to_owned(), json!("session")),
        ]);
        test.extend(
            self.target
                .iter()
                .map(|name| ("target".to_owned(), json!(name))),
        );
        test.extend(keys);
        self.plan_text(&Value::Object(test).to_string())
    }

    /// The plan of a test, and the context in which it is read.
    pub(super) fn plan_text(&self, test: &str) -> Result<(Plan, Context), TestingError> {
        self.planned(test).map_err(|problems| {
            TestingError::of_placed(&problems, |place| self.shown(place, TestText::Made))
        })
    }

    fn planned(&self, test: &str) -> Result<(Plan, Context), Vec<Diagnostic>> {
        let folder = self.config.parent().unwrap_or(Path::new(""));
        let path = folder.join(TEST_FILE);
        let files = self.context.files.with_unsaved(path.clone(), test);
        let context = Context {
            files,
            ..self.context.clone()
        };
        let selection = Selection {
            paths: vec![path],
            config: Some(self.config.clone()),
            ..Selection::default()
        };
        let Planned { plan, problems, .. } = plan(&context, &selection, &Redactor::default());
        match plan {
            Some(plan) if plan.cases.len() == 1 => Ok((plan, context)),
            _ => Err(problems),
        }
    }

    /// The text above an assert block in the test that it is read in.
    fn head(&self) -> String {
        let target = self
            .target
            .as_ref()
            .map(|name| format!("target: {}\n", json!(name)))
            .unwrap_or_default();
        format!(
            "version: \"{NEWEST_VERSION}\"\nname: session\n{target}turns:\n  - user: \"-\"\n    assert:\n"
        )
    }

    /// A place as the caller knows it: in the target or the assert block that was given, or in a file; `None` if it is in a text
    /// that was made of other things.
    pub(super) fn shown(&self, place: &Place, text: TestText) -> Option<Place> {
        let given = |file: &str, (lines, columns): (usize, usize)| {
            let less = |number: u32, by: usize| {
                number.saturating_sub(u32::try_from(by).unwrap_or(0)).max(1)
            };
            Some(Place {
                file: file.into(),
                line: less(place.line, lines),
                column: less(place.column, columns),
            })
        };
        if place.file.ends_with(TEST_FILE) {
            return match text {
                TestText::Block => given("assert", (self.head().lines().count(), BLOCK_COLUMNS)),
                TestText::Made => None,
            };
        }
        if self.written.is_some() && place.file.ends_with(CONFIG_FILE) {
            return given("target", AgentTarget::PLACE);
        }
        Some(place.clone())
    }

    /// The rules of an assert block, as YAML, for a turn of the conversation on `thread`, and the state that the target begins
    /// with.
    pub(super) fn rules(
        &self,
        block: &str,
        thread: &str,
        scopes: RuleScopes,
    ) -> Result<(TurnRules, Value), TestingError> {
        let lines = indented(block, BLOCK_COLUMNS);
        let test = self.head() + &lines;
        let planned = self.planned(&test).map_err(|problems| {
            TestingError::of_placed(&problems, |place| self.shown(place, TestText::Block))
        })?;
        let prepared = prepared(planned, Some(thread), scopes)?;
        let mut turns = prepared.rules.turns;
        if turns.is_empty() {
            return Err(TestingError::usage("there is no rule in this block"));
        }
        Ok((turns.remove(0), prepared.target.state().clone()))
    }

    /// Whether the target of the session is the same agent as `target`.
    pub(super) fn has_agent(&self, target: &AgentTarget) -> Result<bool, TestingError> {
        if self.written.as_ref() == Some(target) {
            return Ok(true);
        }
        let own = self.address()?;
        Ok(own.is_some()
            && own == Self::of_target(self.context.clone(), target.clone()).address()?)
    }

    /// The address of its agent, if anything but its definition gives it.
    fn address(&self) -> Result<Option<String>, TestingError> {
        let turns = json!([{ "user": "-" }]);
        let plan = self.plan(Map::from_iter([("turns".to_owned(), turns)]))?;
        let prepared = prepared(plan, None, RuleScopes::WithTarget)?;
        Ok(prepared.target.address(None))
    }
}

/// The only test of a plan, with everything filled in; its thread is this one, if one is given.
fn prepared(
    (plan, context): (Plan, Context),
    thread: Option<&str>,
    scopes: RuleScopes,
) -> Result<Prepared, TestingError> {
    let plan = Arc::new(plan);
    let entry = plan.cases[0].clone();
    let loaded = LoadedFile::of_case(&context, &entry)?.test_of(&entry)?;
    let mut preparation =
        Preparation::begin(&context, &plan, &entry, loaded, Mode::Send, Map::new())?;
    let thread = thread.map(|thread| ("THREAD_ID".to_owned(), json!(thread)));
    preparation.define(thread.into_iter().collect());
    if scopes == RuleScopes::OwnAlone {
        preparation.inherit_nothing();
    }
    Ok(preparation.finish()?)
}

/// The agent of a session.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum SessionAgent {
    /// A target in place.
    Written(AgentTarget),
    /// The target of this name of the config at this path, or the default one.
    OfConfig(PathBuf, Option<String>),
}

impl SessionRecording {
    /// Whether it is to be replayed, and nothing was recorded.
    pub fn is_missing(&self) -> bool {
        self.recordings.mode == RecordingMode::Replay && !self.recordings.has(&self.id)
    }
}

/// The setup of a session.
#[doc(hidden)]
#[derive(Clone)]
pub struct SessionSetup {
    /// The outside world.
    pub context: Context,
    /// The agent.
    pub agent: SessionAgent,
    /// The system message of a bare model that has none.
    pub instructions: Option<String>,
    /// The way to agents, if it is not the network.
    pub transport: Option<Arc<dyn Transport>>,
    /// The handling of calls to tools that were not declared.
    pub undeclared: UndeclaredCalls,
    /// The place where the conversation is recorded, or from which it is replayed.
    pub recording: Option<SessionRecording>,
}

/// The place of what a session receives, so that it is held once and judged again without its agent.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct SessionRecording {
    /// The folder, written or replayed.
    pub recordings: Recordings,
    /// The name in that folder, since several sessions share it.
    pub id: String,
    /// The `redact` of the config that governs the caller: a target in place belongs to no config, and may say its secrets too.
    pub redact: Option<Value>,
}

impl SessionSetup {
    /// The project of the session.
    pub(super) fn project(&self) -> SessionProject {
        let context = self.context.clone();
        let project = match &self.agent {
            SessionAgent::Written(target) => match &self.recording {
                Some(SessionRecording {
                    redact: Some(redact),
                    ..
                }) => SessionProject::of_target(context, target.clone()).redacting(redact),
                _ => SessionProject::of_target(context, target.clone()),
            },
            SessionAgent::OfConfig(path, name) => {
                SessionProject::of_config(context, path, name.as_deref())
            }
        };
        project.with_transport(self.transport.clone())
    }
}
