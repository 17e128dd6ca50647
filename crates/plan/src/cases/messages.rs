//! The messages of a case: its input, messages and turns in, the conversation of a YAML test out.

use super::builder::{MapBuilder, list, text, text_at};
use super::lower::Lowering;
use super::options::put_options;
use super::simulation::is_continued;
use ananke_base::diagnostic::{Code, Span, Spanned};
use ananke_base::message::Role;
use ananke_base::source::{Node, NodeValue};
use ananke_model::model::{
    Arguments, CaseInput, CaseLine, CaseMessage, CaseTurn, MessageCall, Text, TextOr,
};

/// A message of a case, in the shape of YAML.
struct LoweredMessage {
    role: Role,
    content: Option<Node>,
    id: Option<Text>,
    name: Option<Text>,
    calls: Vec<Node>,
    answers: Option<Text>,
    span: Span,
}

impl Lowering<'_> {
    /// Puts the conversation of a case into the test.
    pub(super) fn conversation(&mut self, case: &CaseLine, test: &mut MapBuilder, span: Span) {
        let mut messages = self.first_messages(case);
        let mut turns = Vec::new();
        let is_said = |message: &LoweredMessage| {
            message.role == Role::User && message.id.is_none() && message.name.is_none()
        };
        let has_turns = case.turns.is_some();
        // The input of a simulated conversation is not one of its written turns.
        let is_initial = is_continued(case) && !has_turns;
        // A message that has more than content is said as the last one of `messages`, if it is.
        if let Some(last) = messages
            .pop_if(|last| last.role == Role::User && !is_initial && (has_turns || is_said(last)))
        {
            if !is_said(&last) {
                let message =
                    "the `id` and `name` of this message are not sent, since `turns` follow it";
                self.warn(Code::Contradiction, last.span, message);
            }
            let mut turn = MapBuilder::at(last.span);
            turn.put_some("user", last.content);
            turns.push(turn.finish());
        }
        for turn in case.turns.iter().flatten() {
            let turn = self.turn(turn);
            turns.extend(turn);
        }
        let has_written_turns = case.turns.iter().flatten().next().is_some();
        if messages.is_empty() && turns.is_empty() && !has_written_turns && !is_continued(case) {
            self.no_input(case, span);
        }
        test.put_list(
            "messages",
            messages.into_iter().map(LoweredMessage::node).collect(),
        );
        test.put_list("turns", turns);
    }

    /// The messages that a case begins with.
    fn first_messages(&mut self, case: &CaseLine) -> Vec<LoweredMessage> {
        if let (Some(input), Some(_)) = (&case.input, &case.messages) {
            let message = "`input` is not sent: `messages` takes precedence";
            self.warn(Code::Contradiction, input.span, message);
        }
        let Some(written) = case.messages.as_ref().or(case.input.as_ref()) else {
            return Vec::new();
        };
        self.messages(written)
    }

    fn no_input(&mut self, case: &CaseLine, span: Span) {
        match case.messages.as_ref().or(case.input.as_ref()) {
            Some(written) if written.value.0.is_empty() => {
                let message = "the input is empty, so nothing is sent";
                self.error(
                    Code::EmptyValue,
                    written.span,
                    message,
                    "write what the user says",
                );
            }
            Some(_) => {}
            None => {
                let message = "the key `input` is missing";
                self.error(
                    Code::MissingKey,
                    self.head(span),
                    message,
                    "add it: `\"input\": \"…\"`",
                );
            }
        }
    }

    fn turn(&mut self, written: &Spanned<CaseTurn>) -> Option<Node> {
        let CaseTurn {
            input,
            attachments,
            assertions,
            assert,
            assertion,
            expected,
            options,
        } = &written.value;
        let mut messages = self.messages(input);
        let assertions = [
            ("assertions", assertions.as_ref()),
            ("assert", assert.as_ref()),
            ("assertion", assertion.as_ref()),
        ];
        let rules = self.rules(assertions, expected.as_ref(), None, written.span);
        let last = messages.pop();
        let Some(last) = last.filter(|last| messages.is_empty() && last.role == Role::User) else {
            let message = "a turn sends one message of the user";
            let help = "put earlier messages into the `messages` of the case, and others into turns of their own";
            self.error(Code::BadValue, input.span, message, help);
            return None;
        };
        let mut turn = MapBuilder::at(written.span);
        turn.put_some("user", last.content);
        if let Some(attachments) = attachments {
            turn.put_list("attachments", self.parts(&attachments.0)?);
        }
        put_options(options.as_ref(), None, &mut turn);
        turn.put_map("assert", rules);
        Some(turn.finish())
    }

    fn messages(&mut self, written: &Spanned<CaseInput>) -> Vec<LoweredMessage> {
        let mut messages = Vec::new();
        for message in &written.value.0 {
            // A text alone is what the user says; in a list it has no sender.
            if matches!(message.value, TextOr::Text(_)) && message.span != written.span {
                let help = "write it as `{\"role\": \"user\", \"content\": …}`";
                let message_text = "expected a message, found a text in a list";
                self.error(Code::WrongType, message.span, message_text, help);
                continue;
            }
            messages.extend(self.message(message));
        }
        messages
    }

    /// One message; `None` if it is wrong.
    fn message(&mut self, written: &Spanned<TextOr<CaseMessage>>) -> Option<LoweredMessage> {
        let span = written.span;
        let CaseMessage {
            role,
            content,
            id,
            name,
            tool_calls,
            tool_call_id,
        } = match &written.value {
            TextOr::Text(words) => return Some(LoweredMessage::said(words)),
            TextOr::Mapping(message) => message.clone(),
        };
        let role = role.unwrap_or(Role::User);
        if content.is_none() && role == Role::User {
            let message = "the key `content` is missing: this message says nothing";
            self.error(Code::MissingKey, span, message, "add what is said");
            return None;
        }
        let content = match &content {
            Some(content) => Some(self.content(content)?),
            None => None,
        };
        let content = content.map(|content| {
            if role == Role::User {
                content
            } else {
                joined(content)
            }
        });
        let calls = tool_calls.iter().flatten().map(call).collect();
        Some(LoweredMessage {
            role,
            content,
            id,
            name,
            calls,
            answers: tool_call_id,
            span,
        })
    }
}

impl LoweredMessage {
    /// A text of the user.
    fn said(words: &Text) -> Self {
        Self {
            role: Role::User,
            content: Some(text(words)),
            id: None,
            name: None,
            calls: Vec::new(),
            answers: None,
            span: words.span,
        }
    }

    fn node(self) -> Node {
        let mut message = MapBuilder::at(self.span);
        message.put("role", text_at(self.span, self.role.as_str()));
        message.put_some("content", self.content);
        message.put_text("id", self.id.as_ref());
        message.put_text("name", self.name.as_ref());
        message.put_list("tool_calls", self.calls);
        message.put_text("tool_call_id", self.answers.as_ref());
        message.finish()
    }
}

fn call(written: &Spanned<MessageCall>) -> Node {
    let MessageCall { id, function, .. } = &written.value;
    let mut called = MapBuilder::at(written.span);
    called.put("name", text(&function.name));
    called.put_some(
        "arguments",
        function
            .arguments
            .as_ref()
            .map(|Arguments(node)| node.clone()),
    );
    let mut call = MapBuilder::at(written.span);
    call.put("id", text(id));
    call.put_map("function", called);
    call.finish()
}

/// Content of texts alone as one text: only users send parts.
fn joined(content: Node) -> Node {
    let NodeValue::List(parts) = &content.value else {
        return content;
    };
    let texts: Option<Vec<&str>> = parts
        .iter()
        .map(|part| part.get("text")?.as_str())
        .collect();
    match texts {
        Some(texts) => text_at(content.span, &texts.join("\n")),
        None => list(content.span, parts.clone()),
    }
}
