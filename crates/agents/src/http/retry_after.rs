//! Requests that were rejected for now, and the moment at which each is sent again (RFC 6585, 4; RFC 9110, 10.2.3).

use std::time::Duration;

use super::{ReceivedResponse, Response, Transport};
use crate::error::TargetError;
use crate::limits::Limits;
use crate::sink::Ended;
use ananke_base::context::{At, Clock, http_date};
use ananke_model::model::{Number, Toggle};
use ananke_model::variables::{Interpolation, Leaf};

/// The status of a response that rejects a request for now.
pub const TOO_MANY_REQUESTS: u16 = 429;

/// The headers that say how long to wait: that of OpenAI and Azure in milliseconds, and the common one in seconds or with a date.
/// A request whose rejection is retried asks for both.
pub const RETRY_HEADERS: [&str; 2] = [RETRY_AFTER_MS, "retry-after"];

const RETRY_AFTER_MS: &str = "retry-after-ms";

/// The longest time that is waited for (SPEC 5).
pub const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// The number of retries if the target does not say it (SPEC 4).
const RETRIES: u32 = 3;

/// The highest number of retries that a target may have.
const MOST_RETRIES: u64 = 100;

/// The number of times that a request is sent again that was rejected for now, by the key `retry_429` of a target.
///
/// # Errors
/// If a variable has no value yet, or if the number is out of bounds, which is reported to `interpolation`.
pub fn retries(key: Option<&Toggle<Number>>, interpolation: &mut Interpolation<'_>) -> Leaf<u32> {
    match key {
        None => Ok(RETRIES),
        Some(Toggle::Off) => Ok(0),
        Some(Toggle::On(number)) => interpolation.number_within(number, 0..=MOST_RETRIES),
    }
}

/// The retries of one request that was rejected for now.
#[derive(Debug)]
pub struct RejectedRetries {
    /// The number of retries so far.
    done: u32,
    most: u32,
}

impl RejectedRetries {
    /// A request may be sent again `most` times, after which the rejection is the error of the turn.
    pub fn new(most: u32) -> Self {
        Self { done: 0, most }
    }

    /// Waits until a rejected request may be sent again. `closed_at` is the moment at which the rejected exchange was over, and
    /// `limits` get the time that is left for the next one. Returns how the turn ends if it is not sent again.
    ///
    /// # Errors
    /// The refusal, if there is no further retry, or if the server wants a longer wait than is worth it.
    pub async fn wait(
        &mut self,
        rejection: Response,
        closed_at: At,
        limits: &mut Limits,
        clock: &dyn Clock,
        transport: &dyn Transport,
    ) -> Result<Option<Ended>, TargetError> {
        // The server may give a date, which only the time of day can be compared with.
        let now = clock.unix_ms(clock.now());
        let wait = retry_after(&rejection.received, self.done, now);
        // A longer wait is an error at once, since a test that hangs for minutes helps less than the error (SPEC 5).
        if wait > LONGEST_WAIT {
            let help = "the server wants to be asked again in more than a minute";
            return Err(rejection.refusal().await.with_help(help));
        }
        if self.done >= self.most {
            return Err(rejection.refusal().await);
        }

        // The turn's timeout includes the time that the rejected request took, but not the wait. So the next request has
        // what remains of it now, before its end (`until`).
        limits.timeout = rejection.until.since(closed_at);
        // The connection ends here and is not kept open during the wait.
        drop(rejection);
        // The deadline of the test does include the wait. A wait past it would be for nothing.
        if let Some(deadline) = limits.latest()
            && closed_at.plus(wait) >= deadline
        {
            return Ok(Some(Ended::Timeout));
        }
        // A cancellation ends the wait at once.
        let waiting = transport.wait(wait);
        if limits.cancel.run_until_cancelled(waiting).await.is_none() {
            return Ok(Some(Ended::Cancelled));
        }
        self.done += 1;
        Ok(None)
    }
}

/// The time to wait before the request is sent again. The server may give it in a header; otherwise it doubles with each retry.
/// `retry` is the number of retries so far, and `now` is in Unix milliseconds, since a server may give a date.
fn retry_after(response: &ReceivedResponse, retry: u32, now: u64) -> Duration {
    // The more precise header is tried first.
    for header in RETRY_HEADERS {
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
    use super::super::ResponseHead;
    use super::*;

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
