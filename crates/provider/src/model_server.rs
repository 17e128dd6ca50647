//! The server that an agent's own code asks instead of a provider.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use globset::GlobSet;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::embeddings::{self, embeddings};
use crate::evidence::{WholeRequest, lane_of_baggage, lane_of_path, letters_of_ids};
use crate::lane_paths::{LivePathRequest, PathRequestStep};
use crate::lane_recording::LiveCall;
use crate::lane_request::{LaneAnswer, LaneRequest};
use crate::lane_request::{ModelRequestEntry, logged_body, source_of};
use crate::matching::last_user_text;
use crate::model_lane::{LaneReply, ModelLane, with_request};
use crate::model_lanes::{LaneEvidence, ModelLanes};
use crate::model_list::model_list;
use crate::problem::{ModelProblem, ModelProblemKind};
use crate::recorded::sent;
use crate::stored_messages::StoredMessages;
use crate::upstream::OutgoingRequest;
use ananke_agents::http_server::{ReceivedRequest, RequestHandler, SentResponse};
use ananke_agents::{ModelApiError, ModelBody, ModelWire, ServedResponse, model_wires};
use ananke_base::context::fingerprint;
use ananke_model::model::ModelPace;
use ananke_model::variables::masked_query;

/// The most bytes of a request: 64 MiB.
const MOST_BYTES: usize = 64 << 20;

/// The header by which SDKs of OpenAI and Anthropic number their attempts, from 0.
const RETRY_COUNT: &str = "x-stainless-retry-count";

/// An observer of what a server does.
pub trait ModelListener: Send + Sync {
    /// A request was answered.
    fn request(&self, entry: &ModelRequestEntry);

    /// A problem that belongs to no lane for certain.
    fn unattributed(&self, problem: &ModelProblem);
}

/// A model of a server, or of another one that gets requests for it.
pub struct ServedModel {
    /// The names that its requests have; empty for a model that its address alone distinguishes.
    pub names: GlobSet,
    /// The tests that ask it.
    pub lanes: Arc<ModelLanes>,
}

/// A server that replaces the provider of a model.
pub struct ModelServer {
    /// The lanes of the model that its address is of.
    lanes: Arc<ModelLanes>,
    /// Every model, among them its own.
    models: Arc<[ServedModel]>,
    listener: Arc<dyn ModelListener>,
    stored: StoredMessages,
    requests: AtomicU64,
}

/// A response, and what the log says of it.
struct Answered {
    response: ServedResponse,
    lane: Option<String>,
    wire: Option<&'static str>,
    source: String,
    /// The pace of its frames.
    pace: ModelPace,
}

/// A request that the provider answers.
struct LiveRequest<'r> {
    wire: &'static dyn ModelWire,
    body: &'r ModelBody,
    asked: &'r LaneRequest<'r>,
    lane: &'r ModelLane,
}

/// The part of any body that names a model.
#[derive(Deserialize)]
struct NamedModel {
    model: String,
}

impl ModelServer {
    /// A server of these lanes. Requests whose model has a name in `models` belong there.
    pub fn new(
        lanes: Arc<ModelLanes>,
        models: Arc<[ServedModel]>,
        listener: Arc<dyn ModelListener>,
    ) -> Self {
        Self {
            lanes,
            models,
            listener,
            stored: StoredMessages::default(),
            requests: AtomicU64::new(0),
        }
    }

    async fn respond(&self, request: ReceivedRequest) -> SentResponse {
        let number = self.requests.fetch_add(1, Ordering::Relaxed) + 1;
        let target = masked_query(&request.target).into_owned();
        let (of_path, path) = lane_of_path(request.path());
        let (_, own_target) = lane_of_path(&request.target);
        let own_target = own_target.to_owned();
        // A base URL that ends with a slash adds one to some paths.
        let path = match path.trim_end_matches('/') {
            "" => "/".to_owned(),
            path => path.to_owned(),
        };
        let encoding = request.header("content-encoding").map(str::to_owned);
        let of_baggage = lane_of_baggage(&request);
        let is_repeated = request
            .header(RETRY_COUNT)
            .is_some_and(|count| count != "0");
        let method = request.method.clone();
        let answered = match request.body.whole(MOST_BYTES).await {
            Ok(body) => {
                let whole = WholeRequest {
                    method: method.clone(),
                    path,
                    of_path,
                    of_baggage,
                    is_repeated,
                    encoding,
                    target: own_target,
                    headers: request.headers,
                    body: body.clone(),
                };
                (self.answer(&whole).await, logged_body(&body))
            }
            Err(error) => {
                let problem = ModelProblem::new(ModelProblemKind::Unread, error.to_string());
                self.listener.unattributed(&problem);
                (Answered::text(413, &problem), Value::Null)
            }
        };
        let (answered, body) = answered;
        self.listener.request(&ModelRequestEntry {
            number,
            lane: answered.lane,
            wire: answered.wire,
            method,
            path: target,
            body,
            status: answered.response.status,
            answered: answered.source,
        });
        sent(answered.response, answered.pace)
    }

    async fn answer(&self, request: &WholeRequest) -> Answered {
        // Clients look at the list of models before they ask one, so that this needs neither a lane nor a script.
        let path = request.path.as_str();
        if matches!(request.method.as_str(), "GET" | "HEAD") {
            if path == "/" || path.ends_with("/v1") {
                return Answered::json(200, &json!({ "status": "ok" }), "nothing");
            }
            if let Some(list) = model_list(path) {
                return Answered::json(200, &list, "nothing");
            }
        }
        if request.method == "POST" {
            for wire in model_wires() {
                if path.ends_with(wire.path()) {
                    return self.ask(wire, request).await;
                }
            }
        }
        if request.is_call_of_other_api() {
            return self.unknown_path(request);
        }
        if let Some(answered) = self.ask_path(request).await {
            return answered;
        }
        if request.method == "POST" && path.ends_with(embeddings::PATH) {
            return self.embed(request);
        }
        self.unknown_path(request)
    }

    /// The lanes of the model with this name.
    fn lanes_of(&self, model: &str) -> &ModelLanes {
        for served in self.models.iter() {
            if served.names.is_match(model) {
                return &served.lanes;
            }
        }
        &self.lanes
    }

    /// The lanes of the model that a body names, whatever else is in it.
    fn lanes_of_request(&self, request: &WholeRequest) -> &ModelLanes {
        match serde_json::from_slice::<NamedModel>(&request.body) {
            Ok(named) => self.lanes_of(&named.model),
            Err(_) => &self.lanes,
        }
    }

    /// The answer to a request of this API.
    async fn ask(&self, wire: &'static dyn ModelWire, request: &WholeRequest) -> Answered {
        let body = match request.read(wire) {
            Ok(body) => body,
            Err(why) => {
                let message = format!("the body is not a valid request of {}: {why}", wire.name());
                let problem = ModelProblem::new(ModelProblemKind::Unread, message);
                self.report(request, &problem);
                return Answered::refused(wire, &problem, None);
            }
        };
        let asked = match &body.previous {
            None => Some(body.request.clone()),
            Some(id) => self.stored.resolved(&body.request, id),
        };
        let seen = asked.as_ref().unwrap_or(&body.request);
        let of_lane = LaneRequest {
            api: wire.name(),
            provider: wire.provider(),
            path: wire.path(),
            request: seen,
            api_version: request.api_version(),
            is_streamed: body.is_streamed,
            body: &request.body,
            fingerprint: fingerprint(&request.body),
            is_repeated: request.is_repeated,
        };
        let lanes = self.lanes_of(&body.request.model);
        let lane = match self.lane(lanes, &of_lane, request) {
            Ok(lane) => lane,
            Err(problem) => return Answered::refused(wire, &problem, None),
        };
        if asked.is_none() {
            let id = body.previous.as_deref().unwrap_or_default();
            let message =
                format!("a request goes on from the response `{id}`, which was not given here");
            let problem = ModelProblem::new(ModelProblemKind::Unread, message);
            lane.add_problem(problem.clone());
            return Answered::refused(wire, &problem, Some(&lane));
        }
        match lane.answer(&of_lane) {
            Ok(LaneReply::Answer(answer)) => {
                self.stored.store(&answer.id, seen, &answer.answer);
                Answered::of(wire, &body, &answer, &lane)
            }
            Ok(LaneReply::Live(live)) => {
                let asked = LiveRequest {
                    wire,
                    body: &body,
                    asked: &of_lane,
                    lane: &lane,
                };
                self.ask_provider(&asked, live, request).await
            }
            Err(problem) => Answered::refused(wire, &problem, Some(&lane)),
        }
    }

    /// The answer of the provider, which the lane keeps.
    async fn ask_provider(
        &self,
        live: &LiveRequest<'_>,
        call: LiveCall,
        request: &WholeRequest,
    ) -> Answered {
        let outgoing = OutgoingRequest {
            method: "POST",
            target: &request.target,
            api_path: live.wire.path(),
            headers: &request.headers,
            body: call.body.clone(),
        };
        let lane = live.lane;
        let response = match call.upstream.ask(outgoing, &*call.clock).await {
            Ok(response) => response,
            Err(reason) => {
                let problem = no_answer(call.upstream.origin(), &reason);
                lane.add_problem(problem.clone());
                return Answered::refused(live.wire, &problem, Some(lane));
            }
        };
        let status = response.status;
        // A refusal goes back as it is. The agent may send the request again, and only the answer to that is recorded.
        if status != 200 {
            lane.fail(&format!("the last one got the status {status}"));
            return live.passed_back(response);
        }
        match live.wire.read_answer(response.clone()) {
            Ok(answer) => match lane.keep(live.asked, &call, &response, answer) {
                Some(kept) => {
                    self.stored
                        .store(&kept.id, live.asked.request, &kept.answer);
                    Answered::of(live.wire, live.body, &kept, lane)
                }
                None => live.passed_back(response),
            },
            Err(reason) => {
                let message = format!("an answer of the provider cannot be recorded: {reason}");
                lane.add_problem(ModelProblem::new(ModelProblemKind::Upstream, message));
                live.passed_back(response)
            }
        }
    }

    /// The lane that a request belongs to.
    ///
    /// # Errors
    /// If it is not certain, which is a problem of every lane that it may belong to.
    fn lane(
        &self,
        lanes: &ModelLanes,
        asked: &LaneRequest<'_>,
        request: &WholeRequest,
    ) -> Result<Arc<ModelLane>, ModelProblem> {
        if let Some(background) = lanes.background()
            && background.has_rule_for(asked)
        {
            return Ok(Arc::clone(background));
        }
        let evidence = LaneEvidence {
            letters: letters_of_ids(&request.body),
            user_text: last_user_text(asked.request).to_owned(),
            ..request.evidence()
        };
        lanes.find(&evidence).map_err(|problem| {
            let problem = with_request(problem, asked.request, asked.api);
            if !lanes.add_to_candidates(&problem) {
                self.listener.unattributed(&problem);
            }
            problem
        })
    }

    /// The recorded response to a request that is no call, or that of the provider; `None` if its lane has a script.
    async fn ask_path(&self, request: &WholeRequest) -> Option<Answered> {
        let lanes = self.lanes_of_request(request);
        let lane = match lanes.find(&request.whole_evidence()) {
            Ok(lane) => lane,
            Err(problem) if lanes.have_recordings() => {
                self.report(request, &problem);
                return Some(Answered::json(400, &error_body(&problem), "miss"));
            }
            Err(_) => return None,
        };
        let answered = match lane.path_step(&request.path_request()) {
            Ok(None) => return None,
            Ok(Some(PathRequestStep::Recorded(number, response, pace))) => Answered {
                response: ServedResponse::clone(&response),
                source: format!("request {number}"),
                pace,
                ..Answered::json(200, &Value::Null, "")
            },
            Ok(Some(PathRequestStep::Live(asked))) => pass_on(&lane, *asked, request).await,
            Err(problem) => Answered::json(400, &error_body(&problem), "miss"),
        };
        Some(Answered {
            lane: Some(lane.name().to_owned()),
            ..answered
        })
    }

    fn embed(&self, request: &WholeRequest) -> Answered {
        let lane = self.lanes_of_request(request).find(&request.evidence());
        // Vectors are the same for every lane, so that an uncertain one does no harm.
        if let Ok(lane) = &lane
            && let Err(problem) = lane.embed()
        {
            return Answered::json(400, &error_body(&problem), "miss");
        }
        match embeddings(&request.body) {
            Ok(answer) => Answered::json(200, &answer, "hash"),
            Err(why) => {
                let message = format!("the body is not a valid request for embeddings: {why}");
                let problem = ModelProblem::new(ModelProblemKind::Unread, message);
                self.report(request, &problem);
                Answered::json(400, &error_body(&problem), "miss")
            }
        }
    }

    fn unknown_path(&self, request: &WholeRequest) -> Answered {
        let mut paths = Vec::new();
        for wire in model_wires() {
            paths.push(wire.path());
        }
        paths.push(embeddings::PATH);
        let path = masked_query(&request.path);
        let message = format!("there is nothing at {} {path}", request.method);
        let problem = ModelProblem::new(ModelProblemKind::UnknownPath, message)
            .fact(format!("known ends of a path are {}", paths.join(", ")))
            .help(help_for_path(path.as_ref()));
        self.report(request, &problem);
        Answered::json(404, &error_body(&problem), "miss")
    }

    /// Reports a problem of a request whose conversation is not known.
    fn report(&self, request: &WholeRequest, problem: &ModelProblem) {
        let lanes = self.lanes_of_request(request);
        match lanes.find(&request.evidence()) {
            Ok(lane) => lane.add_problem(problem.clone()),
            Err(_) => {
                if !lanes.add_to_candidates(problem) {
                    self.listener.unattributed(problem);
                }
            }
        }
    }
}

impl LiveRequest<'_> {
    /// The response of the provider, of which nothing is kept.
    fn passed_back(&self, response: ServedResponse) -> Answered {
        Answered {
            response,
            lane: Some(self.lane.name().to_owned()),
            wire: Some(self.wire.name()),
            source: "live".to_owned(),
            pace: ModelPace::None,
        }
    }
}

impl RequestHandler for ModelServer {
    fn handle(&self, request: ReceivedRequest) -> BoxFuture<'_, Option<SentResponse>> {
        Box::pin(async { Some(self.respond(request).await) })
    }
}

impl Answered {
    /// The answer of a lane: as it was recorded, or made for the request.
    fn of(
        wire: &'static dyn ModelWire,
        body: &ModelBody,
        answer: &LaneAnswer,
        lane: &ModelLane,
    ) -> Self {
        let mut response = match &answer.recorded {
            Some(recorded) => ServedResponse::clone(recorded),
            None => wire.answer(body, &answer.id, &answer.round),
        };
        let mut pace = ModelPace::None;
        if let Some(takes) = answer.takes {
            pace = ModelPace::Recorded;
            // A response that is made again has no times of its own, so that it comes at the end.
            if answer.recorded.is_none() {
                for frame in &mut response.frames {
                    frame.after = takes;
                }
            }
        }
        Self {
            response,
            lane: Some(lane.name().to_owned()),
            wire: Some(wire.name()),
            source: source_of(answer.answered_by),
            pace,
        }
    }

    /// The refusal of a request in the form of its API, which its SDK does not send again.
    fn refused(
        wire: &'static dyn ModelWire,
        problem: &ModelProblem,
        lane: Option<&ModelLane>,
    ) -> Self {
        let message = problem.line();
        let response = wire.error(&ModelApiError {
            status: 400,
            error_type: "invalid_request_error",
            code: Some(problem.kind.as_str()),
            message: &message,
        });
        Self {
            response: not_again(response),
            lane: lane.map(|lane| lane.name().to_owned()),
            wire: Some(wire.name()),
            source: "miss".to_owned(),
            pace: ModelPace::None,
        }
    }

    fn json(status: u16, body: &Value, source: &str) -> Self {
        let frame = ananke_agents::ServedFrame {
            after: Duration::ZERO,
            bytes: Bytes::from(body.to_string()),
        };
        let response = ServedResponse::new(status, "application/json", vec![frame]);
        Self {
            response: if status < 400 {
                response
            } else {
                not_again(response)
            },
            lane: None,
            wire: None,
            source: source.to_owned(),
            pace: ModelPace::None,
        }
    }

    fn text(status: u16, problem: &ModelProblem) -> Self {
        Self::json(status, &error_body(problem), "miss")
    }
}

/// The response of the provider to a request that is no call, which the lane keeps.
async fn pass_on(lane: &ModelLane, asked: LivePathRequest, request: &WholeRequest) -> Answered {
    let call = &asked.live;
    let outgoing = OutgoingRequest {
        method: &request.method,
        target: &request.target,
        api_path: request.path_of_api(),
        headers: &request.headers,
        body: call.body.clone(),
    };
    let response = match call.upstream.ask(outgoing, &*call.clock).await {
        Ok(response) => response,
        Err(reason) => {
            let problem = no_answer(call.upstream.origin(), &reason);
            lane.add_problem(problem.clone());
            return Answered::json(400, &error_body(&problem), "miss");
        }
    };
    // Such a refusal says nothing of the request, so that only the answer to a later attempt is recorded.
    match response.status {
        401 | 403 | 408 | 429 | 500.. => {
            lane.fail(&format!("the last one got the status {}", response.status));
        }
        _ => lane.keep_path(&asked, &response),
    }
    Answered {
        response,
        ..Answered::json(200, &Value::Null, "live")
    }
}

/// The problem of a provider that cannot be asked.
fn no_answer(origin: &str, reason: &str) -> ModelProblem {
    let message = format!("the provider at {origin} does not answer: {reason}");
    ModelProblem::new(ModelProblemKind::Upstream, message)
}

/// The remedy for a request to a path that no API has.
fn help_for_path(path: &str) -> &'static str {
    if path.contains(":generateContent") || path.contains(":streamGenerateContent") {
        "the API of Gemini is not answered: let the agent use another provider in its tests"
    } else {
        "give the SDK another base URL, or another API of its provider"
    }
}

/// The error of a request of no API, in the form that most SDKs read.
fn error_body(problem: &ModelProblem) -> Value {
    let message = problem.line();
    let code = problem.kind.as_str();
    json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": code } })
}

/// The response with the header by which SDKs of OpenAI and Anthropic know not to send the request again.
fn not_again(mut response: ServedResponse) -> ServedResponse {
    response
        .headers
        .push(("x-should-retry".to_owned(), "false".to_owned()));
    response
}
