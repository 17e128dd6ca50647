//! Secrets by name: in a recording, which is meant to be committed and played again, a marker stands where a secret was.
//!
//! Flows in: the secrets of one test. Flows out: text in which each is named. No value of a secret ever gets through.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::{Redactor, forms, patterns, replace_all, replace_ranges};
use crate::variables::Secret;

/// What stands in a recording for the secret `name`.
pub fn marker(name: &str) -> String {
    format!("<secret:{name}>")
}

/// Knows the secrets of one test by value and name, in every form that a [`Redactor`] knows, and those that are secret by
/// what they look like: the first pattern's have the name `redact.1`, the second's `redact.2`, and so on.
#[derive(Debug, Default)]
pub struct Markers {
    names: Vec<String>,
    /// What stands in the place of each pattern of the search.
    replacements: Vec<String>,
    search: Option<AhoCorasick>,
    patterns: Vec<Arc<Regex>>,
    /// What stands in the place of what each pattern matches.
    looks: Vec<String>,
    /// Finds the markers themselves.
    marked: Option<AhoCorasick>,
}

impl Markers {
    /// Markers for `secrets`, and for what matches one of `patterns`. Where two have one value, the variable's name counts before the header's, then the first
    /// in the order of names.
    pub fn new(secrets: &[Secret], patterns: Vec<Arc<Regex>>) -> Self {
        let mut secrets: Vec<&Secret> = secrets.iter().filter(|secret| !secret.is_short()).collect();
        secrets.sort_by_key(|secret| (secret.is_written, secret.value.len(), &secret.name));
        let mut known: BTreeMap<&str, &str> = BTreeMap::new();
        for secret in secrets {
            // Of a header's value only the part that is the secret: the rest says how it is meant.
            let told = secret.is_written && known.keys().any(|value| secret.value.contains(value));
            if !told {
                known.entry(&secret.value).or_insert(&secret.name);
            }
        }
        let mut by_form: BTreeMap<String, &str> = BTreeMap::new();
        for (value, name) in &known {
            for form in forms::forms(value) {
                by_form.entry(form).or_insert(name);
            }
        }
        let replacements = by_form.values().map(|name| marker(name)).collect();
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(by_form.keys()).ok();
        let mut names: Vec<String> = known.values().map(|name| (*name).to_owned()).collect();
        names.extend((1..=patterns.len()).map(|number| format!("redact.{number}")));
        names.sort();
        names.dedup();
        let looks = (1..=patterns.len()).map(|number| marker(&format!("redact.{number}"))).collect();
        let marked = AhoCorasick::new(names.iter().map(|name| marker(name))).ok();
        let (search, marked) = (search.filter(|_| !known.is_empty()), marked.filter(|_| !names.is_empty()));
        Self { names, replacements, search, patterns, looks, marked }
    }

    /// The names of the secrets that have markers, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether there is nothing to be named.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The marker of a secret that one of `cuts`, which ascend, goes through in `text`.
    pub fn cut_by(&self, text: &str, cuts: &[usize]) -> Option<&str> {
        let is_cut = |range: &Range<usize>| {
            let next = cuts.partition_point(|cut| *cut <= range.start);
            cuts.get(next).is_some_and(|cut| *cut < range.end)
        };
        let values = self.search.iter().flat_map(|search| search.find_iter(text));
        let mut values = values.map(|found| (found.range(), &self.replacements[found.pattern().as_usize()]));
        let looks = || patterns::find(text, &self.patterns).into_iter();
        let found = values.find(|(range, _)| is_cut(range)).or_else(|| {
            looks().map(|(range, number)| (range, &self.looks[number])).find(|(range, _)| is_cut(range))
        });
        found.map(|(_, marker)| marker.as_str())
    }

    /// `text` with a marker in the place of every secret.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let named = match &self.search {
            Some(search) => replace_all(text, search, |pattern| &self.replacements[pattern.as_usize()]),
            None => Cow::Borrowed(text),
        };
        let mut found = patterns::find_in_strings(&named, &self.patterns);
        if found.is_empty() {
            return named;
        }
        // What is a marker already is none of the patterns' business.
        let markers = self.markers_in(&named);
        found.retain(|(range, _)| {
            let next = markers.partition_point(|marker| marker.end <= range.start);
            markers.get(next).is_none_or(|marker| marker.start >= range.end)
        });
        let found = found.into_iter().map(|(range, number)| (range, self.looks[number].as_str())).collect();
        replace_ranges(&named, found).map_or(named, Cow::Owned)
    }

    /// `text` with a marker in the place of every secret, and with everything else masked that `redactor` knows.
    pub fn text_without_others(&self, text: &str, redactor: &Redactor) -> String {
        let named = self.text(text);
        let (mut masked, mut told) = (String::with_capacity(named.len()), 0);
        for marker in self.markers_in(&named) {
            masked += &redactor.whole(&named[told..marker.start]);
            masked += &named[marker.clone()];
            told = marker.end;
        }
        masked + &redactor.whole(&named[told..])
    }

    fn markers_in(&self, text: &str) -> Vec<Range<usize>> {
        self.marked.iter().flat_map(|marked| marked.find_iter(text)).map(|marker| marker.range()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(name: &str, value: &str, is_written: bool) -> Secret {
        Secret { name: name.to_owned(), value: value.to_owned(), is_written }
    }

    #[test]
    fn every_form_of_a_secret_is_named() {
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
        let expected =
            r#"Bearer <secret:ENV.KEY> {"k":"<secret:ENV.KEY>"} <secret:ENV.KEY> <secret:TOKEN> abc"#;
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
        assert_eq!(markers.text("Bearer s3cr3t"), "Bearer <secret:headers.authorization>");
    }

    #[test]
    fn of_two_names_for_one_value_the_first_counts() {
        let markers =
            Markers::new(&[secret("B", "hunter22", false), secret("A", "hunter22", false)], Vec::new());
        assert_eq!(markers.text("hunter22"), "<secret:A>");
        assert_eq!(Markers::default().text("hunter22"), "hunter22");
    }

    fn looking_for(patterns: &[&str]) -> Markers {
        let patterns = patterns.iter().map(|pattern| Arc::new(Regex::new(pattern).unwrap())).collect();
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
        redactor.learn("<secret:TOKEN>");
        redactor.learn("of-another");
        assert_eq!(markers.text_without_others("hunter22 of-another", &redactor), "<secret:TOKEN> ***");
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
