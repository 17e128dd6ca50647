//! What attributes mean, as data: the names that instrumentations give them.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use serde_json::Value;

use ananke_base::diagnostic::SourceFile;
use ananke_base::source::parse;

/// The names that ananke knows.
const KNOWN: &str = include_str!("conventions.yaml");

/// What a span is about.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(in crate::verify) enum SpanKind {
    /// A request to a model.
    Model,
    /// The execution of a tool.
    Tool,
    /// A run of an agent.
    Agent,
}

/// What an event is about.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(in crate::verify) enum EventContent {
    /// A message that the model got.
    Input,
    /// A message that the model gave.
    Output,
    /// Attributes as those of a span.
    Attributes,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(in crate::verify) enum MessageSpeaker {
    User,
    Assistant,
    System,
    Tool,
}

/// What a part of a message is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(in crate::verify) enum PartKind {
    Text,
    Call,
    Result,
    Reasoning,
}

/// The kinds of spans, by the value of an attribute.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::verify) struct KindNames {
    pub(in crate::verify) attribute: String,
    pub(in crate::verify) values: HashMap<String, SpanKind>,
}

/// The names of attributes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::verify) struct AttributeNames {
    pub(in crate::verify) conversation: Vec<String>,
    pub(in crate::verify) agent: Vec<String>,
    pub(in crate::verify) tool_name: Vec<String>,
    pub(in crate::verify) call_id: Vec<String>,
    pub(in crate::verify) arguments: Vec<String>,
    pub(in crate::verify) result: Vec<String>,
    pub(in crate::verify) input: Vec<String>,
    pub(in crate::verify) output: Vec<String>,
    pub(in crate::verify) all: Vec<String>,
    pub(in crate::verify) output_text: Vec<String>,
    pub(in crate::verify) output_calls: Vec<String>,
    pub(in crate::verify) event_lists: Vec<String>,
    pub(in crate::verify) input_prefixes: Vec<String>,
    pub(in crate::verify) output_prefixes: Vec<String>,
    pub(in crate::verify) input_tokens: Vec<String>,
    pub(in crate::verify) output_tokens: Vec<String>,
    pub(in crate::verify) error: Vec<String>,
    pub(in crate::verify) error_message: Vec<String>,
}

/// The names of the keys of messages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::verify) struct MessageNames {
    pub(in crate::verify) wrappers: Vec<String>,
    pub(in crate::verify) role: Vec<String>,
    pub(in crate::verify) roles: HashMap<String, MessageSpeaker>,
    pub(in crate::verify) content: Vec<String>,
    pub(in crate::verify) refusal: Vec<String>,
    pub(in crate::verify) reasoning: Vec<String>,
    pub(in crate::verify) calls: Vec<String>,
    pub(in crate::verify) part_type: Vec<String>,
    pub(in crate::verify) part_types: HashMap<String, PartKind>,
    pub(in crate::verify) text: Vec<String>,
    pub(in crate::verify) call_id: Vec<String>,
    pub(in crate::verify) name: Vec<String>,
    pub(in crate::verify) arguments: Vec<String>,
    pub(in crate::verify) result: Vec<String>,
    pub(in crate::verify) is_error: Vec<String>,
}

/// How a result is found in an object with other things.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::verify) struct WrappedResult {
    key: String,
    value: String,
    result: String,
}

/// What attributes, events and messages are called.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::verify) struct Conventions {
    pub(in crate::verify) kinds: Vec<KindNames>,
    pub(in crate::verify) attributes: AttributeNames,
    pub(in crate::verify) wrapped_results: Vec<WrappedResult>,
    pub(in crate::verify) events: HashMap<String, EventContent>,
    pub(in crate::verify) event_names: Vec<String>,
    pub(in crate::verify) event_bodies: Vec<String>,
    pub(in crate::verify) messages: MessageNames,
}

impl Conventions {
    /// Those that ananke knows.
    pub(in crate::verify) fn known() -> &'static Self {
        static KNOWN_CONVENTIONS: LazyLock<Conventions> = LazyLock::new(|| {
            let source = Arc::new(SourceFile::new(
                "conventions.yaml",
                "conventions.yaml",
                KNOWN,
            ));
            let node = parse(&source).expect("the file of conventions is YAML");
            serde_json::from_value(node.to_json())
                .expect("the file of conventions has the keys of its type")
        });
        &KNOWN_CONVENTIONS
    }

    /// The kind of a span whose attribute `name` has this text, if that says it.
    pub(in crate::verify) fn kind(&self, name: &str, value: &str) -> Option<SpanKind> {
        self.kinds
            .iter()
            .filter(|kind| kind.attribute == name)
            .find_map(|kind| kind.values.get(value))
            .copied()
    }

    /// The result without what some instrumentations put around it.
    pub(in crate::verify) fn unwrapped(&self, mut value: Value) -> Value {
        let around = self.wrapped_results.iter().find(|around| {
            value.get(&around.key).and_then(Value::as_str) == Some(&around.value)
                && value.get(&around.result).is_some()
        });
        match around {
            Some(around) => value[&around.result].take(),
            None => value,
        }
    }

    /// The name of the conversation that a span with these attributes is of.
    pub(in crate::verify) fn conversation<'a>(
        &self,
        attributes: impl Iterator<Item = (&'a str, String)>,
    ) -> Option<String> {
        let conventional = &self.attributes.conversation;
        let place = |name: &str| conventional.iter().position(|known| known == name);
        let named = attributes.filter_map(|(name, value)| Some((place(name)?, value)));
        named
            .filter(|(_, value)| !value.is_empty())
            .min_by_key(|(place, _)| *place)
            .map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read() {
        let known = Conventions::known();
        assert_eq!(
            known.kind("gen_ai.operation.name", "chat"),
            Some(SpanKind::Model)
        );
        assert_eq!(
            known.kind("openinference.span.kind", "TOOL"),
            Some(SpanKind::Tool)
        );
        assert_eq!(known.kind("ai.operationId", "ai.embed"), None);
        assert_eq!(
            known.events.get("gen_ai.choice"),
            Some(&EventContent::Output)
        );
    }
}
