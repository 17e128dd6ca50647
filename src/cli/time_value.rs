//! Times as they are written on the command line.

use std::time::Duration;

/// Reads `30s`, `5m` or `1m 30s`.
pub(super) fn time_value(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write it like `30s` or `5m`"))
}
