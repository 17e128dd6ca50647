//! The rule of a script that answers a request.

use serde_json::Value;

use crate::compiled_script::{CompiledModelRule, ModelCondition};
use ananke_model::variables::Pattern;
use ananke_trace::trace::{ModelRequest, PromptMessage};

/// A request as conditions see it.
pub(crate) struct AskedRequest<'r> {
    /// The number of the call of its lane, from 1.
    pub(crate) call: u64,
    /// The end of the path.
    pub(crate) path: &'r str,
    /// The request, with the conversation that it goes on from.
    pub(crate) request: &'r ModelRequest,
}

/// The first rule that answers the request, with its place in the list.
pub(crate) fn matching_rule<'s>(
    rules: &'s [CompiledModelRule],
    asked: &AskedRequest<'_>,
) -> Option<(usize, &'s CompiledModelRule)> {
    let mut rules = rules.iter().enumerate();
    rules.find(|(_, rule)| matches(&rule.when, asked))
}

/// Whether all of the condition is true.
fn matches(when: &ModelCondition, asked: &AskedRequest<'_>) -> bool {
    // Numbers come first, because texts may be long.
    if let Some(call) = when.call
        && call != asked.call
    {
        return false;
    }
    if let Some(wire) = when.wire
        && wire.path() != asked.path
    {
        return false;
    }
    let request = asked.request;
    if !finds(when.model.as_ref(), &request.model) {
        return false;
    }
    if !finds(when.user.as_ref(), last_user_text(request)) {
        return false;
    }
    if let Some(pattern) = &when.system
        && !pattern.is_match(&system_text(request))
    {
        return false;
    }
    for name in &when.offered {
        if !request.tools.iter().any(|tool| tool.name == *name) {
            return false;
        }
    }
    let results = new_results(request);
    for (tool, pattern) in &when.result {
        let mut of_tool = results.iter().filter(|result| result.tool == tool);
        if !of_tool.any(|result| pattern.is_match(&result.text())) {
            return false;
        }
    }
    true
}

/// Whether there is no pattern, or it finds something in the text.
fn finds(pattern: Option<&Pattern>, text: &str) -> bool {
    match pattern {
        Some(pattern) => pattern.is_match(text),
        None => true,
    }
}

/// The text of the last message of the user; empty if there is none.
pub(crate) fn last_user_text(request: &ModelRequest) -> &str {
    for message in request.messages.iter().rev() {
        if let PromptMessage::User { text, .. } = message {
            return text;
        }
    }
    ""
}

/// The instructions, one after the other in lines of their own.
fn system_text(request: &ModelRequest) -> String {
    let mut texts = Vec::new();
    for message in &request.messages {
        if let PromptMessage::System(text) = message {
            texts.push(text.as_str());
        }
    }
    texts.join("\n")
}

/// A result that came since the last answer of the model.
pub(crate) struct NewResult<'r> {
    /// The tool's name; empty if the request does not have the call.
    pub(crate) tool: &'r str,
    content: &'r Value,
}

impl NewResult<'_> {
    /// The result as a text: JSON if it is no text.
    pub(crate) fn text(&self) -> String {
        match self.content {
            Value::String(text) => text.clone(),
            value => value.to_string(),
        }
    }
}

/// The results since the last answer of the model, in their order.
pub(crate) fn new_results(request: &ModelRequest) -> Vec<NewResult<'_>> {
    let mut results = Vec::new();
    for message in &request.messages {
        match message {
            // The results before another answer were there when the model gave it.
            PromptMessage::Assistant { .. } => results.clear(),
            PromptMessage::Result { call, content, .. } => results.push(NewResult {
                tool: tool_of_call(request, call),
                content,
            }),
            PromptMessage::System(_)
            | PromptMessage::User { .. }
            | PromptMessage::Approval { .. } => {}
        }
    }
    results
}

/// The tool of the call with this id; empty if no message has it.
fn tool_of_call<'r>(request: &'r ModelRequest, id: &str) -> &'r str {
    for message in request.messages.iter().rev() {
        if let PromptMessage::Assistant { calls, .. } = message {
            for call in calls {
                if call.id == id {
                    return &call.tool;
                }
            }
        }
    }
    ""
}
