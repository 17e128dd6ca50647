//! A client of one server: requests and their responses, and what the server asks meanwhile.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::config::McpProtocol;
use super::connection::Connection;
use super::era::{self, ProtocolEra};
use super::outgoing::Outgoing;
use super::rpc_response::McpResponse;
use super::server_requests;
use super::talk::{Break, Talk, TalkEnd};
use ananke_agents::{Ended, TargetError};
use ananke_base::context::At;
use ananke_base::message::ServerRequestKind;

/// The number of requests of a server that are answered during one request to it.
const MOST_ASKED: usize = 1000;

/// The number of rounds in which a server may ask for input before it answers a request.
const MOST_ROUNDS: usize = 25;

/// A client of one server.
pub(super) struct Client {
    pub(super) connection: Connection,
    /// The eras that may be spoken.
    pub(super) protocol: McpProtocol,
    /// The era of the protocol that the server supports, once that is known.
    pub(super) era: Option<ProtocolEra>,
    /// The kinds of requests that the server may send.
    pub(super) offered: Arc<[ServerRequestKind]>,
    /// Whether the tools must be known before the first turn.
    pub(super) declares_tools: bool,
    last_id: u64,
    abandoned: Vec<u64>,
    /// The request that waits and can be cancelled.
    unanswered: Option<u64>,
}

/// A request that waits for its response.
pub(super) struct PendingRequest {
    pub(super) id: u64,
    /// The moment at which it was sent.
    pub(super) at: At,
    method: &'static str,
    params: Map<String, Value>,
}

impl Client {
    pub(super) fn new(
        connection: Connection,
        protocol: McpProtocol,
        offered: Arc<[ServerRequestKind]>,
    ) -> Self {
        Self {
            connection,
            protocol,
            era: None,
            offered,
            declares_tools: false,
            last_id: 0,
            abandoned: Vec::new(),
            unanswered: None,
        }
    }

    /// Sends a request. `params` are its own; what every request of its era says is added.
    pub(super) async fn ask(
        &mut self,
        method: &'static str,
        params: Map<String, Value>,
        talk: &mut Talk<'_>,
    ) -> Result<PendingRequest, Break> {
        let mut sent = params.clone();
        let id = self.last_id + 1;
        if matches!(method, "tools/call" | "resources/read" | "prompts/get") {
            sent.insert("_meta".to_owned(), json!({ "progressToken": id }));
        }
        let (id, at) = self.send(method, sent, talk).await?;
        self.unanswered = Some(id);
        Ok(PendingRequest {
            id,
            at,
            method,
            params,
        })
    }

    /// Sends a request as it is, apart from what every request of its era says.
    pub(super) async fn send(
        &mut self,
        method: &'static str,
        mut params: Map<String, Value>,
        talk: &mut Talk<'_>,
    ) -> Result<(u64, At), Break> {
        self.last_id += 1;
        let id = self.last_id;
        if self.era == Some(ProtocolEra::Modern) {
            let meta = params.entry("_meta").or_insert_with(|| json!({}));
            if let Some(meta) = meta.as_object_mut() {
                meta.extend(era::meta(&self.offered));
            }
        }
        talk.incoming.abandoned.clone_from(&self.abandoned);
        talk.incoming.await_response(id);
        let at = self
            .connection
            .send(&Outgoing::Request { id, method, params }, talk)
            .await?;
        Ok((id, at))
    }

    /// Waits for the response to a request, and gives the server the input that it needs for it.
    pub(super) async fn response(
        &mut self,
        mut pending: PendingRequest,
        talk: &mut Talk<'_>,
    ) -> Result<McpResponse, Break> {
        for _ in 0..=MOST_ROUNDS {
            let until = talk.until(pending.at);
            let Some(response) = self.next_response(until, talk).await? else {
                return Err(talk.timed_out(until));
            };
            self.unanswered = None;
            let Ok(result) = &response.result else {
                return Ok(response);
            };
            if self.era != Some(ProtocolEra::Modern) || !needs_input(result)? {
                return Ok(response);
            }
            let params = with_input(&pending, result, talk).await?;
            pending = self.ask(pending.method, params, talk).await?;
        }
        let message =
            format!("the server asked for input more than {MOST_ROUNDS} times before it answered");
        Err(TargetError::new(message).into())
    }

    /// Waits for the next response, but not longer than that, and answers what the server asks meanwhile.
    pub(super) async fn next_response(
        &mut self,
        until: At,
        talk: &mut Talk<'_>,
    ) -> Result<Option<McpResponse>, Break> {
        let mut asked = 0;
        loop {
            while let Some(question) = talk.incoming.take_asked() {
                asked += 1;
                if asked > MOST_ASKED {
                    let message = format!(
                        "the server asked more than {MOST_ASKED} things before it answered"
                    );
                    return Err(TargetError::new(message).into());
                }
                let answer =
                    server_requests::answer(&question.method, question.params, talk.sink).await;
                self.connection
                    .send(
                        &Outgoing::Response {
                            id: question.id,
                            answer,
                        },
                        talk,
                    )
                    .await?;
            }
            if let Some(response) = talk.incoming.take_response() {
                return Ok(Some(response));
            }
            let read = self.connection.read(until, talk).await;
            if let Err(Break::Failed(_)) = &read {
                // A server that is gone needs no cancellation.
                self.unanswered = None;
            }
            let read = read.map_err(|ended| match ended {
                Break::Failed(error) => Break::Failed(talk.incoming.with_noise(error)),
                ended @ Break::Ended(_) => ended,
            });
            match read? {
                Ended::Terminal => {
                    if let Some(answer) = talk.incoming.take_unrecognised() {
                        return Err(answer.error().into());
                    }
                }
                Ended::Timeout => return Ok(None),
                Ended::Cancelled => return Err(Break::Ended(Ended::Cancelled)),
            }
        }
    }

    /// Ignores the responses to all requests that wait.
    pub(super) fn abandon(&mut self, talk: &mut Talk<'_>) {
        self.abandoned.extend(talk.incoming.abandon());
    }

    /// Ends the connection, and returns what is odd about how the server ended it.
    pub(super) async fn close(&mut self, end: TalkEnd) -> Vec<String> {
        let cancelled = self
            .unanswered
            .filter(|_| end == TalkEnd::Failed)
            .map(|id| Outgoing::Notification {
                method: "notifications/cancelled",
                params: Map::from_iter([
                    ("requestId".to_owned(), id.into()),
                    ("reason".to_owned(), "the client stopped waiting".into()),
                ]),
            });
        self.connection.close(end, cancelled.as_ref()).await
    }
}

/// Whether a server needs input before it can answer.
fn needs_input(result: &Value) -> Result<bool, TargetError> {
    match result.get("resultType").map(|kind| kind.as_str()) {
        None | Some(Some("complete")) => Ok(false),
        Some(Some("input_required")) => Ok(true),
        Some(kind) => {
            let kind = kind
                .map(|kind| format!(" `{}`", ananke_base::source::printable(kind)))
                .unwrap_or_default();
            Err(TargetError::new(format!(
                "the result has an unknown `resultType`{kind}"
            )))
        }
    }
}

/// The parameters of the same request with the input that the server asks for.
async fn with_input(
    pending: &PendingRequest,
    result: &Value,
    talk: &mut Talk<'_>,
) -> Result<Map<String, Value>, TargetError> {
    let requests = result.get("inputRequests").and_then(Value::as_object);
    let mut responses = Map::new();
    for (key, request) in requests.into_iter().flatten() {
        let method = request
            .get("method")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let params = request.get("params").cloned().unwrap_or_default();
        let answer = server_requests::answer(method, params, talk.sink).await;
        let answer = answer.map_err(|_refused| {
            let method = ananke_base::source::printable(method);
            TargetError::new(format!(
                "the server needs input by `{method}`, which the turn does not give"
            ))
            .with_help("give the answer in `respond` of the turn")
        })?;
        responses.insert(key.clone(), answer);
    }
    let mut params = pending.params.clone();
    params.insert("inputResponses".to_owned(), responses.into());
    if let Some(state) = result.get("requestState") {
        params.insert("requestState".to_owned(), state.clone());
    }
    Ok(params)
}
