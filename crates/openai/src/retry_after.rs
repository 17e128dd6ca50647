//! The moment at which a request is sent again that was rejected for now (RFC 6585, 4; RFC 9110, 10.2.3).

use std::time::Duration;

use ananke_agents::http::ReceivedResponse;
use ananke_base::context::http_date;

/// The longest time that is waited for (SPEC 5).
pub(super) const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The header of OpenAI and Azure that says how long to wait, in milliseconds.
pub(super) const RETRY_AFTER_MS: &str = "retry-after-ms";

/// The common header that says how long to wait, in seconds or with a date.
pub(super) const RETRY_AFTER: &str = "retry-after";

/// The time to wait before the request is sent again. The server may give it in a header; otherwise it doubles with each retry.
/// `retry` is the number of retries so far, and `now` is in Unix milliseconds, since a server may give a date.
pub(super) fn retry_after(response: &ReceivedResponse, retry: u32, now: u64) -> Duration {
    // The more precise header is tried first.
    for header in [RETRY_AFTER_MS, RETRY_AFTER] {
        let mut headers = response.head.headers.iter();
        let Some((_, value)) = headers.find(|(name, _)| name == header) else {
            continue;
        };
        let wait = match header {
            RETRY_AFTER_MS => milliseconds(value.trim()),
            _ => seconds_or_date(value.trim(), now),
        };
        // A value that cannot be read counts as no header.
        if let Some(wait) = wait {
            return wait;
        }
    }
    // 1, 2, 4 … seconds: each retry waits longer, since a server that rejects a request for now has too many of them. A shift
    // past 63 bits has no value, and is as long as possible.
    let seconds = 1_u64.checked_shl(retry).unwrap_or(u64::MAX);
    Duration::from_secs(seconds).min(LONGEST_WAIT)
}

fn milliseconds(value: &str) -> Option<Duration> {
    let milliseconds: f64 = value.parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1000.0).ok()
}

/// The time until `value`, which is a number of seconds or a date.
fn seconds_or_date(value: &str, now: u64) -> Option<Duration> {
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    http_date(value).map(|until| Duration::from_millis(until.saturating_sub(now)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_agents::http::ResponseHead;

    #[test]
    fn milliseconds_come_before_seconds() {
        for (headers, expected) in [
            (
                &[("retry-after", "3"), ("retry-after-ms", "1800")][..],
                1800,
            ),
            (&[("retry-after-ms", "0.5")], 0),
            (&[("retry-after-ms", "soon"), ("retry-after", "3")], 3000),
            (&[("retry-after-ms", "-1")], 1000),
            (&[], 1000),
        ] {
            let headers = headers.iter();
            let response = ReceivedResponse::new(ResponseHead {
                headers: headers
                    .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                    .collect(),
                ..ResponseHead::default()
            });
            assert_eq!(
                retry_after(&response, 0, 0).as_millis(),
                expected,
                "{response:?}"
            );
        }
    }

    #[test]
    fn it_is_seconds_or_a_date() {
        let now = 1_445_412_440_000;
        assert_eq!(seconds_or_date("3", now), Some(Duration::from_secs(3)));
        assert_eq!(
            seconds_or_date("0.5", now),
            Some(Duration::from_millis(500))
        );
        assert_eq!(
            seconds_or_date("Wed, 21 Oct 2015 07:28:00 GMT", now),
            Some(Duration::from_secs(40))
        );
        assert_eq!(
            seconds_or_date("Wed, 21 Oct 2015 07:27:00 GMT", now),
            Some(Duration::ZERO)
        );
        for text in ["", "-1", "soon", "NaN", "inf"] {
            assert_eq!(seconds_or_date(text, now), None, "{text}");
        }
    }
}
