//! The items that were received and not understood (SPEC 13), with the names that reports and `known` have for them.
//!
//! **Why:** Protocols grow, and agents send what their authors like. To refuse all that is unknown would fail good
//! agents, to skip it would pass bad ones. So what is not understood is kept by name with the facts that it may be, and
//! only a rule that rests on one of these stops being sure.

use std::borrow::Cow;

use serde_json::Value;

use super::fact::{Fact, Facts};
use super::possible_facts::{UnreadCall, call_of_item, facts_of_item, facts_of_key};
use ananke_base::{source::printable, text::truncate};

/// Something that an agent, a server or a trace sent, and that was not understood.
///
/// Rules that rest on its facts neither pass nor fail.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread<'a> {
    /// The name: what it is, a colon, and which: `event:SUGGESTIONS`, `key:choices[].x_groq`, `part:video`, `role:bot`.
    pub name: Cow<'a, str>,
    /// The facts that it may be. Without any, it is a warning alone.
    pub facts: Facts,
    /// Whether its form is known.
    pub form: UnreadForm<'a>,
    /// The reason why it could not be read, in words after a colon; if its form is unknown, a quote of at most
    /// [`Unread::QUOTED_BYTES`].
    pub detail: Cow<'a, str>,
    /// The rule of the protocol that it violates by being there.
    pub violates: Option<UnreadViolation>,
}

/// A rule of a protocol that an unknown event violates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreadViolation {
    /// The stable name of the rule.
    pub rule: &'static str,
    /// The number of the event in its exchange, counted from 1.
    pub event: u32,
}

/// Whether the form of something unread is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnreadForm<'a> {
    /// Not known. `known` on a target silences it.
    Unknown(UnreadCall<'a>),
    /// Known: arguments, a result. Nothing silences it.
    Known {
        /// The tool that it is about, if that is known: rules about other tools do not rest on it.
        tool: Option<Cow<'a, str>>,
    },
}

impl UnreadForm<'_> {
    /// The tool that it is about, if that is known.
    pub(crate) fn tool(&self) -> Option<&str> {
        match self {
            Self::Known { tool } | Self::Unknown(UnreadCall { tool, .. }) => tool.as_deref(),
        }
    }
}

impl<'a> Unread<'a> {
    /// The most bytes of it that are quoted.
    pub const QUOTED_BYTES: usize = 200;

    /// An item of an unknown kind.
    pub fn item(name: impl Into<Cow<'a, str>>, value: &Value) -> Self {
        Self {
            form: UnreadForm::Unknown(call_of_item(value)),
            ..Self::new(name.into(), facts_of_item(value), value)
        }
    }

    /// An unknown key of a known item; `None` if its value is nothing that a rule could be about.
    pub fn key(name: impl Into<Cow<'a, str>>, value: &Value) -> Option<Self> {
        let facts = facts_of_key(value);
        if facts == Facts::NONE {
            return None;
        }
        Some(Self::new(name.into(), facts, value))
    }

    /// An item or a key that is a known one in another spelling, which carries these facts, or that may be something else.
    pub fn spelled(name: impl Into<Cow<'a, str>>, facts: Facts, value: &Value) -> Self {
        Self::new(name.into(), facts | facts_of_key(value), value)
    }

    /// Something that cannot be looked into for this reason: it may be anything.
    pub fn anything(name: impl Into<Cow<'a, str>>, reason: impl Into<Cow<'a, str>>) -> Self {
        Self::known(name, Facts::OF_AGENT, reason)
    }

    /// The arguments of a call to `tool`, which could not be read for this reason.
    pub fn arguments(tool: impl Into<Cow<'a, str>>, reason: impl Into<Cow<'a, str>>) -> Self {
        let tool = tool.into();
        let name = format!("arguments:{tool}");
        Self {
            form: UnreadForm::Known { tool: Some(tool) },
            ..Self::known(name, Facts::of(&[Fact::Arguments]), reason)
        }
    }

    /// A call with this id that never began, for which there is this evidence: its name is unread.
    pub fn call(id: &str, evidence: impl Into<Cow<'a, str>>) -> Self {
        let id = printable(truncate::bytes(id, Self::QUOTED_BYTES).as_ref());
        let facts = Facts::of(&[Fact::Calls, Fact::Arguments]);
        Self::known(format!("call:{id}"), facts, evidence)
    }

    /// Results of calls with this id, which could not be read for this reason.
    pub fn results(id: &str, reason: impl Into<Cow<'a, str>>) -> Self {
        let id = printable(truncate::bytes(id, Self::QUOTED_BYTES).as_ref());
        let facts = Facts::of(&[Fact::Results, Fact::CallEnds]);
        Self::known(format!("result:{id}"), facts, reason)
    }

    /// Text of a message that is not certain, for this reason.
    pub fn text(reason: impl Into<Cow<'a, str>>) -> Self {
        Self::known("text:message", Facts::of(&[Fact::Text]), reason)
    }

    /// A change of the state that does not apply to it, for this reason.
    pub fn state(reason: impl Into<Cow<'a, str>>) -> Self {
        Self::known("state:change", Facts::of(&[Fact::State]), reason)
    }

    /// A request to a model that could not be read, or not be attributed to a test, for this reason.
    pub fn model_request(reason: impl Into<Cow<'a, str>>) -> Self {
        Self::known("request:model", Facts::OF_MODEL, reason)
    }

    /// The contents of a request to a model, which are not kept for this reason.
    pub(crate) fn prompt(reason: impl Into<Cow<'a, str>>) -> Self {
        Self::known("prompt:model", Facts::of(&[Fact::Prompts]), reason)
    }

    /// A key at `place` that is duplicated with another value: programs do not agree on which counts. What it belongs to
    /// may say these facts.
    pub fn duplicate_key(place: &str, facts: Facts) -> Self {
        let place = printable(truncate::bytes(place, Self::QUOTED_BYTES).as_ref());
        let detail = format!("`{place}` is duplicated with another value");
        Self::known(format!("duplicate:{place}"), facts, detail)
    }

    /// A known key, or an item of a known list, that is unread because its JSON value is of another kind than expected. `facts`
    /// are those that a valid value would have carried, since all of them are missing now.
    pub fn other_kind(name: impl Into<Cow<'a, str>>, facts: Facts, value: &Value) -> Self {
        let kind = match value {
            Value::Null => "is null",
            Value::Bool(_) => "is a Boolean",
            Value::Number(_) => "is a number",
            Value::String(_) => "is a text",
            Value::Array(_) => "is a list",
            Value::Object(_) => "is an object",
        };
        // `new` quotes the value as the detail. The kind is put before it as the reason. No tool is known that it is about.
        let unread = Self::new(name.into(), facts, value);
        Self {
            form: UnreadForm::Known { tool: None },
            detail: format!("it {kind}: {}", unread.detail).into(),
            ..unread
        }
    }

    /// Something whose form is known, with the reason why it is unread.
    pub fn known(
        name: impl Into<Cow<'a, str>>,
        facts: Facts,
        detail: impl Into<Cow<'a, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            facts,
            form: UnreadForm::Known { tool: None },
            detail: detail.into(),
            violates: None,
        }
    }

    /// Something of an unknown form. The agent writes its name and its value, so both are cut.
    fn new(mut name: Cow<'a, str>, facts: Facts, value: &Value) -> Self {
        if name.len() > Self::QUOTED_BYTES {
            name = owned(truncate::bytes(&name, Self::QUOTED_BYTES));
        }
        Self {
            name,
            facts,
            form: UnreadForm::Unknown(UnreadCall::default()),
            detail: owned(truncate::bytes(&value.to_string(), Self::QUOTED_BYTES)),
            violates: None,
        }
    }

    /// The same, which violates a rule of its protocol.
    #[must_use]
    pub fn violating(self, rule: &'static str, event: u32) -> Self {
        let violates = Some(UnreadViolation { rule, event });
        Self { violates, ..self }
    }

    /// The warning about it, which says `not read` only where a rule may miss something.
    pub fn warning(&self) -> String {
        let what = if self.facts == Facts::NONE {
            "not understood"
        } else {
            "not read"
        };
        format!("`{}` was {what}: {}", self.name, self.detail)
    }

    /// The same value with its own copies of all borrowed texts, so that it can outlive the bytes that it was read from.
    pub fn into_owned(self) -> Unread<'static> {
        Unread {
            name: owned(self.name),
            facts: self.facts,
            form: match self.form {
                UnreadForm::Unknown(UnreadCall { tool, id }) => UnreadForm::Unknown(UnreadCall {
                    tool: tool.map(owned),
                    id: id.map(owned),
                }),
                UnreadForm::Known { tool } => UnreadForm::Known {
                    tool: tool.map(owned),
                },
            },
            detail: owned(self.detail),
            violates: self.violates,
        }
    }
}

/// The same text, which borrows nothing.
pub(crate) fn owned(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

/// The content that an unread item with these facts may have, in words that continue "may be …". Only the most important of its
/// facts is named: a call and text before arguments and results, because most rules are about those.
pub(crate) fn possible(facts: Facts) -> &'static str {
    if facts.has(Fact::Calls) && facts.has(Fact::Text) {
        "a call or text"
    } else if facts.has(Fact::Calls) {
        "a call"
    } else if facts.has(Fact::Text) {
        "text"
    } else if facts.has(Fact::Arguments) {
        "arguments"
    } else if facts.has(Fact::Results) {
        "a result"
    } else {
        "something that a rule is about"
    }
}
