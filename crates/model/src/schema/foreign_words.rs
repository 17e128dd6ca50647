//! The names of keys and values in other tools, and the name of each here: one table for each format of files.
//!
//! **Invariant:** a hint of a format names only keys of that format, or says to which file they belong.

mod hint_tables;

use self::hint_tables::{
    BLOCK_SENTENCES, BLOCK_VALUES, CASE_SENTENCES, CASE_VALUES, CASE_WORDS, CONFIG_SENTENCES,
    CONFIG_VALUES, ForeignValue, LIST_SENTENCES, MAPPING_SENTENCES, Sentence, TEST_SENTENCES, Word,
    YAML_WORDS,
};
use super::FileKind;
use crate::model::{CONDITION_WORDS, ValueCondition};
use ananke_base::source::{Entry, NodeValue};

/// The hints of one format.
struct Hints {
    words: &'static [&'static [Word]],
    sentences: &'static [&'static [Sentence]],
    /// The same for words whose values are lists.
    of_lists: &'static [Sentence],
    /// The same for words whose values are mappings.
    of_mappings: &'static [Sentence],
    values: &'static [&'static [ForeignValue]],
}

/// The hints of a format.
fn hints(kind: FileKind) -> Hints {
    match kind {
        FileKind::Config => Hints {
            words: &[YAML_WORDS, CONDITION_WORDS],
            sentences: &[CONFIG_SENTENCES, BLOCK_SENTENCES],
            of_lists: LIST_SENTENCES,
            of_mappings: MAPPING_SENTENCES,
            values: &[CONFIG_VALUES, BLOCK_VALUES],
        },
        FileKind::Test | FileKind::Script => Hints {
            words: &[YAML_WORDS, CONDITION_WORDS],
            sentences: &[TEST_SENTENCES, BLOCK_SENTENCES],
            of_lists: LIST_SENTENCES,
            of_mappings: MAPPING_SENTENCES,
            values: &[BLOCK_VALUES],
        },
        FileKind::Case => Hints {
            words: &[CASE_WORDS],
            sentences: &[CASE_SENTENCES],
            of_lists: &[],
            of_mappings: &[],
            values: &[CASE_VALUES],
        },
    }
}

/// The keys that mean what other tools call `word`.
pub(super) fn meanings(kind: FileKind, word: &str) -> &'static [&'static str] {
    let mut words = hints(kind).words.iter().copied().flatten();
    words
        .find(|(known, _)| *known == word)
        .map_or(&[], |(_, keys)| keys)
}

/// The key of a condition on a value that `word` means, here or in another language.
pub fn condition_key(word: &str) -> Option<&'static str> {
    let own = ValueCondition::KEYS.into_iter().find(|key| *key == word);
    let keys = ValueCondition::KEYS;
    own.or_else(|| {
        let mut meanings = meanings(FileKind::Test, word).iter().copied();
        meanings.find(|key| keys.contains(key))
    })
}

/// The remedy for the word at `entry` in a mapping that knows the keys `known`.
pub(super) fn sentence(kind: FileKind, entry: &Entry, known: &[&str]) -> Option<&'static str> {
    let mut sentences = hints(kind).sentences.iter().copied().flatten();
    let found = sentences.find(|sentence| is_about(sentence, &entry.key, known));
    match found {
        Some((.., sentence)) => Some(sentence),
        None => collection_sentence(kind, entry, known),
    }
}

/// The remedy for a list or a mapping at `entry`, a word of ours with another value or a word of other tools.
pub(super) fn collection_sentence(
    kind: FileKind,
    entry: &Entry,
    known: &[&str],
) -> Option<&'static str> {
    let mut sentences = match entry.value.value {
        NodeValue::List(_) => hints(kind).of_lists.iter(),
        NodeValue::Map(_) => hints(kind).of_mappings.iter(),
        _ => return None,
    };
    let found = sentences.find(|sentence| is_about(sentence, &entry.key, known));
    found.map(|(.., sentence)| *sentence)
}

/// Whether a sentence is about `word` in a mapping that knows the keys `known`.
fn is_about((words, key, _): &Sentence, word: &str, known: &[&str]) -> bool {
    words.contains(&word) && known.contains(key)
}

/// The remedy for a value of `key` that only other tools have.
pub(super) fn value_sentence(kind: FileKind, key: &str, value: &str) -> Option<&'static str> {
    let mut values = hints(kind).values.iter().copied().flatten();
    let found = values.find(|(of, values, _)| *of == key && values.contains(&value));
    found.map(|(.., sentence)| *sentence)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::schema::embedded;

    /// Names of the user's own in the examples of hints.
    const OWN_NAMES: [&str; 1] = ["authorization"];

    const FORMATS: [FileKind; 3] = [FileKind::Config, FileKind::Test, FileKind::Case];

    /// Adds the keys and the closed values that a schema knows.
    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        match schema {
            Value::Object(map) => {
                for (key, value) in map {
                    match (key.as_str(), value) {
                        ("properties", Value::Object(properties)) => {
                            names.extend(properties.keys().cloned());
                        }
                        ("const", Value::String(value)) => _ = names.insert(value.clone()),
                        ("enum", Value::Array(values)) => {
                            names
                                .extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
                        }
                        _ => {}
                    }
                    collect(value, names);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
            _ => {}
        }
    }

    fn names(kind: FileKind) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        collect(embedded(kind), &mut names);
        names
    }

    /// The keys that a hint names: what is before a colon in its code, and code that is one word.
    fn named(hint: &str) -> Vec<&str> {
        let is_word = |text: &str| {
            let mut letters = text.chars();
            letters.next().is_some_and(char::is_alphabetic)
                && letters.all(|sign| sign.is_alphanumeric() || sign == '_')
        };
        let mut found = Vec::new();
        for code in hint.split('`').skip(1).step_by(2) {
            for before in code
                .split(": ")
                .collect::<Vec<_>>()
                .split_last()
                .map_or(&[][..], |it| it.1)
            {
                let start = before.rfind([' ', '{', '[']).map_or(0, |at| at + 1);
                found.push(before[start..].trim_matches('"'));
            }
            if is_word(code) {
                found.push(code);
            }
        }
        found
    }

    #[test]
    fn a_hint_names_only_keys_of_its_format_or_says_to_which_file_they_belong() {
        for kind in FORMATS {
            let own = names(kind);
            let both = &names(FileKind::Config) | &names(FileKind::Test);
            for (word, keys) in hints(kind).words.iter().copied().flatten() {
                let known = if kind == FileKind::Case { &own } else { &both };
                for key in *keys {
                    assert!(known.contains(*key), "{kind:?}: {word}: `{key}` is no key");
                }
            }
            let sentences = hints(kind).sentences.iter().copied().flatten();
            let of_lists = hints(kind)
                .of_lists
                .iter()
                .filter(|(_, key, _)| own.contains(*key));
            let of_keys = sentences.chain(of_lists).map(|(words, key, sentence)| {
                assert!(own.contains(*key), "{kind:?}: {words:?}: `{key}` is no key");
                *sentence
            });
            let values = hints(kind).values.iter().copied().flatten();
            let of_values = values.map(|(key, values, sentence)| {
                assert!(
                    own.contains(*key),
                    "{kind:?}: {values:?}: `{key}` is no key"
                );
                *sentence
            });
            for hint in of_keys.chain(of_values) {
                let other = if hint.contains("in the config") || hint.contains("ananke.config.yaml")
                {
                    names(FileKind::Config)
                } else if hint.contains("test file") {
                    names(FileKind::Test)
                } else {
                    BTreeSet::new()
                };
                let keys = named(hint);
                let is_known = |key: &&str| {
                    own.contains(*key) || other.contains(*key) || OWN_NAMES.contains(key)
                };
                let unknown: Vec<&str> = keys.into_iter().filter(|key| !is_known(key)).collect();
                assert_eq!(unknown, [""; 0], "{kind:?}: {hint}");
                let writes_yaml = named(hint)
                    .iter()
                    .any(|key| hint.contains(&format!("{{ {key}:")));
                assert!(
                    kind != FileKind::Case || !writes_yaml,
                    "{hint}: a case is JSON"
                );
            }
        }
    }

    #[test]
    fn no_word_is_hinted_at_twice_in_a_format() {
        for kind in FORMATS {
            let words = hints(kind).words.iter().copied().flatten();
            let words: Vec<&str> = words.map(|(word, _)| *word).collect();
            let distinct: BTreeSet<&str> = words.iter().copied().collect();
            assert_eq!(words.len(), distinct.len(), "{kind:?}");
        }
    }

    #[test]
    fn the_keys_of_a_hint_are_found() {
        let hint = "write `run: { retries: 2 }`, `\"a\": [{\"b\": 1}]` or `c`, not `x -y`";
        assert_eq!(named(hint), ["run", "retries", "a", "b", "c"]);
    }
}
