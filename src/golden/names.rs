//! Ids that a run makes up, each under a name that the next run gives it too: `<call-1>`.
//!
//! The ids are those that the trace knows as such; nothing is guessed from the looks of a text. A name is numbered when
//! the id is first met, so that the texts of two runs count alike.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::trace::{Author, RunEnd, Trace};

/// Shorter ids are not looked for in values: they would be found in words that mean something else.
const SHORTEST: usize = 4;

/// The ids of a conversation.
#[derive(Debug, Default)]
pub(super) struct Names<'t> {
    ids: HashMap<&'t str, Id>,
    counts: HashMap<&'static str, usize>,
}

#[derive(Debug)]
struct Id {
    kind: &'static str,
    /// Given when it is first met.
    number: Option<usize>,
}

impl<'t> Names<'t> {
    /// The ids that `trace` knows by now. One that stands for two things is named after the first of these kinds.
    pub(super) fn of(trace: &'t Trace) -> Self {
        let mut names = Self::default();
        names.learn("thread", trace.thread_ids.iter());
        names.learn("run", trace.exchanges.iter().flat_map(|exchange| &exchange.run_ids));
        names.learn("call", trace.calls.iter().map(|call| &call.wire_id));
        for outcome in trace.exchanges.iter().filter_map(|exchange| exchange.run_end.as_ref()) {
            if let RunEnd::Interrupted(interrupts) = outcome {
                names.learn("interrupt", interrupts.iter().map(|interrupt| &interrupt.id));
            }
        }
        let lanes = trace.calls.iter().map(|call| &call.author);
        let lanes = lanes.chain(trace.messages.iter().map(|message| &message.author));
        names.learn(
            "subagent",
            lanes.filter_map(|lane| match lane {
                Author::Agent => None,
                Author::Subagent(id) => Some(id),
            }),
        );
        names.learn("message", trace.messages.iter().map(|message| &message.wire_id));
        names
    }

    fn learn(&mut self, kind: &'static str, ids: impl Iterator<Item = &'t String>) {
        for id in ids {
            self.ids.entry(id).or_insert(Id { kind, number: None });
        }
    }

    /// The name of an id, however short it is; of anything else itself.
    pub(super) fn id(&mut self, id: &str) -> String {
        self.named(id).unwrap_or_else(|| id.to_owned())
    }

    /// `text` with a name for every id that stands in it as a whole word.
    pub(super) fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if self.ids.is_empty() {
            return Cow::Borrowed(text);
        }
        if let Some(name) = self.found(text) {
            return Cow::Owned(name);
        }
        let mut named: Option<String> = None;
        let mut told = 0;
        for (start, word) in words(text, divides) {
            // An id may hold any sign, so the whole word goes first, then what is left without signs at its ends.
            let core = word.trim_matches(|character: char| !character.is_alphanumeric());
            let at = start + (core.as_ptr() as usize - word.as_ptr() as usize);
            let whole = [(start, word), (at, core)].into_iter();
            let found =
                whole.map(|(at, word)| (at, word, self.found(word))).find(|(.., name)| name.is_some());
            let mut replace = |at: usize, word: &str, name: String| {
                let named = named.get_or_insert_with(String::new);
                named.push_str(&text[told..at]);
                named.push_str(&name);
                told = at + word.len();
            };
            if let Some((at, word, Some(name))) = found {
                replace(at, word, name);
                continue;
            }
            for (at, part) in words(word, |character| !is_of_a_name(character)) {
                if let Some(name) = self.found(part) {
                    replace(start + at, part, name);
                }
            }
        }
        match named {
            Some(mut named) => {
                named.push_str(&text[told..]);
                Cow::Owned(named)
            }
            None => Cow::Borrowed(text),
        }
    }

    fn found(&mut self, word: &str) -> Option<String> {
        if word.len() < SHORTEST { None } else { self.named(word) }
    }

    fn named(&mut self, id: &str) -> Option<String> {
        let Id { kind, number } = self.ids.get_mut(id)?;
        let number = number.get_or_insert_with(|| {
            let count = self.counts.entry(kind).or_default();
            *count += 1;
            *count
        });
        Some(format!("<{kind}-{number}>"))
    }
}

/// The stretches of `text` between what divides them, each with its place.
fn words(text: &str, divides: impl Fn(char) -> bool) -> impl Iterator<Item = (usize, &str)> {
    text.split(divides)
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn divides(character: char) -> bool {
    character.is_whitespace() || "\"'`,;()[]{}<>|".contains(character)
}

fn is_of_a_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<'t>(ids: &'t [(&'static str, String)]) -> Names<'t> {
        let mut names = Names::default();
        for (kind, id) in ids {
            names.learn(kind, std::iter::once(id));
        }
        names
    }

    #[test]
    fn whole_words_get_names_in_the_order_they_are_met() {
        let ids = [
            ("thread", "0f8fad5b-d9cb".to_owned()),
            ("call", "call_77".to_owned()),
            ("call", "urn:call:8".to_owned()),
            ("run", "r1".to_owned()),
        ];
        for (text, expected) in [
            ("0f8fad5b-d9cb", "<thread-1>"),
            ("thread 0f8fad5b-d9cb.", "thread <thread-1>."),
            ("(0f8fad5b-d9cb), call_77!", "(<thread-1>), <call-1>!"),
            ("urn:call:8 then call_77 then urn:call:8", "<call-1> then <call-2> then <call-1>"),
            ("https://x.test/t/0f8fad5b-d9cb/r?c=call_77#é", "https://x.test/t/<thread-1>/r?c=<call-1>#é"),
            ("0f8fad5b-d9cb-2 xcall_77", "0f8fad5b-d9cb-2 xcall_77"),
            ("r1 is too short", "r1 is too short"),
            ("", ""),
            ("¿call_77?", "¿<call-1>?"),
        ] {
            assert_eq!(names(&ids).text(text), expected, "{text}");
        }
        assert_eq!(names(&ids).id("r1"), "<run-1>");
    }
}
