//! Needles: a pattern or a literal text that is looked for in what the agent says, in all of it or in its last message.

use std::ops::Range;

use regex_syntax::hir::Look;
use serde_json::Value;

use crate::describe::{json, literally, short};
use crate::embedded_json;
use ananke_base::diagnostic::{Code, SourceFile};
use ananke_base::text::TextForm;
use ananke_model::model::{AssertBlock, Text, TextOf};
use ananke_model::variables::{Interpolation, Leaf, Pattern, Patterns};
use ananke_trace::trace::is_same_json;

/// The text that is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TextMatcher {
    /// A match of this regex.
    Pattern(Pattern),
    /// This text.
    Literal(String),
    /// This text and nothing else.
    Whole(String),
    /// JSON that is equal to this value.
    Json(Value),
}

/// The text that is looked for, and the texts in which it is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Needle {
    /// The text that is looked for.
    pub(crate) matcher: TextMatcher,
    /// The texts in which it is looked for.
    pub(crate) compared: ComparedText,
}

impl Needle {
    pub(crate) fn pattern(
        text: &Text,
        compared: ComparedText,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let pattern = interpolation.pattern_in(compared.form, text).ok()?;
        Some(Self {
            matcher: TextMatcher::Pattern(pattern),
            compared,
        })
    }

    pub(crate) fn literal(
        text: &Text,
        compared: ComparedText,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let filled = interpolation.text(text);
        Self::of_literal(filled, text, compared, interpolation)
    }

    /// A text that must not occur.
    pub(crate) fn prohibited(
        text: &Text,
        compared: ComparedText,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let filled = interpolation.prohibited_text(text);
        Self::of_literal(filled, text, compared, interpolation)
    }

    fn of_literal(
        filled: Leaf<String>,
        text: &Text,
        compared: ComparedText,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        interpolation.check_literal(text);
        let literal = filled.ok()?;
        let literal = compared.form.apply(&literal).into_owned();
        if literal.is_empty() {
            let message = "every text contains an empty text";
            let help = "write the expected text, or remove the entry";
            interpolation.report(Code::EmptyValue, text.span, message, Some(help.to_owned()));
            return None;
        }
        Some(Self {
            matcher: TextMatcher::Literal(literal),
            compared,
        })
    }

    /// `` text matching `x` ``
    pub(crate) fn describe(&self) -> String {
        let note = self.compared.note();
        let whose = match self.compared.of {
            TextOf::All | TextOf::Everything => "text",
            TextOf::Final => "last message",
        };
        match &self.matcher {
            TextMatcher::Pattern(pattern) => {
                format!("{whose} matching `{}`{note}", short(pattern.as_str()))
            }
            TextMatcher::Literal(literal) => {
                format!("{whose} containing `{}`{note}", literally(literal))
            }
            TextMatcher::Whole(text) => format!("{whose} equal to `{}`{note}", literally(text)),
            TextMatcher::Json(value) => format!("{whose} equal to the JSON `{}`", json(value)),
        }
    }

    /// Whether a match in one message may be none in the joined text: `^` and `$` mean its ends.
    pub(crate) fn is_anchored(&self) -> bool {
        let pattern = match &self.matcher {
            TextMatcher::Pattern(pattern) => pattern.as_str(),
            TextMatcher::Literal(_) | TextMatcher::Whole(_) | TextMatcher::Json(_) => return false,
        };
        let Ok(hir) = regex_syntax::parse(pattern) else {
            return true;
        };
        let looks = hir.properties().look_set();
        [Look::Start, Look::End, Look::StartCRLF, Look::EndCRLF]
            .into_iter()
            .any(|look| looks.contains(look))
    }

    /// The same needle with its pattern compiled.
    ///
    /// # Errors
    /// If the pattern compiles to more than is allowed.
    pub(crate) fn started(&self, patterns: &mut Patterns) -> Result<Self, regex::Error> {
        let mut started = self.clone();
        if let TextMatcher::Pattern(pattern) = &mut started.matcher {
            pattern.start(patterns)?;
        }
        Ok(started)
    }

    /// The first place of it in `text`.
    pub(crate) fn find(&self, text: &str) -> Option<Range<usize>> {
        let form = self.compared.form;
        let in_form = form.apply(text);
        let found = match &self.matcher {
            TextMatcher::Pattern(pattern) => pattern.find(&in_form),
            TextMatcher::Literal(literal) => in_form
                .find(literal)
                .map(|start| start..start + literal.len()),
            TextMatcher::Whole(_) | TextMatcher::Json(_) => {
                self.is_in(text).then_some(0..in_form.len())
            }
        };
        found.map(|found| form.place_in(text, found))
    }

    /// Whether it is somewhere in `text`.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let in_form = self.compared.form.apply(text);
        match &self.matcher {
            TextMatcher::Pattern(pattern) => pattern.is_match(&in_form),
            TextMatcher::Literal(literal) => in_form.contains(literal.as_str()),
            TextMatcher::Whole(whole) => in_form == whole.as_str(),
            TextMatcher::Json(value) => {
                embedded_json::find(text).is_ok_and(|found| is_same_json(&found, value))
            }
        }
    }

    /// The relation to a text: `` matches `x` ``.
    pub(crate) fn finds(&self) -> String {
        let (verb, what) = self.verb();
        let verb = match verb {
            "match" => "matches",
            "contain" => "contains",
            _ => "is equal to",
        };
        format!("{verb} `{what}`")
    }

    /// The required relation to a text: `` match `x` ``.
    pub(crate) fn must_find(&self) -> String {
        let (verb, what) = self.verb();
        format!("{verb} `{what}`")
    }

    fn verb(&self) -> (&'static str, String) {
        match &self.matcher {
            TextMatcher::Pattern(pattern) => ("match", short(pattern.as_str())),
            TextMatcher::Literal(literal) => ("contain", literally(literal)),
            TextMatcher::Whole(whole) => ("be equal to", literally(whole)),
            TextMatcher::Json(value) => ("be equal to", json(value)),
        }
    }
}

/// The texts of the agent that a rule compares, and their form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ComparedText {
    /// The texts.
    pub(crate) of: TextOf,
    /// The meaning of texts next to the answer for what must not occur (SPEC 13).
    pub(crate) beside: BesideAnswer,
    /// The form of these texts, and of those that are written.
    pub(crate) form: TextForm,
}

/// The meaning of texts next to the answer, such as error messages, for what must not occur.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BesideAnswer {
    /// They are not looked at.
    #[default]
    Ignored,
    /// They are not looked at in the file's version, and are in a newer one: a hit is a warning.
    Warned,
    /// It must not occur there either.
    Checked,
}

/// The schema version from which `of: all` means what leaving it out means.
const ALL_IS_DEFAULT: (u32, u32) = (1, 4);

impl ComparedText {
    /// The setting of a block for its rules.
    pub(crate) fn of(block: &AssertBlock) -> Self {
        let of = block.text_of().unwrap_or_default();
        let beside = match of {
            TextOf::All | TextOf::Everything => BesideAnswer::Checked,
            TextOf::Final => BesideAnswer::Ignored,
        };
        Self {
            of,
            beside,
            form: block.text_form(),
        }
    }

    /// The setting of a block of this file for what must not occur.
    pub(crate) fn of_prohibitions(block: &AssertBlock, source: &SourceFile) -> Self {
        let mut compared = Self::of(block);
        if block.text_of() == Some(TextOf::All) && !source.is_since(ALL_IS_DEFAULT) {
            compared.beside = BesideAnswer::Warned;
        }
        compared
    }

    /// Whether both compare the same texts of the answer, in the same form.
    pub(crate) fn is_of_same_texts(self, other: Self) -> bool {
        self.of == other.of && self.form == other.form
    }

    /// The form in words, after the description of a rule; empty if texts are compared as they are.
    pub(crate) fn note(self) -> &'static str {
        match (self.form.is_composed, self.form.is_visible) {
            (false, false) => "",
            (true, false) => ", in composed form",
            (false, true) => ", without invisible characters",
            (true, true) => ", in composed form without invisible characters",
        }
    }
}
