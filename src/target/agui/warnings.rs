//! What is odd about a stream and fails nothing: collected, and limited, since a stream can be odd without end.

use std::borrow::Cow;

/// How many warnings of one exchange are told.
const TOLD: usize = 100;

/// The warnings since they were taken last.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    waiting: Vec<Cow<'static, str>>,
    added: usize,
}

impl Warnings {
    pub(super) fn add(&mut self, words: impl Into<Cow<'static, str>>) {
        self.added += 1;
        if self.added <= TOLD {
            self.waiting.push(words.into());
        } else if self.added == TOLD + 1 {
            self.waiting.push(Cow::Borrowed("there are more warnings, which are not shown"));
        }
    }

    pub(super) fn add_lone_surrogate(&mut self) {
        self.add("half of a surrogate pair stands alone in a string: U+FFFD is taken for it");
    }

    pub(super) fn take(&mut self) -> Vec<Cow<'static, str>> {
        std::mem::take(&mut self.waiting)
    }
}
