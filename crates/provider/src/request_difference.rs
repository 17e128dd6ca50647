//! The first difference between a recorded request and the one that was asked, by its cause.

use serde_json::Value;

use crate::compared_request::ComparedRequest;
use ananke_base::text::escape;
use ananke_trace::trace::{ModelToolCall, OfferedTool, PromptMessage, json_key};

/// The characters that are shown before the first difference of two texts.
const SHOWN_BEFORE: usize = 40;

/// The characters that are shown of each text.
const SHOWN_CHARS: usize = 160;

/// The text of a side that has nothing.
const NOTHING: &str = "(nothing)";

/// A difference between two requests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RequestDifference {
    /// The cause, as in `the system prompt differs`.
    pub(crate) cause: String,
    /// The part of the recorded request, cut around the first difference.
    pub(crate) expected: String,
    /// The part of the request that was asked.
    pub(crate) asked: String,
}

/// The first difference, in the order of what most likely causes the others.
pub(crate) fn first_difference(
    expected: &ComparedRequest,
    asked: &ComparedRequest,
) -> Option<RequestDifference> {
    let one = &expected.request;
    let other = &asked.request;
    // The model comes first, because agents have other prompts and tools for another one.
    if one.model != other.model {
        let cause = "the model name differs".to_owned();
        return Some(of_texts(cause, &one.model, &other.model));
    }
    let system = of_texts(
        "the system prompt differs".to_owned(),
        &system_text(expected),
        &system_text(asked),
    );
    if system.expected != system.asked {
        return Some(system);
    }
    if let Some(difference) = of_tools(&one.tools, &other.tools) {
        return Some(difference);
    }
    for (what, one, other) in [
        (
            "the tools that the provider executes differ",
            Value::from(one.hosted_tools.clone()),
            Value::from(other.hosted_tools.clone()),
        ),
        (
            "the tool choice differs",
            one.tool_choice.clone(),
            other.tool_choice.clone(),
        ),
        (
            "the schema of the answer differs",
            one.output_schema.clone(),
            other.output_schema.clone(),
        ),
    ] {
        if json_key(&one) != json_key(&other) {
            return Some(of_values(what.to_owned(), &one, &other));
        }
    }
    of_messages(expected, asked)
}

/// The instructions in one text.
fn system_text(request: &ComparedRequest) -> String {
    let mut texts = Vec::new();
    for message in &request.request.messages {
        if let PromptMessage::System(text) = message {
            texts.push(text.as_str());
        }
    }
    texts.join("\n")
}

/// The first difference of the tools that the agent offers, which are in the order of their names.
fn of_tools(expected: &[OfferedTool], asked: &[OfferedTool]) -> Option<RequestDifference> {
    for tool in expected {
        let name = &tool.name;
        let Some(other) = asked.iter().find(|other| other.name == *name) else {
            return Some(RequestDifference {
                cause: format!("the tool {} is not offered any more", shown(name)),
                expected: shown(name),
                asked: NOTHING.to_owned(),
            });
        };
        if tool.description != other.description {
            let cause = format!("the description of the tool {} differs", shown(name));
            return Some(of_texts(cause, &tool.description, &other.description));
        }
        if json_key(&tool.parameters) != json_key(&other.parameters) {
            let cause = format!("the parameters of the tool {} differ", shown(name));
            return Some(of_values(cause, &tool.parameters, &other.parameters));
        }
    }
    for tool in asked {
        let name = &tool.name;
        if !expected.iter().any(|other| other.name == *name) {
            return Some(RequestDifference {
                cause: format!("the tool {} is offered, and was not", shown(name)),
                expected: NOTHING.to_owned(),
                asked: shown(name),
            });
        }
    }
    None
}

/// The first difference of the messages after the instructions.
fn of_messages(expected: &ComparedRequest, asked: &ComparedRequest) -> Option<RequestDifference> {
    let one = &expected.request.messages;
    let other = &asked.request.messages;
    let length = one.len().max(other.len());
    for place in 0..length {
        let first = one.get(place);
        let second = other.get(place);
        if first == second {
            continue;
        }
        if is_reordered(one, other) {
            return Some(RequestDifference {
                cause: format!("the order of the messages differs from messages[{place}] on"),
                expected: described(first, expected),
                asked: described(second, asked),
            });
        }
        let cause = match (first, second) {
            (Some(PromptMessage::User { .. }), Some(PromptMessage::User { .. })) => {
                "what the user said differs"
            }
            (Some(PromptMessage::Result { .. }), Some(PromptMessage::Result { .. })) => {
                "the result of a tool of the agent differs"
            }
            (Some(PromptMessage::Assistant { .. }), Some(PromptMessage::Assistant { .. })) => {
                "an earlier answer of the model differs"
            }
            (Some(PromptMessage::Approval { .. }), Some(PromptMessage::Approval { .. })) => {
                "an approval differs"
            }
            (None, _) => "the agent sends more messages",
            (_, None) => "the agent sends fewer messages",
            _ => "another message is in this place",
        };
        return Some(of_texts(
            format!("{cause} (messages[{place}])"),
            &whole(first, expected),
            &whole(second, asked),
        ));
    }
    None
}

/// Whether both have the same messages, in another order.
fn is_reordered(one: &[PromptMessage], other: &[PromptMessage]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut left = other.to_vec();
    for message in one {
        let Some(place) = left.iter().position(|candidate| candidate == message) else {
            return false;
        };
        left.swap_remove(place);
    }
    true
}

/// A message in words, cut at its end.
fn described(message: Option<&PromptMessage>, request: &ComparedRequest) -> String {
    cut(&whole(message, request), 0)
}

/// All of a message as one text.
fn whole(message: Option<&PromptMessage>, request: &ComparedRequest) -> String {
    match message {
        None => NOTHING.to_owned(),
        Some(PromptMessage::System(text)) => text.clone(),
        Some(PromptMessage::User { text, files }) => {
            let mut said = text.clone();
            for file in files {
                said.push_str(" [file ");
                said.push_str(file);
                said.push(']');
            }
            said
        }
        Some(PromptMessage::Assistant { text, calls }) => {
            let mut said = text.clone();
            for ModelToolCall { tool, args, .. } in calls {
                said.push(' ');
                said.push_str(tool);
                said.push('(');
                said.push_str(&args.to_string());
                said.push(')');
            }
            said.trim_start().to_owned()
        }
        Some(PromptMessage::Result {
            call,
            content,
            is_error,
        }) => {
            let tool = match request.tool_of(call) {
                "" => "a tool",
                tool => tool,
            };
            let sign = if *is_error { " (error)" } else { "" };
            format!("{tool}{sign} → {}", text_of(content))
        }
        Some(PromptMessage::Approval { is_approved, .. }) => {
            if *is_approved {
                "approved".to_owned()
            } else {
                "rejected".to_owned()
            }
        }
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => NOTHING.to_owned(),
        value => value.to_string(),
    }
}

fn of_values(cause: String, expected: &Value, asked: &Value) -> RequestDifference {
    of_texts(cause, &text_of(expected), &text_of(asked))
}

/// Two texts, both cut around their first difference.
fn of_texts(cause: String, expected: &str, asked: &str) -> RequestDifference {
    let mut same: usize = 0;
    for (one, other) in expected.chars().zip(asked.chars()) {
        if one != other {
            break;
        }
        same += 1;
    }
    let start = same.saturating_sub(SHOWN_BEFORE);
    RequestDifference {
        cause,
        expected: cut(expected, start),
        asked: cut(asked, start),
    }
}

/// The part of a text that begins at the character `start`, on one line.
fn cut(text: &str, start: usize) -> String {
    if text.is_empty() {
        return NOTHING.to_owned();
    }
    let mut part = String::new();
    if start > 0 {
        part.push('…');
    }
    let mut rest = text.chars().skip(start);
    for character in rest.by_ref().take(SHOWN_CHARS) {
        part.push(character);
    }
    if rest.next().is_some() {
        part.push('…');
    }
    shown(&part)
}

fn shown(text: &str) -> String {
    escape::line(text).into_owned()
}

#[cfg(test)]
mod tests {
    use ananke_trace::trace::ModelRequest;
    use serde_json::json;

    use super::*;

    fn request() -> ModelRequest {
        let value = json!({
            "model": "m",
            "messages": [
                { "system": "Be kind. Never charge twice." },
                { "user": { "text": "Pay." } },
                { "assistant": { "text": "", "calls": [{ "id": "a", "tool": "pay", "args": { "n": 1 } }] } },
                { "result": { "call": "a", "content": "{\"status\":\"charged\"}" } },
                { "user": { "text": "Thanks." } },
            ],
            "tools": [{ "name": "pay", "description": "Pays.", "parameters": { "type": "object" } }],
        });
        serde_json::from_value(value).unwrap()
    }

    fn changed(change: impl Fn(&mut serde_json::Value)) -> RequestDifference {
        let mut value = serde_json::to_value(request()).unwrap();
        change(&mut value);
        let asked = serde_json::from_value(value).unwrap();
        let expected = ComparedRequest::of(&request(), &[]);
        first_difference(&expected, &ComparedRequest::of(&asked, &[])).unwrap()
    }

    #[test]
    fn each_cause_has_its_name() {
        let same = ComparedRequest::of(&request(), &[]);
        assert_eq!(first_difference(&same, &same), None);
        let set = |pointer: &'static str, value: serde_json::Value| {
            changed(move |request| *request.pointer_mut(pointer).unwrap() = value.clone())
        };
        for (difference, cause, expected, asked) in [
            (
                set("/model", "n".into()),
                "the model name differs",
                "m",
                "n",
            ),
            (
                set("/messages/0/system", "Be kind.".into()),
                "the system prompt differs",
                "Be kind. Never charge twice.",
                "Be kind.",
            ),
            (
                set("/tools/0/description", "Gives.".into()),
                "the description of the tool pay differs",
                "Pays.",
                "Gives.",
            ),
            (
                set("/tools/0/parameters", json!({ "type": "array" })),
                "the parameters of the tool pay differ",
                "{\"type\":\"object\"}",
                "{\"type\":\"array\"}",
            ),
            (
                set("/messages/1/user/text", "Pay now.".into()),
                "what the user said differs (messages[1])",
                "Pay.",
                "Pay now.",
            ),
            (
                set("/messages/2/assistant/calls/0/args/n", json!(2)),
                "an earlier answer of the model differs (messages[2])",
                "pay({\"n\":1})",
                "pay({\"n\":2})",
            ),
            (
                set(
                    "/messages/3/result/content",
                    "{\"status\":\"declined\"}".into(),
                ),
                "the result of a tool of the agent differs (messages[3])",
                "pay → {\"status\":\"charged\"}",
                "pay → {\"status\":\"declined\"}",
            ),
        ] {
            let parts = (
                &*difference.cause,
                &*difference.expected,
                &*difference.asked,
            );
            assert_eq!(parts, (cause, expected, asked));
        }
    }

    #[test]
    fn tools_messages_and_their_order_are_named() {
        let gone = changed(|request| request["tools"] = json!([]));
        assert_eq!(gone.cause, "the tool pay is not offered any more");
        let other = changed(|request| request["tools"][0]["name"] = "refund".into());
        assert_eq!(other.cause, "the tool pay is not offered any more");
        let more = changed(|request| {
            let tools = request["tools"].as_array_mut().unwrap();
            tools.push(json!({ "name": "refund" }));
        });
        assert_eq!(more.cause, "the tool refund is offered, and was not");
        let order = changed(|request| {
            let messages = request["messages"].as_array_mut().unwrap();
            messages.swap(1, 4);
        });
        assert!(order.cause.starts_with("the order of the messages"));
        let fewer = changed(|request| {
            request["messages"].as_array_mut().unwrap().pop();
        });
        assert_eq!(fewer.cause, "the agent sends fewer messages (messages[4])");
    }

    #[test]
    fn long_and_hostile_texts_are_cut_around_the_difference() {
        let long = "x".repeat(5000);
        let difference = of_texts(
            String::new(),
            &format!("{long}a{long}"),
            &format!("{long}\u{1b}\n{long}"),
        );
        assert!(difference.expected.starts_with("…x"));
        assert!(difference.expected.contains('a'));
        assert!(difference.expected.chars().count() < 170);
        assert!(difference.asked.contains("\\u{1b}"), "{}", difference.asked);
    }
}
