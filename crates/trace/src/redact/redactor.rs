//! Masks the secrets of a run, and in addition those of one test.
//!
//! Flows in: secrets, as soon as they are known, and texts. Flows out: the texts with a mask instead of every secret.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard};

use regex::Regex;

use super::search::{Search, merged, replaced};
use super::{encodings::encodings, excerpt::Opened, nested, patterns, readings::each_reading};
use ananke_model::variables::SHORTEST_SECRET;

/// The text that is shown instead of a secret.
pub const MASK: &str = "***";

/// Knows secrets by value, in every encoding in which they can be written, and by patterns.
///
/// The redactor of a run knows what config and command line give; each test has a child of it, which knows the test's own
/// secrets as well. So masking a text of one test costs nothing for the secrets of the others, and does not mask them.
/// Clones share what they know.
#[derive(Clone, Debug, Default)]
pub struct Redactor(Arc<RedactionLevel>);

#[derive(Debug, Default)]
struct RedactionLevel {
    /// The redactor of the run, whose secrets are known as well.
    outer: Option<Redactor>,
    known: RwLock<KnownSecrets>,
}

#[derive(Debug, Default)]
struct KnownSecrets {
    values: BTreeSet<String>,
    /// Finds the values in every encoding; built when it is needed.
    search: OnceLock<Search>,
    /// Finds those that are long enough to be looked for inside of several encodings, as they are; built when it is needed.
    long: OnceLock<Search>,
    patterns: Vec<Arc<Regex>>,
}

impl KnownSecrets {
    fn search(&self) -> &Search {
        self.search.get_or_init(|| {
            let texts: BTreeSet<String> = self
                .values
                .iter()
                .flat_map(|value| encodings(value))
                .collect();
            Search::of(&texts.into_iter().collect::<Vec<_>>())
        })
    }

    /// Whether `text` shows a long secret.
    fn shows(&self, text: &str) -> bool {
        let long = self.long.get_or_init(|| {
            let is_long = |value: &&String| value.chars().count() >= nested::SHORTEST;
            Search::of(&self.values.iter().filter(is_long).collect::<Vec<_>>())
        });
        let is_match = |pattern: &Arc<Regex>| {
            pattern
                .find_iter(text)
                .any(|found| found.as_str().chars().count() >= nested::SHORTEST)
        };
        long.find(text).next().is_some() || self.patterns.iter().any(is_match)
    }

    fn changed(&mut self) {
        self.search = OnceLock::new();
        self.long = OnceLock::new();
    }
}

impl Redactor {
    /// A redactor that knows what this one knows, and what is added to it alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self(Arc::new(RedactionLevel {
            outer: Some(self.clone()),
            known: RwLock::default(),
        }))
    }

    /// From now on these are secrets, but for those that are too short to be masked.
    pub fn add(&self, secrets: impl IntoIterator<Item = impl AsRef<str>>) {
        let is_new =
            |secret: &str| secret.chars().count() >= SHORTEST_SECRET && !self.knows(secret);
        let new = secrets.into_iter().filter(|secret| is_new(secret.as_ref()));
        let new: Vec<String> = new.map(|secret| secret.as_ref().to_owned()).collect();
        if new.is_empty() {
            return;
        }
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        known.values.extend(new);
        known.changed();
    }

    /// From now on these are the only secrets that it knows itself; those of what it is a child of stay.
    pub fn replace<S: AsRef<str>>(&self, secrets: &[S]) {
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        if known
            .values
            .iter()
            .any(|value| secrets.iter().all(|secret| secret.as_ref() != value))
        {
            known.values.clear();
            known.changed();
        }
        drop(known);
        self.add(secrets);
    }

    /// From now on, whatever one of these matches is a secret; they replace those that were set before.
    pub fn set_patterns(&self, patterns: Vec<Arc<Regex>>) {
        self.0
            .known
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .patterns = patterns;
    }

    /// The patterns of secrets.
    pub fn patterns(&self) -> Vec<Arc<Regex>> {
        self.levels()
            .flat_map(|level| level.known().patterns.clone())
            .collect()
    }

    /// `text` with every secret masked, and without the hidden parts of excerpts.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let opened = Opened::of(text);
        let found = self
            .find(&opened.text)
            .into_iter()
            .map(|secret| (secret, MASK));
        match replaced(&opened, found.collect()) {
            Some(text) => Cow::Owned(text),
            None => Cow::Borrowed(text),
        }
    }

    /// Whether it knows no secret.
    pub fn is_empty(&self) -> bool {
        self.levels().all(|level| {
            let known = level.known();
            known.values.is_empty() && known.patterns.is_empty()
        })
    }

    /// Whether a secret in `text` is spread over several of the pieces that end at `cuts`, ascending.
    pub fn is_in_pieces(&self, text: &str, cuts: &[usize]) -> bool {
        self.find(text).into_iter().any(|secret| {
            let next = cuts.partition_point(|cut| *cut <= secret.start);
            cuts.get(next).is_some_and(|cut| *cut < secret.end)
        })
    }

    /// `range` of `text`, grown over every secret it touches: a part of a secret is never shown alone.
    pub fn expand_to_secret(&self, text: &str, range: Range<usize>) -> Range<usize> {
        let is_touching =
            |secret: &Range<usize>| secret.start < range.end && secret.end > range.start;
        let touching = self.find(text).into_iter().filter(is_touching);
        touching.fold(range.clone(), |wide, secret| {
            wide.start.min(secret.start)..wide.end.max(secret.end)
        })
    }

    /// Masks `text` in place.
    pub fn mask(&self, text: &mut String) {
        if let Cow::Owned(masked) = self.text(text) {
            *text = masked;
        }
    }

    /// The places of secrets in `text`, ascending.
    pub(super) fn secrets_in(&self, text: &str) -> Vec<Range<usize>> {
        merged(self.find(text))
    }

    /// The places of secrets in `text`, however it is escaped.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        // Most runs have no secret: then no text is read in all the ways in which it may be escaped.
        if self.is_empty() {
            return found;
        }
        each_reading(text, |reading| {
            for level in self.levels() {
                let known = level.known();
                let values = known.search().find(reading.text()).map(|(range, _)| range);
                found.extend(values.map(|range| reading.origin(range)));
                let matches = patterns::find(reading.text(), &known.patterns)
                    .into_iter()
                    .map(|(range, _)| range);
                found.extend(matches.map(|range| reading.origin(range)));
            }
        });
        let shown = |text: &str| {
            let mut levels = self.levels();
            levels.any(|level| level.known().shows(text)).then_some(())
        };
        let tokens = nested::tokens_with(text, &shown);
        found.extend(tokens.into_iter().map(|(token, ())| token));
        found
    }

    /// Whether `value` is one of the secrets.
    fn knows(&self, value: &str) -> bool {
        self.levels()
            .any(|level| level.known().values.contains(value))
    }

    /// This one, and what it is a child of.
    fn levels(&self) -> impl Iterator<Item = &RedactionLevel> {
        std::iter::successors(Some(&*self.0), |level| Some(&*level.outer.as_ref()?.0))
    }
}

impl RedactionLevel {
    fn known(&self) -> RwLockReadGuard<'_, KnownSecrets> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_every_encoding_longest_first() {
        let redactor = Redactor::default();
        redactor.add(["pass\"word/1", "pass\"word/1-and-more", "abc"]);
        let text = r#"a pass"word/1-and-more b {"k":"pass\"word/1"} c pass%22word%2F1 d cGFzcyJ3b3JkLzE= e abc"#;
        assert_eq!(
            redactor.text(text),
            r#"a *** b {"k":"***"} c *** d *** e abc"#
        );
    }

    #[test]
    fn masks_inside_base64_at_every_alignment() {
        use base64::Engine as _;
        let redactor = Redactor::default();
        redactor.add(["s3cr3t-value-42"]);
        for prefix in ["", "u", "us", "use", "user:"] {
            let encoded = base64::engine::general_purpose::STANDARD
                .encode(format!("{prefix}s3cr3t-value-42 tail"));
            assert!(
                redactor.text(&encoded).contains(MASK),
                "{prefix}: {encoded}"
            );
        }
    }

    #[test]
    fn a_child_knows_its_own_secrets_and_those_of_the_run() {
        let run = Redactor::default();
        run.add(["of-the-run"]);
        run.set_patterns(vec![Arc::new(Regex::new("sk-[0-9]+").unwrap())]);
        let [one, other] = ["of-one", "of-other"].map(|secret| {
            let child = run.child();
            child.add([secret, "of-the-run"]);
            child
        });
        let text = "of-the-run of-one of-other sk-12";
        assert_eq!(one.text(text), "*** *** of-other ***");
        assert_eq!(other.text(text), "*** of-one *** ***");
        assert_eq!(run.text(text), "*** of-one of-other ***");
        one.add(["later"]);
        run.add(["one of"]);
        assert_eq!(
            one.text("of-one of-other later"),
            "***-other ***",
            "overlapping ones are one"
        );
    }

    #[test]
    fn replaced_secrets_are_forgotten_and_those_of_the_run_are_not() {
        let run = Redactor::default();
        run.add(["of-the-run"]);
        let test = run.child();
        test.add(["of-test", "of-attempt"]);
        test.replace(&["of-test", "of-the-run"]);
        assert_eq!(
            test.text("of-the-run of-test of-attempt"),
            "*** *** of-attempt"
        );
        test.replace::<&str>(&[]);
        assert_eq!(
            test.text("of-the-run of-test of-attempt"),
            "*** of-test of-attempt"
        );
    }

    #[test]
    fn expands_a_range_over_the_secrets_it_touches() {
        let redactor = Redactor::default();
        redactor.add(["abcdef"]);
        assert_eq!(redactor.expand_to_secret("x abcdef y", 4..5), 2..8);
        assert_eq!(redactor.expand_to_secret("x abcdef y", 7..10), 2..10);
        assert_eq!(redactor.expand_to_secret("x abcdef y", 0..2), 0..2);
    }

    #[test]
    fn leaves_other_text_alone() {
        let redactor = Redactor::default();
        redactor.add(["hunter22"]);
        assert!(matches!(
            redactor.text("nothing here"),
            Cow::Borrowed("nothing here")
        ));
    }
}
