//! The requests of ananke to the client: to execute a tool, to be a model, and to be an agent.

use std::sync::Arc;
use std::time::Duration;

use ananke::agents::external::ExternalTransport;
use ananke::testing::{ClientCall, ToolClosure};
use ananke::{agents::Transport, agents::http::HttpTransport, context::Context, program_transport};
use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::client_turns::{ClientTurns, TurnOwner};
use super::session_client::SessionClient;
use super::session_messages::{
    ModelCallback, ModelCallbackAnswer, ModelPurpose, ToolCallback, ToolCallbackAnswer,
};

/// The lane of the questions to a caller's model that is the agent of its session.
pub(super) const AGENT_LANE: &str = "agent";

/// The lane of those to a caller's model that judges.
pub(super) const JUDGE_LANE: &str = "judge";

/// The other side as one session asks it.
#[derive(Clone)]
pub(super) struct Callbacks {
    pub(super) client: SessionClient,
    /// The name of the session.
    pub(super) session: String,
    /// The time that an answer may take.
    pub(super) limit: Duration,
    /// The turns of the client's own agents.
    pub(super) turns: ClientTurns,
}

impl Callbacks {
    /// Executes the calls to the tool `name`, as one of a mock if there is one: the result, or the error as
    /// `{"error": message}`.
    pub(super) fn tool(&self, name: &str, mock: Option<&str>) -> ToolClosure {
        let (callbacks, name) = (self.clone(), name.to_owned());
        let mock = mock.map(str::to_owned);
        Arc::new(move |call: ClientCall| {
            let (callbacks, name, mock) = (callbacks.clone(), name.clone(), mock.clone());
            Box::pin(async move {
                let error = |message: String| json!({ "error": message });
                let ClientCall { id, arguments } = call;
                if !arguments.is_object() {
                    let message = format!("the arguments of `{name}` are not a JSON object");
                    return Err(error(message));
                }
                let session = callbacks.session.clone();
                let params = ToolCallback {
                    session,
                    name,
                    arguments,
                    tool_call_id: id,
                    mock,
                };
                let params = serde_json::to_value(params).unwrap_or_default();
                let answer = callbacks
                    .ask::<ToolCallbackAnswer>("tool/call", params)
                    .await;
                answer.map(|answer| answer.output).map_err(error)
            }) as BoxFuture<'static, Result<Value, Value>>
        })
    }

    /// The way to the client's model and to its own agent, and over the network to all others.
    pub(super) fn transport(&self, context: &Context) -> Arc<dyn Transport> {
        let callbacks = self.clone();
        let network = Arc::new(HttpTransport::new(Arc::clone(&context.clock)));
        let ask = move |lane: String, messages: Value, tools: Value| {
            let callbacks = callbacks.clone();
            Box::pin(async move {
                let purpose = if lane == JUDGE_LANE {
                    ModelPurpose::Judge
                } else {
                    ModelPurpose::Agent
                };
                let params = ModelCallback {
                    session: callbacks.session.clone(),
                    purpose,
                    messages,
                    tools,
                };
                let params = serde_json::to_value(params).unwrap_or_default();
                let answer = callbacks
                    .ask::<ModelCallbackAnswer>("model/call", params)
                    .await;
                answer.map(|answer| answer.message)
            }) as BoxFuture<'static, Result<Value, String>>
        };
        let models = program_transport(network, Arc::clone(&context.clock), Arc::new(ask));
        let agents = self.clone();
        let clock = Arc::clone(&context.clock);
        Arc::new(ExternalTransport::new(
            models,
            clock,
            Arc::new(move |turn| {
                let owner = TurnOwner::Session(&agents.session);
                agents.turns.begin(&agents.client, owner, turn)
            }),
        ))
    }

    /// Asks the client, and reads the answer; in words why there is none.
    async fn ask<A: DeserializeOwned>(&self, method: &str, params: Value) -> Result<A, String> {
        let answer = self.client.ask(method, params, self.limit).await?;
        serde_json::from_value(answer)
            .map_err(|error| format!("the answer to `{method}` is wrong: {error}"))
    }
}
