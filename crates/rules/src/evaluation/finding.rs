//! Findings: the ways in which a rule fails, and the evidence for each.

use crate::call_focus::CallFocus;
use ananke_base::diagnostic::Difference;
use ananke_trace::outcome::Measured;
use ananke_trace::trace::{ToolCall, Trace};

/// One way in which a rule fails.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The whole finding on one line.
    pub(crate) message: String,
    /// What was expected.
    pub(crate) expected: String,
    /// What was found instead, in order.
    pub(crate) evidence: Vec<Evidence>,
    /// The numbers of the events that it is based on.
    pub(crate) events: Vec<u32>,
    /// Expected against actual text.
    pub(crate) difference: Option<Difference>,
    /// What to do.
    pub(crate) help: Option<String>,
    /// The number that exceeds its limit.
    pub(crate) measured: Option<Measured>,
}

/// Something that a finding points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// A call; described at the end of the turn, when its result is known.
    Call {
        /// Its index in [`Trace::calls`].
        index: usize,
        /// What of it is shown, and why it was not selected.
        focus: CallFocus,
        /// Whether it was nearly selected, and other calls have more mismatches.
        is_closest: bool,
    },
    /// Anything else, in words.
    Words(String),
}

impl Finding {
    /// A finding that points at one call, from its first event on.
    pub(crate) fn of_call(message: String, expected: &str, index: usize, call: &ToolCall) -> Self {
        let (expected, evidence) = (expected.to_owned(), vec![Evidence::call(index)]);
        Self {
            message,
            expected,
            evidence,
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

    /// A finding with words as its only evidence, and no event.
    pub(crate) fn in_words(
        message: String,
        expected: String,
        words: impl IntoIterator<Item = String>,
    ) -> Self {
        let evidence = words.into_iter().map(Evidence::Words).collect();
        Self {
            message,
            expected,
            evidence,
            ..Self::default()
        }
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

    /// Its line in a report.
    pub(crate) fn line(self, trace: &Trace) -> String {
        match self {
            Self::Words(words) => words,
            Self::Call {
                index,
                focus,
                is_closest,
            } => focus.shown(trace, index, if is_closest { " (closest)" } else { "" }),
        }
    }
}
