//! Problems with recordings.

use ananke_trace::outcome::{ErrorKind, Problem};

/// A recording that cannot be written, read, or replayed any further; `message` in lower case, without a full stop.
pub(super) fn problem(message: String, help: Option<&str>) -> Problem {
    Problem {
        kind: ErrorKind::Recording,
        message,
        help: help.map(str::to_owned),
    }
}
