//! A case in the words of a YAML test.
//!
//! Flows in: a typed case. Flows out: the tree of a test, whose leaves are where they are written, and what is wrong with
//! the case.

use std::sync::Arc;

use super::builder::{MapBuilder, escape_references, flag, number_at, text, text_at};
use super::options::put_environment;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use ananke_base::source::Node;
use ananke_base::text::parse_duration;
use ananke_model::model::{CaseLine, Skip, Text};
use ananke_trace::trace::QUOTED_NAMES;

/// The context in which a case is lowered.
pub(super) struct Lowering<'s> {
    source: &'s Arc<SourceFile>,
    /// The tree of the case.
    written: &'s Node,
    /// The output that the case expects, which its scripts get if they have no `value`.
    pub(super) expected: Option<&'s Node>,
    pub(super) problems: Vec<Diagnostic>,
}

/// Says a case in the words of a YAML test; what is wrong with it comes along.
pub(super) fn lower(
    source: &Arc<SourceFile>,
    written: &Node,
    case: &CaseLine,
) -> (Node, Vec<Diagnostic>) {
    let mut lowering = Lowering {
        source,
        written,
        expected: case.expected.as_ref(),
        problems: Vec::new(),
    };
    let mut test = lowering.test(case);
    escape_references(&mut test);
    (test, lowering.problems)
}

impl Lowering<'_> {
    fn test(&mut self, case: &CaseLine) -> Node {
        let span = self.written.span;
        let mut test = MapBuilder::at(span);
        test.put("name", text(case.name.as_ref().unwrap_or(&case.id)));
        test.put("id", text(&case.id));
        test.put_some(
            "skip",
            case.skip.as_ref().map(|skip| match &skip.value {
                Skip::Is(value) => flag(&Spanned {
                    value: *value,
                    span: skip.span,
                }),
                Skip::Because(reason) => text_at(skip.span, reason),
            }),
        );
        if let Some(timeout) = &case.timeout {
            self.duration(timeout, "timeout_ms", &mut test);
        }
        put_environment(case, &mut test);
        self.conversation(case, &mut test, span);
        self.simulation(case, &mut test);
        self.interaction(case, &mut test);
        let assertions = [
            ("assert", case.assert.as_ref()),
            ("assertions", case.assertions.as_ref()),
            ("assertion", case.assertion.as_ref()),
        ];
        let rules = self.rules(
            assertions,
            case.expected.as_ref(),
            case.final_assertions.as_ref(),
            span,
        );
        test.put_map("assert", rules);
        let is_skipped = |skip: &Spanned<Skip>| !matches!(skip.value, Skip::Is(false));
        if case.skip.as_ref().is_some_and(is_skipped) {
            self.problems
                .retain(|problem| problem.code != Code::AssertsNothing);
        }
        test.finish()
    }

    /// Puts a duration, which is written as `30s`, into `map` in milliseconds.
    pub(super) fn duration(&mut self, written: &Text, key: &str, map: &mut MapBuilder) {
        match parse_duration(&written.value) {
            Ok(duration) => {
                let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
                map.put(key, number_at(written.span, milliseconds.max(1)));
            }
            Err(message) => {
                let (message, help) = message
                    .split_once("; ")
                    .unwrap_or((&message, "write a shorter one"));
                self.error(Code::BadValue, written.span, message, help);
            }
        }
    }

    /// The first key of the mapping at `span`, which is underlined instead of all of it.
    pub(super) fn head(&self, span: Span) -> Span {
        let is_it = self.written.span == span;
        self.written
            .entries()
            .first()
            .filter(|_| is_it)
            .map_or(span, |entry| entry.key_span)
    }

    /// The text at a place.
    pub(super) fn word_at(&self, span: Span) -> Option<&str> {
        self.source
            .text
            .get(span.range())
            .map(|word| word.trim_matches('"'))
    }

    /// The value at a place and the key in front of it, where no comment is between them.
    pub(super) fn with_key(&self, span: Span) -> Span {
        let before = self
            .source
            .text
            .get(..span.start as usize)
            .unwrap_or_default();
        let key = before
            .trim_end()
            .strip_suffix(':')
            .and_then(|key| key.trim_end().strip_suffix('"'));
        key.and_then(|key| key.rfind('"'))
            .map_or(span, |start| Span::new(start, span.end as usize))
    }

    pub(super) fn error(&mut self, code: Code, span: Span, message: &str, help: &str) {
        let problem = Diagnostic::error(code, message).at(self.source, span, "");
        self.problems.push(problem.help(help));
    }

    /// Reports an error, for which there is no value.
    /// Whether the version of the file has paths with quoted names.
    pub(super) fn has_quoted_names(&self) -> bool {
        self.source.is_since(QUOTED_NAMES)
    }

    pub(super) fn refuse<T>(
        &mut self,
        code: Code,
        span: Span,
        message: &str,
        help: &str,
    ) -> Option<T> {
        self.error(code, span, message, help);
        None
    }

    pub(super) fn warn(&mut self, code: Code, span: Span, message: &str) {
        self.problems
            .push(Diagnostic::warning(code, message).at(self.source, span, ""));
    }
}
