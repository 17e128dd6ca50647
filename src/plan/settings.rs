//! What a target needs to know, checked and filled: the model without its variables.

use serde_json::{Map, Value};
use url::Url;

use super::scripted::{self, ScriptedSettings};
use crate::diagnostic::Code;
use crate::model::{AguiTarget, AguiTransport, EventClock, HistorySent, ProtocolVersion, Target, Text};
use crate::project::{Config, ResolvedTarget};
use crate::source::{Node, printable};
use crate::variables::{Filling, Late, Scope, Secret, http_url};

/// The agent under test, by protocol.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetSettings {
    /// `type: agui`
    Agui(AguiSettings),
    /// `type: scripted`
    Scripted(ScriptedSettings),
}

/// An AG-UI agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AguiSettings {
    /// The agent's name in reports.
    pub agent: String,
    /// Where runs are posted to.
    pub endpoint: Url,
    /// Headers of every request, in the order of the file.
    pub headers: Vec<(String, String)>,
    /// Passed on with every run.
    pub forwarded_props: Value,
    /// Sent with the first turn.
    pub state: Value,
    /// How the agent is reached.
    pub transport: AguiTransport,
    /// Which version of the protocol the requests are written in.
    pub version: ProtocolVersion,
    /// Whether a run is sent only what is new.
    pub last_only: bool,
    /// Whether times are those that events tell.
    pub event_clock: bool,
}

impl TargetSettings {
    /// The agent's name in reports.
    pub fn agent(&self) -> &str {
        match self {
            Self::Agui(settings) => &settings.agent,
            Self::Scripted(settings) => &settings.agent,
        }
    }

    /// Where the agent is, where it has a place of its own that tests can share.
    pub fn endpoint(&self) -> Option<&str> {
        match self {
            Self::Agui(settings) => Some(settings.endpoint.as_str()),
            Self::Scripted(_) => None,
        }
    }

    /// Whether times are those that the agent's events tell.
    pub fn event_clock(&self) -> bool {
        match self {
            Self::Agui(settings) => settings.event_clock,
            Self::Scripted(_) => false,
        }
    }

    /// What the conversation's state starts as.
    pub fn state(&self) -> &Value {
        match self {
            Self::Agui(settings) => &settings.state,
            Self::Scripted(settings) => &settings.state,
        }
    }

    /// Passes `props` on with every run, over what the target says: key by key.
    pub(super) fn forward(&mut self, props: Map<String, Value>) {
        match self {
            Self::Agui(settings) => forward_over(&mut settings.forwarded_props, props),
            // It looks at nothing of it.
            Self::Scripted(_) => {}
        }
    }

    /// Checks and fills a target; `None` where something is known later or was reported.
    pub(super) fn fill(target: &Target, filling: &mut Filling<'_>) -> Option<Self> {
        match target {
            Target::Agui(target) => agui(target, filling).map(Self::Agui),
            Target::Scripted(target) => scripted::fill(target, filling).map(Self::Scripted),
        }
    }
}

/// Puts `props` over a mapping, key by key.
pub fn forward_over(base: &mut Value, props: Map<String, Value>) {
    match base {
        Value::Object(known) => known.extend(props),
        other if !props.is_empty() => *other = Value::Object(props),
        _ => {}
    }
}

/// What of `scope` the headers of the target carry, what stands in them, and what the config says is secret: none of
/// it may be told.
pub(super) fn secrets_of(config: &Config, target: &ResolvedTarget, scope: &Scope) -> Vec<Secret> {
    let scope = scope.clone().open();
    let mut problems = Vec::new();
    let mut filling = Filling::new(&scope, &config.source, false, &mut problems);
    TargetSettings::fill(&target.model, &mut filling);
    let mut secrets = filling.into_secrets();
    secrets.extend(config.redactions.secrets(&scope));
    secrets
}

fn agui(target: &AguiTarget, filling: &mut Filling<'_>) -> Option<AguiSettings> {
    let agent = filling.text(&target.agent_id).ready();
    let endpoint = filling
        .sent_text(&target.endpoint)
        .ready()
        .and_then(|text| http_url(&text, "endpoint", &target.endpoint, filling));
    let transport = target.transport.as_ref().map(|transport| transport.value).unwrap_or_default();
    let headers: Vec<Option<(String, String)>> =
        target.headers.iter().flatten().map(|(name, text)| header(name, text, filling)).collect();
    let forwarded_props = optional(target.forwarded_props.as_ref(), filling);
    let state = optional(target.state.as_ref(), filling);
    Some(AguiSettings {
        agent: agent?,
        endpoint: endpoint?,
        headers: headers.into_iter().collect::<Option<_>>()?,
        forwarded_props: forwarded_props.ready()?.unwrap_or_else(|| Value::Object(Map::new())),
        state: state.ready()?.unwrap_or_else(|| Value::Object(Map::new())),
        transport,
        version: target.protocol_version.as_ref().map(|version| version.value).unwrap_or_default(),
        event_clock: target.clock == Some(EventClock::Event),
        last_only: target.history.unwrap_or_default() == HistorySent::Last,
    })
}

/// RFC 9110, 5.1 and 5.5: a token for the name, no control characters but tab in the value.
pub(super) fn header(name: &Text, text: &Text, filling: &mut Filling<'_>) -> Option<(String, String)> {
    let value = filling.header(name, text).ready();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        let message = format!("`{}` is no name of an HTTP header", printable(name));
        filling.report(Code::BadValue, name.span, message, None);
        return None;
    }
    let value = value?;
    if value.chars().any(|c| c.is_control() && c != '\t') {
        // The value may be a secret: it is not shown.
        let message = format!(
            "the value of the header `{}` holds a line break or another control character",
            name.value
        );
        filling.report(Code::BadValue, text.span, message, None);
        return None;
    }
    Some((name.to_ascii_lowercase(), value))
}

pub(super) fn optional(node: Option<&Node>, filling: &mut Filling<'_>) -> Late<Option<Value>> {
    Late::optional(node.map(|node| filling.json(node)))
}
