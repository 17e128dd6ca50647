//! The kinds of things that the steps of a rule name.

use super::StepMatcher;
use ananke_model::model::MessageRole;

/// The kinds of things that the steps of a rule name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of its own")]
pub(crate) struct Kinds {
    pub(crate) calls: bool,
    pub(crate) results: bool,
    pub(crate) messages: bool,
    pub(crate) of_user: bool,
}

impl Kinds {
    /// The kinds of these steps.
    pub(crate) fn of<'s>(steps: impl IntoIterator<Item = &'s StepMatcher>) -> Self {
        steps
            .into_iter()
            .fold(Self::default(), |kinds, step| match step {
                StepMatcher::Call(_) => Self {
                    calls: true,
                    ..kinds
                },
                StepMatcher::Result(_) => Self {
                    results: true,
                    ..kinds
                },
                StepMatcher::Message {
                    by: MessageRole::Assistant,
                    ..
                } => Self {
                    messages: true,
                    ..kinds
                },
                StepMatcher::Message {
                    by: MessageRole::User,
                    ..
                } => Self {
                    of_user: true,
                    ..kinds
                },
            })
    }

    /// `calls, results and messages`
    pub(crate) fn words(self) -> String {
        let Self {
            calls,
            results,
            messages,
            of_user,
        } = self;
        let words = [
            (calls, "calls"),
            (results, "results"),
            (messages, "messages"),
            (of_user, "messages of the user"),
        ];
        let words: Vec<&str> = words
            .into_iter()
            .filter_map(|(is, word)| is.then_some(word))
            .collect();
        match words.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            all => all.concat(),
        }
    }
}
