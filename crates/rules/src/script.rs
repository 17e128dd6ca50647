//! `script`: a program of the project says whether what the agent did in the scope is right.
//!
//! Nothing here runs it: the judgement is a question, which the engine has answered after all other rules have passed.

use serde_json::{Map, Value};

use super::evaluation::{Inquiry, Judgement, Monitor, RuleScope, ScriptQuestion, at_scope_end};
use super::{collector::Collector, conversation_json::conversation, describe::short, rule::Rule};
use crate::evaluation::ScriptSource;
use ananke_base::diagnostic::{Code, Spanned};
use ananke_model::model::{AssertBlock, ScriptRule};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, Patterns};
use ananke_trace::trace::{Fact, Facts};

/// A script that must accept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Script {
    /// The program that is asked.
    pub program: ScriptSource,
    /// The most time that it may take, in milliseconds, if the rule says so.
    timeout_ms: Option<u64>,
    /// The values that the rule passes to it.
    with: Map<String, Value>,
    /// The answer that is expected.
    expected: Option<Value>,
    is_negated: bool,
    /// The beginning of the message of a failure.
    message: Option<String>,
}

pub(crate) fn compile(block: &AssertBlock, collector: &mut Collector<'_, '_>) {
    for written in collector
        .switched(block.script.as_ref())
        .into_iter()
        .flatten()
    {
        let named = written
            .value
            .script
            .as_ref()
            .map_or(written.span, |name| name.span);
        collector.add_at(written.span, named, |interpolation| {
            Script::compile(written, interpolation)
        });
    }
}

impl Script {
    fn compile(
        written: &Spanned<ScriptRule>,
        interpolation: &mut Interpolation<'_>,
    ) -> Option<Self> {
        let ScriptRule {
            script: _,
            cmd: _,
            timeout_ms,
            with,
            expected,
            not,
            message,
        } = &written.value;
        let with: Leaf<Option<_>> = with.fill(interpolation);
        let expected = expected.fill(interpolation);
        let message = message.fill(interpolation);
        let timeout = match timeout_ms {
            // What is known later is no part of what the rule wants.
            Some(number) if interpolation.written_number(number).is_some() => Ok(None),
            Some(number) => interpolation.number(number).map(Some),
            None => Ok(None),
        };
        Some(Self {
            program: source(written, interpolation)?,
            timeout_ms: timeout.ok()?,
            with: with.ok()?.unwrap_or_default(),
            expected: expected.ok()?,
            is_negated: not.unwrap_or_default(),
            message: message.ok()?,
        })
    }
}

/// The program that is asked; `None` if something is known later or was reported.
fn source(
    written: &Spanned<ScriptRule>,
    interpolation: &mut Interpolation<'_>,
) -> Option<ScriptSource> {
    match (&written.value.script, &written.value.cmd) {
        (Some(name), None) => {
            let filled = interpolation.text(name).ok()?;
            if filled.is_empty() && !name.value.is_empty() {
                let message = "the name of a script cannot be empty";
                interpolation.report(Code::EmptyValue, name.span, message, None);
                return None;
            }
            Some(ScriptSource::Named(filled))
        }
        (None, Some(words)) => {
            let filled: Leaf<Vec<String>> = words.fill(interpolation);
            let filled = filled.ok()?;
            if let (Some(""), Some(first)) = (filled.first().map(String::as_str), words.first()) {
                let message = "the first entry of `cmd` names no program";
                interpolation.report(Code::BadValue, first.span, message, None);
                return None;
            }
            Some(ScriptSource::Command(filled))
        }
        (Some(name), Some(_)) => {
            let message = "`script` and `cmd` both say which program is asked";
            let help = Some("keep one of them".to_owned());
            interpolation.report(Code::Contradiction, name.span, message, help);
            None
        }
        (None, None) => {
            let message = "nothing says which program is asked";
            let help = "name a script with `script`, or write a command as `cmd`";
            interpolation.report(
                Code::MissingKey,
                written.span,
                message,
                Some(help.to_owned()),
            );
            None
        }
    }
}

impl Rule for Script {
    /// It may be about anything that it is shown.
    fn is_exhaustive(&self) -> bool {
        true
    }

    /// It is shown what is known of a call.
    fn may_rest_on_calls_to(&self, _name: &str) -> bool {
        false
    }

    fn needs(&self) -> Facts {
        Facts::of(&[
            Fact::Calls,
            Fact::Arguments,
            Fact::Results,
            Fact::Text,
            Fact::UserText,
        ])
    }

    fn describe(&self) -> String {
        let with = if self.with.is_empty() {
            String::new()
        } else {
            format!(
                " with `{}`",
                short(&Value::Object(self.with.clone()).to_string())
            )
        };
        let verdict = if self.is_negated {
            "rejects"
        } else {
            "accepts"
        };
        format!("the script {}{with} {verdict} it", self.program)
    }

    fn when_decided(&self, scope: RuleScope) -> String {
        format!(
            "asked at the end of {}, if all other rules pass",
            scope.words()
        )
    }

    fn monitor(&self, _: &mut Patterns) -> Result<Box<dyn Monitor>, regex::Error> {
        let (script, expected) = (self.clone(), self.describe());
        Ok(at_scope_end(move |view| {
            let Script {
                program,
                timeout_ms,
                with,
                expected: wanted,
                is_negated,
                message,
            } = script.clone();
            let mut request = conversation(view);
            request.insert("with".to_owned(), Value::Object(with));
            request.insert("expected".to_owned(), wanted.unwrap_or_default());
            let (request, expected) = (Value::Object(request), expected.clone());
            let question = ScriptQuestion {
                program,
                timeout_ms,
                request,
                is_negated,
                message,
                expected,
            };
            Judgement::Asks(Box::new(Inquiry::Script(question)))
        }))
    }
}
