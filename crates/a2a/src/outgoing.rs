//! The requests to an agent: one request for each operation, in the dialect of its interface.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use url::Url;

use super::card::Interface;
use super::dialect::{A2aVersion, Binding, Dialect, Operation};
use super::part::translated;
use ananke_agents::TargetError;
use ananke_agents::http::{Method, below};
use ananke_base::message::RequestContext;

/// The URI of the traceability extension, whose use a client announces.
pub(super) const TRACEABILITY: &str =
    "https://github.com/a2aproject/a2a-samples/extensions/traceability/v1";

/// A message of the user, without the shape of a version.
#[derive(Clone)]
pub(super) struct OutgoingMessage<'a> {
    pub(super) id: &'a str,
    /// The context, once there is one.
    pub(super) context_id: Option<&'a str>,
    /// The task that the message belongs to, if one waits for it.
    pub(super) task_id: Option<&'a str>,
    /// The parts, in the shape of 1.0.
    pub(super) parts: Vec<Value>,
    pub(super) metadata: Map<String, Value>,
}

/// The way in which an agent is to answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answering<'a> {
    /// The media types that it may answer with, if that is said.
    pub(super) modes: Option<&'a [String]>,
    /// Whether it returns at once, and is polled.
    pub(super) is_polled: bool,
}

/// A request without the headers of the target.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct A2aRequest {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) body: Bytes,
}

/// The metadata of a message: properties, and under their own names the tools, the model and the user of the request.
pub(super) fn metadata(context: RequestContext) -> Map<String, Value> {
    let RequestContext {
        props,
        options,
        caller,
        // A test that adds to a request does not load for this protocol.
        request: _,
    } = context;
    let mut metadata = props;
    if !options.is_empty() {
        metadata.insert("options".to_owned(), Value::Object(options));
    }
    for (key, value) in caller {
        metadata.entry(key).or_insert(value);
    }
    metadata
}

/// The request that sends `message`.
pub(super) fn send(
    interface: &Interface,
    operation: Operation,
    id: &str,
    message: OutgoingMessage<'_>,
    answering: Answering<'_>,
) -> Result<A2aRequest, TargetError> {
    let Dialect { version, binding } = interface.dialect;
    let is_flat = version == A2aVersion::V03 && binding == Binding::JsonRpc;
    let parts = message
        .parts
        .into_iter()
        .map(|part| translated(part, interface.dialect))
        .collect();
    let is_old_http = version == A2aVersion::V03 && binding == Binding::HttpJson;
    let mut written = Map::new();
    let mut put = |key: &str, value: Value| written.insert(key.to_owned(), value);
    if is_flat {
        put("kind", json!("message"));
    }
    put("messageId", json!(message.id));
    if let Some(context_id) = message.context_id {
        put("contextId", json!(context_id));
    }
    if let Some(task_id) = message.task_id {
        put("taskId", json!(task_id));
    }
    put("role", json!(if is_flat { "user" } else { "ROLE_USER" }));
    put(
        if is_old_http { "content" } else { "parts" },
        Value::Array(parts),
    );
    if !message.metadata.is_empty() {
        put("metadata", Value::Object(message.metadata));
    }
    let mut params = Map::from_iter([("message".to_owned(), Value::Object(written))]);
    let configuration = configuration(version, operation, answering);
    if !configuration.is_empty() {
        params.insert("configuration".to_owned(), Value::Object(configuration));
    }
    let path = if operation == Operation::Stream {
        "message:stream"
    } else {
        "message:send"
    };
    request(interface, operation, id, params, Method::Post, &[path])
}

/// The request for the present state of a task.
pub(super) fn get_task(
    interface: &Interface,
    id: &str,
    task: &str,
) -> Result<A2aRequest, TargetError> {
    let params = Map::from_iter([("id".to_owned(), json!(task))]);
    request(
        interface,
        Operation::GetTask,
        id,
        params,
        Method::Get,
        &["tasks", task],
    )
}

fn configuration(
    version: A2aVersion,
    operation: Operation,
    answering: Answering<'_>,
) -> Map<String, Value> {
    let mut configuration = Map::new();
    if let Some(modes) = answering.modes {
        configuration.insert("acceptedOutputModes".to_owned(), json!(modes));
    }
    match (version, operation, answering.is_polled) {
        (A2aVersion::V1, Operation::Send, true) => {
            configuration.insert("returnImmediately".to_owned(), json!(true));
        }
        (A2aVersion::V03, Operation::Send, is_polled) => {
            configuration.insert("blocking".to_owned(), json!(!is_polled));
        }
        _ => {}
    }
    configuration
}

fn request(
    interface: &Interface,
    operation: Operation,
    id: &str,
    mut params: Map<String, Value>,
    method: Method,
    path: &[&str],
) -> Result<A2aRequest, TargetError> {
    let Interface {
        url,
        dialect: Dialect { version, binding },
        tenant,
    } = interface;
    match binding {
        Binding::JsonRpc => {
            params.extend(
                tenant
                    .iter()
                    .map(|tenant| ("tenant".to_owned(), json!(tenant))),
            );
            let body = json!({
                "jsonrpc": "2.0", "id": id, "method": operation.method(*version), "params": params,
            });
            Ok(A2aRequest {
                method: Method::Post,
                url: url.clone(),
                body: Bytes::from(body.to_string()),
            })
        }
        Binding::HttpJson => {
            let prefix = if *version == A2aVersion::V03 {
                Some("v1")
            } else {
                tenant.as_deref()
            };
            let url = below(url, prefix.into_iter().chain(path.iter().copied()))
                .ok_or_else(|| TargetError::new("the URL of the agent takes no path"))?;
            let body = match method {
                Method::Post => Bytes::from(Value::Object(params).to_string()),
                Method::Get | Method::Delete => Bytes::new(),
            };
            Ok(A2aRequest { method, url, body })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interface(version: A2aVersion, binding: Binding) -> Interface {
        Interface {
            url: "http://h/a/".parse().unwrap(),
            dialect: Dialect { version, binding },
            tenant: Some("t".to_owned()),
        }
    }

    fn sent(
        version: A2aVersion,
        binding: Binding,
        operation: Operation,
        is_polled: bool,
    ) -> (String, Value) {
        let message = OutgoingMessage {
            id: "m",
            context_id: Some("c"),
            task_id: None,
            parts: vec![json!({ "text": "hi" })],
            metadata: Map::new(),
        };
        let modes = ["text/plain".to_owned()];
        let answering = Answering {
            modes: Some(&modes),
            is_polled,
        };
        let sent = send(
            &interface(version, binding),
            operation,
            "1",
            message,
            answering,
        )
        .unwrap();
        (
            sent.url.to_string(),
            serde_json::from_slice(&sent.body).unwrap(),
        )
    }

    #[test]
    fn a_message_is_written_in_every_dialect() {
        use A2aVersion::{V1, V03};
        use Binding::{HttpJson, JsonRpc};
        use Operation::{Send, Stream};
        let new = json!({ "messageId": "m", "contextId": "c", "role": "ROLE_USER", "parts": [{ "text": "hi" }] });
        let flat = json!({ "kind": "message", "messageId": "m", "contextId": "c", "role": "user",
            "parts": [{ "kind": "text", "text": "hi" }] });
        let old = json!({ "messageId": "m", "contextId": "c", "role": "ROLE_USER", "content": [{ "text": "hi" }] });
        let modes = json!(["text/plain"]);
        let rpc = |method: &str, message: &Value, configuration: Value| {
            json!({ "jsonrpc": "2.0", "id": "1", "method": method,
                "params": { "message": message, "configuration": configuration, "tenant": "t" } })
        };
        assert_eq!(
            sent(V1, JsonRpc, Stream, false),
            (
                "http://h/a/".to_owned(),
                rpc(
                    "SendStreamingMessage",
                    &new,
                    json!({ "acceptedOutputModes": modes })
                )
            )
        );
        assert_eq!(
            sent(V1, JsonRpc, Send, true).1,
            rpc(
                "SendMessage",
                &new,
                json!({ "acceptedOutputModes": modes, "returnImmediately": true })
            )
        );
        assert_eq!(
            sent(V03, JsonRpc, Send, false).1,
            rpc(
                "message/send",
                &flat,
                json!({ "acceptedOutputModes": modes, "blocking": true })
            )
        );
        assert_eq!(
            sent(V1, HttpJson, Stream, false),
            (
                "http://h/a/t/message:stream".to_owned(),
                json!({ "message": new, "configuration": { "acceptedOutputModes": modes } })
            )
        );
        assert_eq!(
            sent(V03, HttpJson, Send, true),
            (
                "http://h/a/v1/message:send".to_owned(),
                json!({ "message": old, "configuration": { "acceptedOutputModes": modes, "blocking": false } })
            )
        );
    }

    #[test]
    fn a_task_is_asked_for_by_its_id() {
        let of = |version, binding| get_task(&interface(version, binding), "2", "a/b").unwrap();
        let polled = of(A2aVersion::V1, Binding::HttpJson);
        assert_eq!(
            (polled.method, polled.url.as_str()),
            (Method::Get, "http://h/a/t/tasks/a%2Fb")
        );
        assert!(polled.body.is_empty());
        let polled: Value =
            serde_json::from_slice(&of(A2aVersion::V03, Binding::JsonRpc).body).unwrap();
        assert_eq!(
            (&polled["method"], &polled["params"]["id"]),
            (&json!("tasks/get"), &json!("a/b"))
        );
    }
}
