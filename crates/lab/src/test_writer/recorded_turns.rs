//! Turns of a test that say what a simulator or a person said.

use serde_json::{Map, Value, json};

use super::text_with_references::{node_with_references, text_with_references};
use crate::lab_error::LabError;
use ananke_base::message::{
    AnswerTo, OwnTurn, PendingAnswer, RequestAdditions, TurnInput, UserContent,
};
use ananke_base::source::Node;
use ananke_model::model::{connect_type_name, resume_type_name};

/// The turn `number`, counted from 1, as a test writes it.
///
/// # Errors
/// If no turn can say it.
pub(crate) fn written_turn(input: &TurnInput, number: usize) -> Result<Node, LabError> {
    match input {
        TurnInput::User(UserContent::Text(text)) => Ok(Node::of_json(
            &json!({ "user": text_with_references(text) }),
        )),
        TurnInput::Resume(answers) => Ok(resume(answers)),
        TurnInput::Connect => Ok(Node::of_json(&json!({ "type": connect_type_name() }))),
        TurnInput::Own(OwnTurn { kind, keys }) => {
            let mut written = Map::from_iter([("type".to_owned(), kind.name.into())]);
            written.extend(keys.clone());
            Ok(node_with_references(&Value::Object(written)))
        }
        TurnInput::User(UserContent::Parts(_)) | TurnInput::Continue => {
            let message =
                format!("what turn {number} sent cannot be written as a turn: it is not a text");
            Err(LabError::Refused {
                message,
                help: None,
            })
        }
    }
}

/// The `request` of a turn, which adds to that of its target.
pub(super) fn written_request(request: &RequestAdditions) -> Node {
    let mut written = Map::new();
    for (key, pairs) in [("headers", &request.headers), ("query", &request.query)] {
        if !pairs.is_empty() {
            let pairs = pairs
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)));
            written.insert(key.to_owned(), Value::Object(pairs.collect()));
        }
    }
    if !request.body.is_empty() {
        written.insert("body".to_owned(), Value::Object(request.body.clone()));
    }
    node_with_references(&Value::Object(written))
}

fn resume(answers: &[PendingAnswer]) -> Node {
    let answer = |answer: &PendingAnswer| {
        let mut keys = Map::new();
        match &answer.to {
            AnswerTo::TheOnlyOne => {}
            AnswerTo::Id(id) => _ = keys.insert("id".to_owned(), json!(id)),
            AnswerTo::Tool(tool) => _ = keys.insert("tool".to_owned(), json!(tool)),
        }
        let status = if answer.is_resolved {
            "resolved"
        } else {
            "cancelled"
        };
        keys.insert("status".to_owned(), json!(status));
        keys.extend(
            answer
                .payload
                .iter()
                .map(|payload| ("payload".to_owned(), payload.clone())),
        );
        Value::Object(keys)
    };
    let answers: Vec<Value> = answers.iter().map(answer).collect();
    node_with_references(&json!({ "type": resume_type_name(), "resume": answers }))
}
