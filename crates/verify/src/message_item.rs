//! The content of a message, whatever its format.

use serde_json::{Map, Value};

use super::conventions::Conventions;
use super::tool_end::ToolEnd;
use ananke_base::source::received_json;
use ananke_trace::trace::{Unread, is_same_json};

/// One thing that a message says or does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MessageItem {
    /// Instructions.
    Instructs,
    /// The user says something; `None` if it is not there.
    Asks(Option<String>),
    /// The agent says something; `None` if it is not there.
    Says(Option<String>),
    /// The agent reasons.
    Reasons(String),
    /// The agent calls a tool.
    Calls {
        /// The call's id.
        id: Option<String>,
        /// The tool's name; `None` if it is not there.
        name: Option<String>,
        /// The text of its arguments; `None` if it is not there.
        args: Option<String>,
    },
    /// A call is answered.
    Answers {
        /// The call's id.
        id: Option<String>,
        /// The tool's name.
        name: Option<String>,
        /// The result; `None` if it is not there.
        result: Option<Value>,
        /// The end of the call, if the message contains it.
        end: Option<ToolEnd>,
    },
    /// Something that is not understood.
    Unread(Unread<'static>),
}

impl MessageItem {
    /// Whether it is said or done by the agent.
    pub(crate) fn is_of_agent(&self) -> bool {
        matches!(self, Self::Says(_) | Self::Reasons(_) | Self::Calls { .. })
    }

    /// The words of it, to quote them.
    pub(crate) fn quote(&self) -> String {
        match self {
            Self::Asks(text) | Self::Says(text) => text.clone().unwrap_or_default(),
            Self::Reasons(text) => text.clone(),
            Self::Calls { name, args, .. } => {
                format!(
                    "{}({})",
                    name.as_deref().unwrap_or_default(),
                    args.as_deref().unwrap_or_default()
                )
            }
            Self::Answers { result, .. } => result.as_ref().map(text_of).unwrap_or_default(),
            Self::Unread(unread) => unread.detail.clone().into_owned(),
            Self::Instructs => String::new(),
        }
    }
}

/// Whether two texts of arguments are the same JSON; one that is not there may be any.
pub(crate) fn same_arguments(one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return true;
    };
    let json = |text: &str| received_json::read(text).ok().map(|read| read.value);
    one.trim() == other.trim()
        || json(one)
            .zip(json(other))
            .is_some_and(|(one, other)| is_same_json(&one, &other))
}

/// Whether a text of arguments contains none, as a streamed call begins.
pub(crate) fn is_empty_arguments(args: &str) -> bool {
    let mut signs = args.chars().filter(|sign| !sign.is_whitespace());
    match (signs.next(), signs.next(), signs.next()) {
        (None, ..) | (Some('{'), Some('}'), None) | (Some('"'), Some('"'), None) => true,
        _ => args.trim() == "null",
    }
}

/// Whether there is a value: not null, and not a placeholder for content that an exporter omitted.
pub(crate) fn is_given(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !Conventions::known().is_placeholder(text),
        _ => true,
    }
}

/// The first of these keys that is given.
pub(crate) fn first<'v>(object: &'v Map<String, Value>, names: &[String]) -> Option<&'v Value> {
    names
        .iter()
        .filter_map(|name| object.get(name))
        .find(|value| is_given(value))
}

/// The values of these keys that are different from the first that is there.
pub(crate) fn others<'v>(
    object: &'v Map<String, Value>,
    names: &'v [String],
) -> Vec<(&'v Value, &'v str)> {
    let mut given = names.iter().filter_map(|name| {
        Some((
            object.get(name).filter(|value| is_given(value))?,
            name.as_str(),
        ))
    });
    let Some((first, _)) = given.next() else {
        return Vec::new();
    };
    let first = inner_json(first);
    given
        .filter(|(value, _)| !is_same_json(&inner_json(value), &first))
        .collect()
}

/// The value that a text is the JSON of; any other value as it is.
pub(crate) fn inner_json(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            received_json::read(text).map_or_else(|_| value.clone(), |read| read.value)
        }
        value => value.clone(),
    }
}

/// A text as it is, any other value as JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
