//! The purpose of a request for a run.

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestPurpose {
    /// The agent does something.
    Run,
    /// The agent replays its thread.
    Connect,
}
