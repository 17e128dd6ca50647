//! What a conversation knows when it sends a request: the messages so far, and the values that responses gave.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::event::ResponseEvent;
use super::request::{CapturedFrom, FilledRequest, RequestTemplate, ResponseCapture, THREAD};
use super::seen_keys::SeenKeys;
use super::settings::HttpAgentSettings;
use ananke_agents::{Action, TargetError};
use ananke_base::message::{ContentPart, HistoryMessage, InterruptAnswer, Role, UserContent};

/// The messages and values of a conversation.
#[derive(Clone)]
pub(crate) struct HttpConversation {
    pub(crate) settings: Arc<HttpAgentSettings>,
    /// The thread, if it is known.
    pub(crate) thread: Option<String>,
    messages: Vec<(Speaker, String)>,
    captured: BTreeMap<String, Value>,
    /// The number of the turn, from 1.
    turn: u64,
    /// What the user says in this turn; empty if the turn answers an interrupt.
    input: String,
    /// The interrupt that this turn answers.
    answer: Option<InterruptAnswer>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Speaker {
    User,
    Agent,
}

impl HttpConversation {
    /// A conversation after `history`. Calls and their results are not sent back, and instructions have no place in a request.
    pub(crate) fn new(settings: Arc<HttpAgentSettings>, history: Vec<HistoryMessage>) -> Self {
        let mut messages = Vec::new();
        for message in history {
            let speaker = match message.role {
                Role::User => Speaker::User,
                Role::Assistant => Speaker::Agent,
                Role::System | Role::Developer | Role::Tool => continue,
            };
            // A message that only calls tools says nothing.
            if let Some(content) = message.content {
                messages.push((speaker, content.text().into_owned()));
            }
        }
        Self {
            thread: settings.thread.clone(),
            settings,
            messages,
            captured: BTreeMap::new(),
            turn: 0,
            input: String::new(),
            answer: None,
        }
    }

    /// Begins a turn, and returns its main request.
    ///
    /// # Errors
    /// If a request has no place for what the turn says.
    pub(crate) fn begin_turn(&mut self, action: Action) -> Result<RequestTemplate, TargetError> {
        self.turn += 1;
        self.input.clear();
        self.answer = None;
        match action {
            Action::User { content, .. } => {
                if has_file(&content) {
                    let message =
                        "a target of the type `http` sends text alone, and the turn has files";
                    return Err(TargetError::new(message)
                        .with_help("remove the `attachments`, or test the agent with a program"));
                }
                self.input = content.text().into_owned();
                self.messages.push((Speaker::User, self.input.clone()));
                Ok(self.settings.main.clone())
            }
            Action::Resume(mut answers) => {
                let Some(resume) = &self.settings.resume else {
                    return Err(TargetError::new("the target has no `resume`"));
                };
                if answers.len() > 1 {
                    let message = "several interrupts are open, and a request answers one";
                    return Err(TargetError::new(message));
                }
                self.answer = answers.pop();
                Ok(resume.request.clone())
            }
            // Tests with such turns do not load.
            Action::Continue | Action::Connect | Action::ToolResults(_) | Action::Own { .. } => {
                Err(TargetError::new(
                    "the agent takes messages of the user alone",
                ))
            }
        }
    }

    /// Adds what the agent said in the turn.
    pub(crate) fn add_reply(&mut self, texts: &[String]) {
        self.messages.push((Speaker::Agent, texts.join("\n")));
    }

    /// Fills a request.
    ///
    /// # Errors
    /// If a value that it needs is not known yet.
    pub(crate) fn fill(&self, template: &RequestTemplate) -> Result<FilledRequest, TargetError> {
        template.fill(&|name| self.value(name))
    }

    /// The value of a variable that is known when a request is sent.
    pub(crate) fn value(&self, name: &str) -> Option<Value> {
        match name {
            "INPUT" => Some(Value::from(self.input.as_str())),
            "TURN" => Some(Value::from(self.turn)),
            THREAD => Some(Value::from(self.thread.as_deref()?)),
            "MESSAGES" => Some(self.listed(&self.messages)),
            "HISTORY" => {
                let before = self.messages.len().saturating_sub(1);
                Some(self.listed(&self.messages[..before]))
            }
            "RESUME" => self.answer.as_ref()?.payload.clone(),
            "RESUME_ID" => Some(Value::from(self.answer.as_ref()?.id.as_str())),
            "RESUME_STATUS" => {
                let resume = self.settings.resume.as_ref()?;
                let status = if self.answer.as_ref()?.is_resolved {
                    &resume.resolved
                } else {
                    &resume.cancelled
                };
                Some(Value::from(status.as_str()))
            }
            _ => self.captured.get(name).cloned(),
        }
    }

    /// Messages as the API has them.
    fn listed(&self, messages: &[(Speaker, String)]) -> Value {
        let (user, agent) = &self.settings.roles;
        let mut list = Vec::new();
        for (speaker, text) in messages {
            let role = match speaker {
                Speaker::User => user,
                Speaker::Agent => agent,
            };
            let message = self.settings.message.value(&|name| match name {
                "ROLE" => Some(Value::from(role.as_str())),
                "TEXT" => Some(Value::from(text.as_str())),
                _ => None,
            });
            // Both variables have a value, so that filling cannot fail.
            if let Ok(Some(message)) = message {
                list.push(message);
            }
        }
        Value::Array(list)
    }

    /// Keeps a value of a response.
    pub(crate) fn keep(&mut self, name: String, value: Value) {
        self.captured.insert(name, value);
    }

    /// Keeps the captured values of a response that is one document.
    ///
    /// # Errors
    /// If one is missing that has no value from an earlier response.
    pub(crate) fn capture(
        &mut self,
        captures: &[ResponseCapture],
        head: &[(String, String)],
        event: Option<&ResponseEvent>,
    ) -> Result<(), TargetError> {
        let mut seen = SeenKeys::default();
        if let Some(event) = event {
            seen.add(event);
            for capture in captures {
                if let CapturedFrom::Body(pick) = &capture.source
                    && let Some(hit) = pick.first(event.searched())
                {
                    self.keep(capture.name.clone(), hit.value.into_owned());
                }
            }
        }
        self.capture_head(captures, head, &seen)
    }

    /// Keeps what is captured of the head of a response, and checks that each capture has a value by now.
    ///
    /// # Errors
    /// If one has none: the message lists the keys that were `seen`.
    pub(crate) fn capture_head(
        &mut self,
        captures: &[ResponseCapture],
        head: &[(String, String)],
        seen: &SeenKeys,
    ) -> Result<(), TargetError> {
        for capture in captures {
            let name = &capture.name;
            if let Some(value) = capture.in_headers(head) {
                self.keep(name.clone(), value);
            }
            if self.captured.contains_key(name) {
                continue;
            }
            let missing = match &capture.source {
                CapturedFrom::Body(pick) => {
                    let paths = pick.words();
                    let words = seen.words(paths.trim_matches('"'));
                    format!("{paths} found nothing in the response. {words}")
                }
                CapturedFrom::Header(header) => format!("the response has no header `{header}`"),
                CapturedFrom::Cookie(cookie) => format!("the response sets no cookie `{cookie}`"),
            };
            return Err(TargetError::new(format!("the capture `{name}`: {missing}")));
        }
        Ok(())
    }
}

/// Whether a message has a file.
fn has_file(content: &UserContent) -> bool {
    match content {
        UserContent::Text(_) => false,
        UserContent::Parts(parts) => parts
            .iter()
            .any(|part| matches!(part, ContentPart::File(_))),
    }
}
