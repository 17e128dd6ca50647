//! The fields of a request in which the user speaks, and those with the id of the conversation, by their names.
//!
//! **Invariant:** a request has one field in which the user speaks, or says itself where that is.

use serde_json::{Value, json};

use super::field_use::FieldUse;
use super::proposed_request::{ProposedContent, ProposedRequest};
use ananke_agents::TargetError;

/// Texts in examples that a reader of the document replaces.
const PLACEHOLDERS: [&str; 3] = ["string", "...", "<string>"];

/// The longest id that looks like an example; a longer one is that of a conversation that exists.
const LONGEST_EXAMPLE: usize = 15;

/// Puts `${INPUT}` where the user speaks, and `${THREAD_ID}` where an example has an id.
pub(super) fn find_input(request: &mut ProposedRequest) -> Result<(), TargetError> {
    // The body is taken out, because its fields are changed while the query of the same request is searched.
    let mut fields = InputFields::default();
    let mut body = std::mem::replace(&mut request.content, ProposedContent::None);
    match &mut body {
        ProposedContent::None => {}
        ProposedContent::Text(text) => fields.offer(text, FieldUse::Input(0)),
        ProposedContent::Json(value) => fields.value("", value),
        ProposedContent::Form(pairs) => fields.pairs(pairs),
    }
    fields.pairs(&mut request.query);
    let greeting = fields.take_best();
    let notes = fields.notes;
    request.content = body;
    request.notes = notes;
    if let Some(greeting) = greeting {
        request.greeting = greeting;
        request
            .notes
            .insert(0, "Guess: `${INPUT}` is where the user speaks.".to_owned());
    }
    if request.has_input() {
        return Ok(());
    }
    Err(
        TargetError::new("no field of the request looks like what the user says")
            .with_help("write `${INPUT}` in its place, in single quotes"),
    )
}

/// The fields of a request that may be what the user says.
#[derive(Default)]
struct InputFields<'r> {
    best: Option<(FieldUse, &'r mut String)>,
    /// Whether the request says by itself where that is.
    is_marked: bool,
    messages: Option<(String, &'r mut Value)>,
    notes: Vec<String>,
}

impl<'r> InputFields<'r> {
    fn offer(&mut self, text: &'r mut String, field_use: FieldUse) {
        // A literal `${` was written with two dollars.
        if text.contains("$${INPUT}") {
            *text = text.replace("$${INPUT}", "${INPUT}");
            self.is_marked = true;
            return;
        }
        let is_better = match &self.best {
            Some((best, _)) => field_use < *best,
            None => true,
        };
        if is_better {
            self.best = Some((field_use, text));
        }
    }

    fn text(&mut self, name: &str, text: &'r mut String) {
        match FieldUse::of_text(name) {
            FieldUse::Thread if !text.starts_with("${") => {
                if text.chars().count() > LONGEST_EXAMPLE {
                    self.notes.push(format!(
                        "`{name}` is an id of a conversation that exists, which all tests share: try `${{THREAD_ID}}`."
                    ));
                } else {
                    self.notes
                        .push(format!("Guess: `{name}` is the id of the conversation."));
                    "${THREAD_ID}".clone_into(text);
                }
            }
            // The query of GraphQL is no text of the user, because it names the fields of the API.
            FieldUse::Input(_) if name == "query" && text.contains('{') => {}
            field_use @ FieldUse::Input(_) => self.offer(text, field_use),
            _ if text.contains("$${INPUT}") => self.offer(text, FieldUse::Other),
            _ => {}
        }
    }

    fn pairs(&mut self, pairs: &'r mut [(String, String)]) {
        for (name, value) in pairs {
            let name = name.clone();
            self.text(&name, value);
        }
    }

    fn value(&mut self, name: &str, value: &'r mut Value) {
        let is_list = value.is_array();
        let list_use = FieldUse::of_list(name);
        if is_list && list_use == FieldUse::History {
            *value = json!("${HISTORY}");
            return;
        }
        if is_list
            && list_use == FieldUse::Messages
            && let Some(text) = last_text(value)
        {
            self.messages = Some((text, value));
            return;
        }
        match value {
            Value::String(text) => self.text(name, text),
            Value::Object(keys) => {
                for (key, value) in keys {
                    let key = key.clone();
                    self.value(&key, value);
                }
            }
            Value::Array(items) => {
                // The last message is that of this turn.
                let first = match list_use {
                    FieldUse::Messages => items.len().saturating_sub(1),
                    _ => 0,
                };
                for item in &mut items[first..] {
                    self.value(name, item);
                }
            }
            _ => {}
        }
    }

    /// Replaces the likeliest field; what it said.
    fn take_best(&mut self) -> Option<String> {
        // A request that says itself where the user speaks is not guessed about, since a guess could replace another field.
        if self.is_marked {
            return None;
        }
        if let Some((text, messages)) = self.messages.take() {
            *messages = json!("${MESSAGES}");
            return Some(text);
        }
        let (_, text) = self.best.take()?;
        let said = std::mem::replace(text, "${INPUT}".to_owned());
        if PLACEHOLDERS.contains(&said.as_str()) || said.trim().is_empty() {
            None
        } else {
            Some(said)
        }
    }
}

/// The text of the last message of a list in the usual form, whose authors are the user and the agent.
fn last_text(messages: &Value) -> Option<String> {
    let messages = messages.as_array()?;
    for message in messages {
        let keys = message.as_object()?;
        let role = keys.get("role")?.as_str()?;
        let is_usual = keys.len() == 2 && matches!(role, "user" | "assistant");
        if !is_usual || !keys.get("content")?.is_string() {
            return None;
        }
    }
    let last = messages.last()?;
    Some(last["content"].as_str()?.to_owned())
}
