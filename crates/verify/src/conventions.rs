//! The meaning of attributes, as data: the names that instrumentations give them, and the silent list (SPEC 13): what no rule
//! is about.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::message_names::MessageNames;
use super::span_shape::SpanShape;
use super::tool_end::ToolEnd;
use ananke_base::diagnostic::SourceFile;
use ananke_base::source::parse;
use ananke_trace::trace::KnownName;

/// The names that ananke knows.
const KNOWN: &str = include_str!("conventions.yaml");

/// The kind of a span.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SpanKind {
    /// A request to a model.
    Model,
    /// The execution of a tool.
    Tool,
    /// A run of an agent.
    Agent,
    /// Something that no rule is about.
    Silent,
}

/// The content of an event.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EventContent {
    /// A message that the model got.
    Input,
    /// A message that the model gave.
    Output,
    /// Attributes as those of a span.
    Attributes,
}

/// The kinds of spans, by the value of an attribute.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KindNames {
    pub(crate) attribute: String,
    pub(crate) values: HashMap<String, SpanKind>,
}

/// The kind of a span that has an attribute.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct KindMark {
    attribute: String,
    kind: SpanKind,
}

/// The names of attributes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AttributeNames {
    pub(crate) conversation: Vec<String>,
    pub(crate) agent: Vec<String>,
    pub(crate) tool_name: Vec<String>,
    pub(crate) call_id: Vec<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) result: Vec<String>,
    pub(crate) input: Vec<String>,
    pub(crate) output: Vec<String>,
    pub(crate) all: Vec<String>,
    pub(crate) output_text: Vec<String>,
    pub(crate) output_calls: Vec<String>,
    pub(crate) event_lists: Vec<String>,
    pub(crate) input_prefixes: Vec<String>,
    pub(crate) output_prefixes: Vec<String>,
    pub(crate) input_tokens: Vec<String>,
    pub(crate) output_tokens: Vec<String>,
    /// Tokens of the input that the server had in a cache.
    pub(crate) cached_tokens: Vec<String>,
    /// The model that was asked for, else the one that answered.
    pub(crate) model: Vec<String>,
    pub(crate) error: Vec<String>,
    pub(crate) error_message: Vec<String>,
    pub(crate) status: Vec<String>,
    /// Attributes that are objects, whose keys are attributes of their own.
    pub(crate) objects: Vec<String>,
    /// Attributes of tool spans that are named like their tools.
    pub(crate) named_tools: Vec<String>,
}

impl AttributeNames {
    /// All names, but for those that are prefixes.
    fn names(&self) -> impl Iterator<Item = &String> {
        let Self {
            conversation,
            agent,
            tool_name,
            call_id,
            arguments,
            result,
            input,
            output,
            all,
            output_text,
            output_calls,
            event_lists,
            input_prefixes: _,
            output_prefixes: _,
            input_tokens,
            output_tokens,
            cached_tokens,
            model,
            error,
            error_message,
            status,
            objects,
            named_tools,
        } = self;
        let lists = [
            conversation,
            agent,
            tool_name,
            call_id,
            arguments,
            result,
            input,
            output,
            all,
            output_text,
            output_calls,
            event_lists,
            input_tokens,
            output_tokens,
            cached_tokens,
            model,
            error,
            error_message,
            status,
            objects,
            named_tools,
        ];
        lists.into_iter().flatten()
    }
}

/// An object around a result: where the value at `key` is `value`, the result is at `result`. Places are paths of keys with `/`
/// between them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrappedResult {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) result: String,
    /// The end of a call with such a result.
    pub(crate) end: Option<ToolEnd>,
    /// The place of the call's status.
    pub(crate) status: Option<String>,
}

/// The path of arguments in an object with other things.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WrappedArguments {
    has: Vec<String>,
    empty: Vec<String>,
    arguments: String,
}

/// The names of attributes, events and messages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conventions {
    pub(crate) kinds: Vec<KindNames>,
    pub(crate) marks: Vec<KindMark>,
    pub(crate) attributes: AttributeNames,
    pub(crate) wrapped_arguments: Vec<WrappedArguments>,
    pub(crate) wrapped_results: Vec<WrappedResult>,
    pub(crate) placeholders: Vec<String>,
    pub(crate) events: HashMap<String, EventContent>,
    pub(crate) event_names: Vec<String>,
    pub(crate) event_bodies: Vec<String>,
    pub(crate) messages: MessageNames,
    pub(crate) silent: Vec<Silence>,
    pub(crate) shapes: Vec<SpanShape>,
}

impl Conventions {
    /// Those that ananke knows.
    pub(crate) fn known() -> &'static Self {
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

    /// The kind of a span with these attributes, each with its value if that is a text; `None` if nothing says it.
    pub(crate) fn kind<'a>(
        &self,
        attributes: &(impl Iterator<Item = (&'a str, Option<&'a str>)> + Clone),
    ) -> Option<SpanKind> {
        for kinds in &self.kinds {
            let own = attributes
                .clone()
                .find(|(name, _)| *name == kinds.attribute);
            if let Some((_, Some(value))) = own
                && let Some(kind) = kinds.values.get(value)
            {
                return Some(*kind);
            }
        }
        let mut marks = self.marks.iter();
        let mark = marks.find(|mark| attributes.clone().any(|(name, _)| name == mark.attribute));
        mark.map(|mark| mark.kind)
    }

    /// Whether a text replaces content that an exporter omitted.
    pub(crate) fn is_placeholder(&self, text: &str) -> bool {
        self.placeholders
            .iter()
            .any(|placeholder| placeholder == text)
    }

    /// Whether a span with an attribute of this name follows a convention.
    pub(crate) fn is_of_convention(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| kind.attribute == name)
    }

    /// Whether attributes of this name are read.
    pub(crate) fn uses_attribute(&self, name: &str) -> bool {
        let known = &self.attributes;
        let is_prefixed = |prefix: &String| {
            name.strip_prefix(&**prefix)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        known.names().any(|own| own == name)
            || known
                .input_prefixes
                .iter()
                .chain(&known.output_prefixes)
                .any(is_prefixed)
            || self.is_of_convention(name)
            || self.marks.iter().any(|mark| mark.attribute == name)
            || self.event_names.iter().any(|own| own == name)
    }

    /// Whether something of this name contains nothing that a rule is about.
    pub(crate) fn is_silent(&self, name: &str) -> bool {
        self.silent.iter().any(|silence| silence.name.matches(name))
    }

    /// The arguments without what some instrumentations put around them.
    pub(crate) fn unwrapped_arguments(&self, mut value: Value) -> Value {
        let is_empty = |value: &Value| match value {
            Value::Array(values) => values.is_empty(),
            Value::Object(values) => values.is_empty(),
            _ => false,
        };
        let around = self.wrapped_arguments.iter().find(|around| {
            around.has.iter().all(|key| value.get(key).is_some())
                && around
                    .empty
                    .iter()
                    .all(|key| value.get(key).is_some_and(is_empty))
        });
        match around {
            Some(around) => value[&around.arguments].take(),
            None => value,
        }
    }
}

/// An entry of the silent list.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Silence {
    /// The name under which it is unread; a star is any text.
    #[serde(deserialize_with = "pattern")]
    pub(crate) name: KnownName,
    /// The reason.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    pub(crate) why: String,
    /// The source of its description.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    pub(crate) source: String,
}

fn pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<KnownName, D::Error> {
    String::deserialize(deserializer).map(KnownName::new)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_kind_of_a_span_is_that_of_a_value_before_that_of_a_mark() {
        let known = Conventions::known();
        for (attributes, kind) in [
            (
                &[("gen_ai.operation.name", "chat")][..],
                Some(SpanKind::Model),
            ),
            (&[("openinference.span.kind", "TOOL")], Some(SpanKind::Tool)),
            (
                &[("openinference.span.kind", "CHAIN")],
                Some(SpanKind::Silent),
            ),
            (
                &[("gcp.vertex.agent.llm_request", "{}")],
                Some(SpanKind::Model),
            ),
            (
                &[
                    ("gcp.vertex.agent.llm_request", "{}"),
                    ("gen_ai.operation.name", "execute_tool"),
                ],
                Some(SpanKind::Tool),
            ),
            (&[("gen_ai.operation.name", "other")], None),
        ] {
            let attributes = attributes.iter().map(|(name, value)| (*name, Some(*value)));
            assert_eq!(
                known.kind(&attributes),
                kind,
                "{:?}",
                attributes.collect::<Vec<_>>()
            );
        }
        assert!(
            known.is_of_convention("gen_ai.operation.name")
                && !known.is_of_convention("http.method")
        );
        assert_eq!(
            known.events.get("gen_ai.choice"),
            Some(&EventContent::Output)
        );
    }

    #[test]
    fn what_is_put_around_arguments_is_removed() {
        let known = Conventions::known();
        for (value, expected) in [
            (
                json!({ "args": [], "kwargs": { "city": "Oslo" } }),
                json!({ "city": "Oslo" }),
            ),
            (
                json!({ "args": ["Oslo"], "kwargs": {} }),
                json!({ "args": ["Oslo"], "kwargs": {} }),
            ),
            (
                json!({ "input_str": "x", "tags": [], "inputs": { "city": "Oslo" } }),
                json!({ "city": "Oslo" }),
            ),
            (json!({ "city": "Oslo" }), json!({ "city": "Oslo" })),
        ] {
            assert_eq!(known.unwrapped_arguments(value), expected);
        }
    }

    #[test]
    fn each_silence_says_why() {
        let known = Conventions::known();
        assert!(
            known
                .silent
                .iter()
                .all(|silence| !silence.why.is_empty() && !silence.source.is_empty())
        );
        assert!(known.is_silent("part:image_url") && !known.is_silent("part:video"));
    }
}
