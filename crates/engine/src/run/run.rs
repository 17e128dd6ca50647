//! The context that all tests of a run share.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::answered_targets::AnsweredTargets;
use super::conversation_driver::ConversationDriver;
use super::conversation_log::ConversationLog;
use super::conversation_tape::{ConversationMutator, ConversationTape};
use super::event::RunEvent;
use super::event_channel::EventSender;
use super::memory_recording::MemoryRecording;
use super::options::Options;
use super::person::Person;
use super::stopper::Stopper;
use super::target_limits::TargetLimits;
use super::thread_locks::ThreadLocks;
use super::tool_names::ToolNames;
use crate::coverage::CoverageCollector;
use crate::observed::ObservedConversations;
use crate::plan::CaseEntry;
use crate::recording::{AttemptStore, EarlierAnswers, KeptRecording, Recordings};
use crate::server::ServerWatch;
use ananke_agents::{Transport, UndeclaredCalls};
use ananke_base::context::Context;
use ananke_trace::outcome::{EarlierStatuses, RunFacts};
use ananke_trace::redact::{Redactor, Sealed};

/// The context that all tests of a run share.
pub struct Run {
    /// The outside world.
    pub context: Context,
    /// The transport to agents on the network.
    pub transport: Arc<dyn Transport>,
    /// Masks what is secret in every test; each test has a child of it, which also masks its own secrets.
    pub redactor: Redactor,
    /// The options of the run.
    pub options: Options,
    /// The facts of the run in reports.
    pub facts: RunFacts,
    /// Stops the run.
    pub stopper: Stopper,
    /// The recordings, if tests are recorded or replayed.
    pub recordings: Option<Recordings>,
    /// The place of the recordings of walks that fail, if tests are neither recorded nor replayed.
    pub failed_walks: Option<Recordings>,
    /// One recording that every test is replayed from, over `recordings`.
    pub recording: Option<Arc<KeptRecording>>,
    /// Keeps the recording of a run that has one test in memory, if tests are neither recorded nor replayed.
    pub kept: Option<MemoryRecording>,
    /// Keeps what is received in each attempt, if that is asked for.
    pub attempts: Option<Arc<dyn AttemptStore>>,
    /// The answers that are evaluated again, and nothing is sent, over `recordings`.
    pub again: Option<Arc<dyn EarlierAnswers>>,
    /// Collects the conversation of a run that has one test.
    pub log: Option<ConversationLog>,
    /// Takes what the tests exercise of the agent, if that is asked for.
    pub coverage: Option<Arc<CoverageCollector>>,
    /// Says to `coverage` of what rules notice a change.
    pub mutator: Option<Arc<dyn ConversationMutator>>,
    /// Tapes the conversation of a run that has one test, with its rules.
    pub tape: Option<ConversationTape>,
    /// Whom tests ask if their agents wait for input; `None` if there is no terminal.
    pub person: Option<Arc<dyn Person>>,
    /// The program that holds the conversations, if one does.
    pub driver: Option<Arc<dyn ConversationDriver>>,
    /// The conversations that were held before, one for each test, if there are such.
    pub observed: Option<Arc<dyn ObservedConversations>>,
    /// The statuses that the tests had in an earlier run.
    pub earlier: EarlierStatuses,
    /// Notices when a server ends that the tests need.
    pub servers: ServerWatch,
    /// The reason for which no test can start: a server or the `setup` of the config failed.
    pub not_started: Option<String>,
    /// Set once the end of a server has been reported.
    pub(super) exit_reported: OnceCell<()>,
    pub(super) answers: AnsweredTargets,
    pub(super) thread_locks: ThreadLocks,
    pub(super) target_limits: TargetLimits,
    pub(super) tool_names: ToolNames,
    /// The channel for its events.
    pub(super) events: EventSender,
}

impl Run {
    /// A run that sends what happens to `events`.
    pub fn new(
        context: Context,
        transport: Arc<dyn Transport>,
        redactor: Redactor,
        options: Options,
        events: EventSender,
    ) -> Self {
        Self {
            context,
            transport,
            redactor,
            options,
            facts: RunFacts::default(),
            stopper: Stopper::default(),
            recordings: None,
            failed_walks: None,
            recording: None,
            kept: None,
            attempts: None,
            again: None,
            log: None,
            coverage: None,
            mutator: None,
            tape: None,
            person: None,
            driver: None,
            observed: None,
            earlier: EarlierStatuses::default(),
            servers: ServerWatch::default(),
            not_started: None,
            exit_reported: OnceCell::new(),
            answers: AnsweredTargets::default(),
            thread_locks: ThreadLocks::default(),
            target_limits: TargetLimits::default(),
            tool_names: ToolNames::default(),
            events,
        }
    }

    /// The redactor for the secrets of one test: the run's, and those that its own variables hold. More are added while it
    /// runs.
    pub(super) fn redactor_of(&self, entry: &CaseEntry) -> Redactor {
        let redactor = self.redactor.child();
        redactor.add(&entry.test.secrets);
        redactor
    }

    /// The handling of calls to tools that were not declared.
    pub(super) fn undeclared_calls(&self) -> UndeclaredCalls {
        let driver = self.driver.as_ref();
        driver.map_or(UndeclaredCalls::Rejected, |driver| driver.undeclared())
    }

    /// Sends an event.
    pub(super) fn tell(&self, event: Sealed<RunEvent>) {
        self.events.send(event);
    }

    /// Sends an event that belongs to no test: it is masked with the run's own secrets.
    pub(super) fn tell_all(&self, event: RunEvent) {
        self.tell(self.redactor.seal(event));
    }
}
