//! The fate of a changed conversation, from the rules that failed.

use std::collections::BTreeSet;

use super::change_site::ChangeSite;
use ananke_trace::outcome::RuleResult;
use ananke_trace::outcome::mutation::Fate;
use ananke_trace::trace::EventNumber;

/// The fate of a conversation with these failures, whose change is at `site` and shown by the events `changed`.
pub(super) fn fate<'f>(
    failures: impl IntoIterator<Item = &'f RuleResult>,
    site: &ChangeSite,
    changed: &BTreeSet<EventNumber>,
) -> Fate {
    let mut other = None;
    for failure in failures {
        let RuleResult {
            rule,
            level,
            message,
            ..
        } = failure;
        if site.is_named_by(failure, changed) {
            return Fate::Killed {
                rule: rule.to_string(),
                level: *level,
                message: message.clone(),
            };
        }
        other.get_or_insert_with(|| format!("`{rule}`: {message}"));
    }
    other.map_or(Fate::Survived, Fate::KilledOtherwise)
}
