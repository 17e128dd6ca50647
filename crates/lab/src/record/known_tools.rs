//! The tools that the client of a conversation executed: what it answered, and the mocks that answer the same.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value, json};

use ananke_base::message::{ToolAnswer, ToolDeclaration};
use ananke_base::source::received_json;
use ananke_model::variables::literal_value;
use ananke_trace::redact::Redactor;

/// The client-side tools of a conversation that was held before; none by default.
#[derive(Default)]
pub struct KnownTools {
    declarations: Vec<ToolDeclaration>,
    /// The answers of the client, by the id of the call.
    answers: HashMap<String, ToolAnswer>,
    used: Mutex<UsedAnswers>,
}

/// The answers that were used, in their order: the tool of each, and the answer.
#[derive(Default)]
struct UsedAnswers {
    redactor: Redactor,
    answers: Vec<(String, ToolAnswer)>,
}

impl KnownTools {
    /// These tools, with the answers of the client by the id of the call.
    pub fn new(declarations: Vec<ToolDeclaration>, answers: HashMap<String, ToolAnswer>) -> Self {
        Self {
            declarations,
            answers,
            used: Mutex::default(),
        }
    }

    fn used(&self) -> MutexGuard<'_, UsedAnswers> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Secrets are masked with `redactor` from now on.
    pub(super) fn mask(&self, redactor: &Redactor) {
        self.used().redactor = redactor.clone();
    }

    /// Whether the client executed the tool of this name.
    pub(super) fn executes(&self, tool: &str) -> bool {
        self.declarations
            .iter()
            .any(|declared| declared.name == tool)
    }

    /// The answer of the client to this call to a tool.
    pub(super) fn answer(&self, tool: &str, call: &str) -> ToolAnswer {
        let answer = self
            .answers
            .get(call)
            .cloned()
            .unwrap_or_else(|| ToolAnswer {
                call: call.to_owned(),
                content: "the client has not answered this call".into(),
                is_error: true,
            });
        self.used().answers.push((tool.to_owned(), answer.clone()));
        answer
    }

    /// The tools as a test writes them; those that were called have mocks that answer the same.
    pub fn written(&self) -> Vec<Value> {
        let used = self.used();
        let declared = self.declarations.iter().map(|tool| {
            let answers = used.answers.iter().filter(|(name, _)| *name == tool.name);
            let mocks: Vec<Value> = answers
                .map(|(_, answer)| mock(answer, &used.redactor))
                .collect();
            let mut written = Map::from_iter([("name".to_owned(), json!(tool.name))]);
            if !tool.description.is_empty() {
                written.insert("description".to_owned(), json!(tool.description));
            }
            if tool.parameters.is_object() {
                written.insert("parameters".to_owned(), tool.parameters.clone());
            }
            let mock = match mocks.as_slice() {
                [] => json!("none"),
                [only] => only.clone(),
                several => json!({ "sequence": several }),
            };
            written.insert("mock".to_owned(), mock);
            literal_value(Value::Object(written))
        });
        declared.collect()
    }
}

/// The mock that answers this, secrets masked.
fn mock(answer: &ToolAnswer, redactor: &Redactor) -> Value {
    let text = redactor.text(&answer.text()).into_owned();
    let kind = if answer.is_error { "error" } else { "result" };
    // JSON reads better than a text with JSON in it, where both are sent as the same text.
    let json = received_json::read(&text)
        .ok()
        .map(|read| read.value)
        .filter(|value| {
            let written = value.to_string();
            !answer.is_error && !value.is_string() && written == text
        });
    json!({ kind: json.unwrap_or_else(|| text.into()) })
}
