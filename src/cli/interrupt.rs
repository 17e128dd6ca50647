//! Being asked to stop: Ctrl-C, and on Unix `SIGTERM` as well.

use tokio_util::sync::CancellationToken;

/// Asks the run to stop at the first interrupt; returns at the second, when nothing is to be waited for any more.
/// What runs in process groups of its own is not interrupted with us, so this must always be listened to.
pub(super) async fn second(cancel: &CancellationToken) {
    asked().await;
    cancel.cancel();
    asked().await;
}

#[cfg(unix)]
async fn asked() {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminated) = signal(SignalKind::terminate()) else { return interrupted().await };
    tokio::select! {
        () = interrupted() => {}
        Some(()) = terminated.recv() => {}
    }
}

#[cfg(not(unix))]
async fn asked() {
    interrupted().await;
}

async fn interrupted() {
    // Where interrupts cannot be listened to, they do what the system has them do.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
