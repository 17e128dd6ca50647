//! Finds the agent card: at its URL, or at a well-known path below a base URL.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;
use url::Url;

use super::{auth_config::Credentials, card::AgentCard, dialect::NEWEST, settings::A2aSettings};
use ananke_agents::http::{
    self, ClientEvent, Document, HttpRequest, Method, RequestProgress, Transport, below, origin,
    read_document, shown,
};
use ananke_agents::{Limits, Sink, TargetError};
use ananke_base::context::At;
use ananke_base::source::received_json::read_as;

/// The paths of cards: since 0.3, and before it.
const WELL_KNOWN: [&str; 2] = ["agent-card.json", "agent.json"];

/// The folder of well-known documents (RFC 8615).
const FOLDER: &str = ".well-known";

/// The statuses with which a server says that nothing is there.
const NOT_THERE: [u16; 3] = [404, 405, 410];

/// Requests the card below `url`, or at it. `endpoint` replaces the URL that it contains.
///
/// # Errors
/// If there is no card, or none that can be used, or it does not come in time.
pub(super) async fn discover(
    settings: &A2aSettings,
    url: &Url,
    endpoint: Option<&Url>,
    transport: &dyn Transport,
    limits: &Limits,
    sink: &mut dyn Sink,
) -> Result<AgentCard, TargetError> {
    let mut tried = Vec::new();
    let mut last = 404;
    for (candidate, name) in candidates(url) {
        let mut closed = None;
        let read = request(
            settings,
            candidate.clone(),
            transport,
            limits,
            sink,
            &mut closed,
        )
        .await;
        transport.moment(ClientEvent::Closes(closed));
        match read? {
            Answer::Late => {
                let message = format!("the agent card did not come in time: no answer from {name}");
                return Err(TargetError::new(message)
                    .with_help("is the agent running, and is this its URL?"));
            }
            Answer::NotThere(status) => {
                last = status;
                tried.push(name);
            }
            Answer::Document(document) => {
                let card = card(&document, &candidate, &name, endpoint)?;
                if endpoint.is_none() && transport.is_network() {
                    check_origin(settings, &candidate, &card, &document)?;
                }
                return Ok(card);
            }
        }
    }
    let message = format!(
        "no agent card (HTTP {last}): nothing is at {}",
        tried.join(", ")
    );
    Err(TargetError::new(message).with_help(
        "set `agentCardUrl` to the URL of the card, or set `endpoint` to the URL of the agent and leave it out",
    ))
}

/// The URLs at which the card below `url` is requested, in this order.
pub(super) fn well_known(url: &Url) -> Vec<Url> {
    candidates(url).into_iter().map(|(url, _)| url).collect()
}

/// The places of the card, in this order, each with its name in messages. They say nothing of the host, which may be
/// another one when a recording is replayed.
fn candidates(url: &Url) -> Vec<(Url, String)> {
    let itself = (url.clone(), "`agentCardUrl` itself".to_owned());
    let is_card = Path::new(url.path())
        .extension()
        .is_some_and(|extension| extension == "json")
        || url.path().contains("/.well-known/");
    if is_card {
        return vec![itself];
    }
    let well_known = WELL_KNOWN.iter().filter_map(|name| {
        Some((
            below(url, [FOLDER, name].into_iter())?,
            format!("`/{FOLDER}/{name}` below `agentCardUrl`"),
        ))
    });
    well_known.chain([itself]).collect()
}

enum Answer {
    Document(Document),
    NotThere(u16),
    Late,
}

async fn request(
    settings: &A2aSettings,
    url: Url,
    transport: &dyn Transport,
    limits: &Limits,
    sink: &mut dyn Sink,
    closed: &mut Option<At>,
) -> Result<Answer, TargetError> {
    let Credentials { headers, .. } = &settings.credentials;
    let own = [settings.headers.as_slice(), headers].concat();
    let request = HttpRequest {
        method: Method::Get,
        url: settings.credentials.on(url.clone()),
        // Without a version, a server that speaks several gives the card of the oldest.
        headers: http::headers_with_defaults(&own, &[("accept", "application/json"), NEWEST]),
        body: Bytes::new(),
        response_headers: Vec::new(),
        options: Arc::clone(&settings.options),
        progress: RequestProgress::default(),
    };
    let response = http::send(transport, request, limits, sink, closed).await?;
    let Some(response) = response else {
        return Ok(Answer::Late);
    };
    let head = &response.received.head;
    if NOT_THERE.contains(&head.status) {
        return Ok(Answer::NotThere(head.status));
    }
    if let (300..=399, Some(location)) = (head.status, &head.location) {
        let message = format!("the agent card redirects to {location}");
        let help = "redirects are not followed: set `agentCardUrl` to the new URL, if it is right";
        return Err(response.received.error(message).with_help(help));
    }
    if !(200..300).contains(&head.status) {
        let message = format!("the agent card cannot be read: HTTP {}", head.status);
        let is_unauthorized = matches!(head.status, 401 | 403);
        let error = response.refusal().await;
        let error = TargetError { message, ..error };
        return Err(if is_unauthorized {
            error.with_help("check the `auth` and the `headers` of the target")
        } else {
            error
        });
    }
    Ok(read_document(response, limits, sink, closed)
        .await?
        .map_or(Answer::Late, Answer::Document))
}

fn card(
    document: &Document,
    url: &Url,
    name: &str,
    endpoint: Option<&Url>,
) -> Result<AgentCard, TargetError> {
    let Document {
        received, bytes, ..
    } = document;
    let wrong =
        |why: String| received.error(format!("what is at {name} is not an agent card: {why}"));
    let help = "is it the base URL of an agent, or the URL of its card?";
    let card: Value = read_as(bytes)
        .map_err(|error| wrong(format!("it is not JSON: {error}")).with_help(help))?;
    if !AgentCard::is_card(&card) && endpoint.is_none() {
        let why = "it has neither `supportedInterfaces` nor `url`".to_owned();
        return Err(wrong(why).with_help(help));
    }
    AgentCard::read(&card, Some(url), endpoint).map_err(|why| {
        received.error(why).with_help(
            "supported are JSON-RPC and HTTP+JSON of the versions 1.0 and 0.3; `endpoint` replaces the URL of the card",
        )
    })
}

/// Checks that credentials go to the origin of the card alone (SPEC 14).
fn check_origin(
    settings: &A2aSettings,
    url: &Url,
    card: &AgentCard,
    document: &Document,
) -> Result<(), TargetError> {
    let agent = &card.interface.url;
    let Some(credentials) = settings.described_credentials() else {
        return Ok(());
    };
    if origin(url) == origin(agent) {
        return Ok(());
    }
    let of_card = url.origin().ascii_serialization();
    let message = format!(
        "the agent card at {of_card} says that the agent is at {}, which is another origin: {credentials} not sent there",
        shown(agent)
    );
    let help = format!("if that is right, say so with `endpoint: {}`", shown(agent));
    Err(document.received.error(message).with_help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_is_at_the_url_or_below_it() {
        let of = |url: &str| -> Vec<String> {
            candidates(&url.parse().unwrap())
                .iter()
                .map(|(url, _)| url.to_string())
                .collect()
        };
        assert_eq!(
            of("http://h/a2a"),
            [
                "http://h/a2a/.well-known/agent-card.json",
                "http://h/a2a/.well-known/agent.json",
                "http://h/a2a"
            ]
        );
        assert_eq!(
            of("http://h/"),
            [
                "http://h/.well-known/agent-card.json",
                "http://h/.well-known/agent.json",
                "http://h/"
            ]
        );
        for card in ["http://h/x/card.json", "http://h/.well-known/agent-card"] {
            assert_eq!(of(card), [card]);
        }
    }
}
