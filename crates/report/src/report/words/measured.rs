//! A number and its limit, for people.

use ananke_base::text::{Usd, duration, grouped};
use ananke_trace::outcome::{Measured, MeasuredUnit, RuleCounts, RuleResult};

/// The rule that says in words how often a call is made.
const SAYS_IT: &str = "tools.require";

/// `600 ms / 1 s`, `900 / 1,000 tokens`: what there was for a rule, and the most that is allowed, or how often it was triggered; `None` if nothing was
/// measured, or the words of the rule are enough.
pub(crate) fn got_of_limit(
    RuleResult {
        rule,
        measured,
        counts,
        ..
    }: &RuleResult,
) -> Option<String> {
    if let Some(counts) = counts {
        return Some(triggered(*counts));
    }
    let Measured {
        actual,
        limit,
        unit,
    } = measured.as_ref().filter(|_| rule != SAYS_IT)?;
    Some(match unit {
        MeasuredUnit::Milliseconds => {
            let limit = duration::exact(limit.saturating_mul(1000));
            format!("{} / {limit}", duration::rounded(*actual))
        }
        MeasuredUnit::Dollars => format!("{} / {}", Usd(*actual).exact(), Usd(*limit).exact()),
        MeasuredUnit::Tokens | MeasuredUnit::Calls | MeasuredUnit::Requests => {
            format!(
                "{} / {} {}",
                grouped(*actual),
                grouped(*limit),
                unit.as_str()
            )
        }
    })
}

/// `not triggered`, `triggered 3 times, 1 not checkable`.
fn triggered(
    RuleCounts {
        triggered,
        not_checkable,
    }: RuleCounts,
) -> String {
    let words = match triggered {
        0 => "not triggered".to_owned(),
        1 => "triggered once".to_owned(),
        many => format!("triggered {many} times"),
    };
    if not_checkable > 0 {
        format!("{words}, {not_checkable} not checkable")
    } else {
        words
    }
}
