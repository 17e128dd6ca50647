//! Findings: the ways in which a rule fails, and the evidence for each.
//!
//! **Why:** A finding points at calls by their index and does not describe them, because the result of a call may come after the
//! finding. The words are made at the end of the turn, once, when everything is known and secrets are masked as a whole.

use super::RuleScope;
use super::call_focus::CallFocus;
use ananke_base::diagnostic::Difference;
use ananke_trace::outcome::{EvidenceLine, Measured, ValueDifference};
use ananke_trace::trace::{EventNumber, ToolCall, Trace};

/// One way in which a rule fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The whole finding on one line.
    pub(crate) message: String,
    /// The words after `expected`, in the rule's own terms.
    pub(crate) expected: String,
    /// The tool that it is about, unless it is the one of the first call among the evidence.
    pub(crate) tool: Option<String>,
    /// The evidence found instead, in order.
    pub(crate) evidence: Vec<Evidence>,
    /// The words in the agent's text that a rule about texts found.
    pub(crate) found: Option<String>,
    /// The values that differ, apart from those of calls among the evidence.
    pub(crate) differences: Vec<ValueDifference>,
    /// The indices of the events that it is based on, in [`Trace::events`].
    pub(crate) events: Vec<u32>,
    /// Expected against actual text.
    pub(crate) difference: Option<Difference>,
    /// The remedy.
    pub(crate) help: Option<String>,
    /// The number that exceeds its limit.
    pub(crate) measured: Option<Measured>,
}

/// Something that a finding points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A call; described at the end of the turn, when its result is known.
    Call {
        /// The place in [`Trace::calls`].
        index: usize,
        /// The part of it that is shown, and the reason why it was not selected.
        focus: CallFocus,
        /// Whether it was nearly selected, and other calls have more mismatches.
        is_closest: bool,
    },
    /// The text of a message, which a transcript shows.
    Said(String),
    /// Anything else, in words.
    Words(String),
}

impl From<String> for Evidence {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl Finding {
    /// A finding that points at one call, from its first event on.
    pub(crate) fn of_call(message: String, expected: &str, index: usize, call: &ToolCall) -> Self {
        Self {
            message,
            expected: expected.to_owned(),
            evidence: vec![Evidence::call(index)],
            events: vec![call.first_event],
            ..Self::default()
        }
    }

    /// The finding with the author's own sentence first, if there is one.
    #[must_use]
    pub(crate) fn in_words_of(mut self, author: Option<&str>) -> Self {
        if let Some(author) = author {
            let own = std::mem::replace(&mut self.message, author.to_owned());
            self.evidence.insert(0, Evidence::Words(own));
        }
        self
    }

    /// A finding whose only evidence is text, and which points at no event of the trace. `message` is the whole finding on one
    /// line.
    pub(crate) fn in_words(
        message: String,
        expected: String,
        words: impl IntoIterator<Item = impl Into<Evidence>>,
    ) -> Self {
        let evidence = words.into_iter().map(Into::into).collect();
        Self {
            message,
            expected,
            evidence,
            ..Self::default()
        }
    }
}

impl Finding {
    /// The tool that the finding is about, and every value that differs from what is expected: those of the finding itself first,
    /// then those of the calls among its evidence. The finding gives its own up, since a report is made once.
    pub(crate) fn facts(&mut self, trace: &Trace) -> (Option<String>, Vec<ValueDifference>) {
        let mut tool = self.tool.take();
        let mut differences = std::mem::take(&mut self.differences);
        for evidence in &self.evidence {
            let Evidence::Call { index, focus, .. } = evidence else {
                continue;
            };
            let Some(call) = trace.calls.get(*index) else {
                continue;
            };
            // A finding that names no tool is about the one of its first call.
            tool.get_or_insert_with(|| call.name.to_string());
            // A difference only has a path and values. The event shows which call it belongs to.
            let event = Some(trace.numbered(call.first_event));
            for difference in focus.differences(call) {
                differences.push(ValueDifference {
                    event,
                    ..difference
                });
            }
        }
        (tool, differences)
    }
}

impl Evidence {
    /// A call of which nothing in particular is shown.
    pub(crate) fn call(index: usize) -> Self {
        Self::Call {
            index,
            focus: CallFocus::default(),
            is_closest: false,
        }
    }

    /// The evidence as a line of a report. Calls get their words only here, at the end of the turn, because their results may
    /// come after the finding. `scope` decides how a call is described.
    pub(crate) fn line(self, trace: &Trace, scope: RuleScope) -> EvidenceLine {
        match self {
            Self::Said(words) => EvidenceLine::Said(words),
            Self::Words(words) => EvidenceLine::Words(words),
            Self::Call {
                index,
                focus,
                is_closest,
            } => {
                let mark = if is_closest { " (closest)" } else { "" };
                // An index always belongs to a call of the trace; the default is for safety alone.
                let event = match trace.calls.get(index) {
                    Some(call) => trace.numbered(call.first_event),
                    None => EventNumber::default(),
                };
                EvidenceLine::Call {
                    text: focus.shown(trace, scope, index, mark),
                    event,
                    remark: focus.words.join("; "),
                }
            }
        }
    }
}
