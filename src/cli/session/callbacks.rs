//! What ananke asks the client for: to execute a tool, and to be a model.

use std::sync::Arc;
use std::time::Duration;

use ananke::agents::Transport;
use ananke::agents::http::HttpTransport;
use ananke::context::Context;
use ananke::program_transport;
use ananke::testing::{ExecutedCall, ToolClosure};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::client::Client;

/// The lane of the questions to a caller's model that is the agent of its session.
pub(super) const AGENT_LANE: &str = "agent";

/// The lane of those to a caller's model that judges.
pub(super) const JUDGE_LANE: &str = "judge";

/// Executes the calls to a tool that a client brought: what it answers, or the error as `{"error": message}`.
pub(super) fn tool(
    client: &Client,
    session: &str,
    name: &str,
    limit: Option<Duration>,
) -> ToolClosure {
    let (client, session, name) = (client.clone(), session.to_owned(), name.to_owned());
    Arc::new(move |call: ExecutedCall| {
        let (client, session, name) = (client.clone(), session.clone(), name.clone());
        Box::pin(async move {
            let error = |message: String| json!({ "error": message });
            let ExecutedCall { id, arguments } = call;
            if !arguments.is_object() {
                return Err(error(format!("the arguments of `{name}` are not a JSON object")));
            }
            let params = json!({
                "session": session, "name": name, "arguments": arguments, "tool_call_id": id,
            });
            let answer = client.ask("tool/call", params, limit).await;
            let answer = answer.map_err(|failed| error(failed.into_message()))?;
            match answer {
                Value::Object(mut answer) if answer.contains_key("output") => {
                    Ok(answer.remove("output").unwrap_or_default())
                }
                _ => Err(error("the answer to `tool/call` has no `output`".to_owned())),
            }
        }) as BoxFuture<'static, Result<Value, Value>>
    })
}

/// The way to a caller's model, and over the network to all others.
pub(super) fn model(
    client: &Client,
    session: &str,
    context: &Context,
    limit: Option<Duration>,
) -> Arc<dyn Transport> {
    let (client, session) = (client.clone(), session.to_owned());
    let network = Arc::new(HttpTransport::new(Arc::clone(&context.clock)));
    let ask = move |lane: String, messages: Value, tools: Value| {
        let (client, session) = (client.clone(), session.clone());
        Box::pin(async move {
            let params = json!({
                "session": session, "purpose": lane, "messages": messages, "tools": tools,
            });
            let answer = client.ask("model/call", params, limit).await;
            match answer.map_err(|failed| failed.into_message())? {
                Value::Object(mut answer) if answer.contains_key("message") => {
                    Ok(answer.remove("message").unwrap_or_default())
                }
                _ => Err("the answer to `model/call` has no `message`".to_owned()),
            }
        }) as BoxFuture<'static, Result<Value, String>>
    };
    program_transport(network, Arc::clone(&context.clock), ask)
}
