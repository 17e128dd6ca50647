//! The requests of a server to its client, and the answers: those of the turn, or a refusal.

use serde_json::{Map, Value, json};

use super::outgoing::Refusal;
use ananke_agents::Sink;
use ananke_base::message::{ServerAnswer, ServerRequest, ServerRequestKind};

/// A request of a server to its client.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Asked {
    /// The id that it gave.
    pub(super) id: Value,
    /// The method of the request.
    pub(super) method: String,
    /// The rest of the question.
    pub(super) params: Value,
}

/// The answer to a sampling request that is declined.
const REJECTED: Refusal = Refusal {
    code: -1,
    message: "User rejected sampling request",
};

/// JSON-RPC: there is no such method.
const NOT_FOUND: Refusal = Refusal {
    code: -32601,
    message: "Method not found",
};

/// Answers what a server asks, as the turn says.
pub(super) async fn answer(
    method: &str,
    params: Value,
    sink: &mut dyn Sink,
) -> Result<Value, Refusal> {
    let kind = match method {
        "ping" => return Ok(json!({})),
        "elicitation/create" => ServerRequestKind::Elicitation,
        "sampling/createMessage" => ServerRequestKind::Sampling,
        "roots/list" => ServerRequestKind::Roots,
        _ => return Err(NOT_FOUND),
    };
    let message = params
        .get("message")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let schema = params.get("requestedSchema").cloned().unwrap_or_default();
    let answer = sink
        .request(ServerRequest {
            kind,
            message,
            details: params,
        })
        .await;
    match (kind, answer) {
        (ServerRequestKind::Elicitation, ServerAnswer::Accepted(mut answer)) => {
            fill_defaults(&mut answer, &schema);
            Ok(answer)
        }
        (ServerRequestKind::Elicitation, ServerAnswer::Declined) => {
            Ok(json!({ "action": "decline" }))
        }
        (ServerRequestKind::Sampling, ServerAnswer::Accepted(answer)) => Ok(answer),
        (ServerRequestKind::Sampling, ServerAnswer::Declined) => Err(REJECTED),
        (ServerRequestKind::Roots, ServerAnswer::Accepted(roots)) => Ok(json!({ "roots": roots })),
        (ServerRequestKind::Roots, ServerAnswer::Declined) => Ok(json!({ "roots": [] })),
    }
}

/// Gives every value that is missing in an accepted answer the default that the server's schema has for it.
fn fill_defaults(answer: &mut Value, schema: &Value) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    let is_accepted = answer
        .get("action")
        .is_some_and(|action| action == "accept");
    let Some(answer) = answer.as_object_mut().filter(|_| is_accepted) else {
        return;
    };
    let content = answer.entry("content").or_insert_with(|| Map::new().into());
    let Some(content) = content.as_object_mut() else {
        return;
    };
    for (name, property) in properties {
        if let Some(default) = property.get("default")
            && !content.contains_key(name)
        {
            content.insert(name.clone(), default.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use futures_util::future::{BoxFuture, ready};

    use super::*;
    use ananke_agents::{Stop, Wire};
    use ananke_base::context::At;
    use ananke_trace::trace::Change;

    /// Gives this answer to everything.
    struct FixedAnswers(ServerAnswer);

    impl Sink for FixedAnswers {
        fn wire(&mut self, _: At, _: Wire<'_>) {}

        fn change(&mut self, _: At, _: Change<'_>) -> ControlFlow<Stop> {
            ControlFlow::Continue(())
        }

        fn request(&mut self, _: ServerRequest) -> BoxFuture<'_, ServerAnswer> {
            Box::pin(ready(self.0.clone()))
        }
    }

    #[tokio::test]
    async fn what_the_test_does_not_answer_is_declined() {
        for (method, expected) in [
            ("ping", Ok(json!({}))),
            ("roots/list", Ok(json!({ "roots": [] }))),
            ("elicitation/create", Ok(json!({ "action": "decline" }))),
            ("sampling/createMessage", Err(REJECTED)),
            ("tasks/list", Err(NOT_FOUND)),
        ] {
            let mut sink = FixedAnswers(ServerAnswer::Declined);
            assert_eq!(
                answer(method, Value::Null, &mut sink).await,
                expected,
                "{method}"
            );
        }
    }

    #[tokio::test]
    async fn an_accepted_answer_gets_the_defaults_that_it_does_not_give() {
        let properties =
            json!({ "size": { "default": 40 }, "color": { "default": "red" }, "name": {} });
        let params = json!({ "requestedSchema": { "properties": properties } });
        for (said, expected) in [
            (
                json!({ "action": "accept", "content": { "size": 42 } }),
                json!({ "action": "accept", "content": { "size": 42, "color": "red" } }),
            ),
            (
                json!({ "action": "accept" }),
                json!({ "action": "accept", "content": { "size": 40, "color": "red" } }),
            ),
            (json!({ "action": "cancel" }), json!({ "action": "cancel" })),
        ] {
            let mut sink = FixedAnswers(ServerAnswer::Accepted(said));
            assert_eq!(
                answer("elicitation/create", params.clone(), &mut sink).await,
                Ok(expected)
            );
        }
    }
}
