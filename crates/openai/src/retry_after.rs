//! The moment at which a request is sent again that was rejected for now (RFC 6585, 4; RFC 9110, 10.2.3).

use std::time::Duration;

use ananke_agents::http::ReceivedResponse;
use ananke_base::context::http_date;

/// The longest time that is waited for (SPEC 5).
pub(super) const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The header that says how long to wait.
pub(super) const HEADER: &str = "retry-after";

/// The time before the request is sent again, `now` in Unix milliseconds: what the server says, else longer with
/// each retry.
pub(super) fn retry_after(response: &ReceivedResponse, retry: u32, now: u64) -> Duration {
    let header = response
        .head
        .headers
        .iter()
        .find(|(name, _)| name == HEADER);
    header
        .and_then(|(_, value)| wait(value.trim(), now))
        .unwrap_or_else(|| {
            let seconds = 1_u64.checked_shl(retry).unwrap_or(u64::MAX);
            Duration::from_secs(seconds).min(LONGEST_WAIT)
        })
}

/// Seconds, or a date.
fn wait(value: &str, now: u64) -> Option<Duration> {
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    http_date(value).map(|until| Duration::from_millis(until.saturating_sub(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seconds_or_a_date() {
        let now = 1_445_412_440_000;
        assert_eq!(wait("3", now), Some(Duration::from_secs(3)));
        assert_eq!(wait("0.5", now), Some(Duration::from_millis(500)));
        assert_eq!(
            wait("Wed, 21 Oct 2015 07:28:00 GMT", now),
            Some(Duration::from_secs(40))
        );
        assert_eq!(
            wait("Wed, 21 Oct 2015 07:27:00 GMT", now),
            Some(Duration::ZERO)
        );
        for text in ["", "-1", "soon", "NaN", "inf"] {
            assert_eq!(wait(text, now), None, "{text}");
        }
    }
}
