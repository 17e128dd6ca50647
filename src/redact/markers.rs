//! Secrets by name: in a recording, which is meant to be committed and played again, a marker stands where a secret was.
//!
//! Flows in: the secrets of one test. Flows out: text in which each is named. No value of a secret ever gets through.

use std::borrow::Cow;
use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::{forms, replace_all};
use crate::variables::Secret;

/// What stands in a recording for the secret `name`.
pub fn marker(name: &str) -> String {
    format!("<secret:{name}>")
}

/// Knows the secrets of one test by value and name, in every form that a [`super::Redactor`] knows.
#[derive(Debug, Default)]
pub struct Markers {
    names: Vec<String>,
    /// What stands in the place of each pattern of the search.
    replacements: Vec<String>,
    search: Option<AhoCorasick>,
    longest: usize,
}

impl Markers {
    /// Markers for `secrets`. Where two have one value, the variable's name counts before the header's, then the first
    /// in the order of names.
    pub fn new(secrets: &[Secret]) -> Self {
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
        let longest = by_form.keys().map(String::len).max().unwrap_or(0);
        let replacements = by_form.values().map(|name| marker(name)).collect();
        let search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(by_form.keys()).ok();
        let mut names: Vec<String> = known.values().map(|name| (*name).to_owned()).collect();
        names.sort();
        names.dedup();
        Self { names, replacements, search: search.filter(|_| !known.is_empty()), longest }
    }

    /// The names of the secrets that have markers, sorted.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many bytes the longest form of a secret has; 0 where there is none.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// The marker of a secret that stands in `text` on both sides of `boundary`.
    pub fn across(&self, text: &str, boundary: usize) -> Option<&str> {
        let mut found = self.search.as_ref()?.find_iter(text);
        let secret = found.find(|secret| secret.start() < boundary && secret.end() > boundary)?;
        Some(&self.replacements[secret.pattern().as_usize()])
    }

    /// `text` with a marker in the place of every secret.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match &self.search {
            Some(search) => replace_all(text, search, |pattern| &self.replacements[pattern.as_usize()]),
            None => Cow::Borrowed(text),
        }
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
        let markers = Markers::new(&[
            secret("authorization", "Bearer pa\"ss-word", true),
            secret("ENV.KEY", "pa\"ss-word", false),
            secret("TOKEN", "other-token", false),
            secret("SHORT", "abc", false),
        ]);
        let text = r#"Bearer pa"ss-word {"k":"pa\"ss-word"} pa%22ss-word other-token abc"#;
        let expected =
            r#"Bearer <secret:ENV.KEY> {"k":"<secret:ENV.KEY>"} <secret:ENV.KEY> <secret:TOKEN> abc"#;
        assert_eq!(markers.text(text), expected);
        assert_eq!(markers.names(), ["ENV.KEY", "TOKEN"]);
    }

    #[test]
    fn a_secret_that_is_written_out_has_the_name_of_its_header() {
        let markers = Markers::new(&[
            secret("authorization", "Bearer s3cr3t", true),
            secret("authorization", "s3cr3t", true),
        ]);
        assert_eq!(markers.text("Bearer s3cr3t"), "Bearer <secret:authorization>");
    }

    #[test]
    fn of_two_names_for_one_value_the_first_counts() {
        let markers = Markers::new(&[secret("B", "hunter22", false), secret("A", "hunter22", false)]);
        assert_eq!(markers.text("hunter22"), "<secret:A>");
        assert_eq!(Markers::default().text("hunter22"), "hunter22");
    }
}
