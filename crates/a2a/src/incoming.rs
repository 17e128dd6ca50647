//! The payloads that an agent sends, whatever its version and binding: the envelope is opened, and the shape is
//! recognized by its keys. Servers mix the method names, the nesting and the spelling of versions, so each is read by
//! itself.

use serde_json::{Map, Value};

/// The payload that an agent sends.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Payload {
    /// A task as it is now.
    Task(Value),
    /// A message without a task.
    Message(Value),
    /// The status of a task changed.
    Status(Value),
    /// A task has an artifact, or more of one.
    Artifact(Value),
    /// An artifact without an update around it.
    ArtifactAlone(Value),
    /// Something that is none of these.
    Unknown(Value),
}

/// An error that an agent reports instead of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReportedError {
    /// The code, as the agent wrote it.
    pub(super) code: Option<String>,
    /// The message.
    pub(super) message: String,
}

/// The constructor of a payload.
pub(super) type PayloadOf = fn(Value) -> Payload;

/// The members of a result in the shape of 1.0, with the older name of the second.
pub(super) const MEMBERS: [(&str, PayloadOf); 6] = [
    ("task", Payload::Task),
    ("message", Payload::Message),
    ("msg", Payload::Message),
    ("statusUpdate", Payload::Status),
    ("artifactUpdate", Payload::Artifact),
    ("artifact", Payload::ArtifactAlone),
];

/// Opens the envelope of JSON-RPC, which must be the response to the request `id`.
///
/// # Errors
/// The reason that it is not; the text follows `event 3 `.
pub(super) fn open_envelope(
    event: Value,
    id: &str,
) -> Result<Result<Value, ReportedError>, String> {
    let Value::Object(mut event) = event else {
        return Err("is not a JSON object".to_owned());
    };
    let (answered, result, error) = (
        event.remove("id"),
        event.remove("result"),
        event.remove("error"),
    );
    match (
        result.filter(|result| !result.is_null()),
        error.filter(|error| !error.is_null()),
    ) {
        // What the server could not read has no id that it could repeat.
        (None, Some(error)) => match answered {
            None | Some(Value::Null) => Ok(Err(reported(&error))),
            Some(answered) => is_answer_to(&answered, id).map(|()| Err(reported(&error))),
        },
        (Some(result), None) => {
            is_answer_to(&answered.unwrap_or_default(), id).map(|()| Ok(result))
        }
        _ => Err(
            "is not a response of JSON-RPC: it has neither a `result` nor an `error`".to_owned(),
        ),
    }
}

fn is_answer_to(answered: &Value, id: &str) -> Result<(), String> {
    // Ids are compared as text: some servers read a text of digits as a number.
    let answered = plain(answered);
    if answered == id {
        return Ok(());
    }
    let answered = ananke_base::source::printable(&answered);
    Err(format!(
        "answers the request `{answered}`, but the request that waits is `{id}`"
    ))
}

/// An error as the agent wrote it: an object of JSON-RPC or of Google's RPC status.
pub(super) fn reported(error: &Value) -> ReportedError {
    let code = error.get("code").filter(|code| !code.is_null()).map(plain);
    let message = error
        .get("message")
        .and_then(Value::as_str)
        .filter(|message| !message.is_empty());
    let message = message.map_or_else(|| error.to_string(), str::to_owned);
    ReportedError { code, message }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The payloads of a result.
///
/// # Errors
/// The reason that it has no meaning; the text follows `event 3 `.
pub(super) fn payloads(result: Value) -> Result<Vec<Payload>, String> {
    let Value::Object(mut result) = result else {
        return Err("has a result that is not an object".to_owned());
    };
    if let Some(payload) = flat(&result) {
        return Ok(vec![payload(Value::Object(result))]);
    }
    let mut found = Vec::new();
    for (name, payload) in MEMBERS {
        let member = result.remove(name).filter(|member| !member.is_null());
        found.extend(member.map(payload));
    }
    if found.is_empty() {
        found.push(Payload::Unknown(Value::Object(result)));
    }
    Ok(found)
}

/// The constructor for a result in the shape of 0.3, or for one without an envelope of its own.
fn flat(result: &Map<String, Value>) -> Option<PayloadOf> {
    let has = |key: &str| result.get(key).is_some_and(|value| !value.is_null());
    match result.get("kind").and_then(Value::as_str) {
        Some("task") => return Some(Payload::Task),
        Some("message") => return Some(Payload::Message),
        Some("status-update") => return Some(Payload::Status),
        Some("artifact-update") => return Some(Payload::Artifact),
        _ => {}
    }
    if has("status") && has("id") {
        return Some(Payload::Task);
    }
    if has("taskId") && has("status") {
        return Some(Payload::Status);
    }
    if has("taskId") && has("artifact") {
        return Some(Payload::Artifact);
    }
    (has("messageId") && (has("parts") || has("content"))).then_some(Payload::Message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_envelope_answers_the_request_that_waits() {
        let open = |event: Value| open_envelope(event, "1");
        assert_eq!(
            open(json!({ "id": "1", "result": { "a": 1 } })),
            Ok(Ok(json!({ "a": 1 })))
        );
        for id in [json!("1"), Value::Null] {
            let error = json!({ "id": id, "error": { "code": -32603, "message": "boom" } });
            let reported = ReportedError {
                code: Some("-32603".to_owned()),
                message: "boom".to_owned(),
            };
            assert_eq!(open(error), Ok(Err(reported)));
        }
        for (event, why) in [
            (
                json!({ "id": "2", "result": {} }),
                "answers the request `2`, but the request that waits is `1`",
            ),
            (
                json!({ "result": {} }),
                "answers the request `null`, but the request that waits is `1`",
            ),
            (
                json!({ "id": "1" }),
                "is not a response of JSON-RPC: it has neither a `result` nor an `error`",
            ),
            (json!([]), "is not a JSON object"),
        ] {
            assert_eq!(open(event), Err(why.to_owned()));
        }
    }

    #[test]
    fn every_shape_of_a_result_is_known() {
        let task = json!({ "id": "t", "status": { "state": "working" } });
        for (result, payload) in [
            (json!({ "task": task }), Payload::Task(task.clone())),
            (task.clone(), Payload::Task(task.clone())),
            (
                json!({ "message": { "parts": [] } }),
                Payload::Message(json!({ "parts": [] })),
            ),
            (
                json!({ "msg": { "parts": [] } }),
                Payload::Message(json!({ "parts": [] })),
            ),
            (
                json!({ "statusUpdate": { "taskId": "t" } }),
                Payload::Status(json!({ "taskId": "t" })),
            ),
            (
                json!({ "artifactUpdate": { "taskId": "t" } }),
                Payload::Artifact(json!({ "taskId": "t" })),
            ),
        ] {
            assert_eq!(payloads(result), Ok(vec![payload]));
        }
        for (kind, payload) in [
            ("task", Payload::Task as PayloadOf),
            ("message", Payload::Message),
            ("status-update", Payload::Status),
            ("artifact-update", Payload::Artifact),
        ] {
            let result = json!({ "kind": kind });
            assert_eq!(payloads(result.clone()), Ok(vec![payload(result)]));
        }
    }

    #[test]
    fn a_task_and_an_artifact_in_one_event_are_both_there() {
        let (task, artifact) = (json!({ "id": "t" }), json!({ "parts": [] }));
        let found = payloads(json!({ "task": task, "artifact": artifact }));
        assert_eq!(
            found,
            Ok(vec![Payload::Task(task), Payload::ArtifactAlone(artifact)])
        );
        let unknown = json!({ "hologramUpdate": { "taskId": "t" } });
        assert_eq!(
            payloads(unknown.clone()),
            Ok(vec![Payload::Unknown(unknown)])
        );
        assert!(payloads(json!("task")).is_err());
    }
}
