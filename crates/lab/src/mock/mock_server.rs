//! Answers requests over HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;

use super::request_log::LogEntry;
use super::response_stream::response_stream;
use super::{EntryBody, Fault, MockAgent, RequestEnd, RequestEntry, RequestListener, Speed};
use ananke_agents::http_server::{ReceivedRequest, RequestHandler, SentResponse};
use ananke_agents::{
    ServedFrame, ServedProtocol, ServedRequest, ServedResponse, served_protocols,
    served_protocols_at,
};
use ananke_base::text::any_of;
use ananke_model::variables::masked_query;
use ananke_recording::AgentAnswer;
use ananke_trace::redact::masked_header;

/// The header that asks for a fault.
const FAULT_HEADER: &str = "x-ananke-fault";

/// The most bytes of a request: 64 MiB.
const MOST_BYTES: usize = 64 << 20;

/// The way in which requests are answered.
#[derive(Clone, Debug)]
pub struct MockOptions {
    /// The speed of answers.
    pub speed: Speed,
    /// The faults that occur.
    pub faults: Vec<Fault>,
    /// With how many requests something goes wrong; `None` with all.
    pub fault_requests: Option<u64>,
}

/// Answers requests as an agent does.
pub struct MockServer {
    agent: Box<dyn MockAgent>,
    options: MockOptions,
    listener: Arc<dyn RequestListener>,
    requests: AtomicU64,
    /// The number of requests that were read by a protocol.
    answered: AtomicU64,
}

/// The reply that is sent, and the entry of the log so far.
enum MockReply {
    Send(ServedResponse),
    Stall,
    Close,
}

impl MockServer {
    /// A server of `agent`; `listener` gets an entry of each request.
    pub fn new(
        agent: Box<dyn MockAgent>,
        options: MockOptions,
        listener: Arc<dyn RequestListener>,
    ) -> Self {
        Self {
            agent,
            options,
            listener,
            requests: AtomicU64::new(0),
            answered: AtomicU64::new(0),
        }
    }

    async fn respond(&self, request: ReceivedRequest) -> Option<SentResponse> {
        let mut entry = self.entry(&request);
        let origin = request.header("origin").map(str::to_owned);
        let asked_headers = request
            .header("access-control-request-headers")
            .map(str::to_owned);
        let asked_fault = request.header(FAULT_HEADER).map(str::parse::<Fault>);
        let reply = match request.method.as_str() {
            "OPTIONS" => MockReply::Send(ServedResponse::new(204, "", Vec::new())),
            method => {
                let method = method.to_owned();
                let path = request.path().to_owned();
                match request.body.whole(MOST_BYTES).await {
                    Ok(body) => {
                        entry.body = EntryBody::of(&body);
                        self.reply(&method, &path, &body, asked_fault, &mut entry)
                            .await
                    }
                    Err(error) => {
                        entry.problem = Some(error.to_string());
                        MockReply::Send(message(413, &error.to_string()))
                    }
                }
            }
        };
        let mut response = match reply {
            MockReply::Send(response) => response,
            MockReply::Stall => {
                entry.status = None;
                LogEntry::new(entry, Arc::clone(&self.listener))
                    .stall()
                    .await;
                return None;
            }
            MockReply::Close => {
                entry.end = RequestEnd::Broken;
                drop(LogEntry::new(entry, Arc::clone(&self.listener)));
                return None;
            }
        };
        entry.status = Some(response.status);
        response.headers.retain(|(_, value)| !value.is_empty());
        response.headers.extend(cors(origin, asked_headers));
        let log = LogEntry::new(entry, Arc::clone(&self.listener));
        Some(response_stream(response, log).await)
    }

    /// The facts of a request that are known before it is answered.
    fn entry(&self, request: &ReceivedRequest) -> RequestEntry {
        let headers = request
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), masked_header(name, value).to_owned()));
        RequestEntry {
            request: self.requests.fetch_add(1, Ordering::Relaxed) + 1,
            method: request.method.clone(),
            path: masked_query(&request.target).into_owned(),
            headers: headers.collect(),
            protocol: None,
            asks: None,
            body: EntryBody::Nothing(()),
            fault: None,
            status: None,
            problem: None,
            events: 0,
            took_ms: 0,
            end: RequestEnd::ClientLeft,
        }
    }

    /// The reply to a request.
    async fn reply(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
        asked_fault: Option<Result<Fault, String>>,
        entry: &mut RequestEntry,
    ) -> MockReply {
        let (protocol, request) = match read(method, path, body) {
            Ok(read) => read,
            // A recording of an API of its own is served at its own paths.
            Err(why) => {
                let answer = self.agent.answer_any(method, path, body);
                return match answer {
                    Some(Ok(answer)) => self.sent(answer, None, asked_fault, entry),
                    Some(Err(problem)) => self.refused(method, path, &problem, 404, entry),
                    None => self.unread(method, path, body, &why, entry),
                };
            }
        };
        entry.protocol = Some(protocol.name());
        entry.asks = Some(request.describe());
        let answer = match self.agent.answer(protocol, &*request).await {
            Ok(answer) => answer,
            Err(why) => {
                entry.problem = Some(why.clone());
                AgentAnswer::Response(request.failure(&why))
            }
        };
        self.sent(answer, Some(&*request), asked_fault, entry)
    }

    /// An answer with the faults that are asked for; `request` is that of its protocol, if it has one.
    fn sent(
        &self,
        answer: AgentAnswer,
        request: Option<&dyn ServedRequest>,
        asked_fault: Option<Result<Fault, String>>,
        entry: &mut RequestEntry,
    ) -> MockReply {
        // A request may ask for a fault of its own, which takes the place of those of the command line.
        let number = self.answered.fetch_add(1, Ordering::Relaxed);
        let is_faulty = self.options.fault_requests.is_none_or(|most| number < most);
        let faults = match asked_fault {
            Some(Ok(fault)) => vec![fault],
            Some(Err(why)) => {
                let text = format!("the header `{FAULT_HEADER}` names no fault: {why}");
                entry.problem = Some(text.clone());
                return MockReply::Send(message(400, &text));
            }
            None if is_faulty => self.options.faults.clone(),
            None => Vec::new(),
        };
        let mut response = match answer {
            AgentAnswer::Response(response) => self.options.speed.applied_to(response),
            AgentAnswer::Nothing => return MockReply::Stall,
            AgentAnswer::NoConnection => return MockReply::Close,
        };
        for fault in &faults {
            response = fault.applied_to(response, request);
        }
        if !faults.is_empty() {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            entry.fault = Some(faults.join(", "));
        }
        MockReply::Send(response)
    }

    /// The reply to a request that no protocol reads because of `why`, and that the agent does not answer either.
    fn unread(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
        why: &str,
        entry: &mut RequestEntry,
    ) -> MockReply {
        let description = self.description();
        if method == "POST" {
            // A client of a protocol reads the reason only in the form of its protocol.
            for protocol in served_protocols() {
                let Err(why) = protocol.read(body) else {
                    continue;
                };
                if let Some(refusal) = protocol.refusal(body, &why) {
                    entry.protocol = Some(protocol.name());
                    entry.problem = Some(why);
                    return MockReply::Send(refusal);
                }
            }
            // The mapping of an API of its own only reads, so that nothing but a recording has its bytes.
            let own = "and an API of its own from a recording";
            let problem = format!("{why}; {description}, {own}");
            return self.refused(method, path, &problem, 400, entry);
        }
        let problem = format!("there is nothing at {method} {path}: {description}");
        self.refused(method, path, &problem, 404, entry)
    }

    /// The reply to a request that has no answer, with this status.
    fn refused(
        &self,
        method: &str,
        path: &str,
        problem: &str,
        status: u16,
        entry: &mut RequestEntry,
    ) -> MockReply {
        // A browser, or a program that waits until the mock is there.
        if matches!(method, "GET" | "HEAD") && path == "/" {
            return MockReply::Send(message(200, &self.description()));
        }
        entry.problem = Some(problem.to_owned());
        MockReply::Send(message(status, problem))
    }

    fn description(&self) -> String {
        let protocols: Vec<&str> = served_protocols().map(ServedProtocol::name).collect();
        format!(
            "POST requests of {} are answered by {}",
            any_of(&protocols),
            self.agent.describe()
        )
    }
}

impl RequestHandler for MockServer {
    fn handle(&self, request: ReceivedRequest) -> BoxFuture<'_, Option<SentResponse>> {
        Box::pin(self.respond(request))
    }
}

/// The protocol that knows a request, and the request.
fn read(
    method: &str,
    path: &str,
    body: &[u8],
) -> Result<(&'static dyn ServedProtocol, Box<dyn ServedRequest>), String> {
    let mut wrong = Vec::new();
    // The requests of every protocol that is served are posted.
    if method != "POST" {
        return Err(String::new());
    }
    for protocol in served_protocols_at(path) {
        match protocol.read(body) {
            Ok(request) => return Ok((protocol, request)),
            Err(why) => wrong.push(format!("no request of {}: {why}", protocol.name())),
        }
    }
    Err(wrong.join("; "))
}

/// A text for people.
fn message(status: u16, text: &str) -> ServedResponse {
    let bytes = format!("{text}\n").into();
    let frame = ServedFrame {
        after: std::time::Duration::ZERO,
        bytes,
    };
    ServedResponse::new(status, "text/plain; charset=utf-8", vec![frame])
}

/// The headers that let a page of another origin read the response.
fn cors(origin: Option<String>, headers: Option<String>) -> Vec<(String, String)> {
    let Some(origin) = origin else {
        return Vec::new();
    };
    let mut allowed = vec![
        ("access-control-allow-origin".to_owned(), origin),
        (
            "access-control-allow-credentials".to_owned(),
            "true".to_owned(),
        ),
        (
            "access-control-allow-methods".to_owned(),
            "GET, POST, OPTIONS".to_owned(),
        ),
        ("vary".to_owned(), "origin".to_owned()),
    ];
    allowed.extend(headers.map(|headers| ("access-control-allow-headers".to_owned(), headers)));
    allowed
}
