//! Ctrl-C, SIGTERM, and the end of the terminal: the first stops the run and lets the reports be written, the second
//! leaves at once (SPEC 10).

use ananke::context::Context;
use ananke::run::{Reason, Stopper};

/// Signals from now on: the first stops the run.
pub(super) struct Interrupts {
    signals: Option<Signals>,
    stopper: Stopper,
}

impl Interrupts {
    /// Begins to listen. Where that cannot be done the system ends the program, which is what a signal asks for.
    pub(super) fn listen(stopper: Stopper, context: &Context) -> Self {
        Self { signals: Signals::listen(context), stopper }
    }

    /// Comes back at the second signal, when nothing is to be waited for any more. What runs in process groups of its
    /// own gets no signal of ours: it ends when the run is dropped.
    pub(super) async fn second(&mut self) {
        let Some(signals) = &mut self.signals else { return std::future::pending().await };
        signals.next().await;
        self.stopper.stop(Reason::Interrupted);
        signals.next().await;
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    fn listen(context: &Context) -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt()).ok()?;
        let terminate = signal(SignalKind::terminate()).ok()?;
        // A program that should outlive its terminal writes elsewhere.
        let on_terminal = context.stdout_is_terminal || context.stderr_is_terminal;
        let hangup = on_terminal.then(|| signal(SignalKind::hangup()).ok()).flatten();
        Some(Self { interrupt, terminate, hangup })
    }

    async fn next(&mut self) {
        let hangs_up = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = hangs_up => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn listen(_context: &Context) -> Option<Self> {
        tokio::signal::windows::ctrl_c().ok().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
