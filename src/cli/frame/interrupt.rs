//! Ctrl-C, SIGTERM, and the end of the terminal: the first stops the run and lets the reports be written, the second
//! ends the program at once (SPEC 10).
//!
//! **Invariant:** signals are received by a thread of their own, which waits for nothing else: whatever computes, blocks or
//! holds a lock, the second ends the program.

use std::sync::mpsc;
use std::time::Duration;
use std::{io, thread};

use ananke::context::{Context, OutputStream, interruption};
use ananke::process::{is_hangup_ignored, kill_every_group};
use ananke::run::{Reason, Stopper};
use tokio::runtime::Builder;

use super::{exit::Exit, failed::Failed, runtime::block_on};

/// The time that clearing the terminal may take.
const PATIENCE: Duration = Duration::from_millis(300);

/// The result of `work`, which the first signal stops: then the command was interrupted, whatever came of the work.
///
/// # Errors
/// That of the work, or the interruption; or if the system has no further threads or files.
pub(crate) fn interruptible<T>(
    context: &Context,
    work: impl AsyncFnOnce(&Stopper) -> Result<T, Failed>,
) -> Result<T, Failed> {
    interruptible_at_terminal(context, || {}, work)
}

/// The same of work that changes the terminal, which `clear` leaves as it was at the second signal.
///
/// # Errors
/// The same.
pub(crate) fn interruptible_at_terminal<T>(
    context: &Context,
    clear: impl FnOnce() + Send + 'static,
    work: impl AsyncFnOnce(&Stopper) -> Result<T, Failed>,
) -> Result<T, Failed> {
    let stopper = Stopper::default();
    listen(stopper.clone(), context, clear)?;
    let done = block_on(work(&stopper))?;
    match stopper.reason() {
        Some(Reason::Interrupted) => Err(Failed::Ended(Exit::Interrupted)),
        _ => done,
    }
}

/// Signals from now on: the first stops the run, the second ends the program with everything that it started. `clear`
/// leaves the terminal as it was, if it does so in time.
///
/// # Errors
/// If the system has no further threads or files.
pub(crate) fn listen(
    stopper: Stopper,
    context: &Context,
    clear: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_io().build()?;
    let entered = runtime.enter();
    let mut signals = Signals::listen(context)?;
    drop(entered);
    thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            runtime.block_on(signals.next());
            stopper.stop(Reason::Interrupted);
            interruption::give_up_all();
            runtime.block_on(signals.next());
            kill_every_group();
            let (cleared, is_cleared) = mpsc::channel();
            let clearing = thread::Builder::new().spawn(move || {
                clear();
                let _is_over = cleared.send(());
            });
            if clearing.is_ok() {
                let _is_late = is_cleared.recv_timeout(PATIENCE);
            }
            exit_at_once(Exit::Interrupted);
        })?;
    Ok(())
}

/// Ends the program, whatever its other threads do.
#[expect(
    clippy::exit,
    reason = "nothing is waited for: that is what the second signal asks for"
)]
fn exit_at_once(exit: Exit) {
    std::process::exit(exit.number());
}

/// A signal that asks a program to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM, or the end of the terminal.
    Terminate,
}

/// The signals that stop a run.
#[cfg(unix)]
pub(crate) struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    /// Signals from now on.
    pub(crate) fn listen(context: &Context) -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        // If the system does not say, a program that should outlive its terminal writes elsewhere.
        let is_elsewhere = || {
            let streams = [OutputStream::Stdout, OutputStream::Stderr];
            !streams
                .into_iter()
                .any(|stream| context.is_terminal(stream))
        };
        let is_ignored = is_hangup_ignored().unwrap_or_else(is_elsewhere);
        let hangup = (!is_ignored)
            .then(|| signal(SignalKind::hangup()))
            .transpose()?;
        Ok(Self {
            interrupt,
            terminate,
            hangup,
        })
    }

    /// The next one.
    pub(crate) async fn next(&mut self) {
        let _any = self.next_signal().await;
    }

    /// The next one, and what it asks for.
    pub(crate) async fn next_signal(&mut self) -> StopSignal {
        let hangs_up = async {
            match &mut self.hangup {
                Some(hangup) => hangup.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupt.recv() => StopSignal::Interrupt,
            _ = self.terminate.recv() => StopSignal::Terminate,
            _ = hangs_up => StopSignal::Terminate,
        }
    }
}

/// The signals that stop a run.
#[cfg(windows)]
pub(crate) struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    /// Signals from now on.
    pub(crate) fn listen(_context: &Context) -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    /// The next one.
    pub(crate) async fn next(&mut self) {
        self.0.recv().await;
    }

    /// The next one, and what it asks for.
    pub(crate) async fn next_signal(&mut self) -> StopSignal {
        self.next().await;
        StopSignal::Interrupt
    }
}
