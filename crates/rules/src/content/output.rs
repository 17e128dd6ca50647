//! `output`: what the agent's last message must be, as text or as the JSON in it.

use serde_json::Value;

use super::path_condition::PathCondition;
use crate::collector::Collector;
use crate::describe::{said_by, short};
use crate::embedded_json::{self, NoJson};
use crate::evaluation::{Evidence, Finding, Judgement, Monitor, View, at_scope_end};
use crate::needle::{BesideAnswer, ComparedText, Needle, TextMatcher};
use crate::rule::{Claim, Rule};
use crate::text::must_not_match::MustNotMatch;
use crate::values::{CompiledCondition, ExpectedValue, type_name};
use ananke_base::diagnostic::{Code, Spanned};
use ananke_base::source::{NodeValue, is_case_file};
use ananke_model::model::{self, AssertBlock, TextOf, ValueRule, ValueType};
use ananke_model::variables::{Interpolation, Patterns};
use ananke_trace::outcome::ComparedValue;
use ananke_trace::trace::{Fact, Facts, Path};

/// The name of the text in messages.
const TEXT: &str = "the last message";

/// The name of the JSON in it in messages.
const JSON: &str = "the JSON of the last message";

/// The name of the state in messages.
const STATE: &str = "the state";

/// The requirement on the last message: its text, or a value in the JSON that it is or contains.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OutputRule {
    /// The value, and what it must be; without a path it is the text.
    condition: PathCondition,
    /// Whether it is an assertion of a case, which are compatible with another system (SPEC 9): silence is the empty text for a
    /// pattern, and a path leads into the state that the agent sent if its message has no JSON at all.
    is_of_case: bool,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for written in collector
        .switched(block.output.as_ref())
        .into_iter()
        .flatten()
    {
        if let Some(of) = written.value.of.as_ref()
            && of.value != TextOf::Final
        {
            let needle = prohibited(written, of, collector.interpolation);
            add_prohibition(written, needle, collector);
            continue;
        }
        collector.add(written.span, |interpolation| {
            OutputRule::compile(written, interpolation)
        });
    }
}

/// The needle for what no message may be or contain, of an entry with `of: all` or `of: everything`.
fn prohibited(
    written: &Spanned<ValueRule>,
    of: &Spanned<TextOf>,
    interpolation: &mut Interpolation<'_>,
) -> Option<Needle> {
    let compared = ComparedText {
        of: of.value,
        beside: BesideAnswer::Checked,
        ..ComparedText::default()
    };
    let path = &written.value.path;
    let model::ValueCondition {
        not,
        contains,
        matches,
        equals,
        one_of,
        value_type,
        exists,
        schema,
        min,
        max,
        above,
        below,
        length,
        message: _,
    } = &written.value.condition;
    let has_bounds = [min, max, above, below].into_iter().any(Option::is_some);
    let has_others = one_of.is_some()
        || value_type.is_some()
        || exists.is_some()
        || schema.is_some()
        || length.is_some()
        || has_bounds;
    let is_prohibition = *not == Some(true) && !has_others;
    match (path, contains, matches, equals) {
        (None, Some(text), None, None) if is_prohibition => {
            Needle::prohibited(text, compared, interpolation)
        }
        (None, None, Some(pattern), None) if is_prohibition => {
            Needle::pattern(pattern, compared, interpolation)
        }
        (path, None, None, Some(node))
            if is_prohibition && path.as_ref().is_none_or(|path| path.value == "$") =>
        {
            interpolation.check_prohibited(node);
            let matcher = match (interpolation.json(node).ok()?, path) {
                (value, Some(_)) => TextMatcher::Json(value),
                (Value::String(text), None) => TextMatcher::Whole(text),
                (_, None) => {
                    let other = format!("equal to {}", node.describe());
                    report_no_text(&other, written, interpolation);
                    return None;
                }
            };
            Some(Needle { matcher, compared })
        }
        _ => {
            let message = "several messages are looked at by `not: true` with `contains`, `match` or `equals` alone";
            let help = "`text` has rules about all messages; JSON as a whole has the `path` `$`";
            interpolation.report(Code::Contradiction, of.span, message, Some(help.to_owned()));
            None
        }
    }
}

/// Adds the rule that no message may be or contain `needle`. If it is JSON, the last message must be JSON.
fn add_prohibition(
    written: &Spanned<ValueRule>,
    needle: Option<Needle>,
    collector: &mut Collector<'_, '_>,
) {
    let message = written.value.condition.message.as_ref();
    let message = message.map(|text| collector.interpolation.text(text));
    let (Some(needle), Ok(message)) = (needle, message.transpose()) else {
        return;
    };
    let is_json = matches!(needle.matcher, TextMatcher::Json(_));
    let own = message.clone();
    collector.add(written.span, |_| Some(MustNotMatch::new(needle, own)));
    if is_json {
        collector.add(written.span, |_| {
            let condition = PathCondition {
                path: Path::parse("$").ok(),
                condition: CompiledCondition::exists(message),
            };
            Some(OutputRule {
                condition,
                is_of_case: false,
            })
        });
    }
}

/// Reports that the text of a message is never `other`.
fn report_no_text(
    other: &str,
    written: &Spanned<ValueRule>,
    interpolation: &mut Interpolation<'_>,
) {
    let message =
        format!("without a `path` the text of the message is meant, which is never {other}");
    let help = "add `path: \"$\"` for the JSON in it".to_owned();
    interpolation.report(Code::BadValue, written.span, message, Some(help));
}

impl OutputRule {
    fn compile(
        written: &Spanned<ValueRule>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let is_of_case = is_case_file(&interpolation.source().path);
        if written.value.path.is_some() {
            let condition = PathCondition::compile(written, interpolation)?;
            return Some(Self {
                condition,
                is_of_case,
            });
        }
        let model::ValueCondition {
            equals,
            one_of,
            value_type,
            min,
            max,
            above,
            below,
            ..
        } = &written.value.condition;
        let mut bounds = [min, max, above, below].into_iter().flatten();
        let is_text = |value: &NodeValue| matches!(value, NodeValue::String(_));
        let mut equals = equals.iter().chain(one_of.iter().flatten());
        let other = match (equals.find(|node| !is_text(&node.value)), value_type) {
            (Some(node), _) => Some(format!("equal to {}", node.describe())),
            (None, Some(ValueType::String) | None) => None,
            (None, Some(other)) => Some(format!("of type {}", type_name(*other))),
        };
        let number = bounds.find(|bound| matches!(bound.0.value, NodeValue::Number(_)));
        let other =
            other.or_else(|| number.map(|bound| format!("compared with {}", bound.0.describe())));
        if let Some(other) = other {
            report_no_text(&other, written, interpolation);
            return None;
        }
        let condition = PathCondition::compile(written, interpolation)?;
        Some(Self {
            condition,
            is_of_case,
        })
    }

    fn whole(&self) -> &'static str {
        if self.condition.path.is_some() {
            JSON
        } else {
            TEXT
        }
    }
}

impl Rule for OutputRule {
    fn is_exhaustive(&self) -> bool {
        self.condition.condition.is_negated()
    }

    fn needs(&self) -> Facts {
        if self.may_look_into_state() {
            Facts::of(&[Fact::Text, Fact::State])
        } else {
            Facts::of(&[Fact::Text])
        }
    }

    fn describe(&self) -> String {
        let PathCondition { path, condition } = &self.condition;
        match (path, condition.single()) {
            (None, Some((ExpectedValue::Exists, false))) => "a last message".to_owned(),
            (None, Some((ExpectedValue::Exists, true))) => "no last message".to_owned(),
            _ => self.condition.describe(self.whole()),
        }
    }

    fn claims(&self) -> Vec<Claim<'_>> {
        match self.condition.condition.single() {
            Some((ExpectedValue::Match(pattern), false))
                if self.is_of_case && self.condition.path.is_none() =>
            {
                vec![Claim::MatchesText(pattern.as_str())]
            }
            _ => Vec::new(),
        }
    }

    fn monitor(&self, patterns: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let rule = Self {
            condition: self.condition.started(patterns)?,
            is_of_case: self.is_of_case,
        };
        Ok(at_scope_end(move |view| rule.check(view)))
    }
}

impl OutputRule {
    /// Whether it looks into the state of the agent if the message has no JSON: never if something must not be there.
    fn may_look_into_state(&self) -> bool {
        let path = self.condition.path.as_ref();
        self.is_of_case
            && path.is_some_and(|path| !path.is_whole())
            && !self.condition.condition.is_negated()
    }

    /// Checks the state that the agent sent; `None` if it sent none, or it does not count.
    fn check_state(&self, view: &View<'_>) -> Option<Judgement> {
        if !self.may_look_into_state() || view.trace.state_changes.is_empty() {
            return None;
        }
        let state = view.trace.state.value();
        let mismatch = self.condition.mismatch(state, ComparedValue::State, STATE);
        Some(match mismatch {
            None => Judgement::PassedBy(ComparedValue::State),
            Some(finding) => Judgement::failed(finding),
        })
    }

    /// Whether silence is what it must be: a pattern of a case matches the empty text.
    fn matches_silence(&self) -> bool {
        let is_pattern = matches!(
            self.condition.condition.single(),
            Some((ExpectedValue::Match(_), false))
        );
        let mismatch = || {
            let silence = Value::String(String::new());
            self.condition
                .mismatch(&silence, ComparedValue::Output, TEXT)
        };
        self.is_of_case && self.condition.path.is_none() && is_pattern && mismatch().is_none()
    }

    /// Checks the last message that is not empty.
    fn check(&self, view: &View<'_>) -> Judgement {
        let text = view.text(TextOf::Final);
        let expects_json = self.condition.path.is_some();
        if text.is_empty() {
            if self.matches_silence() {
                return Judgement::Passed;
            }
            if let Some(judgement) = self.check_state(view) {
                return judgement;
            }
            // What is not there is not what it must not be.
            if self.condition.condition.is_negated() && !expects_json {
                return Judgement::Passed;
            }
            let why = format!(
                "{} nothing in {}",
                view.trace.peer.said(),
                view.scope.this()
            );
            return Judgement::failed(self.absent(&why, Vec::new()));
        }
        if !expects_json {
            return self.check_text(view, text);
        }
        let found = embedded_json::find(&text);
        if found == Err(NoJson::Absent)
            && let Some(judgement) = self.check_state(view)
        {
            return judgement;
        }
        match found {
            Ok(value) => self
                .condition
                .mismatch(&value, ComparedValue::Output, self.whole())
                .into(),
            Err(why) => Judgement::failed(self.absent(
                &format!("{TEXT} {why}"),
                vec![Evidence::Said(said_by(view.trace.peer, &short(&text)))],
            )),
        }
    }

    fn check_text(&self, view: &View<'_>, text: String) -> Judgement {
        let mut words = vec![Evidence::Said(said_by(view.trace.peer, &short(&text)))];
        let text = Value::String(text);
        if self
            .condition
            .mismatch(&text, ComparedValue::Output, self.whole())
            .is_none()
        {
            return Judgement::Passed;
        }
        let differing = self
            .condition
            .condition
            .differences(&text)
            .into_iter()
            .flatten();
        words.extend(differing.map(Evidence::Words));
        // The message itself is easier to read than the same as a string of JSON.
        let finding = Finding {
            expected: self.describe(),
            ..self.condition.unmet_text(words, TEXT)
        };
        let help = "a text is not JSON: `path: \"$\"` selects the JSON in it";
        let has_schema = self.condition.condition.has_schema();
        Judgement::failed(Finding {
            help: has_schema.then(|| help.to_owned()),
            ..finding
        })
    }

    fn absent(&self, why: &str, words: Vec<Evidence>) -> Finding {
        Finding {
            expected: self.describe(),
            ..self.condition.absent(why, words, self.whole())
        }
    }
}
