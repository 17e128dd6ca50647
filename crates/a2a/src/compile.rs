//! From the keys of an agent of A2A to the agent.

use std::sync::Arc;

use super::a2a_target::A2aTarget;
use super::auth_config::{Credentials, fill_auth};
use super::card::AgentCard;
use super::config::A2aConfig;
use super::settings::{A2aSettings, AgentLocation, Blocking};
use ananke_agents::http::headers;
use ananke_base::diagnostic::Code;
use ananke_model::model::Text;
use ananke_model::variables::{Interpolation, http_url};
use serde_json::Value;

/// Checks and fills a target; `None` if something is known later or was reported.
pub(super) fn compile(
    config: &A2aConfig,
    interpolation: &mut Interpolation<'_>,
) -> Option<A2aTarget> {
    let location = location(config, interpolation);
    let context_id = config
        .context_id
        .as_ref()
        .map(|text| interpolation.text(text))
        .transpose();
    let blocking = match &config.blocking {
        None => Some(Blocking::Streaming),
        Some(flag) => interpolation.flag(flag).ok().map(|is_blocking| {
            if is_blocking {
                Blocking::Blocking
            } else {
                Blocking::Polling
            }
        }),
    };
    let modes: Option<Vec<_>> = config
        .accepted_output_modes
        .as_ref()
        .map(|modes| modes.iter().map(|mode| interpolation.text(mode)).collect());
    let modes = modes
        .map(|modes| modes.into_iter().collect::<Result<Vec<String>, _>>())
        .transpose();
    let headers = headers(config.headers.as_ref(), interpolation);
    let mut options = config.http.fill(interpolation);
    let credentials = match (&config.auth, &mut options) {
        (None, _) => Some(Credentials::default()),
        (Some(auth), Some(options)) => fill_auth(auth, options, interpolation),
        (Some(_), None) => None,
    };
    Some(A2aTarget::new(A2aSettings {
        location: location?,
        context_id: context_id.ok()?,
        blocking: blocking?,
        accepted_output_modes: modes.ok()?,
        conventions: config.tool_calls.clone().unwrap_or_default(),
        headers: headers?,
        credentials: credentials?,
        options: Arc::new(options?),
    }))
}

fn location(config: &A2aConfig, interpolation: &mut Interpolation<'_>) -> Option<AgentLocation> {
    let A2aConfig {
        agent_card_url,
        agent_card,
        endpoint,
        ..
    } = config;
    let mut url = |written: &Option<Text>, name| match written {
        None => Some(None),
        Some(written) => {
            let text = interpolation.sent_text(written).ok()?;
            http_url(&text, name, written, interpolation).map(Some)
        }
    };
    let (card_url, endpoint_url) = (
        url(agent_card_url, "agentCardUrl"),
        url(endpoint, "endpoint"),
    );
    match (agent_card_url, agent_card) {
        (Some(written), Some(_)) => {
            let message = "`agentCardUrl` and `agentCard` both say what the agent card is";
            let help = Some("keep one of them".to_owned());
            interpolation.report(Code::Contradiction, written.span, message, help);
            None
        }
        (Some(_), None) => Some(AgentLocation::CardUrl {
            url: card_url??,
            endpoint: endpoint_url?,
        }),
        (None, Some(node)) => {
            let document = interpolation.json(node).ok()?;
            let endpoint = endpoint_url?;
            match AgentCard::read(&document, None, endpoint.as_ref()) {
                Ok(card) => Some(of_card(card, &document)),
                Err(why) => {
                    let help = "a card has `supportedInterfaces`, or `url` and `protocolVersion`";
                    interpolation.report(Code::BadValue, node.span, why, Some(help.to_owned()));
                    None
                }
            }
        }
        (None, None) if endpoint.is_some() => Some(AgentLocation::Endpoint(endpoint_url??)),
        (None, None) => None,
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
