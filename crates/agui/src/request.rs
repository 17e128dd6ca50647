//! The body of a run's request: the thread, every message so far and the state.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::conversation_settings::{ContextItem, ProtocolVersion};
use crate::messages::History;
use ananke_base::message::{InterruptAnswer, ToolDeclaration};

/// The requested version of the protocol. Servers that know it send more (calls that wait for the client, cancelled
/// runs); most older ones ignore the key.
const PROTOCOL_VERSION: &str = "1.0";

/// The messages that a request sends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Messages<'a> {
    /// All of them.
    All(&'a History),
    /// Those with these ids.
    Only(&'a History, &'a [String]),
}

impl Serialize for Messages<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All(history) => serializer.collect_seq(history.in_order()),
            Self::Only(history, ids) => serializer.collect_seq(
                history
                    .in_order()
                    .filter(|message| ids.iter().any(|id| message.id == *id)),
            ),
        }
    }
}

/// An input that servers of every version accept: keys that older ones require are sent also if empty, and no value is
/// `null`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RunInput<'a> {
    thread_id: &'a str,
    run_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_version: Option<&'static str>,
    state: ObjectForNull<'a>,
    messages: Messages<'a>,
    tools: Vec<ToolDefinition<'a>>,
    context: &'a [ContextItem],
    forwarded_props: ObjectForNull<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    resume: Vec<ResumeEntry<'a>>,
}

/// A client-side (frontend) tool.
#[derive(Serialize)]
struct ToolDefinition<'a> {
    name: &'a str,
    description: &'a str,
    parameters: &'a Value,
}

/// The answer to an interrupt.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResumeEntry<'a> {
    interrupt_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a Value>,
}

impl<'a> RunInput<'a> {
    pub(super) fn new(
        thread_id: &'a str,
        run_id: &'a str,
        state: &'a Value,
        messages: Messages<'a>,
        tools: &'a [ToolDeclaration],
        forwarded_props: &'a Value,
        resume: &'a [InterruptAnswer],
    ) -> Self {
        let resume = resume.iter().map(|answer| ResumeEntry {
            interrupt_id: &answer.id,
            status: if answer.is_resolved {
                "resolved"
            } else {
                "cancelled"
            },
            payload: answer.payload.as_ref(),
        });
        Self {
            thread_id,
            run_id,
            protocol_version: Some(PROTOCOL_VERSION),
            state: ObjectForNull(state),
            messages,
            tools: tools
                .iter()
                .map(|tool| ToolDefinition {
                    name: &tool.name,
                    description: &tool.description,
                    parameters: &tool.parameters,
                })
                .collect(),
            context: &[],
            forwarded_props: ObjectForNull(forwarded_props),
            resume: resume.collect(),
        }
    }

    /// The same input with the context of the target.
    pub(super) fn with_context(self, context: &'a [ContextItem]) -> Self {
        Self { context, ..self }
    }

    /// The same input for a server of `version`.
    pub(super) fn of(self, version: ProtocolVersion) -> Self {
        let protocol_version = self
            .protocol_version
            .filter(|_| version == ProtocolVersion::V1);
        Self {
            protocol_version,
            ..self
        }
    }
}

/// Puts `props` over a mapping, key by key.
fn pass_on_over(base: &mut Value, props: Map<String, Value>) {
    match base {
        Value::Object(known) => known.extend(props),
        other => *other = Value::Object(props),
    }
}

/// Sets a property of a mapping.
fn set(base: &mut Value, key: &str, value: Value) {
    pass_on_over(base, Map::from_iter([(key.to_owned(), value)]));
}

/// The properties that a run forwards: `props` over those of the target, key by key, and in the same way `options` over the
/// property that says how the agent is asked.
pub(super) fn forwarded_props(
    own: &Value,
    props: Map<String, Value>,
    options: Map<String, Value>,
) -> Cow<'_, Value> {
    let mut forwarded = Cow::Borrowed(own);
    if !props.is_empty() {
        pass_on_over(forwarded.to_mut(), props);
    }
    if !options.is_empty() {
        let mut known = forwarded.get("options").cloned().unwrap_or_default();
        pass_on_over(&mut known, options);
        set(forwarded.to_mut(), "options", known);
    }
    forwarded
}

/// The context of a run: that of the target, and the named texts about the caller.
pub(super) fn with_callers<'c>(
    own: &'c [ContextItem],
    caller: &Map<String, Value>,
) -> Cow<'c, [ContextItem]> {
    let mut context = Cow::Borrowed(own);
    if !caller.is_empty() {
        context
            .to_mut()
            .extend(caller.iter().map(ContextItem::from));
    }
    context
}

/// Adds the answers to interrupts to the forwarded properties, as before the protocol had them: `command.resume`. One answer
/// is its payload; several are keyed by the ids of their interrupts.
pub(super) fn add_command(props: &mut Value, answers: &[InterruptAnswer]) {
    let payload = |answer: &InterruptAnswer| answer.payload.clone().unwrap_or_default();
    let resume = match answers {
        [answer] => payload(answer),
        answers => answers
            .iter()
            .map(|answer| (answer.id.clone(), payload(answer)))
            .collect(),
    };
    set(props, "command", serde_json::json!({ "resume": resume }));
}

struct ObjectForNull<'a>(&'a Value);

impl Serialize for ObjectForNull<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_null() {
            Map::new().serialize(serializer)
        } else {
            self.0.serialize(serializer)
        }
    }
}
