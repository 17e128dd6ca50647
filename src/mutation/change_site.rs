//! What a change touches, and whether a finding names it.

use std::collections::BTreeSet;

use crate::outcome::Failure;

/// What a change is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeSubject {
    /// Calls, their arguments, results and order.
    Calls,
    /// What the agent says.
    Text,
    /// The agent's state.
    State,
    /// How a run ends.
    End,
    /// Times.
    Time,
}

/// What a change touches.
#[derive(Clone, Debug)]
pub(super) struct ChangeSite {
    pub(super) subject: ChangeSubject,
    /// The names and texts that were changed: one of them is in a finding about the change.
    pub(super) names: Vec<String>,
}

impl ChangeSite {
    /// Whether a failure is about the change, which the events `changed` show: it shows one of these events, names what was
    /// changed, or is of a rule that looks at nothing else.
    pub(super) fn is_named_by(&self, failure: &Failure, changed: &BTreeSet<u32>) -> bool {
        // A snapshot shows the difference of the whole conversation, which is the change.
        let rules: &[&str] = match self.subject {
            ChangeSubject::Calls => &["snapshot", "sequence"],
            ChangeSubject::Text => &["snapshot", "text", "output"],
            ChangeSubject::State => &["snapshot", "state"],
            ChangeSubject::End => &["snapshot", "outcome"],
            ChangeSubject::Time => &["timing"],
        };
        let is_of = |rules: &&str| failure.rule.split('.').next() == Some(rules);
        rules.iter().any(is_of)
            || failure.events.iter().any(|event| changed.contains(event))
            || self.names.iter().any(|name| {
                let texts = [&failure.message, &failure.expected, &failure.written];
                texts.into_iter().chain(&failure.seen).any(|text| text.contains(name.as_str()))
            })
    }
}
