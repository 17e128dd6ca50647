//! Secrets by value, and the only way to a sink.
//!
//! What a scope gives out as a secret goes to the [`Redactor`]. What is to be told is sealed: [`Redactor::seal`] masks
//! every string of a value, and a reporter takes nothing but [`Sealed`] values, so none can see a secret.

mod cuts;
mod escapes;
mod forms;
mod markers;
mod patterns;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::{Deref, Range};
use std::sync::{Arc, PoisonError, RwLock};

use aho_corasick::{AhoCorasick, MatchKind, PatternID};
use regex::Regex;

use crate::variables::SHORTEST_SECRET;

pub use markers::{Markers, marker};

/// What stands in the place of a secret.
pub const MASK: &str = "***";

/// Knows every secret of a run by value and masks it, longest first, in its plain, JSON-escaped, URL-encoded and
/// base64 form. Clones share what they know.
#[derive(Clone, Debug, Default)]
pub struct Redactor(Arc<RwLock<Known>>);

#[derive(Debug, Default)]
struct Known {
    forms: BTreeSet<String>,
    search: Option<AhoCorasick>,
    patterns: Vec<Arc<Regex>>,
}

/// A value without secrets. Only [`Redactor::seal`] makes one.
#[derive(Clone, Debug)]
pub struct Sealed<T>(T);

impl<T> Deref for Sealed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// A value whose every string can be masked in place.
pub trait Mask {
    /// Masks every string that came from outside.
    fn mask(&mut self, redactor: &Redactor);
}

impl Redactor {
    /// Learns a secret; `false` where it is too short to be masked.
    pub fn learn(&self, secret: &str) -> bool {
        if secret.chars().count() < SHORTEST_SECRET {
            return false;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.forms.contains(secret) {
            return true;
        }
        known.forms.extend(forms::forms(secret));
        // Bytes that are a valid search pattern in every case: the builder has no limit that text this size reaches.
        known.search = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&known.forms).ok();
        true
    }

    /// From now on, whatever one of these matches is a secret, in the place of those before.
    pub fn learn_patterns(&self, patterns: Vec<Arc<Regex>>) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).patterns = patterns;
    }

    /// The patterns of secrets.
    pub fn patterns(&self) -> Vec<Arc<Regex>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).patterns.clone()
    }

    /// `text` with every secret masked, also one that a cut left only the start or the end of.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let masked = known.whole(text);
        match known.search.is_some().then(|| cuts::mask_cut(&masked, &known.forms)).flatten() {
            Some(text) => Cow::Owned(text),
            None => masked,
        }
    }

    /// `text` with every secret masked that stands in it whole, and nothing else changed: for what is read by programs.
    pub fn whole<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).whole(text)
    }

    /// `range` of `text`, grown over every secret it touches: a part of a secret is never told alone.
    pub fn widen(&self, text: &str, range: Range<usize>) -> Range<usize> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let values =
            known.search.iter().flat_map(|search| search.find_iter(text).map(|secret| secret.range()));
        let matches = patterns::find(text, &known.patterns).into_iter().map(|(secret, _)| secret);
        let touching =
            values.chain(matches).filter(|secret| secret.start < range.end && secret.end > range.start);
        touching.fold(range.clone(), |wide, secret| wide.start.min(secret.start)..wide.end.max(secret.end))
    }

    /// Masks `text` in place.
    pub fn mask(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.text(text) {
            *text = masked;
        }
    }

    /// Masks every string of `value` and seals it for the sinks.
    pub fn seal<T: Mask>(&self, mut value: T) -> Sealed<T> {
        value.mask(self);
        Sealed(value)
    }
}

impl Known {
    fn whole<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let masked = match &self.search {
            Some(search) => replace_all(text, search, |_| MASK),
            None => Cow::Borrowed(text),
        };
        let matches = patterns::find(&masked, &self.patterns).into_iter();
        match replace_ranges(&masked, matches.map(|(range, _)| (range, MASK)).collect()) {
            Some(text) => Cow::Owned(text),
            None => masked,
        }
    }
}

impl Mask for String {
    fn mask(&mut self, redactor: &Redactor) {
        redactor.mask(self);
    }
}

impl<T: Mask> Mask for Option<T> {
    fn mask(&mut self, redactor: &Redactor) {
        if let Some(value) = self {
            value.mask(redactor);
        }
    }
}

impl<T: Mask> Mask for Vec<T> {
    fn mask(&mut self, redactor: &Redactor) {
        for value in self {
            value.mask(redactor);
        }
    }
}

impl<T: Mask> Mask for Box<T> {
    fn mask(&mut self, redactor: &Redactor) {
        (**self).mask(redactor);
    }
}

/// `text` with every secret that `search` knows replaced, in every form and however it is escaped.
fn replace_all<'t, 'r>(
    text: &'t str,
    search: &AhoCorasick,
    replacement: impl Fn(PatternID) -> &'r str,
) -> Cow<'t, str> {
    let escaped = escapes::find_escaped(text, search);
    let found = escaped.into_iter().map(|(range, pattern)| (range, replacement(pattern))).collect();
    let mut text = replace_ranges(text, found).map_or(Cow::Borrowed(text), Cow::Owned);
    if search.is_match(&*text) {
        let mut replaced = String::with_capacity(text.len());
        search.replace_all_with(&text, &mut replaced, |secret, _, output| {
            output.push_str(replacement(secret.pattern()));
            true
        });
        text = Cow::Owned(replaced);
    }
    text
}

/// `text` with something else at each range, overlapping ones as one; `None` where there are none.
fn replace_ranges(text: &str, mut ranges: Vec<(Range<usize>, &str)>) -> Option<String> {
    if ranges.is_empty() {
        return None;
    }
    ranges.sort_by_key(|(range, _)| range.start);
    let mut replaced = String::with_capacity(text.len());
    let mut told = 0;
    for (range, replacement) in ranges {
        if range.start >= told {
            replaced.push_str(&text[told..range.start]);
            replaced.push_str(replacement);
        }
        told = told.max(range.end);
    }
    replaced.push_str(&text[told..]);
    Some(replaced)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_every_form_longest_first() {
        let redactor = Redactor::default();
        assert!(redactor.learn("pass\"word/1"));
        assert!(redactor.learn("pass\"word/1-and-more"));
        assert!(!redactor.learn("abc"));
        let text =
            r#"a pass"word/1-and-more b {"k":"pass\"word/1"} c pass%22word%2F1 d cGFzcyJ3b3JkLzE= e abc"#;
        assert_eq!(redactor.text(text), r#"a *** b {"k":"***"} c *** d *** e abc"#);
    }

    #[test]
    fn masks_inside_base64_at_every_alignment() {
        use base64::Engine as _;
        let redactor = Redactor::default();
        redactor.learn("s3cr3t-value-42");
        for prefix in ["", "u", "us", "use", "user:"] {
            let encoded =
                base64::engine::general_purpose::STANDARD.encode(format!("{prefix}s3cr3t-value-42 tail"));
            assert!(redactor.text(&encoded).contains(MASK), "{prefix}: {encoded}");
        }
    }

    #[test]
    fn masks_what_a_cut_left_of_a_secret() {
        let redactor = Redactor::default();
        redactor.learn("hunter22-is-é-secret");
        assert_eq!(redactor.text("said hunter22-i…"), "said ***…");
        assert_eq!(redactor.text("`hunter22-is-é`; received"), "`***`; received");
        assert_eq!(redactor.text("… é-secret and more"), "… é-secret and more");
        assert_eq!(redactor.text("...é-secret hunter22-..."), "...*** ***...");
        let coloured = "\u{1b}[1m...\u{1b}[0m\u{1b}[1;94mé-secret hunter22-\u{1b}[1m...\u{1b}[0m";
        assert_eq!(redactor.text(coloured), "\u{1b}[1m...\u{1b}[0m\u{1b}[1;94m*** ***\u{1b}[1m...\u{1b}[0m");
        assert_eq!(redactor.text("…é-secret and more…"), "…*** and more…");
        assert_eq!(redactor.text("ends in hunt"), "ends in ***");
        assert_eq!(redactor.text("ends in hun"), "ends in hun");
        assert_eq!(redactor.text("hunters… hunt it"), "hunters… hunt it");
    }

    #[test]
    fn widens_a_range_over_the_secrets_it_touches() {
        let redactor = Redactor::default();
        redactor.learn("abcdef");
        assert_eq!(redactor.widen("x abcdef y", 4..5), 2..8);
        assert_eq!(redactor.widen("x abcdef y", 7..10), 2..10);
        assert_eq!(redactor.widen("x abcdef y", 0..2), 0..2);
    }

    #[test]
    fn leaves_other_text_alone() {
        let redactor = Redactor::default();
        redactor.learn("hunter22");
        assert!(matches!(redactor.text("nothing here"), Cow::Borrowed("nothing here")));
    }
}
