//! The context that all tests of a run share.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OnceCell;

use super::answered_targets::AnsweredTargets;
use super::conversation_driver::ConversationDriver;
use super::event_channel::EventSender;
use super::options::{Options, Person};
use super::run_answers::RunAnswers;
use super::spent_cost::SpentCost;
use super::stopper::{Reason, Stopper};
use super::tap::Tap;
use super::target_limits::TargetLimits;
use super::thread_locks::ThreadLocks;
use super::tool_names::ToolNames;
use crate::server::{ServerExit, ServerWatch};
use ananke_agents::pipe::SharedPrograms;
use ananke_agents::{Transport, UndeclaredCalls};
use ananke_base::context::Context;
use ananke_base::message::DeclaredTool;
use ananke_conversation::observed::ObservedConversations;
use ananke_plan::CaseEntry;
use ananke_provider::HostedModel;
use ananke_trace::outcome::audit::AuditFinding;
use ananke_trace::outcome::{EarlierStatuses, RunEvent, RunFacts};
use ananke_trace::redact::{Redactor, Sealed};

/// The time that a program which tests shared may take to end after its stdin was closed.
const GRACE: Duration = Duration::from_secs(5);

/// The time that it may take after it was asked to end by a signal.
const AFTER_SIGNAL: Duration = Duration::from_secs(2);

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
    /// The source of the answers of its agents.
    pub answers: RunAnswers,
    /// The origin of its conversations.
    pub conversations: ConversationOrigin,
    /// The add-ons that follow its conversations.
    pub taps: Vec<Arc<dyn Tap>>,
    /// The check of the declarations of tools that are offered to a model; `None` if nothing checks them.
    pub lint_tools: Option<ToolLint>,
    /// The person whom tests ask if their agents wait for input; `None` if there is no terminal.
    pub person: Option<Arc<dyn Person>>,
    /// The statuses that the tests had in an earlier run.
    pub earlier: EarlierStatuses,
    /// The models that the code of its agents asks.
    pub models: Vec<HostedModel>,
    /// Notices when a server ends that the tests need.
    pub servers: ServerWatch,
    /// The reason for which no test can start: a server or the `setup` of the config failed.
    pub not_started: Option<String>,
    /// Set once the end of a server has been reported.
    pub(super) exit_reported: OnceCell<()>,
    pub(crate) answered: AnsweredTargets,
    pub(crate) thread_locks: ThreadLocks,
    /// The programs that its tests share.
    pub(crate) programs: Arc<SharedPrograms>,
    pub(crate) target_limits: TargetLimits,
    pub(crate) tool_names: ToolNames,
    /// The cost of its tests so far.
    pub(crate) spent: SpentCost,
    /// The channel for its events.
    pub(crate) events: EventSender,
}

/// Finds what is unclear in the declarations of tools.
pub type ToolLint = fn(&[DeclaredTool]) -> Vec<AuditFinding>;

impl Run {
    /// A run that sends what happens to `events`. Every other part has the default of a run of written tests against live agents;
    /// callers set the public fields to replay, to ask a person, or to compare with an earlier run.
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
            answers: RunAnswers::default(),
            conversations: ConversationOrigin::default(),
            taps: Vec::new(),
            lint_tools: None,
            person: None,
            earlier: EarlierStatuses::default(),
            models: Vec::new(),
            servers: ServerWatch::default(),
            not_started: None,
            exit_reported: OnceCell::new(),
            answered: AnsweredTargets::default(),
            thread_locks: ThreadLocks::default(),
            programs: Arc::default(),
            target_limits: TargetLimits::default(),
            tool_names: ToolNames::default(),
            spent: SpentCost::default(),
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

    /// Ends the programs that its tests shared; if the run is interrupted, at once.
    pub(crate) async fn end_programs(&self) {
        let clock = &*self.context.clock;
        tokio::select! {
            biased;
            () = self.stopper.interrupted() => {}
            () = self.programs.end(clock, GRACE, AFTER_SIGNAL) => return,
        }
        // A person who interrupts a run does not wait for programs that close slowly.
        let now = Duration::ZERO;
        self.programs.end(clock, now, now).await;
    }

    /// The handling of calls to tools that were not declared.
    pub(crate) fn undeclared_calls(&self) -> UndeclaredCalls {
        match self.conversations.driver() {
            Some(driver) => driver.undeclared(),
            None => UndeclaredCalls::Rejected,
        }
    }

    /// Sends an event.
    pub(crate) fn tell(&self, event: Sealed<RunEvent>) {
        self.events.send(event);
    }

    /// Sends an event that belongs to no test: it is masked with the run's own secrets.
    pub(crate) fn tell_all(&self, event: RunEvent) {
        self.tell(self.redactor.seal(event));
    }
}

/// The origin of the conversations of a run: what holds them.
#[derive(Clone, Default)]
pub enum ConversationOrigin {
    /// The tests hold them: with their written turns, and what they say comes after them.
    #[default]
    Tests,
    /// A program.
    Driver(Arc<dyn ConversationDriver>),
    /// Something else held them before, one for each test.
    Observed(Arc<dyn ObservedConversations>),
}

impl ConversationOrigin {
    /// The program that holds them, if one does.
    pub(crate) fn driver(&self) -> Option<&Arc<dyn ConversationDriver>> {
        match self {
            Self::Driver(driver) => Some(driver),
            Self::Tests | Self::Observed(_) => None,
        }
    }

    /// The conversations that were held before, if they were.
    pub(crate) fn observed(&self) -> Option<&Arc<dyn ObservedConversations>> {
        match self {
            Self::Observed(observed) => Some(observed),
            Self::Tests | Self::Driver(_) => None,
        }
    }
}

impl Run {
    /// Watches the servers that the tests need until it is dropped; never returns. If one ends by itself, the run reports it at
    /// once and starts no further test. Running tests finish.
    pub(crate) async fn watch_servers(&self) {
        let exit = self.servers.exit().await;
        self.report_exit(&exit).await;
        // The run goes on until its running tests are over, so this must not end first.
        std::future::pending::<()>().await;
    }

    /// Reports once that a server has ended; a second caller waits for the report.
    pub(crate) async fn report_exit(&self, exit: &ServerExit) {
        let reported = self.exit_reported.get_or_init(async || {
            self.stopper.wind_down(Reason::ServerEnded);
            self.tell_all(RunEvent::ServerEnded {
                what: exit.to_string(),
                printed: exit.printed.clone(),
            });
        });
        reported.await;
    }
}
