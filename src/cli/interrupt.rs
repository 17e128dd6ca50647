//! Ctrl-C and SIGTERM: the first stops the run and lets the reports be written, the second leaves at once (SPEC 10).

use ananke::run::{Reason, Stopper};

/// Signals from now on: the first stops the run.
pub(super) struct Interrupts {
    signals: Option<Signals>,
    stopper: Stopper,
}

impl Interrupts {
    /// Begins to listen. Where that cannot be done the system ends the program, which is what a signal asks for.
    pub(super) fn listen(stopper: Stopper) -> Self {
        Self { signals: Signals::listen(), stopper }
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
}

#[cfg(unix)]
impl Signals {
    fn listen() -> Option<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt()).ok()?;
        let terminate = signal(SignalKind::terminate()).ok()?;
        Some(Self { interrupt, terminate })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn listen() -> Option<Self> {
        tokio::signal::windows::ctrl_c().ok().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}
