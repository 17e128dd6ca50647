//! The texts of sources, so that a value is looked for in all of them at once.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::traced_value::{Normaliser, TracedValue, is_traceable};
use super::word::{has_whole, json_number, numbers, runs_of_digits, tokens, words};

/// The texts of sources, each with the number of the event that brought it.
#[derive(Debug, Default)]
pub(super) struct SourceTexts {
    /// Words, parts between whitespace, numbers as what they mean, and short whole texts.
    known: BTreeMap<String, Option<u32>>,
    /// The texts as a whole, in which values of several words are looked for, each with what does not count in it.
    whole: Vec<(String, Option<u32>, HashSet<String>)>,
}

/// Where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundIn {
    /// The event that brought it, if one did.
    pub(super) event: Option<u32>,
}

/// What is taken as a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceText<'s> {
    pub(super) normaliser: &'s Normaliser,
    /// The event that brought it.
    pub(super) event: Option<u32>,
    /// What does not count, as it is compared: the arguments of the call that it is the result of.
    pub(super) without: &'s HashSet<String>,
}

impl SourceTexts {
    /// Takes a text.
    pub(super) fn add(&mut self, text: &str, of: SourceText<'_>) {
        let text = of.normaliser.source(text);
        if text.is_empty() {
            return;
        }
        let digits = of.normaliser.has_digits().then(|| runs_of_digits(&text)).into_iter().flatten();
        let parts = words(&text).chain(tokens(&text)).map(str::to_owned);
        for part in parts.chain(numbers(&text)).chain(digits).collect::<Vec<_>>() {
            self.insert(part, of);
        }
        self.whole.push((text, of.event, of.without.clone()));
    }

    /// Takes a value: its scalars, and the keys of its objects.
    pub(super) fn add_value(&mut self, value: &Value, of: SourceText<'_>) {
        match value {
            Value::String(text) => self.add(text, of),
            Value::Number(number) => {
                self.insert(json_number(value), of);
                self.add(&number.to_string(), of);
            }
            Value::Array(items) => items.iter().for_each(|item| self.add_value(item, of)),
            Value::Object(entries) => {
                for (key, value) in entries {
                    self.add(key, of);
                    self.add_value(value, of);
                }
            }
            Value::Bool(_) | Value::Null => {}
        }
    }

    fn insert(&mut self, part: String, of: SourceText<'_>) {
        if !of.without.contains(&part) {
            self.known.entry(part).or_insert(of.event);
        }
    }

    /// Where a value is: equal to a text, or a whole word of one.
    pub(super) fn find(&self, value: &TracedValue) -> Option<FoundIn> {
        if value.text.is_empty() {
            return None;
        }
        let number = value.number.as_ref().and_then(|number| self.known.get(number));
        if let Some(event) = number.or_else(|| self.known.get(&value.text)) {
            return Some(FoundIn { event: *event });
        }
        // A value of several words is there only if all of them are.
        if value.number.is_some() || words(&value.text).any(|word| !self.may_have(word)) {
            return None;
        }
        let whole = self.whole.iter();
        let mut found =
            whole.filter(|(text, _, without)| !without.contains(&value.text) && has_whole(text, &value.text));
        found.next().map(|(_, event, _)| FoundIn { event: *event })
    }

    fn may_have(&self, word: &str) -> bool {
        // What does not count alone may be a part of what does.
        self.known.contains_key(word) || self.whole.iter().any(|(_, _, without)| without.contains(word))
    }

    /// A part of `text` that can be traced to a source, and where it is there.
    pub(super) fn part_of<'t>(&self, text: &'t str) -> Option<(&'t str, FoundIn)> {
        let mut parts = tokens(text).chain(words(text)).filter(|part| is_traceable(part));
        parts.find_map(|part| Some((part, FoundIn { event: *self.known.get(part)? })))
    }

    /// What looks like values, for the one that comes nearest.
    pub(super) fn identifiers(&self, most: usize) -> Vec<&str> {
        let like_values = self.known.keys().filter(|key| !key.starts_with("number ") && is_traceable(key));
        like_values.map(String::as_str).take(most).collect()
    }
}
