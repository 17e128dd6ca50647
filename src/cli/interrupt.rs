//! Ctrl-C and SIGTERM: the first stops the run and lets the reports be written, the second leaves at once (SPEC 10).

use ananke::run::{Reason, Stopper};

/// What a shell says of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Listens from now on, and stops the run when told to. Without signal handling the system ends the program, which is
/// what a signal asks for.
pub(super) fn stop_on_signal(stopper: Stopper) {
    let Some(mut signals) = Signals::listen() else { return };
    tokio::spawn(async move {
        signals.next().await;
        stopper.stop(Reason::Interrupted);
        signals.next().await;
        leave();
    });
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

#[expect(clippy::exit, reason = "a second signal leaves at once: nothing is waited for")]
fn leave() {
    std::process::exit(INTERRUPTED);
}
