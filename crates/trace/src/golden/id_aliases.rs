//! Aliases for the ids of a run, which are the same in every run: `<call-1>`.
//!
//! Ids are those that the trace has as such; none is guessed from its format. An alias is numbered when its id first
//! occurs, so that every run counts alike.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::trace::{Author, RunEnd, Trace};

/// Shorter ids, in bytes, are not replaced in values: they would also match ordinary words.
const SHORTEST: usize = 4;

/// The ids of a conversation.
#[derive(Debug, Default)]
pub(super) struct IdAliases<'t> {
    ids: HashMap<&'t str, Id>,
    counts: HashMap<&'static str, usize>,
}

#[derive(Debug)]
struct Id {
    kind: &'static str,
    /// Given at its first occurrence.
    number: Option<usize>,
}

impl<'t> IdAliases<'t> {
    /// The ids of `trace`. An id of two things gets its alias from the first of these kinds.
    pub(super) fn of(trace: &'t Trace) -> Self {
        let mut aliases = Self::default();
        aliases.add("thread", trace.thread_ids.iter().map(String::as_str));
        aliases.add(
            "run",
            trace
                .exchanges
                .iter()
                .flat_map(|exchange| &exchange.run_ids)
                .map(String::as_str),
        );
        aliases.add("call", trace.calls.iter().map(|call| call.wire_id.as_str()));
        for outcome in trace
            .exchanges
            .iter()
            .filter_map(|exchange| exchange.run_end.as_ref())
        {
            if let RunEnd::Interrupted(interrupts) = outcome {
                aliases.add(
                    "interrupt",
                    interrupts.iter().map(|interrupt| interrupt.id.as_str()),
                );
            }
        }
        let lanes = trace.calls.iter().map(|call| &call.author);
        let lanes = lanes.chain(trace.messages.iter().map(|message| &message.author));
        aliases.add(
            "subagent",
            lanes.filter_map(|lane| match lane {
                Author::Agent => None,
                Author::Subagent(id) => Some(id.as_str()),
            }),
        );
        aliases.add(
            "message",
            trace
                .messages
                .iter()
                .map(|message| message.wire_id.as_str()),
        );
        aliases
    }

    fn add(&mut self, kind: &'static str, ids: impl Iterator<Item = &'t str>) {
        for id in ids {
            self.ids.entry(id).or_insert(Id { kind, number: None });
        }
    }

    /// The alias of an id, however short it is; anything else stays as it is.
    pub(super) fn id(&mut self, id: &str) -> String {
        self.named(id).unwrap_or_else(|| id.to_owned())
    }

    /// `text` with an alias for every id in it that is a whole word.
    pub(super) fn text<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        if self.ids.is_empty() {
            return Cow::Borrowed(text);
        }
        if let Some(name) = self.found(text) {
            return Cow::Owned(name);
        }
        let mut named: Option<String> = None;
        let mut copied = 0;
        for (start, word) in words(text, is_divider) {
            // An id may contain any character: the whole word is tried first, then the word without punctuation at its ends.
            let core = word.trim_matches(|character: char| !character.is_alphanumeric());
            let at = start + (core.as_ptr() as usize - word.as_ptr() as usize);
            let whole = [(start, word), (at, core)].into_iter();
            let found = whole
                .map(|(at, word)| (at, word, self.found(word)))
                .find(|(.., name)| name.is_some());
            let mut replace = |at: usize, word: &str, name: String| {
                let named = named.get_or_insert_with(String::new);
                named.push_str(&text[copied..at]);
                named.push_str(&name);
                copied = at + word.len();
            };
            if let Some((at, word, Some(name))) = found {
                replace(at, word, name);
                continue;
            }
            for (at, part) in words(word, |character| !is_of_an_id(character)) {
                if let Some(name) = self.found(part) {
                    replace(start + at, part, name);
                }
            }
        }
        match named {
            Some(mut named) => {
                named.push_str(&text[copied..]);
                Cow::Owned(named)
            }
            None => Cow::Borrowed(text),
        }
    }

    fn found(&mut self, word: &str) -> Option<String> {
        if word.len() < SHORTEST {
            None
        } else {
            self.named(word)
        }
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

/// The words of `text` between the characters that divide them, each with its position.
fn words(text: &str, divides: impl Fn(char) -> bool) -> impl Iterator<Item = (usize, &str)> {
    text.split(divides)
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

fn is_divider(character: char) -> bool {
    character.is_whitespace() || "\"'`,;()[]{}<>|".contains(character)
}

fn is_of_an_id(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn aliases<'t>(ids: &'t [(&'static str, String)]) -> IdAliases<'t> {
        let mut aliases = IdAliases::default();
        for (kind, id) in ids {
            aliases.add(kind, std::iter::once(id.as_str()));
        }
        aliases
    }

    #[test]
    fn whole_words_get_aliases_in_the_order_they_occur() {
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
            (
                "urn:call:8 then call_77 then urn:call:8",
                "<call-1> then <call-2> then <call-1>",
            ),
            (
                "https://x.test/t/0f8fad5b-d9cb/r?c=call_77#é",
                "https://x.test/t/<thread-1>/r?c=<call-1>#é",
            ),
            ("0f8fad5b-d9cb-2 xcall_77", "0f8fad5b-d9cb-2 xcall_77"),
            ("r1 is too short", "r1 is too short"),
            ("", ""),
            ("¿call_77?", "¿<call-1>?"),
        ] {
            assert_eq!(aliases(&ids).text(text), expected, "{text}");
        }
        assert_eq!(aliases(&ids).id("r1"), "<run-1>");
    }
}
