//! A number and its limit, for people.

use crate::outcome::{Measured, MeasuredUnit, PassedRule};
use crate::text::duration;

/// The rule that says in words how often a call is made.
const SAYS_IT: &str = "tools.require";

/// `600 ms / 1 s`, `900 / 1000 tokens`: what there was for a rule, and the most that is allowed; `None` if nothing was
/// measured, or the words of the rule are enough.
pub(crate) fn got_of_limit(PassedRule { rule, measured, .. }: &PassedRule) -> Option<String> {
    let Measured { actual, limit, unit } = measured.as_ref().filter(|_| rule != SAYS_IT)?;
    Some(match unit {
        MeasuredUnit::Milliseconds => {
            let limit = duration::exact(limit.saturating_mul(1000));
            format!("{} / {limit}", duration::rounded(*actual))
        }
        MeasuredUnit::Tokens | MeasuredUnit::Calls => format!("{actual} / {limit} {}", unit.as_str()),
    })
}
