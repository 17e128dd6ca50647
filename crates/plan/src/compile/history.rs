//! The history before the first turn: the messages of a test, checked and filled.
//!
//! What a protocol demands of a conversation is held here, before anything is sent: who may say what, and that every
//! call is known and answered. Agents refuse anything else, or pass over it in silence.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Map, Value};

use super::attachment::{self, AttachmentFiles};
use ananke_agents::Capability;
use ananke_base::diagnostic::{Code, Diagnostic, Span, Spanned};
use ananke_base::message::{HistoryCall, HistoryMessage, Role};
use ananke_base::source::Node;
use ananke_base::text::suggest;
use ananke_model::model::{self, Arguments, MessageCall, MessageDefinition};
use ananke_model::variables::{Fill as _, Interpolation, Leaf, fill_all};

/// Checks and fills messages.
pub(crate) fn fill_history(
    messages: &[Spanned<MessageDefinition>],
    files: AttachmentFiles<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<Vec<HistoryMessage>> {
    let filled: Vec<Leaf<HistoryMessage>> = messages
        .iter()
        .map(|message| one(message, files, interpolation))
        .collect();
    let mut order = Order::default();
    for (message, filled) in messages.iter().zip(&filled) {
        // What is not known yet is looked at when the test starts.
        order.next(
            message,
            filled.as_ref().map_err(|not_ready| *not_ready)?,
            interpolation,
        );
    }
    order.end(interpolation);
    filled.into_iter().collect()
}

fn one(
    written: &Spanned<MessageDefinition>,
    files: AttachmentFiles<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<HistoryMessage> {
    let MessageDefinition {
        role,
        content,
        id,
        name,
        tool_calls,
        tool_call_id,
    } = &written.value;
    let shape_is_valid = shape(written, files, interpolation);
    let (id, name) = (id.fill(interpolation), name.fill(interpolation));
    let answers = tool_call_id.fill(interpolation);
    let content = match content {
        Some(content) => {
            attachment::user_content(&content.value, &[], files, interpolation).map(Some)
        }
        None => Ok(None),
    };
    let calls = fill_all(tool_calls.iter().flatten(), |written| {
        call(&written.value, interpolation)
    });
    shape_is_valid?;
    let calls = calls?;
    Ok(HistoryMessage {
        role: *role,
        id: id?,
        name: name?,
        content: content?,
        calls,
        answers: answers?,
    })
}

/// A mistake in a message: where it is, in words, and what to do.
type Mistake = (Code, Span, String, &'static str);

/// Checks that a message has what its role needs, and nothing else.
fn shape(
    written: &Spanned<MessageDefinition>,
    files: AttachmentFiles<'_>,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<()> {
    let mistakes = [
        misplaced_calls(written),
        wrong_answer(written),
        wrong_content(written, files),
    ];
    let mistakes = mistakes.into_iter().flatten();
    let reported = mistakes.map(|(code, span, message, help)| {
        interpolation.report(code, span, message, Some(help.to_owned()))
    });
    reported.last().map_or(Ok(()), Err)
}

/// Calls of a role that makes none.
fn misplaced_calls(written: &Spanned<MessageDefinition>) -> Option<Mistake> {
    let role = written.value.role;
    let calls = written.value.tool_calls.as_ref()?;
    if role == Role::Assistant {
        return None;
    }
    let span = calls.first().map_or(written.span, |call| call.span);
    let whose = role.as_str();
    let message =
        format!("a message of role `{whose}` has no `tool_calls`: the assistant calls tools");
    let help = "put them into a message of role `assistant`";
    Some((Code::Contradiction, span, message, help))
}

/// A tool's message that answers no call, or another one that does.
fn wrong_answer(written: &Spanned<MessageDefinition>) -> Option<Mistake> {
    let role = written.value.role;
    match (&written.value.tool_call_id, role == Role::Tool) {
        (None, true) => {
            let message = "the key `tool_call_id` is missing: a tool's message answers a call";
            let help = "give it the `id` of the call it answers";
            Some((Code::MissingKey, written.span, message.to_owned(), help))
        }
        (Some(id), false) => {
            let message = format!("a message of role `{}` answers no call", role.as_str());
            let help = "`tool_call_id` goes with role `tool`";
            Some((Code::Contradiction, id.span, message, help))
        }
        _ => None,
    }
}

/// Content that is missing, or has parts where a text is sent.
fn wrong_content(
    written: &Spanned<MessageDefinition>,
    files: AttachmentFiles<'_>,
) -> Option<Mistake> {
    let MessageDefinition {
        role,
        content,
        tool_calls,
        ..
    } = &written.value;
    let may_have_parts = match role {
        Role::User => true,
        Role::Tool => files.target_has(Capability::ToolParts),
        _ => false,
    };
    match content {
        None if *role == Role::Assistant && tool_calls.is_some() => None,
        None => {
            let message = "the key `content` is missing: this message says nothing".to_owned();
            let help = "add what is said, if only as `\"\"`";
            Some((Code::MissingKey, written.span, message, help))
        }
        Some(content)
            if matches!(content.value, model::WrittenContent::Parts(_)) && !may_have_parts =>
        {
            let whose = role.as_str();
            let message = format!("the `content` of a message of role `{whose}` is a text here");
            let help = "write all of it as one text";
            Some((Code::WrongType, content.span, message, help))
        }
        Some(_) => None,
    }
}

fn call(written: &MessageCall, interpolation: &mut Interpolation<'_>) -> Leaf<HistoryCall> {
    let (id, name) = (
        interpolation.text(&written.id),
        interpolation.text(&written.function.name),
    );
    let arguments = match &written.function.arguments {
        None => Ok("{}".to_owned()),
        Some(Arguments(node)) => arguments(node, interpolation),
    };
    Ok(HistoryCall {
        id: id?,
        name: name?,
        arguments: arguments?,
    })
}

/// The text of a call's arguments: a JSON object, as it is written or sent.
fn arguments(node: &Node, interpolation: &mut Interpolation<'_>) -> Leaf<String> {
    let value = interpolation.json(node)?;
    if let Value::String(text) = &value
        && (interpolation.json_waits(node)
            || serde_json::from_str::<Map<String, Value>>(text).is_ok())
    {
        return Ok(text.clone());
    }
    if value.is_object() {
        return Ok(value.to_string());
    }
    let message = "the `arguments` of this call are no JSON object";
    let help = "write them as a mapping: `arguments: { city: Rome }`, or as its JSON".to_owned();
    Err(interpolation.report(Code::BadValue, node.span, message, Some(help)))
}

/// The state while messages are read one after the other.
#[derive(Default)]
struct Order {
    ids: HashSet<String>,
    /// Every call by its id.
    calls: BTreeMap<String, Called>,
    /// The ids of those that wait for their answers, in order.
    open: Vec<String>,
}

struct Called {
    span: Span,
    tool: String,
    is_answered: bool,
}

impl Order {
    fn next(
        &mut self,
        written: &Spanned<MessageDefinition>,
        message: &HistoryMessage,
        interpolation: &mut Interpolation<'_>,
    ) {
        if let (Some(id), Some(text)) = (&message.id, &written.value.id)
            && !self.ids.insert(id.clone())
        {
            let message = format!("two messages have the id `{id}`");
            let help = Some("rename one of them".to_owned());
            interpolation.report(Code::Contradiction, text.span, message, help);
        }
        if let (Some(call), Some(text)) = (&message.answers, &written.value.tool_call_id) {
            self.answer(call, text.span, interpolation);
        } else {
            self.end(interpolation);
        }
        for (call, written) in message
            .calls
            .iter()
            .zip(written.value.tool_calls.iter().flatten())
        {
            let span = written.value.id.span;
            let called = Called {
                span,
                tool: call.name.clone(),
                is_answered: false,
            };
            if self.calls.insert(call.id.clone(), called).is_some() {
                let message = format!("two calls have the id `{}`", call.id);
                let help = Some("rename one of them, and its answer".to_owned());
                interpolation.report(Code::Contradiction, span, message, help);
            }
            self.open.push(call.id.clone());
        }
    }

    /// A message answers `call`.
    fn answer(&mut self, call: &str, span: Span, interpolation: &mut Interpolation<'_>) {
        match self.calls.get_mut(call) {
            Some(called) if called.is_answered => {
                let message = format!("the call `{call}` is answered already");
                let help = Some("a call has one answer: leave out one of them".to_owned());
                interpolation.report(Code::Contradiction, span, message, help);
            }
            Some(called) => {
                called.is_answered = true;
                self.open.retain(|open| open != call);
            }
            None => {
                let known: Vec<&str> = self.calls.keys().map(String::as_str).collect();
                let help = if known.is_empty() {
                    "put a message of role `assistant` with its `tool_calls` before it".to_owned()
                } else {
                    suggest(call, &known, "the calls before it are")
                };
                let message = format!("no message before this one has a call `{call}`");
                interpolation.report(Code::UnknownName, span, message, Some(help));
            }
        }
    }

    /// The conversation goes on: what is still open stays so.
    fn end(&mut self, interpolation: &mut Interpolation<'_>) {
        for id in self.open.drain(..) {
            let Some(Called { span, tool, .. }) = self.calls.get(&id) else {
                continue;
            };
            let message = format!(
                "the call `{id}` of `{tool}` is not answered before the conversation goes on"
            );
            let warning =
                interpolation.at(Diagnostic::warning(Code::UnansweredCall, message), *span);
            let help = "most models refuse such a conversation: add a message of role `tool` with its \
                        `tool_call_id` right after the call's";
            interpolation.add(warning.help(help));
        }
    }
}
