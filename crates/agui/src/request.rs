//! The body of a run's request: the thread, every message so far and the state.

use serde::Serialize;
use serde_json::{Map, Value};

use super::conversation_settings::{ContextItem, ProtocolVersion};
use super::history::History;
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
pub(super) fn pass_on_over(base: &mut Value, props: Map<String, Value>) {
    match base {
        Value::Object(known) => known.extend(props),
        other => *other = Value::Object(props),
    }
}

/// The property that says how the agent is asked: `options` over those of the target, key by key.
pub(super) fn with_options(mut own: Value, options: Map<String, Value>) -> Map<String, Value> {
    pass_on_over(&mut own, options);
    Map::from_iter([("options".to_owned(), own)])
}

/// The forwarded properties of a run that answers interrupts as before the protocol had them: `command.resume` in
/// addition to the target's own. One answer is its payload; several are keyed by the ids of their interrupts.
pub(super) fn with_command(own: &Value, answers: &[InterruptAnswer]) -> Value {
    let payload = |answer: &InterruptAnswer| answer.payload.clone().unwrap_or_default();
    let resume = match answers {
        [answer] => payload(answer),
        answers => answers
            .iter()
            .map(|answer| (answer.id.clone(), payload(answer)))
            .collect(),
    };
    let mut props = own.as_object().cloned().unwrap_or_default();
    props.insert(
        "command".to_owned(),
        serde_json::json!({ "resume": resume }),
    );
    Value::Object(props)
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
