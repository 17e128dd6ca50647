//! Secrets by name: in a recording, which is meant to be committed and replayed, a marker replaces a secret.
//!
//! Flows in: the secrets of one test. Flows out: text in which each is named. No value of a secret ever gets through.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use super::excerpt::{Opened, has_hidden};
use super::search::{Search, merged, replaced};
use super::{Redactor, encodings::encodings, nested, patterns, readings::each_reading};
use ananke_model::variables::Secret;

/// The text that a recording contains instead of the secret `name`.
pub fn marker(name: &str) -> String {
    format!("<secret:{name}>")
}

/// Knows the secrets of one test by value and name, in every encoding that a [`Redactor`] knows, and those that match a
/// pattern: what the first pattern matches has the name `redact.1`, what the second matches `redact.2`, and so on.
#[derive(Debug, Default)]
pub struct Markers {
    names: Vec<String>,
    /// Finds the secrets that are known by value.
    values: Search,
    /// The marker of each text that `values` searches for.
    of_values: Vec<String>,
    /// Finds the secrets that are long enough to be looked for inside of several encodings, as they are.
    long: Search,
    /// The marker of each of them.
    of_long: Vec<String>,
    patterns: Vec<Arc<Regex>>,
    /// The marker of what each pattern matches.
    of_patterns: Vec<String>,
    /// Finds the markers themselves.
    marked: Search,
}

impl Markers {
    /// Markers for `secrets`, and for what matches one of `patterns`. Where two have one value, the variable's name counts
    /// before the header's, then the first in the order of names.
    pub fn new(secrets: &[Secret], patterns: Vec<Arc<Regex>>) -> Self {
        let mut secrets: Vec<&Secret> =
            secrets.iter().filter(|secret| !secret.is_short()).collect();
        secrets.sort_by_key(|secret| (secret.is_written, secret.value.len(), &secret.name));
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for secret in secrets {
            // Only the part of a header's value that is the secret: the rest is the scheme.
            let is_named =
                secret.is_written && known.keys().any(|value| secret.value.contains(value));
            if !is_named {
                known.entry(&secret.value).or_insert(&secret.name);
            }
        }
        let mut by_encoding: BTreeMap<String, &str> = BTreeMap::new();
        for (value, name) in &known {
            for encoding in encodings(value) {
                by_encoding.entry(encoding).or_insert(name);
            }
        }
        let long = known.iter();
        let long = long.filter(|(value, _)| value.chars().count() >= nested::SHORTEST);
        let (long, of_long): (Vec<&str>, Vec<String>) =
            long.map(|(value, name)| (*value, marker(name))).unzip();
        let of_values = by_encoding.values().map(|name| marker(name)).collect();
        let values = Search::of(&by_encoding.into_keys().collect::<Vec<_>>());
        let looks: Vec<String> = (1..=patterns.len())
            .map(|number| format!("redact.{number}"))
            .collect();
        let mut names: Vec<String> = known.into_values().map(str::to_owned).collect();
        names.extend_from_slice(&looks);
        names.sort();
        names.dedup();
        let markers: Vec<String> = names.iter().map(|name| marker(name)).collect();
        let marked = Search::of(&markers);
        let of_patterns = looks.iter().map(|name| marker(name)).collect();
        Self {
            names,
            values,
            of_values,
            long: Search::of(&long),
            of_long,
            patterns,
            of_patterns,
            marked,
        }
    }

    /// The names of the secrets that have markers, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether there is nothing to be named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The marker of the first secret that spans one of the (sorted) positions `cuts` in `text`.
    pub fn cut_by(&self, text: &str, cuts: &[usize]) -> Option<&str> {
        let is_cut = |range: &Range<usize>| {
            let next = cuts.partition_point(|cut| *cut <= range.start);
            cuts.get(next).is_some_and(|cut| *cut < range.end)
        };
        let values = self
            .values
            .find(text)
            .map(|(range, number)| (range, &self.of_values[number]));
        let matches = patterns::find_escaped(text, &self.patterns).into_iter();
        let matches = matches.map(|(range, number)| (range, &self.of_patterns[number]));
        values
            .chain(matches)
            .chain(self.tokens(text))
            .find(|(range, _)| is_cut(range))
            .map(|(_, marker)| marker.as_str())
    }

    /// `text` with a marker instead of every secret, and without the hidden parts of excerpts.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let opened = Opened::of(text);
        match replaced(&opened, self.find(&opened.text)) {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(text),
        }
    }

    /// The places of secrets in `text`, with the marker of each. A marker stays as it is.
    fn find(&self, text: &str) -> Vec<(Range<usize>, &str)> {
        let mut found = Vec::new();
        each_reading(text, |reading| {
            let values = self.values.find(reading.text());
            found.extend(
                values.map(|(range, number)| {
                    (reading.origin(range), self.of_values[number].as_str())
                }),
            );
        });
        found.extend(
            self.tokens(text)
                .into_iter()
                .map(|(range, marker)| (range, marker.as_str())),
        );
        let markers: Vec<Range<usize>> = self.markers_in(text);
        let is_apart = |range: &Range<usize>, others: &[Range<usize>]| {
            let next = others.partition_point(|other| other.end <= range.start);
            others
                .get(next)
                .is_none_or(|other| other.start >= range.end)
        };
        found.retain(|(range, _)| is_apart(range, &markers));
        let matches = patterns::find_in_strings(text, &self.patterns).into_iter();
        let matches = matches.map(|(range, number)| (range, self.of_patterns[number].as_str()));
        // What holds a value is named after its variable.
        let values = merged(found.iter().map(|(range, _)| range.clone()).collect());
        let is_new = |range: &Range<usize>| is_apart(range, &markers) && is_apart(range, &values);
        let matches: Vec<_> = matches.filter(|(range, _)| is_new(range)).collect();
        found.extend(matches);
        found
    }

    /// The tokens in `text` that hold a secret inside of several encodings, each with its marker.
    fn tokens(&self, text: &str) -> Vec<(Range<usize>, &String)> {
        if self.is_empty() {
            return Vec::new();
        }
        nested::tokens_with(text, &|text| {
            if let Some((_, number)) = self.long.find(text).next() {
                return Some(&self.of_long[number]);
            }
            let is_match = |pattern: &Arc<Regex>| {
                let mut matches = pattern.find_iter(text);
                matches.any(|found| found.as_str().chars().count() >= nested::SHORTEST)
            };
            let number = self.patterns.iter().position(is_match)?;
            Some(&self.of_patterns[number])
        })
    }

    /// `text` with a marker instead of every secret, and with everything else masked that `redactor` knows.
    pub fn text_without_others(&self, text: &str, redactor: &Redactor) -> String {
        let is_plain = self.is_empty() && redactor.is_empty();
        if is_plain && !has_hidden(text) {
            return text.to_owned();
        }
        let named = self.text(text);
        let (mut masked, mut done) = (String::with_capacity(named.len()), 0);
        for marker in self.markers_in(&named) {
            masked += &redactor.text(&named[done..marker.start]);
            masked += &named[marker.clone()];
            done = marker.end;
        }
        masked + &redactor.text(&named[done..])
    }

    fn markers_in(&self, text: &str) -> Vec<Range<usize>> {
        self.marked.find(text).map(|(range, _)| range).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(name: &str, value: &str, is_written: bool) -> Secret {
        Secret {
            name: name.to_owned(),
            value: value.to_owned(),
            is_written,
        }
    }

    #[test]
    fn every_encoding_of_a_secret_is_named() {
        let markers = Markers::new(
            &[
                secret("headers.authorization", "Bearer pa\"ss-word", true),
                secret("ENV.KEY", "pa\"ss-word", false),
                secret("TOKEN", "other-token", false),
                secret("SHORT", "abc", false),
            ],
            Vec::new(),
        );
        let text = r#"Bearer pa"ss-word {"k":"pa\"ss-word"} pa%22ss-word other-token abc"#;
        let expected = r#"Bearer <secret:ENV.KEY> {"k":"<secret:ENV.KEY>"} <secret:ENV.KEY> <secret:TOKEN> abc"#;
        assert_eq!(markers.text(text), expected);
        assert_eq!(markers.names(), ["ENV.KEY", "TOKEN"]);
    }

    #[test]
    fn a_secret_that_is_written_out_has_the_name_of_its_header() {
        let markers = Markers::new(
            &[
                secret("headers.authorization", "Bearer s3cr3t", true),
                secret("headers.authorization", "s3cr3t", true),
            ],
            Vec::new(),
        );
        assert_eq!(
            markers.text("Bearer s3cr3t"),
            "Bearer <secret:headers.authorization>"
        );
    }

    #[test]
    fn of_two_names_for_one_value_the_first_counts() {
        let markers = Markers::new(
            &[
                secret("B", "hunter22", false),
                secret("A", "hunter22", false),
            ],
            Vec::new(),
        );
        assert_eq!(markers.text("hunter22"), "<secret:A>");
        assert_eq!(Markers::default().text("hunter22"), "hunter22");
    }

    fn looking_for(patterns: &[&str]) -> Markers {
        let patterns = patterns
            .iter()
            .map(|pattern| Arc::new(Regex::new(pattern).unwrap()))
            .collect();
        Markers::new(&[secret("TOKEN", "hunter22", false)], patterns)
    }

    #[test]
    fn what_a_pattern_matches_has_its_number() {
        let markers = looking_for(&["sk-[a-z]+", "(?i)secret.*"]);
        assert_eq!(
            markers.text(r#"{"a":"sk-abc hunter22","b":"Secret: x"}"#),
            r#"{"a":"<secret:redact.1> <secret:TOKEN>","b":"<secret:redact.2>"}"#
        );
        assert_eq!(markers.names(), ["TOKEN", "redact.1", "redact.2"]);
    }

    #[test]
    fn a_marker_stays_a_marker() {
        let markers = looking_for(&["(?i)secret", "redact"]);
        for text in ["<secret:TOKEN>", "<secret:redact.2>"] {
            assert_eq!(markers.text(text), text);
        }
        let redactor = Redactor::default();
        redactor.add(["<secret:TOKEN>"]);
        redactor.add(["of-another"]);
        assert_eq!(
            markers.text_without_others("hunter22 of-another", &redactor),
            "<secret:TOKEN> ***"
        );
    }

    #[test]
    fn a_cut_through_a_secret_is_found() {
        let markers = looking_for(&["sk-[a-z]{3}"]);
        let text = "hunter22 sk-abc";
        for (cuts, expected) in [
            (&[3][..], Some("<secret:TOKEN>")),
            (&[0, 8, 9, 12], Some("<secret:redact.1>")),
            (&[0, 8, 9, 15], None),
            (&[], None),
        ] {
            assert_eq!(markers.cut_by(text, cuts), expected, "{cuts:?}");
        }
    }
}
