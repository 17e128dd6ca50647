//! The site of a change, and whether a finding names it.
//!
//! A finding names a change if one of its events belongs to what was changed: a call with its arguments and results, a
//! message, the state, the end of a run. What is missing has no event; a finding names it if it quotes the tool or the text.
//! A rule that looks at nothing but the subject of the change needs neither.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use regex::Regex;

use ananke_conversation::TapeItem;
use ananke_rules::{RuleProperties, RuleSubject};
use ananke_trace::outcome::mutation::Fate;
use ananke_trace::outcome::{EvidenceLine, RuleResult};
use ananke_trace::trace::{Change, EventNumber};

/// The subject of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeSubject {
    /// Calls, their arguments, results and order.
    Calls,
    /// A text of the agent.
    Text,
    /// The agent's state.
    State,
    /// The end of a run.
    End,
    /// Times.
    Time,
}

/// The site of a change.
#[derive(Clone, Debug)]
pub(super) struct ChangeSite {
    pub(super) subject: ChangeSubject,
    /// The ids of the calls and messages that are changed.
    pub(super) ids: Vec<String>,
    /// The tools whose calls are missing, at least where they were.
    pub(super) missing_tools: Vec<String>,
    /// The texts that were said, each with what is said instead.
    pub(super) texts: Vec<(String, String)>,
    /// Arguments and results that were there, each with what is there instead.
    pub(super) data: Vec<(String, String)>,
}

impl ChangeSite {
    pub(super) fn new(subject: ChangeSubject) -> Self {
        Self {
            subject,
            ids: Vec::new(),
            missing_tools: Vec::new(),
            texts: Vec::new(),
            data: Vec::new(),
        }
    }

    /// Whether an item of the changed tape belongs to what was changed.
    pub(super) fn has(&self, item: &TapeItem) -> bool {
        let is_own = |id: &str| self.ids.iter().any(|own| own == id);
        match item {
            TapeItem::Answered(answer) => is_own(&answer.call),
            TapeItem::Change(
                _,
                Change::CallOpened { id, .. }
                | Change::CallArgs { id, .. }
                | Change::CallArgsDone { id }
                | Change::CallAnswered { id, .. }
                | Change::CallExecuted { id }
                | Change::ResultFollows { id, .. }
                | Change::CallFailed { id, .. }
                | Change::MessageOpened { id, .. }
                | Change::MessageRetracted { id }
                | Change::MessageText { id, .. },
            ) => is_own(id),
            _ => false,
        }
    }

    /// Whether a failure is about the change, which the events `changed` show.
    pub(super) fn is_named_by(
        &self,
        failure: &RuleResult,
        changed: &BTreeSet<EventNumber>,
    ) -> bool {
        self.is_whole_subject_of(&failure.rule)
            || failure.events.iter().any(|event| changed.contains(event))
            || [failure.message.as_str(), &failure.expected]
                .into_iter()
                .chain(failure.seen.iter().map(EvidenceLine::text))
                .any(|words| self.is_quoted(words))
    }

    /// Whether the rule looks at nothing but what this change is about. A snapshot is compared with everything, so that its
    /// difference is the change.
    fn is_whole_subject_of(&self, rule: &str) -> bool {
        let own = match self.subject {
            ChangeSubject::Calls => None,
            ChangeSubject::Text => Some(RuleSubject::Text),
            ChangeSubject::State => Some(RuleSubject::State),
            ChangeSubject::End => Some(RuleSubject::End),
            ChangeSubject::Time => Some(RuleSubject::Time),
        };
        RuleProperties::of(rule).is_some_and(|RuleProperties { subject, .. }| {
            subject == RuleSubject::Everything || Some(subject) == own
        })
    }

    /// Whether words quote a tool whose call is missing, a text that is not said any more, as it is or with a pattern, or a
    /// value that is not there any more.
    fn is_quoted(&self, words: &str) -> bool {
        let mut parts = words.split('`');
        while let (Some(before), Some(quoted)) = (parts.next(), parts.next()) {
            // Without signs of a pattern, a text matches just where it is contained.
            let has_signs = regex_syntax::escape(quoted) != quoted;
            let pattern = LazyCell::new(|| has_signs.then(|| Regex::new(quoted).ok()).flatten());
            let is_in = |text: &str| {
                text.contains(quoted)
                    || pattern
                        .as_ref()
                        .is_some_and(|pattern| pattern.is_match(text))
            };
            let is_pattern_of_name = before.ends_with("matching ");
            let is_tool = |tool: &String| tool == quoted || is_pattern_of_name && is_in(tool);
            if self.missing_tools.iter().any(is_tool)
                || self
                    .texts
                    .iter()
                    .any(|(old, new)| is_in(old) && !is_in(new))
                || self
                    .data
                    .iter()
                    .any(|(old, new)| old.contains(quoted) && !new.contains(quoted))
            {
                return true;
            }
        }
        false
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use ananke_base::diagnostic::Place;
    use ananke_trace::outcome::{Level, RuleStatus};

    fn failure(rule: &str, message: &str, events: &[u32]) -> RuleResult {
        let place = Place {
            file: "a.test.yaml".into(),
            line: 1,
            column: 1,
        };
        let rule = rule.to_owned();
        RuleResult {
            status: RuleStatus::Failed,
            message: message.to_owned(),
            events: events.iter().map(|number| (1, *number).into()).collect(),
            ..RuleResult::passed(rule, Level::Test, place, (String::new(), String::new()))
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table of cases")]
    fn a_finding_names_a_change_by_an_event_a_quote_or_its_subject_alone() {
        let calls = ChangeSite {
            missing_tools: vec!["pay".to_owned()],
            ..ChangeSite::new(ChangeSubject::Calls)
        };
        let said = ("Paid. Receipt R-7.".to_owned(), "Paid.".to_owned());
        let text = ChangeSite {
            texts: vec![said],
            ..ChangeSite::new(ChangeSubject::Text)
        };
        let time = ChangeSite::new(ChangeSubject::Time);
        for (site, rule, message, events, is_named) in [
            (
                &calls,
                "tools.require",
                "`pay` was not called",
                &[][..],
                true,
            ),
            (
                &calls,
                "tools.require",
                "a tool matching `^p` was not called",
                &[],
                true,
            ),
            (
                &calls,
                "tools.require",
                "`payment` was not called",
                &[],
                false,
            ),
            (
                &calls,
                "timing.max_idle_ms",
                "idle for 9 s after `look_up`",
                &[3],
                false,
            ),
            (&calls, "tools.max_calls", "too many", &[7], true),
            (&calls, "snapshot", "it differs", &[], true),
            (&text, "text.must_match", "not said", &[], true),
            (
                &text,
                "whenever",
                "`pay` was answered without a message matching `R-\\d` after it",
                &[1],
                true,
            ),
            (
                &text,
                "whenever",
                "`pay` was answered without a message matching `Paid` after it",
                &[1],
                false,
            ),
            (&time, "timing.max_duration_ms", "it took long", &[], true),
            (&time, "tools.require", "`pay` was not called", &[], false),
        ] {
            let failure = failure(rule, message, events);
            assert_eq!(
                site.is_named_by(&failure, &BTreeSet::from([(1, 7).into()])),
                is_named,
                "{rule}: {message}"
            );
        }
    }
}
