//! The spine: from a plan to verdicts.
//!
//! [`run`] carries out the cases of a plan and tells what happens as [`RunEvent`]s; it prints nothing, and
//! writes nothing but recordings and snapshots. It decides who runs when; the conversation of a test is held by
//! [`crate::engine`], which gets the test's turns (`written_turns`), mocks (`mocks`) and scripts (`oracle`) from here.

mod attempt;
mod attempts;
mod capture_values;
mod case;
mod conversation;
mod event;
mod hooks;
mod mocks;
mod oracle;
mod recorder_sink;
mod rehearsal;
mod schedule;
mod servers;
mod snapshots;
mod spool;
mod stop;
mod teardown;
mod threads;
mod upcoming;
mod written_turns;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OnceCell, mpsc};

use crate::assertion::Writing;
use crate::context::Context;
use crate::outcome::Verdict;
use crate::plan::Plan;
use crate::recording::Recordings;
use crate::redact::{Redactor, Sealed};
use crate::server::Watch;
use crate::target::Transport;

pub use event::RunEvent;
use schedule::All;
pub use stop::{Reason, Stopper};
use threads::Threads;

/// How a run goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct Options {
    /// How many tests run at once; at least one.
    pub parallel: usize,
    /// Stops the run at the first test that does not pass.
    pub fail_fast: bool,
    /// Cuts a turn at the first rule that breaks.
    pub stop_early: bool,
    /// Whether a turn fails whose events come in an order that the protocol forbids.
    pub strict_protocol: bool,
    /// How much of the agent's time one attempt of a test may take.
    pub timeout: Option<Duration>,
    /// How often a test that does not pass is tried again.
    pub retries: u32,
    /// Whether a test may be tried again on the thread of the attempt before.
    pub retry_dirty: bool,
    /// Whether a test that passed only when it was tried again fails the run.
    pub flaky_fails: bool,
    /// Which snapshots are written.
    pub writing: Writing,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            parallel: 1,
            fail_fast: false,
            stop_early: false,
            strict_protocol: false,
            timeout: None,
            retries: 0,
            retry_dirty: false,
            flaky_fails: false,
            writing: Writing::default(),
        }
    }
}

/// What every case of a run shares.
pub struct Run {
    /// The outside world.
    pub context: Context,
    /// The way to agents on the network.
    pub transport: Arc<dyn Transport>,
    /// What is secret in every test; each case has a child of it, which knows its own secrets.
    pub redactor: Redactor,
    /// How the run goes.
    pub options: Options,
    /// Stops the run.
    pub stopper: Stopper,
    /// Where tests are recorded or played from, where they are.
    pub recordings: Option<Recordings>,
    /// Tells when a server ends that the tests need.
    pub servers: Watch,
    /// Set once it was told that one has.
    mourned: OnceCell<()>,
    threads: Threads,
    events: mpsc::Sender<Sealed<RunEvent>>,
}

impl Run {
    /// A run that tells what happens to `events`.
    pub fn new(
        context: Context,
        transport: Arc<dyn Transport>,
        redactor: Redactor,
        options: Options,
        events: mpsc::Sender<Sealed<RunEvent>>,
    ) -> Self {
        Self {
            context,
            transport,
            redactor,
            options,
            stopper: Stopper::default(),
            recordings: None,
            servers: Watch::default(),
            mourned: OnceCell::new(),
            threads: Threads::default(),
            events,
        }
    }

    /// A telling side that has gone away stops nothing: the verdict counts, not the telling.
    async fn tell(&self, event: Sealed<RunEvent>) {
        let _ = self.events.send(event).await;
    }

    /// Tells what belongs to no case.
    async fn tell_all(&self, event: RunEvent) {
        self.tell(self.redactor.seal(event)).await;
    }
}

/// Runs every case of the plan.
pub async fn run(shared: Run, mut plan: Plan) -> Verdict {
    let clock = Arc::clone(&shared.context.clock);
    let started = clock.now();
    shared.tell_all(RunEvent::RunStarted { tests: plan.cases.len(), unix_ms: clock.unix_ms(started) }).await;
    let shared = Arc::new(shared);
    let expired = plan.expired.clone();
    let obsolete = std::mem::take(&mut plan.obsolete);
    let All { totals, lost_server } = tokio::select! {
        biased;
        () = shared.watch_servers() => unreachable!("it watches to the end"),
        all = schedule::run_all(&shared, plan) => all,
    };
    snapshots::clear(&shared, obsolete).await;
    let elapsed_us = clock.now().0.saturating_sub(started.0);
    let verdict = Verdict { totals, flaky_fails: shared.options.flaky_fails, lost_server, expired };
    let interrupted = shared.stopper.reason() == Some(Reason::Interrupted);
    shared.tell_all(RunEvent::RunFinished { verdict: verdict.clone(), elapsed_us, interrupted }).await;
    verdict
}
