//! The limits of the rate and concurrency of requests to an agent: the keys of a target, and when a request may be sent.

use std::fmt::Debug;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::common::{RateLimitConfig, TargetCommon};
use ananke_base::diagnostic::{Span, Spanned};
use ananke_model::model::Number;
use ananke_model::variables::{Interpolation, Leaf};

/// The most tests that a limit can count.
const MOST: u64 = 1_000_000;

/// The limits of a target. Targets that inherit a limit have that of the target where it is written: it is the same one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TargetPace {
    /// The most requests that may be sent in a time.
    pub rate: Option<Rate>,
    /// The most tests that may talk to the agent at once.
    pub concurrency: Option<Concurrency>,
}

/// So many requests in any span of this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// The most that are sent in this time.
    pub requests: usize,
    /// The time, in any span of which the limit applies.
    pub per: Duration,
    /// The place of the setting. Targets with one place share the limit.
    pub place: Span,
}

/// So many tests at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Concurrency {
    /// The most that talk to the agent at once.
    pub tests: usize,
    /// The place of the setting. Targets with one place share the limit.
    pub place: Span,
}

impl TargetPace {
    /// Reads `rate_limit` and `concurrency` of a target, and replaces their variables. `None` if one of them is wrong, which is
    /// reported to `interpolation`, or if a variable has no value until the test runs.
    pub fn fill(target: &TargetCommon, interpolation: &mut Interpolation<'_>) -> Option<Self> {
        // Both limits are read before the first error returns, so that the problems of both are reported.
        let rate = match &target.rate_limit {
            Some(limit) => fill_rate(limit, interpolation).map(Some),
            None => Ok(None),
        };
        let concurrency = match &target.concurrency {
            Some(limit) => fill_concurrency(limit, interpolation).map(Some),
            None => Ok(None),
        };
        Some(Self {
            rate: rate.ok()?,
            concurrency: concurrency.ok()?,
        })
    }
}

/// Reads `rate_limit`: replaces the variables of both numbers, and checks their ranges.
///
/// # Errors
/// If a number is wrong, which is reported to `interpolation`, or has a variable without a value until the test runs.
fn fill_rate(
    limit: &Spanned<RateLimitConfig>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Rate> {
    let RateLimitConfig { requests, per_ms } = &limit.value;
    // Both numbers are read before the first error returns, so that the problems of both are reported.
    let requests = interpolation.number_within(requests, RateLimitConfig::REQUESTS);
    let per_ms = interpolation.number_within(per_ms, RateLimitConfig::PER_MS);
    Ok(Rate {
        requests: requests?,
        per: Duration::from_millis(per_ms?),
        // Targets that inherit this limit have the same place, and share one count of requests because of that.
        place: limit.span,
    })
}

fn fill_concurrency(limit: &Number, interpolation: &mut Interpolation<'_>) -> Leaf<Concurrency> {
    Ok(Concurrency {
        tests: interpolation.number_within(limit, 1..=MOST)?,
        place: limit.span,
    })
}

/// Says when the requests of a conversation may be sent.
pub trait Pacer: Debug + Send + Sync {
    /// Waits until the next request may be sent, and counts it.
    fn request(&self) -> BoxFuture<'_, ()>;

    /// The time that the requests have waited so far, which is no time of the test.
    fn waited(&self) -> Duration;
}
