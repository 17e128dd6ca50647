//! From the keys of an agent of A2A to the agent.

use std::sync::Arc;

use super::auth_config::{Credentials, fill_auth};
use super::settings::{A2aSettings, AgentLocation, Blocking};
use super::{a2a_target::A2aTarget, card::AgentCard, config::A2aConfig};
use ananke_agents::http::headers;
use ananke_base::diagnostic::Code;
use ananke_model::model::Text;
use ananke_model::variables::{Fill as _, Interpolation, Leaf, NotReady, endpoint_url};
use serde_json::Value;

/// Checks and fills a target.
///
/// # Errors
/// If something is known later or was reported.
pub(super) fn compile(
    config: &A2aConfig,
    interpolation: &mut Interpolation<'_>,
) -> Leaf<A2aTarget> {
    let location = location(config, interpolation);
    let context_id = config.context_id.fill(interpolation);
    let blocking = config.blocking.fill(interpolation);
    let modes = config.accepted_output_modes.fill(interpolation);
    let headers = headers(config.headers.as_ref(), interpolation);
    let mut options = config.http.fill(interpolation);
    let credentials = match (&config.auth, &mut options) {
        (None, _) => Ok(Credentials::default()),
        (Some(auth), Ok(options)) => {
            fill_auth(auth, options, interpolation).ok_or(NotReady::Invalid)
        }
        (Some(_), Err(not_ready)) => Err(*not_ready),
    };
    Ok(A2aTarget::new(A2aSettings {
        location: location?,
        context_id: context_id?,
        blocking: match blocking? {
            None => Blocking::Streaming,
            Some(true) => Blocking::Blocking,
            Some(false) => Blocking::Polling,
        },
        accepted_output_modes: modes?,
        conventions: config.tool_calls.clone().unwrap_or_default(),
        headers: headers?,
        credentials: credentials?,
        options: Arc::new(options?),
    }))
}

fn location(config: &A2aConfig, interpolation: &mut Interpolation<'_>) -> Leaf<AgentLocation> {
    let A2aConfig {
        agent_card_url,
        agent_card,
        endpoint,
        ..
    } = config;
    let mut url = |written: &Option<Text>, name| match written {
        None => Ok(None),
        Some(written) => endpoint_url(written, name, interpolation).map(Some),
    };
    let (card_url, endpoint_url) = (
        url(agent_card_url, "agentCardUrl"),
        url(endpoint, "endpoint"),
    );
    match (agent_card_url, agent_card) {
        (Some(written), Some(_)) => {
            let message = "`agentCardUrl` and `agentCard` both say what the agent card is";
            let help = Some("keep one of them".to_owned());
            Err(interpolation.report(Code::Contradiction, written.span, message, help))
        }
        (None, Some(node)) => {
            let document = interpolation.json(node)?;
            let endpoint = endpoint_url?;
            match AgentCard::read(&document, None, endpoint.as_ref()) {
                Ok(card) => Ok(of_card(card, &document)),
                Err(why) => {
                    let help = "a card has `supportedInterfaces`, or `url` and `protocolVersion`";
                    Err(interpolation.report(Code::BadValue, node.span, why, Some(help.to_owned())))
                }
            }
        }
        (_, None) => match (card_url?, endpoint_url?) {
            (Some(url), endpoint) => Ok(AgentLocation::CardUrl { url, endpoint }),
            (None, Some(endpoint)) => Ok(AgentLocation::Endpoint(endpoint)),
            // The missing key was reported.
            (None, None) => Err(NotReady::Invalid),
        },
    }
}

fn of_card(card: AgentCard, document: &Value) -> AgentLocation {
    let name = document
        .get("name")
        .and_then(Value::as_str)
        .filter(|name| !name.is_empty());
    AgentLocation::Card {
        card,
        name: name.map(str::to_owned),
    }
}
