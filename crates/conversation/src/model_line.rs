//! The line of a call to a model in a transcript.
//!
//! **Invariant:** the newest message of a request is shown, however long the request is: the older ones were in earlier lines.

use serde_json::{Value, json};

use ananke_trace::outcome::{ModelLine, bounded};
use ananke_trace::redact::excerpt;
use ananke_trace::trace::{
    LoggedModelCall, ModelAnswer, ModelRequest, PromptMessage, Tokens, Trace, TurnRanges,
};

/// The most bytes of messages of a request that are shown; older ones are omitted.
const MOST_MESSAGES: usize = 12 << 10;

/// The most characters of a text in the words of a line.
const MOST_WORDS: usize = 60;

/// The line of a call. Its texts are bounded.
pub(super) fn model_line(trace: &Trace, turn: &TurnRanges, logged: &LoggedModelCall) -> ModelLine {
    // Rules count the calls of a turn from 1, so that a line and a failure name the same call.
    let call = &logged.call;
    let mut number: u32 = 0;
    for other in trace.model_calls_of(turn.index) {
        if other.order <= logged.order {
            number += 1;
        }
    }
    // A number that no script or recording has is omitted, because any other would be taken for the true one.
    let mut input_tokens = None;
    let mut output_tokens = None;
    if let Some(usage) = logged.usage {
        input_tokens = Tokens::whole(usage.input);
        output_tokens = Tokens::whole(usage.output);
    }
    ModelLine {
        event: turn.numbered(logged.next_event),
        number,
        name: bounded(&call.name),
        model: bounded(&call.request.model),
        api: call.api.to_string(),
        attempts: logged.attempts,
        answered_by: call.answered_by,
        asked: bounded(&asked(&call.request)),
        answered: bounded(&answered(&call.answer)),
        request: bounded(&shown_request(&call.request).to_string()),
        answer: bounded(&json!(call.answer).to_string()),
        input_tokens,
        output_tokens,
    }
}

/// The newest message of a request in words.
fn asked(request: &ModelRequest) -> String {
    match request.messages.last() {
        None => "nothing".to_owned(),
        Some(PromptMessage::System(text)) => format!("system {}", quoted(text)),
        Some(PromptMessage::User { text, .. }) => format!("user {}", quoted(text)),
        Some(PromptMessage::Assistant { text, .. }) => format!("assistant {}", quoted(text)),
        Some(PromptMessage::Approval { is_approved, .. }) => {
            if *is_approved { "approved" } else { "denied" }.to_owned()
        }
        Some(PromptMessage::Result { .. }) => results(request),
    }
}

/// The results at the end of a request, by the names of their tools.
fn results(request: &ModelRequest) -> String {
    let mut names: Vec<&str> = Vec::new();
    for message in &request.messages {
        match message {
            PromptMessage::Result { call, .. } => {
                names.push(tool_of(request, call).unwrap_or("a"));
            }
            // The results before another message were in earlier lines.
            _ => names.clear(),
        }
    }
    let noun = if names.len() == 1 {
        "result"
    } else {
        "results"
    };
    format!("{} {noun}", names.join(", "))
}

/// The tool of the newest call with this id.
fn tool_of<'r>(request: &'r ModelRequest, id: &str) -> Option<&'r str> {
    // The newest call comes first, because some agents use an id again.
    for message in request.messages.iter().rev() {
        let PromptMessage::Assistant { calls, .. } = message else {
            continue;
        };
        for call in calls {
            if call.id == id {
                return Some(&call.tool);
            }
        }
    }
    None
}

/// The answer in words.
fn answered(answer: &ModelAnswer) -> String {
    let mut words = String::new();
    if !answer.text.is_empty() {
        words.push_str("say ");
        words.push_str(&quoted(&answer.text));
    }
    for call in &answer.calls {
        if !words.is_empty() {
            words.push_str(", ");
        }
        words.push_str("call ");
        words.push_str(&call.tool);
    }
    if words.is_empty() {
        return "nothing".to_owned();
    }
    words
}

/// A text between quotation marks, its end omitted if it is long.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(MOST_WORDS) {
        // A secret across the end is masked whole.
        Some((end, _)) => format!("\"{}…\"", excerpt(text, 0..end)),
        None => format!("\"{text}\""),
    }
}

/// A request with its newest messages, and the names of its tools.
fn shown_request(request: &ModelRequest) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    let mut bytes = 0;
    let mut rest = request.messages.as_slice();
    while let [older @ .., newest] = rest {
        rest = older;
        let message = json!(newest);
        bytes += message.to_string().len();
        // The newest message is there in any case: what is too long of it is cut later.
        if bytes > MOST_MESSAGES && !messages.is_empty() {
            break;
        }
        messages.push(message);
    }
    messages.reverse();
    let omitted = request.messages.len() - messages.len();
    // Names are enough, since descriptions and schemas are the same in every request.
    let mut tools = Vec::new();
    for tool in &request.tools {
        tools.push(tool.name.as_str());
    }
    let mut shown = json!({ "model": request.model, "messages": messages });
    if omitted > 0 {
        shown["omitted_messages"] = omitted.into();
    }
    if !tools.is_empty() {
        shown["tools"] = tools.into();
    }
    if !request.hosted_tools.is_empty() {
        shown["hosted_tools"] = request.hosted_tools.clone().into();
    }
    if !request.params.is_empty() {
        shown["params"] = request.params.clone().into();
    }
    shown
}
