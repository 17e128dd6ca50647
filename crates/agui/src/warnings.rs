//! Warnings about a stream: what is odd and fails no rule. They are limited, since a stream can be odd without end.
//! A key in a value whose duplicates differ waits here too, until its event is decoded.

use std::borrow::Cow;

use ananke_agents::Received;
use ananke_base::source::received_json::Oddities;

/// The number of warnings of one exchange that are reported.
const MAX_REPORTED: usize = 100;

/// The warnings since they were taken last.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    waiting: Vec<Cow<'static, str>>,
    added: usize,
    duplicate_key: Option<String>,
    has_converted: bool,
}

impl Warnings {
    pub(super) fn add(&mut self, words: impl Into<Cow<'static, str>>) {
        self.added += 1;
        if self.added <= MAX_REPORTED {
            self.waiting.push(words.into());
        } else if self.added == MAX_REPORTED + 1 {
            self.waiting.push(Cow::Borrowed(
                "there are more warnings, which are not shown",
            ));
        }
    }

    /// Warns that events have names of the server's own; once, since a server that has one has all of them.
    pub(super) fn add_converted(&mut self, own: &str, name: &str) {
        if !std::mem::replace(&mut self.has_converted, true) {
            self.add(format!(
                "the events have names like `{own}` where AG-UI has `{name}`"
            ));
        }
    }

    pub(super) fn add_lone_surrogate(&mut self) {
        self.add(Oddities::HALF);
    }

    pub(super) fn add_oddities(&mut self, mut oddities: Oddities) {
        let duplicate = oddities.duplicate_key.take();
        oddities.warnings().for_each(|words| self.add(words));
        self.duplicate_key = self.duplicate_key.take().or(duplicate);
    }

    /// A key that is duplicated with another value in what was read since it was taken last.
    pub(super) fn take_duplicate_key(&mut self) -> Option<String> {
        self.duplicate_key.take()
    }

    pub(super) fn take(&mut self) -> Vec<Cow<'static, str>> {
        std::mem::take(&mut self.waiting)
    }
}

/// An id or another short text of the agent in a warning.
pub(super) fn shown(text: &str) -> String {
    Received::quote(text.as_bytes())
}
