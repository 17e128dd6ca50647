//! A target as a config writes it, read by its protocol.

use std::sync::Arc;

use super::capabilities::{Capabilities, Capability};
use super::common::TargetCommon;
use super::protocol::ProtocolConfig;
use super::protocol_turn::ToolTurns;
use super::recognition::recognizing;
use super::registry::Registration;
use super::target::Target;
use ananke_base::diagnostic::{Code, Diagnostic, SourceFile, Span, Spanned};
use ananke_base::message::OwnTurnKind;
use ananke_base::source::{self, FreeMap, Node, NodeValue, TypeMismatch, printable};
use ananke_model::model::{TAG_DEFAULTS, TYPE, Text, Turn};
use ananke_model::variables::Interpolation;
use ananke_trace::outcome::AgentHost;

/// A target as a config writes it: the keys of every target, and those of its protocol.
#[derive(Clone, Debug)]
pub struct TargetConfig {
    /// The keys that do not depend on the protocol.
    pub common: TargetCommon,
    /// The value of `type`.
    pub protocol: &'static str,
    own: Arc<dyn ProtocolConfig>,
    span: Span,
    address: Span,
}

/// The keys with an agent's address, or with the program that it is.
const ADDRESSES: [&str; 3] = ["endpoint", "command", "cmd"];

impl TargetConfig {
    /// Reads a target of a config. The value of `type` names the protocol, which reads the keys that are its own.
    ///
    /// # Errors
    /// The first key whose value does not have the type of the key, or which no target of this protocol has.
    pub fn read(node: &Node) -> Result<Self, TypeMismatch> {
        let protocol = protocol_of(node)?;
        let own = protocol.read(node)?;
        // All other keys were read by the protocol, so they are skipped here and are not unknown.
        let common =
            source::from_mapping(node, TAG_DEFAULTS, |key| !TargetCommon::KEYS.contains(&key))?;
        // Problems of the agent's address are reported at its key. The whole target is the place if it has no such key.
        let address = match ADDRESSES.into_iter().find_map(|key| node.get(key)) {
            Some(address) => address.span,
            None => node.span,
        };
        Ok(Self {
            common,
            protocol: protocol.name,
            own,
            span: node.span,
            address,
        })
    }

    /// The place of the agent's address, or of the program that it is.
    pub fn address(&self) -> Span {
        self.own.address().unwrap_or(self.address)
    }

    /// The agent in words, with its article.
    pub fn describe(&self) -> &'static str {
        self.own.describe()
    }

    /// The needs of a test that this target meets, with the keys that it has.
    pub fn capabilities(&self) -> Capabilities {
        self.own.capabilities()
    }

    /// Whether the target takes turns of this kind, which is a protocol's own.
    pub fn takes_turn(&self, kind: &OwnTurnKind) -> bool {
        match Registration::find(self.protocol) {
            Some(protocol) => protocol.takes_turn(kind),
            None => false,
        }
    }

    /// The turns by which a client lists and calls its tools, if its protocol has them.
    pub fn tool_turns(&self) -> Option<ToolTurns> {
        Registration::find(self.protocol)?.tool_turns
    }

    /// The way in which the target gets a capability that it lacks, if a key of it says so.
    pub fn how_to_get(&self, lacking: Capability) -> Option<&'static str> {
        self.own.how_to_get(lacking)
    }

    /// The way to see calls, if a test without client tools may see none.
    pub fn how_to_see_calls(&self) -> Option<&'static str> {
        self.own.how_to_see_calls()
    }

    /// The place where the agent is.
    pub fn host(&self) -> AgentHost {
        self.own.host()
    }

    /// Whether the agent runs inside this program, and needs nothing else.
    pub fn is_embedded(&self) -> bool {
        // Such an agent answers always, so that a run of it says nothing about the agent of a project.
        self.host() == AgentHost::Embedded
    }

    /// The `agentId` as written, if there is one.
    pub fn agent_id(&self) -> Option<&Text> {
        self.own.agent_id()
    }

    /// The name of the model as written, if its protocol names one.
    pub fn model(&self) -> Option<&Text> {
        self.own.model()
    }

    /// The HTTP headers as written, if its protocol has them.
    pub fn headers(&self) -> Option<&FreeMap<Text>> {
        self.own.headers()
    }

    /// The texts as written whose variables are secrets: headers, and what else carries credentials.
    pub fn credentials(&self) -> impl Iterator<Item = &Text> {
        self.headers()
            .into_iter()
            .flat_map(FreeMap::values)
            .chain(self.own.credentials())
    }

    /// Makes the target that tests run against: checks the protocol's own keys, and replaces their variables. `None` if a key is
    /// wrong, which is reported to `interpolation`, or if a variable has no value until the test runs.
    pub fn compile(&self, interpolation: &mut Interpolation<'_>) -> Option<Arc<dyn Target>> {
        // Some keys are required only together with others, so they can be missing although each key alone is right.
        if let Some((message, help)) = self.own.missing() {
            interpolation.report(Code::MissingKey, self.span, message, Some(help.to_owned()));
            return None;
        }
        let target = self.own.compile(interpolation).ok()?;
        // An agent at an address may speak another protocol than `type` says. The wrapper of `recognizing` adds to its errors
        // which protocol the answer looks like. An agent inside this program always speaks its own.
        if self.is_embedded() {
            return Some(target);
        }
        Some(match Registration::find(self.protocol) {
            Some(protocol) => recognizing(target, protocol),
            // The protocol was found when the target was read, so this does not happen.
            None => target,
        })
    }

    /// The oddities of the turns of a test of this target; `source` is the test's file.
    pub fn check_turns(
        &self,
        turns: &[Spanned<Turn>],
        source: &Arc<SourceFile>,
    ) -> Option<Diagnostic> {
        self.own.check_turns(turns, source)
    }
}

/// The protocol that the key `type` of a target names.
///
/// # Errors
/// If the target is not a mapping, has no `type`, or its `type` names no protocol.
pub(super) fn protocol_of(node: &Node) -> Result<&'static Registration, TypeMismatch> {
    if !matches!(node.value, NodeValue::Map(_)) {
        return Err(TypeMismatch {
            span: node.span,
            message: format!("expected a mapping, found {}", node.describe()),
        });
    }
    let Some(written) = node.get(TYPE) else {
        // The same message as for every other mapping with several forms, none of which it has.
        return Err(TypeMismatch {
            span: node.span,
            message: "this mapping is none of those that are allowed here".to_owned(),
        });
    };
    let Some(name) = written.as_str() else {
        return Err(TypeMismatch {
            span: written.span,
            message: format!("{} is not a valid `type`", written.describe()),
        });
    };
    match Registration::find(name) {
        Some(protocol) => Ok(protocol),
        None => Err(TypeMismatch {
            span: written.span,
            message: format!("unknown value `{}`", printable(name)),
        }),
    }
}
