//! The texts of sources, so that a value is looked for in all of them at once.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::traced_value::{Normaliser, TracedValue, is_traceable};
use super::word::{digits_key, has_whole, is_number_key, numbers, runs_of_digits, tokens, words};

/// The texts of sources, each with its place in the order and the number of the event that brought it.
#[derive(Debug, Default)]
pub(super) struct SourceTexts {
    /// Words, parts between whitespace, numbers as what they mean, and short whole texts.
    known: BTreeMap<String, Brought>,
    /// The texts as a whole, in which values of several words are looked for.
    whole: Vec<WholeText>,
    /// The texts that contain a word, so that few are looked at for a value.
    by_word: HashMap<String, Vec<usize>>,
}

/// A text, and what does not count in it.
#[derive(Debug)]
struct WholeText {
    text: String,
    brought: Brought,
    without: HashSet<String>,
}

/// The place of a text in the order in which everything began, and the number of the event that brought it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Brought {
    /// 0 for what was there before the first turn.
    pub(super) order: u64,
    /// The event, if one did.
    pub(super) event: Option<u32>,
}

/// The place where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundIn {
    /// The event that brought it, if one did.
    pub(super) event: Option<u32>,
}

/// The settings with which a text is taken as a source.
#[derive(Clone, Copy, Debug)]
pub(super) struct SourceText<'s> {
    pub(super) normaliser: &'s Normaliser,
    pub(super) brought: Brought,
    /// The values that do not count, as they are compared: the arguments of the call that it is the result of.
    pub(super) without: &'s HashSet<String>,
}

impl SourceTexts {
    /// Takes a text.
    pub(super) fn add(&mut self, text: &str, of: SourceText<'_>) {
        let text = of.normaliser.source(text);
        if text.is_empty() {
            return;
        }
        let digits = of
            .normaliser
            .has_digits()
            .then(|| runs_of_digits(&text))
            .into_iter()
            .flatten();
        // A number of an argument is found among runs of digits, not among words.
        let digits = digits.flat_map(|digits| [digits_key(&digits), digits]);
        let parts = words(&text).chain(tokens(&text)).map(str::to_owned);
        for part in parts
            .chain(numbers(&text))
            .chain(digits)
            .collect::<Vec<_>>()
        {
            self.insert(part, of);
        }
        let distinct: HashSet<&str> = words(&text).collect();
        for word in distinct {
            match self.by_word.get_mut(word) {
                Some(texts) => texts.push(self.whole.len()),
                None => drop(self.by_word.insert(word.to_owned(), vec![self.whole.len()])),
            }
        }
        self.whole.push(WholeText {
            text,
            brought: of.brought,
            without: of.without.clone(),
        });
    }

    /// Takes a value: its scalars, and the keys of its objects.
    pub(super) fn add_value(&mut self, value: &Value, of: SourceText<'_>) {
        let mut found = Vec::new();
        texts(value, &mut found);
        for text in &found {
            self.add(text, of);
        }
    }

    fn insert(&mut self, part: String, of: SourceText<'_>) {
        if !of.without.contains(&part) {
            let known = self.known.entry(part).or_insert(of.brought);
            if of.brought.order < known.order {
                *known = of.brought;
            }
        }
    }

    /// What brought a part of a text before an order.
    fn known_before(&self, part: &str, order: u64) -> Option<FoundIn> {
        let brought = self.known.get(part)?;
        (brought.order < order).then_some(FoundIn {
            event: brought.event,
        })
    }

    /// The place of a value before an order: equal to a text, or a whole word of one.
    pub(super) fn find(&self, value: &TracedValue, order: u64) -> Option<FoundIn> {
        if value.text.is_empty() {
            return None;
        }
        let mut keys = value.keys();
        if let Some(found) = keys.find_map(|key| self.known_before(key, order)) {
            return Some(found);
        }
        let is_one_word = words(&value.text).next() == Some(value.text.as_str());
        if value.number.is_some() || is_one_word {
            return None;
        }
        let is_there = |whole: &&WholeText| {
            whole.brought.order < order
                && !whole.without.contains(&value.text)
                && has_whole(&whole.text, &value.text)
        };
        let found = match self.fewest_texts(&value.text) {
            Some(texts) => texts.iter().map(|index| &self.whole[*index]).find(is_there),
            None => self.whole.iter().find(is_there),
        };
        found.map(|whole| FoundIn {
            event: whole.brought.event,
        })
    }

    /// The texts that contain the rarest word of `value`; `None` if it has no words.
    fn fewest_texts(&self, value: &str) -> Option<&[usize]> {
        let texts = words(value).map(|word| self.by_word.get(word).map_or(&[][..], Vec::as_slice));
        texts.min_by_key(|texts| texts.len())
    }

    /// A part of `text` that can be traced to a source before an order, and where it is there.
    pub(super) fn part_of<'t>(&self, text: &'t str, order: u64) -> Option<(&'t str, FoundIn)> {
        let mut parts = tokens(text)
            .chain(words(text))
            .filter(|part| is_traceable(part));
        parts.find_map(|part| Some((part, self.known_before(part, order)?)))
    }

    /// The parts of the texts before an order that look like values, for the one that comes nearest.
    pub(super) fn identifiers(&self, order: u64, most: usize) -> Vec<&str> {
        let like_values = self.known.iter().filter(|(key, brought)| {
            brought.order < order && !is_number_key(key) && is_traceable(key)
        });
        like_values
            .map(|(key, _)| key.as_str())
            .take(most)
            .collect()
    }
}

/// Adds the texts of a value: its strings and numbers, and the keys of its objects.
pub(super) fn texts<'v>(value: &'v Value, found: &mut Vec<Cow<'v, str>>) {
    match value {
        Value::String(text) => found.push(text.into()),
        Value::Number(number) => found.push(number.to_string().into()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(entries) => {
            for (key, value) in entries {
                found.push(key.into());
                texts(value, found);
            }
        }
        Value::Bool(_) | Value::Null => {}
    }
}
