//! Address and envelope of each request: to the agent itself, or to one of the two interfaces of a `CopilotKit` runtime.

use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;
use url::Url;

use ananke_agents::Received;

use super::{AguiSettings, AguiTransport};
use crate::run_state::RequestPurpose;

/// The methods of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RuntimeMethod {
    Run,
    Connect,
    Stop,
}

impl From<RequestPurpose> for RuntimeMethod {
    fn from(purpose: RequestPurpose) -> Self {
        match purpose {
            RequestPurpose::Run => Self::Run,
            RequestPurpose::Connect => Self::Connect,
        }
    }
}

impl RuntimeMethod {
    fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Connect => "connect",
            Self::Stop => "stop",
        }
    }
}

/// The envelope for a runtime with a single route.
#[derive(Serialize)]
struct Envelope<'a> {
    method: String,
    params: Parameters<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a RawValue>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parameters<'a> {
    agent_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    thread_id: Option<&'a str>,
}

/// The remedy if a runtime is asked like an agent.
pub(super) const USE_OF_RUNTIME: &str = "a runtime of CopilotKit takes other requests: set `transport: copilotkit`, or `copilotkit-rest` if it has several routes";

/// Whether an answer is that of a `CopilotKit` runtime which is asked like an agent: it misses the method of its envelope, or
/// knows nothing at the base of its routes.
pub(super) fn is_refused_by_runtime(settings: &AguiSettings, received: &Received) -> bool {
    let is_refused = received
        .status
        .is_some_and(|status| (400..500).contains(&status));
    let body = &received.first_bytes;
    let misses_method = body.contains("\"invalid_request\"") && body.contains("method");
    let is_at_runtime = settings.endpoint.path().contains("copilotkit");
    settings.transport == AguiTransport::Http && is_refused && (misses_method || is_at_runtime)
}

/// The address and the body of a request; `input` is that of the run, and missing for `Stop`.
///
/// # Errors
/// If the body cannot be serialized.
pub(super) fn request(
    settings: &AguiSettings,
    method: RuntimeMethod,
    thread_id: &str,
    input: Option<Box<RawValue>>,
) -> Result<(Url, Bytes), serde_json::Error> {
    let bare = |input: Option<Box<RawValue>>| {
        Bytes::from(input.map_or_else(
            || "{}".to_owned(),
            |input| String::from(Box::<str>::from(input)),
        ))
    };
    match settings.transport {
        AguiTransport::Http => Ok((settings.endpoint.clone(), bare(input))),
        AguiTransport::CopilotkitRest => Ok((path(settings, method, thread_id), bare(input))),
        AguiTransport::Copilotkit => {
            let params = Parameters {
                agent_id: &settings.agent,
                thread_id: (method == RuntimeMethod::Stop).then_some(thread_id),
            };
            let method = format!("agent/{}", method.name());
            let body = serde_json::to_vec(&Envelope {
                method,
                params,
                body: input.as_deref(),
            })?;
            Ok((settings.endpoint.clone(), Bytes::from(body)))
        }
    }
}

/// `{endpoint}/agent/{agentId}/run`, each part escaped.
fn path(settings: &AguiSettings, method: RuntimeMethod, thread_id: &str) -> Url {
    let mut url = settings.endpoint.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments
            .pop_if_empty()
            .extend(["agent", &settings.agent, method.name()]);
        if method == RuntimeMethod::Stop {
            segments.push(thread_id);
        }
    }
    url
}
