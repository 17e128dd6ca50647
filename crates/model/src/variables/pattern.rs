//! Regular expressions: checked when a file is loaded, compiled when a test starts.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{self, Ast, ErrorKind};

use super::interpolation::TextPurpose;
use super::written_text::ComparedAs;
use super::{Interpolation, Leaf, UselessMatch, useless_match};
use crate::model::Text;
use ananke_base::diagnostic::{Code, Diagnostic};
use ananke_base::text::TextForm;

/// The largest a compiled pattern may be, in bytes (SPEC 1).
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The most bytes that the matching of a pattern remembers. With less, some patterns of a few characters, such as
/// `(x{1,100}){20}y`, take minutes for a megabyte of text.
const LARGEST_CACHE: usize = 16 << 20;

/// The longest pattern whose size is taken on trust at load time: a longer one is compiled once and dropped.
const TRUSTED_LENGTH: usize = 64;

/// The number of patterns that outlive their file and their test. One that is compiled takes about 25 KiB: together under a
/// megabyte.
const KEPT: usize = 32;

/// Tests of one project have the target's patterns in common and many of their own (`error|failed`). Checking them is
/// most of what loading costs apart from reading YAML, and compiling them most of what a short test costs. Both are pure, so
/// a remembered pattern behaves like a new one.
static CACHE: Mutex<Cache> = Mutex::new(Cache(VecDeque::new()));

/// A regular expression: its text, and its compiled form once a test has started with it.
#[derive(Clone)]
pub struct Pattern {
    text: Arc<str>,
    regex: Option<Arc<Regex>>,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Pattern {}

impl Hash for Pattern {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.text.hash(hasher);
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Pattern").field(&self.text).finish()
    }
}

/// The reason why a text is no pattern, and the text to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// The error.
    pub message: String,
    /// The remedy, if one is known.
    pub help: Option<String>,
}

impl Pattern {
    /// Checks a pattern as its author wrote it.
    ///
    /// # Errors
    /// Bad syntax, look-around and back-references, the `/…/` habit of other tools, a pattern that compiles to more
    /// than 1 MiB.
    pub fn check(text: &str) -> Result<Self, PatternError> {
        if let Some((pattern, _)) = cache().find(text) {
            return Ok(pattern);
        }
        if let Some(error) = slashes(text) {
            return Err(error);
        }
        let ast = Parser::new().parse(text).map_err(|error| syntax(&error))?;
        regex_syntax::hir::translate::Translator::new()
            .translate(text, &ast)
            .map_err(|error| PatternError {
                message: format!(
                    "the pattern is not a valid regular expression: {}",
                    error.kind()
                ),
                help: None,
            })?;
        if text.len() > TRUSTED_LENGTH || has_counted_repetition(&ast) {
            compile(text).map_err(|_| PatternError {
                message: "the pattern compiles to more than 1 MiB".to_owned(),
                help: Some("use smaller counted repetitions, or several patterns".to_owned()),
            })?;
        }
        let pattern = Self::as_written(text);
        cache().remember(&pattern, None);
        Ok(pattern)
    }

    /// A pattern that holds references whose values are known later: for people to read, never compiled.
    pub(super) fn as_written(text: &str) -> Self {
        Self {
            text: text.into(),
            regex: None,
        }
    }

    /// The pattern as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Compiles it, so that it can match.
    ///
    /// # Errors
    /// If it compiles to more than 1 MiB.
    pub fn start(&mut self, patterns: &mut Patterns) -> Result<(), regex::Error> {
        self.regex = Some(patterns.compile(self)?);
        Ok(())
    }

    /// Whether it matches somewhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.compiled().is_some_and(|regex| regex.is_match(text))
    }

    /// The place of its first match in `text`.
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        self.compiled()?.find(text).map(|found| found.range())
    }

    /// The places of its matches in `text`: its first group if it has one, else the whole match.
    pub fn find_all(&self, text: &str) -> Vec<Range<usize>> {
        let Some(regex) = self.compiled() else {
            return Vec::new();
        };
        let found = regex
            .captures_iter(text)
            .filter_map(|found| found.get(1).or_else(|| found.get(0)));
        found.map(|found| found.range()).collect()
    }

    /// Its compiled form. One that was not started is compiled for the occasion; one that is too large matches nothing.
    fn compiled(&self) -> Option<Arc<Regex>> {
        self.regex
            .clone()
            .or_else(|| Patterns::default().compile(self).ok())
    }

    /// Whether it also matches where nothing is.
    pub fn matches_nothing(&self) -> bool {
        regex_syntax::parse(&self.text)
            .is_ok_and(|parsed| parsed.properties().minimum_len() == Some(0))
    }

    /// The number of its groups that keep their match.
    pub fn groups(&self) -> usize {
        regex_syntax::parse(&self.text)
            .map_or(0, |parsed| parsed.properties().explicit_captures_len())
    }
}

/// The compiled patterns of one test, shared by text and dropped with it, but for a few that the next tests may want.
#[derive(Clone, Debug, Default)]
pub struct Patterns(HashMap<Pattern, Arc<Regex>>);

impl Patterns {
    /// The compiled form of `pattern`.
    ///
    /// # Errors
    /// If it compiles to more than 1 MiB.
    pub fn compile(&mut self, pattern: &Pattern) -> Result<Arc<Regex>, regex::Error> {
        if let Some(regex) = self.0.get(pattern) {
            return Ok(Arc::clone(regex));
        }
        let found = cache().find(pattern.as_str());
        let regex = match found {
            Some((_, Some(regex))) => regex,
            _ => Arc::new(compile(pattern.as_str())?),
        };
        cache().remember(pattern, Some(&regex));
        self.0.insert(pattern.clone(), Arc::clone(&regex));
        Ok(regex)
    }
}

/// The patterns checked and compiled last, the latest first.
#[derive(Debug, Default)]
struct Cache(VecDeque<(Pattern, Option<Arc<Regex>>)>);

impl Cache {
    fn find(&self, text: &str) -> Option<(Pattern, Option<Arc<Regex>>)> {
        self.0
            .iter()
            .find(|(pattern, _)| pattern.as_str() == text)
            .cloned()
    }

    /// Puts a pattern before the others. Long ones and those with braces may compile to much and are not kept.
    fn remember(&mut self, pattern: &Pattern, regex: Option<&Arc<Regex>>) {
        let text = pattern.as_str();
        if text.len() > TRUSTED_LENGTH || text.contains('{') {
            return;
        }
        self.0.retain(|(other, _)| other != pattern);
        self.0.truncate(KEPT - 1);
        self.0.push_front((pattern.clone(), regex.cloned()));
    }
}

fn compile(text: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(text)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(LARGEST_CACHE)
        .build()
}

fn cache() -> MutexGuard<'static, Cache> {
    CACHE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `/…/` and `/…/flags` would silently never match what their author means.
fn slashes(text: &str) -> Option<PatternError> {
    let (inner, flags) = text.strip_prefix('/')?.rsplit_once('/')?;
    if !flags.chars().all(|flag| "gimsuyvx".contains(flag)) {
        return None;
    }
    let ours: String = flags
        .chars()
        .filter(|flag| "imsx".contains(*flag))
        .collect();
    let plain = if ours.is_empty() {
        inner.to_owned()
    } else {
        format!("(?{ours}){inner}")
    };
    Some(PatternError {
        message: format!("`{text}` has slashes around it, which are not supported"),
        help: Some(format!(
            "write `{plain}`, or `(?:{text})` if the text has slashes"
        )),
    })
}

fn syntax(error: &ast::Error) -> PatternError {
    let help = match error.kind() {
        ErrorKind::UnsupportedLookAround => Some(
            "look-around is not supported, since matching must take linear time: use two patterns, one in `must_match` \
             and one in `must_not_match`",
        ),
        ErrorKind::UnsupportedBackreference => {
            Some("back-references are not supported, since matching must take linear time")
        }
        _ => None,
    };
    let offset = error.span().start.offset;
    let at = error
        .pattern()
        .get(..offset)
        .map_or(0, |before| before.chars().count())
        + 1;
    PatternError {
        message: format!(
            "the pattern is not a valid regular expression: {}, at character {at}",
            error.kind()
        ),
        help: Some(
            help.unwrap_or("put `\\` before a sign that is meant literally, as in `\\(`")
                .to_owned(),
        ),
    }
}

fn has_counted_repetition(ast: &Ast) -> bool {
    struct Finder(bool);
    impl ast::Visitor for Finder {
        type Output = bool;
        type Err = ();

        fn finish(self) -> Result<bool, ()> {
            Ok(self.0)
        }

        fn visit_pre(&mut self, ast: &Ast) -> Result<(), ()> {
            if let Ast::Repetition(repetition) = ast {
                self.0 |= matches!(repetition.op.kind, ast::RepetitionKind::Range(_));
            }
            Ok(())
        }
    }
    ast::visit(ast, Finder(false)).unwrap_or(true)
}

impl Interpolation<'_> {
    /// A regular expression; values are inserted escaped: variables are data, not patterns.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn pattern(&mut self, text: &Text) -> Leaf<Pattern> {
        self.pattern_in(TextForm::default(), text)
    }

    /// A regular expression for values in arguments, results or the state. A number that is inserted matches in its spelling
    /// and in its shortest form, since agents send either.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn value_pattern(&mut self, text: &Text) -> Leaf<Pattern> {
        let filled = self.replace(text, TextPurpose::ValuePattern)?;
        self.checked_pattern(&filled, text)
    }

    /// A regular expression whose text is brought into a form first.
    ///
    /// # Errors
    /// If a variable is known later, or something is wrong, which was reported.
    pub fn pattern_in(&mut self, form: TextForm, text: &Text) -> Leaf<Pattern> {
        let filled = self.replace(text, TextPurpose::Pattern)?;
        self.checked_pattern(&form.apply(&filled), text)
    }

    /// The pattern that `text` is when it is filled, checked.
    fn checked_pattern(&mut self, filled: &str, text: &Text) -> Leaf<Pattern> {
        self.check_written(text, filled, ComparedAs::Pattern)?;
        if self.is_draft() && self.waits(text) {
            return Ok(Pattern::as_written(filled));
        }
        let useless = match useless_match(filled) {
            Some(UselessMatch::Nothing) => Some(format!("`{filled}` can never match")),
            Some(UselessMatch::Everything) if text.value.is_empty() => {
                Some("an empty pattern matches everything".to_owned())
            }
            _ => None,
        };
        if let Some(message) = useless {
            let warning = self.at(
                Diagnostic::warning(Code::UselessPattern, message),
                text.span,
            );
            self.add(warning.help("write what the text must contain, or leave the pattern out"));
        }
        Pattern::check(filled).map_err(|PatternError { message, help }| {
            self.report(Code::BadPattern, text.span, message, help)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let shown = match Pattern::check(text) {
            Ok(_) => "ok".to_owned(),
            Err(error) => format!("{} | {}", error.message, error.help.unwrap_or_default()),
        };
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn takes_linear_patterns_and_says_what_to_do_with_others() {
        check("(?i)order confirmed|ok$", "ok");
        check("a/b", "ok");
        check("/api/v1", "ok");
        check("(?:/ok/)", "ok");
        check(
            "/ok/i",
            "`/ok/i` has slashes around it, which are not supported | write `(?i)ok`, or `(?:/ok/i)` if the text has slashes",
        );
        check(
            "/ok/",
            "`/ok/` has slashes around it, which are not supported | write `ok`, or `(?:/ok/)` if the text has slashes",
        );
        check(
            "a(b",
            "the pattern is not a valid regular expression: unclosed group, at character 2 | put `\\` before a sign that is meant literally, as in `\\(`",
        );
        check(
            "é(?=b)",
            "the pattern is not a valid regular expression: look-around, including look-ahead and look-behind, is not supported, at character 2 | look-around is not supported, since matching must take linear time: use two patterns, one in `must_match` and one in `must_not_match`",
        );
        check(
            r"(a)\1",
            "the pattern is not a valid regular expression: backreferences are not supported, at character 4 | back-references are not supported, since matching must take linear time",
        );
        check(
            r"a{1000}{1000}",
            "the pattern compiles to more than 1 MiB | use smaller counted repetitions, or several patterns",
        );
        check(r"\w{2,3}", "ok");
        check(
            r"\p{Nope}",
            "the pattern is not a valid regular expression: Unicode property not found | ",
        );
    }
    #[test]
    fn keeps_the_latest_patterns_of_bounded_size() {
        let mut cache = Cache::default();
        let mut remember = |text: &str| {
            cache.remember(&Pattern::as_written(text), None);
            cache
                .0
                .iter()
                .map(|(pattern, _)| pattern.as_str().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(remember("a"), ["a"]);
        assert_eq!(remember("b"), ["b", "a"]);
        assert_eq!(remember("a"), ["a", "b"]);
        assert_eq!(remember("a{5}"), ["a", "b"]);
        assert_eq!(remember(&"long".repeat(20)), ["a", "b"]);
        for number in 0..KEPT {
            remember(&number.to_string());
        }
        let kept = remember("a");
        assert_eq!(
            (kept.len(), kept[0].as_str(), kept[1].as_str()),
            (KEPT, "a", "31")
        );
        assert!(cache.find("b").is_none() && cache.find("a").is_some());
    }

    #[test]
    fn remembers_what_is_compiled() {
        let (mut cache, pattern) = (Cache::default(), Pattern::as_written("a"));
        cache.remember(&pattern, None);
        assert!(matches!(cache.find("a"), Some((_, None))));
        let regex = Arc::new(compile("a").expect("within the limit"));
        cache.remember(&pattern, Some(&regex));
        assert!(matches!(cache.find("a"), Some((_, Some(found))) if Arc::ptr_eq(&found, &regex)));
    }
}
